"""The base classes of a node, and how the operations that reach it find their methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict, TypeVar
from weakref import WeakKeyDictionary

import engLib

from .engine import monitorSSE
from .error import APERR, Ec
from .types import IInvoke

F = TypeVar('F', bound=Callable[..., Any])


class ToolDescriptor(TypedDict, total=False):
    """What a node says about one of its tools."""

    name: str
    description: str
    inputSchema: dict[str, Any]
    outputSchema: dict[str, Any]


def invoke_function(fn: F) -> F:
    """Mark a method as the handler of the operation that has its name."""
    fn.__invoke_op__ = fn.__name__  # type: ignore[attr-defined]
    return fn


def tool_function(*, input_schema: Any = None, description: Any = None, output_schema: Any = None) -> Callable[[F], F]:
    """Mark a method as a tool that has its name.

    Each of the three is a value, or a function of the node object that gives the value when tools are asked for.
    """

    def mark(fn: F) -> F:
        fn.__tool_meta__ = {  # type: ignore[attr-defined]
            'input_schema': input_schema,
            'description': description,
            'output_schema': output_schema,
        }
        return fn

    return mark


class IServiceEndpoint:
    """The engine side of an endpoint, as type checkers see it."""


class IServiceFilterPipe:
    """The engine side of a pipe, as type checkers see it."""


class ILoader:
    """The starter of a pipeline, as type checkers see it."""


class _Base:
    """What all node objects have in common."""

    def preventDefault(self) -> None:
        """Tell the engine that the node has done what was to be done."""
        raise APERR(Ec.PreventDefault, 'the node has handled this')


class IEndpointBase(_Base):
    """The node's side of an endpoint; `endpoint` is the engine's side."""

    endpoint: Any = None

    def beginEndpoint(self) -> None:
        """Called when the endpoint starts."""

    def endEndpoint(self) -> None:
        """Called when the endpoint ends."""

    def getConfigSubKey(self) -> Any:
        """Called for a key that identifies the configuration."""

    def validateConfig(self, syntaxOnly: bool) -> None:
        """Called to have the configuration checked."""

    def getPipeFilters(self) -> Any:
        """Called for further filters."""

    def scanObjects(self, path: str, callback: Callable[[dict[str, Any]], int]) -> None:
        """Called to list objects."""


class IGlobalBase(_Base):
    """What a node shares between all its pipes; `glb` is the engine's side."""

    IEndpoint: Any = None
    glb: Any = None

    def beginGlobal(self) -> None:
        """Called once before the first pipe opens."""

    def endGlobal(self) -> None:
        """Called once after the last pipe closed."""


def _nothing(name: str) -> Callable[..., None]:
    def hook(self: Any, *args: Any, **kwargs: Any) -> None:
        return None

    hook.__name__ = name
    hook.__doc__ = f'Called by the engine ({name}); does nothing unless a node says otherwise.'
    return hook


