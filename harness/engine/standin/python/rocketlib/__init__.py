"""Stand-in for the platform's Python library: the names, shapes and dispatch that a node meets, in our own code."""

from __future__ import annotations

from engLib import Filters as Filters

# A submodule takes its name in the package when it is imported: the module first, then the function of that name.
from . import error as _error  # noqa: F401
from .engine import Lvl as Lvl
from .engine import args as args
from .engine import configureLogger as configureLogger
from .engine import debug as debug
from .engine import error as error
from .engine import expand as expand
from .engine import getServiceDefinition as getServiceDefinition
from .engine import getServiceDefinitions as getServiceDefinitions
from .engine import getVersion as getVersion
from .engine import isAppMonitor as isAppMonitor
from .engine import isLevelEnabled as isLevelEnabled
from .engine import monitorCompleted as monitorCompleted
from .engine import monitorDependencyDownload as monitorDependencyDownload
from .engine import monitorFailed as monitorFailed
from .engine import monitorMetrics as monitorMetrics
from .engine import monitorOther as monitorOther
from .engine import monitorSSE as monitorSSE
from .engine import monitorStatus as monitorStatus
from .engine import outputEndpointParameters as outputEndpointParameters
from .engine import outputEntry as outputEntry
from .engine import outputException as outputException
from .engine import outputField as outputField
from .engine import processArguments as processArguments
from .engine import readLine as readLine
from .engine import validatePipeline as validatePipeline
from .engine import warning as warning
from .error import APERR as APERR
from .error import Ec as Ec
from .filters import IEndpointBase as IEndpointBase
from .filters import IGlobalBase as IGlobalBase
from .filters import IInstanceBase as IInstanceBase
from .filters import ILoader as ILoader
from .filters import IServiceEndpoint as IServiceEndpoint
from .filters import IServiceFilterPipe as IServiceFilterPipe
from .filters import ToolDescriptor as ToolDescriptor
from .filters import invoke_function as invoke_function
from .filters import tool_function as tool_function
from .types import AVI_ACTION as AVI_ACTION
from .types import ENDPOINT_MODE as ENDPOINT_MODE
from .types import FLAGS as FLAGS
from .types import OPEN_MODE as OPEN_MODE
from .types import PROTOCOL_CAPS as PROTOCOL_CAPS
from .types import SERVICE_MODE as SERVICE_MODE
from .types import TAG as TAG
from .types import TAG_ID as TAG_ID
from .types import Entry as Entry
from .types import IControl as IControl
from .types import IDict as IDict
from .types import IInvoke as IInvoke
from .types import IInvokeCrew as IInvokeCrew
from .types import IInvokeDeepagent as IInvokeDeepagent
from .types import IInvokeLLM as IInvokeLLM
from .types import IInvokeMemory as IInvokeMemory
from .types import IInvokeOp as IInvokeOp
from .types import IInvokeTool as IInvokeTool
from .types import IJson as IJson
from .types import getObject as getObject
