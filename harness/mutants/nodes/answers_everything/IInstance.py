"""Gives the same answer to everything."""

from __future__ import annotations

from typing import Any

from rocketlib import IInstanceBase
from rocketride.schema import Answer


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Answer 42."""
        answer = Answer(expectJson=False)
        answer.setAnswer('42')
        self.instance.writeAnswers(answer)
