"""A small suite in a folder of its own, for the node `errands`, whose answer is what its model says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from click.testing import CliRunner

from harness.cli import main

if TYPE_CHECKING:
    from click.testing import Result

NODES = Path(__file__).parent / 'nodes'
ERRANDS = str(NODES / 'errands')
FIRST_LINE = '# yaml-language-server: $schema=../scenario.schema.json\n'


def invoke(*arguments: str | Path, color: bool = False, **env: str) -> Result:
    """Call the command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=env, color=color)


def run(suite: Suite, *arguments: str | Path, node: str = ERRANDS, **more: Any) -> Result:
    """Run a suite."""
    return invoke('run', '--scenarios', suite.scenarios, '--node', node, *arguments, **more)


@dataclass(frozen=True)
class Suite:
    """The folder that holds `scenarios` and `cassettes`."""

    folder: Path

    @property
    def scenarios(self) -> Path:
        return self.folder / 'scenarios'

    @property
    def cassettes(self) -> Path:
        return self.folder / 'cassettes'

    def add(
        self,
        name: str = 'greets',
        *,
        said: list[Any] | None = None,
        answer: Any = 'Hello.',
        family: str = 'loop',
        recorded: bool = False,
        **more: Any,
    ) -> Path:
        """Write a scenario: the node asks its model once and delivers what that said, which must be `answer`."""
        scenario: dict[str, Any] = {
            'id': name,
            'title': f'The node {name}',
            'family': family,
            'config': {'errands': [{'ask': None}]},
            'expect': {'llm_calls': 1, 'answer': answer},
        }
        if not recorded:
            scenario['model'] = {'outputs': said or ['Hello.']}
        return self.write(family, name, yaml.safe_dump(scenario | more, sort_keys=False, allow_unicode=False))

    def write(self, family: str, name: str, text: str) -> Path:
        """Write the text of a scenario file behind its first line."""
        path = self.scenarios / family / f'{name}.yaml'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FIRST_LINE + text, encoding='utf-8')
        return path

    def place(self, path: Path, text: str) -> str:
        """Return line and column of the first place in a file where a text stands."""
        before = path.read_text(encoding='utf-8').partition(text)[0]
        return f'{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}'
