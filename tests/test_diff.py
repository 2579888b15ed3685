"""Two results stores side by side: which runs are not as they were, where they part, and what can have caused it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from chat_server import ChatServer, chat_completion
from example_suite import ERRANDS, NODES, Suite, invoke, run
from hypothesis import given
from hypothesis import strategies as st

from harness import results
from harness.gate.course import course_of, doors_that_differ, parting, short_diff
from harness.gate.diff import Fact, Store, causes_of, diff_of, diff_schema
from harness.gate.steady import steady, steady_text
from harness.record import Failure, RunRecord, ToolCall, Turn
from harness.results import Header, StoredResult

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from harness.gate.course import Parting


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path)
    found.scenarios.mkdir()
    found.cassettes.mkdir()
    return found


def store(suite: Suite, name: str, *arguments: str, node: str = ERRANDS) -> Path:
    """Run a suite as it is now into a store of its own."""
    path = suite.folder / f'{name}.jsonl'
    result = run(suite, '--results', path, '--cassettes', suite.cassettes, *arguments, node=node)
    assert result.exit_code != 2, result.output
    return path


def other_node(suite: Suite, old: str, new: str) -> str:
    """Return a copy of the node with one text of its code in place of another."""
    folder = suite.folder / 'changed' / 'errands'
    shutil.copytree(NODES / 'errands', folder, ignore=shutil.ignore_patterns('__pycache__'), dirs_exist_ok=True)
    code = folder / 'IInstance.py'
    text = code.read_text(encoding='utf-8')
    assert old in text
    code.write_text(text.replace(old, new), encoding='utf-8')
    return str(folder)


def told(suite: Suite, code: int = 1) -> dict[str, Any]:
    """Return the difference of the stores `a` and `b` as JSON that fits its schema."""
    result = invoke('diff', suite.folder / 'a.jsonl', suite.folder / 'b.jsonl', '--json')
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(found, diff_schema())
    return found


def shown(suite: Suite, *arguments: str) -> Result:
    return invoke('diff', suite.folder / 'a.jsonl', suite.folder / 'b.jsonl', *arguments)


# --------------------------------------------------------------------------------------------------------- two commands


def test_two_stores_of_the_same_runs_are_the_same(suite: Suite) -> None:
    suite.add('greets', runs=2)
    suite.add('fails', answer='Good morning.')
    store(suite, 'a')
    store(suite, 'b')

    assert told(suite, 0)['runs'] == []
    result = shown(suite)
    assert result.exit_code == 0
    assert result.stdout.endswith('3 runs as before (1 of them known to fail)\n')


TOOLS = [{'node': 't', 'functions': [{'name': 'f', 'calls': [{'python': 'now'}]}]}]


def test_ids_times_and_addresses_are_no_difference(suite: Suite) -> None:
    suite.add(
        config={'errands': [{'call': 'f', 'on': 't', 'with': {}}]}, tools=TOOLS, expect={}, model={'outputs': ['x']}
    )
    values = '[str(uuid.uuid4()), str(datetime.datetime.now()), object()]'
    tools = f'import datetime, uuid\n\n\ndef now(_):\n    return {values}\n'
    (suite.scenarios / 'loop' / 'tools.py').write_text(tools)
    paths = [store(suite, name) for name in 'ab']
    calls = [next(results.read(path)[1]).record.calls for path in paths]

    assert calls[0][0].output != calls[1][0].output
    assert told(suite, 0)['runs'] == []


def test_a_changed_node_is_named_with_its_files_and_the_turn_where_the_runs_part(suite: Suite) -> None:
    suite.add('asks', config={'errands': [{'ask': 'A question\nof two lines.'}]})
    suite.add('greets')
    store(suite, 'a')
    node = other_node(suite, 'asked.addQuestion(text)', "asked.addQuestion(text.replace('two', 'some'))")
    (suite.folder / 'changed' / 'errands' / 'notes.txt').write_text('new')
    store(suite, 'b', node=node)

    found = told(suite)
    assert found['node_files'] == [
        {'file': 'IInstance.py', 'change': 'changed'},
        {'file': 'notes.txt', 'change': 'added'},
    ]
    (asks,) = found['runs']
    assert (asks['scenario'], asks['change'], asks['facts'], asks['causes']) == ('asks', 'differs', ['node'], ['node'])
    assert (asks['first']['what'], asks['first']['turn']) == ('prompt', 1)
    assert '\n-of two lines.' in asks['first']['diff']
    assert '\n+of some lines.' in asks['first']['diff']
    text = shown(suite).stdout
    assert '  node      IInstance.py changed, notes.txt added\n' in text
    assert 'differs    1 run, judged as before, from the prompt on: the node\n  asks\n' in text
    assert '  they part at the prompt of turn 1:\n    --- before\n    +++ after\n' in text
    assert text.endswith('1 run as before, 1 judged as before but not the same\n')


def test_what_regressed_and_what_was_fixed_comes_with_its_findings(suite: Suite) -> None:
    suite.add('a-worse')
    suite.add('b-better', answer='HELLO.')
    store(suite, 'a')
    shout = "content': ' '.join(map(str, results)).upper()"
    store(suite, 'b', node=other_node(suite, "content': ' '.join(map(str, results))", shout))

    worse, better = told(suite)['runs']
    assert (worse['change'], worse['before'], worse['after']) == ('regressed', 'met', 'failed')
    assert worse['appeared'][0].startswith('expect.answer.equals: the answer is not the expected text [')
    assert worse['first']['what'] in ('lane_writes', 'payload')
    assert worse['causes'] == ['node']
    assert (better['change'], better['appeared'], len(better['went'])) == ('fixed', [], 1)
    text = shown(suite).stdout
    assert text.index('regressed  a-worse: the node\n') < text.index('fixed      b-better: the node\n')


def test_a_changed_expectation_is_the_cause_where_nothing_else_passed(suite: Suite) -> None:
    suite.add()
    store(suite, 'a')
    suite.add(answer='Good morning.')
    store(suite, 'b')

    (greets,) = told(suite)['runs']
    assert (greets['change'], greets['first'], greets['doors']) == ('regressed', None, [])
    assert greets['causes'] == greets['facts'] == ['expectations']
    assert 'regressed  greets: what the scenario expects\n' in shown(suite).stdout


def test_a_changed_script_parts_the_runs_at_the_output(suite: Suite) -> None:
    suite.add()
    store(suite, 'a')
    suite.add(said=['Good bye.'])
    store(suite, 'b')

    (greets,) = told(suite)['runs']
    assert (greets['first']['what'], greets['first']['before'], greets['first']['after']) == (
        'output',
        'Hello.',
        'Good bye.',
    )
    assert greets['causes'] == ['scenario']
    assert greets['doors'][0] == 'output'


def test_remarks_in_a_scenario_are_no_difference(suite: Suite) -> None:
    suite.add()
    store(suite, 'a')
    suite.add(title='Another title', why='It matters.', level='hardening')
    store(suite, 'b')

    assert told(suite, 0)['runs'] == []


def test_another_cassette_is_the_cause_where_the_model_says_something_else(suite: Suite) -> None:
    suite.add('asks', recorded=True, expect={})
    for name, said in (('a', 'Hello.'), ('b', 'Good bye.')):
        with ChatServer(chat_completion(said)) as server:
            folders = ['--scenarios', suite.scenarios, '--cassettes', suite.cassettes, '--node', ERRANDS]
            recorded = invoke('record', 'asks', '--model', 'small', '--base-url', server.base_url, *folders)
            assert recorded.exit_code == 0, recorded.output
        store(suite, name)

    (asks,) = told(suite)['runs']
    assert (asks['model'], asks['change'], asks['first']['what']) == ('small', 'differs', 'output')
    assert asks['causes'] == asks['facts'] == ['cassette']


def test_a_drift_is_a_run_that_is_not_judged_any_more_with_the_problem_and_the_node_as_cause(suite: Suite) -> None:
    suite.add('asks', recorded=True, config={'errands': [{'ask': 'Who?'}, {'ask': 'Where?'}]}, expect={})
    with ChatServer(chat_completion('Hello.')) as server:
        folders = ['--scenarios', suite.scenarios, '--cassettes', suite.cassettes, '--node', ERRANDS]
        invoke('record', 'asks', '--model', 'small', '--base-url', server.base_url, *folders)
    store(suite, 'a')
    store(
        suite,
        'b',
        node=other_node(suite, 'asked.addQuestion(text)', "asked.addQuestion(text.replace('Where', 'When'))"),
    )

    (asks,) = told(suite)['runs']
    assert (asks['change'], asks['after'], asks['causes']) == ('unjudged', 'not_judged', ['node'])
    assert 'the request of turn 2 of 2 is not the recorded one' in asks['problem']
    assert asks['first']['turn'] == 2
    assert '  not judged: ' in shown(suite).stdout


def test_a_recording_that_is_gone_is_told_from_a_scenario_that_is(suite: Suite) -> None:
    path = suite.add('removed')
    suite.add('recorded', recorded=True, expect={})
    with ChatServer(chat_completion('Hello.')) as server:
        folders = ['--scenarios', suite.scenarios, '--cassettes', suite.cassettes, '--node', ERRANDS]
        for model in ('large', 'small'):
            invoke('record', 'recorded', '--model', model, '--base-url', server.base_url, *folders)
    store(suite, 'a')
    path.unlink()
    (suite.cassettes / 'recorded' / 'large.yaml').unlink()
    suite.add('added')
    store(suite, 'b')

    assert [(run['scenario'], run['change'], run['causes']) for run in told(suite)['runs']] == [
        ('added', 'new', ['scenario']),
        ('recorded', 'gone', ['cassette']),
        ('removed', 'gone', ['scenario']),
    ]
    text = shown(suite).stdout
    assert 'gone       recorded [large]: the second store has no such recording\n' in text
    assert 'gone       removed: the second store has no such scenario or run\n' in text
    assert 'new        1 run that meets all expectations\n  added\n' in text


def test_runs_that_differ_alike_are_told_once_unless_each_is_asked_for(suite: Suite) -> None:
    for name in ('one', 'three', 'two'):
        suite.add(name, config={'errands': [{'ask': 'Who?'}]})
    store(suite, 'a')
    store(suite, 'b', node=other_node(suite, 'asked.addQuestion(text)', "asked.addQuestion(text + '!')"))
    text, verbose = shown(suite).stdout, shown(suite, '-v').stdout

    assert 'differs    3 runs, judged as before, from the prompt on: the node\n  one, three, two\n' in text
    assert text.count('+    Who?!') == verbose.count('+    Who?!') == 1
    assert 'differs    two: the node\n  they part at the prompt of turn 1, as in one\n' in verbose


def test_escape_sequences_of_a_model_do_not_reach_the_terminal(suite: Suite) -> None:
    suite.add(said=['\x1b[2J\u202ered'], expect={})
    store(suite, 'a')
    suite.add(said=['\x1b]0;owned\x07'], expect={})
    store(suite, 'b')
    output = shown(suite).output + shown(suite, '--json').output

    assert not set(output) & set('\x1b\x07\u202e')
    assert '-\\x1b[2J\\u202ered' in output


@pytest.mark.parametrize('text', ['', 'nonsense\n', '{"kind": "react-harness baseline"}\n'])
def test_a_file_that_is_no_store_is_wrong_usage(suite: Suite, text: str) -> None:
    suite.add()
    store(suite, 'a')
    (suite.folder / 'b.jsonl').write_text(text)
    result = shown(suite)

    assert result.exit_code == 2
    assert result.stderr.startswith(f'{suite.folder / "b.jsonl"}:1: ')
    assert result.stdout == ''


def test_a_store_of_another_version_says_what_to_do(suite: Suite) -> None:
    suite.add()
    path = store(suite, 'a')
    (suite.folder / 'b.jsonl').write_text(path.read_text().replace('"version":3', '"version":1', 1))
    result = shown(suite)

    assert result.exit_code == 2
    assert 'is of version 1, and this program reads version 3: write a new one with `react-harness run' in result.stderr


# -------------------------------------------------------------------------------------------------------------- causes

HEAD = Header(
    suite='a' * 64,
    node='n',
    node_digest='b' * 64,
    platform='stand-in',
    created='2025-01-02T03:04:05Z',  # type: ignore[arg-type]
)


def stored(record: RunRecord, **more: Any) -> StoredResult:
    return StoredResult(
        **({'record': record, 'family': 'loop', 'level': 'required', 'asked': 'c' * 64, 'expected': 'd' * 64} | more)  # type: ignore[arg-type]
    )


def test_platform_and_versions_are_told_and_can_be_causes() -> None:
    after = HEAD.model_copy(update={'platform': 'rocketlib', 'versions': {'python': '3.12.1'}})
    one, other = (stored(RunRecord(scenario='a', node='n', payload=value)) for value in (1, 2))
    found = diff_of(
        Store('a', HEAD.model_copy(update={'versions': {'python': '3.11.2'}}), [one]), Store('b', after, [other])
    )
    (run,) = found.runs

    assert run.causes == run.facts == ('platform', 'versions')
    assert [(item.name, item.before, item.after) for item in found.versions] == [('python', '3.11.2', '3.12.1')]
    assert (found.before.platform, found.after.platform) == ('stand-in', 'rocketlib')


def test_the_last_of_several_results_of_a_run_counts() -> None:
    old, new = (stored(RunRecord(scenario='a', node='n', payload=value)) for value in (1, 2))
    assert diff_of(Store('a', HEAD, [old, new]), Store('b', HEAD, [new])).counts.same == 1
    assert diff_of(Store('a', HEAD, [new, old]), Store('b', HEAD, [new])).counts.differs == 1


def test_what_is_known_to_fail_is_counted() -> None:
    failed = stored(RunRecord(scenario='a', node='n'), problem='it drifted')
    counts = diff_of(Store('a', HEAD, [failed]), Store('b', HEAD, [failed])).counts
    assert (counts.same, counts.known) == (1, 1)


ALL: tuple[Fact, ...] = ('node', 'platform', 'versions', 'scenario', 'expectations', 'cassette')


def at(what: str) -> Parting:
    one, other = (course_of(RunRecord(scenario='a', node='n', **side)) for side in PARTED[what])
    found = parting(one, other)
    assert found is not None
    assert found.what == what
    return found


def turn(prompt: str = 'p', output: str = 'o', index: int = 0, agent: str = 'agent', **more: Any) -> Turn:
    return Turn(agent=agent, index=index, prompt=prompt, stop=None, output=output, **more)


def call(value: Any = 1, output: Any = None, agent: str = 'agent', turn: int = 0, tool: str = 't.f') -> ToolCall:
    return ToolCall(agent=agent, tool=tool, input=value, turn=turn, output=output)


PARTED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    'prompt': ({'turns': (turn('one'),)}, {'turns': (turn('two'),)}),
    'stop': (
        {'turns': (turn(),)},
        {'turns': (turn().model_copy(update={'stop': ('x',)}),)},
    ),
    'output': ({'turns': (turn(output='one'),)}, {'turns': (turn(output='two'),)}),
    'call': ({'turns': (turn(),), 'calls': (call(1),)}, {'turns': (turn(),), 'calls': (call(2),)}),
    'result': ({'turns': (turn(),), 'calls': (call(1, 1),)}, {'turns': (turn(),), 'calls': (call(1, 2),)}),
    'payload': ({'payload': 1}, {'payload': 2}),
    'raised': ({}, {'raised': Failure(type='E', message='m')}),
}


@pytest.mark.parametrize(
    ('what', 'facts', 'expected'),
    [
        ('prompt', ('node', 'cassette'), ('node',)),
        ('prompt', ('cassette',), ('unknown',)),
        ('prompt', ('scenario', 'expectations'), ('scenario', 'expectations')),
        ('stop', ('node',), ('node',)),
        ('output', ('node', 'cassette'), ('cassette',)),
        ('output', ('scenario', 'node'), ('scenario',)),
        ('output', ('node',), ('model',)),
        ('call', ('node', 'platform', 'versions'), ('node', 'platform', 'versions')),
        ('result', (), ('tools',)),
        ('result', ('scenario',), ('scenario',)),
        ('payload', ALL, ('node', 'scenario', 'platform', 'versions', 'expectations')),
        ('payload', (), ('unknown',)),
        ('raised', ('versions',), ('versions',)),
    ],
)
def test_where_two_runs_part_tells_which_facts_can_have_caused_it(
    what: str, facts: tuple[Fact, ...], expected: tuple[str, ...]
) -> None:
    assert causes_of(facts, at(what)) == expected


def test_what_is_judged_alike_is_not_caused_by_an_expectation() -> None:
    assert causes_of(('expectations', 'node'), at('payload'), alike=True) == ('node',)


def test_what_is_judged_in_another_way_without_any_difference_is_expected_in_another_way() -> None:
    assert causes_of(ALL, None) == ('expectations',)
    assert causes_of(('node', 'versions'), None) == ('versions',)
    assert causes_of(('node',), None) == ('unknown',)


def test_a_run_that_was_not_judged_can_be_short_of_its_cassette() -> None:
    assert causes_of(('cassette',), at('prompt'), unjudged=True) == ('cassette',)


# -------------------------------------------------------------------------------------------------------------- courses


def courses(*sides: dict[str, Any]) -> Parting | None:
    one, other = (course_of(RunRecord(scenario='a', node='n', **side)) for side in sides)
    return parting(one, other)


def test_runs_that_are_the_same_do_not_part() -> None:
    side = {'turns': (turn(), turn(index=1)), 'calls': (call(),), 'payload': {'a': 1}}
    assert courses(side, {**side, 'duration_s': 3.0, 'turns': (turn(latency_s=9.0), turn(index=1))}) is None


def test_a_turn_more_is_a_prompt_that_is_there_only_once() -> None:
    found = courses({'turns': (turn(),), 'payload': 1}, {'turns': (turn(), turn('more', index=1)), 'payload': 2})
    assert found is not None
    assert (found.what, found.turn, found.before, found.after) == ('prompt', 2, None, 'more')


def test_a_call_less_comes_before_the_prompt_that_it_changes() -> None:
    turns = (turn(), turn(index=1))
    found = courses({'turns': turns, 'calls': (call(),)}, {'turns': (turn(), turn('other', index=1))})
    assert found is not None
    assert (found.what, found.turn, found.after) == ('call', 1, None)


def test_another_tool_is_another_call() -> None:
    found = courses({'turns': (turn(),), 'calls': (call(),)}, {'turns': (turn(),), 'calls': (call(tool='t.g'),)})
    assert found is not None
    assert found.what == 'call'
    assert '-  "tool": "t.f",' in found.diff
    assert '+  "tool": "t.g",' in found.diff


def test_the_turns_of_a_child_come_before_its_result() -> None:
    def with_child(prompt: str, result: str) -> dict[str, Any]:
        return {
            'turns': (turn(), turn(prompt, agent='child'), turn(index=1)),
            'calls': (call(output=result, tool='child.run_agent'),),
        }

    found = courses(with_child('one', 'x'), with_child('two', 'y'))
    assert found is not None
    assert (found.what, found.agent) == ('prompt', 'child')


def test_a_call_before_all_turns_comes_first() -> None:
    found = courses(
        {'turns': (turn('one'),), 'calls': (call(1, turn=-1),)}, {'turns': (turn('two'),), 'calls': (call(2, turn=-1),)}
    )
    assert found is not None
    assert (found.what, found.turn) == ('call', None)


def test_all_doors_that_differ_are_told() -> None:
    one, other = (
        course_of(RunRecord(scenario='a', node='n', turns=(turn(output=text),), payload=text, stdout='same'))
        for text in 'xy'
    )
    assert doors_that_differ(one, other) == ('output', 'payload')


def test_how_the_model_ended_and_what_it_raised_is_a_difference() -> None:
    ends = [
        turn(finish_reason='stop'),
        turn(finish_reason='length'),
        Turn(agent='agent', index=0, prompt='p', stop=None, error=Failure(type='E', message='m')),
    ]
    assert courses({'turns': (ends[0],)}, {'turns': (turn(),)}) is None
    for end in ends[1:]:
        found = courses({'turns': (ends[0],)}, {'turns': (end,)})
        assert found is not None
        assert found.what == 'output'


# -------------------------------------------------------------------------------------------------------- texts, values

_lines = st.lists(st.sampled_from(['', 'a', 'b', 'a b', 'é' * 300, 'a' * 250 + 'b', 'x' * 5_000]), max_size=60)


@given(_lines, _lines)
def test_a_difference_of_texts_is_short_and_says_something(one: list[str], other: list[str]) -> None:
    before, after = '\n'.join(one), '\n'.join(other)
    diff = short_diff(before, after)
    assert bool(diff) is (before != after)
    assert len(diff.split('\n')) <= 30
    assert max(map(len, diff.split('\n'))) <= 250
    if diff:
        body = diff.split('\n')[3:]
        assert any(line.startswith(('-', '+', '...')) for line in body)


def test_a_difference_deep_in_a_long_line_is_shown() -> None:
    diff = short_diff('x' * 5_000 + 'old' + 'y' * 5_000, 'x' * 5_000 + 'new' + 'y' * 5_000)
    assert '-[…]xxx' in diff
    assert 'xxoldyy' in diff
    assert 'xxnewyy' in diff


def test_a_difference_names_its_line() -> None:
    text = '\n'.join(f'line {number}' for number in range(1, 101))
    assert short_diff(text, text.replace('line 50', 'line fifty')) == (
        '--- before\n+++ after\n@@ line 48 @@\n line 48\n line 49\n-line 50\n+line fifty\n line 51\n line 52'
    )


def test_line_ends_are_a_difference_only_where_nothing_else_is() -> None:
    assert short_diff('a\r\nb', 'a\nb') != ''
    assert short_diff('a\r\nb\r\nc', 'a\nb\nd').split('\n')[3:] == [' a', ' b', '-c', '+d']


@given(st.text())
def test_a_steady_text_stays_as_it_is(text: str) -> None:
    assert steady_text(steady_text(text)) == steady_text(text)


def test_keys_and_nested_texts_are_steady_too() -> None:
    assert steady({'at 0x7f00aa': [{'x': 'Thread-12'}, 3, None]}) == {
        'at <address>': [{'x': 'Thread-<number>'}, 3, None]
    }
