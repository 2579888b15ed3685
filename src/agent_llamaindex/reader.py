from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .arguments import read_input
from .clean import drop_next_turns, drop_reasoning, drop_template_tokens, neutralise_tags
from .fences import Fence, drop_open_fence, fence_at, find_fences
from .labels import (
    SPACE,
    Kind,
    Label,
    drop_labels,
    drop_leading_labels,
    drop_marker,
    find_label,
    find_observation,
    find_step,
    label_at,
    line_text,
)
from .relaxed import BLANK, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Call:
    """An action step: the thought before it, the name on its line, and the arguments that were written out.

    `known` says whether a tool of that name is connected. The arguments of an unknown tool are what was readable, else
    empty.
    """

    thought: str
    name: str
    arguments: dict[str, Any]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A final answer, and the thought before it."""

    thought: str
    text: str


@dataclass(frozen=True, slots=True)
class Direct:
    """A turn that is no step: its text is the answer. `malformed`: it tried a call that could not be read."""

    text: str
    malformed: bool = False


Reading = Call | Answer | Direct


def read(output: str | None, tools: Mapping[str, bool]) -> Reading:
    """Return what a model output says.

    `tools` maps the name of each connected tool to whether its schema requires an input. Without any tool every action
    is a direct answer.
    """
    return _Turn(output or '', tools).read()


def canonical(reading: Call | Answer) -> str:
    """Return the step as the model should have written it: canonical labels, the input as JSON on one line."""
    if isinstance(reading, Answer):
        return f'Thought: {reading.thought}\nAnswer: {reading.text}'
    arguments = json.dumps(reading.arguments, ensure_ascii=False)
    return f'Thought: {reading.thought}\nAction: {reading.name}\nAction Input: {arguments}'


class _Turn:
    """One output while it is read; `_lines` is its text at the same length with plain line ends."""

    def __init__(self, output: str, tools: Mapping[str, bool]) -> None:
        text, self._seams = drop_reasoning(output)
        lines = line_text(text)
        self._text = drop_template_tokens(text[: find_observation(lines)])
        self._end = len(self._text)
        self._lines = lines[: self._end]
        self._tools = tools
        self._fences = find_fences(self._lines)

    def read(self) -> Reading:
        at = 0
        while step := self._next_step(at):
            at = step.end
            reading = self._read_answer(step) if step.kind is Kind.ANSWER else self._read_action(step)
            if reading is not None:
                return reading
        return self._direct()

    def _next_step(self, at: int) -> Label | None:
        step = find_step(self._lines, at)
        while step and self._is_example(step.start):
            step = find_step(self._lines, step.end)
        return step

    def _next_label(self, at: int) -> Label | None:
        label = find_label(self._lines, at)
        while label and self._is_example(label.start):
            label = find_label(self._lines, label.end)
        return label

    # ------------------------------------------------------------------------------------------------------- actions

    def _read_action(self, action: Label) -> Reading | None:
        """Return what an `Action:` says; None where it is no step but text."""
        own_input = self._own_input(action)
        line = self._first_line(action)
        name, called = _find_name(line, self._tools)
        if not name:
            return self._direct(malformed=True) if own_input else None
        arguments, readable = self._arguments(own_input)
        if name in self._tools:
            unlabelled = called or (not own_input and self._has_object_below(action, line))
            if not readable or (unlabelled and not own_input) or (arguments is None and self._tools[name]):
                return self._direct(malformed=True)
            return Call(self._thought(action), name, arguments or {})
        if name[0] in '{[':
            return self._direct()
        words = _before_bracket(name)
        if _means_none(words) and not arguments and (readable or _means_none(self._first_line(own_input))):
            return self._read_no_call(action, own_input)
        if not own_input and len(words.split()) > 1:
            return None
        return Call(self._thought(action), name, arguments or {}, known=False) if self._tools else self._direct()

    def _own_input(self, action: Label) -> Label | None:
        """Return the `Action Input:` of an action; of one label that is written twice in a row, the second."""
        found, label = None, self._next_label(action.end)
        while label and label.kind is Kind.INPUT and not (found and self._text[found.end : label.start].strip(BLANK)):
            found, label = label, self._next_label(label.end)
        return found

    def _has_object_below(self, action: Label, line: str) -> bool:
        """Say whether an object stands below the name: an input without its label, which is no missing one."""
        section = self._section(action)
        return _OBJECT.search(section, section.find(line) + len(line)) is not None

    def _section(self, label: Label | None) -> str:
        if label is None:
            return ''
        following = self._next_label(label.end)
        return self._text[label.end : following.start if following else self._end]

    def _arguments(self, own_input: Label | None) -> tuple[dict[str, Any] | None, bool]:
        """Return the arguments of a step, None where there are none, and whether they could be read."""
        if own_input is None:
            return None, True
        try:
            return read_input(self._section(own_input), [seam - own_input.end for seam in self._seams]), True
        except UnreadableError:
            return None, False

    def _first_line(self, label: Label | None) -> str:
        """Return the first line of a label's value: the text behind the label, or the next line that is not empty."""
        if label is None:
            return ''
        at = label.end
        while match := _BEFORE_VALUE.match(self._lines, at):
            start = match.end()
            if self._lines.find('\n', at, start) >= 0 and label_at(self._lines, start):
                break
            again = _doubled(self._lines, start)
            if again is None or again.kind is not label.kind:
                end = self._lines.find('\n', start)
                return self._text[start:] if end < 0 else self._text[start:end]
            at = again.end
        return ''

    def _read_no_call(self, action: Label, own_input: Label | None) -> Reading:
        """Read a turn whose action is `None` or the like: its answer, else its text without the scaffolding."""
        step = self._next_step(action.end)
        if step and step.kind is Kind.ANSWER:
            return self._read_answer(step, action)
        last = own_input or action
        value = _NO_VALUE.match(self._lines, last.end) if self._first_line(last) else None
        fence = fence_at(self._fences, action.start)
        before = self._slice(0, action.start, fence)
        behind = self._slice(value.end() if value else last.end, step.start if step else self._end, fence)
        return Direct(drop_template_tokens(drop_labels(before + behind.lstrip(SPACE))).strip())

    # ------------------------------------------------------------------------------------------------------- answers

    def _read_answer(self, answer: Label, first: Label | None = None) -> Answer:
        """Return the final answer at this label; its thought ends where `first` (else the label itself) starts."""
        first = first or answer
        end, ending = self._answer_end(answer)
        while ending and ending.kind is Kind.ANSWER and not self._text[answer.end : end].strip():
            answer = ending
            end, ending = self._answer_end(answer)
        text = self._slice(answer.end, end, fence_at(self._fences, answer.start))
        text = drop_next_turns(text, label_follows=ending is not None)
        text = drop_marker(drop_template_tokens(text).strip(), answer.marker)
        return Answer(self._thought(first), drop_template_tokens(text).strip())

    def _answer_end(self, answer: Label) -> tuple[int, Label | None]:
        """Return where the answer ends at the latest, and the label that ends it, if one does."""
        label = find_label(self._lines, answer.end)
        while label:
            following = find_label(self._lines, label.end) if label.kind in (Kind.ACTION, Kind.INPUT) else None
            is_text = label.kind is Kind.INPUT or (label.kind is Kind.ACTION and not _is_input(following))
            if is_text:
                label = following
            elif self._is_quoted(label.start, answer):
                label = find_label(self._lines, label.end)
            else:
                return label.start, label
        return self._end, None

    # ------------------------------------------------------------------------------------------------ fences and text

    def _is_quoted(self, position: int, answer: Label) -> bool:
        """Say whether this place stands in a closed fence that opens inside the answer."""
        fence = fence_at(self._fences, position)
        return fence is not None and fence.closed and fence.start >= answer.end

    def _is_example(self, position: int) -> bool:
        """Say whether this place stands in a closed fence that an unfenced step follows: an example."""
        fence = fence_at(self._fences, position)
        return fence is not None and fence.closed and position < self._last_unfenced_step

    @cached_property
    def _last_unfenced_step(self) -> int:
        """Return where the last `Action:` with an `Action Input:` of its own stands outside of closed fences, or -1."""
        last, before, at = -1, None, 0
        while label := find_label(self._lines, at):
            at = label.end
            fence = fence_at(self._fences, label.start)
            if fence is not None and fence.closed:
                before = None
            else:
                if label.kind is Kind.INPUT and before and before.kind is Kind.ACTION:
                    last = before.start
                before = label
        return last

    def _slice(self, start: int, end: int, fence: Fence | None) -> str:
        """Return `text[start:end]` without the opening and the closing line of a fence."""
        kept = ''
        for line in ((fence.start, fence.inner), (fence.closing, fence.end)) if fence else ():
            if start <= line[0] and line[1] <= end:
                kept, start = kept + self._text[start : line[0]], line[1]
        return kept + self._text[start:end]

    def _thought(self, step: Label) -> str:
        """Return the text before a step without labels, tags of reasoning, and the fence that is open there."""
        return neutralise_tags(drop_open_fence(drop_labels(self._text[: step.start]).strip()).strip())

    def _direct(self, *, malformed: bool = False) -> Direct:
        """Return the turn as a direct answer: its text, without a fence around the labels and without a leading label.

        Without tools no call is attempted, and a bare label attempts none either.
        """
        fence = self._fences[0] if self._fences and not self._text[: self._fences[0].start].strip(BLANK) else None
        label = find_label(self._lines, fence.inner) if fence else None
        if not (fence and label) or self._text[fence.inner : label.start].strip():
            fence = None
        text = drop_leading_labels(self._slice(0, self._end, fence).strip())
        return Direct(text, malformed and bool(text and self._tools))


