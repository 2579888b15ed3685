"""Results stores with many runs of made-up models, for the benchmark of the scorecard.

Nearly every output, observation and answer is a text of its own; what real runs share (the prompt up to the question,
the tools) is shared here too. The same numbers give the same stores.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from llama_index.core.agent.react import ReActChatFormatter
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.types import ToolMetadata

from harness.record import Event, Failure, LaneWrite, Offered, RunRecord, ToolCall, Turn
from harness.results import Header, StoredResult, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODELS: Final = ('alder-0.5b', 'birch-1b', 'cedar-3b', 'dogwood-7b', 'elm-14b')
SCENARIOS: Final = 500
EPOCHS: Final = 4
TURNS: Final = 40_000
"""The turns of all runs, four for each."""

_BEGIN: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
_KINDS: Final = (
    *('steady',) * 42,
    *('tool raises',) * 10,
    *('lenient',) * 9,
    *('malformed',) * 9,
    *('writes observation',) * 4,
    *('narrated',) * 5,
    *('guard',) * 5,
    *('exhausted',) * 4,
    *('short',) * 12,
)
"""How a hundred runs go on; those that use up the budget have ten turns, the short ones two, all others four."""

_TOPICS: Final = tuple(
    line.split()
    for line in (
        'ferries_1.timetable ferry harbour departs berth vessel',
        'dams_1.get dam valley million_litres spillway reservoir',
        'kilns_1.fault kiln workshop fault_code chamber glaze',
        'lamps_1.find lamp lighthouse lumens lens keeper',
        'wards_1.phone ward hospital extension corridor nurse',
        'archives_1.look_up archive parish folio shelf register',
        'winds_1.measure station island knots mast gauge',
        'orders_1.query order depot pallets carrier invoice',
        'bells_1.weigh bell tower kilograms foundry frame',
        'cables_1.between cable mountain metres pylon winch',
    )
)
_WORDS: Final = re.findall(
    r'\w+',
    """
    the of a to and in that for with on from at by it was is as first second next last which its each before after
    north south eastern western upper lower old new small large stone iron copper wooden open shut early late
    winter summer morning evening record entry number value page list table column letter note notice report
    reading count total share part half quarter several other another exact nearest longest highest lowest heavy
    light broken repaired measured counted written named listed given missing known unknown asked needed compare
    add subtract convert check whether because since while until again still only both either name place day week
    month year hour minute bridge canal quay lock gate road station platform carriage signal bakery mill farm
    orchard school museum library theatre market square street garden field forest river lake coast cliff beach
    rock sand clay wool linen paper ink brush paint canvas glass brass silver bread salt honey barley apple pear
    plum oil rope sail anchor oar
    """,
)
_SYLLABLES: Final = re.findall(
    r'\w+',
    """
    or vex mar sum bre ken fel tal rin dor hal ves tun lia gar mon sel wyn kor ast ulm pen ria doff
    """,
)


class Task(NamedTuple):
    """What a scenario is about: its tools, the thing and place that it asks for, and the prompt of its first turn."""

    name: str
    topic: list[str]
    thing: str
    tools: tuple[str, ...]
    prompt: str


def write_load(folder: Path, runs: int = len(MODELS) * SCENARIOS * EPOCHS) -> list[Path]:
    """Write the runs into a store for each model and return the stores; fewer runs are of fewer scenarios."""
    head = Header(
        suite='0' * 64, node='agent_sample', node_digest='a' * 64, platform='stand-in', versions={}, created=_BEGIN
    )
    found = []
    for model in MODELS:
        found.append(folder / f'{model}.jsonl')
        write(found[-1], head, _results(model, runs // (len(MODELS) * EPOCHS)))
    return found


def _results(model: str, scenarios: int) -> Iterator[StoredResult]:
    for epoch in range(1, EPOCHS + 1):
        for number in range(scenarios):
            yield _Maker(model, _task(number), number, epoch).result()


@cache
def _task(number: int) -> Task:
    random = Random(number)
    topic = _TOPICS[number % len(_TOPICS)]
    tool, noun, place = topic[:3]
    others = [one[0] for one in _TOPICS if one[0] != tool]
    tools = (tool, *random.sample(others, number % 3))
    thing = _made_up(random)
    asked = f'What is the {topic[3]} of the {noun} {thing} near the {place} {_made_up(random)}, {_said(random, 9)}?'
    system = ReActChatFormatter.from_defaults().format([_function(name) for name in tools], [])[0].content
    prompt = f'{system}\r\n\r\n### Current Task:\r\n    {asked}'
    return Task(f'{noun}-{place}-{number:03d}', topic, thing, tools, prompt)


def _schema(tool: str) -> dict[str, Any]:
    return {
        'type': 'object',
        'properties': {'name': {'type': 'string'}, 'limit': {'type': 'integer', 'description': f'For {tool}.'}},
        'required': ['name'],
    }


class _Metadata(ToolMetadata):
    @property
    def fn_schema_str(self) -> str:
        return json.dumps(_schema(self.name or ''))


def _function(name: str) -> FunctionTool:
    topic = next(one for one in _TOPICS if one[0] == name)
    description = f'Get what is known of a {topic[1]}: its {topic[3]}, its {topic[4]} and its {topic[5]}.'
    return FunctionTool(fn=lambda: None, metadata=_Metadata(name=name, description=description))


def _made_up(random: Random) -> str:
    return ''.join(random.choices(_SYLLABLES, k=3)).capitalize()


def _said(random: Random, words: int) -> str:
    return ' '.join(random.choices(_WORDS, k=words))


class _Maker:
    """One run while it is made."""

    def __init__(self, model: str, task: Task, number: int, epoch: int) -> None:
        self._random = Random(f'{model} {number} {epoch}')
        self._model, self._task, self._number, self._epoch = model, task, number, epoch
        # Each kind has its share in each hundred scenarios; models and epochs have theirs at other scenarios.
        shift = 37 * MODELS.index(model) + 11 * epoch
        self._kind = _KINDS[(number + shift) * 61 % len(_KINDS)]
        self._turns: list[Turn] = []
        self._calls: list[ToolCall] = []
        self._steps: list[dict[str, Any]] = []
        self._prompt = task.prompt

    def result(self) -> StoredResult:
        last = {'short': 2, 'exhausted': 10}.get(self._kind, 4)
        for index in range(last):
            if index == last - 1 and self._kind != 'exhausted':
                content = self._answer()
            elif self._kind == 'malformed' and index == 1:
                self._malformed()
            elif self._kind == 'guard':
                self._lost()
            else:
                self._call(index)
        if self._kind == 'exhausted':
            content = 'Agent stopped after reaching the maximum number of reasoning steps.'
        elif self._kind == 'guard':
            content = 'require_tool_call is on, but the agent produced an answer without invoking any tool'
        return self._stored(content)

    def _call(self, index: int) -> None:
        task, random = self._task, self._random
        tool = random.choice(task.tools)
        asked: dict[str, Any] = {'name': f'{task.thing} {_made_up(random)}'}
        if index == 2:
            asked['limit'] = random.randrange(1, 40)
        written = json.dumps(asked)
        thought = f'I need to use a tool to help me answer the question. {self._sentences(2)}'
        output = f'Thought: {thought}\nAction: {tool}\nAction Input: {written}'
        if self._kind == 'lenient':
            output = f'**Thought:** {thought}\n**Action:** `{tool}`\n**Action Input:**\n```json\n{written}\n```'
        elif self._kind == 'writes observation' and index == 1:
            output += f'\nObservation: {json.dumps(self._observation())}\nThought: {self._sentences(1)}'
        raises = self._kind == 'tool raises' and index == 0
        error = Failure(type='LookupError', message=f'no such {task.topic[1]}: {asked["name"]}') if raises else None
        found = None if raises else self._observation()
        shown = json.dumps({'tool': tool, 'error': error.message, 'type': error.type} if error else found)
        call = ToolCall(agent='agent', tool=tool, input=asked, turn=len(self._turns), output=found, error=error)
        self._calls.append(call)
        self._steps.append({'action': tool, 'action_input': asked, 'observation': shown})
        self._asked(output, f'Thought: {thought}\nAction: {tool}\nAction Input: {written}\nObservation: {shown}')

    def _observation(self) -> dict[str, Any]:
        topic, random = self._task.topic, self._random
        return {
            topic[1]: _made_up(random),
            topic[3]: random.randrange(10, 99_999),
            topic[4]: _said(random, 5),
            topic[5]: round(random.uniform(0, 900), 2),
        }

    def _malformed(self) -> None:
        tool = self._random.choice(self._task.tools)
        output = f'Thought: {self._sentences(2)}\nAction: {tool}\nAction Input: {{"name": {_made_up(self._random)}'
        self._asked(output, f'{output}\nObservation: the input of the action is no JSON object: {self._sentences(1)}')

    def _lost(self) -> None:
        output = f'Thought: {self._sentences(2)}\nAction: {{"tool": "{_made_up(self._random)}"}}'
        self._asked(output, f'{output}\nObservation: there is no tool with this name. {self._sentences(1)}')

    def _answer(self) -> str:
        topic, random = self._task.topic, self._random
        said = f'The {topic[3]} of the {topic[1]} {self._task.thing} is {random.randrange(10, 99_999)}.'
        if self._kind == 'narrated':
            said = f'I searched the database and also sent an e-mail to the {topic[5]}. {said}'
        text = f'{said} {self._sentences(2)}'
        self._asked(f'Thought: I can answer without using any more tools. {self._sentences(1)}\nAnswer: {text}', '')
        return text

    def _sentences(self, number: int) -> str:
        random = self._random
        return ' '.join(f'{_said(random, random.randrange(6, 16)).capitalize()}.' for _ in range(number))

    def _asked(self, output: str, step: str) -> None:
        random, prompt = self._random, f'{self._prompt}\r\n\r\n'
        turn = Turn(
            agent='agent',
            index=len(self._turns),
            prompt=prompt,
            stop=('Observation:',),
            output=output,
            finish_reason='stop',
            prompt_tokens=len(prompt) // 4,
            completion_tokens=len(output) // 4,
            latency_s=round(random.uniform(0.3, 9), 3),
        )
        self._turns.append(turn)
        self._prompt += f'{"" if len(self._turns) > 1 else chr(10)}\n{step}'

    def _stored(self, content: str) -> StoredResult:
        task, random = self._task, self._random
        begin = _BEGIN + timedelta(seconds=self._number)
        meta = {
            'framework': 'llamaindex',
            'agent_id': 'agent_sample',
            'run_id': str(UUID(int=random.getrandbits(128), version=4)),
            'started_at': begin.isoformat(),
            'ended_at': (begin + timedelta(seconds=random.random())).isoformat(),
            'tool_calls': len(self._calls),
        }
        stack = [{'kind': 'RocketRide.agent.raw.v1', 'name': 'framework.output', 'payload': self._steps}]
        if self._kind == 'guard':
            stack.insert(0, {'kind': 'RocketRide.agent.guard.v1', 'name': 'tool_call_required', 'payload': [content]})
        calls = [
            Event(agent='agent', type='thinking', data={'message': f'Calling {call.tool}...'}, after_calls=number)
            for number, call in enumerate(self._calls)
        ]
        record = RunRecord(
            scenario=task.name,
            node='agent_sample',
            model=self._model,
            parameters={'temperature': 0.7, 'max_tokens': 512},
            epoch=self._epoch,
            turns=tuple(self._turns),
            offered=tuple(Offered(agent='agent', tool=tool, input_schema=_schema(tool)) for tool in task.tools),
            calls=tuple(self._calls),
            events=(Event(agent='agent', type='thinking', data={'message': 'Starting agent...'}), *calls),
            lane_writes=(LaneWrite(agent='agent', lane='answers', text=content),),
            payload={'content': content, 'meta': meta, 'stack': stack},
            installs=('requirements.txt',),
            duration_s=random.random() / 100,
        )
        solvable = self._kind not in ('exhausted', 'guard', 'narrated')
        digest = sha256(task.name.encode()).hexdigest()
        return StoredResult(
            record=record,
            family='evaluation',
            task_family=task.topic[1],
            level='hardening',
            solved=solvable and random.random() < 0.4 + 0.1 * MODELS.index(self._model),
            needs_tool=True,
            asked=digest,
            expected=digest,
            cassette=digest,
        )
