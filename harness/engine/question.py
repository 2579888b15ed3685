"""The question of a scenario as the platform's own `Question`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.scenario import QuestionSpec


def question_of(spec: QuestionSpec) -> Any:
    """Return a new `rocketride.schema.Question` with all that the scenario says about it."""
    schema = importlib.import_module('rocketride.schema')
    question = schema.Question(role=spec.role, expectJson=spec.expect_json)
    for instruction in spec.instructions:
        question.addInstruction('Instruction', instruction)
    for item in spec.history:
        question.addHistory(schema.QuestionHistory(role=item.role, content=item.content))
    for context in spec.context:
        question.addContext(context)
    for document in spec.documents:
        question.addDocuments(schema.Doc(page_content=document))
    for goal in spec.goals:
        question.addGoal(goal)
    question.addQuestion(spec.text)
    return question
