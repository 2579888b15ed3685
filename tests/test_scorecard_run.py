"""The scorecard of a run: what the gate stops at stands first, and the page says what the command says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from example_suite import Suite, invoke, run
from scorecard_read import Elements, Read
from scorecard_stores import ANSWER, CALL, finding, head, result, scripted, store
from test_scorecard_page import made

from harness.gate.steady import steady_telling
from harness.record import Event, Failure, LaneWrite, StateChange, ToolCall
from harness.scenario.loading import find_scenarios
from harness.scorecard.build import build_scorecard
from harness.scorecard.check import page_differences

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = (
    '</script></pre></details><script>alert(1)</script><img src=https://example.com/x onerror=alert(1)>'
    '<a href="javascript:alert(1)">x</a>\' onload="alert(1)" {{ 7 * 7 }} {% raw %} --> ]]> &lt;b&gt;'
)
ORDER = 'b8d4829e-b487-43ab-b85f-182a7bfab9ce'
ESCAPES = '\x1b[2J\x1b]8;;https://example.com\x07red\u202egnp\u200b\x00\r\x9b31m \ud800'


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """An empty suite."""
    found = Suite(tmp_path / 'suite')
    found.cassettes.mkdir(parents=True)
    return found


def page_of(suite: Suite, *arguments: str | Path, code: int = 0, **more: Any) -> Read:
    """Run a suite and read its scorecard."""
    path = suite.folder / 'page.html'
    done = run(suite, '--report', path, *arguments, **more)
    assert done.exit_code == code, done.output
    return Read(path.read_text(encoding='utf-8'))


# ----------------------------------------------------------------------------------------- findings, problems, verdicts


def test_a_finding_stands_on_the_first_view_with_its_place_in_the_file(suite: Suite) -> None:
    suite.add('met')
    path = suite.add('failed', answer='Good morning.')
    page = page_of(suite, code=1)
    (told,) = page.card['unmet']['runs']
    line, column = map(int, suite.place(path, 'answer').split(':'))

    assert (told['scenario'], told['title'], told['effect']) == ('failed', 'The node failed', 'fail')
    assert told['findings'] == [[told['findings'][0][0], f'scenarios/loop/failed.yaml:{line}:{column}']]
    assert 'expected' in told['findings'][0][0] or 'answer' in told['findings'][0][0]
    (item,) = page.run_of('failed')['findings']
    assert (item['key'], item['place']) == ('expect.answer.equals', [line, column])
    assert 'Good morning.' in page.text(item['diff'] if 'diff' in item else item['expected'])
    assert page.index['scenarios'][page.index['scenario'][told['run']]]['file'] == 'scenarios/loop/failed.yaml'


def test_a_run_without_findings_has_none_on_the_first_view(suite: Suite) -> None:
    suite.add('met')

    assert page_of(suite).card['unmet'] == {'more': 0, 'runs': []}


def test_a_broken_register_of_requirements_costs_no_run(suite: Suite) -> None:
    suite.add()
    (suite.scenarios / 'requirements.yaml').write_text('LOOP-1: no sentence\n')
    done = run(suite, '--report', suite.folder / 'page.html', '--results', suite.folder / 'results.jsonl')

    assert (done.exit_code, 'requirements.yaml:1:1' in done.stderr) == (2, True)
    assert not (suite.folder / 'results.jsonl').exists()


def test_what_gates_stands_before_what_does_not(suite: Suite) -> None:
    suite.add('beyond', answer='x', level='hardening')
    suite.add('never-recorded', recorded=True)
    suite.add('required', answer='x')
    told = page_of(suite, '--level', 'required', code=1).card['unmet']['runs']

    assert [(item['scenario'], item['effect']) for item in told] == [
        ('required', 'fail'),
        ('never-recorded', 'inconclusive'),
        ('beyond', 'none'),
    ]


def test_a_run_that_could_not_be_judged_says_why(suite: Suite) -> None:
    suite.add('never-recorded', recorded=True)
    page = page_of(suite, code=3)

    assert page.card['verdict'] == 'inconclusive'
    assert page.text(page.run_of('never-recorded')['problem']) == page.card['unmet']['runs'][0]['problem'] != ''


@pytest.mark.parametrize('options', [[], ['--level', 'required'], ['-x'], ['failed'], ['--family', 'loop']])
def test_the_page_says_what_the_command_says(suite: Suite, options: list[str]) -> None:
    suite.add('failed', answer='x', level='hardening')
    suite.add('met')
    suite.add('other', family='guard')
    path = suite.folder / 'page.html'
    said = json.loads(run(suite, '--json', '--report', path, *options).stdout)
    card = Read(path.read_text(encoding='utf-8')).card

    assert {key: card[key] for key in ('verdict', 'reason', 'level', 'counts')} == {
        key: said[key] for key in ('verdict', 'reason', 'level', 'counts')
    }


def test_a_run_that_ended_early_says_what_was_left_out(suite: Suite) -> None:
    for name in ('a', 'b', 'c'):
        suite.add(name, answer='x')
    card = page_of(suite, '-x', code=1).card

    assert (card['counts']['left'], card['runs']) == (2, 1)
    assert '2 scenarios were not run' in card['reason']


def test_what_became_of_the_runs_since_the_baseline_is_told(suite: Suite) -> None:
    for name, answer in (('known', 'x'), ('fixed', 'x'), ('regressed', 'Hello.'), ('same', 'Hello.')):
        suite.add(name, answer=answer)
    accepted, results = suite.folder / 'accepted.jsonl', suite.folder / 'results.jsonl'
    run(suite, '--results', results)
    assert invoke('accept', results, '--baseline', accepted).exit_code == 0
    suite.add('fixed')
    suite.add('regressed', answer='x')
    suite.add('new')
    page = page_of(suite, '--baseline', accepted, code=1)
    found = page.card['baseline']

    assert (found['file'], found['more']) == ('accepted.jsonl', 0)
    assert [(item['change'], item['scenario']) for item in found['changes']] == [
        ('regressed', 'regressed'),
        ('new', 'new'),
        ('fixed', 'fixed'),
    ]
    assert found['changes'][0]['appeared'] != []
    assert (found['counts']['same'], found['counts']['known']) == (2, 1)
    assert [(item['scenario'], item['change'], item['effect']) for item in page.card['unmet']['runs']] == [
        ('regressed', 'regressed', 'fail'),
        ('known', 'same', 'none'),
    ]


def test_without_a_baseline_the_page_has_none(suite: Suite) -> None:
    suite.add()

    assert page_of(suite).card['baseline'] is None


def test_of_chosen_scenarios_only_their_requirements_are_there(suite: Suite) -> None:
    suite.add('one', requirements=['LOOP-1'])
    suite.add('two', requirements=['LOOP-2'])
    (suite.scenarios / 'requirements.yaml').write_text('LOOP-1: {required: One.}\nLOOP-2: {required: Two.}\n')

    def requirements(*select: str) -> list[tuple[str, bool]]:
        return [(item['id'], bool(item['missing'])) for item in page_of(suite, *select).index['requirements']]

    assert requirements() == [('LOOP-1', True), ('LOOP-2', True)]
    assert requirements('two') == [('LOOP-2', False)]


# ------------------------------------------------------------------------------------------------------------- the door


def test_a_run_and_the_store_that_it_wrote_make_the_same_page(suite: Suite) -> None:
    suite.add('met')
    suite.add('failed', answer='x')
    results, page = suite.folder / 'results.jsonl', suite.folder / 'page.html'
    run(suite, '--results', results, '--report', page)
    where = ['--scenarios', suite.scenarios, '--check', page, '--no-library']
    done = invoke('report', results, *where)

    assert done.exit_code == 1  # one of the two says why the parser was not asked
    assert [line for line in done.stdout.splitlines() if 'notMeasured' not in line] == [
        '1 difference: write it anew with -o'
    ]


def test_a_page_is_of_this_run_only_whatever_the_store_holds(suite: Suite) -> None:
    suite.add('met')
    results = suite.folder / 'results.jsonl'
    for _ in range(2):
        page = page_of(suite, '--results', results)

    assert (page.card['runs'], page.card['replaced']) == (1, 0)


def test_a_page_of_scripts_asks_no_parser(suite: Suite) -> None:
    suite.add()

    assert page_of(suite).card['notMeasured'] == {'parser_would_corrupt': 'there is no run of a model'}


def test_two_pages_of_two_runs_differ_in_their_date_only(suite: Suite) -> None:
    suite.add('met')
    suite.add('failed', answer='x')
    pages = []
    for _ in range(2):
        page_of(suite, code=1, SOURCE_DATE_EPOCH='1700000000')
        pages.append((suite.folder / 'page.html').read_bytes())

    assert pages[0] == pages[1]
    assert b'2023-11-14 22:13 UTC' in pages[0]


def test_no_key_gets_into_a_page(suite: Suite) -> None:
    key = 'ghp_' + 'aB3dE5gH7jK9mN1pQ3sT5vW7xY9z' + 'Zq4R5t6U'
    suite.add('leaks', said=[f'Hello {key}'], title=f'A title {key}', answer=f'Bye {key}', why=f'Because {key}')
    page = page_of(suite, code=1)
    raw = (suite.folder / 'page.html').read_text(encoding='utf-8')

    assert key not in raw
    assert not [text for text in page.texts() if key in text]
    assert '***' in page.card['unmet']['runs'][0]['title']


# ------------------------------------------------------------------------------------------------- what a node left


def test_what_a_node_printed_and_left_behind_is_in_its_transcript(tmp_path: Path) -> None:
    plain = scripted()
    record = plain.record.model_copy(
        update={
            'stdout': 'imported\n',
            'payload_error': 'it holds a set',
            'leaked_threads': ('Thread-7',),
            'changed_state': (StateChange(what='the working directory', before='/a', after='/b'),),
        }
    )
    view = Read(made(tmp_path, plain.model_copy(update={'record': record})).html).run(0)

    assert (view['printed'], view['unsafe']) == ('imported\n', 'it holds a set')
    assert view['left_behind'].split('\n') == [
        'a thread that goes on: Thread-<number>',
        'the working directory: /a → /b',
    ]
    assert not {'printed', 'unsafe', 'left_behind'} & set(Read(made(tmp_path, plain).html).run(0))


def test_of_a_script_no_seconds_are_told(tmp_path: Path) -> None:
    page = Read(made(tmp_path, scripted(), result()).html)

    assert 'seconds' not in page.run(0)['turns'][0]
    assert page.run(1)['turns'][0]['seconds'] == 0.5


@pytest.mark.parametrize(
    ('text', 'steady'),
    [
        ('<tools.Thing object at 0x7fb10521a6d0>', '<tools.Thing object at <address>>'),
        ('<_tools_232241ea2ef4.Thing object>', '<_tools.Thing object>'),
        ('{"run_id": "b8d4829e-b487-43ab-b85f-182a7bfab9ce"}', '{"run_id": "<id>"}'),
        (
            '{\\"ended_at\\": \\"2026-12-01T07:04:10.123456Z\\", \\"run_id\\": 1}',
            '{\\"ended_at\\": \\"<time>\\", \\"run_id\\": 1}',
        ),
        ("{'run_id': 'b8d4829e-b487-43ab-b85f-182a7bfab9ce'}", "{'run_id': '<id>'}"),
        ('It is 2025-03-04T10:00:00Z, the run_id is yours.', 'It is 2025-03-04T10:00:00Z, the run_id is yours.'),
        (f'order {ORDER} of 0x7fb10521a6d0, run_id', f'order {ORDER} of 0x7fb10521a6d0, run_id'),
    ],
)
def test_only_what_a_run_alone_has_is_taken_out_of_what_is_told_of_it(text: str, steady: str) -> None:
    assert steady_telling(text) == steady


def test_what_only_one_run_has_is_nowhere_in_its_page(tmp_path: Path) -> None:
    def told(number: int) -> str:
        payload = {'run_id': f'{number:08}-487a-43ab-b85f-182a7bfab9ce', 'ended_at': f'2026-12-01T07:04:{number}Z'}
        text = f'{"x" * 200} {json.dumps(payload)} <Thing at 0x7fb1052{number}6d0> <_tools_232241ea2e{number}.Mute>'
        plain = scripted(findings=(finding(text),))
        turn = plain.record.turns[0].model_copy(update={'prompt': text, 'latency_s': number / 7})
        call = ToolCall(agent='agent', tool='places.find', input=text, turn=0, output=text)
        later = turn.model_copy(update={'index': 1, 'error': Failure(type='OSError', message=text), 'output': None})
        changes = {
            'turns': (turn, later),
            'calls': (call, call.model_copy(update={'error': Failure(type='E', message=text), 'output': None})),
            'lane_writes': (LaneWrite(agent='agent', lane='answers', text=text),),
            'events': (Event(agent='agent', type='said', data={'message': text}),),
            'payload': {'content': text, 'meta': payload},
            'raised': Failure(type='E', message=text),
            'duration_s': number / 3,
        }
        record = plain.record.model_copy(update=changes)
        return made(tmp_path, plain.model_copy(update={'record': record})).html

    assert list(page_differences(told(10), told(11))) == []


# ------------------------------------------------------------------------------------------------------- hostile, large


def hostile(text: str, folder: Path) -> str:
    """Return a page in which every text that somebody else writes is this one."""
    suite = Suite(folder)
    written = text.replace('\ud800', '')  # YAML cannot hold it
    suite.add('one', title=f'A title {written}', why=f'A reason {written}', question=f'A question {written}')
    wrong = finding(text).model_copy(update={'expected': {text: [text]}, 'actual': text, 'diff': f'- {text}\n+ {text}'})
    base = result('one', f'm {text}', (CALL, text, None), parameters={'note': text}, findings=(wrong,), solved=False)
    record = base.record.model_copy(
        update={
            'events': (Event(agent=text, type=text, data={'message': text, text: text}),),
            'lane_writes': (LaneWrite(agent='agent', lane=text, text=text),),
            'payload': {'content': text, text: [text], 'stack': [{'kind': text}]},
            'raised': Failure(type=text, message=text),
            'stdout': text,
            'leaked_threads': (text,),
        }
    )
    runs = [
        base.model_copy(update={'record': record}),
        result(f'two {text}', f'n {text}', (), problem=text),
        scripted(f'three {text}', findings=(wrong,)).model_copy(update={'family': text}),
    ]
    path = store(folder / f'{len(text)}.jsonl', runs, head(node=text, platform=text, versions={text: text}))
    return build_scorecard([path], find_scenarios(suite.scenarios), (), not_asked=text).html


def test_no_element_or_attribute_comes_from_a_hostile_text(tmp_path: Path) -> None:
    tame, wild = (Elements(hostile(text, tmp_path / text[:1])) for text in ('harmless', HOSTILE.replace('/', '∕', 1)))

    def shape(page: Elements) -> list[tuple[str, tuple[str, ...]]]:
        return [(tag, tuple(attrs)) for tag, attrs in page.found]

    assert shape(wild) == shape(tame)


def test_a_hostile_text_is_in_the_data_as_it_was_written(tmp_path: Path) -> None:
    page = Read(hostile(HOSTILE, tmp_path / 'a'))

    assert sum(HOSTILE in text for text in page.texts()) >= 20
    assert '49' not in page.card['node']


def test_no_text_of_a_page_holds_a_character_that_a_screen_obeys_or_hides(tmp_path: Path) -> None:
    html = hostile(ESCAPES, tmp_path / 'a')

    html.encode('utf-8')
    unseen = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\ud800]')
    assert not unseen.search(html)
    found = list(Read(html).texts())
    assert not [text for text in found if unseen.search(text)]
    assert sum('\\x1b' in text for text in found) >= 10


def test_a_huge_text_does_not_make_a_huge_page(tmp_path: Path) -> None:
    text = 'x' * 3_000_000
    wrong = finding(text).model_copy(update={'expected': text, 'actual': [text], 'diff': text})
    html = made(
        tmp_path, result(outputs=(CALL, text), findings=(wrong,), solved=False), scripted('t', problem=text)
    ).html

    assert len(html) < len(made(tmp_path, result(), scripted('t')).html) + 20_000
    assert any('characters left out' in part for part in Read(html).texts())


# ------------------------------------------------------------------------------------------- one model, asked otherwise


def asked_otherwise(tmp_path: Path, hot: int, only_cold: int = 0) -> list[dict[str, Any]]:
    """Return the settings of a model whose second set keeps the form in `hot` of 12 scenarios."""
    runs = [result(f's-{number}', 'small', (ANSWER,)) for number in range(12)]
    runs += [result(f'cold-{number}', 'small', ('words',)) for number in range(only_cold)]
    runs += [
        result(f's-{number}', 'small-hot', (ANSWER if number < hot else 'words',), parameters={'temperature': 0.7})
        for number in range(12)
    ]
    runs += [result('s-1', 'other', (ANSWER,))]
    page = made(tmp_path, *runs, served={'small': 'small', 'small-hot': 'small', 'other': 'other'})
    found: list[dict[str, Any]] = Read(page.html).card['settings']
    return found


def test_parameter_sets_of_one_model_stand_side_by_side_on_their_common_scenarios(tmp_path: Path) -> None:
    (group,) = asked_otherwise(tmp_path, 9, only_cold=5)
    cold, hot = group['sets']

    assert (group['model'], group['scenarios']) == ('small', 12)
    assert cold['strict'][:1] + cold['strict'][3:] == [1.0, 12, 12]
    assert hot['strict'][:1] + hot['strict'][3:] == [0.75, 12, 12]
    assert cold['solved'][3] == hot['solved'][3] == 12
    assert cold['strict'][1] < 1.0


def test_a_model_in_one_parameter_set_has_no_strip(tmp_path: Path) -> None:
    assert Read(made(tmp_path, result(), result(model='other')).html).card['settings'] == []
