"""The scenario: one situation with its expectations, as people write it in one YAML file.

Every class is one mapping of the file. A field that takes a short form says so: the short form is turned into the long
one before it is checked, and the JSON Schema offers both.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from harness.record import Frozen

MAX_TEXT = 8_000_000
"""The most characters that a composed text may have (a file is untrusted: `{repeat, times}` must not fill memory)."""

_TEXT_SCHEMA: JsonSchemaValue = {
    'anyOf': [
        {'type': 'string'},
        {
            'type': 'object',
            'properties': {'repeat': {'type': 'string'}, 'times': {'type': 'integer', 'minimum': 0}},
            'required': ['repeat', 'times'],
            'additionalProperties': False,
        },
        {
            'type': 'object',
            'properties': {'parts': {'type': 'array', 'items': {}}},
            'required': ['parts'],
            'additionalProperties': False,
        },
    ]
}


def compose(value: Any) -> Any:
    """Return the text that a text notation stands for; anything that is no text notation comes back as it is.

    `{repeat: s, times: n}` is `s` repeated `n` times, `{parts: [...]}` is the concatenation of texts.

    Raises:
        ValueError: the text would be longer than `MAX_TEXT` characters.
    """
    if not isinstance(value, dict):
        return value
    if value.keys() == {'repeat', 'times'} and isinstance(value['repeat'], str) and type(value['times']) is int:
        if len(value['repeat']) * value['times'] > MAX_TEXT:
            raise ValueError(f'the text would be longer than {MAX_TEXT} characters')
        return value['repeat'] * value['times']
    if value.keys() == {'parts'} and isinstance(value['parts'], list):
        parts = [compose(part) for part in value['parts']]
        if all(isinstance(part, str) for part in parts):
            if sum(map(len, parts)) > MAX_TEXT:
                raise ValueError(f'the text would be longer than {MAX_TEXT} characters')
            return ''.join(parts)
    return value


Text = Annotated[str, BeforeValidator(compose), WithJsonSchema(_TEXT_SCHEMA)]
"""A text, or a notation for a long one: `{repeat: s, times: n}`, `{parts: [text, ...]}`."""


class _Short(Frozen):
    """A mapping that may also be written in a short form."""

    @classmethod
    def expand(cls, value: Any) -> Any:
        """Turn the short form into the mapping; return anything else as it is."""
        return value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        """The JSON Schema of the short form."""
        return {'type': 'string'}

    @model_validator(mode='before')
    @classmethod
    def _expand(cls, value: Any) -> Any:
        return value if isinstance(value, cls) else cls.expand(value)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {'anyOf': [cls.short_schema(), handler(core)]}


# ---------------------------------------------------------------------------------------------------- the situation


class HistoryItem(Frozen):
    """One earlier message of the conversation."""

    role: Literal['user', 'assistant', 'system']
    content: Text


class QuestionSpec(_Short):
    """The question that arrives on the questions lane (short form: its text)."""

    text: Text
    role: str = ''
    history: tuple[HistoryItem, ...] = ()
    context: tuple[Text, ...] = ()
    goals: tuple[Text, ...] = ()
    instructions: tuple[Text, ...] = ()
    documents: tuple[Text, ...] = ()
    expect_json: bool = False

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'text': value} if isinstance(compose(value), str) else value


class RaisesSpec(Frozen):
    """An exception that a tool raises: the name of its class and its message."""

    type: str = Field(pattern=r'^[A-Za-z_]\w*$')
    message: str = ''


class ToolResult(Frozen):
    """What a scripted tool does at one call: exactly one of the four.

    `returns` is any JSON value, `text` a text (also a composed one), `raises` an exception, `python` the name of a
    function in `tools.py` beside the scenario file, called with the input.
    """

    returns: Any = None
    text: Text | None = None
    raises: RaisesSpec | None = None
    python: str | None = Field(default=None, pattern=r'^[A-Za-z_]\w*$')

    @model_validator(mode='after')
    def _exactly_one(self) -> Self:
        given = self.model_fields_set & {'returns', 'text', 'raises', 'python'}
        if len(given) != 1:
            raise ValueError('give exactly one of: returns, text, raises, python')
        return self


class InputMatch(ToolResult):
    """A result for calls with exactly this input."""

    input: Any


class ToolFunction(Frozen):
    """One function of a tool node: its description for the model, and its script.

    The script is one of: `returns` / `text` / `raises` / `python` (every call), `calls` (one result a call, in order; a
    call past the end raises), `matches` (by exact input; no match raises).
    """

    name: str = Field(min_length=1)
    description: str = ''
    input_schema: dict[str, Any] = Field(default_factory=lambda: {'type': 'object', 'properties': {}})
    output_schema: dict[str, Any] | None = None
    returns: Any = None
    text: Text | None = None
    raises: RaisesSpec | None = None
    python: str | None = Field(default=None, pattern=r'^[A-Za-z_]\w*$')
    calls: tuple[ToolResult, ...] | None = None
    matches: tuple[InputMatch, ...] | None = None

    @model_validator(mode='after')
    def _exactly_one(self) -> Self:
        given = self.model_fields_set & {'returns', 'text', 'raises', 'python', 'calls', 'matches'}
        if len(given) != 1:
            raise ValueError('give exactly one of: returns, text, raises, python, calls, matches')
        return self


class ErrorReply(Frozen):
    """An HTTP error in place of a reply: status code and message of an OpenAI-compatible error body."""

    status: int = Field(ge=400, le=599)
    message: str = ''


class Reply(_Short):
    """One scripted reply of the LLM (short forms: its text, or null for a reply without text)."""

    text: Text | None = None
    finish_reason: str = 'stop'
    error: ErrorReply | None = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        if value is None or isinstance(compose(value), str):
            return {'text': value}
        return value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        return {'anyOf': [_TEXT_SCHEMA, {'type': 'null'}]}


class ModelScript(Frozen):
    """A hand-made model side: the replies in order, one a call.

    With `repeat_last` the last reply is given for ever, without it a call past the end is an HTTP 410 error. With
    `honours_stop` the server cuts a reply at the stop words of the request, as real servers do.
    """

    outputs: tuple[Reply, ...] = Field(min_length=1)
    repeat_last: bool = False
    honours_stop: bool = True


class ToolNode(Frozen):
    """A tool node connected to the agent: functions of its own, or another agent node connected as a tool.

    `dead` makes the node fail when it is asked for its tools, as a node whose service is away does.
    """

    node: str = Field(min_length=1)
    functions: tuple[ToolFunction, ...] = ()
    agent: AgentSpec | None = None
    dead: bool = False

    @model_validator(mode='after')
    def _functions_or_agent(self) -> Self:
        if self.agent is not None and self.functions:
            raise ValueError('give functions or agent, not both')
        return self


class AgentSpec(Frozen):
    """A child agent: a node of the kind under test with a configuration, tools and a model side of its own."""

    config: dict[str, Any] = Field(default_factory=dict)
    tools: tuple[ToolNode, ...] = ()
    model: ModelScript | None = None


# -------------------------------------------------------------------------------------------------- the expectations


class TextMatch(_Short):
    """What a text must be (short form: the exact text)."""

    equals: Text | None = None
    contains: tuple[Text, ...] = ()
    not_contains: tuple[Text, ...] = ()

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'equals': value} if isinstance(compose(value), str) else value


class CallMatch(Frozen):
    """A call that reached a tool, with exactly this input; `times` in a row."""

    tool: str
    input: Any = None
    times: int = Field(default=1, ge=1)


class ErrorMatch(Frozen):
    """An error observation `{tool, error, type}`; a field that is not given is not checked."""

    tool: str | None = None
    type: str | None = None
    contains: tuple[str, ...] = ()


class ObservationMatch(_Short):
    """What the observation of a step must be (short form: the exact text); an empty mapping: it is there."""

    equals: Text | None = None
    contains: tuple[Text, ...] = ()
    not_contains: tuple[Text, ...] = ()
    error: ErrorMatch | None = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'equals': value} if isinstance(compose(value), str) else value


class EachObservation(Frozen):
    """One match for the observations of all steps."""

    each: ObservationMatch


class StepMatch(Frozen):
    """A recorded step: `{action, action_input, observation}`; a field that is not given is not checked."""

    action: str | None = None
    action_input: Any = None
    observation: ObservationMatch | None = None


class StackMatch(_Short):
    """A stack entry (short form: its kind); of `payload` the given keys are compared, a list as a whole."""

    kind: str
    name: str | None = None
    payload: Any = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'kind': value} if isinstance(value, str) else value


class PromptMatch(Frozen):
    """What stands in the prompts: in at least one, in none, in every one exactly once; `at`: in the n-th (from 1)."""

    contains: tuple[Text, ...] = ()
    not_contains: tuple[Text, ...] = ()
    once: tuple[Text, ...] = ()
    at: dict[int, TextMatch] = Field(default_factory=dict)


class EventMatch(_Short):
    """An SSE event (short form: the message of a `thinking` event); given keys of `data` are compared."""

    type: str = 'thinking'
    data: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'data': {'message': value}} if isinstance(value, str) else value


class RaisedMatch(Frozen):
    """The exception that leaves the face."""

    type: str
    contains: tuple[str, ...] = ()


class Expectation(Frozen):
    """What must hold of one run; only what is given is checked.

    `llm_calls` is the number of LLM calls, `stop_words` what each of them carries. `calls` are all calls that reached
    tools, in order. `events` are all SSE events in order, `events_contain` messages that are among them. `lane_writes`
    counts the writes to each named lane. `agents` says the same of child agents, by node id.
    """

    answer: TextMatch | None = None
    stop_reason: str | None = None
    raises: RaisedMatch | None = None
    llm_calls: int | None = Field(default=None, ge=0)
    stop_words: tuple[str, ...] | None = None
    prompts: PromptMatch | None = None
    calls: tuple[CallMatch, ...] | None = None
    steps: tuple[StepMatch, ...] | None = None
    observations: tuple[ObservationMatch, ...] | EachObservation | None = None
    stack: tuple[StackMatch, ...] | None = None
    meta: dict[str, Any] | None = None
    events: tuple[EventMatch, ...] | None = None
    events_contain: tuple[str, ...] = ()
    lane_writes: dict[str, int] | None = None
    agents: dict[str, Expectation] = Field(default_factory=dict)
    max_seconds: float | None = Field(default=None, gt=0)


class Task(Frozen):
    """When a recorded model solved the question: about the model, never a finding about the node.

    The answer must contain one of `accept` and none of `forbid` (case and white space do not count).
    """

    accept: tuple[str, ...] = Field(min_length=1)
    forbid: tuple[str, ...] = ()


class Scenario(Frozen):
    """One situation with its expectations; one YAML file.

    Without `model` the model side is recorded: one cassette for each model, `cassettes/<id>/<model>.yaml`. `models` adds
    expectations for the recording of one model. `runs` asks the same question several times of the same node.
    """

    id: str = Field(pattern=r'^[a-z0-9]+(-[a-z0-9]+)*$', max_length=80)
    title: str = Field(min_length=1)
    family: str = Field(pattern=r'^[a-z]+$')
    requirements: tuple[str, ...] = ()
    level: Literal['required', 'hardening'] = 'required'
    source: str | None = None
    why: str | None = None
    question: QuestionSpec = QuestionSpec(text='How many people live in Lakeview?')
    face: Literal['lane', 'tool'] = 'lane'
    input: Any = None
    config: dict[str, Any] = Field(default_factory=dict)
    llm_nodes: int = Field(default=1, ge=0, le=3)
    tools: tuple[ToolNode, ...] = ()
    model: ModelScript | None = None
    runs: int = Field(default=1, ge=1, le=100)
    expect: Expectation
    models: dict[str, Expectation] = Field(default_factory=dict)
    task: Task | None = None
