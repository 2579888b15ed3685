"""What one replayed scenario costs with the node in the loop, and whose time it is; nothing here fails by a time.

Run with `pytest tests/benchmarks/test_replay_cost.py --benchmark-enable --benchmark-only -s`.
"""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from harness.cassette import cassette_path, recording
from harness.engine.node import load_node
from harness.engine.threads import TimeLimit
from harness.llm import ChatClient, ModelSpec
from harness.run import replay, run_scenario
from harness.scenario.loading import load_scenario

if TYPE_CHECKING:
    from types import FrameType

    from pytest_benchmark.fixture import BenchmarkFixture

    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile

pytestmark = pytest.mark.benchmark(timer=time.process_time, min_rounds=200, warmup=True, warmup_iterations=20)

SCENARIO = """\
id: three-turns
title: Two tool calls, then the answer
family: evaluation
question: How many people live in Lakeview, and how many in Port Hill?
tools:
  - node: places_1
    functions:
      - name: lookup
        description: Look up a place by its name.
        input_schema: {type: object, properties: {name: {type: string}}, required: [name]}
        matches:
          - {input: {name: Lakeview}, returns: {place: Lakeview, people: 41200}}
          - {input: {name: Port Hill}, returns: {place: Port Hill, people: 9000}}
expect:
  answer: 41,200 in Lakeview and 9,000 in Port Hill.
  llm_calls: 3
  calls:
    - {tool: places_1.lookup, input: {name: Lakeview}}
    - {tool: places_1.lookup, input: {name: Port Hill}}
"""
OUTPUTS = (
    'Thought: I need the first place.\nAction: places_1.lookup\nAction Input: {"name": "Lakeview"}',
    'Thought: I need the second place.\nAction: places_1.lookup\nAction Input: {"name": "Port Hill"}',
    'Thought: I can answer without using any more tools.\nAnswer: 41,200 in Lakeview and 9,000 in Port Hill.',
)
OWNERS = {
    'llama-index': ('/llama_index', '/dirtyjson/'),
    'vcrpy, YAML and HTTP client': ('/vcr/', '/yaml/', '/httpx/', '/httpcore/', '/certifi/'),
    'pydantic and rocketride': ('/pydantic/', '/rocketride/'),
    'the node': ('/agent_llamaindex/',),
    'the engine (stand-in)': ('/harness/engine/',),
    'the harness': ('/harness/',),
}


@pytest.fixture(scope='module')
def node() -> Node:
    return load_node('agent_llamaindex')


@pytest.fixture(scope='module')
def scenario(tmp_path_factory: pytest.TempPathFactory, node: Node) -> ScenarioFile:
    folder = tmp_path_factory.mktemp('suite') / 'evaluation'
    folder.mkdir()
    (folder / 'three-turns.yaml').write_text(SCENARIO, encoding='utf-8')
    file = load_scenario(folder / 'three-turns.yaml')
    outputs = iter(OUTPUTS)

    def answer(_: httpx.Request) -> httpx.Response:
        message = {'role': 'assistant', 'content': next(outputs)}
        choice = {'index': 0, 'message': message, 'finish_reason': 'stop'}
        usage = {'prompt_tokens': 600, 'completion_tokens': 30, 'total_tokens': 630}
        return httpx.Response(200, json={'object': 'chat.completion', 'choices': [choice], 'usage': usage})

    spec = ModelSpec(name='small', base_url='http://127.0.0.1:8080/v1', temperature=0.0, max_tokens=512, seed=1)
    path = cassette_path(folder.parent / 'cassettes', 'three-turns', 'small')
    with recording(path, through=httpx.Client(transport=httpx.MockTransport(answer))) as tape:
        run_scenario(file, node, client=ChatClient(spec, tape.http), model='small')
    return file


def cassettes(file: ScenarioFile) -> Path:
    return file.path.parents[1] / 'cassettes'


def test_replay_of_a_three_turn_scenario(benchmark: BenchmarkFixture, node: Node, scenario: ScenarioFile) -> None:
    (result,) = benchmark(lambda: replay(scenario, node, cassettes(scenario)))
    assert result.problem is None
    assert result.findings == ()
    assert len(result.record.turns) == 3
    benchmark.extra_info['split'] = _split(node, scenario)
    print('\n' + json.dumps(benchmark.extra_info['split'], indent=2))


def test_load_of_the_scenario_file(benchmark: BenchmarkFixture, scenario: ScenarioFile) -> None:
    assert benchmark(lambda: load_scenario(scenario.path)).scenario == scenario.scenario


def _split(node: Node, scenario: ScenarioFile, seconds: float = 4.0) -> dict[str, float]:
    """Return whose code the CPU time of replays is spent in, as shares; the standard library counts for its callers.

    A timer interrupts the process after every millisecond of CPU time and the innermost frame of an owner is counted:
    unlike a tracing profiler this makes no function dearer than it is. A timer sees the main thread only, so the node
    works there, without a time limit.
    """
    shares: Counter[str] = Counter()

    def count(_: int, frame: FrameType | None) -> None:
        while frame is not None and (owner := _owner(frame.f_code.co_filename)) is None:
            frame = frame.f_back
        if frame is not None:
            shares[owner] += 1

    folder = cassettes(scenario)
    before = signal.signal(signal.SIGPROF, count)
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    try:
        end = time.process_time() + seconds
        while time.process_time() < end:
            replay(scenario, node, folder, limit=TimeLimit(0))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    total = shares.total()
    return {owner: round(share / total, 3) for owner, share in shares.most_common()}


@cache
def _owner(file: str) -> str | None:
    path = Path(file).as_posix()
    return next((owner for owner, marks in OWNERS.items() if any(mark in path for mark in marks)), None)
