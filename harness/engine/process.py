"""The process that all scenarios share: what a node changes in it is noticed, and put back before the next one."""

from __future__ import annotations

import builtins
import locale
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self

from harness.engine.output import Ear
from harness.engine.threads import RunOver, of_the_node
from harness.record import StateChange
from harness.show.visible import clip

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_MAX_WORDS: Final = 400
_alone = threading.RLock()
_ear: Ear | None = None
_open: Contained | None = None
_exit, _pid = os._exit, os.getpid()


@dataclass(frozen=True)
class _Part:
    """One part of the state of a process: its name, how it is read, put back, and told about.

    `grew` says whether the second state is the first one with something added. `quiet` is put back and never told.
    """

    name: str
    read: Callable[[], Any]
    put_back: Callable[[Any], None]
    grew: Callable[[Any, Any], bool] = lambda before, after: False
    words: Callable[[Any, Any], tuple[str, str]] = lambda before, after: (repr(before), repr(after))
    quiet: bool = False


# ----------------------------------------------------------------------------------------------------------- the parts


def _chdir(folder: str) -> None:
    if folder:
        os.chdir(folder)


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 (a text is all that is needed, many times over)
    except OSError:  # the folder is gone
        return ''


def _environment() -> dict[Any, Any]:
    # The inner dict spares decoding every variable before and after every scenario.
    return dict(getattr(os.environ, '_data', os.environ))


def _put_environment_back(before: dict[Any, Any]) -> None:
    after = _environment()
    for name in after.keys() - before.keys():
        del os.environ[os.fsdecode(name)]
    for name, value in before.items():
        if after.get(name) != value:
            os.environ[os.fsdecode(name)] = os.fsdecode(value)
    if hasattr(time, 'tzset'):
        time.tzset()


