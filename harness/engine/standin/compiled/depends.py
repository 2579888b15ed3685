"""Stand-in for the platform's run-time installer: everything a node needs must be installed beforehand."""

from __future__ import annotations

import threading
from pathlib import PurePath


class _Asked(threading.local):
    """The names of the requirements files that were asked for in one thread."""

    def __init__(self) -> None:
        self.names: list[str] = []


asked = _Asked()


def depends(requirements: str | None = None) -> None:
    """Install nothing; a package that is missing shows itself at its import.

    `requirements` is the path of a requirements file, as nodes hand it over; it is not read, its name is kept.
    """
    asked.names.append('' if requirements is None else PurePath(requirements).name)
