"""Deterministic tools for questions whose answers nobody can know: every fact here is made up."""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter
from typing import Any, Final

ROOMS: Final = {
    'ilsa tarvelle': {'name': 'Ilsa Tarvelle', 'room': '4-117', 'phone': '6083'},
    'odo brask': {'name': 'Odo Brask', 'room': '2-054', 'phone': '6121'},
}
ORDERS: Final = {
    'K-2291': {'order': 'K-2291', 'parcel': 'ZX-70413', 'ordered': '3 May'},
    'K-2305': {'order': 'K-2305', 'parcel': 'ZX-70988', 'ordered': '9 May'},
}
PARCELS: Final = {
    'ZX-70413': {'parcel': 'ZX-70413', 'depot': 'Brennwald', 'state': 'waiting for pick-up'},
    'ZX-70988': {'parcel': 'ZX-70988', 'depot': 'Ostrin', 'state': 'on the road'},
}
STOCK: Final = {'brass hinge': 318, 'steel hinge': 1205, 'oak board': 76}
PRICES: Final = {'solvane': '23.75 crowns a crate', 'orvex': '8.10 crowns a bag'}
LIGHTHOUSES: Final = {'nordhaken': {'name': 'Nordhaken', 'built': 1894, 'steps': 243, 'colour': 'white'}}
TRAILS: Final = {'volpe grigia': {'name': 'Volpe Grigia', 'length_km': 18.6, 'refuges': 2}}
VALVES: Final = {'6': {'tank': 6, 'fed_by': 'V-209'}, '7': {'tank': 7, 'fed_by': 'V-214'}}
FERRIES: Final = {'marsum': {'harbour': 'Marsum', 'next_departure': '2:35 pm', 'pier': 'C'}}
TOWERS: Final = {'corvane tower': {'name': 'Corvane Tower', 'height': '87 spans', 'floors': 21}}

METRES: Final = {'metre': 1.0, 'kilometre': 1000.0, 'brell': 3.7, 'span': 1.25}
"""Lengths in metres; the brell and the span are made up."""

BERTHS: Final = (
    ('Velmar', 'V1', 41.5),
    ('Velmar', 'V2', 58.0),
    ('Velmar', 'V3', 72.25),
    ('Velmar', 'V4', 91.75),
    ('Ostrin', 'O1', 33.0),
    ('Ostrin', 'O2', 47.5),
)
MAX_ROWS: Final = 50
MAX_BYTES: Final = 100_000

HANDBOOK: Final = (
    'Orvex glaze is mixed with rain water and rests for two days before use.',
    'Pieces with Orvex glaze are fired at 1187 degrees for six hours.',
    'Solvane glaze is fired at 1043 degrees and cools in the open kiln.',
    'The kiln door stays closed until the gauge is below 90 degrees.',
    'Clay from the north pit is sieved three times.',
    'Brushes for glaze are cleaned in warm water, never in spirit.',
)


def _argument(given: dict[str, Any], name: str) -> str:
    """Return one argument as text; a missing one is an error, as it is for any function."""
    if name not in given:
        raise TypeError(f'missing argument: {name}')
    return str(given[name]).strip()


def _entry(table: dict[str, Any], key: str, what: str) -> Any:
    if key not in table:
        raise LookupError(f'no such {what}: {key}')
    return table[key]


def find_person(given: dict[str, Any]) -> Any:
    """Return the entry of a person in the staff directory."""
    return _entry(ROOMS, _argument(given, 'name').lower(), 'person')


def find_order(given: dict[str, Any]) -> Any:
    """Return an order with the number of its parcel."""
    return _entry(ORDERS, _argument(given, 'order').upper(), 'order')


def find_parcel(given: dict[str, Any]) -> Any:
    """Return where a parcel is."""
    return _entry(PARCELS, _argument(given, 'parcel').upper(), 'parcel')


def count_stock(given: dict[str, Any]) -> dict[str, Any]:
    """Return how many pieces of an article are in stock."""
    article = _argument(given, 'article').lower().removesuffix('s')
    return {'article': article, 'pieces': _entry(STOCK, article, 'article')}


