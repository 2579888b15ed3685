"""Runs tool calls that the model writes as JSON objects, and knows no others."""

from __future__ import annotations

import json
from typing import Any

from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM, IInvokeTool
from rocketride.schema import Answer

_STEPS = 10


class IInstance(IInstanceBase):  # type: ignore[misc]
    """One pipe through the node."""

    def writeQuestions(self, question: Any) -> None:
        """Ask the model, make the calls `{"name", "arguments"}`, and deliver the first reply that is none."""
        (llm,) = self.instance.getControllerNodeIds('llm')
        for _ in range(_STEPS):
            said = self.instance.invoke(IInvokeLLM.Ask(question=question, stop=['Observation:']), component_id=llm)
            call = _call(said.getText())
            if call is None:
                break
            node, _, function = call['name'].rpartition('.')
            request = IInvokeTool.Invoke(tool_name=function, input=call.get('arguments') or {})
            self.instance.invoke(request, component_id=node)
            question = question.model_copy(deep=True)
            question.addContext(str(request.output))
        answer = Answer(expectJson=False)
        answer.setAnswer(said.getText())
        self.instance.writeAnswers(answer)


def _call(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get('name'), str) else None
