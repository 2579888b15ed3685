"""Calls every tool it finds, with nothing, and then delivers what its model says."""

from __future__ import annotations

import contextlib
from typing import Any

from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM, IInvokeTool
from rocketride.schema import Answer


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Call all tools, ask the model once, pass on what it wrote."""
        for node in self.instance.getControllerNodeIds('tool'):
            query = IInvokeTool.Query()
            with contextlib.suppress(Exception):
                self.instance.invoke(query, component_id=node)
            for tool in query.tools:
                with contextlib.suppress(Exception):
                    self.instance.invoke(IInvokeTool.Invoke(tool_name=tool['name'], input={}), component_id=node)
        (llm,) = self.instance.getControllerNodeIds('llm')
        said = self.instance.invoke(IInvokeLLM.Ask(question=question, stop=['Observation:']), component_id=llm)
        answer = Answer(expectJson=False)
        answer.setAnswer(said.getText())
        self.instance.writeAnswers(answer)
