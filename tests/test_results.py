"""The results store: what is written is read back, and anything else is refused with its place."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from example_suite import ERRANDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from scenario_files import json_values, scenario_text, write

from harness import jsonlines, results
from harness.digest import suite_digest
from harness.engine.node import load_node
from harness.expect import Finding
from harness.record import Event, Failure, LaneWrite, RunRecord, ToolCall, Turn
from harness.results import Header, ResultsError, StoredResult, read
from harness.scenario.loading import find_scenarios
from harness.scenario.schema import results_schema

if TYPE_CHECKING:
    from pathlib import Path

HEAD = Header(
    suite='ab' * 32,
    node='agent_llamaindex',
    node_digest='cd' * 32,
    node_files={'IInstance.py': 'ef' * 32},
    platform='stand-in',
    versions={'python': '3.11.2'},
    created=datetime(2025, 1, 2, tzinfo=UTC),
)
DIGESTS: dict[str, Any] = {'family': 'loop', 'level': 'required', 'asked': '1a' * 32, 'expected': '2b' * 32}


def result(scenario: str = 'a', **more: Any) -> StoredResult:
    return StoredResult(record=RunRecord(scenario=scenario, node='agent_llamaindex', **more), **DIGESTS)


FULL = StoredResult(
    **(DIGESTS | {'level': 'hardening'}),
    cassette='3c' * 32,
    record=RunRecord(
        scenario='a',
        node='n',
        model='m',
        epoch=3,
        face='tool',
        turns=(
            Turn(agent='agent', index=0, prompt='é\r\n\u2028', stop=('Observation:',), output=None, latency_s=0.25),
        ),
        calls=(
            ToolCall(
                agent='agent', tool='a.b', input={'q': [1, 1.0, True]}, turn=0, error=Failure(type='E', message='')
            ),
        ),
        events=(Event(agent='agent', type='thinking', data={'message': 'x'}),),
        lane_writes=(LaneWrite(agent='agent', lane='answers', text='x'),),
        payload={'content': 'x', 'deep': [None, {'a': 0.5}]},
        raised=Failure(type='ValueError', message='x'),
        duration_s=1.5,
    ),
    findings=(
        Finding(loc=('expect', 'calls', 0, 'input'), message='m', expected={'a': 1}, actual={'a': 1.0}, diff='-1'),
    ),
    problem='it drifted',
)


def exact(results: list[StoredResult]) -> str:
    """Return results as text in which 1, 1.0 and true are not the same."""
    return json.dumps([result.model_dump() for result in results], default=list, sort_keys=True)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    assert results.write(path, HEAD, [FULL, result('b')]) == 2
    head, stored = read(path)
    assert head == HEAD
    assert exact(list(stored)) == exact([FULL, result('b')])


_text = st.text(st.characters(), max_size=8)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=50)
@given(prompt=_text, payload=json_values, expected=json_values, problem=st.none() | _text)
def test_any_record_is_read_back(tmp_path: Path, prompt: str, payload: Any, expected: Any, problem: str | None) -> None:
    path = tmp_path / 'run.jsonl'
    path.unlink(missing_ok=True)
    turns = (Turn(agent='agent', index=0, prompt=prompt + '\ud800', stop=None),)
    findings = (Finding(loc=('expect',), message=prompt, expected=expected),)
    value = StoredResult(
        record=RunRecord(scenario='a', node='n', turns=turns, payload=payload),
        findings=findings,
        problem=problem,
        **DIGESTS,
    )
    results.write(path, HEAD, [value])
    assert exact(list(read(path)[1])) == exact([value])


def test_each_result_is_one_line_of_ascii_behind_the_header(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [FULL, FULL])
    lines = path.read_bytes().decode('ascii').split('\n')
    assert len(lines) == 4
    assert lines[-1] == ''
    assert json.loads(lines[0]) == {
        'kind': 'react-harness results',
        'version': 3,
        'suite': 'ab' * 32,
        'node': 'agent_llamaindex',
        'node_digest': 'cd' * 32,
        'node_files': {'IInstance.py': 'ef' * 32},
        'platform': 'stand-in',
        'versions': {'python': '3.11.2'},
        'created': '2025-01-02T00:00:00Z',
    }


def test_every_line_fits_the_schema(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [FULL, result('b')])
    validator = Draft202012Validator(results_schema())
    for line in path.read_text().splitlines():
        assert list(validator.iter_errors(json.loads(line))) == []


def test_results_are_appended_and_nothing_before_them_changes(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [result('a')])
    before = path.read_bytes()
    later = HEAD.model_copy(update={'created': datetime(2026, 1, 1, tzinfo=UTC)})
    results.write(path, later, [result('b')])
    assert path.read_bytes().startswith(before)
    head, stored = read(path)
    assert head == HEAD
    assert [item.record.scenario for item in stored] == ['a', 'b']


def test_a_store_without_results_is_a_store(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    assert results.write(path, HEAD, []) == 0
    assert list(read(path)[1]) == []


def test_a_run_that_is_broken_off_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'

    def runs() -> Any:
        yield result('a')
        yield result('b')
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results.write(path, HEAD, runs())
    assert [item.record.scenario for item in read(path)[1]] == ['a', 'b']


def test_a_store_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [result('a'), result('b')])
    with path.open('a') as file:
        file.write('nonsense\n')
    stored = read(path)[1]
    assert [item.record.scenario for item in itertools.islice(stored, 2)] == ['a', 'b']
    with pytest.raises(ResultsError, match=r'run\.jsonl:4: this is not JSON'):
        next(stored)


def test_a_payload_that_json_cannot_hold_is_written_as_its_repr(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [result(payload={'a': float('nan'), 'b': {1, 2}})])
    (stored,) = read(path)[1]
    assert stored.record.payload == {'a': 'nan', 'b': '{1, 2}'}


@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        ({'suite': 'cd' * 32}, 'this store is of another suite'),
        ({'node': 'other'}, 'this store is of another node'),
        ({'node_digest': '00' * 32}, 'this store is of an earlier state of the node'),
        ({'platform': 'rocketlib'}, 'this store is of another platform'),
        ({'versions': {'python': '3.12.0'}}, 'this store is of other versions'),
    ],
)
def test_results_of_anything_else_are_not_mixed(tmp_path: Path, change: dict[str, Any], expected: str) -> None:
    path = tmp_path / 'run.jsonl'
    results.write(path, HEAD, [result()])
    before = path.read_bytes()
    with pytest.raises(ResultsError, match=expected):
        results.write(path, HEAD.model_copy(update=change), [result()])
    assert path.read_bytes() == before


GOOD = json.dumps(HEAD.model_dump(mode='json')) + '\n'
RECORD = json.dumps({'record': {'version': 1, 'scenario': 'a', 'node': 'n'}} | DIGESTS)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', ':1: the file is empty'),
        ('\n', ':1: this is not JSON'),
        ('[1]\n', ':1: this is no results store'),
        (RECORD + '\n', ':1: this is no results store'),
        (
            GOOD.replace('"version": 3', '"version": 1'),
            ':1: the results store is of version 1, and this program reads version 3: write a new one',
        ),
        (GOOD.replace('"version": 3', '"version": "3"'), ":1: the results store is of version '3'"),
        (GOOD.replace('harness results', 'harness baseline'), ':1: this is no results store: it is of the kind'),
        (GOOD.replace('abab', 'zz'), ':1: suite: '),
        (GOOD.replace('T00:00:00Z', 'T00:00:00'), ':1: created: '),
        (GOOD[:-1], ':1: the line is cut off'),
    ],
)
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(text)
    with pytest.raises(ResultsError) as caught:
        read(path)
    assert str(caught.value).startswith(f'{path}{expected}')


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        (RECORD, 'the line is cut off, as by a run that was broken off'),
        ('\n', 'this is not JSON'),
        ('{"record": NaN}\n', 'this is not JSON: NaN is no number'),
        ('[' * 100_000 + '\n', 'this is not JSON'),
        ('[]\n', 'the line: '),
        ('{}\n', 'record: Field required'),
        (RECORD.replace('"version": 1', '"version": 2') + '\n', 'the run record is of another version'),
        (RECORD.replace('{"record"', '{"more": 1, "record"') + '\n', 'more: Extra inputs'),
        (RECORD.replace('"a"', '3') + '\n', 'record.scenario: '),
    ],
)
def test_a_line_that_is_no_result_is_refused(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(GOOD + RECORD + '\n' + line)
    _, stored = read(path)
    next(stored)
    with pytest.raises(ResultsError) as caught:
        next(stored)
    assert str(caught.value).startswith(f'{path}:3: {expected}')


def test_nothing_is_appended_to_a_line_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / 'run.jsonl'
    path.write_text(GOOD + RECORD)
    with pytest.raises(ResultsError, match=r'run\.jsonl:2: the line is cut off'):
        results.write(path, HEAD, [result()])
    assert path.read_text() == GOOD + RECORD


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match='cannot be read'):
        read(tmp_path / 'none.jsonl')


def test_a_line_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonlines, 'MAX_LINE', 700)
    path = tmp_path / 'run.jsonl'
    path.write_text(GOOD + RECORD + '\n' + ' ' * 701 + '\n')
    _, stored = read(path)
    next(stored)
    with pytest.raises(ResultsError, match=r'run\.jsonl:3: the line is longer than 700 bytes'):
        next(stored)


# ------------------------------------------------------------------------------------------------------------ digest


def digest(root: Path) -> str:
    return suite_digest(find_scenarios(root))


def test_the_digest_of_a_suite_is_what_it_asks_and_expects(tmp_path: Path) -> None:
    write(tmp_path, scenario_text('a'), 'loop/a.yaml')
    write(tmp_path, scenario_text('b', 'Other'), 'loop/b.yaml')
    first = digest(tmp_path)
    assert len(first) == 64
    write(tmp_path, '# a remark\n\n' + scenario_text('b', 'Other'), 'loop/b.yaml')
    write(tmp_path, 'def f(): ...', 'loop/tools.py')
    assert digest(tmp_path) == first
    write(tmp_path, scenario_text('b', 'Other', why='x'), 'loop/b.yaml')
    assert digest(tmp_path) != first
    write(tmp_path, scenario_text('b', 'Other'), 'loop/b.yaml')
    write(tmp_path, scenario_text('c', 'Third'), 'loop/c.yaml')
    assert digest(tmp_path) != first


def test_the_python_tools_of_a_suite_belong_to_its_digest(tmp_path: Path) -> None:
    tools = [{'node': 'a', 'functions': [{'name': 'f', 'calls': [{'python': 'f'}]}]}]
    write(tmp_path, scenario_text('a', tools=tools), 'loop/a.yaml')
    write(tmp_path, 'def f(): return 1\n', 'loop/tools.py')
    first = digest(tmp_path)
    write(tmp_path, 'def f(): return 2\n', 'loop/tools.py')
    assert digest(tmp_path) != first


def test_a_new_header_is_of_now_and_of_the_suite(tmp_path: Path) -> None:
    write(tmp_path, scenario_text('a'), 'loop/a.yaml')
    files = find_scenarios(tmp_path)
    node = load_node(ERRANDS)
    head = results.header(files, node, 'stand-in')
    assert (head.suite, head.node, head.platform) == (suite_digest(files), 'errands', 'stand-in')
    assert 'IInstance.py' in head.node_files
    assert head.versions.keys() >= {'python', 'react-harness'}
    assert head.created.tzinfo is UTC
