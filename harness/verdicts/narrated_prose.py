"""The sentences of a turn: which of them tell of tool work, in which language."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from harness.verdicts.narrated_cjk import CHINESE, JAPANESE
from harness.verdicts.narrated_germanic import ENGLISH, GERMAN
from harness.verdicts.narrated_language import NAME
from harness.verdicts.narrated_lines import Found, NarrationKind
from harness.verdicts.narrated_romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.verdicts.narrated_language import Language
    from harness.verdicts.narrated_lines import Names

LANGUAGES: Final = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, CHINESE, JAPANESE)

LONGEST_PIECE: Final = 600
"""A sentence is read in pieces of at most this many characters."""

# An opening mark inside ends a quotation too, so that a row of them is not read again and again.
_QUOTED: Final = re.compile(
    r'"[^"\n]{1,400}"|“[^“”\n]{1,400}”|„[^„“”\n]{1,400}[“”]|«[^«»\n]{1,400}»|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』|'
    r'`[^`\n]{1,400}`'
)
_STOP: Final = re.compile(r'[.!?…](?=["”»)*_]{0,3}(?:\s|$))|[。！？;；]')


def bare(text: str, names: Names) -> str:
    """Return a text of the same length with the names of tools marked, and nothing left of what it quotes."""
    if names.anywhere:
        text = names.anywhere.sub(lambda match: NAME * len(match[0]), text)
    return _QUOTED.sub(lambda match: _unquoted(match[0]), text)


def _unquoted(quoted: str) -> str:
    """Keep a single word, as in `the "search" tool`; a quotation of several says nothing about the turn itself."""
    inside = quoted[1:-1]
    several = ' ' in inside.strip() or '(' in inside
    sentence = not inside.isascii() and NAME not in inside and len(inside) > 6
    if several or sentence:
        return ''.join(character if character == NAME else ' ' for character in quoted)
    return f' {inside} '


def pieces(line: str) -> Iterator[tuple[int, int]]:
    """Cut a line into sentences of a bounded length: where each starts and ends."""
    start = 0
    for stop in [*(stop.end() for stop in _STOP.finditer(line)), len(line)]:
        for at in range(start, stop, LONGEST_PIECE):
            yield at, min(stop, at + LONGEST_PIECE)
        start = stop


# --------------------------------------------------------------------------------------------------------- one sentence

_BY_WORDS: Final = tuple(language for language in LANGUAGES if language.common)
_WORD: Final = re.compile(r'[^\W\d_]{1,20}')
_KANA: Final = re.compile('[\u3041-\u30ff]')
_HAN: Final = re.compile('[\u4e00-\u9fff]')
_MOST_TRIED: Final = 5
_AFTERMATH: Final = 60
_BEHIND: Final = 90
_NAMED: Final = re.compile(f'{NAME}{{1,120}}')
_CALLED_SO: Final = re.compile(r'[`"”\'’]{0,2}\s(?:tool|function)\b', re.IGNORECASE)
_CLAUSE: Final = re.compile(r'[,;:—，、；：(]| (?:so|but|and|aber|und|mais|et|pero|ma|mas|e|y) ')


@lru_cache(maxsize=4_096)
def told(piece: str) -> tuple[Found, ...]:
    """Return what a sentence tells, one place of each kind at most; a question tells nothing.

    Models begin many turns with the same sentence, so the latest ones are remembered.
    """
    return tuple(_told(piece))


def _told(piece: str) -> Iterator[Found]:
    if piece.rstrip(' "”»)*_').endswith(('?', '？')):
        return
    lower = piece.lower()
    seen: set[NarrationKind] = set()
    for language in _languages_of(lower):
        if any(stem in lower for stem in language.stems):
            for found in _told_in(piece, language):
                if found.kind not in seen:
                    seen.add(found.kind)
                    yield found


def _languages_of(lower: str) -> Sequence[Language]:
    """Return the languages that a sentence may be in, by its script and its most common words."""
    if _KANA.search(lower):
        return (JAPANESE,)
    if _HAN.search(lower):
        return (CHINESE, JAPANESE)
    words = _WORD.findall(lower)
    counts = [sum(word in language.common for word in words) for language in _BY_WORDS]
    return [language for language, count in zip(_BY_WORDS, counts, strict=True) if count == max(counts)]


def _told_in(piece: str, words: Language) -> Iterator[Found]:
    for kind, pattern, near in (
        (NarrationKind.CLAIM, words.claims, None),
        (NarrationKind.CLAIM, words.acts, words.noun),
        (NarrationKind.RESULT, words.results, None),
        (NarrationKind.DEED, words.deeds, words.object),
        (NarrationKind.DEED, words.done, None),
    ):
        for match in islice(pattern.finditer(piece), _MOST_TRIED):
            found = _place(piece, match, near, words)
            if found is not None and _is_meant(piece, *found, kind, words):
                yield Found(*found, kind, words.code)
                break


def _place(piece: str, match: re.Match[str], near: re.Pattern[str] | None, words: Language) -> tuple[int, int] | None:
    """Return where a match stands with what has to stand near it, None where that is missing."""
    start, end = match.span()
    if near is None:
        # A tool that is named behind it says whether this is true.
        name = _NAMED.search(piece, end, end + _AFTERMATH)
        end = name.end() if name else end
    else:
        other = _near(piece, start, end, near, words)
        if other is None:
            return None
        start, end = min(start, other[0]), max(end, other[1])
    called = _CALLED_SO.match(piece, end)
    return start, called.end() if called else end


def _near(piece: str, start: int, end: int, noun: re.Pattern[str], words: Language) -> tuple[int, int] | None:
    """Return where a noun stands near an act, behind it if there is one, else before it; not one of the reader's."""
    for low, high in ((start, min(len(piece), end + _BEHIND)), (max(0, start - _AFTERMATH), start)):
        for match in noun.finditer(piece, low, high):
            if not words.yours.search(piece[max(0, match.start() - 25) : match.start()]):
                return match.span()
    return None


