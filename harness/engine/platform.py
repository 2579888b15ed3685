"""Where `rocketlib`, `depends` and `ai.common.config` come from: an installed engine, a checkout, or our stand-ins."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from types import ModuleType

CHECKOUT = 'ROCKETRIDE_SERVER'
"""The environment variable that names a checkout of the platform's server."""

_STANDIN = Path(__file__).parent / 'standin'
_CHECKOUT_PATHS = (
    Path('packages/server/engine-lib/rocketlib-python/lib'),
    Path('packages/ai/src'),
    Path('packages/client-python/src'),
)
_lock = threading.RLock()
_current: Platform | None = None


class PlatformError(Exception):
    """The platform's Python code cannot be imported from where it should be."""


@dataclass(frozen=True)
class Platform:
    """The Python side of the platform in this process.

    `name` is `stand-in` where all of it is ours, `rocketlib` where the library is the platform's own; `origin` is the
    folder it comes from. `lib` is the module `rocketlib`, `types` is `rocketlib.types`.
    """

    name: Literal['stand-in', 'rocketlib']
    origin: str
    lib: ModuleType
    types: ModuleType

    def json(self, value: Any) -> Any:
        """Return a JSON value as nodes get it from the engine: objects and arrays wrapped in the engine's `IJson`."""
        return sys.modules['engLib'].IJson(value) if isinstance(value, dict | list) else value

    def installs(self) -> tuple[str, ...] | None:
        """Return the requirements files asked for in this thread since the last call; None: the installer is real."""
        asked = getattr(importlib.import_module('depends'), 'asked', None)
        if asked is None:
            return None
        names, asked.names = tuple(asked.names), []
        return names

    def register(self, logical_type: str, service: dict[str, Any]) -> None:
        """Make a service definition known to `rocketlib.getServiceDefinition`, in place of an earlier one."""
        sys.modules['engLib'].register_service(logical_type, service)


def ensure_platform() -> Platform:
    """Make `rocketlib`, `depends` and `ai.common.config` importable and tell where they come from.

    The first call in a process decides: an installed `rocketlib` is used as it is; else the checkout that the
    environment variable `ROCKETRIDE_SERVER` names, with stand-ins for the compiled `engLib` and for `depends` only;
    else stand-ins for all of it.

    Raises:
        PlatformError: the checkout is not one, or its library does not import.
    """
    global _current
    with _lock:
        if _current is None:
            _current = _find()
        return _current


def _find() -> Platform:
    if importlib.util.find_spec('rocketlib') is not None:
        return _imported('rocketlib')
    compiled = str(_STANDIN / 'compiled')
    named = os.environ.get(CHECKOUT)
    if not named:
        sys.path[:0] = [compiled, str(_STANDIN / 'python')]
        return _imported('stand-in')
    checkout = Path(named).expanduser().resolve()
    for path in _CHECKOUT_PATHS:
        if not (checkout / path).is_dir():
            raise PlatformError(
                f'{CHECKOUT} names {named}, which has no folder {path}: let it name a checkout of '
                'rocketride-org/rocketride-server, or unset it'
            )
    if 'rocketride' in sys.modules:
        raise PlatformError(
            f'the package rocketride was imported before {CHECKOUT} could be put in front of it: '
            'call harness.engine.platform.ensure_platform() first'
        )
    sys.path[:0] = [compiled, *(str(checkout / path) for path in _CHECKOUT_PATHS)]
    return _imported('rocketlib')


def _imported(name: Literal['stand-in', 'rocketlib']) -> Platform:
    try:
        lib = importlib.import_module('rocketlib')
        types = importlib.import_module('rocketlib.types')
    except Exception as error:
        raise PlatformError(f'the library rocketlib does not import: {type(error).__name__}: {error}') from error
    _serve_definitions(lib)
    return Platform(name=name, origin=str(Path(lib.__file__ or '').parent.parent), lib=lib, types=types)


def _serve_definitions(lib: ModuleType) -> None:
    """Let a compiled `engLib` find our definitions as well: it knows only the nodes of its own installation."""
    compiled = importlib.import_module('engLib')
    if hasattr(compiled, 'register_service'):
        return
    ours: dict[str, dict[str, Any]] = {}
    theirs = compiled.getServiceDefinition

    def definition(logicalType: str) -> Any:
        return ours[logicalType] if logicalType in ours else theirs(logicalType)

    compiled.register_service = ours.__setitem__  # type: ignore[attr-defined]
    for module in (compiled, lib, importlib.import_module('rocketlib.engine')):
        module.getServiceDefinition = definition  # type: ignore[attr-defined]
