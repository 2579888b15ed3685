"""The crew: processes that record the open cells of a plan, as many at a time as their endpoints bear."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import time
from collections import deque
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from harness.llm_errors import INFRASTRUCTURE
from harness.matrix.local import LocalServer, Up
from harness.matrix.pace import Pace
from harness.matrix.worker import Broken, Done, Failed, Job, Ready, Spent, Waiting, work
from harness.scenario.loading import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.matrix.local import Down
    from harness.matrix.models import Local
    from harness.matrix.plan import Cell
    from harness.matrix.worker import Message

_FOR_ALL: Final = frozenset({'AuthenticationError', 'PermissionDeniedError', 'NotFoundError'})
_ENDS: Final = {
    'AuthenticationError': 'its key is refused',
    'PermissionDeniedError': 'its key may not do this',
    'NotFoundError': 'the server does not know it',
}


class Recorded(NamedTuple):
    """A cell was recorded."""

    cell: Cell
    done: Done


class NotRecorded(NamedTuple):
    """A cell was not recorded: why, and whether that is the fault of server or line, and of no model and no node."""

    cell: Cell
    reason: str
    infrastructure: bool


class Held(NamedTuple):
    """A request waits, or an endpoint gets nothing new for so many seconds."""

    endpoint: str
    waiting: Waiting
    allowed: int


class Served(NamedTuple):
    """The server of a local model answers, so many seconds after it was started."""

    local: Local
    up: Up
    seconds: float


class NotServed(NamedTuple):
    """The server of a local model did not start, or it ended."""

    local: Local
    down: Down


News = Recorded | NotRecorded | Held | Spent | Served | NotServed


class Crew:
    """Records cells and tells what becomes of each; all processes end with the block."""

    def __init__(self, cells: Sequence[Cell], node_ref: str, unit_s: float = 1.0) -> None:
        self._open = deque(cells)
        self._node_ref, self._unit_s = node_ref, unit_s
        most: dict[str, int] = {}
        for cell in cells:
            most[cell.entry.endpoint] = max(most.get(cell.entry.endpoint, 0), cell.entry.at_once)
        self._paces = {endpoint: Pace(number) for endpoint, number in most.items()}
        self._members: list[_Member] = []
        self._ended: dict[str, str] = {}
        self._server: LocalServer | None = None
        self._down: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members:
            member.end()
        if self._server is not None:
            self._server.end()

    def news(self) -> Iterator[News]:
        """Yield what happens, until every cell was recorded or given up.

        Raises:
            Exception: what kept the node from being loaded, as `load_node` raises it.
        """
        while self._open or any(member.cell is not None for member in self._members):
            yield from self._given_up()
            self._serve_the_next()
            self._start_what_may()
            busy = [member for member in self._members if member.cell is not None]
            if not busy and not self._open:
                return
            handles = {member.here: member for member in busy}
            of_server = [] if self._server is None else [self._server.here]
            for here in wait([*handles, *of_server], self._patience(bool(busy))):
                if here not in of_server:
                    yield from self._heard(handles[here])  # type: ignore[index]
            yield from self._heard_of_the_server()

    # ------------------------------------------------------------------------------------------------------- starting

    def _start_what_may(self) -> None:
        now = time.monotonic()
        later: deque[Cell] = deque()
        while self._open:
            cell = self._open.popleft()
            pace = self._paces[cell.entry.endpoint]
            there = cell.entry.local is None or self._up_for(cell) is not None
            if there and pace.may_start(now):
                pace.started()
                self._idle().start(cell, self._unit_s, self._up_for(cell))
            else:
                later.append(cell)
        self._open = later

    def _up_for(self, cell: Cell) -> Up | None:
        """Return the server that we started for a cell, None where somebody else's is asked or ours is not there."""
        server = self._server
        return server.up if server is not None and server.endpoint == cell.entry.endpoint else None

    def _serve_the_next(self) -> None:
        """Start the server of the next local model when that of the last one has no more to do: one at a time."""
        wanted = {member.cell.entry.endpoint for member in self._members if member.cell is not None}
        wanted |= {cell.entry.endpoint for cell in self._open}
        if self._server is not None and self._server.endpoint not in wanted:
            self._server.end()
            self._server = None
        if self._server is None:
            entry = next((cell.entry for cell in self._open if cell.entry.local is not None), None)
            if entry is not None and entry.local is not None:
                self._server = LocalServer(entry.local, entry.endpoint)

    def _idle(self) -> _Member:
        for member in self._members:
            if member.cell is None:
                return member
        member = _Member(self._node_ref)
        self._members.append(member)
        return member

    def _patience(self, busy: bool) -> float | None:
        """Return how long to wait for news: up to the moment at which something may be started."""
        now = time.monotonic()
        endpoints = {cell.entry.endpoint for cell in self._open}
        waits = [seconds for endpoint in endpoints if (seconds := self._paces[endpoint].wait(now)) > 0]
        if self._server is not None and (loading := self._server.patience()) is not None:
            waits.append(loading)
        return min(waits, default=None if busy else 0.0)

    def _given_up(self) -> Iterator[NotRecorded]:
        """Drop the cells of models that get no answer."""
        left: deque[Cell] = deque()
        for cell in self._open:
            why = self._ended.get(cell.entry.name, '') or self._down.get(cell.entry.endpoint, '')
            if self._paces[cell.entry.endpoint].given_up:
                why = why or f'{cell.entry.endpoint} gave no answer several times in a row'
            if why:
                yield NotRecorded(cell, f'not tried: {why}', infrastructure=True)
            else:
                left.append(cell)
        self._open = left

    # -------------------------------------------------------------------------------------------------------- hearing

    def _heard(self, member: _Member) -> Iterator[News]:
        cell = member.cell
        assert cell is not None  # noqa: S101 (nobody else is listened to)
        pace = self._paces[cell.entry.endpoint]
        message = member.told()
        match message:
            case Ready():
                pass
            case Broken(error):
                raise error
            case Waiting():
                if message.limited:
                    pace.refused(time.monotonic(), message.seconds)
                yield Held(cell.entry.endpoint, message, int(pace.allowed))
            case Spent():
                yield message
            case Done():
                pace.ended(answered=True)
                member.cell = None
                yield Recorded(cell, message)
            case Failed(reason, error):
                infrastructure = error in INFRASTRUCTURE
                pace.ended(answered=not infrastructure)
                member.cell = None
                if error in _FOR_ALL:
                    self._ended[cell.entry.name] = _ENDS[error]
                yield NotRecorded(cell, reason, infrastructure)
            case None:
                pace.ended(answered=True)
                self._members.remove(member)
                yield NotRecorded(cell, f'the process that recorded it {member.how_it_ended()}', infrastructure=False)

    def _heard_of_the_server(self) -> Iterator[News]:
        server = self._server
        told = server.told() if server is not None else None
        if server is None or told is None:
            return
        if isinstance(told, Up):
            yield Served(server.local, told, server.seconds)
            return
        self._server = None
        self._down[server.endpoint] = told.why
        yield NotServed(server.local, told)
        yield from self._lost_with(server.endpoint)

    def _lost_with(self, endpoint: str) -> Iterator[NotRecorded]:
        """End what asks a server that is gone: trying again is of no use."""
        for member in list(self._members):
            cell = member.cell
            if cell is not None and cell.entry.endpoint == endpoint:
                self._members.remove(member)
                member.end()
                yield NotRecorded(cell, self._down[endpoint], infrastructure=True)


