from __future__ import annotations

import json
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from node_host import Host, ToolNode, function, pipe, question, started

from harness.engine.node import load_node
from harness.engine.pipeline import Pipeline
from harness.llm import Completion
from harness.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 16
ROUNDS = 25
TOKEN = re.compile(r'run-\d+-\d+')


@pytest.fixture(autouse=True)
def _eager_switching() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


class Together(Host):
    """A host of one run, whose model and tools answer only when those of all the other threads are asked as well."""

    def __init__(self, token: str, number: int, barrier: threading.Barrier) -> None:
        self.token = token
        self.barrier = barrier
        last = [f'Thought: x\nAnswer: {token}', f'Direct {token}', RuntimeError(f'Failure {token}'), '']
        super().__init__(
            f'Thought: {token}\nAction: box_{number}.get\nAction Input: {{"of": "{token}"}}',
            f'Thought: {token}\nAction: lost {token}\nAction Input: {{}}',
            f"Thought: {token}\nAction: box_{number}.get\nAction Input: {{'of': '{token}', 'again': True}}",
            last[number % len(last)],
            tools={f'box_{number}': ToolNode(function(description=f'Box of {token}'), call=self._look)},
        )

    def _look(self, _: str, given: dict[str, Any]) -> Any:
        self.barrier.wait(60)
        given['seen'] = f'seen for {self.token}'
        return given

    def invoke(self, param: Any, component_id: str = '') -> Any:
        if param.op == 'ask':
            self.barrier.wait(60)
        return super().invoke(param, component_id)


CONTENTS: list[tuple[str, str]] = [
    ('{}', 'answer'), ('Direct {}', 'direct_answer'), ('Failure {}', 'error'), ('', 'empty')
]  # fmt: skip


def check(host: Together, number: int, payload: dict[str, Any]) -> None:
    """Check that a run holds all that is its own and nothing of another run."""
    content, reason = CONTENTS[number % len(CONTENTS)]
    token, name = host.token, f'box_{number}.get'
    assert payload['content'] == content.format(token)
    assert (payload['meta']['stop_reason'], payload['meta']['tool_calls']) == (reason, 2)
    assert host.texts == [payload['content']]
    (raw,) = [entry['payload'] for entry in payload['stack'] if entry['name'] == 'framework.output']
    assert [(step['action'], step['action_input']) for step in raw] == [
        (name, {'of': token}),
        (f'lost {token}', {}),
        (name, {'of': token, 'again': True}),
    ]
    assert host.of('call') == [(name, {'of': token}), (name, {'of': token, 'again': True})]
    assert [event.get('tool') for event in host.of('event')] == [None, name, name]
    assert [prompt.count(f'Thought: {token}') for prompt in host.prompts] == [0, 1, 2, 3]
    assert [prompt.count(f'Question of {token}?') for prompt in host.prompts] == [1] * 4
    assert [prompt.count('Be brief.') for prompt in host.prompts] == [1] * 4
    everything = json.dumps([payload, host.texts, host.of('event'), host.of('call'), host.prompts])
    assert set(TOKEN.findall(everything)) == {token}


def race(deliver: Callable[[Together, Any], dict[str, Any]]) -> None:
    """Let all threads deliver a question of their own, again and again, and check every run."""

    def run(number: int) -> list[str]:
        ids = []
        for turn in range(ROUNDS):
            token = f'run-{number}-{turn}'
            host = Together(token, number, barrier)
            payload = deliver(host, question(f'Question of {token}?'))
            check(host, number, payload)
            ids.append(payload['meta']['run_id'])
        return ids

    def guarded(number: int) -> list[str]:
        try:
            return run(number)
        except BaseException:
            barrier.abort()
            raise

    barrier = threading.Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as threads:
        runs = [threads.submit(guarded, number) for number in range(THREADS)]
    failures = [error for run in runs if (error := run.exception())]
    for error in sorted(failures, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    ids = [run_id for run in runs for run_id in run.result()]
    assert len(set(ids)) == THREADS * ROUNDS


def test_many_pipes_of_one_node_do_not_mix_their_runs() -> None:
    shared = started(instructions=['Be brief.'])
    race(lambda host, asked: pipe(shared, host).writeQuestions(asked))


def test_one_pipe_that_many_threads_use_does_not_mix_their_runs() -> None:
    here = threading.local()

    class Router:
        def __getattr__(self, name: str) -> Any:
            return getattr(here.host, name)

    one = pipe(started(instructions=['Be brief.']), Router())

    def deliver(host: Together, asked: Any) -> dict[str, Any]:
        here.host = host
        return one.writeQuestions(asked)

    race(deliver)


class Echo:
    """A model side that calls the tool with the name that the question gives it, and then answers with the result."""

    def complete(self, prompt: str, stop: list[str] | None) -> Completion:
        token = TOKEN.search(prompt)
        assert token is not None
        seen = re.search(r'Observation: (seen .*)', prompt)
        text = f'Thought: x\nAction: box_1.get\nAction Input: {{"of": "{token[0]}"}}'
        return Completion(text=f'Thought: x\nAnswer: {seen[1].strip()}' if seen else text)


def test_pipes_of_one_pipeline_do_not_mix_their_runs() -> None:
    scenario = Scenario.model_validate(
        {
            'id': 'echo',
            'title': 'A tool says what it was asked',
            'family': 'faces',
            'requirements': ['FACE-10'],
            'level': 'required',
            'question': 'x',
            'model': {'outputs': ['never used']},
            'tools': [
                {
                    'node': 'box_1',
                    'functions': [
                        {
                            'name': 'get',
                            'input_schema': {'type': 'object', 'properties': {'of': {'type': 'string'}}},
                            'matches': [
                                {'input': {'of': f'run-{number}-0'}, 'text': f'seen run-{number}-0'}
                                for number in range(THREADS)
                            ],
                        }
                    ],
                }
            ],
            'expect': {'answer': 'x'},
        }
    )
    with Pipeline(load_node('agent_llamaindex'), scenario, client=Echo()) as pipeline:
        pipes = [pipeline.pipe() for _ in range(THREADS)]

        def run(number: int) -> None:
            for _ in range(ROUNDS):
                outcome = pipes[number].ask(question(f'run-{number}-0?'))
                assert outcome.raised is None
                assert outcome.payload['content'] == f'seen run-{number}-0'
                record = pipes[number].recorder.record(
                    scenario='echo', node='agent_llamaindex', payload=outcome.payload
                )
                assert set(TOKEN.findall(record.model_dump_json())) == {f'run-{number}-0'}
                assert (len(record.turns), len(record.calls), len(record.lane_writes)) == (2, 1, 1)

        with ThreadPoolExecutor(THREADS) as threads:
            for _ in threads.map(run, range(THREADS)):
                pass
