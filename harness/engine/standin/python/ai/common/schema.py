"""The schema classes, which really live in the `rocketride` package."""

from __future__ import annotations

from rocketride.schema import Answer as Answer
from rocketride.schema import Doc as Doc
from rocketride.schema import DocFilter as DocFilter
from rocketride.schema import DocGroup as DocGroup
from rocketride.schema import DocMetadata as DocMetadata
from rocketride.schema import Question as Question
from rocketride.schema import QuestionExample as QuestionExample
from rocketride.schema import QuestionHistory as QuestionHistory
from rocketride.schema import QuestionText as QuestionText
from rocketride.schema import QuestionType as QuestionType
