"""What a node writes to standard output: kept apart from what the harness prints there, and heard."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from typing import IO, Any, Final

from harness.secrets.stream import Masked

MAX_HEARD: Final = 4_000
"""The most characters that are kept of what one scenario writes."""

_MAX_FILE: Final = 16_000_000
_STDOUT: Final = 1


class Ear:
    """A file that stands in for standard output while node code runs, for Python and for the process (descriptor 1).

    Programs that the node starts write into it as well. `listen` and `release` enclose the node code, `heard` tells
    what was written since the last time. However much that is, the file stays small as long as `check` is called now
    and then.
    """

    def __init__(self) -> None:
        self._file = _nameless_file()
        self._stream = self._opened()
        self._input = io.StringIO()
        self._replaced: tuple[Any, Any] | None = None
        self._kept = -1
        self._head = b''
        self._dropped = 0

    def _opened(self) -> io.TextIOWrapper:
        raw = io.FileIO(os.dup(self._file), 'w')
        return io.TextIOWrapper(raw, encoding='utf-8', errors='backslashreplace', write_through=True)

    def listen(self) -> None:
        """Put the file in the place of standard output, and an empty one in that of standard input."""
        if self._stream.closed or self._input.closed:  # a node may close what it prints to
            self._stream, self._input = self._opened(), io.StringIO()
        self._flush()
        self._replaced = sys.stdout, sys.stdin
        self._kept = _duplicate(_STDOUT)
        if self._kept >= 0:
            os.dup2(self._file, _STDOUT)
        sys.stdout, sys.stdin = self._stream, self._input
        self.heard()

    def release(self) -> None:
        """Put back what `listen` took away."""
        self._flush()
        if self._replaced is not None:
            self._flush(self._replaced[0])
            sys.stdout, sys.stdin = self._replaced
            self._replaced = None
        if self._kept >= 0:
            os.dup2(self._kept, _STDOUT)
            os.close(self._kept)
            self._kept = -1

    def in_place(self) -> bool:
        """Tell whether the streams are those that `listen` put there."""
        return sys.stdout is self._stream and sys.stdin is self._input

    @staticmethod
    def _flush(stream: IO[str] | None = None) -> None:
        for each in (stream or sys.stdout, sys.__stdout__):
            with contextlib.suppress(Exception):  # closed, broken, or no stream at all: nothing to write then
                each.flush()  # type: ignore[union-attr]

    def check(self) -> None:
        """Empty the file where it has become large; its beginning is kept."""
        if self._size() > _MAX_FILE:
            self._take()

    def heard(self) -> str:
        """Return what was written since the last time, cut to a few thousand characters; the cut says how much."""
        if self._size():
            self._take()
        elif not self._head:
            return ''
        head, dropped = self._head, self._dropped
        self._head, self._dropped = b'', 0
        text = head.decode('utf-8', 'backslashreplace')
        if len(text) > MAX_HEARD:
            dropped += len(text[MAX_HEARD:].encode())
            text = text[:MAX_HEARD]
        return f'{text}… [{dropped:,} bytes left out]' if dropped else text

    def _size(self) -> int:
        return os.lseek(self._file, 0, os.SEEK_CUR)

    def _take(self) -> None:
        size = self._size()
        os.lseek(self._file, 0, os.SEEK_SET)
        room = 4 * MAX_HEARD - len(self._head)
        more = os.read(self._file, min(size, room)) if room > 0 else b''
        self._head += more
        self._dropped += size - len(more)
        # All copies of the descriptor share one position, so that writers go on at the beginning.
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)


class _Own(io.TextIOWrapper):
    """Standard output for one thread alone: what others write is dropped."""

    def __init__(self, raw: io.BufferedWriter) -> None:
        super().__init__(raw, encoding='utf-8', errors='backslashreplace', line_buffering=True)
        self._owner = threading.get_ident()

    def write(self, text: str, /) -> int:
        return super().write(text) if threading.get_ident() == self._owner else len(text)


def shut_out() -> None:
    """Keep standard output for the calling thread from here on: threads of a node may still be there and write."""
    sys.stdout.flush()
    try:
        if sys.stdout.fileno() != _STDOUT:
            return
    except (OSError, ValueError):  # it is no file: a test holds it
        return
    own = _Own(io.BufferedWriter(io.FileIO(os.dup(_STDOUT), 'w')))
    sys.stdout = sys.stdout.over(own) if isinstance(sys.stdout, Masked) else own
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDOUT)
    os.close(nowhere)


def _nameless_file() -> int:
    if hasattr(os, 'memfd_create'):
        return os.memfd_create('node-output')
    import tempfile

    with tempfile.TemporaryFile(buffering=0) as file:
        return os.dup(file.fileno())


def _duplicate(descriptor: int) -> int:
    """Return a copy of a descriptor, -1 where it is closed."""
    try:
        return os.dup(descriptor)
    except OSError:
        return -1
