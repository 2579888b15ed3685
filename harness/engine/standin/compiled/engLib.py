"""Stand-in for the module that is compiled into the RocketRide engine (`engLib`).

It holds what the platform's Python code imports from there: the enumerations, the `IJson` wrapper, the log and monitor
functions, the service definitions, and the classes that the Python side patches or names. Nothing of it processes data.
`register_service` is the only name the compiled module does not have.
"""

from __future__ import annotations

import copy
import json
import logging
import sys
import threading
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger('rocketlib')
_log.addHandler(logging.NullHandler())


class _Code(Enum):
    """An enumeration as the bindings make them: not a number, but `int()` gives its code."""

    def __int__(self) -> int:
        return int(self.value)


def _codes(name: str, names: str) -> Any:
    return _Code(name, [(member, code) for code, member in enumerate(names.split())])  # type: ignore[call-arg]


Ec = _codes(
    'Ec',
    'NoErr AccessDenied AlreadyOpened BatchExceeded BatchThreshold BlobImmutable Bug Cancelled Cipher Classify '
    'ClassifyContent CoInit Completed ElevationRequired Empty End Error Exception Excluded Exists '
    'ExpiredAuthentication FactoryNotFound Failed Fatality FileChanged FileNotChanged Fuse Icu InvalidAuthentication '
    'InvalidCipher InvalidCommand InvalidDocument InvalidFormat InvalidJson InvalidKeyToken InvalidName InvalidParam '
    'InvalidRpc InvalidSchema InvalidSelection InvalidState InvalidSyntax InvalidUrl InvalidXml Java Json Locked '
    'MaxWords NoMatch NoPermissions NotFound NotOpen NotSupported OutOfMemory OutOfRange Overflow Read Recursion '
    'RemoteException RequestFailed ResultBufferTooSmall Retry SQLite ShortRead Skipped PreventDefault StringParse '
    'TestFailure Timeout Unexpected Warning Write HandleInvalid HandleInvalidSeq HandleInvalidState HandleOutOfSlots '
    'TagInvalidClass TagInvalidFileSig TagInvalidHdr TagInvalidSig TagInvalidSize TagInvalidType PackInvalidSig '
    'PackInvalid Lz4Inflate Lz4Deflate LicenseLimit InvalidFilename',
)
OPEN_MODE = _codes(
    'OPEN_MODE',
    'NONE TARGET SOURCE SOURCE_INDEX SCAN CONFIG INDEX CLASSIFY INSTANCE CLASSIFY_FILE HASH STAT REMOVE TRANSFORM '
    'PIPELINE PIPELINE_CONFIG',
)
ENDPOINT_MODE = _codes('ENDPOINT_MODE', 'NONE SOURCE TARGET')
SERVICE_MODE = _codes('SERVICE_MODE', 'NONE SOURCE TARGET NEITHER')
AVI_ACTION = _codes('AVI_ACTION', 'BEGIN WRITE END')
Lvl = _codes('Lvl', 'Python Remoting DebugOut DebugProtocol')
TAG_ID = _codes('TAG_ID', 'INVALID OBEG OMET OENC SBGN SDAT SEND OSIG OEND ENCK ENCR CMPR HASH')


def _flags(name: str, names: str) -> Any:
    return type(name, (), {flag: 1 << bit for bit, flag in enumerate(names.split())})


PROTOCOL_CAPS = _flags(
    'PROTOCOL_CAPS',
    'SECURITY FILESYSTEM SUBSTREAM NETWORK DATANET SYNC INTERNAL CATALOG NOMONITOR NOINCLUDE INVOKE REMOTING GPU '
    'DEPRECATED EXPERIMENTAL',
)
PROTOCOL_CAPS.getProtocolCaps = staticmethod(lambda protocol: 0)
FLAGS = _flags('FLAGS', 'INDEX CLASSIFY OCR MAGICK SIGNING OCR_DONE PERMISSIONS VECTORIZE')
FLAGS.NONE = 0


class Filters:
    """The names of the built-in filters."""

    CLASSIFY = 'classify'


