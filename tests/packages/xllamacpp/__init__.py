"""Stands in for the package of the same name: its parameters, and a real HTTP server on loopback that knows no model.

It answers as `chat_server` does. `STANDIN_DIARY` names a file that gets a line for each thing that happens;
`STANDIN_MOOD` says what goes wrong. Weights have one, too: the text behind the first four bytes of their file.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from chat_server import chat_completion

__version__ = '2026.10.1'

if os.environ.get('STANDIN_MOOD') == 'broken package':
    raise ImportError('libllama.so: cannot open shared object file')


class CommonParams:
    def __init__(self) -> None:
        self.model = SimpleNamespace(path='')
        self.cpuparams = SimpleNamespace(n_threads=-1)
        self.cpuparams_batch = SimpleNamespace(n_threads=-1)
        self.hostnames = ['0.0.0.0']
        self.port = 8080
        self.n_ctx, self.n_parallel, self.verbosity, self.cache_ram_mib = 0, 1, 3, 8192
        self.model_alias: set[str] = set()
        self.offline = False
        self.ui = self.endpoint_slots = True
        if os.environ.get('STANDIN_MOOD') != 'other parameters':
            self.cors_origins = '*'


class Server:
    def __init__(self, given: CommonParams) -> None:
        mood = Path(given.model.path).read_bytes()[4:].decode().strip() or os.environ.get('STANDIN_MOOD', '')
        write('starts', file=Path(given.model.path).name, alone=not others(), given=plain(given))
        if mood == 'does not load':
            for number in range(100):
                print(f'line {number} of the log', file=sys.stderr)
            raise RuntimeError('Failed to init server, please check the input params.')
        if mood == 'too little memory':
            os.kill(os.getpid(), signal.SIGKILL)
        if mood == 'loads for ever':
            ctypes.PyDLL(None).sleep(600)  # as the package does: while it loads, no other thread of Python runs
        self._server = ThreadingHTTPServer((given.hostnames[0], given.port), handler(mood, given))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        host = '192.0.2.1' if mood == 'elsewhere' else given.hostnames[0]
        self.listening_address = f'http://{host}:{self._server.server_address[1]}'


def handler(mood: str, given: CommonParams) -> type[BaseHTTPRequestHandler]:
    early = iter((503, 503))

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            settings = {'default_generation_settings': {'n_ctx': min(given.n_ctx, 4096)}}
            self._say(next(early, 200), {'status': 'ok'} if self.path == '/health' else settings)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers['content-length'])))
            write('is asked', model=body['model'], file=Path(given.model.path).name)
            if mood == 'dies when asked':
                print('a tensor was not what it seemed', file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGABRT)
                threading.Event().wait()  # the signal may reach another thread a moment later
            if mood == 'never answers':
                threading.Event().wait()
            self._say(200, chat_completion('Hello.', model=next(iter(given.model_alias))))

        def _say(self, status: int, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header('content-type', 'application/json')
            self.send_header('content-length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def plain(given: CommonParams) -> dict[str, Any]:
    found = {key: value for key, value in vars(given).items() if isinstance(value, bool | int | str | list)}
    return found | {'n_threads': given.cpuparams.n_threads, 'alias': sorted(given.model_alias)}


def others() -> list[int]:
    """The servers of the same diary that still run."""
    found = []
    for entry in entries():
        try:
            os.kill(entry['pid'], 0)
        except ProcessLookupError:
            continue
        found.append(entry['pid'])
    return found


def entries() -> list[dict[str, Any]]:
    path = Path(os.environ['STANDIN_DIARY'])
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def write(what: str, **more: Any) -> None:
    with Path(os.environ['STANDIN_DIARY']).open('a') as diary:
        diary.write(json.dumps({'what': what, 'pid': os.getpid(), **more}) + '\n')
