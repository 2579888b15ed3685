"""How the cost of a replay grows with the length of its cassette: twice the interactions, twice the time.

Run with `pytest tests/benchmarks/test_replay_growth.py --benchmark-enable --benchmark-only -s`; nothing here fails by a
time. That the work grows no faster is tested by counting steps, in `tests/test_growth.py`.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml
from chat_server import chat_completion
from example_suite import ERRANDS, Suite

from harness.cassette import recording, replaying
from harness.engine.node import load_node
from harness.llm import ChatClient, ModelSpec
from harness.run import replay, run_scenario
from harness.scenario.loading import load_scenario

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = (5, 10, 20, 40, 80, 160)
REPLY = 'Thought: I need a tool.\nAction: places.lookup\nAction Input: {"name": "Lakeview"}'
PROMPT = ('Use a tool where you need one.\n\n> Tool Name: places.lookup\nTool Args: {"name": "é ✓"}\n' * 60)[:4_000]
SPEC = ModelSpec(name='small', base_url='http://127.0.0.1:8080/v1', temperature=0.0, max_tokens=512, seed=1)
NODE = load_node(ERRANDS)

pytestmark = pytest.mark.benchmark(timer=time.process_time, warmup=True, warmup_iterations=2)


def answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=chat_completion(REPLY))


def prompt(turn: int) -> str:
    return f'{PROMPT}\nObservation: {turn}'


@pytest.fixture(scope='module')
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """One recorded scenario of each size, whose node asks that many times."""
    found = Suite(tmp_path_factory.mktemp('growth'))
    with httpx.Client(transport=httpx.MockTransport(answer)) as server:
        for size in SIZES:
            errands = [{'ask': prompt(turn)} for turn in range(size)]
            path = found.add(f'asks-{size}', recorded=True, config={'errands': errands}, expect={'llm_calls': size})
            with recording(cassette(found, size), through=server) as tape:
                run_scenario(load_scenario(path), NODE, client=ChatClient(SPEC, tape.http), model='small')
    return found


def cassette(suite: Suite, size: int) -> Path:
    return suite.cassettes / f'asks-{size}' / 'small.yaml'


def parts(suite: Suite, size: int) -> dict[str, Callable[[], Any]]:
    """Return what is measured, each a replay of a cassette of this size or a part of one."""
    path = cassette(suite, size)
    file = load_scenario(suite.scenarios / 'loop' / f'asks-{size}.yaml')
    raw = path.read_text(encoding='utf-8')
    with replaying(path) as tape:
        asked = [request.content for request in _requests(file)]

    def exchanges() -> None:
        with replaying(path) as tape:
            for body in asked:
                tape.http.post('http://localhost/v1/chat/completions', content=body, headers=_JSON)
            assert tape.unplayed == 0

    def load() -> None:
        with replaying(path) as tape:
            assert tape.unplayed == size

    def whole() -> None:
        (result,) = replay(file, NODE, suite.cassettes)
        assert result.problem is None

    assert tape.unplayed == size
    return {
        'the YAML alone': lambda: yaml.load(raw, Loader=yaml.CSafeLoader),
        'loading the cassette': load,
        'the exchanges, loading included': exchanges,
        'the scenario with its node': whole,
    }


_JSON = {'content-type': 'application/json'}


def _requests(file: Any) -> list[httpx.Request]:
    """Return the requests that a scenario makes."""
    seen: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer(request)

    with httpx.Client(transport=httpx.MockTransport(keep)) as server:
        run_scenario(file, NODE, client=ChatClient(SPEC, server), model='small')
    return seen


@pytest.mark.parametrize('size', SIZES)
def test_replay_of_a_cassette_of_this_many_interactions(benchmark: BenchmarkFixture, suite: Suite, size: int) -> None:
    benchmark(parts(suite, size)['the exchanges, loading included'])


def test_growth_of_the_parts_side_by_side(benchmark: BenchmarkFixture, suite: Suite) -> None:
    """Measure all sizes in turns, so that a busy machine is busy for all of them; the best of the rounds counts."""
    rounds = 1 if benchmark.disabled else 15
    measured = {size: parts(suite, size) for size in SIZES}
    names = list(measured[SIZES[0]])

    def measure() -> dict[str, dict[int, float]]:
        best = {name: dict.fromkeys(SIZES, float('inf')) for name in names}
        for _ in range(rounds):
            gc.collect()
            for size in SIZES:
                for name in names:
                    start = time.process_time()
                    measured[size][name]()
                    best[name][size] = min(best[name][size], time.process_time() - start)
        return best

    best = benchmark.pedantic(measure, rounds=1)
    for name in names:
        print(f'\n{name}\n  interactions       ms   ms each   times the half')
        for size in SIZES:
            half = best[name].get(size // 2)
            ratio = f'{best[name][size] / half:14.2f}' if half else ''
            print(f'  {size:12} {best[name][size] * 1000:8.2f} {best[name][size] * 1000 / size:9.3f} {ratio}')
    benchmark.extra_info['seconds'] = best
    assert set(best) == set(names)
