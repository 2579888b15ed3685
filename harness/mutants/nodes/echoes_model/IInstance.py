"""Delivers the first output of its model as it is."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM
from rocketride.schema import Answer


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Ask the model once and pass on what it wrote."""
        (llm,) = self.instance.getControllerNodeIds('llm')
        said = self.instance.invoke(IInvokeLLM.Ask(question=question, stop=['Observation:']), component_id=llm)
        answer = Answer(expectJson=False)
        answer.setAnswer(said.getText())
        self.instance.writeAnswers(answer)
