"""One scenario played on a node with one model side: enclosed, watched, and written down whatever the node does."""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any, Final

from harness.engine.pipeline import Pipeline
from harness.engine.process import Contained
from harness.engine.question import question_of
from harness.engine.threads import TimeLimit, Watch, place_of
from harness.record import Failure, RunRecord, Stopped
from harness.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import FrameType

    from harness.engine.connected import ModelSide
    from harness.engine.node import Node
    from harness.engine.pipeline import Pipe

_MEETING_S: Final = 2.0
_rehearsed: weakref.WeakSet[Node] = weakref.WeakSet()


class Play:
    """All runs of a scenario on a node, from the first beginGlobal to the last endGlobal.

    All runs ask the same question object of the same node object, in the same pipe or, `at_once`, each in its own.
    `client` is the model side of every agent that has no script of its own; `folder` is where the scenario is.

    Raises:
        ValueError: the model side is recorded, and there is no client.
        ToolsError: the scenario's Python tools cannot be had.
    """

    def __init__(
        self, scenario: Scenario, node: Node, *, client: ModelSide | None, model: str | None, folder: Path | None
    ) -> None:
        self._scenario, self._node, self._model = scenario, node, model
        self._pipeline = Pipeline(node, scenario, client=client, folder=folder)
        self._pipes = [self._pipeline.pipe() for _ in range(scenario.runs if scenario.at_once else 1)]
        self._question = question_of(scenario.question)
        self._records: dict[int, RunRecord] = {}
        self._epoch = 1
        self._end: Failure | None = None

    def go(self, limit_s: float = 0) -> tuple[tuple[RunRecord, ...], Exception | None]:
        """Make the runs; return their records, up to a fault of the harness or of the recording, and that.

        Whatever the node does stands in the records; where it takes more than `limit_s` seconds for everything, it is
        stopped. Without a limit it works in the calling thread, and its output is left alone.
        """
        watch = Watch()
        with Contained(capture=bool(limit_s)) as enclosure:
            in_time = watch.run(self._all, limit_s, functools.partial(self._stop, limit_s), enclosure.look)
            left = watch.left()
        fault = next((pipe.recorder.fault for pipe in self._pipes if pipe.recorder.fault is not None), None)
        records = self._made(unfinished=not in_time)
        last = records[-1]
        more: dict[str, Any] = {'stdout': enclosure.stdout, 'leaked_threads': left, 'changed_state': enclosure.changes}
        if fault is None and self._end is not None and last.raised is None:
            more['raised'] = self._end
        if last.stopped is None:
            if enclosure.exits:
                more['stopped'] = Stopped(kind='exit', message=f'ended the process: {enclosure.exits[0]}')
            elif not in_time:
                more['stopped'] = next((p.recorder.stopped for p in self._pipes if p.recorder.stopped), None)
        records[-1] = last.model_copy(update={key: value for key, value in more.items() if value})
        return tuple(records), fault

    # ------------------------------------------------------------------------------------------- in the node's thread

    def _all(self) -> None:
        try:
            if self._scenario.at_once:
                self._at_once()
            else:
                self._in_order(self._pipes[0])
        finally:
            self._end = self._pipeline.close()

    def _in_order(self, pipe: Pipe) -> None:
        for epoch in range(1, self._scenario.runs + 1):
            self._epoch = epoch
            if self._run(pipe, epoch) or pipe.recorder.fault is not None:
                return

    def _at_once(self) -> None:
        """Make one run in each pipe, all at the same time: before each LLM call they wait for each other.

        A run that ends lets the others go on alone.
        """
        meeting = threading.Barrier(len(self._pipes))
        failures: list[BaseException] = []

        def meet() -> None:
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait(_MEETING_S)

        def one(epoch: int, pipe: Pipe) -> None:
            try:
                self._run(pipe, epoch)
            except BaseException as error:
                failures.append(error)
            finally:
                meeting.abort()

        threads = [
            threading.Thread(target=one, args=(epoch, pipe), name='pipe', daemon=True)
            for epoch, pipe in enumerate(self._pipes, 1)
        ]
        for pipe, thread in zip(self._pipes, threads, strict=True):
            pipe.meet = meet
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def _run(self, pipe: Pipe, epoch: int) -> bool:
        """Make one run and keep its record; tell whether it was broken off."""
        scenario = self._scenario
        if scenario.open_mode == 'config':
            outcome = pipe.configure()
        elif scenario.face == 'lane':
            outcome = pipe.ask(self._question)
        else:
            outcome = pipe.call_tool(copy.deepcopy(scenario.input))
        self._records[epoch] = self._record(pipe, epoch).model_copy(
            update={'payload': outcome.payload, 'payload_error': outcome.payload_error, 'raised': outcome.raised}
        )
        return outcome.over

    # --------------------------------------------------------------------------------------------- in our own thread

    def _record(self, pipe: Pipe, epoch: int) -> RunRecord:
        scenario = self._scenario
        return pipe.recorder.record(
            scenario=scenario.id, node=self._node.name, model=self._model, epoch=epoch, face=scenario.face
        )

    def _stop(self, limit_s: float, frame: FrameType | None) -> None:
        place = place_of(frame, self._node.path)
        for pipe in self._pipes:
            pipe.recorder.stop('time', f'did not end within {limit_s:g} s', place)

    def _made(self, *, unfinished: bool) -> list[RunRecord]:
        """Return the records of the runs; one that is still going on is written down as it stands."""
        made = dict(self._records)
        if unfinished:
            going = enumerate(self._pipes, 1) if self._scenario.at_once else [(self._epoch, self._pipes[0])]
            for epoch, pipe in going:
                if epoch not in made:
                    made[epoch] = self._record(pipe, epoch)
        return [made[epoch] for epoch in sorted(made)]


# --------------------------------------------------------------------------------------------------------- rehearsal

_REHEARSAL: Final = {
    'id': 'rehearsal',
    'title': 'The node is asked once before it counts',
    'family': 'rehearsal',
    'tools': [{'node': 'rehearsal_1', 'functions': [{'name': 'look', 'description': 'Look.', 'text': 'Nothing.'}]}],
    'model': {
        'outputs': ['Thought: Look.\nAction: rehearsal_1.look\nAction Input: {}', 'Thought: Done.\nAnswer: Nothing.'],
        'repeat_last': True,
    },
    'expect': {},
}


@functools.cache
def _rehearsal() -> Scenario:
    return Scenario.model_validate(_REHEARSAL)


def rehearse(node: Node, limit: TimeLimit) -> None:
    """Ask a node something before its first scenario counts, once in a process; what comes of it is not judged.

    With this the libraries of the node are imported, so that neither their time nor what they set up in the process is
    held against the scenario that happens to come first.
    """
    if node in _rehearsed or not limit.seconds:
        return
    _rehearsed.add(node)
    records, _ = Play(_rehearsal(), node, client=None, model=None, folder=None).go(limit.imports)
    if not ended_in_time(records):
        limit.ran_out()


def ended_in_time(records: Sequence[RunRecord]) -> bool:
    """Tell whether no run ran out of time."""
    return all(record.stopped is None or record.stopped.kind != 'time' for record in records)
