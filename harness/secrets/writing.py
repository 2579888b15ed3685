"""Writing files that hold no key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness import files
from harness.secrets.guard import Guard

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, text: str, guard: Guard | None = None) -> None:
    """Write a text in place of the file that is there, as a whole or not at all, if nothing in it looks like a key.

    Raises:
        SecretFound: something does; the old file is as it was.
        OSError: it cannot be written; the old file is as it was.
    """
    (guard or Guard.of_environment()).check(text, str(path))
    files.write_whole(path, text)
