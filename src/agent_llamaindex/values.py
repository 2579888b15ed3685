"""Values as text and as JSON: what a tool returned, what the node hands back."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SURROGATE = re.compile('[\ud800-\udfff]')
_MAX_INT_BITS = 14_000  # Python writes no integer of more than 4,300 digits


def to_text(value: Any) -> str:
    """Return `str(value)`, whatever the value's own `str` does."""
    try:
        return str(value)
    except Exception:
        return f'<{type(value).__name__} without a text>'


def encodable(text: str) -> str:
    """Return a text that can be encoded: half a surrogate pair becomes the replacement character."""
    return text if text.isascii() else _SURROGATE.sub('\ufffd', text)


def observation_text(value: Any, cap: int | None = None) -> str:
    """Return a tool's result as the model reads it: JSON for a dict and a list, else its text.

    NaN and infinities are null, values that JSON does not know are their text, and so is the whole where JSON cannot
    hold it. With a `cap` a longer text is cut to that many characters, and says how many are gone.
    """
    text = encodable(as_json(value) if isinstance(value, (dict, list)) else to_text(value))
    if cap is None or len(text) <= cap:
        return text
    return f'{text[:cap]}... [{len(text) - cap} more characters cut off]'


def error_text(tool: str, error: BaseException) -> str:
    """Return an exception as the observation `{tool, error, type}`."""
    return observation_text({'tool': tool, 'error': to_text(error), 'type': type(error).__name__})


def as_json(value: Any) -> str:
    """Return a value as JSON, or as its text where JSON cannot hold it; see `observation_text`."""
    try:
        return _dumps(value)
    except Exception:
        # Odd numbers can be helped; odd keys, cycles and objects that break when they are read cannot.
        try:
            return _dumps(_without_odd_numbers(value))
        except Exception:
            return to_text(value)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_text)


def _without_odd_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and value.bit_length() > _MAX_INT_BITS:
        return to_text(value)
    if isinstance(value, dict):
        return {key: _without_odd_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_odd_numbers(item) for item in value]
    return value
