"""The reference grammar: what one turn of a model says and in which form, read independently of any node.

It works line by line: sections under labels, then the one step that counts. It shares no code with the reader of a
node, so that a mistake of one is seen by the other. It evaluates nothing, and it takes time linear in the length of
the turn, but for the notations that are not JSON, which it reads up to a bound.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.notation import UnreadableError, read_object
from harness.record import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Form(StrEnum):
    """How a turn was written."""

    STRICT = 'strict'
    LENIENT = 'lenient'
    MALFORMED = 'malformed'
    DIRECT = 'direct'
    EMPTY = 'empty'


class Kind(StrEnum):
    """What a turn is."""

    CALL = 'call'
    ANSWER = 'answer'
    TEXT = 'text'
    NOTHING = 'nothing'


class Reading(Frozen):
    """What one turn says, and how it was written.

    `name` and `input` are those of a call, as far as they can be read; `text` is the answer or the plain text. `steps`
    counts the actions with a name, `observation` says that the model wrote an observation itself, `reasoning` that
    there is a reasoning block, `foreign` that a call stands there in a native or JSON notation.
    """

    form: Form
    kind: Kind
    name: str | None = None
    input: dict[str, Any] | None = None
    text: str = ''
    steps: int = 0
    observation: bool = False
    reasoning: bool = False
    foreign: bool = False


def read_turn(output: str | None, tools: Mapping[str, bool]) -> Reading:
    """Read a turn; `tools` says of the name of each tool that is offered whether its schema requires an input."""
    return _read(output or '', tuple(tools.items()))


@lru_cache(maxsize=32)  # the turns of a run are read for its verdicts, and again for its transcript
def _read(written: str, offered: tuple[tuple[str, bool], ...]) -> Reading:
    tools = dict(offered)
    text, reasoning = _without_reasoning(written)
    sections = _sections(text.replace('\r\n', '\n').replace('\r', '\n').split('\n'))
    end = next((number for number, section in enumerate(sections) if section.word == 'observation'), len(sections))
    strict = None if reasoning else _strict(written, tools)
    reading = strict or _lenient(_without_tokens(sections[:end]), tools)
    if reading.kind is Kind.TEXT and not reading.text:
        reading = Reading(form=Form.EMPTY, kind=Kind.NOTHING)
    return reading.model_copy(
        update={
            'steps': sum(section.word == 'action' and bool(_name_line(section)) for section in sections),
            'observation': end < len(sections),
            'reasoning': reasoning,
        }
    )


# ----------------------------------------------------------------------------------------------------- the strict form

_THOUGHT: Final = 'Thought: '
_ACTION: Final = '\nAction: '
_INPUT: Final = '\nAction Input: '
_ANSWER: Final = '\nAnswer: '


def _strict(written: str, tools: Mapping[str, bool]) -> Reading | None:
    """Read a turn that is written, to the letter, as the prompt asks for it; None where it is not.

    That is a thought, and behind it either a name and one JSON object with nothing behind it, or an answer.
    """
    text = written.rstrip()
    if not text.startswith(_THOUGHT) or '\r' in text or not text[len(_THOUGHT) :].split('\n', 1)[0].strip():
        return None
    labels = [label for line in text.split('\n')[1:] if (label := _label(line))]
    words = [label.word for label in labels]
    if words == ['action', 'input'] and all(cut in text for cut in (_ACTION, _INPUT)):
        name, _, rest = text.partition(_ACTION)[2].partition(_INPUT)
        if '\n' not in name and (name in tools or (name and name == _bare(name) and ' ' not in name)):
            try:
                value = read_object(rest, strictly=True)
            except UnreadableError:
                return None
            if value is not None:
                return Reading(form=Form.STRICT, kind=Kind.CALL, name=name, input=value)
    if words == ['answer'] and _ANSWER in text:
        answer = text.partition(_ANSWER)[2].strip()
        if answer and not _TOKENS.search(answer):
            return Reading(form=Form.STRICT, kind=Kind.ANSWER, text=answer)
    return None


# ---------------------------------------------------------------------------------------------------------- the labels


class _Label(NamedTuple):
    """A label on its line: its word, the rest of the line, and the bold marker that it left open."""

    word: str
    value: str
    marker: str


_BLANKS: Final = (
    ' \t\x0b\x0c\x85\xa0\u1680'
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000'
    '\u200b\u200c\u200d\u2060\ufeff'
)
_WORD: Final = re.compile(
    r'(?:(thought)|(action[ \t_\xa0]?input)|(action)|((?:final[ \t_\xa0]?)?answer)|(observation))',
    re.IGNORECASE | re.ASCII,
)
_WORDS: Final = ('thought', 'input', 'action', 'answer', 'observation')
_NUMBER: Final = re.compile(r'[ \t_]?\d{1,3}')
_MARKS: Final = ('***', '**', '*', '__')


def _label(line: str) -> _Label | None:
    rest = line.lstrip(_BLANKS)
    if rest.startswith('#'):
        rest = rest.lstrip('#').lstrip(_BLANKS)
    elif rest[:1] in '-*' and rest[1:2] in _BLANKS and len(rest) > 1:
        rest = rest[1:].lstrip(_BLANKS)
    marker = next((mark for mark in _MARKS if rest.startswith(mark)), '')
    rest = rest[len(marker) :].lstrip(_BLANKS)
    match = _WORD.match(rest)
    if match is None:
        return None
    word = _WORDS[(match.lastindex or 1) - 1]
    rest = rest[match.end() :]
    number = _NUMBER.match(rest)
    rest = (rest[number.end() :] if number else rest).lstrip(_BLANKS)
    if marker and rest.startswith(marker):
        rest, marker = rest[len(marker) :].lstrip(_BLANKS), ''
    if rest[:1] not in (':', '：'):
        return None
    rest = rest[1:]
    if marker and rest.lstrip(_BLANKS).startswith(marker) and not rest.lstrip(_BLANKS)[len(marker) :][:1].isalnum():
        rest, marker = rest.lstrip(_BLANKS)[len(marker) :], ''
    return _Label(word, rest, marker)


def label_of(line: str) -> tuple[str, int] | None:
    """Return the word of the label that a line begins with and where its value starts; None where there is none.

    The words are `thought`, `action`, `input`, `answer` and `observation`.
    """
    found = _label(line)
    return (found.word, len(line) - len(found.value)) if found is not None else None


class _Section(NamedTuple):
    """A label with all lines up to the next one; the first section may have no label (`word` is empty)."""

    word: str
    lines: tuple[str, ...]
    marker: str
    fenced: bool

    @property
    def value(self) -> str:
        return '\n'.join(self.lines)


def _sections(lines: Sequence[str]) -> list[_Section]:
    """Cut a turn at its labels; those in a closed fence are text where a step of its own follows outside of it."""
    fences = _fences(lines)
    found = [(number, label) for number, line in enumerate(lines) if (label := _label(line))]
    free = [(number, label) for number, label in found if not fences[number]]
    last = max((one[0] for one, two in pairwise(free) if (one[1].word, two[1].word) == ('action', 'input')), default=-1)
    found = [(number, label) for number, label in found if not (fences[number] and number < last)]
    starts = [number for number, _ in found]
    sections = [_Section('', tuple(lines[: starts[0] if starts else len(lines)]), '', False)]
    for (number, label), end in zip(found, [*starts[1:], len(lines)][: len(found)], strict=True):
        sections.append(_Section(label.word, (label.value, *lines[number + 1 : end]), label.marker, fences[number]))
    return sections


def _fences(lines: Sequence[str]) -> list[bool]:
    """Say of each line whether it stands inside a closed fence."""
    inside = [False] * len(lines)
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        bare = line.lstrip(_BLANKS)
        mark = bare[: len(bare) - len(bare.lstrip(bare[:1]))] if bare[:1] in ('`', '~') else ''
        if opened is None:
            if len(mark) >= 3:
                opened = (number, mark)
        elif mark.startswith(opened[1]) and not bare[len(mark) :].strip():
            inside[opened[0] : number + 1] = [True] * (number + 1 - opened[0])
            opened = None
    return inside


# ------------------------------------------------------------------------------ what is no part of a step or an answer

_OPENING: Final = re.compile(r'^[^\S\n]*<(think|thinking|reasoning)[ \t]*>', re.IGNORECASE | re.MULTILINE)
_CLOSING: Final = re.compile(r'</(?:think|thinking|reasoning)[ \t]*>', re.IGNORECASE)
_TOKENS: Final = re.compile(
    r'(?:\s|<\|[A-Za-z0-9_]{1,40}\|>|</s>|<eos>|<end_of_turn>|<end_of_utterance>|<｜end▁of▁sentence｜>|\[/INST\])\Z'
)


def _without_reasoning(text: str) -> tuple[str, bool]:
    """Return a turn without its reasoning blocks, and whether it had any.

    A block opens at a line start; one that is not closed runs to the end. A closing tag that closes none makes
    reasoning of all that is before it.
    """
    kept: list[str] = []
    at, found = 0, False
    while True:
        opening, closing = _OPENING.search(text, at), _CLOSING.search(text, at)
        if closing is None and opening is None:
            return ''.join([*kept, text[at:]]), found
        found = True
        if opening is None or (closing is not None and closing.start() < opening.start()):
            assert closing is not None  # noqa: S101 (one of the two is there)
            kept, at = [], closing.end()
            continue
        kept.append(text[at : opening.start()])
        end = _CLOSING.search(text, opening.end())
        if end is None:
            return ''.join(kept), found
        at = end.end()


def _without_tokens(sections: list[_Section]) -> list[_Section]:
    """Return the sections without the tokens of a chat template at the end of the last one."""
    *before, last = sections
    value = last.value.rstrip()
    while match := _TOKENS.search(value[-80:]):
        value = value[: len(value) - (len(value[-80:]) - match.start())].rstrip()
    return [*before, last._replace(lines=tuple(value.split('\n')))]


# ------------------------------------------------------------------------------------------------------------- the step

_QUOTES: Final = '"\'`~*“”‘’'
_REMARK: Final = re.compile(r'([^(\[]+?)(\s*)[(\[](.*)[)\]]', re.DOTALL)
_SIGNS: Final = re.compile(r'[=:{}\[\]"\'<>\d]')
_NO_ACTION: Final = re.compile(
    r'none|n/?a|null|nil|not applicable|no (?:further )?(?:action|tools?)(?: (?:is )?(?:needed|required))?',
    re.IGNORECASE,
)


def _lenient(sections: Sequence[_Section], tools: Mapping[str, bool]) -> Reading:
    """Read the first step of a turn in whatever spelling; a turn without one is text."""
    for number, section in enumerate(sections):
        if section.word == 'answer':
            return _answer(sections[number:])
        if section.word == 'action':
            own = _own_input(sections[number + 1 :])
            if _means_none(section, own, tools):
                return _no_call(sections, number)
            reading = _call(section, own, tools)
            if reading is not None:
                return reading
    return _text(sections)


def _own_input(behind: Sequence[_Section]) -> _Section | None:
    """Return the input of an action: the section behind it; of a label that is written twice in a row, the second."""
    found: _Section | None = None
    for section in behind:
        if section.word != 'input' or (found is not None and found.value.strip(_BLANKS + '\n')):
            break
        found = section
    return found


def _no_call(sections: Sequence[_Section], number: int) -> Reading:
    """Read a turn whose action is `None` or the like: its answer where one comes next, else its text."""
    step = next((at for at in range(number + 1, len(sections)) if sections[at].word in ('action', 'answer')), None)
    if step is not None and sections[step].word == 'answer':
        return _answer(sections[step:])
    texts = [section.value for section in sections[:number] if section.word != 'input']
    behind = [section.value for section in sections[number + 1 : step] if section.word not in ('action', 'input')]
    text = '\n'.join([*texts, *_behind_name(sections[number]), *behind]).strip()
    return Reading(form=Form.DIRECT, kind=Kind.TEXT, text=text)


def _name_line(section: _Section) -> str:
    """Return the first line of a section's value that says something."""
    for line in section.lines:
        bare = line.strip(_BLANKS)
        if bare and not re.fullmatch(r'(?:`{3,}|~{3,})\w*', bare):
            return bare
    return ''


