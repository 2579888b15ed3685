"""`capture`: a behaviour of a model becomes a scenario with its cassette."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import echo, found, new_cassettes_option, node_option, scenarios_option, usage_errors

if TYPE_CHECKING:
    from harness.capture.behaviour import Behaviour
    from harness.capture.make import Wanted
    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile

_FILE = click.Path(dir_okay=False, path_type=Path)
_FAMILY = 'captured'
_OF_A_RUN = ('scenario', 'epoch', 'line')


@click.command()
@click.argument('words', nargs=-1, metavar='[RESULTS | ID...]')
@click.option('--id', 'name', help='The id of the new scenario.')
@click.option('--run', 'scenario', metavar='SCENARIO', help='The run of RESULTS: its scenario.')
@click.option('--model', help='The run of RESULTS: its model. Else the name of the model in files and reports.')
@click.option('--epoch', type=click.IntRange(min=1), help='The run of RESULTS: its epoch.')
@click.option('--line', type=click.IntRange(min=2), help='The run of RESULTS: its line.')
@click.option(
    '--payload', type=_FILE, metavar='FILE', help='A payload that a node returned, as JSON; - is standard input.'
)
@click.option('--question', metavar='TEXT', help='What was asked, where the source does not hold it.')
@click.option(
    '--tools', type=_FILE, metavar='FILE', help='The tools: as in a scenario, or as an OpenAI API takes them.'
)
@click.option('--config', type=_FILE, metavar='FILE', help='The configuration of the node: a mapping.')
@click.option('--json-lines', is_flag=True, help='Standard input has an output a line, as JSON.')
@click.option('--family', default=_FAMILY, show_default=True, help='The family of the new scenario.')
@click.option('--title', default='', help='Its title.')
@click.option('--why', default='', help='Why it matters.')
@click.option('--dry-run', is_flag=True, help='Print the scenario, and write nothing.')
@click.option('--force', is_flag=True, help='Replace a scenario and a cassette that are there.')
@click.option(
    '--accept', 'accepts', is_flag=True, help='Accept the proposals ID...: what they expect holds from now on.'
)
@node_option
@scenarios_option
@new_cassettes_option
def capture(words: tuple[str, ...], accepts: bool, root: Path | None, cassettes: Path | None, **options: Any) -> None:
    """Turn what a model wrote into a scenario with a cassette.

    \b
    capture RESULTS --run SCENARIO --id NEW-ID                        a run of a results store
    ... | capture --id NEW-ID --question TEXT --tools FILE --model M  outputs on standard input
    capture --payload FILE --id NEW-ID --question TEXT --model M      a payload of a node

    Between two outputs on standard input stands the line `--- next turn ---`. The node is run on the outputs, and what
    it did is proposed as what has to hold: look at it, correct it, and accept it with --accept ID.
    """
    from harness import suite

    with usage_errors():
        root = suite.scenarios_folder(root)
        if accepts:
            _accept(root, words, options)
            return
        # A suite that has no recordings yet gets a folder for them beside its scenarios.
        _capture(root, cassettes or suite.shown_path(root.resolve().parent / 'cassettes'), words, options)


# ------------------------------------------------------------------------------------------------------------ accepting


def _accept(root: Path, words: tuple[str, ...], options: dict[str, Any]) -> None:
    from harness.capture.accept import acceptance
    from harness.capture.behaviour import CaptureError
    from harness.show.captured import accepting_lines

    _refuse_options('with --accept', options, ('name', 'scenario', 'model', 'payload', 'question', 'tools', 'config'))
    if not words:
        raise CaptureError('name the proposals to accept: react-harness capture --accept ID...')
    for item in [acceptance(file) for file in found(root, words)]:
        if not options['dry_run']:
            item.write()
        echo(accepting_lines(item, written=not options['dry_run']))


# ------------------------------------------------------------------------------------------------------------ capturing


def _capture(root: Path, cassettes: Path, words: tuple[str, ...], options: dict[str, Any]) -> None:
    from harness.capture import place
    from harness.capture.make import capture as make
    from harness.engine.node import load_node
    from harness.engine.threads import TimeLimit, ending_when_stuck
    from harness.show.captured import captured_lines, told_lines

    wanted = _wanted(root, cassettes, options)
    with ending_when_stuck(), contextlib.redirect_stdout(sys.stderr):
        behaviour = _behaviour(wanted, words, options)
        model = behaviour.model.name
        if not options['dry_run']:
            place.recover(wanted, model)
        place.check_place(wanted, model, force=options['force'])
        node = load_node(options['node_ref'])
        made = make(behaviour, wanted, node, TimeLimit())
    if options['dry_run']:
        click.echo(made.text, nl=False)
        with contextlib.redirect_stdout(sys.stderr):
            echo(told_lines(made))
        return
    place.put(made)
    file = _written(made.path)
    echo(captured_lines(made, _options(file, node, cassettes), _pytest_options(file, node, cassettes)))


def _behaviour(wanted: Wanted, words: tuple[str, ...], options: dict[str, Any]) -> Behaviour:
    from harness.capture.behaviour import CaptureError

    if words:
        _refuse_options('with a results store', options, ('payload', 'json_lines'))
        if len(words) > 1:
            raise CaptureError(f'give one results store, not {len(words)}')
        return _of_a_run(Path(words[0]), wanted, options)
    if any(options[key] is not None for key in _OF_A_RUN):
        raise CaptureError('--run, --epoch and --line choose a run of a results store: name its file')
    if not options['model']:
        raise CaptureError('give the name of the model with --model NAME: its cassette is called so')
    given, remarks = _given(options)
    if 'question' not in given:
        raise CaptureError('give the question with --question TEXT: what a model wrote does not hold what it was asked')
    if options['payload'] is not None:
        _refuse_options('with --payload', options, ('json_lines',))
        behaviour = _of_a_payload(options['payload'], options['model'], given)
    else:
        behaviour = _of_outputs(options['model'], given, json_lines=options['json_lines'])
    return behaviour.model_copy(update={'remarks': (*behaviour.remarks, *remarks)})


def _of_a_run(path: Path, wanted: Wanted, options: dict[str, Any]) -> Behaviour:
    from harness.capture.behaviour import CaptureError
    from harness.capture.runs import find_run
    from harness.capture.stored import behaviour_of
    from harness.engine.script import load_tools
    from harness.scenario.lint import TOOLS

    if options['scenario'] is None:
        raise CaptureError('say which run with --run SCENARIO')
    run = find_run(path, options['scenario'], options['model'], options['epoch'], options['line'])
    given, remarks = _given(options)
    tools = wanted.path.parent / TOOLS
    python = set(load_tools(tools)) if tools.is_file() else set()
    original = _original(wanted.root, run.result.record.scenario)
    behaviour = behaviour_of(run, original, wanted.cassettes, python, given)
    return behaviour.model_copy(update={'remarks': (*behaviour.remarks, *remarks)})


def _original(root: Path, scenario: str) -> ScenarioFile | None:
    from harness.scenario.loading import load_scenario, scenario_paths

    return next((load_scenario(path) for path in scenario_paths(root) if path.stem == scenario), None)


def _of_outputs(model: str, given: dict[str, Any], *, json_lines: bool) -> Behaviour:
    from harness.capture import outputs

    stdin = sys.stdin.buffer
    if stdin.isatty():
        click.echo('Write what the model wrote, then end with Ctrl-D.', err=True)
    raw = stdin.read(outputs.MAX_BYTES + 1)
    return outputs.behaviour_of(outputs.texts_in(raw, json_lines=json_lines), model, given)


def _of_a_payload(path: Path, model: str, given: dict[str, Any]) -> Behaviour:
    from harness.capture import payload
    from harness.capture.behaviour import CaptureError
    from harness.files import Unreadable, read_bounded

    if str(path) == '-':
        where = 'standard input'
        raw = sys.stdin.buffer.read(payload.MAX_BYTES + 1)
    else:
        where = str(path)
        try:
            raw = read_bounded(path, payload.MAX_BYTES)
        except Unreadable as error:
            raise CaptureError(f'{path}: {error}') from None
    return payload.behaviour_of(payload.read_payload(raw, where), model, given, where)


# ------------------------------------------------------------------------------------------------- what the options say


def _wanted(root: Path, cassettes: Path, options: dict[str, Any]) -> Wanted:
    from harness.capture.behaviour import CaptureError, whole
    from harness.capture.make import FAMILY, ID, MAX_ID, Wanted

    name, family = options['name'], options['family']
    if name is None:
        raise CaptureError('give the new scenario an id with --id NEW-ID')
    if not re.fullmatch(ID, name) or len(name) > MAX_ID:
        like = re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')[:MAX_ID].strip('-')
        hint = f' (such as {like})' if like else ''
        raise CaptureError(
            f'--id: {name!r} is no id: lower-case words and numbers joined by dashes, at most {MAX_ID}{hint}'
        )
    if not re.fullmatch(FAMILY, family):
        raise CaptureError(f'--family: {family!r} is no family: one lower-case word')
    title, why = whole(options['title']), whole(options['why'])
    return Wanted(id=name, family=family, title=title, why=why, root=root, cassettes=cassettes)


def _given(options: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what the options say of the scenario, in the order of its keys, and what has to be told about it."""
    from harness.capture.behaviour import whole
    from harness.capture.definitions import read_config, read_tools

    given: dict[str, Any] = {}
    remarks: list[str] = []
    if options['question'] is not None and options['question'].strip():
        given['question'] = whole(options['question'])
    if options['config'] is not None:
        given['config'] = whole(read_config(options['config']))
    if options['tools'] is not None:
        tools, remarks = read_tools(options['tools'])
        given['tools'] = whole(tools)
    return given, remarks


