"""One unmet expectation, and the view of one agent that expectations are checked against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from harness.expect.difference import bounded, shown, structure_diff, text_diff
from harness.record import Failure, Frozen, RunRecord
from harness.scenario.yamlnode import Loc  # noqa: TC001 (pydantic reads it)
from harness.show.visible import clip, one_line

if TYPE_CHECKING:
    from harness.scenario.expectation import TextMatch

Level = Literal['required', 'hardening']

NODE: Final = 'agent'
"""The id under which the node under test stands in a run record."""


class Finding(Frozen):
    """One unmet expectation of a run.

    `loc` is the key path of the expectation in the scenario file, `expected` and `actual` are the two values (long
    texts cut in the middle), `diff` is what differs as text, or empty. `level` says whether the contract asks for it.
    """

    loc: Loc
    message: str
    expected: Any = None
    actual: Any = None
    diff: str = ''
    level: Level = 'required'


@dataclass(frozen=True)
class View:
    """What a record says about one agent: its own doors, and what its face gave back.

    The node under test ran once, a child agent as often as it was called; `payloads` are the results of the runs that
    returned one, `raised` the exceptions of the others.
    """

    agent: str
    record: RunRecord
    runs: int
    payloads: tuple[Any, ...]
    raised: tuple[Failure, ...]

    @property
    def name(self) -> str:
        """The agent as people call it."""
        return 'the node' if self.agent == NODE else f'the child agent {self.agent}'


def view_of(record: RunRecord, agent: str = NODE) -> View:
    """Return the view of the node under test, or of a child agent by its node id.

    The payload of a child is what the parent got back from `<node id>.run_agent`.
    """
    own = record.of(agent)
    if agent == NODE:
        payloads = () if record.payload is None else (record.payload,)
        return View(agent, own, 1, payloads, () if record.raised is None else (record.raised,))
    calls = [call for call in record.calls if call.tool == f'{agent}.run_agent']
    payloads = tuple(call.output for call in calls if call.error is None and call.output is not None)
    return View(agent, own, len(calls), payloads, tuple(call.error for call in calls if call.error is not None))


def differs(loc: Loc, message: str, expected: Any, actual: Any) -> Finding:
    """Make a finding with the difference of its two values."""
    diff = ''
    if isinstance(expected, str) and isinstance(actual, str):
        diff = text_diff(expected, actual)
    elif isinstance(expected, dict | list) and isinstance(actual, dict | list):
        diff = structure_diff(expected, actual)
    return Finding(loc=loc, message=message, expected=bounded(expected), actual=bounded(actual), diff=diff)


def text_findings(match: TextMatch, text: Any, loc: Loc, what: str) -> list[Finding]:
    """Check a text; `what` names it in the messages (`the answer`)."""
    if not isinstance(text, str):
        return [Finding(loc=loc, message=f'{what} is no text, it is {shown(text)}', actual=bounded(text))]
    found = []
    if match.equals is not None and text != match.equals:
        found.append(differs((*loc, 'equals'), f'{what} is not the expected text', match.equals, text))
    for number, part in enumerate(match.contains):
        if part not in text:
            found.append(_part((*loc, 'contains', number), f'{what} does not contain', part, text))
    for number, part in enumerate(match.not_contains):
        if part in text:
            found.append(_part((*loc, 'not_contains', number), f'{what} contains', part, text))
    return found


def _part(loc: Loc, message: str, part: str, text: str) -> Finding:
    return Finding(loc=loc, message=f'{message} {quoted(part)}', expected=bounded(part), actual=bounded(text))


def quoted(text: str) -> str:
    """Return a text on one bounded line, in quotes."""
    return f"'{clip(one_line(text), 120)}'"


def counted(number: int, singular: str) -> str:
    """Return `1 call`, `2 calls`."""
    return f'{number} {singular}{"" if number == 1 else "s"}'
