"""Any node, whatever it does: it hangs, floods, prints, dies, leaves things behind, and each of it is one finding."""

from __future__ import annotations

import builtins
import json
import locale
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from example_suite import NODES, Suite

from harness.engine.node import NodeError, load_node
from harness.engine.output import MAX_HEARD
from harness.engine.threads import TimeLimit, Watch
from harness.engine.values import MAX_CHARACTERS
from harness.play import Play
from harness.record import RunRecord
from harness.results import read
from harness.run import replay
from harness.scenario.loading import load_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.expect import Finding
    from harness.run import Result

UNRULY = load_node(NODES / 'unruly')
BOX = [{'node': 'box_1', 'functions': [{'name': 'look', 'text': 'seen'}]}]
SHORT_S = 0.5


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


def add(suite: Suite, deed: str = 'nothing', at: str = 'writeQuestions', **more: Any) -> Path:
    """Write a scenario in which the unruly node does something, at some time."""
    name = f'{deed}-{at}'.lower().replace('_', '-') if deed != 'nothing' else 'plain'
    usual = {'model': {'outputs': ['Hello.'], 'repeat_last': True}, 'tools': BOX}
    return suite.add(name, config={'deed': deed, 'at': at}, **(usual | more))


def played(suite: Suite, deed: str = 'nothing', at: str = 'writeQuestions', **more: Any) -> Result:
    """Play such a scenario and return its last result."""
    file = load_scenario(add(suite, deed, at, **more))
    return replay(file, UNRULY, suite.cassettes, limit=TimeLimit(SHORT_S))[-1]


def only(result: Result) -> Finding:
    assert result.problem is None
    (finding,) = result.findings
    return finding


