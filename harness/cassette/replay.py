"""The deck that answers from a cassette and wants the recorded requests for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vcr.cassette import Cassette
from vcr.record_mode import RecordMode

from harness.cassette.asked import CONTENT_TYPE, Asked, asked
from harness.cassette.commands import accept_command, base_url_of, record_command
from harness.cassette.deck import Deck
from harness.cassette.drift import ABSENT, Difference, Drift
from harness.cassette.file import CassetteError, CassetteFiles, CassetteFormat, NotRecorded, Unplayed, place_in
from harness.cassette.scrub import differences, masked
from harness.llm import ENDPOINT
from harness.secrets import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import httpx
    from vcr.request import Request


class InOrder(Cassette):  # type: ignore[misc]
    """A vcrpy cassette that plays its interactions once, in order.

    vcrpy itself looks for the first interaction that fits and was not played, and so walks over all played ones at
    every request; here the request was compared with the one recorded at this place before.
    """

    def can_play_response_for(self, request: Request) -> bool:
        """Tell whether there is an interaction left."""
        return len(self.play_counts) < len(self)

    def play_response(self, request: Request) -> dict[str, Any]:
        """Return the next response."""
        index = len(self.play_counts)
        self.play_counts[index] += 1
        response: dict[str, Any] = self.data[index][1]
        return response


class Replay(Deck):
    """Answers the n-th request with the n-th recorded response, if it is the n-th recorded request.

    `options` gives further words of the commands that are named, such as `('--node', 'folder')`.
    """

    def __init__(self, path: Path, options: Callable[[], Sequence[str]] = tuple) -> None:
        if not path.exists():
            hint = f'record it: {record_command(path, "URL", options=options())}'
            raise NotRecorded(path, 'there is no cassette', hint=hint)
        form = CassetteFormat(path)
        cassette = InOrder.load(path=path, serializer=form, persister=CassetteFiles, record_mode=RecordMode.NONE)
        super().__init__(path, cassette, server=None)
        self._options = options
        self._latencies, self._about = form.latencies, form.recorded
        self.recorded = [_recorded(path, turn, request) for turn, request in enumerate(cassette.requests, 1)]

    def latency(self, request: httpx.Request, seconds: float) -> float | None:
        return self._latencies[self.played]

    def expect(self, request: httpx.Request) -> None:
        if self.drift is not None:
            raise self.drift
        now = asked_now(request)
        if self.played < len(self.recorded):
            found = differences(self.recorded[self.played], now)
            if not found:
                return
            advice = [
                'if the change is meant, record again:',
                f'  {self.again(request, now)}',
                'if it cannot change what the model answers, keep the recorded answers:',
                f'  {accept_command(self.path, self._options())}',
            ]
        else:
            now = masked(now, Guard.of_environment())
            found = (Difference(path='', recorded=ABSENT, now=now.body),)
            advice = ['record again:', f'  {self.again(request, now)}']
        self.drift = Drift(str(self.path), self.played + 1, len(self.recorded), found, '\n'.join(advice))
        raise self.drift

    def finish(self) -> None:
        left = len(self.recorded) - self.played
        if left:
            message = f'{left} of {len(self.recorded)} recorded turns were not asked for'
            place = place_in(self.path, ('interactions', self.played))
            raise Unplayed(self.path, message, *place, hint=f'record again: {self.again()}')

    def again(self, request: httpx.Request | None = None, now: Asked | None = None) -> str:
        """Return the command that records the cassette again, as the request made now asks, or as the first did."""
        if not self.recorded:
            return record_command(self.path, 'URL', options=self._options())
        first = self.cassette.data[0][0].uri
        url = request.url if request is not None and request.url.path.endswith(ENDPOINT) else first
        body = now.body if now is not None else self.recorded[0].body
        return record_command(self.path, base_url_of(url), body, self._options(), self._about)


def asked_now(request: httpx.Request) -> Asked:
    """Return what a request asks that is about to go out."""
    return asked(request.method, request.url, request.headers.get_list(CONTENT_TYPE), request.read())


def _recorded(path: Path, turn: int, request: Request) -> Asked:
    types = [value for name, value in request.headers.items() if name.lower() == CONTENT_TYPE]
    found = asked(request.method, request.uri, types, request.body)
    if not isinstance(found.body, dict):
        raise CassetteError(path, f'the body of request {turn} is no JSON object')
    return found
