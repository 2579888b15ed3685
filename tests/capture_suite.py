"""A suite whose behaviours are captured, and the ways to look at what came of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from click.testing import CliRunner
from example_suite import Suite

from harness.cli import main
from harness.results import read
from harness.scenario.loading import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from harness.record import RunRecord
    from harness.scenario import Scenario

NODE = 'agent_llamaindex'
QUESTION = 'How many people live in Lakeview?'
SCHEMA = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}
LOOK = 'Thought: Look it up.\nAction: search_1.query\nAction Input: {"q": "Lakeview"}'
ANSWER = 'Thought: I can answer without using any more tools.\nAnswer: 41,200.'
RESULT = 'Lakeview has 41,200 residents.'


def search(**script: Any) -> list[dict[str, Any]]:
    """Return a tool node with one function and its script."""
    function = {'name': 'query', 'description': 'Find a place.', 'input_schema': SCHEMA}
    return [{'node': 'search_1', 'functions': [{**function, **(script or {'text': RESULT})}]}]


class CaptureSuite(Suite):
    """A suite that is run on our node."""

    def ask(self, name: str = 'lake', *outputs: Any, **more: Any) -> Path:
        """Write a scenario in which the model calls a tool and answers; a key that is None is left out."""
        data = {
            'id': name,
            'title': f'The question {name}',
            'family': 'loop',
            'question': QUESTION,
            'tools': search(),
            'model': {'outputs': list(outputs or (LOOK, ANSWER))},
            'expect': {'lane_writes': {'answers': 1}},
        } | more
        text = yaml.safe_dump({key: value for key, value in data.items() if value is not None}, sort_keys=False)
        return self.write('loop', name, text)

    def invoke(self, *arguments: Any, node: str = NODE, given: bytes | str | None = None) -> Result:
        """Call a verb on this suite."""
        verb, *rest = map(str, arguments)
        folders = ['--scenarios', str(self.scenarios), '--node', node]
        folders += ['--cassettes', str(self.cassettes)] if verb == 'capture' or self.cassettes.is_dir() else []
        return CliRunner().invoke(main, [verb, *folders, *rest], input=given)

    def store(self, *names: str, **more: Any) -> Path:
        """Run scenarios and return the results store."""
        path = self.folder / 'results.jsonl'
        done = self.invoke('run', *names, '--results', path, **more)
        assert path.exists(), done.output
        return path

    def captured(self, *arguments: Any, code: int = 0, **more: Any) -> Result:
        """Capture something, which has to end with an exit code."""
        done = self.invoke('capture', *arguments, **more)
        assert done.exit_code == code, done.output + repr(done.exception)
        return done

    def scenario(self, name: str, family: str = 'captured') -> Scenario:
        """Return a captured scenario."""
        return load_scenario(self.scenarios / family / f'{name}.yaml').scenario

    def data(self, name: str, family: str = 'captured') -> Any:
        """Return what stands in the file of a captured scenario."""
        return yaml.safe_load((self.scenarios / family / f'{name}.yaml').read_text(encoding='utf-8'))

    def exchanges(self, name: str, model: str = 'small') -> list[tuple[Any, Any]]:
        """Return the bodies of a cassette: of requests and responses."""
        data = yaml.safe_load((self.cassettes / name / f'{model}.yaml').read_text(encoding='utf-8'))
        return [
            (json.loads(one['request']['body']), json.loads(one['response']['body']['string']))
            for one in data['interactions']
        ]

    def files(self) -> dict[str, bytes]:
        """Return all files of the suite that can be seen, with what is in them."""
        folders = (self.scenarios, self.cassettes)
        found = [path for folder in folders for path in sorted(folder.rglob('*')) if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found if path.name[0] != '.'}


def records(store: Path) -> list[RunRecord]:
    """Return the records of a results store."""
    return [result.record for result in read(store)[1]]
