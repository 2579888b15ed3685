"""The process that records: it gets one run after the other, and tells what happens while it makes them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from harness.matrix.tries import Persistent, usage_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from harness.llm import ModelSpec
    from harness.recording import Recorded


class Job(NamedTuple):
    """One run to be recorded; `about` is written into the cassette."""

    scenario: str
    spec: ModelSpec
    cassette: str
    epoch: int
    tries: int
    unit_s: float
    about: dict[str, Any]


class Ready(NamedTuple):
    """The node is loaded."""


class Waiting(NamedTuple):
    """A request waits for another try; `limited` says that the server was asked too much."""

    seconds: float
    why: str
    limited: bool


class Spent(NamedTuple):
    """A turn was answered: its tokens, as the server counts them."""

    prompt_tokens: int
    completion_tokens: int


class Done(NamedTuple):
    """The cassette is written."""

    runs: tuple[Recorded, ...]


class Failed(NamedTuple):
    """No cassette was written; `error` is the class of the model's failure, empty where something else failed."""

    reason: str
    error: str


class Broken(NamedTuple):
    """The node cannot be loaded: no run can be made."""

    error: Exception


Message = Ready | Waiting | Spent | Done | Failed | Broken


def work(there: Connection, node_ref: str) -> None:
    """Load the node, then record each job that comes, up to one that is None."""
    from harness.apart import portable
    from harness.engine.node import load_node
    from harness.secrets.stream import masked_console

    # Who presses Ctrl-C means the whole, which ends us; our own end in the middle of a file would help nobody.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_the_parent, name='parent', daemon=True).start()
    os.dup2(2, 1)  # what nodes print belongs to no output of ours
    say = _speaker(there)
    with masked_console():
        try:
            node = load_node(node_ref)
        except Exception as error:
            say(Broken(portable(error)))
            return
        say(Ready())
        with contextlib.suppress(EOFError, OSError):
            while (job := there.recv()) is not None:
                say(_made(job, node, say))


def end_with_the_parent() -> None:
    """Wait for the process that started this one, and end with it."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _speaker(there: Connection) -> Callable[[Message], None]:
    lock = threading.Lock()

    def say(message: Message) -> None:
        with lock, contextlib.suppress(OSError):
            there.send(message)

    return say


def _made(job: Job, node: Any, say: Callable[[Message], None]) -> Done | Failed:
    from harness.recording import RecordingFailed, record_scenario
    from harness.scenario.loading import load_scenario

    def told(seconds: float, why: str, limited: bool) -> None:
        say(Waiting(seconds, why, limited))

    def spent(response: httpx.Response) -> None:
        response.read()
        say(Spent(*usage_of(response)))

    line = httpx.HTTPTransport(limits=httpx.Limits(max_keepalive_connections=0))
    transport = Persistent(line, job.tries, told, job.unit_s)
    try:
        with httpx.Client(transport=transport, event_hooks={'response': [spent]}) as through:
            runs = record_scenario(
                load_scenario(Path(job.scenario)),
                node,
                job.spec,
                Path(job.cassette),
                epoch=job.epoch,
                through=through,
                about=job.about,
            )
    except RecordingFailed as error:
        return Failed(str(error), error.error)
    except Exception as error:  # of the harness itself: it costs this run, and no other
        return Failed(f'{type(error).__name__}: {error}', '')
    return Done(tuple(runs))
