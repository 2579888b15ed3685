"""How long the reader takes for outputs that cost other parsers minutes, and beside it llama-index's own parser.

Run with `pytest tests/benchmarks/test_reader_speed.py --benchmark-enable --benchmark-only`; a table follows the
results. Times are CPU times. Nothing here passes or fails by one: what counts is the growth, the time per byte at 1 MB
against that at 10 kB.
"""

from __future__ import annotations

import multiprocessing
import time
from contextlib import suppress
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from harness.engine.platform import ensure_platform

ensure_platform()

from agent_llamaindex.reader import Answer, Call, Direct, read  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = {'1 kB': 1_000, '10 kB': 10_000, '100 kB': 100_000, '1 MB': 1_000_000}
LIMIT = 2.0
"""Seconds that the library's parser gets for one output."""

TOOLS = {'s': True, 'free': False}
STEP = 'Thought: x\nAction: s\nAction Input: '


def filled(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def keys(pair: str) -> Callable[[int], str]:
    return lambda size: ', '.join(pair % (n, n) for n in range(size // (len(pair) + 4)))


prose, markdown = filled('lorem ipsum dolor sit amet '), filled('- Corrective Action: restart the pump.\n')

SHAPES: dict[str, Callable[[int], str]] = {
    # What the library's parser was measured with.
    'prose with one `Action:`': lambda n: 'He wrote Action: once. ' + prose(n),
    'markdown prose': markdown,
    'input cut off': lambda n: f'{STEP}{{"body": "' + prose(n),
    'no input': lambda n: 'Thought: x\nAction: s' + prose(n),
    'a run of newlines': lambda n: 'Thought: x\nAction: s' + '\n' * n,
    'repeated `Action:`': lambda n: 'Thought: x' + filled('\nAction: s')(n),
    'repeated steps, bare input': lambda n: 'Thought: x' + filled('\nAction: s\nAction Input: q')(n),
    'many `Thought:` in a line': lambda n: 'Action: ' + filled('Thought: ')(n),
    '`Answer:` and spaces': lambda n: 'Answer: ' + ' ' * n,
    '`Answer:`, many `Thought:`': lambda n: 'Answer: ' + filled('Thought:')(n),
    'deep nesting': lambda n: STEP + filled('{"a":')(n),
    '`9**9**9...`': lambda n: f'{STEP}{{"n": ' + filled('9**')(n) + '9}',
    'a whole step, one long text': lambda n: f'{STEP}{{"q": "' + prose(n) + '"}',
    'a whole step, many keys': lambda n: STEP + '{' + keys('"key%d": %d')(n) + '}',
    'a whole answer': lambda n: 'Thought: x\nAnswer: ' + markdown(n),
    'no labels': prose,
    # Our own.
    'lines of `Thought:`': filled('Thought: x\n'),
    'lines of `Answer:`': filled('Answer:\n'),
    'lines of `Action: close it`': filled('Action: close the valve\n'),
    'lines of `Action Input:`': lambda n: 'Action: s\n' + filled('Action Input:\n')(n),
    'lines of `Action: None`': filled('Action: None\n'),
    'an answer of `Action:` lines': lambda n: 'Answer: ' + filled('\nAction: do it')(n),
    'an answer of `Question:` lines': lambda n: 'Answer: ' + filled('\nQuestion: do')(n),
    'an answer of fenced questions': lambda n: 'Answer: ' + filled('\n```\n\nUser: x\n```')(n),
    'fenced steps, one more behind': lambda n: filled('```\nAction: s\nAction Input: {}\n```\n')(n) + f'\n{STEP}{{}}',
    'fences': lambda n: filled('```\n')(n) + f'\n{STEP}{{}}',
    'fences of growing length': lambda n: '\n'.join('`' * length for length in range(3,
    int((2 * n) ** 0.5))) + f'\n{STEP}{{}}',
    '`<think>` in lines': filled('x\n <think> '),
    'closed `<think>` blocks': filled('<think>a</think>'),
    '`</think>`': filled('</think>'),
    'template tokens': lambda n: 'Answer: x' + filled('</s> <|x|>')(n),
    'JSON5, one long text': lambda n: f"{STEP}{{q: '" + prose(n) + "'}",
    'JSON5, many keys': lambda n: STEP + '{' + keys("'key%d': %d")(n) + '}',
    'JSON5, comments': lambda n: f'{STEP}{{' + filled('/**/ // x\n')(n) + '\n}',
    'JSON5, escapes': lambda n: f"{STEP}{{q: '" + filled("\\'\\\\\"")(n // 5 * 5) + "'}",
    'Python, many keys': lambda n: f"{STEP}{{'a': None, " + keys("'key%d': %d")(n) + '}',
    'Python, commas cut off': lambda n: f"{STEP}{{'a': None, " + filled("'b': [1],   ")(n),
    'objects behind the object': lambda n: f'{STEP}{{}}\n' + filled('"{x}" ')(n),
    'bold markers': lambda n: filled('**')(n) + 'Action: s',
    'blank lines of spaces': filled(' ' * 200 + '\n'),
    'brackets in a name': lambda n: 'Action: ' + filled('s (')(n) + ')',
    'a name of quotes': lambda n: 'Action: ' + filled('."')(n),
    'CRLF': filled('lorem\r\n'),
    'wide characters': filled('湖景：人口\n'),
}  # fmt: skip


class Library:
    """The library's parser in a process of its own, which is ended when it takes longer than the limit."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context('spawn')
        self._start()

    def _start(self) -> None:
        self._connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=answer_with_library, args=(theirs,), daemon=True)
        self._process.start()
        self._connection.recv()

    def seconds(self, output: str) -> float | None:
        self._connection.send(output)
        if self._connection.poll(LIMIT):
            return float(self._connection.recv())
        self.close()
        self._start()
        return None

    def close(self) -> None:
        self._process.kill()
        self._process.join()


def answer_with_library(connection: Connection) -> None:
    from llama_index.core.agent.react.output_parser import ReActOutputParser

    parser = ReActOutputParser()
    connection.send('ready')
    while True:
        output = connection.recv()
        start = time.process_time()
        with suppress(Exception):
            parser.parse(output)
        connection.send(time.process_time() - start)


@pytest.fixture(scope='module')
def library() -> Iterator[Library]:
    running = Library()
    yield running
    running.close()


@pytest.fixture(scope='module')
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    rows: dict[str, Any] = {}
    yield rows
    capture = request.config.pluginmanager.get_plugin('capturemanager')
    with capture.global_and_fixture_disabled():
        print('', *lines_of(rows), sep='\n')


def lines_of(rows: dict[str, Any]) -> Iterator[str]:
    yield f'| output shape | {" | ".join(SIZES)} | per byte, 10 kB to 1 MB | library: {" | ".join(SIZES)} |'
    yield '|---|' + '---:|' * (2 * len(SIZES) + 1)
    for shape, row in rows.items():
        own = ' | '.join(f'{seconds * 1e3:.2f} ms' for seconds in row['reader'])
        theirs = ' | '.join('-' if seconds is None else f'{seconds * 1e3:.1f} ms' for seconds in row['library'])
        yield f'| {shape} | {own} | x {row["growth"]:.1f} | {theirs} |'


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize('shape', SHAPES)
def test_reading_time(benchmark: BenchmarkFixture, shape: str, request: pytest.FixtureRequest) -> None:
    outputs = [SHAPES[shape](size) for size in SIZES.values()]
    assert isinstance(benchmark(read, outputs[-1], TOOLS), Call | Answer | Direct)
    if benchmark.disabled:
        return
    times = [median_time(output) for output in outputs[:-1]] + [benchmark.stats.stats.median]
    per_byte = [seconds / len(output.encode()) for seconds, output in zip(times, outputs, strict=True)]
    growth = per_byte[-1] / per_byte[1]
    library, theirs = request.getfixturevalue('library'), list[float | None]()
    for output in outputs:
        theirs.append(library.seconds(output) if None not in theirs else None)
    benchmark.extra_info['ns_per_byte'] = dict(
        zip(SIZES, [round(seconds * 1e9, 1) for seconds in per_byte], strict=True)
    )
    benchmark.extra_info['growth_10kB_to_1MB'] = round(growth, 2)
    benchmark.extra_info['library_seconds'] = dict(zip(SIZES, theirs, strict=True))
    request.getfixturevalue('table')[shape] = {'reader': times, 'growth': growth, 'library': theirs}


def median_time(output: str) -> float:
    times = []
    for _ in range(15):
        start = time.process_time()
        read(output, TOOLS)
        times.append(time.process_time() - start)
    return median(times)
