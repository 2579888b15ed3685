"""Values as records hold them: JSON-safe copies of bounded size, failures, and sameness of JSON values."""

from __future__ import annotations

import json
import math
import reprlib
import sys
from typing import Any, Final

from harness.record import Failure
from harness.show.visible import clip, excerpt

MAX_CHARACTERS: Final = 10_000_000
"""The most characters that a record keeps of one value; one beyond ASCII counts six times, as JSON writes it."""

MAX_VALUES: Final = 250_000
"""The most items, keys and values together, that a record keeps of one value."""

_MAX_DEPTH: Final = 100
_MAX_REPR: Final = 20_000
_MAX_INNER: Final = 1_000
_MAX_MESSAGE: Final = 20_000


class _Short(reprlib.Repr):
    """The `repr` of a container that may hold itself, or the same thing a thousand times."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = 50
        self.maxother = sys.maxsize

    def repr_str(self, x: str, level: int) -> str:
        return excerpt(repr(x[:_MAX_INNER]), 0, _MAX_INNER)

    def repr_instance(self, x: Any, level: int) -> str:
        return clip(super().repr_instance(x, level), _MAX_INNER)


_short = _Short()
_CONTAINERS = (dict, list, tuple, set, frozenset)


class Room:
    """How much of a value a record still has room for; `full` says that something was left out."""

    def __init__(self, characters: int = MAX_CHARACTERS, values: int = MAX_VALUES) -> None:
        self.characters = characters
        self.values = values
        self.full = False

    def text(self, text: str) -> str:
        """Take room for a text and return it, cut in the middle where it does not fit."""
        cost = cost_of(text)
        if cost > self.characters:
            self.full = True
            text = clip(text, max(0, self.characters) // (1 if text.isascii() else 6))
        self.characters -= cost
        return text

    def value(self) -> bool:
        """Take room for one more value and tell whether there was any."""
        self.values -= 1
        if self.values < 0 or self.characters < 0:
            self.full = True
        return not self.full


def cost_of(text: str) -> int:
    """Return how many characters a text takes in JSON that is ASCII, at most (control characters aside)."""
    return len(text) if text.isascii() else 6 * len(text)


def safe_text(text: str) -> str:
    """Return a text that every file can hold: a lone surrogate becomes its `\\udXXX` notation."""
    try:
        str.encode(text)
    except UnicodeEncodeError:
        return str.encode(text, errors='backslashreplace').decode()
    return text if type(text) is str else str.__str__(text)


def _described(value: Any) -> str:
    try:
        if isinstance(value, _CONTAINERS):
            return safe_text(_short.repr(value))
        if isinstance(value, bytes | bytearray):
            return excerpt(repr(value[:_MAX_REPR]), 0, _MAX_REPR)
        return clip(safe_text(repr(value)), _MAX_REPR)
    except Exception:  # a value without a repr still has to stand in the record
        return f'<{type(value).__name__}>'


def json_safe(value: Any, room: Room | None = None) -> Any:
    """Return a copy of a value that JSON can hold.

    Dicts, lists, tuples, texts, numbers, booleans and None are kept (a key that JSON would turn into a text is that
    text). Anything else becomes its `repr`: other objects, NaN and infinities, and what is nested in itself or more
    than 100 levels deep. What `room` has no place for is left out; an object that cannot even be looked at is the name
    of its class.
    """
    return _safe(value, (), room or Room())


def _safe(value: Any, around: tuple[int, ...], room: Room) -> Any:
    if value is None or value is True or value is False:
        return value
    try:
        if isinstance(value, str):
            return room.text(safe_text(value))
        if isinstance(value, int):
            return int.__int__(value) if int.bit_length(value) < 10_000 else _described(value)
        if isinstance(value, float):
            return float.__float__(value) if math.isfinite(value) else _described(float.__float__(value))
        if not isinstance(value, dict | list | tuple):
            return room.text(_described(value))
        if id(value) in around or len(around) >= _MAX_DEPTH:
            return room.text(_described(value))
        inside = (*around, id(value))
        if isinstance(value, dict):
            return {_key(key, room): _safe(item, inside, room) for key, item in list(value.items()) if room.value()}
        return [_safe(item, inside, room) for item in list(value) if room.value()]
    except Exception:  # a class of a node can make any operation on its objects fail
        return f'<{type(value).__name__}>'


def _key(key: Any, room: Room) -> str:
    if isinstance(key, str):
        return room.text(safe_text(key))
    if key is None or isinstance(key, bool | int | float):
        return json.dumps(key)
    return room.text(_described(key))


def held(payload: Any) -> tuple[Any, str | None]:
    """Return the JSON-safe copy of a payload, and why the payload itself is no use as JSON, None if it is."""
    room = Room()
    copy = json_safe(payload, room)
    if room.full:
        return copy, f'it is larger than {MAX_CHARACTERS:,} characters or {MAX_VALUES:,} values'
    return copy, payload_problem(payload)


def payload_problem(payload: Any) -> str | None:
    """Return why a payload does not survive `json.dumps(payload, allow_nan=False)`, None if it does."""
    try:
        json.dumps(payload, allow_nan=False)
    except Exception as error:
        return text_of(error)
    return None


def failure_of(error: BaseException) -> Failure:
    """Return an exception as a value."""
    return Failure(type=type(error).__name__, message=_message(error))


def text_of(error: BaseException) -> str:
    """Return an exception as one text: its class and its message."""
    return f'{type(error).__name__}: {_message(error)}'


def _message(error: BaseException) -> str:
    try:
        return clip(safe_text(str(error)), _MAX_MESSAGE)
    except Exception:  # an exception without a text is still an exception
        return ''


def same_json(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same: 1 is 1.0, but neither is true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)
