"""What was captured: the outputs of a model, what the node was asked, and what else is known of the run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from harness.record import Failure, Frozen
from harness.scenario import ErrorReply  # noqa: TC001 (pydantic reads it)
from harness.scenario.loading import UsageError

if TYPE_CHECKING:
    from harness.secrets import Guard

NOBODY: Final = 'http://captured.invalid/v1'
"""The base URL in a cassette whose outputs came without one."""

_SURROGATES: Final = re.compile('[\ud800-\udfff]')


class CaptureError(UsageError):
    """Something cannot be captured; the message says what, and what to do."""


class Output(Frozen):
    """One output of a model as it was seen, or an HTTP error in its place; what is not known is None."""

    text: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_s: float | None = None
    error: ErrorReply | None = None


class Asked(Frozen):
    """The model as it was asked: its name in files, where it was, its name there, and how it sampled."""

    name: str
    base_url: str = NOBODY
    model: str = ''
    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None


class SeenCall(Frozen):
    """One call that reached a tool of the node, as it was seen: `output` is a JSON value."""

    tool: str
    input: Any
    output: Any = None
    error: Failure | None = None


class Seen(Frozen):
    """What is known of the run itself; None is what is not known."""

    answer: str | None = None
    stop_reason: str | None = None
    prompts: tuple[str, ...] | None = None
    calls: tuple[SeenCall, ...] | None = None
    steps: tuple[dict[str, Any], ...] | None = None


class Behaviour(Frozen):
    """A behaviour of a model, ready to be played.

    `asked` are the keys of the scenario before its expectations, as a file has them; the first of several ways to
    script the tools is preferred, each stands for the same calls. `question` is the text of the question. `source` is
    one line that says where all this comes from, `unknown` lists what nobody knows, `remarks` what else has to be told.
    """

    model: Asked
    outputs: tuple[Output, ...] = Field(min_length=1)
    asked: tuple[dict[str, Any], ...] = Field(min_length=1)
    question: str
    source: str
    seen: Seen = Seen()
    unknown: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def whole(value: Any) -> Any:
    """Return a JSON value with U+FFFD for half surrogate pairs, which no server sends and no file holds."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATES.sub('\ufffd', value)
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list | tuple) else value


def masked(behaviour: Behaviour, guard: Guard) -> Behaviour:
    """Return a behaviour without what looks like a key; where there was one, a remark says so.

    Only what stands in a text is masked: the schema of an input may well name a password.
    """
    clean = Behaviour.model_validate(masked_texts(behaviour.model_dump(), guard))
    if clean == behaviour:
        return behaviour
    remark = 'what looks like a key is masked (***): the model, or a tool, gave something else there'
    return clean.model_copy(update={'remarks': (*behaviour.remarks, remark)})


def masked_texts(value: Any, guard: Guard) -> Any:
    """Return a JSON value in which each text is masked."""
    if isinstance(value, str):
        return guard.mask(value)
    if isinstance(value, dict):
        return {masked_texts(key, guard): masked_texts(item, guard) for key, item in value.items()}
    return [masked_texts(item, guard) for item in value] if isinstance(value, list | tuple) else value
