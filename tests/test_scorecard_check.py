"""A published page against what results say now, whatever made its bytes; and keys in what a page holds packed."""

from __future__ import annotations

import base64
import json
import re
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scorecard_stores import ANSWER, MALFORMED, finding, head, result, scripted, store
from test_scorecard_page import made

from harness.cli import main
from harness.packs import PACK, NotPacked, pack, unpack
from harness.scorecard.badges import count_badge, write_badges
from harness.scorecard.build import build_scorecard
from harness.scorecard.check import badge_differences, page_differences
from harness.secrets import Guard
from harness.secrets.committed import leaks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEY = 'ghp_' + 'aB3dE5gH7jK9mN1pQ3sT5vW7xY9z' + 'Zq4R5t6U'
GUARD = Guard()


def differences(there: str, wanted: str) -> list[str]:
    return list(page_differences(there, wanted))


def repacked(html: str, change: Callable[[bytes], bytes] = bytes, level: int = 1) -> str:
    """Return a page whose packs another program made."""

    def anew(match: re.Match[str]) -> str:
        raw = base64.b64encode(zlib.compress(change(unpack(match[2])), level)).decode()
        return match[0].replace(match[2], raw)

    return PACK.sub(anew, html)


# ------------------------------------------------------------------------------------------------------------ the check


def test_a_page_says_what_it_says(tmp_path: Path) -> None:
    html = made(tmp_path, result(), scripted()).html

    assert differences(html, html) == []


def test_other_bytes_of_the_same_packs_are_no_difference(tmp_path: Path) -> None:
    html = made(tmp_path, result(), scripted()).html
    other = repacked(html)

    assert other != html
    assert differences(other, html) == []


def test_when_and_with_which_versions_a_page_was_made_is_no_difference(tmp_path: Path) -> None:
    later = head(created=datetime(2031, 5, 6, tzinfo=UTC), versions={'python': '3.99.0'})
    pages = [
        build_scorecard([store(tmp_path / f'{number}.jsonl', [result()], one)], [], ()).html
        for number, one in enumerate((head(), later))
    ]

    assert pages[0] != pages[1]
    assert differences(*pages) == []


@pytest.mark.parametrize(
    ('changes', 'place'),
    [
        ({'model': 'small-2b'}, 'card.models[0].name'),
        ({'outputs': (MALFORMED,)}, 'card.figures[0].turns'),
        ({'solved': False}, 'index-0.solved[0]'),
        ({'findings': (finding(),)}, 'index-0.state[0]'),
        ({'problem': 'nothing is recorded'}, 'card.verdict'),
        ({'scenario': 'another'}, 'index-0.scenarios[0].id'),
        ({'epoch': 2}, 'index-0.epoch[0]'),
    ],
)
def test_what_a_page_says_otherwise_is_told_with_its_place(tmp_path: Path, changes: dict[str, Any], place: str) -> None:
    wanted = made(tmp_path, result()).html
    found = differences(made(tmp_path, result(**changes)).html, wanted)

    assert [line for line in found if line.startswith(f'{place}: ')]


def test_a_word_of_a_transcript_is_a_difference(tmp_path: Path) -> None:
    pages = [made(tmp_path, result(outputs=(answer,))).html for answer in (ANSWER, ANSWER.replace('41', '42'))]
    found = differences(*pages)

    (line,) = [line for line in found if line.startswith('run-0[0].turns[0].out')]
    assert re.search(r"'.*41\.' in place of '.*42\.'$", line)


@pytest.mark.parametrize(
    'change', [('<noscript>', '<noscript><p>x</p>'), ("'use strict'", "'use other'"), ('--', '-+')]
)
def test_the_text_around_the_data_counts(tmp_path: Path, change: tuple[str, str]) -> None:
    html = made(tmp_path, result()).html
    (line,) = differences(html.replace(*change, 1), html)

    assert re.match(r'line \d+: ', line)


