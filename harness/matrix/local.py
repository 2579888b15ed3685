"""A server of our own: weights on this machine answer on loopback for as long as their runs are recorded."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import importlib.util
import json
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from harness.cassette.commands import OWN_SERVER
from harness.matrix.worker import end_with_the_parent
from harness.scenario.loading import UsageError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from harness.matrix.models import Local

PACKAGE: Final = 'xllamacpp'
"""What serves: llama.cpp's own server as a package."""

LOAD_LIMIT_S: Final = 300.0
"""How long weights may take to be loaded, in seconds."""

_INSTALL: Final = "pip install 'react-harness[local]'"
_HOST: Final = '127.0.0.1'
_MAGIC: Final = b'GGUF'
_LAST_LINES: Final = 6
_LAST_BYTES: Final = 8_192
_PR_SET_PDEATHSIG: Final = 1


class Up(NamedTuple):
    """The server answers; `about` is what is known of model and server."""

    base_url: str
    about: dict[str, Any]


class Down(NamedTuple):
    """There is no server (any more): why, and the last lines of its log."""

    why: str
    log: tuple[str, ...] = ()


def check(local: Local) -> None:
    """Look at what can be known before a server is started.

    Raises:
        UsageError: the package is not installed, there is no such file, or it holds no weights.
    """
    if importlib.util.find_spec(PACKAGE) is None:
        raise UsageError(f'a local model needs the package {PACKAGE}, which is not installed: {_INSTALL}')
    path = Path(local.file)
    if not path.is_file():
        what = 'this is no file' if path.exists() else 'there is no such file'
        raise UsageError(f'{path}: {what}: a local model needs a file of weights (GGUF)')
    try:
        with path.open('rb') as file:
            begins = file.read(len(_MAGIC))
    except OSError as error:
        raise UsageError(f'{path}: the weights cannot be read: {error.strerror or error}') from None
    if begins != _MAGIC:
        raise UsageError(
            f'{path}: this is no GGUF file (it begins with {begins!r}): a local model needs weights in the format '
            'of llama.cpp; model hubs list them as GGUF'
        )


class LocalServer:
    """A process that serves weights on loopback, from its making to `end`; it ends with the process that made it.

    `here` is a connection to wait for: when it is ready, `told` has something to say. `up` is there while it answers.
    """

    def __init__(self, local: Local, endpoint: str) -> None:
        self.local, self.endpoint = local, endpoint
        self.up: Up | None = None
        context = multiprocessing.get_context('spawn')
        self.here, there = context.Pipe(duplex=False)
        log, its_log = context.Pipe(duplex=False)
        self._log = _Log(log)
        self._began = time.monotonic()
        self._process = context.Process(target=serve, args=(there, its_log, local), daemon=True)
        self._process.start()
        there.close()
        its_log.close()

    @property
    def seconds(self) -> float:
        """How long ago it was started."""
        return time.monotonic() - self._began

    def patience(self) -> float | None:
        """Return how many seconds it may still take to load; None where it has loaded."""
        return None if self.up is not None else max(0.0, LOAD_LIMIT_S - self.seconds)

    def told(self) -> Up | Down | None:
        """Return what became of it, None where there is nothing new; after `Down` the process is gone."""
        if self.here.poll():
            message = self._received()
        elif self.patience() == 0:
            message = Down(f'its server did not answer within {LOAD_LIMIT_S:g} s')
        else:
            return None
        if isinstance(message, Up):
            self.up = message
            return message
        self.end()
        return message._replace(log=self._log.last())

    def _received(self) -> Up | Down:
        from harness.apart import end_of

        try:
            message: Up | Down = self.here.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            memory = ': is there enough memory?' if code == -signal.SIGKILL else ''
            return Down(f'its server ended {end_of(code)}{memory}')
        return message

    def end(self) -> None:
        """Stop it."""
        self.up = None
        self._process.kill()
        self._process.join()
        self.here.close()
        self._log.close()


