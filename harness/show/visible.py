"""Texts of models and tools, made safe to look at: control characters spelled out, long texts cut in the middle."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_HIDDEN = re.compile(
    '[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb'
    '\U000e0000-\U000e0fff]'
)
CUT: Final = '[…]'
"""Where a part was taken out of a text. What stands beside it may be a part of a key: `harness.secrets` looks there."""

_SHORT = {'\r': '\\r', '\x0b': '\\v', '\x0c': '\\f', '\x08': '\\b', '\x07': '\\a', '\0': '\\0'}


def spelled(character: str) -> str:
    r"""Return the escape of one character: `\r`, `\x1b`, `\u202e`, `\U000e0041`."""
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f'\\x{code:02x}' if code < 0x100 else f'\\u{code:04x}' if code < 0x10000 else f'\\U{code:08x}'


def visible(text: str) -> str:
    """Return the text with every character spelled out that a terminal or browser would obey or hide.

    Line feeds and tabs stay. What comes back can be encoded as UTF-8 and holds no escape sequence, no change of the
    writing direction and no invisible letters.
    """
    return _HIDDEN.sub(lambda match: spelled(match.group()), text)


def visible_pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of `visible(text)`, each with whether it is a spelled-out character."""
    end = 0
    for match in _HIDDEN.finditer(text):
        if match.start() > end:
            yield text[end : match.start()], False
        yield spelled(match.group()), True
        end = match.end()
    if end < len(text):
        yield text[end:], False


def one_line(text: str) -> str:
    """Return the visible text on one line, with line feeds and tabs spelled out too."""
    return visible(text).replace('\n', '\\n').replace('\t', '\\t')


def clip(text: str, limit: int) -> str:
    """Return the text, with its middle left out where it is longer than `limit` characters; the cut says how much."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    head = limit - tail
    return f'{text[:head]}… [{len(text) - limit:,} characters left out] …{text[-tail:]}'


def excerpt(text: str, start: int, end: int) -> str:
    """Return the characters `start` to `end` of a text, with `[…]` at each end that is none of the text."""
    start = max(0, start)
    return f'{CUT if start else ""}{text[start:end]}{CUT if end < len(text) else ""}'


def plural(number: int, noun: str) -> str:
    """Return `1 run`, `2 runs`."""
    return f'{number:,} {noun}{"" if number == 1 else "s"}'


def percent(share: float) -> str:
    """Return a share as whole per cent: `97 %`.

    Only all is 100 %, and only none is 0 %: 1,999 of 2,000 are 99 %, for there is one that was not.
    """
    whole = round(100 * share)
    if 0 < share < 1:
        whole = min(99, max(1, whole))
    return f'{whole} %'


def json_safe(value: Any) -> Any:
    """Return the value as JSON can hold it: keys as text, numbers finite, anything else as its `repr`."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else repr(key): json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(item) for item in value]
    return repr(value)


def as_text(value: Any, *, indent: int | None = None) -> str:
    """Return any value as JSON text, readable in any language; what JSON cannot hold stands as its `repr`."""
    return json.dumps(json_safe(value), ensure_ascii=False, indent=indent)
