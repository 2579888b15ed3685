"""Files of strangers: each is refused with a clear error or read for what it is; nothing hangs, runs or grows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml
from chat_server import chat_completion
from example_suite import Suite

from harness.engine.script import ToolsError, load_tools
from harness.scenario.schema import SCHEMA_FILE, write_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

PROBE = Path(__file__).parent / 'hostile_probe.py'
ERRORS = {
    'scenario': {'FileError'},
    'cassette': {'CassetteError', 'NotRecorded'},
    'store': {'ResultsError'},
    'baseline': {'BaselineError'},
    'suite': {'Problems'},
    'tools': {'ToolsError'},
    'node': {'NodeError'},
}
HEAD = 'id: a\ntitle: A\nfamily: loop\nmodel: {outputs: [x]}\nexpect: {}\n'
pytestmark = pytest.mark.skipif(sys.platform == 'win32', reason='the limits of the probe are those of Unix')


class Outcome(NamedTuple):
    """What came of reading a file: the class of the error, its text, and how many bytes were read."""

    error: str
    said: str
    read: int


def probe(*files: tuple[str, Path]) -> list[Outcome]:
    """Read files, each as its kind, in a process that has little memory and time."""
    words = [str(word) for file in files for word in file]
    done = subprocess.run([sys.executable, str(PROBE), *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2_000:]
    return [Outcome(**json.loads(line)) for line in done.stdout.splitlines()]


def probed(root: Path, kind: str, files: Mapping[str, str | bytes]) -> dict[str, Outcome]:
    """Write files where their kind belongs, read them all, and return what came of each."""
    paths = {}
    for number, (name, content) in enumerate(files.items()):
        paths[name] = root / f'{kind}-{number}' / 'loop' / 'a.yaml'
        paths[name].parent.mkdir(parents=True)
        paths[name].write_bytes(content if isinstance(content, bytes) else content.encode('utf-8', 'surrogatepass'))
    return dict(zip(paths, probe(*((kind, path) for path in paths.values())), strict=True))


def refused(outcome: Outcome, kind: str) -> None:
    """Check that a file was refused with few and short lines that say where."""
    assert outcome.error in ERRORS[kind], outcome
    lines = outcome.said.splitlines()
    assert 0 < len(lines) <= 101
    for line in lines:
        assert re.match(r'/\S+\.(yaml|jsonl|py|json)\b', line), line
        assert len(line) < 2_000
        assert line.isprintable()


# ------------------------------------------------------------------------------------------------------------- bombs


def laughs(level: str, many: int = 9, deep: int = 40) -> str:
    """Return aliases that stand for 9 to the power of 40 values; `level` is how one level holds those below it."""
    lines = ['a0: &a0 {x: 1}']
    lines += [f'a{n}: &a{n} {level.format(items=", ".join([f"*a{n - 1}"] * many))}' for n in range(1, deep)]
    return '\n'.join(lines) + f'\nlast: *a{deep - 1}\n'


DEEP = 100_000
BOMBS: dict[str, str | bytes] = {
    'aliases in lists': laughs('[{items}]'),
    'merge keys': laughs('{{<<: [{items}]}}'),
    'aliases as values': laughs('{{x: {items}}}', many=1, deep=3_000),
    'two aliases of each': laughs('{{x: [{items}], y: [{items}]}}', many=2),
    'an alias of itself': 'a: &a [*a]\n',
    'an alias of its mapping': 'a: &a {b: *a}\n',
    'a merge of itself': 'a: &a {<<: *a}\n',
    'anchors as keys': 'a: &a x\n? *a\n: 1\n? [*a, *a]\n: 2\n',
    'very many aliases': f'a: &a [{"x, " * 400}]\nb: [{"*a, " * 100_000}]\n',
    'very many anchors': 'a: [' + ''.join(f'&a{n} x, ' for n in range(50_000)) + ']\n',
    'very many values': 'a: [' + 'x, ' * 210_000 + ']\n',
    'very many keys': ''.join(f'k{n}: 1\n' for n in range(110_000)),
    'deep lists': 'a: ' + '[' * DEEP + '\n',
    'deep closed lists': 'a: ' + '[' * 3_000 + ']' * 3_000 + '\n',
    'deep mappings': 'a: ' + '{b: ' * DEEP + '\n',
    'deep blocks': '- ' * DEEP + 'x\n',
    'deep keys': '? ' * DEEP + 'x\n',
    'deep indents': ''.join(f'{" " * n}k:\n' for n in range(1_500)),
    'a long name of an anchor': f'a: &{"x" * 1_000_000} 1\n',
    'a long tag': f'a: !{"x" * 1_000_000} 1\n',
    'a long directive': f'%TAG ! tag:{"x" * 100_000}\n--- 1\n',
    'very many unknown keys': HEAD + ''.join(f'unknown_{n}: 1\n' for n in range(30_000)),
    'very many empty values': HEAD + 'question:\n' + ''.join(f'  k{n}:\n' for n in range(20_000)),
    'very many wrong values': HEAD + 'tools: [' + '{node: }, ' * 20_000 + ']\n',
    'very many keys twice': HEAD + 'why: x\n' * 20_000,
    'a long key': f'{HEAD}{"k" * 1_000}: 1\n? {"k" * 1_000_000}\n: 1\n',
    'a long id': f'id: "{"a-" * 500_000}"\n',
    'very many documents': '--- 1\n' * 100_000,
    'very many comments': '# x\n' * 300_000,
    'an endless text': 'a: "' + 'x' * 1_000_000,
    'an endless block': 'a: |\n' + ' x\n' * 300_000 + '\t',
}


@pytest.fixture(scope='module', params=['scenario', 'cassette'])
def bombs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Outcome]]:
    kind: str = request.param
    return kind, probed(tmp_path_factory.mktemp('bombs'), kind, BOMBS)


@pytest.mark.parametrize('name', BOMBS)
def test_a_bomb_is_refused_before_it_goes_off(bombs: tuple[str, dict[str, Outcome]], name: str) -> None:
    kind, outcomes = bombs
    refused(outcomes[name], kind)


TAGS = [
    '!!python/object/apply:os.system ["touch CANARY"]',
    '!!python/object/apply:subprocess.check_output [["touch", "CANARY"]]',
    '!!python/object/new:os.system ["touch CANARY"]',
    "!!python/object/new:tuple [!!python/object/new:map [!!python/name:eval , [\"open('CANARY', 'w')\"]]]",
    '!!python/object:pathlib.Path {}',
    '!!python/name:os.system ""',
    '!!python/module:os ""',
    '!!python/tuple [1]',
    '!<tag:yaml.org,2002:python/object/apply:os.system> ["touch CANARY"]',
    '!ruby/object:Gem::Installer {i: x}',
    '!!binary "%%%"',
    '!!set {a}',
    '!!omap [a: 1]',
    '!!pairs [a: 1, a: 2]',
    '!!map [1]',
    '!!seq {a: 1}',
    '!!str [1]',
    '!!int [1]',
    '!!null x',
    '!!merge x',
    '!local x',
]


@pytest.mark.parametrize('kind', ['scenario', 'cassette'])
def test_a_tag_runs_nothing_and_is_refused(tmp_path: Path, kind: str) -> None:
    canary = tmp_path / 'canary'
    places = ('VALUE\n', f'{HEAD}config: {{x: VALUE}}\n', 'version: 1\ninteractions: [{x: VALUE}]\n')
    files = {
        f'{tag} in {place}': place.replace('VALUE', tag.replace('CANARY', str(canary)))
        for tag in TAGS
        for place in places
    }
    for outcome in probed(tmp_path / 'files', kind, files).values():
        refused(outcome, kind)
    assert not canary.exists()


# ------------------------------------------------------------------------------------------------------------ numbers

NUMBERS = {
    'too large': '1e999',
    'too large with a point': '1.0e+999',
    'infinite': '.inf',
    'no number': '.nan',
    'a million digits': '1' * 1_000_000,
    'a million digits behind the point': f'0.{"1" * 1_000_000}',
    'a million digits in base 16': f'0x{"f" * 1_000_000}',
    'a million digits in base 8': f'0{"7" * 1_000_000}',
    'a million digits in base 2': f'0b{"1" * 1_000_000}',
    'a million digits in base 60': '1' + ':59' * 1_000_000,
    'a million digits in base 60 with a point': '1' + ':59' * 1_000_000 + '.5',
    'a million underscores': f'1{"_" * 1_000_000}',
    'a long exponent': f'1e{"9" * 1_000_000}',
    'a long date': f'2001-01-01 00:00:00.{"0" * 1_000_000}',
    'a negative one': f'-{"9" * 400}',
}


@pytest.mark.parametrize('kind', ['scenario', 'cassette'])
def test_a_number_that_nobody_needs_is_refused_in_no_time(tmp_path: Path, kind: str) -> None:
    places = {
        'scenario': [f'{HEAD}config: {{x: VALUE}}\n', f'{HEAD}runs: VALUE\n', f'{HEAD}llm_nodes: VALUE\n'],
        'cassette': ['version: VALUE\ninteractions: []\n', 'version: 1\ninteractions: [{request: VALUE}]\n'],
    }[kind]
    files = {f'{name} in {place}': place.replace('VALUE', text) for name, text in NUMBERS.items() for place in places}
    for name, outcome in probed(tmp_path, kind, files).items():
        assert outcome.error in ERRORS[kind], name
        refused(outcome, kind)


def cassette_text(body: str = '{"model": "small", "messages": []}', reply: str | None = None) -> str:
    """Return a cassette of one turn with these bodies."""
    reply = json.dumps(chat_completion('Hello.')) if reply is None else reply
    request = {'method': 'POST', 'uri': 'http://localhost/v1/chat/completions', 'headers': {}, 'body': body}
    response = {'status': {'code': 200, 'message': 'OK'}, 'headers': {}, 'body': {'string': reply}}
    data = {'version': 1, 'interactions': [{'request': request, 'response': response}]}
    return yaml.safe_dump(data, sort_keys=False)


BODIES = {
    'a key twice': '{"model": "small", "messages": [], "model": "other"}',
    'a key twice inside': '{"model": "small", "messages": [{"role": "user", "role": "system"}]}',
    'too large': '{"model": "small", "seed": 1e999}',
    'no number': '{"model": "small", "seed": NaN}',
    'a million digits': '{"model": "small", "seed": ' + '1' * 1_000_000 + '}',
    'deep': '{"model": "small", "x": ' + '[' * 100_000,
    'deep and closed': '{"model": "small", "x": ' + '[' * 100_000 + ']' * 100_000 + '}',
    'no JSON': 'model=small',
    'a list': '[]',
}


def test_a_recorded_request_with_more_than_one_reading_is_refused(tmp_path: Path) -> None:
    files = {name: cassette_text(body) for name, body in BODIES.items()}
    for outcome in probed(tmp_path, 'cassette', files).values():
        refused(outcome, 'cassette')
        assert 'the body of request 1 is no JSON object' in outcome.said


# -------------------------------------------------------------------------------------------------------- large files


def sparse(path: Path, size: int = 100_000_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open('wb') as file:
        file.truncate(size)
    return path


def test_a_file_of_a_hundred_megabytes_is_refused_unread(tmp_path: Path) -> None:
    limits = {'scenario': '4,000,000', 'cassette': '33,554,432', 'store': '96,000,000', 'baseline': '96,000,000'}
    outcomes = probe(*((kind, sparse(tmp_path / kind / 'loop' / 'a.yaml')) for kind in limits))
    for (kind, limit), outcome in zip(limits.items(), outcomes, strict=True):
        refused(outcome, kind)
        assert f'the file is larger than {limit} bytes' in outcome.said
        assert outcome.read < 100_000


def test_a_suite_with_a_file_of_a_hundred_megabytes_is_told_unread(tmp_path: Path) -> None:
    plain, *others = (suite_with_tools(tmp_path / str(number)) for number in range(1 + len(NAMES)))
    files = [sparse(suite.scenarios / name) for suite, name in zip(others, NAMES, strict=True)]
    sound, *outcomes = probe(*(('suite', suite.folder) for suite in (plain, *others)))
    assert sound.error == ''
    for path, outcome in zip(files, outcomes, strict=True):
        assert f'{path}:1:1: ' in outcome.said
        assert 'larger than 4,000,000 bytes' in outcome.said
        assert outcome.read < sound.read + 100_000


NAMES = (SCHEMA_FILE, 'requirements.yaml', 'loop/tools.py', 'loop/b.yaml')
"""Files of a suite that somebody may have put something else in the place of."""


def suite_with_tools(folder: Path) -> Suite:
    """Return a suite in order whose scenario has a Python tool."""
    suite = sound_suite(folder, tools=[{'node': 'a', 'functions': [{'name': 'f', 'python': 'f'}]}])
    (suite.scenarios / 'loop' / 'tools.py').write_text('def f(given): ...\n')
    return suite


def sound_suite(folder: Path, **more: Any) -> Suite:
    """Return a suite of one scripted scenario in which lint finds nothing."""
    suite = Suite(folder)
    suite.add(**more)
    suite.cassettes.mkdir()
    write_schema(suite.scenarios / SCHEMA_FILE)
    return suite


# ----------------------------------------------------------------------------------------------- keys that stand twice


def test_a_key_that_stands_twice_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    lines = cassette_text().splitlines()
    files = {}
    for number, line in enumerate(lines):
        key = line.removeprefix('- ').strip()
        if ':' in key and number + 1 < len(lines):
            blank = ' ' * (len(line) - len(line.lstrip('- ')))
            files[f'{number}: {key}'] = '\n'.join([*lines[: number + 1], f'{blank}{key.partition(":")[0]}: x', ''])
    outcomes = probed(tmp_path, 'cassette', files)
    assert len(outcomes) > 10
    said = [outcome.said for outcome in outcomes.values() if 'stands here a second time' in outcome.said]
    for outcome in outcomes.values():
        refused(outcome, 'cassette')
    assert len(said) > 8


# ---------------------------------------------------------------------------------------------------------- encodings

TEXT = HEAD + 'why: é\n'
ENCODINGS = {
    'a NUL': TEXT.encode() + b'why2: \x00\n',
    'NULs in front': b'\x00' * 10 + TEXT.encode(),
    'no UTF-8': TEXT.encode('latin-1'),
    'cut within a character': TEXT.encode()[:-2],
    'a lone surrogate': TEXT.encode() + b'why2: \xed\xa0\x80\n',
    'too long a form': TEXT.encode() + b'why2: \xc0\xaf\n',
    'UTF-16': TEXT.encode('utf-16'),
    'UTF-16 without a mark': TEXT.encode('utf-16-le'),
    'UTF-16, the other end first': b'\xfe\xff' + TEXT.encode('utf-16-be'),
    'UTF-32': TEXT.encode('utf-32'),
    'a mark within': TEXT.encode() + b'why2: "\xef\xbb\xbf"\n',
    'control characters': TEXT.encode() + b'why2: "\x1b[2J"\n',
    'a program': b'\x7fELF' + bytes(range(256)) * 4,
}


@pytest.mark.parametrize('kind', ['scenario', 'cassette'])
def test_what_is_not_utf_8_text_is_refused(tmp_path: Path, kind: str) -> None:
    for outcome in probed(tmp_path, kind, ENCODINGS).values():
        refused(outcome, kind)


def test_a_byte_order_mark_in_front_of_utf_8_is_fine(tmp_path: Path) -> None:
    mark = b'\xef\xbb\xbf'
    for kind, text in (('scenario', HEAD), ('cassette', cassette_text())):
        outcomes = probed(tmp_path, kind, {'plain': text, 'marked': mark + text.encode()})
        assert [outcome.error for outcome in outcomes.values()] == ['', '']


STORES = {
    'a NUL': b'\x00\n',
    'UTF-16': '{"kind": "react-harness results"}\n'.encode('utf-16'),
    'no UTF-8': b'{"kind": "\xff"}\n',
    'a key twice': b'{"kind": "react-harness results", "kind": "react-harness results"}\n',
    'too large a number': b'{"kind": "react-harness results", "version": 1e999}\n',
    'a million digits': b'{"kind": "react-harness results", "version": ' + b'1' * 1_000_000 + b'}\n',
    'no number': b'{"kind": "react-harness results", "version": NaN}\n',
    'deep': b'{"kind": ' + b'[' * 1_000_000 + b'\n',
    'deep and closed': b'[' * 100_000 + b']' * 100_000 + b'\n',
    'no line end': b'{"kind": "react-harness results"}',
    'one endless line': b' ' * 70_000_000,
    'nothing': b'',
}


@pytest.mark.parametrize('kind', ['store', 'baseline'])
def test_a_store_or_baseline_that_is_none_is_refused(tmp_path: Path, kind: str) -> None:
    for outcome in probed(tmp_path, kind, STORES).values():
        refused(outcome, kind)


# ----------------------------------------------------------------------------------------------- what is no plain file


def odd(path: Path, what: str) -> Path:
    """Put something in the place of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if what == 'pipe':
        os.mkfifo(path)
    elif what == 'folder':
        path.mkdir()
    elif what == 'device':
        path.symlink_to('/dev/zero')
    elif what == 'loop':
        path.symlink_to(path.name)
    elif what == 'nowhere':
        path.symlink_to('not-there')
    return path


