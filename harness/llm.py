"""The model side: an OpenAI-compatible HTTP client, the same one for scripted, replayed, recorded and live models.

What differs is only the `httpx.Client` it sends through: `live_http()` reaches a server, a tape of `harness.cassette`
records or replays, `scripted_client` plays a script. A call ends with a `Completion` or with a `ModelError`.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import httpx
from pydantic import ConfigDict, Field, field_validator, model_validator

from harness.llm_errors import (
    APIConnectionError,
    APIResponseError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    ModelError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnprocessableEntityError,
    status_error,
)
from harness.record import Frozen
from harness.secrets import Guard, Known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.scenario import ModelScript, Reply

__all__ = [
    'APIConnectionError',
    'APIResponseError',
    'APIStatusError',
    'APITimeoutError',
    'AuthenticationError',
    'BadRequestError',
    'ChatClient',
    'Completion',
    'ConflictError',
    'InternalServerError',
    'ModelError',
    'ModelSpec',
    'NotFoundError',
    'PermissionDeniedError',
    'RateLimitError',
    'UnprocessableEntityError',
    'completion_of',
    'is_name',
    'is_secret',
    'live_http',
    'request_body',
    'scripted_client',
]

ENDPOINT = '/chat/completions'
LATENCY = 'latency_s'
"""The extension of a response that says how many seconds the model took: None where nobody knows."""

_MAX_MESSAGE = 2_000
_NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9._+-]{0,99}')
_SECRET = re.compile(r'key|token|secret|auth|passw|pwd|credential|cookie|session|signature|^sig$', re.IGNORECASE)
_SURROGATES = re.compile('[\ud800-\udfff]')


def is_name(text: str) -> bool:
    """Tell whether a model may have this name in paths: no separator, no `..`, no control character."""
    return _NAME.fullmatch(text) is not None and '..' not in text and not text.endswith('.')


def is_secret(name: str) -> bool:
    """Tell whether a header or query parameter of this name may hold a secret."""
    return _SECRET.search(name) is not None


# -------------------------------------------------------------------------------------------------------- the values


class ModelSpec(Frozen):
    """A model as a server offers it: where it is, what it is called there, and how to sample.

    `name` names the model in files and reports, `model` is sent to the server (`name` where it is not given). The key
    is read from the environment variable `api_key_env` at each call. `timeout_s` bounds each wait for the server, in
    seconds.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    name: str
    base_url: str
    model: str = ''
    api_key_env: str | None = Field(default=None, pattern=r'^[A-Za-z_][A-Za-z0-9_]*$')
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None
    timeout_s: float = Field(default=120.0, gt=0, allow_inf_nan=False)

    @field_validator('name')
    @classmethod
    def _name_fits_a_path(cls, name: str) -> str:
        if not is_name(name) or name.isdecimal():
            raise ValueError(
                'use letters, digits and . _ + - (at most 100, the first a letter or digit, no .., no number alone); '
                'the name that the server knows may differ: give it as `model`'
            )
        return name

    @field_validator('base_url')
    @classmethod
    def _base_url_holds_no_secret(cls, base_url: str) -> str:
        try:
            url = httpx.URL(base_url)
        except httpx.InvalidURL as error:
            raise ValueError(f'no URL: {error}') from None
        if url.scheme not in ('http', 'https') or not url.host:
            raise ValueError('give a URL such as http://127.0.0.1:8080/v1')
        if url.userinfo or any(map(is_secret, url.params)) or Guard.of_environment().find(base_url):
            raise ValueError('a URL must hold no key or password: put it in an environment variable (`api_key_env`)')
        return base_url.rstrip('/')

    @model_validator(mode='before')
    @classmethod
    def _model_is_the_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and not value.get('model'):
            return {**value, 'model': value.get('name')}
        return value

    @property
    def url(self) -> httpx.URL:
        """Where the requests go."""
        base = httpx.URL(self.base_url)
        return base.copy_with(path=base.path.rstrip('/') + ENDPOINT)


