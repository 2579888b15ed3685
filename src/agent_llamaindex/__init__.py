"""LlamaIndex: a RocketRide agent node that answers questions with a ReAct loop over the tools connected to it."""

from .IGlobal import IGlobal as IGlobal
from .IInstance import IInstance as IInstance

__all__ = ['IGlobal', 'IInstance']
