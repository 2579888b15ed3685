"""Returns nothing and writes nothing."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Do nothing."""