class _Member:
    """One process and the cell it is at."""

    def __init__(self, node_ref: str) -> None:
        context = multiprocessing.get_context('spawn')
        self.here, there = context.Pipe()
        self.cell: Cell | None = None
        self._process = context.Process(target=work, args=(there, node_ref), daemon=True)
        self._process.start()
        there.close()

    def start(self, cell: Cell, unit_s: float, up: Up | None) -> None:
        """Have a cell recorded; `up` is the server of a local model."""
        scenario, entry, epoch = cell.file, cell.entry, cell.epoch
        self.cell = cell
        job = Job(
            scenario=str(scenario.path.absolute()),
            spec=entry.spec(scenario.scenario.id, epoch, None if up is None else up.base_url),
            cassette=str(cell.path),
            epoch=epoch,
            tries=entry.tries,
            unit_s=unit_s,
            about={**(up.about if up is not None else {}), **entry.about},
        )
        with contextlib.suppress(OSError):  # a process that is gone is told about when it is listened to
            self.here.send(job)

    def told(self) -> Message | None:
        """Return what the process says; None where it has ended."""
        try:
            message: Message = self.here.recv()
        except (EOFError, OSError):
            return None
        return message

    def how_it_ended(self) -> str:
        from harness.apart import end_of

        self._process.join()
        self.here.close()
        return f'ended {end_of(self._process.exitcode)}'

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self.here.close()


class Busy(UsageError):  # noqa: N818 (named by the fact)
    """Another process records into the same folder."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from recording into a folder; what one that was killed left half-written is removed.

    Raises:
        Busy: another process is recording there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        for draft in folder.rglob('.*.yaml.*.tmp'):
            draft.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


def _lock(handle: Any, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such locks on this system: two recordings at a time are up to the user there
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Busy(f'another process is recording into {folder}: wait for it, or stop it') from None
