"""A replay takes a number of steps for each interaction that does not depend on how many there are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from chat_server import chat_completion

from harness.cassette import recording, replaying

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = 'http://localhost/v1/chat/completions'
SIZES = (20, 40, 80)


def answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=chat_completion('Hello.'))


def ask(http: httpx.Client, turn: int) -> None:
    messages = [{'role': 'user', 'content': f'turn {turn:04}'}]
    assert http.post(URL, json={'model': 'small', 'messages': messages}).is_success


@pytest.fixture(scope='module')
def cassettes(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """A cassette of each size."""
    root = tmp_path_factory.mktemp('tapes')
    paths = {size: root / f'asks-{size}' / 'small.yaml' for size in SIZES}
    with httpx.Client(transport=httpx.MockTransport(answer)) as server:
        for size, path in paths.items():
            with recording(path, through=server) as tape:
                for turn in range(size):
                    ask(tape.http, turn)
    return paths


def steps(work: Callable[[], None]) -> int:
    """Return how many lines of Python are executed; each round of a loop is one at least."""
    count = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == 'line'
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def play(path: Path, size: int) -> None:
    with replaying(path) as tape:
        for turn in range(size):
            ask(tape.http, turn)
        tape.finish()


def load(path: Path, size: int) -> None:
    with replaying(path) as tape:
        assert tape.unplayed == size


@pytest.mark.parametrize('work', [load, play])
def test_twice_the_interactions_take_twice_the_steps(
    cassettes: dict[int, Path], work: Callable[[Path, int], None]
) -> None:
    for size in SIZES:
        work(cassettes[size], size)  # what is imported or remembered once counts for none of them
    few, more, many = (steps(lambda size=size: work(cassettes[size], size)) for size in SIZES)
    assert more - few > 1_000
    assert (many - more) / (more - few) == pytest.approx(2, abs=0.02)


def test_the_steps_of_a_walk_over_what_was_played_would_be_seen() -> None:
    def walk(size: int) -> None:
        for turn in range(size):
            assert len([played for played in range(turn) if played >= 0]) == turn

    few, more, many = (steps(lambda size=size: walk(size)) for size in SIZES)
    assert (many - more) / (more - few) > 3