# -------------------------------------------------------------------------------------------------------------- names

_WHITE = rf'[\s{SPACE}]*+'
_FENCE = rf'(?:`{{3,}}|~{{3,}})[A-Za-z]*+[{SPACE}]*+(?:\n|\Z)'
_BEFORE_VALUE = re.compile(rf'{_WHITE}(?>(?:{_FENCE}{_WHITE})?)(?=.)')
_NO_VALUE = re.compile(rf'{_WHITE}(?>({_FENCE}{_WHITE})?)(?>(?:\{{{_WHITE}\}})?)[^\n]*+\s*+(?(1)(?>(?:{_FENCE})?))')
_OBJECT = re.compile(
    rf'[\n\r\u2028\u2029][{SPACE}]*+(?>(?:(?!(?i:action))[A-Za-z_ ]{{1,40}}[:=\uff1a][{SPACE}]*+)?)\{{'
)
_WRAPPING = '"\'`~*“”‘’'
_DECORATION = BLANK + _WRAPPING
_WRAPPED = re.compile(f'[{SPACE}{_WRAPPING}]*+')
_NONE = frozenset(
    (
        'none', 'n/a', 'na', 'null', 'nil', 'not applicable', 'no action', 'no action needed', 'no action required',
        'no action is needed', 'no action is required', 'no further action', 'no further action needed', 'no tool',
        'no tool needed', 'no tool required', 'no tools needed',
    )
)  # fmt: skip


