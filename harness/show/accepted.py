"""What was accepted, as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.show.console import Line, diff_lines
from harness.show.visible import one_line, plural, visible

if TYPE_CHECKING:
    from harness.accepting import Accepted
    from harness.cassette import Place


def accepted_lines(found: Accepted) -> list[Line]:
    """Return what one recording shows whose drift was accepted, or looked at."""
    name = _name(found.scenario, found.model, found.epoch)
    if not found.turns:
        return [Line(f'unchanged  {name}: every request is the recorded one')]
    verb = 'accepted' if found.written else 'would accept'
    lines = [Line(f'{verb}  {name}: {plural(len(found.turns), "turn")}', 'good' if found.written else 'bold')]
    for turn, differences in found.turns.items():
        lines.append(Line(f'  turn {turn}', 'bold'))
        for difference in differences:
            lines += [Line(f'    {text}', style) for text, style in diff_lines(difference)]
    return [*lines, Line(f'  file  {one_line(found.path)}')]


def refused_lines(place: Place, reason: str) -> list[Line]:
    """Return what a recording shows whose drift cannot be accepted."""
    first, *rest = visible(reason).split('\n')
    head = Line(f'refused  {_name(place.scenario, place.model, place.epoch)}: {first}', 'bad')
    return [head, *(Line(f'  {line}') for line in rest), Line('  the cassette is as it was')]


def _name(scenario: str, model: str, epoch: int) -> str:
    return f'{one_line(scenario)} [{one_line(model)}]' + (f' (epoch {epoch})' if epoch > 1 else '')


def accepting_verdict(number: int, written: int, refused: int) -> Line:
    """Return the summary line of `accept-drift`."""
    text = f'{written:,} of {plural(number, "recording")} rewritten' + (f', {refused:,} refused' if refused else '')
    return Line(text, 'bad' if refused else 'good')
