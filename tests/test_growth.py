"""A replay takes a number of steps for each interaction that does not depend on how many there are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from chat_server import chat_completion
from step_probe import ask

from harness.cassette import recording

PROBE = Path(__file__).parent / 'step_probe.py'
SIZES = (20, 40, 80)


def answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=chat_completion('Hello.'))


@pytest.fixture(scope='module')
def cassettes(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The paths and sizes of three cassettes."""
    root = tmp_path_factory.mktemp('tapes')
    words = []
    with httpx.Client(transport=httpx.MockTransport(answer)) as server:
        for size in SIZES:
            path = root / f'asks-{size}' / 'small.yaml'
            words += [str(path), str(size)]
            with recording(path, through=server) as tape:
                for turn in range(size):
                    ask(tape.http, turn)
    return words


def growth(work: str, cassettes: list[str]) -> float:
    """Return how many times as many steps 40 interactions more take as 20 more do."""
    done = subprocess.run([sys.executable, str(PROBE), work, *cassettes], capture_output=True, text=True, check=True)
    few, more, many = map(int, done.stdout.split())
    assert more - few > 1_000 or work == 'walk'
    return (many - more) / (more - few)


@pytest.mark.parametrize('work', ['load', 'play'])
def test_twice_the_interactions_take_twice_the_steps(cassettes: list[str], work: str) -> None:
    assert growth(work, cassettes) == pytest.approx(2, abs=0.02)


def test_the_steps_of_a_walk_over_what_was_played_would_be_seen(cassettes: list[str]) -> None:
    assert growth('walk', cassettes) > 3
