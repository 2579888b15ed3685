"""Exact comparison of values and texts, and what differs, in a bounded number of lines."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any, Final

from harness.scenario.yamlnode import key_path
from harness.show.visible import clip, excerpt, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES: Final = 60
MAX_LINE: Final = 300
_MAX_COMPARED: Final = 20_000
_AROUND: Final = 60
_MAX_SHOWN: Final = 4_000


def same(expected: Any, actual: Any) -> bool:
    """Whether two JSON values are the same in value and type: `True` is not 1, and 1 is not 1.0."""
    if type(expected) is not type(actual):
        return False
    if isinstance(expected, dict):
        return _keys(expected) == _keys(actual) and all(same(value, actual[key]) for key, value in expected.items())
    if isinstance(expected, list | tuple):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    return bool(expected == actual)


def _keys(mapping: dict[Any, Any]) -> set[tuple[type, Any]]:
    return {(type(key), key) for key in mapping}


def holds(part: Any, whole: Any) -> bool:
    """Whether the given keys of a mapping are the same in another one, at any depth; a list is compared as a whole."""
    return same(part, reduced(part, whole))


def reduced(part: Any, whole: Any) -> Any:
    """Return the second value without the keys that the first one does not name."""
    if type(part) is dict and type(whole) is dict:
        return {key: reduced(part[key], value) for key, value in whole.items() if key in part}
    return whole


def shown(value: Any, limit: int = MAX_LINE) -> str:
    """Return a value as one bounded line of JSON, a text with its quotes."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, TypeError, RecursionError):
        text = f'<{type(value).__name__} that JSON cannot hold>'
    return clip(one_line(text), limit)


def bounded(value: Any) -> Any:
    """Return the value with its long texts cut in the middle."""
    if isinstance(value, str):
        return clip(value, _MAX_SHOWN)
    if isinstance(value, dict):
        return {key: bounded(item) for key, item in value.items()}
    return [bounded(item) for item in value] if isinstance(value, list | tuple) else value


def text_diff(expected: str, actual: str) -> str:
    """Return where two texts part, and a unified diff of that region; empty where they are the same.

    Characters that cannot be seen are spelled out; a long text is compared around its first difference only.
    """
    if expected == actual:
        return ''
    at = _first_difference(expected, actual)
    line, column = expected.count('\n', 0, at) + 1, at - expected.rfind('\n', 0, at)
    head = f'first difference at line {line}, column {column}'
    if len(expected) != len(actual):
        head += f' ({len(expected):,} characters expected, {len(actual):,} came)'
    if max(len(_line_at(text, at)) for text in (expected, actual)) > MAX_LINE:
        return f'{head}\n  expected {_around(expected, at)}\n  actual   {_around(actual, at)}'
    start, end = at - _MAX_COMPARED // 4, at + _MAX_COMPARED // 2
    before, after = (excerpt(text, start, end).split('\n') for text in (expected, actual))
    return f'{head}\n{rows_diff(before, after)}'


def rows_diff(expected: Sequence[str], actual: Sequence[str]) -> str:
    """Return a unified diff of two lists of lines, bounded in length and width."""
    lines = list(difflib.unified_diff(expected, actual, 'expected', 'actual', n=2, lineterm=''))
    left_out = [f'... ({len(lines) - MAX_LINES:,} more lines)'] if len(lines) > MAX_LINES else []
    return '\n'.join([*(_printable(text) for text in lines[:MAX_LINES]), *left_out])


def structure_diff(expected: Any, actual: Any) -> str:
    """Return one line for each place where two JSON values differ; empty where they are the same."""
    if same(expected, actual):
        return ''
    # Nothing differs in nearly every run, and the import of deepdiff takes longer than a whole scenario.
    from deepdiff import DeepDiff

    try:
        tree = DeepDiff(expected, actual, zip_ordered_iterables=True, view='tree')
    except RecursionError:
        return 'they differ, and are nested too deeply to say where'
    lines = sorted(_level(level) for levels in tree.values() for level in levels)
    left_out = [f'... ({len(lines) - MAX_LINES:,} more places)'] if len(lines) > MAX_LINES else []
    return '\n'.join([*lines[:MAX_LINES], *left_out]) or f'expected {shown(expected)}\nactual   {shown(actual)}'


def _level(level: Any) -> str:
    path = key_path(level.path(output_format='list')) or 'the value'
    before, after = (_side(side) for side in (level.t1, level.t2))
    text = f'{path}: expected {before}, came {after}'
    if isinstance(level.t1, str) and isinstance(level.t2, str) and max(len(before), len(after)) > _AROUND:
        text += '\n' + '\n'.join(f'    {line}' for line in text_diff(level.t1, level.t2).split('\n'))
    return text


def _side(value: Any) -> str:
    return 'nothing' if type(value).__name__ == 'NotPresent' else shown(value)


def _first_difference(one: str, other: str) -> int:
    start, length = 0, min(len(one), len(other))
    while start < length and one[start : start + 4096] == other[start : start + 4096]:
        start += 4096
    part = zip(one[start : start + 4096], other[start : start + 4096], strict=False)
    return next((start + n for n, (a, b) in enumerate(part) if a != b), length)


def _line_at(text: str, at: int) -> str:
    start, end = text.rfind('\n', 0, at) + 1, text.find('\n', at)
    return text[start:end] if end >= 0 else text[start:]


def _around(text: str, at: int) -> str:
    return one_line(excerpt(text, at - _AROUND, at + _AROUND))


def _printable(line: str) -> str:
    line = visible(line.replace('\t', '\\t'))
    if line.endswith(' ') and line.strip():
        line = f'{line[:-1]}\\x20'
    return clip(line, MAX_LINE)
