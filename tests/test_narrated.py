"""Whether a turn tells of tool work that never happened: the rules, the labelled turns, and how the work grows."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.metrics.statistics import wilson
from harness.record import Failure, RunRecord, ToolCall, Turn
from harness.verdicts import narrated, narrated_lines, narrated_prose
from harness.verdicts.narrated import Made, made_before, narration
from harness.verdicts.narrated_prose import LANGUAGES, LONGEST_PIECE

ROOT = Path(__file__).parents[1]
TOOLS = ('web_1.search', 'calc_1.add', 'db_1.query', 'mail_1.send')
SEARCHED, ADDED = Made('web_1.search', "{'query': 'x'}", 'The gallery is open from 10 to 18.'), Made('calc_1.add')


def told(text: str, *calls: Made) -> list[tuple[str, str]]:
    """The kind and the text of each place that narrates."""
    return [(span.kind.value, span.text) for span in narration(text, TOOLS, calls).spans]


# ------------------------------------------------------------------------------------------------------------ the rules


@pytest.mark.parametrize(
    ('text', 'kind', 'place'),
    [
        ('I searched the web and found two.', 'claim', 'I searched'),
        ('Well, I have called calc_1.add for that.', 'claim', 'I have called calc_1.add'),
        ('The tool returned 42.', 'result', 'The tool returned'),
        ('Done. I have sent the mail to her.', 'deed', 'I have sent the mail'),
        ('search("x") -> 3 hits', 'transcript', 'search("x") -> 3 hits'),
        ('Action: web_1.search\nObservation: three hits', 'observation', 'Observation: three hits'),
        ('Ich habe im Internet gesucht.', 'claim', 'Ich habe im Internet gesucht'),
        ("L'outil a renvoyé 42.", 'result', "L'outil a renvoyé"),
        ('数据库返回了118条记录。', 'result', '数据库返回'),
        ('ウェブで検索したところ、1932年でした。', 'claim', '検索したところ'),
    ],
)
def test_a_place_is_told_with_its_kind_and_words(text: str, kind: str, place: str) -> None:
    assert told(text) == [(kind, place)]


def test_a_place_knows_where_it_stands_and_in_which_language() -> None:
    text = 'Gut.\n\nDas Werkzeug hat 42 zurückgegeben.'
    (span,) = narration(text, TOOLS).spans

    assert (span.start, text[span.start : span.end], span.language) == (6, span.text, 'de')


def test_a_general_claim_is_accounted_for_by_any_call() -> None:
    assert told('I searched the web.')
    assert not told('I searched the web.', ADDED)


def test_a_claim_about_a_tool_is_accounted_for_by_a_call_of_that_tool_only() -> None:
    assert not told('I have called calc_1.add.', ADDED)
    assert told('I have called calc_1.add.', SEARCHED)
    assert told('I used the search tool.', ADDED)
    assert not told('I used the search tool.', SEARCHED)


def test_the_search_tool_can_be_any_tool_that_searches() -> None:
    tools, text = ('web_1.search', 'docs_1.search'), 'I used the search tool.'

    assert not narration(text, tools, [Made('docs_1.search')]).narrates
    assert narration(text, tools, [ADDED]).narrates


def test_a_call_of_another_tool_that_is_named_too_is_not_enough() -> None:
    assert told('I used web_1.search and then calc_1.add.', ADDED)


def test_an_observation_that_the_turn_writes_itself_is_true_only_where_a_tool_gave_it() -> None:
    turn = 'Action: web_1.search\nObservation: {}'

    assert not told(turn.format('The gallery  is open\nfrom 10 to 18.'), SEARCHED)
    assert told(turn.format('The gallery is closed.'), SEARCHED)


@pytest.mark.parametrize(
    'told_by_host', ['tool response', '...', '[result]', '<the result>', 'the result of the action']
)
def test_a_placeholder_is_no_observation(told_by_host: str) -> None:
    assert not told(f'Thought: x\nAction: web_1.search\nObservation: {told_by_host}')


@pytest.mark.parametrize(
    'text',
    [
        'Thought: I can answer without using any more tools.\nAnswer: 5',
        'I will search the web.',
        'If I had searched the web, I would know.',
        'I did not search the web.',
        'You can search the web; the search returns ten hits.',
        'I cannot access the database.',
        'Did I search the web?',
        'You said that you searched the web.',
        'She wrote that the tool returned an error.',
        'He could write "I searched the web and found two" there.',
        'I know that it is 5.',
        'After running the query, you will see the number.',
        'I used to search for shells.',
        'The following query returns the names.',
        'Observation: plants grow faster in light. Conclusion: light matters.',
        'Here is a draft:\nDear Ms Lopes,\nI have sent the report by mail.\nThe tool returned 42.',
        '<think>I searched the web and found it.</think>\nIt is 5.',
        'Action: mail_1.send\nAction Input: {"body": "I searched the web",\n "note": "the tool returned 42"}',
        '```python\ndef search(q):\n    """I searched the web."""\n```',
        'def search(query: str = "x") -> list: ...',
    ],
)
def test_what_only_looks_like_it_is_none(text: str) -> None:
    assert told(text) == []


def test_a_turn_in_a_fence_is_read_and_other_code_is_not() -> None:
    assert told('```\nThought: I searched the web.\nAnswer: 5\n```')
    assert not told('```\nI searched the web.\n```')


def test_nothing_is_told_of_no_turn() -> None:
    assert not narration(None, TOOLS).narrates
    assert not narration('', ()).narrates


def test_of_many_places_only_so_many_are_told() -> None:
    assert len(narration('The tool returned 42.\n' * 200, TOOLS).spans) == narrated.MOST_SPANS


def test_calls_before_a_turn_are_those_of_its_agent_with_what_they_gave() -> None:
    turns = tuple(Turn(agent='agent', index=index, prompt='p', stop=None) for index in range(2))
    calls = (
        ToolCall(agent='agent', tool='web_1.search', input={'q': 'a'}, turn=0, output=5),
        ToolCall(agent='agent', tool='calc_1.add', input={}, turn=0, error=Failure(type='ValueError', message='no')),
        ToolCall(agent='child', tool='db_1.query', input={}, turn=0, output=1),
        ToolCall(agent='agent', tool='mail_1.send', input={}, turn=1, output=1),
    )
    record = RunRecord(scenario='a', node='n', turns=turns, calls=calls)

    assert made_before(record, turns[0]) == ()
    assert made_before(record, turns[1]) == (Made('web_1.search', "{'q': 'a'}", '5'), Made('calc_1.add', '{}', 'no'))


# --------------------------------------------------------------------------------------------------- the labelled turns

PARTS = {'development': 'development', 'held_out': 'held out', 'fresh': 'fresh'}


@lru_cache(maxsize=1)
def labelled() -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """The turns of each part with their texts, and the references that lead nowhere."""
    data = yaml.safe_load((Path(__file__).parent / 'data' / 'narrated.yaml').read_text(encoding='utf-8'))
    parts: dict[str, list[dict[str, Any]]] = {}
    lost = []
    for part in PARTS:
        parts[part] = []
        for item in data[part]:
            text = item.get('text') or recorded(**item['turn'])
            if text is None:
                lost.append(str(item['turn']))
            else:
                parts[part].append({'tools': data['tools'], 'calls': [], **item, 'text': text})
    return parts, lost


def recorded(scenario: str, model: str, index: int, sha256: str) -> str | None:
    """The recorded turn, None where it is another one now."""
    path = ROOT / 'cassettes' / scenario / f'{model}.yaml'
    if not path.exists():
        return None
    turns = exchanges(path)
    found = turns[index] if index < len(turns) else ''
    return found if hashlib.sha256(found.encode()).hexdigest().startswith(sha256) else None


@lru_cache(maxsize=100)
def exchanges(path: Path) -> list[str]:
    loaded = yaml.load(path.read_text(encoding='utf-8'), getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
    bodies = [json.loads(item['response']['body']['string']) for item in loaded['interactions']]
    return [body['choices'][0]['message']['content'] or '' for body in bodies]


def counted(part: str) -> Counter[tuple[bool, bool]]:
    """How many turns have which label and which verdict."""
    turns = labelled()[0][part]
    return Counter(
        (turn['narrates'], narration(turn['text'], turn['tools'], [Made(name) for name in turn['calls']]).narrates)
        for turn in turns
    )


def published(part: str) -> list[float]:
    """The figures of a part in the docs: turns, precision and its interval, recall and its interval."""
    page = (ROOT / 'docs' / 'narrated.md').read_text(encoding='utf-8')
    row = re.search(rf'^\| {PARTS[part]} \|(.*)\|$', page, re.MULTILINE)
    assert row, f'docs/narrated.md has no figures of the part {part}'
    return [float(number) for number in re.findall(r'[\d.]+', row[1])]


@pytest.mark.parametrize('part', PARTS)
def test_the_figures_are_those_that_are_published(part: str) -> None:
    assert labelled()[1] == []
    count = counted(part)
    hits, alarms, misses = count[True, True], count[False, True], count[True, False]

    assert published(part) == [
        sum(count.values()),
        hits + misses,
        *(round(number, 3) for number in (hits / (hits + alarms), *wilson(hits, hits + alarms))),
        *(round(number, 3) for number in (hits / (hits + misses), *wilson(hits, hits + misses))),
    ]


def test_every_reference_still_leads_to_the_turn_that_was_labelled() -> None:
    assert labelled()[1] == [], 'recorded anew: read and label the new turns, or take the references out'


def test_the_labelled_turns_are_many_and_none_stands_there_twice() -> None:
    parts = labelled()[0]
    turns = [(turn['text'], tuple(turn['calls'])) for part in parts.values() for turn in part]

    assert len(turns) >= 320
    assert len(parts['held_out']) >= 120
    assert len(turns) == len(set(turns))


def test_the_goal_is_reached_on_the_turns_that_were_held_out() -> None:
    count = counted('held_out')

    assert count[True, True] / (count[True, True] + count[False, True]) >= 0.95
    assert count[True, True] / (count[True, True] + count[True, False]) >= 0.90


def test_each_place_in_a_labelled_turn_is_where_it_says() -> None:
    for turn in (turn for part in labelled()[0].values() for turn in part):
        spans = narration(turn['text'], turn['tools']).spans
        assert [turn['text'][span.start : span.end] for span in spans] == [span.text for span in spans]
        assert all(span.text.strip() for span in spans)


# --------------------------------------------------------------------------------------------------- any text, and time

WORDS = (
    'I ', 'searched ', 'the tool ', 'returned ', 'web_1.search', '(', ')', ' -> ', '"', '“', '`', '```\n', '\n',
    'Observation: ', 'Action: ', 'Action Input: {', '}', '<think>', '</think>', '. ', '?', 'ich habe ', 'gesucht ',
    '我查询了', '工具', '検索した結果', "j'ai ", 'outil ', 'İ', '\r\n', '\x00', '\ue000', '<tool_response>', 'Dear ',
    '> ', '[Searching', 'Result: ',
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(''.join)), st.lists(st.text(max_size=20), max_size=4))
def test_any_text_is_judged_and_every_place_lies_in_it(text: str, tools: list[str]) -> None:
    found = narration(text, tools)

    assert found == narration(text, tools)
    for span in found.spans:
        assert span.text
        assert text[span.start : span.end] == span.text


def patterns() -> list[re.Pattern[str]]:
    """Every pattern that a text is read with, those of the names of tools too."""
    names = narrated_lines.Names.of(TOOLS)
    places = [vars(module) for module in (narrated, narrated_lines, narrated_prose)]
    found = [value for place in places for value in place.values() if isinstance(value, re.Pattern)]
    found += [value for language in LANGUAGES for value in language if isinstance(value, re.Pattern)]
    return [*found, *(value for value in names if isinstance(value, re.Pattern))]


def reach(pattern: re.Pattern[str]) -> float:
    """The most characters that a pattern can take from one place on."""
    return float(re._parser.parse(pattern.pattern, pattern.flags).getwidth()[1])  # type: ignore[attr-defined]


def test_no_pattern_reaches_further_than_a_bound() -> None:
    assert len(patterns()) > 60
    assert max(map(reach, patterns())) < 2_000


def test_an_unbounded_pattern_would_be_seen() -> None:
    assert reach(re.compile('a*b')) > 1_000_000


@pytest.mark.parametrize('text', ['I searched the web and ', 'The tool returned 42. ', 'x', '“a ', 'a.b(', '搜索了，'])
def test_a_text_twice_as_long_has_twice_the_pieces_and_none_is_long(text: str) -> None:
    line = text * 2_000
    few = list(narrated_prose.pieces(line))
    many = list(narrated_prose.pieces(line * 2))

    assert len(many) <= 2 * len(few) + 1
    assert [start for start, _ in many[1:]] == [end for _, end in many[:-1]]
    assert max(end - start for start, end in many) <= LONGEST_PIECE
