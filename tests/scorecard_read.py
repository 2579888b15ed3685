"""A scorecard as its readers see it: the elements of the page, and the data that its script finds in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from harness.scorecard.pack import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator


class Elements(HTMLParser):
    """What a browser sees of a page: elements with their attributes, and the text inside of each script."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.inside = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.inside = tag == 'script'
        if self.inside:
            self.scripts.append('')

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


class Read:
    """The data in a page, as its script finds them."""

    def __init__(self, html: str) -> None:
        self.card = json.loads(re.search(r'id="card">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]
        self.packs = {name: unpacked(text) for name, text in re.findall(r'data-pack="([^"]+)">([^<]*)</script>', html)}

    @property
    def index(self) -> Any:
        return self.packs['index-0']

    def run(self, number: int) -> Any:
        return self.packs[f'run-{self.index["chunk"][number]}'][self.index['at'][number]]

    def run_of(self, scenario: str) -> Any:
        """Return the first run of a scenario."""
        names = [item['id'] for item in self.index['scenarios']]
        return self.run(self.index['scenario'].index(names.index(scenario)))

    def text(self, value: Any) -> str:
        if isinstance(value, int):
            chunk = max(at for at, start in enumerate(self.card['textStarts']) if start <= value)
            value = self.packs[f'text-{chunk}'][value - self.card['textStarts'][chunk]]
        return value if isinstance(value, str) else ''.join(value)

    def texts(self) -> Iterator[str]:
        """Yield every text in the data, each piece of a text that is kept in pieces alone."""
        left: list[Any] = [self.card, self.packs]
        while left:
            value = left.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                left += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                left += value
