"""The parts of the scorecard: spans of a turn, signatures of failures, packed texts, badges, words."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.grammar import Form
from harness.metrics.statistics import Rate
from harness.scorecard.badges import Badge, count_badge, file_name, share_badge, shields, svg, told_apart, write_badges
from harness.scorecard.pack import CHUNK, Chunks, Pool, as_json, packed, shown, unpacked
from harness.scorecard.signatures import Clusters, normalised
from harness.scorecard.spans import spans
from harness.scorecard.words import FLAGS, FORMS, OUTCOMES, PUBLISHED
from harness.secrets import Guard, SecretFound
from harness.show.visible import visible
from harness.verdicts.turns import Flag, Outcome

TOOLS = {'places.find': True}
GUARD = Guard()
DOCS = Path(__file__).parent.parent / 'docs'


def looks(output: str) -> list[tuple[str, str]]:
    return [(look, text.strip()) for look, text in spans(output, TOOLS) if text.strip()]


# ---------------------------------------------------------------------------------------------------------------- spans


LINES = [
    'Thought: x', 'Action: places.find', 'Action Input: {"a": 1}', 'Answer: 4', 'Observation: y', '<think>', '</think>',
    '```', ' ', 'words', '\r', '{',
]  # fmt: skip


@given(st.text(max_size=400) | st.lists(st.sampled_from(LINES), max_size=12).map('\n'.join))
def test_the_pieces_of_a_turn_are_the_turn(output: str) -> None:
    assert ''.join(text for _, text in spans(output, TOOLS)) == output


def test_a_call_has_its_labels_thought_action_and_input() -> None:
    found = looks('Thought: I look.\nAction: places.find\nAction Input: {"q": "a"}')

    assert found == [
        ('label', 'Thought:'),
        ('thought', 'I look.'),
        ('label', 'Action:'),
        ('action', 'places.find'),
        ('label', 'Action Input:'),
        ('input', '{"q": "a"}'),
    ]


def test_what_is_behind_the_call_is_ignored() -> None:
    found = looks('Thought: a\nAction: places.find\nAction Input: {"q": 1}\nObservation: made up\nAnswer: no')

    assert [text for look, text in found if look == 'ignored'] == ['Observation: made up\nAnswer: no']
    assert 'answer' not in dict(found)


def test_text_behind_the_object_of_an_input_is_ignored_where_the_input_can_be_read() -> None:
    assert looks('Action: places.find\nAction Input: {"q": 1} and so on')[-1] == ('ignored', 'and so on')


def test_nothing_of_an_input_that_cannot_be_read_is_ignored() -> None:
    found = looks('Thought: a\nAction: places.find\nAction Input: {"q": 1}, {"q": 2}')

    assert found[-1] == ('input', '{"q": 1}, {"q": 2}')


def test_an_answer_ends_where_another_step_begins() -> None:
    found = looks('Thought: a\nAnswer: 41\nThought: b\nAnswer: 42')

    assert ('answer', '41') in found
    assert found[-1] == ('ignored', 'Thought: b\nAnswer: 42')


def test_reasoning_is_marked_and_plain_text_has_no_label() -> None:
    assert looks('<think>hm</think>\nIt is four.') == [('reasoning', '<think>hm</think>'), ('text', 'It is four.')]


# ----------------------------------------------------------------------------------------------------------- signatures


def test_turns_that_differ_in_numbers_case_and_tools_have_one_signature() -> None:
    first = normalised('Action: places.find\nAction Input: 12,5', ['places.find'])
    second = normalised('action:   stock.count\nACTION INPUT: 7', ['stock.count'])

    assert first == second == 'action: TOOL action input: #'


def test_a_long_thought_does_not_hide_the_action_below_it() -> None:
    assert 'action: none' in normalised('Thought: ' + 'word ' * 200 + '\nAction: none', [])


def test_the_most_frequent_signatures_come_first_with_their_models_and_an_example() -> None:
    clusters = Clusters()
    for run in range(3):
        clusters.add('malformed', 'b', 1, run, 2)
    clusters.add('empty', '', 0, 9, 1)
    found, runs, more = clusters.most()

    assert [(item.kind, item.count, item.models, item.example) for item in found] == [
        ('malformed', 3, {1: 3}, (0, 2)),
        ('empty', 1, {0: 1}, (9, 1)),
    ]
    assert runs == [[0, 1, 2], [9]]
    assert more == 0


# -------------------------------------------------------------------------------------------------------------- packing

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_is_packed_comes_out_again(value: Any) -> None:
    assert unpacked(packed(as_json(value), GUARD, 'here')) == value


@given(VALUES)
def test_json_in_the_page_holds_nothing_that_html_would_read(value: Any) -> None:
    text = as_json(value)

    assert text.isascii()
    assert not set('<>&') & set(text)
    assert json.loads(text) == value


@given(st.text(max_size=300))
def test_a_shown_text_is_the_visible_text_with_its_spelled_characters_apart(text: str) -> None:
    found = shown(text)
    joined = found if isinstance(found, str) else ''.join(found)

    assert joined == visible(text)
    if isinstance(found, list):
        assert all(re.fullmatch(r'(?:\\(?:[rvfba0]|x..|u....|U.{8}))+', hidden) for hidden in found[1::2])


def test_a_text_is_stored_once_and_found_by_its_number() -> None:
    pool = Pool(GUARD)
    texts = [f'{number} ' * 100 for number in range(40)]
    numbers = [pool.put(text) for text in [*texts, *texts]]
    chunks = [unpacked(chunk) for chunk in pool.close()]

    assert numbers == [*range(40), *range(40)]
    assert [text for chunk in chunks for text in chunk] == texts


def test_a_short_text_stands_where_it_is_used() -> None:
    assert Pool(GUARD).put('short') == 'short'


def test_chunks_are_bounded_and_tell_where_a_value_is() -> None:
    chunks = Chunks(GUARD, 'here')
    places = [chunks.add('x' * (CHUNK // 3)) for _ in range(7)]
    chunks.close()
    found = [unpacked(chunk) for chunk in chunks.packed]

    assert [len(chunk) for chunk in found] == [2, 2, 2, 1]
    assert all(found[chunk][at] == 'x' * (CHUNK // 3) for chunk, at in places)


def test_the_first_texts_of_the_chunks_are_told_by_their_numbers() -> None:
    pool = Pool(GUARD)
    for number in range(80):
        pool.put(f'{number:04} ' * 2_000)
    sizes = [len(unpacked(chunk)) for chunk in pool.close()]

    assert pool.starts() == [sum(sizes[:at]) for at in range(len(sizes))]


def test_what_looks_like_a_key_is_not_packed() -> None:
    with pytest.raises(SecretFound, match='here'):
        packed(as_json(['sk-' + 'aB3dE5gH7jK9mN1pQ3sT5vW7' * 2]), GUARD, 'here')


# --------------------------------------------------------------------------------------------------------------- badges


def test_a_badge_of_a_rate_tells_its_n() -> None:
    badge = share_badge('strict-a', 'strict a', Rate(value=0.966, low=0.9, high=1, n=412, clusters=40))

    assert badge.message == '97 % (n=412)'


@pytest.mark.parametrize('found', [None, Rate(value=None, low=None, high=None, n=0, clusters=0)])
def test_a_badge_of_nothing_says_that_it_is_missing(found: Rate | None) -> None:
    assert (share_badge('a', 'a', found).message, share_badge('a', 'a', found).tone) == ('missing', 'unknown')
    assert (count_badge('a', 'a', 0, 0).message, count_badge('a', 'a', 0, 0).tone) == ('missing', 'unknown')


def test_a_badge_of_counts_tells_what_was_not_judged_and_is_no_pass_then() -> None:
    assert count_badge('c', 'conformance', 251, 251).message == '251/251'
    assert count_badge('c', 'conformance', 251, 251).tone == 'good'
    assert count_badge('c', 'conformance', 251, 251, 9).message == '251/251, 9 not judged'
    assert count_badge('c', 'conformance', 251, 251, 9).tone == 'fair'
    assert count_badge('c', 'conformance', 250, 251).tone == 'poor'


def test_several_badges_can_stand_in_one_page() -> None:
    ids = [re.findall(r'id="([^"]*)"', svg(count_badge(name, name, 1, 1))) for name in ('strict-a', 'strict-b')]

    assert len(ids[0]) == len(ids[1]) == 1
    assert ids[0] != ids[1]


@given(st.text(max_size=100), st.text(max_size=100))
def test_a_badge_is_xml_whatever_its_texts_are(label: str, message: str) -> None:
    badge = Badge(name='b', label=label, message=message, tone='good')
    root = ET.fromstring(svg(badge))

    assert {element.tag.rpartition('}')[2] for element in root.iter()} <= {
        'svg',
        'title',
        'clipPath',
        'rect',
        'g',
        'text',
    }
    assert 'http' not in svg(badge).replace('http://www.w3.org/2000/svg', '').replace(label, '').replace(message, '')
    assert json.loads(shields(badge))['schemaVersion'] == 1


@given(st.lists(st.sampled_from(['a', 'a-2', 'b', 'a-2-2']), max_size=12))
def test_no_two_badges_have_the_same_files(names: list[str]) -> None:
    badges = [count_badge(name, name, 1, 1) for name in names]
    found = told_apart(badges)

    assert len({badge.name for badge in found}) == len(names)
    assert [badge.label for badge in found] == names
    assert [badge.name for badge in found if names.count(badge.label) == 1 and badge.label == 'b'] in ([], ['b'])


@given(st.text(max_size=200))
def test_the_name_of_a_badge_leads_nowhere(text: str) -> None:
    assert re.fullmatch(r'[a-z0-9][a-z0-9.\-]*|badge', file_name(text))
    assert '..' not in file_name(text) or '/' not in file_name(text)


def test_badges_are_written_as_svg_and_json(tmp_path: Path) -> None:
    written = write_badges([count_badge('conformance', 'conformance', 1, 1)], tmp_path / 'badges')

    assert [path.name for path in written] == ['conformance.svg', 'conformance.json']


# ---------------------------------------------------------------------------------------------------------------- words


def test_every_verdict_has_its_sentence() -> None:
    assert set(FORMS) == set(Form)
    assert set(FLAGS) == set(Flag)
    assert set(OUTCOMES) == set(Outcome)


def test_the_sentences_are_those_of_the_document() -> None:
    plain = re.sub(r'[`*]|\s?\(\[[^\]]*\]\([^)]*\)\)', '', (DOCS / 'verdicts.md').read_text(encoding='utf-8')).lower()
    plain = plain.partition('## the figures')[0]
    told = re.findall(r'^\| (\w+) \| (.*?) (?:\| .*)?\|$', plain, re.MULTILINE)
    for words in (FORMS, FLAGS, OUTCOMES):
        for word, sentence in words.items():
            begins = [re.split(r'[:;,(]', cell)[0].strip() for name, cell in told if name == word]
            assert any(text in sentence.lower() for text in begins), word


def test_what_others_measured_has_its_source() -> None:
    assert all(item.source and item.figure for item in PUBLISHED)
    linked = [item.link for item in PUBLISHED if item.link]
    assert len(linked) == len(set(linked)) >= 3
    assert all(link.startswith('https://') for link in linked)
    assert {item.source.partition(' ')[0] for item in PUBLISHED if item.second_hand} == {
        'AgentBench',
        'ToolScan',
        'ToolFailBench,',
        'IFEval',
    }
