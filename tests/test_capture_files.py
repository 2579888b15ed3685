"""The files of a capture: both or neither, nothing overwritten, no key in them, and a proposal accepted by one line."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from canaries import shaped
from capture_suite import ANSWER, LOOK, QUESTION, CaptureSuite
from click.testing import CliRunner

from harness.capture import place
from harness.capture.make import Capture
from harness.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = ['--id', 'raw', '--question', QUESTION, '--model', 'big-model']
SCENARIO, CASSETTE = 'scenarios/captured/raw.yaml', 'cassettes/raw/big-model.yaml'


@pytest.fixture
def suite(tmp_path: Path) -> CaptureSuite:
    found = CaptureSuite(tmp_path / 'suite')
    found.ask()
    return found


def hidden(suite: CaptureSuite) -> list[str]:
    return [path.name for path in suite.folder.rglob('.*')]


# -------------------------------------------------------------------------------------------------- what may be written


def test_a_dry_run_prints_the_scenario_and_writes_nothing(suite: CaptureSuite) -> None:
    before = suite.files()
    dry = suite.captured(*GIVEN, '--dry-run', given='Hello.')

    assert suite.files() == before
    assert not (suite.scenarios / 'captured').exists()
    assert dry.stderr.splitlines() == [
        '  unknown   why the model ended each turn, and how many tokens it took',
        '  unknown   how the model was asked: server, temperature, seed',
    ]
    suite.captured(*GIVEN, given='Hello.')
    assert dry.stdout.encode() == suite.files()[SCENARIO]


def test_nothing_is_overwritten_without_force(suite: CaptureSuite) -> None:
    suite.captured(*GIVEN, given='Hello.')
    before = suite.files()
    told = suite.captured(*GIVEN, given='Good bye.', code=2).stderr

    assert told == f'{suite.folder / SCENARIO} is there already: choose another --id, or replace it with --force\n'
    assert suite.captured(*GIVEN, '--dry-run', given='Good bye.', code=2).stderr == told
    assert suite.files() == before
    suite.captured(*GIVEN, '--force', given='Good bye.')
    after = suite.files()
    assert {name for name in after if after[name] != before.get(name)} == {SCENARIO, CASSETTE}
    assert suite.data('raw')['models']['big-model']['answer'] == 'Good bye.'
    assert hidden(suite) == []


def test_a_cassette_alone_is_not_overwritten_either(suite: CaptureSuite) -> None:
    suite.captured(*GIVEN, given='Hello.')
    (suite.folder / SCENARIO).unlink()
    before = suite.files()
    told = suite.captured(*GIVEN, given='Hello.', code=2).stderr

    assert told.startswith(f'{suite.folder / CASSETTE} is there already')
    assert suite.files() == before


@pytest.mark.parametrize('force', [[], ['--force']])
def test_an_id_is_used_once(suite: CaptureSuite, force: list[str]) -> None:
    suite.captured(*GIVEN, given='Hello.')
    before = suite.files()
    elsewhere = suite.captured(*GIVEN, '--family', 'guard', *force, given='Hello.', code=2).stderr
    other = suite.captured(*GIVEN[:-1], 'other', *force, given='Hello.', code=2).stderr

    assert elsewhere == f'there is a scenario raw already: {suite.folder / SCENARIO}; choose another --id\n'
    assert other.startswith('raw has other recordings, which would not fit: ')
    assert suite.files() == before


@pytest.mark.parametrize('which', ['scenarios/captured', 'cassettes/raw'])
def test_a_link_that_leads_out_is_not_written_through(suite: CaptureSuite, tmp_path: Path, which: str) -> None:
    (tmp_path / 'outside').mkdir()
    (suite.folder / which).parent.mkdir(exist_ok=True)
    (suite.folder / which).symlink_to(tmp_path / 'outside')
    told = suite.captured(*GIVEN, given='Hello.', code=2).stderr

    assert 'a symbolic link leads out of ' in told
    assert list((tmp_path / 'outside').iterdir()) == []


def test_a_suite_without_recordings_gets_a_folder_for_them(suite: CaptureSuite) -> None:
    options = ['--scenarios', str(suite.scenarios)]
    done = CliRunner().invoke(main, ['capture', *GIVEN, *options], input='Hello.')

    assert done.exit_code == 0, done.output
    assert {SCENARIO, CASSETTE} <= suite.files().keys()


def test_no_key_gets_into_a_file_or_on_the_console(suite: CaptureSuite, tmp_path: Path) -> None:
    keys = {name: shaped(name) for name in ('question', 'output', 'tool', 'title')}
    tools = tmp_path / 'tools.yaml'
    tools.write_text(f'- node: search_1\n  functions:\n    - {{name: query, text: "It is {keys["tool"]}."}}\n')
    given = ['--id', 'raw', '--question', f'What is {keys["question"]}?', '--model', 'm', '--title', keys['title']]
    output = f'{LOOK}\n--- next turn ---\nThought: x\nAnswer: It is {keys["output"]}.'
    done = suite.captured(*given, '--tools', tools, given=output)

    assert 'what looks like a key is masked (***)' in done.stdout
    written = b''.join(suite.files().values()) + done.output.encode()
    assert [name for name, key in keys.items() if key.encode() in written] == []
    assert suite.data('raw')['models']['m']['answer'] == 'It is ***.'
    assert suite.invoke('run', '--family', 'captured').exit_code == 0
    assert 'looks like' not in suite.invoke('lint', '--no-replay').stdout


def test_a_node_that_does_not_end_or_asks_nothing_is_not_captured(suite: CaptureSuite) -> None:
    before = suite.files()
    nothing = suite.captured(*GIVEN, given='Hello.', code=2, node=str(Path(__file__).parent / 'nodes' / 'plain'))

    assert nothing.stderr.startswith('no request was made, there is nothing to record')
    assert suite.files() == before


RANDOM = """
import uuid
from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM
from rocketride.schema import Question

