"""From scenario files to scenarios, with the place of every key, or with all problems of all files."""

from __future__ import annotations

import fnmatch
import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.files import leads_out
from harness.scenario import Scenario
from harness.scenario.crosscheck import contradictions
from harness.scenario.explain import MAX_PROBLEMS, empty_values, explain, nearest
from harness.scenario.yamlfile import read_yaml
from harness.scenario.yamlnode import FileError, FileProblem, Loc, find, key_path, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import yaml

__all__ = [
    'FileError',
    'FileProblem',
    'ScenarioFile',
    'UsageError',
    'find_scenarios',
    'load_all',
    'load_scenario',
    'scenario_paths',
]

REQUIREMENTS = 'requirements.yaml'
"""The one YAML file below a scenarios folder that is no scenario: the sentences behind the requirement ids."""


class UsageError(Exception):
    """What was asked for is not there; the message names the nearest thing that is."""


@dataclass(frozen=True)
class ScenarioFile:
    """A scenario and the file it came from; `node` is the YAML node graph, for the places of its keys."""

    path: Path
    scenario: Scenario
    node: yaml.Node = field(repr=False, compare=False)

    def where(self, loc: Sequence[str | int]) -> tuple[int, int]:
        """Return line and column (from 1) of the deepest part of a key path that the file has."""
        return place_of(find(self.node, loc)[0])

    def problem(self, loc: Loc, message: str, hint: str = '') -> FileProblem:
        """Make a problem that stands at a key path of this file."""
        line, column = self.where(loc)
        return FileProblem(path=str(self.path), line=line, column=column, key=key_path(loc), message=message, hint=hint)


def load_scenario(path: Path) -> ScenarioFile:
    """Read one scenario file.

    Raises:
        FileError: with all problems of the file, in file order.
    """
    if leads_out(path, path.parent.parent):
        hint = 'put the file itself there, or name it where it is'
        message = 'a symbolic link leads out of the folder of the scenarios'
        raise FileError([FileProblem(path=str(path), line=1, column=1, key='', message=message, hint=hint)])
    document = read_yaml(path)
    scenario: Scenario | None = None
    found: list[FileProblem] = []
    try:
        scenario = Scenario.model_validate(document.data)
    except ValidationError as error:
        found += explain(Scenario, document, error)
    found += itertools.islice(empty_values(Scenario, document), MAX_PROBLEMS)
    if scenario is not None:
        for loc, message, hint in contradictions(scenario):
            found.append(document.problem(find(document.node, loc)[0], loc, message, hint))
    # A value that cannot be read stands in the data as its text: what is wrong with that text is no second mistake.
    unreadable = {(problem.line, problem.column) for problem in document.problems}
    problems = [*document.problems, *(item for item in found if (item.line, item.column) not in unreadable)]
    if problems or scenario is None:
        raise FileError(_first(sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.column))))
    return ScenarioFile(path=path, scenario=scenario, node=document.node)


def _first(problems: list[FileProblem]) -> list[FileProblem]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    last = problems[MAX_PROBLEMS]
    more = last.model_copy(update={'message': 'there are more problems from here on', 'hint': 'correct these first'})
    return [*problems[:MAX_PROBLEMS], more]


def find_scenarios(root: Path, select: Sequence[str] = (), families: Sequence[str] = ()) -> list[ScenarioFile]:
    """Read the scenarios below a folder, sorted by family and id.

    `select` names ids, patterns of ids (`*-guard-on`), files or folders, also relative to the folder; without it all
    are meant. `families` keeps those of some families.

    Raises:
        UsageError: a folder, an id or a family that is not there.
        FileError: with all problems of all files that are meant.
    """
    files, problems = load_all(_selected(root, select, families))
    if problems:
        raise FileError(problems)
    return files


