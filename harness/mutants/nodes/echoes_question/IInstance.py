"""Gives the question back."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase
from rocketride.schema import Answer


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Answer with the text of the question."""
        answer = Answer(expectJson=False)
        answer.setAnswer(question.questions[0].text)
        self.instance.writeAnswers(answer)
