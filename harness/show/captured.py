"""What was captured and what was accepted, as lines for a terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from harness.show.console import Line
from harness.show.visible import as_text, clip, one_line, plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.capture.accept import Acceptance
    from harness.capture.make import Capture

_LONG: Final = 400
_MOST_LINES: Final = 200


def captured_lines(found: Capture, options: Sequence[str], pytest_options: Sequence[str]) -> list[Line]:
    """Return what a capture shows that was written, with the commands that can follow.

    `options` are those by which the harness finds the suite and the node again, `pytest_options` the same for pytest.
    """
    turns, calls = plural(found.turns, 'turn'), plural(found.calls, 'tool call')
    reason = f', stop reason {one_line(found.stop_reason)}' if found.stop_reason else ''
    answer = 'no answer' if found.answer is None else visible(clip(as_text(found.answer), _LONG))
    item = [*pytest_options, str(found.path)]
    return [
        Line(f'captured  {one_line(found.id)} [{one_line(found.model)}]: {turns}, {calls}{reason}', 'good'),
        Line(f'  answer    {answer}'),
        *told_lines(found),
        Line(f'  scenario  {one_line(str(found.path))} (a proposal until it is accepted)'),
        Line(f'  cassette  {one_line(str(found.cassette))}'),
        Line(f'  replay    {one_line(shlex.join(["pytest", *item]))}'),
        Line(f'  accept    {one_line(shlex.join(["react-harness", "capture", "--accept", found.id, *options]))}'),
    ]


def told_lines(found: Capture) -> Iterator[Line]:
    """Yield what has to be told about a capture: findings, what is not known, and what is not as it was."""
    for finding in found.findings:
        yield Line(f'  finding   {one_line(clip(finding.message, _LONG))}', 'bad')
    for text in found.remarks:
        yield Line(f'  note      {one_line(clip(text, _LONG))}', 'bold')
    for text in found.unknown:
        yield Line(f'  unknown   {one_line(clip(text, _LONG))}')


def accepting_lines(found: Acceptance, *, written: bool) -> list[Line]:
    """Return what an accepted proposal expects, as it stands in its file."""
    verb = 'accepted' if written else 'would accept'
    head = Line(f'{verb}  {one_line(found.id)}: {one_line(found.title)}', 'good' if written else 'bold')
    return [head, Line(f'  {one_line(str(found.path))} expects', 'soft'), *_numbered(found.expected)]


def _numbered(lines: Sequence[tuple[int, str]]) -> Iterable[Line]:
    for number, text in lines[:_MOST_LINES]:
        yield Line(f'  {number:>5}  {visible(clip(text, _LONG))}'.rstrip())
    if len(lines) > _MOST_LINES:
        yield Line(f'         and {plural(len(lines) - _MOST_LINES, "line")} more')
