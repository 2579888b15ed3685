"""A real HTTP server on loopback that answers as an OpenAI-compatible one does, or as badly as a test wants."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType


@dataclass(frozen=True)
class Raw:
    """A reply given byte by byte; one that is `cut` promises more than it sends, a `silent` one never comes."""

    body: bytes = b''
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {'content-type': 'application/json'})
    cut: bool = False
    silent: bool = False


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any


def chat_completion(text: str | None, **changed: Any) -> dict[str, Any]:
    """Return the body of a good reply."""
    return {
        'id': 'chatcmpl-1',
        'object': 'chat.completion',
        'created': 1_700_000_000,
        'model': 'small',
        'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': text}, 'finish_reason': 'stop'}],
        'usage': {'prompt_tokens': 11, 'completion_tokens': 7, 'total_tokens': 18},
        **changed,
    }


class ChatServer:
    """Answers the n-th request with the n-th of `replies` (the last one for ever) and keeps what was asked."""

    def __init__(self, *replies: Raw | Mapping[str, Any]) -> None:
        self.replies = list(replies)
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.hold: threading.Event | None = None
        """While this is there and not set, requests wait for it."""
        self._at_once = 0
        self._counting = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(('127.0.0.1', 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)

    @property
    def base_url(self) -> str:
        """The base URL of the API."""
        return f'http://127.0.0.1:{self._server.server_address[1]}/v1'

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop; the port is free afterwards."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                with outer._counting:
                    outer._at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer._at_once)
                try:
                    self._answer()
                finally:
                    with outer._counting:
                        outer._at_once -= 1

            def _answer(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers['content-length'])))
                outer.asked.append(Asked(self.path, dict(self.headers.items()), body))
                reply = outer.replies[min(len(outer.asked), len(outer.replies)) - 1]
                raw = reply if isinstance(reply, Raw) else Raw(json.dumps(reply).encode())
                if raw.silent:
                    outer._closing.wait()
                    return
                while outer.hold is not None and not outer.hold.wait(0.01) and not outer._closing.is_set():
                    pass
                self.send_response(raw.status)
                for name, value in raw.headers.items():
                    self.send_header(name, value)
                self.send_header('content-length', str(len(raw.body) + (100 if raw.cut else 0)))
                self.end_headers()
                self.wfile.write(raw.body)

        return Handler
