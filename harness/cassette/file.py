"""Cassettes on disk: plain vcrpy YAML, read as untrusted input, written for people to review.

vcrpy keeps its two doors here: `CassetteFormat` is its serializer, `CassetteFiles` its persister.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.cassette.check import problems
from harness.files import Unreadable, leads_out, read_bounded, write_whole
from harness.show.visible import clip
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_BYTES = 32 * 1024 * 1024
"""The largest cassette that is read."""

MAX_NODES = 200_000
"""The most YAML nodes that a cassette may have: a small file can hold millions, and each takes much memory."""

MAX_DEPTH = 20
"""How deep the YAML of a cassette may be nested; what vcrpy writes has 6 levels."""

MAX_PLAIN = 100
"""The most characters of a number or date: to read a long one in base 60 takes the square of its length."""

EPOCH = re.compile(r'[1-9][0-9]{0,3}')
"""How the file of an epoch is called, where there are several of a model."""

_MAX_MESSAGE = 700
_ADVICE = 'give a cassette written by `react-harness record`, or record this one again'
# YAML reads these characters as line breaks or not at all; inside JSON texts each of them can be written as an escape.
_NOT_IN_YAML = re.compile('[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\U0010ffff]')
_TAG = 'tag:yaml.org,2002:'
_SafeLoader: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)


class CassetteError(Exception):
    """A file that is no cassette, or a cassette that cannot be written: where, what, and what to do."""

    def __init__(self, path: Path | str, message: str, line: int = 0, column: int = 0, hint: str = _ADVICE) -> None:
        super().__init__(path, message, line, column, hint)
        self.path = path
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        place = f'{self.path}:{self.line}:{self.column}' if self.line else str(self.path)
        message = clip(self.message, _MAX_MESSAGE)
        return f'{place}: {message} ({self.hint})' if self.hint else f'{place}: {message}'


class NotRecorded(CassetteError):  # noqa: N818 - named by the fact
    """There is no cassette of this scenario with this model."""


class Unplayed(CassetteError):  # noqa: N818 - named by the fact
    """A replay ended before every recorded turn was asked for."""


class CassetteFiles:
    """Reads and writes the files; vcrpy calls this a persister."""

    @staticmethod
    def load_cassette(path: str | Path, serializer: CassetteFormat) -> Any:
        """Return the requests and responses of a cassette, as vcrpy's own values.

        Raises:
            CassetteError: the file is too large, cannot be read, or is no cassette.
        """
        from vcr.serialize import deserialize  # vcrpy takes long to import

        return deserialize(_bytes_of(Path(path)), serializer)

    @staticmethod
    def save_cassette(path: str | Path, cassette: dict[str, Any], serializer: CassetteFormat) -> None:
        """Write a cassette as a whole or not at all, in place of the one that is there."""
        from vcr.serialize import serialize

        text: str = serialize(cassette, serializer)
        write_cassette(Path(path), text)


def write_cassette(path: Path, text: str) -> None:
    """Write the text of a cassette in place of the one that is there, as a whole or not at all.

    Raises:
        CassetteError: a symbolic link leads out of the folder of the cassettes.
        OSError: it cannot be written.
    """
    _check_place(path.parent, _root_of(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


class CassetteFormat:
    """The text of one cassette; vcrpy calls this a serializer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.latencies: list[float | None] = []
        """The seconds that the recorded exchanges took, by their order; known once the text was read."""
        self.recorded: Any = None
        """What the cassette says of its recording; known then, too."""

    def deserialize(self, raw: bytes) -> dict[str, Any]:
        """Return the checked content of a cassette.

        Raises:
            CassetteError: the text is no YAML, has tags or merge keys, or is no cassette.
        """
        try:
            data = yaml.load(raw.decode('utf-8-sig'), Loader=_Loader)  # noqa: S506 - it is a safe one
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            raise CassetteError(self._path, f'no readable YAML: {error.problem}', *place) from None
        except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, ValueError) as error:
            # PyYAML lets through what its constructors raise for a tag on a value that does not fit it.
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise CassetteError(self._path, f'no readable YAML: {first}') from None
        for loc, message in problems(data):
            raise CassetteError(self._path, message, *_where(raw, loc))
        self.latencies = [one.get('latency_s') for one in data['interactions']]
        self.recorded = data.get('recorded')
        return data  # type: ignore[no-any-return]

    def serialize(self, data: dict[str, Any]) -> str:
        """Return the text of a cassette: JSON bodies indented, in literal blocks, characters unescaped."""
        return text_of(data)


def text_of(data: dict[str, Any]) -> str:
    """Return the text of a cassette: JSON bodies indented, in literal blocks, characters unescaped."""
    interactions = [
        {
            **({'accepted': one['accepted']} if one.get('accepted') else {}),
            'request': {
                'method': one['request']['method'],
                'uri': one['request']['uri'],
                'headers': one['request']['headers'],
                'body': readable(one['request']['body']),
            },
            'response': {
                **one['response'],
                'body': {'string': readable(one['response']['body']['string'])},
            },
            **({'latency_s': one['latency_s']} if one.get('latency_s') is not None else {}),
        }
        for one in data['interactions']
    ]
    recorded = {'recorded': data['recorded']} if data.get('recorded') else {}
    cassette = {'version': data['version'], **recorded, 'interactions': interactions}
    return yaml.dump(cassette, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=float('inf'))


