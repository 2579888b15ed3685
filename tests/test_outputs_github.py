"""A step of a GitHub Actions job: annotations, outputs, the page, and that nothing printed in between is a command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from example_suite import Suite, run
from hypothesis import given
from hypothesis import strategies as st
from outcomes import HOSTILE, PLACE, hostile, outcome, summary, unmet
from runner import Command, commands, outputs

from harness.gate.verdict import Gate
from harness.outputs.commands import MOST, annotate, command
from harness.outputs.github import Step
from harness.outputs.places import Places
from harness.outputs.summary_page import summary_page
from harness.secrets import SecretFound
from harness.show.visible import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

PLACES = Places({PLACE: PLACE})


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(tmp_path / 'page.md', tmp_path / 'outputs.txt')


def run_as_step(suite: Suite, step: Step, *arguments: str | Path) -> Result:
    env = {'GITHUB_STEP_SUMMARY': str(step.page), 'GITHUB_OUTPUT': str(step.outputs)}
    return run(suite, '--github', *arguments, **env)


# ---------------------------------------------------------------------------------------------------------- annotations


def test_the_first_finding_of_a_run_annotates_its_line() -> None:
    shown = summary(outcome(model='small-1b', findings=[unmet(), unmet('expect.calls')]))
    (found,) = commands('\n'.join(annotate(shown, PLACES)))

    where = {'file': PLACE, 'line': '12', 'col': '3', 'title': 'greets [small-1b]'}
    assert found == Command('error', where, 'the answer is not the expected text (and 1 more)')


def test_what_does_not_count_is_a_warning_and_comes_last() -> None:
    runs = [
        outcome('beyond', level='hardening', findings=[unmet(level='hardening')]),
        outcome('silent', problem='a drift'),
        outcome('wrong', findings=[unmet()]),
        outcome('met'),
    ]
    found = list(commands('\n'.join(annotate(summary(*runs, gate=Gate('required')), PLACES))))

    assert [(item.name, item.properties['title']) for item in found] == [
        ('error', 'wrong'),
        ('error', 'silent'),
        ('warning', 'beyond'),
    ]
    assert found[1].message == 'not judged: a drift'
    assert found[2].message.endswith('(the level hardening does not gate)')


def test_there_are_no_more_annotations_than_github_shows() -> None:
    runs = [outcome(f'run-{number}', findings=[unmet()]) for number in range(MOST + 5)]
    runs += [outcome(f'more-{number}', level='hardening', problem='a drift') for number in range(MOST + 5)]
    names = [item.name for item in commands('\n'.join(annotate(summary(*runs, gate=Gate('required')), PLACES)))]
    assert names == ['error'] * MOST + ['warning'] * MOST


def test_a_file_outside_of_the_repository_is_named_in_the_message() -> None:
    (found,) = commands('\n'.join(annotate(summary(outcome(findings=[unmet()])), Places())))
    assert found.properties == {'title': 'greets'}
    assert found.message == f'{PLACE}:12:3: the answer is not the expected text'


def test_a_hostile_text_is_one_annotation_on_one_line() -> None:
    lines = list(annotate(summary(hostile()), Places()))
    (found,) = commands('\n'.join(lines))

    assert len(lines) == 1
    assert '\n' not in lines[0]
    assert found.name == 'error'
    assert list(found.properties) == ['title']


@given(st.text(st.characters(exclude_categories=[]), max_size=20))
def test_the_runner_reads_what_was_written(text: str) -> None:
    (found,) = commands(command('warning', text, {'file': text, 'title': f'{text}:,%0A'}))

    assert found.message == one_line(text)
    assert found.properties == {'file': one_line(text), 'title': f'{one_line(text)}:,%0A'}


# ----------------------------------------------------------------------------------------------------------------- step


def test_run_adds_the_page_and_sets_the_outputs(tmp_path: Path, step: Step) -> None:
    suite = Suite(tmp_path / 'suite')
    suite.add()
    suite.add('wrong', answer='Good morning.')
    step.page.write_text('# What was there before\n\n', encoding='utf-8')
    step.outputs.write_text('before=1\n', encoding='utf-8')
    result = run_as_step(suite, step, '--junit', tmp_path / 'j.xml', '--report', tmp_path / 'r.html')

    assert result.exit_code == 1, result.output
    assert step.page.read_text(encoding='utf-8').startswith('# What was there before\n\n## ❌ fail: `errands`\n')
    found = outputs(step.outputs.read_text(encoding='utf-8'))
    assert found == {
        'before': '1',
        'verdict': 'fail',
        'reason': '1 run has findings',
        'scenarios': '2',
        'runs': '2',
        'met': '1',
        'findings': '1',
        'problems': '0',
        'left': '0',
        'proposals': '0',
        'junit': str(tmp_path / 'j.xml'),
        'report': str(tmp_path / 'r.html'),
    }


def test_an_output_is_one_line_whatever_it_holds(step: Step) -> None:
    step.set_outputs({'reason': 'one\nverdict=pass\r\nmore', 'runs': 3})
    assert outputs(step.outputs.read_text(encoding='utf-8')) == {
        'reason': 'one\\nverdict=pass\\r\\nmore',
        'runs': '3',
    }


def test_nothing_that_a_model_says_is_a_command_to_the_runner(tmp_path: Path, step: Step) -> None:
    suite = Suite(tmp_path / 'suite')
    said = 'A text that is long enough to be shown by lines. ' * 5 + '\n##[add-mask]c\n  ::error file=a::b\n'
    suite.add(said=[f'{said}One end.'], answer=f'{said}Another end.')
    bare, stepped = run(suite, '-v'), run_as_step(suite, step, '-v')

    assert {item.name for item in commands(bare.stdout)} == {'error', 'add-mask'}, 'the texts are no commands at all'
    assert [item.name for item in commands(stepped.stdout)] == ['error']
    assert 'add-mask' in stepped.stdout


def test_no_key_gets_into_a_file_a_page_or_the_log(tmp_path: Path, step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    key = 'sk-proj-' + 'q7Zt2LmXv9Rb4KcW8nYs' * 2
    monkeypatch.setenv('OPENAI_API_KEY', key)
    suite = Suite(tmp_path / 'suite')
    suite.add(said=[f'It is {key}.'], answer='Good morning.')
    wanted = {'--junit': tmp_path / 'j.xml', '--sarif': tmp_path / 's.sarif', '--step-summary': tmp_path / 'p.md'}

    result = run_as_step(suite, step, *(part for pair in wanted.items() for part in pair))
    assert result.exit_code == 1, result.output
    assert key not in result.output
    for path in (*wanted.values(), step.page):
        text = path.read_text(encoding='utf-8')
        assert key not in text
        assert 'It is ***.' in text


def test_what_holds_a_key_is_not_appended(step: Step) -> None:
    key = 'sk-proj-' + 'q7Zt2LmXv9Rb4KcW8nYs' * 2
    with pytest.raises(SecretFound):
        step.add_page(summary(outcome(findings=[unmet(actual=f'It is {key}.')])), Places())
    with pytest.raises(SecretFound):
        step.set_outputs({'reason': key})
    assert not step.page.exists()
    assert not step.outputs.exists()


def test_the_word_that_lets_the_runner_obey_again_is_another_each_time(step: Step) -> None:
    other = Step(step.page, step.outputs)
    assert step.token != other.token
    assert len(step.token) == 32


def test_the_runner_obeys_again_also_behind_an_error(tmp_path: Path, step: Step) -> None:
    suite = Suite(tmp_path / 'suite')
    suite.write('loop', 'broken', 'id: [\n')
    result = run_as_step(suite, step)
    first, last = result.stdout.splitlines()

    assert result.exit_code == 2
    assert first == f'::stop-commands::{last.strip(":")}'
    assert not step.outputs.exists()


def test_with_json_the_commands_go_to_standard_error(tmp_path: Path, step: Step) -> None:
    suite = Suite(tmp_path / 'suite')
    suite.add(answer='Good morning.')
    result = run_as_step(suite, step, '--json')

    assert json.loads(result.stdout)['verdict'] == 'fail'
    assert [item.name for item in commands(result.stderr)] == ['error']


def test_outside_of_a_job_the_option_says_what_to_do(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    suite.add()
    result = run(suite, '--github', GITHUB_STEP_SUMMARY='', GITHUB_OUTPUT='')

    assert result.exit_code == 2
    assert 'GITHUB_STEP_SUMMARY and GITHUB_OUTPUT' in result.stderr
    assert '--step-summary' in result.stderr


def test_in_a_job_nothing_is_added_without_the_option(tmp_path: Path, step: Step) -> None:
    suite = Suite(tmp_path / 'suite')
    suite.add()
    result = run(suite, GITHUB_STEP_SUMMARY=str(step.page), GITHUB_OUTPUT=str(step.outputs))

    assert result.exit_code == 0, result.output
    assert not step.page.exists()
    assert not step.outputs.exists()


def test_a_page_for_which_there_is_no_room_is_not_added(step: Step) -> None:
    shown, places = summary(*(outcome(f'a-{n}', findings=[unmet(actual=HOSTILE)]) for n in range(400))), Places()
    step.page.write_bytes(b' ' * (1024 * 1024 - 200_000))

    assert step.add_page(shown, places)
    assert 1024 * 1024 - 10_000 < step.page.stat().st_size <= 1024 * 1024
    step.page.write_bytes(b' ' * (1024 * 1024 - 100))
    assert not step.add_page(shown, places)
    assert step.page.stat().st_size <= 1024 * 1024
    assert len(summary_page(shown, places).encode()) > 200_000
