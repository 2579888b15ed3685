"""The scorecard of 10,000 runs of four turns: what it takes to make it, how large it is, how fast it answers.

Run with `pytest tests/benchmarks/test_scorecard_load.py --benchmark-enable --benchmark-only -s`; no time fails.
The page is made once, in a process of its own, whose seconds of CPU and peak memory are those of its children.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from scorecard_load import MODELS, write_load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

READY = 'view => document.getElementById("view").dataset.ready === view'
KEY = """async text => {
  const field = document.getElementById('filter');
  const began = performance.now();
  field.value = text;
  field.dispatchEvent(new Event('input'));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - began;
}"""


@dataclass(frozen=True)
class Made:
    """A page of many runs, and what it took to make it."""

    path: Path
    seconds: float
    cpu: float
    megabytes: float


@pytest.fixture(scope='module')
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The page of 10,000 runs."""
    folder = tmp_path_factory.mktemp('load')
    stores, path = write_load(folder), folder / 'page.html'
    command = [sys.executable, '-m', 'harness.cli', 'report', *map(str, stores), '-o', str(path)]
    began = time.perf_counter()
    # `ru_maxrss` is of the largest child so far: none of the others is as large.
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Made(path, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


@pytest.fixture(scope='module')
def page(made: Made) -> Iterator[Any]:
    """The page in a browser."""
    api = pytest.importorskip('playwright.sync_api')
    found = os.environ.get('REACT_HARNESS_CHROMIUM') or shutil.which('chromium')
    if found is None:
        pytest.skip('there is no Chromium: install one, or name it in REACT_HARNESS_CHROMIUM')
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=['--no-sandbox', '--disable-gpu'])
        yield browser.new_page()
        browser.close()


def opened(page: Any, made: Made, view: str) -> None:
    page.goto('about:blank')
    page.goto(made.path.as_uri() + view)
    page.wait_for_function(READY, arg=view)


def test_making_the_page(benchmark: BenchmarkFixture, made: Made) -> None:
    size = made.path.stat().st_size / 1_000_000
    print(
        f'\n10,000 runs of {len(MODELS)} models: {made.cpu:.1f} s of CPU, {made.seconds:.1f} s, '
        f'{made.megabytes:.0f} MB of memory, a page of {size:.1f} MB'
    )
    benchmark.pedantic(made.path.read_bytes, rounds=3)


def test_the_first_view(benchmark: BenchmarkFixture, page: Any, made: Made) -> None:
    benchmark.pedantic(opened, args=(page, made, '#/overview'), rounds=7, warmup_rounds=1)


def test_a_key_in_the_filter_of_all_runs(benchmark: BenchmarkFixture, page: Any, made: Made) -> None:
    opened(page, made, '#/runs')
    times = [page.evaluate(KEY, text) for text in ('l', 'la', 'lam', 'lamp', 'lam', 'la', 'l', '')]
    print(f'\nfrom the key to the drawn table: {sorted(times)[len(times) // 2]:.0f} ms, at most {max(times):.0f} ms')
    print(f'elements of the page: {page.evaluate("document.querySelectorAll(`*`).length"):,}')
    benchmark.pedantic(page.evaluate, args=(KEY, 'lamp'), rounds=7)
