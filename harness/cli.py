"""The command line: verbs only, each a few lines over the rooms of the harness.

Nothing but click is imported until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from harness.console import Line
    from harness.llm import ModelSpec
    from harness.loading import ScenarioFile
    from harness.summary import Judged

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, writable=True, path_type=Path)
MET, FINDINGS, USAGE = 0, 1, 2

scenarios_option = click.option(
    '--scenarios', 'root', type=FOLDER, help='The folder of the scenarios.  [default: scenarios]'
)
cassettes_option = click.option('--cassettes', type=FOLDER, help='The folder of the cassettes.  [default: cassettes]')
node_option = click.option(
    '--node',
    'node_ref',
    metavar='PATH_OR_MODULE',
    default='agent_llamaindex',
    show_default=True,
    help='The node to run: its folder, or an importable package.',
)
family_option = click.option('--family', 'families', multiple=True, metavar='FAMILY', help='Only this family (repeatable).')


@click.group(context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100})
@click.version_option(package_name='react-harness')
def main() -> None:
    """Prove a ReAct agent node: replay scenarios, judge every run, record models.

    Exit codes: 0 every expectation is met, 1 there are findings, 2 wrong usage or a broken file.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):  # a terminal that cannot show a character shows its escape
            stream.reconfigure(errors='backslashreplace')


@main.command()
@click.argument('select', nargs=-1, metavar='[SELECT]...')
@family_option
@node_option
@scenarios_option
@cassettes_option
@click.option('--json', 'as_json', is_flag=True, help='Print the outcome as JSON (see: schema run).')
@click.option('--report', type=FILE, help='Write an HTML report to this file.')
@click.option('--results', type=FILE, help='Append the records and findings to this results store (JSON lines).')
@click.option('-x', '--fail-fast', is_flag=True, help='End at the first scenario that fails.')
@click.option('-v', '--verbose', is_flag=True, help='Show every run, and the transcript of those that failed.')
def run(
    select: tuple[str, ...],
    families: tuple[str, ...],
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
    as_json: bool,
    report: Path | None,
    results: Path | None,
    fail_fast: bool,
    verbose: bool,
) -> None:
    """Replay scenarios and judge the node; there is no network in it.

    SELECT names scenarios: ids, patterns of ids ('*-guard-on'), files or folders; all by default.
    """
    import time

    from harness import console, suite
    from harness.summary import Summary, count_outcomes

    start = time.perf_counter()
    with _usage_errors():
        from harness.engine.node import load_node
        from harness.engine.platform import ensure_platform

        root = suite.scenarios_folder(root)
        files = _found(root, select, families)
        cassettes = suite.cassettes_folder(cassettes, root)
        with contextlib.redirect_stdout(sys.stderr):  # a node may print, and our own output may be JSON
            platform = ensure_platform().name
            node = load_node(node_ref)
            judged, left = _replayed(suite.judged_runs(files, node, cassettes), len(files), fail_fast)
        outcomes = tuple(item.outcome for item in judged)
        counts = count_outcomes(outcomes, left)
        if results is not None:
            _store(results, judged)
        if report is not None:
            from harness.report.build import build_report

            page = build_report(judged, node=node.name, platform=platform, date=_date(), left=left)
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text(page, encoding='utf-8', newline='\n')
    if as_json:
        _echo_json(Summary(node=node.name, platform=platform, counts=counts, results=outcomes))
    else:
        _echo(line for item in judged if not item.outcome.met for line in console.failed_run(item, verbose))
        if verbose:
            _echo(console.met_line(outcome) for outcome in outcomes if outcome.met)
        _echo(console.verdict_lines(counts, time.perf_counter() - start))
    if counts.met < counts.runs:
        sys.exit(FINDINGS)


def _found(root: Path, select: Sequence[str], families: Sequence[str] = ()) -> list[ScenarioFile]:
    from harness.loading import UsageError, find_scenarios

    files = find_scenarios(root, select, families)
    if not files:
        raise UsageError(f'there are no scenarios in {root}: name a folder that has some with --scenarios')
    return files


def _replayed(
    runs: Iterator[tuple[ScenarioFile, list[Judged]]], number: int, fail_fast: bool
) -> tuple[list[Judged], int]:
    judged: list[Judged] = []
    done = 0
    with _progress(number) as advance:
        for file, items in runs:
            judged += items
            done += 1
            advance(file.scenario.id)
            if fail_fast and not all(item.outcome.met for item in items):
                break
    return judged, number - done


