"""The patterns of the node match the same on every Python that can run it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import pytest

from harness.engine.platform import ensure_platform

if TYPE_CHECKING:
    from collections.abc import Iterator

ensure_platform()

SINGLE = {ops.IN, ops.LITERAL, ops.NOT_LITERAL, ops.ANY}
MODULES = sorted(path.stem for path in (Path(__file__).parents[1] / 'src' / 'agent_llamaindex').glob('[a-z]*.py'))


def patterns(module: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for name, value in vars(importlib.import_module(f'agent_llamaindex.{module}')).items():
        values = value.values() if isinstance(value, dict) else [value, *getattr(value, '__dict__', {}).values()]
        for part in [*values, getattr(value, 'tokens', None)]:
            if isinstance(part, re.Pattern):
                yield name, part


def possessive_groups(tree: Any) -> Iterator[Any]:
    """Yield every possessive repetition of something that is more than one character."""
    for op, argument in tree:
        if op is ops.POSSESSIVE_REPEAT and not (len(argument[2]) == 1 and argument[2][0][0] in SINGLE):
            yield argument
        for part in argument if isinstance(argument, (tuple, list)) else [argument]:
            for child in part if isinstance(part, list) else [part]:
                if isinstance(child, parser.SubPattern):
                    yield from possessive_groups(child)


@pytest.mark.parametrize('module', MODULES)
def test_no_pattern_repeats_a_group_possessively(module: str) -> None:
    # Before Python 3.11.5 such a repetition matches wrongly (python/cpython#106052); an atomic group does the same.
    for name, pattern in patterns(module):
        assert not list(possessive_groups(parser.parse(pattern.pattern, pattern.flags))), f'{module}.{name}'


def test_a_possessive_group_would_be_found() -> None:
    assert list(possessive_groups(parser.parse(r'x(?:a|(?P<n>bc))?+')))
    assert list(possessive_groups(parser.parse(r'(?:x|y(?:q|(?:ab)*+))')))
    assert not list(possessive_groups(parser.parse(r'[ab]*+c++(?>(?:ab)*)')))


def test_the_patterns_of_the_reader_are_looked_at() -> None:
    found = {module: len(list(patterns(module))) for module in MODULES}
    assert found['labels'] >= 5
    assert found['relaxed'] >= 2
