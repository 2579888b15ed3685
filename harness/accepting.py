"""Accepting drifts: a scenario replayed although it asks something else, its recorded answers kept for what it asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cassette import CassetteError, Drift, Tape, cassette_path, cassettes_of, place_of
from harness.cassette.accept import Accepting
from harness.engine.script import ToolsError
from harness.engine.threads import TimeLimit
from harness.llm import ChatClient
from harness.options import options_of
from harness.play import rehearse
from harness.record import Frozen
from harness.run import run_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from harness.cassette import Place
    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile


class NotAccepted(Exception):  # noqa: N818 (named by the fact)
    """The drift of a recording cannot be accepted; the cassette is as it was."""


class Accepted(Frozen):
    """What was accepted of one recording: the differences of each turn that drifted, as texts, by turn, from 1.

    `written` is false where only a look was asked for, or where nothing differs.
    """

    scenario: str
    model: str
    epoch: int
    path: str
    turns: dict[int, tuple[str, ...]]
    written: bool


def recordings_of(cassettes: Path, scenario_id: str, model: str) -> list[Place]:
    """Return the recordings of a scenario with a model: all epochs; the place where one should be, if there is none.

    Raises:
        CassetteError: a name does not fit a path.
    """
    there = [place for place in cassettes_of(cassettes, scenario_id) if place.model == model]
    return there or [place_of(cassette_path(cassettes, scenario_id, model))]


def accept_drift(
    file: ScenarioFile, node: Node, place: Place, *, reason: str, date: str, write: bool = True
) -> Accepted:
    """Let the requests that a scenario makes now take the place of the recorded ones; its answers stay as they were.

    The scenario is replayed twice: a request that differs between the two cannot be accepted, it would drift again.

    Raises:
        NotAccepted: the node asks more or fewer times than was recorded, asks something else each time, or fails the
            harness; there is no such cassette, or it cannot be written.
    """
    try:
        limit = TimeLimit()
        rehearse(node, limit)
        limit_s = limit.of(file.scenario.time_limit_s)
        deck, again = (_replayed(file, node, place, limit_s) for _ in range(2))
        for turn, (one, other) in enumerate(zip(deck.requests, again.requests, strict=True), 1):
            for difference in one.asked.differences(other.asked):
                raise NotAccepted(f'the request of turn {turn} is another one each time: {difference}')
        changes = deck.changes()
        if changes and write:
            deck.accept(reason, date)
    except (CassetteError, Drift, ToolsError, OSError) as error:
        raise NotAccepted(str(error)) from error
    return Accepted(
        scenario=file.scenario.id,
        model=place.model,
        epoch=place.epoch,
        path=str(place.path),
        turns={turn: tuple(map(str, differences)) for turn, differences in changes.items()},
        written=bool(changes) and write,
    )


def _replayed(file: ScenarioFile, node: Node, place: Place, limit_s: float) -> Accepting:
    deck = Accepting(place.path, lambda: options_of(file, node, place.root))
    with Tape(deck) as tape:
        records = run_scenario(file, node, client=ChatClient(tape.spec, tape.http), model=place.model, limit_s=limit_s)
        for record in records:
            if record.stopped is not None:
                raise NotAccepted(f'the replay did not end: {record.stopped.message}')
        tape.finish()
    if deck.drift is not None:
        raise deck.drift
    return deck
