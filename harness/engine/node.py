"""Loading a node as the engine does: its service definition, and its two classes out of its Python package."""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib
import importlib.util
import json
import re
import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import json5

from harness.engine.platform import CHECKOUT, ensure_platform
from harness.engine.process import Contained
from harness.engine.threads import DEFAULT_LIMIT_S, TimeLimit, Watch, by_the_user, place_of
from harness.engine.values import text_of

_MAX_SERVICES = 1_000_000
_MODULE = re.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*')
_loaded: dict[tuple[Path, str | None], Node] = {}
_lock = threading.RLock()


class NodeError(Exception):
    """A node cannot be loaded; the text says what is missing, in which file, and what to do."""


@dataclass(frozen=True, eq=False)
class Node:
    """A node, ready to be put into a pipeline.

    `name` is the name of its folder, or of its module where it was named by that. `path` is the folder of its package.
    `logical_type` is the protocol of its `services.json` without `://`, `service` that file's content. A node need not
    have an `IGlobal` class.
    """

    name: str
    path: Path
    logical_type: str
    service: dict[str, Any]
    IGlobal: type[Any] | None
    IInstance: type[Any]


def load_node(ref: str | Path, limit_s: float = TimeLimit(DEFAULT_LIMIT_S).imports) -> Node:
    """Load a node from its folder, from a services file, or by the name of an importable module.

    The same place gives the same classes, however often it is loaded; folders of the same name do not meet. The service
    definition becomes known to `rocketlib.getServiceDefinition`. The node is imported in a thread of its own, for at
    most `limit_s` seconds (0: in the calling thread, without limit); what it prints then goes to standard error, and
    what it changes in the process is put back.

    Raises:
        NodeError: there is no such node, its files are not as the engine needs them, or it does not import.
    """
    platform = ensure_platform()
    found: list[Node] = []
    stuck: list[str] = []
    with _lock, Contained(capture=bool(limit_s)) as enclosure:
        work, watch = functools.partial(_found, ref, found), Watch()
        watch.run(work, limit_s, lambda frame: stuck.append(place_of(frame, Path(ref).absolute())), enclosure.look)
    if enclosure.stdout:
        sys.stderr.write(enclosure.stdout)
    if not found:
        place = f' (it was at {stuck[0]})' if stuck and stuck[0] else ''
        raise NodeError(f'{ref}: the node does not import: it did not end within {limit_s:g} s{place}')
    node = found[0]
    platform.register(node.logical_type, node.service)
    return node


def located(ref: str | Path) -> Node:
    """Return a node by its folder, services file or module without importing it: it has no classes yet.

    Raises:
        NodeError: there is no such node, or its services file is not as the engine needs it.
    """
    services, module = _place(ref)
    service = _service(services)
    folder = services.parent if module is not None else services.parent.joinpath(*_inner(service, services.parent))
    return Node(
        name=module or folder.name,
        path=folder,
        logical_type=service['protocol'].removesuffix('://'),
        service=service,
        IGlobal=None,
        IInstance=object,
    )


def _found(ref: str | Path, found: list[Node]) -> None:
    services, module = key = _place(ref)
    if key not in _loaded:
        try:
            _loaded[key] = _load(services, module)
        except NodeError:
            _forget(_package_name(services.parent))
            raise
    found.append(_loaded[key])


def _load(services: Path, module: str | None) -> Node:
    service = _service(services)
    if module is not None:
        package = _imported(module, services.parent)
        inner: list[str] = []
    else:
        inner = _inner(service, services.parent)
        package = _package(services.parent)
        for part in inner:
            package = _imported(f'{package.__name__}.{part}', services.parent.joinpath(*inner))
    folder = services.parent.joinpath(*inner)
    instance = _class(package, folder, 'IInstance')
    if instance is None:
        raise NodeError(
            f'the node {folder} has no class IInstance: define it in {folder / "IInstance.py"} or export it from '
            f'{folder / "__init__.py"}'
        )
    return Node(
        name=module or folder.name,
        path=folder,
        logical_type=service['protocol'].removesuffix('://'),
        service=service,
        IGlobal=_class(package, folder, 'IGlobal'),
        IInstance=instance,
    )


# ------------------------------------------------------------------------------------------------------------- places


def _place(ref: str | Path) -> tuple[Path, str | None]:
    """Return the services file that a reference leads to, and the module where the reference is the name of one."""
    path = Path(ref).expanduser()
    if path.is_file():
        return path.resolve(), None
    if path.is_dir():
        return _services_of(path.resolve()), None
    if isinstance(ref, str) and _MODULE.fullmatch(ref):
        try:
            spec = importlib.util.find_spec(ref)
        except ImportError:
            spec = None
        if spec is not None and spec.submodule_search_locations:
            return _services_of(Path(next(iter(spec.submodule_search_locations))).resolve()), ref
    raise NodeError(f'there is no node {ref}: it is neither a folder nor an importable package{_nearest(path)}')