_OBJECT: Final = re.compile(r'\s*(?:(?!(?i:action))[A-Za-z_ ]{1,40}[:=：])?\s*\{')


def _behind_name(section: _Section) -> tuple[str, ...]:
    name = _name_line(section)
    place = next((number for number, line in enumerate(section.lines) if line.strip(_BLANKS) == name), 0)
    return section.lines[place + 1 :]


def _call(section: _Section, own: _Section | None, tools: Mapping[str, bool]) -> Reading | None:
    """Read an action: a call, an attempt at one, or None where it is text."""
    line = _name_line(section)
    name, called = _named(line, tools)
    if not name or name[0] in '{[':
        attempt = own is not None or bool(name)
        return Reading(form=Form.MALFORMED, kind=Kind.CALL, text=line, foreign=bool(name)) if attempt else None
    readable, value = True, None
    if own is not None:
        try:
            value = read_object(own.value)
        except UnreadableError:
            readable = False
    if name not in tools and own is None and len(name.split()) > 1:
        return None
    needs = tools.get(name, False)
    below = own is None and any(_OBJECT.match(text) for text in _behind_name(section))
    if not readable or (own is None and (called or below)) or (value is None and needs):
        return Reading(form=Form.MALFORMED, kind=Kind.CALL, name=name)
    return Reading(form=Form.LENIENT, kind=Kind.CALL, name=name, input=value or {})


