"""The report: complete, harmless whatever a model wrote, the same bytes for the same runs."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from harness.record import Event, Failure, LaneWrite, RunRecord, ToolCall, Turn
from harness.report.build import build_report
from harness.scenario import Scenario
from harness.show.summary import Judged, Outcome, Unmet
from harness.show.transcript import transcript
from harness.show.visible import clip, json_safe, visible

HOSTILE = (
    '</script></pre></details><script>alert(1)</script><img src=https://example.com/x onerror=alert(1)>'
    '<a href="javascript:alert(1)">x</a>\' onload="alert(1)" {{ 7 * 7 }} {% raw %} --> ]]> &lt;b&gt;'
)
ESCAPES = '\x1b[2J\x1b]8;;https://example.com\x07red\u202egnp\u200b\x00\r\x9b31m'

VOID = {'meta', 'input', 'br', 'link', 'img', 'hr'}


class Page(HTMLParser):
    """What a browser sees of a page: its elements with their attributes, its text, and whether tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open[-1] == tag, f'</{tag}> closes {self.open[-3:]}'
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not {'style', 'script'} & set(self.open):
            self.texts.append(data)

    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def text(self) -> str:
        return ''.join(self.texts)


def scenario(name: str = 'one-tool', **more: Any) -> Scenario:
    return Scenario.model_validate(
        {'id': name, 'title': f'The title of {name}', 'family': 'loop', 'requirements': ['LOOP-1'], 'expect': {}} | more
    )


def record(text: str = 'Answer: 41,200', **more: Any) -> RunRecord:
    values: dict[str, Any] = {
        'scenario': 'one-tool',
        'node': text,
        'turns': (
            Turn(agent='agent', index=0, prompt=f'The question. {text}', stop=('Observation:',), output=text),
            Turn(agent='child_1', index=0, prompt=text, stop=(text,), error=Failure(type='APIError', message=text)),
        ),
        'calls': (ToolCall(agent='agent', tool=text, input={text: text}, turn=0, output=[text]),),
        'events': (Event(agent='agent', type='thinking', data={'message': text, 'tool': text}),),
        'lane_writes': (LaneWrite(agent='agent', lane=text, text=text),),
        'payload': {'content': text, text: [text]},
        'raised': Failure(type='ValueError', message=text),
    }
    return RunRecord(**values | more)


def unmet(text: str = 'It is 72.', **more: Any) -> Unmet:
    values: dict[str, Any] = {
        'path': 'scenarios/loop/one-tool.yaml',
        'line': 31,
        'column': 5,
        'key': 'expect.answer',
        'message': text,
        'expected': {'q': text},
        'actual': [text],
    }
    return Unmet(**values | more)


def judged(text: str = 'Answer: 41,200', *, spec: Scenario | None = None, **more: Any) -> Judged:
    spec = spec or scenario()
    values: dict[str, Any] = {
        'scenario': spec.id,
        'title': spec.title,
        'family': spec.family,
        'level': spec.level,
        'path': f'scenarios/loop/{spec.id}.yaml',
        'met': True,
    }
    return Judged(spec, record(text), Outcome(**values | more))


def build(*runs: Judged, **more: Any) -> str:
    return build_report(runs, **{'node': 'agent_llamaindex', 'platform': 'stand-in', 'date': '2026-01-02'} | more)


def hostile_runs(text: str) -> list[Judged]:
    spec = scenario(
        title=f'A title {text}',
        why=f'A reason {text}',
        question=f'A question {text}',
        requirements=[f'A {text}'],
    )
    diff = f'--- expected\n+++ came\n@@ -1 +1 @@\n-{text}\n+{text}\n{text}'
    failed: dict[str, Any] = {
        'met': False,
        'findings': (unmet(text), unmet(text, diff=diff)),
        'model': f'm {text}',
        'stop_reason': text,
    }
    return [
        judged(text, spec=spec, **failed),
        judged(text, spec=spec, met=False, problem=text, path=text, model='other', solved=True),
    ]


def test_no_element_or_attribute_comes_from_a_hostile_text() -> None:
    harmless = Page(build(*hostile_runs('harmless'), node='harmless'))
    page = Page(build(*hostile_runs(HOSTILE), node=HOSTILE))

    assert page.tags() == harmless.tags()
    assert [set(attrs) for _, attrs in page.elements] == [set(attrs) for _, attrs in harmless.elements]
    assert page.open == []


def test_a_hostile_text_is_shown_as_it_was_written() -> None:
    page = Page(build(*hostile_runs(HOSTILE)))

    assert page.text().count(HOSTILE) >= 20
    assert '49' not in page.text()


