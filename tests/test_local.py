"""Models of this machine: the server that the harness starts for them, and that it is gone afterwards.

A package of the same name stands in for `xllamacpp` (`tests/packages`). With `REACT_HARNESS_GGUF=model.gguf` and the
real package installed, one test records with real weights.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from chat_server import ChatServer, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, Suite

from harness.cassette.file import content_of
from harness.cli import main
from harness.matrix import local

if TYPE_CHECKING:
    from click.testing import Result

TESTS = Path(__file__).parent
PACKAGES = TESTS / 'packages'
NAMES = ('asks-1', 'asks-2')
REAL_WEIGHTS = os.environ.get('REACT_HARNESS_GGUF', '')
REAL_PACKAGE = importlib.util.find_spec('xllamacpp') is not None
LINUX = sys.platform == 'linux'


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with two scenarios that ask their model once."""
    found = Suite(tmp_path / 'suite')
    for name in NAMES:
        found.add(name, recorded=True)
    found.cassettes.mkdir()
    return found


@pytest.fixture
def diary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-in where the package would be; what its servers do stands in the file."""
    path = tmp_path / 'diary.jsonl'
    monkeypatch.syspath_prepend(str(PACKAGES))
    paths = [str(PACKAGES), str(TESTS), os.environ.get('PYTHONPATH', '')]
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join(filter(None, paths)))
    monkeypatch.setenv('STANDIN_DIARY', str(path))
    monkeypatch.delenv('STANDIN_MOOD', raising=False)
    return path


def told(diary: Path, what: str = 'starts') -> list[dict[str, Any]]:
    lines = diary.read_text().splitlines() if diary.exists() else []
    return [entry for entry in map(json.loads, lines) if entry['what'] == what]


def weights(folder: Path, name: str = 'small.gguf', mood: str = '') -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'GGUF{mood}')
    return path


def arguments(suite: Suite, *more: str | Path) -> list[str]:
    folders = ['--scenarios', suite.scenarios, '--cassettes', suite.cassettes, '--node', ERRANDS]
    return ['record', *map(str, folders), *map(str, more)]


def record(suite: Suite, *more: str | Path) -> Result:
    return CliRunner().invoke(main, arguments(suite, *more))


def plan(suite: Suite, *entries: dict[str, Any]) -> None:
    """Write what is to be recorded."""
    found = {'scenarios': ['loop'], 'models': [{'timeout_s': 60.0, 'tries': 2, **entry} for entry in entries]}
    (suite.cassettes / 'models.yaml').write_text(yaml.safe_dump(found))


def recorded(suite: Suite) -> list[str]:
    return sorted(str(path.relative_to(suite.cassettes)) for path in suite.cassettes.rglob('*/[!.]*.yaml'))


def ended(pid: int) -> bool:
    """Tell whether a process is gone, or waits to be buried."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] == 'Z'
    except OSError:
        return True


def wait_until(holds: Any, what: str) -> None:
    limit = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < limit, what
        time.sleep(0.02)


# ---------------------------------------------------------------------------------------------------------- one model


def test_a_model_of_this_machine_is_recorded_and_its_server_is_gone_afterwards(
    suite: Suite, diary: Path, tmp_path: Path
) -> None:
    file = weights(tmp_path)
    result = record(suite, 'asks-*', '--model', 'small', '--local', file, '--threads', '2', '--context', '2048')

    assert result.exit_code == 0, result.output
    assert recorded(suite) == ['asks-1/small.yaml', 'asks-2/small.yaml']
    assert re.search(r'serving   small\.gguf at http://127\.0\.0\.1:\d+/v1: context 2,048, 2 threads', result.stdout)
    (start,) = told(diary)
    given = start['given']
    assert (given['hostnames'], given['port'], given['n_ctx'], given['n_threads']) == (['127.0.0.1'], 0, 2048, 2)
    assert (given['n_parallel'], given['offline'], given['cors_origins']) == (1, True, '')
    assert ended(start['pid'])


