"""The baseline: which runs met their expectations and how the others failed, in a file that people review in git."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from pydantic import Field

from harness.gate.change import Level, RunKey, RunState, State
from harness.jsonlines import Format, LineError
from harness.record import Frozen


class BaselineRun(Frozen):
    """One run as it was accepted; one line of the file."""

    scenario: str = Field(description='The id of the scenario.')
    model: str | None = Field(default=None, description='The recorded model; left out for a scripted model side.')
    run: int = Field(default=1, ge=1, description='The n-th run of the scenario with this model side, from 1.')
    level: Level = Field(description='The level of the scenario.')
    state: State = Field(description='How the run was judged.')
    findings: tuple[str, ...] = Field(default=(), description='The signatures of its findings.')

    @property
    def key(self) -> RunKey:
        """What makes the run the same one elsewhere."""
        return RunKey(self.scenario, self.model or '', self.run)


class BaselineHeader(Frozen):
    """The first line of a baseline."""

    kind: Literal['react-harness baseline'] = 'react-harness baseline'
    version: Literal[1] = 1
    node: str = Field(description='The name of the node.')


class BaselineError(LineError):
    """A baseline cannot be used; the message says which line and why."""


BASELINE: Final = Format(
    name='baseline',
    header=BaselineHeader,
    entry=BaselineRun,
    error=BaselineError,
    anew='make one with `react-harness accept RESULTS --baseline FILE`',
)


@dataclass(frozen=True)
class Baseline:
    """An accepted state of a node: its runs, sorted by scenario, model and number."""

    file: str
    node: str
    runs: tuple[BaselineRun, ...] = ()

    @cached_property
    def _states(self) -> dict[RunKey, RunState]:
        return {entry.key: RunState(state=entry.state, findings=entry.findings) for entry in self.runs}

    def state(self, key: RunKey) -> RunState | None:
        """Return how a run was accepted, or None where the baseline does not know it."""
        return self._states.get(key)
