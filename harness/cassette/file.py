"""Cassettes on disk: plain vcrpy YAML, read as untrusted input, written for people to review.

vcrpy keeps its two doors here: `CassetteFormat` is its serializer, `CassetteFiles` its persister.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_BYTES = 32 * 1024 * 1024
"""The largest cassette that is read."""

MAX_NODES = 200_000
"""The most YAML nodes that a cassette may have: a small file can hold millions, and each takes much memory."""

_ADVICE = 'give a cassette written by `react-harness record`, or record this one again'
# YAML reads these characters as line breaks or not at all; inside JSON texts each of them can be written as an escape.
_NOT_IN_YAML = re.compile('[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\U0010ffff]')
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
        return f'{place}: {self.message} ({self.hint})' if self.hint else f'{place}: {self.message}'


class NotRecorded(CassetteError):  # noqa: N818 - named by the fact
    """There is no cassette of this scenario with this model."""


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
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f'.{target.name}.{os.getpid()}.{threading.get_ident()}.tmp')
        try:
            with draft.open('x', encoding='utf-8', newline='\n') as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                draft.unlink()


class CassetteFormat:
    """The text of one cassette; vcrpy calls this a serializer."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def deserialize(self, raw: bytes) -> dict[str, Any]:
        """Return the checked content of a cassette.

        Raises:
            CassetteError: the text is no YAML, has tags or merge keys, or is no cassette.
        """
        try:
            data = yaml.load(raw, Loader=_Loader)  # noqa: S506 - it is a safe one
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            raise CassetteError(self._path, f'no readable YAML: {error.problem}', *place) from None
        except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, ValueError) as error:
            # PyYAML lets through what its constructors raise for a tag on a value that does not fit it.
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise CassetteError(self._path, f'no readable YAML: {first}') from None
        for loc, message in _problems(data):
            raise CassetteError(self._path, message, *_where(raw, loc))
        return data  # type: ignore[no-any-return]

    def serialize(self, data: dict[str, Any]) -> str:
        """Return the text of a cassette: JSON bodies indented, in literal blocks, characters unescaped."""
        interactions = [
            {
                'request': {
                    'method': request['method'],
                    'uri': request['uri'],
                    'headers': request['headers'],
                    'body': readable(request['body']),
                },
                'response': {
                    'status': response['status'],
                    'headers': response['headers'],
                    'body': {'string': readable(response['body']['string'])},
                },
            }
            for request, response in ((one['request'], one['response']) for one in data['interactions'])
        ]
        cassette = {'version': data['version'], 'interactions': interactions}
        return yaml.dump(cassette, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=float('inf'))


def readable(body: Any) -> Any:
    """Return a JSON text indented, with the same value; anything else as it is."""
    if not isinstance(body, str):
        return body
    try:
        value = json.loads(body, object_pairs_hook=_with_unique_keys)
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        text = _NOT_IN_YAML.sub(_escaped, text)
        return text if json.loads(text) == value else body
    except (ValueError, RecursionError):
        return body


def _bytes_of(path: Path) -> bytes:
    if not path.is_file():
        raise CassetteError(path, 'this is no file')
    try:
        with path.open('rb') as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CassetteError(path, f'the file cannot be read: {error.strerror}') from None
    if len(raw) > MAX_BYTES:
        raise CassetteError(path, f'the file is larger than {MAX_BYTES // 1024 // 1024} MB')
    return raw


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError('a key stands twice')
    return value


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1] if ord(match[0]) > 0x7F else '\\u007f'


class _Loader(_SafeLoader):  # type: ignore[misc]
    """A safe loader that also bounds the number of nodes, and knows no merge keys."""

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._nodes = 0

    def descend_resolver(self, parent: yaml.Node | None, index: Any) -> None:
        """Count a node: PyYAML calls this for each, and no cassette needs what it is for."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise yaml.composer.ComposerError(None, None, f'there are more than {MAX_NODES} values', None)

    def ascend_resolver(self) -> None:
        """Do nothing, see `descend_resolver`."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Refuse a merge key: a few nested ones can stand for billions of entries."""
        for key, _ in node.value:
            if key.tag == 'tag:yaml.org,2002:merge':
                raise yaml.constructor.ConstructorError(None, None, 'a cassette has no merge keys', key.start_mark)


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


