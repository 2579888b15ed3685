"""The verdict, what became of the runs since the baseline, and what differs between two stores, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.show.console import Line
from harness.show.visible import one_line

if TYPE_CHECKING:
    from harness.show.console import Style
    from harness.show.summary import Summary, Verdict

_STYLES: Final[dict[Verdict, Style]] = {'pass': 'good', 'fail': 'bad', 'inconclusive': 'bad'}


def verdict_line(summary: Summary) -> Line:
    """Return the verdict and the reason for it, the last line of a run."""
    return Line(f'Verdict: {summary.verdict}: {one_line(summary.reason)}', _STYLES[summary.verdict])
