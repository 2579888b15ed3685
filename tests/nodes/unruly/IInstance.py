from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocketlib import IInstanceBase
from rocketride.schema import Answer

from .deeds import ask

if TYPE_CHECKING:
    from .IGlobal import IGlobal


class IInstance(IInstanceBase):
    IGlobal: IGlobal

    def beginInstance(self) -> None:
        self.IGlobal.do('beginInstance', self)

    def open(self, entry: Any) -> None:
        self.IGlobal.do('open', self)

    def closing(self) -> None:
        self.IGlobal.do('closing', self)

    def close(self) -> None:
        self.IGlobal.do('close', self)

    def endInstance(self) -> None:
        self.IGlobal.do('endInstance', self)

    def writeQuestions(self, question: Any) -> Any:
        returned = self.IGlobal.do('writeQuestions', self)
        if returned is not None:
            return returned
        text = ask(self)
        answer = Answer()
        answer.setAnswer(text)
        self.instance.writeAnswers(answer)
        return {'content': text}
