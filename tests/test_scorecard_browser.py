"""The scorecard as people use it: the published page, and a hostile one, in a real Chromium without a network."""

from __future__ import annotations

import os
import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scorecard_read import Read
from scorecard_stores import CALL, finding, head, result, scripted, store
from test_scorecard_page import made
from test_scorecard_run import ESCAPES, HOSTILE, hostile

from harness.scorecard.build import build_scorecard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

api = pytest.importorskip('playwright.sync_api', reason='playwright drives the browser: pip install -e ".[dev]"')

PUBLISHED = Path(__file__).parent.parent / 'reports' / 'scorecard.html'
MODEL = 'qwen2.5-coder-1.5b-instruct-t0.7'
VIEWS = {
    'overview': '',
    'model': f'#/model/{MODEL}',
    'scenario': '#/scenario/choose-among-several-tools',
    'runs': '#/runs',
    'transcript': f'#/run/one-tool/{MODEL}/1',
    'conformance': '#/conformance',
    'diff': '#/diff',
    'legend': '#/legend',
}
NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'chrome')
OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']


@pytest.fixture(scope='module')
def browser() -> Iterator[Any]:
    """A Chromium; where the environment names one it has to be there."""
    named = os.environ.get('REACT_HARNESS_CHROMIUM')
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip('there is no Chromium: install one, or name it in REACT_HARNESS_CHROMIUM')
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=OPTIONS)
        yield browser
        browser.close()