ODD = ('pipe', 'folder', 'device', 'loop', 'nowhere')


def test_what_is_no_plain_file_is_refused_and_nobody_waits_for_it(tmp_path: Path) -> None:
    cases = [(kind, what) for kind in ('scenario', 'cassette', 'store', 'baseline') for what in ODD]
    paths = [odd(tmp_path / f'{kind}-{what}' / 'loop' / 'a.yaml', what) for kind, what in cases]
    outcomes = probe(*((kind, path) for (kind, _), path in zip(cases, paths, strict=True)))
    for (kind, _), outcome in zip(cases, outcomes, strict=True):
        refused(outcome, kind)


def test_a_suite_with_what_is_no_plain_file_is_told_and_nobody_waits(tmp_path: Path) -> None:
    cases = [(name, what) for name in NAMES for what in ODD]
    folders = [tmp_path / f'{number}' for number in range(len(cases))]
    for folder, (name, what) in zip(folders, cases, strict=True):
        path = suite_with_tools(folder).scenarios / name
        path.unlink(missing_ok=True)
        odd(path, what)
    outcomes = probe(*(('suite', folder) for folder in folders))
    for folder, (name, _), outcome in zip(folders, cases, outcomes, strict=True):
        if name in ('requirements.yaml', 'loop/b.yaml'):  # what is no file is none of the suite
            assert outcome.said == ''
        else:
            assert str(folder / 'scenarios' / name) in outcome.said


