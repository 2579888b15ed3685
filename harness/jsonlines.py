"""Files of JSON lines: a header that says what the file is, then one value a line, read as untrusted input."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pydantic import ValidationError

from harness.record import Frozen
from harness.scenario.yamlnode import key_path
from harness.show.visible import clip, json_safe
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

MAX_LINE: Final = 64_000_000
"""The most bytes of one line: a file is read by tools that did not write it."""

MAX_FILE: Final = 96_000_000
"""The most bytes of a file that is read: about twenty runs of a suite of 250 scenarios."""

_MAX_GROWN: Final = 64_000_000
"""The most bytes of a file that is appended to, so that what comes of it can still be read."""

_CUT_OFF: Final = 'the line is cut off, as by a run that was broken off: take the line out to go on'
_Head = TypeVar('_Head', bound=Frozen)
_Entry = TypeVar('_Entry', bound=Frozen)
_Value = TypeVar('_Value', bound=Frozen)


class LineError(Exception):
    """A file of JSON lines cannot be used; the message says which line and why."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f'{path}:{line}: {message}')


@dataclass(frozen=True)
class Format(Generic[_Head, _Entry]):
    """A kind of file: its name for people, its header and version, what its lines are, and how one is made anew.

    The header has the fields `kind` and `version`, both with their only value as the default. `others` are the
    versions of values inside a line, by their key path, with their names.
    """

    name: str
    header: type[_Head]
    entry: type[_Entry]
    error: type[LineError]
    anew: str
    others: tuple[tuple[tuple[str, ...], str], ...] = ()

    def read_header(self, path: Path) -> _Head:
        """Return the header of a file.

        Raises:
            LineError: the file cannot be read, is of another kind or version, or its header is not in order.
        """
        fields = self.header.model_fields
        with closing(self._lines(path)) as lines:
            number, first = next(lines, (1, b''))
        if not first:
            raise self.error(path, number, f'the file is empty, so it is no {self.name}')
        value = self._parsed(path, number, first)
        kind = value.get('kind') if isinstance(value, dict) else None
        if kind != fields['kind'].default:
            is_other = isinstance(kind, str) and kind.startswith('react-harness ')
            found = f'it is of the kind {clip(str(kind), 60)!r}' if is_other else 'its first line is no header'
            raise self.error(path, number, f'this is no {self.name}: {found}; {self.anew}')
        version, readable = value.get('version'), fields['version'].default
        if version != readable:
            message = f'the {self.name} is of version {_short(version)}, and this program reads version {readable}'
            raise self.error(path, number, f'{message}: {self.anew}')
        return self._validated(self.header, path, number, value)

    def entries(self, path: Path) -> Generator[tuple[int, _Entry], None, None]:
        """Yield the values behind the header with the numbers of their lines, read one by one.

        Raises:
            LineError: the file cannot be read, or a line is cut off or no such value.
        """
        with closing(self._lines(path)) as lines:
            for number, line in lines:
                if number > 1:
                    yield number, self._validated(self.entry, path, number, self._parsed(path, number, line))

    def check_end(self, path: Path) -> None:
        """Make sure that a line can be appended.

        Raises:
            LineError: the file ends within a line.
        """
        with path.open('rb') as file:
            if file.seek(-1, 2) > _MAX_GROWN:
                raise self.error(path, 1, f'the file is larger than {_MAX_GROWN:,} bytes: {self.anew}')
            if file.read(1) != b'\n':
                raise self.error(path, path.read_bytes().count(b'\n') + 1, _CUT_OFF)

    def _lines(self, path: Path) -> Generator[tuple[int, bytes], None, None]:
        if path.exists() and not path.is_file():  # a pipe would keep its reader waiting
            raise self.error(path, 1, 'the file cannot be read: it is a folder, a pipe or a device')
        try:
            if path.stat().st_size > MAX_FILE:
                raise self.error(path, 1, f'the file is larger than {MAX_FILE:,} bytes: {self.anew}')
            with path.open('rb') as file:
                number = 0
                while line := file.readline(MAX_LINE + 1):
                    number += 1
                    if len(line) > MAX_LINE:
                        raise self.error(path, number, f'the line is longer than {MAX_LINE:,} bytes')
                    if not line.endswith(b'\n'):
                        raise self.error(path, number, _CUT_OFF)
                    yield number, line
        except OSError as error:
            raise self.error(path, 1, f'the file cannot be read: {error.strerror or error}') from None

    def _parsed(self, path: Path, number: int, line: bytes) -> Any:
        try:
            return strict_json(line.decode('utf-8'))
        except (ValueError, RecursionError) as error:
            raise self.error(path, number, f'this is not JSON: {error}') from None

    def _validated(self, kind: type[_Value], path: Path, number: int, value: Any) -> _Value:
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            name = dict(self.others).get(tuple(map(str, first['loc'])))
            message = (
                f'the {name} is of another version than this program reads: {self.anew}'
                if name
                else f'{key_path(first["loc"]) or "the line"}: {first["msg"]}'
            )
            raise self.error(path, number, message) from None


def line_of(value: Any) -> bytes:
    """Return a value as one line.

    It is ASCII only: a model can write half of a surrogate pair, which JSON can escape and UTF-8 cannot hold.
    """
    return json.dumps(json_safe(value), allow_nan=False, separators=(',', ':')).encode('ascii') + b'\n'


def _short(value: Any) -> str:
    return clip(repr(value), 60)
