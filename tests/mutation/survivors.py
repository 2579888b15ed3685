"""What came out of a mutation run, as Markdown: the figures, and every survivor with why it is left (docs/mutation.md).

Run it where `mutmut run` ran. It ends with 1 where a survivor is not explained in `explained.toml`.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

if TYPE_CHECKING:
    from collections.abc import Iterator

_AROUND = 12
SOURCES = Path('src/agent_llamaindex')
EXPLAINED = Path(__file__).with_name('explained.toml')
KINDS = {
    'equivalent': 'Equivalent: nothing that the node does depends on it',
    'speed': 'Equivalent but for the time it takes',
    'log': 'Texts that only a log or a developer reads',
    'out of reach': 'What no scenario can play',
    'left': 'Left alone',
}


@dataclass(frozen=True)
class Survivor:
    """A mutant that no scenario killed: `function` is `<module>.<name>`, the change is one of lines."""

    function: str
    before: str
    after: str


@dataclass
class Explanation:
    """Why survivors are left: patterns of their functions and of what became of the changed line, and the reason."""

    functions: str
    change: str
    kind: str
    why: str
    survivors: list[Survivor] = field(default_factory=list)

    def explains(self, survivor: Survivor) -> bool:
        """Say whether both patterns fit."""
        return bool(re.fullmatch(self.functions, survivor.function) and re.search(self.change, survivor.after))


def main() -> int:
    """Print everything; return 0 where nothing is left to explain."""
    explanations = [Explanation(**entry) for entry in tomllib.loads(EXPLAINED.read_text(encoding='utf-8'))['explained']]
    unexplained: list[Survivor] = []
    figures = {path.name: Counter[str]() for path in sorted(SOURCES.glob('*.py'))}
    for path, mutant, status in _results():
        figures[path.name][status] += 1
        if status in ('killed', 'timeout'):
            continue
        survivor = _survivor(path, mutant)
        fitting = next((each for each in explanations if each.explains(survivor)), None)
        (fitting.survivors if fitting else unexplained).append(survivor)
    _print_figures(figures, explanations, unexplained)
    for kind, title in KINDS.items():
        _print_kind(title, [each for each in explanations if each.kind == kind and each.survivors])
    _print_kind('Not explained', [Explanation('', '', '', 'not explained', unexplained)] if unexplained else [])
    idle = [each for each in explanations if not each.survivors]
    for each in idle:
        print(f'Explains nothing: {each.functions} / {each.change}')
    return 1 if unexplained else 0


def _results() -> Iterator[tuple[Path, str, str]]:
    for path in sorted(SOURCES.glob('*.py')):
        meta = Path('mutants', f'{path}.meta')
        if meta.exists():
            for mutant, code in json.loads(meta.read_text(encoding='utf-8'))['exit_code_by_key'].items():
                yield path, mutant, status_by_exit_code[code]


def _survivor(path: Path, mutant: str) -> Survivor:
    lines = str(get_diff_for_mutant(mutant, path=path)).splitlines()[2:]
    before, after = ('\n'.join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in '-+')
    name = mutant.rpartition('__mutmut_')[0].rpartition('.')[2]
    name = name[1:].replace('ǁ', '.').removeprefix('.') if 'ǁ' in name else name[2:]
    return Survivor(f'{path.stem}.{name}', before, after)


def _print_figures(
    figures: dict[str, Counter[str]], explanations: list[Explanation], unexplained: list[Survivor]
) -> None:
    total: Counter[str] = sum(figures.values(), Counter())
    print('| file | mutants | killed | of them by the time limit | survived | no scenario reaches it |')
    print('|---|---:|---:|---:|---:|---:|')
    for name, count in [*((name, count) for name, count in figures.items() if count), ('**all**', total)]:
        killed, late, never = count['killed'] + count['timeout'], count['timeout'], count['no tests']
        rest = count.total() - killed - never
        print(f'| {name} | {count.total()} | {killed} | {late} | {rest} | {never} |')
    killed = total['killed'] + total['timeout']
    same = sum(len(each.survivors) for each in explanations if each.kind in ('equivalent', 'speed', 'log'))
    rest = total.total() - same
    print(
        f'\nKilled: {killed} of {total.total()} ({killed / total.total():.1%}), of the {rest} that are not equivalent',
        end=' ',
    )
    print(f'{killed / rest:.1%}. Not explained: {len(unexplained)}.')


def _print_kind(title: str, explanations: list[Explanation]) -> None:
    if explanations:
        print(f'\n### {title} ({sum(len(each.survivors) for each in explanations)})\n')
    for each in explanations:
        print(f'- {each.why}')
        lines: dict[tuple[str, str], list[str]] = {}
        for survivor in each.survivors:
            lines.setdefault((survivor.function, survivor.before), []).append(survivor.after)
        for (function, before), after in lines.items():
            print(f'  - `{function}`: {_code(before)}: {", ".join(_code(_changed(before, line)) for line in after)}')


def _changed(before: str, after: str) -> str:
    """Return what is different in a changed line, with a little of what is around it."""
    start = _shared(before, after)
    behind = _shared(before[start:][::-1], after[start:][::-1])
    first, last = max(start - _AROUND, 0), len(after) - max(behind - _AROUND, 0)
    return ('...' if first else '') + after[first:last] + ('...' if last < len(after) else '')


def _shared(one: str, two: str) -> int:
    """Return how many characters two texts begin with together."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def _code(text: str) -> str:
    text = ' '.join(text.split())
    return f'`` {text} ``' if '`' in text else f'`{text}`'


if __name__ == '__main__':
    sys.exit(main())