def find_price(given: dict[str, Any]) -> Any:
    """Return the price of an article as text."""
    return _entry(PRICES, _argument(given, 'article').lower(), 'article')


def find_lighthouse(given: dict[str, Any]) -> Any:
    """Return the data of a lighthouse."""
    return _entry(LIGHTHOUSES, _argument(given, 'name').lower(), 'lighthouse')


def find_trail(given: dict[str, Any]) -> Any:
    """Return the data of a trail."""
    name = _argument(given, 'name').lower()
    return _entry(TRAILS, name.removeprefix('sentiero ').removeprefix('della '), 'trail')


def find_valve(given: dict[str, Any]) -> Any:
    """Return the valve that feeds a tank."""
    return _entry(VALVES, _argument(given, 'tank').lower().removeprefix('tank').strip(), 'tank')


def find_ferry(given: dict[str, Any]) -> Any:
    """Return the next ferry from a harbour."""
    return _entry(FERRIES, _argument(given, 'harbour').lower(), 'harbour')


def find_tower(given: dict[str, Any]) -> Any:
    """Return the data of a tower."""
    return _entry(TOWERS, _argument(given, 'name').lower(), 'tower')


def find_shop(_given: dict[str, Any]) -> list[Any]:
    """Return the shops that were found: none."""
    return []


def multiply(given: dict[str, Any]) -> float:
    """Return the product of two numbers."""
    return round(float(_argument(given, 'a')) * float(_argument(given, 'b')), 6)


def convert_length(given: dict[str, Any]) -> dict[str, Any]:
    """Convert a length from one unit to another."""
    source, target = (_argument(given, key).lower().removesuffix('s') for key in ('from', 'to'))
    metres = float(_argument(given, 'value')) * _entry(METRES, source, 'unit')
    return {'value': round(metres / _entry(METRES, target, 'unit'), 6), 'unit': target}


def reserve(given: dict[str, Any]) -> dict[str, Any]:
    """Reserve a room for a slot `{day, hour}` and return the code of the reservation, which depends on all of it."""
    slot = given.get('slot')
    if not isinstance(slot, dict) or not {'day', 'hour'} <= slot.keys():
        raise TypeError('slot must be an object with day and hour')
    room, day, hour = _argument(given, 'room'), _argument(slot, 'day'), int(_argument(slot, 'hour'))
    code = sum(ord(letter) * (place + 1) for place, letter in enumerate(f'{room}/{day}'.lower())) + hour * 1009
    return {'reserved': True, 'code': f'QF-{code}'}


def query_berths(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one SELECT on a table of berths and return its rows (at most `MAX_ROWS`); nothing but reading is allowed."""
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
    database = sqlite3.connect(':memory:')
    try:
        database.row_factory = sqlite3.Row
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        database.execute('CREATE TABLE berths (harbour TEXT, berth TEXT, metres REAL)')
        database.executemany('INSERT INTO berths VALUES (?, ?, ?)', BERTHS)
        database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
        database.set_progress_handler(lambda: 1, 1_000_000)
        return [dict(row) for row in database.execute(_argument(given, 'sql')).fetchmany(MAX_ROWS)]
    finally:
        database.close()


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower())


def search_handbook(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the two passages of the handbook that fit a query best, scored by TF-IDF; none where no word fits."""
    passages = [Counter(_words(text)) for text in HANDBOOK]
    spread = Counter(word for words in passages for word in words)
    weight = {word: math.log(1 + len(passages) / count) for word, count in spread.items()}
    query = set(_words(_argument(given, 'query')))
    hits: list[dict[str, Any]] = []
    for text, words in zip(HANDBOOK, passages, strict=True):
        score = sum(words[word] * weight[word] for word in query & words.keys()) / math.sqrt(words.total())
        hits.append({'text': text, 'score': round(score, 3)})
    best = sorted(hits, key=lambda hit: hit['score'], reverse=True)[:2]
    return [hit for hit in best if hit['score'] > 0]
