"""Whether an answer solves the task of a scenario: a verdict about the model, never a finding about the node."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from harness.show.summary import answer_of

if TYPE_CHECKING:
    from harness.record import RunRecord
    from harness.scenario import Task

_SIGNS: Final = str.maketrans(
    dict.fromkeys('\u2010\u2011\u2012\u2013\u2212', '-') | dict.fromkeys('\u2018\u2019', "'") | dict.fromkeys('*`', '')
)
_GROUPS: Final = re.compile(r"(?<=\d)[,'\u2019\u2009\u202f](?=\d{3}(?!\d))")
_UNSPACED: Final = r'\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af'
"""Thai, kana, Chinese characters and Hangul, where one word follows the other, or its ending, without a blank."""

_NO_LETTER_BEFORE: Final = rf'(?<![^\W_{_UNSPACED}])'
_NO_LETTER_BEHIND: Final = rf'(?![^\W_{_UNSPACED}])'
_NO_NUMBER_BEFORE: Final = r'(?<!\d[.,:])(?<!-)'
_NO_NUMBER_BEHIND: Final = r'(?![.,:]\d)'


def solved(task: Task | None, record: RunRecord) -> bool | None:
    """Return whether the answer of a run solves the task (None: there is no task)."""
    return None if task is None else solves(task, answer_of(record) or '')


def solves(task: Task, answer: str) -> bool:
    """Tell whether an answer holds one of `accept`, one of each list of `also`, no `forbid`, and is not too long."""
    if task.max_length is not None and len(answer.strip()) > task.max_length:
        return False
    wanted = all(any(holds(answer, text) for text in texts) for texts in (task.accept, *task.also))
    return wanted and not any(holds(answer, text) for text in task.forbid)


def holds(answer: str, text: str) -> bool:
    """Tell whether a text stands in an answer on its own, so that neither 318 nor 18 is found in 1,318 or 3.18.

    Case, width, white space, kinds of dashes and apostrophes, Markdown's asterisks and backticks, and the marks that
    group the digits of a number by three (other than dots) do not count. Letters of scripts that are written without
    blanks may stand beside it.
    """
    return _pattern(_plain(text)).search(_plain(answer)) is not None


@functools.lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    before = _NO_LETTER_BEFORE if text[:1].isalnum() else ''
    after = _NO_LETTER_BEHIND if text[-1:].isalnum() else ''
    if text[:1].isdigit():
        before += _NO_NUMBER_BEFORE
    if text[-1:].isdigit():
        after += _NO_NUMBER_BEHIND
    return re.compile(before + re.escape(text) + after)


def _plain(text: str) -> str:
    text = _GROUPS.sub('', text)
    text = unicodedata.normalize('NFKC', text).translate(_SIGNS).casefold()
    return ' '.join(text.split())
