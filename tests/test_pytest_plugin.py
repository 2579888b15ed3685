"""The pytest plugin, used as a user does: pytest in a process of its own, on a folder with scenario files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from chat_server import ChatServer, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, NODES, Suite

from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ['pytester']


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    """The suite in the folder that pytest is run in."""
    return Suite(pytester.path)


def run(pytester: pytest.Pytester, *arguments: str | Path, node: str = ERRANDS) -> pytest.RunResult:
    # Other plugins take longer to start than all of this.
    others = [
        part for name in ('cacheprovider', 'hypothesispytest', 'anyio', 'benchmark') for part in ('-p', f'no:{name}')
    ]
    return pytester.runpytest_subprocess(*others, f'--react-node={node}', *arguments)


def recorded(suite: Suite, name: str, **said: str) -> None:
    for model, text in said.items():
        with ChatServer(chat_completion(text)) as server:
            options = ['--model', model, '--base-url', server.base_url, '--node', ERRANDS]
            folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes)]
            assert CliRunner().invoke(main, ['record', *options, *folders, name]).exit_code == 0


def test_scenarios_are_items_beside_other_tests(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('met')
    suite.add('asks-twice', runs=2)
    pytester.makepyfile('def test_other(): pass')
    result = run(pytester, '-v')

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines_random(
        ['scenarios/loop/asks-twice.yaml::asks-twice PASSED*', 'scenarios/loop/met.yaml::met PASSED*']
    )


def test_a_failure_shows_findings_and_no_traceback(pytester: pytest.Pytester, suite: Suite) -> None:
    path = suite.add('failed', answer='Good morning.', said=['\x1b[2JHello.'])
    result = run(pytester)

    result.assert_outcomes(failed=1)
    line, column = suite.place(path, 'answer:').split(':')
    result.stdout.fnmatch_lines(
        [
            'failed: The node failed',
            f'  scenarios/loop/failed.yaml:{line}:{column}: expect.answer.equals',
            '    expected  "Good morning."',
            '    came      "\\u001b[[]2JHello."',
            '*short test summary info*',
            'FAILED scenarios/loop/failed.yaml::failed - the answer is not the expected te*',
        ]
    )
    assert 'Traceback' not in result.stdout.str()
    assert '\x1b' not in result.stdout.str()


def test_a_failure_in_one_line_names_file_and_line(pytester: pytest.Pytester, suite: Suite) -> None:
    path = suite.add('failed', answer='Good morning.')
    line, _ = suite.place(path, 'answer:').split(':')

    run(pytester, '--tb=line').stdout.fnmatch_lines([f'scenarios/loop/failed.yaml:{line}: the answer is not*'])


def test_a_verbose_failure_shows_the_transcript(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('failed', answer='Good morning.')

    run(pytester, '-v').stdout.fnmatch_lines(['  Turn 1 output*', '    | Hello.'])
    run(pytester).stdout.no_fnmatch_line('  Turn 1 output*')


def test_items_are_chosen_by_id_and_family(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('asks-once')
    suite.add('asks-twice', level='hardening')
    suite.add('refuses', family='guard')

    run(pytester, 'scenarios', '-k', 'guard').assert_outcomes(passed=1, deselected=2)
    run(pytester, 'scenarios', '-k', 'asks-twice').assert_outcomes(passed=1, deselected=2)
    run(pytester, '--strict-markers', '-m', 'react(family="loop", level="required")').assert_outcomes(
        passed=1, deselected=2
    )


def test_each_recorded_model_is_an_item(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('asks', recorded=True)
    recorded(suite, 'asks', small='Hello.', tiny='Good bye.')
    result = run(pytester, '-v')

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines_random(['*::asks[[]small[]] PASSED*', '*::asks[[]tiny[]] FAILED*'])
    run(pytester, '-k', 'small').assert_outcomes(passed=1, deselected=1)


def test_the_cassettes_can_be_elsewhere(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('asks', recorded=True)
    recorded(suite, 'asks', small='Hello.')
    suite.cassettes.rename(pytester.path / 'tapes')

    run(pytester, '--react-cassettes', 'tapes').assert_outcomes(passed=1)
    run(pytester).stdout.fnmatch_lines(['*react-harness record asks --model NAME --base-url URL*'])


def test_a_request_that_drifted_fails_with_its_own_text(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('asks', recorded=True)
    recorded(suite, 'asks', small='Hello.')
    suite.add('asks', recorded=True, question='Another question?')
    result = run(pytester)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['asks [[]small[]]: The node asks', '*turn 1 of 1 is not the recorded one*'])


def test_a_broken_file_is_a_collection_error_with_every_place(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.write('loop', 'broken', 'id: broken\ntitel: A title\nfamily: loop\nexpect:\n  llm_calls: many\n')
    suite.add('met')
    result = run(pytester, '--continue-on-collection-errors')

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ['*ERROR collecting scenarios/loop/broken.yaml*', 'scenarios/loop/broken.yaml:3:1: *', '*/broken.yaml:6:*']
    )
    assert 'Traceback' not in result.stdout.str()


def test_another_node_is_loaded_once_and_judged_the_same(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('met')

    run(pytester, node=str(NODES / 'plain')).assert_outcomes(failed=1)


def test_a_node_that_is_not_there_fails_its_items_in_one_line(pytester: pytest.Pytester, suite: Suite) -> None:
    suite.add('first')
    suite.add('second')
    pytester.makepyfile('def test_other(): pass')
    result = run(pytester, node='not_there')

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(['there is no node not_there: *'])
    assert 'Traceback' not in result.stdout.str()


def test_a_missing_python_tool_fails_its_item_in_one_line(pytester: pytest.Pytester, suite: Suite) -> None:
    tool = {'node': 'calc_1', 'functions': [{'name': 'add', 'python': 'add'}]}
    suite.add('tools', tools=[tool])
    result = run(pytester)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(['*tools.py*'])
    assert 'Traceback' not in result.stdout.str()


def test_other_yaml_files_are_left_alone(pytester: pytest.Pytester, suite: Suite) -> None:
    other = {'id': 'other', 'title': 'Other', 'family': 'loop', 'expect': {}}
    (pytester.path / 'plain.yaml').write_text(yaml.safe_dump(other))
    (pytester.path / 'foreign.yaml').write_text('# yaml-language-server: $schema=other.schema.json\nid: 1\n')
    (pytester.path / 'binary.yaml').write_bytes(b'\xff\xfe\x00' * 1000)
    (pytester.path / 'empty.yaml').touch()

    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_an_unused_plugin_imports_nothing_of_the_harness(pytester: pytest.Pytester) -> None:
    (pytester.path / 'plain.yaml').write_text('id: 1\n')
    pytester.makepyfile(
        """
        import sys

        def test_modules():
            heavy = {'pydantic', 'yaml', 'httpx', 'vcr', 'jinja2', 'click', 'llama_index', 'rocketlib', 'rocketride'}
            own = {name for name in sys.modules if name.partition('.')[0] == 'harness'}
            assert own == {'harness', 'harness.pytest_plugin'}
            assert not heavy & {name.partition('.')[0] for name in sys.modules}
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_the_options_and_the_marker_are_documented(pytester: pytest.Pytester) -> None:
    run(pytester, '--help').stdout.fnmatch_lines(['*--react-node=PATH_OR_MODULE*', '*--react-cassettes=DIR*'])
    run(pytester, '--markers').stdout.fnmatch_lines(['@pytest.mark.react(id, family, level, model): *'])
