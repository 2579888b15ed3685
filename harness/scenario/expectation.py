"""The expectations of a scenario: what must hold of a run, as people write it under `expect:` in a scenario file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Field, StrictFloat, StrictInt, Tag

from harness.record import Frozen
from harness.scenario.text import Short, Text, compose

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue


class TextMatch(Short):
    """What a text must be (short form: the exact text)."""

    equals: Text | None = Field(default=None, description='Exactly this text.')
    contains: tuple[Text, ...] = Field(default=(), description='Parts that stand in the text.')
    not_contains: tuple[Text, ...] = Field(default=(), description='Parts that do not stand in the text.')

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'equals': value} if isinstance(compose(value), str) else value


class CallMatch(Frozen):
    """A call that reached a tool; `times` in a row. Without `input` its input is not checked."""

    tool: str = Field(description='The full name, `<node>.<function>`.')
    input: Any = Field(default=None, description='The input, compared exactly (1 is neither 1.0 nor true).')
    times: StrictInt = Field(default=1, ge=1, description='How often in a row.')


class ErrorMatch(Frozen):
    """An error observation `{tool, error, type}`; a field that is not given is not checked."""

    tool: str | None = Field(default=None, description='The name of the tool in the observation.')
    type: str | None = Field(default=None, description='The name of the exception class in the observation.')
    contains: tuple[str, ...] = Field(default=(), description='Parts of the error message.')


class ObservationMatch(Short):
    """What the observation of a step must be (short form: the exact text); an empty mapping: it is there."""

    equals: Text | None = Field(default=None, description='Exactly this text.')
    contains: tuple[Text, ...] = Field(default=(), description='Parts that stand in the observation.')
    not_contains: tuple[Text, ...] = Field(default=(), description='Parts that do not stand in the observation.')
    error: ErrorMatch | None = Field(
        default=None, description='An error observation: a JSON object {tool, error, type}.'
    )

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'equals': value} if isinstance(compose(value), str) else value


class EachObservation(Frozen):
    """One match for the observations of all steps (there must be at least one step)."""

    each: ObservationMatch = Field(description='What every observation must be.')


class StepMatch(Frozen):
    """A recorded step: `{action, action_input, observation}`; a field that is not given is not checked."""

    action: str | None = Field(default=None, description='The name of the tool.')
    action_input: Any = Field(default=None, description='The input, compared exactly.')
    observation: ObservationMatch | None = Field(default=None, description='What the observation must be.')


class StackMatch(Short):
    """A stack entry (short form: its kind); of `payload` the given keys are compared, a list as a whole."""

    kind: str = Field(description='The kind, such as RocketRide.agent.raw.v1.')
    name: str | None = Field(default=None, description='The name of the entry.')
    payload: Any = Field(default=None, description='The payload: given keys are compared, lists as a whole.')

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'kind': value} if isinstance(value, str) else value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        return {'type': 'string'}


class PromptMatch(Frozen):
    """What stands in the prompts: in at least one, in none, in every one exactly once; `at`: in the n-th (from 1)."""

    contains: tuple[Text, ...] = Field(default=(), description='Texts that stand in at least one prompt.')
    not_contains: tuple[Text, ...] = Field(default=(), description='Texts that stand in no prompt.')
    once: tuple[Text, ...] = Field(default=(), description='Texts that stand in every prompt exactly once.')
    at: dict[Annotated[int, Field(ge=1)], TextMatch] = Field(
        default_factory=dict, description='The prompt of the n-th LLM call (from 1).'
    )


Count = Annotated[int, Field(strict=True, ge=0)]


class EventMatch(Short):
    """An SSE event (short form: the message of a `thinking` event); given keys of `data` are compared."""

    type: str = Field(default='thinking', description='The type of the event.')
    data: dict[str, Any] = Field(default_factory=dict, description='The data: given keys are compared.')
    after_calls: Count | None = Field(default=None, description='How many tool calls the node had made before it.')

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'data': {'message': value}} if isinstance(value, str) else value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        return {'type': 'string'}


class DescriptorMatch(Frozen):
    """A function that the node offers to a parent agent; a field that is not given is not checked."""

    name: str = Field(description='The bare name, such as run_agent.')
    description: TextMatch | None = Field(default=None, description='What a parent reads about it.')
    input_schema: dict[str, Any] | None = Field(
        default=None, description='Its input schema: given keys are compared, at any depth.'
    )


class RaisedMatch(Frozen):
    """The exception that leaves the face."""

    type: str = Field(description='The name of the exception class.')
    contains: tuple[str, ...] = Field(default=(), description='Parts of its message.')


def _observations_form(value: Any) -> str:
    return '<each>' if isinstance(value, (dict, EachObservation)) else '<list>'


Observations = Annotated[
    Annotated[tuple[ObservationMatch, ...], Tag('<list>')] | Annotated[EachObservation, Tag('<each>')],
    Discriminator(_observations_form),
]
"""One match for each step, or `{each: match}` for all of them."""


class Expectation(Frozen):
    """What must hold of one run; only what is given is checked.

    `llm_calls` is the number of LLM calls, `stop_words` what each of them carries. `calls` are all calls that reached
    tools, in order. `events` are all SSE events in order, `events_contain` messages that are among them. `lane_writes`
    counts the writes to each named lane. `agents` says the same of child agents, by node id: its counts and lists are
    over all runs of the child, its answer, stop reason, stack and meta hold for each of them.
    """

    answer: TextMatch | None = Field(default=None, description='The delivered text.')
    stop_reason: str | None = Field(default=None, description='`stop_reason` of the meta data.')
    raises: RaisedMatch | None = Field(default=None, description='The exception that leaves the face.')
    llm_calls: Count | None = Field(default=None, description='The number of LLM calls.')
    stop_words: tuple[str, ...] | None = Field(default=None, description='Exactly the stop words of every LLM call.')
    prompts: PromptMatch | None = Field(default=None, description='What stands in the prompts.')
    calls: tuple[CallMatch, ...] | None = Field(default=None, description='All calls that reached tools, in order.')
    steps: tuple[StepMatch, ...] | None = Field(default=None, description='All recorded steps, in order.')
    observations: Observations | None = Field(default=None, description='The observations of all recorded steps.')
    stack: tuple[StackMatch, ...] | None = Field(default=None, description='All stack entries, in order.')
    stack_has: tuple[str, ...] = Field(default=(), description='Kinds of entries that are in the stack.')
    meta: dict[str, Any] | None = Field(default=None, description='Keys of the meta data and their values.')
    meta_has: tuple[str, ...] = Field(default=(), description='Keys of the meta data that hold a text, not empty.')
    meta_times: tuple[str, ...] = Field(
        default=(), description='Keys of the meta data that hold UTC times in ISO 8601, none before the one in front.'
    )
    meta_differs: tuple[str, ...] = Field(
        default=(), description='Keys of the meta data whose values differ from run to run.'
    )
    nowhere: tuple[Text, ...] = Field(
        default=(), description='Texts that stand nowhere in what the node returned or sent: payload, lanes, events.'
    )
    descriptors: tuple[DescriptorMatch, ...] | None = Field(
        default=None, description='All functions that the node offers to a parent agent, in order.'
    )
    service: dict[str, Any] | None = Field(
        default=None, description='The service definition: given keys are compared, at any depth.'
    )
    installs: tuple[str, ...] | None = Field(
        default=None, description='The names of the requirements files that the node asked to have installed.'
    )
    events: tuple[EventMatch, ...] | None = Field(default=None, description='All SSE events, in order.')
    events_contain: tuple[str, ...] = Field(default=(), description='Messages that are among the SSE events.')
    lane_writes: dict[str, Count] | None = Field(default=None, description='The number of writes, by lane.')
    agents: dict[str, Expectation] = Field(default_factory=dict, description='The same of child agents, by node id.')
    max_seconds: StrictFloat | None = Field(default=None, gt=0, description='A generous limit for the whole run.')
