"""Tools with large results."""

from __future__ import annotations

from typing import Any, Final

ENTRIES: Final = 276


def roster(_input: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a list of `ENTRIES` numbered entries."""
    return [{'number': number, 'name': f'Zoë {number}'} for number in range(1, ENTRIES + 1)]
