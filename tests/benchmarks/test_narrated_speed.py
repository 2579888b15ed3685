"""How long it takes to judge a turn of 1 MB; nothing here fails by a time.

Run with `pytest tests/benchmarks/test_narrated_speed.py --benchmark-enable --benchmark-only -s`. That the time is
linear is tested by counting, in `tests/test_narrated.py`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from harness.verdicts.narrated import Made, narration

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

SIZE = 1_000_000
TOOLS = ('web_1.search', 'calc_1.add', 'db_1.query', 'mail_1.send')
CALLED = (Made('web_1.search', '', 'x' * 1_000),)
TEXTS = {
    'prose': 'The ferry leaves Marsum at half past two, and the crossing takes forty minutes in fair weather. ',
    'tools': 'I will ask the search tool about the web, and the database, if the query should return a table online. ',
    'told': 'I searched the web. ',
    'one-line': 'I have the tool the ',
    'quotes': '“a "b «c ',
    'calls': 'a.b(a.search(',
    'chinese': '我要在网上搜索数据库的工具，',
}

pytestmark = pytest.mark.benchmark(timer=time.process_time, min_rounds=3, warmup=False)


@pytest.mark.parametrize('kind', TEXTS)
def test_a_turn_of_one_megabyte(benchmark: BenchmarkFixture, kind: str) -> None:
    text = (TEXTS[kind] * (SIZE // len(TEXTS[kind]) + 1))[:SIZE]

    # What was called accounts for each place, so that reading does not end with the most that are told.
    assert not benchmark(narration, text, TOOLS, CALLED).narrates
