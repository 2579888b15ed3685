"""Accepting a proposal: the line that marks it is taken out, and nothing else of the file changes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.capture.behaviour import CaptureError
from harness.files import Unreadable, read_bounded, write_whole
from harness.record import Frozen
from harness.scenario.loading import FileError, load_scenario
from harness.scenario.yamlfile import MAX_BYTES
from harness.scenario.yamlnode import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    import yaml

    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile

_MARK: Final = 'proposed'
_EXPECTED: Final = ('expect', 'hardening', 'models')
_BOM: Final = b'\xef\xbb\xbf'


class Acceptance(Frozen):
    """A proposal that is to be accepted: its file without the mark, and the lines that say what it expects."""

    id: str
    title: str
    path: Path
    content: bytes
    expected: tuple[tuple[int, str], ...]

    def write(self) -> None:
        """Write the file, as a whole or not at all.

        Raises:
            OSError: it cannot be written; it is as it was.
        """
        # Nothing new gets into it: a key that somebody made up and named in a comment stays where it is.
        write_whole(self.path, self.content)


def acceptance(file: ScenarioFile) -> Acceptance:
    """Return what a proposal becomes; nothing is written.

    Raises:
        CaptureError: it is no proposal, or its mark does not stand on a line of its own.
    """
    scenario, path = file.scenario, file.path
    if not scenario.proposed:
        raise CaptureError(f'{path}: {scenario.id} is no proposal, so there is nothing to accept')
    try:
        raw = read_bounded(path, MAX_BYTES)
    except Unreadable as error:
        raise CaptureError(f'{path}: {error}') from None
    text = raw.decode('utf-8-sig')
    key, _, _ = find(file.node, (_MARK,))
    at = key.start_mark.index if key is not None else 0
    begin, end = text.rfind('\n', 0, at) + 1, text.find('\n', at) + 1 or len(text)
    rest = (text[:begin] + text[end:]).encode()
    if not _is(rest, scenario.model_copy(update={_MARK: False})):
        line, column = file.where((_MARK,))
        raise CaptureError(
            f'{path}:{line}:{column}: write `{_MARK}: true` on a line of its own: only that is taken out'
        )
    return Acceptance(
        id=scenario.id,
        title=scenario.title,
        path=path,
        content=(_BOM if raw.startswith(_BOM) else b'') + rest,
        expected=tuple(_lines(file.node, text)),
    )


def _is(content: bytes, scenario: Scenario) -> bool:
    """Tell whether the text of a file says exactly this."""
    with tempfile.TemporaryDirectory(prefix='react-capture-') as folder:
        draft = Path(folder) / 'draft' / 'draft.yaml'
        draft.parent.mkdir()
        draft.write_bytes(content)
        try:
            return load_scenario(draft).scenario == scenario
        except FileError:
            return False


def _lines(node: yaml.Node, text: str) -> Iterator[tuple[int, str]]:
    for name in _EXPECTED:
        key, value, known = find(node, (name,))
        if not known or key is None or value is None:
            continue
        begin = text.rfind('\n', 0, key.start_mark.index) + 1
        first = text.count('\n', 0, begin) + 1
        lines = [line.rstrip('\r') for line in text[begin : value.end_mark.index].split('\n')]
        while lines and (not lines[-1].strip() or lines[-1].startswith('#')):  # these belong to what follows
            lines.pop()
        yield from enumerate(lines, first)