class Screen:
    """A tab in which a page from disk is open, and all that it said and asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.url = path.absolute().as_uri()
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.said: list[str] = []
        self.page.on('console', lambda message: self.said.append(f'console: {message.text}'))
        self.page.on('pageerror', lambda error: self.said.append(f'error: {error}'))
        self.page.on('dialog', lambda dialog: (self.said.append(f'dialog: {dialog.message}'), dialog.dismiss()))
        self.page.on('request', self._asked)

    def _asked(self, request: Any) -> None:
        if request.url.partition('#')[0] != self.url:
            self.said.append(f'request: {request.url}')

    def open(self, view: str = '') -> Screen:
        self.page.goto('about:blank')
        self.page.goto(self.url + view)
        return self.ready(view)

    def ready(self, view: str = '') -> Screen:
        self.page.wait_for_function(
            'view => document.getElementById("view").dataset.ready === (view || "#/overview")', arg=view
        )
        return self

    def at(self, name: str) -> Any:
        return self.page.get_by_test_id(name)

    def rows(self, name: str) -> list[str]:
        return [text.strip() for text in self.at(name).locator('tbody tr th').all_inner_texts()]

    def count(self) -> int:
        self.page.wait_for_timeout(100)
        return int(self.at('count').inner_text().split()[0].replace(',', ''))


@pytest.fixture
def screen(browser: Any) -> Iterator[Callable[..., Screen]]:
    """Open pages; at the end none of them may have said anything, or asked for anything but itself."""
    opened: list[Screen] = []

    def make(path: Path = PUBLISHED, **options: Any) -> Screen:
        opened.append(Screen(browser, path, **options))
        return opened[-1]

    yield make
    said = [line for each in opened for line in each.said]
    for each in opened:
        each.context.close()
    assert said == []


@pytest.fixture(scope='module')
def published() -> Read:
    """The data of the published page, read without a browser."""
    return Read(PUBLISHED.read_text(encoding='utf-8'))


# ---------------------------------------------------------------------------------------------------------- finding out


def test_it_opens_from_disk_and_says_the_verdict_and_each_model(screen: Callable[..., Screen], published: Read) -> None:
    tab = screen().open()

    assert f'all {published.card["counts"]["runs"]:,} runs met all expectations' in tab.at('verdict').inner_text()
    assert len(tab.rows('models')) == len(published.card['models']) == 6


def test_the_models_are_sorted_by_what_is_asked_and_the_address_keeps_it(
    screen: Callable[..., Screen], published: Read
) -> None:
    tab = screen().open()
    figures = [item for item in published.card['figures'] if not item['family']]
    figures.sort(key=lambda item: item['rates']['strict'][0], reverse=True)
    wanted = [published.card['models'][item['model']]['name'] for item in figures]

    tab.at('choose-sort').select_option('strict')
    tab.ready('#/overview?sort=strict')

    assert [row.split()[0] for row in tab.rows('models')] == wanted
    first = tab.rows('models')
    tab.page.reload()
    assert tab.ready('#/overview?sort=strict').rows('models') == first


def test_a_heading_sorts_the_runs_up_and_down(screen: Callable[..., Screen], published: Read) -> None:
    tab = screen().open('#/runs')
    names = sorted(published.index['scenarios'][number]['id'] for number in published.index['scenario'])

    tab.at('sort-scenario').click()
    tab.ready('#/runs?sort=scenario')
    assert tab.rows('runs') == names[:50]
    tab.at('sort-scenario').click()
    tab.ready('#/runs?sort=-scenario')
    assert tab.rows('runs') == names[::-1][:50]


def test_a_filter_leaves_what_fits_and_the_page_does_not_grow(screen: Callable[..., Screen], published: Read) -> None:
    tab = screen().open('#/runs')
    ids = [published.index['scenarios'][number]['id'] for number in published.index['scenario']]
    assert tab.count() == len(ids)
    assert len(tab.rows('runs')) == 50

    tab.at('filter').press_sequentially('guard')
    assert tab.count() == sum('guard' in name or 'guard' in family(published, name) for name in ids)
    assert len(tab.rows('runs')) <= 50


def family(published: Read, scenario: str) -> str:
    found = next(item for item in published.index['scenarios'] if item['id'] == scenario)
    return f'{found["family"]} {found.get("title") or ""}'.lower()


def test_a_number_leads_to_its_runs_and_on_to_a_transcript_and_back(screen: Callable[..., Screen]) -> None:
    tab = screen().open('#/overview?sort=strict')
    number = tab.at('models').locator('tbody tr', has_text='0.5b').first.locator('td[data-name="Exhausted"] a')
    number.click()
    tab.page.wait_for_url(re.compile('#/runs'))
    count = tab.count()
    assert 0 < count < 100
    assert len(tab.rows('runs')) == min(50, count)

    name = tab.rows('runs')[0]
    tab.at('runs').locator('tbody th a').first.click()
    tab.page.wait_for_url(re.compile(f'#/run/{name}/'))
    api.expect(tab.page.locator('h1')).to_contain_text(name)
    assert tab.at('raw').count() >= 1
    assert 'exhausted' in tab.at('view').inner_text()

    tab.page.go_back()
    tab.page.wait_for_url(re.compile('#/runs'))
    assert tab.count() == count
    tab.page.go_back()
    tab.ready('#/overview?sort=strict')


def test_a_transcript_shows_what_was_written_and_what_was_done(screen: Callable[..., Screen]) -> None:
    text = screen().open(VIEWS['transcript']).at('view').inner_text()

    assert 'Action: directory_1.find' in text
    assert '"room": "4-117"' in text
    assert 'grounded' in text


def test_the_keyboard_alone_leads_to_a_transcript(screen: Callable[..., Screen]) -> None:
    tab = screen().open()
    keys = tab.page.keyboard
    keys.press('Tab')
    assert tab.page.evaluate('document.activeElement.dataset.testid') == 'skip'
    for key in 'gr':
        keys.press(key)
    tab.ready('#/runs')
    keys.press('/')
    keys.type('one-tool')
    tab.page.wait_for_timeout(200)
    for _ in range(40):
        keys.press('Tab')
        if tab.page.evaluate('!!document.activeElement.closest("[data-testid=runs] tbody th")'):
            break
    keys.press('ArrowDown')
    name = tab.page.evaluate('document.activeElement.textContent')
    assert 'one-tool' in name
    keys.press('Enter')
    tab.page.wait_for_url(re.compile(f'#/run/{name}/'))
    api.expect(tab.page.locator('h1')).to_contain_text(name)

    keys.press('?')
    assert tab.page.locator('#help').is_visible()
    keys.press('Escape')
    assert not tab.page.locator('#help').is_visible()


# --------------------------------------------------------------------------------------------------------- how it looks


@pytest.mark.parametrize('view', VIEWS)
def test_nothing_is_wider_than_a_narrow_window(screen: Callable[..., Screen], view: str) -> None:
    tab = screen(viewport={'width': 390, 'height': 800}).open(VIEWS[view])

    assert tab.page.evaluate('document.documentElement.scrollWidth') <= 390


def test_it_is_dark_where_the_system_is_and_where_it_is_asked_to_be(screen: Callable[..., Screen]) -> None:
    colour = 'getComputedStyle(document.body).backgroundColor'
    light, dark = (screen(color_scheme=scheme).open() for scheme in ('light', 'dark'))
    shades = [sum(map(int, re.findall(r'\d+', tab.page.evaluate(colour))[:3])) for tab in (light, dark)]
    assert shades[0] > 600
    assert shades[1] < 150

    light.at('theme').click()
    assert sum(map(int, re.findall(r'\d+', light.page.evaluate(colour))[:3])) == shades[1]


def test_on_paper_there_is_no_navigation_and_the_figures_stay(screen: Callable[..., Screen]) -> None:
    tab = screen(color_scheme='dark').open()
    tab.page.emulate_media(media='print')

    assert not tab.page.locator('#nav').is_visible()
    assert tab.at('models').is_visible()
    assert len(tab.page.pdf()) > 20_000


def test_what_appeared_is_red_and_what_went_is_green(screen: Callable[..., Screen], tmp_path: Path) -> None:
    earlier = store(tmp_path / 'a.jsonl', [scripted('t', findings=(finding('the old one'),))], head())
    later = store(tmp_path / 'b.jsonl', [scripted('t', findings=(finding('the new one'),))], head())
    (tmp_path / 'page.html').write_text(build_scorecard([later], (), (), before=earlier).html, encoding='utf-8')
    tab = screen(tmp_path / 'page.html').open('#/diff')
    tab.at('change').locator('summary').click()

    for words, channel in (('the new one', 0), ('the old one', 1)):
        line = tab.page.locator('p.line', has_text=words)
        rgb = list(map(int, re.findall(r'\d+', line.evaluate('node => getComputedStyle(node).color'))[:3]))
        assert max(range(3), key=rgb.__getitem__) == channel


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('view', VIEWS)
def test_axe_finds_nothing_serious(screen: Callable[..., Screen], view: str, scheme: str) -> None:
    axe = files('axe_playwright_python').joinpath('axe.min.js').read_text(encoding='utf-8')
    tab = screen(color_scheme=scheme).open(VIEWS[view])
    tab.page.evaluate(axe)
    found = tab.page.evaluate('axe.run(document, {resultTypes: ["violations"]})')['violations']

    serious = [item for item in found if item['impact'] in ('serious', 'critical')]
    assert [(item['id'], item['nodes'][0]['html'][:200]) for item in serious] == []


# ------------------------------------------------------------------------------------------------------ what is hostile


def everywhere(tab: Screen) -> Iterator[str]:
    """Open each page of a scorecard by its links, and yield its text."""
    seen, left = set(), ['#/overview', '#/runs', '#/conformance', '#/diff', '#/legend']
    while left:
        view = left.pop()
        seen.add(view)
        tab.page.goto(tab.url + view)
        tab.page.wait_for_timeout(80)
        yield tab.at('view').inner_text()
        found = '[...document.querySelectorAll("#view a[href^=\'#/\']")].map(a => a.getAttribute("href"))'
        links = tab.page.evaluate(found)
        left += [link for link in dict.fromkeys(links) if link not in seen and link not in left and '?' not in link]


@pytest.mark.parametrize('text', [HOSTILE, ESCAPES], ids=['markup', 'escapes'])
def test_no_text_of_others_is_obeyed(screen: Callable[..., Screen], tmp_path: Path, text: str) -> None:
    path = tmp_path / 'page.html'
    path.write_text(hostile(text, tmp_path / 'made'), encoding='utf-8')
    tab = screen(path).open()

    shown = '\n'.join(everywhere(tab))

    assert ('onerror=alert(1)' if text == HOSTILE else '\\u202e') in shown
    assert tab.page.locator('#view img, #view script, #view iframe, #view a[href^="javascript"]').count() == 0
    assert not re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]', shown)


def test_a_line_of_a_million_characters_is_shown_within_the_window(
    screen: Callable[..., Screen], tmp_path: Path
) -> None:
    path = tmp_path / 'page.html'
    path.write_text(made(tmp_path, result(outputs=(CALL, 'x' * 1_000_000), solved=False), scripted('t')).html)
    tab = screen(path, viewport={'width': 390, 'height': 800}).open()
    address = tab.page.evaluate(
        '[...document.querySelectorAll("a")].map(a => a.hash).find(h => h.startsWith("#/run/"))'
    )
    tab.open(address or '#/runs')
    if not address:
        tab.at('runs').locator('tbody th a').first.click()
        tab.page.wait_for_url(re.compile('#/run/'))

    api.expect(tab.at('view')).to_contain_text('characters left out')
    assert tab.page.evaluate('document.documentElement.scrollWidth') <= 390