def _is_meant(piece: str, start: int, end: int, kind: NarrationKind, words: Language) -> bool:
    """Tell whether a match is a statement: no condition, nobody else's words, no negation."""
    before = piece[:start]
    if words.elsewhere.search(before) or words.denial.search(_CLAUSE.split(before)[-1]):
        return False
    if words.denied_behind:
        return not words.denial.search(piece[end : end + 6])
    # A result may well be that nothing was found.
    return kind is NarrationKind.RESULT or not words.denial.search(piece[start:end])


# ------------------------------------------------------------------------------------------- a step and what came of it

_ANNOUNCED: Final = re.compile(
    r"\bI['’]?\s?a?m (?:now |just )?(?:using|calling|running|querying|searching)\b|"
    r'^\W{0,4}(?:now )?(?:using|calling|running|querying|executing|searching)\b|'
    r'\blet me (?:just |quickly )?(?:search|check|look|query)\b|'
    r"\bI(?:['’]ll| will) (?:now |just )?(?:call|use|run|query|search|look)\b"
    rf'[^\n]{{0,80}}(?:{NAME}|\btool\b|\bsearch\b|database|web|\bup\b)',
    re.IGNORECASE,
)
_OUTCOME: Final = re.compile(
    r'\W{0,4}(?:(?:the |your )?(?:outputs?|results?|response|return value)'
    rf'(?: of [\w. {NAME}]{{1,60}})?(?:\s?[:：]| (?:is|was|shows?|says?|came back)\b)|'
    r'(?:(?:ok|okay|great|got it|done|good news)\W{0,3})?(?:I(?:[\'’]ve| have)? )?found (?:it|the|that|an?|\w{1,5})\b)',
    re.IGNORECASE,
)


def announces(piece: str) -> bool:
    """Tell whether a sentence says that a tool is being used."""
    return _ANNOUNCED.search(piece) is not None and not piece.rstrip().endswith('?')


def is_outcome(piece: str) -> bool:
    """Tell whether a sentence, behind one that announces a step, says what came of it."""
    return _OUTCOME.match(piece) is not None
