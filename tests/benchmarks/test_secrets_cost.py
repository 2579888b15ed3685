"""What it costs to look for keys, in CPU time; nothing here passes or fails by a time.

Run with `pytest tests/benchmarks/test_secrets_cost.py --benchmark-enable --benchmark-only --benchmark-columns=median`.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.secrets import Guard, Known

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.benchmark(timer=time.process_time, min_rounds=3)

CHECKOUT = Path(__file__).resolve().parents[2]
MEGABYTE = 1_000_000
GUARD = Guard([Known('sesame-open-Sesame-11', 'it'), Known('Zx9q7Kp2Lm8q7Kp2Lm8q7Kp2Lm8', 'it')])
HOSTILE = {
    'beginnings of a key': b'sk-',
    'beginnings of a token': b'-eyJ',
    'parts of a token': b'SG.aaaaaaaaaaaaaaaaaaaaaaa.',
    'names': b'token=',
    'names and words': b'api_key is ',
    'names and values': b'key: "a1b2c3d4e5f6g7h8" ',
    'one letter': b'a',
    'empty lines': b'\n',
    'words cut into lines': b'aaa1b\n',
    'escapes of URLs': b'%41',
    'escapes of JSON': b'\\u0041',
    'escapes of escapes': b'\\',
    'escapes of HTML': b'&amp;',
    'beginnings of URLs': b'://a:',
    'beginnings of private keys': b'-----BEGIN PRIVATE KEY-----',
    'beginnings of a known value': b'sesame-open-S',
    'cuts': '… [1 characters left out] …'.encode(),
    'base64': b'QUtJQUlPU0ZPRE5O ',
    'keys': b'ghp_0123456789abcdefGHIJKLMNOPQRSTUVWXYZ\n',
}


def test_the_committed_cassettes(benchmark: BenchmarkFixture) -> None:
    texts = [path.read_bytes() for path in sorted((CHECKOUT / 'cassettes').glob('*/*.yaml'))]
    benchmark.extra_info['MB'] = sum(map(len, texts)) / MEGABYTE
    benchmark(lambda: [GUARD.find_bytes(text) for text in texts])


@pytest.mark.parametrize('megabytes', [1, 4])
@pytest.mark.parametrize('what', HOSTILE)
def test_a_hostile_text(benchmark: BenchmarkFixture, what: str, megabytes: int) -> None:
    piece = HOSTILE[what]
    text = (piece * (megabytes * MEGABYTE // len(piece) + 1))[: megabytes * MEGABYTE]
    benchmark.extra_info['MB'] = megabytes
    benchmark.pedantic(GUARD.find_bytes, args=(text,), rounds=3)
