"""Asks its model for ever."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Ask the model again and again."""
        (llm,) = self.instance.getControllerNodeIds('llm')
        while True:
            self.instance.invoke(IInvokeLLM.Ask(question=question, stop=['Observation:']), component_id=llm)
