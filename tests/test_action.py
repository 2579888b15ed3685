"""The GitHub Action: its metadata, and its steps executed as a runner would, on small suites, with hostile inputs."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from example_suite import ERRANDS, Suite
from outcomes import HOSTILE
from runner import commands, evaluated, expressions, outputs

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / 'action.yml').read_text(encoding='utf-8'))
STEPS: list[dict[str, Any]] = ACTION['runs']['steps']
SHELL = ('bash', '--noprofile', '--norc', '-e', '-o', 'pipefail')
"""How a runner calls the shell `bash` of a step."""
INPUTS = [name for name in ACTION['inputs'] if name not in ('python-version', 'requirements')]
"""The inputs of the step that runs the gate."""


@dataclass(frozen=True)
class Done:
    """A step that was executed."""

    code: int
    log: str
    outputs: dict[str, str]
    page: str


@dataclass(frozen=True)
class Runner:
    """A job on a machine: its workspace, its temporary folder, and the files of the step."""

    workspace: Path
    temp: Path

    def execute(self, step: dict[str, Any], **inputs: str) -> Done:
        """Execute a step of the action in the workspace, with these inputs and the defaults of the others."""
        given = {name: str(about.get('default', '')) for name, about in ACTION['inputs'].items()}
        given |= {name.replace('_', '-'): value for name, value in inputs.items()}
        script, output, page = (self.temp / name for name in ('script.sh', 'outputs.txt', 'page.md'))
        script.write_text(step['run'], encoding='utf-8')
        output.write_text('', encoding='utf-8')
        page.write_text('', encoding='utf-8')
        env = {
            'PATH': f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}',
            'HOME': str(self.temp),
            'CI': 'true',
            'RUNNER_TEMP': str(self.temp),
            'GITHUB_ACTION_PATH': str(ROOT),
            'GITHUB_WORKSPACE': str(self.workspace),
            'GITHUB_OUTPUT': str(output),
            'GITHUB_STEP_SUMMARY': str(page),
            'GITHUB_SERVER_URL': 'https://github.com',
            'GITHUB_REPOSITORY': 'someone/nodes',
            'GITHUB_SHA': 'abc',
            # What a registry would give comes from the packages that the tests use; nothing is fetched.
            'PYTHONPATH': os.pathsep.join(site.getsitepackages()),
            'PIP_NO_INDEX': '1',
            'PIP_NO_DEPS': '1',
            'PIP_NO_BUILD_ISOLATION': '0',  # pip takes it as "build isolation: 0"
            **{name: evaluated(value, given, {}) for name, value in step.get('env', {}).items()},
        }
        done = subprocess.run(
            [*SHELL, str(script)], cwd=self.workspace, env=env, capture_output=True, text=True, check=False
        )
        log = done.stdout + done.stderr
        return Done(done.returncode, log, outputs(output.read_text('utf-8')), page.read_text('utf-8'))


def named(name: str) -> dict[str, Any]:
    (step,) = (step for step in STEPS if step['name'] == name)
    return step


@pytest.fixture(scope='module')
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A machine on which the harness is installed by the step of the action."""
    found = Runner(tmp_path_factory.mktemp('a workspace'), tmp_path_factory.mktemp('temp'))
    done = found.execute(named('Install the harness'))
    assert done.code == 0, done.log
    return found


@pytest.fixture
def suite(runner: Runner, request: pytest.FixtureRequest) -> Suite:
    """A suite of its own in the workspace."""
    return Suite(runner.workspace / request.node.name)


def gate(runner: Runner, suite: Suite | None = None, **inputs: str) -> Done:
    if suite is not None:
        inputs = {'scenarios': str(suite.scenarios.relative_to(runner.workspace)), **inputs}
    return runner.execute(named('Run the gate'), **{'node': ERRANDS, **inputs})


# ------------------------------------------------------------------------------------------------------------- metadata


def test_it_has_what_the_metadata_syntax_asks_for() -> None:
    assert set(ACTION) == {'name', 'description', 'branding', 'inputs', 'outputs', 'runs'}
    assert ACTION['runs']['using'] == 'composite'
    for name, about in ACTION['inputs'].items():
        assert re.fullmatch(r'[a-z_][a-z0-9_-]*', name)
        assert about['description']
        assert set(about) - {'description'} in ({'required'}, {'default'}), name
        assert isinstance(about.get('default', ''), str), f'{name}: a number or a bool is another text to GitHub'
    for about in ACTION['outputs'].values():
        assert set(about) == {'description', 'value'}
    for step in STEPS:
        assert step['name']
        assert ('uses' in step) is not ('run' in step)
        assert 'run' not in step or step['shell'] == 'bash'


def test_no_input_stands_in_a_script() -> None:
    for step in STEPS:
        assert expressions(step.get('run', '')) == []


def test_every_input_is_used_and_every_expression_names_one() -> None:
    text = '\n'.join(str(value) for step in STEPS for value in [step.get('env'), step.get('with'), step.get('if')])
    used = set(re.findall(r'inputs\.([a-z-]+)', text))
    assert used == set(ACTION['inputs'])


