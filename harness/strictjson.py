"""JSON with one reading only: what two programs could take for two values is refused."""

from __future__ import annotations

import json
import math
from typing import Any


def strict_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is no JSON, has a key twice in one object, or a number that JSON does not have or that is too
            large.
        RecursionError: it is nested too deep.
    """
    return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError('a key stands twice in one object')
    return value


def _no_number(name: str) -> None:
    raise ValueError(f'{name} is no number')


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f'{text[:20]} is too large for a number')
    return number
