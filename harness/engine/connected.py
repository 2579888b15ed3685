"""The nodes that a pipeline connects to an agent: LLM nodes and scripted tool nodes, as real node classes."""

from __future__ import annotations

import copy
import functools
import time
from typing import TYPE_CHECKING, Any, Protocol

from harness.engine.platform import ensure_platform
from harness.engine.values import failure_of
from harness.record import Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.scenario import ToolFunction, ToolNode


class ModelSide(Protocol):
    """What answers the prompts of an LLM node: a chat client, live or replayed."""

    def complete(self, prompt: str, stop: list[str] | None) -> Any:
        """Return the completion of a prompt: its text, finish reason, tokens and latency."""


# --------------------------------------------------------------------------------------------------------- LLM nodes


@functools.cache
def llm_class() -> type[Any]:
    """Return the IInstance class of an LLM node: `ask` goes to the model side of the agent it is connected to."""
    lib = ensure_platform().lib
    handlers = (ask, getContextLength, getOutputLength, getTokenCounter)
    return type('IInstance', (lib.IInstanceBase,), {fn.__name__: lib.invoke_function(fn) for fn in handlers})


def ask(self: Any, param: Any) -> Any:
    """Send the prompt of a question to the model and return its answer; a reply without text is an empty answer.

    Raises:
        ModelError: the model side refused or failed; the turn says so.
    """
    from rocketride.schema import Answer

    from harness.llm import ModelError

    side = self.instance
    recorder, agent = side.pipe.recorder, side.member.agent
    if recorder.fault is not None:
        raise recorder.fault
    prompt, stop = _prompt(param), _stop_words(param)
    index = recorder.ask(agent)
    kept = recorder.text(prompt)
    asked = {'agent': agent, 'index': index, 'prompt': kept, 'stop': tuple(stop) if stop else None}
    began = time.perf_counter()
    side.pipe.meet()
    try:
        completion = side.pipe.model_of(side.member).complete(prompt, stop)
    except (ModelError, RecursionError, MemoryError) as error:  # the latter two are the node's own doing
        recorder.turn(Turn(**asked, error=failure_of(error), latency_s=time.perf_counter() - began))
        raise
    except Exception as error:  # a fault of ours or of the recording: the node may swallow it, the run must not
        recorder.blame(error)
        raise
    recorder.turn(
        Turn(
            **asked,
            output=None if completion.text is None else recorder.text(completion.text),
            finish_reason=completion.finish_reason,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            latency_s=completion.latency_s,
        )
    )
    answer = Answer(expectJson=bool(getattr(param.question, 'expectJson', False)))
    if completion.text is not None:
        answer.setAnswer(completion.text)
    return answer


def _prompt(param: Any) -> str:
    prompt = param.question.getPrompt()
    if not isinstance(prompt, str):
        raise TypeError(f'the prompt of an LLM call is no text, it is of the type {type(prompt).__name__}')
    return str(prompt)


def _stop_words(param: Any) -> list[str] | None:
    words = getattr(param, 'stop', None) or getattr(param, 'stop_words', None)
    if not words:
        return None
    return [words] if isinstance(words, str) else [str(word) for word in words]


def getContextLength(self: Any, param: Any) -> int:
    """Return how many tokens the model takes."""
    return 32_768


def getOutputLength(self: Any, param: Any) -> int:
    """Return how many tokens the model gives."""
    return 4_096


def getTokenCounter(self: Any, param: Any) -> Callable[[str], int]:
    """Return a function that counts tokens: words, here."""
    return lambda text: len(text.split())


# ------------------------------------------------------------------------------------------------------- memory nodes


@functools.cache
def memory_class() -> type[Any]:
    """Return the IInstance class of a memory node: values by key, kept for one delivery."""
    lib = ensure_platform().lib
    schema = {'type': 'object', 'properties': {'key': {'type': 'string'}}}

    def beginInstance(self: Any) -> None:
        self.values = {}

    def put(self: Any, given: Any) -> dict[str, Any]:
        self.values[_memory_key(given)] = given.get('value')
        return {'ok': True, 'key': _memory_key(given)}

    def get(self: Any, given: Any) -> dict[str, Any]:
        key = _memory_key(given)
        return {'ok': key in self.values, 'key': key, 'value': copy.deepcopy(self.values.get(key))}

    def keys(self: Any, given: Any) -> dict[str, Any]:
        return {'ok': True, 'keys': sorted(self.values)}

    def clear(self: Any, given: Any) -> dict[str, Any]:
        wanted = [_memory_key(given)] if isinstance(given, dict) and given.get('key') else sorted(self.values)
        return {'ok': True, 'cleared': [key for key in wanted if self.values.pop(key, self) is not self]}

    functions = {'put': put, 'get': get, 'list': keys, 'clear': clear}
    tools = {}
    for name, function in functions.items():
        function.__name__ = name
        tools[name] = lib.tool_function(input_schema=schema, description=f'{name} values by key')(function)
    return type('IInstance', (lib.IInstanceBase,), {'beginInstance': beginInstance, **tools})


def _memory_key(given: Any) -> str:
    key = given.get('key') if isinstance(given, dict) else None
    if not isinstance(key, str) or not key.strip():
        raise ValueError('the memory needs a `key` that is a text')
    return key.strip()


# -------------------------------------------------------------------------------------------------------- tool nodes


def tool_class(node: ToolNode) -> type[Any]:
    """Return the IInstance class of a scripted tool node; its calls go to the scripts of the pipe it is in.

    A function whose name can be a method's is a real `@tool_function` method; the others (a dotted name, or the name of
    a method of the platform) come through the hooks for tools that are known at run time. A dead node fails at every
    operation.
    """
    lib = ensure_platform().lib
    members: dict[str, Any] = {'invoke': _dead} if node.dead else {}
    loose: list[ToolFunction] = []
    for function in node.functions:
        if _can_be_a_method(function.name, lib.IInstanceBase):
            members[function.name] = _method(function, lib)
        else:
            loose.append(function)
    if loose:
        members['_tool_query_dynamic'] = lambda self: [_descriptor(function) for function in loose]
        members['_tool_invoke_dynamic'] = _call_loose
    return type('IInstance', (lib.IInstanceBase,), members)


def _can_be_a_method(name: str, base: Any) -> bool:
    return name.isidentifier() and name != 'endpoint' and not hasattr(base, name)


def _call(self: Any, name: str, given: Any) -> Any:
    side = self.instance
    return side.pipe.script_of(side.member, name)(given)


def _method(function: ToolFunction, lib: Any) -> Any:
    def call(self: Any, args: Any) -> Any:
        return _call(self, function.name, args)

    call.__name__ = function.name
    return lib.tool_function(
        input_schema=lambda self: copy.deepcopy(function.input_schema),
        description=function.description,
        output_schema=lambda self: copy.deepcopy(function.output_schema),
    )(call)


def _descriptor(function: ToolFunction) -> dict[str, Any]:
    descriptor = {
        'name': function.name,
        'description': function.description,
        'inputSchema': copy.deepcopy(function.input_schema),
    }
    if function.output_schema:
        descriptor['outputSchema'] = copy.deepcopy(function.output_schema)
    return descriptor


def _call_loose(self: Any, *, tool_name: str, input_obj: Any) -> Any:
    if tool_name not in self.instance.member.functions:
        raise ValueError(f'this node has no tool {tool_name}')
    return _call(self, tool_name, input_obj)


def _dead(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise ConnectionError(f'the service behind the tool node {self.instance.member.id} does not answer')
