"""What the model reads at each turn: llama-index's ReAct scaffolding, the question, and the steps taken so far."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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
from .values import encodable

if TYPE_CHECKING:
    from rocketride.schema import Question

    from .channels import Tool

_JSON_ANSWER = 'Write the final answer as valid JSON and nothing else.'
_PARSER = ReActOutputParser()


class HostTool(ToolMetadata):
    """A tool's name, description and input schema, as the host gave them."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description, fn_schema=None)
        self._schema = json.dumps(tool.input_schema, ensure_ascii=False, default=str)

    @property
    def fn_schema_str(self) -> str:
        # The library would print a schema of its own here, which contradicts the tool's.
        return self._schema


class CanonicalStep(ActionReasoningStep):
    """An action step that is shown to the model as it should have written it: with its input as JSON."""

    def get_content(self) -> str:
        return canonical(Call(self.thought, self.action, self.action_input))


def action_step(call: Call) -> ActionReasoningStep:
    """Return the library's step for a call.

    The parser gets canonical text without the model's own thought and input: it would look for labels in the one and
    evaluate the other. Name and arguments are those of the reader, which the library cuts at a space and wraps in types of
    its own.
    """
    try:
        _PARSER.parse(canonical(Call('I need a tool.', call.name, {})))
    except ValueError:
        # The library knows no name that starts with a bracket; the call is an unknown tool all the same.
        pass
    return CanonicalStep(thought=call.thought, action=call.name, action_input=call.arguments)


def answer_text(answer: Answer) -> str:
    """Return the text of a final answer as the library's parser takes it from canonical text."""
    step = _PARSER.parse(canonical(Answer('I can answer.', answer.text)))
    return step.response if isinstance(step, ResponseReasoningStep) else answer.text


def observation_step(text: str) -> BaseReasoningStep:
    """Return the library's step for an observation."""
    return ObservationReasoningStep(observation=text)


class Prompt:
    """The prompt of one run; `render` gives the question for the LLM node at each turn.

    The caller's question is never changed: each turn asks a copy of it, with the ReAct scaffolding as its role and the steps
    behind its task. So the question, every heading and every instruction stand in each prompt exactly once.
    """

    def __init__(self, question: Question, tools: Iterable[Tool], instructions: Sequence[str]) -> None:
        self._question = question
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
            *_, last = question.questions or [_add_question(question)]
            last.text = encodable('\n\n'.join([last.text, '\n'.join(past)]))
        return question

    def _format(self, steps: Sequence[BaseReasoningStep]) -> list[str]:
        if not self._tools:
            return [self._instructions]
        messages = self._formatter.format(self._tools, [], list(steps))
        return [message.content or '' for message in messages]


def _add_question(question: Question) -> Any:
    question.addQuestion('')
    return question.questions[-1]


def _metadata_only(tool: Tool) -> FunctionTool:
    def never(**_: Any) -> None:
        raise AssertionError('tools run through the host, never through the library')

    return FunctionTool(fn=never, metadata=HostTool(tool))