def _means_none(section: _Section, own: _Section | None, tools: Mapping[str, bool]) -> bool:
    name, _ = _named(_name_line(section), tools)
    if name in tools or not _NO_ACTION.fullmatch(_bare(re.split(r'[(\[]', name, maxsplit=1)[0])):
        return False
    try:
        return own is None or not read_object(own.value)
    except UnreadableError:
        return own is not None and _NO_ACTION.fullmatch(_bare(_name_line(own))) is not None


def _bare(name: str) -> str:
    return name.strip(_BLANKS + _QUOTES).rstrip(_BLANKS + _QUOTES + '.')


def _named(line: str, tools: Mapping[str, bool]) -> tuple[str, bool]:
    """Return the name on an action line, and whether arguments stand in brackets behind it."""
    for name in (line, _bare(line)):
        if name in tools:
            return name, False
    match = _REMARK.fullmatch(_bare(line))
    if match and (match[2] or _bare(line)[len(match[1]) :].startswith('(')):
        before, inside = _bare(match[1]), match[3].strip()
        if before in tools:
            return before, bool(inside) and not (match[2] and not _SIGNS.search(inside))
    return _bare(line), False


def _answer(sections: Sequence[_Section]) -> Reading:
    """Read a final answer: its text up to a thought, another answer, or an action with an input of its own."""
    first, *rest = sections
    parts = [first.value]
    for number, section in enumerate(rest):
        following = rest[number + 1].word if number + 1 < len(rest) else ''
        if section.word in ('thought', 'answer') or (section.word == 'action' and following == 'input'):
            break
        parts.append(f'{section.word}:{section.value}')
    text = '\n'.join(parts).strip()
    if not text:
        return Reading(form=Form.EMPTY, kind=Kind.NOTHING)
    return Reading(form=Form.LENIENT, kind=Kind.ANSWER, text=text)