def test_a_node_with_what_is_no_plain_file_is_refused_and_nobody_waits(tmp_path: Path) -> None:
    for what in ODD:
        odd(tmp_path / what / 'services.json', what)
    for outcome in probe(*(('node', tmp_path / what) for what in ODD)):
        assert outcome.error == 'NodeError'


# ------------------------------------------------------------------------------------------------------ symbolic links


def test_a_link_out_of_the_suite_is_refused_and_nothing_of_its_target_is_shown(tmp_path: Path) -> None:
    secret = tmp_path / 'outside' / 'loop' / 'secret.yaml'
    secret.parent.mkdir(parents=True)
    secret.write_text('token: sk-canary-0123456789\n')
    for kind in ('scenario', 'cassette'):
        by_file = tmp_path / kind / 'loop' / 'a.yaml'
        by_file.parent.mkdir(parents=True)
        by_file.symlink_to(secret)
        by_folder = tmp_path / f'{kind}-2' / 'loop'
        by_folder.parent.mkdir()
        by_folder.symlink_to(secret.parent)
        for outcome in probe((kind, by_file), (kind, by_folder / 'secret.yaml')):
            refused(outcome, kind)
            assert 'a symbolic link leads out of' in outcome.said
            assert 'canary' not in outcome.said


def test_links_within_the_suite_are_fine(tmp_path: Path) -> None:
    (tmp_path / 'real' / 'loop').mkdir(parents=True)
    (tmp_path / 'real' / 'loop' / 'b.yaml').write_text(HEAD)
    (tmp_path / 'real' / 'loop' / 'a.yaml').symlink_to('b.yaml')
    (tmp_path / 'scenarios').symlink_to('real')
    (outcome,) = probe(('scenario', tmp_path / 'scenarios' / 'loop' / 'a.yaml'))
    assert outcome.error == ''


