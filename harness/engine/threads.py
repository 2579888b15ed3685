"""Node code in a thread of its own, under a time limit: where it does not end it is stopped, else left behind."""

from __future__ import annotations

import contextvars
import faulthandler
import os
import re
import sys
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

DEFAULT_LIMIT_S: Final = 30.0
"""How long one scenario may take with one model side, in seconds."""

_LAST_S: Final = 5.0
_PATIENCE: Final = 3
_SLICE_S: Final = 0.25
_STOPPING_S: Final = 1.0
_SETTLING_S: Final = 0.2
_HARD_S: Final = 10.0
_PUT_OFF_S: Final = 5.0
_LIBRARY: Final = str(Path(threading.__file__).parent)
_NUMBER: Final = re.compile(r'\d+')

_hard_end: float | None = None
_others: frozenset[threading.Thread] | None = None
"""While a node works: the threads that were there before it."""

_left: list[threading.Thread] = []
_excused: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


class RunOver(KeyboardInterrupt):
    """The harness has ended this run: nothing more of it passes a door.

    It is an interrupt, because that is what code which survives everything else lets through.
    """


class TimeLimit:
    """How long a scenario may take, in seconds; 0 is without limit.

    A node that ran out of time three times gets five seconds at most for each further scenario, so that one that always
    hangs does not take hours. `imports` is the limit for what happens once: importing the node and its libraries.
    """

    def __init__(self, seconds: float = DEFAULT_LIMIT_S) -> None:
        self.seconds = seconds
        self._spent = 0

    @property
    def imports(self) -> float:
        return 4 * self.seconds

    def of(self, own: float | None) -> float:
        """Return the limit of a scenario that wants a limit of its own, or None; the smaller one counts."""
        if not self.seconds:
            return 0
        least = self.seconds if own is None else min(own, self.seconds)
        return min(least, _LAST_S) if self._spent >= _PATIENCE else least

    def ran_out(self) -> None:
        """Count a scenario that had no time left."""
        self._spent += 1


@contextmanager
def ending_when_stuck() -> Iterator[None]:
    """Let the process end itself, some seconds behind a limit, where node code keeps all threads from going on.

    Compiled code that never lets go of the interpreter, such as a regular expression that looks for hours, stops
    everything in Python, this module as well. The traceback of the node goes to standard error, the exit code is 1.
    """
    global _hard_end
    _hard_end = 0.0
    try:
        yield
    finally:
        _hard_end = None
        faulthandler.cancel_dump_traceback_later()


def _put_off(seconds: float) -> None:
    """Put the end of a stuck process off, behind the next limit; not every time, for it costs a thread."""
    global _hard_end
    now = time.monotonic()
    if _hard_end is not None and _hard_end < now + seconds + _HARD_S:
        _hard_end = now + seconds + _HARD_S + _PUT_OFF_S
        faulthandler.dump_traceback_later(_hard_end - now, exit=True, file=2)


