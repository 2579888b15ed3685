"""The labels of the ReAct format, in every spelling that counts as the same one, and what stands around them.

A label counts only at the start of a line. Each function takes time linear in the length of the text: the patterns
never give back what they took, and none is searched from a place that an earlier search has passed twice. Groups are
atomic, not possessive: before Python 3.11.5 a possessive group matches wrongly (python/cpython#106052).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What a label announces."""

    THOUGHT = 'thought'
    ACTION = 'action'
    INPUT = 'action input'
    ANSWER = 'answer'
    OBSERVATION = 'observation'


class Label(NamedTuple):
    """A label in a text: its kind, where it and its value start, and the bold marker that it left open."""

    kind: Kind
    start: int
    end: int
    marker: str = ''


SPACE = (
    ' \t\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680'
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'
    '\u200b\u200c\u200d\u2060\ufeff'
)
"""Characters that may stand around a label on its line: the blanks of every script, and those that cannot be seen."""

_WORDS = {
    Kind.INPUT: r'(?a:action[ \t_\xa0]?input)',
    Kind.ACTION: r'(?a:action)',
    Kind.ANSWER: r'(?a:(?:final[ \t_\xa0]?)?answer)',
    Kind.THOUGHT: r'(?a:thought)',
    Kind.OBSERVATION: r'(?a:observation)',
}


def _words(*kinds: Kind) -> str:
    return '|'.join(f'(?P<{kind.name}>{word})' for kind, word in _WORDS.items() if kind in kinds)


_LEAD = rf'[{SPACE}]*+(?>(?:\#{{1,6}}[{SPACE}]*+|[-*][{SPACE}]++)?)'
_MARKER = r'(?:\*{1,3}|__)'
_NUMBER = rf'(?>(?:[ \t_]?\d{{1,3}})?)[{SPACE}]*+'
_COLON = r'[:\uff1a]'
# The bold marker of a label closes before or behind the colon, if it closes there at all.
_AFTER = rf'(?:{_MARKER}|[{SPACE}]++{_MARKER}(?![\w*]))'
_TAIL = rf'(?(mark)(?>(?P<before>{_MARKER})?))[{SPACE}]*+{_COLON}(?(mark)(?(before)|(?>(?P<after>{_AFTER})?)))'


def _pattern(*kinds: Kind) -> str:
    return rf'{_LEAD}(?>(?P<mark>{_MARKER})?)[{SPACE}]*+(?:{_words(*kinds)}){_NUMBER}{_TAIL}'


def _repeated(*kinds: Kind) -> str:
    """The same as a pattern that can be repeated: a group would remember the marker of the label before."""
    words = rf'(?:{"|".join(_WORDS[kind] for kind in _WORDS if kind in kinds)}){_NUMBER}'
    marked = rf'{_MARKER}[{SPACE}]*+{words}(?:{_MARKER}[{SPACE}]*+{_COLON}|{_COLON}(?>{_AFTER}?))'
    return rf'{_LEAD}(?:{words}{_COLON}|{marked})\s*+'


def _at_line_start(pattern: str) -> re.Pattern[str]:
    # The look-ahead leaves empty lines at once: a run of newlines costs a tenth of what it would without.
    return re.compile(rf'^(?=[^\n]){pattern}', re.IGNORECASE | re.MULTILINE)


