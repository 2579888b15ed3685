"""What a page colours in a turn: labels, the parts of the step that counts, and what behind it nobody reads."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from harness.grammar import Form, Kind, label_of, read_turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Look = Literal['label', 'thought', 'action', 'input', 'answer', 'text', 'reasoning', 'ignored']
_OPENING: Final = re.compile(r'^[^\S\n]*<(?:think|thinking|reasoning)[ \t]*>', re.IGNORECASE | re.MULTILINE)
_CLOSING: Final = re.compile(r'</(?:think|thinking|reasoning)[ \t]*>', re.IGNORECASE)
_LOOKS: Final[dict[str, Look]] = {'thought': 'thought', 'action': 'action', 'input': 'input', 'answer': 'answer'}


class Section(NamedTuple):
    """A label and what stands under it: its word (empty: no label), and where label, value and section end."""

    word: str
    start: int
    value: int
    end: int


def spans(output: str, tools: Mapping[str, bool]) -> list[tuple[Look, str]]:
    """Cut a turn into pieces with their looks; joined they are the turn.

    `tools` is what the reference grammar wants to know (`read_turn`): it says which step counts. The places are those
    of the label lines. What stands behind the step that counts is `ignored`.
    """
    found = _sections(output)
    looks = [_LOOKS.get(section.word, 'text') for section in found]
    reading = read_turn(output, tools)
    ignored = len(output)
    if reading.kind is Kind.CALL:
        ignored = _end_of_call(output, found, reading.name or '', reading.form is not Form.MALFORMED)
    elif reading.kind is Kind.ANSWER:
        ignored = _end_of_answer(found, len(output))
    cuts: list[tuple[int, int, Look]] = []
    for section, look in zip(found, looks, strict=True):
        cuts += [(section.start, section.value, 'label'), (section.value, section.end, look)]
    return list(_joined(_overlaid(output, cuts, ignored)))


def _sections(output: str) -> list[Section]:
    starts: list[tuple[str, int, int]] = [('', 0, 0)]
    at = 0
    for line in output.split('\n'):
        label = label_of(line)
        if label is not None:
            starts.append((label[0], at, at + label[1]))
        at += len(line) + 1
    ends = [start for _, start, _ in starts[1:]] + [len(output)]
    return [Section(word, start, value, end) for (word, start, value), end in zip(starts, ends, strict=True)]


def _end_of_call(output: str, sections: list[Section], name: str, readable: bool) -> int:
    """Return where the step of a call ends: behind the object of its input, or behind the input where it is none.

    Of an input that cannot be read nothing is ignored: what is behind its object is what is wrong with it.
    """
    actions = [number for number, section in enumerate(sections) if section.word == 'action']
    if not actions:
        return len(output)
    own = next((at for at in actions if name and name in output[sections[at].value : sections[at].end]), actions[0])
    last = own
    while last + 1 < len(sections) and sections[last + 1].word == 'input' and last - own < 2:
        last += 1
        if output[sections[last].value : sections[last].end].strip():
            break
    section = sections[last]
    if section.word == 'input' and readable:
        start = output.find('{', section.value, section.end)
        if start >= 0:
            try:
                return json.JSONDecoder().raw_decode(output[: section.end], start)[1]
            except (ValueError, RecursionError):
                pass
    return section.end


def _end_of_answer(sections: list[Section], end: int) -> int:
    first = next((number for number, section in enumerate(sections) if section.word == 'answer'), None)
    if first is None:
        return end
    for number in range(first + 1, len(sections)):
        following = sections[number + 1].word if number + 1 < len(sections) else ''
        word = sections[number].word
        if word in ('thought', 'answer', 'observation') or (word == 'action' and following == 'input'):
            return sections[number].start
    return end


def _reasoning(output: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    while True:
        opening, closing = _OPENING.search(output, at), _CLOSING.search(output, at)
        if closing is None:
            return [*found, (opening.start(), len(output))] if opening is not None else found
        before = opening is None or closing.start() < opening.start()
        found.append((0 if before or opening is None else opening.start(), closing.end()))
        at = closing.end()


def _overlaid(output: str, cuts: list[tuple[int, int, Look]], ignored: int) -> Iterator[tuple[Look, str]]:
    """Yield the pieces of the cuts, with reasoning and the ignored tail on top of them."""
    blocks = _reasoning(output)
    bounds = [*(cut[:2] for cut in cuts), *blocks]
    edges = sorted({0, ignored, len(output), *(edge for bound in bounds for edge in bound)})
    cut, block = 0, 0
    for start, end in pairwise(edges):
        while cut < len(cuts) and cuts[cut][1] <= start:
            cut += 1
        while block < len(blocks) and blocks[block][1] <= start:
            block += 1
        look = cuts[cut][2] if cut < len(cuts) else 'text'
        if block < len(blocks) and blocks[block][0] <= start:
            look = 'reasoning'
        elif start >= ignored:
            look = 'ignored'
        yield look, output[start:end]


def _joined(pieces: Iterator[tuple[Look, str]]) -> Iterator[tuple[Look, str]]:
    held: tuple[Look, str] | None = None
    for look, text in pieces:
        if held is not None and (held[0] == look or not text.strip()):
            held = (held[0], held[1] + text)
        else:
            if held is not None:
                yield held
            held = (look, text)
    if held is not None and held[1]:
        yield held
