from __future__ import annotations

from typing import Any

import pytest
from node_host import ANSWER, CALL, NODE, PLATFORM, Host, ask, box, started

assert NODE  # the engine's library is found with it
from agent_llamaindex.config import NodeConfig, is_on  # noqa: E402


def config(**values: Any) -> NodeConfig:
    return started(**values).agent.config


# ---------------------------------------------------------------------------------------------------- require_tool_call


@pytest.mark.parametrize('value', [True, 'true', 'True', 'TRUE', ' true ', '1', 1, 1.0, 'yes', 'YES', 'on', 'On\n'])
def test_true_one_yes_and_on_turn_the_guard_on_in_any_case(value: Any) -> None:
    assert is_on(value) is True


OFF = [
    False, 'false', 'FALSE', '0', 0, 'no', 'No', 'off', None, '', ' ', 'maybe', 'y', 't', 'enabled', 'truthy', 2, -1,
    float('nan'), [], [True], {'on': True}, object(),
]  # fmt: skip


@pytest.mark.parametrize('value', OFF, ids=repr)
def test_anything_else_turns_the_guard_off(value: Any) -> None:
    assert is_on(value) is False


@pytest.mark.parametrize(('value', 'reason'), [('On', 'guard'), ('off', 'answer'), (True, 'guard'), (None, 'answer')])
def test_the_guard_is_what_the_pipeline_file_says(value: Any, reason: str) -> None:
    assert ask(Host(ANSWER, tools=box()), require_tool_call=value)['meta']['stop_reason'] == reason


# --------------------------------------------------------------------------------------------------------- instructions


@pytest.mark.parametrize(
    ('value', 'lines'),
    [
        (None, ()),
        ([], ()),
        ('', ()),
        (0, ()),
        (False, ()),
        ({}, ()),
        ('Be brief.', ('Be brief.',)),
        ('Be brief.\nBe kind.', ('Be brief.\nBe kind.',)),
        (['Be brief.', 'Be kind.'], ('Be brief.', 'Be kind.')),
        (('Be brief.',), ('Be brief.',)),
        (['  Be brief. \n', '', ' ', None], ('Be brief.',)),
        ([5, 1.5, True], ('5', '1.5', 'True')),
        ([['Be brief.', 'ü'], {'do': 'ü'}], ('["Be brief.", "ü"]', '{"do": "ü"}')),
        ({'do': 'it'}, ('{"do": "it"}',)),
        (5, ('5',)),
        (['half \ud83d'], ('half \ufffd',)),
        (['{0} {x} {{y}} %s'], ('{0} {x} {{y}} %s',)),
    ],
    ids=repr,
)
def test_instructions_are_texts_whatever_was_written(value: Any, lines: tuple[str, ...]) -> None:
    assert NodeConfig.of({'instructions': value}).instructions == lines


def test_a_single_text_is_one_instruction_and_not_one_for_each_character() -> None:
    host = Host(ANSWER, tools=box())
    ask(host, instructions='Be brief.')
    assert host.prompts[0].count('\n- ') == 1


# ---------------------------------------------------------------------------------------------------------- description


@pytest.mark.parametrize(
    ('value', 'text'),
    [(None, ''), ('', ''), (' \n', ''), ('  Knows boxes. ', 'Knows boxes.'), (5, '5'), (['a'], '["a"]'), (False, '')],
)
def test_the_agent_description_is_a_text_whatever_was_written(value: Any, text: str) -> None:
    assert NodeConfig.of({'agent_description': value}).agent_description == text


# --------------------------------------------------------------------------------------------------------- the platform


def test_nothing_has_to_be_set() -> None:
    assert config() == NodeConfig()
    assert NodeConfig() == NodeConfig('', (), False)


def test_a_setting_at_the_top_counts() -> None:
    assert config(agent_description='a', instructions=['b'], require_tool_call='yes') == NodeConfig('a', ('b',), True)


def test_a_setting_that_is_null_leaves_the_default() -> None:
    assert config(agent_description=None, instructions=None, require_tool_call=None) == NodeConfig()


def test_a_setting_of_the_profile_counts() -> None:
    assert config(profile='default', default={'instructions': ['b']}).instructions == ('b',)


def test_a_profile_that_does_not_exist_is_an_error_when_the_node_starts() -> None:
    with pytest.raises(Exception, match='other'):
        started(profile='other')


def test_lists_of_the_engine_are_read_like_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    from ai.common.config import Config

    given = PLATFORM.json({'instructions': ['Be brief.', ['ü']]})
    monkeypatch.setattr(Config, 'getNodeConfig', lambda *_: {'instructions': given['instructions']})
    assert config().instructions == ('Be brief.', '["ü"]')


def test_an_agent_keeps_the_configuration_it_started_with() -> None:
    values = {'instructions': ['Be brief.']}
    shared = started(**values)
    values['instructions'].append('Be kind.')
    assert shared.agent.config.instructions == ('Be brief.',)
    with pytest.raises(AttributeError):
        shared.agent.config.require_tool_call = True


def test_two_nodes_with_two_configurations_do_not_meet() -> None:
    strict, loose = started(require_tool_call=True), started(instructions=['Be brief.'])
    assert strict.agent.config == NodeConfig('', (), True)
    assert loose.agent.config == NodeConfig('', ('Be brief.',), False)
    assert ask(Host(CALL, ANSWER, tools=box()))['meta']['stop_reason'] == 'answer'
