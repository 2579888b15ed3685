"""Keys in files that are there already: scenarios, cassettes, reports, results stores, whatever stands beside them."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.files import leads_out
from harness.packs import PACK, NotPacked, unpack
from harness.scenario.yamlnode import FileProblem
from harness.secrets.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.secrets.shapes import Spot

_BLOCK: Final = 4_000_000
_LONGEST_LINE: Final = 64_000_000
_LARGEST: Final = 96_000_000
_MOST: Final = 100
_SIZE: Final = 12
_FAKE: Final = re.compile(rb'^[ \t]*#[ \t]*fake-key:[ \t]*([0-9a-f]*)', re.MULTILINE)
_PACK: Final = re.compile(PACK.pattern.encode())
_WITH_COMMENTS: Final = ('.yaml', '.yml', '.py')


def leaks(scenarios: Path, others: Iterable[Path], guard: Guard | None = None) -> Iterator[FileProblem]:
    """Yield each place below some folders (or in some files) that looks like a key.

    Hidden files are left out, and links that lead out of a folder. In a file below `scenarios` a made-up key may stand
    whose fingerprint a comment of the same file names: `# fake-key: 0123456789ab`, with a remark behind it.

    In place of what a page holds packed, the text inside of it is searched: base64 of compressed bytes can look like
    any key, and a key in it like nothing.
    """
    guard = guard or Guard.of_environment()
    seen: set[Path] = set()
    for folder in (scenarios, *others):
        for path in _files(folder):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                yield from _leaks_in(path, folder == scenarios and path.suffix in _WITH_COMMENTS, guard)


def fingerprint(secret: bytes) -> str:
    """Return what a comment names a made-up key by: the first digits of its SHA-256."""
    return hashlib.sha256(secret).hexdigest()[:_SIZE]


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith('.') and name != '__pycache__')
        for name in sorted(names):
            path = Path(parent, name)
            if not name.startswith('.') and path.is_file() and not leads_out(path, folder):
                yield path


def _leaks_in(path: Path, has_comments: bool, guard: Guard) -> Iterator[FileProblem]:
    fakes: dict[str, tuple[int, int]] = {}
    met: set[str] = set()
    number = 0
    try:
        if path.stat().st_size > _LARGEST:
            yield _problem(path, (1, 1), f'a file of more than {_LARGEST:,} bytes is not searched for keys', '')
            return
        left = _LARGEST
        for line, whole in _blocks(path):
            block, packs = _opened(whole)
            for at, name, text in packs:
                left -= len(text)
                where = _place(whole, at, line)
                if left < 0:
                    yield _problem(path, where, f'more than {_LARGEST:,} packed bytes are not searched for keys', '')
                    return
                for spot in guard.find_bytes(text)[: _MOST - number]:
                    number += 1
                    yield _problem(
                        path, where, f'in the pack {name!r}: this looks like {spot.kind}', _advice(spot, '', False)
                    )
            if has_comments:
                for match in _FAKE.finditer(block):
                    fakes.setdefault(match[1].decode(), _place(block, match.start(1), line))
            for spot, place in _placed(guard.find_bytes(block), block, line):
                mark = fingerprint(block[spot.start : spot.end])
                if mark in fakes and not spot.known:
                    met.add(mark)
                    continue
                number += 1
                if number > _MOST:
                    return
                yield _problem(path, place, f'this looks like {spot.kind}', _advice(spot, mark, has_comments))
    except OSError as error:
        yield _problem(path, (1, 1), f'the file cannot be read: {error.strerror or error}', '')
    for mark, place in fakes.items():
        if mark not in met:
            yield _problem(path, place, 'no key in this file has this fingerprint', 'take the comment out')


def _advice(spot: Spot, mark: str, has_comments: bool) -> str:
    advice = 'take it out, and revoke it if it is a real one'
    if has_comments and not spot.known:
        return f'{advice}; a made-up one is named in a comment of its own line: # fake-key: {mark} and why'
    return advice


def _problem(path: Path, place: tuple[int, int], message: str, hint: str) -> FileProblem:
    return FileProblem(path=str(path), line=place[0], column=place[1], key='', message=message, hint=hint)


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the parts of a file, each some whole lines, with the number of the first line."""
    number = 1
    with path.open('rb') as file:
        while block := file.read(_BLOCK):
            block += file.readline(_LONGEST_LINE)
            if number == 1 and block.startswith((b'\xff\xfe', b'\xfe\xff')):
                block = block.decode('utf-16', 'replace').encode('utf-8', 'replace')
            yield number, block
            number += block.count(b'\n')


def _opened(block: bytes) -> tuple[bytes, list[tuple[int, str, bytes]]]:
    """Return a block with blanks for its packs, and these: the place, the name and the text inside of each.

    What only looks like a pack stays where it is.
    """
    found: list[tuple[int, str, bytes]] = []
    if b'data-pack=' not in block:
        return block, found
    pieces, at = [], 0
    for match in _PACK.finditer(block):
        try:
            text = unpack(match[2], _LARGEST)
        except NotPacked:
            continue
        found.append((match.start(), match[1].decode(), text))
        pieces += [block[at : match.start(2)], b' ' * len(match[2])]
        at = match.end(2)
    return b''.join([*pieces, block[at:]]), found


def _placed(spots: list[Spot], block: bytes, line: int) -> Iterator[tuple[Spot, tuple[int, int]]]:
    at = 0
    for spot in spots:
        line += block.count(b'\n', at, spot.start)
        at = spot.start
        yield spot, (line, _column(block, at))


def _place(block: bytes, at: int, line: int) -> tuple[int, int]:
    return line + block.count(b'\n', 0, at), _column(block, at)


def _column(block: bytes, at: int) -> int:
    return len(block[block.rfind(b'\n', 0, at) + 1 : at].decode('utf-8', 'replace')) + 1
