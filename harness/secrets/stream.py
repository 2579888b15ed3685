"""A stream that masks what is written to it: the console, as far as a program writes it through Python."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Final

from harness.secrets.guard import Guard
from harness.secrets.shapes import BEGINNINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGINNINGS: Final = tuple(beginning.decode() for beginning in BEGINNINGS)
_LONG: Final = 12
_MOST_HELD: Final = 65_536
_BLANKS: Final = (' ', '\n', '\r', '\t')
_LOOKED_BACK: Final = 600
_LAST_WORD: Final = re.compile(r"""(?<![A-Za-z0-9+/_=.-])([A-Za-z0-9+/_=.-]{8,500})([\s"',\\|>+-]{1,80})\Z""")
_FRAME: Final = ('-----BEGIN ', '-----END ')


class Masked(io.TextIOBase):
    """Writes to another stream, with `***` in the place of what looks like a key.

    A key may be printed piece by piece, so a word is held until it ends, a line that may end with a part of a key until
    the next one, and a private key until its last line; `close` writes what is held and leaves the other stream open.
    """

    def __init__(self, stream: IO[str], guard: Guard) -> None:
        self._stream = stream
        self._guard = guard
        self._held = ''
        self._lock = threading.RLock()

    def over(self, stream: IO[str]) -> Masked:
        """Return one that masks the same and writes to another stream."""
        return Masked(stream, self._guard)

    def write(self, text: str, /) -> int:
        """Write the text as far as its last word has ended."""
        if not isinstance(text, str):
            raise TypeError(f'a text is written, not {type(text).__name__}')
        with self._lock:
            self._held += text
            self._release(self._held.rfind('\n') + 1)
        return len(text)

    def flush(self) -> None:
        """Write what is held but for a word that has not ended."""
        with self._lock:
            self._release(max(self._held.rfind(blank) for blank in _BLANKS) + 1)
            self._stream.flush()

    def close(self) -> None:
        """Write what is held; the other stream stays open."""
        with self._lock:
            self._release(len(self._held), last=True)
            with contextlib.suppress(ValueError):  # it may be closed already
                self._stream.flush()

    def _release(self, end: int, *, last: bool = False) -> None:
        ready = self._held[:end]
        if not last and len(self._held) < _MOST_HELD:
            ready = _before_open_key(ready)
            ready = _before_open_frame(ready)
        if ready:
            self._held = self._held[len(ready) :]
            self._stream.write(self._guard.mask(ready))

    def isatty(self) -> bool:
        """Tell whether the other stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the descriptor of the other stream."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Tell that it can be written to."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the other stream."""
        return getattr(self._stream, 'encoding', None) or 'utf-8'

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the other stream does with characters that it cannot write."""
        return getattr(self._stream, 'errors', None)


def _before_open_key(text: str) -> str:
    """Return a text without the lines at its end that may be the first ones of a key."""
    word = _LAST_WORD.search(text, max(0, len(text) - _LOOKED_BACK))
    while word is not None and _may_go_on(word[1]):
        text = text[: word.start()]
        word = _LAST_WORD.search(text, max(0, len(text) - _LOOKED_BACK))
        if word is not None and '\n' not in word[2]:
            break
    return text


def _before_open_frame(text: str) -> str:
    """Return a text without a private key at its end whose last line is not there yet."""
    begun = text.rfind(_FRAME[0])
    if begun < 0:
        return text
    line, _, behind = text[begun:].partition('\n')
    ended = '\n' in behind.partition(_FRAME[1])[2]
    return text[:begun] if not ended and ('PRIVATE KEY' in line or not behind) else text


def _may_go_on(word: str) -> bool:
    """Tell whether a word may be the first line of a key: it begins as one does, or is long and mixed."""
    mixed = any(map(str.isdigit, word)) and word != word.lower() and word != word.upper()
    return word.startswith(_BEGINNINGS) or (mixed and len(word) >= _LONG)


@contextlib.contextmanager
def masked_console(guard: Guard | None = None) -> Iterator[None]:
    """Mask what is written to standard output and standard error inside of the block, and uncaught errors after it."""
    guard = guard or Guard.of_environment()
    before = sys.stdout, sys.stderr
    streams = Masked(sys.stdout, guard), Masked(sys.stderr, guard)
    sys.stdout, sys.stderr = streams
    try:
        yield
    except Exception:
        _mask_uncaught(guard)
        raise
    finally:
        for stream in (*streams, sys.stdout, sys.stderr):
            if isinstance(stream, Masked):
                stream.close()
        sys.stdout, sys.stderr = before


def _mask_uncaught(guard: Guard) -> None:
    """Let an error that ends the program be shown masked: the interpreter writes it when the block is left."""
    if sys.excepthook is not sys.__excepthook__:
        return

    def masked(*error: Any) -> None:
        with contextlib.redirect_stderr(Masked(sys.stderr, guard)) as stream:
            sys.__excepthook__(*error)
            stream.close()

    sys.excepthook = masked
