"""Places in a YAML file: what is wrong, where it stands, and what stands there, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import yaml

from harness.record import Frozen
from harness.show.visible import clip, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Loc = tuple[str | int, ...]
_MAX_MESSAGE: Final = 700
TAG: Final = 'tag:yaml.org,2002:'


class FileProblem(Frozen):
    """One thing that is wrong in a file: where (line and column from 1), at which key, what, and what to do."""

    path: str
    line: int
    column: int
    key: str
    message: str
    hint: str = ''

    def __str__(self) -> str:
        hint = f' ({clip(self.hint, _MAX_MESSAGE)})' if self.hint else ''
        return f'{self.path}:{self.line}:{self.column}: {clip(self.message, _MAX_MESSAGE)}{hint}'


class FileError(Exception):
    """One or more files cannot be used; `problems` holds everything that is wrong with them, in file order."""

    def __init__(self, problems: Iterable[FileProblem]) -> None:
        self.problems: tuple[FileProblem, ...] = tuple(problems)
        super().__init__('\n'.join(map(str, self.problems)))


def key_path(loc: Sequence[str | int]) -> str:
    """Return a key path as people write it: `expect.calls[0].input`."""
    text = ''.join(f'[{item}]' if isinstance(item, int) else f'.{item}' for item in loc)
    return text.removeprefix('.')


def find(root: yaml.Node | None, loc: Sequence[str | int]) -> tuple[yaml.Node | None, yaml.Node | None, int]:
    """Return the key (or list item) and the value that stand at a key path, and how much of the path exists.

    Of a path that exists in part, it is the deepest part: the value of a short form stands at the key of its mapping.
    """
    place = value = root
    for known, item in enumerate(loc):
        entry = _child(value, item)
        if entry is None:
            return place, value, known
        place, value = entry
    return place, value, len(loc)


def _child(node: yaml.Node | None, item: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        entries = ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
        return next(((key, value) for key, value in entries if key.value == str(item)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(item, int) and 0 <= item < len(node.value):
        return node.value[item], node.value[item]
    return None


def place_of(node: yaml.Node | yaml.Event | None) -> tuple[int, int]:
    """Return line and column of a node, counted from 1; the start of the file where there is none."""
    mark = node.start_mark if node is not None else None
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def quoted(text: str) -> str:
    """Return a text as a single-quoted YAML value, shortened for a message."""
    return "'" + excerpt(text, 0, 60).replace("'", "''") + "'"


def describe(node: yaml.Node | None) -> str:
    """Say in a few words what a node holds: `the number 391`, `a list`."""
    if isinstance(node, yaml.MappingNode):
        return 'a mapping'
    if isinstance(node, yaml.SequenceNode):
        return 'a list'
    if not isinstance(node, yaml.ScalarNode):
        return 'nothing'
    kind = node.tag.removeprefix(TAG)
    if kind == 'null':
        return 'nothing' if not node.value else node.value
    if kind in ('int', 'float'):
        return f'the number {node.value[:60]}'
    if kind == 'bool':
        return str(node.value).lower()
    return f'the text {quoted(node.value)}' if kind == 'str' else f'{quoted(node.value)}'


def shown_tag(tag: str) -> str:
    """Return a tag as people write it: `!!binary`, `!mine`."""
    return f'!!{tag.removeprefix(TAG)}' if tag.startswith(TAG) else tag
