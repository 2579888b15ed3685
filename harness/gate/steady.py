"""What no two runs share, taken out, so that two runs can be compared."""

from __future__ import annotations

import re
from typing import Any, Final

from harness.show.visible import json_safe

_MOVING: Final = (
    (re.compile(r'\b0x[0-9a-fA-F]{4,}\b'), '<address>'),
    (re.compile(r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b'), '<id>'),
    (re.compile(r'\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?'), '<time>'),
    (re.compile(r'\bThread-\d+'), 'Thread-<number>'),
    # The names under which the harness imports a node and the tools beside a scenario hold a mark of their folders.
    (re.compile(r'\b_(node|tools)_[0-9a-f]{12}'), r'_\1'),
)


def steady_text(text: str) -> str:
    """Return a text with addresses of objects, random ids and times in place of which stands what they are."""
    for pattern, name in _MOVING:
        text = pattern.sub(name, text)
    return text


_OF_A_RUN: Final = (
    (re.compile(r'(?<= at )0x[0-9a-fA-F]{4,}\b'), '<address>'),
    (re.compile(r"""(\brun_id\\*["']: ?\\*["'])[0-9a-f-]{36}(?=\\*["'])"""), r'\1<id>'),
    (
        re.compile(r"""(\b(?:started|ended)_at\\*["']: ?\\*["'])\d{4}-\d\d-\d\d[T ][0-9:.,Z+-]{8,40}(?=\\*["'])"""),
        r'\1<time>',
    ),
    _MOVING[-1],
)
_MARKS: Final = (' at 0x', 'run_id', '_node_', '_tools_')


def steady_telling(text: str) -> str:
    """Return a text that tells of a run, such as a prompt, without what only this run has.

    Unlike `steady_text` it leaves ids and times that a tool or a person told: what stands for them is in the fields of
    a payload (`run_id`, `started_at`) that a child agent handed to the agent under test, in objects without a text of
    their own, and in the names of modules.
    """
    if any(mark in text for mark in _MARKS):
        for pattern, name in _OF_A_RUN:
            text = pattern.sub(name, text)
    return text


def steady(value: Any) -> Any:
    """Return a value as JSON can hold it, with all its texts steady."""
    if isinstance(value, str):
        return steady_text(value)
    if isinstance(value, dict):
        return {steady_text(key) if isinstance(key, str) else repr(key): steady(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [steady(item) for item in value]
    return json_safe(value)
