"""What a run record shows of a model and of the tools; all of it is pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from harness.capture.behaviour import CaptureError, Output, Seen, SeenCall, whole
from harness.capture.proposal import steps_of
from harness.expect.finding import NODE
from harness.llm_errors import status_error
from harness.record import Offered, RunRecord, ToolCall, Turn
from harness.scenario import ErrorReply
from harness.show.summary import answer_of, stop_reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.capture.runs import Found

STATUS_OF: Final = {
    type(status_error('', status)).__name__: status for status in (500, 429, 422, 410, 409, 404, 403, 401, 400)
}
"""The HTTP status that gives an error of the model side again, by the name of its class."""

_Part = TypeVar('_Part', Turn, ToolCall, Offered)


def own(parts: Iterable[_Part]) -> list[_Part]:
    """Return what the node under test did or was told; a child agent is a tool to it."""
    return [part for part in parts if part.agent == NODE]


def calls_of(record: RunRecord) -> tuple[SeenCall, ...]:
    """Return the calls that reached tools of the node."""
    return tuple(
        SeenCall(tool=call.tool, input=whole(call.input), output=whole(call.output), error=call.error)
        for call in own(record.calls)
    )


def seen_of(record: RunRecord) -> Seen:
    """Return what a record says of its run."""
    return Seen(
        answer=whole(answer_of(record)),
        stop_reason=stop_reason_of(record),
        prompts=tuple(whole(turn.prompt) for turn in own(record.turns)),
        calls=calls_of(record),
        steps=tuple(whole(step) for step in steps_of(record)) or None,
    )


def outputs_of(found: Found) -> tuple[Output, ...]:
    """Return what the model wrote, turn by turn.

    Raises:
        CaptureError: nothing can be captured of this run.
    """
    record = found.result.record
    if found.result.problem is not None:
        reason = found.result.problem.partition('\n')[0]
        raise CaptureError(f'{found.where}: that run was not judged, so it shows nothing: {reason}')
    if record.stopped is not None:
        raise CaptureError(f'{found.where}: that run was broken off, so it is not whole: {record.stopped.message}')
    turns = own(record.turns)
    if not turns:
        raise CaptureError(f'{found.where}: that run asked no model, so there is nothing to capture')
    return tuple(_output(turn, found.where) for turn in turns)


def _output(turn: Turn, where: str) -> Output:
    error = None
    if turn.error is not None:
        status = STATUS_OF.get(turn.error.type)
        if status is None:
            raise CaptureError(
                f'{where}: turn {turn.index + 1} ended with {turn.error.type}: {turn.error.message}; that is no answer '
                'of a model, and a cassette cannot hold it'
            )
        error = ErrorReply(status=status, message=whole(turn.error.message))
    return Output(
        text=whole(turn.output),
        finish_reason=turn.finish_reason,
        prompt_tokens=turn.prompt_tokens,
        completion_tokens=turn.completion_tokens,
        latency_s=turn.latency_s,
        error=error,
    )
