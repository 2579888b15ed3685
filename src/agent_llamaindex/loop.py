"""The ReAct loop: ask the model, read what it wrote, call the tool, show it what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .prompt import Prompt, action_step, answer_text, observation_step
from .reader import Answer, Call, Direct, read
from .values import encodable, error_text, observation_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from llama_index.core.agent.react.types import BaseReasoningStep

    from .channels import LlmChannel, ToolChannel

MAX_ITERATIONS = 10
STOP_WORDS = ['Observation:']
EXHAUSTED = 'Agent stopped after reaching the maximum number of reasoning steps.'


class StopReason(StrEnum):
    """Why a run ended."""

    ANSWER = 'answer'
    DIRECT_ANSWER = 'direct_answer'
    MALFORMED_STEP = 'malformed_step'
    EMPTY = 'empty'
    MAX_ITERATIONS = 'max_iterations'
    GUARD = 'guard'
    ERROR = 'error'


@dataclass(frozen=True, slots=True)
class Ending:
    """The answer of a run, and why it is the last word."""

    content: str
    stop_reason: StopReason


@dataclass(slots=True)
class Trace:
    """What one run has done so far; it outlives an exception that ends the run.

    `steps` are `{action, action_input, observation}`, `tool_calls` counts the calls that reached a tool.
    """

    steps: list[dict[str, Any]] = field(default_factory=list)
    tool_calls: int = 0


def run(
    llm: LlmChannel, tools: ToolChannel, prompt: Prompt, trace: Trace, progress: Callable[[str], None] | None = None
) -> Ending:
    """Run the loop until an answer, or until the budget of LLM calls is spent; errors of the LLM pass.

    `progress` is told the name of each tool before it is called. Without tools there is one call and no loop.
    """
    needs_input = {name: tool.needs_input for name, tool in tools.items()}
    reasoning: list[BaseReasoningStep] = []
    for _ in range(MAX_ITERATIONS):
        reading = read(llm.ask(prompt.render(reasoning), STOP_WORDS), needs_input)
        if not isinstance(reading, Call):
            return _ending(reading)
        observation = _observe(reading, tools, trace, progress)
        trace.steps.append(
            {'action': encodable(reading.name), 'action_input': reading.arguments, 'observation': observation}
        )
        reasoning += [action_step(reading), observation_step(observation)]
    return Ending(EXHAUSTED, StopReason.MAX_ITERATIONS)


def _ending(reading: Answer | Direct) -> Ending:
    text = encodable(answer_text(reading) if isinstance(reading, Answer) else reading.text)
    if not text:
        return Ending('', StopReason.EMPTY)
    if isinstance(reading, Answer):
        return Ending(text, StopReason.ANSWER)
    return Ending(text, StopReason.MALFORMED_STEP if reading.malformed else StopReason.DIRECT_ANSWER)


def _observe(call: Call, tools: ToolChannel, trace: Trace, progress: Callable[[str], None] | None) -> str:
    if not call.known:
        return error_text(call.name, tools.not_found(call.name))
    if progress:
        progress(call.name)
    trace.tool_calls += 1
    try:
        return observation_text(tools.call(call.name, call.arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        # A tool that exits or is cancelled has failed like any other; the agent outlives it.
        return error_text(call.name, error)