# ---------------------------------------------------------------------------------------------------------- plain text

_FOREIGN: Final = re.compile(
    r'<\|?(?:tool_call|function_call|python_tag|tool_calls_section_begin|plugin)\b'
    r'|<function=|<function_calls>|<invoke\b|<｜tool|\[TOOL_CALLS\]|✿FUNCTION✿|✿ARGS✿'
    r'|<\|channel\|>commentary to=|\bto=functions\.'
)
_ENVELOPE_NAME: Final = re.compile(r'["\'](?:name|tool|tool_name|function|action|recipient_name)["\']\s*:')
_ENVELOPE_INPUT: Final = re.compile(r'["\'](?:arguments|args|parameters|input|action_input|tool_input|kwargs)["\']\s*:')
_TRANSLATED: Final = re.compile(
    r'^\W*(?:动作|行动|操作|アクション|行動|행동|acción|accion|ação|acao|aktion|handlung|azione|действие|actie)\W*[:：].*\n'
    r'(?:.*\n)?\W*\S*\s?(?:输入|入力|입력|input|entrada|eingabe|ввод|invoer|entrée|parámetros)\S*\W*[:：]',
    re.IGNORECASE | re.MULTILINE,
)


def _text(sections: Sequence[_Section]) -> Reading:
    """Read a turn without a step: plain text, or a call in a notation that is not the format."""
    text = '\n'.join(f'{section.word}:{section.value}' if section.word else section.value for section in sections)
    text = re.sub(r'\A(?:\s*(?:thought|answer):)+', '', text).strip()
    foreign = _FOREIGN.search(text) is not None or _is_envelope(text)
    translated = _TRANSLATED.search(text) is not None
    alone = any(section.word == 'input' for section in sections) and '{' in text
    form = Form.MALFORMED if foreign or translated or alone else Form.DIRECT
    kind = Kind.CALL if form is Form.MALFORMED else Kind.TEXT
    return Reading(form=form, kind=kind, text=text, foreign=foreign)


def _is_envelope(text: str) -> bool:
    """Tell whether a text is, or ends in, an object that names a tool and its arguments."""
    start = text.find('{')
    return (
        start >= 0
        and _ENVELOPE_NAME.search(text, start) is not None
        and _ENVELOPE_INPUT.search(text, start) is not None
    )