class Watch:
    """The threads of one scenario: that of the node, and those which are started meanwhile."""

    def __init__(self) -> None:
        self._before = frozenset(threading.enumerate())
        self._own: threading.Thread | None = None

    def run(
        self,
        work: Callable[[], None],
        seconds: float,
        stop: Callable[[FrameType | None], None],
        look: Callable[[], None] = lambda: None,
    ) -> bool:
        """Run work in a thread of its own and tell whether it ended in time; what it raises is raised here.

        At the limit `stop` is called with the frame that the thread is in, then an interrupt is raised in the thread.
        One that does not end then is left behind, and nothing more is heard of it. `look` is called now and then. An
        interrupt of the user stops the work in the same way and is raised. With 0 seconds the work is done in the
        calling thread, without limit.
        """
        if not seconds:
            work()
            return True
        failures: list[BaseException] = []
        done = threading.Lock()
        done.acquire()
        context = contextvars.copy_context()

        def body() -> None:
            try:
                context.run(work)
            except BaseException as error:
                failures.append(error)
            finally:
                done.release()

        global _others
        self._own = thread = threading.Thread(target=body, name='node', daemon=True)
        _others = self._before
        _put_off(seconds)
        thread.start()
        try:
            ended = _wait(done, seconds, look)
        except BaseException:
            stop(None)
            self._stop(thread)
            raise
        finally:
            _others = None
        if ended:
            if failures:
                raise failures[0]
            return True
        stop(sys._current_frames().get(thread.ident or 0))
        self._stop(thread)
        return False

    def _stop(self, thread: threading.Thread) -> None:
        end = time.monotonic() + _STOPPING_S
        while thread.is_alive() and time.monotonic() < end:
            for each in (thread, *self._started()):
                if each is thread or not _waits(each):
                    _interrupt(each)
            thread.join(_SLICE_S)

    def _started(self) -> list[threading.Thread]:
        known = self._before | frozenset(_excused)
        return [each for each in threading.enumerate() if each not in known and each.name[:6] != 'Dummy-']

    def left(self) -> tuple[str, ...]:
        """Return the names of the threads that go on although everything has ended, numbers left out of them.

        Those that work on, and would take the time of the next scenario, are interrupted; those that wait are let be,
        for a library may have put them there for good.
        """
        started = [each for each in self._started() if each is not self._own]
        if not started:
            return ()
        worked = _joined(started)
        alive = [each for each in started if each.is_alive()]
        if alive and worked > _SETTLING_S / 4:
            for each in alive:
                if not _waits(each):
                    _interrupt(each)
            _joined(alive)
        _left.extend(each for each in alive if each.is_alive())
        return tuple(sorted(_NUMBER.sub('N', str(each.name))[:100] for each in alive))


@contextmanager
def excused() -> Iterator[None]:
    """Call tools of a scenario: the threads that they start are theirs, not the node's."""
    before = set(threading.enumerate())
    try:
        yield
    finally:
        _excused.update(set(threading.enumerate()) - before)


def by_the_user(error: BaseException) -> bool:
    """Tell whether an exception is an interrupt of the user, who interrupts the main thread and no other."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


def of_the_node(thread: threading.Thread) -> bool:
    """Tell whether a thread came with the scenario that runs now, or was left by an earlier one."""
    return thread in _left or (_others is not None and thread not in _others)


def lingering() -> bool:
    """Tell whether threads of nodes are left."""
    return any(thread.is_alive() for thread in _left)


def leave(status: int) -> None:
    """End the process here where a thread of a node would keep it from ending by itself; nothing else is lost."""
    pools = getattr(sys.modules.get('concurrent.futures.thread'), '_threads_queues', ())
    if any(thread.is_alive() and (not thread.daemon or thread in pools) for thread in _left):
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(status)


def place_of(frame: FrameType | None, folder: Path) -> str:
    """Return where a thread is, in the files of a folder where possible: `loop.py:12 in ask`."""
    inner = frame
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(folder):
            return f'{path.relative_to(folder).as_posix()}:{frame.f_lineno} in {frame.f_code.co_name}'
        frame = frame.f_back
    return f'{Path(inner.f_code.co_filename).name}:{inner.f_lineno} in {inner.f_code.co_name}' if inner else ''


def _wait(done: threading.Lock, seconds: float, look: Callable[[], None]) -> bool:
    end = time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        if done.acquire(timeout=min(rest, _SLICE_S)):
            return True
        look()
    return False


def _joined(threads: list[threading.Thread]) -> float:
    """Wait a moment for threads to end; return the CPU time of the process meanwhile, in seconds."""
    began, end = time.process_time(), time.monotonic() + _SETTLING_S
    for each in threads:
        each.join(max(0.0, end - time.monotonic()))
    return time.process_time() - began


def _waits(thread: threading.Thread) -> bool:
    """Tell whether a thread waits for work, as those of pools and event loops do, by where it is: in Python's own code.

    An interrupt would reach it only with its next work, which may be that of a library that all scenarios share.
    """
    frame = sys._current_frames().get(thread.ident or 0)
    file = frame.f_code.co_filename if frame is not None else ''
    return file.startswith(_LIBRARY) and 'site-packages' not in file


def _interrupt(thread: threading.Thread) -> None:
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(RunOver))