def _environment_words(before: dict[Any, Any], after: dict[Any, Any]) -> tuple[str, str]:
    """Name the variables; their values may be secrets."""
    names = sorted(os.fsdecode(name) for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    gone = {os.fsdecode(name) for name in before.keys() - after.keys()}
    new = {os.fsdecode(name) for name in after.keys() - before.keys()}
    told = ', '.join(f'{name} ({"removed" if name in gone else "new" if name in new else "changed"})' for name in names)
    return '', told


def _put_list_back(where: list[Any], before: tuple[Any, ...]) -> None:
    where[:] = before


def _list_words(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[str, str]:
    return (
        ', '.join(str(item) for item in before if item not in after) or '(all of it is still there)',
        ', '.join(str(item) for item in after if item not in before) or '(nothing new is there)',
    )


def _all_there(before: Any, after: Any) -> bool:
    return all(item in after for item in before)


def _put_filters_back(before: tuple[Any, ...]) -> None:
    warnings.resetwarnings()  # makes the interpreter forget what the filters decided so far
    warnings.filters[:] = before  # type: ignore[index]


def _root_log() -> tuple[Any, ...]:
    root = logging.root
    return root.level, root.disabled, root.manager.disable, tuple(root.handlers), tuple(root.filters)


def _put_root_log_back(before: tuple[Any, ...]) -> None:
    root = logging.root
    level, root.disabled, root.manager.disable, handlers, filters = before
    root.setLevel(level)
    root.handlers[:], root.filters[:] = handlers, filters


def _root_log_grew(before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    return before[:3] == after[:3] and _all_there(before[3], after[3]) and _all_there(before[4], after[4])


def _root_log_words(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[str, str]:
    def told(log: tuple[Any, ...]) -> str:
        off = ', disabled' if log[1] else ''
        return f'level {log[0]}, below {log[2]} off, {len(log[3])} handlers, {len(log[4])} filters{off}'

    return told(before), told(after)


def _handlers() -> tuple[Any, ...]:
    return signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)


def _put_handlers_back(before: tuple[Any, ...]) -> None:
    if threading.current_thread() is threading.main_thread():  # nobody else can change or set them
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            if handler is not None:
                signal.signal(number, handler)


def _hooks() -> tuple[Any, ...]:
    return sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook


def _put_hooks_back(before: tuple[Any, ...]) -> None:
    sys.excepthook, sys.unraisablehook, sys.displayhook, threading.excepthook = before


def _put_builtins_back(before: dict[str, Any]) -> None:
    own = vars(builtins)
    for name in own.keys() - before.keys():
        del own[name]
    own.update(before)


def _builtins_words(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str]:
    names = before.keys() | after.keys()
    return '', ', '.join(sorted(name for name in names if before.get(name) is not after.get(name)))


def _put_locale_back(before: str) -> None:
    locale.setlocale(locale.LC_ALL, before)


def _numbers() -> tuple[int, float]:
    return sys.getrecursionlimit(), sys.getswitchinterval()


def _put_numbers_back(before: tuple[int, float]) -> None:
    sys.setrecursionlimit(before[0])
    sys.setswitchinterval(before[1])


_PARTS: Final = (
    _Part('the working directory', _folder, _chdir),
    _Part(
        'the environment variables',
        _environment,
        _put_environment_back,
        lambda before, after: before.items() <= after.items(),
        _environment_words,
    ),
    _Part(
        'the module search path',
        lambda: tuple(sys.path),
        lambda before: _put_list_back(sys.path, before),
        _all_there,
        _list_words,
    ),
    _Part('the filters of warnings', lambda: tuple(warnings.filters), _put_filters_back, _all_there, _list_words),
    _Part('the root logger', _root_log, _put_root_log_back, _root_log_grew, _root_log_words),
    _Part('the handlers of signals', _handlers, _put_handlers_back),
    _Part('the hooks for exceptions', _hooks, _put_hooks_back),
    _Part(
        'the builtins',
        lambda: dict(vars(builtins)),
        _put_builtins_back,
        lambda before, after: before.items() <= after.items(),
        _builtins_words,
    ),
    _Part("the interpreter's recursion limit or switch interval", _numbers, _put_numbers_back),
    _Part(
        'the locale',
        lambda: locale.setlocale(locale.LC_ALL),
        _put_locale_back,
    ),
    _Part('the random numbers', random.getstate, random.setstate, quiet=True),
)
"""What is looked at. Every user of random numbers moves their state on, so that nothing can be said about it."""


# ------------------------------------------------------------------------------------------------------ the enclosure


class Contained:
    """Node code enclosed: afterwards the process is as it was before.

    `changes` are what had to be put back, `stdout` is what was written to standard output, `exits` the ends of the
    process that were asked for with `os._exit` and refused. What libraries add to the process while they are imported
    (variables, folders, filters, handlers) stays and is no change. One enclosure is open at a time; others wait.
    Without `capture` standard output is left alone.
    """

    def __init__(self, *, capture: bool = True) -> None:
        self._capture = capture
        self.changes: tuple[StateChange, ...] = ()
        self.stdout = ''
        self.exits: list[str] = []

    def __enter__(self) -> Self:
        global _ear, _open
        _alone.acquire()
        _open, os._exit = self, _refuse_to_exit
        try:
            if self._capture:
                _ear = _ear or Ear()
                _ear.listen()
            self._modules = len(sys.modules)
            self._before = [part.read() for part in _PARTS]
            self._hook, threading.excepthook = threading.excepthook, self._quietly
        except BaseException:
            _alone.release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _open
        try:
            _open = None
            if threading.excepthook == self._quietly:
                threading.excepthook = self._hook
            imported = len(sys.modules) > self._modules
            changes = [_put_back(part, old, imported) for part, old in zip(_PARTS, self._before, strict=True)]
            if self._capture and _ear is not None:
                if not _ear.in_place():
                    changes.append(StateChange(what='the standard streams of Python'))
                _ear.release()
                self.stdout = _ear.heard()
            self.changes = tuple(change for change in changes if change is not None)
        finally:
            _alone.release()

    def _quietly(self, caught: threading.ExceptHookArgs) -> None:
        """Say nothing of threads that we interrupted ourselves."""
        if not issubclass(caught.exc_type, RunOver):
            self._hook(caught)

    def look(self) -> None:
        """Keep what is written to standard output small; to be called now and then while the node works."""
        if self._capture and _ear is not None:
            _ear.check()


def _refuse_to_exit(status: int) -> NoReturn:
    """Stand in for `os._exit` for good: no thread of a node ends the process of the others, not even a late one."""
    if os.getpid() != _pid or not of_the_node(threading.current_thread()):
        _exit(status)
    if _open is not None:
        _open.exits.append(f'os._exit({status!r})')
    raise RunOver('the node ended the process')


def _put_back(part: _Part, before: Any, imported: bool) -> StateChange | None:
    if part.quiet:
        part.put_back(before)
        return None
    after = part.read()
    if before == after or (imported and part.grew(before, after)):
        return None
    try:
        part.put_back(before)
        old, new = (clip(text, _MAX_WORDS) for text in part.words(before, after))
    except Exception as error:
        old, new = '', f'it cannot be put back: {type(error).__name__}'
    return StateChange(what=part.name, before=old, after=new)