def test_the_cassette_says_what_is_known_and_where_nothing_of_the_machine_stands(
    suite: Suite, diary: Path, tmp_path: Path
) -> None:
    file = weights(tmp_path)
    record(suite, 'asks-1', '--model', 'small', '--local', file, '--context', '9000')
    path = suite.cassettes / 'asks-1' / 'small.yaml'
    found = content_of(path)['recorded']
    found.pop('at')

    assert found == {
        'file': 'small.gguf',
        'sha256': hashlib.sha256(file.read_bytes()).hexdigest(),
        'server': 'llama.cpp (xllamacpp 2026.10.1)',
        'threads': len(os.sched_getaffinity(0)) if LINUX else os.cpu_count(),
        'context': 4096,  # what the server has, which is less than was asked for
    }
    assert str(tmp_path) not in path.read_text()


def test_the_recording_is_replayed_without_a_server(suite: Suite, diary: Path, tmp_path: Path) -> None:
    record(suite, 'asks-1', '--model', 'small', '--local', weights(tmp_path))
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes), '--node', ERRANDS]
    replayed = CliRunner().invoke(main, ['run', 'asks-1', *folders])
    assert replayed.exit_code == 0, replayed.output
    assert len(told(diary)) == 1


def test_a_drift_names_the_command_that_starts_the_server_again(suite: Suite, diary: Path, tmp_path: Path) -> None:
    record(suite, 'asks-1', '--model', 'small', '--local', weights(tmp_path), '--threads', '2', '--context', '512')
    path = suite.cassettes / 'asks-1' / 'small.yaml'
    path.write_text(path.read_text().replace('Lakeview', 'Lakeside'))
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes), '--node', ERRANDS]
    replayed = CliRunner().invoke(main, ['run', 'asks-1', *folders])
    command = 'react-harness record asks-1 --model small --local small.gguf --threads 2 --context 512'
    assert command in replayed.stdout


