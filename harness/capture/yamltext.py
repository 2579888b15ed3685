"""The text of a scenario file as a person would write it: literal blocks for long texts, short values on one line."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any, Final

import yaml

from harness.scenario.text import MAX_TEXT
from harness.scenario.yamlnode import TAG
from harness.show.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WIDTH: Final = 118
_ON_ONE_LINE: Final = 90
_SMALL: Final = 40
_OPEN_LEVELS: Final = 2
"""Down to this level each value of a file has a line of its own, where it is not a small one."""

# Read otherwise by one version of YAML than by another, although PyYAML writes them without quotation marks.
_AMBIGUOUS: Final = re.compile(r'[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+|0o[0-7]+|[-+.\d][-+.\d:eE_]*')
# Blanks at the ends of lines would be lost with the next editor, and leading ones need a hint that few people know.
_BLOCK: Final = re.compile(r'[^\s](?:[^\t]*\S)?\n?')
_BLANK_AT_END: Final = re.compile(r' (?:\n|\Z)')

_LONG: Final = 2_000
_PERIOD: Final = 200
_TIMES: Final = 10
_SURE: Final = 24
"""How many characters must come again before a repetition is looked at, so that looking stays fast."""

_LOOKS: Final = 100_000
"""At how many places of a text a repetition is looked for."""


def scenario_text(data: Mapping[str, Any], first_line: str) -> str:
    """Return the text of a scenario file: the line that names the schema, then the keys in the order of `data`."""
    node = _node(dict(data), 0)
    return f'{first_line}\n' + yaml.serialize(node, Dumper=_Dumper, width=_WIDTH, allow_unicode=True)


def noted(text: str) -> Any:
    """Return a text as the format's *text* holds it: itself, or the notation for a long one that repeats itself."""
    if not _LONG < len(text) <= MAX_TEXT:
        return text
    raw = text.encode('utf-8', 'surrogatepass')
    if 10 * len(zlib.compress(raw, 1)) > len(raw):
        return text
    parts = list(_parts(text))
    written = sum(len(part) if isinstance(part, str) else len(part['repeat']) for part in parts)
    if 2 * written > len(text):
        return text
    return parts[0] if len(parts) == 1 else {'parts': parts}


def _parts(text: str) -> Iterator[Any]:
    """Yield the parts of a text: what is repeated many times in a row as a notation, what is between as it is."""
    begin = at = looks = 0
    while at < len(text) and looks < _LOOKS:
        again = text.find(text[at : at + _SURE], at + 1, at + _PERIOD + _SURE)
        unit, end = text[at:again], again
        while again >= 0 and text.startswith(unit, end):
            end += len(unit)
        times = (end - at) // len(unit) if again >= 0 else 0
        if times < _TIMES or end - at < _PERIOD:
            at, looks = at + 1, looks + 1
            continue
        if at > begin:
            yield text[begin:at]
        yield {'repeat': unit, 'times': times}
        begin = at = end
    if begin < len(text):
        yield text[begin:]


# ------------------------------------------------------------------------------------------------- the nodes of a file


def _node(value: Any, level: int) -> yaml.Node:
    if isinstance(value, dict):
        entries = [(_key(key), _node(item, level + 1)) for key, item in value.items()]
        small = level > 0 and not any(isinstance(item, dict | list | tuple) for item in value.values())
        flow = not value or (level > _OPEN_LEVELS and _fits(value)) or (small and _fits(value, _SMALL))
        return yaml.MappingNode(f'{TAG}map', entries, flow_style=flow)
    if isinstance(value, list | tuple):
        holds_values = any(isinstance(item, dict | list | tuple) for item in value)
        flow = not value or (not holds_values and _fits(value))
        return yaml.SequenceNode(f'{TAG}seq', [_node(item, level + 1) for item in value], flow_style=flow)
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        kind, text = ('null', 'null') if value is None else ('bool', 'true' if value else 'false')
    elif isinstance(value, int):
        kind, text = 'int', str(value)
    else:
        kind, text = 'float', repr(value)
        if '.' not in text:
            text = text.replace('e', '.0e')
    return yaml.ScalarNode(f'{TAG}{kind}', text)


def _key(key: Any) -> yaml.Node:
    return _text(key, is_key=True) if isinstance(key, str) else _node(key, 0)


def _text(text: str, *, is_key: bool = False) -> yaml.ScalarNode:
    style = None
    if visible(text) != text:
        style = '"'
    elif '\n' in text:
        style = '|' if not is_key and _BLOCK.fullmatch(text) and not _BLANK_AT_END.search(text) else '"'
    elif _AMBIGUOUS.fullmatch(text):
        style = "'"
    return yaml.ScalarNode(f'{TAG}str', text, style=style)


def _fits(value: Any, most: int = _ON_ONE_LINE) -> bool:
    """Tell whether a value can stand on one line with others."""
    return 0 <= _length(value) <= most


def _length(value: Any) -> int:
    """Return about how many characters a value takes on one line; -1 where it cannot, or would be far too long."""
    if isinstance(value, str):
        return len(value) + 2 if '\n' not in value and len(value) <= _ON_ONE_LINE else -1
    if not isinstance(value, dict | list | tuple):
        return len(str(value))
    total = 2
    for item in value.items() if isinstance(value, dict) else value:
        lengths = [_length(part) for part in item] if isinstance(value, dict) else [_length(item)]
        if min(lengths) < 0 or total > _ON_ONE_LINE:
            return -1
        total += sum(lengths) + 2
    return total


class _Dumper(yaml.SafeDumper):
    """Indents lists below their keys, as the files that people write do."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        # What a reader of the file would not see, or would see in another order, stands as its escape.
        self.allow_unicode = visible(text) == text
        super().write_double_quoted(text, split)
        self.allow_unicode = True
