"""What the model reads at each turn: llama-index's ReAct scaffolding, the question, and the steps taken so far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from llama_index.core.agent.react import ReActChatFormatter, ReActOutputParser
from llama_index.core.agent.react.types import (
    ActionReasoningStep,
    BaseReasoningStep,
    ObservationReasoningStep,
    ResponseReasoningStep,
)
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import ToolMetadata

from .reader import Answer, Call, canonical
from .values import as_json, encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rocketride.schema import Question

    from .channels import Tool

_JSON_ANSWER = 'Write the final answer as valid JSON and nothing else.'
_PARSER = ReActOutputParser()
_PLAIN_NAME = re.compile(r'[\w.:/-]{1,200}')


class HostTool(ToolMetadata):
    """A tool's name, description and input schema, as the host gave them."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description, fn_schema=None)
        self._schema = as_json(tool.input_schema)

    @property
    def fn_schema_str(self) -> str:
        # The library would print a schema of its own here, which contradicts the tool's.
        return self._schema


class CanonicalStep(ActionReasoningStep):
    """An action step that is shown to the model as it should have written it: with its input as JSON."""

    def get_content(self) -> str:
        return canonical(Call(self.thought, self.action, self.action_input))


def action_step(call: Call) -> ActionReasoningStep:
    """Return the library's step for a call, with the thought and the arguments of the reader.

    The parser takes the step from canonical text that holds no word of the model: a thought of ours, the name that the
    host gave to a tool, an empty input. It would look for labels in a thought, evaluate arithmetic in an input, cut a
    name at a space, and take minutes for a long name that starts with a bracket; such a name stays the reader's.
    """
    name = call.name
    if call.known and _PLAIN_NAME.fullmatch(name):
        step = _PARSER.parse(canonical(Call('I need a tool.', name, {})))
        name = step.action if isinstance(step, ActionReasoningStep) else name
    return CanonicalStep(thought=call.thought, action=name, action_input=call.arguments)


def answer_text(answer: Answer) -> str:
    """Return the text of a final answer as the library's parser takes it from canonical text.

    The thought is ours: with that of the model the parser would take an `Answer:` in the middle of it for the label.
    """
    step = _PARSER.parse(canonical(Answer('I can answer.', answer.text)))
    return step.response if isinstance(step, ResponseReasoningStep) else answer.text


def observation_step(text: str) -> BaseReasoningStep:
    """Return the library's step for an observation."""
    return ObservationReasoningStep(observation=text)


class Prompt:
    """The prompt of one run; `render` gives the question for the LLM node at each turn.

    The caller's question is never changed: each turn asks a copy of it, with the ReAct scaffolding as its role and the
    steps behind its task. So the question, every heading and every instruction stand in each prompt exactly once.
    """

    def __init__(self, question: Question, tools: Iterable[Tool], instructions: Sequence[str]) -> None:
        self._question = _whole(question)
        self._tools = [_metadata_only(tool) for tool in tools]
        lines = [*instructions, *([_JSON_ANSWER] if question.expectJson else [])]
        self._instructions = '\n'.join(f'- {line}' for line in lines)
        # As context the instructions are a value, never a part of the library's format string.
        self._formatter = ReActChatFormatter.from_defaults(context=self._instructions or None)

    def render(self, steps: Sequence[BaseReasoningStep]) -> Question:
        """Return the question that asks for the next step."""
        scaffolding, *past = self._format(steps)
        question = self._question.model_copy(deep=True)
        question.expectJson = False
        question.role = encodable('\n\n'.join(part for part in (question.role, scaffolding) if part))
        if past:
            if not question.questions:
                question.addQuestion('')
            last = question.questions[-1]  # type: ignore[index]  # it is not None, see `_whole`
            last.text = encodable('\n\n'.join([last.text, '\n'.join(past)]))
        return question

    def _format(self, steps: Sequence[BaseReasoningStep]) -> list[str]:
        if not self._tools:
            return [self._instructions]
        messages = self._formatter.format(self._tools, [], list(steps))
        return [message.content or '' for message in messages]


def _whole(question: Question) -> Question:
    """Return a copy of a question whose lists are lists: its type allows None for them, its own methods do not."""
    question = question.model_copy(deep=True)
    for part in ('instructions', 'history', 'examples', 'context', 'documents', 'goals', 'questions'):
        if getattr(question, part) is None:
            setattr(question, part, [])
    return question


def _metadata_only(tool: Tool) -> FunctionTool:
    def never(**_: Any) -> None:
        raise AssertionError('tools run through the host, never through the library')

    return FunctionTool(fn=never, metadata=HostTool(tool))
