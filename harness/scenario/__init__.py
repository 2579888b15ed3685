"""The scenario: one situation with its expectations, as people write it in one YAML file.

Every class is one mapping of the file. A field that takes a short form says so: the short form is turned into the long
one before it is checked, and the JSON Schema offers both. The classes of the expectations stand in `expectation`, the
text notations in `text`; all of them can be imported from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import ConfigDict, Field, StrictBool, StrictFloat, StrictInt, model_validator

from harness.record import Frozen
from harness.scenario.expectation import (
    CallMatch,
    DescriptorMatch,
    EachObservation,
    ErrorMatch,
    EventMatch,
    Expectation,
    ObservationMatch,
    PromptMatch,
    RaisedMatch,
    StackMatch,
    StepMatch,
    TextMatch,
)
from harness.scenario.text import MAX_TEXT, TEXT_NOTATION, TEXT_SCHEMA, Short, Text, compose

if TYPE_CHECKING:
    from pydantic.json_schema import JsonSchemaValue

__all__ = [
    'MAX_TEXT',
    'TEXT_NOTATION',
    'AgentSpec',
    'CallMatch',
    'DescriptorMatch',
    'EachObservation',
    'ErrorMatch',
    'ErrorReply',
    'EventMatch',
    'Expectation',
    'HistoryItem',
    'InputMatch',
    'ModelScript',
    'ObservationMatch',
    'PromptMatch',
    'QuestionSpec',
    'RaisedMatch',
    'RaisesSpec',
    'Reply',
    'Scenario',
    'StackMatch',
    'StepMatch',
    'Task',
    'Text',
    'TextMatch',
    'ToolFunction',
    'ToolNode',
    'ToolResult',
    'compose',
]


def _one_of(*keys: str) -> ConfigDict:
    """The configuration of a class that takes exactly one of these keys, so that its JSON Schema says it too."""
    return ConfigDict(json_schema_extra={'oneOf': [{'required': [key]} for key in keys]})


def _check_one_of(part: Frozen, keys: tuple[str, ...]) -> None:
    given = [key for key in keys if key in part.model_fields_set]
    if len(given) != 1:
        came = ' and '.join(f'`{key}`' for key in given) or 'none of them'
        raise ValueError(f'give exactly one of: {", ".join(keys)} (there is {came})')


class HistoryItem(Frozen):
    """One earlier message of the conversation."""

    role: Literal['user', 'assistant', 'system'] = Field(description='Who said it.')
    content: Text = Field(description='What was said.')


class QuestionSpec(Short):
    """The question that arrives on the questions lane (short form: its text)."""

    text: Text = Field(description='The question itself.')
    role: str = Field(default='', description='The role text in front of the prompt.')
    history: tuple[HistoryItem, ...] = Field(default=(), description='Earlier messages of the conversation, in order.')
    context: tuple[Text, ...] = Field(default=(), description='Context entries of the question.')
    goals: tuple[Text, ...] = Field(default=(), description='Goals of the question.')
    instructions: tuple[Text, ...] = Field(default=(), description='Instructions that come with the question.')
    documents: tuple[Text, ...] = Field(default=(), description='Texts of the documents that come with the question.')
    expect_json: StrictBool = Field(default=False, description='Whether the question asks for a JSON answer.')

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {'text': value} if isinstance(compose(value), str) else value


class RaisesSpec(Frozen):
    """An exception that a tool raises: the name of its class and its message."""

    type: str = Field(pattern=r'^[A-Za-z_]\w*$', description='The name of the exception class, such as ValueError.')
    message: str = Field(default='', description='The message of the exception.')


class ToolResult(Frozen):
    """What a scripted tool does at one call: exactly one of the four.

    `returns` is any JSON value, `text` a text (also a composed one), `raises` an exception, `python` the name of a
    function in `tools.py` beside the scenario file, called with the input.
    """

    model_config = _one_of('returns', 'text', 'raises', 'python')

    returns: Any = Field(default=None, description='The value that the call gives back: any JSON value.')
    text: Text | None = Field(default=None, description='The text that the call gives back.')
    raises: RaisesSpec | None = Field(default=None, description='The exception that the call raises.')
    python: str | None = Field(
        default=None,
        pattern=r'^[A-Za-z_]\w*$',
        description='The function in tools.py beside the scenario file that is called with the input.',
    )

    @model_validator(mode='after')
    def _exactly_one(self) -> Self:
        _check_one_of(self, ('returns', 'text', 'raises', 'python'))
        return self


class InputMatch(ToolResult):
    """A result for calls with exactly this input."""

    input: Any = Field(description='The input, compared exactly (1 is not 1.0).')


class ToolFunction(Frozen):
    """One function of a tool node: its description for the model, and its script.

    The script is one of: `returns` / `text` / `raises` / `python` (every call), `calls` (one result a call, in order; a
    call past the end raises), `matches` (by exact input; no match raises).
    """

    model_config = _one_of('returns', 'text', 'raises', 'python', 'calls', 'matches')

    name: str = Field(min_length=1, description='The bare name; the model sees `<node>.<name>`.')
    description: str = Field(default='', description='What the model reads about the function.')
    input_schema: dict[str, Any] = Field(
        default_factory=lambda: {'type': 'object', 'properties': {}}, description='The JSON Schema of the input.'
    )
    output_schema: dict[str, Any] | None = Field(default=None, description='The JSON Schema of the output.')
    returns: Any = Field(default=None, description='The value that every call gives back: any JSON value.')
    text: Text | None = Field(default=None, description='The text that every call gives back.')
    raises: RaisesSpec | None = Field(default=None, description='The exception that every call raises.')
    python: str | None = Field(
        default=None,
        pattern=r'^[A-Za-z_]\w*$',
        description='The function in tools.py beside the scenario file that is called with the input.',
    )
    calls: tuple[ToolResult, ...] | None = Field(
        default=None, description='One result a call, in order; a call past the end raises.'
    )
    matches: tuple[InputMatch, ...] | None = Field(
        default=None, description='Results by exact input; a call that no entry matches raises.'
    )

    @model_validator(mode='after')
    def _exactly_one(self) -> Self:
        _check_one_of(self, ('returns', 'text', 'raises', 'python', 'calls', 'matches'))
        return self


class ErrorReply(Frozen):
    """An HTTP error in place of a reply: status code and message of an OpenAI-compatible error body."""

    status: StrictInt = Field(ge=400, le=599, description='The HTTP status code.')
    message: str = Field(default='', description='The message of the error body.')


class Reply(Short):
    """One scripted reply of the LLM (short forms: its text, or null for a reply without text)."""

    text: Text | None = Field(default=None, description='The text; without it the reply has none.')
    finish_reason: str = Field(default='stop', description='Why the model ended, as the server reports it.')
    error: ErrorReply | None = Field(default=None, description='An HTTP error in place of the reply.')

    @classmethod
    def expand(cls, value: Any) -> Any:
        if value is None or isinstance(compose(value), str):
            return {'text': value}
        return value

    @classmethod
    def short_schema(cls) -> JsonSchemaValue:
        return {'anyOf': [TEXT_SCHEMA, {'type': 'null'}]}

    @model_validator(mode='after')
    def _text_or_error(self) -> Self:
        if self.error is not None and self.text is not None:
            raise ValueError('give `text` or `error`, not both')
        return self


class ModelScript(Frozen):
    """A hand-made model side: the replies in order, one a call.

    With `repeat_last` the last reply is given for ever, without it a call past the end is an HTTP 410 error. With
    `honours_stop` the server cuts a reply at the stop words of the request, as real servers do.
    """

    outputs: tuple[Reply, ...] = Field(min_length=1, description='The replies in order, one an LLM call.')
    repeat_last: StrictBool = Field(default=False, description='Whether the last reply is given for ever.')
    honours_stop: StrictBool = Field(
        default=True, description='Whether the server cuts a reply at the stop words of the request.'
    )


class ToolNode(Frozen):
    """A tool node connected to the agent: functions of its own, or another agent node connected as a tool.

    `dead` makes the node fail when it is asked for its tools, as a node whose service is away does.
    """

    node: str = Field(min_length=1, description='The id of the node; its functions are called `<node>.<function>`.')
    functions: tuple[ToolFunction, ...] = Field(default=(), description='The functions of the node.')
    agent: AgentSpec | None = Field(default=None, description='An agent node connected as this tool.')
    dead: StrictBool = Field(default=False, description='Whether the node fails when it is asked for its tools.')

    @model_validator(mode='after')
    def _functions_or_agent(self) -> Self:
        if self.agent is not None and self.functions:
            raise ValueError('give `functions` or `agent`, not both')
        return self


class AgentSpec(Frozen):
    """A child agent: a node of the kind under test with a configuration, tools and a model side of its own."""

    config: dict[str, Any] = Field(
        default_factory=dict, description='The configuration of the child, as the engine gives it.'
    )
    tools: tuple[ToolNode, ...] = Field(default=(), description='The tool nodes connected to the child.')
    model: ModelScript | None = Field(default=None, description='The hand-made model side of the child.')


class Task(Frozen):
    """When a recorded model solved the question: about the model, never a finding about the node.

    The answer must contain one of `accept`, one of each list of `also`, and none of `forbid`, in `max_length`
    characters; `harness.task` says what counts as contained. `solution` are the turns of a model that solves it, which
    prove that it can be solved.
    """

    family: str = Field(
        default='',
        pattern=r'^([a-z0-9]+(-[a-z0-9]+)*)?$',
        description='The family of tasks that figures are told for, such as two-tools-in-sequence.',
    )
    accept: tuple[str, ...] = Field(min_length=1, description='Texts of which the answer must contain one.')
    also: tuple[tuple[str, ...], ...] = Field(
        default=(), description='Further facts, each a list of texts of which the answer must contain one as well.'
    )
    forbid: tuple[str, ...] = Field(default=(), description='Texts of which the answer must contain none.')
    max_length: StrictInt | None = Field(
        default=None, ge=1, description='The most characters of the answer: one that says everything solves nothing.'
    )
    needs_tool: StrictBool = Field(
        default=True, description='Whether nobody can know the answer without a tool; false: a tool call is needless.'
    )
    solution: tuple[Text, ...] = Field(
        default=(), description='The turns of a model that solves it; they are played to prove that it can be solved.'
    )


class Scenario(Frozen):
    """One situation with its expectations; one YAML file.

    In a scenario of the level `required`, what the contract does not say stands under `hardening`, so that another
    node is judged by the contract alone. Without `model` the model side is recorded: one cassette for each model,
    `cassettes/<id>/<model>.yaml`. `models` adds expectations for the recording of one model. `runs` asks the same
    question several times of the same node, with `at_once` at the same time.
    """

    id: str = Field(
        pattern=r'^[a-z0-9]+(-[a-z0-9]+)*$',
        max_length=80,
        description='Lower-case words and numbers joined by dashes; also the name of the file.',
    )
    title: str = Field(min_length=1, description='One sentence: what the node does here.')
    family: str = Field(
        pattern=r'^[a-z]+$', description='One lower-case word for the group; also the name of the folder.'
    )
    requirements: tuple[str, ...] = Field(
        default=(), description='The ids of the requirements it proves, such as LOOP-3.'
    )
    level: Literal['required', 'hardening'] = Field(
        default='required', description='`required`: the contract says so; `hardening`: beyond it.'
    )
    proposed: StrictBool = Field(
        default=False, description='Whether nobody has accepted yet what it expects: it was captured, not written.'
    )
    source: str | None = Field(default=None, description='Where the situation was seen first.')
    why: str | None = Field(default=None, description='Why it matters.')
    question: QuestionSpec = Field(
        default=QuestionSpec(text='How many people live in Lakeview?'),
        description='The question that arrives on the questions lane.',
    )
    open_mode: Literal['pipeline', 'config'] = Field(
        default='pipeline', description='`config`: the node is opened to be configured, and nothing is asked of it.'
    )
    face: Literal['lane', 'tool'] = Field(
        default='lane', description='`lane`: a question on the questions lane; `tool`: a call by a parent agent.'
    )
    input: Any = Field(default=None, description='What the parent agent passes; with `face: tool` only.')
    config: dict[str, Any] = Field(
        default_factory=dict, description='The configuration of the node, as the engine gives it.'
    )
    llm_nodes: StrictInt = Field(default=1, ge=0, le=3, description='How many LLM nodes are connected.')
    tools: tuple[ToolNode, ...] = Field(default=(), description='The tool nodes connected to the agent.')
    model: ModelScript | None = Field(
        default=None, description='A hand-made model side; without it the model side is recorded.'
    )
    runs: StrictInt = Field(default=1, ge=1, le=100, description='How often the same node object is asked.')
    at_once: StrictBool = Field(
        default=False, description='Whether the runs are made at the same time, each in a pipe of its own.'
    )
    time_limit_s: StrictInt | StrictFloat | None = Field(
        default=None,
        gt=0,
        le=3600,
        description='The most seconds that all runs may take together, where less than the usual limit is wanted.',
    )
    expect: Expectation = Field(description='What must hold of every run.')
    hardening: Expectation | None = Field(
        default=None, description='What must hold beyond the contract, in a scenario of the level `required`.'
    )
    models: dict[str, Expectation] = Field(
        default_factory=dict, description='What must hold in addition for the recording of one model, by its name.'
    )
    task: Task | None = Field(default=None, description='When a recorded model solved the question.')


# The first use would do this too, but who walks the fields of the classes needs it before.
ToolNode.model_rebuild()