def run_of(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern for `end_of_run`; it is bounded, because a repetition remembers all its rounds."""
    return re.compile(f'(?>(?:{pattern}){{1,100}})', flags)


def end_of_run(pattern: re.Pattern[str], text: str, start: int = 0, end: int | None = None) -> int:
    """Return where the repetitions of a pattern of `run_of` end that start here."""
    end = len(text) if end is None else end
    while match := pattern.match(text, start, end):
        start = match.end()
    return start


_ANY = _at_line_start(_pattern(*Kind))
_STEP = _at_line_start(_pattern(Kind.ACTION, Kind.ANSWER))
_OBSERVATION = _at_line_start(_pattern(Kind.OBSERVATION))
_HERE = re.compile(_pattern(*Kind), re.IGNORECASE)
_WHITE = re.compile(r'\s*+')
_LINE = re.compile('[^\n\r\u2028\u2029]*+')
LABELS = run_of(_repeated(*Kind), re.IGNORECASE)
"""Labels of any kind, with the white space behind each."""
_LEADING = run_of(_repeated(Kind.THOUGHT, Kind.ANSWER), re.IGNORECASE)


def line_text(text: str) -> str:
    """Return `text` with every kind of line end as one newline; positions in both are the same."""
    if not text.isascii():
        text = text.replace('\u2028', '\n').replace('\u2029', '\n')
    return text.replace('\r\n', ' \n').replace('\r', '\n') if '\r' in text else text


def find_label(lines: str, start: int) -> Label | None:
    """Return the first label of any kind in `lines[start:]`."""
    return _as_label(_ANY.search(lines, start))


def label_at(lines: str, position: int) -> Label | None:
    """Return the label that starts here, as if a line started here."""
    return _as_label(_HERE.match(lines, position))


def find_step(lines: str, start: int) -> Label | None:
    """Return the first `Action:` or `Answer:` in `lines[start:]`."""
    return _as_label(_STEP.search(lines, start))


def find_observation(lines: str) -> int:
    """Return where the first line that starts with `Observation:` starts, or the length of the text."""
    # Most outputs do not hold the word, and it is found much faster than the label.
    if 'observation' not in lines.lower():
        return len(lines)
    match = _OBSERVATION.search(lines)
    return match.start() if match else len(lines)


def drop_labels(text: str) -> str:
    """Return `text` without the labels at the starts of its lines and directly behind those; their values stay."""
    lines, kept, at, marker = line_text(text), [], 0, ''
    while label := find_label(lines, at):
        kept.append(drop_marker(text[at : label.start], marker))
        at, marker = label.end, label.marker
        while again := label_at(lines, at):
            at, marker = again.end, again.marker
    return ''.join([*kept, drop_marker(text[at:], marker)])


def drop_leading_labels(text: str) -> str:
    """Return `text` without the `Thought:` and `Answer:` labels at its start, and nothing if only labels are left."""
    at, marker = end_of_run(_LEADING, text), ''
    if '*' in text[:at] or '__' in text[:at]:
        at = 0
        while (label := _as_label(_HERE.match(text, at))) and label.kind in (Kind.THOUGHT, Kind.ANSWER):
            at, marker = _WHITE.match(text, label.end).end(), label.marker  # type: ignore[union-attr]
    text = drop_marker(text[at:].strip(), marker).strip()
    return '' if end_of_run(LABELS, text) == len(text) else text


def drop_marker(value: str, marker: str) -> str:
    """Return the value of a label without the end of the bold marker that the label opened."""
    if not marker:
        return value
    line = _LINE.match(value)[0].rstrip()  # type: ignore[index]  # it matches nothing, too
    for part in (line, value):
        if part.endswith(marker) and _count(part, marker) % 2:
            return part[: -len(marker)] + value[len(part) :]
    # Behind a blank or in front of a word the marker opens something, or it is an operator.
    end = re.search(rf'(?<=\S){re.escape(marker)}(?![\w*])', line) if line.count(marker) % 2 else None
    without = value[: end.start()] + value[end.end() :] if end else value
    return value if label_at(without, 0) else without


def _count(text: str, marker: str) -> int:
    """Return how many markers open or close something; one between blanks is an operator."""
    mark = re.escape(marker)
    return sum(1 for _ in re.finditer(rf'{mark}(?!\s)|(?<=\S){mark}', text))


def _as_label(match: re.Match[str] | None) -> Label | None:
    if match is None:
        return None
    name = match.lastgroup or ''
    if name in _KINDS:
        return Label(_KINDS[name], match.start(), match.end(), match[1] or '')
    # A group behind the word matched: the marker is closed.
    name = next(name for name, value in match.groupdict().items() if name in _KINDS and value)
    return Label(_KINDS[name], match.start(), match.end())


_KINDS = {kind.name: kind for kind in Kind}
