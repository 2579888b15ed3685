"""The pipeline: the node under test with everything connected to it, its pipes, and what is delivered through them."""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from harness.engine.connected import ModelSide, llm_class, memory_class, tool_class
from harness.engine.host import Endpoint, Glb, Member, place
from harness.engine.platform import ensure_platform
from harness.engine.recorder import Recorder
from harness.engine.script import Script, check_tools, load_tools, python_names
from harness.engine.threads import RunOver, by_the_user
from harness.engine.values import failure_of, held, json_safe
from harness.scenario import AgentSpec, Scenario, ToolNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from harness.engine.node import Node
    from harness.record import Failure

AGENT = 'agent'
"""The id of the node under test."""


@dataclass(frozen=True)
class Outcome:
    """How a delivery ended: what the node's face returned, or the exception that left it.

    The payload is a JSON-safe copy; `payload_error` says why the payload itself is no use as JSON, None if it is.
    `over` says that the run was broken off.
    """

    payload: Any = None
    payload_error: str | None = None
    raised: Failure | None = None
    over: bool = False


def attempt(deliver: Callable[[], Any]) -> Outcome:
    """Run code of a node; whatever it raises becomes a value, short of an interrupt of the user."""
    try:
        payload, problem = held(deliver())
        return Outcome(payload=payload, payload_error=problem)
    except RunOver:
        return Outcome(over=True)
    except BaseException as error:
        if by_the_user(error):
            raise
        return Outcome(raised=failure_of(error))


