"""The command line: what it prints where, its exit codes, its files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from example_suite import ERRANDS, Suite, invoke, run
from scorecard_read import Read

from harness import results
from harness.scenario.schema import scenario_schema
from harness.show.console import diff_lines
from harness.show.summary import summary_schema


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """An empty suite; the others add what they need."""
    found = Suite(tmp_path / 'suite')
    found.scenarios.mkdir(parents=True)
    found.cassettes.mkdir()
    return found


# ------------------------------------------------------------------------------------------------------------------ run


def test_a_suite_that_meets_everything_ends_with_code_0(suite: Suite) -> None:
    suite.add('first')
    suite.add('second', runs=2)
    result = run(suite)

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith('2 scenarios, 3 runs, no findings in ')
    assert 'Look closer' not in result.stdout
    assert result.stderr == ''


def test_a_finding_says_where_what_was_expected_and_what_came(suite: Suite) -> None:
    path = suite.add(answer='Good morning.')
    result = run(suite)

    assert result.exit_code == 1
    assert f'{path}:{suite.place(path, "answer:")}: expect.answer.equals\n' in result.stdout
    assert '    expected  "Good morning."\n' in result.stdout
    assert '    came      "Hello."\n' in result.stdout
    assert '1 scenario, 1 run, 1 finding in ' in result.stdout


def test_long_texts_are_shown_as_a_difference(suite: Suite) -> None:
    lines = [f'Line {number} of a long answer.' for number in range(40)]
    suite.add(said=['\n'.join(lines)], answer='\n'.join(lines).replace('Line 20', 'Line twenty'))
    result = run(suite)

    assert '    -Line twenty of a long answer.\n' in result.stdout
    assert '    +Line 20 of a long answer.\n' in result.stdout
    assert 'Line 3 of' not in result.stdout


def test_failures_come_first_and_what_to_do_next_last(suite: Suite) -> None:
    suite.add('a-met')
    suite.add('b-failed', answer='Good morning.')
    lines = run(suite, '-v').stdout.splitlines()

    assert lines[0] == 'b-failed: The node b-failed'
    assert [line for line in lines if line.startswith('met  a-met: 1 LLM call')]
    assert lines[-2].startswith('Look closer: react-harness run')
    assert lines[-1] == 'Verdict: fail: 1 run has findings'


def test_a_verbose_run_shows_the_transcript_of_what_failed(suite: Suite) -> None:
    suite.add(said=['The words of the model.'], answer='Good morning.')

    assert '  Turn 1 output' not in run(suite).stdout
    assert '  Turn 1 output' in run(suite, '-v').stdout
    assert '    | The words of the model.\n' in run(suite, '-v').stdout


@pytest.mark.parametrize('flag', ['-x', '--fail-fast'])
def test_a_run_that_ends_early_says_how_much_was_left_out(suite: Suite, flag: str) -> None:
    suite.add('a-failed', answer='Good morning.')
    suite.add('b-failed', answer='Good morning.')
    suite.add('c-met')
    result = run(suite, flag)

    assert result.exit_code == 1
    assert '1 scenario, 1 run, 1 finding in ' in result.stdout
    assert '; 2 scenarios not run (--fail-fast)' in result.stdout


def test_scenarios_are_chosen_by_id_pattern_family_and_file(suite: Suite) -> None:
    suite.add('asks-twice')
    suite.add('asks-once')
    greets = suite.add('greets', family='faces')

    def chosen(*arguments: str | Path) -> list[str]:
        return [outcome['scenario'] for outcome in json.loads(run(suite, '--json', *arguments).stdout)['results']]

    assert chosen('asks-once') == ['asks-once']
    assert chosen('asks-*') == ['asks-once', 'asks-twice']
    assert chosen('--family', 'faces') == ['greets']
    assert chosen('--family', 'faces', '--family', 'loop') == ['greets', 'asks-once', 'asks-twice']
    assert chosen(greets, 'asks-once') == ['greets', 'asks-once']
    assert chosen(greets.parent) == ['greets']


def test_an_unknown_id_names_the_nearest_one(suite: Suite) -> None:
    suite.add('asks-twice')
    result = run(suite, 'ask-twice')

    assert result.exit_code == 2
    assert "did you mean 'asks-twice'?" in result.stderr
    assert result.stdout == ''


def test_every_problem_of_a_broken_file_has_a_line_of_its_own(suite: Suite) -> None:
    path = suite.write('loop', 'broken', 'id: broken\ntitel: A title\nfamily: loop\nexpect:\n  llm_calls: many\n')
    suite.add('fine')
    result = run(suite)

    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert [line for line in lines if line.startswith(f'{path}:3:1: ') and 'title' in line]
    assert [line for line in lines if line.startswith(f'{path}:6:')]
    assert all(line.startswith(f'{path}:') for line in lines)
    assert result.stdout == ''


def test_a_folder_without_scenarios_is_a_usage_error(suite: Suite) -> None:
    result = run(suite)

    assert result.exit_code == 2
    assert 'there are no scenarios' in result.stderr


def test_a_node_that_is_not_there_is_a_usage_error(suite: Suite) -> None:
    suite.add()
    result = run(suite, node='tests/nodes/errand')

    assert result.exit_code == 2
    assert 'there is no node tests/nodes/errand' in result.stderr


def test_a_missing_recording_proves_nothing_and_says_how_to_make_it(suite: Suite) -> None:
    suite.add('never-recorded', recorded=True)
    result = run(suite)

    assert result.exit_code == 3
    assert 'react-harness record never-recorded --model NAME --base-url URL' in result.stdout
    assert '1 scenario, 1 run, no findings, 1 not judged in ' in result.stdout


def test_escape_sequences_of_a_model_do_not_reach_the_terminal(suite: Suite) -> None:
    suite.add(said=['\x1b[2J\x1b]0;owned\x07\u202eHello\x9b31m'], answer='Good morning.')

    for arguments in ((), ('-v',), ('--json',)):
        output = run(suite, *arguments).output
        assert not set(output) & set('\x1b\x07\x9b\u202e')
    assert '\\u001b[2J' in run(suite).stdout
    assert '| \\x1b[2J' in run(suite, '-v').stdout


def test_the_lines_of_a_difference_are_safe_and_have_their_styles() -> None:
    lines = list(diff_lines('--- expected\n+++ actual\n@@ -1 +1 @@\n-a\x1b[2J\n+b\r\n same\n'))

    assert [(line.text, line.style) for line in lines] == [
        ('--- expected', 'hunk'),
        ('+++ actual', 'hunk'),
        ('@@ -1 +1 @@', 'hunk'),
        ('-a\\x1b[2J', 'del'),
        ('+b\\r', 'add'),
        (' same', 'plain'),
    ]


def test_colours_are_the_only_escape_sequences_of_a_terminal(suite: Suite) -> None:
    suite.add(said=['\x1b[2JHello'], answer='Good\nmorning\neverybody')
    output = run(suite, color=True).stdout

    assert '\x1b[' in output
    assert '\x1b' not in re.sub(r'\x1b\[(\d+;?)*m', '', output)


def test_the_json_of_a_run_is_what_its_schema_says(suite: Suite) -> None:
    suite.add('met')
    path = suite.add('failed', answer='Good morning.')
    result = run(suite, '--json')
    outcome = json.loads(result.stdout)

    jsonschema.validate(outcome, summary_schema())
    assert result.exit_code == 1
    assert outcome['version'] == 1
    assert outcome['node'] == 'errands'
    levels = {'required': {'runs': 2, 'met': 1}, 'hardening': {'runs': 0, 'met': 0}}
    counts = {'scenarios': 2, 'runs': 2, 'met': 1, 'findings': 1, 'problems': 0, 'proposals': 0, 'left': 0}
    assert outcome['counts'] == counts | levels
    (finding,) = outcome['results'][0]['findings']
    assert f'{finding["line"]}:{finding["column"]}' == suite.place(path, 'answer:')
    assert (finding['expected'], finding['actual']) == ('Good morning.', 'Hello.')


def test_what_a_node_prints_does_not_spoil_the_json(suite: Suite, tmp_path: Path) -> None:
    suite.add()
    node = tmp_path / 'talkative'
    node.mkdir()
    (node / 'services.json').write_text('{"protocol": "talkative://"}')
    (node / 'IInstance.py').write_text(
        'from rocketlib import IInstanceBase\n'
        'print("imported")\n'
        'class IInstance(IInstanceBase):\n'
        '    def writeQuestions(self, question):\n'
        '        print("asked")\n'
    )
    result = run(suite, '--json', node=str(node))

    outcome = json.loads(result.stdout)
    assert outcome['node'] == 'talkative'
    assert outcome['results'][0]['findings'][0]['actual'] == 'asked\n'
    assert result.stderr == 'imported\n'


def test_a_report_is_written_also_into_a_new_folder(suite: Suite, tmp_path: Path) -> None:
    suite.add(answer='Good morning.')
    page = tmp_path / 'new' / 'report.html'
    result = run(suite, '--report', page)

    assert result.exit_code == 1
    assert f'Report: {page}\n' in result.stdout
    assert Read(page.read_text(encoding='utf-8')).card['reason'] == '1 run has findings'


def test_a_report_of_the_same_runs_at_the_same_time_is_the_same(suite: Suite, tmp_path: Path) -> None:
    suite.add(answer='Good morning.')
    pages = [tmp_path / 'one.html', tmp_path / 'two.html']
    for page in pages:
        run(suite, '--report', page, SOURCE_DATE_EPOCH='1700000000')

    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert b'2023-11-14 22:13 UTC' in pages[0].read_bytes()


def test_a_report_that_cannot_be_written_is_a_usage_error(suite: Suite, tmp_path: Path) -> None:
    suite.add()
    (tmp_path / 'file').touch()
    result = run(suite, '--report', tmp_path / 'file' / 'report.html')

    assert result.exit_code == 2
    assert 'file' in result.stderr


def test_results_are_appended_to_a_store(suite: Suite, tmp_path: Path) -> None:
    suite.add('met')
    suite.add('failed', answer='Good morning.')
    suite.add('never-recorded', recorded=True)
    store = tmp_path / 'results.jsonl'
    for _ in range(2):
        assert run(suite, '--results', store).exit_code == 1
    head, stored = results.read(store)

    assert head.node == 'errands'
    seen = [(item.record.scenario, len(item.findings), item.problem is None) for item in stored]
    assert seen == [('failed', 1, True), ('met', 0, True), ('never-recorded', 0, False)] * 2


def test_a_store_of_other_scenarios_is_refused_before_anything_is_run(suite: Suite, tmp_path: Path) -> None:
    suite.add('first')
    store = tmp_path / 'results.jsonl'
    run(suite, '--results', store)
    before = store.read_bytes()
    suite.add('second')
    result = run(suite, '--results', store)

    assert result.exit_code == 2
    assert f'{store}:1: ' in result.stderr
    assert store.read_bytes() == before


def test_the_folders_of_the_current_directory_are_the_default(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.add('only-here', answer='Good morning.')
    monkeypatch.chdir(suite.folder)
    result = invoke('run', '--node', ERRANDS)

    assert 'only-here: The node only-here' in result.stdout
    assert f'  {Path("scenarios/loop/only-here.yaml")}:' in result.stdout


def test_a_folder_that_is_nowhere_is_named_with_the_option_that_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('harness.suite.CHECKOUT', tmp_path / 'nowhere')
    result = invoke('run', '--node', ERRANDS)

    assert result.exit_code == 2
    assert result.stderr == "there is no folder 'scenarios' here: name one with --scenarios\n"


def test_the_folders_of_the_checkout_are_used_elsewhere(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.add('of-the-checkout')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('harness.suite.CHECKOUT', suite.folder)

    assert 'of-the-checkout' in invoke('list').stdout


def test_what_is_about_the_node_comes_before_what_could_not_be_judged(suite: Suite) -> None:
    suite.add('a-missing', recorded=True)
    suite.add('b-failed', answer='Good morning.')
    output = run(suite).stdout

    assert output.index('b-failed: ') < output.index('a-missing: ')


# ------------------------------------------------------------------------------------------------- list, lint, schema


def test_a_list_shows_the_model_side_of_every_scenario(suite: Suite) -> None:
    suite.add('scripted-one')
    suite.add('recorded-one', recorded=True)
    suite.add('missing-one', recorded=True, family='faces')
    folder = suite.cassettes / 'recorded-one'
    folder.mkdir()
    for model in ('small', 'large-1.5b'):
        (folder / f'{model}.yaml').touch()
    result = invoke('list', '--scenarios', suite.scenarios)

    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ['missing-one', 'faces', 'required', 'not', 'recorded', 'The', 'node', 'missing-one'],
        ['recorded-one', 'loop', 'required', 'large-1.5b', 'small', 'The', 'node', 'recorded-one'],
        ['scripted-one', 'loop', 'required', 'scripted', 'The', 'node', 'scripted-one'],
    ]


def test_a_list_as_json_has_the_same(suite: Suite) -> None:
    path = suite.add('scripted-one', level='hardening')
    (entry,) = json.loads(invoke('list', '--scenarios', suite.scenarios, '--json').stdout)

    assert entry == {
        'id': 'scripted-one',
        'family': 'loop',
        'level': 'hardening',
        'title': 'The node scripted-one',
        'path': str(path),
        'scripted': True,
        'models': [],
        'proposed': False,
    }


def test_lint_names_the_place_of_every_problem(suite: Suite) -> None:
    path = suite.add('never-recorded', recorded=True)
    assert invoke('schema', '--write', '--scenarios', suite.scenarios).exit_code == 0
    result = invoke('lint', '--scenarios', suite.scenarios, '--cassettes', suite.cassettes)

    assert result.exit_code == 1
    assert result.stdout.startswith(f'{path}:')
    assert result.stdout.endswith('1 problem\n')


def test_lint_of_a_sound_suite_ends_with_code_0(suite: Suite) -> None:
    suite.add()
    invoke('schema', '--write', '--scenarios', suite.scenarios)
    result = invoke('lint', '--scenarios', suite.scenarios, '--cassettes', suite.cassettes)

    assert (result.exit_code, result.stdout) == (0, 'no problems\n')


@pytest.mark.parametrize(
    ('what', 'version'), [('scenario', 1), ('run', 1), ('results', 3), ('baseline', 1), ('diff', 1), ('coverage', 1)]
)
def test_every_schema_that_is_printed_is_one(what: str, version: int) -> None:
    schema = json.loads(invoke('schema', what).stdout)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema['$id'] == f'urn:react-harness:{what}:{version}'
    assert schema['title']


def test_the_schema_is_written_into_the_folder_of_the_scenarios(suite: Suite) -> None:
    result = invoke('schema', '--write', '--scenarios', suite.scenarios)

    assert result.exit_code == 0
    assert json.loads((suite.scenarios / 'scenario.schema.json').read_text(encoding='utf-8')) == scenario_schema()


def test_only_the_schema_of_scenarios_is_written(suite: Suite) -> None:
    assert invoke('schema', 'run', '--write', '--scenarios', suite.scenarios).exit_code == 2


# ---------------------------------------------------------------------------------------------------------- a process


def test_the_module_runs_as_a_program(suite: Suite) -> None:
    suite.add(answer='Good morning.')
    command = [sys.executable, '-m', 'harness.cli', 'run', '--node', ERRANDS, '--scenarios', str(suite.scenarios)]
    done = subprocess.run(command, capture_output=True, text=True, encoding='utf-8', check=False)

    assert done.returncode == 1
    assert done.stdout.startswith('greets: The node greets\n')
    assert done.stderr == ''


def test_a_terminal_that_does_not_know_a_character_gets_its_escape(suite: Suite) -> None:
    suite.add(said=['Grüße 👍'], answer='Good morning.')
    command = [sys.executable, '-m', 'harness.cli', 'run', '--node', ERRANDS, '--scenarios', str(suite.scenarios)]
    done = subprocess.run(command, capture_output=True, env=os.environ | {'PYTHONIOENCODING': 'latin-1'}, check=False)

    assert done.returncode == 1
    assert b'Gr\xfc\xdfe \\U0001f44d' in done.stdout


@pytest.mark.skipif(sys.platform == 'win32', reason='there are no pseudo terminals')
def test_a_terminal_gets_a_progress_bar_on_standard_error(suite: Suite) -> None:
    import pty

    suite.add()
    terminal, end = pty.openpty()
    command = [sys.executable, '-m', 'harness.cli', 'run', '--node', ERRANDS, '--scenarios', str(suite.scenarios)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=end, check=False)
    os.close(end)
    shown = os.read(terminal, 10_000).decode()
    os.close(terminal)

    assert 'Replaying' in shown
    assert '1/1' in shown
    assert done.stdout.startswith(b'1 scenario, 1 run, no findings in ')
