"""Made-up keys are planted wherever one can come from; none is in a file that is written, or on the console."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
import yaml
from canaries import forms, found, opaque, shaped
from chat_server import ChatServer, Raw, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, Suite

from harness.cli import main
from harness.engine.node import load_node
from harness.matrix import crew
from harness.matrix.worker import Done
from harness.packs import PACK, unpack
from harness.recording import RecordingFailed, record_scenario
from harness.secrets import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.matrix.plan import Cell

TOOLS = """
import logging
import os
import sys

def leak(given):
    logging.getLogger('leaky').warning(os.environ['TEXT_LOG'])
    print(os.environ['TEXT_STDOUT'])
    print(os.environ['TEXT_STDERR'], file=sys.stderr)
    for character in os.environ['TEXT_PIECES']:
        print(character, end='', flush=True, file=sys.stderr)
    print(file=sys.stderr)
    return {'environment': dict(os.environ), 'text': os.environ['TEXT_TOOL']}
"""
IN_THE_SCENARIO = ('question', 'instruction', 'context', 'goal', 'expectation', 'input', 'error')
IN_THE_TOOLS = ('log', 'stdout', 'stderr', 'pieces', 'tool')
IN_THE_SERVER = ('output', 'refusal', 'cookie')
IN_ALL_FORMS = ('question', 'expectation', 'tool', 'pieces', 'output')
PLACES = (*IN_THE_SCENARIO, *IN_THE_TOOLS, *IN_THE_SERVER)
API_KEY = 'k' + opaque('api')[1:].replace('"', '-')
ENVIRONMENT_ONLY = opaque('environment')


def secrets() -> dict[str, str]:
    """Return all that is planted, with its place."""
    planted = {make(place): place for place in PLACES for make in (shaped, opaque)}
    return {**planted, API_KEY: 'the API key in use', ENVIRONMENT_ONLY: 'an environment variable'}


def text(place: str) -> str:
    """Return what stands in a place: both its secrets, in some places in all forms."""
    number = None if place in IN_ALL_FORMS else 2
    written = (form for make in (shaped, opaque) for form in itertools.islice(forms(make(place)), number))
    return '\n'.join(f'It is {form} there.' for form in written)


def environment() -> dict[str, str]:
    tokens = {f'{place.upper()}_TOKEN': opaque(place) for place in PLACES}
    texts = {f'TEXT_{place.upper()}': text(place) for place in IN_THE_TOOLS}
    return {**tokens, **texts, 'MODEL_API_KEY': API_KEY, 'SERVICE_PASSWORD': ENVIRONMENT_ONLY}


@dataclass
class Field:
    """A suite in which keys are planted, and all that comes out of it."""

    suite: Suite
    run: Callable[[list[str]], tuple[int, bytes]]
    console: dict[str, bytes] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        return self.suite.folder / 'out'

    def invoke(self, *arguments: str | Path, code: int) -> None:
        """Run a command, keep what it printed and check its exit code."""
        status, printed = self.run([str(argument) for argument in arguments])
        number = sum(name.startswith(str(arguments[0])) for name in self.console)
        self.console[f'{arguments[0]} {number + 1}'] = printed
        # What was printed is never shown by pytest: it may hold what is looked for.
        assert status == code, f'{arguments[0]} ended with {status}, printed {len(printed)} bytes'

    def outputs(self) -> dict[str, bytes]:
        """Return all bytes that came out: of files and of the console."""
        folders = (self.suite.cassettes, self.out)
        files = [path for folder in folders for path in sorted(folder.rglob('*')) if path.is_file()]
        written = {str(path.relative_to(self.suite.folder)): path.read_bytes() for path in files}
        packed = {
            f'{name}: {match[1]}': unpack(match[2])
            for name, raw in written.items()
            for match in PACK.finditer(raw.decode('utf-8', 'replace'))
        }
        assert packed
        return written | packed | self.console


def plant(suite: Suite) -> None:
    """Write a scenario with a script and one to be recorded, with secrets wherever a scenario can have them."""
    errands = [
        {'ask': None},
        {'call': 'leak', 'on': 'box_1', 'with': {'text': text('input'), 'password': shaped('input')}},
        {'swallow': {'call': 'fail', 'on': 'box_1', 'with': {}}},
        {'send': {'message': text('input')}},
        {'swallow': {'ask': text('question')}},
    ]
    tools = [
        {
            'node': 'box_1',
            'functions': [
                {'name': 'leak', 'input_schema': {'type': 'object'}, 'python': 'leak'},
                {
                    'name': 'fail',
                    'input_schema': {'type': 'object'},
                    'raises': {'type': 'RuntimeError', 'message': text('error')},
                },
            ],
        }
    ]
    question = {
        'text': text('question'),
        'instructions': [text('instruction')],
        'context': [text('context')],
        'goals': [text('goal')],
    }
    common: dict[str, Any] = {'question': question, 'config': {'errands': errands}, 'tools': tools}
    expect = {'answer': text('expectation'), 'llm_calls': 2}
    said = [text('output'), {'error': {'status': 400, 'message': text('refusal')}}]
    suite.add('scripted', said=said, **common, expect=expect)
    suite.add('recorded', recorded=True, **common, expect=expect)
    (suite.scenarios / 'loop' / 'tools.py').write_text(TOOLS)
    suite.cassettes.mkdir()


def harvest(field: Field) -> None:
    """Make everything that the program can write."""
    suite, out = field.suite, field.out
    scenarios = ['--scenarios', suite.scenarios]
    folders = [*scenarios, '--cassettes', suite.cassettes]
    node = ['--node', ERRANDS]
    refusal = json.dumps({'error': {'message': f'{text("refusal")} {API_KEY}'}}).encode()
    cookie = {'content-type': f'application/json; x={shaped("cookie")}', 'set-cookie': f'session={opaque("cookie")}'}
    answer = json.dumps(chat_completion(f'{text("output")} {API_KEY}', id=f'{shaped("cookie")} {opaque("cookie")}'))
    with ChatServer(Raw(answer.encode(), headers=cookie), Raw(refusal, status=400)) as server:
        url = ['--base-url', server.base_url, '--api-key-env', 'MODEL_API_KEY', '--tries', '1']
        field.invoke('record', *folders, *node, '--model', 'small', *url, 'recorded', code=0)
    with ChatServer(Raw(refusal, status=500)) as server:
        url = ['--base-url', server.base_url, '--api-key-env', 'MODEL_API_KEY', '--tries', '1']
        field.invoke('record', *folders, *node, '--model', 'other', *url, 'recorded', code=1)
    files = {'report': 'report.html', 'junit': 'junit.xml', 'sarif': 'found.sarif', 'step-summary': 'summary.md'}
    written = [part for option, name in files.items() for part in (f'--{option}', out / name)]
    field.invoke('run', *folders, *node, '-v', *written, '--results', out / 'a.jsonl', code=1)
    field.invoke('run', *folders, *node, '--json', '--results', out / 'b.jsonl', code=1)
    field.invoke('run', *folders, *node, '--isolate', code=1)
    field.invoke('accept', out / 'a.jsonl', '--baseline', out / 'baseline.jsonl', code=0)
    field.invoke('run', *folders, *node, '-v', '--baseline', out / 'baseline.jsonl', code=0)
    drifted = yaml.safe_load((suite.scenarios / 'loop' / 'recorded.yaml').read_text())
    drifted['question']['goals'].append('Another goal')
    suite.write('loop', 'recorded', yaml.safe_dump(drifted, sort_keys=False))
    field.invoke('run', *folders, *node, '-v', '--results', out / 'c.jsonl', 'recorded', code=3)
    field.invoke('accept-drift', *folders, *node, '--model', 'small', '--reason', 'no matter', 'recorded', code=0)
    field.invoke('run', *folders, *node, '-v', 'recorded', '--results', out / 'd.jsonl', code=1)
    field.invoke('diff', out / 'a.jsonl', out / 'd.jsonl', '-v', code=1)
    field.invoke('diff', out / 'a.jsonl', out / 'd.jsonl', '--json', code=1)
    field.invoke('lint', *folders, '--no-replay', out, code=1)
    field.invoke('list', *folders, code=0)


def planted(tmp_path: Path, run: Callable[[list[str]], tuple[int, bytes]]) -> Field:
    suite = Suite(tmp_path / 'suite')
    plant(suite)
    field = Field(suite, run)
    field.out.mkdir()
    return field


def in_process(arguments: list[str]) -> tuple[int, bytes]:
    result = CliRunner().invoke(main, arguments)
    raised = '' if isinstance(result.exception, SystemExit) else f'{result.exception!r}'
    return result.exit_code, result.output_bytes + raised.encode()


def in_a_process(arguments: list[str], module: str = 'harness.cli') -> tuple[int, bytes]:
    command = [sys.executable, '-m', module, *arguments]
    # Nothing that another test left in the environment or in the working directory.
    kept = {name: os.environ[name] for name in ('PATH', 'HOME', 'SYSTEMROOT') if name in os.environ}
    variables = {**kept, **environment(), 'PYTHONIOENCODING': 'utf-8'}
    root = Path(__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, env=variables, check=False)
    return done.returncode, done.stdout + done.stderr


def run_by_pytest(field: Field) -> None:
    """Run the same suite as pytest items, with all that pytest can show and write."""
    options = [
        '-v',
        '-rA',
        '-p',
        'no:cacheprovider',
        f'--junitxml={field.out / "pytest.xml"}',
        f'--react-node={ERRANDS}',
    ]
    code, printed = in_a_process([str(field.suite.scenarios), *options], 'pytest')
    assert code == 1
    field.console['pytest'] = printed


@pytest.fixture
def _planted_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment().items():
        monkeypatch.setenv(name, value)


def where(leaks: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return leaks by the place that each secret was planted in, without the secrets."""
    names = secrets()
    return {f'{names[secret]} {number}': places for number, (secret, places) in enumerate(leaks.items())}


