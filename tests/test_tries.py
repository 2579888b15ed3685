"""Requests that are tried again, against a real server that misbehaves."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import httpx
import pytest
from chat_server import ChatServer, Raw, chat_completion

from harness.llm import (
    LATENCY,
    APIConnectionError,
    APIResponseError,
    APITimeoutError,
    ChatClient,
    InternalServerError,
    ModelSpec,
    RateLimitError,
)
from harness.matrix.tries import Persistent, retry_after, usage_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NOW = datetime(2026, 12, 1, 10, 0, 0, tzinfo=UTC)
GOOD = chat_completion('Hello.')


def refusal(status: int, headers: Mapping[str, str] | None = None, **error: Any) -> Raw:
    body = json.dumps({'error': {'message': f'status {status}', **error}}).encode()
    return Raw(body, status=status, headers={'content-type': 'application/json', **(headers or {})})


class Line:
    """A client that tries again, and what it waited for."""

    def __init__(self, server: ChatServer, tries: int = 4, timeout_s: float = 5.0) -> None:
        self.waits: list[tuple[float, str, bool]] = []
        self.slept: list[float] = []
        transport = Persistent(
            httpx.HTTPTransport(), tries, lambda *wait: self.waits.append(wait), unit_s=0.01, sleep=self.slept.append
        )
        self.http = httpx.Client(transport=transport, timeout=timeout_s)
        self.client = ChatClient(ModelSpec(name='small', base_url=server.base_url, timeout_s=timeout_s), self.http)

    def ask(self) -> str | None:
        return self.client.complete('Hi').text


@pytest.mark.parametrize(
    'bad',
    [
        refusal(429),
        refusal(408),
        refusal(500),
        refusal(502),
        refusal(503),
        refusal(529),
        Raw(b'{"choices": [{"message"'),
        Raw(b''),
        Raw(b'{"choices": []}'),
        Raw(b'[]'),
        Raw(b'{"choices": [{"message": {"content": "Hel', cut=True),
    ],
    ids=['429', '408', '500', '502', '503', '529', 'malformed', 'nothing', 'no-choices', 'a-list', 'cut'],
)
def test_what_may_be_better_the_next_time_is_tried_again(bad: Raw) -> None:
    with ChatServer(bad, bad, GOOD) as server:
        line = Line(server)
        assert line.ask() == 'Hello.'
        assert len(server.asked) == 3
        assert len({json.dumps(asked.body) for asked in server.asked}) == 1
    assert len(line.waits) == len(line.slept) == 2


def test_a_silent_server_is_asked_again() -> None:
    with ChatServer(Raw(silent=True), GOOD) as server:
        assert Line(server, timeout_s=0.2).ask() == 'Hello.'


@pytest.mark.parametrize('status', [400, 401, 403, 404, 422])
def test_what_will_be_the_same_the_next_time_is_not_tried_again(status: int) -> None:
    with ChatServer(refusal(status)) as server:
        line = Line(server)
        with pytest.raises(Exception, match=f'status {status}'):
            line.ask()
        assert len(server.asked) == 1


@pytest.mark.parametrize('kind', [{'code': 'insufficient_quota'}, {'type': 'insufficient_quota'}])
def test_an_account_without_money_is_not_asked_again(kind: dict[str, str]) -> None:
    with ChatServer(refusal(429, **kind)) as server:
        with pytest.raises(RateLimitError):
            Line(server).ask()
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    ('bad', 'error'),
    [
        (refusal(429), RateLimitError),
        (refusal(500), InternalServerError),
        (Raw(b'{}'), APIResponseError),
        (Raw(silent=True), APITimeoutError),
        (Raw(b'{', cut=True), APIConnectionError),
    ],
)
def test_after_the_last_try_the_error_is_that_of_the_last_answer(bad: Raw, error: type[Exception]) -> None:
    with ChatServer(bad) as server:
        line = Line(server, tries=3, timeout_s=0.2)
        with pytest.raises(error):
            line.ask()
        assert len(server.asked) == 3


def test_once_given_up_a_run_asks_no_more() -> None:
    with ChatServer(refusal(500)) as server:
        line = Line(server, tries=2)
        for _ in range(3):
            with pytest.raises(InternalServerError):
                line.ask()
        assert len(server.asked) == 2


def test_a_reply_that_was_cut_at_the_token_limit_is_a_reply() -> None:
    cut = chat_completion(None, choices=[{'message': {'content': 'Hel'}, 'finish_reason': 'length'}])
    with ChatServer(cut) as server:
        completion = Line(server).client.complete('Hi')
        assert (completion.text, completion.finish_reason) == ('Hel', 'length')
        assert len(server.asked) == 1


def test_the_server_says_how_long_to_wait() -> None:
    with ChatServer(refusal(429, {'retry-after': '3'}), refusal(503, {'retry-after-ms': '250'}), GOOD) as server:
        line = Line(server)
        line.ask()
    assert line.slept == [3.0, 0.25]
    assert line.waits == [(3.0, 'HTTP 429', True), (0.25, 'HTTP 503', True)]


def test_a_server_that_wants_us_to_wait_for_very_long_is_given_up() -> None:
    with ChatServer(refusal(429, {'retry-after': '86400'})) as server:
        line = Line(server)
        with pytest.raises(RateLimitError):
            line.ask()
        assert len(server.asked) == 1
    assert line.slept == []


def test_without_a_word_of_the_server_the_waits_stay_within_the_backoff() -> None:
    with ChatServer(refusal(500)) as server:
        line = Line(server, tries=6)
        with pytest.raises(InternalServerError):
            line.ask()
    assert len(line.slept) == 5
    assert all(0 <= wait <= 0.01 * 2**number for number, wait in enumerate(line.slept))


def test_only_the_last_try_counts_as_time_of_the_model() -> None:
    with ChatServer(Raw(silent=True), GOOD) as server:
        line = Line(server, timeout_s=0.5)
        request = line.http.build_request('POST', f'{server.base_url}/chat/completions', json={'messages': []})
        line.http.send(request)
    assert request.extensions[LATENCY] < 0.4


@pytest.mark.parametrize(
    ('headers', 'seconds'),
    [
        ({}, None),
        ({'retry-after': '0'}, 0.0),
        ({'retry-after': ' 120 '}, 120.0),
        ({'retry-after': 'Tue, 01 Dec 2026 10:00:30 GMT'}, 30.0),
        ({'retry-after': 'Tue, 01 Dec 2026 09:00:00 GMT'}, 0.0),
        ({'retry-after': 'soon'}, None),
        ({'retry-after': '-5'}, None),
        ({'retry-after': 'inf'}, None),
        ({'retry-after': 'nan'}, None),
        ({'retry-after-ms': '1500', 'retry-after': '9'}, 1.5),
    ],
)
def test_how_long_a_server_wants_us_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(httpx.Headers(headers), NOW) == seconds


@pytest.mark.parametrize(
    ('body', 'tokens'),
    [
        (GOOD, (11, 7)),
        ({}, (0, 0)),
        ({'usage': None}, (0, 0)),
        ({'usage': {'prompt_tokens': '7', 'completion_tokens': True}}, (0, 0)),
        ([], (0, 0)),
    ],
)
def test_the_tokens_of_a_response(body: Any, tokens: tuple[int, int]) -> None:
    assert usage_of(httpx.Response(200, json=body)) == tokens
    assert usage_of(httpx.Response(200, content=b'{')) == (0, 0)
