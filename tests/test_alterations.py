"""The proof that no drift gets past: a recorded request is altered in every way at every place, one thing at a time."""

from __future__ import annotations

import copy
import json
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import pytest
import yaml
from chat_server import chat_completion

from harness.cassette import Drift, recording
from harness.cassette.drift import ABSENT
from harness.cassette.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Iterator

CASSETTES = Path(__file__).resolve().parent.parent / 'cassettes'
URL = 'http://127.0.0.1:8080/v1/chat/completions?api-version=2&tag=a&tag=b&key=hidden'
JSON = 'application/json'
RICH: dict[str, Any] = {
    'model': 'org/small',
    'messages': [
        {'role': 'system', 'content': 'Be brief.\nUse tools: café, naïve.'},
        {
            'role': 'user',
            'name': 'ilsa',
            'content': [
                {'type': 'text', 'text': 'What is on this picture?'},
                {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,iVBORw0KGgo=', 'detail': 'low'}},
            ],
        },
        {
            'role': 'assistant',
            'content': None,
            'tool_calls': [
                {'id': 'c1', 'type': 'function', 'function': {'name': 'look', 'arguments': '{"at": {"x": 1}}'}},
                {'id': 'c2', 'type': 'function', 'function': {'name': 'look', 'arguments': '{}'}},
            ],
        },
        {'role': 'tool', 'tool_call_id': 'c1', 'content': ' 41,200\t'},
        {'role': 'tool', 'tool_call_id': 'c2', 'content': ''},
    ],
    'stop': ['Observation:', '\n\n'],
    'temperature': 0.0,
    'top_p': 0.95,
    'n': 1,
    'seed': 7,
    'max_tokens': 64,
    'stream': False,
    'logprobs': True,
    'user': None,
    'logit_bias': {'50256': -100, '198': 1},
    'tools': [
        {
            'type': 'function',
            'function': {
                'name': 'look',
                'description': 'Look somewhere.',
                'strict': True,
                'parameters': {
                    'type': 'object',
                    'properties': {
                        'at': {'type': 'object', 'properties': {'x': {'type': 'number', 'enum': [1, 2.0, None]}}},
                        'names': {'type': 'array', 'items': {'type': ['string', 'null']}, 'default': []},
                    },
                    'required': ['at', 'names'],
                    'additionalProperties': False,
                },
            },
        },
        {'type': 'function', 'function': {'name': 'stay', 'parameters': {}}},
    ],
    'tool_choice': {'type': 'function', 'function': {'name': 'look'}},
    'response_format': {'type': 'json_schema', 'json_schema': {'name': 'r', 'schema': {'type': 'object'}}},
    'x-vendor': {'nested': [[1, [2, 3]], {'deep': {'er': [True, '1', 1, 1.0]}}], 'empty': {}, 'none': []},
}
NUMBER = 2_940
"""How many alterations of it there are: fewer would prove less."""

Keys = tuple[str | int, ...]
TWICE = '\0twice'
"""Behind the name of a key: it stands in the body a second time."""


class Altered(NamedTuple):
    """One alteration: where, what was done, and the body as it is sent."""

    at: Keys
    what: str
    body: str


class Gone:
    """The value of what is taken out."""


# ----------------------------------------------------------------------------------------------------- the alterations


def alterations(body: Any) -> list[Altered]:
    """Return every alteration of a body, each of another text."""
    found: dict[str, Altered] = {}
    for at, what, value in _changes(body, ()):
        changed = copy.deepcopy(body)
        if not at:
            changed = value
        else:
            inner = _at(changed, at[:-1])
            if value is Gone:
                del inner[at[-1]]
            else:
                inner[at[-1]] = value
        text = json.dumps(changed).replace(json.dumps(TWICE)[1:-1], '')
        found.setdefault(text, Altered(at, what, text))
    return list(found.values())


def _at(value: Any, keys: Keys) -> Any:
    for key in keys:
        value = value[key]
    return value


def _changes(value: Any, at: Keys) -> Iterator[tuple[Keys, str, Any]]:
    """Yield places, what is done there, and the value that stands there then."""
    if at:
        yield at, 'removed', Gone
        yield at, 'wrapped', [value]
        yield at, 'as its JSON text', json.dumps(value)
    for other in (None, True, False, 0, 1, 1.0, '', '1', 'true', [], {}):
        if type(other) is not type(value) or other != value:
            yield at, f'became {other!r}', other
    if isinstance(value, dict):
        yield from _changes_of_object(value, at)
    elif isinstance(value, list):
        yield from _changes_of_list(value, at)
    elif isinstance(value, str):
        yield from ((at, what, text) for what, text in _changes_of_text(value) if text != value)
    elif isinstance(value, int | float):
        yield from ((at, what, number) for what, number in _changes_of_number(value))


def _changes_of_object(value: dict[str, Any], at: Keys) -> Iterator[tuple[Keys, str, Any]]:
    yield at, 'as a list of pairs', [list(pair) for pair in value.items()]
    for extra in ('added', ' ', '\ufeff'):
        yield at, f'with the key {extra!r}', {**value, extra: None}
    for key, inner in value.items():
        others = {other: item for other, item in value.items() if other != key}
        for renamed in (key.swapcase(), f'{key} ', f' {key}', f'{key}\u200b'):
            if renamed != key:
                yield at, f'{key} renamed {renamed!r}', {**others, renamed: inner}
        for first, second in ((inner, None), (None, inner)):
            yield at, f'{key} twice', {**others, key: first, f'{key}{TWICE}': second}
        yield from _changes(inner, (*at, key))


def _changes_of_list(value: list[Any], at: Keys) -> Iterator[tuple[Keys, str, Any]]:
    yield at, 'with one more', [*value, None]
    yield at, 'with one in front', [None, *value]
    if value[::-1] != value:
        yield at, 'reversed', value[::-1]
    for index, inner in enumerate(value):
        yield at, f'{index} twice', [*value[:index], inner, *value[index:]]
        if index and (type(inner) is not type(value[index - 1]) or inner != value[index - 1]):
            swapped = [*value[: index - 1], inner, value[index - 1], *value[index + 1 :]]
            yield at, f'{index} and the one before swapped', swapped
        yield from _changes(inner, (*at, index))


def _changes_of_text(text: str) -> Iterator[tuple[str, str]]:
    middle = len(text) // 2
    yield 'blank in front', f' {text}'
    yield 'blank behind', f'{text} '
    yield 'line feed behind', f'{text}\n'
    yield 'stripped', text.strip()
    yield 'blank doubled', text.replace(' ', '  ', 1)
    yield 'blank to no-break space', text.replace(' ', '\xa0', 1)
    yield 'line end of Windows', text.replace('\n', '\r\n')
    yield 'other case', text.swapcase()
    yield 'decomposed', unicodedata.normalize('NFD', text)
    yield 'compatibility form', unicodedata.normalize('NFKC', f'{text}\ufb01')
    yield 'accents lost', unicodedata.normalize('NFD', text).encode('ascii', 'ignore').decode()
    yield 'look-alike letter', text.replace('e', 'е', 1)
    for name, character in (('NUL', '\0'), ('zero-width', '\u200b'), ('direction', '\u202e'), ('half pair', '\ud800')):
        yield name, f'{text[:middle]}{character}{text[middle:]}'
    yield 'one character less', text[:middle] + text[middle + 1 :]
    yield 'cut', text[:middle]
    yield 'doubled', text + text


def _changes_of_number(number: float) -> Iterator[tuple[str, Any]]:
    yield 'as a text', str(number)
    if isinstance(number, bool):
        yield 'as a number', int(number)
        yield 'the other one', not number
        return
    yield 'one more', number + 1
    yield 'a little more', number + 1e-9
    yield 'negative', -number - 1
    yield 'as the other kind of number', float(number) if isinstance(number, int) else int(number)
    if number in (0, 1):
        yield 'as a truth value', bool(number)


# ---------------------------------------------------------------------------------------------------------- the proof


def answer(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=chat_completion('Hello.'))


def send(http: httpx.Client, body: str, url: str = URL, method: str = 'POST', **headers: str) -> httpx.Response:
    given = {'content-type': JSON, 'authorization': 'Bearer x'} | {k.replace('_', '-'): v for k, v in headers.items()}
    return http.request(method, url, content=body, headers={name: value for name, value in given.items() if value})


@pytest.fixture(scope='module')
def cassette(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cassette of one turn with the rich request."""
    path = tmp_path_factory.mktemp('tapes') / 'rich' / 'small.yaml'
    with httpx.Client(transport=httpx.MockTransport(answer)) as through, recording(path, through=through) as tape:
        send(tape.http, json.dumps(RICH))
    return path


@pytest.fixture
def deck(cassette: Path) -> Replay:
    return Replay(cassette)


def drift_of(deck: Replay, body: str, url: str = URL, method: str = 'POST', **headers: str) -> Drift | None:
    """Return the drift that a request is, as the first one of a replay."""
    deck.drift, deck.played = None, 0
    deck.cassette.rewind()
    try:
        send(httpx.Client(transport=deck), body, url, method, **headers)
    except Drift as drift:
        return drift
    return None


def shown(at: Keys) -> str:
    """Return a key path as a drift writes it."""
    parts = (f'.{key}' if isinstance(key, str) and key.isidentifier() else f'[{key!r}]' for key in at)
    return ''.join(parts).removeprefix('.')


def test_every_alteration_of_every_part_of_a_body_is_caught_at_its_place(deck: Replay) -> None:
    made = alterations(RICH)
    missed = []
    for altered in made:
        drift = drift_of(deck, altered.body)
        if drift is None:
            missed.append(altered)
            continue
        whole = altered.what.endswith(' twice') and not isinstance(_at(RICH, altered.at), list)
        assert drift.path.startswith('' if whole else shown(altered.at[:-1]))
        assert drift.recorded != drift.now or type(drift.recorded) is not type(drift.now)
        told = str(drift)
        assert told.startswith(f'{deck.path}: the request of turn 1 of 1 is not the recorded one\n  {drift.path}: ')
        assert '\n  react-harness record rich --model small --base-url ' in told
        assert told.endswith('\n  react-harness accept-drift rich --model small')
    print(f'{len(made)} alterations of a body, {len(made) - len(missed)} caught')
    assert missed == []
    assert len(made) == NUMBER
    assert {type(_at(RICH, altered.at)) for altered in made} == {str, dict, list, int, float, bool, type(None)}


def test_every_alteration_of_a_request_that_really_was_recorded_is_caught(tmp_path: Path) -> None:
    path = max(CASSETTES.glob('*/*.yaml'), key=lambda path: path.stat().st_size)
    first = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)['interactions'][0]['request']
    deck = Replay(path)
    made = alterations(json.loads(first['body']))
    caught = [altered for altered in made if drift_of(deck, altered.body, first['uri']) is not None]
    print(f'{len(made)} alterations of a recorded body, {len(caught)} caught')
    assert caught == made
    assert len(made) > 200
    assert drift_of(deck, first['body'], first['uri']) is None


URLS = [
    ('path', URL.replace('/v1/', '/v2/')),
    ('path', URL.replace('/v1/', '/V1/')),
    ('path', URL.replace('/v1/', '//v1/')),
    ('path', URL.replace('/v1/', '/')),
    ('path', URL.replace('/v1/', '/v1%2F')),
    ('path', URL.replace('completions', 'completions/')),
    ("query['api-version']", URL.replace('api-version=2', 'api-version=3')),
    ("query['api-version']", URL.replace('api-version=2', 'api-version=2.0')),
    ("query['api-version']", URL.replace('api-version=2', 'api-version=')),
    ("query['api-version']", URL.replace('api-version=2', 'API-VERSION=2')),
    ("query['api-version']", URL.replace('api-version=2&', '')),
    ("query['api-version']", URL.partition('?')[0]),
    ('query.tag', URL.replace('&tag=b', '')),
    ('query.tag', URL.replace('tag=a&tag=b', 'tag=b&tag=a')),
    ('query.tag', URL.replace('tag=a&', 'tag=a&tag=a&')),
    ('query.extra', URL + '&extra'),
    ('query.stream', URL + '&stream=true'),
]


@pytest.mark.parametrize(('place', 'url'), URLS, ids=[url.removeprefix('http://127.0.0.1:8080') for _, url in URLS])
def test_another_path_or_query_with_the_same_body_is_caught(deck: Replay, place: str, url: str) -> None:
    drift = drift_of(deck, json.dumps(RICH), url)
    assert drift is not None
    assert drift.path.startswith(place)


@pytest.mark.parametrize('method', ['PUT', 'PATCH', 'GET', 'DELETE', 'QUERY'])
def test_another_method_with_the_same_body_is_caught(deck: Replay, method: str) -> None:
    drift = drift_of(deck, json.dumps(RICH), method=method)
    assert drift is not None
    assert (drift.path, drift.recorded, drift.now) == ('method', 'POST', method)


@pytest.mark.parametrize('kind', ['text/plain', f'{JSON}; charset=utf-16', 'application/x-www-form-urlencoded', ''])
def test_another_content_type_with_the_same_body_is_caught(deck: Replay, kind: str) -> None:
    drift = drift_of(deck, json.dumps(RICH), content_type=kind)
    assert drift is not None
    assert (drift.path, drift.recorded, drift.now) == ("headers['content-type']", JSON, kind or ABSENT)


@pytest.mark.parametrize(
    'body', ['', '{', 'null', '[]', '"{}"', '\ufeff{}', f'{json.dumps(RICH)} x', json.dumps(json.dumps(RICH))]
)
def test_a_body_that_is_another_text_is_caught(deck: Replay, body: str) -> None:
    assert drift_of(deck, body) is not None


def test_a_body_in_another_encoding_is_caught(deck: Replay) -> None:
    for encoding in ('utf-16', 'utf-32-le', 'utf-8-sig'):
        content = json.dumps(RICH, ensure_ascii=False).encode(encoding)
        deck.drift = None
        with pytest.raises(Drift, match='turn 1 of 1'):
            httpx.Client(transport=deck).post(URL, content=content, headers={'content-type': JSON})


# -------------------------------------------------------------------------------------------------- what does not count


def reordered(value: Any) -> Any:
    """Return a value with the keys of all its objects the other way round."""
    if isinstance(value, dict):
        return {key: reordered(item) for key, item in reversed(value.items())}
    return [reordered(item) for item in value] if isinstance(value, list) else value


SAME = {
    'the order of the keys': {'body': json.dumps(reordered(RICH))},
    'blanks between the values': {'body': json.dumps(RICH, indent=3)},
    'escapes': {'body': json.dumps(RICH, ensure_ascii=False)},
    'another server': {'url': URL.replace('http://127.0.0.1:8080', 'https://me:pass@example.org')},
    'keys of an API': {'url': URL.replace('key=hidden', 'key=other&access_token=x'), 'authorization': 'Bearer y'},
    'the order of parameters': {'url': URL.replace('api-version=2&tag=a&tag=b', 'tag=a&api-version=2&tag=b')},
    'other headers': {'user_agent': 'x', 'x_request_id': '1', 'accept': '*/*', 'accept_encoding': 'identity'},
}


@pytest.mark.parametrize('change', SAME.values(), ids=SAME)
def test_what_cannot_change_an_answer_is_no_drift(cassette: Path, change: dict[str, str]) -> None:
    assert change.get('body') != json.dumps(RICH)
    assert drift_of(Replay(cassette), **{'body': json.dumps(RICH), **change}) is None
