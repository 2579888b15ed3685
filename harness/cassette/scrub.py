"""No secret gets into a cassette: what looks like one is masked, and a cassette that still holds one is not written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.cassette.file import CassetteError, CassetteFormat, text_of
from harness.secrets import Guard, SecretFound
from harness.secrets.values import leaves
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from harness.cassette.asked import Asked
    from harness.cassette.drift import Difference

KEPT = 'nothing was written, an earlier cassette is as it was'


class Scrubbing(CassetteFormat):
    """The text of a cassette without secrets.

    `about` stands in front of the interactions, `latencies` are the seconds that each of them took.
    """

    def __init__(self, path: Path, guard: Guard, about: Mapping[str, Any], latencies: Sequence[float]) -> None:
        super().__init__(path)
        self._guard = guard
        self._about, self._seconds = about, latencies

    def serialize(self, data: dict[str, Any]) -> str:
        """Return the text of a cassette, masked.

        Raises:
            CassetteError: something in it still looks like a key; the error says in which turn and field.
        """
        timed = [
            {**one, 'latency_s': round(seconds, 3)}
            for one, seconds in zip(data['interactions'], self._seconds, strict=True)
        ]
        return scrubbed_text(self._path, {**data, 'recorded': self._about, 'interactions': timed}, self._guard)


def scrubbed_text(path: Path, data: dict[str, Any], guard: Guard) -> str:
    """Return the text of a cassette with `***` for whatever looks like a key.

    In the JSON bodies of requests and responses these are also the fields that are named as secrets are.

    Raises:
        CassetteError: something in it still looks like a key; the error says in which turn and field.
    """
    scrubbed = {**data, 'interactions': [_interaction(one, guard) for one in data['interactions']]}
    if data.get('recorded'):
        scrubbed['recorded'] = guard.masked(data['recorded'])
    for turn, one in enumerate(scrubbed['interactions'], 1):
        for place, text in _texts(one):
            for spot in guard.find(text):
                raise CassetteError(path, f'turn {turn}, {guard.mask(place)}: this looks like {spot.kind}', hint=KEPT)
    text = text_of(scrubbed)
    try:
        guard.check(text, str(path))
    except SecretFound as error:
        raise CassetteError(path, f'the text of the cassette: {error}', hint=KEPT) from None
    return text


def differences(recorded: Asked, now: Asked) -> tuple[Difference, ...]:
    """Return where the request made now is not the recorded one, with no key in it.

    What looks like a key was masked in the recording, so the request made now is compared as it would be recorded.
    """
    found = tuple(recorded.differences(now))
    if not found:
        return ()
    guard = Guard.of_environment()
    return tuple(masked(recorded, guard).differences(masked(now, guard)))


def masked(asked: Asked, guard: Guard) -> Asked:
    """Return what a request asks, masked as a recording of it is."""
    return replace(asked, path=guard.mask(asked.path), query=guard.masked(asked.query), body=guard.masked(asked.body))


def _interaction(one: dict[str, Any], guard: Guard) -> dict[str, Any]:
    request, response = one['request'], one['response']
    result = {
        **one,
        'request': {
            **request,
            'uri': guard.mask(request['uri']),
            'headers': guard.masked(request['headers']),
            'body': _body(request['body'], guard),
        },
        'response': {
            **response,
            'status': guard.masked(response['status']),
            'headers': guard.masked(response['headers']),
            'body': {**response['body'], 'string': _body(response['body']['string'], guard)},
        },
    }
    if 'accepted' in one:
        result['accepted'] = guard.masked(one['accepted'])
    return result


def _body(body: Any, guard: Guard) -> Any:
    """Return a body masked; one without secrets comes back as it is, byte for byte."""
    if not body:
        return body
    text = body.decode('utf-8', 'surrogateescape') if isinstance(body, bytes) else body
    try:
        value = strict_json(text)
        clean = guard.masked(value)
        found = text if clean is value else json.dumps(clean)
    except (ValueError, RecursionError):
        found = guard.mask(text)
    if found == text:
        return body
    return found.encode('utf-8', 'surrogateescape') if isinstance(body, bytes) else found


def _texts(one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of an interaction with the names of their places."""
    yield 'URL of the request', one['request']['uri']
    for side, body in (('request', one['request']['body']), ('response', one['response']['body']['string'])):
        if isinstance(body, bytes):
            body = body.decode('utf-8', 'backslashreplace')
        try:
            value = strict_json(body or '')
        except (ValueError, RecursionError):
            yield f'body of the {side}', body or ''
        else:
            yield from ((f'body of the {side}, {keys}', text) for keys, text in leaves(value))
