"""Whether a turn tells of tool work that never happened, and in which words.

A turn narrates where it says that tools were used, that one gave a result, or that a deed was done which only a tool
could do, and no call before it in its run can be what it speaks of; and where it writes a call with its result, or an
observation, itself. Plans, conditions, negations, questions, advice, quotations and other people's deeds are none.

It reads words, not meanings: patterns of several languages, tried on pieces of bounded length, in time linear in the
length of the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from harness.record import Frozen
from harness.verdicts.narrated_lines import (
    Found,
    Names,
    NarrationKind,
    calls_in,
    hidden_lines,
    lines_of,
    observation_at,
    transcript_at,
)
from harness.verdicts.narrated_prose import announces, bare, is_outcome, pieces, told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harness.record import RunRecord, Turn

MOST_SPANS: Final = 50
"""So many places are told of one turn; more of them say nothing new."""

_MOST_COMPARED: Final = 100
"""So many observations of one turn are looked for in what the tools gave."""

_PATIENCE: Final = 4
"""How many sentences the outcome of an announced step may stand behind it."""


class Span(Frozen):
    """A place in a turn that tells of tool work: `text` stands from `start` up to `end`, in characters.

    `language` is the code of the language that it was read in, None for a notation.
    """

    start: int
    end: int
    text: str
    kind: NarrationKind
    language: str | None = None


class Narration(Frozen):
    """The places where a turn tells of tool work that never happened, in their order; none where it does not."""

    spans: tuple[Span, ...] = ()

    @property
    def narrates(self) -> bool:
        """Whether there is any."""
        return bool(self.spans)


class Made(NamedTuple):
    """A call that reached a tool before the turn: its full name, its input and what it gave, as text."""

    tool: str
    input: str = ''
    output: str = ''


def made_before(record: RunRecord, turn: Turn) -> tuple[Made, ...]:
    """Return the calls of the turn's agent that reached tools before it."""
    return tuple(
        Made(call.tool, str(call.input), call.error.message if call.error is not None else str(call.output))
        for call in record.calls
        if call.agent == turn.agent and call.turn < turn.index
    )


def narration(output: str | None, tools: Collection[str], calls: Sequence[Made] = ()) -> Narration:
    """Tell where a turn narrates; `tools` are the names that were offered, `calls` what happened before in its run.

    A place that names tools is accounted for by calls of them, any other by any call. An observation that the turn
    writes itself is accounted for only where a tool really gave it.
    """
    text = output or ''
    names = Names.of(tuple(sorted({*tools, *(call.tool for call in calls)})))
    called = frozenset(call.tool for call in calls)
    given = [' '.join(call.output.split()) for call in calls]
    spans: list[Span] = []
    compared = 0
    for found in _found(text, names):
        if len(spans) == MOST_SPANS or compared == _MOST_COMPARED:
            break
        if found.kind is NarrationKind.OBSERVATION:
            compared += 1
            content = ' '.join(text[found.content : found.end].split())
            true = any(content in output for output in given)
        else:
            true = bool(called) and all(meant & called for meant in names.named(text[found.start : found.end]))
        if not true:
            place = text[found.start : found.end]
            start = found.start + len(place) - len(place.lstrip())
            place = place.strip()
            language = found.language
            spans.append(Span(start=start, end=start + len(place), text=place, kind=found.kind, language=language))
    return Narration(spans=tuple(spans))


def _found(text: str, names: Names) -> Iterator[Found]:
    """Yield the places that tell of tool work, true or not, in the order of their lines."""
    lines = lines_of(text)
    hidden = hidden_lines(lines)
    in_steps = any(line.label in ('action', 'other') for line in lines)
    stepping, waiting = False, 0
    for number, line in enumerate(lines):
        own = observation_at(lines, number, text, stepping=stepping, in_steps=in_steps)
        own = own or transcript_at(lines, number, names, hidden=hidden[number])
        stepping = stepping or line.label in ('action', 'input')
        if own is not None:
            yield own
        elif hidden[number]:
            waiting = _PATIENCE if calls_in(line, names) else waiting
        else:
            waiting = 0 if line.label == 'action' else waiting
            plain = bare(line.text, names)
            for start, end in pieces(plain):
                piece, at = plain[start:end], line.start + start
                if not piece.strip():
                    continue
                if waiting and is_outcome(piece):
                    yield Found(at, at + len(piece), NarrationKind.RESULT, 'en')
                    waiting = 0
                    continue
                for one in told(piece):
                    yield one._replace(start=at + one.start, end=at + one.end)
                waiting = _PATIENCE if announces(piece) else max(0, waiting - 1)
