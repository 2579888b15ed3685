"""The engine side of a node object: what a node finds under `glb`, `IEndpoint.endpoint` and `instance`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.engine.pipeline import Pipe
    from harness.engine.platform import Platform
    from harness.scenario import ModelScript, ToolFunction

TASK_TOKEN = 'task-control-token-of-the-stand-in'  # noqa: S105 - no secret: it is there to be looked for
"""The control token of the task (`jobConfig['taskId']`): a secret that no payload, event or prompt may hold."""


class PipeType(dict[str, Any]):
    """The type of a node in a pipe; nodes read it both ways, `pipeType['id']` and `pipeType.id`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Endpoint:
    """The engine side of the pipeline's endpoint, one for all its nodes."""

    def __init__(self, platform: Platform, open_mode: str) -> None:
        types = platform.types
        self.openMode = getattr(types.OPEN_MODE, open_mode)
        self.endpointMode = types.ENDPOINT_MODE.TARGET
        self.serviceMode = types.SERVICE_MODE.TARGET
        self.level = 0
        self.name = self.key = 'stand-in'
        self.logicalType = self.physicalType = self.protocol = 'pipe'
        job = {'taskId': TASK_TOKEN, 'type': 'pipeline', 'config': '', 'nodeId': '', 'paths': {}}
        self.jobConfig = platform.json(job)
        self.taskConfig = platform.json({})
        self.serviceConfig = platform.json({})
        self.parameters = platform.json({})
        self.bag: dict[str, Any] = {}


class Glb:
    """The engine side of what a node shares between its pipes."""

    def __init__(self, logical_type: str, conn_config: Any) -> None:
        self.logicalType = logical_type
        self.physicalType = 'python'
        self.connConfig = conn_config


@dataclass(eq=False)
class Member:
    """One node of a pipeline: an agent, an LLM node or a tool node.

    `id` is its id in the pipeline, `agent` the name that the record gives to what passes here: of an agent its own, of
    an LLM or tool node that of the agent it serves. `instance_class` and `global_class` are the classes of its objects;
    `iglobal` is made of the latter when the pipeline begins, `iendpoint` stands before. `channels` are the nodes that
    are connected to this one, by class type; `lanes` the output lanes that somebody listens to. `functions` are those
    of a scripted tool node, `script` the model side of an agent that has one of its own, `parent` the agent it serves.
    What a node does that is not `recorded` is no tool call.
    """

    id: str
    agent: str
    logical_type: str
    instance_class: type[Any]
    global_class: type[Any] | None
    iendpoint: Any
    parent: Member | None = None
    iglobal: Any = None
    config: dict[str, Any] = field(default_factory=dict)
    channels: dict[str, list[Member]] = field(default_factory=dict)
    lanes: tuple[str, ...] = ()
    functions: dict[str, ToolFunction] = field(default_factory=dict)
    script: ModelScript | None = None
    recorded: bool = True

    def tree(self) -> list[Member]:
        """Return this node and all that are connected to it, at any depth."""
        return [self, *(inner for members in self.channels.values() for member in members for inner in member.tree())]

    def owns(self, tool: str) -> bool:
        """Tell whether a tool name is one of this node's."""
        return tool in self.functions or hasattr(getattr(self.instance_class, tool, None), '__tool_meta__')


def place(iinstance: Any, member: Member, pipe: Pipe, platform: Platform) -> None:
    """Set on an IInstance what the engine sets: IEndpoint, IGlobal, instance (and `endpoint`, its older name)."""
    iinstance.IEndpoint = member.iendpoint
    if member.iglobal is not None:
        iinstance.IGlobal = member.iglobal
    iinstance.instance = EngineSide(member, pipe, platform)
    iinstance.endpoint = member.iendpoint


def _tools_of(param: Any) -> list[Any]:
    tools = getattr(param, 'tools', None) if getattr(param, 'op', None) == 'tool.query' else None
    return list(tools) if isinstance(tools, list | tuple) else []


