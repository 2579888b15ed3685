"""The pytest plugin: scenario files are collected as tests, one item for each model side of a scenario.

A scenario file is a `.yaml` file whose first line names `scenario.schema.json`. Until the first one is collected, this
module is all that is imported of the harness.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from harness.engine.node import Node
    from harness.engine.threads import TimeLimit
    from harness.scenario.loading import ScenarioFile
    from harness.show.console import Line
    from harness.show.summary import Judged

_FIRST_LINE = b'# yaml-language-server: $schema='
_SCHEMA = b'scenario.schema.json'
_node = pytest.StashKey[Any]()
_status = pytest.StashKey[int]()
_limit = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all prefixed."""
    group = parser.getgroup('react', 'ReAct scenarios (react-harness)')
    group.addoption(
        '--react-node',
        metavar='PATH_OR_MODULE',
        default='agent_llamaindex',
        help='the node that scenarios run: its folder, or an importable package (default: %(default)s); '
        'write a folder behind =, for pytest looks for its rootdir in separate ones',
    )
    group.addoption(
        '--react-time-limit',
        metavar='SECONDS',
        type=float,
        default=30.0,
        help='stop a node that takes longer for one scenario (default: %(default)s); 0 is for debuggers: no limit, the '
        'node in the main thread',
    )
    group.addoption(
        '--react-cassettes',
        metavar='DIR',
        type=Path,
        help='the folder of the cassettes (default: `cassettes` beside the folder of the scenarios)',
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker of the items."""
    if config.getoption('--react-time-limit') < 0:
        raise pytest.UsageError('--react-time-limit takes a number of seconds, not less than 0')
    config.addinivalue_line('markers', 'react(id, family, level, model): a scenario; set by react-harness itself')


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process where a thread that a node left would keep it from ending; everything is reported by then."""
    threads = sys.modules.get('harness.engine.threads')
    if threads is not None and not hasattr(config, 'workerinput'):
        threads.leave(config.stash.get(_status, 0))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep how the session ends."""
    session.config.stash[_status] = int(exitstatus)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect scenario files, known by their first line."""
    if file_path.suffix != '.yaml' or not _is_scenario(file_path):
        return None
    nodeid = None
    if not str(file_path).isprintable():  # pytest shows the id of a node as it is
        from harness.show.visible import one_line

        nodeid = one_line(os.path.relpath(file_path, parent.config.rootpath))
    return ScenarioCollector.from_parent(parent, path=file_path, nodeid=nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Mask the output and the log that pytest captured of a scenario."""
    report = yield
    if isinstance(item, ScenarioItem) and report.sections:
        from harness.secrets import Guard

        guard = Guard.of_environment()
        report.sections = [(name, guard.mask(text)) for name, text in report.sections]
    return report


def _is_scenario(path: Path) -> bool:
    try:
        with path.open('rb') as file:
            line = file.readline(500).removeprefix(b'\xef\xbb\xbf').rstrip()
    except OSError:
        return False
    return line.startswith(_FIRST_LINE) and line.endswith(_SCHEMA)


class ScenarioCollector(pytest.File):
    """One scenario file."""

    def collect(self) -> Iterable[ScenarioItem]:
        """Give one item for a scripted scenario, one for each recording of a model else.

        Raises:
            CollectError: with every problem of the file, a line each.
        """
        from harness.cassette import CassetteError, cassettes_of
        from harness.scenario.loading import load_all
        from harness.secrets import Guard
        from harness.show.visible import one_line
        from harness.suite import cassettes_folder, shown_path

        files, problems = load_all([shown_path(self.path)])
        if problems:
            text = '\n'.join(one_line(str(problem)) for problem in problems)
            raise self.CollectError(Guard.of_environment().mask(text))
        (file,) = files
        folder = cassettes_folder(self.config.getoption('--react-cassettes'), self.path.parent.parent)
        sides: list[tuple[str, int, bool] | None] = [None]
        if file.scenario.model is None:
            try:
                places = cassettes_of(folder, file.scenario.id)
            except CassetteError as error:
                raise self.CollectError(one_line(str(error))) from error
            sides = [(place.model, place.epoch, place.epoch_of_several) for place in places] or [None]
        for side in sides:
            model, epoch, several = side or (None, None, False)
            shown = f'{model}:{epoch}' if several else model
            name = file.scenario.id if model is None else f'{file.scenario.id}[{shown}]'
            yield ScenarioItem.from_parent(self, name=name, file=file, model=model, epoch=epoch, cassettes=folder)


class ScenarioItem(pytest.Item):
    """One model side of a scenario, replayed and judged."""

    def __init__(
        self, *, file: ScenarioFile, model: str | None, epoch: int | None, cassettes: Path, **more: Any
    ) -> None:
        super().__init__(**more)
        self.file = file
        self.model = model
        self.epoch = epoch
        self.cassettes = cassettes
        scenario = file.scenario
        self.extra_keyword_matches |= {scenario.id, scenario.family}
        self.add_marker(
            pytest.mark.react(id=scenario.id, family=scenario.family, level=scenario.level, model=model or '')
        )

    def runtest(self) -> None:
        """Replay the scenario.

        Raises:
            NotMet: an expectation does not hold, or the recording does not fit.
        """
        from harness.run import replay
        from harness.secrets.stream import masked_console
        from harness.suite import judge

        node, limit = _loaded_node(self.config), _time_limit(self.config)
        with masked_console():
            runs = judge(self.file, replay(self.file, node, self.cassettes, self.model, limit, self.epoch))
        failed = [run for run in runs if not run.outcome.met]
        if failed:
            raise NotMet(failed)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show findings as the command line does, and what a user can correct without a traceback."""
        from harness.engine.node import NodeError
        from harness.engine.platform import PlatformError
        from harness.engine.script import ToolsError
        from harness.secrets import Guard
        from harness.show.visible import one_line, visible

        error = excinfo.value
        if isinstance(error, NotMet):
            return Failed(list(_lines(error.runs, bool(self.config.option.verbose))), _crash(error.runs[0]))
        guard = Guard.of_environment()
        if isinstance(error, NodeError | PlatformError | ToolsError):
            text = guard.mask(str(error))
            return Failed([_line(visible(text))], Crash(str(self.path), 1, one_line(text)))
        shown = super().repr_failure(excinfo, style)
        clean = guard.mask(str(shown))
        return shown if clean == str(shown) else clean

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line of the scenario's id (from 0) and the name."""
        return self.path, self.file.where(('id',))[0] - 1, self.name


class NotMet(Exception):  # noqa: N818 (named by the fact)
    """Runs of a scenario that did not meet its expectations."""

    def __init__(self, runs: list[Judged]) -> None:
        super().__init__('; '.join(_crash(run).message for run in runs))
        self.runs = runs


class Crash(NamedTuple):
    """The place and the reason of a failure in one line, as pytest's summaries ask for it."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        return f'{self.path}:{self.lineno}: {self.message}'


class Failed:
    """A failure as pytest shows it: lines with their styles, and one line for the summary."""

    def __init__(self, lines: list[Line], crash: Crash) -> None:
        self.lines = lines
        self.reprcrash = crash

    def __str__(self) -> str:
        return '\n'.join(line.text for line in self.lines)

    def toterminal(self, tw: Any) -> None:
        """Write the lines, coloured where the terminal has colours."""
        from harness.show.console import COLOURS

        for line in self.lines:
            tw.line(line.text, **dict.fromkeys(COLOURS[line.style], True))


def _loaded_node(config: pytest.Config) -> Node:
    """Load the node once a session; what went wrong is told by each item that needs it."""
    from harness.engine.node import load_node

    if _node not in config.stash:
        try:
            config.stash[_node] = load_node(config.getoption('--react-node'), _time_limit(config).imports)
        except Exception as error:
            config.stash[_node] = error
    found = config.stash[_node]
    if isinstance(found, Exception):
        raise found
    node: Node = found
    return node


def _time_limit(config: pytest.Config) -> TimeLimit:
    """Return the one time limit of a session."""
    from harness.engine.threads import TimeLimit

    if _limit not in config.stash:
        config.stash[_limit] = TimeLimit(config.getoption('--react-time-limit'))
    limit: TimeLimit = config.stash[_limit]
    return limit


def _lines(runs: list[Judged], verbose: bool) -> Iterator[Line]:
    from harness.show.console import failed_run

    for run in runs:
        yield from failed_run(run, verbose)


def _line(text: str) -> Line:
    from harness.show.console import Line

    return Line(text, 'bad')


def _crash(run: Judged) -> Crash:
    from harness.show.visible import one_line

    outcome = run.outcome
    if not outcome.findings:
        return Crash(outcome.path, 1, one_line(outcome.problem.partition('\n')[0]))
    first = outcome.findings[0]
    more = f' (and {len(outcome.findings) - 1} more)' if len(outcome.findings) > 1 else ''
    return Crash(first.path, first.line, f'{one_line(first.message)}{more}')
