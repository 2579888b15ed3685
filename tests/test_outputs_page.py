"""The summary page: read by GitHub's own reader of Markdown, in which foreign texts are nothing but text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from example_suite import Suite, run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from outcomes import HOSTILE, PLACE, baseline_of, hostile, outcome, summary, unmet

from harness.gate.verdict import Gate
from harness.outputs.markdown import block, cell, code, linked, table
from harness.outputs.places import Places
from harness.outputs.summary_page import LIMIT, summary_page
from harness.show.visible import one_line, visible

if TYPE_CHECKING:
    from pathlib import Path

BLOB = 'https://github.com/someone/nodes/blob/abc'
PLACES = Places({PLACE: PLACE}, blob=BLOB)
OURS = {'h2', 'h3', 'p', 'code', 'strong', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'ul', 'li', 'a', 'pre'}
OURS |= {'details', 'summary'}
ANY = st.text(st.characters(exclude_categories=()) | st.sampled_from('`|\\<>&[]()#*_~@:/\n\r\t '))


class Seen(HTMLParser):
    """The elements of a page, where its links lead, and the text inside and outside of code."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.codes: list[str] = []
        self.around = ''
        self._inside = False
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or '' for name, value in attrs if name == 'href']
        if tag == 'code':
            self.codes.append('')
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != 'code'

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.codes[-1] += data
        else:
            self.around += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f'a comment: {data}')


def seen(*args: object, **more: object) -> Seen:
    return Seen(summary_page(*args, **more))  # type: ignore[arg-type]


def test_the_verdict_and_its_reason_come_first() -> None:
    page = summary_page(summary(outcome(findings=[unmet()])), PLACES)
    assert page.startswith('## ❌ fail: `a_node`\n\n`1 run has findings`\n\n1 scenario, 1 run, 1 finding. ')


@pytest.mark.parametrize(
    ('runs', 'mark'),
    [([outcome()], '✅ pass'), ([outcome(problem='a drift')], '❔ inconclusive'), ([], '❔ inconclusive')],
)
def test_each_verdict_has_its_mark(runs: list[object], mark: str) -> None:
    assert summary_page(summary(*runs), PLACES).startswith(f'## {mark}: `a_node`\n')  # type: ignore[arg-type]


def test_families_and_levels_are_counted_by_what_they_come_to() -> None:
    runs = [
        outcome('a'),
        outcome('b', findings=[unmet()]),
        outcome('c', family='stack', level='hardening', findings=[unmet(level='hardening')]),
        outcome('d', family='stack', problem='a drift'),
        outcome('e', family='stack', findings=[unmet(level='hardening')]),
    ]
    page = summary_page(summary(*runs, gate=Gate('required')), PLACES)

    assert '| family | met | met in part | failed | not judged | not counted |\n' in page
    assert '| `loop` | 1 | 0 | 1 | 0 | 0 |\n| `stack` | 0 | 1 | 0 | 1 | 1 |\n' in page
    assert '| `hardening` | 0 | 0 | 0 | 0 | 1 |\n| `required` | 1 | 1 | 1 | 1 | 0 |\n' in page


def test_a_failed_run_links_to_the_lines_of_its_findings() -> None:
    found = seen(summary(outcome(findings=[unmet(), unmet('expect.calls', 'too many', line=20)])), PLACES)

    assert found.links == [f'{BLOB}/{PLACE}#L12', f'{BLOB}/{PLACE}#L12', f'{BLOB}/{PLACE}#L20']
    assert found.codes[-1].startswith(f'The node greets\n{PLACE}:12:3: expect.answer.equals\n')


def test_without_an_address_there_are_no_links_and_the_places_stand_as_text() -> None:
    found = seen(summary(outcome(findings=[unmet()])), Places({PLACE: PLACE}))
    assert found.links == []
    assert f'{PLACE}:12:3: expect.answer.equals\n' in found.codes[-1]


