"""Two small helpers that nodes share."""

from __future__ import annotations

from typing import Any

_WORDS = {'1': True, 'true': True, 'yes': True, 'on': True, '0': False, 'false': False, 'no': False, 'off': False}


def parse_bool(value: Any, default: bool = False) -> bool:
    """Read a switch as people write it: 1/true/yes/on, 0/false/no/off in any case, else `default`."""
    if value is None:
        return default
    if isinstance(value, str):
        return _WORDS.get(value.strip().lower(), default)
    return bool(value)


def safe_str(value: Any) -> str:
    """Return the text of a value; never raise, and give an empty text for None and where there is no text."""
    if value is None:
        return ''
    try:
        return str(value)
    except Exception:  # a value whose text fails must not fail its reader
        return ''
