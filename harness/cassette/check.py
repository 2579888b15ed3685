"""What a cassette has to be: its keys and the kinds of their values, checked before vcrpy sees them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import httpx

from harness.show.visible import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

Problem = tuple[tuple[str | int, ...], str]
"""The key path of what is wrong, and what it is."""


def problems(data: Any) -> Iterator[Problem]:
    """Yield what is wrong with the content of a cassette, in file order."""
    if not isinstance(data, dict) or not isinstance(data.get('interactions'), list):
        yield (), 'no cassette: there is no list of `interactions`'
        return
    if data.get('version') != 1:
        yield ('version',), f'version 1 is expected, this is {_short(data.get("version"))}'
    if not isinstance(data.get('recorded', {}), dict):
        yield ('recorded',), '`recorded` is a mapping: what is known of model and server'
    for index, interaction in enumerate(data['interactions']):
        at: tuple[str | int, ...] = ('interactions', index)
        if not isinstance(interaction, dict):
            yield at, 'an interaction is a mapping of `request` and `response`'
            continue
        yield from _request_problems(interaction.get('request'), (*at, 'request'))
        yield from _response_problems(interaction.get('response'), (*at, 'response'))
        if not _is_seconds(interaction.get('latency_s', 0)):
            yield (*at, 'latency_s'), '`latency_s` is a number of seconds, not less than 0'
        if not _is_history(interaction.get('accepted', [])):
            yield (*at, 'accepted'), '`accepted` is written by `react-harness accept-drift`, this is not'


def _request_problems(request: Any, at: tuple[str | int, ...]) -> Iterator[Problem]:
    if not isinstance(request, dict) or request.keys() != {'method', 'uri', 'headers', 'body'}:
        yield at, 'a request has `method`, `uri`, `headers` and `body`'
        return
    if not isinstance(request['method'], str):
        yield (*at, 'method'), 'a method is a text'
    if not _is_uri(request['uri']):
        yield (*at, 'uri'), 'this is no URL'
    if not isinstance(request['body'], str | bytes | None):
        yield (*at, 'body'), 'a body is a text'
    if not _are_headers(request['headers']):
        yield (*at, 'headers'), 'headers are names with lists of ASCII texts'


def _response_problems(response: Any, at: tuple[str | int, ...]) -> Iterator[Problem]:
    if not isinstance(response, dict) or not response.keys() >= {'status', 'headers', 'body'}:
        yield at, 'a response has `status`, `headers` and `body`'
        return
    status, body = response['status'], response['body']
    if not isinstance(status, dict) or status.keys() != {'code', 'message'}:
        yield (*at, 'status'), 'a status has `code` and `message`'
    elif type(status['code']) is not int or not 100 <= status['code'] <= 599:
        yield (*at, 'status', 'code'), 'a status code is a number from 100 to 599'
    elif not (status['message'] is None or _is_ascii(status['message'])):
        yield (*at, 'status', 'message'), 'a status message is an ASCII text'
    if not isinstance(body, dict) or not isinstance(body.get('string'), str | bytes):
        yield (*at, 'body'), 'a body has a `string`'
    if not _are_headers(response['headers']):
        yield (*at, 'headers'), 'headers are names with lists of ASCII texts'
    elif any(name.lower() == 'content-encoding' for name in response['headers']):
        # A few bytes of it could unfold to fill the memory, and nobody can review it.
        yield (*at, 'headers'), "a compressed body is not read: record with vcrpy's `decode_compressed_response`"


def _are_headers(headers: Any) -> bool:
    return isinstance(headers, dict) and all(
        _is_ascii(name) and isinstance(values, list) and values and all(map(_is_ascii, values))
        for name, values in headers.items()
    )


def _is_ascii(text: Any) -> bool:
    return isinstance(text, str) and text.isascii()


def _is_uri(uri: Any) -> bool:
    return isinstance(uri, str) and _is_http(uri)


@lru_cache(maxsize=32)
def _is_http(uri: str) -> bool:
    try:
        return httpx.URL(uri).scheme in ('http', 'https')
    except httpx.InvalidURL:
        return False


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float('inf')


def _is_history(accepted: Any) -> bool:
    """Tell whether this says how the request of an interaction was changed after it was recorded."""
    return isinstance(accepted, list) and all(
        isinstance(note, dict)
        and note.keys() == {'date', 'reason', 'changes'}
        and isinstance(note['date'], str)
        and isinstance(note['reason'], str)
        and isinstance(note['changes'], list)
        and all(map(_is_change, note['changes']))
        for note in accepted
    )


def _is_change(change: Any) -> bool:
    if not isinstance(change, dict) or not isinstance(change.get('path'), str):
        return False
    if change.keys() == {'path', 'diff'}:
        return isinstance(change['diff'], list) and all(isinstance(line, str) for line in change['diff'])
    return change.keys() <= {'path', 'recorded', 'now'} and all(isinstance(text, str) for text in change.values())


def _short(value: Any) -> str:
    if not isinstance(value, str | int | float | None):
        return f'a {type(value).__name__}'
    return excerpt(repr(value), 0, 60)
