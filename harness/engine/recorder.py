"""The recorder: it writes down what passes through the engine's doors in one pipe."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any, Final, Literal, NoReturn

from harness.engine.threads import RunOver
from harness.engine.values import MAX_CHARACTERS, MAX_VALUES, Room, failure_of, json_safe
from harness.record import Event, Failure, LaneWrite, Offered, RunRecord, Stopped, ToolCall, Turn

MAX_LLM_CALLS: Final = 500
"""The most LLM calls of one run, child agents included, before it is broken off."""

MAX_PASSED: Final = 10_000
"""The most tool calls, events and lane writes of one run, taken together, before it is broken off."""


class Recorder:
    """The record of one run while it is written; any thread may write.

    A tool call stands where it began (a child agent's calls come after the call that started the child), a turn where
    it ended. `fault` is the first failure of the harness itself during the run, such as a replay that drifted.
    `descriptors`, `service` and `installs` are what the node says about itself. `stopped` says why the run is over
    although the node goes on; from then on every door raises RunOver.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._room = Room(2 * MAX_CHARACTERS, 2 * MAX_VALUES)
        self.stopped: Stopped | None = None
        self._asked: Counter[str] = Counter()
        self._turns: list[Turn] = []
        self._offered: dict[tuple[str, str], Offered] = {}
        self._calls: list[ToolCall] = []
        self._events: list[Event] = []
        self._writes: list[LaneWrite] = []
        self._began = time.perf_counter()
        self.fault: Exception | None = None
        self.descriptors: tuple[dict[str, Any], ...] = ()
        self.service: dict[str, Any] | None = None
        self.installs: tuple[str, ...] | None = None

    def stop(self, kind: Literal['time', 'flood', 'exit'], message: str, place: str = '') -> None:
        """End the run; of several reasons the first one counts."""
        self.stopped = self.stopped or Stopped(kind=kind, message=message, place=place)

    def enter(self) -> None:
        """Raise RunOver where the run is over: what would pass a door has to ask before."""
        if self.stopped is not None:
            raise RunOver(self.stopped.message)

    def _flood(self, message: str) -> NoReturn:
        self.stop('flood', message)
        raise RunOver(message)

    def _count(self) -> None:
        self.enter()
        if len(self._calls) + len(self._events) + len(self._writes) >= MAX_PASSED:
            self._flood(f'made more than {MAX_PASSED:,} tool calls, events and lane writes')

    def kept(self, value: Any) -> Any:
        """Return a JSON-safe copy of what passes a door; a run whose record grows beyond all bounds is broken off."""
        copy = json_safe(value, self._room)
        if self._room.full:
            self._flood(f'passed more than {2 * MAX_CHARACTERS:,} characters or {2 * MAX_VALUES:,} values')
        return copy

    def text(self, text: str) -> str:
        """Return a text that passes a door as the record keeps it."""
        kept: str = self.kept(text)
        return kept

    def ask(self, agent: str) -> int:
        """Count an LLM call of an agent and return its index, from 0."""
        self.enter()
        with self._lock:
            if self._asked.total() >= MAX_LLM_CALLS:
                self._flood(f'made more than {MAX_LLM_CALLS} LLM calls')
            self._asked[agent] += 1
            return self._asked[agent] - 1

    def turn(self, turn: Turn) -> None:
        """Add a turn that has ended."""
        with self._lock:
            self._turns.append(turn)

    def offer(self, agent: str, node: str, descriptors: list[Any]) -> None:
        """Add the tools that a tool node told an agent about; one that is told about again counts as it was first."""
        for descriptor in descriptors:
            name = descriptor.get('name') if hasattr(descriptor, 'get') else None
            if isinstance(name, str) and (agent, f'{node}.{name}') not in self._offered:
                held = Offered(
                    agent=agent, tool=self.text(f'{node}.{name}'), input_schema=self.kept(descriptor.get('inputSchema'))
                )
                with self._lock:
                    self._offered[agent, f'{node}.{name}'] = held

    def call(self, agent: str, tool: str, given: Any) -> int:
        """Add a tool call that begins and return its number; its input is copied now, before the tool has it."""
        self._count()
        held = self.kept(given)
        with self._lock:
            self._calls.append(ToolCall(agent=agent, tool=tool, input=held, turn=self._asked[agent] - 1))
            return len(self._calls) - 1

    def called(self, number: int, output: Any = None, error: BaseException | None = None) -> None:
        """Complete a tool call with what the tool gave back or raised."""
        end: dict[str, Any] = {'error': failure_of(error)} if error is not None else {'output': self.kept(output)}
        with self._lock:
            self._calls[number] = self._calls[number].model_copy(update=end)

    def event(self, agent: str, kind: str, data: dict[str, Any]) -> None:
        """Add an event; its data are JSON-safe already."""
        self._count()
        name = self.text(str(kind))
        with self._lock:
            made = sum(call.agent == agent for call in self._calls)
            self._events.append(Event(agent=agent, type=name, data=data, after_calls=made))

    def write(self, agent: str, lane: str, text: str) -> None:
        """Add a write to a lane."""
        self._count()
        write = LaneWrite(agent=agent, lane=lane, text=self.text(text))
        with self._lock:
            self._writes.append(write)

    def describe(self, descriptors: list[Any]) -> None:
        """Keep the functions that the node offers; what is no descriptor stands as the name of one."""
        kept = self.kept(descriptors)
        self.descriptors = tuple(item if isinstance(item, dict) else {'name': item} for item in kept)

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
        payload_error: str | None = None,
        raised: Failure | None = None,
    ) -> RunRecord:
        """Return what was written down so far, with how the run ended; the payload is JSON-safe already."""
        with self._lock:
            return RunRecord(
                scenario=scenario,
                node=node,
                model=model,
                epoch=epoch,
                face=face,
                turns=tuple(self._turns),
                offered=tuple(self._offered.values()),
                calls=tuple(self._calls),
                events=tuple(self._events),
                lane_writes=tuple(self._writes),
                payload=payload,
                payload_error=payload_error,
                raised=raised,
                stopped=self.stopped,
                descriptors=self.descriptors,
                service=self.service,
                installs=self.installs,
                duration_s=time.perf_counter() - self._began,
            )
