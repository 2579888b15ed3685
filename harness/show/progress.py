"""The runs of a suite one by one, with a bar that shows how far it is."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from harness.scenario.loading import ScenarioFile
    from harness.show.summary import Judged


class Progress:
    """Runs as they are made; the bar stands on standard error, and only where that is a terminal.

    `done` keeps the runs so far, `left` is the number of scenarios that were not run. With `fail_fast` the first
    scenario that keeps the gate from passing is the end.
    """

    def __init__(
        self, scenarios: Iterable[tuple[ScenarioFile, list[Judged]]], number: int, fail_fast: bool = False
    ) -> None:
        self._scenarios = scenarios
        self._fail_fast = fail_fast
        self.done: list[Judged] = []
        self.left = number

    def __iter__(self) -> Iterator[Judged]:
        """Yield each run once it is made."""
        with _bar(self.left) as advance:
            for file, runs in self._scenarios:
                self.left -= 1
                advance(file.scenario.id)
                for run in runs:
                    self.done.append(run)
                    yield run
                if self._fail_fast and any(run.outcome.effect != 'none' for run in runs):
                    return


@contextlib.contextmanager
def _bar(length: int) -> Iterator[Callable[[str], None]]:
    if not sys.stderr.isatty():
        yield lambda name: None
        return
    with click.progressbar(
        length=length, file=sys.stderr, label='Replaying', item_show_func=lambda item: item, show_pos=True
    ) as bar:
        yield lambda name: bar.update(1, name)
