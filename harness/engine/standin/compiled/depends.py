"""Stand-in for the platform's run-time installer: everything a node needs must be installed beforehand."""

from __future__ import annotations


def depends(requirements: str | None = None) -> None:
    """Install nothing; a package that is missing shows itself at its import.

    `requirements` is the path of a requirements file, as nodes hand it over; it is not read.
    """