class Paths:
    """The folders of an installed engine; there is none here."""

    DATA = CACHE = CONTROL = LOG = ''


# ------------------------------------------------------------------------------------------------------ JSON values


def _native(value: Any) -> Any:
    """Return a JSON value as plain Python data of its own; raise ValueError for what JSON has no word for."""
    if isinstance(value, IJson):
        return copy.deepcopy(value._value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): _native(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_native(item) for item in value]
    raise ValueError('Unsupported value type')


def _outside(value: Any) -> Any:
    return IJson._around(value) if isinstance(value, dict | list) else value


class IJson:
    """The engine's view of a JSON object or array: it looks like a dict or a list and is neither.

    Inner objects and arrays come out wrapped as well. A key that is missing raises ValueError at `[]` (not KeyError),
    and so does an attribute that does not exist, exactly as the compiled class does.
    """

    __slots__ = ('_value',)
    _value: Any

    def __init__(self, value: Any = None) -> None:
        self._value = {} if value is None else _native(value)

    @classmethod
    def _around(cls, value: Any) -> IJson:
        made = IJson.__new__(IJson)
        made._value = value
        return made

    def _mapping(self, what: str) -> dict[str, Any]:
        if not isinstance(self._value, dict):
            raise ValueError(f'Value must be an object to use {what}')
        return self._value

    def keys(self) -> list[str]:
        return list(self._mapping('keys'))

    def values(self) -> list[Any]:
        return [_outside(item) for item in self._mapping('values').values()]

    def items(self) -> list[tuple[str, Any]]:
        return [(key, _outside(item)) for key, item in self._mapping('items').items()]

    def get(self, key: str, default: Any = None) -> Any:
        held = self._mapping('get')
        return _outside(held[key]) if key in held else default

    def len(self) -> int:
        return len(self._value)

    def clear(self) -> None:
        self._value.clear()

    def append(self, value: Any) -> None:
        self._value.append(_native(value))

    def insert(self, index: int, value: Any) -> None:
        self._value.insert(index, _native(value))

    def remove(self, index: int) -> None:
        del self._value[index]

    def toDict(self) -> Any:
        return copy.deepcopy(self._value)

    def __contains__(self, item: Any) -> bool:
        return (str(item) if isinstance(self._value, dict) else item) in self._value

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._value)) if isinstance(self._value, dict) else map(_outside, list(self._value))

    def __len__(self) -> int:
        return len(self._value)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(self._value, dict):
            if str(key) not in self._value:
                raise ValueError('Invalid key')
            return _outside(self._value[str(key)])
        if not 0 <= int(key) < len(self._value):
            raise ValueError('list index out of range')
        return _outside(self._value[int(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._value[str(key) if isinstance(self._value, dict) else int(key)] = _native(value)

    def __delitem__(self, key: Any) -> None:
        del self._value[str(key) if isinstance(self._value, dict) else int(key)]

    def __getattr__(self, name: str) -> Any:
        raise ValueError('Attribute not found')

    def __repr__(self) -> str:
        return json.dumps(self._value, separators=(',', ':'))

    __str__ = __repr__


# ------------------------------------------------------------------------------------------------ service definitions

# As text: to read JSON is a good deal faster than to copy what was read.
_services: dict[str, tuple[dict[str, Any], str]] = {}
_services_lock = threading.Lock()


def register_service(logicalType: str, definition: dict[str, Any]) -> None:
    """Make a service definition known under its logical type, in place of an earlier one."""
    with _services_lock:
        known = _services.get(logicalType)
        if known is None or known[0] is not definition:
            _services[logicalType] = definition, json.dumps(definition)


def getServiceDefinition(logicalType: str) -> dict[str, Any] | None:
    """Return a copy of the definition of a service, None where there is none."""
    with _services_lock:
        found = _services.get(logicalType)
    return None if found is None else json.loads(found[1])


def getServiceDefinitions() -> dict[str, Any]:
    """Return copies of all service definitions by logical type."""
    with _services_lock:
        return {logicalType: json.loads(text) for logicalType, (_, text) in _services.items()}


# ------------------------------------------------------------------------------------------------- logs and monitors


def _text(args: tuple[Any, ...]) -> str:
    return ' '.join(str(arg) for arg in args if not isinstance(arg, Lvl))


def debug(*args: Any) -> None:
    """Write to the debug log."""
    _log.debug('%s', _text(args))


def warning(*args: Any) -> None:
    """Write a warning to the job log."""
    _log.warning('%s', _text(args))


def error(*args: Any) -> None:
    """Write an error to the job log."""
    _log.error('%s', _text(args))


def monitorOther(*args: Any) -> None:
    """Send a message to whoever watches the task; nobody does here."""
    if len(args) < 2:
        raise RuntimeError('monitorOther takes a key and a message')


def monitorStatus(*args: Any) -> None:
    """Show a status line; nobody looks here."""


def monitorCompleted(size: int) -> None:
    """Count a completed object."""


def monitorFailed(size: int) -> None:
    """Count a failed object."""


def monitorMetrics(metrics: dict[str, Any]) -> None:
    """Take metrics."""


def monitorDependencyDownload(data: dict[str, Any]) -> None:
    """Take the progress of an installation."""


def isLevelEnabled(level: Any) -> bool:
    """Tell whether a log level is on."""
    return False


def isAppMonitor() -> bool:
    """Tell whether an application watches this engine."""
    return False


def args() -> list[str]:
    """Return the command line."""
    return list(sys.argv)


def expand(value: str) -> str:
    """Return a text with the engine's variables filled in; there are none."""
    return value


def getVersion() -> dict[str, str]:
    """Return what this engine is."""
    return {'version': '0.0.0', 'hash': 'stand-in', 'stamp': 'stand-in'}


def readLine() -> str:
    """Read a line from the console."""
    return sys.stdin.readline()


def processArguments(argv: list[str]) -> None:
    """Run the engine on a command line."""
    raise NotImplementedError('the stand-in engine runs no tasks')


def validatePipeline(config: dict[str, Any]) -> dict[str, Any]:
    """Check a pipeline configuration."""
    raise NotImplementedError('the stand-in engine checks no pipelines')


# ------------------------------------------------------------------------------- classes that the Python side names


class Entry:
    """An object on its way through a pipe: here a bag of the attributes that nodes read."""

    objectFailed = objectSkipped = False

    def __init__(self, url: str = '') -> None:
        self.url = self.uniqueUrl = url
        self.name = self.path = self.fileName = url.rsplit('/', 1)[-1]
        self.objectId = self.instanceId = self.componentId = self.keyId = ''
        self.flags = self.size = self.version = self.attrib = 0

    def completionCode(self, *args: Any) -> None:
        """Mark the object as failed."""
        self.objectFailed = True

    def markChanged(self, msg: str) -> None:
        """Mark the object as changed."""

    def toDict(self) -> dict[str, Any]:
        """Return the attributes."""
        return dict(vars(self))

    def fromDict(self, data: dict[str, Any]) -> None:
        """Take attributes over."""
        vars(self).update(data)


class TAG:
    """A piece of a data stream."""


class IOBuffer:
    """A buffer of a target endpoint."""


class KeyStore:
    """The key store of an endpoint."""


class Debugger:
    """The pipeline debugger."""


class IPipeType:
    """The type of a pipe's filter."""


class IServiceEndpoint:
    """The engine side of an endpoint."""


class IFilterEndpoint(IServiceEndpoint):
    """The engine side of an endpoint written in Python."""


class IServiceFilterGlobal:
    """The engine side of a node's shared data."""


class IFilterGlobal(IServiceFilterGlobal):
    """The engine side of the shared data of a node written in Python."""


class IServiceFilterInstance:
    """The engine side of a node in one pipe."""


class IFilterInstance(IServiceFilterInstance):
    """The engine side of a node written in Python, in one pipe; the Python library adds `invoke` and `sendSSE`."""


class IServiceFilterPipe(IServiceFilterInstance):
    """The engine side of a whole pipe."""


class ILoader:
    """Starts a pipeline from Python code."""