class IInstance(IInstanceBase):
    def writeQuestions(self, question):
        asked = Question(role='')
        asked.addQuestion(uuid.uuid4().hex)
        return self.instance.invoke(IInvokeLLM.Ask(question=asked), component_id='llm_1').getText()
"""


def test_a_node_that_asks_something_else_each_time_is_not_captured(suite: CaptureSuite, tmp_path: Path) -> None:
    node = tmp_path / 'random_node'
    node.mkdir()
    (node / 'services.json').write_text('{"protocol": "random://"}')
    (node / 'IInstance.py').write_text(RANDOM)
    before = suite.files()
    told = suite.captured(*GIVEN, given='Hello.', code=2, node=str(node)).stderr

    assert told.startswith('a replay does not do the same again, so nothing is captured:\n')
    assert f'{suite.folder / CASSETTE}: the request of turn 1 of 1 is not the recorded one' in told
    assert suite.files() == before


def test_what_the_node_does_not_meet_is_told_and_captured_all_the_same(suite: CaptureSuite, tmp_path: Path) -> None:
    """A node that sends a refused answer breaks what holds of every run: a scenario of it is what is wanted."""
    node = tmp_path / 'leaky_node'
    node.mkdir()
    (node / 'services.json').write_text('{"protocol": "leaky://"}')
    (node / 'IInstance.py').write_text(
        RANDOM.replace('uuid.uuid4().hex', "'x'").replace(
            '        return', "        self.instance.writeAnswers('another text')\n        return {'content': "
        )
        + '}\n'
    )
    text = (node / 'IInstance.py').read_text().replace('.getText()\n}', '.getText()}')
    (node / 'IInstance.py').write_text(text)
    done = suite.captured(*GIVEN, given='Hello.', node=str(node))

    assert '  finding   the text on the answers lane is not `content` of the payload' in done.stdout
    assert suite.invoke('run', '--family', 'captured', node=str(node)).exit_code == 1


# ------------------------------------------------------------------------------------------------------ both or neither


class Killed(BaseException):
    """Stands for the end of the process."""


class Disk:
    """A scenario and a cassette on disk, and a program that is killed before it changes a file for the n-th time."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, old: bool) -> None:
        self.scenario, self.cassette = (
            folder / 'scenarios' / 'captured' / 'a.yaml',
            folder / 'cassettes' / 'a' / 'm.yaml',
        )
        self._patch = monkeypatch
        if old:
            for path in (self.scenario, self.cassette):
                path.parent.mkdir(parents=True)
                path.write_text('old')

    def seen(self) -> tuple[str, str]:
        """Return what is in both files that can be seen."""
        scenario, cassette = (path.read_text() if path.exists() else '' for path in (self.scenario, self.cassette))
        return scenario, cassette

    def put(self) -> None:
        """Write new ones."""
        new = Capture(
            id='a',
            model='m',
            path=self.scenario,
            text='new',
            cassette=self.cassette,
            tape='new',
            turns=1,
            calls=0,
            answer='',
            stop_reason='',
        )
        place.put(new)

    def undo(self) -> None:
        place.undo(self.scenario, self.cassette)

    def killed(self, steps: int, act: Callable[[], None], *, undoes: bool) -> bool:
        """Do something up to a number of steps, and tell whether it was killed."""
        left = [steps]

        def step(change: Any) -> Any:
            def counted(*arguments: Any, **options: Any) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    raise Killed
                return change(*arguments, **options)

            return counted

        with self._patch.context() as patch:
            for name in ('replace', 'unlink', 'mkdir', 'rmdir'):
                patch.setattr(Path, name, step(getattr(Path, name)))
            if not undoes:
                patch.setattr(place, 'undo', lambda *_: None)
            try:
                act()
            except Killed:
                return True
        return False


