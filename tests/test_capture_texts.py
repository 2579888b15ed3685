"""Texts of a capture: whatever somebody wrote, the file says exactly that, and is pleasant to read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from example_suite import ERRANDS
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scenario_files import json_values, scenario_data

from harness.capture.behaviour import Asked, Behaviour, Output, SeenCall, whole
from harness.capture.make import Wanted, capture
from harness.capture.scripts import filled, raises_of, result_of
from harness.capture.yamltext import noted, scenario_text
from harness.engine.node import load_node
from harness.engine.script import Script, exception_of
from harness.engine.threads import TimeLimit
from harness.record import Failure
from harness.scenario import RaisesSpec, Scenario, ToolFunction, compose
from harness.scenario.loading import load_scenario
from harness.scenario.yamlfile import read_yaml

SLOW = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)
FIRST = '# yaml-language-server: $schema=../scenario.schema.json'
SPECIALS = '\n\n\t  :#-\'"|>{}[],&*!%@`\\?~=0123e.+\r\x85\u2028\u202e\ufeff\x00\x1b\x7f\U0001f332aA'

anything = st.text()
without_halves = st.text(st.characters(exclude_categories=['Cs'])) | st.text(alphabet=SPECIALS)
odd = st.sampled_from(
    ['', ' ', 'yes', 'No', '~', 'null', '1e3', '0o17', '12:30:45', '2024-10-15', '010', '=', '<<', '- a']
)
texts = without_halves | odd | st.builds(lambda text, times: text * times, without_halves, st.integers(1, 2_000))


@pytest.fixture(scope='module')
def folder() -> Path:
    return Path(tempfile.mkdtemp()) / 'loop'


def written(folder: Path, data: Any, name: str = 'a-b') -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f'{name}.yaml'
    path.write_text(scenario_text(data, FIRST), encoding='utf-8', newline='')
    return path


@settings(deadline=None, max_examples=300)
@given(text=texts, key=without_halves, value=json_values)
@example(text='a\n b\n', key='1e3', value=1e16)
@example(text='\n', key='', value=-0.0)
@example(text=' a\nb ', key='\n', value=[[], {}, [[]]])
def test_a_file_says_what_was_meant(folder: Path, text: str, key: str, value: Any) -> None:
    data = {'a': text, 'b': {'c': {'d': [text, {'x': text, key + '.': [text]}]}}, 'z': [text, [text], value]}
    document = read_yaml(written(folder, data))

    assert document.problems == ()
    assert document.data == data


@SLOW
@given(data=scenario_data())
def test_any_scenario_is_read_as_it_was_meant(folder: Path, data: dict[str, Any]) -> None:
    assert load_scenario(written(folder, data)).scenario == Scenario.model_validate(data)


@settings(deadline=None)
@given(parts=st.lists(st.tuples(without_halves, st.integers(1, 3_000)), max_size=4))
def test_the_notation_of_a_long_text_stands_for_it(parts: list[tuple[str, int]]) -> None:
    text = ''.join(part * times for part, times in parts)
    assert compose(noted(text)) == text


def test_what_repeats_itself_is_noted_in_short() -> None:
    assert noted('x' * 2_001) == {'repeat': 'x', 'times': 2_001}
    assert noted('Answer: ' + 'lorem ipsum ' * 500 + 'end') == {
        'parts': ['Answer:', {'repeat': ' lorem ipsum', 'times': 500}, ' end']
    }
    assert noted('x' * 2_000) == 'x' * 2_000
    prose = ' '.join(f'word{number}' for number in range(1_000))
    assert noted(prose) == prose


def test_a_file_holds_nothing_that_its_reader_would_not_see(folder: Path) -> None:
    hidden = 'a\u202eb', 'a\u200bb', 'a\x1b[2Jb', 'a\r\nb', 'a\xa0b\u2028c'
    text = written(folder, {'a': list(hidden), 'é': 'Zürich 🌲'}).read_text(encoding='utf-8')

    assert text.isprintable() or set(text) - {'\n'} <= {one for one in text if one.isprintable()}
    assert 'é: Zürich 🌲' in text
    assert read_yaml(folder / 'a-b.yaml').data['a'] == list(hidden)


def test_texts_of_several_lines_are_literal_blocks(folder: Path) -> None:
    text = written(folder, {'a': 'one\n\n  two: x # y\n', 'b': ['one\ntwo'], 'c': 'one \ntwo'}).read_text()

    assert (
        text
        == f"""\
{FIRST}
a: |
  one

    two: x # y
b:
  - |-
    one
    two
c: "one \\ntwo"
"""
    )


# --------------------------------------------------------------------------------------------------- tools, exceptions

failures = st.builds(
    Failure,
    type=st.sampled_from(['KeyError', 'ValueError', 'OSError', 'TimeoutError', 'UnicodeDecodeError', 'OddError']),
    message=without_halves,
)
calls = st.lists(
    st.builds(
        SeenCall,
        tool=st.just('a.f'),
        input=st.sampled_from([{}, {'q': 1}, {'q': 1.0}, {'q': True}, [1]]),
        output=json_values,
        error=st.none() | failures,
    ).map(lambda call: call.model_copy(update={'output': None}) if call.error else call),
    max_size=6,
)


@settings(deadline=None)
@given(calls=calls, by_input=st.booleans())
def test_a_scripted_tool_gives_again_what_its_calls_gave(calls: list[SeenCall], by_input: bool) -> None:
    (node,) = filled([{'node': 'a', 'functions': [{'name': 'f'}]}], calls, by_input=by_input)
    script = Script('f', ToolFunction.model_validate(node['functions'][0]), {})

    for call in calls:
        if call.error is None:
            assert script(call.input) == call.output
        else:
            expected = raises_of(call.error)
            with pytest.raises(BaseException) as raised:
                script(call.input)
            assert type(raised.value).__name__ == expected['type']
            assert str(raised.value) == call.error.message or expected['type'] == 'Exception'


@given(message=without_halves)
def test_a_key_error_has_the_text_again_that_it_had(message: str) -> None:
    failure = Failure(type='KeyError', message=str(KeyError(message)))
    assert str(exception_of(RaisesSpec(**raises_of(failure)))) == failure.message
    assert result_of(SeenCall(tool='a.f', input={}, error=failure)) == {'raises': raises_of(failure)}


# -------------------------------------------------------------------------------------------------------- the whole way


@SLOW
@given(output=anything, question=anything)
@example(output='\ud83c\x00\x1b[2J', question='\ud83c\r\n')
@example(output='Answer: ' + 'x' * 100_000, question=' ' * 5_000)
def test_any_text_is_captured_as_it_is_and_replays(folder: Path, output: str, question: str) -> None:
    errands = {'question': whole(question), 'config': {'errands': [{'ask': None}]}}
    behaviour = Behaviour(
        model=Asked(name='m'),
        outputs=(Output(text=whole(output)),),
        asked=(errands,),
        question=whole(question),
        source='captured from a test',
    )
    root = folder.parent
    wanted = Wanted(id='any-text', family='captured', root=root, cassettes=root / 'cassettes')
    found = capture(behaviour, wanted, load_node(ERRANDS), TimeLimit())

    (folder / 'any-text.yaml').write_text(found.text, encoding='utf-8', newline='')
    scenario = load_scenario(folder / 'any-text.yaml').scenario
    assert scenario.question.text == whole(question)
    answer = scenario.models['m'].answer
    assert answer is not None
    assert answer.equals == found.answer
    assert found.findings == ()
    assert found.remarks == ()