def command(suite: Suite, *arguments: str | Path, node: Path = NODES / 'unruly', **more: Any) -> Any:
    """Run the command line in a process of its own."""
    given = ['run', '--node', node, '--scenarios', suite.scenarios, '--time-limit', '1', *arguments]
    return subprocess.run(
        [sys.executable, '-m', 'harness.cli', *map(str, given)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=Path(__file__).parent.parent,
        **more,
    )


def messages(done: Any) -> dict[str, list[str]]:
    """Return the messages of the findings of each scenario in what `run --json` printed."""
    return {
        result['scenario']: [finding['message'] for finding in result['findings']]
        for result in json.loads(done.stdout)['results']
    }


# -------------------------------------------------------------------------------------------------------------- raises


@pytest.mark.parametrize('at', ['beginGlobal', 'beginInstance', 'open', 'writeQuestions', 'closing', 'close'])
@pytest.mark.parametrize(
    ('deed', 'raised'),
    [
        ('raise_error', "ValueError: 'on purpose'"),
        ('leave', "SystemExit: '3'"),
        ('interrupt', "KeyboardInterrupt: ''"),
        ('raise_mute', "Mute: ''"),
        ('recurse', "RecursionError: 'maximum recursion depth exceeded'"),
    ],
)
def test_whatever_a_node_raises_wherever_is_one_finding(suite: Suite, deed: str, at: str, raised: str) -> None:
    finding = only(played(suite, deed, at))
    assert finding.message == f'the node raised {raised}'
    assert finding.level == 'required'


@pytest.mark.parametrize('at', ['endInstance', 'endGlobal'])
def test_what_a_node_raises_at_its_end_is_one_finding(suite: Suite, at: str) -> None:
    result = played(suite, 'raise_error', at)
    assert only(result).message == "the node raised ValueError: 'on purpose'"
    assert result.record.payload == {'content': 'Hello.'}


def test_a_node_that_cannot_begin_has_one_finding_a_scenario_and_is_asked_nothing(suite: Suite) -> None:
    add(suite, 'raise_error', 'beginGlobal', expect={'llm_calls': 2, 'events_contain': ['x'], 'lane_writes': {'a': 1}})
    add(suite, 'raise_error', 'beginGlobal', runs=3, face='tool', input={'query': 'x'})
    done = command(suite, '--json')
    assert done.returncode == 1
    results = json.loads(done.stdout)['results']
    assert len(results) == 3
    assert {len(result['findings']) for result in results} == {1}


def test_a_recorded_scenario_that_a_node_does_not_come_to_is_a_finding_and_no_problem(suite: Suite) -> None:
    from test_run import record_cassette

    file = load_scenario(suite.add('taped', recorded=True))
    record_cassette(file, suite.cassettes, 'small', 'Hello.')
    file = load_scenario(suite.add('taped', recorded=True, config={'deed': 'raise_error', 'at': 'beginGlobal'}))
    (result,) = replay(file, UNRULY, suite.cassettes)
    assert only(result).message == "the node raised ValueError: 'on purpose'"


@pytest.mark.parametrize('ending', ['raise ValueError("no")', 'exit(3)', 'raise KeyboardInterrupt', 'os._exit(7)'])
def test_a_node_that_ends_at_its_import_is_refused_with_the_place(tmp_path: Path, ending: str) -> None:
    (tmp_path / 'services.json').write_text('{"protocol": "ending://"}')
    (tmp_path / 'IInstance.py').write_text(f'import os, sys\nfrom sys import exit\n{ending}\n')
    with pytest.raises(NodeError, match=r'IInstance\.py:3: the node does not import: '):
        load_node(tmp_path)


def test_a_node_that_hangs_at_its_import_is_refused_with_the_place(tmp_path: Path) -> None:
    (tmp_path / 'services.json').write_text('{"protocol": "hanging://"}')
    (tmp_path / 'IInstance.py').write_text('import time\nwhile True:\n    time.sleep(0.01)\n')
    with pytest.raises(NodeError, match=r'did not end within 0\.3 s \(it was at IInstance\.py:3 in <module>\)'):
        load_node(tmp_path, limit_s=0.3)


# --------------------------------------------------------------------------------------------------------------- hangs


@pytest.mark.parametrize('deed', ['sleep', 'nap', 'spin', 'wait_for_a_lock', 'wait_for_a_busy_thread', 'hang_in_repr'])
def test_a_node_that_hangs_is_stopped_and_the_next_scenario_is_judged(suite: Suite, deed: str) -> None:
    result = played(suite, deed)
    finding = only(result)
    assert finding.message == 'the node was stopped: it did not end within 0.5 s'
    assert finding.level == 'required'
    assert finding.diff.startswith('it was at deeds.py:')
    assert result.record.stopped is not None
    assert result.record.stopped.kind == 'time'
    assert played(suite).findings == ()


@pytest.mark.parametrize('at', ['beginGlobal', 'open', 'closing', 'endInstance', 'endGlobal'])
def test_a_node_may_hang_at_any_time(suite: Suite, at: str) -> None:
    result = played(suite, 'nap', at)
    assert only(result).message == 'the node was stopped: it did not end within 0.5 s'
    assert len(result.record.turns) == (at not in ('beginGlobal', 'open'))


def test_a_stopped_run_keeps_what_had_passed_and_those_before_it(suite: Suite) -> None:
    file = load_scenario(add(suite, 'nap', 'endGlobal', runs=2))
    first, last = replay(file, UNRULY, suite.cassettes, limit=TimeLimit(SHORT_S))
    assert (first.findings, first.record.stopped) == ((), None)
    assert last.record.stopped is not None
    assert [write.text for write in last.record.lane_writes] == ['Hello.']
    assert RunRecord.model_validate_json(last.record.model_dump_json()) == last.record


def test_runs_at_once_are_stopped_as_well(suite: Suite) -> None:
    file = load_scenario(add(suite, 'nap', runs=3, at_once=True))
    results = replay(file, UNRULY, suite.cassettes, limit=TimeLimit(SHORT_S))
    assert [result.record.epoch for result in results] == [1, 2, 3]
    assert [only(result).message for result in results] == ['the node was stopped: it did not end within 0.5 s'] * 3


def test_a_scenario_may_want_less_time(suite: Suite) -> None:
    assert only(played(suite, 'nap', time_limit_s=0.2)).message.endswith('it did not end within 0.2 s')
    assert only(played(suite, 'nap', time_limit_s=9)).message.endswith('it did not end within 0.5 s')


def test_a_node_that_always_hangs_gets_less_time_after_a_while() -> None:
    limit = TimeLimit(60)
    assert (limit.of(None), limit.of(2), limit.of(90)) == (60, 2, 60)
    for _ in range(3):
        limit.ran_out()
    assert (limit.of(None), limit.of(2), limit.of(90)) == (5, 2, 5)
    assert TimeLimit(0).of(2) == 0


def test_a_hanging_node_that_swallows_everything_does_not_keep_the_command_from_ending(suite: Suite) -> None:
    add(suite, 'spin_through_everything')
    add(suite)
    done = command(suite, '--json')
    assert done.returncode == 1
    assert messages(done) == {
        'plain': [],
        'spin-through-everything-writequestions': ['the node was stopped: it did not end within 1 s'],
    }


def test_an_interrupt_of_the_user_ends_the_command_and_keeps_the_results_so_far(suite: Suite, tmp_path: Path) -> None:
    add(suite, 'sleep')
    suite.add('a-first-one', config={})
    store = tmp_path / 'results.jsonl'
    given = ['run', '--node', NODES / 'unruly', '--scenarios', suite.scenarios, '--results', store]
    process = subprocess.Popen(
        [sys.executable, '-m', 'harness.cli', *map(str, given)],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background lets their processes ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until(lambda: store.exists() and store.read_bytes().count(b'\n') == 2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors.strip()) == (1, 'Aborted!')
    _, results = read(store)
    assert [result.record.scenario for result in results] == ['a-first-one']


def until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end, 'it never came'
        time.sleep(0.05)


# -------------------------------------------------------------------------------------------------------------- floods


@pytest.mark.parametrize(
    ('deed', 'message'),
    [
        ('ask_for_ever', 'made more than 500 LLM calls'),
        ('ask_for_ever_whatever_comes', 'made more than 500 LLM calls'),
        ('call_for_ever', 'made more than 10,000 tool calls, events and lane writes'),
        ('send_for_ever', 'made more than 10,000 tool calls, events and lane writes'),
        ('ask_more_and_more', 'passed more than 20,000,000 characters or 500,000 values'),
        ('send_a_bomb', 'passed more than 20,000,000 characters or 500,000 values'),
    ],
)
def test_a_run_that_never_stops_asking_is_broken_off(suite: Suite, deed: str, message: str) -> None:
    file = load_scenario(add(suite, deed))
    (result,) = replay(file, UNRULY, suite.cassettes)
    assert result.findings[0].message == f'the node was stopped: it {message}'
    assert len(result.record.model_dump_json()) < 6 * MAX_CHARACTERS
    assert played(suite).findings == ()


def test_a_node_that_prints_for_ever_fills_neither_memory_nor_record(suite: Suite) -> None:
    result = played(suite, 'print_for_ever')
    assert [finding.message[:60] for finding in result.findings] == [
        'the node was stopped: it did not end within 0.5 s',
        'the node wrote to standard output, which belongs to the engi',
    ]
    assert MAX_HEARD < len(result.record.stdout) < MAX_HEARD + 100
    assert result.record.stdout.endswith(' bytes left out]')


# ------------------------------------------------------------------------------------------------------------- garbage


@pytest.mark.parametrize(
    ('deed', 'reason', 'kept'),
    [
        ('huge', 'it is larger than', None),
        ('bomb', 'it is larger than', None),
        ('cycle', 'ValueError', {'content': 'x', 'self': "{'content': 'x', 'self': {'content': 'x', 'self': {...}}}"}),
        ('generator', 'TypeError', None),
        ('odd', 'TypeError', {'content': '<Odd>', '<Odd>': 1}),
        ('broken', 'RuntimeError: no items', '<Broken>'),
    ],
)
def test_a_payload_that_is_garbage_is_told_and_kept_small(suite: Suite, deed: str, reason: str, kept: Any) -> None:
    file = load_scenario(add(suite, deed))
    (result,) = replay(file, UNRULY, suite.cassettes)
    assert result.findings[0].message.startswith(f'the payload cannot be written as JSON: {reason}')
    assert kept is None or result.record.payload == kept
    assert len(result.record.model_dump_json()) < 2 * MAX_CHARACTERS


# -------------------------------------------------------------------------------------------------------------- prints


def test_what_a_node_writes_to_standard_output_is_a_finding_beyond_the_contract(suite: Suite) -> None:
    ways = ('say', 'say_to_the_buffer', 'say_to_the_first_stdout', 'say_to_the_descriptor', 'let_a_program_say')
    for deed in (*ways, 'close_stdout', 'nothing'):
        add(suite, deed)
    found = messages(command(suite, '--json'))
    assert found.pop('plain') == []
    assert len(found) == 6
    assert all(
        told == [r"the node wrote to standard output, which belongs to the engine: 'said\n'"] for told in found.values()
    )
    assert only(played(suite, 'say')).level == 'hardening'


def test_standard_input_is_empty_for_a_node(suite: Suite) -> None:
    assert only(played(suite, 'read_input')).message.startswith('the node raised EOFError')


# ------------------------------------------------------------------------------------------------------------- threads


@pytest.mark.parametrize(('deed', 'name'), [('leave_a_thread', 'left-N'), ('leave_a_pool', 'left_N')])
def test_threads_that_go_on_behind_the_end_are_a_finding(suite: Suite, deed: str, name: str) -> None:
    result = played(suite, deed)
    finding = only(result)
    assert finding.message == 'the node left 1 thread running behind its end'
    assert (finding.actual, finding.level) == ([name], 'hardening')
    assert played(suite).findings == ()


def test_a_thread_that_ends_soon_is_no_finding(suite: Suite) -> None:
    assert played(suite, 'leave_a_thread_that_ends_soon').findings == ()


def test_no_thread_keeps_the_command_from_ending_or_spoils_its_output(suite: Suite) -> None:
    for deed in ('leave_a_thread_that_holds_the_process', 'leave_a_thread_that_prints', 'leave_a_pool', 'nothing'):
        add(suite, deed)
    done = command(suite, '--json')
    assert done.returncode == 1
    found = messages(done)
    assert found.pop('plain') == []
    assert all(part[-1] == 'the node left 1 thread running behind its end' for part in found.values())


def test_threads_of_the_tools_of_a_scenario_are_not_the_nodes(suite: Suite) -> None:
    code = 'import threading, time\ndef serve(given):\n    threading.Thread(target=time.sleep, args=(60,)).start()\n'
    path = add(suite, 'call_for_ever', tools=[{'node': 'box_1', 'functions': [{'name': 'look', 'python': 'serve'}]}])
    (path.parent / 'tools.py').write_text(code + '    raise KeyError("enough")\n')
    (result,) = replay(load_scenario(path), UNRULY, suite.cassettes)
    assert result.findings[0].message == "the node raised KeyError: ''enough''"
    assert result.record.leaked_threads == ()


# --------------------------------------------------------------------------------------------------------------- state


def state() -> list[Any]:
    return [
        Path.cwd(),
        dict(os.environ),
        list(sys.path),
        list(warnings.filters),
        (logging.root.level, list(logging.root.handlers), logging.root.manager.disable),
        sys.getrecursionlimit(),
        locale.setlocale(locale.LC_ALL),
        sys.excepthook,
        builtins.open,
        (sys.stdout, sys.stdin),
        random.getstate(),
    ]


@pytest.mark.parametrize(
    ('deed', 'what'),
    [
        ('change_the_folder', 'the working directory'),
        ('change_the_environment', 'the environment variables'),
        ('change_the_search_path', 'the module search path'),
        ('change_the_warnings', 'the filters of warnings'),
        ('change_the_log', 'the root logger'),
        ('change_the_recursion_limit', "the interpreter's recursion limit or switch interval"),
        ('change_the_locale', 'the locale'),
        ('change_the_hooks', 'the hooks for exceptions'),
        ('change_the_builtins', 'the builtins'),
        ('change_stdout', 'the standard streams of Python'),
        ('change_the_random_numbers', None),
    ],
)
def test_what_a_node_changes_in_the_process_is_told_and_put_back(suite: Suite, deed: str, what: str | None) -> None:
    played(suite)
    before = state()
    result = played(suite, deed)
    assert state() == before
    if what is None:
        assert result.findings == ()
    else:
        assert only(result).message == f'the node left {what} changed'
        assert only(result).level == 'hardening'
    assert 'secret value' not in result.record.model_dump_json()


def test_a_signal_cannot_be_taken_over(suite: Suite) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert only(played(suite, 'change_a_signal')).message.startswith('the node raised ValueError')
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_libraries_set_up_at_their_import_is_not_held_against_any_scenario(tmp_path: Path) -> None:
    folder = tmp_path / 'importing'
    folder.mkdir()
    (folder / 'services.json').write_text('{"protocol": "importing://"}')
    (folder / 'library.py').write_text(
        'import os, threading, time\n'
        'os.environ["LIBRARY_HOME"] = "here"\n'
        'threading.Thread(target=time.sleep, args=(3600,), name="library").start()\n'
        'print("welcome")\n'
    )
    (folder / 'IInstance.py').write_text(
        'from rocketlib import IInstanceBase\n'
        'class IInstance(IInstanceBase):\n'
        '    def writeQuestions(self, question):\n'
        '        from . import library\n'
        '        return {"content": library.os.environ["LIBRARY_HOME"]}\n'
    )
    suite = Suite(tmp_path)
    file = load_scenario(suite.add(answer='here', expect={'answer': 'here'}))
    node = load_node(folder)
    try:
        for _ in range(2):
            (result,) = replay(file, node, suite.cassettes)
            assert result.findings == ()
    finally:
        os.environ.pop('LIBRARY_HOME', None)


def test_all_of_a_scenario_happens_in_one_thread_and_one_context(tmp_path: Path) -> None:
    folder = tmp_path / 'local'
    folder.mkdir()
    (folder / 'services.json').write_text('{"protocol": "local://"}')
    (folder / 'IGlobal.py').write_text(
        'import contextvars, threading\n'
        'from rocketlib import IGlobalBase\n'
        'HELD, TOLD = threading.local(), contextvars.ContextVar("told", default=0)\n'
        'class IGlobal(IGlobalBase):\n'
        '    def beginGlobal(self):\n'
        '        HELD.count = getattr(HELD, "count", 0) + 1\n'
        '        TOLD.set(TOLD.get() + 1)\n'
    )
    (folder / 'IInstance.py').write_text(
        'from rocketlib import IInstanceBase\n'
        'from .IGlobal import HELD, TOLD\n'
        'class IInstance(IInstanceBase):\n'
        '    def writeQuestions(self, question):\n'
        '        HELD.count += 1\n'
        '        return {"content": f"{HELD.count} {TOLD.get()}"}\n'
    )
    suite = Suite(tmp_path)
    file = load_scenario(suite.add(runs=2, expect={}))
    for _ in range(2):
        results = replay(file, load_node(folder), suite.cassettes)
        assert [result.record.payload for result in results] == [{'content': '2 1'}, {'content': '3 1'}]


# ---------------------------------------------------------------------------------------------------------------- ends


@pytest.mark.parametrize('deed', ['end_the_process', 'end_the_process_from_a_thread'])
def test_a_node_cannot_end_the_process(suite: Suite, deed: str) -> None:
    result = played(suite, deed)
    assert only(result).message == 'the node ended the process: os._exit(7)'
    assert only(result).level == 'required'
    assert played(suite).findings == ()


def test_a_child_process_may_still_end_itself(suite: Suite) -> None:
    played(suite, 'end_the_process')
    child = os.fork()
    if not child:
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5


def test_in_a_process_of_its_own_a_node_may_die_or_stop_everything(suite: Suite) -> None:
    for deed in ('crash', 'kill', 'spin_in_compiled_code', 'spin_through_everything', 'end_the_process', 'nothing'):
        add(suite, deed)
    done = command(suite, '--json', '--isolate')
    assert done.returncode == 1
    assert {name.removesuffix('-writequestions'): found for name, found in messages(done).items()} == {
        'crash': ['the node ended the process with the signal SIGSEGV'],
        'kill': ['the node ended the process with the signal SIGKILL'],
        'spin-in-compiled-code': ['the node did not end within 1 s and could not be stopped'],
        'spin-through-everything': ['the node was stopped: it did not end within 1 s'],
        'end-the-process': ['the node ended the process: os._exit(7)'],
        'plain': [],
    }


def test_a_process_of_its_own_gives_the_same_outcome(suite: Suite) -> None:
    suite.add()
    suite.add('fails', answer='Good morning.')
    suite.add('taped', recorded=True)
    ways = [command(suite, '--json', *way, node=NODES / 'errands') for way in ((), ('--isolate',))]
    one, other = (json.loads(done.stdout) for done in ways)
    for result in (*one['results'], *other['results']):
        del result['seconds']
    assert one == other
    assert len(one['results']) == 3


def test_a_node_that_dies_at_its_import_is_refused_in_a_process_of_its_own(suite: Suite, tmp_path: Path) -> None:
    suite.add()
    node = tmp_path / 'dying'
    node.mkdir()
    (node / 'services.json').write_text('{"protocol": "dying://"}')
    (node / 'IInstance.py').write_text('import ctypes\nctypes.string_at(0)\n')
    done = command(suite, '--isolate', node=node)
    assert done.returncode == 2
    assert 'the node does not import: it ended the process with the signal SIGSEGV' in done.stderr


# --------------------------------------------------------------------------------------------------------------- pytest


def test_pytest_stops_a_hanging_node_and_ends_past_its_threads(suite: Suite) -> None:
    for deed in ('nap', 'leave_a_thread_that_holds_the_process', 'nothing'):
        add(suite, deed)
    options = [f'--react-node={NODES / "unruly"}', '--react-time-limit=1', '-p', 'no:cacheprovider', '-q']
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', str(suite.scenarios), *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=suite.folder,
    )
    assert done.returncode == 1
    assert 'the node was stopped: it did not end within 1 s' in done.stdout
    assert 'the node left 1 thread running behind its end' in done.stdout
    assert '2 failed, 1 passed' in done.stdout


# ------------------------------------------------------------------------------------------------------------ the watch


def test_without_a_limit_the_node_works_in_the_calling_thread() -> None:
    threads: list[threading.Thread] = []
    assert Watch().run(lambda: threads.append(threading.current_thread()), 0, lambda frame: None)
    assert threads == [threading.current_thread()]


def test_what_the_harness_itself_raises_in_the_thread_is_raised_to_the_caller() -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Watch().run(fail, 5, lambda frame: None)


def test_a_play_without_a_limit_leaves_the_output_alone(suite: Suite, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = load_scenario(add(suite, 'say')).scenario
    (record,), fault = Play(scenario, UNRULY, client=None, model=None, folder=None).go()
    assert (record.stdout, fault) == ('', None)
    assert capsys.readouterr().out == 'said\n'