def test_escape_sequences_are_spelled_out_and_marked() -> None:
    html = build(*hostile_runs(ESCAPES), node=ESCAPES)

    html.encode('utf-8')
    assert not re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\ud800]', html)
    assert '<span class="esc">\\x1b</span>[2J' in html
    assert '<span class="esc">\\u202e</span>gnp' in html


def test_spelled_out_characters_leave_attributes_whole() -> None:
    page = Page(build(*hostile_runs(ESCAPES)))

    words = [attrs['data-words'] for tag, attrs in page.elements if 'data-words' in attrs]
    assert words
    assert all('\\x1b[2j' in (text or '') and '<' not in (text or '') for text in words)
    assert page.open == []


def test_a_lone_surrogate_can_be_written_to_a_file() -> None:
    html = build(judged(met=False, findings=(unmet(expected='a \ud800', actual={'\udfff': 1}),)))

    assert b'\\ud800' in html.encode('utf-8')
    assert b'\\udfff' in html.encode('utf-8')


def test_the_page_asks_nothing_of_any_server() -> None:
    page = Page(build(*hostile_runs(HOSTILE)))

    for tag, attrs in page.elements:
        assert 'src' not in attrs
        assert 'style' not in attrs
        assert not [name for name in attrs if name.startswith('on')]
        assert (attrs.get('href') or '#').startswith('#'), (tag, attrs)
    assert not {'link', 'img', 'iframe', 'object', 'base', 'form'} & set(page.tags())


