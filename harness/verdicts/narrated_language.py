"""What is known of a language: the words that tell of tool work, and those that turn them into something else.

Every repetition in a pattern has a bound and is tried on one short piece of text, so that reading takes linear time.
`@` stands for the name of an offered tool, `_` for a stretch inside the piece; both are put in by `compiled`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

NAME: Final = '\ue000'
"""What each character of a tool's name is replaced by before a text is read."""


class Language(NamedTuple):
    """How one language tells of tool work.

    `common` are words that tell the language, none where its script does; `stems` are lower-case parts of words, one of
    which is in every piece that can match. `claims` and `results` say all by themselves; `acts` are deeds of the
    speaker that count next to a `noun` for a tool, `deeds` next to an `object`. `done` are results of deeds without a
    speaker. `elsewhere`, before a match, makes it a condition, somebody else's words or an example; `denial` there or
    inside, or right behind with `denied_behind`, makes it a negation; `yours` before a noun makes it the reader's.
    """

    code: str
    common: frozenset[str]
    stems: tuple[str, ...]
    claims: re.Pattern[str]
    acts: re.Pattern[str]
    noun: re.Pattern[str]
    results: re.Pattern[str]
    deeds: re.Pattern[str]
    object: re.Pattern[str]
    done: re.Pattern[str]
    elsewhere: re.Pattern[str]
    denial: re.Pattern[str]
    yours: re.Pattern[str]
    denied_behind: bool = False


def common(text: str) -> frozenset[str]:
    """Return the words in a text."""
    return frozenset(text.split())


def stems(text: str) -> tuple[str, ...]:
    """Return the stems in a text, with bars between them, and that of a tool's name."""
    return (*text.split('|'), NAME)


def compiled(*parts: str) -> re.Pattern[str]:
    """Return the pattern that is any of these."""
    text = '|'.join(f'(?:{part})' for part in parts)
    return re.compile(text.replace('@', f'{NAME}{{1,120}}').replace('_', r'[^\n]{0,50}?'), re.IGNORECASE)


NEVER: Final = re.compile(r'(?!)')