def _find_name(line: str, tools: Mapping[str, bool]) -> tuple[str, bool]:
    """Return the name on an action line, and whether arguments stand in brackets behind it."""
    for name in (line, line.strip(BLANK)):
        if name in tools:
            return name, False
    name = line.lstrip(_DECORATION).rstrip(_DECORATION + '.')
    if name in tools:
        return name, False
    match = _BRACKETS.fullmatch(name)
    if match and (before := match['name'].strip(_DECORATION)) in tools:
        inside = match['inside'].strip()
        remark = match['space'] and not _ARGUMENT_SIGNS.search(inside)
        return before, bool(inside and not remark)
    return name, False


# `search[x]` is not cut at its bracket: other dialects mean a call by it, with an argument that has no name.
_BRACKETS = re.compile(r'(?P<name>[^(\[]++)(?:(?<=(?P<space>\s))[(\[]|\()(?P<inside>.*)[)\]]', re.DOTALL)
_ARGUMENT_SIGNS = re.compile(r'[=:{}\[\]"\'<>\d]')


def _doubled(lines: str, at: int) -> Label | None:
    """Return the label that stands behind another one on its line, as it is or in quotes."""
    wrapped = _WRAPPED.match(lines, at)
    return label_at(lines, at) or (label_at(lines, wrapped.end()) if wrapped else None)


def _is_input(label: Label | None) -> bool:
    return label is not None and label.kind is Kind.INPUT


def _before_bracket(name: str) -> str:
    return re.split(r'[(\[]', name, maxsplit=1)[0].strip(_DECORATION)


def _means_none(text: str) -> bool:
    return len(text) < 80 and text.lstrip(_DECORATION).rstrip(_DECORATION + '.').casefold() in _NONE
