"""How a call to a model can fail; the classes are named as those of the openai SDK are."""

from __future__ import annotations

from typing import Final


class ModelError(Exception):
    """A call that ended without a reply of the model; its text is the server's message where there is one."""


class APIConnectionError(ModelError):
    """The server was not reached, or the connection was cut."""


class APITimeoutError(APIConnectionError):
    """The server took too long."""


class APIResponseError(ModelError):
    """The server answered with success, and with something that is no chat completion."""


class APIStatusError(ModelError):
    """The server answered with an HTTP error; the more usual ones are subclasses."""

    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message, status_code)
        self.message = message
        self.status_code = status_code

    def __str__(self) -> str:
        return self.message


class BadRequestError(APIStatusError):
    """400: the server does not accept the request, often because it is too long."""


class AuthenticationError(APIStatusError):
    """401: the key is missing or wrong."""


class PermissionDeniedError(APIStatusError):
    """403: the key may not do this."""


class NotFoundError(APIStatusError):
    """404: there is no such model, or the base URL is not that of an OpenAI-compatible server."""


class ConflictError(APIStatusError):
    """409: the request conflicts with another one."""


class UnprocessableEntityError(APIStatusError):
    """422: a field of the request is wrong."""


class RateLimitError(APIStatusError):
    """429: too many requests."""


class InternalServerError(APIStatusError):
    """5xx: the server failed."""


_BY_STATUS: dict[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}


def status_error(message: str, status: int) -> APIStatusError:
    """Return the error for an HTTP status."""
    kind = InternalServerError if status >= 500 else _BY_STATUS.get(status, APIStatusError)
    return kind(message, status)


INFRASTRUCTURE: Final = frozenset(
    {
        'APIConnectionError',
        'APIResponseError',
        'APIStatusError',
        'APITimeoutError',
        'AuthenticationError',
        'ConflictError',
        'InternalServerError',
        'NotFoundError',
        'PermissionDeniedError',
        'RateLimitError',
    }
)
"""The failures that say nothing about a model, by name: all but those of a request that can never be answered."""
