"""From a scenario and a node to records and results: scripted, replayed, recorded and live runs go this one way."""

from __future__ import annotations

import contextlib
import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from harness.expect import Finding, findings
from harness.record import Frozen, RunRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.engine.connected import ModelSide
    from harness.engine.node import Node
    from harness.engine.pipeline import Pipe
    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile


class Result(Frozen):
    """One judged run.

    `problem` says why the run says nothing about the node: its replay drifted, recorded turns were left over, or
    nothing is recorded. There are no findings then.
    """

    record: RunRecord
    findings: tuple[Finding, ...] = ()
    problem: str | None = None


def run_scenario(
    file: ScenarioFile, node: Node, *, client: ModelSide | None = None, model: str | None = None
) -> tuple[RunRecord, ...]:
    """Run a scenario on a node and return its records, one for each of its runs.

    All runs ask the same question object of the same node object in the same pipe; the scripts begin anew with each.
    `client` is the model side of every agent that has no script of its own, without it the scenario's script is;
    `model` is the name that the records give to it. What the node raises stands in the record.

    Raises:
        ValueError: the model side is recorded, and there is no client.
        ToolsError: the scenario's Python tools cannot be had.
        Drift, NotRecorded: the client replays, and a request is not the recorded one. So is any other failure of the
            client that is no ModelError.
    """
    records, fault = _play(file, node, client, model)
    if fault is not None:
        raise fault
    return records


def replay(file: ScenarioFile, node: Node, cassettes: Path, model: str | None = None) -> list[Result]:
    """Run a scenario with every model side it has and judge the records: its script, or each of its cassettes.

    With `model` only the cassette of this model is replayed. A recorded scenario without a cassette gives one result
    with a problem.

    Raises:
        ToolsError: the scenario's Python tools cannot be had.
        CassetteError: a file among the cassettes has a name that no model can have.
    """
    scenario = file.scenario
    if scenario.model is not None:
        return _judged(scenario, run_scenario(file, node))
    from harness.cassette import cassettes_of

    paths = cassettes_of(cassettes, scenario.id)
    if model is not None:
        paths = {name: path for name, path in paths.items() if name == model}
    if not paths:
        problem = (
            f'{cassettes / scenario.id}: there is no cassette, and the scenario has no script: record one with '
            f'`react-harness record {scenario.id} --model NAME --base-url URL`'
        )
        return [Result(record=_empty(scenario, node), problem=problem)]
    return [result for model, path in paths.items() for result in _replayed(file, node, model, path)]


def _replayed(file: ScenarioFile, node: Node, model: str, path: Path) -> list[Result]:
    from harness.cassette import CassetteError, Drift, NotRecorded, replaying
    from harness.llm import ChatClient
    from harness.options import options_of

    records: tuple[RunRecord, ...] = ()
    problem = None
    try:
        with replaying(path, lambda: options_of(file, node, path.parent.parent)) as tape:
            records, fault = _play(file, node, ChatClient(tape.spec, tape.http), model)
            if fault is not None:
                raise fault
            tape.finish()
    except (Drift, NotRecorded, CassetteError) as error:
        problem = str(error)
    if problem is not None:
        return [Result(record=record, problem=problem) for record in records or (_empty(file.scenario, node, model),)]
    return _judged(file.scenario, records)


def _judged(scenario: Scenario, records: Sequence[RunRecord]) -> list[Result]:
    return [
        Result(record=record, findings=findings(scenario, record, records[:number]))
        for number, record in enumerate(records)
    ]


def _empty(scenario: Scenario, node: Node, model: str | None = None) -> RunRecord:
    return RunRecord(scenario=scenario.id, node=node.name, model=model, face=scenario.face)


def _play(
    file: ScenarioFile, node: Node, client: ModelSide | None, model: str | None
) -> tuple[tuple[RunRecord, ...], Exception | None]:
    """Run all runs of a scenario; return the records, up to a fault of the harness or of the recording, and that."""
    from harness.engine.pipeline import Pipeline
    from harness.engine.question import question_of

    scenario = file.scenario
    pipeline = Pipeline(node, scenario, client=client, folder=file.path.parent)
    question = question_of(scenario.question)

    def run(pipe: Pipe, epoch: int) -> RunRecord:
        if scenario.open_mode == 'config':
            outcome = pipe.configure()
        elif scenario.face == 'lane':
            outcome = pipe.ask(question)
        else:
            outcome = pipe.call_tool(copy.deepcopy(scenario.input))
        return pipe.recorder.record(
            scenario=scenario.id,
            node=node.name,
            model=model,
            epoch=epoch,
            face=scenario.face,
            payload=outcome.payload,
            raised=outcome.raised,
        )

    records: list[RunRecord] = []
    fault: Exception | None = None
    try:
        if scenario.at_once:
            records, fault = _at_once([pipeline.pipe() for _ in range(scenario.runs)], run)
        else:
            pipe = pipeline.pipe()
            for epoch in range(1, scenario.runs + 1):
                records.append(run(pipe, epoch))
                fault = pipe.recorder.fault
                if fault is not None:
                    break
    finally:
        late = pipeline.close()
    if fault is None and late is not None and records[-1].raised is None:
        records[-1] = records[-1].model_copy(update={'raised': late})
    return tuple(records), fault


_MEETING_S = 2.0


def _at_once(pipes: Sequence[Pipe], run: Callable[[Pipe, int], RunRecord]) -> tuple[list[RunRecord], Exception | None]:
    """Make one run in each pipe, all at the same time: before each LLM call they wait for each other.

    A run that ends lets the others go on alone.
    """
    meeting = threading.Barrier(len(pipes))

    def meet() -> None:
        with contextlib.suppress(threading.BrokenBarrierError):
            meeting.wait(_MEETING_S)

    def one(number: int) -> RunRecord:
        try:
            return run(pipes[number], number + 1)
        finally:
            meeting.abort()

    for pipe in pipes:
        pipe.meet = meet
    with ThreadPoolExecutor(len(pipes)) as threads:
        records = list(threads.map(one, range(len(pipes))))
    return records, next((pipe.recorder.fault for pipe in pipes if pipe.recorder.fault is not None), None)
