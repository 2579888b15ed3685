"""The scorecard: complete, harmless whatever a model wrote, the same bytes for the same stores, missing data told."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from example_suite import Suite
from scorecard_read import Elements, Read
from scorecard_stores import ANSWER, CALL, MALFORMED, finding, head, result, scripted, store

from harness.cli import main
from harness.gate.verdict import Gate
from harness.scenario.loading import UsageError
from harness.scorecard.build import Scorecard, build_scorecard
from harness.scorecard.page import script, write_page
from harness.secrets import SecretFound

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    '</script></pre><script>alert(1)</script><img src=https://example.com/x onerror=alert(1)> {{ 7 * 7 }} <!-- ]]> '
    '\x1b[2J\u202egnp\u200b\x00\r\ud800'
)


def made(tmp_path: Path, *results: Any, **options: Any) -> Scorecard:
    path = tmp_path / 'results.jsonl'
    path.unlink(missing_ok=True)
    return build_scorecard([store(path, results)], [], (), **options)


def test_a_page_has_the_figures_of_each_model_and_family(tmp_path: Path) -> None:
    card = Read(
        made(tmp_path, result(), result('b', outputs=(MALFORMED,), solved=False), result(model='large-8b')).html
    ).card

    assert [model['slug'] for model in card['models']] == ['large-8b', 'small-1b']
    small = next(item for item in card['figures'] if item['model'] == 1 and item['family'] == '')
    assert small['forms'] == [2, 0, 1, 0, 0]
    assert small['rates']['strict'][:1] + small['rates']['strict'][3:] == [0.66667, 3, 2]
    assert small['rates']['solved'][0] == 0.5
    assert small['firstBad'][:2] == [1, 1]
    assert {item['family'] for item in card['figures']} == {'', 'one-tool'}
    assert card['comparisons'][0]['words'].startswith('large-8b')


def test_the_index_leads_from_a_run_to_its_transcript(tmp_path: Path) -> None:
    page = Read(made(tmp_path, scripted(), result(), result('b', outputs=(MALFORMED,), solved=False)).html)
    index = page.index

    assert [index['scenarios'][at]['id'] for at in index['scenario']] == ['plain-answer', 'find-a-place', 'b']
    assert index['model'] == [-1, 0, 0]
    assert index['forms'] == ['', 'ss', 'm']
    assert index['solved'] == [-1, 1, 0]
    view = page.run(1)
    assert [turn['form'] for turn in view['turns']] == ['strict', 'strict']
    assert ''.join(piece for _, piece in view['turns'][0]['out']) == CALL
    assert view['turns'][0]['calls'] == [{'tool': 'places.find', 'input': '{\n  "q": "Orvex"\n}', 'output': 'Marsum'}]
    assert view['answer'] == ANSWER


def test_a_prompt_tells_only_what_is_new_in_it(tmp_path: Path) -> None:
    page = Read(made(tmp_path, result()).html)
    first, second = page.run(0)['turns']

    assert page.text(first['prompt']).startswith('Use the tools')
    assert second['same'] > 900
    assert page.text(second['prompt']).lstrip() == f'{CALL}\nObservation: found'


def test_findings_are_told_with_both_sides_and_their_difference(tmp_path: Path) -> None:
    page = Read(made(tmp_path, scripted(findings=(finding(),))).html)

    assert page.run(0)['findings'] == [
        {
            'key': 'expect.answer',
            'level': 'required',
            'message': 'the answer is not the expected text',
            'expected': 'It is 42.',
            'actual': 'It is 41.',
            'diff': '- 42\n+ 41\n',
        }
    ]
    assert (page.card['verdict'], page.index['state']) == ('fail', [1])


def test_what_was_not_judged_and_what_is_missing_is_no_pass(tmp_path: Path) -> None:
    lacking = result('never-recorded', None, (), problem='there is no cassette', task_family='long-result')
    scorecard = made(tmp_path, result(), lacking)
    card = Read(scorecard.html).card

    assert card['verdict'] == 'inconclusive'
    assert card['unrecorded'] == 1
    assert card['families'] == [['long-result', 1], ['one-tool', 1]]
    assert next(item for item in card['figures'] if not item['family'])['missing'] == 1
    assert next(badge for badge in scorecard.badges if badge.name == 'conformance').message == '1/1, 1 not judged'


def test_a_scenario_conforms_where_each_of_its_runs_does(tmp_path: Path) -> None:
    runs = [result('a'), result('a', epoch=2), result('b'), result('b', epoch=2, findings=(finding(),)), scripted('c')]
    halves = [result('d'), result('d', epoch=2, problem='it drifted', solved=None)]

    def message(*results: Any) -> str:
        return next(badge.message for badge in made(tmp_path, *results).badges if badge.name == 'conformance')

    assert message(*runs) == '2/3'
    assert message(*runs, *halves) == '2/3, 1 not judged'
    assert message(scripted('c')) == '1/1'


def test_figures_that_were_not_measured_are_null(tmp_path: Path) -> None:
    card = Read(made(tmp_path, result(), not_asked='left out').html).card

    assert card['figures'][0]['rates']['parser_would_corrupt'] is None
    assert card['notMeasured'] == {'parser_would_corrupt': 'left out'}
    assert card['figures'][0]['rates']['recovery'][0] is None


def test_bad_turns_are_clustered_and_lead_to_a_run(tmp_path: Path) -> None:
    runs = [result(f's-{number}', outputs=(CALL, MALFORMED), solved=False) for number in range(3)]
    page = Read(made(tmp_path, result(), *runs).html)
    (signature,) = page.card['signatures']

    assert (signature['kind'], signature['count'], signature['models']) == ('malformed', 3, {'0': 3})
    assert signature['example'] == [1, 2]
    assert page.index['signatureRuns'] == [[1, 2, 3]]


def test_two_parameter_sets_of_a_model_have_their_own_links(tmp_path: Path) -> None:
    card = Read(made(tmp_path, result(), result(parameters={'temperature': 0.7})).html).card

    assert sorted(model['slug'] for model in card['models']) == ['small-1b@temperature-0', 'small-1b@temperature-0.7']


def test_of_a_run_that_is_there_twice_the_last_one_counts(tmp_path: Path) -> None:
    page = Read(made(tmp_path, result(solved=False), result()).html)

    assert (page.card['replaced'], page.card['runs'], page.index['solved']) == (1, 1, [1])


def test_the_same_stores_give_the_same_bytes(tmp_path: Path) -> None:
    results = [scripted(), *(result(f's-{number}', epoch=number) for number in range(1, 9))]

    assert made(tmp_path, *results).html == made(tmp_path, *results).html


# ------------------------------------------------------------------------------------------------------------- harmless


def test_whatever_a_model_wrote_the_page_has_no_element_more(tmp_path: Path) -> None:
    tame = made(tmp_path, result(outputs=(CALL, 'x')), result('t', outputs=(MALFORMED,)))
    wild = made(tmp_path, result(outputs=(CALL, HOSTILE * 3)), result('t', outputs=(f'{MALFORMED} {HOSTILE}',)))

    assert [tag for tag, _ in Elements(wild.html).found] == [tag for tag, _ in Elements(tame.html).found]
    assert 'alert(1)' not in wild.html.replace('alert(1)\\u003c', '')
    texts = Read(wild.html).run(0)['turns'][1]['out'][0][1]
    assert '\\x1b' in texts[1::2]
    assert ''.join(texts).startswith('</script>')


def test_the_page_allows_its_own_script_and_style_only(tmp_path: Path) -> None:
    html = made(tmp_path, result()).html
    page = Elements(html)
    policy = next(attrs['content'] for tag, attrs in page.found if attrs.get('http-equiv') == 'Content-Security-Policy')
    style = re.search(r'<style>(.*?)</style>', html, re.DOTALL)[1]  # type: ignore[index]

    def hashed(text: str) -> str:
        return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src '{hashed(script())}'; style-src '{hashed(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    assert [text for text in page.scripts if 'use strict' in text] == [script()]
    assert not [tag for tag, attrs in page.found if 'style' in attrs or any(name.startswith('on') for name in attrs)]
    assert not [tag for tag, attrs in page.found if 'src' in attrs or tag in ('link', 'img', 'iframe', 'base')]


def test_the_script_writes_texts_only() -> None:
    assert not re.search(
        r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\(|XMLHttp', script()
    )
    assert '</script' not in script().lower()


def test_a_key_outside_of_the_packed_texts_is_refused(tmp_path: Path) -> None:
    target = tmp_path / 'page.html'
    html = made(tmp_path, result()).html
    write_page(target, html)
    with pytest.raises(SecretFound):
        write_page(target, html.replace('<noscript>', '<noscript>sk-' + 'aB3dE5gH7jK9mN1pQ3sT5vW7' * 2))

    assert target.read_text(encoding='utf-8') == html


# ------------------------------------------------------------------------------------------------ stores, the command


def test_stores_of_two_nodes_are_refused(tmp_path: Path) -> None:
    first = store(tmp_path / 'a.jsonl', [result()])
    second = store(tmp_path / 'b.jsonl', [result()], head(node='another'))

    with pytest.raises(UsageError, match='another'):
        build_scorecard([first, second], [], ())


def test_an_empty_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='no runs'):
        made(tmp_path)


def test_the_difference_from_an_earlier_store_is_in_the_page(tmp_path: Path) -> None:
    earlier = store(tmp_path / 'earlier.jsonl', [scripted(), scripted('gone')], head(node_digest='b' * 64))
    page = Read(made(tmp_path, scripted(findings=(finding(),)), scripted('new'), before=earlier).html)
    found = page.packs['diff-0']

    assert [(run['scenario'], run['change']) for run in found['runs']] == [
        ('plain-answer', 'regressed'),
        ('new', 'new'),
        ('gone', 'gone'),
    ]
    assert page.card['hasDiff']


def test_the_level_gates_as_in_a_run(tmp_path: Path) -> None:
    beyond = finding().model_copy(update={'level': 'hardening'})
    results = [scripted(findings=(beyond,), level='hardening'), scripted('met', level='required')]

    assert Read(made(tmp_path, *results).html).card['verdict'] == 'fail'
    assert Read(made(tmp_path, *results, gate=Gate('required')).html).card['verdict'] == 'pass'


def test_the_command_writes_page_and_badges(tmp_path: Path) -> None:
    suite = Suite(tmp_path / 'suite')
    suite.cassettes.mkdir(parents=True)
    suite.add()
    path = store(tmp_path / 'r.jsonl', [result(), scripted()])
    target = tmp_path / 'out' / 'card.html'
    arguments = ['report', str(path), '-o', str(target), '--no-library', '--badges', str(tmp_path / 'badges')]
    done = CliRunner().invoke(main, [*arguments, '--scenarios', str(suite.scenarios)])

    assert done.exit_code == 0, done.output
    assert f'Scorecard: {target} (2 runs' in done.output
    assert target.read_text(encoding='utf-8').startswith('<!doctype html>')
    assert (tmp_path / 'badges' / 'strict-small-1b.json').is_file()


def test_two_stores_cannot_both_be_compared_with_an_earlier_one(tmp_path: Path) -> None:
    path = str(store(tmp_path / 'r.jsonl', [result()]))
    done = CliRunner().invoke(main, ['report', path, path, '-o', str(tmp_path / 'x.html'), '--before', path])

    assert (done.exit_code, '--before compares with one store' in done.output) == (2, True)


def test_the_date_can_be_set_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SOURCE_DATE_EPOCH', '0')
    path = store(tmp_path / 'r.jsonl', [result()])
    target = tmp_path / 'card.html'
    CliRunner().invoke(main, ['report', str(path), '-o', str(target), '--no-library'])

    assert '1970-01-01 00:00 UTC' in target.read_text(encoding='utf-8')


def test_a_planned_run_that_was_never_made_is_missing_in_the_rates_of_its_model(tmp_path: Path) -> None:
    never = result('b', outputs=(), parameters={}, problem='not recorded', solved=None)
    page = Read(made(tmp_path, result(), never).html)
    found = next(item for item in page.card['figures'] if not item['family'])

    assert [model['slug'] for model in page.card['models']] == ['small-1b']
    assert (found['planned'], found['scored'], found['headline']) == (2, 1, False)
    assert page.index['state'] == [0, 2]


def test_the_runs_behind_a_rate_are_marked_in_the_index(tmp_path: Path) -> None:
    page = Read(made(tmp_path, result(), result('b', outputs=(ANSWER,), solved=False), scripted()).html)
    skipped = 1 << page.card['words']['marks'].index('tool_skip')

    assert [bool(marks & skipped) for marks in page.index['marks']] == [False, True, False]
    small = next(item for item in page.card['figures'] if not item['family'])
    assert small['rates']['tool_skip'][0] == 0.5
