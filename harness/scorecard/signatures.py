"""Failure signatures: bad turns that are the same but for numbers, letters' case and names of tools count as one."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from pydantic import Field

from harness.grammar import Form
from harness.record import Frozen
from harness.show.visible import one_line
from harness.verdicts.turns import Flag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.metrics.rows import TurnRow

LENGTH: Final = 120
_LINE: Final = 50
MOST: Final = 60
"""So many signatures are kept, the most frequent ones."""

_NUMBER: Final = re.compile(r'\d+(?:[.,]\d+)*')
_BLANK: Final = re.compile(r'\s+')


class Signature(Frozen):
    """Bad turns that look the same: how many of which models, and where one of them is."""

    kind: str = Field(description='What is wrong: malformed, empty or unknown_tool.')
    text: str = Field(description='How they begin, normalised; empty where nothing was written.')
    count: int
    models: dict[int, int] = Field(description='How many of them each model wrote, by its number.')
    example: tuple[int, int] = Field(description='The number of a run and of the turn in it, from 1.')


def kind_of(row: TurnRow) -> str:
    """Return what is wrong with a turn, or nothing where it is a step that could be run."""
    if row.form in (Form.MALFORMED, Form.EMPTY):
        return row.form.value
    return Flag.UNKNOWN_TOOL.value if Flag.UNKNOWN_TOOL in row.flags else ''


def normalised(output: str, tools: Iterable[str]) -> str:
    """Return how a turn begins, without what differs from run to run: case, numbers, names of tools, white space.

    Of each line only the beginning counts, so that a long thought does not hide the action below it.
    """
    text = output[: 20 * LENGTH].lower()
    for name in sorted({name.lower() for name in tools if name}, key=lambda name: (-len(name), name)):
        text = text.replace(name, 'TOOL')
    text = ' '.join(line[:_LINE] for line in text.split('\n'))
    return one_line(_NUMBER.sub('#', _BLANK.sub(' ', text).strip())[:LENGTH])


class Clusters:
    """Signatures while they are counted."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._models: dict[tuple[str, str], Counter[int]] = {}
        self._examples: dict[tuple[str, str], tuple[int, int]] = {}
        self._runs: dict[tuple[str, str], dict[int, None]] = {}

    def add(self, kind: str, text: str, model: int, run: int, turn: int) -> None:
        """Count one bad turn."""
        key = (kind, text)
        self._counts[key] += 1
        self._models.setdefault(key, Counter())[model] += 1
        self._examples.setdefault(key, (run, turn))
        self._runs.setdefault(key, {})[run] = None

    def most(self) -> tuple[tuple[Signature, ...], list[list[int]], int]:
        """Return the most frequent signatures, the runs of each, and how many more signatures there are."""
        order = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))
        found = tuple(
            Signature(
                kind=key[0],
                text=key[1],
                count=count,
                models=dict(sorted(self._models[key].items())),
                example=self._examples[key],
            )
            for key, count in order[:MOST]
        )
        return found, [list(self._runs[key]) for key, _ in order[:MOST]], max(0, len(order) - MOST)
