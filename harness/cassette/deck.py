"""What a tape runs on: a deck, which sends requests through vcrpy; here the one that records, others in `replay`."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import httpx
from pydantic import ValidationError
from vcr.cassette import Cassette
from vcr.filters import decode_response
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.serialize import serialize
from vcr.stubs.httpx_stubs import vcr_handle_request

from harness.cassette.asked import asked, public
from harness.cassette.commands import base_url_of
from harness.cassette.drift import shown
from harness.cassette.file import CassetteError, write_cassette
from harness.cassette.place import place_of
from harness.cassette.scrub import KEPT, Scrubbing
from harness.llm import ENDPOINT, LATENCY, ModelSpec, is_secret
from harness.secrets import Guard, Known
from harness.secrets.known import in_cookies, in_headers

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from harness.cassette.drift import Drift

_KEPT_REQUEST_HEADERS = ('content-type',)
_KEPT_RESPONSE_HEADERS = ('content-type',)


class Deck(httpx.BaseTransport, ABC):
    """Sends requests through a vcrpy cassette, one at a time, since their order counts."""

    drift: Drift | None = None

    def __init__(self, path: Path, cassette: Cassette, server: httpx.Client | None) -> None:
        self.path = path
        self.cassette = cassette
        self.played = 0
        self._lock = threading.Lock()

        def answer(_: httpx.BaseTransport, request: httpx.Request) -> httpx.Response:
            if server is None:
                raise AssertionError('a replay makes no request')
            return server.send(request, stream=True)

        self._exchange = vcr_handle_request(cassette, answer, httpx)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.expect(request)
            began = time.perf_counter()
            response: httpx.Response = self._exchange(self, request)
            response.extensions[LATENCY] = self.latency(request, time.perf_counter() - began)
            self.played += 1
            return response

    def expect(self, request: httpx.Request) -> None:
        """Look at a request before it goes out."""

    @abstractmethod
    def latency(self, request: httpx.Request, seconds: float) -> float | None:
        """Return how long the model took for the answer that is being given, where giving it took so many seconds."""

    def finish(self) -> None:
        """Look at what is left at the end."""

    @property
    def spec(self) -> ModelSpec:
        """The model that the first request of the cassette asks."""
        if not len(self.cassette):
            raise CassetteError(self.path, 'there is no request in it')
        request = self.cassette.requests[0]
        if not request.path.endswith(ENDPOINT):
            raise CassetteError(self.path, f'the first request goes to {shown(request.path)}, not to a model')
        body = asked(request.method, request.uri, (), request.body).body
        if not isinstance(body, dict):
            raise CassetteError(self.path, 'the body of request 1 is no JSON object')
        if not body.get('model'):
            raise CassetteError(self.path, 'the first request tells no model')
        given = {key: body[key] for key in ('model', 'temperature', 'max_tokens', 'seed') if key in body}
        try:
            spec = ModelSpec(name=place_of(self.path).model, base_url=base_url_of(request.uri), **given)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key = '.'.join(map(str, first['loc']))
            raise CassetteError(self.path, f'the first request tells no model: {key}: {first["msg"]}') from None
        # A model that was asked with the temperature 0 is not asked with 0.0 now: types count in a comparison.
        return spec.model_copy(update=given)


class Recorder(Deck):
    """Lets requests through to the server and remembers the exchanges."""

    def __init__(self, path: Path, server: httpx.Client, about: Mapping[str, Any] | None = None) -> None:
        self._about = dict(about or {})
        self._latencies: list[float] = []
        self._secrets: set[str] = set()
        self._failure: Exception | None = None
        cassette = Cassette(
            path=path,
            record_mode=RecordMode.ALL,
            before_record_request=self._scrubbed_request,
            before_record_response=self._scrubbed_response,
        )
        super().__init__(path, cassette, server)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        except Exception as error:
            self._failure = self._failure or error
            raise

    def latency(self, request: httpx.Request, seconds: float) -> float:
        # A client that tries again says how long the last try took: the waiting before it is no time of the model.
        latency: float = request.extensions.get(LATENCY, seconds)
        self._latencies.append(latency)
        return latency

    def expect(self, request: httpx.Request) -> None:
        values = [value for name, value in request.headers.items() if is_secret(name)]
        values += [value for name, value in request.url.params.multi_items() if is_secret(name)]
        values += [request.url.password]
        self._secrets |= {word for value in values for word in in_headers(value)}

    def save(self) -> None:
        """Write the cassette."""
        if self._failure is not None:
            raise CassetteError(self.path, f'a request got no answer: {self._failure}', hint=KEPT) from self._failure
        if not self.played:
            raise CassetteError(self.path, 'no request was made, there is nothing to record', hint=KEPT)
        # A server may repeat a key in what it says, also one that it got before or after this request.
        guard = Guard.of_environment(more=[Known(secret, 'a key that was sent') for secret in self._secrets])
        content = {'requests': self.cassette.requests, 'responses': self.cassette.responses}
        text = serialize(content, Scrubbing(self.path, guard, self._about, self._latencies))
        try:
            write_cassette(self.path, text)
        except OSError as error:
            raise CassetteError(self.path, f'the file cannot be written: {error.strerror}', hint=KEPT) from None

    def _scrubbed_request(self, request: Request) -> Request:
        headers = {name: value for name, value in request.headers.items() if name.lower() in _KEPT_REQUEST_HEADERS}
        return Request(request.method, str(public(request.uri)), request.body, headers)

    def _scrubbed_response(self, response: dict[str, Any]) -> dict[str, Any]:
        response = decode_response(response)
        if any(name.lower() == 'content-encoding' for name in response['headers']):
            raise CassetteError(self.path, 'the server sent a compressed reply although it was asked not to', hint='')
        headers = response['headers'].items()
        cookies = [value for name, values in headers if name.lower() == 'set-cookie' for value in values]
        self._secrets |= {word for value in cookies for word in in_cookies(value)}
        kept = {name: values for name, values in headers if name.lower() in _KEPT_RESPONSE_HEADERS}
        return {'status': response['status'], 'headers': kept, 'body': response['body']}
