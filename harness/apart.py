"""Scenarios in a process of their own: a node that takes its process down costs one scenario, not the run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.record import RunRecord, Stopped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

    from harness.engine.threads import TimeLimit
    from harness.gate.verdict import Gate
    from harness.run import Result
    from harness.scenario.loading import ScenarioFile
    from harness.show.summary import Judged

_SPARE_S: Final = 5.0
"""How much longer than the limit the process may be silent: it stops what can be stopped by itself."""


def judged_runs(
    files: Sequence[ScenarioFile], node: str, cassettes: Path, gate: Gate, limit: TimeLimit
) -> Iterator[tuple[ScenarioFile, list[Judged]]]:
    """Replay scenarios one after the other, in another process, and yield each with its runs.

    A process that ends or is silent for too long is replaced; the scenario it was at gets a finding. So is one in which
    a scenario ran out of time, or left threads. `node` is the reference of the node, which is never imported here.

    Raises:
        NodeError: the node cannot be loaded.
        ToolsError: the Python tools of a scenario cannot be had.
        CassetteError: a cassette has a name that no model can have.
    """
    from harness.suite import judge

    rest = list(files)
    while rest:
        done = 0
        with _Worker(rest, node, cassettes, limit) as worker:
            for file, results in worker.results():
                done += 1
                yield file, judge(file, results, gate)
        rest = rest[done:]


class _Lost(Exception):  # noqa: N818 (named by the fact)
    """The process says nothing any more; the text says why."""


class _Worker:
    """One process that works on scenarios until they are done or it is of no more use."""

    def __init__(self, files: Sequence[ScenarioFile], node: str, cassettes: Path, limit: TimeLimit) -> None:
        self._files, self._node, self._cassettes, self._limit = list(files), node, cassettes, limit

    def __enter__(self) -> _Worker:
        context = multiprocessing.get_context('spawn')
        self._here, there = context.Pipe()
        paths = [str(file.path) for file in self._files]
        given = (there, paths, self._node, str(self._cassettes), self._limit.seconds)
        self._process = context.Process(target=_work, args=given, daemon=True)
        self._process.start()
        there.close()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()
        self._here.close()

    def results(self) -> Iterator[tuple[ScenarioFile, list[Result]]]:
        """Yield each scenario with its results, up to one at which the process was lost or made unfit for more."""
        try:
            self._told(self._limit.imports)
        except _Lost as lost:
            from harness.engine.node import NodeError

            raise NodeError(f'{self._node}: the node does not import: it {lost}') from None
        seconds = self._limit.imports
        for file in self._files:
            sides = _sides(file, self._cassettes)
            try:
                results, fit = self._told(seconds + self._limit.seconds * len(sides))
            except _Lost as lost:
                yield file, [_lost(file, self._node, side, str(lost)) for side in sides]
                return
            yield file, results
            if not fit:
                return
            seconds = 0

    def _told(self, seconds: float) -> Any:
        """Return what the process says next; what it raised is raised here."""
        if not wait([self._here, self._process.sentinel], seconds + _SPARE_S if seconds else None):
            raise _Lost(f'did not end within {seconds:g} s and could not be stopped')
        try:
            if not self._here.poll():  # nothing was said: it is the process that ended
                raise EOFError
            told = self._here.recv()
        except (EOFError, OSError):
            self._process.join()
            raise _Lost(f'ended the process {end_of(self._process.exitcode)}') from None
        if isinstance(told, Exception):
            raise told
        return told


def end_of(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f'with the signal {signal.Signals(-code).name}'
    return f'with the exit code {code}'


def _sides(file: ScenarioFile, cassettes: Path) -> list[tuple[str, int] | None]:
    """Return the model sides of a scenario: None for its script, or the models and epochs of its recordings."""
    from harness.cassette import cassettes_of

    if file.scenario.model is not None:
        return [None]
    return [(place.model, place.epoch) for place in cassettes_of(cassettes, file.scenario.id)] or [None]


def _lost(file: ScenarioFile, node: str, side: tuple[str, int] | None, why: str) -> Result:
    from harness.engine.node import located
    from harness.expect import findings
    from harness.run import Result

    record = RunRecord(
        scenario=file.scenario.id,
        node=located(node).name,
        model=side[0] if side is not None else None,
        epoch=side[1] if side is not None else 1,
        face=file.scenario.face,
        stopped=Stopped(kind='exit', message=why),
    )
    return Result(record=record, findings=findings(file.scenario, record))


# ------------------------------------------------------------------------------------------------- the other process


def _work(there: Connection, paths: list[str], node: str, cassettes: str, limit_s: float) -> None:
    """Replay scenarios, send the results of each, and say whether the process can go on."""
    from harness.engine.node import load_node
    from harness.engine.threads import TimeLimit, lingering
    from harness.play import ended_in_time
    from harness.run import replay
    from harness.scenario.loading import load_scenario
    from harness.secrets.stream import masked_console

    os.dup2(2, 1)  # what is printed outside of scenarios belongs to no output of ours
    limit = TimeLimit(limit_s)
    try:
        with masked_console():
            loaded = load_node(node, limit.imports)
            there.send(None)
            for path in paths:
                results = replay(load_scenario(Path(path)), loaded, Path(cassettes), limit=limit)
                there.send((results, ended_in_time([result.record for result in results]) and not lingering()))
    except Exception as error:
        there.send(portable(error))


def portable(error: Exception) -> Exception:
    """Return an exception that another process can read."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    except Exception:
        return RuntimeError(f'{type(error).__name__}: {error}')
    return error