def test_no_planted_key_is_in_any_file_or_on_the_console(tmp_path: Path) -> None:
    field = planted(tmp_path, in_a_process)
    harvest(field)
    run_by_pytest(field)

    assert where(found(secrets(), field.outputs())) == {}


class CrewOfOne:
    """Records in this process, where the guard is switched off."""

    def __init__(self, cells: Sequence[Cell], node_ref: str) -> None:
        self._cells, self._node = cells, load_node(node_ref)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def news(self) -> Iterator[crew.News]:
        for cell in self._cells:
            scenario, _, epoch = cell.key
            try:
                runs = record_scenario(cell.file, self._node, cell.entry.spec(scenario, epoch), cell.path)
            except RecordingFailed as error:
                yield crew.NotRecorded(cell, str(error), infrastructure=True)
            else:
                yield crew.Recorded(cell, Done(tuple(runs)))


@pytest.mark.usefixtures('_planted_environment')
def test_without_the_guard_every_planted_key_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guard, 'find_bytes', lambda self, text: [])
    monkeypatch.setattr(Guard, 'masked', lambda self, value: value)
    monkeypatch.setattr(crew, 'Crew', CrewOfOne)
    field = planted(tmp_path, in_process)
    harvest(field)
    leaks = found(secrets(), field.outputs())
    names = secrets()

    assert {names[secret] for secret in secrets()} == {names[secret] for secret in leaks}
    assert set(leaks) == set(secrets())
