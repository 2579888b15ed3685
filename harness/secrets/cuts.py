"""What is left of a key where a long text was cut: too little to have a shape, too much to be shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from harness.secrets.shapes import BEGINNINGS, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD: Final = r'[A-Za-z0-9+/_=.%\\-]'
_BREAK: Final = r'(?=[ \t\r|>+,\\-]{0,12}(?:["\'\n]|\\n))(?:\\n|[ \t\r\n|>+"\',\\-]){1,24}'
"""What stands between the lines of a key that is written in several ones: quotes, a line break, indentation."""

_LEFT: Final = rf'(?<!{_WORD})(?:({_WORD}+){_BREAK})?(?<!{_WORD})({_WORD}*)'
_RIGHT: Final = rf'({_WORD}*)(?:{_BREAK}({_WORD}+))?'
_CUT: Final = re.compile(
    rf'(?:{_LEFT})?'
    rf'(?:… \[[0-9,]+ (?:characters|bytes) left out\](?: …{_RIGHT})?|\.\.\. \([0-9]+ characters\)|\[…\]{_RIGHT})'
)
_REST_OF_PEM: Final = re.compile(r'(?:[A-Za-z0-9+/=\s]|\\[rn])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----')
_BEGINNINGS: Final = tuple(beginning.decode('ascii') for beginning in BEGINNINGS)
_MARKS: Final = ('left out]', ' characters)', '[…]')
_SHORTEST: Final = 4
_LONG: Final = 20


def cut(text: str) -> Iterator[Spot]:
    """Yield the words that may be parts of keys, beside the cuts that `clip` and `excerpt` made in a text."""
    if not any(mark in text for mark in _MARKS):
        return
    for match in _CUT.finditer(text):
        for group, word in enumerate(match.groups(), 1):
            if word and _may_be_a_key(word):
                yield Spot(*match.span(group), 'a part of a word that may be a key')
        behind = 3 if match[3] is not None else 5
        if match[behind] is not None:
            rest = _REST_OF_PEM.match(text, match.start(behind))
            if rest is not None:
                yield Spot(*rest.span(), 'the end of a private key')


def _may_be_a_key(word: str) -> bool:
    inner = word[1:]
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    cases = any(map(str.isupper, inner)) and any(map(str.islower, word))
    return len(word) >= _SHORTEST and (mixed or cases or len(word) >= _LONG or word.startswith(_BEGINNINGS))