class Completion(Frozen):
    """What a model answered: its text (None where it gave none), why it ended, the tokens, and the seconds it took.

    A replay tells the seconds of the recording, None where that does not know them.
    """

    text: str | None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None


# -------------------------------------------------------------------------------------------------------- the client


class ChatClient:
    """Asks one model, one prompt a call, through the `httpx.Client` it is given; safe to share between threads."""

    def __init__(self, spec: ModelSpec, http: httpx.Client) -> None:
        self.spec = spec
        self._url = spec.url
        self._http = http

    def __repr__(self) -> str:
        return f'ChatClient({self.spec.name!r} at {self.spec.base_url})'

    def complete(self, prompt: str, stop: Sequence[str] | None = None) -> Completion:
        """Return what the model answers to a prompt; lone surrogates, which no server takes, become U+FFFD.

        Raises:
            ModelError: the call ended without a reply of the model.
        """
        key = self._key()
        # Compressed bodies would make cassettes that nobody can read.
        headers = {'accept-encoding': 'identity'} | ({'authorization': f'Bearer {key}'} if key else {})
        started = time.perf_counter()
        try:
            response = self._http.post(
                self._url, json=request_body(self.spec, prompt, stop), headers=headers, timeout=self.spec.timeout_s
            )
        except httpx.TimeoutException:
            raise APITimeoutError(f'no answer from {self._url} within {self.spec.timeout_s:g} s') from None
        except httpx.RequestError as error:
            why = str(error) or type(error).__name__
            raise APIConnectionError(_without(key, f'no answer from {self._url}: {why}')) from None
        if not response.is_success:
            raise self._status_error(response, key)
        return completion_of(response, response.extensions.get(LATENCY, time.perf_counter() - started), key)

    def _key(self) -> str | None:
        name = self.spec.api_key_env
        key = os.environ.get(name, '').strip() if name else ''
        if not (key.isascii() and key.isprintable()):
            raise AuthenticationError(f'the environment variable {name} holds no key: only printable ASCII is one', 401)
        return key or None

    def _status_error(self, response: httpx.Response, key: str | None) -> APIStatusError:
        status = response.status_code
        message = _message_of(response, key)
        if status in (401, 403) and key is None:
            name = self.spec.api_key_env
            message += f' (environment variable {name} is not set)' if name else ' (no `api_key_env` was given)'
        return status_error(message, status)


def request_body(spec: ModelSpec, prompt: str, stop: Sequence[str] | None) -> dict[str, Any]:
    """Return the JSON body of a request: the prompt as one user message, and only those options that are set."""
    words = [stop] if isinstance(stop, str) else stop or ()
    body: dict[str, Any] = {
        'model': spec.model,
        'messages': [{'role': 'user', 'content': _SURROGATES.sub('\ufffd', prompt)}],
        'stop': [_SURROGATES.sub('\ufffd', word) for word in words] or None,
        'temperature': spec.temperature,
        'max_tokens': spec.max_tokens,
        'seed': spec.seed,
    }
    return {key: value for key, value in body.items() if value is not None}


def completion_of(response: httpx.Response, latency_s: float | None = None, key: str | None = None) -> Completion:
    """Return the completion that a response holds; no error shows the API key.

    Raises:
        APIResponseError: the body is not that of a chat completion.
    """
    try:
        body = response.json()
    except (ValueError, RecursionError):
        raise APIResponseError(f'the reply is not JSON: {_excerpt(response.text, key) or "it is empty"}') from None
    if not isinstance(body, dict):
        raise APIResponseError(f'the reply is no chat completion: {_excerpt(response.text, key)}')
    if 'choices' not in body and body.get('error'):
        raise APIResponseError(_message_of(response, key))
    choices = body.get('choices')
    if not isinstance(choices, list) or not choices:
        raise APIResponseError(f'the reply has no choices: {_excerpt(response.text, key)}')
    choice = choices[0]
    message = choice.get('message') if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise APIResponseError(f'the reply has no message in choices[0]: {_excerpt(response.text, key)}')
    text = message.get('content')
    if text is not None and not isinstance(text, str):
        raise APIResponseError(f'choices[0].message.content is no text: {_excerpt(response.text, key)}')
    reason = choice.get('finish_reason')
    usage = body.get('usage')
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        text=None if text is None else _SURROGATES.sub('\ufffd', text),
        finish_reason=reason if isinstance(reason, str) else None,
        prompt_tokens=_count(usage.get('prompt_tokens')),
        completion_tokens=_count(usage.get('completion_tokens')),
        latency_s=latency_s,
    )


