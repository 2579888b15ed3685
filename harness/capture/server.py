"""The server that says again what a model said: it answers the n-th request with the n-th captured output."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Final

import httpx

from harness.show.visible import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.capture.behaviour import Output

GONE: Final = 410


class OutputServer:
    """A transport that answers requests with outputs, to the character; a request behind the last gets HTTP 410.

    `asked` counts the requests.
    """

    def __init__(self, outputs: Sequence[Output]) -> None:
        self._outputs = outputs
        self._lock = threading.Lock()
        self.asked = 0

    @property
    def ran_out(self) -> bool:
        """Whether there were more requests than outputs."""
        return self.asked > len(self._outputs)

    def client(self) -> httpx.Client:
        """Return a client that reaches this server and no other."""
        return httpx.Client(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            index = self.asked
            self.asked += 1
        if index >= len(self._outputs):
            known = plural(len(self._outputs), 'output')
            return _refusal(GONE, f'this is request {index + 1}, and {known} of the model {_was(known)} captured')
        output = self._outputs[index]
        if output.error is not None:
            return _refusal(output.error.status, output.error.message)
        return _json(200, _completion(output, json.loads(request.content)['model'], index))


def _completion(output: Output, model: str, index: int) -> dict[str, Any]:
    counts = {'prompt_tokens': output.prompt_tokens, 'completion_tokens': output.completion_tokens}
    usage = {key: count for key, count in counts.items() if count is not None}
    message = {'role': 'assistant', 'content': output.text}
    return {
        'id': f'captured-{index + 1}',
        'object': 'chat.completion',
        'created': 0,
        'model': model,
        'choices': [{'index': 0, 'message': message, 'finish_reason': output.finish_reason}],
        **({'usage': usage} if usage else {}),
    }


def _refusal(status: int, message: str) -> httpx.Response:
    return _json(status, {'error': {'message': message, 'type': 'captured_error', 'code': status}})


def _json(status: int, body: Any) -> httpx.Response:
    return httpx.Response(status, headers={'content-type': 'application/json'}, content=json.dumps(body).encode())


def _was(known: str) -> str:
    return 'was' if known.startswith('1 ') else 'were'
