"""The agent: one run from the question to the payload, with the guard and the answers lane."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rocketlib import debug, warning
from rocketride.schema import Answer

from .channels import LlmChannel, ToolChannel
from .config import NodeConfig
from .loop import Ending, StopReason, Trace, run
from .prompt import Prompt
from .values import encodable, to_text

if TYPE_CHECKING:
    from rocketride.schema import Question

FRAMEWORK = 'llamaindex'
RAW, ERROR, GUARD = 'RocketRide.agent.raw.v1', 'RocketRide.agent.error.v1', 'RocketRide.agent.guard.v1'
GUARD_MESSAGE = (
    'require_tool_call is on, but the agent produced an answer without invoking any tool; '
    'the answer may be made up and is withheld'
)


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent node that is set up; many pipes may run it at the same time, so it holds nothing of a run."""

    agent_id: str
    config: NodeConfig

    @classmethod
    def of(cls, glb: Any) -> Agent:
        """Return the agent that the engine's global data describes."""
        return cls(str(glb.logicalType), NodeConfig.read(glb.logicalType, glb.connConfig))

    @property
    def description(self) -> str:
        """What a parent agent reads when it chooses between sub-agents."""
        return self.config.agent_description

    def run_agent(self, pipe: Any, question: Question, *, emit_answers_lane: bool = True) -> dict[str, Any]:
        """Run one question and return the payload `{content, meta, stack}`; it is safe to dump as JSON.

        With `emit_answers_lane` the content also goes to the answers lane, once, in every outcome of a run. An
        exception inside the run is an outcome; the steps taken before it stay in the stack.

        Raises:
            ValueError: not exactly one LLM node is connected.
        """
        started, run_id = _now(), str(uuid.uuid4())
        llm = LlmChannel.of(pipe.instance)
        trace = Trace()
        debug(f'{FRAMEWORK} agent: run {run_id} starts')
        stack: list[dict[str, Any]] = []
        try:
            ending = self._run(pipe.instance, llm, question, trace)
            if self.config.require_tool_call and not trace.tool_calls:
                stack.append(
                    _entry(GUARD, 'tool_call_required', {'guard': 'require_tool_call', 'message': GUARD_MESSAGE})
                )
                ending = Ending(GUARD_MESSAGE, StopReason.GUARD)
        except Exception as error:
            kind, message = type(error).__name__, encodable(to_text(error))
            stack.append(_entry(ERROR, 'exception', {'type': kind, 'message': message}))
            ending = Ending(message if message.strip() else f'{kind} (no message)', StopReason.ERROR)
        if stack:
            warning(f'{FRAMEWORK} agent: run {run_id} ended with {stack[0]["name"]}: {ending.content}')
        stack.append(_entry(RAW, 'framework.output', trace.steps))
        payload = {
            'content': ending.content,
            'meta': {
                'framework': FRAMEWORK,
                'agent_id': self.agent_id,
                'run_id': run_id,
                'started_at': started,
                'ended_at': _now(),
                'tool_calls': trace.tool_calls,
                'stop_reason': ending.stop_reason.value,
            },
            'stack': stack,
        }
        if emit_answers_lane:
            answer = Answer(expectJson=False)
            answer.setAnswer(ending.content)
            pipe.instance.writeAnswers(answer)
        return payload

    def _run(self, instance: Any, llm: LlmChannel, question: Question, trace: Trace) -> Ending:
        _send(instance, message='Starting LlamaIndex agent...')
        tools = ToolChannel.of(instance)
        prompt = Prompt(question, tools.values(), self.config.instructions)
        return run(llm, tools, prompt, trace, lambda tool: _send(instance, message=f'Calling {tool}...', tool=tool))


def _send(instance: Any, **data: str) -> None:
    try:
        instance.sendSSE('thinking', **data)
    except Exception as error:
        # Nobody has to be able to watch a run for it to give its answer.
        debug(f'{FRAMEWORK} agent: no progress sent: {encodable(to_text(error))}')


def _entry(kind: str, name: str, payload: Any) -> dict[str, Any]:
    return {'kind': kind, 'name': name, 'payload': payload}


def _now() -> str:
    return datetime.now(UTC).isoformat()
