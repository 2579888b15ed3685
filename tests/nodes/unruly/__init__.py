from .IGlobal import IGlobal as IGlobal
from .IInstance import IInstance as IInstance
