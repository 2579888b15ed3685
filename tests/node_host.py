"""A host made by hand, for what no scenario can say: odd doors, odd replies, odd tools, many threads at once."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings

from harness.engine.node import load_node
from harness.engine.platform import ensure_platform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PLATFORM = ensure_platform()
NODE = load_node('agent_llamaindex')

from rocketride.schema import Answer, Question  # noqa: E402 - a checkout of the platform comes first on the path

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Hypothesis without a clock: a busy machine is no reason to fail."""

CALL = 'Thought: I need it.\nAction: box_1.get\nAction Input: {}'
ANSWER = 'Thought: I know.\nAnswer: It is 42.'
ANYTHING: Mapping[str, Any] = {'type': 'object', 'properties': {}}


class ToolNode:
    """A tool node: its descriptors (or what it raises when it is asked for them), and what its functions do."""

    def __init__(self, *descriptors: Any, call: Callable[[str, Any], Any] | None = None) -> None:
        self.descriptors = descriptors
        self.call = call or (lambda function, given: 'seen')


def function(name: Any = 'get', description: Any = 'Looks into the box.', schema: Any = ANYTHING) -> dict[str, Any]:
    """Return a descriptor as tool nodes give it."""
    return {'name': name, 'description': description, 'inputSchema': schema}


def box(result: Any = 'seen') -> dict[str, ToolNode]:
    """Return one tool node, `box_1.get`; it returns the result, raises it, or calls it with the input."""

    def call(_: str, given: Any) -> Any:
        if isinstance(result, BaseException):
            raise result
        return result(given) if callable(result) else result

    return {'box_1': ToolNode(function(), call=call)}


class Host:
    """The engine side of one pipe; it plays the outputs in order and writes down all that the node does, in order."""

    pipeId = 0

    def __init__(self, *outputs: Any, tools: Mapping[str, ToolNode] | None = None, llms: Any = ('llm_1',)) -> None:
        self.outputs = list(outputs)
        self.tools = tools or {}
        self.llms = llms
        self.log: list[tuple[str, Any]] = []
        self.asked: list[Any] = []

    def of(self, kind: str) -> list[Any]:
        """Return what was written down of one kind: ask, call, event, write."""
        return [what for name, what in self.log if name == kind]

    @property
    def prompts(self) -> list[str]:
        return self.of('ask')

    @property
    def texts(self) -> list[str]:
        """The texts on the answers lane."""
        return [answer.getText() for answer in self.of('write')]

    def getControllerNodeIds(self, channel: str) -> list[str]:
        return list({'llm': self.llms, 'tool': self.tools}.get(channel, ()))

    def invoke(self, param: Any, component_id: str = '') -> Any:
        if param.op == 'ask':
            self.asked.append(param)
            self.log.append(('ask', param.question.getPrompt()))
            return reply(self.outputs.pop(0))
        node = self.tools[component_id]
        if param.op == 'tool.query':
            for descriptor in node.descriptors:
                if isinstance(descriptor, BaseException):
                    raise descriptor
                param.tools.append(descriptor)
            raise PLATFORM.lib.APERR(PLATFORM.lib.Ec.PreventDefault, 'the next one')
        self.log.append(('call', (f'{component_id}.{param.tool_name}', json.loads(json.dumps(param.input)))))
        param.output = node.call(param.tool_name, param.input)
        return param

    def sendSSE(self, type: str, **data: Any) -> None:  # noqa: A002 - the platform's name
        self.log.append(('event', {'type': type, **data}))

    def writeAnswers(self, answer: Any) -> None:
        self.log.append(('write', answer))


def reply(output: Any) -> Any:
    """Return what an LLM node gives back: an `Answer` for a text, else the thing itself; exceptions are raised."""
    if isinstance(output, BaseException):
        raise output
    if not isinstance(output, str):
        return output
    answer = Answer()
    answer.setAnswer(output)
    return answer


def started(**config: Any) -> Any:
    """Return an IGlobal that has begun with a configuration."""
    shared = NODE.IGlobal()
    shared.glb = SimpleNamespace(logicalType=NODE.logical_type, connConfig=PLATFORM.json(config))
    shared.IEndpoint = SimpleNamespace(
        endpoint=SimpleNamespace(openMode=PLATFORM.lib.OPEN_MODE.PIPELINE, jobConfig={'taskId': 'secret-task-token'})
    )
    shared.beginGlobal()
    return shared


def pipe(shared: Any, host: Any) -> Any:
    """Return an IInstance of the node in a pipe."""
    instance = NODE.IInstance()
    instance.IGlobal, instance.IEndpoint, instance.instance = shared, shared.IEndpoint, host
    return instance


def question(text: str = 'What is in the box?', **parts: Any) -> Any:
    """Return a question with one text."""
    made = Question(**parts)
    made.addQuestion(text)
    return made


def ask(host: Any, asked: Any = None, **config: Any) -> dict[str, Any]:
    """Deliver a question to the lane of a node with this configuration; return the payload, which has to be JSON."""
    payload = pipe(started(**config), host).writeQuestions(question() if asked is None else asked)
    json.dumps(payload, allow_nan=False)
    return payload


def steps(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the reasoning steps of a payload."""
    return next(entry['payload'] for entry in payload['stack'] if entry['kind'] == 'RocketRide.agent.raw.v1')


def observations(payload: dict[str, Any]) -> list[str]:
    """Return the observations of a payload's steps."""
    return [step['observation'] for step in steps(payload)]
