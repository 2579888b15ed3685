"""The platform's value types: engine enumerations, JSON values, and the messages of the control plane."""

from __future__ import annotations

import builtins
import uuid
from typing import Any

from depends import depends as _depends
from engLib import AVI_ACTION as AVI_ACTION
from engLib import ENDPOINT_MODE as ENDPOINT_MODE
from engLib import FLAGS as FLAGS
from engLib import OPEN_MODE as OPEN_MODE
from engLib import PROTOCOL_CAPS as PROTOCOL_CAPS
from engLib import SERVICE_MODE as SERVICE_MODE
from engLib import TAG as TAG
from engLib import TAG_ID as TAG_ID
from engLib import Entry as Entry
from engLib import IJson as _EngineJson
from pydantic import BaseModel, ConfigDict, Field, computed_field

_depends()


class IControl(BaseModel):
    """An envelope on the control plane: what is asked for, and the answer to it."""

    model_config = ConfigDict(extra='allow')

    control: str
    result: Any = None


class IInvoke(IControl):
    """The envelope of an operation; `param` carries the operation."""

    control: str = 'invoke'


class IInvokeOp(BaseModel):
    """An operation that one node asks of another; `lane` is the channel it goes through. Further fields are welcome."""

    model_config = ConfigDict(extra='allow')

    lane: str = ''

    @computed_field  # type: ignore[prop-decorator]
    @property
    def type(self) -> str:
        """The name of the operation's class, with the class around it."""
        return builtins.type(self).__qualname__


class IInvokeLLM(IInvoke):
    """Operations of the llm channel."""

    class Ask(IInvokeOp):
        """Ask a question (a `Question` object); the result is an `Answer`."""

        lane: str = 'llm'
        op: str = Field(default='ask', frozen=True)
        question: Any

    class GetContextLength(IInvokeOp):
        """Ask how many tokens the model takes."""

        lane: str = 'llm'
        op: str = Field(default='getContextLength', frozen=True)

    class GetOutputLength(IInvokeOp):
        """Ask how many tokens the model gives."""

        lane: str = 'llm'
        op: str = Field(default='getOutputLength', frozen=True)

    class GetTokenCounter(IInvokeOp):
        """Ask for a function that counts tokens."""

        lane: str = 'llm'
        op: str = Field(default='getTokenCounter', frozen=True)


class IInvokeTool(IInvoke):
    """Operations of the tool channel."""

    class Query(IInvokeOp):
        """Ask for tool descriptors: each node adds its own to `tools`."""

        lane: str = 'tool'
        op: str = Field(default='tool.query', frozen=True)
        tools: list[Any] = Field(default_factory=list)

    class Invoke(IInvokeOp):
        """Call a tool by its bare name; the node puts what it gives back into `output`."""

        lane: str = 'tool'
        op: str = Field(default='tool.invoke', frozen=True)
        tool_name: str
        input: Any
        output: Any = None

    class Validate(IInvokeOp):
        """Have the input of a tool checked without a call."""

        lane: str = 'tool'
        op: str = Field(default='tool.validate', frozen=True)
        tool_name: str
        input: Any


class IInvokeMemory(IInvokeTool):
    """Operations of the memory channel: calls of tools with fixed names."""

    class Put(IInvokeTool.Invoke):
        """Keep a value."""

        lane: str = 'memory'
        tool_name: str = Field(default='put', frozen=True)

    class Get(IInvokeTool.Invoke):
        """Read a value."""

        lane: str = 'memory'
        tool_name: str = Field(default='get', frozen=True)

    class List(IInvokeTool.Invoke):
        """List the keys."""

        lane: str = 'memory'
        tool_name: str = Field(default='list', frozen=True)

    class Clear(IInvokeTool.Invoke):
        """Forget one value, or all."""

        lane: str = 'memory'
        tool_name: str = Field(default='clear', frozen=True)


class _Described(BaseModel):
    """What a managed sub-agent says about itself."""

    model_config = ConfigDict(extra='allow')

    node_id: str = ''
    instructions: list[str] = Field(default_factory=list)
    invoke: Any = None


class IInvokeCrew(IInvoke):
    """Operations between a crew manager and its sub-agents."""

    class Describe(IInvokeOp):
        """Ask each sub-agent to add its description to `agents`."""

        lane: str = 'crewai'
        op: str = Field(default='describe', frozen=True)
        agents: list[Any] = Field(default_factory=list)

    class DescribeResponse(_Described):
        """The description of one sub-agent."""

        role: str
        task_description: str
        goal: str = ''
        backstory: str = ''
        expected_output: str = ''


class IInvokeDeepagent(IInvoke):
    """Operations between a deep agent and its sub-agents."""

    class Describe(IInvokeOp):
        """Ask each sub-agent to add its description to `agents`."""

        lane: str = 'deepagent'
        op: str = Field(default='describe', frozen=True)
        agents: list[Any] = Field(default_factory=list)

    class DescribeResponse(_Described):
        """The description of one sub-agent."""

        name: str
        description: str = ''
        system_prompt: str = ''


class IJson(_EngineJson):  # type: ignore[misc]
    """A JSON object or array of the engine; `IJson.toDict(value)` gives plain data of any value."""

    @staticmethod
    def toDict(obj: Any) -> Any:
        """Return a value with every engine JSON inside it turned into dicts and lists."""
        if isinstance(obj, _EngineJson):
            return _EngineJson.toDict(obj)
        if isinstance(obj, dict):
            return {key: IJson.toDict(value) for key, value in obj.items()}
        if isinstance(obj, list):
            return [IJson.toDict(value) for value in obj]
        return obj


class IDict(dict[str, Any]):
    """A dictionary that the engine also knows."""


def getObject(filename: str | None = None, defaultUrl: str | None = None, obj: dict[str, Any] | None = None) -> Entry:
    """Make an object to send through a pipe; what is not given gets a name of its own."""
    given = {**(obj or {}), **({'name': filename} if filename else {}), **({'url': defaultUrl} if defaultUrl else {})}
    name = given.setdefault('name', str(uuid.uuid4()))
    url = given.pop('url', f'null://Stream/{name}')
    entry = Entry(url)
    entry.objectId = str(uuid.uuid5(uuid.NAMESPACE_URL, url))
    for key, value in given.items():
        if key != 'flags' and hasattr(entry, key):
            setattr(entry, key, value)
    return entry
