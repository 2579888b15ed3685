"""The platform's functions: logs, monitors, service definitions."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import engLib
from engLib import Lvl as Lvl
from engLib import args as args
from engLib import debug as debug
from engLib import error as error
from engLib import expand as expand
from engLib import getServiceDefinition as getServiceDefinition
from engLib import getServiceDefinitions as getServiceDefinitions
from engLib import getVersion as getVersion
from engLib import isAppMonitor as isAppMonitor
from engLib import isLevelEnabled as isLevelEnabled
from engLib import monitorCompleted as monitorCompleted
from engLib import monitorDependencyDownload as monitorDependencyDownload
from engLib import monitorFailed as monitorFailed
from engLib import monitorMetrics as monitorMetrics
from engLib import monitorOther as monitorOther
from engLib import monitorStatus as monitorStatus
from engLib import processArguments as processArguments
from engLib import readLine as readLine
from engLib import validatePipeline as validatePipeline
from engLib import warning as warning


def monitorSSE(pipe_id: int, type: str, data: dict[str, Any] | None = None) -> None:  # noqa: A002 - their name
    """Send an event of one pipe to the user interface, as compact JSON; `data` is left out where it is empty.

    Raises:
        TypeError: `data` holds something that JSON cannot.
    """
    event = {'pipe_id': pipe_id, 'type': type, **({'data': data} if data else {})}
    engLib.monitorOther('SSE', json.dumps(event, separators=(',', ':')))


def configureLogger(name_: str | tuple[str, ...], level: Any) -> None:
    """Quieten the loggers of the given names to warnings, as the platform does where its own level is off."""
    for name in (name_,) if isinstance(name_, str) else name_:
        logging.getLogger(name).setLevel(logging.WARNING)


def outputException() -> None:
    """Write the current exception to the debug log."""
    debug(f'{sys.exc_info()[0]}: {sys.exc_info()[1]}')


def outputEndpointParameters(endpoint: Any) -> None:
    """Write the parameters of an endpoint to the debug log."""
    debug(endpoint.logicalType, endpoint.parameters)


def outputEntry(object: Any) -> None:  # noqa: A002 - their name
    """Write an object to the debug log."""
    debug(object.url)


def outputField(object: Any, item: str) -> None:  # noqa: A002 - their name
    """Write one field of an object to the debug log, where it has a value."""
    if getattr(object, 'has' + item[:1].upper() + item[1:], False):
        debug(item, getattr(object, item))
