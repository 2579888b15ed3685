"""The reader: what one model output (a turn) says, read tolerantly, so that only what was written whole is ever run.

The rules are those of decision D1, in its order. The reader takes time linear in the length of the output, whatever stands
in it, and never raises: what it cannot read is a direct answer.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .arguments import BLANK, UnreadableError, read_input
from .clean import clean, neutralise_tags
from .labels import (
    SPACE,
    Fence,
    Kind,
    Label,
    drop_labels,
    drop_leading_labels,
    drop_marker,
    find_fences,
    find_label,
    find_next_turn,
    find_observation,
    find_step,
    line_text,
)


@dataclass(frozen=True, slots=True)
class Call:
    """An action step: the thought before it, the name on its line, and the arguments that were written out.

    `known` says whether a tool of that name is connected. The arguments of an unknown tool are what was readable, else empty.
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

    `tools` maps the name of each connected tool to whether its schema requires an input. Without any tool every action is
    a direct answer (decision D2).
    """
    return _Turn(clean(output), tools).read()


def canonical(reading: Call | Answer) -> str:
    """Return the step as the model should have written it: canonical labels, the input as JSON on one line."""
    if isinstance(reading, Answer):
        return f'Thought: {reading.thought}\nAnswer: {reading.text}'
    arguments = json.dumps(reading.arguments, ensure_ascii=False)
    return f'Thought: {reading.thought}\nAction: {reading.name}\nAction Input: {arguments}'


class _Turn:
    """One cleaned output while it is read; `_lines` is its text at the same length with plain line ends."""

    def __init__(self, text: str, tools: Mapping[str, bool]) -> None:
        lines = line_text(text)
        self._end = find_observation(lines)
        self._text, self._lines = text[: self._end], lines[: self._end]
        self._tools = tools
        self._fences = find_fences(self._lines)
        self._last_step = self._last_unfenced_step() if any(fence.closed for fence in self._fences) else -1

    def read(self) -> Reading:
        at = 0
        while step := find_step(self._lines, at):
            at = step.end
            if not self._is_example(step.start):
                reading = self._read_answer(step) if step.kind is Kind.ANSWER else self._read_action(step)
                if reading is not None:
                    return reading
        return self._direct()

    # ------------------------------------------------------------------------------------------------------- actions

    def _read_action(self, action: Label) -> Reading | None:
        """Return what an `Action:` says; None where it is no step but text."""
        if not self._tools:
            return self._direct()
        following = find_label(self._lines, action.end)
        own_input = following if following and following.kind is Kind.INPUT else None
        line = self._value_line(action, following)
        if line is None:
            return self._direct(malformed=True) if own_input else None
        if self._text[line.start] in '{[':
            return self._direct()
        name, called = _find_name(self._text[line], self._tools)
        section = self._section(own_input) if own_input else ''
        if name in self._tools:
            return self._read_known(action, name, section, unreadable=called and not own_input)
        words = _before_bracket(name)
        if _means_none(words) and (not section.strip('{}' + BLANK) or _means_none(section)):
            return self._read_no_call(action, own_input)
        if not own_input and len(words.split()) > 1:
            return None
        try:
            arguments = read_input(section)
        except UnreadableError:
            arguments = None
        return Call(self._thought(action), name, arguments or {}, known=False)

    def _value_line(self, label: Label, following: Label | None) -> slice | None:
        """Return where the first line of a label's value stands: behind the label, or the next one that is not empty."""
        match = _VALUE_LINE.match(self._lines, label.end)
        if match is None or (following and following.start <= match.start(1)):
            return None
        return slice(*match.span(1))

    def _section(self, label: Label) -> str:
        following = find_label(self._lines, label.end)
        return self._text[label.end : following.start if following else self._end]

    def _read_known(self, action: Label, name: str, section: str, *, unreadable: bool) -> Reading:
        try:
            arguments = read_input(section)
        except UnreadableError:
            return self._direct(malformed=True)
        if unreadable or (arguments is None and self._tools[name]):
            return self._direct(malformed=True)
        return Call(self._thought(action), name, arguments or {})

    def _read_no_call(self, action: Label, own_input: Label | None) -> Reading:
        """Read a turn whose action is `None` or the like: its answer, else its text without the scaffolding."""
        step = find_step(self._lines, action.end)
        if step and step.kind is Kind.ANSWER:
            return self._read_answer(step, action)
        last = own_input or action
        value = self._value_line(last, find_label(self._lines, last.end))
        behind = self._text[value.stop if value else last.end : step.start if step else self._end]
        return Direct(drop_labels(self._text[: action.start] + behind.lstrip(SPACE)).strip())

    # ------------------------------------------------------------------------------------------------------- answers

    def _read_answer(self, answer: Label, first: Label | None = None) -> Reading:
        """Return the final answer at this label; its thought ends where `first` (else the label itself) starts."""
        end, following = self._answer_end(answer)
        text = self._text[answer.end : end]
        if not text.strip() and following and following.kind is Kind.ANSWER:
            return self._read_answer(following, first or answer)
        fence = self._fence_at(answer.start)
        if fence and fence.closed and fence.closing < end:
            text = self._text[answer.end : fence.closing] + self._text[fence.end : end]
        return Answer(self._thought(first or answer), drop_marker(text.strip(), answer.marker).strip())

    def _answer_end(self, answer: Label) -> tuple[int, Label | None]:
        """Return where the answer ends, and the label that ends it, if one does."""
        end, at, ending = self._end, answer.end, None
        while label := find_label(self._lines, at):
            at = label.end
            if label.kind is Kind.INPUT or self._is_quoted(label.start, answer):
                continue
            if label.kind is Kind.ACTION:
                following = find_label(self._lines, at)
                if following is None or following.kind is not Kind.INPUT:
                    continue
            end, ending = label.start, label
            break
        at = answer.end
        while (turn := find_next_turn(self._lines, at, end)) < end:
            if not self._is_quoted(turn, answer):
                return turn, None
            at = turn + 1
        return end, ending

    # ------------------------------------------------------------------------------------------------ fences and text

    def _fence_at(self, position: int) -> Fence | None:
        index = bisect_right(self._fences, position, key=lambda fence: fence.start) - 1
        fence = self._fences[index] if index >= 0 else None
        return fence if fence and fence.holds(position) else None

    def _is_quoted(self, position: int, answer: Label) -> bool:
        """Say whether this place stands in a closed fence that opens inside the answer."""
        fence = self._fence_at(position)
        return fence is not None and fence.closed and fence.start >= answer.end

    def _is_example(self, position: int) -> bool:
        """Say whether this place stands in a closed fence that an unfenced step follows (decision D1.3)."""
        fence = self._fence_at(position) if position < self._last_step else None
        return fence is not None and fence.closed

    def _last_unfenced_step(self) -> int:
        """Return where the last `Action:` with an `Action Input:` of its own stands outside of closed fences, or -1."""
        last, before, at = -1, None, 0
        while label := find_label(self._lines, at):
            at = label.end
            fence = self._fence_at(label.start)
            if fence is not None and fence.closed:
                before = None
            else:
                if label.kind is Kind.INPUT and before and before.kind is Kind.ACTION:
                    last = before.start
                before = label
        return last

    def _thought(self, step: Label) -> str:
        """Return the text before a step without labels, the tags of reasoning, and the fence that is open there."""
        fence = self._fence_at(step.start)
        text = self._text[: step.start]
        if fence and fence.start < step.start:
            text = self._text[: fence.start] + self._text[fence.inner : step.start]
        return drop_labels(neutralise_tags(text)).strip()

    def _direct(self, *, malformed: bool = False) -> Direct:
        """Return the turn as a direct answer: its text, without a fence around the labels and without a leading label."""
        text = self._text
        fence = self._fences[0] if self._fences else None
        if fence and not text[: fence.start].strip(BLANK):
            label = find_label(self._lines, fence.inner)
            if label and not text[fence.inner : label.start].strip():
                behind = text[fence.inner : fence.closing] + text[fence.end :] if fence.closed else text[fence.inner :]
                text = behind
        return Direct(drop_leading_labels(text.strip()), malformed)


# -------------------------------------------------------------------------------------------------------------- names

_VALUE_LINE = re.compile(rf'[\s{SPACE}]*+(?:(?:`{{3,}}|~{{3,}})[A-Za-z]*+[\s{SPACE}]++)?+([^\n]++)')
_DECORATION = BLANK + '"\'`*“”‘’'
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


def _before_bracket(name: str) -> str:
    return re.split(r'[(\[]', name, maxsplit=1)[0].strip(_DECORATION)


def _means_none(text: str) -> bool:
    return len(text) < 80 and text.lstrip(_DECORATION).rstrip(_DECORATION + '.').casefold() in _NONE
