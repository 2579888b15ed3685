"""The lines of a turn: their labels, what in them is no prose, and the calls and observations that it writes itself."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_PLACE: Final = 600
"""A place is told with at most about this many characters behind its label."""


class NarrationKind(StrEnum):
    """What a place tells: that tools were used, what one gave, a call with its result, an observation, or a deed."""

    CLAIM = 'claim'
    RESULT = 'result'
    TRANSCRIPT = 'transcript'
    OBSERVATION = 'observation'
    DEED = 'deed'


class Found(NamedTuple):
    """A place that tells of tool work, true or not; what an observation says starts at `content`."""

    start: int
    end: int
    kind: NarrationKind
    language: str | None = None
    content: int = 0


# ----------------------------------------------------------------------------------------------------------- the tools

_CALLED_SO: Final = re.compile(r'\b(\w{1,60})[`"\'”’]?\s(?:tool|function)\b', re.IGNORECASE)


class Names(NamedTuple):
    """The names of tools, and the patterns that find them: in full, and as a call."""

    full: frozenset[str]
    by_function: dict[str, frozenset[str]]
    anywhere: re.Pattern[str] | None
    called: re.Pattern[str] | None

    @staticmethod
    @lru_cache(maxsize=200)
    def of(names: tuple[str, ...]) -> Names:
        """Return what finds these names; a tool `<node id>.<function>` is also known by its function."""
        full = sorted(filter(None, names), key=len, reverse=True)
        by_function: dict[str, set[str]] = {}
        for name in full:
            by_function.setdefault(_function(name), set()).add(name)
        either = '|'.join(map(re.escape, sorted({*full, *filter(None, by_function)}, key=len, reverse=True)))
        # A name that is one plain word can be any word: it counts as a tool only where it is called one.
        signs = '|'.join(re.escape(name) for name in full if not name.isalpha())
        return Names(
            frozenset(full),
            {function: frozenset(tools) for function, tools in by_function.items()},
            re.compile(rf'(?<![A-Za-z0-9_.])(?:{signs})(?![A-Za-z0-9_])', re.IGNORECASE) if signs else None,
            re.compile(rf'(?<![A-Za-z0-9_.])({either})\(', re.IGNORECASE) if either else None,
        )

    def named(self, text: str) -> list[frozenset[str]]:
        """Return the tools that a text names, for each mention those that it can mean.

        A tool is named in full, or by its function as `the search tool` or `search(`.
        """
        found = {match[0].lower() for match in self.anywhere.finditer(text)} if self.anywhere else set()
        mentions = [frozenset({name}) for name in self.full if name.lower() in found]
        for match in (*_CALLED_SO.finditer(text), *(self.called.finditer(text) if self.called else ())):
            meant = self.by_function.get(_function(match[1]), frozenset())
            mentions.append(meant & {match[1]} or meant)
        return list(filter(None, mentions))

    def knows(self, name: str) -> bool:
        """Tell whether this is a tool, by its full name or by its function."""
        return name in self.full or _function(name) in self.by_function


def _function(name: str) -> str:
    return name.rsplit('.', 1)[-1].lower()


# ----------------------------------------------------------------------------------------------------------- the lines

_LABEL: Final = re.compile(
    r'[ \t]{0,8}(?:[#>*_]{1,4}[ \t]{0,2}){0,2}(?:'
    r'(?P<observation>observation|beobachtung|observación|osservazione|observação|观察(?:结果)?|觀察|観察(?:結果)?)|'
    r'(?P<input>action[ _]?input|aktionseingabe|动作输入|行动输入|入力)|'
    r'(?P<action>action|aktion|acción|azione|ação|行动|动作|行動|アクション)|'
    r'(?P<given>(?:action|tool|function|search|query) ?(?:output|result|response)s?|search results?)|'
    r'(?P<output>outputs?|results?|response|returns|ergebnis|ausgabe|résultat|sortie|resultado|risultato|输出|结果|結果|出力)|'
    r'(?P<other>thought|(?:final )?answer|question|gedanke|antwort|pensée|réponse|思考|答案|回答))'
    r'[ \t]{0,2}(?:[*_]{1,3})?[ \t]{0,2}[:：](?:[*_]{1,3})?',
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r'\s{0,8}(?:```|~~~)')
_OPENING: Final = re.compile(r'[ \t]{0,8}<(?:think|thinking|reasoning)[ \t]{0,4}>', re.IGNORECASE)
_CLOSING: Final = re.compile(r'</(?:think|thinking|reasoning)[ \t]{0,4}>', re.IGNORECASE)
_LETTER: Final = re.compile(
    r'\W{0,4}(?:dear|subject:|betreff:|sehr geehrte|cher |chère |objet ?:|estimad|querid|asunto:|gentile |egregi|'
    r'oggetto:|'
    r'prezad|assunto:|尊敬的|主题：|拝啓|件名：)',
    re.IGNORECASE,
)


class Line(NamedTuple):
    """A line and where it starts in the turn; behind its label, if it has one, its value starts at `after`."""

    start: int
    text: str
    label: str
    after: int
    fenced: bool

    @property
    def value(self) -> str:
        """What stands behind the label."""
        return self.text[self.after :]


def lines_of(text: str) -> list[Line]:
    """Cut a turn into its lines, reasoning blocks left out; `fenced` are those in a fence that is closed."""
    found: list[Line] = []
    start, reasoning, opened = 0, False, -1
    for line in text.split('\n'):
        end = start + len(line)
        reasoning = reasoning or _OPENING.match(line) is not None
        closing = _CLOSING.search(line) if reasoning else None
        if closing is not None:
            reasoning, start, line = False, start + closing.end(), line[closing.end() :]
        if not reasoning:
            label = None
            if not _FENCE.match(line):
                label = _LABEL.match(line)
            elif opened < 0:
                opened = len(found)
            else:
                found[opened:] = [one._replace(fenced=True) for one in found[opened:]]
                opened = -1
            found.append(
                Line(start, line, (label.lastgroup or '') if label else '', label.end() if label else 0, False)
            )
        start = end + 1
    return found


def hidden_lines(lines: Sequence[Line]) -> list[bool]:
    """Say of each line whether it is no prose of the turn.

    That is a fence without steps in it, the object of an action's input, and a letter that is drafted for the user.
    """
    hidden = [line.fenced for line in lines]
    at = 0
    while at < len(lines):
        end = at + 1
        if lines[at].fenced:
            while end < len(lines) and lines[end].fenced:
                end += 1
            if any(line.label in ('other', 'action') for line in lines[at:end]):
                hidden[at:end] = [False] * (end - at)
        at = end
    depth, letter = 0, False
    for number, line in enumerate(lines):
        letter = not line.label and (letter or (number > 0 and _LETTER.match(line.text) is not None))
        depth = 0 if line.label else depth
        if depth > 0 or (line.label == 'input' and line.value.lstrip().startswith('{')):
            hidden[number] = True
            depth += line.value.count('{') - line.value.count('}')
        hidden[number] = hidden[number] or letter
    return hidden


# ----------------------------------------------------------------------------------------------- calls and observations

_TAG: Final = re.compile(
    r'<\|?(?:tool_response|tool_result|tool_output|function_results?|function_response|observation|tool_results)\|?>|'
    r'\[TOOL_RESULTS\]',
    re.IGNORECASE,
)
_PLACEHOLDER: Final = re.compile(
    r'[\s`*"\'{\[(<]{0,6}(?:'
    r'(?:\.\.\.|…|(?:the )?(?:tool |function )?(?:response|output|results?|observation))[\s.\])>}"\']{0,6}$|'
    r'(?:the )?(?:result|output) of the (?:action|tool)|[^\W\d]{1,20}[\])>}]\s{0,2}$)',
    re.IGNORECASE,
)
_FURTHEST: Final = 20


def observation_at(lines: Sequence[Line], number: int, text: str, *, stepping: bool, in_steps: bool) -> Found | None:
    """Return the observation or result that starts at a line, up to the next label; a placeholder is none.

    `in_steps` says that the turn is written in labelled steps, `stepping` that an action came before.
    """
    line = lines[number]
    tag = _TAG.search(line.text[:LONGEST_PLACE])
    alone = {
        'given': True,
        # In other languages the word is one like any other, unless an action stands before it.
        'observation': in_steps and line.text[: line.after].isascii(),
    }
    if (stepping and line.label in ('observation', 'given', 'output')) or alone.get(line.label):
        start, content = line.start, line.start + line.after
    elif tag:
        start, content = line.start + tag.start(), line.start + tag.end()
    else:
        return None
    last = number
    while last + 1 < len(lines) and last - number < _FURTHEST and not lines[last + 1].label:
        if line.fenced and _FENCE.match(lines[last + 1].text):
            break
        last += 1
    end = min(lines[last].start + len(lines[last].text), content + LONGEST_PLACE)
    told = text[content:end].partition('</')[0].strip().strip('*`').strip()
    if not told or _PLACEHOLDER.match(told):
        return None
    # Without a step before it, such a heading says no more than `the tool gave`.
    kind = NarrationKind.RESULT if line.label == 'given' and not stepping else NarrationKind.OBSERVATION
    return Found(start, end, kind, None, content)


_ARROW: Final = re.compile(
    r'\b([A-Za-z_][\w.]{1,60})\(([^()\n]{0,200})\)[`"*]{0,3}[ \t]{0,3}(?:->|=>|→|⇒|⟶|⟹)[ \t]{0,3}\S[^\n]{0,80}'
)
_ARGUMENT: Final = re.compile(r'["\'\d]')
_PROMPTED: Final = re.compile(r'\s{0,8}(?:>{1,3}|\$|In \[\d{1,3}\]:)\s{1,3}(?:\w{1,30} = )?([A-Za-z_][\w.]{1,60})\(')
_STAGED: Final = re.compile(
    r'\W{0,4}[\[(*]\*?(?:searching|querying|calling|looking up|running|executing|found \d|retrieved|search complete|'
    r'result)\b',
    re.IGNORECASE,
)


def transcript_at(lines: Sequence[Line], number: int, names: Names, *, hidden: bool) -> Found | None:
    """Return a call that stands on a line with its result there or below, or a staged one; a definition is none."""
    line = lines[number]
    arrow = _ARROW.search(line.text)
    if (
        arrow
        and 'def ' not in line.text[max(0, arrow.start() - 10) : arrow.start()]
        and (names.knows(arrow[1]) or _ARGUMENT.search(arrow[2]))
    ):
        return Found(line.start + arrow.start(), line.start + arrow.end(), NarrationKind.TRANSCRIPT)
    below = next((one for one in lines[number + 1 : number + 3] if one.text.strip()), None)
    if below is None:
        return None
    prompted = _PROMPTED.match(line.text)
    if prompted and names.knows(prompted[1]) and not _PROMPTED.match(below.text):
        end = below.start + min(len(below.text), LONGEST_PLACE)
        return Found(line.start, end, NarrationKind.TRANSCRIPT)
    if not hidden and _STAGED.match(line.text) and _STAGED.match(below.text):
        end = line.start + min(len(line.text), LONGEST_PLACE)
        return Found(line.start, end, NarrationKind.TRANSCRIPT)
    return None


def calls_in(line: Line, names: Names) -> bool:
    """Tell whether a tool is called on a line of code."""
    return names.called is not None and names.called.search(line.text) is not None and 'def ' not in line.text
