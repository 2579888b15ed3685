"""From a mutant to a node folder: a copy of our node with one mistake in it, or the folder of a node of its own."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harness.mutants import Mutant

NODES: Final = Path(__file__).parent / 'nodes'
"""Where the nodes are that are none of ours."""


class MutantError(Exception):
    """A mutant cannot be made of the node as it is now; the text says which, of which file, and what to do."""


def build(mutant: Mutant, healthy: Path, into: Path) -> Path:
    """Return the folder of a mutant: a changed copy of the healthy node in the folder `into`, or its own.

    Raises:
        MutantError: a file is not there, or the text that is changed does not stand in it exactly once.
    """
    if mutant.node:
        return NODES / mutant.node
    folder = into / mutant.id / healthy.name
    shutil.copytree(healthy, folder, ignore=shutil.ignore_patterns('__pycache__'))
    for change in mutant.edits:
        file = folder / change.file
        if change.old is None:
            file.write_text(change.new, encoding='utf-8')
            continue
        if not file.is_file():
            raise MutantError(f'{mutant.id}: there is no {change.file} in {healthy}: correct the mutant')
        text = file.read_text(encoding='utf-8')
        count = text.count(change.old)
        if count != 1:
            first = change.old.strip().split('\n')[0]
            raise MutantError(
                f'{mutant.id}: {healthy / change.file} has the text {first!r} {count} times, not once: '
                'the node has changed, write the mutant anew'
            )
        file.write_text(text.replace(change.old, change.new), encoding='utf-8')
    return folder
