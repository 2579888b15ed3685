"""A node without `__init__`, without IGlobal, with two tools."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase, tool_function

from .words import shout


class IInstance(IInstanceBase):
    @tool_function(input_schema={'type': 'object'}, description='Shout.')
    def run_agent(self, given: Any) -> Any:
        return {'content': shout(given['query'])}

    @tool_function(input_schema={'type': 'object'})
    def whisper(self, given: Any) -> Any:
        """Whisper, as the docstring says."""
        return given['query'].lower()
