"""What is left of a key where a long text was cut: too little to have a shape, too much to be shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from harness.secrets.shapes import BEGINNINGS, Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD: Final = r'[A-Za-z0-9+/_=.%\\-]'
_CUT: Final = re.compile(
    rf'(?<!{_WORD})({_WORD}*)'
    rf'(?:… \[[0-9,]+ (?:characters|bytes) left out\](?: …({_WORD}*))?|\.\.\. \([0-9]+ characters\))'
)
_REST_OF_PEM: Final = re.compile(r'(?:[A-Za-z0-9+/=\s]|\\[rn])*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----')
_BEGINNINGS: Final = tuple(beginning.decode('ascii') for beginning in BEGINNINGS)
_SHORTEST: Final = 4
_LONG: Final = 20


def cut(text: str) -> Iterator[Spot]:
    """Yield the words beside the cuts of a text, as `clip` and its like make them, that may be parts of keys."""
    if 'left out]' not in text and ' characters)' not in text:
        return
    for match in _CUT.finditer(text):
        for group in (1, 2):
            if match[group] and _may_be_a_key(match[group]):
                yield Spot(*match.span(group), 'a part of a word that may be a key')
        if match[2] is not None:
            rest = _REST_OF_PEM.match(text, match.start(2))
            if rest is not None:
                yield Spot(*rest.span(), 'the end of a private key')


def _may_be_a_key(word: str) -> bool:
    inner = word[1:]
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    cases = any(map(str.isupper, inner)) and any(map(str.islower, word))
    return len(word) >= _SHORTEST and (mixed or cases or len(word) >= _LONG or word.startswith(_BEGINNINGS))
