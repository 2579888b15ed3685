"""Requests that are tried again: a refusal, a failure of the server or of the line is not the last word."""

from __future__ import annotations

import email.utils
import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from harness.llm import LATENCY, APIResponseError, completion_of

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_WAIT_S: Final = 600.0
"""The longest that a server can make us wait before a try, in seconds; one that wants more is given up."""

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_FIRST_WAIT_S: Final = 1.0
_LONGEST_BACKOFF_S: Final = 60.0


class Again(Exception):  # noqa: N818 (named by what is to be done)
    """A try that failed; another one may not."""

    def __init__(self, why: str, response: httpx.Response | None, error: Exception | None, after: float | None) -> None:
        super().__init__(why)
        self.why, self.response, self.error, self.after = why, response, error, after

    @property
    def limited(self) -> bool:
        """Whether the server was asked too much."""
        return self.response is not None and self.response.status_code in (429, 503, 529)


class Persistent(httpx.BaseTransport):
    """A transport that tries a request up to `tries` times; it waits as long as the server says, else longer each time.

    Tried again are refusals for now (429, 503, 409, ...), failures of the server (5xx), lines that break or time out,
    and answers with success that are no chat completion. `told` hears of every wait: its seconds, why, and whether the
    server was asked too much. Once a request was given up, every further one fails at once. The request says in its
    extension `latency_s` how long its last try took. `unit_s` scales the waits that the server does not tell.
    """

    def __init__(
        self,
        transport: httpx.BaseTransport,
        tries: int,
        told: Callable[[float, str, bool], None] = lambda seconds, why, limited: None,
        unit_s: float = _FIRST_WAIT_S,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport, self._told = transport, told
        self._given_up: Again | None = None
        self._backoff = wait_random_exponential(multiplier=unit_s, max=_LONGEST_BACKOFF_S * unit_s)
        self._retrying = Retrying(
            retry=retry_if_exception_type(Again),
            stop=lambda state: stop_after_attempt(tries)(state) or _too_long(state),
            wait=self._wait,
            before_sleep=self._before_sleep,
            sleep=sleep,
            reraise=True,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._given_up is not None:
            return _end(self._given_up)
        try:
            return self._retrying.copy()(self._try, request)
        except Again as last:
            self._given_up = last
            return _end(last)

    def close(self) -> None:
        self._transport.close()

    def _try(self, request: httpx.Request) -> httpx.Response:
        began = time.perf_counter()
        try:
            response = self._transport.handle_request(request)
            response.read()
        except httpx.TransportError as error:
            raise Again(str(error) or type(error).__name__, None, error, None) from error
        request.extensions[LATENCY] = time.perf_counter() - began
        whole = httpx.Response(
            response.status_code,
            headers=[(name, value) for name, value in response.headers.raw if name.lower() not in _OF_THE_LINE],
            content=response.content,
            request=request,
            extensions=response.extensions,
        )
        if response.status_code in _AGAIN and not _hopeless(whole):
            after = retry_after(whole.headers, datetime.now(UTC))
            raise Again(f'HTTP {response.status_code}', whole, None, after)
        if whole.is_success:
            try:
                completion_of(whole)
            except APIResponseError as error:
                raise Again(str(error), whole, None, None) from None
        return whole

    def _wait(self, state: RetryCallState) -> float:
        error = _error_of(state)
        wanted = error.after if error is not None else None
        return wanted if wanted is not None else float(self._backoff(state))

    def _before_sleep(self, state: RetryCallState) -> None:
        error = _error_of(state)
        if error is not None:
            self._told(state.upcoming_sleep, error.why, error.limited)


_OF_THE_LINE: Final = (b'content-encoding', b'content-length', b'transfer-encoding')


def _error_of(state: RetryCallState) -> Again | None:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, Again) else None


def _too_long(state: RetryCallState) -> bool:
    error = _error_of(state)
    return error is not None and error.after is not None and error.after > MAX_WAIT_S


def _end(last: Again) -> httpx.Response:
    """Give up with what the last try brought: the server's answer, or the error of the line."""
    if last.response is not None:
        return last.response
    assert last.error is not None  # noqa: S101 (one of the two is there)
    raise last.error


def _hopeless(response: httpx.Response) -> bool:
    """Tell whether a refusal is one for good: an account without money is told with 429, too."""
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return False
    error = body.get('error') if isinstance(body, dict) else None
    words = [error.get('code'), error.get('type')] if isinstance(error, dict) else []
    return 'insufficient_quota' in words or 'billing_hard_limit_reached' in words


def retry_after(headers: httpx.Headers, now: datetime) -> float | None:
    """Return how many seconds a server wants us to wait, None where it does not say (RFC 9110, section 10.2.3).

    `retry-after-ms` is what OpenAI's servers send besides.
    """
    with_ms = headers.get('retry-after-ms', '')
    if (milliseconds := _number(with_ms)) is not None:
        return milliseconds / 1000
    value = headers.get('retry-after', '').strip()
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        then = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, ((then if then.tzinfo else then.replace(tzinfo=UTC)) - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float('inf') else None


def usage_of(response: httpx.Response) -> tuple[int, int]:
    """Return the tokens of prompt and completion that a response tells, 0 where it tells none."""
    try:
        usage: Any = json.loads(response.content).get('usage')
    except (ValueError, AttributeError, RecursionError):
        usage = None
    usage = usage if isinstance(usage, dict) else {}
    prompt, completion = (usage.get(key) for key in ('prompt_tokens', 'completion_tokens'))
    return (prompt if type(prompt) is int else 0, completion if type(completion) is int else 0)
