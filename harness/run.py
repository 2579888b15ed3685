"""From a scenario and a node to records and results: scripted, replayed, recorded and live runs go this one way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.expect import Finding, findings, was_cut_short
from harness.record import Frozen, RunRecord

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.cassette import Place
    from harness.engine.connected import ModelSide
    from harness.engine.node import Node
    from harness.engine.threads import TimeLimit
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
    file: ScenarioFile, node: Node, *, client: ModelSide | None = None, model: str | None = None, limit_s: float = 0
) -> tuple[RunRecord, ...]:
    """Run a scenario on a node and return its records, one for each of its runs.

    All runs ask the same question object of the same node object in the same pipe; the scripts begin anew with each.
    `client` is the model side of every agent that has no script of its own, without it the scenario's script is;
    `model` is the name that the records give to it. What the node raises stands in the record. After `limit_s` seconds
    the node is stopped, and the record says so; without a limit it works in the calling thread.

    Raises:
        ValueError: the model side is recorded, and there is no client.
        ToolsError: the scenario's Python tools cannot be had.
        Drift, NotRecorded: the client replays, and a request is not the recorded one. So is any other failure of the
            client that is no ModelError.
    """
    records, fault = _play(file, node, client, model, limit_s)
    if fault is not None:
        raise fault
    return records


def replay(
    file: ScenarioFile,
    node: Node,
    cassettes: Path,
    model: str | None = None,
    limit: TimeLimit | None = None,
    epoch: int | None = None,
) -> list[Result]:
    """Run a scenario with every model side it has and judge the records: its script, or each of its cassettes.

    With `model` only the cassettes of this model are replayed, with `epoch` only those of this epoch. A recorded
    scenario without a cassette gives one result with a problem, and so does each recording that is planned (the file
    `models.yaml` among the cassettes) and not there. `limit` says how long the scenario may take with one model side
    (30 seconds where it is not given); one limit for many scenarios learns that a node always hangs.

    Raises:
        ToolsError: the scenario's Python tools cannot be had.
        CassetteError: a file among the cassettes has a name that no model can have.
        FileError: `models.yaml` is broken.
    """
    from harness.engine.threads import TimeLimit
    from harness.play import rehearse

    scenario = file.scenario
    limit = limit or TimeLimit()
    rehearse(node, limit)
    if scenario.model is not None:
        records, fault = _play(file, node, None, None, limit.of(scenario.time_limit_s))
        if fault is not None:
            raise fault
        return _judged(scenario, records, limit)
    from harness.cassette import cassettes_of

    places = [
        place
        for place in cassettes_of(cassettes, scenario.id)
        if model in (None, place.model) and epoch in (None, place.epoch)
    ]
    missing = _missing(file, cassettes, model, epoch)
    if not places and not missing:
        problem = (
            f'{cassettes / scenario.id}: there is no cassette, and the scenario has no script: record one with '
            f'`react-harness record {scenario.id} --model NAME --base-url URL`'
        )
        return [Result(record=_empty(scenario, node), problem=problem)]
    results = [result for place in places for result in _replayed(file, node, place, limit)]
    for name, number in missing:
        record = _empty(scenario, node, name).model_copy(update={'epoch': (number - 1) * scenario.runs + 1})
        problem = f'planned, and not recorded: react-harness record {scenario.id} --model {name}'
        results.append(Result(record=record, problem=problem))
    return results


def _missing(file: ScenarioFile, cassettes: Path, model: str | None, epoch: int | None) -> list[tuple[str, int]]:
    """Return the models and epochs that the plan of a folder of cassettes names and nobody recorded."""
    from harness.cassette import kept_path
    from harness.matrix.models import models_of

    models = models_of(cassettes)
    return [
        (entry.name, number)
        for entry, number in (models.planned(file.scenario) if models is not None else ())
        if model in (None, entry.name)
        and epoch in (None, number)
        and not kept_path(cassettes, file.scenario.id, entry.name, number).exists()
    ]


def _replayed(file: ScenarioFile, node: Node, place: Place, limit: TimeLimit) -> list[Result]:
    from harness.cassette import CassetteError, Drift, NotRecorded, replaying
    from harness.llm import ChatClient
    from harness.options import options_of

    records: tuple[RunRecord, ...] = ()
    problem = None
    try:
        with replaying(place.path, lambda: options_of(file, node, place.root)) as tape:
            limit_s = limit.of(file.scenario.time_limit_s)
            records, fault = _play(file, node, ChatClient(tape.spec, tape.http), place.model, limit_s)
            if fault is not None:
                raise fault
            if not any(was_cut_short(file.scenario, record) for record in records):
                tape.finish()
    except (Drift, NotRecorded, CassetteError) as error:
        problem = str(error)
    # The epochs go on counting where a scenario asks several times.
    before = (place.epoch - 1) * file.scenario.runs
    records = records or (_empty(file.scenario, node, place.model),)
    if before:
        records = tuple(record.model_copy(update={'epoch': before + record.epoch}) for record in records)
    if problem is not None:
        return [Result(record=record, problem=problem) for record in records]
    return _judged(file.scenario, records, limit)


def _judged(scenario: Scenario, records: Sequence[RunRecord], limit: TimeLimit) -> list[Result]:
    from harness.play import ended_in_time

    if not ended_in_time(records):
        limit.ran_out()
    return [
        Result(record=record, findings=findings(scenario, record, records[:number]))
        for number, record in enumerate(records)
    ]


def _empty(scenario: Scenario, node: Node, model: str | None = None) -> RunRecord:
    return RunRecord(scenario=scenario.id, node=node.name, model=model, face=scenario.face)


def _play(
    file: ScenarioFile, node: Node, client: ModelSide | None, model: str | None, limit_s: float
) -> tuple[tuple[RunRecord, ...], Exception | None]:
    """Run all runs of a scenario; return the records, up to a fault of the harness or of the recording, and that."""
    from harness.play import Play

    records, fault = Play(file.scenario, node, client=client, model=model, folder=file.path.parent).go(limit_s)
    asked = _parameters(client)
    return tuple(item.model_copy(update={'parameters': asked}) for item in records) if asked else records, fault


def _parameters(client: ModelSide | None) -> dict[str, float | int | str]:
    spec = getattr(client, 'spec', None)
    given = {'temperature': getattr(spec, 'temperature', None), 'max_tokens': getattr(spec, 'max_tokens', None)}
    return {key: value for key, value in given.items() if value is not None}