@contextlib.contextmanager
def _progress(number: int) -> Iterator[Any]:
    """Give a function that moves the bar on, on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(
        length=number, file=sys.stderr, label='Replaying', item_show_func=lambda item: item, show_pos=True
    ) as bar:
        yield lambda name: bar.update(1, name)


def _store(path: Path, judged: Sequence[Judged]) -> None:
    raise NotImplementedError


@main.command()
@click.argument('select', nargs=-1, required=True, metavar='SCENARIO...')
@click.option('--model', 'name', required=True, help='The name of the model in files and reports.')
@click.option('--base-url', required=True, help='The OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1.')
@click.option('--send-model', default='', metavar='NAME', help='The name to send to the server.  [default: --model]')
@click.option('--api-key-env', metavar='VAR', help='The environment variable that holds the API key.')
@click.option('--temperature', type=float, help='Sent to the server where it is given.')
@click.option('--max-tokens', type=int, help='Sent to the server where it is given.')
@click.option('--seed', type=int, help='Sent to the server where it is given.')
@click.option('--timeout', type=float, default=120.0, show_default=True, help='Seconds to wait for the server.')
@node_option
@scenarios_option
@cassettes_option
def record(
    select: tuple[str, ...],
    name: str,
    base_url: str,
    send_model: str,
    api_key_env: str | None,
    temperature: float | None,
    max_tokens: int | None,
    seed: int | None,
    timeout: float,
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
) -> None:
    """Record a model: run scenarios against a live server and write one cassette for each.

    A cassette is written only when the whole run was answered; one that fails leaves the others alone.
    """
    from harness import console, suite

    with _usage_errors():
        from harness.engine.node import load_node
        from harness.recording import RecordingFailed, record_scenario, recordable

        spec = _model_spec(
            name=name,
            base_url=base_url,
            model=send_model,
            api_key_env=api_key_env,
            temperature=temperature,
            max_tokens=max_tokens,
            seed=seed,
            timeout_s=timeout,
        )
        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        files = recordable(_found(root, select))
        with contextlib.redirect_stdout(sys.stderr):
            node = load_node(node_ref)
    failed = 0
    for file in files:
        try:
            with contextlib.redirect_stdout(sys.stderr):
                runs = record_scenario(file, node, spec, cassettes)
        except RecordingFailed as error:
            failed += 1
            _echo(console.not_recorded_lines(file.scenario.id, name, str(error)))
        else:
            _echo(line for item in runs for line in console.recorded_lines(item))
    _echo([console.recording_verdict(len(files), failed)])
    if failed:
        sys.exit(FINDINGS)


def _model_spec(**values: Any) -> ModelSpec:
    from pydantic import ValidationError

    from harness.llm import ModelSpec
    from harness.loading import UsageError

    options = {'model': 'send-model', 'name': 'model', 'timeout_s': 'timeout'}
    try:
        return ModelSpec(**values)
    except ValidationError as error:
        problems = [(str(item['loc'][0]) if item['loc'] else '', item['msg']) for item in error.errors()]
        lines = [f'--{options.get(key, key).replace("_", "-")}: {message}' for key, message in problems]
        raise UsageError('\n'.join(lines)) from None


@main.command('list')
@click.argument('select', nargs=-1, metavar='[SELECT]...')
@family_option
@scenarios_option
@cassettes_option
@click.option('--json', 'as_json', is_flag=True, help='Print the list as JSON.')
def list_scenarios(
    select: tuple[str, ...], families: tuple[str, ...], root: Path | None, cassettes: Path | None, as_json: bool
) -> None:
    """List scenarios: id, family, level, recorded models, title."""
    from harness import console, suite

    with _usage_errors():
        from harness.cassette import cassettes_of

        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        entries = [
            {
                'id': file.scenario.id,
                'family': file.scenario.family,
                'level': file.scenario.level,
                'title': file.scenario.title,
                'path': str(file.path),
                'scripted': file.scenario.model is not None,
                'models': list(cassettes_of(cassettes, file.scenario.id)),
            }
            for file in _found(root, select, families)
        ]
    if as_json:
        _echo_json(entries)
        return
    rows = [
        (
            str(entry['id']),
            str(entry['family']),
            str(entry['level']),
            'scripted' if entry['scripted'] else ' '.join(entry['models']) or 'not recorded',
            str(entry['title']),
        )
        for entry in entries
    ]
    for row in console.table(rows):
        click.echo(row)


@main.command()
@scenarios_option
@cassettes_option
def lint(root: Path | None, cassettes: Path | None) -> None:
    """Check scenario files and cassettes without running anything."""
    raise NotImplementedError


@main.command()
@click.argument('what', type=click.Choice(['scenario', 'run']), default='scenario')
@click.option('--write', is_flag=True, help='Write scenario.schema.json into the folder of the scenarios.')
@scenarios_option
def schema(what: str, write: bool, root: Path | None) -> None:
    """Print the JSON Schema of scenario files, or of what `run --json` prints."""
    raise NotImplementedError


@contextlib.contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn what a user can correct into its text on standard error and exit code 2."""
    from harness.cassette_file import CassetteError
    from harness.engine.node import NodeError
    from harness.engine.platform import PlatformError
    from harness.loading import FileError, UsageError

    try:
        yield
    except FileError as error:
        _refuse('\n'.join(map(str, error.problems)))
    except (UsageError, NodeError, PlatformError, CassetteError, OSError) as error:
        _refuse(str(error))


def _refuse(text: str) -> NoReturn:
    from harness.visible import visible

    click.echo(visible(text), err=True)
    sys.exit(USAGE)


def _echo(lines: Sequence[Line] | Iterator[Line]) -> None:
    from harness.console import COLOURS

    for line in lines:
        looks = COLOURS[line.style]
        colour = next((look for look in looks if look != 'bold'), None)
        click.secho(line.text, fg=colour, bold='bold' in looks or None)


def _echo_json(value: Any) -> None:
    import json

    from harness.visible import json_safe

    plain = value if isinstance(value, list) else value.model_dump()
    click.echo(json.dumps(json_safe(plain), indent=2))


def _date() -> str:
    """Return the time of the report; `SOURCE_DATE_EPOCH` sets it, for reports that are the same byte for byte."""
    import os
    from datetime import UTC, datetime

    fixed = os.environ.get('SOURCE_DATE_EPOCH')
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.strftime('%Y-%m-%d %H:%M UTC')


if __name__ == '__main__':
    main()
