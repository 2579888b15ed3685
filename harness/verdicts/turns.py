"""Verdicts about a model: the form and the flags of every turn, and the outcome of a run. All of it is pure.

A verdict is about the model, never about the node: it is taken from what the model wrote and what really passed the
doors, and read by the reference grammar (`harness.grammar`), not by the reader of a node.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from harness.expect.finding import NODE
from harness.grammar import Form, Kind, Reading, read_turn
from harness.llm_errors import INFRASTRUCTURE
from harness.record import Frozen
from harness.verdicts.narrated import made_before, narration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.record import RunRecord, Turn

    Corrupts = Callable[[str | None, Reading], bool]

GUARD: Final = 'RocketRide.agent.guard.v1'
MAX_LLM_CALLS: Final = 10
"""The budget of LLM calls of one run (contract: the loop runs up to 10 iterations)."""


class Flag(StrEnum):
    """A fact about a turn beside its form."""

    WROTE_OBSERVATION = 'wrote_observation'
    SEVERAL_STEPS = 'several_steps'
    NARRATED_TOOL_USE = 'narrated_tool_use'
    UNKNOWN_TOOL = 'unknown_tool'
    INVALID_ARGUMENTS = 'invalid_arguments'
    REPEATED_CALL = 'repeated_call'
    TRUNCATED = 'truncated'
    REASONING_BLOCK = 'reasoning_block'
    FOREIGN_CALL = 'foreign_call'
    PARSER_WOULD_CORRUPT = 'parser_would_corrupt'


class Outcome(StrEnum):
    """How a run ended."""

    GROUNDED = 'grounded'
    UNGROUNDED = 'ungrounded'
    MALFORMED_ANSWER = 'malformed_answer'
    GUARD = 'guard'
    EXHAUSTED = 'exhausted'
    EMPTY = 'empty'
    ERROR = 'error'
    INFRASTRUCTURE = 'infrastructure'


class TurnVerdict(Frozen):
    """How one turn was written; `name` and `input` are those of its call, as far as they can be read."""

    agent: str
    index: int
    form: Form
    kind: Kind
    flags: tuple[Flag, ...] = ()
    name: str | None = None
    input: dict[str, Any] | None = None


def turn_verdicts(record: RunRecord, corrupts: Corrupts | None = None) -> tuple[TurnVerdict, ...]:
    """Judge every turn of a run that the model answered, those of child agents too, in their order.

    `corrupts` tells of an output and its reading whether the library would run something else; without it no turn has
    the flag `parser_would_corrupt`.
    """
    return tuple(_verdicts(record, corrupts))


def _verdicts(record: RunRecord, corrupts: Corrupts | None) -> Iterator[TurnVerdict]:
    made: set[tuple[str, str, str]] = set()
    schemas = {
        agent: {item.tool: item.input_schema for item in record.of(agent).offered}
        for agent in dict.fromkeys(turn.agent for turn in record.turns)
    }
    for turn in record.turns:
        if turn.error is not None:
            continue
        tools = schemas[turn.agent]
        reading = read_turn(turn.output, {name: _requires(schema) for name, schema in tools.items()})
        yield TurnVerdict(
            agent=turn.agent,
            index=turn.index,
            form=reading.form,
            kind=reading.kind,
            flags=(
                *_flags(record, turn, reading, tools, made),
                *((Flag.PARSER_WOULD_CORRUPT,) if corrupts is not None and corrupts(turn.output, reading) else ()),
            ),
            name=reading.name,
            input=reading.input,
        )


def _requires(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get('required'))


def _flags(
    record: RunRecord, turn: Turn, reading: Reading, tools: Mapping[str, Any], made: set[tuple[str, str, str]]
) -> Iterator[Flag]:
    """Yield the flags of one turn, in the order of their names in `Flag`."""
    if reading.observation:
        yield Flag.WROTE_OBSERVATION
    if reading.steps > 1:
        yield Flag.SEVERAL_STEPS
    if narration(turn.output, tools, made_before(record, turn)).narrates:
        yield Flag.NARRATED_TOOL_USE
    if reading.kind is Kind.CALL and reading.name is not None:
        if reading.name not in tools:
            yield Flag.UNKNOWN_TOOL
        if reading.input is not None:
            if reading.name in tools and not fits(reading.input, tools[reading.name]):
                yield Flag.INVALID_ARGUMENTS
            call = (turn.agent, reading.name, json.dumps(reading.input, sort_keys=True))
            if call in made:
                yield Flag.REPEATED_CALL
            made.add(call)
    if turn.finish_reason == 'length':
        yield Flag.TRUNCATED
    if reading.reasoning:
        yield Flag.REASONING_BLOCK
    if reading.foreign:
        yield Flag.FOREIGN_CALL


def fits(value: Any, schema: Any) -> bool:
    """Tell whether an input fits a tool's JSON Schema; a schema that is none itself asks for nothing."""
    if not isinstance(schema, dict):
        return True
    validator = _validator(json.dumps(schema, sort_keys=True))
    return validator is None or bool(validator.is_valid(value))


@lru_cache(maxsize=1_000)
def _validator(schema: str) -> Any:
    from jsonschema import validators
    from jsonschema.exceptions import SchemaError

    loaded = json.loads(schema)
    kind = validators.validator_for(loaded, default=validators.Draft202012Validator)
    try:
        kind.check_schema(loaded)
    except SchemaError:
        return None
    return kind(loaded)


# ---------------------------------------------------------------------------------------------------------- the outcome


def outcome_of(record: RunRecord, problem: str | None = None) -> Outcome:
    """Tell how a run ended; `problem` says that it could not be judged, which is never the model's fault."""
    own = record.of(NODE)
    last = own.turns[-1] if own.turns else None
    if problem or last is None or (last.error is not None and last.error.type in INFRASTRUCTURE):
        return Outcome.INFRASTRUCTURE
    if record.raised is not None or record.stopped is not None or last.error is not None:
        return Outcome.ERROR
    if _is_refused(record.payload):
        return Outcome.GUARD
    reading = read_turn(last.output, {item.tool: _requires(item.input_schema) for item in own.offered})
    if reading.form is Form.EMPTY:
        return Outcome.EMPTY
    if reading.form is Form.MALFORMED:
        return Outcome.MALFORMED_ANSWER
    if reading.kind is Kind.CALL and own.offered:
        # The last turn is a call that could be run, so the budget was used up: there was no other way to end.
        return Outcome.EXHAUSTED if len(own.turns) >= MAX_LLM_CALLS else Outcome.ERROR
    return Outcome.GROUNDED if own.calls else Outcome.UNGROUNDED


def _is_refused(payload: Any) -> bool:
    stack = payload.get('stack') if isinstance(payload, dict) else None
    return isinstance(stack, list) and any(isinstance(entry, dict) and entry.get('kind') == GUARD for entry in stack)