class EngineSide:
    """The engine side of one node in one pipe."""

    next = None

    def __init__(self, member: Member, pipe: Pipe, platform: Platform) -> None:
        self.member = member
        self.pipe = pipe
        self._lib = platform.lib
        self._types = platform.types
        self.pipeId = pipe.number
        self.currentObject: Any = None
        self.pipeType = PipeType(
            id=member.id,
            logicalType=member.logical_type,
            physicalType='python',
            capabilities=0,
            connConfig=platform.json(member.config),
        )

    # ------------------------------------------------------------------------------------------------ control plane

    def getControllerNodeIds(self, classType: str) -> list[str]:
        """Return the ids of the nodes connected on a channel, in the order in which they are connected."""
        self.pipe.recorder.enter()
        return [member.id for member in self.member.channels.get(classType, ())]

    def invoke(self, param: Any, component_id: str = '') -> Any:
        """Send an operation to the node with an id, or to the first on its channel that takes it; return the result."""
        control = self._types.IInvoke(param=param)
        self.control(param.lane, control, nodeId=component_id)
        return control.result

    def control(self, classType: str, control: Any, nodeId: str = '') -> None:
        """Send an envelope through a channel.

        Raises:
            APERR: InvalidParam where nothing is connected there, or nothing takes it; else what the node raised.
            RunOver: the run was broken off; so do the other doors.
        """
        self.pipe.recorder.enter()
        connected: Sequence[Member] = self.member.channels.get(classType, ())
        if not connected:
            raise self._invalid(f'nothing is connected to {self.member.id} on the channel {classType}')
        if nodeId:
            for member in connected:
                if member.id == nodeId:
                    return self._send(member, control)
            raise self._invalid(f'no node {nodeId} is connected to {self.member.id} on the channel {classType}')
        for member in connected:
            try:
                return self._send(member, control)
            except self._lib.APERR as error:
                if error.ec != self._lib.Ec.PreventDefault:
                    raise
        raise self._invalid(f'no node on the channel {classType} took the operation')

    def _invalid(self, message: str) -> Exception:
        error: Exception = self._lib.APERR(self._lib.Ec.InvalidParam, message)
        return error

    def _send(self, member: Member, control: Any) -> None:
        target = self.pipe.instance_of(member)
        param = getattr(control, 'param', None)
        name = str(getattr(param, 'tool_name', '')).strip()
        if getattr(param, 'op', None) != 'tool.invoke' or not member.recorded or not member.owns(name):
            told = len(_tools_of(param))
            try:
                target.control(control)
            finally:
                # One query may go on to the next node, with what the first one said.
                self.pipe.recorder.offer(self.member.agent, member.id, _tools_of(param)[told:])
            return
        recorder = self.pipe.recorder
        number = recorder.call(self.member.agent, f'{member.id}.{name}', getattr(param, 'input', None))
        try:
            target.control(control)
        except BaseException as error:
            recorder.called(number, error=error)
            raise
        recorder.called(number, output=getattr(param, 'output', None))

    # ------------------------------------------------------------------------------------------------ events and lanes

    def sendSSE(self, type: str, **data: Any) -> None:  # noqa: A002 - the platform's name
        """Send an event; as on the platform, data that JSON cannot hold raises TypeError."""
        recorder = self.pipe.recorder
        recorder.enter()
        held = recorder.kept(data)
        json.dumps({'type': type, 'data': data})
        recorder.event(self.member.agent, type, held)

    def hasListener(self, lane: str) -> bool:
        """Tell whether somebody listens to an output lane of this node."""
        return lane in self.member.lanes

    def getListeners(self) -> list[str]:
        """Return the output lanes of this node that somebody listens to."""
        return list(self.member.lanes)

    def _write(self, lane: str, text: Any) -> None:
        self.pipe.recorder.write(self.member.agent, lane, text if isinstance(text, str) else str(text))

    def writeAnswers(self, answer: Any) -> None:
        """Write an answer to the lane `answers`; the record holds its text."""
        self._write('answers', answer.getText() if hasattr(answer, 'getText') else str(answer))

    def writeQuestions(self, question: Any) -> None:
        """Write a question to the lane `questions`; the record holds its prompt."""
        self._write('questions', question.getPrompt() if hasattr(question, 'getPrompt') else str(question))

    def writeDocuments(self, documents: Any) -> None:
        """Write documents to the lane `documents`; the record holds their contents, an empty line between them."""
        many = documents if isinstance(documents, list) else [documents]
        self._write('documents', '\n\n'.join(str(getattr(one, 'page_content', one)) for one in many))

    def writeText(self, text: str) -> None:
        """Write to the lane `text`."""
        self._write('text', str(text))

    def writeTable(self, table: str) -> None:
        """Write to the lane `table`."""
        self._write('table', str(table))

    def writeClassifications(self, classifications: Any, *rest: Any) -> None:
        """Write to the lane `classifications`."""
        self._write('classifications', str(classifications))

    def writeClassificationContext(self, classifications: Any) -> None:
        """Write to the lane `classificationContext`."""
        self._write('classificationContext', str(classifications))

    def writeAudio(self, action: Any, mimeType: str, streamData: bytes = b'') -> None:
        """Write to the lane `audio`; the record holds the type and size."""
        self._write('audio', f'{mimeType}: {len(streamData)} bytes')

    def writeVideo(self, action: Any, mimeType: str, streamData: bytes = b'') -> None:
        """Write to the lane `video`; the record holds the type and size."""
        self._write('video', f'{mimeType}: {len(streamData)} bytes')

    def writeImage(self, action: Any, mimeType: str, streamData: bytes = b'') -> None:
        """Write to the lane `image`; the record holds the type and size."""
        self._write('image', f'{mimeType}: {len(streamData)} bytes')