@pytest.mark.parametrize('old', [False, True])
def test_a_kill_at_any_step_is_undone_and_so_is_a_kill_while_it_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    first, new = ('old', 'old') if old else ('', ''), ('new', 'new')
    points = 0
    for steps in itertools.count():
        for again in itertools.count():
            disk = Disk(tmp_path / f'{steps}-{again}', monkeypatch, old)
            killed = disk.killed(steps, disk.put, undoes=False)
            # A scenario that can be seen is never without the cassette that belongs to it.
            seen = disk.seen()
            assert seen in (first, new) or not seen[0]
            assert killed or seen == new
            undone = not disk.killed(again, disk.undo, undoes=True)
            assert not disk.seen()[0] or disk.seen() in (first, new)
            disk.undo()
            assert disk.seen() == (new if seen == new else first)
            files = [path for path in disk.scenario.parents[2].rglob('*') if path.is_file()]
            assert all(path.name[0] != '.' for path in files)
            points += 1
            if undone:
                break
        if not killed:
            break
    assert points > 40


KILLED = """
import os, sys
from pathlib import Path

import harness.capture.place as place

replace, scenario = Path.replace, sys.argv.pop(1)

def killed(self, to):
    if str(to) == scenario:
        os._exit(9)
    return replace(self, to)

Path.replace = killed
from harness.cli import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize('old', [False, True])
def test_a_process_that_is_killed_between_the_two_files_leaves_no_scenario_and_the_next_goes_on(
    suite: CaptureSuite, old: bool
) -> None:
    if old:
        suite.captured(*GIVEN, given='Hello.')
    before = suite.files()
    options = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes), *(['--force'] if old else [])]
    command = [sys.executable, '-c', KILLED, str(suite.folder / SCENARIO), 'capture', *GIVEN, *options]
    done = subprocess.run(command, input='Good bye.', capture_output=True, text=True, check=False)

    assert done.returncode == 9, done.stderr
    assert SCENARIO not in suite.files()
    assert suite.invoke('run').exit_code == 0
    if old:
        suite.captured(*GIVEN, given='Good bye.', code=2)
        assert suite.files() == before
    suite.captured(*GIVEN, *(['--force'] if old else []), given='Good bye.')
    assert suite.data('raw')['models']['big-model']['answer'] == 'Good bye.'
    assert hidden(suite) == []


@pytest.mark.parametrize('force', [False, True])
@pytest.mark.parametrize('failing', range(6))
def test_a_failure_at_any_step_leaves_all_as_it_was(
    suite: CaptureSuite, monkeypatch: pytest.MonkeyPatch, force: bool, failing: int
) -> None:
    if force:
        suite.captured(*GIVEN, given='Hello.')
    before = suite.files()
    left = [failing]
    replace, write = Path.replace, place.write_whole

    def step(act: Any) -> Any:
        def counted(*arguments: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise OSError(28, 'No space left on device')
            return act(*arguments)

        return counted

    monkeypatch.setattr(Path, 'replace', step(replace))
    monkeypatch.setattr(place, 'write_whole', step(write))
    done = suite.invoke('capture', *GIVEN, *(['--force'] if force else []), given='Good bye.')
    monkeypatch.undo()

    if done.exit_code == 0:
        assert left[0] >= 0
        return
    assert 'No space left on device' in done.stderr
    assert suite.files() == before
    assert hidden(suite) == []
    assert force or not (suite.scenarios / 'captured').exists()


# ------------------------------------------------------------------------------------------------------------ accepting

HAND = """\
# yaml-language-server: $schema=../scenario.schema.json
# About the lake.
id: {name}   # a name
title: "The lake {name}"

