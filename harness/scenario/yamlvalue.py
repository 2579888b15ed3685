"""From YAML nodes to JSON-like data: strict about everything that could be read in two ways."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from harness.scenario.text import MAX_TEXT
from harness.scenario.yamlnode import TAG, FileProblem, Loc, describe, key_path, place_of, quoted, shown_tag

if TYPE_CHECKING:
    from pathlib import Path

_WHOLE: Final = re.compile(r'[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+')
_DECIMAL: Final = re.compile(r'[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?')
_NEWER_NUMBER: Final = re.compile(r'[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+|0o[0-7]+')
_MAX_DIGITS: Final = 300


class _UnusableError(Exception):
    """A plain value that must not be used as it is written."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


class Builder:
    """Turns the nodes of one file into data; `problems` collects what is wrong with them, in file order."""

    def __init__(self, path: Path) -> None:
        self.problems: list[FileProblem] = []
        self._path = path
        self._composed = 0

    def build(self, node: yaml.Node, loc: Loc = ()) -> Any:
        """Return the data that a node stands for; a value that cannot be used comes back as its text, or as None."""
        kind = node.tag.removeprefix(TAG)
        if isinstance(node, yaml.MappingNode) and kind == 'map':
            return self._bounded(node, loc, self._mapping(node, loc))
        if isinstance(node, yaml.SequenceNode) and kind == 'seq':
            return [self.build(item, (*loc, number)) for number, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            try:
                return _scalar(node)
            except _UnusableError as reason:
                self._add(node, loc, reason.message, reason.hint)
                return node.value
        self._add(node, loc, f'the tag {shown_tag(node.tag)} is not allowed', 'write plain YAML values')
        return None

    def _mapping(self, node: yaml.MappingNode, loc: Loc) -> dict[str, Any]:
        data: dict[str, Any] = {}
        first: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._add(key, loc, 'a key must be a text, not a list or a mapping', 'write `key: value`')
                continue
            name = key.value
            here = (*loc, name)
            if name in first:
                line, column = place_of(first[name])
                self._add(key, here, f'the key `{name}` stands here a second time: first at {line}:{column}')
                continue
            first[name] = key
            self._check_key(key, here)
            data[name] = self.build(value, here)
        return data

    def _check_key(self, key: yaml.ScalarNode, here: Loc) -> None:
        kind = key.tag.removeprefix(TAG)
        if kind == 'merge':
            self._add(key, here, 'merge keys (`<<`) are not allowed', 'write the keys out, or use an alias as a value')
            return
        if kind == 'int' and _numbers_prompts(here[:-1]):
            return
        try:
            value = _scalar(key)
        except _UnusableError as reason:
            self._add(key, here, f'as a key: {reason.message}', reason.hint)
            return
        if not isinstance(value, str):
            self._add(key, here, f'a key must be a text, not {describe(key)}', f'quote it: {quoted(key.value)}')

    def _bounded(self, node: yaml.Node, loc: Loc, data: dict[str, Any]) -> Any:
        """Bound what all text notations of the file together can stand for."""
        if data.keys() == {'repeat', 'times'} and isinstance(data['repeat'], str) and type(data['times']) is int:
            self._composed += len(data['repeat']) * max(data['times'], 0)
            if self._composed > MAX_TEXT:
                self._add(node, loc, f'the texts of this file would be longer than {MAX_TEXT:,} characters')
                return ''
        return data

    def _add(self, node: yaml.Node, loc: Loc, message: str, hint: str = '') -> None:
        line, column = place_of(node)
        self.problems.append(
            FileProblem(path=str(self._path), line=line, column=column, key=key_path(loc), message=message, hint=hint)
        )


def _numbers_prompts(loc: Loc) -> bool:
    """Whether this is `prompts.at` of an expectation: the one mapping whose keys are numbers."""
    if loc[:1] in (('expect',), ('hardening',)):
        rest = loc[1:]
    elif loc[:1] == ('models',):
        rest = loc[2:]
    else:
        return False
    while rest[:1] == ('agents',):
        rest = rest[2:]
    return rest == ('prompts', 'at')


def _scalar(node: yaml.ScalarNode) -> Any:
    """Return the value of a plain or quoted scalar.

    A value that YAML 1.1 and YAML 1.2 read differently is refused, and so is one that JSON cannot hold: an expectation
    that an editor and this loader understand in two ways is worth nothing.
    """
    kind, text = node.tag.removeprefix(TAG), node.value
    quote = f'quote it: {quoted(text)}'
    if kind == 'str':
        if not node.style and _NEWER_NUMBER.fullmatch(text):
            raise _UnusableError(f'{text} is a text in one version of YAML and a number in another', quote)
        return text
    if kind == 'null' and text.lower() in ('', '~', 'null'):
        return None
    if kind == 'bool':
        if text.lower() not in ('true', 'false'):
            raise _UnusableError(
                f'{text} is a text in one version of YAML and {_TRUTH[text.lower()]} in another',
                f'{quote}, or write {_TRUTH[text.lower()]}',
            )
        return text.lower() == 'true'
    if kind == 'int' and len(text) <= _MAX_DIGITS:
        if not _WHOLE.fullmatch(text):
            raise _UnusableError(
                f'{text} is not the same number in every version of YAML', f'write it plainly, or {quote}'
            )
        return int(text, 16) if text.startswith('0x') else int(text)
    if kind == 'float' and len(text) <= _MAX_DIGITS:
        if not _DECIMAL.fullmatch(text):
            raise _UnusableError(f'{text} is no number that JSON can hold', quote)
        if not math.isfinite(float(text)):
            raise _UnusableError(f'{text} is too large for a number', quote)
        return float(text)
    if kind == 'timestamp':
        raise _UnusableError(f'{text} is a date in one version of YAML and a text in another', quote)
    if kind in ('int', 'float'):
        raise _UnusableError('this number has too many digits', 'quote it')
    if kind in ('value', 'merge'):
        raise _UnusableError(f'a plain {text} has a special meaning in YAML', quote)
    raise _UnusableError(f'the tag {shown_tag(node.tag)} is not allowed', 'write plain YAML values')


_TRUTH: Final = {'yes': 'true', 'on': 'true', 'no': 'false', 'off': 'false'}
