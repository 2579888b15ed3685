"""A small agent as somebody else would write it: one file, a loop of its own, no framework."""

from .agent import IGlobal as IGlobal
from .agent import IInstance as IInstance