def _refuse_options(when: str, options: dict[str, Any], names: tuple[str, ...]) -> None:
    from harness.capture.behaviour import CaptureError

    written = {'name': 'id', 'scenario': 'run'}
    for key in names:
        if options[key]:
            raise CaptureError(f'--{written.get(key, key).replace("_", "-")} means nothing {when}')


# ---------------------------------------------------------------------------------------------------- what can follow


def _written(path: Path) -> ScenarioFile:
    from harness.scenario.loading import load_scenario

    return load_scenario(path)


def _options(file: ScenarioFile, node: Node, cassettes: Path) -> list[str]:
    from harness.options import options_of

    given = options_of(file, node, cassettes)
    pairs = list(zip(given[::2], given[1::2], strict=True))
    return [word for pair in pairs if pair[0] == '--scenarios' for word in pair]


def _pytest_options(file: ScenarioFile, node: Node, cassettes: Path) -> list[str]:
    from harness.options import options_of
    from harness.suite import cassettes_folder

    given = options_of(file, node, cassettes)
    found = [f'--react-node={given[given.index("--node") + 1]}'] if '--node' in given else []
    if cassettes_folder(None, file.path.parent.parent).resolve() != cassettes.resolve():
        found.append(f'--react-cassettes={cassettes}')
    return found
