"""What can be wrong with a suite although nothing of it was run: scenarios, their tools, cassettes and the schema."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from harness.cassette.place import place_of
from harness.coverage import unknown_ids
from harness.files import Unreadable, leads_out, read_bounded
from harness.matrix.models import MODELS_FILE, models_of
from harness.scenario.crosscheck import python_tools
from harness.scenario.explain import nearest
from harness.scenario.loading import load_all, scenario_paths
from harness.scenario.register import REQUIREMENT_ID, load_register
from harness.scenario.schema import SCHEMA_FILE, scenario_schema, schema_line
from harness.scenario.tasks import unproved_tasks
from harness.scenario.yamlnode import FileError, FileProblem
from harness.secrets.committed import leaks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from harness.scenario import Expectation
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement

TOOLS: Final = 'tools.py'
"""The file beside a scenario that holds its Python tools."""

_MAX_FILE: Final = 4_000_000


def lint(root: Path, cassettes_root: Path, others: Sequence[Path] = ()) -> list[FileProblem]:
    """Return everything that is wrong with the scenarios below a folder and with their cassettes, in file order.

    All files there, and `others` (files and folders), are searched for keys.

    Nothing is run and no Python tool is imported.

    Raises:
        UsageError: there is no such folder of scenarios.
    """
    paths = scenario_paths(root)
    files, problems = load_all(paths)
    recorded = _recorded(cassettes_root)
    problems += _schema_file(root)
    problems += (problem for path in paths for problem in _schema_line(path, root))
    problems += _requirements(root, files)
    problems += _titles(files)
    problems += _proposals(files)
    problems += _tools(files)
    problems += unproved_tasks(files)
    for file in files:
        problems += _expectations(file)
        problems += _recordings(file, recorded.get(file.scenario.id, {}))
    problems += _models_file(cassettes_root)
    problems += _unused(cassettes_root, files, {path.stem for path in paths})
    problems += leaks(root, (cassettes_root, *others))
    return sorted(problems, key=lambda problem: (problem.path, problem.line, problem.column))


def _at(path: Path, message: str, hint: str = '', line: int = 1, column: int = 1) -> FileProblem:
    return FileProblem(path=str(path), line=line, column=column, key='', message=message, hint=hint)


# --------------------------------------------------------------------------------------------------------- the schema


def _schema_file(root: Path) -> Iterator[FileProblem]:
    path, hint = root / SCHEMA_FILE, 'write it with: react-harness schema --write'
    try:
        committed: Any = json.loads(read_bounded(path, _MAX_FILE)) if path.exists() else None
    except (Unreadable, ValueError, RecursionError) as error:
        yield _at(path, f'the JSON Schema of the scenarios cannot be read: {error}', hint)
    else:
        if committed is None:
            yield _at(path, 'the JSON Schema of the scenarios is missing', hint)
        elif committed != scenario_schema():
            yield _at(path, 'the JSON Schema of the scenarios is not the one of this program', hint)


def _schema_line(path: Path, root: Path) -> Iterator[FileProblem]:
    wanted = schema_line(path, root)
    try:
        with path.open(encoding='utf-8-sig') as file:
            first = file.readline(1000).rstrip('\r\n')
    except (OSError, ValueError):
        return  # that the file cannot be read is a problem of its own
    if first != wanted:
        known = first.replace(' ', '').startswith('#yaml-language-server:')
        what = 'names another schema' if known else 'does not tell editors where the schema is'
        yield _at(path, f'the first line {what}', f'write: {wanted}')


# -------------------------------------------------------------------------------------------------------- the scenarios


def _requirements(root: Path, files: Sequence[ScenarioFile]) -> Iterator[FileProblem]:
    register: Sequence[Requirement] = ()
    try:
        register = load_register(root)
    except FileError as error:
        yield from error.problems
    yield from unknown_ids(register, files) if register else ()
    for file in files:
        names = file.scenario.requirements
        for number, name in enumerate(names):
            loc = ('requirements', number)
            if name in names[:number]:
                yield file.problem(loc, f'the requirement {name} stands here a second time')
            elif not register and not REQUIREMENT_ID.fullmatch(name):
                hint = 'capitals, a dash and a number, such as LOOP-3'
                yield file.problem(loc, f'{name!r} is no requirement id', hint)


def _titles(files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    by_title: defaultdict[str, list[ScenarioFile]] = defaultdict(list)
    for file in files:
        by_title[' '.join(file.scenario.title.casefold().split())].append(file)
    for first, *others in by_title.values():
        for file in others:
            hint = 'say what is different here'
            yield file.problem(('title',), f'{first.scenario.id} has the same title: {first.path}', hint)


def _proposals(files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    for file in files:
        if file.scenario.proposed:
            hint = f'look at it, correct it, and then: react-harness capture --accept {file.scenario.id}'
            yield file.problem(('proposed',), 'this is a proposal: nobody has accepted what it expects', hint)


def _expectations(file: ScenarioFile) -> Iterator[FileProblem]:
    hint = 'say what the node has to do'
    if not _checks(file.scenario.expect):
        yield file.problem(('expect',), '`expect` checks nothing', hint)
    if file.scenario.hardening is not None and not _checks(file.scenario.hardening):
        yield file.problem(('hardening',), '`hardening` checks nothing', hint)
    for name, expectation in file.scenario.models.items():
        if not _checks(expectation):
            yield file.problem(('models', name), f'the expectations for {name} check nothing', hint)


def _checks(expectation: Expectation) -> bool:
    children = expectation.agents.values()
    if any(map(_checks, children)):
        return True
    given = expectation.model_dump(exclude={'agents'}, exclude_defaults=True)
    # An empty list of calls is an expectation, an empty mapping of any kind says nothing.
    return any(value != {} for value in given.values())


def _tools(files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    by_folder: dict[Path, Sequence[str] | None] = {}
    for file in files:
        for loc, name in python_tools(file.scenario):
            path = file.path.parent / TOOLS
            if path not in by_folder:
                try:
                    by_folder[path] = _functions(path)
                except Unreadable as error:
                    by_folder[path] = None
                    yield _at(path, str(error))
                except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                    by_folder[path] = None
                    why = str(error) or 'it is nested too deep'
                    yield _at(path, f'this is not Python: {why}', line=getattr(error, 'lineno', None) or 1)
            functions = by_folder[path]
            if functions is not None and name not in functions:
                like = nearest(name, functions)
                hint = f'did you mean {like}?' if like else f'functions there: {", ".join(functions) or "none"}'
                yield file.problem(loc, f'there is no function {name!r} in {path}', hint)


def _functions(path: Path) -> list[str]:
    """Return the names that a Python file defines at its top level, without importing it."""
    if not path.exists():
        return []
    if leads_out(path, path.parent):
        raise Unreadable('a symbolic link leads out of the folder: only the functions beside a scenario are its tools')
    tree = ast.parse(read_bounded(path, _MAX_FILE), str(path))
    names: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            names.append(statement.name)
        elif isinstance(statement, ast.Assign):
            names += (target.id for target in statement.targets if isinstance(target, ast.Name))
    return [name for name in names if not name.startswith('_')]


# -------------------------------------------------------------------------------------------------------- the cassettes


def _recorded(cassettes_root: Path) -> dict[str, dict[str, Path]]:
    """Return the cassettes by scenario id and model."""
    found: defaultdict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(cassettes_root.rglob('[!.]*.yaml')):
        place = place_of(path)
        if place.root == cassettes_root:
            found[place.scenario].setdefault(place.model, path)
    return found


def _recordings(file: ScenarioFile, recorded: Mapping[str, Path]) -> Iterator[FileProblem]:
    scenario = file.scenario
    command = f'react-harness record {scenario.id} --model NAME --base-url URL'
    if scenario.model is None and not recorded:
        yield file.problem(('id',), 'there is no `model`, and no cassette either', f'record one with: {command}')
        return
    for name in scenario.models:
        if scenario.model is None and name not in recorded:
            like = nearest(name, recorded)
            hint = f'did you mean {like}?' if like else f'record it with: {command.replace("NAME", name)}'
            yield file.problem(('models', name), f'there is no recording of this scenario with {name!r}', hint)


def _models_file(cassettes_root: Path) -> Iterator[FileProblem]:
    try:
        models_of(cassettes_root)
    except FileError as error:
        yield from error.problems


def _unused(cassettes_root: Path, files: Iterable[ScenarioFile], ids: set[str]) -> Iterator[FileProblem]:
    scripted = {file.scenario.id for file in files if file.scenario.model is not None}
    for path in sorted(cassettes_root.rglob('*.yaml')):
        parts = path.relative_to(cassettes_root).parts
        if any(part.startswith('.') for part in parts):
            continue
        place = place_of(path)
        single = cassettes_root / parts[0] / f'{place.model}.yaml'
        if path == cassettes_root / MODELS_FILE:
            continue
        if place.root != cassettes_root:
            hint = 'its place is <scenario id>/<model>.yaml or <scenario id>/<model>/<epoch>.yaml'
            yield _at(path, 'no scenario uses this cassette', hint)
        elif place.epoch_of_several and place.epoch == 1 and single.exists():
            yield _at(path, f'epoch 1 is recorded twice: there is {single}', 'remove one of them')
        elif parts[0] not in ids:
            like = nearest(parts[0], ids)
            hint = f'did you mean {like}?' if like else 'remove it'
            yield _at(path, f'no scenario uses this cassette: there is no scenario {parts[0]!r}', hint)
        elif parts[0] in scripted:
            yield _at(path, f'no scenario uses this cassette: {parts[0]} has a hand-made `model`', 'remove it')
