"""Broken nodes that the suite must catch: small, plausible mistakes in our own node, and nodes that never were one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ['Edit', 'Mutant', 'edit']


@dataclass(frozen=True)
class Edit:
    """One change of one file of the node: `old` (there exactly once) becomes `new`; without `old` the file is new."""

    file: str
    old: str | None
    new: str


@dataclass(frozen=True)
class Mutant:
    """One way to break a node.

    `bug` says in one sentence what is wrong, as a reviewer would; `breaks` are the requirements that it violates. It is
    made of our node by `edits`, or is a node of its own, the folder `node` beside this module. Where `equivalent` is
    given it says why nobody can see the mutant at the engine's doors; such a mutant has to survive.
    """

    id: str
    bug: str
    breaks: tuple[str, ...]
    edits: tuple[Edit, ...] = ()
    node: str = ''
    equivalent: str = ''


def edit(file: str, old: str, new: str) -> Edit:
    """Make a change of one file."""
    return Edit(file, old, new)