class Pipeline:
    """The nodes of a scenario, connected: the node under test, its LLM nodes, its tool nodes, its child agents.

    There is one IGlobal for each node of the pipeline and one IInstance for each node and pipe. `client` is the model
    side of every agent without a script of its own; without it the scenario's script is. `folder` is where the
    `tools.py` of the scenario is, `open_mode` the name of an `OPEN_MODE` other than the scenario's. Nothing of a node
    runs before the first delivery. `installs` are the requirements files that the nodes asked for at their begin.

    Raises:
        ValueError: the node under test has no model side.
        ToolsError: a Python tool of the scenario cannot be had.
    """

    def __init__(
        self,
        node: Node,
        scenario: Scenario,
        *,
        client: ModelSide | None = None,
        folder: Path | None = None,
        open_mode: str | None = None,
    ) -> None:
        if client is None and scenario.model is None:
            raise ValueError(f'the model side of the scenario {scenario.id} is recorded: replay it, or give a client')
        self.platform = ensure_platform()
        self.client = client
        self.tools = _python_tools(scenario.tools, folder)
        self._node = node
        self._endpoint = Endpoint(self.platform, open_mode or scenario.open_mode.upper())
        self.installs: tuple[str, ...] | None = None
        self._lock = threading.Lock()
        self._begun = False
        self._broken: BaseException | None = None
        self._pipes: list[Pipe] = []
        own = AgentSpec(config=scenario.config, tools=scenario.tools, model=scenario.model if client is None else None)
        self.agent = self._agent(AGENT, own, None, scenario.llm_nodes)
        self.members = tuple(self.agent.tree())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---------------------------------------------------------------------------------------------------------- nodes

    def _agent(self, node_id: str, spec: AgentSpec, parent: Member | None, llm_nodes: int = 1) -> Member:
        agent = Member(
            id=node_id,
            agent=node_id,
            logical_type=self._node.logical_type,
            instance_class=self._node.IInstance,
            global_class=self._node.IGlobal,
            iendpoint=self._iendpoint(),
            parent=parent,
            config=spec.config,
            lanes=('answers',) if parent is None else (),
            script=spec.model,
        )
        agent.channels = {
            'llm': [self._serving(agent, f'llm_{number}', llm_class()) for number in range(1, llm_nodes + 1)],
            'tool': [self._tool(tool, agent) for tool in spec.tools],
        }
        if self._needs_memory():
            memory = self._serving(agent, 'memory_1', memory_class())
            memory.recorded = False
            agent.channels['memory'] = [memory]
        return agent

    def _needs_memory(self) -> bool:
        """Tell whether the node cannot work without a memory node, by its service definition."""
        invoke = self._node.service.get('invoke')
        memory = invoke.get('memory') if isinstance(invoke, dict) else None
        least = memory.get('min') if isinstance(memory, dict) else None
        return isinstance(least, int) and least > 0

    def _tool(self, tool: ToolNode, agent: Member) -> Member:
        if tool.agent is not None and not tool.dead:
            return self._agent(tool.node, tool.agent, agent)
        member = self._serving(agent, tool.node, tool_class(tool))
        member.functions = {function.name: function for function in tool.functions}
        return member

    def _serving(self, agent: Member, node_id: str, kind: type[Any]) -> Member:
        return Member(
            id=node_id,
            agent=agent.id,
            logical_type='stand_in',
            instance_class=kind,
            global_class=self.platform.lib.IGlobalBase,
            iendpoint=self._iendpoint(),
            parent=agent,
        )

    def _iendpoint(self) -> Any:
        iendpoint = self.platform.lib.IEndpointBase()
        iendpoint.endpoint = self._endpoint
        return iendpoint

    # ------------------------------------------------------------------------------------------------------ lifecycle

    def begin(self) -> None:
        """Begin all nodes, once; what one of them raises is raised again at every later call."""
        with self._lock:
            if self._broken is not None:
                raise self._broken
            # Two nodes may have one logical type (a node and a changed copy): the one in use must be the one known.
            self.platform.register(self._node.logical_type, self._node.service)
            if self._begun:
                return
            self._begun = True
            self.platform.installs()
            try:
                for member in self.members:
                    if member.global_class is not None:
                        member.iglobal = member.global_class()
                        member.iglobal.IEndpoint = member.iendpoint
                        member.iglobal.glb = Glb(member.logical_type, self.platform.json(member.config))
                        self.call(member.iglobal, 'beginGlobal')
            except BaseException as error:
                self._broken = error
                raise
            finally:
                self.installs = self.platform.installs()

    @property
    def service(self) -> dict[str, Any]:
        """The service definition of the node under test."""
        return self._node.service

    def call(self, target: Any, method: str, *args: Any) -> Any:
        """Call a method of a node object, where it has it; "prevent default" is no error to the engine."""
        try:
            return getattr(target, method)(*args) if hasattr(target, method) else None
        except self.platform.lib.APERR as error:
            if error.ec != self.platform.lib.Ec.PreventDefault:
                raise
            return None

    def pipe(self) -> Pipe:
        """Open another pipe: a new IInstance of every node, on the shared objects of this pipeline."""
        with self._lock:
            pipe = Pipe(self, len(self._pipes))
            self._pipes.append(pipe)
            return pipe

    def close(self) -> Failure | None:
        """End all pipes and nodes; return the first exception that a node raised at it."""
        with self._lock:
            pipes, self._pipes, self._broken = self._pipes, [], None
            begun, self._begun = self._begun, False
        ends = [(made, 'endInstance') for pipe in pipes for made in pipe.instances()]
        ends += [(member.iglobal, 'endGlobal') for member in self.members if begun and member.iglobal is not None]
        failures = [attempt(functools.partial(self.call, target, method)).raised for target, method in ends]
        return next((failure for failure in failures if failure is not None), None)


