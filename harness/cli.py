"""The command line: verbs only, each a few lines over the rooms of the harness.

Nothing but click is imported until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.llm import ModelSpec
    from harness.scenario.loading import ScenarioFile
    from harness.show.console import Line

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
family_option = click.option(
    '--family', 'families', multiple=True, metavar='FAMILY', help='Only this family (repeatable).'
)


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

    from harness import suite
    from harness.show import console
    from harness.show.progress import Progress
    from harness.show.summary import Summary, count_outcomes

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
            runs = Progress(suite.judged_runs(files, node, cassettes), len(files), fail_fast)
            if results is None:
                judged = list(runs)
            else:
                from harness import results as store

                store.write(results, store.header(files, node.name), runs)
                judged = runs.done
    outcomes = tuple(item.outcome for item in judged)
    counts = count_outcomes(outcomes, runs.left)
    if as_json:
        _echo_json(Summary(node=node.name, platform=platform, counts=counts, results=outcomes).model_dump())
    else:
        failed = [item for item in judged if not item.outcome.met]
        for item in sorted(failed, key=lambda item: bool(item.outcome.problem)):  # what is about the node comes first
            _echo(console.failed_run(item, verbose))
        if verbose:
            _echo(console.met_line(outcome) for outcome in outcomes if outcome.met)
        _echo(console.verdict_lines(counts, time.perf_counter() - start))
    if report is not None:
        from harness.report.build import build_report

        page = build_report(judged, node=node.name, platform=platform, date=_date(), left=runs.left)
        with _usage_errors():
            report.parent.mkdir(parents=True, exist_ok=True)
            report.write_text(page, encoding='utf-8', newline='\n')
        click.echo(f'Report: {report}', err=as_json)
    if counts.met < counts.runs:
        sys.exit(FINDINGS)


def _found(root: Path, select: Sequence[str], families: Sequence[str] = ()) -> list[ScenarioFile]:
    from harness.scenario.loading import UsageError, find_scenarios

    files = find_scenarios(root, select, families)
    if not files:
        raise UsageError(f'there are no scenarios in {root}: name a folder that has some with --scenarios')
    return files


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
@click.option(
    '--cassettes',
    type=click.Path(file_okay=False, path_type=Path),
    help='The folder to write to.  [default: cassettes]',
)
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
    """Record a live model, one cassette for each scenario.

    The scenarios run against an OpenAI-compatible server. A cassette is written only when the whole run was answered;
    one that fails leaves the others alone.
    """
    from harness import suite
    from harness.show import console

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
    from harness.scenario.loading import UsageError

    options = {'model': 'send-model', 'name': 'model', 'timeout_s': 'timeout'}
    try:
        return ModelSpec(**values)
    except ValidationError as error:
        problems = [(str(item['loc'][0]) if item['loc'] else '', item['msg']) for item in error.errors()]
        lines = [
            f'--{options.get(key, key).replace("_", "-")}: {message.removeprefix("Value error, ")}'
            for key, message in problems
        ]
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
    from harness import suite
    from harness.show import console

    with _usage_errors():
        root = suite.scenarios_folder(root)
        entries = suite.listed(_found(root, select, families), suite.cassettes_folder(cassettes, root))
    if as_json:
        _echo_json([entry.model_dump() for entry in entries])
    else:
        for row in console.list_rows(entries):
            click.echo(row)


@main.command()
@scenarios_option
@cassettes_option
def lint(root: Path | None, cassettes: Path | None) -> None:
    """Check all files without running anything.

    These are the scenarios, their tools, the cassettes and the schema. Exit code 1 tells that there are problems.
    """
    from harness import suite
    from harness.scenario.lint import lint as check
    from harness.show.visible import plural, visible

    with _usage_errors():
        root = suite.scenarios_folder(root)
        problems = check(root, suite.cassettes_folder(cassettes, root))
    for problem in problems:
        click.echo(visible(str(problem)))
    click.secho(plural(len(problems), 'problem') if problems else 'no problems', fg='red' if problems else 'green')
    if problems:
        sys.exit(FINDINGS)


@main.command()
@click.argument('what', type=click.Choice(['scenario', 'run', 'results']), default='scenario')
@click.option('--write', is_flag=True, help='Write the schema of scenarios into their folder.')
@scenarios_option
def schema(what: str, write: bool, root: Path | None) -> None:
    """Print a JSON Schema.

    It describes scenario files, what `run --json` prints, or the lines of a results store.
    """
    from harness import suite
    from harness.scenario import schema as schemas

    if write:
        if what != 'scenario':
            raise click.UsageError('only the schema of scenarios is kept in a file')
        with _usage_errors():
            path = suite.scenarios_folder(root) / schemas.SCHEMA_FILE
            schemas.write_schema(path)
        click.echo(f'wrote {path}')
        return
    if what == 'run':
        from harness.show.summary import summary_schema

        _echo_json(summary_schema())
    else:
        _echo_json(schemas.scenario_schema() if what == 'scenario' else schemas.results_schema())


@contextlib.contextmanager
def _usage_errors() -> Iterator[None]:
    """Turn what a user can correct into its text on standard error and exit code 2."""
    from harness.cassette.file import CassetteError
    from harness.engine.node import NodeError
    from harness.engine.platform import PlatformError
    from harness.engine.script import ToolsError
    from harness.results import ResultsError
    from harness.scenario.loading import FileError, UsageError

    try:
        yield
    except FileError as error:
        _refuse('\n'.join(map(str, error.problems)))
    except (UsageError, NodeError, PlatformError, ToolsError, CassetteError, ResultsError, OSError) as error:
        _refuse(str(error))


def _refuse(text: str) -> NoReturn:
    from harness.show.visible import visible

    click.echo(visible(text), err=True)
    sys.exit(USAGE)


def _echo(lines: Iterable[Line]) -> None:
    from harness.show.console import COLOURS

    for line in lines:
        looks = COLOURS[line.style]
        colour = next((look for look in looks if look != 'bold'), None)
        click.echo(click.style(line.text, fg=colour, bold='bold' in looks or None) if looks else line.text)


def _echo_json(value: Any) -> None:
    import json

    from harness.show.visible import json_safe

    click.echo(json.dumps(json_safe(value), indent=2))


def _date() -> str:
    """Return the time of the report; `SOURCE_DATE_EPOCH` sets it, for reports that are the same byte for byte."""
    import os
    from datetime import UTC, datetime

    fixed = os.environ.get('SOURCE_DATE_EPOCH')
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.strftime('%Y-%m-%d %H:%M UTC')


if __name__ == '__main__':
    main()