def test_a_part_that_is_missing_or_is_too_much_is_told(tmp_path: Path) -> None:
    html = made(tmp_path, result()).html
    more = html.replace('<script type="text/plain" data-pack="run-0">', '<script type="text/plain" data-pack="run-7">')

    assert {'run-7: there should be no such part', 'run-0: it is missing'} <= set(differences(more, html))


@pytest.mark.parametrize(
    'broken',
    [
        '',
        '<html></html>',
        '<script type="application/json" id="card">{</script>',
        '<script type="application/json" id="card">' + '[' * 100_000 + '</script>',
        f'<script type="text/plain" data-pack="run-0">{pack(b"[1]")[:-8]}</script>',
        f'<script type="text/plain" data-pack="run-0">{pack(b"x" * 80_000_000)}</script>',
    ],
    ids=['empty', 'other', 'no-json', 'deep', 'cut', 'bomb'],
)
def test_what_is_no_whole_page_is_told(tmp_path: Path, broken: str) -> None:
    (line,) = differences(broken, made(tmp_path, result()).html)

    assert line.startswith('it is no whole scorecard: ')


def test_the_last_digit_of_a_figure_is_no_difference_and_more_is(tmp_path: Path) -> None:
    html = made(tmp_path, result(), result('b', outputs=(MALFORMED,), solved=False)).html
    digits = re.search(r'"strict":\[(0\.\d{5})', html)[1]  # type: ignore[index]

    assert differences(html.replace(digits, f'{float(digits) + 0.00001:.5f}'), html) == []
    assert differences(html.replace(digits, f'{float(digits) + 0.001:.5f}'), html) != []


def test_badges_that_are_missing_changed_or_of_nobody_are_told(tmp_path: Path) -> None:
    badges = [count_badge('conformance', 'conformance', 251, 251), count_badge('other', 'other', 1, 2)]
    write_badges(badges, tmp_path)
    assert list(badge_differences(tmp_path, badges)) == []
    (tmp_path / 'other.svg').unlink()
    (tmp_path / 'conformance.json').write_text('{}')
    (tmp_path / 'gone.svg').touch()

    assert list(badge_differences(tmp_path, badges)) == [
        'conformance.json: it is another one',
        'gone.svg: no model has such a badge',
        'other.svg: it is missing',
    ]
    assert len(list(badge_differences(tmp_path / 'nowhere', badges))) == 4


def test_the_command_writes_a_page_and_then_finds_no_difference(tmp_path: Path) -> None:
    page, badges = tmp_path / 'page.html', tmp_path / 'badges'

    def report(path: Path, *arguments: str | Path) -> tuple[int, str]:
        given = ['report', path, '--no-library', '--badges', badges, *arguments]
        done = CliRunner().invoke(main, [str(argument) for argument in given])
        return done.exit_code, done.output

    first = store(tmp_path / 'a.jsonl', [result(), scripted()])
    assert report(first, '-o', page)[0] == 0
    before = page.read_bytes()
    assert report(first, '--check', page) == (0, f'{page} says what these results say (2 runs)\n')

    code, said = report(store(tmp_path / 'b.jsonl', [result(solved=False), scripted()]), '--check', page)
    assert code == 1
    assert f'{page}: card.figures[0].rates.solved[0]: 1.0 in place of 0.0\n' in said
    assert re.search(r'^\d+ differences: write it anew', said, re.MULTILINE)
    assert f'{badges}/solved-small-1b.svg: it is another one\n' in said
    assert page.read_bytes() == before


@pytest.mark.parametrize('arguments', [[], ['-o', 'x.html', '--check', 'PAGE']])
def test_a_page_is_written_or_looked_at(tmp_path: Path, arguments: list[str]) -> None:
    page = tmp_path / 'page.html'
    page.touch()
    given = [argument.replace('PAGE', str(page)) for argument in arguments]
    done = CliRunner().invoke(main, ['report', str(store(tmp_path / 'a.jsonl', [result()])), *given])

    assert (done.exit_code, 'give one of -o and --check' in done.output) == (2, True)