class _Log:
    """What a process writes: read for as long as it runs, so that it never waits, and forgotten but for its end."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._end = b''
        self._thread = threading.Thread(target=self._read, name='log of the local server', daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while some := os.read(self._pipe.fileno(), _LAST_BYTES):
                self._end = (self._end + some)[-_LAST_BYTES:]

    def close(self) -> None:
        self._thread.join(5.0)
        self._pipe.close()

    def last(self) -> tuple[str, ...]:
        lines = self._end.decode('utf-8', 'replace').splitlines()
        return tuple(line for line in lines if line.strip())[-_LAST_LINES:]


# --------------------------------------------------------------------------------------------------- the other process


def serve(there: Connection, log: Connection, local: Local) -> None:
    """Serve weights until the parent ends; all that is written goes to `log`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who presses Ctrl-C means the whole, which ends us
    _killed_with_the_parent()
    watch = threading.Thread(target=end_with_the_parent, name='parent', daemon=True)
    watch.start()
    for number in (1, 2):
        os.dup2(log.fileno(), number)
    try:
        server, up = _started(local)
    except BaseException as error:
        there.send(Down(f'its server did not start: {type(error).__name__}: {error}'))
        os._exit(1)
    there.send(up)
    watch.join()
    del server  # it serves for as long as somebody holds it


def _killed_with_the_parent() -> None:
    """Have Linux end us with our parent: while the package reads weights, no thread of Python runs that could."""
    import ctypes

    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _started(local: Local) -> tuple[Any, Up]:
    """Return a server that answers, and what is known of it."""
    import xllamacpp

    path = Path(local.file)
    threads = local.threads or _cpus()
    with path.open('rb') as file:
        digest = hashlib.file_digest(file, 'sha256').hexdigest()
    given = xllamacpp.CommonParams()
    given.model.path = str(path)
    wanted = {
        'model_alias': {path.name},  # else answers, and so cassettes, would hold the path
        'n_ctx': local.context,
        'n_parallel': 1,
        'hostnames': [_HOST],
        'port': 0,
        'offline': True,
        'ui': False,
        'endpoint_slots': False,
        'cors_origins': '',  # no page in a browser is to ask it
        'cache_ram_mib': 0,  # it would keep up to 8 GiB of prompts beside the one at hand
        'verbosity': 1,
    }
    for name, value in wanted.items():
        if not hasattr(given, name):
            version = xllamacpp.__version__
            raise RuntimeError(f'{PACKAGE} {version} does not know the parameter {name}: {_INSTALL}')
        setattr(given, name, value)
    for some in (given.cpuparams, given.cpuparams_batch):
        some.n_threads = threads
    server = xllamacpp.Server(given)
    address = urlsplit(server.listening_address)
    if address.hostname != _HOST or address.port is None:
        raise RuntimeError(f'the server listens at {server.listening_address}, not on loopback')
    while _got(address.port, '/health') is None:
        time.sleep(0.1)
    about = {
        'file': path.name,
        'sha256': digest,
        'server': f'{OWN_SERVER}{xllamacpp.__version__})',
        'threads': threads,
        'context': _context_of(address.port) or local.context,
    }
    return server, Up(f'http://{_HOST}:{address.port}/v1', about)


def _cpus() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


def _context_of(port: int) -> int | None:
    """Return the context that the server really has: weights that were trained with less get less."""
    properties = _got(port, '/props')
    settings = properties.get('default_generation_settings') if isinstance(properties, dict) else None
    context = settings.get('n_ctx') if isinstance(settings, dict) else None
    return context if type(context) is int else None


def _got(port: int, path: str) -> Any:
    """Return the JSON at a path of the server, None where it does not answer with success."""
    connection = http.client.HTTPConnection(_HOST, port, timeout=10)
    try:
        connection.request('GET', path)
        response = connection.getresponse()
        return json.loads(response.read()) if response.status == 200 else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