@cache
def live_http() -> httpx.Client:
    """Return the client that reaches servers: one for the process, since its TLS settings take long to read."""
    # A connection that a server has just closed fails the request sent over it; a new one costs nothing beside a model.
    return httpx.Client(limits=httpx.Limits(max_keepalive_connections=0))


def _count(value: Any) -> int | None:
    return value if type(value) is int else None


def _message_of(response: httpx.Response, key: str | None) -> str:
    status = f'HTTP {response.status_code} {response.reason_phrase}'.strip()
    try:
        body = response.json()
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        error = body.get('error')
        found = error.get('message') if isinstance(error, dict) else error
        for text in (found, body.get('message'), body.get('detail')):
            if isinstance(text, str):
                return _excerpt(text, key) or status
    return _excerpt(response.text, key) or status


def _excerpt(text: str, key: str | None) -> str:
    text = _SURROGATES.sub('\ufffd', text.strip())
    # A key that the cut goes through would not be found behind it.
    shown = _without(key, text[: 2 * _MAX_MESSAGE])[:_MAX_MESSAGE]
    return shown if len(text) <= _MAX_MESSAGE else f'{shown}... ({len(text)} characters)'


def _without(key: str | None, text: str) -> str:
    return Guard([Known(key, 'the API key in use')]).mask(text) if key else text


# -------------------------------------------------------------------------------------------------------- the script


def scripted_client(script: ModelScript) -> ChatClient:
    """Return a client whose server is a script: every reply goes through real HTTP requests and responses, in order."""
    spec = ModelSpec(name='scripted', base_url='http://scripted.invalid/v1')
    return ChatClient(spec, httpx.Client(transport=httpx.MockTransport(_ScriptedServer(script))))


class _ScriptedServer:
    """Answers the n-th request with the n-th reply of a script, also when several threads ask."""

    def __init__(self, script: ModelScript) -> None:
        self._script = script
        self._asked = 0
        self._lock = threading.Lock()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            index = self._asked
            self._asked += 1
        outputs = self._script.outputs
        if index >= len(outputs) and not self._script.repeat_last:
            has = f'{len(outputs)} {"reply" if len(outputs) == 1 else "replies"}'
            message = f'the script has {has} and this is request {index + 1}: add an output, or set repeat_last'
            return _error_response(410, message)
        reply = outputs[min(index, len(outputs) - 1)]
        if reply.error is not None:
            return _error_response(reply.error.status, reply.error.message)
        return self._reply_response(reply, json.loads(request.content), index)

    def _reply_response(self, reply: Reply, asked: dict[str, Any], index: int) -> httpx.Response:
        text, reason = reply.text, reply.finish_reason
        if text is not None and self._script.honours_stop:
            cut = min((at for word in asked.get('stop', ()) if word and (at := text.find(word)) >= 0), default=None)
            if cut is not None:
                text, reason = text[:cut], 'stop'
        words = (len(asked['messages'][0]['content'].split()), len((text or '').split()))
        return httpx.Response(
            200,
            json={
                'id': f'chatcmpl-{index + 1}',
                'object': 'chat.completion',
                'created': 0,
                'model': asked['model'],
                'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': text}, 'finish_reason': reason}],
                'usage': {'prompt_tokens': words[0], 'completion_tokens': words[1], 'total_tokens': sum(words)},
            },
        )


def _error_response(status: int, message: str) -> httpx.Response:
    return httpx.Response(status, json={'error': {'message': message, 'type': 'scripted_error', 'code': status}})
