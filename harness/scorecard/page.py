"""The page: one HTML file with all it needs inside, which asks nothing of any server."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.files import write_whole
from harness.packs import PACK
from harness.scorecard.pack import as_json
from harness.secrets import Guard, SecretFound
from harness.show.visible import clip, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TEMPLATES: Final = Path(__file__).parent / 'templates'
_SCRIPTS: Final = (
    'core.js',
    'data.js',
    'charts.js',
    'tables.js',
    'overview.js',
    'model.js',
    'runs.js',
    'scenario.js',
    'transcript.js',
    'findings.js',
    'settings.js',
    'conformance.js',
    'diff.js',
    'legend.js',
    'start.js',
)
_NAME_LIMIT: Final = 2_000


def script() -> str:
    """Return the script of the page: its files, in order, as one."""
    return "(() => {\n'use strict';\n" + '\n'.join(_asset(name) for name in _SCRIPTS) + '})();\n'


def page(card: Mapping[str, Any], packs: Mapping[str, Sequence[str]], fallback: Sequence[Mapping[str, str]]) -> str:
    """Return the page of a card.

    `card` is what the first view shows, `packs` are the packed chunks by their names, `fallback` the rows of the table
    that is there without JavaScript. The same arguments give the same bytes.
    """
    style, code = _asset('style.css'), script()
    chunks = [(f'{name}-{number}', text) for name, texts in packs.items() for number, text in enumerate(texts)]
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template('page.html.jinja').render(
        title=f'Scorecard of {card["node"]}',
        card=Markup(as_json(card)),  # noqa: S704 (every `<` is escaped)
        packs=[(name, Markup(text)) for name, text in chunks],  # noqa: S704 (base64)
        fallback=fallback,
        style=Markup(style),  # noqa: S704 (our own file)
        script=Markup(code),  # noqa: S704 (our own files)
        style_hash=_source_hash(style),
        script_hash=_source_hash(code),
    )


def write_page(path: Path, html: str, guard: Guard | None = None) -> None:
    """Write a page as a whole or not at all; what is packed was looked through when it was packed.

    Raises:
        SecretFound: something outside of the packed chunks looks like a key; the old file is as it was.
        OSError: it cannot be written.
    """
    guard = guard or Guard.of_environment()
    # Base64 of compressed bytes can look like anything.
    spots = guard.find(PACK.sub('', html))
    if spots:
        raise SecretFound(str(path), spots[0].kind)
    write_whole(path, html)


def _finalize(value: Any) -> Any:
    """Spell out control characters in whatever the template prints, and bound it; escaping follows."""
    return visible(clip(value, _NAME_LIMIT)) if type(value) is str else value


def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding='utf-8')


def _source_hash(text: str) -> str:
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