class Pipe:
    """One pipe of a pipeline: its own IInstance of every node, its own record, its own place in every script.

    A pipe takes one delivery at a time; pipes of one pipeline may work at the same time. `recorder` is that of the last
    delivery: with each one all scripts begin anew. `meet` is called before every LLM call.
    """

    def __init__(self, pipeline: Pipeline, number: int) -> None:
        self.number = number
        self.recorder = Recorder()
        self.meet: Callable[[], None] = _alone
        self._pipeline = pipeline
        self._lock = threading.Lock()
        self._instances: dict[Member, Any] = {}
        self._models: dict[Member, ModelSide] = {}
        self._scripts: dict[tuple[Member, str], Script] = {}

    # ---------------------------------------------------------------------------------------------------- deliveries

    def ask(self, question: Any) -> Outcome:
        """Deliver a question to the lane `questions`; the payload is what `writeQuestions` returned."""
        return attempt(functools.partial(self._ask, question))

    def call_tool(self, given: Any, name: str = 'run_agent') -> Outcome:
        """Call the node as a parent agent does: ask for its tools, then call one; the payload is its output."""
        return attempt(functools.partial(self._call_tool, given, name))

    def configure(self) -> Outcome:
        """Open the node to be configured, as an editor of pipelines does: it begins, and nothing is asked of it."""
        pipeline = self._pipeline
        self.recorder = Recorder()
        outcome = attempt(pipeline.begin)
        self.recorder.installs, self.recorder.service = pipeline.installs, json_safe(pipeline.service)
        return outcome

    def descriptors(self) -> list[dict[str, Any]]:
        """Return the tool descriptors of the node under test, as a parent agent gets them; what it raises is raised."""
        return self._query(self._begin())

    def _begin(self) -> Any:
        """Get everything ready for a delivery and return the IInstance of the node under test."""
        from harness.llm import scripted_client

        pipeline = self._pipeline
        self.recorder = Recorder()
        self._scripts = {}
        self._models = {member: scripted_client(member.script) for member in pipeline.members if member.script}
        try:
            pipeline.begin()
        finally:
            self.recorder.installs = pipeline.installs
        for member in pipeline.members:
            if member not in self._instances:
                made = member.instance_class()
                place(made, member, self, pipeline.platform)
                self._instances[member] = made
                pipeline.call(made, 'beginInstance')
        return self._instances[pipeline.agent]

    def _ask(self, question: Any) -> Any:
        agent, call = self._begin(), self._pipeline.call
        agent.instance.currentObject = self._pipeline.platform.lib.Entry('null://Stream/question')
        call(agent, 'open', agent.instance.currentObject)
        try:
            payload = call(agent, 'writeQuestions', question)
            call(agent, 'closing')
        finally:
            call(agent, 'close')
        return payload

    def _call_tool(self, given: Any, name: str) -> Any:
        agent = self._begin()
        self.recorder.describe(self._query(agent))
        types = self._pipeline.platform.types
        invoke = types.IInvokeTool.Invoke(tool_name=name, input=given)
        agent.control(types.IInvoke(param=invoke))
        return invoke.output

    def _query(self, agent: Any) -> list[dict[str, Any]]:
        types = self._pipeline.platform.types
        query = types.IInvokeTool.Query()
        self._pipeline.call(agent, 'control', types.IInvoke(param=query))
        return list(query.tools)

    # ------------------------------------------------------------------------------------ for the nodes in this pipe

    def instances(self) -> list[Any]:
        """Return the IInstances of this pipe."""
        return list(self._instances.values())

    def instance_of(self, member: Member) -> Any:
        """Return the IInstance of a node in this pipe."""
        return self._instances[member]

    def model_of(self, member: Member) -> ModelSide:
        """Return the model side that a node asks: the script of the nearest agent that has one, else the client."""
        nearest: Member | None = member
        while nearest is not None:
            if nearest in self._models:
                return self._models[nearest]
            nearest = nearest.parent
        if self._pipeline.client is None:
            raise RuntimeError('no pipeline is made without a model side')
        return self._pipeline.client

    def script_of(self, member: Member, function: str) -> Script:
        """Return the script of a tool function, as far as this delivery has come in it."""
        with self._lock:
            key = (member, function)
            if key not in self._scripts:
                name = f'{member.id}.{function}'
                self._scripts[key] = Script(name, member.functions[function], self._pipeline.tools)
            return self._scripts[key]


def _alone() -> None:
    pass


def _nodes(tools: tuple[ToolNode, ...]) -> Iterator[ToolNode]:
    for tool in tools:
        yield tool
        if tool.agent is not None:
            yield from _nodes(tool.agent.tools)


def _python_tools(tools: tuple[ToolNode, ...], folder: Path | None) -> Mapping[str, Callable[[Any], Any]]:
    names = {name for tool in _nodes(tools) for function in tool.functions for name in python_names(function)}
    if not names:
        return {}
    file = (folder or Path()) / 'tools.py'
    check_tools(file, names)
    return load_tools(file)
