"""Accepting a drift: the requests made now take the place of the recorded ones, and the cassette says that they did."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from harness.cassette.asked import CONTENT_TYPE, Asked, public
from harness.cassette.drift import ABSENT, Difference
from harness.cassette.file import CassetteError, content_of, json_text, write_cassette
from harness.cassette.replay import Replay, asked_now
from harness.cassette.scrub import differences, scrubbed_text
from harness.llm import ENDPOINT
from harness.secrets import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_MAX_LINES = 5_000
_SURROGATES = re.compile('[\ud800-\udfff]')  # YAML cannot hold them, JSON texts escape them


@dataclass(frozen=True)
class Request:
    """A request made now: what it asks, and its parts as they go into a cassette."""

    asked: Asked
    method: str
    url: httpx.URL
    content_types: tuple[str, ...]
    body: str


class Accepting(Replay):
    """Answers the n-th request with the n-th recorded response, whatever is asked, and keeps the requests."""

    def __init__(self, path: Path, options: Callable[[], Sequence[str]] = tuple) -> None:
        super().__init__(path, options)
        self.requests: list[Request] = []

    def expect(self, request: httpx.Request) -> None:
        turn = self.played + 1
        if turn > len(self.recorded):
            super().expect(request)
        now = asked_now(request)
        if not isinstance(now.body, dict):
            raise CassetteError(self.path, f'the body of the request of turn {turn} is no JSON object', hint='')
        if not now.path.endswith(ENDPOINT):
            raise CassetteError(self.path, f'the request of turn {turn} does not go to a model', hint='')
        types = tuple(request.headers.get_list(CONTENT_TYPE))
        body = request.content.decode('utf-8')
        self.requests.append(Request(now, request.method, public(request.url), types, body))

    def changes(self) -> dict[int, tuple[Difference, ...]]:
        """Return where the requests differ from the recorded ones, by turn, from 1; turns that do not are left out."""
        pairs = zip(self.recorded, self.requests, strict=True)
        found = {turn: differences(was, is_.asked) for turn, (was, is_) in enumerate(pairs, 1)}
        return {turn: changed for turn, changed in found.items() if changed}

    def accept(self, reason: str, date: str) -> None:
        """Write the requests into the cassette, each changed one with a note that says what was recorded there.

        Raises:
            CassetteError: the file cannot be read or written; it is as it was.
        """
        data = content_of(self.path)
        for turn, changed in self.changes().items():
            interaction, now = data['interactions'][turn - 1], self.requests[turn - 1]
            was = httpx.URL(interaction['request']['uri'])
            interaction['request'] = {
                'method': now.method,
                'uri': str(was.copy_with(raw_path=now.url.raw_path)),
                'headers': _headers(interaction['request']['headers'], now.content_types),
                'body': now.body,
            }
            note = {'date': date, 'reason': reason, 'changes': [_change(difference) for difference in changed]}
            interaction['accepted'] = [*interaction.get('accepted', ()), note]
        try:
            write_cassette(self.path, scrubbed_text(self.path, data, Guard.of_environment()))
        except OSError as error:
            raise CassetteError(self.path, f'the file cannot be written: {error.strerror}', hint='') from None


def _headers(recorded: dict[str, list[str]], types: tuple[str, ...]) -> dict[str, list[str]]:
    others = {name: values for name, values in recorded.items() if name.lower() != CONTENT_TYPE}
    return {**others, **({CONTENT_TYPE: list(types)} if types else {})}


def _change(difference: Difference) -> dict[str, Any]:
    """Return a difference for a cassette: nothing of the recorded value is lost.

    Values stand as JSON texts, a side without a value is left out; of texts of several lines there is the diff.
    """
    was, now = difference.recorded, difference.now
    if isinstance(was, str) and isinstance(now, str) and '\n' in was + now and not _SURROGATES.search(was + now):
        before, after = was.split('\n'), now.split('\n')
        if max(len(before), len(after)) <= _MAX_LINES:
            lines = list(difflib.unified_diff(before, after, n=1, lineterm=''))
            return {'path': difference.path, 'diff': lines[2:]}
    sides = {'recorded': was, 'now': now}
    values = {side: json_text(value) for side, value in sides.items() if value is not ABSENT}
    return {'path': difference.path, **values}
