"""From a behaviour to a scenario and a cassette: the node is really run, and what it did is what is proposed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import Field, ValidationError

from harness.capture.behaviour import Behaviour, CaptureError, masked, masked_texts
from harness.capture.departures import departures
from harness.capture.proposal import general, particular
from harness.capture.server import OutputServer
from harness.capture.yamltext import noted, scenario_text
from harness.cassette import CassetteError, cassette_path, recording
from harness.cassette.file import content_of
from harness.cassette.scrub import scrubbed_text
from harness.expect import Finding  # noqa: TC001 (pydantic reads it)
from harness.llm import ChatClient, ModelSpec
from harness.play import rehearse
from harness.record import Frozen
from harness.run import replay, run_scenario
from harness.scenario import Scenario
from harness.scenario.loading import FileError, ScenarioFile, load_scenario
from harness.scenario.schema import schema_line
from harness.secrets import Guard
from harness.show.summary import answer_of, stop_reason_of
from harness.show.visible import excerpt, plural

if TYPE_CHECKING:
    from harness.engine.node import Node
    from harness.engine.threads import TimeLimit
    from harness.record import RunRecord


ID: Final = r'^[a-z0-9]+(-[a-z0-9]+)*$'
MAX_ID: Final = 80
FAMILY: Final = r'^[a-z]+$'


class Wanted(Frozen):
    """What the new scenario is called, and where it and its cassette will be."""

    id: str = Field(pattern=ID, max_length=MAX_ID)
    family: str = Field(pattern=FAMILY)
    title: str = ''
    why: str = ''
    root: Path
    cassettes: Path

    @property
    def path(self) -> Path:
        """The scenario file."""
        return self.root / self.family / f'{self.id}.yaml'


class Capture(Frozen):
    """A scenario and its cassette, not written yet, and what there is to tell about them.

    `findings` is what the node did not meet although it was proposed: what holds of every run.
    """

    id: str
    model: str
    path: Path
    text: str
    cassette: Path
    tape: str
    turns: int
    calls: int
    answer: str | None
    stop_reason: str | None
    findings: tuple[Finding, ...] = ()
    unknown: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class _Tried(NamedTuple):
    """What came of one way to script the tools."""

    asked: dict[str, Any]
    record: RunRecord
    ran_out: bool
    left: int
    tape: str
    departures: list[str]


def capture(behaviour: Behaviour, wanted: Wanted, node: Node, limit: TimeLimit) -> Capture:
    """Play a behaviour on a node and return the scenario and the cassette that replay it.

    Nothing is written but in a temporary folder. Of several ways to script the tools the first is taken with which the
    run is the one that was seen.

    Raises:
        CaptureError: the node does not end, asks nothing, or asks something else each time; or the scenario cannot be
            written.
        ToolsError: the Python tools of the scenario cannot be had.
    """
    behaviour = masked(behaviour, Guard.of_environment())
    rehearse(node, limit)
    with tempfile.TemporaryDirectory(prefix='react-capture-') as folder:
        stage = _Stage(behaviour, wanted, node, limit, Path(folder))
        return stage.capture()


class _Stage:
    """The temporary folder in which a behaviour is played."""

    def __init__(self, behaviour: Behaviour, wanted: Wanted, node: Node, limit: TimeLimit, folder: Path) -> None:
        self.behaviour, self.wanted, self.node, self.limit = behaviour, wanted, node, limit
        self.folder, self.cassettes = folder, folder / 'cassettes'
        self.model = behaviour.model.name
        self.tape = cassette_path(self.cassettes, wanted.id, self.model)

    def capture(self) -> Capture:
        tried: list[_Tried] = []
        fault: CaptureError | None = None
        for asked in self.behaviour.asked:
            try:
                tried.append(self._try(asked))
            except CaptureError as error:
                fault = fault or error
            else:
                if not tried[-1].departures:
                    break
        if not tried:
            raise fault or CaptureError('there is nothing to play')
        best = min(tried, key=lambda one: len(one.departures))
        return self._made(best)

    def _try(self, asked: dict[str, Any]) -> _Tried:
        """Record the outputs with the tools scripted in one way, and replay that once."""
        file = self._file(self._data(asked, {}, {}))
        record, server = self._recorded(file)
        spoken = self.behaviour.outputs
        self._check_replay(file)
        guard = Guard.of_environment()
        return _Tried(
            asked,
            record,
            ran_out=server.ran_out,
            left=max(0, len(spoken) - server.asked),
            tape=self.tape.read_text(encoding='utf-8'),
            departures=list(departures(guard.masked(self.behaviour.seen), guard.masked(record))),
        )

    def _recorded(self, file: ScenarioFile) -> tuple[RunRecord, OutputServer]:
        server = OutputServer(self.behaviour.outputs)
        spec = ModelSpec(**self.behaviour.model.model_dump(exclude_none=True))
        records: tuple[RunRecord, ...] = ()
        about = {'captured from': self.behaviour.source.removeprefix('captured from ')}
        try:
            with server.client() as through, recording(self.tape, through=through, about=about) as tape:
                client = ChatClient(spec, tape.http)
                records = run_scenario(file, self.node, client=client, model=self.model, limit_s=self.limit.of(None))
        except CassetteError as error:
            raised = next((record.raised for record in records if record.raised is not None), None)
            if raised is None:
                raise CaptureError(error.message) from None
            raise CaptureError(f'the node did not ask the model: it raised {raised.type}: {raised.message}') from None
        (record,) = records
        if record.stopped is not None:
            raise CaptureError(f'the node {record.stopped.message}, so there is no whole run of it')
        self._know_times()
        return record, server

    def _know_times(self) -> None:
        """Put the times of the model into the cassette, and none where nobody knows it: ours say nothing."""
        data = content_of(self.tape)
        outputs = self.behaviour.outputs
        for number, one in enumerate(data['interactions']):
            one['latency_s'] = outputs[number].latency_s if number < len(outputs) else None
        self.tape.write_text(scrubbed_text(self.tape, data, Guard.of_environment()), encoding='utf-8')

    def _check_replay(self, file: ScenarioFile) -> tuple[Finding, ...]:
        (result,) = replay(file, self.node, self.cassettes, self.model, self.limit)
        if result.problem is not None:
            reason = result.problem.replace(str(self.cassettes), str(self.wanted.cassettes)).partition('\nif the')[0]
            raise CaptureError(f'a replay does not do the same again, so nothing is captured:\n{reason}')
        return result.findings

    def _made(self, best: _Tried) -> Capture:
        expect = general(best.record, self.behaviour.question)
        file = self._file(self._data(best.asked, expect, particular(best.record, ran_out=best.ran_out)))
        self.tape.write_text(best.tape, encoding='utf-8')
        findings = self._check_replay(file)
        wanted, record = self.wanted, best.record
        return Capture(
            id=wanted.id,
            model=self.model,
            path=wanted.path,
            text=self._draft().read_text(encoding='utf-8'),
            cassette=cassette_path(wanted.cassettes, wanted.id, self.model),
            tape=best.tape,
            turns=len(record.turns),
            calls=len(record.calls),
            answer=answer_of(record),
            stop_reason=stop_reason_of(record),
            findings=findings,
            unknown=self.behaviour.unknown,
            remarks=(*self.behaviour.remarks, *self._remarks(best)),
        )

    def _remarks(self, best: _Tried) -> list[str]:
        given = plural(len(self.behaviour.outputs), 'output')
        found = [f'the run is not the one that was captured: {text}' for text in best.departures]
        if best.ran_out:
            found.append(f'the node asked for more than {given}: HTTP 410 follows, and the run ends with it')
        if best.left:
            found.append(f'{best.left} of {given} were not asked for; the cassette is without them')
        return found

    # ------------------------------------------------------------------------------------------- the scenario file

    def _data(self, asked: dict[str, Any], expect: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
        wanted = self.wanted
        if isinstance(asked.get('question'), str):
            asked = {**asked, 'question': noted(asked['question'])}
        first = ' '.join(self.behaviour.question.split())
        data = {
            'id': wanted.id,
            'title': wanted.title or f'What {self.model} wrote about {_short(first)!r} ({wanted.id})',
            'family': wanted.family,
            'level': 'hardening',
            'proposed': True,
            'source': self.behaviour.source,
            **({'why': wanted.why} if wanted.why else {}),
            **asked,
            'expect': expect,
            **({'models': {self.model: own}} if own else {}),
        }
        return masked_texts(data, Guard.of_environment())  # type: ignore[no-any-return]

    def _file(self, data: dict[str, Any]) -> ScenarioFile:
        """Write a scenario into the temporary folder and read it again, as the file that it will be.

        Raises:
            CaptureError: the file would not say what was meant.
        """
        draft = self._draft()
        draft.parent.mkdir(exist_ok=True)
        draft.write_text(scenario_text(data, schema_line(self.wanted.path, self.wanted.root)), 'utf-8', newline='')
        try:
            found = load_scenario(draft)
        except FileError as error:
            problems = str(error).replace(str(draft), str(self.wanted.path))
            raise CaptureError(f'this cannot be written as a scenario:\n{problems}') from None
        try:
            meant = Scenario.model_validate(data)
        except ValidationError as error:
            raise CaptureError(f'this cannot be written as a scenario: {error}') from None
        if found.scenario != meant:
            raise CaptureError('this cannot be written as a scenario: the file would say something else')
        return ScenarioFile(path=self.wanted.path, scenario=found.scenario, node=found.node)

    def _draft(self) -> Path:
        return self.folder / self.wanted.family / f'{self.wanted.id}.yaml'


def _short(text: str) -> str:
    return excerpt(text, 0, 60)
