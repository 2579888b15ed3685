"""Tools that do real work: a web server on this machine, and a vector search over a small corpus."""

from __future__ import annotations

import functools
import json
import math
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import httpx

PAGES: Final = {
    '/stations': {'stations': ['ostrin', 'velmar']},
    '/stations/velmar': {'station': 'Velmar', 'platforms': 4, 'lift': True},
    '/stations/ostrin': {'station': 'Ostrin', 'platforms': 9, 'lift': False},
}
"""What the web server answers, by path."""

CORPUS: Final[tuple[dict[str, Any], ...]] = (
    {'title': 'March log', 'content': 'Pump 3 stopped twice in March because its seal was worn.'},
    {'title': 'April log', 'content': 'Pump 3 ran without a stop in April after the seal was replaced.'},
    {'title': 'Valve list', 'content': 'Valve V-209 feeds tank 6 and is closed by hand.'},
    {'title': 'Canteen', 'content': 'On Fridays the canteen closes at two.'},
)


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = PAGES.get(self.path)
        body = json.dumps(page if page is not None else {'error': 'no such page'}).encode()
        self.send_response(200 if page is not None else 404)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing: the run record tells what was asked."""


_starting = threading.Lock()


@functools.cache
def _serve() -> str:
    server = ThreadingHTTPServer(('127.0.0.1', 0), _Pages)
    threading.Thread(target=server.serve_forever, name='pages', daemon=True).start()
    return f'http://127.0.0.1:{server.server_port}'


def http_get(given: dict[str, Any]) -> str:
    """Return the text of a page of the web server, which is started at the first call.

    Raises:
        ValueError: the path does not start with a slash.
        LookupError: the server has no such page.
    """
    path = str(given.get('path', ''))
    if not path.startswith('/'):
        raise ValueError('path must start with /')
    with _starting:
        base = _serve()
    response = httpx.get(base + path, timeout=10, trust_env=False)
    if response.status_code != httpx.codes.OK:
        raise LookupError(f'{response.status_code} {response.reason_phrase}: {path}')
    return response.text


def _vector(text: str) -> Counter[str]:
    return Counter(re.findall(r'\w+', text.lower()))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    length = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(count * other[word] for word, count in one.items()) / length if length else 0.0


def vector_search(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents nearest to a query, best first, each with its score; `top_k` of them (2 if not given)."""
    query = _vector(str(given['query']))
    scored = [{**document, 'score': round(_cosine(query, _vector(document['content'])), 3)} for document in CORPUS]
    return sorted(scored, key=lambda hit: hit['score'], reverse=True)[: int(given.get('top_k', 2))]


def empties_its_input(given: dict[str, Any]) -> str:
    """Use up the input, down to its inner values."""
    guest = given.pop('guest', {})
    guest.get('tags', []).clear()
    guest.clear()
    given.clear()
    return 'booked'
