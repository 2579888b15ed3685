"""The recorder: it writes down what passes through the engine's doors in one pipe."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any, Literal

from harness.engine.values import failure_of, json_safe, payload_problem, safe_text
from harness.record import Event, Failure, LaneWrite, RunRecord, ToolCall, Turn


class Recorder:
    """The record of one run while it is written; any thread may write.

    A tool call stands where it began (a child agent's calls come after the call that started the child), a turn where
    it ended. `fault` is the first failure of the harness itself during the run, such as a replay that drifted.
    `descriptors`, `service` and `installs` are what the node says about itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()
        self._turns: list[Turn] = []
        self._calls: list[ToolCall] = []
        self._events: list[Event] = []
        self._writes: list[LaneWrite] = []
        self._began = time.perf_counter()
        self.fault: Exception | None = None
        self.descriptors: tuple[dict[str, Any], ...] = ()
        self.service: dict[str, Any] | None = None
        self.installs: tuple[str, ...] | None = None

    def ask(self, agent: str) -> int:
        """Count an LLM call of an agent and return its index, from 0."""
        with self._lock:
            self._asked[agent] += 1
            return self._asked[agent] - 1

    def turn(self, turn: Turn) -> None:
        """Add a turn that has ended."""
        with self._lock:
            self._turns.append(turn)

    def call(self, agent: str, tool: str, given: Any) -> int:
        """Add a tool call that begins and return its number; its input is copied now, before the tool has it."""
        held = json_safe(given)
        with self._lock:
            self._calls.append(ToolCall(agent=agent, tool=tool, input=held, turn=self._asked[agent] - 1))
            return len(self._calls) - 1

    def called(self, number: int, output: Any = None, error: BaseException | None = None) -> None:
        """Complete a tool call with what the tool gave back or raised."""
        end: dict[str, Any] = {'error': failure_of(error)} if error is not None else {'output': json_safe(output)}
        with self._lock:
            self._calls[number] = self._calls[number].model_copy(update=end)

    def event(self, agent: str, kind: str, data: dict[str, Any]) -> None:
        """Add an event."""
        event = Event(agent=agent, type=safe_text(str(kind)), data=json_safe(data))
        with self._lock:
            self._events.append(event)

    def write(self, agent: str, lane: str, text: str) -> None:
        """Add a write to a lane."""
        write = LaneWrite(agent=agent, lane=lane, text=safe_text(text))
        with self._lock:
            self._writes.append(write)

    def blame(self, fault: Exception) -> None:
        """Keep the first failure of the harness itself."""
        with self._lock:
            self.fault = self.fault or fault

    def record(
        self,
        *,
        scenario: str,
        node: str,
        model: str | None = None,
        epoch: int = 1,
        face: Literal['lane', 'tool'] = 'lane',
        payload: Any = None,
        raised: Failure | None = None,
    ) -> RunRecord:
        """Return what was written down so far, with how the run ended."""
        with self._lock:
            return RunRecord(
                scenario=scenario,
                node=node,
                model=model,
                epoch=epoch,
                face=face,
                turns=tuple(self._turns),
                calls=tuple(self._calls),
                events=tuple(self._events),
                lane_writes=tuple(self._writes),
                payload=json_safe(payload),
                payload_error=payload_problem(payload),
                raised=raised,
                descriptors=tuple(json_safe(list(self.descriptors))),
                service=json_safe(self.service),
                installs=self.installs,
                duration_s=time.perf_counter() - self._began,
            )
