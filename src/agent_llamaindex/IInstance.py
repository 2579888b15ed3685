"""The two faces of the node: the questions lane, and the tool `run_agent` for a parent agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rocketlib import IInstanceBase, tool_function

from .values import encodable, to_text

if TYPE_CHECKING:
    from rocketride.schema import Question

    from .agent import Agent
    from .IGlobal import IGlobal

TOOL_DESCRIPTION = (
    'Invoke this agent as a tool. Input: {query: string, context?: object}. Output: {content, meta, stack}.'
)
CONTEXT_TYPE = 'RocketRide.agent.tool_context.v1'

INPUT_SCHEMA: dict[str, Any] = {
    'type': 'object',
    'properties': {
        'query': {'type': 'string', 'description': 'The question for the agent; must not be blank'},
        'context': {'type': 'object', 'description': 'What else the agent should know, as an object'},
    },
    'required': ['query'],
}
OUTPUT_SCHEMA: dict[str, Any] = {
    'type': 'object',
    'properties': {
        'content': {'type': 'string', 'description': 'The answer'},
        'meta': {
            'type': 'object',
            'description': 'Facts about the run',
            'properties': {
                'framework': {'type': 'string'},
                'agent_id': {'type': 'string'},
                'run_id': {'type': 'string'},
                'started_at': {'type': 'string'},
                'ended_at': {'type': 'string'},
                'tool_calls': {'type': 'integer'},
                'stop_reason': {'type': 'string'},
            },
            'required': ['framework', 'agent_id', 'run_id', 'started_at', 'ended_at', 'tool_calls', 'stop_reason'],
        },
        'stack': {
            'type': 'array',
            'items': {'type': 'object'},
            'description': 'The reasoning steps, and what went wrong',
        },
    },
    'required': ['content', 'meta', 'stack'],
}


def _description(instance: IInstance) -> str:
    description = getattr(instance.IGlobal.agent, 'description', '')
    return f'This agent: {description} {TOOL_DESCRIPTION}' if description else TOOL_DESCRIPTION


class IInstance(IInstanceBase):  # type: ignore[misc]  # the engine has no type information
    """One pipe through the node."""

    IGlobal: IGlobal

    def writeQuestions(self, question: Question) -> dict[str, Any]:
        """Answer a question of the questions lane: one write to the answers lane, whatever the outcome.

        The payload is returned as well; the engine has no use for it, whoever drives the node in a test has.

        Raises:
            ValueError: not exactly one LLM node is connected.
        """
        return self._agent.run_agent(self, question, emit_answers_lane=True)

    @tool_function(input_schema=INPUT_SCHEMA, output_schema=OUTPUT_SCHEMA, description=_description)  # type: ignore[untyped-decorator]
    def run_agent(self, input_obj: Any) -> dict[str, Any]:
        """Run this agent on a query and return its answer, without a write to the answers lane.

        Raises:
            ValueError: the input is no object, its query no text or blank, its context no object; or not exactly one
                LLM node is connected.
        """
        if not isinstance(input_obj, dict):
            raise ValueError('agent tool: input must be an object')
        query, context = input_obj.get('query'), input_obj.get('context')
        if not isinstance(query, str) or not query.strip():
            raise ValueError('agent tool: input.query must be a non-empty string')
        if context is not None and not isinstance(context, dict):
            raise ValueError('agent tool: input.context must be an object if provided')

        from rocketride.schema import Question

        question = Question(role='')  # type: ignore[call-arg]  # all the others have defaults
        question.addQuestion(encodable(query))
        if context is not None:
            question.addContext(_context_entry(context))
        return self._agent.run_agent(self, question, emit_answers_lane=False)

    @property
    def _agent(self) -> Agent:
        agent = self.IGlobal.agent
        if agent is None:
            raise RuntimeError(
                'agent_llamaindex: the node has no agent: it was opened for configuration only, or has ended'
            )
        return agent


def _context_entry(context: dict[str, Any]) -> str:
    try:
        return _entry(context)
    except Exception:
        # Odd keys or a context that holds itself: as text it can still help the agent.
        return _entry(to_text(context))


def _entry(context: Any) -> str:
    return encodable(json.dumps({'type': CONTEXT_TYPE, 'context': context}, ensure_ascii=False, default=to_text))
