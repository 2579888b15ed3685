"""Files that others wrote and files that others read: bounded reading, and writing as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from pathlib import Path

# A pipe would keep its reader waiting for ever; what the flags do not know of is absent on other systems.
_FLAGS = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0) | getattr(os, 'O_BINARY', 0) | getattr(os, 'O_CLOEXEC', 0)


class Unreadable(Exception):  # noqa: N818 - named by the fact
    """A file cannot be read; the message says why, without the path."""


class TooLarge(Unreadable):
    """A file is larger than its reader allows."""


def read_bounded(path: Path, limit: int) -> bytes:
    """Return the bytes of a regular file of at most `limit` bytes; a larger one is refused before it is read.

    Raises:
        Unreadable: there is no such file, it is a folder, a pipe or a device, or it cannot be read.
        TooLarge: it is larger.
    """
    try:
        number = os.open(path, _FLAGS)
    except OSError as error:
        raise Unreadable(f'the file cannot be read: {error.strerror or error}') from None
    except ValueError as error:  # a name with a NUL
        raise Unreadable(f'the file cannot be read: {error}') from None
    try:
        state = os.fstat(number)
        if not stat.S_ISREG(state.st_mode):
            raise Unreadable('the file cannot be read: it is a folder, a pipe or a device')
        with open(number, 'rb', closefd=False) as file:
            raw = file.read(limit + 1) if state.st_size <= limit else None
    except OSError as error:
        raise Unreadable(f'the file cannot be read: {error.strerror or error}') from None
    finally:
        os.close(number)
    if raw is None or len(raw) > limit:
        raise TooLarge(f'the file is larger than {limit:,} bytes')
    return raw


def leads_out(path: Path, folder: Path) -> bool:
    """Tell whether a path below a folder leads out of it, through a symbolic link or `..`."""
    # `Path.resolve` raises for a loop of links; opening the file will tell that.
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def write_whole(path: Path, text: str | bytes) -> None:
    """Write a text as UTF-8, or bytes, in place of the file that is there: its readers see the old one or the new one.

    A symbolic link is replaced, not followed.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    draft = path.with_name(f'.{path.name}.{os.getpid()}.{threading.get_ident()}.tmp')
    try:
        with draft.open('xb') as file:
            file.write(text.encode() if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
