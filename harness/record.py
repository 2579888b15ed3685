"""The run record: everything that passed through the engine's doors while one scenario ran."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

RECORD_VERSION: Final = 1


class Frozen(BaseModel):
    """A value that nobody changes after it was made, with no unknown fields."""

    model_config = ConfigDict(frozen=True, extra='forbid')


class Failure(Frozen):
    """An exception as a value: the name of its class and its message."""

    type: str
    message: str


class Turn(Frozen):
    """One LLM call of a node: what it was asked, and what came back.

    `agent` is the id of the node that asked; the node under test is `agent`, a child agent has the id it is connected
    under. `output` is the model's text as it left the model channel (None where the model gave none), `latency_s` is in
    seconds: of a replay those of the recording, None where it does not know them. Exactly one of `output` and `error`
    describes the end of the call; both are None for a reply without text.
    """

    agent: str
    index: int
    prompt: str
    stop: tuple[str, ...] | None
    output: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    error: Failure | None = None


class Offered(Frozen):
    """A tool that an agent was told about when it asked its tool nodes: its full name and its input schema."""

    agent: str
    tool: str
    input_schema: Any = None


class ToolCall(Frozen):
    """One call that reached a tool: by whom, with which input, and what the tool gave back or raised.

    `tool` is the full name `<node id>.<function>`; `turn` is the index of the turn (of the same agent) it followed.
    `output` is JSON-safe: a value that JSON cannot hold is its `repr`.
    """

    agent: str
    tool: str
    input: Any
    turn: int
    output: Any = None
    error: Failure | None = None


class Event(Frozen):
    """One server-sent event (SSE) of a node: its type, its data, and how many tool calls the node made before it."""

    agent: str
    type: str
    data: dict[str, Any] = Field(default_factory=dict)
    after_calls: int = 0


class LaneWrite(Frozen):
    """One write of a node to an output lane, as text."""

    agent: str
    lane: str
    text: str


class Stopped(Frozen):
    """Why the harness ended a run before the node did.

    `time`: the time was over; `flood`: more came through the doors than any run needs; `exit`: the node ended the
    process, or tried to. `message` says what it did, `place` where it was.
    """

    kind: Literal['time', 'flood', 'exit']
    message: str
    place: str = ''


class StateChange(Frozen):
    """A part of the process that a node left changed, with what it was and what it became, in words."""

    what: str
    before: str = ''
    after: str = ''


class RunRecord(Frozen):
    """One run of one scenario, as the engine saw it.

    `payload` is what the node's face returned (None where it returned nothing), `raised` the exception that left the
    face. `payload_error` says why the payload would not survive `json.dumps(..., allow_nan=False)`; the payload kept
    here is JSON-safe, with the `repr` of each value that JSON cannot hold. `model` is the name of the recorded or
    live model, None for scripted outputs, `parameters` are those it was asked with, the seed left out. `offered` are
    the tools that the agents were told about, each once. `descriptors` are the functions that the node offers to a
    parent (tool face only), `service` is its service definition (only where it was opened to be configured),
    `installs` are the names of the requirements files that it asked to have installed (None where the engine does not
    say). `stopped` says why the run was broken off, None where it ended by itself. `stdout` is the beginning of what
    was written to standard output, `leaked_threads` are the names of threads that went on behind the end,
    `changed_state` is what had to be put back in the process: of a scenario with several runs they stand in the last
    record. The order inside each list is the order in time. The record is JSON-safe, bounded and versioned; every
    later stage is a pure function of records.
    """

    version: Literal[1] = RECORD_VERSION
    scenario: str
    node: str
    model: str | None = None
    parameters: dict[str, float | int | str] = Field(default_factory=dict)
    epoch: int = 1
    face: Literal['lane', 'tool'] = 'lane'
    turns: tuple[Turn, ...] = ()
    offered: tuple[Offered, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    events: tuple[Event, ...] = ()
    lane_writes: tuple[LaneWrite, ...] = ()
    payload: Any = None
    payload_error: str | None = None
    descriptors: tuple[dict[str, Any], ...] = ()
    service: dict[str, Any] | None = None
    installs: tuple[str, ...] | None = None
    raised: Failure | None = None
    stopped: Stopped | None = None
    stdout: str = ''
    leaked_threads: tuple[str, ...] = ()
    changed_state: tuple[StateChange, ...] = ()
    duration_s: float = 0.0

    def of(self, agent: str) -> RunRecord:
        """Return the part of this record that one agent caused."""
        return self.model_copy(
            update={
                'turns': tuple(t for t in self.turns if t.agent == agent),
                'offered': tuple(o for o in self.offered if o.agent == agent),
                'calls': tuple(c for c in self.calls if c.agent == agent),
                'events': tuple(e for e in self.events if e.agent == agent),
                'lane_writes': tuple(w for w in self.lane_writes if w.agent == agent),
            }
        )