def test_the_policy_allows_this_style_and_this_script_only() -> None:
    html = build(judged())
    policy = next(
        attrs['content'] or ''
        for tag, attrs in Page(html).elements
        if tag == 'meta' and attrs.get('http-equiv') == 'Content-Security-Policy'
    )

    assert policy.startswith("default-src 'none';")
    assert 'unsafe' not in policy
    assert '*' not in policy
    assert 'http' not in policy
    for tag in ('style', 'script'):
        sources = re.findall(f'<{tag}>(.*?)</{tag}>', html, re.DOTALL)
        assert len(sources) == 1
        digest = base64.b64encode(hashlib.sha256(sources[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert 'url(' not in sources[0]
        assert '@import' not in sources[0]
        assert 'http' not in sources[0]


def test_two_builds_of_the_same_runs_are_the_same_bytes() -> None:
    assert build(*hostile_runs(HOSTILE)).encode() == build(*hostile_runs(HOSTILE)).encode()


def test_every_fragment_link_leads_to_one_element() -> None:
    page = Page(build(*hostile_runs('harmless'), judged(spec=scenario('other', family='guard'))))

    ids = [attrs['id'] for _, attrs in page.elements if 'id' in attrs]
    links = [(attrs['href'] or '')[1:] for tag, attrs in page.elements if tag == 'a']
    assert len(ids) == len(set(ids))
    assert links
    assert set(links) <= set(ids)


def test_findings_stand_before_everything_else_with_their_place() -> None:
    failed = judged(spec=scenario('second'), met=False, findings=(unmet('the answer is another one'),))
    text = Page(build(judged(spec=scenario('first')), failed)).text()

    assert '1 of 2 runs did not meet the expectations' in text
    assert text.index('scenarios/loop/one-tool.yaml:31:5') < text.index('Families') < text.index('first')
    assert text.index('the answer is another one') < text.index('Families')


def test_a_run_that_could_not_be_judged_is_no_unmet_expectation() -> None:
    drifted = judged(spec=scenario('drifted'), met=False, problem='the request is another one')
    failed = judged(spec=scenario('failed'), met=False, findings=(unmet(),))

    assert '1 of 2 runs could not be judged' in build(judged(), drifted)
    assert '1 of 3 runs did not meet the expectations, 1 could not be judged' in build(judged(), drifted, failed)


def test_a_report_without_findings_has_no_section_for_them() -> None:
    html = build(judged(), judged(spec=scenario('other')))

    assert 'All 2 runs met their expectations' in html
    assert 'id="findings"' not in html


def test_a_run_that_ended_early_says_what_was_left_out() -> None:
    assert '3 scenarios were not run' in build(judged(met=False, problem='drift'), left=3)
    assert '1 scenario was not run' in build(judged(met=False, problem='drift'), left=1)
    assert 'not run' not in Page(build(judged())).text()


def test_solved_is_counted_for_runs_that_have_a_task() -> None:
    runs = [
        judged(spec=scenario('a'), model='small', solved=True),
        judged(spec=scenario('b'), model='small', solved=False),
        judged(spec=scenario('c'), model='small'),
    ]
    page = Page(build(*runs))

    assert '1 of 2' in page.text()
    assert page.text().count('not solved') == 1


def test_a_transcript_shows_every_part_of_a_run() -> None:
    blocks = transcript(record())

    assert [block.kind for block in blocks] == [
        'prompt', 'output', 'call', 'result', 'prompt', 'error', 'event', 'lane', 'payload', 'raised'
    ]  # fmt: skip
    assert [block.child for block in blocks] == [False] * 4 + [True] * 2 + [False] * 4


def test_a_call_follows_the_turn_that_made_it() -> None:
    turns = [Turn(agent='agent', index=n, prompt='p', stop=None, output=f'turn {n}') for n in (0, 1)]
    calls = [ToolCall(agent='agent', tool=f't{n}', input={}, turn=n, output=n) for n in (0, 1)]
    blocks = transcript(RunRecord(scenario='s', node='n', turns=tuple(turns), calls=tuple(calls)))

    shown = [block.label for block in blocks if block.kind in ('output', 'call')]
    assert shown == ['Turn 1 output', 'Call t0', 'Turn 2 output', 'Call t1']


def test_the_turns_of_a_child_stand_between_the_call_of_it_and_its_result() -> None:
    turns = (
        Turn(agent='agent', index=0, prompt='p', stop=None, output='ask the child'),
        Turn(agent='child_1', index=0, prompt='p', stop=None, output='look it up'),
        Turn(agent='child_1', index=1, prompt='p', stop=None, output='answer'),
        Turn(agent='agent', index=1, prompt='p', stop=None, output='done'),
    )
    calls = (
        ToolCall(agent='child_1', tool='search_1.query', input='inner', turn=0, output='found'),
        ToolCall(agent='agent', tool='child_1.run_agent', input='outer', turn=0, output='answered'),
    )
    blocks = transcript(RunRecord(scenario='s', node='n', turns=turns, calls=calls))

    assert [block.text for block in blocks if block.kind != 'prompt'] == [
        'ask the child', 'outer', 'look it up', 'inner', 'found', 'answer', 'answered', 'done'
    ]  # fmt: skip


def test_a_call_of_no_known_turn_is_not_lost() -> None:
    call = ToolCall(agent='agent', tool='lost', input={}, turn=9, output='o')

    assert 'Call lost' in [block.label for block in transcript(RunRecord(scenario='s', node='n', calls=(call,)))]


def test_a_later_prompt_shows_only_what_is_new() -> None:
    head = 'A line of the instructions.\r\n' * 40
    turns = (
        Turn(agent='agent', index=0, prompt=f'{head}The task', stop=None, output='a'),
        Turn(agent='agent', index=1, prompt=f'{head}The task\r\nObservation: 4', stop=None, output='b'),
    )
    first, second = [b for b in transcript(RunRecord(scenario='s', node='n', turns=turns)) if b.kind == 'prompt']

    assert first.text.count('A line') == 40
    assert 'A line' not in second.text
    assert 'characters as in turn 1' in second.text
    assert second.text.endswith('The task\nObservation: 4')
    assert f'{len(turns[1].prompt):,} characters' in second.remarks


def test_no_text_and_an_empty_text_are_told_apart() -> None:
    turns = tuple(
        Turn(agent='agent', index=n, prompt='p', stop=None, output=out) for n, out in enumerate((None, ''), 1)
    )
    notes = [b.note for b in transcript(RunRecord(scenario='s', node='n', turns=turns)) if b.kind == 'output']

    assert notes == ['The model gave no text.', 'An empty text.']


def test_a_huge_text_does_not_make_a_huge_page() -> None:
    text = 'x' * 3_000_000
    html = build(judged(text, met=False, findings=(unmet(text, diff=text),), problem=text))

    assert len(html) < 400_000
    assert 'characters left out' in html


def test_a_page_with_no_runs_says_so() -> None:
    assert 'Nothing was run' in build()


@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        ('a\tb\nc', 'a\tb\nc'),
        ('\x1b[31m', '\\x1b[31m'),
        ('a\r\nb', 'a\\r\nb'),
        ('\u202eabc', '\\u202eabc'),
        ('\ud83d', '\\ud83d'),
        ('\U000e0041', '\\U000e0041'),
        ('日本 café 👍', '日本 café 👍'),
    ],
)
def test_visible_spells_out_what_a_screen_would_obey(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_clipped_text_says_how_much_is_missing() -> None:
    text = 'a' * 600 + 'z' * 600

    short = clip(text, 100)
    assert short == 'a' * 75 + '… [1,100 characters left out] …' + 'z' * 25
    assert clip('short', 100) == 'short'


def test_json_safe_keeps_what_json_can_hold() -> None:
    value = {'a': [1, 2.5, None, True, 'x'], 3: float('nan'), 'b': {1}, 'c': (float('inf'),)}

    assert json_safe(value) == {'a': [1, 2.5, None, True, 'x'], '3': 'nan', 'b': '{1}', 'c': ['inf']}
