"""The channels of the node: the LLM it reasons with and the tools it can call, both through the host."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rocketlib import debug
from rocketlib.types import IInvokeLLM, IInvokeTool, IJson

from .values import encodable, to_text

if TYPE_CHECKING:
    from rocketride.schema import Question


class ToolNotFoundError(ValueError):
    """The model named a tool that is not connected."""


@dataclass(frozen=True, slots=True)
class LlmChannel:
    """The one LLM node that is connected."""

    instance: Any
    node_id: str

    @classmethod
    def of(cls, instance: Any) -> LlmChannel:
        """Return the channel of a pipe.

        Raises:
            ValueError: there is no LLM node, or more than one.
        """
        nodes = list(instance.getControllerNodeIds('llm'))
        if len(nodes) != 1:
            raise ValueError(f'agent_llamaindex: channel "llm" needs exactly 1 connected node, found {len(nodes)}')
        return cls(instance, nodes[0])

    def ask(self, question: Question, stop_words: list[str]) -> str:
        """Return the model's reply as text, '' where it gave none; errors of the LLM node pass."""
        reply = self.instance.invoke(
            IInvokeLLM.Ask(question=question, stop=list(stop_words)), component_id=self.node_id
        )
        text = reply.getText() if hasattr(reply, 'getText') else reply
        return '' if text is None else str(text)


@dataclass(frozen=True, slots=True)
class Tool:
    """One function of a connected tool node; `name` is `<node id>.<function>`."""

    name: str
    node_id: str
    function: str
    description: str
    input_schema: dict[str, Any]

    @property
    def needs_input(self) -> bool:
        """Say whether the schema requires anything."""
        return bool(self.input_schema.get('required'))


@dataclass(frozen=True, slots=True)
class ToolChannel(Mapping[str, Tool]):
    """The tools that are connected, by name."""

    instance: Any
    tools: Mapping[str, Tool] = field(default_factory=dict)

    @classmethod
    def of(cls, instance: Any) -> ToolChannel:
        """Ask every connected tool node for its tools; a node that cannot answer has none.

        Of two tools with the same name the later one counts, with all that belongs to it.
        """
        tools = (tool for node in instance.getControllerNodeIds('tool') for tool in _discover(instance, node))
        return cls(instance, {tool.name: tool for tool in tools})

    def __getitem__(self, name: str) -> Tool:
        return self.tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return what the tool returned; whatever it raises passes. The tool gets a copy of the arguments."""
        tool = self.tools[name]
        request = IInvokeTool.Invoke(tool_name=tool.function, input=copy.deepcopy(arguments))
        self.instance.invoke(request, component_id=tool.node_id)
        return request.output

    def not_found(self, name: str) -> ToolNotFoundError:
        """Return the error that tells the model which tools there are."""
        return ToolNotFoundError(f'there is no tool named {name!r}; the tools are: {", ".join(self.tools)}')


def _discover(instance: Any, node_id: str) -> list[Tool]:
    query = IInvokeTool.Query()
    try:
        instance.invoke(query, component_id=node_id)
    except KeyboardInterrupt:
        raise
    except BaseException as end:
        # The engine's protocol: a tool node adds its tools and then raises, so that the next node is asked too.
        if not query.tools:
            debug(f'llamaindex agent: no tools of {node_id}: {type(end).__name__}: {encodable(to_text(end))}')
    found = (_tool(node_id, descriptor) for descriptor in query.tools or ())
    return [tool for tool in found if tool is not None]


def _tool(node_id: str, descriptor: Any) -> Tool | None:
    """Return the tool of a descriptor, or None where it names none: nobody could call that one."""
    try:
        name, description, schema = (descriptor.get(key) for key in ('name', 'description', 'inputSchema'))
    except Exception:
        return None
    if not isinstance(name, str) or not name.strip():
        return None
    function = name.strip()
    return Tool(
        f'{node_id}.{function}', node_id, function, to_text('' if description is None else description), _plain(schema)
    )


def _plain(schema: Any) -> dict[str, Any]:
    """Return an input schema as a dict, also if it is the engine's JSON or a text; without one, any object will do."""
    try:
        return dict(IJson.toDict(json.loads(schema) if isinstance(schema, str) else schema))
    except Exception:
        return {'type': 'object', 'properties': {}}