def _nearest(path: Path) -> str:
    around = path.parent
    names = [entry.name for entry in around.iterdir() if entry.is_dir()] if around.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=1)
    return f'; did you mean {around / close[0]}?' if close else ''


def _services_of(folder: Path) -> Path:
    plain = folder / 'services.json'
    if plain.is_file():
        return plain
    several = sorted(folder.glob('services.*.json'))
    if len(several) == 1:
        return several[0]
    if several:
        names = ', '.join(str(file) for file in several)
        raise NodeError(f'the folder {folder} holds several nodes: name the services file of one of them ({names})')
    for file in sorted(folder.parent.glob('services*.json')):
        if _inner(_service(file), file.parent) == [folder.name]:
            return file
    raise NodeError(f'{plain} is missing: the engine knows a node by it; name the folder that holds it')


def _inner(service: dict[str, Any], folder: Path) -> list[str]:
    """Return the sub-packages between a services file and its node, as the file's `path` gives them."""
    parts = str(service.get('path') or '').split('.')
    inner = parts[parts.index(folder.name) + 1 :] if folder.name in parts else []
    return inner if inner and folder.joinpath(*inner).is_dir() else []


def _service(file: Path) -> dict[str, Any]:
    if file.stat().st_size > _MAX_SERVICES:
        raise NodeError(f'{file} has more than {_MAX_SERVICES} bytes: it is no service definition')
    try:
        text = file.read_text(encoding='utf-8')
        try:
            service = json.loads(text)
        except ValueError:  # with comments, as the engine's own files have them; json5 is slow, so it comes second
            service = json5.loads(text)
    except (ValueError, RecursionError) as error:
        raise NodeError(f'{file} is not JSON (comments are allowed): {error}') from error
    if not isinstance(service, dict):
        raise NodeError(f'{file} holds no JSON object')
    protocol = service.get('protocol')
    if not isinstance(protocol, str) or not protocol.removesuffix('://'):
        raise NodeError(f'{file} has no `protocol`: add one such as "protocol": "{file.parent.name}://"')
    return service


# ------------------------------------------------------------------------------------------------------------ modules


def _package(folder: Path) -> ModuleType:
    """Import a folder as a package under a name that no other folder has."""
    name = _package_name(folder)
    if name in sys.modules:
        return sys.modules[name]
    start = folder / '__init__.py'
    if not start.is_file():
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
        return package
    spec = importlib.util.spec_from_file_location(name, start, submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise NodeError(f'{start} cannot be imported')
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
    except BaseException as error:
        if by_the_user(error):
            raise
        raise _broken(folder, error) from error
    return package


def _package_name(folder: Path) -> str:
    mark = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    return f'_node_{mark}_{re.sub(r"[^0-9A-Za-z_]", "_", folder.name)}'


def _imported(name: str, folder: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except BaseException as error:
        if by_the_user(error):
            raise
        raise _broken(folder, error) from error


def _forget(name: str) -> None:
    """Let a package that did not load be imported anew."""
    for module in [key for key in sys.modules if key == name or key.startswith(f'{name}.')]:
        del sys.modules[module]


def _broken(folder: Path, error: BaseException) -> NodeError:
    inside = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(str(folder))]
    place = f'{inside[-1].filename}:{inside[-1].lineno}' if inside else str(folder)
    return NodeError(f'{place}: the node does not import: {text_of(error)}{_advice(folder, error)}')


def _advice(folder: Path, error: BaseException) -> str:
    if not isinstance(error, ImportError) or error.name is None:
        return ''
    if error.name.split('.')[0] in ('ai', 'rocketlib', 'engLib'):
        have = 'this platform library does not have it'
        return f' ({have}; let the environment variable {CHECKOUT} name a checkout of rocketride-org/rocketride-server)'
    if not isinstance(error, ModuleNotFoundError):
        return ''
    requirements = folder / 'requirements.txt'
    return f' (install what {requirements} asks for)' if requirements.is_file() else f' (install {error.name})'


def _class(package: ModuleType, folder: Path, name: str) -> type[Any] | None:
    found = getattr(package, name, None)
    if not isinstance(found, type) and (folder / f'{name}.py').is_file():
        found = getattr(_imported(f'{package.__name__}.{name}', folder), name, None)
    return found if isinstance(found, type) else None
