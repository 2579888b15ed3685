"""Values as records hold them: JSON-safe copies, failures, and sameness of JSON values."""

from __future__ import annotations

import json
import math
from typing import Any

from harness.record import Failure

_MAX_DEPTH = 100


def safe_text(text: str) -> str:
    """Return a text that every file can hold: a lone surrogate becomes its `\\udXXX` notation."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors='backslashreplace').decode()
    return text if type(text) is str else str.__str__(text)


def _described(value: Any) -> str:
    try:
        return safe_text(repr(value))
    except Exception:  # a value without a repr still has to stand in the record
        return f'<{type(value).__name__}>'


def json_safe(value: Any) -> Any:
    """Return a copy of a value that JSON can hold.

    Dicts, lists, tuples, texts, numbers, booleans and None are kept (a key that JSON would turn into a text is that
    text). Anything else becomes its `repr`: other objects, NaN and infinities, and what is nested in itself or more
    than 100 levels deep.
    """
    return _safe(value, ())


def _safe(value: Any, around: tuple[int, ...]) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, int):
        return int(value) if value.bit_length() < 10_000 else _described(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _described(float(value))
    if not isinstance(value, dict | list | tuple):
        return _described(value)
    if id(value) in around or len(around) >= _MAX_DEPTH:
        return _described(value)
    inside = (*around, id(value))
    if isinstance(value, dict):
        return {_key(key): _safe(item, inside) for key, item in list(value.items())}
    return [_safe(item, inside) for item in list(value)]


def _key(key: Any) -> str:
    if isinstance(key, str):
        return safe_text(key)
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    return _described(key)


def payload_problem(payload: Any) -> str | None:
    """Return why a payload does not survive `json.dumps(payload, allow_nan=False)`, None if it does."""
    try:
        json.dumps(payload, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f'{type(error).__name__}: {error}'
    return None


def failure_of(error: BaseException) -> Failure:
    """Return an exception as a value."""
    try:
        message = str(error)
    except Exception:  # an exception without a text is still an exception
        message = ''
    return Failure(type=type(error).__name__, message=safe_text(message))


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same: 1 is 1.0, but neither is true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)