def load_all(paths: Iterable[Path]) -> tuple[list[ScenarioFile], list[FileProblem]]:
    """Read many scenario files; return what could be read, sorted by family and id, and all problems.

    A file that is not where its family and id say, and an id that is used twice, are problems too.
    """
    files: list[ScenarioFile] = []
    problems: list[FileProblem] = []
    for path in paths:
        try:
            file = load_scenario(path)
        except FileError as error:
            problems += error.problems
        else:
            files.append(file)
            problems += _misplaced(file)
    problems += _used_twice(files)
    return sorted(files, key=lambda file: (file.scenario.family, file.scenario.id)), problems


def scenario_paths(root: Path) -> list[Path]:
    """Return the scenario files below a folder, sorted.

    Every file that ends in .yaml is one, but for `requirements.yaml` and for files and folders whose name starts with
    `_` or `.`.

    Raises:
        UsageError: there is no such folder.
    """
    if not root.is_dir():
        raise UsageError(f'{root}: there is no such folder')
    return sorted(path for path in root.rglob('*.yaml') if _is_scenario(path.relative_to(root)) and path.is_file())


def _is_scenario(path: Path) -> bool:
    return path.name != REQUIREMENTS and not any(part.startswith(('_', '.')) for part in path.parts)


def _selected(root: Path, select: Sequence[str], families: Sequence[str]) -> list[Path]:
    """Choose by name before anything is read: a file is named by its id, a folder by its family."""
    named = [Path(word) for word in select if _is_file(word)]
    known = [] if select and len(named) == len(select) else scenario_paths(root)
    chosen = dict.fromkeys(named if select else known)
    for word in select:
        if not _is_file(word):
            chosen.update(dict.fromkeys(_matches(root, word, known)))
    once = list({path.resolve(): path for path in chosen}.values())
    if not families:
        return once
    existing = {_family(path) for path in known or once}
    for family in families:
        if family not in existing:
            raise UsageError(f'there is no family {family!r}{_did_you_mean(family, existing)}')
    return [path for path in once if _family(path) in families]


def _family(path: Path) -> str:
    return path.absolute().parent.name


def _is_file(word: str) -> bool:
    return word.endswith(('.yaml', '.yml')) and Path(word).is_file()


def _matches(root: Path, word: str, known: list[Path]) -> Iterator[Path]:
    by_id = [path for path in known if fnmatch.fnmatchcase(path.stem, word)]
    if by_id:
        return iter(by_id)
    for place in (Path(word), root / word):
        if place.is_dir():
            inside = place.resolve()
            if root.resolve() in (inside, *inside.parents):
                return (path for path in known if inside in path.resolve().parents)
            return iter(scenario_paths(place))
        if place.is_file():
            return iter([place])
    raise UsageError(f'there is no scenario {word!r}{_did_you_mean(word, {path.stem for path in known})}')


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    names = sorted(known)
    like = nearest(Path(word).stem, names)
    if like:
        return f': did you mean {like!r}?'
    return f'; there are {", ".join(names[:8])}{", ..." if len(names) > 8 else ""}' if names else '; there are none'


def _misplaced(file: ScenarioFile) -> Iterator[FileProblem]:
    scenario, path = file.scenario, file.path.absolute()
    if path.stem != scenario.id:
        yield file.problem(
            ('id',),
            f'the id is {scenario.id!r}, but the file is called {path.name!r}',
            f'call it {scenario.id}.yaml, or write id: {path.stem}',
        )
    if path.parent.name != scenario.family:
        yield file.problem(
            ('family',),
            f'the family is {scenario.family!r}, but the folder is called {path.parent.name!r}',
            f'move the file to {scenario.family}/, or write family: {path.parent.name}',
        )


def _used_twice(files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    by_id: defaultdict[str, list[ScenarioFile]] = defaultdict(list)
    for file in files:
        by_id[file.scenario.id].append(file)
    for name, same in by_id.items():
        for file in same[1:]:
            line, column = same[0].where(('id',))
            yield file.problem(('id',), f'the id {name!r} is used twice: first at {same[0].path}:{line}:{column}')
