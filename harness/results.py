"""The results store: judged runs as JSON lines, written in the order of the runs and never changed afterwards."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import metadata
from platform import python_version
from typing import IO, TYPE_CHECKING, Any, Final, Literal

from pydantic import AwareDatetime, Field

from harness.digest import node_digest, node_files, suite_digest
from harness.expect.finding import Finding  # noqa: TC001 (pydantic reads it)
from harness.gate.change import Level  # noqa: TC001 (pydantic reads it)
from harness.jsonlines import Format, LineError, line_of
from harness.record import Frozen, RunRecord
from harness.secrets import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile

RESULTS_VERSION: Final = 3
_DIGEST: Final = r'^[0-9a-f]{64}$'
_LIBRARIES: Final = ('react-harness', 'llama-index-core', 'rocketride')


class Header(Frozen):
    """The first line of a store: what was run, on which node, and when."""

    kind: Literal['react-harness results'] = 'react-harness results'
    version: Literal[3] = RESULTS_VERSION
    suite: str = Field(pattern=_DIGEST, description='The digest of the scenarios, see `suite_digest`.')
    node: str = Field(description='The name of the node that was run.')
    node_digest: str = Field(pattern=_DIGEST, description='The digest of the files of the node.')
    node_files: dict[str, str] = Field(default_factory=dict, description='The files of the node with their digests.')
    platform: str = Field(description='The engine side: the stand-in, or the real rocketlib.')
    versions: dict[str, str] = Field(
        default_factory=dict, description='The versions of Python, of the harness, and of libraries that nodes share.'
    )
    created: AwareDatetime = Field(description='When the store was begun, in UTC.')


class StoredResult(Frozen):
    """One judged run: the record, the findings, and why the run says nothing about the node where it does not."""

    record: RunRecord
    family: str = Field(description='The family of the scenario.')
    task_family: str | None = Field(
        default=None, description='The family of its task, which figures are told for; null: its task has none.'
    )
    level: Level = Field(description='The level of the scenario.')
    solved: bool | None = Field(
        default=None, description='Whether the model solved the task; null: there is no task, or no model.'
    )
    needs_tool: bool | None = Field(default=None, description='Whether the task needs a tool; null: there is no task.')
    asked: str = Field(pattern=_DIGEST, description='The digest of what the scenario asks, see `asked_digest`.')
    expected: str = Field(pattern=_DIGEST, description='The digest of what it expects, see `expected_digest`.')
    cassette: str | None = Field(
        default=None, pattern=_DIGEST, description='The digest of the cassette; null where none was replayed.'
    )
    findings: tuple[Finding, ...] = ()
    problem: str | None = None


class ResultsError(LineError):
    """A results store cannot be used; the message says which line and why."""


RESULTS: Final = Format(
    name='results store',
    header=Header,
    entry=StoredResult,
    error=ResultsError,
    anew='write a new one with `react-harness run --results FILE`',
    others=((('record', 'version'), 'run record'),),
)


def header(files: Iterable[ScenarioFile], node: Node, platform: str) -> Header:
    """Make the header of a new store; `platform` is the name of the engine side."""
    found = node_files(node)
    versions = {'python': python_version()}
    for name in _LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return Header(
        suite=suite_digest(files),
        node=node.name,
        node_digest=node_digest(found),
        node_files=found,
        platform=platform,
        versions=versions,
        created=datetime.now(UTC),
    )


def write(path: Path, head: Header, results: Iterable[StoredResult]) -> int:
    """Append results to a store and return how many; a file that is not there is begun with the header.

    Each result is on disk before the next one is asked for, so that a run that is broken off keeps what it has.

    Raises:
        ResultsError: the file is no store, is of another version, suite, node, platform or versions, or ends within a
            line.
        SecretFound: a result looks like it holds a key although it was masked; it was not written, those before it are.
    """
    guard = Guard.of_environment()
    with _opened(path, head) as file:
        count = 0
        for result in results:
            optional = ('cassette', 'problem', 'solved', 'needs_tool', 'task_family')
            left_out = {key for key in optional if getattr(result, key) is None}
            where = f'{path}: the run of {result.record.scenario}'
            file.write(_clean(result.model_dump(exclude=left_out), guard, where))
            file.flush()
            count += 1
    return count


def _clean(value: dict[str, Any], guard: Guard, where: str) -> bytes:
    line = line_of(value)
    if guard.find_bytes(line):
        value = guard.masked(value)
        guard.check_value(value, where)
        line = line_of(value)
        guard.check(line.decode('ascii'), where)
    return line


@contextmanager
def _opened(path: Path, head: Header) -> Iterator[IO[bytes]]:
    if path.exists():
        found = RESULTS.read_header(path)
        for key in ('suite', 'node', 'platform'):
            if getattr(found, key) != getattr(head, key):
                message = f'this store is of another {key} ({getattr(found, key)}): write to a new file'
                raise ResultsError(path, 1, message)
        if found.node_digest != head.node_digest:
            raise ResultsError(path, 1, 'this store is of an earlier state of the node: write to a new file')
        if found.versions != head.versions:
            raise ResultsError(path, 1, 'this store is of other versions of Python or libraries: write to a new file')
        RESULTS.check_end(path)
    with path.open('ab') as file:
        if file.tell() == 0:
            file.write(line_of(head.model_dump(mode='json')))
            file.flush()
        yield file


def read(path: Path) -> tuple[Header, Iterator[StoredResult]]:
    """Return the header of a store and its results, which are read one by one while they are asked for.

    Raises:
        ResultsError: the file cannot be read, is no store, or is of another version; while the results are asked for
            also: a line is cut off or is no result.
    """
    return RESULTS.read_header(path), (entry for _, entry in RESULTS.entries(path))
