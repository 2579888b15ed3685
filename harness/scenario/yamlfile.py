"""One YAML file, read safely: plain JSON-like data with the place of every key, or all problems of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from harness.files import TooLarge, Unreadable, read_bounded
from harness.scenario.yamlnode import FileError, FileProblem, key_path, place_of
from harness.scenario.yamlvalue import Builder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MAX_BYTES: Final = 4_000_000
MAX_DEPTH: Final = 100
MAX_NODES: Final = 200_000
MAX_CHARACTERS: Final = 16_000_000
"""The bounds of a file: its size, and depth, values and characters once every alias stands for its whole value."""

# The C parser is some ten times faster; PyYAML without it reads the same files, with other words in its errors.
_Loader: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


@dataclass(frozen=True)
class Document:
    """What one YAML file holds: the node graph, the data it stands for, and what is wrong with it.

    `data` is whole even where there are problems: a value that cannot be used stands there as its text.
    """

    path: Path
    node: yaml.Node
    data: Any
    problems: tuple[FileProblem, ...]

    def problem(self, node: yaml.Node | None, loc: Sequence[str | int], message: str, hint: str = '') -> FileProblem:
        """Make a problem that stands at a node of this document."""
        line, column = place_of(node)
        return FileProblem(path=str(self.path), line=line, column=column, key=key_path(loc), message=message, hint=hint)


def read_yaml(path: Path) -> Document:
    """Read one YAML file: one document of mappings with text keys, lists and plain values; aliases are allowed.

    Raises:
        FileError: the file cannot be read, is no YAML, or goes past a bound; there is no data then.
    """
    try:
        text = _text_of(path)
        _check_events(text)
        node = yaml.compose(text, Loader=_Loader)
        if node is None:
            raise _RefusedError(1, 1, 'the file is empty')
        _Measure().of(node)
    except _RefusedError as refused:
        raise FileError([refused.problem(path)]) from None
    except yaml.MarkedYAMLError as error:
        raise FileError([_syntax(error).problem(path)]) from None
    except yaml.YAMLError as error:
        raise FileError([_RefusedError(1, 1, f'this is not YAML: {error}').problem(path)]) from None
    builder = Builder(path)
    data = builder.build(node)
    return Document(path=path, node=node, data=data, problems=tuple(builder.problems))


class _RefusedError(Exception):
    """The file as a whole cannot be used."""

    def __init__(self, line: int, column: int, message: str, hint: str = '') -> None:
        super().__init__(message)
        self.line, self.column, self.message, self.hint = line, column, message, hint

    def problem(self, path: Path) -> FileProblem:
        return FileProblem(
            path=str(path), line=self.line, column=self.column, key='', message=self.message, hint=self.hint
        )


# ------------------------------------------------------------------------------------------- from bytes to a node graph

# What YAML allows in a file; everything else has to be an escape in a double-quoted text.
_NOT_ALLOWED: Final = re.compile('[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')

_SYNTAX_HINTS: Final = {
    'mapping values are not allowed': "quote a text that holds ': ', or check the indentation",
    'cannot start any token': 'indent with spaces, never tabs; quote a text that starts with @, ` or %',
    'did not find expected key': 'check the indentation, and quote a text that goes on behind its closing quote',
    'could not find expected': 'a key needs a colon and a space behind it',
    'undefined alias': "quote a text that starts with '*', or define the anchor before it is used",
    'found unexpected end of stream': 'a quote or a bracket is not closed',
    'unknown escape character': 'a backslash is an escape in double quotes: use single quotes',
    'found invalid Unicode character escape code': 'half of a surrogate pair is no character',
}


def _text_of(path: Path) -> str:
    try:
        raw = read_bounded(path, MAX_BYTES)
    except TooLarge as error:
        raise _RefusedError(1, 1, str(error), 'write a long text as {repeat: text, times: number}') from None
    except Unreadable as error:
        raise _RefusedError(1, 1, str(error)) from None
    try:
        text = raw.decode('utf-8-sig')
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode('utf-8-sig', 'replace')
        raise _RefusedError(*_end_of(before), 'the file is not UTF-8 text', 'save it as UTF-8') from None
    bad = _NOT_ALLOWED.search(text)
    if bad:
        code = ord(bad.group())
        escape = f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}'
        raise _RefusedError(
            *_end_of(text[: bad.start()]),
            f'the character U+{code:04X} must not stand in a YAML file',
            f'write it as {escape} in a double-quoted text',
        )
    return text


def _end_of(text: str) -> tuple[int, int]:
    return text.count('\n') + 1, len(text) - text.rfind('\n')


def _check_events(text: str) -> None:
    """Refuse what must not even be composed: the composer recurses, so the depth is bounded before it runs."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise _RefusedError(*place_of(event), f'values are nested deeper than {MAX_DEPTH} levels')
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _RefusedError(*place_of(event), 'a second document starts here', 'write one document a file')


def _syntax(error: yaml.MarkedYAMLError) -> _RefusedError:
    mark = error.problem_mark or error.context_mark
    problem = error.problem or str(error)
    if 'nesting depth' in problem and mark is not None:
        return _RefusedError(mark.line + 1, mark.column + 1, f'values are nested deeper than {MAX_DEPTH} levels')
    hint = next((text for part, text in _SYNTAX_HINTS.items() if part in problem), '')
    context = f', {error.context}' if error.context else ''
    if error.context and error.context_mark is not None:
        context += f' that starts at {error.context_mark.line + 1}:{error.context_mark.column + 1}'
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    return _RefusedError(line, column, f'this is not YAML: {problem}{context}', hint)


class _Measure:
    """How large a node graph is once every alias stands for its whole value; each node is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int, int] | None] = {}

    def of(self, node: yaml.Node) -> tuple[int, int, int]:
        """Return (values, characters, depth).

        Raises:
            _RefusedError: a bound is passed, or a value holds itself.
        """
        if id(node) in self._known:
            known = self._known[id(node)]
            if known is None:
                raise _RefusedError(*place_of(node), 'this value holds itself through an alias')
            return known
        self._known[id(node)] = None
        nodes, characters, depth = 1, len(node.value) if isinstance(node, yaml.ScalarNode) else 0, 0
        for child in _children(node):
            more = self.of(child)
            nodes, characters, depth = nodes + more[0], characters + more[1], max(depth, more[2] + 1)
        if nodes > MAX_NODES or characters > MAX_CHARACTERS or depth > MAX_DEPTH:
            raise _RefusedError(
                *place_of(node),
                f'this stands for more than {MAX_NODES:,} values, {MAX_CHARACTERS:,} characters or {MAX_DEPTH} levels',
                'use fewer aliases',
            )
        self._known[id(node)] = nodes, characters, depth
        return nodes, characters, depth


def _children(node: yaml.Node) -> Iterable[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return (part for entry in node.value for part in entry)
    return node.value if isinstance(node, yaml.SequenceNode) else ()
