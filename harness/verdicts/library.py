"""What llama-index's own parser would run of a turn, asked in a process of its own and under a time limit.

Its patterns take quadratic to cubic time on some texts, and it evaluates some inputs, so it never reads a model's text
in the process of the harness.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Self

from harness.grammar import Form, Kind

if TYPE_CHECKING:
    from harness.grammar import Reading

LIMIT_S: Final = 5.0
"""How long the parser may take for one turn, in seconds; what it would run behind that nobody waits for."""

_READY: Final = 'ready'
_CHILD: Final = """
import json, sys
try:
    from llama_index.core.agent.react import ReActOutputParser
    from llama_index.core.agent.react.types import ActionReasoningStep
    parser = ReActOutputParser()
except BaseException as error:
    print(' '.join(f'{type(error).__name__}: {error}'.split())[:300], flush=True)
    sys.exit()
print('ready', flush=True)
for line in sys.stdin:
    try:
        step = parser.parse(json.loads(line))
        found = [step.action, step.action_input] if isinstance(step, ActionReasoningStep) else None
        text = json.dumps(found, default=repr)
    except BaseException:
        text = 'null'
    print(text, flush=True)
"""


class NoLibrary(Exception):  # noqa: N818 - named by the fact
    """llama-index cannot be imported, so that nobody can ask its parser; the message says why."""


class GaveUp(Exception):  # noqa: N818 - named by the fact
    """The parser gave no answer for a text; the message says whether it took too long or died."""


class LibraryParser:
    """The library's parser in a process, which is begun at the first question and anew where one got no answer.

    A text is asked once, however often it comes.
    """

    def __init__(self, limit_s: float = LIMIT_S, python: str = sys.executable) -> None:
        self._limit_s = limit_s
        self._python = python
        self._process: subprocess.Popen[str] | None = None
        self._watch: _Watch
        self._answers: dict[bytes, tuple[str, Any] | GaveUp | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._watch.stop()
            self._process.kill()
            self._process.communicate()
            self._process = None

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None

    def begin(self) -> None:
        """Begin the process now, where it is not there yet.

        Raises:
            NoLibrary: llama-index cannot be imported.
        """
        if self._process is None:
            self._process = self._begun()
            self._watch = _Watch(self._process, self._limit_s)
            self._watch.start()

    def call_in(self, output: str) -> tuple[str, Any] | None:
        """Return the name and the input of the call that the library would make of a turn, None where it makes none.

        Raises:
            GaveUp: it did not come to an end, or not in time.
            NoLibrary: llama-index cannot be imported.
        """
        key = sha256(output.encode('utf-8', 'surrogatepass')).digest()
        if key not in self._answers:
            try:
                self._answers[key] = self._asked(output)
            except GaveUp as error:
                self._answers[key] = error
        answer = self._answers[key]
        if isinstance(answer, GaveUp):
            raise answer
        return answer

    def would_corrupt(self, output: str | None, reading: Reading) -> bool:
        """Tell whether the library would run something else than was written; giving no answer counts as that.

        Raises:
            NoLibrary: llama-index cannot be imported.
        """
        try:
            call = self.call_in(output or '')
        except GaveUp:
            return True
        if call is None:
            return False
        written = reading.kind is Kind.CALL and reading.form is not Form.MALFORMED
        return not (written and _exact(reading.name, reading.input) == _exact(*call))

    def _asked(self, output: str) -> tuple[str, Any] | None:
        self.begin()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None  # noqa: S101, PT018
        watch = self._watch
        watch.begin()
        try:
            process.stdin.write(json.dumps(output) + '\n')
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ''
        finally:
            late = watch.end()
        whole = answer.endswith('\n')
        if late or not whole:
            self.close()
        if not whole:
            why = f'took more than {self._limit_s:g} s' if late else 'died'
            raise GaveUp(f'the parser of the library {why}')
        found = json.loads(answer)
        return None if found is None else (found[0], found[1])

    def _begun(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # noqa: S603 (our own text, in our own interpreter)
            [self._python, '-c', _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding='utf-8',
        )
        assert process.stdout is not None  # noqa: S101 (it is a pipe)
        first = process.stdout.readline().strip()
        if first != _READY:
            process.kill()
            process.communicate()
            raise NoLibrary(f'llama-index cannot be imported: {first or "its import ended the process"}')
        return process


class _Watch(threading.Thread):
    """Kills a process that has not answered in time; one thread for all questions to it, since a thread costs more."""

    def __init__(self, process: subprocess.Popen[str], limit_s: float) -> None:
        super().__init__(name='watch of the library', daemon=True)
        self._process, self._limit_s = process, limit_s
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._deadline: float | None = None
        self._late = False

    def begin(self) -> None:
        """A question is asked now."""
        self._deadline = time.monotonic() + self._limit_s

    def end(self) -> bool:
        """The question is over; return whether it took too long."""
        with self._lock:
            self._deadline = None
            return self._late

    def stop(self) -> None:
        """Watch no more."""
        self._stopped.set()
        self.join()

    def run(self) -> None:
        while not self._stopped.wait(min(0.2, self._limit_s / 10)):
            with self._lock:
                if self._deadline is not None and time.monotonic() > self._deadline:
                    self._late = True
                    self._process.kill()
                    return


def _exact(name: str | None, value: Any) -> str:
    """Return a call as text in which 1, 1.0 and true are not the same."""
    return json.dumps([name, value], sort_keys=True)
