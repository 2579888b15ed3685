"""The results store: judged runs as JSON lines, written in the order of the runs and never changed afterwards."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, TypeVar

from pydantic import AwareDatetime, Field, ValidationError

from harness.expect.finding import Finding  # noqa: TC001 (pydantic reads it)
from harness.record import RECORD_VERSION, Frozen, RunRecord
from harness.scenario.crosscheck import python_tools
from harness.scenario.yamlnode import key_path
from harness.show.visible import json_safe

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from pathlib import Path

    from harness.scenario.loading import ScenarioFile

RESULTS_VERSION: Final = 1
_Stored = TypeVar('_Stored', bound=Frozen)
MAX_LINE: Final = 64_000_000
"""The most characters of one line: a store is read by tools that did not write it."""


class Header(Frozen):
    """The first line of a store: what was run, on which node, and when."""

    kind: Literal['react-harness results'] = 'react-harness results'
    version: Literal[1] = RESULTS_VERSION
    suite: str = Field(pattern=r'^[0-9a-f]{64}$', description='The digest of the scenarios, see `suite_digest`.')
    node: str = Field(description='The name of the node that was run.')
    created: AwareDatetime = Field(description='When the store was begun, in UTC.')


class StoredResult(Frozen):
    """One judged run: the record, the findings, and why the run says nothing about the node where it does not."""

    record: RunRecord
    findings: tuple[Finding, ...] = ()
    problem: str | None = None


class Judged(Protocol):
    """Anything that holds one judged run, such as a result of `run`."""

    @property
    def record(self) -> RunRecord: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def problem(self) -> str | None: ...


class ResultsError(Exception):
    """A results store cannot be used; the message says which line and why."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f'{path}:{line}: {message}')


def suite_digest(files: Iterable[ScenarioFile]) -> str:
    """Return a digest of what scenarios ask and expect.

    Comments, the order of keys and the place of the files do not count; the Python tools beside a scenario do.
    """
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.scenario.id):
        asked = file.scenario.model_dump(exclude_unset=True)
        digest.update(json.dumps(json_safe(asked), sort_keys=True).encode('ascii'))
        tools = file.path.parent / 'tools.py'
        if any(python_tools(file.scenario)) and tools.is_file():
            digest.update(tools.read_bytes())
    return digest.hexdigest()


def header(files: Iterable[ScenarioFile], node: str) -> Header:
    """Make the header of a new store."""
    return Header(suite=suite_digest(files), node=node, created=datetime.now(UTC))


def write(path: Path, head: Header, results: Iterable[Judged]) -> int:
    """Append results to a store and return how many; a file that is not there is begun with the header.

    Each result is on disk before the next one is asked for, so that a run that is broken off keeps what it has.

    Raises:
        ResultsError: the file is no store, is of another version, suite or node, or ends within a line.
    """
    with _opened(path, head) as file:
        count = 0
        for result in results:
            stored = {'record': result.record.model_dump(), 'findings': [f.model_dump() for f in result.findings]}
            if result.problem is not None:
                stored['problem'] = result.problem
            file.write(_line(stored))
            file.flush()
            count += 1
    return count


@contextmanager
def _opened(path: Path, head: Header) -> Iterator[IO[bytes]]:
    if path.exists():
        found = _header(path)
        for key in ('suite', 'node'):
            if getattr(found, key) != getattr(head, key):
                message = f'this store is of another {key} ({getattr(found, key)}): write to a new file'
                raise ResultsError(path, 1, message)
        _check_end(path)
    with path.open('ab') as file:
        if file.tell() == 0:
            file.write(_line(head.model_dump(mode='json')))
            file.flush()
        yield file


def _check_end(path: Path) -> None:
    with path.open('rb') as file:
        file.seek(-1, 2)
        if file.read(1) != b'\n':
            lines = path.read_bytes().count(b'\n') + 1
            raise ResultsError(path, lines, _CUT_OFF)


def _line(value: Any) -> bytes:
    # ASCII only: a model can write half of a surrogate pair, which JSON can escape and UTF-8 cannot hold.
    return json.dumps(json_safe(value), allow_nan=False, separators=(',', ':')).encode('ascii') + b'\n'


def read(path: Path) -> tuple[Header, Iterator[StoredResult]]:
    """Return the header of a store and its results, which are read one by one while they are asked for.

    Raises:
        ResultsError: the file cannot be read, is no store, or is of another version; while the results are asked for
            also: a line is cut off or is no result.
    """
    return _header(path), _results(path)


def _header(path: Path) -> Header:
    with closing(_lines(path)) as lines:
        number, first = next(lines, (1, b''))
    if not first:
        raise ResultsError(path, number, 'the file is empty, so it is no results store')
    value = _parsed(path, number, first)
    if not isinstance(value, dict) or value.get('kind') != Header.model_fields['kind'].default:
        raise ResultsError(path, number, 'this is no results store: its first line is no header')
    if value.get('version') != RESULTS_VERSION:
        message = f'the store is of version {value.get("version")!r}, and this program reads version {RESULTS_VERSION}'
        raise ResultsError(path, number, message)
    return _validated(Header, path, number, value)


def _results(path: Path) -> Iterator[StoredResult]:
    with closing(_lines(path)) as lines:
        for number, line in lines:
            if number > 1:
                yield _validated(StoredResult, path, number, _parsed(path, number, line))


_CUT_OFF: Final = 'the line is cut off, as by a run that was broken off: take the line out to go on'


def _lines(path: Path) -> Generator[tuple[int, bytes], None, None]:
    try:
        with path.open('rb') as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise ResultsError(path, number, f'the line is longer than {MAX_LINE:,} bytes')
                if not line.endswith(b'\n'):
                    raise ResultsError(path, number, _CUT_OFF)
                yield number, line
    except OSError as error:
        raise ResultsError(path, 1, f'the file cannot be read: {error.strerror or error}') from None


def _parsed(path: Path, number: int, line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ResultsError(path, number, f'this is not JSON: {error}') from None


def _no_constant(name: str) -> None:
    raise ValueError(f'{name} is no number')


def _validated(kind: type[_Stored], path: Path, number: int, value: Any) -> _Stored:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first['loc'] == ('record', 'version'):
            message = f'the run record is of another version, and this program reads version {RECORD_VERSION}'
        else:
            message = f'{key_path(first["loc"]) or "the line"}: {first["msg"]}'
        raise ResultsError(path, number, message) from None
