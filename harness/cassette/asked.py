"""What a request asks, as far as it can change the answer of a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import httpx

from harness.cassette.drift import ABSENT, Absent, Difference, differences
from harness.llm import is_secret
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CONTENT_TYPE = 'content-type'


@dataclass(frozen=True)
class Asked:
    """One request: method, path, query, content type and body.

    Scheme, host, port and user of the server are not in it, nor are query parameters that may hold a key: a recording
    does not have them. `path` is as it is sent, with its escapes. `body` is the JSON value, or the text where it is
    none; a JSON object in which a key stands twice is none, since nobody can say what a server makes of it.
    """

    method: str
    path: str
    query: dict[str, list[str]]
    content_type: str | Absent
    body: Any

    def differences(self, now: Asked) -> Iterator[Difference]:
        """Yield the places where the request made now is not this one."""
        yield from differences(self.method, now.method, 'method')
        yield from differences(self.path, now.path, 'path')
        yield from differences(self.query, now.query, 'query')
        yield from differences(self.content_type, now.content_type, f"headers['{CONTENT_TYPE}']")
        yield from differences(self.body, now.body)


def asked(method: str, url: httpx.URL | str, content_types: Sequence[str], body: bytes | None) -> Asked:
    """Return what a request asks that has this method, URL, values of the header content-type and body."""
    path, query = _parts(str(url))
    return Asked(
        method=method,
        path=path,
        query=query,
        content_type=', '.join(content_types) if content_types else ABSENT,
        body=_value_of(body or b''),
    )


@lru_cache(maxsize=32)
def _parts(url: str) -> tuple[str, dict[str, list[str]]]:
    """Return path and public query of a URL; all requests of a cassette have the same one, which takes long to read."""
    parsed = httpx.URL(url)
    query: dict[str, list[str]] = {}
    for name, value in parsed.params.multi_items():
        if not is_secret(name):
            query.setdefault(name, []).append(value)
    return parsed.raw_path.partition(b'?')[0].decode('ascii'), query


def public(url: httpx.URL | str) -> httpx.URL:
    """Return a URL without passwords and without the query parameters that may hold keys."""
    url = httpx.URL(url)
    for name in filter(is_secret, url.params):
        url = url.copy_remove_param(name)
    return url.copy_with(username=None, password=None) if url.userinfo else url


def _value_of(body: bytes) -> Any:
    try:
        return strict_json(body.decode('utf-8'))
    except (ValueError, RecursionError):
        return body.decode('utf-8', 'backslashreplace')