def test_the_page_about_the_action_names_every_input_and_output() -> None:
    text = (ROOT / 'docs' / 'outputs.md').read_text(encoding='utf-8')
    for name in (*ACTION['inputs'], *ACTION['outputs']):
        assert f'`{name}`' in text


# ---------------------------------------------------------------------------------------------------------------- steps


def test_a_node_that_passes_ends_with_code_0_and_every_output(runner: Runner, suite: Suite) -> None:
    suite.add()
    done = gate(runner, suite, junit='junit.xml', sarif='out/findings.sarif')
    values = {name: evaluated(about['value'], {}, {'gate': done.outputs}) for name, about in ACTION['outputs'].items()}

    assert done.code == 0, done.log
    assert all(values.values())
    assert values['verdict'] == 'pass'
    assert values['runs'] == values['met'] == '1'
    for kind in ('report', 'junit', 'sarif'):
        assert Path(values[kind]).is_file()
    assert Path(values['report']).parent == runner.temp / 'react-harness'
    assert done.page.startswith('## ✅ pass: `errands`\n')


def test_a_node_that_fails_ends_with_code_1_and_its_lines_are_annotated(runner: Runner, suite: Suite) -> None:
    path = suite.add(answer='Good morning.')
    done = gate(runner, suite, junit='junit.xml')
    (found,) = commands(done.log)
    line, column = suite.place(path, 'answer:').split(':')
    inside = path.relative_to(runner.workspace).as_posix()

    assert done.code == 1
    assert done.outputs['verdict'] == 'fail'
    assert (found.properties['file'], found.properties['line'], found.properties['col']) == (inside, line, column)
    assert f'](<https://github.com/someone/nodes/blob/abc/{inside}#L{line}>)' in done.page
    assert f'file="{inside}" line="{line}"' in (runner.workspace / 'junit.xml').read_text('utf-8')


def test_a_level_a_baseline_and_more_arguments_reach_the_harness(runner: Runner, suite: Suite) -> None:
    suite.add(answer='Good morning.', level='hardening')
    suite.add('second')
    store, baseline = str(runner.workspace / 'store.jsonl'), str(runner.workspace / 'baseline.jsonl')
    first = gate(runner, suite, level='required', args=f'--results\n{store}\n\n--verbose\n')
    accepted = subprocess.run(
        [str(runner.temp / 'react-harness' / 'bin' / 'react-harness'), 'accept', store, '--baseline', baseline],
        env={'PATH': os.environ['PATH'], 'PYTHONPATH': os.pathsep.join(site.getsitepackages())},
        capture_output=True,
        text=True,
        check=False,
    )
    second = gate(runner, suite, baseline=baseline)

    assert first.code == 0, first.log
    assert 'met  second' in first.log
    assert accepted.returncode == 0, accepted.stderr
    assert second.code == 0, second.log
    assert '### Against the baseline' in second.page


def test_without_scenarios_the_suite_of_the_action_is_run(runner: Runner) -> None:
    done = gate(runner, node=str(ROOT / 'src' / 'agent_llamaindex'), args='--family\nconfig')

    assert done.code == 0, done.log
    assert done.outputs['verdict'] == 'pass'
    assert int(done.outputs['scenarios']) == len(list((ROOT / 'scenarios' / 'config').glob('*.yaml')))


def test_a_wrong_level_is_told_with_code_2(runner: Runner, suite: Suite) -> None:
    suite.add()
    done = gate(runner, suite, level='recommended')
    assert done.code == 2
    assert "'recommended' is not one of" in done.log


def test_a_missing_node_is_told(runner: Runner, suite: Suite) -> None:
    suite.add()
    done = gate(runner, suite, node='')
    (found,) = commands(done.log)
    assert done.code == 2
    assert found.message == 'The input node of react-harness is missing.'


@pytest.mark.parametrize(
    'value', ['$(touch proof)', '`touch proof`', '"; touch proof; "', "'; touch proof; '", '; touch proof']
)
def test_no_input_is_part_of_a_script(runner: Runner, value: str) -> None:
    done = gate(runner, **dict.fromkeys(INPUTS, value))
    assert done.code == 2
    assert not (runner.workspace / 'proof').exists()


def test_no_input_is_another_option(runner: Runner, suite: Suite) -> None:
    suite.add()
    gate(runner, suite, **{name: '--junit=proof' for name in INPUTS if name not in ('args', 'scenarios', 'level')})
    assert not (runner.workspace / 'proof').exists()


def test_no_text_of_a_model_becomes_an_output_or_a_command(runner: Runner, suite: Suite) -> None:
    suite.add(said=[HOSTILE.replace('\ud800', '')], answer='Good morning.')
    done = gate(runner, suite, args='--verbose')

    assert done.outputs['reason'] == '1 run has findings'
    assert [found.name for found in commands(done.log)] == ['error']
