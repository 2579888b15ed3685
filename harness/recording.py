"""Recording: a scenario run against a live model, its cassette written, and what came out of it."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.cassette import CassetteError, recording
from harness.engine.script import ToolsError
from harness.llm import ChatClient, ModelSpec
from harness.record import Frozen, RunRecord
from harness.run import run_scenario
from harness.scenario.loading import ScenarioFile, UsageError
from harness.secrets import Guard, Known
from harness.show.summary import answer_of, stop_reason_of
from harness.task import solved

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import httpx

    from harness.engine.node import Node

_OF_THE_REQUEST = ('BadRequestError', 'UnprocessableEntityError')
"""Errors that the same request gives again: they belong to what a model does, as a prompt that is too long does."""


class RecordingFailed(Exception):  # noqa: N818 (named by the fact)
    """The model could not be recorded; no cassette was written, and an earlier one is as it was.

    `error` is the class of the model's failure, empty where something else failed.
    """

    def __init__(self, reason: str, error: str = '') -> None:
        super().__init__(reason)
        self.error = error


class Recorded(Frozen):
    """One run of a new recording; `path` is the cassette.

    `solved` is None for a scenario without a task; tokens are None where the server does not tell them; `seconds` is
    the time of the whole run.
    """

    scenario: str
    model: str
    epoch: int
    path: str
    stop_reason: str | None
    answer: str | None
    solved: bool | None
    turns: int
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float

    @property
    def tokens(self) -> int | None:
        """The tokens of prompts and replies together."""
        return _total([self.prompt_tokens, self.completion_tokens])


def recordable(files: Sequence[ScenarioFile]) -> Sequence[ScenarioFile]:
    """Return the scenarios as they are.

    Raises:
        UsageError: one of them has a scripted model side, so there is nothing to record.
    """
    scripted = [file.scenario.id for file in files if file.scenario.model is not None]
    if scripted:
        names = ', '.join(scripted[:5]) + (', ...' if len(scripted) > 5 else '')
        raise UsageError(
            f'nothing to record for {names}: the model side is a script in the file '
            '(a scenario without `model:` is recorded)'
        )
    return files


def record_scenario(
    file: ScenarioFile,
    node: Node,
    spec: ModelSpec,
    path: Path,
    *,
    epoch: int = 1,
    through: httpx.Client | None = None,
    about: Mapping[str, Any] | None = None,
) -> list[Recorded]:
    """Run a scenario against a model, write the cassette `path` and return what came out, one entry for each run.

    `about` goes into the cassette with the date: what is known of model and server.

    No key is in what comes out, or in an error.

    Raises:
        RecordingFailed: the model or the scenario's tools failed.
    """
    start = time.perf_counter()
    guard = _guard(spec)
    try:
        with recording(path, through=through, about={'at': _now(), **(about or {})}) as tape:
            records = run_scenario(file, node, client=ChatClient(spec, tape.http), model=spec.name)
            _check_replies(records)
    except (RecordingFailed, CassetteError, ToolsError, OSError) as error:
        raise RecordingFailed(guard.mask(str(error)), getattr(error, 'error', '')) from error
    except Exception as error:
        raise RecordingFailed(guard.mask(f'{type(error).__name__}: {error}')) from error
    seconds = time.perf_counter() - start
    return [
        Recorded(
            scenario=file.scenario.id,
            model=spec.name,
            epoch=epoch,
            path=str(path),
            stop_reason=guard.masked(stop_reason_of(record)),
            answer=guard.masked(answer_of(record)),
            solved=solved(file.scenario.task, record),
            turns=len(record.turns),
            prompt_tokens=_total(turn.prompt_tokens for turn in record.turns),
            completion_tokens=_total(turn.completion_tokens for turn in record.turns),
            seconds=record.duration_s or seconds / len(records),
        )
        for record in records
    ]


def _guard(spec: ModelSpec) -> Guard:
    key = os.environ.get(spec.api_key_env or '', '').strip()
    return Guard.of_environment(more=[Known(key, 'the API key in use')] if key else [])


def _check_replies(records: Sequence[RunRecord]) -> None:
    """Refuse a run that says nothing about the model: no reply at all, or a failure that another time may not bring."""
    turns = [turn for record in records for turn in record.turns]
    if not turns:
        raised = next((record.raised for record in records if record.raised is not None), None)
        why = f': it raised {raised.type}: {raised.message}' if raised is not None else ''
        raise RecordingFailed(f'the node did not ask the model{why}')
    unanswered = all(turn.error is not None for turn in turns)
    for turn in turns:
        if turn.error is not None and (unanswered or turn.error.type not in _OF_THE_REQUEST):
            reason = f'turn {turn.index + 1}: {turn.error.type}: {turn.error.message}'
            raise RecordingFailed(reason, turn.error.type)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec='seconds')


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
