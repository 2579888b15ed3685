"""Verdicts about a model: forms, flags and outcomes, taken from what passed the doors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from harness.grammar import Form, read_turn
from harness.record import Failure, Offered, RunRecord, ToolCall, Turn
from harness.verdicts.library import GaveUp, LibraryParser, NoLibrary
from harness.verdicts.turns import Flag, Outcome, fits, outcome_of, turn_verdicts

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q'], 'additionalProperties': False}
OFFERED = (
    Offered(agent='agent', tool='search', input_schema=SCHEMA),
    Offered(agent='agent', tool='now', input_schema={'type': 'object'}),
)
CALL = 'Thought: x\nAction: search\nAction Input: {"q": "a"}'
ANSWER = 'Thought: I can answer without using any more tools.\nAnswer: 5'


def run(*outputs: str | None, **changes: Any) -> RunRecord:
    turns = tuple(
        Turn(agent='agent', index=n, prompt='p', stop=('Observation:',), output=output, finish_reason='stop')
        for n, output in enumerate(outputs)
    )
    fields: dict[str, Any] = {'scenario': 'a', 'node': 'n', 'turns': turns, 'offered': OFFERED}
    return RunRecord(**{**fields, **changes})


def flags(*outputs: str) -> tuple[Flag, ...]:
    """The flags of the last turn."""
    return turn_verdicts(run(*outputs))[-1].flags


REACHED = (ToolCall(agent='agent', tool='search', input={'q': 'a'}, turn=0, output='5'),)


# ---------------------------------------------------------------------------------------------------------------- flags


def test_a_canonical_call_of_a_known_tool_has_no_flag() -> None:
    assert flags(CALL) == ()


@pytest.mark.parametrize(
    ('output', 'flag'),
    [
        (f'{CALL}\nAction: now\nAction Input: {{}}', Flag.SEVERAL_STEPS),
        ('I searched the register and found 5.', Flag.NARRATED_TOOL_USE),
        ('Thought: x\nAction: find\nAction Input: {"q": "a"}', Flag.UNKNOWN_TOOL),
        ('Thought: x\nAction: search\nAction Input: {"q": 5}', Flag.INVALID_ARGUMENTS),
        ('Thought: x\nAction: search\nAction Input: {"q": "a", "n": 5}', Flag.INVALID_ARGUMENTS),
        ('Thought: x\nAction: search\nAction Input: {}', Flag.INVALID_ARGUMENTS),
        (f'<think>hm</think>\n{CALL}', Flag.REASONING_BLOCK),
        ('{"name": "search", "arguments": {"q": "a"}}', Flag.FOREIGN_CALL),
    ],
)
def test_each_flag_is_seen_alone(output: str, flag: Flag) -> None:
    assert flags(output) == (flag,)


def test_an_observation_that_the_model_makes_up_is_narrated_as_well() -> None:
    assert flags(f'{CALL}\nObservation: 5') == (Flag.WROTE_OBSERVATION, Flag.NARRATED_TOOL_USE)


def test_what_a_real_call_gave_may_be_told() -> None:
    told = run(CALL, 'I searched the register and found 5.', calls=REACHED)

    assert turn_verdicts(told)[-1].flags == ()


def test_the_same_call_again_is_a_repeated_one_and_another_input_is_not() -> None:
    assert flags(CALL, CALL) == (Flag.REPEATED_CALL,)
    assert flags(CALL, CALL.replace('"a"', '"b"')) == ()


def test_an_unreadable_input_is_malformed_and_its_arguments_are_not_judged() -> None:
    verdict = turn_verdicts(run('Thought: x\nAction: search\nAction Input: a'))[0]

    assert (verdict.form, verdict.flags) == (Form.MALFORMED, ())


def test_a_turn_that_the_budget_of_tokens_cut_off_is_truncated() -> None:
    turn = Turn(agent='agent', index=0, prompt='p', stop=None, output='I think', finish_reason='length')

    assert turn_verdicts(run(turns=(turn,)))[0].flags == (Flag.TRUNCATED,)


def test_a_call_that_failed_at_the_model_is_no_turn() -> None:
    turn = Turn(agent='agent', index=0, prompt='p', stop=None, error=Failure(type='RateLimitError', message=''))

    assert turn_verdicts(run(turns=(turn,))) == ()


def test_child_agents_are_judged_by_their_own_tools() -> None:
    child = Turn(agent='child', index=0, prompt='p', stop=None, output=CALL)

    assert turn_verdicts(run(turns=(child,)))[0].flags == (Flag.UNKNOWN_TOOL,)


def test_a_schema_that_is_none_asks_for_nothing() -> None:
    assert fits({'q': 1}, None)
    assert fits({'q': 1}, {'type': 'no such type'})
    assert not fits({'q': 1}, SCHEMA)


# ------------------------------------------------------------------------------------------------------------ outcomes


@pytest.mark.parametrize(
    ('record', 'outcome'),
    [
        (run(CALL, ANSWER, calls=REACHED), Outcome.GROUNDED),
        (run(ANSWER), Outcome.UNGROUNDED),
        (run('It is 5.'), Outcome.UNGROUNDED),
        (run(CALL, 'It is 5.', calls=REACHED), Outcome.GROUNDED),
        (run('Thought: x\nAction: search\nAction Input: a'), Outcome.MALFORMED_ANSWER),
        (run(CALL, '{"name": "search", "arguments": {}}', calls=REACHED), Outcome.MALFORMED_ANSWER),
        (run(*[CALL] * 10, calls=REACHED), Outcome.EXHAUSTED),
        (run(None), Outcome.EMPTY),
        (run(CALL, '', calls=REACHED), Outcome.EMPTY),
        (run(ANSWER, payload={'stack': [{'kind': 'RocketRide.agent.guard.v1'}]}), Outcome.GUARD),
        (run(ANSWER, raised=Failure(type='ValueError', message='x')), Outcome.ERROR),
        (run(), Outcome.INFRASTRUCTURE),
    ],
)
def test_a_run_has_the_outcome_that_the_doors_show(record: RunRecord, outcome: Outcome) -> None:
    assert outcome_of(record) is outcome


@pytest.mark.parametrize(
    ('error', 'outcome'),
    [
        ('RateLimitError', Outcome.INFRASTRUCTURE),
        ('APITimeoutError', Outcome.INFRASTRUCTURE),
        ('InternalServerError', Outcome.INFRASTRUCTURE),
        ('BadRequestError', Outcome.ERROR),
    ],
)
def test_what_is_not_the_fault_of_the_model_is_infrastructure(error: str, outcome: Outcome) -> None:
    failed = Turn(agent='agent', index=0, prompt='p', stop=None, error=Failure(type=error, message='x'))

    assert outcome_of(run(turns=(failed,))) is outcome


def test_a_run_that_could_not_be_judged_says_nothing_about_the_model() -> None:
    assert outcome_of(run(CALL, ANSWER, calls=REACHED), problem='the replay drifted') is Outcome.INFRASTRUCTURE


# ------------------------------------------------------------------------------------------------- the library's parser

CORRUPT = [
    # measured on llama-index-core 0.14: arguments are lost, cut off, or of another step
    "Thought: x\nAction: search\nAction Input: {'q': 'it's', 'n': 3}",
    'Thought: x\nAction: web search\nAction Input: {"q": "a"}',
    'Thought: x\nAction: search\nAction Input: a\nThought: y\nAction: now\nAction Input: {"z": 1}',
]
FAITHFUL = [CALL, ANSWER, 'It is 5.', 'Thought: x\nAction: search\nAction Input: rome']


@pytest.fixture(scope='module')
def library() -> Any:
    with LibraryParser() as parser:
        yield parser


@pytest.mark.parametrize('output', CORRUPT)
def test_the_library_would_run_something_else_than_was_written(library: LibraryParser, output: str) -> None:
    assert library.would_corrupt(output, read_turn(output, {'search': True, 'now': False, 'web search': True}))


@pytest.mark.parametrize('output', FAITHFUL)
def test_the_library_runs_what_was_written_or_nothing(library: LibraryParser, output: str) -> None:
    assert not library.would_corrupt(output, read_turn(output, {'search': True, 'now': False}))


def test_a_text_that_the_library_takes_for_ever_over_is_given_up_and_the_next_one_is_read() -> None:
    endless = 'Thought: x\nAction: ' + 'a ' * 40_000 + '\nAction Input: {'
    with LibraryParser(limit_s=0.5) as parser:
        parser.call_in(CALL)
        with pytest.raises(GaveUp, match=r'more than 0\.5 s'):
            parser.call_in(endless)
        assert parser.would_corrupt(endless, read_turn(endless, {}))
        assert parser.call_in(ANSWER) is None


def test_a_number_is_no_truth_value_although_python_calls_them_equal(library: LibraryParser) -> None:
    written = 'Thought: x\nAction: now\nAction Input: {"n": 1}'
    reading = read_turn(written, {'now': False})

    assert not library.would_corrupt(written, reading)
    assert library.would_corrupt(written, reading.model_copy(update={'input': {'n': True}}))


def test_a_text_is_asked_once() -> None:
    with LibraryParser() as parser:
        first = parser.call_in(CALL)
        parser.close()
        assert parser.call_in(CALL) == first
        assert not parser.is_running


def interpreter(folder: Path, text: str) -> str:
    """A Python of which the first import of llama-index does what `text` says."""
    package = folder / 'llama_index'
    package.mkdir()
    (package / '__init__.py').write_text(text)
    script = folder / 'python'
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return str(script)


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('raise ImportError("built for another system")', 'ImportError: built for another system'),
        ('import os; os._exit(3)', 'its import ended the process'),
    ],
)
def test_without_the_library_nobody_is_asked_and_the_reason_is_told(tmp_path: Path, text: str, reason: str) -> None:
    with (
        LibraryParser(python=interpreter(tmp_path, text)) as parser,
        pytest.raises(NoLibrary, match=f'llama-index cannot be imported: {reason}'),
    ):
        parser.would_corrupt(CALL, read_turn(CALL, {'search': True}))


def test_what_the_library_would_corrupt_is_a_flag_of_the_turn_where_it_is_asked(library: LibraryParser) -> None:
    told = run('Thought: x\nAction: web search\nAction Input: {"q": "a"}')

    assert turn_verdicts(told)[0].flags == (Flag.UNKNOWN_TOOL,)
    assert turn_verdicts(told, library.would_corrupt)[0].flags == (Flag.UNKNOWN_TOOL, Flag.PARSER_WOULD_CORRUPT)