# --------------------------------------------------------------------------------------------------------- the check

_Problem = tuple[tuple[str | int, ...], str]


def _problems(data: Any) -> Iterator[_Problem]:
    if not isinstance(data, dict) or not isinstance(data.get('interactions'), list):
        yield (), 'no cassette: there is no list of `interactions`'
        return
    if data.get('version') != 1:
        yield ('version',), f'version 1 is expected, this is {_short(data.get("version"))}'
    for index, interaction in enumerate(data['interactions']):
        at: tuple[str | int, ...] = ('interactions', index)
        if not isinstance(interaction, dict):
            yield at, 'an interaction is a mapping of `request` and `response`'
            continue
        yield from _request_problems(interaction.get('request'), (*at, 'request'))
        yield from _response_problems(interaction.get('response'), (*at, 'response'))


def _request_problems(request: Any, at: tuple[str | int, ...]) -> Iterator[_Problem]:
    if not isinstance(request, dict) or request.keys() != {'method', 'uri', 'headers', 'body'}:
        yield at, 'a request has `method`, `uri`, `headers` and `body`'
        return
    if not isinstance(request['method'], str):
        yield (*at, 'method'), 'a method is a text'
    if not _is_uri(request['uri']):
        yield (*at, 'uri'), 'this is no URL'
    if not isinstance(request['body'], str | bytes | None):
        yield (*at, 'body'), 'a body is a text'
    if not _are_headers(request['headers']):
        yield (*at, 'headers'), 'headers are names with lists of ASCII texts'


def _response_problems(response: Any, at: tuple[str | int, ...]) -> Iterator[_Problem]:
    if not isinstance(response, dict) or not response.keys() >= {'status', 'headers', 'body'}:
        yield at, 'a response has `status`, `headers` and `body`'
        return
    status, body = response['status'], response['body']
    if not isinstance(status, dict) or status.keys() != {'code', 'message'}:
        yield (*at, 'status'), 'a status has `code` and `message`'
    elif type(status['code']) is not int or not 100 <= status['code'] <= 599:
        yield (*at, 'status', 'code'), 'a status code is a number from 100 to 599'
    elif not (status['message'] is None or _is_ascii(status['message'])):
        yield (*at, 'status', 'message'), 'a status message is an ASCII text'
    if not isinstance(body, dict) or not isinstance(body.get('string'), str | bytes):
        yield (*at, 'body'), 'a body has a `string`'
    if not _are_headers(response['headers']):
        yield (*at, 'headers'), 'headers are names with lists of ASCII texts'
    elif any(name.lower() == 'content-encoding' for name in response['headers']):
        # A few bytes of it could unfold to fill the memory, and nobody can review it.
        yield (*at, 'headers'), "a compressed body is not read: record with vcrpy's `decode_compressed_response`"


def _are_headers(headers: Any) -> bool:
    return isinstance(headers, dict) and all(
        _is_ascii(name) and isinstance(values, list) and values and all(map(_is_ascii, values))
        for name, values in headers.items()
    )


def _is_ascii(text: Any) -> bool:
    return isinstance(text, str) and text.isascii()


def _is_uri(uri: Any) -> bool:
    try:
        return isinstance(uri, str) and httpx.URL(uri).scheme in ('http', 'https')
    except httpx.InvalidURL:
        return False


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f'{text[:60]}...'


def _where(raw: bytes, loc: Sequence[str | int]) -> tuple[int, int]:
    """Return line and column of the deepest part of a key path that is there."""
    node: Any = yaml.compose(raw, Loader=_Loader)
    for key in loc:
        if isinstance(node, yaml.MappingNode):
            found = [value for name, value in node.value if getattr(name, 'value', None) == key]
        else:
            found = [node.value[key]] if isinstance(node, yaml.SequenceNode) and isinstance(key, int) else []
        if not found:
            break
        node = found[-1]
    return (node.start_mark.line + 1, node.start_mark.column + 1) if node is not None else (0, 0)
