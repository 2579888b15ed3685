"""Results that JSON cannot hold."""

from __future__ import annotations

from datetime import datetime
from typing import Any


class Thing:
    """An object without a text of its own but `thing`."""

    def __str__(self) -> str:
        return 'thing'


def dated_visit(_input: dict[str, Any]) -> dict[str, Any]:
    """Return an object with a date inside."""
    return {'when': datetime(2025, 3, 4, 10, 0), 'place': 'Zürich'}


def list_inside_itself(_input: dict[str, Any]) -> list[Any]:
    """Return a list that contains itself."""
    endless: list[Any] = []
    endless.append(endless)
    return endless


def tuple_as_key(_input: dict[str, Any]) -> dict[tuple[int, int], str]:
    """Return an object with a tuple as its key."""
    return {(1, 2): 'north east'}


def plain_object(_input: dict[str, Any]) -> Thing:
    """Return an object that is no value at all."""
    return Thing()


def not_a_number(_input: dict[str, Any]) -> dict[str, Any]:
    """Return an object with numbers that JSON does not know."""
    return {'mean': float('nan'), 'peak': float('inf'), 'count': 0}


class Mute:
    """An object that breaks when its text is asked for."""

    def __str__(self) -> str:
        raise ValueError('no text')


def object_without_text(_input: dict[str, Any]) -> Mute:
    """Return an object that has no text at all."""
    return Mute()


def half_a_character(_input: dict[str, Any]) -> list[str]:
    """Return a list with half a surrogate pair in a text, as a cut in the middle of an emoji leaves it."""
    return ['Zürich \ud83c']


def long_numbers_beside_none(_input: dict[str, Any]) -> dict[str, Any]:
    """Return numbers that JSON does not know, ones that are too long to be written, and ones that are neither."""
    return {'mean': float('nan'), 'share': 0.25, 'long': 2 * 10**4214, 'longer': 3 * 10**4214, 'most': (10**5000, 1)}
