"""Counts the lines of Python that a replay executes, in a process of its own: threads of other tests disturb a trace.

    python step_probe.py load|play CASSETTE SIZE CASSETTE SIZE...

prints one number for each cassette; each round of a loop is one line at least.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cassette import replaying

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

URL = 'http://localhost/v1/chat/completions'


def ask(http: httpx.Client, turn: int) -> None:
    """Make the request of a turn."""
    messages = [{'role': 'user', 'content': f'turn {turn:04}'}]
    assert http.post(URL, json={'model': 'small', 'messages': messages}).is_success


def play(path: Path, size: int) -> None:
    with replaying(path) as tape:
        for turn in range(size):
            ask(tape.http, turn)
        tape.finish()


def load(path: Path, size: int) -> None:
    with replaying(path) as tape:
        assert tape.unplayed == size


def walk(path: Path, size: int) -> None:
    """Take as many steps at each turn as turns were before, as a cassette does that looks for the next interaction."""
    for turn in range(size):
        assert len([played for played in range(turn) if played >= 0]) == turn


def steps(work: Callable[[], None]) -> int:
    """Return how many lines are executed."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == 'line'
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return count


def main(name: str, *pairs: str) -> None:
    work = {'load': load, 'play': play, 'walk': walk}[name]
    cassettes = [(Path(path), int(size)) for path, size in zip(pairs[::2], pairs[1::2], strict=True)]
    for path, size in cassettes:
        work(path, size)  # what is imported or remembered once counts for none of them
    for path, size in cassettes:
        print(steps(lambda path=path, size=size: work(path, size)))  # type: ignore[misc]


if __name__ == '__main__':
    main(*sys.argv[1:])
