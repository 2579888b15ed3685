"""What llama-index's own parser would run of a turn, asked in a process of its own and under a time limit.

Its patterns take quadratic to cubic time on some texts, and it evaluates some inputs, so it never reads a model's text
in the process of the harness.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, Self

from harness.grammar import Form, Kind

if TYPE_CHECKING:
    from harness.grammar import Reading

LIMIT_S: Final = 5.0
"""How long the parser may take for one turn, in seconds; what it would run behind that nobody waits for."""

_CHILD: Final = """
import json, sys
from llama_index.core.agent.react import ReActOutputParser
from llama_index.core.agent.react.types import ActionReasoningStep
parser = ReActOutputParser()
sys.stdout.write('ready\\n'); sys.stdout.flush()
for line in sys.stdin:
    try:
        step = parser.parse(json.loads(line))
        found = [step.action, step.action_input] if isinstance(step, ActionReasoningStep) else None
        text = json.dumps(found, default=repr)
    except BaseException:
        text = 'null'
    sys.stdout.write(text + '\\n'); sys.stdout.flush()
"""


class LibraryParser:
    """The library's parser in a process, which is begun at the first question and anew after one that took too long."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def call_in(self, output: str) -> tuple[str, Any] | None:
        """Return the name and the input of the call that the library would make of a turn, None where it makes none.

        Raises:
            TimeoutError: it did not come to an end in time.
        """
        process = self._process = self._process or self._begin()
        assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 (they are pipes)
        watch = threading.Timer(self._limit_s, process.kill)
        watch.start()
        try:
            process.stdin.write(json.dumps(output) + '\n')
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ''
        finally:
            watch.cancel()
        if not answer:
            self.close()
            raise TimeoutError(f'the parser of the library took more than {self._limit_s:g} s')
        found = json.loads(answer)
        return None if found is None else (found[0], found[1])

    def would_corrupt(self, output: str | None, reading: Reading) -> bool:
        """Tell whether the library would run something else than was written; taking for ever counts as that."""
        try:
            call = self.call_in(output or '')
        except TimeoutError:
            return True
        if call is None:
            return False
        written = reading.kind is Kind.CALL and reading.form is not Form.MALFORMED
        return not (written and (reading.name, reading.input) == call)

    def _begin(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # noqa: S603 (our own text, in our own interpreter)
            [sys.executable, '-c', _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding='utf-8',
        )
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        process.stdout.readline()
        return process