# ----------------------------------------------------------------------------------------------------------- tools.py


def test_only_functions_that_the_file_itself_defines_are_tools(tmp_path: Path) -> None:
    path = tmp_path / 'tools.py'
    path.write_text(
        'import os\nfrom shutil import rmtree\nfrom os import system\nfrom os.path import join\nnumber = 5\n'
        'def own(given): return given\nother = own\n_hidden = own\nclass Thing:\n    def method(self): ...\n'
    )
    assert sorted(load_tools(path)) == ['other', 'own']
    suite = sound_suite(tmp_path / 'suite')
    suite.add('deletes', tools=[{'node': 'a', 'functions': [{'name': 'f', 'python': 'rmtree'}]}])
    (suite.scenarios / 'loop' / 'tools.py').write_text(path.read_text())
    (outcome,) = probe(('suite', suite.folder))
    assert "there is no function 'rmtree' in " in outcome.said


def test_tools_that_lead_out_of_their_folder_are_not_run(tmp_path: Path) -> None:
    elsewhere = tmp_path / 'elsewhere.py'
    elsewhere.write_text(f'open({str(tmp_path / "canary")!r}, "w")\ndef f(given): ...\n')
    suite = sound_suite(tmp_path / 'suite', tools=[{'node': 'a', 'functions': [{'name': 'f', 'python': 'f'}]}])
    path = suite.scenarios / 'loop' / 'tools.py'
    path.symlink_to(elsewhere)
    with pytest.raises(ToolsError, match='leads out of its folder'):
        load_tools(path)
    (outcome,) = probe(('suite', suite.folder))
    assert 'a symbolic link leads out of the folder' in outcome.said
    assert not (tmp_path / 'canary').exists()


