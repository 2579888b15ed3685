"""Texts and names of strangers on their way to people: nothing arrives that a terminal, browser or runner obeys."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from chat_server import ChatServer, Raw, chat_completion
from example_suite import ERRANDS, Suite, invoke, run
from scorecard_read import Read

from harness.cassette import CassetteError, cassette_path, recording
from harness.scenario.schema import SCHEMA_FILE, write_schema

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ['pytester']

MARKUP = '<script>alert(1)</script><img src=x onerror="alert(2)">\'"`</style></pre><a href="javascript:alert(3)">x</a>'
ESCAPES = '\x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.example\x07link\x9b31m\x08\x7f\r\u2028\u202e\u2066\u200b\ufeff'
COMMANDS = '\n::error file=x::owned\n::set-output name=x::y\n##[error]owned\n'
HOSTILE = f'Hello {MARKUP}{ESCAPES}{COMMANDS}{{{{ 7 * 7 }}}}'
NAMES = [
    'a\ngood.yaml:1:1: forged',
    'b\x1b[2J\x1b]0;owned\x07',
    'c\u202eyaml.exe',
    'd<script>alert(1)<',
    'e\r\t\x7f',
    'f; rm -rf x',
    'g$(reboot)`id`',
    '-h',
    '~',
    ' ',
]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path / 'suite')
    found.cassettes.mkdir(parents=True)
    found.scenarios.mkdir()
    write_schema(found.scenarios / SCHEMA_FILE)
    return found


@pytest.fixture
def hostile(suite: Suite) -> Suite:
    """A suite whose model, tool, title and questions say what nobody should obey, and whose node fails in two ways."""
    return filled(suite, HOSTILE)


def filled(suite: Suite, text: str) -> Suite:
    tool = {'node': 'a', 'functions': [{'name': 'f', 'description': text, 'text': text}]}
    call = {'call': 'f', 'on': 'a', 'with': {text: text}}
    config = {'errands': [{'ask': None}, call, {'send': {'message': text}}]}
    title = text.replace('\n', ' ')
    suite.add('says', said=[text], title=title, question=text, tools=[tool], config=config, why=text)
    suite.add('raises', said=[text], title='It raises', config={'errands': [{'raise': 'ValueError'}]})
    suite.add('fails', model={'outputs': [{'error': {'status': 500, 'message': text}}]}, title='The server fails')
    return suite


def harmless(text: str) -> None:
    """Check that a text holds nothing that a terminal obeys or hides, and no line that is a command to a runner."""
    for line in text.split('\n'):
        assert line.replace('\t', '').isprintable(), line
        assert not line.startswith(('::', '##[')), line


class Page(HTMLParser):
    """The elements of a page and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attributes


def page_of(suite: Suite, path: Path) -> Page:
    run(suite, '--report', path)
    text = path.read_text(encoding='utf-8')
    assert all(character in '\n\t' or character.isprintable() or ord(character) > 0xFF for character in text)
    assert not set(text) & set('\u2028\u202e\u2066\u200b\ufeff')
    for packed in Read(text).texts():
        assert packed.replace('\n', '').replace('\t', '').isprintable(), packed
    return Page(text)


