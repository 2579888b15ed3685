"""Where scenario files are for others: their paths from the root of the repository, and links to their lines."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LINK_PARTS: Final = ('GITHUB_SERVER_URL', 'GITHUB_REPOSITORY', 'GITHUB_SHA')


@dataclass(frozen=True)
class Places:
    """The files of a suite as they are called in the repository.

    `paths` has for each file that is inside of it the path from its root, with slashes; `others` has the addresses of
    the other files; `blob` is what stands before a path in the address of a page about it, or empty without pages.
    """

    paths: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    blob: str = ''

    def inside(self, path: str) -> str | None:
        """Return the path of a file from the root of the repository, or None for a file outside of it."""
        return self.paths.get(path)

    def uri(self, path: str) -> str:
        """Return the address of a file: relative to the root where it is inside of the repository."""
        return self.others.get(path) or _quoted(self.paths.get(path, path))

    def link(self, path: str, line: int) -> str:
        """Return the address of the page about a line of a file, or empty where there is none."""
        return f'{self.blob}/{self.uri(path)}#L{line}' if self.blob and self.inside(path) is not None else ''


def find_places(paths: Iterable[str], env: Mapping[str, str]) -> Places:
    """Find out what files are called in the repository that they are in.

    The root is the workspace of a GitHub job, else the nearest folder above the current one that has `.git`, else the
    current one. Symbolic links are followed: code scanning shows a file only under its own name.
    """
    root = _root(env)
    files = {path: Path(path).resolve() for path in paths}
    inside = {path: file.relative_to(root).as_posix() for path, file in files.items() if file.is_relative_to(root)}
    blob = ''
    if all(env.get(part) for part in _LINK_PARTS):
        server, repository, commit = (env[part] for part in _LINK_PARTS)
        blob = f'{server}/{urllib.parse.quote(repository)}/blob/{urllib.parse.quote(commit)}'
    return Places(inside, {path: file.as_uri() for path, file in files.items() if path not in inside}, blob)


def _quoted(path: str) -> str:
    return urllib.parse.quote(path.encode('utf-8', 'surrogateescape'))


def _root(env: Mapping[str, str]) -> Path:
    here = Path.cwd().resolve()
    workspace = env.get('GITHUB_WORKSPACE')
    if workspace and here.is_relative_to(Path(workspace).resolve()):
        return Path(workspace).resolve()
    return next((folder for folder in (here, *here.parents) if (folder / '.git').exists()), here)