# To look at every name of a class costs more than all else that a call goes through.
_marked_names: WeakKeyDictionary[type, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


class IInstanceBase(_Base):
    """A node in one pipe; `instance` is the engine's side, `IGlobal` what it shares with the other pipes."""

    IEndpoint: Any = None
    IGlobal: Any = None
    instance: Any = None

    def control(self, control: Any) -> None:
        """Take an envelope of the control plane and put the answer into it."""
        if control.control != 'invoke':
            raise APERR(Ec.InvalidParam, f'{self._driver()} does not know the control {control.control}')
        control.result = self.invoke(control.param)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        """Hand an operation to the method it is for.

        `tool.*` operations go to the methods marked with `@tool_function`, all others to the method marked with
        `@invoke_function` that has the name of the operation.

        Raises:
            APERR: InvalidParam where no method is for the operation, PreventDefault as `_dispatch_tool` says.
        """
        param = args[0] if args else None
        op = self._get_op(param)
        if isinstance(op, str):
            if op.startswith('tool.'):
                return self._dispatch_tool(param, op)
            handler = self._collect_invoke_methods().get(op)
            if handler is not None:
                return handler(param)
        raise APERR(Ec.InvalidParam, f'{self._driver()} takes no such operation: {op}')

    def _driver(self) -> str:
        glb = getattr(self.IGlobal, 'glb', None)
        return str(getattr(glb, 'logicalType', type(self).__name__))

    def _marked(self, mark: str) -> dict[str, Callable[..., Any]]:
        kind = type(self)
        known = _marked_names.setdefault(kind, {})
        if mark not in known:
            known[mark] = tuple(name for name in dir(kind) if hasattr(getattr(kind, name, None), mark))
        return {name: getattr(self, name) for name in known[mark]}

    def _collect_invoke_methods(self) -> dict[str, Callable[..., Any]]:
        methods = self._marked('__invoke_op__').values()
        return {method.__invoke_op__: method for method in methods}  # type: ignore[attr-defined]

    def _collect_tool_methods(self) -> dict[str, Callable[..., Any]]:
        return self._marked('__tool_meta__')

    def _build_tool_descriptors(self, methods: dict[str, Callable[..., Any]]) -> list[ToolDescriptor]:
        before = self._tool_config_description()
        descriptors: list[ToolDescriptor] = []
        for name, method in methods.items():
            meta: dict[str, Any] = method.__tool_meta__  # type: ignore[attr-defined]
            value = {key: part(self) if callable(part) else part for key, part in meta.items()}
            text = value['description'] if value['description'] is not None else (method.__doc__ or '').strip()
            descriptor = ToolDescriptor(
                name=name, description=f'{before} {text}' if before else text, inputSchema=value['input_schema']
            )
            if value['output_schema']:
                descriptor['outputSchema'] = value['output_schema']
            descriptors.append(descriptor)
        return descriptors

    def _dispatch_tool(self, param: Any, op: str) -> Any:
        """Answer an operation of the tool channel.

        `tool.query` adds the descriptors to `param.tools` and raises PreventDefault, so that the engine asks the next
        node as well. `tool.invoke` puts what the tool gives back into `param.output` and returns `param`; a name that
        is not one of this node's raises PreventDefault.

        Raises:
            ValueError: the name of the tool is no text, or the operation is another one.
        """
        methods = self._collect_tool_methods()
        dynamic = type(self)._tool_query_dynamic is not IInstanceBase._tool_query_dynamic
        if not methods and not dynamic:
            raise APERR(Ec.PreventDefault, 'this node has no tools')
        if op == 'tool.query':
            catalog = self._get_param_field(param, 'tools')
            descriptors: list[Any] = [*self._build_tool_descriptors(methods), *self._tool_query_dynamic()]
            if isinstance(catalog, list):
                catalog.extend(descriptors)
                self._set_param_field(param, 'tools', catalog)
            raise APERR(Ec.PreventDefault, 'the next node may have tools as well')
        if op != 'tool.invoke':
            raise ValueError(f'the tool channel has no operation {op}')
        name = self._get_param_field(param, 'tool_name')
        if not isinstance(name, str) or not name.strip():
            raise ValueError('the name of the tool must be a text that is not blank')
        name = name.strip()
        given = self._get_param_field(param, 'input')
        if name in methods:
            output = methods[name](given)
        elif dynamic:
            output = self._tool_invoke_dynamic(tool_name=name, input_obj=given)
        else:
            raise APERR(Ec.PreventDefault, f'the tool {name} is not one of this node')
        self._set_param_field(param, 'output', output)
        return param

    def _tool_query_dynamic(self) -> list[Any]:
        """Return descriptors of tools that are known only at run time; for nodes to override."""
        return []

    def _tool_invoke_dynamic(self, *, tool_name: str, input_obj: Any) -> Any:
        """Call a tool that is known only at run time; for nodes to override."""
        raise ValueError(f'there is no tool {tool_name}')

    def _tool_config_description(self) -> str:
        """Return the text that goes before the description of every tool of this node."""
        return (getattr(self.IGlobal, 'tool_description', None) or '').strip()

    @staticmethod
    def _get_op(param: Any) -> Any:
        return IInstanceBase._get_param_field(param, 'op')

    @staticmethod
    def _get_param_field(param: Any, name: str) -> Any:
        return param.get(name) if isinstance(param, dict) else getattr(param, name, None)

    @staticmethod
    def _set_param_field(param: Any, name: str, value: Any) -> None:
        if isinstance(param, dict):
            param[name] = value
        elif param is not None:
            try:
                setattr(param, name, value)
            except Exception:  # a param that takes no values is the caller's affair, as on the platform
                return

    beginInstance = _nothing('beginInstance')
    endInstance = _nothing('endInstance')
    checkChanged = _nothing('checkChanged')
    removeObject = _nothing('removeObject')
    renderObject = _nothing('renderObject')
    getPermissions = _nothing('getPermissions')
    stat = _nothing('stat')
    open = _nothing('open')
    closing = _nothing('closing')
    close = _nothing('close')
    writeText = _nothing('writeText')
    writeTable = _nothing('writeTable')
    writeAudio = _nothing('writeAudio')
    writeVideo = _nothing('writeVideo')
    writeImage = _nothing('writeImage')
    writeQuestions = _nothing('writeQuestions')
    writeAnswers = _nothing('writeAnswers')
    writeDocuments = _nothing('writeDocuments')
    writeClassifications = _nothing('writeClassifications')
    writeClassificationContext = _nothing('writeClassificationContext')


def _invoke(self: Any, param: Any, component_id: str = '') -> Any:
    control = IInvoke.model_validate({'param': param})
    self.control(param.lane, control, nodeId=component_id)
    return control.result


def _send_sse(self: Any, type: str, **data: Any) -> None:  # noqa: A002 - the platform's name
    monitorSSE(self.pipeId, type, data or None)


engLib.IFilterInstance.invoke = _invoke
engLib.IFilterInstance.sendSSE = _send_sse