@pytest.mark.parametrize(
    ('options', 'says'),
    [
        (['--local', 'a.gguf', '--base-url', 'http://localhost/v1'], '--local stands in place of --base-url'),
        (['--base-url', 'http://localhost/v1', '--threads', '2'], '--threads is for --local'),
        (['--context', '512'], '--context is for --local'),
        (['--local', 'a.gguf', '--threads', '0'], '--threads: Input should be greater than or equal to 1'),
        (['--local', ''], '--local: String should have at least 1 character'),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: list[str], says: str, suite: Suite, diary: Path) -> None:
    result = record(suite, 'asks-1', '--model', 'small', *options)
    assert result.exit_code == 2
    assert says in result.stderr


# -------------------------------------------------------------------------------------------------------- the matrix


def test_local_models_are_served_one_at_a_time_beside_other_endpoints(suite: Suite, diary: Path) -> None:
    for name in ('first.gguf', 'second.gguf'):
        weights(suite.folder / 'weights', name)
    with ChatServer(chat_completion('Hello.')) as server:
        plan(
            suite,
            {'name': 'one', 'local': '../weights/first.gguf', 'epochs': 2},
            {'name': 'far', 'base_url': server.base_url},
            {'name': 'two', 'local': {'file': '../weights/second.gguf', 'threads': 1}},
        )
        result = record(suite)

    assert result.exit_code == 0, result.output
    assert '8 of 8 planned runs are recorded' in result.stdout
    assert [(start['file'], start['alone']) for start in told(diary)] == [('first.gguf', True), ('second.gguf', True)]
    assert all(ended(start['pid']) for start in told(diary))
    assert content_of(suite.cassettes / 'asks-1' / 'two.yaml')['recorded']['file'] == 'second.gguf'
    assert 'file' not in content_of(suite.cassettes / 'asks-1' / 'far.yaml')['recorded']


def test_sets_of_parameters_for_the_same_weights_share_a_server(suite: Suite, diary: Path) -> None:
    file = str(weights(suite.folder))
    plan(suite, {'name': 'cold', 'local': file, 'temperature': 0}, {'name': 'warm', 'local': file, 'temperature': 1})
    result = record(suite)
    assert result.exit_code == 0, result.output
    assert len(told(diary)) == 1
    assert [asked['model'] for asked in told(diary, 'is asked')] == ['cold', 'warm', 'cold', 'warm']


def test_what_the_file_says_of_a_model_wins(suite: Suite, diary: Path) -> None:
    about = {'file': 'Small 1B Q4', 'licence': 'Apache-2.0'}
    plan(suite, {'name': 'small', 'local': str(weights(suite.folder)), 'about': about})
    record(suite, 'asks-1')
    found = content_of(suite.cassettes / 'asks-1' / 'small.yaml')['recorded']
    assert about.items() <= found.items()
    assert len(found['sha256']) == 64


def test_a_command_with_nothing_left_to_record_starts_no_server(suite: Suite, diary: Path) -> None:
    file = weights(suite.folder)
    plan(suite, {'name': 'small', 'local': str(file)})
    record(suite)
    file.unlink()
    result = record(suite)
    assert result.exit_code == 0, result.output
    assert len(told(diary)) == 1


def test_a_dry_run_starts_no_server_and_needs_neither_package_nor_weights(
    suite: Suite, diary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'xllamacpp', None)
    plan(suite, {'name': 'small', 'local': 'nowhere.gguf', 'epochs': 3})
    result = record(suite, '--dry-run')
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split()[:4] == ['small', '6', '0', '6']
    assert told(diary) == []


def test_other_parameters_under_the_same_name_are_refused(suite: Suite, diary: Path) -> None:
    file = str(weights(suite.folder))
    plan(suite, {'name': 'small', 'local': file, 'temperature': 0})
    record(suite, 'asks-1')
    plan(suite, {'name': 'small', 'local': file, 'temperature': 1})
    result = record(suite)
    assert result.exit_code == 2
    assert 'small.yaml: recorded with temperature 0.0, wanted is 1.0' in result.stderr
    assert len(told(diary)) == 1


# ------------------------------------------------------------------------------------------------- what can be missing


def test_a_missing_package_is_told_with_the_command_that_installs_it(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'xllamacpp', None)
    result = record(suite, 'asks-1', '--model', 'small', '--local', weights(tmp_path))
    assert result.exit_code == 2
    assert "needs the package xllamacpp, which is not installed: pip install 'react-harness[local]'" in result.stderr


def test_files_that_are_no_weights_are_refused_before_anything_is_started(
    suite: Suite, diary: Path, tmp_path: Path
) -> None:
    (tmp_path / 'folder.gguf').mkdir()
    (tmp_path / 'page.gguf').write_text('<html>please log in</html>')
    (tmp_path / 'empty.gguf').touch()
    os.mkfifo(tmp_path / 'pipe.gguf')
    for name, says in (
        ('nothing.gguf', 'there is no such file'),
        ('folder.gguf', 'this is no file'),
        ('pipe.gguf', 'this is no file'),
        ('page.gguf', "this is no GGUF file (it begins with b'<htm')"),
        ('empty.gguf', "this is no GGUF file (it begins with b'')"),
    ):
        result = record(suite, 'asks-1', '--model', 'small', '--local', tmp_path / name)
        assert result.exit_code == 2
        assert f'{tmp_path / name}: ' in result.stderr
        assert says in result.stderr
    assert told(diary) == []


@pytest.mark.parametrize(
    ('mood', 'says'),
    [
        ('broken package', 'did not start: ImportError: libllama.so: cannot open shared object file'),
        ('other parameters', 'did not start: RuntimeError: xllamacpp 2026.10.1 does not know the parameter cors_orig'),
        ('elsewhere', 'did not start: RuntimeError: the server listens at http://192.0.2.1:'),
        ('does not load', 'did not start: RuntimeError: Failed to init server'),
        ('too little memory', 'ended with the signal SIGKILL: is there enough memory?'),
    ],
)
def test_a_server_that_does_not_start_says_why(
    mood: str, says: str, suite: Suite, diary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('STANDIN_MOOD', mood)
    result = record(suite, 'asks-1', '--model', 'small', '--local', weights(tmp_path))
    assert result.exit_code == 1
    assert f'small.gguf: its server {says}' in result.stdout
    assert recorded(suite) == []


def test_weights_that_do_not_load_cost_their_model_and_no_other(suite: Suite, diary: Path) -> None:
    bad, good = weights(suite.folder, 'bad.gguf', 'does not load'), weights(suite.folder, 'good.gguf')
    plan(suite, {'name': 'bad', 'local': str(bad)}, {'name': 'good', 'local': str(good)})
    result = record(suite)

    assert result.exit_code == 1
    assert recorded(suite) == ['asks-1/good.yaml', 'asks-2/good.yaml']
    lines = result.stdout.splitlines()
    assert [line for line in lines if 'of the log' in line] == [f'  line {n} of the log' for n in range(94, 100)]
    assert next(line.split() for line in lines if line.startswith('bad')) == ['bad', '2', '0', '0', '2', '0']
    assert sum('not tried: its server did not start' in line for line in lines) == 2
    assert '2 of 4 planned runs are recorded' in result.stdout


def test_a_server_that_ends_in_the_middle_is_told_with_the_end_of_its_log(suite: Suite, diary: Path) -> None:
    plan(suite, {'name': 'small', 'local': str(weights(suite.folder, mood='dies when asked'))})
    result = record(suite)
    assert result.exit_code == 1
    assert 'small.gguf: its server ended with the signal SIGABRT\n  a tensor was not what it seemed\n' in result.stdout
    assert result.stdout.count('no answer asks-') == 2
    assert len(told(diary, 'is asked')) == 1


def test_weights_that_load_for_ever_are_given_up(suite: Suite, diary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, 'LOAD_LIMIT_S', 0.5)
    plan(suite, {'name': 'small', 'local': str(weights(suite.folder, mood='loads for ever'))})
    result = record(suite)
    assert result.exit_code == 1
    assert 'its server did not answer within 0.5 s' in result.stdout
    assert all(ended(start['pid']) for start in told(diary))


# ---------------------------------------------------------------------------------------------------------- broken off


def hears_ctrl_c() -> None:
    """Undo what a shell does to commands in the background, and they to their children: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def process(suite: Suite) -> subprocess.Popen[str]:
    program = [sys.executable, '-c', 'from harness.cli import program; program()', *arguments(suite)]
    return subprocess.Popen(
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=suite.folder,
        preexec_fn=hears_ctrl_c,
    )


@pytest.mark.skipif(not LINUX, reason='looks into /proc')
@pytest.mark.parametrize(
    ('end', 'mood'),
    [
        (signal.SIGKILL, 'never answers'),
        (signal.SIGINT, 'never answers'),
        (signal.SIGTERM, 'never answers'),
        (signal.SIGKILL, 'loads for ever'),
    ],
)
def test_the_server_ends_with_the_command_however_that_ends(suite: Suite, diary: Path, end: int, mood: str) -> None:
    file = weights(suite.folder, mood=mood)
    plan(suite, {'name': 'small', 'local': str(file)})
    running = process(suite)
    wait_until(lambda: told(diary, 'is asked' if mood == 'never answers' else 'starts'), 'the server does not start')
    (start,) = told(diary)
    os.kill(running.pid, end)
    running.communicate(timeout=60)
    wait_until(lambda: ended(start['pid']), 'the server is left')

    file.write_text('GGUF')
    again = record(suite)
    assert again.exit_code == 0, again.output
    assert recorded(suite) == ['asks-1/small.yaml', 'asks-2/small.yaml']


# ------------------------------------------------------------------------------------------------------ the real parts


@pytest.mark.skipif(not (REAL_WEIGHTS and REAL_PACKAGE), reason='needs xllamacpp and REACT_HARNESS_GGUF=model.gguf')
def test_real_weights_are_recorded_with_the_real_package(suite: Suite) -> None:
    options = ['--threads', '1', '--context', '512', '--max-tokens', '8', '--temperature', '0', '--seed', '1']
    result = record(suite, 'asks-1', '--model', 'small', '--local', REAL_WEIGHTS, *options)
    print(result.output)
    path = suite.cassettes / 'asks-1' / 'small.yaml'
    print(path.read_text())

    assert result.exit_code == 0, result.output
    found = content_of(path)['recorded']
    assert found['server'].startswith('llama.cpp (xllamacpp 20')
    assert (found['file'], found['threads'], found['context']) == (Path(REAL_WEIGHTS).name, 1, 512)
    assert str(Path(REAL_WEIGHTS).absolute().parent) not in path.read_text()
    port = int(re.findall(r'http://127\.0\.0\.1:(\d+)/v1/chat/completions', path.read_text())[0])
    assert local._got(port, '/health') is None
    cut = suite.folder / 'cut.gguf'
    cut.write_bytes(Path(REAL_WEIGHTS).read_bytes()[:100_000])
    broken = record(suite, 'asks-2', '--model', 'small', '--local', cut)
    print(broken.output)
    assert broken.exit_code == 1
    assert 'cut.gguf: its server did not start: RuntimeError: ' in broken.stdout