family: loop
{mark}
question: 'How many?'
model: {{outputs: ['Hello.']}}   # said
expect:
    # four blanks
    answer:   Hello.

    lane_writes: {{answers: 1}}
# the end
"""
MARKS = {
    'plain': 'proposed: true',
    'with a comment': 'proposed:   true  # by a machine',
    'with a comment in front': '# look here\nproposed: true',
    'quoted key': '"proposed": true',
}


@pytest.mark.parametrize('kind', MARKS)
@pytest.mark.parametrize('ends', ['\n', '\r\n'])
@pytest.mark.parametrize('first', [b'', b'\xef\xbb\xbf'], ids=['', 'bom'])
def test_accepting_takes_out_one_line_and_nothing_else(suite: CaptureSuite, kind: str, ends: str, first: bytes) -> None:
    path = suite.scenarios / 'loop' / 'by-hand.yaml'
    text = HAND.format(name='by-hand', mark=MARKS[kind]).replace('\n', ends)
    path.write_bytes(first + text.encode())
    dry = suite.captured('--accept', 'by-hand', '--dry-run').stdout
    assert path.read_bytes() == first + text.encode()
    done = suite.captured('--accept', 'by-hand').stdout

    line = next(line for line in text.split(ends) if line.lstrip('"').startswith('proposed'))
    assert path.read_bytes() == first + text.replace(line + ends, '').encode()
    assert done.replace('accepted  ', 'would accept  ') == dry
    number = text.split(ends).index('expect:') + 1
    shown = done.splitlines()
    assert shown[:4] == [
        'accepted  by-hand: The lake by-hand',
        f'  {path} expects',
        f'  {number:>5}  expect:',
        f'  {number + 1:>5}      # four blanks',
    ]
    assert shown[-1].endswith('lane_writes: {answers: 1}')


@pytest.mark.parametrize(
    'mark', ['{proposed: true, level: hardening}', 'proposed: &yes true\nat_once: *yes\nruns: 2', 'proposed:\n  true']
)
def test_a_mark_that_is_no_line_of_its_own_is_left_alone(suite: CaptureSuite, mark: str) -> None:
    path = suite.scenarios / 'loop' / 'by-hand.yaml'
    text = HAND.format(name='by-hand', mark=mark)
    if mark.startswith('{'):
        text = 'id: by-hand\ntitle: The lake\nfamily: loop\nmodel: {outputs: [Hello.]}\nexpect: {answer: Hello.}\n'
        text = '{' + text.strip().replace('\n', ', ') + ', proposed: true}\n'
    path.write_text(text)
    done = suite.captured('--accept', 'by-hand', code=2)

    assert 'write `proposed: true` on a line of its own' in done.stderr
    assert path.read_text() == text


def test_of_several_proposals_all_are_accepted_or_none(suite: CaptureSuite) -> None:
    for name in ('one', 'two'):
        path = suite.scenarios / 'loop' / f'{name}.yaml'
        path.write_text(HAND.format(name=name, mark='proposed: true'))
    before = suite.files()
    assert 'lake is no proposal' in suite.captured('--accept', 'one', 'lake', 'two', code=2).stderr
    assert suite.files() == before
    suite.captured('--accept', 'one', 'two')
    assert not any(suite.scenario(name, 'loop').proposed for name in ('one', 'two'))


def test_a_made_up_key_in_a_scenario_does_not_keep_it_from_being_accepted(suite: CaptureSuite) -> None:
    path = suite.scenarios / 'loop' / 'by-hand.yaml'
    text = HAND.format(name='by-hand', mark=f'why: {shaped("tool")}\nproposed: true')
    path.write_text(text)
    done = suite.captured('--accept', 'by-hand')

    assert path.read_text() == text.replace('proposed: true\n', '')
    assert shaped('tool') not in done.output


def test_a_capture_that_is_accepted_runs_as_before(suite: CaptureSuite) -> None:
    store = suite.store()
    suite.captured(store, '--run', 'lake', '--id', 'lake-again')
    suite.captured('--accept', 'lake-again')

    run = suite.invoke('run', '--family', 'captured')
    assert '1 scenario, 1 run, no findings' in run.stdout
    assert run.exit_code == 0
    assert ANSWER.endswith(suite.data('lake-again')['models']['scripted']['answer'])