def test_what_fails_the_gate_comes_before_what_was_not_judged_and_what_does_not_count() -> None:
    runs = [
        outcome('beyond', level='hardening', findings=[unmet(level='hardening')]),
        outcome('silent', problem='a drift'),
        outcome('partly', findings=[unmet(level='hardening')]),
        outcome('wrong', findings=[unmet()]),
    ]
    page = summary_page(summary(*runs, gate=Gate('required')), PLACES)
    titles = re.findall(r'^### (.*)$', page, re.MULTILINE)

    assert titles == [
        'Runs that fail the gate (1)',
        'Runs that were not judged (1)',
        'Runs that met what is required, but not all beyond it (1)',
        'Runs that do not count (1)',
    ]
    assert page.index('`wrong`') < page.index('`silent`') < page.index('`partly`') < page.index('`beyond`')
    assert '**, hardening, the level hardening does not gate: ' in page


def test_the_baseline_is_compared_the_worst_first() -> None:
    gate = Gate(baseline=baseline_of(outcome('fixed', findings=[unmet()]), outcome('worse'), outcome('same')))
    runs = [outcome('fixed'), outcome('worse', findings=[unmet()]), outcome('same'), outcome('new', model='small-1b')]
    page = summary_page(summary(*runs, gate=gate), PLACES)

    assert '### Against the baseline `baseline.jsonl`\n\n1 regressed, 1 new, 1 fixed, 1 same.\n' in page
    assert '- **regressed** `worse`: met, now failed\n- **new** `new` `small-1b`: not there, now met\n' in page


def test_a_page_is_never_larger_than_github_takes() -> None:
    long = 'A long line of text that differs: é. ' * 100
    runs = [outcome(f'run-{number}', findings=[unmet(actual=f'{long}{number}')]) for number in range(900)]
    page = summary_page(summary(*runs), PLACES)

    assert LIMIT - 20_000 < len(page.encode()) <= LIMIT < 1024 * 1024
    left = int(re.findall(r'([\d,]+) more runs left out', page)[0].replace(',', ''))
    assert page.count('<details>') == page.count('</details>') == 900 - left


def test_foreign_texts_are_nothing_but_text() -> None:
    gate = Gate(baseline=baseline_of(outcome(HOSTILE, model=HOSTILE)))
    shown = summary(hostile(), outcome(problem=HOSTILE, family=HOSTILE), gate=gate, node=HOSTILE)
    found = seen(shown, PLACES)

    assert set(found.tags) <= OURS
    assert found.attributes <= {'align', 'lang', 'href', 'class'}
    assert found.links == [f'{BLOB}/{PLACE}#L1']
    assert 'example.com' not in found.around
    assert '@someone' not in found.around


@given(ANY)
@settings(max_examples=300)
@example('`')
@example('``a` b`` ')
@example(' ')
@example('a\\|b')
def test_a_code_span_shows_exactly_the_visible_text(text: str) -> None:
    shown = one_line(text).replace('\ufffe', '\\ufffe').replace('\uffff', '\\uffff') or ' '
    found = Seen(f'before {code(text, 10_000)} after')

    assert found.tags == ['p', 'code']
    assert found.codes == [shown]
    assert found.around.strip() == 'before  after'


@given(ANY)
@settings(max_examples=300)
@example('```\ntext')
@example('~~~~')
def test_a_block_shows_exactly_the_visible_text(text: str) -> None:
    shown = visible(text).replace('\ufffe', '\\ufffe').replace('\uffff', '\\uffff')
    found = Seen(f'before\n\n{block(text, 10_000)}\n\nafter')

    assert found.tags == ['p', 'pre', 'code', 'p']
    assert found.codes == [f'{shown}\n']


@given(ANY)
@settings(max_examples=300)
@example('\\|` <b>')
def test_a_cell_of_a_table_is_one_cell(text: str) -> None:
    found = Seen(table(['a', 'b'], [[cell(text), 3]]))
    assert found.tags == ['table', 'thead', 'tr', 'th', 'th', 'tbody', 'tr', 'td', 'code', 'td']


@given(ANY)
def test_the_name_of_a_link_is_one_code_span(text: str) -> None:
    found = Seen(linked(text, f'{BLOB}/a%20b.yaml#L1'))
    assert found.tags == ['p', 'a', 'code']
    assert found.links == [f'{BLOB}/a%20b.yaml#L1']


def test_run_writes_the_page_to_a_file(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    suite.add(answer='Good morning.')
    target = tmp_path / 'page.md'
    result = run(suite, '--step-summary', target)

    assert result.exit_code == 1, result.output
    assert target.read_text(encoding='utf-8').startswith('## ❌ fail: `errands`\n')
    assert f'Summary: {target}\n' in result.stdout