def readable(body: Any) -> Any:
    """Return a JSON text indented, with the same value; anything else as it is."""
    if not isinstance(body, str):
        return body
    try:
        value = strict_json(body)
        text = json_text(value, indent=2)
        return text if json.loads(text) == value else body
    except (ValueError, RecursionError):
        return body


def _check_place(path: Path, root: Path) -> None:
    """Refuse what is not where it seems to be: a suite of strangers could make us read or write anywhere."""
    if leads_out(path, root):
        raise CassetteError(path, f'a symbolic link leads out of {root}', hint='put the file itself there')


def _root_of(path: Path) -> Path:
    """Return the folder of all cassettes: an epoch has one folder more above it."""
    return path.parents[2 if EPOCH.fullmatch(path.stem) and len(path.parents) > 2 else 1]


def _bytes_of(path: Path) -> bytes:
    _check_place(path, _root_of(path))
    try:
        return read_bounded(path, MAX_BYTES)
    except Unreadable as error:
        raise CassetteError(path, str(error)) from None


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1] if ord(match[0]) > 0x7F else '\\u007f'


class _Loader(_SafeLoader):  # type: ignore[misc]
    """A safe loader that bounds number, depth and length of values, and refuses what has two readings or multiplies."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = self._depth = 0

    def descend_resolver(self, parent: yaml.Node | None, index: Any) -> None:
        """Count a node: PyYAML calls this for each, and no cassette needs what it is for."""
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            bound = f'than {MAX_NODES} values' if self._nodes > MAX_NODES else f'levels than {MAX_DEPTH}'
            raise yaml.composer.ComposerError(None, None, f'there are more {bound}', None)

    def ascend_resolver(self) -> None:
        """Leave a node, see `descend_resolver`."""
        self._depth -= 1

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Refuse an alias: a few nested ones can stand for billions of values."""
        if node in self.constructed_objects:
            raise _refusal('a cassette has no aliases', node)
        return super().construct_object(node, deep)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse a merge key, and a key that stands twice: people would review one value and we replay the other."""
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag == f'{_TAG}merge':
                raise _refusal('a cassette has no merge keys', key)
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise _refusal(f'the key {key.value[:60]!r} stands here a second time', key)
                seen.add(key.value)


def _short(construct: Callable[[Any, yaml.ScalarNode], Any]) -> Callable[[Any, yaml.ScalarNode], Any]:
    """Return a constructor that refuses a number which takes very long to read."""

    def checked(loader: Any, node: yaml.ScalarNode) -> Any:
        if len(node.value) > MAX_PLAIN:
            raise _refusal('this number is too long', node)
        return construct(loader, node)

    return checked


for _kind in ('int', 'float', 'timestamp'):
    _Loader.add_constructor(f'{_TAG}{_kind}', _short(_SafeLoader.yaml_constructors[f'{_TAG}{_kind}']))


def _refusal(message: str, node: yaml.Node) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, message, node.start_mark)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as literal blocks, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # YAML takes these for line ends and folds them, outside of quotation marks with escapes.
    style = '"' if _OTHER_LINE_END.search(text) else '|' if '\n' in text else None
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style=style)


_OTHER_LINE_END = re.compile('[\r\x85\u2028\u2029]')
_Dumper.add_representer(str, _represent_text)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON with its characters unescaped, but for those that YAML does not read as they are.

    Raises:
        ValueError: JSON cannot hold the value.
    """
    return _NOT_IN_YAML.sub(_escaped, json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False))


def content_of(path: Path) -> dict[str, Any]:
    """Return the checked content of a cassette, as `text_of` takes it.

    Raises:
        CassetteError: the file cannot be read, or is no cassette.
    """
    return CassetteFormat(path).deserialize(_bytes_of(path))


def place_in(path: Path, loc: Sequence[str | int]) -> tuple[int, int]:
    """Return line and column of the deepest part of a key path that a cassette has.

    Raises:
        CassetteError: the file cannot be read.
    """
    return _where(_bytes_of(path), loc)


def _where(raw: bytes, loc: Sequence[str | int]) -> tuple[int, int]:
    """Return line and column of the deepest part of a key path that is there."""
    node: Any = yaml.compose(raw.decode('utf-8-sig'), Loader=_Loader)
    for key in loc:
        if isinstance(node, yaml.MappingNode):
            found = [value for name, value in node.value if getattr(name, 'value', None) == key]
        else:
            found = [node.value[key]] if isinstance(node, yaml.SequenceNode) and isinstance(key, int) else []
        if not found:
            break
        node = found[-1]
    return (node.start_mark.line + 1, node.start_mark.column + 1) if node is not None else (0, 0)