def test_a_name_that_is_no_function_of_the_file_is_refused(tmp_path: Path) -> None:
    names = ['../x', 'os.system', 'f()', '__import__', 'f\n', 'tools.f', 'f\u200b', 'os', '_f', '']
    for number, name in enumerate(names):
        suite = sound_suite(tmp_path / str(number))
        suite.add('odd', tools=[{'node': 'a', 'functions': [{'name': 'f', 'python': name}]}])
        (suite.scenarios / 'loop' / 'tools.py').write_text('import os\ndef f(given): ...\n_f = f\n')
    for name, outcome in zip(names, probe(*(('suite', tmp_path / str(n)) for n in range(len(names)))), strict=True):
        assert outcome.error == 'Problems', name


def test_tools_that_no_parser_likes_are_told(tmp_path: Path) -> None:
    texts = [
        '-' * 200_000 + '1',
        '(' * 200_000,
        'a' + '.b' * 200_000,
        'x = ' + '9' * 1_000_000,
        'x = 1\n\0',
        b'\xff',
        'def f(:',
    ]
    paths = []
    for number, text in enumerate(texts):
        paths.append(suite_with_tools(tmp_path / str(number)).scenarios / 'loop' / 'tools.py')
        paths[-1].write_bytes(text if isinstance(text, bytes) else text.encode())
    for path, outcome in zip(paths, probe(*(('suite', path.parents[2]) for path in paths)), strict=True):
        assert f'{path}:1:1: this is not Python: ' in outcome.said
    for outcome in probe(*(('tools', path) for path in paths)):
        refused(outcome, 'tools')
