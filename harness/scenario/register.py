"""The register of requirements: one checkable sentence for each id, and whether the contract says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from harness.record import Frozen
from harness.scenario.loading import REQUIREMENTS
from harness.scenario.yamlfile import read_yaml
from harness.scenario.yamlnode import FileError, find

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.scenario.yamlfile import Document
    from harness.scenario.yamlnode import FileProblem

Level = Literal['required', 'hardening']
LEVELS: Final[tuple[Level, ...]] = ('required', 'hardening')
REQUIREMENT_ID: Final = re.compile(r'[A-Z]+-[0-9]+')


class Requirement(Frozen):
    """One checkable sentence about a node; `required`: the contract says so, `hardening`: beyond it."""

    id: str
    level: Level
    text: str
    line: int


def load_register(root: Path) -> tuple[Requirement, ...]:
    """Read the register of a scenarios folder, in the order of the file; there is none where the file is missing.

    Raises:
        FileError: with all problems of the file.
    """
    path = root / REQUIREMENTS
    if not path.is_file():
        return ()
    document = read_yaml(path)
    # A value that cannot be read stands in the data as its text: what is wrong with that text is no second mistake.
    problems = document.problems or tuple(_problems(document))
    if problems:
        raise FileError(problems)
    return tuple(_requirement(document, key, entry) for key, entry in document.data.items())


def _requirement(document: Document, key: str, entry: dict[Level, str]) -> Requirement:
    ((level, text),) = entry.items()
    return Requirement(
        id=key, level=level, text=text, line=document.problem(find(document.node, (key,))[0], (), '').line
    )


def _problems(document: Document) -> Iterator[FileProblem]:
    hint = 'write  LOOP-1: {required: one sentence}  or  LOOP-1: {hardening: one sentence}'
    if not isinstance(document.data, dict):
        yield document.problem(document.node, (), 'the register is no mapping from ids to requirements', hint)
        return
    texts: dict[str, str] = {}
    for key, entry in document.data.items():
        place = find(document.node, (key,))[0]
        if not REQUIREMENT_ID.fullmatch(key):
            yield document.problem(place, (key,), f'{key!r} is no requirement id', 'capitals, a dash and a number')
        elif not _is_entry(entry):
            yield document.problem(place, (key,), f'{key} is not one sentence under its level', hint)
        else:
            text = ' '.join(next(iter(entry.values())).casefold().split())
            if text in texts:
                yield document.problem(place, (key,), f'{key} says the same as {texts[text]}', 'take one of them out')
            texts.setdefault(text, key)


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and len(entry) == 1
        and all(level in LEVELS and isinstance(text, str) and text.strip() for level, text in entry.items())
    )
