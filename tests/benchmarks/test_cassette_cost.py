"""What a replay costs, in CPU time, and how the cost splits; nothing here passes or fails by a time.

Run with `pytest tests/benchmarks --benchmark-enable --benchmark-columns=median,iqr,rounds`.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import vcr
import yaml
from vcr.serialize import deserialize

from harness.cassette import recording, replaying
from harness.cassette.drift import differences
from harness.cassette.file import CassetteFormat
from harness.llm import ChatClient, Completion, ModelSpec, live_http, scripted_client
from harness.scenario import ModelScript

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.benchmark(timer=time.process_time, min_rounds=200, warmup=True, warmup_iterations=20)

TURNS = 3
REPLY = 'Thought: I need a tool.\nAction: places.lookup\nAction Input: {"name": "Lakeview"}'
PROMPT = ('Use a tool where you need one.\n\n> Tool Name: places.lookup\nTool Args: {"name": "é ✓"}\n' * 60)[:4_000]
SPEC = ModelSpec(name='small', base_url='http://127.0.0.1:8080/v1', temperature=0.0, max_tokens=512, seed=1)


def answer(request: httpx.Request) -> httpx.Response:
    message = {'role': 'assistant', 'content': REPLY}
    usage = {'prompt_tokens': 1000, 'completion_tokens': 20, 'total_tokens': 1020}
    choice = {'index': 0, 'message': message, 'finish_reason': 'stop'}
    body = {'id': 'chatcmpl-1', 'object': 'chat.completion', 'created': 1, 'model': 'small'}
    return httpx.Response(200, json={**body, 'choices': [choice], 'usage': usage})


def ask(http: httpx.Client) -> list[Completion]:
    client = ChatClient(SPEC, http)
    return [client.complete(f'{PROMPT}\nObservation: {turn}', ['Observation:']) for turn in range(TURNS)]


@pytest.fixture(scope='module')
def server() -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(answer))


@pytest.fixture(scope='module')
def cassette(tmp_path_factory: pytest.TempPathFactory, server: httpx.Client) -> Path:
    path = tmp_path_factory.mktemp('cassettes') / 'one-tool' / 'small.yaml'
    with recording(path, through=server) as tape:
        ask(tape.http)
    return path


def test_replay_of_three_turns_from_disk(benchmark: BenchmarkFixture, cassette: Path) -> None:
    def replay() -> list[Completion]:
        with replaying(cassette) as tape:
            return ask(tape.http)

    assert [reply.text for reply in benchmark(replay)] == [REPLY] * TURNS


def test_part_loading_the_cassette(benchmark: BenchmarkFixture, cassette: Path) -> None:
    def load() -> int:
        with replaying(cassette) as tape:
            return tape.unplayed

    assert benchmark(load) == TURNS


def test_part_yaml(benchmark: BenchmarkFixture, cassette: Path) -> None:
    raw = cassette.read_bytes()
    data = benchmark(lambda: yaml.load(raw, Loader=yaml.CSafeLoader))
    assert len(data['interactions']) == TURNS


def test_part_yaml_checked_and_as_values_of_vcrpy(benchmark: BenchmarkFixture, cassette: Path) -> None:
    raw = cassette.read_bytes()
    requests, _ = benchmark(lambda: deserialize(raw, CassetteFormat(cassette)))
    assert len(requests) == TURNS


def test_part_comparing_requests(benchmark: BenchmarkFixture, cassette: Path) -> None:
    bodies = [one['request']['body'] for one in yaml.safe_load(cassette.read_bytes())['interactions']]

    def compare() -> list[Any]:
        return [list(differences(json.loads(body), json.loads(body))) for body in bodies]

    assert benchmark(compare) == [[]] * TURNS


def test_part_http_calls_without_a_cassette(benchmark: BenchmarkFixture, server: httpx.Client) -> None:
    assert len(benchmark(ask, server)) == TURNS


def test_part_a_new_http_client(benchmark: BenchmarkFixture) -> None:
    assert benchmark(lambda: httpx.Client(transport=httpx.MockTransport(answer), trust_env=False)) is not None


def test_beside_three_scripted_turns(benchmark: BenchmarkFixture) -> None:
    script = ModelScript.model_validate({'outputs': [REPLY] * TURNS})

    def play() -> list[str | None]:
        client = scripted_client(script)
        return [client.complete(PROMPT, ['Observation:']).text for _ in range(TURNS)]

    assert benchmark(play) == [REPLY] * TURNS


def test_beside_replay_by_stock_vcrpy(benchmark: BenchmarkFixture, cassette: Path, server: httpx.Client) -> None:
    stock = vcr.VCR(record_mode='none', match_on=('method', 'path', 'body'))

    def replay() -> list[Completion]:
        with stock.use_cassette(str(cassette)):
            return ask(server)

    assert [reply.text for reply in benchmark(replay)] == [REPLY] * TURNS


@pytest.mark.benchmark(min_rounds=10, warmup=False)
def test_beside_the_tls_settings_that_live_models_share(benchmark: BenchmarkFixture) -> None:
    assert benchmark(httpx.create_ssl_context) is not None
    assert live_http() is live_http()
