"""What scripted tools do: results, exceptions by name, and functions from the `tools.py` beside a scenario."""

from __future__ import annotations

import builtins
import copy
import difflib
import functools
import hashlib
import importlib.util
import sys
import threading
import traceback
from types import FunctionType
from typing import TYPE_CHECKING, Any

from harness.engine.threads import excused
from harness.engine.values import same_json
from harness.files import leads_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from harness.scenario import RaisesSpec, ToolFunction, ToolResult

_NEVER_RAISED = (KeyboardInterrupt, GeneratorExit)
_modules: dict[Path, dict[str, Callable[[Any], Any]]] = {}
_lock = threading.Lock()


class ToolsError(Exception):
    """The `tools.py` beside a scenario is missing, does not import, or lacks a function that the scenario names."""


class NoScriptedResult(LookupError):
    """A scripted tool was called once too often, or with an input that its script does not name."""


class Script:
    """The script of one tool function in one run; calling it is calling the tool.

    `tools` are the functions of the `tools.py` beside the scenario, by name. Any thread may call.
    """

    def __init__(self, name: str, function: ToolFunction, tools: Mapping[str, Callable[[Any], Any]]) -> None:
        self._name = name
        self._function = function
        self._tools = tools
        self._calls = 0
        self._lock = threading.Lock()

    def __call__(self, given: Any) -> Any:
        with self._lock:
            number = self._calls
            self._calls += 1
        function = self._function
        if function.calls is not None:
            if number >= len(function.calls):
                raise NoScriptedResult(f'call {number + 1} of {self._name}: only {len(function.calls)} are scripted')
            return self._result(function.calls[number], given)
        if function.matches is not None:
            for match in function.matches:
                if same_json(match.input, given):
                    return self._result(match, given)
            raise NoScriptedResult(f'{self._name} has no scripted result for this input')
        return self._result(function, given)

    def _result(self, result: ToolFunction | ToolResult, given: Any) -> Any:
        if result.raises is not None:
            raise exception_of(result.raises)
        if result.python is not None:
            with excused():
                return self._tools[result.python](given)
        return result.text if result.text is not None else copy.deepcopy(result.returns)


def python_names(function: ToolFunction) -> set[str]:
    """Return the names of the Python functions that a tool function calls."""
    results: list[ToolFunction | ToolResult] = [function, *(function.calls or ()), *(function.matches or ())]
    return {result.python for result in results if result.python is not None}


# --------------------------------------------------------------------------------------------------------- exceptions


def exception_of(spec: RaisesSpec) -> BaseException:
    """Return an exception whose class has the given name: the builtin one, else a new subclass of Exception."""
    try:
        return _class_of(spec.type)(spec.message)
    except TypeError:  # a builtin that is not made of a message, such as UnicodeDecodeError
        return _new_class(spec.type)(spec.message)


def _class_of(name: str) -> type[BaseException]:
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, BaseException) and not issubclass(found, _NEVER_RAISED):
        return found
    return _new_class(name)


@functools.cache
def _new_class(name: str) -> type[Exception]:
    return type(name, (Exception,), {'__module__': 'scenario'})


# ----------------------------------------------------------------------------------------------------------- tools.py


def load_tools(file: Path) -> Mapping[str, Callable[[Any], Any]]:
    """Return the functions of a `tools.py` by name; a file is executed once, whatever asks for it.

    Raises:
        ToolsError: the file is missing or does not import.
    """
    if leads_out(file, file.parent):
        raise ToolsError(f'{file} leads out of its folder: only the functions beside a scenario are its tools')
    file = file.resolve()
    with _lock:
        if file not in _modules:
            _modules[file] = _functions(file)
        return _modules[file]


def check_tools(file: Path, names: set[str]) -> None:
    """Raise ToolsError unless a `tools.py` has functions of all these names."""
    functions = load_tools(file)
    for name in sorted(names - functions.keys()):
        close = difflib.get_close_matches(name, functions, n=1)
        hint = f'; did you mean {close[0]}?' if close else ': define it there'
        raise ToolsError(f'{file} has no function {name}{hint}')


def _functions(file: Path) -> dict[str, Callable[[Any], Any]]:
    if not file.is_file():
        raise ToolsError(f'{file} is missing: a tool of a scenario in its folder is a Python function; write it there')
    name = f'_tools_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}'
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ToolsError(f'{file} cannot be imported')
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
        place = f'{file}:{lines[-1]}' if lines else str(file)
        raise ToolsError(f'{place}: the file does not import: {type(error).__name__}: {error}') from error
    return {key: value for key, value in vars(module).items() if not key.startswith('_') and _is_own(value, name)}


def _is_own(value: Any, module: str) -> bool:
    """Tell whether a value is a function of this module: what it imports for itself is no tool of a scenario."""
    return isinstance(value, FunctionType) and value.__module__ == module
