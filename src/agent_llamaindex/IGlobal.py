"""The part of the node that all its pipes share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocketlib import OPEN_MODE, IGlobalBase

if TYPE_CHECKING:
    from .agent import Agent

_REQUIREMENTS = str(Path(__file__).resolve().with_name('requirements.txt'))


class IGlobal(IGlobalBase):  # type: ignore[misc]  # the engine has no type information
    """Holds the agent, which is made when the node starts and shared by all its pipes."""

    agent: Agent | None = None

    def beginGlobal(self) -> None:
        """Make the agent; in configuration mode nothing is installed, imported or made."""
        if self.IEndpoint.endpoint.openMode == OPEN_MODE.CONFIG:
            return

        from depends import depends

        depends(_REQUIREMENTS)

        # llama-index takes about a second to import, so nothing above this line may ask for it.
        from .agent import Agent

        self.agent = Agent.of(self.glb)

    def endGlobal(self) -> None:
        """Let the agent go."""
        self.agent = None