# ---------------------------------------------------------------------------------------------------------------- packs


@given(st.binary(max_size=400))
def test_what_is_packed_comes_out_again(raw: bytes) -> None:
    assert unpack(pack(raw)) == raw
    assert PACK.fullmatch(f'<script type="text/plain" data-pack="run-0">{pack(raw)}</script>')


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: base64.b64encode(raw).decode()))
def test_what_is_no_pack_is_refused(text: str) -> None:
    with pytest.raises(NotPacked):
        unpack(text.encode('utf-8', 'surrogatepass'))


def test_a_pack_that_holds_too_much_is_refused_before_it_is_unpacked() -> None:
    assert len(unpack(pack(b'x' * 1_000), 1_000)) == 1_000
    with pytest.raises(NotPacked, match='more than 1,000 bytes'):
        unpack(pack(b'x' * 50_000_000), 1_000)


# ----------------------------------------------------------------------------------------------------- keys in a page


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in leaks(folder / 'scenarios', [folder / 'reports'], GUARD)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with reports in it."""
    for name in ('scenarios', 'reports'):
        (tmp_path / name).mkdir()
    return tmp_path


def written(folder: Path, packed: str) -> str:
    html = f'<html>\n<script type="text/plain" data-pack="text-0">{packed}</script>\n</html>\n'
    (folder / 'reports' / 'page.html').write_text(html)
    return html


@pytest.mark.parametrize('text', [KEY, json.dumps([f'the key {KEY} is']), json.dumps(json.dumps({'a': [KEY]}))])
def test_a_key_in_a_packed_text_is_found(folder: Path, text: str) -> None:
    html = written(folder, pack(text.encode()))

    assert KEY not in html
    (problem,) = problems(folder)
    assert "reports/page.html:2:1: in the pack 'text-0': this looks like a GitHub token" in problem


def test_base64_of_a_pack_is_no_key_whatever_it_looks_like(folder: Path) -> None:
    like = 'AKIA' + 'QZ7RW2TK5PXB4MNC'
    reader = zlib.compressobj(0)
    # Two bytes of the stream and five of its first block stand before: with two more the text begins a group of four.
    raw = b'x\xff' + base64.b64decode(like + '////')
    packed = base64.b64encode(reader.compress(raw) + reader.flush()).decode()
    html = written(folder, packed)

    assert like in packed
    assert unpack(packed) == raw
    assert GUARD.find(html)
    assert problems(folder) == []


def test_what_only_looks_like_a_pack_is_searched_as_it_is(folder: Path) -> None:
    written(folder, 'AKIA' + 'QZ7RW2TK5PXB4MNC')

    (problem,) = problems(folder)
    assert 'reports/page.html:2:' in problem
    assert 'in the pack' not in problem


def test_places_behind_a_pack_are_those_of_the_file(folder: Path) -> None:
    html = written(folder, pack(b'harmless'))
    (folder / 'reports' / 'page.html').write_text(html.replace('</script>', f'</script> {KEY}'))
    at = html.split('\n')[1].index('</script>') + len('</script> ') + 1

    assert [problem.partition(': ')[0] for problem in problems(folder)] == [f'{folder}/reports/page.html:2:{at}']


def test_packs_that_hold_too_much_are_no_way_around_the_search(folder: Path) -> None:
    bomb = pack(b'x' * 60_000_000)
    (folder / 'reports' / 'page.html').write_text(
        '\n'.join(f'<script type="text/plain" data-pack="text-{n}">{bomb}</script>' for n in range(2))
    )

    (problem,) = problems(folder)
    assert 'page.html:2:1: more than 96,000,000 packed bytes are not searched' in problem


def test_a_scorecard_has_no_keys(folder: Path) -> None:
    runs = [result(f's-{number}', outputs=(f'Thought: {number}\nAnswer: {number}',)) for number in range(200)]
    (folder / 'reports' / 'page.html').write_text(made(folder, *runs).html)

    assert problems(folder) == []