def everything(folder: Path) -> dict[str, bytes | None]:
    """Return all files and folders below a folder, with what is in them."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob('*')}


# -------------------------------------------------------------------------------------------- texts of models and tools


@pytest.mark.parametrize('options', [[], ['-v']])
def test_no_text_of_a_model_or_tool_is_obeyed_by_a_terminal(hostile: Suite, options: list[str]) -> None:
    done = run(hostile, *options)
    assert done.exit_code == 1
    harmless(done.stdout)
    harmless(done.stderr)
    assert '\\x1b[2J' in done.stdout


def test_a_list_of_hostile_titles_is_harmless(hostile: Suite) -> None:
    done = invoke('list', '--scenarios', hostile.scenarios)
    assert len(done.stdout.splitlines()) == 3
    harmless(done.stdout)
    assert done.exit_code == 0


def test_the_json_of_a_run_is_ascii(hostile: Suite) -> None:
    done = run(hostile, '--json')
    assert done.stdout.isascii()
    harmless(done.stdout)
    assert any(HOSTILE.replace('\n', ' ') == item['title'] for item in json.loads(done.stdout)['results'])


def test_no_element_and_no_attribute_of_the_report_is_a_text_of_a_model(hostile: Suite, tmp_path: Path) -> None:
    page = page_of(hostile, tmp_path / 'hostile.html')
    other = page_of(filled(Suite(tmp_path / 'plain'), f'Hello {ESCAPES} plain'), tmp_path / 'plain.html')
    assert page.elements.count('script') == other.elements.count('script')
    assert set(page.elements) == set(other.elements)
    assert {name for name, _ in page.attributes} == {name for name, _ in other.attributes}
    assert not [name for name, _ in page.attributes if name.startswith('on')]
    assert all((value or '').startswith('#') for name, value in page.attributes if name == 'href')


def test_pytest_shows_hostile_texts_harmlessly(pytester: pytest.Pytester) -> None:
    suite = Suite(pytester.path)
    suite.add('says', said=[HOSTILE], title=HOSTILE.replace('\n', ' '))
    done = pytester.runpytest_subprocess('-p', 'no:cacheprovider', f'--react-node={ERRANDS}', '-v')
    done.assert_outcomes(failed=1)
    harmless(done.stdout.str())
    assert '\\x1b[2J' in done.stdout.str()


def test_a_store_of_hostile_texts_is_ascii_and_its_difference_harmless(hostile: Suite, tmp_path: Path) -> None:
    stores = [tmp_path / 'a.jsonl', tmp_path / 'b.jsonl']
    run(hostile, '--results', stores[0])
    hostile.add('says', said=[f'Other {HOSTILE}'], title=HOSTILE.replace('\n', ' '))
    run(hostile, '--results', stores[1])
    assert all(path.read_bytes().isascii() for path in stores)
    for options in ([], ['-v'], ['--json']):
        done = invoke('diff', *stores, *options)
        assert done.exit_code == 1
        harmless(done.stdout)


def test_what_a_server_says_while_it_is_recorded_is_harmless(suite: Suite) -> None:
    suite.add('asks', recorded=True)
    reply = json.dumps({'error': {'message': HOSTILE}}).encode()
    for answer in (Raw(reply, 500), Raw(HOSTILE.encode(), 500), Raw(HOSTILE.encode()), chat_completion(HOSTILE)):
        with ChatServer(answer) as server:
            done = verb(suite, 'record', '--model', 'small', '--base-url', server.base_url, 'asks')
        harmless(done.stdout)
        harmless(done.stderr)
    assert done.exit_code == 0


def test_a_drift_of_hostile_texts_is_harmless(suite: Suite) -> None:
    suite.add('asks', recorded=True, question=HOSTILE)
    with ChatServer(chat_completion(HOSTILE)) as server:
        assert verb(suite, 'record', '--model', 'small', '--base-url', server.base_url, 'asks').exit_code == 0
    suite.add('asks', recorded=True, question=f'Other {HOSTILE} {HOSTILE}')
    for words in (['run'], ['lint'], ['accept-drift', '--model', 'small', 'asks', '--reason', HOSTILE], ['run']):
        done = verb(suite, *words)
        harmless(done.stdout)
        harmless(done.stderr)
    assert 'not judged' not in done.stdout


def verb(suite: Suite, name: str, *words: str | Path) -> Any:
    folders = ['--scenarios', suite.scenarios, '--cassettes', suite.cassettes, '--node', ERRANDS]
    return invoke(name, *folders, *words)


# ------------------------------------------------------------------------------------------------------ names of files


def test_files_with_hostile_names_are_told_a_line_each(suite: Suite) -> None:
    for name in NAMES:
        suite.add('good').rename(suite.scenarios / 'loop' / f'{name}.yaml')
        (suite.cassettes / f'{name}2').mkdir()
        (suite.cassettes / f'{name}2' / 'small.yaml').write_text('x')
    done = verb(suite, 'lint')
    assert done.exit_code == 1
    harmless(done.output)
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith('good.yaml:1:1: forged')]
    assert len([line for line in lines if 'no scenario uses this cassette' in line]) == len(NAMES)
    for words in (['run'], ['list'], ['run', 'b*'], ['coverage']):
        done = invoke(*words, '--scenarios', suite.scenarios)
        assert done.exit_code in (1, 2)
        harmless(done.output)


def test_a_hostile_name_of_a_model_is_no_name(suite: Suite) -> None:
    suite.add('asks', recorded=True)
    (suite.cassettes / 'asks').mkdir()
    for name in [*NAMES, '..', 'a..b', '.hidden']:
        for hidden in (suite.cassettes / 'asks').iterdir():
            hidden.unlink()
        (suite.cassettes / 'asks' / f'{name}.yaml').write_text('x')
        for words in (['run'], ['list'], ['lint']):
            done = verb(suite, *words) if words != ['list'] else listed(suite)
            harmless(done.output)
            assert name.startswith('.') or done.exit_code == (1 if words == ['lint'] else 2), (name, done.output)


def listed(suite: Suite) -> Any:
    return invoke('list', '--scenarios', suite.scenarios, '--cassettes', suite.cassettes)


def test_pytest_shows_files_with_hostile_names_harmlessly(pytester: pytest.Pytester) -> None:
    suite = Suite(pytester.path)
    for name in NAMES[:5]:
        suite.add('good').rename(suite.scenarios / 'loop' / f'{name}.yaml')
    done = pytester.runpytest_subprocess('-p', 'no:cacheprovider', f'--react-node={ERRANDS}')
    assert done.ret != 0
    shown = done.stdout.str()
    harmless(shown)
    assert shown.count('the file is called') == 5
    assert 'ERROR scenarios/loop/b\\x1b[2J\\x1b]0;owned\\a.yaml' in shown


# ----------------------------------------------------------------------------------- nothing outside the target folder

PATHS = [
    '../x',
    '../../x',
    '/etc/x',
    'a/../../x',
    'a/b',
    '..',
    '.',
    '',
    'C:\\x',
    '\\\\host\\x',
    '~/x',
    'a\0b',
    'x' * 300,
]


@pytest.mark.parametrize('name', PATHS)
def test_no_id_and_no_model_leads_out_of_the_folder(suite: Suite, name: str) -> None:
    suite.add('asks', recorded=True)
    before = everything(suite.folder.parent)
    with ChatServer(chat_completion('Hello.')) as server:
        for words in (
            ['record', '--base-url', server.base_url, '--model', name, 'asks'],
            ['accept-drift', '--model', name, 'asks'],
        ):
            done = verb(suite, *words)
            assert done.exit_code in (1, 2), done.output
            harmless(done.output)
        with pytest.raises(CassetteError), recording(cassette_path(suite.cassettes, name, 'small')):
            pass
    assert everything(suite.folder.parent) == before


@pytest.mark.parametrize('name', PATHS)
def test_a_scenario_with_a_path_for_an_id_or_family_is_refused(suite: Suite, name: str) -> None:
    suite.add('asks', id=name)
    suite.add('says', family='loop')
    suite.write('loop', 'other', (suite.scenarios / 'loop' / 'says.yaml').read_text().replace('family: loop', 'x: 1'))
    before = everything(suite.folder.parent)
    done = run(suite, '--results', suite.folder / 'new.jsonl')
    assert done.exit_code == 2
    harmless(done.output)
    assert everything(suite.folder.parent) == before


def test_a_link_to_a_folder_elsewhere_is_not_written_through(suite: Suite, tmp_path: Path) -> None:
    suite.add('asks', recorded=True)
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    (suite.cassettes / 'asks').symlink_to(elsewhere)
    with ChatServer(chat_completion('Hello.')) as server:
        done = verb(suite, 'record', '--model', 'small', '--base-url', server.base_url, 'asks')
    assert done.exit_code == 1
    assert 'a symbolic link leads out of' in done.stdout
    assert list(elsewhere.iterdir()) == []


def test_a_link_in_the_place_of_a_file_is_replaced_and_its_target_left_alone(suite: Suite, tmp_path: Path) -> None:
    suite.add('asks', recorded=True)
    target = tmp_path / 'target'
    target.write_text('precious')
    (suite.cassettes / 'asks').mkdir()
    path = suite.cassettes / 'asks' / 'small.yaml'
    schema = suite.scenarios / SCHEMA_FILE
    schema.unlink()
    for link in (path, schema):
        link.symlink_to(target)
    with ChatServer(chat_completion('Hello.')) as server:
        done = verb(suite, 'record', '--model', 'small', '--base-url', server.base_url, 'asks')
    assert done.exit_code == 0, done.output
    assert invoke('schema', '--write', '--scenarios', suite.scenarios).exit_code == 0
    assert target.read_text() == 'precious'
    assert not path.is_symlink()
    assert not schema.is_symlink()


def test_names_in_a_store_of_strangers_lead_nowhere(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.add('says')
    stores = [tmp_path / 'a.jsonl', tmp_path / 'b.jsonl']
    run(suite, '--results', stores[0])
    head, line = map(json.loads, stores[0].read_text().splitlines())
    lines = []
    for name in [*PATHS, *NAMES, HOSTILE]:
        record = line['record'] | {'scenario': name, 'model': name, 'node': name}
        lines.append(line | {'record': record, 'problem': HOSTILE, 'findings': [finding(name)]})
    stores[1].write_text('\n'.join(json.dumps(one) for one in (head, *lines)) + '\n')
    folder = tmp_path / 'here'
    folder.mkdir()
    before = everything(tmp_path)
    monkeypatch.chdir(folder)
    outcomes = [
        invoke('diff', *stores),
        invoke('diff', stores[1], stores[0], '-v'),
        invoke('accept', stores[1], '--baseline', 'base.jsonl', '--not-judged'),
        run(suite, '--baseline', 'base.jsonl'),
    ]
    for done in outcomes:
        harmless(done.output)
    after = everything(tmp_path)
    assert after.keys() - before.keys() <= {'here/base.jsonl'}
    assert {name: after[name] for name in before} == before


def finding(name: str) -> dict[str, Any]:
    return {'loc': ['expect', name], 'message': HOSTILE, 'expected': HOSTILE, 'actual': {HOSTILE: HOSTILE}}
