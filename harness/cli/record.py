"""`record`: record live models, one or a whole matrix of them."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import FINDINGS, echo, found, new_cassettes_option, node_option, scenarios_option, usage_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.matrix.models import ModelEntry, Models
    from harness.matrix.plan import Cell, Plan
    from harness.scenario.loading import ScenarioFile
    from harness.show.console import Line
    from harness.show.matrix import Tally

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""


@click.command()
@click.argument('select', nargs=-1, metavar='[SCENARIO]...')
@click.option('--model', 'names', multiple=True, help='The model: of models.yaml (repeatable), or a new name.')
@click.option(
    '--models',
    'models_file',
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='The models.  [default: models.yaml among the cassettes]',
)
@click.option('--dry-run', is_flag=True, help='Show what would be recorded, and what it will take.')
@click.option('--refresh', is_flag=True, help='Record again what is recorded.')
@click.option(
    '--recorded-before',
    'before',
    metavar='TIME',
    help='With --refresh: only what was recorded before, such as 2026-12-01T10:00:00+00:00.',
)
@click.option('--base-url', help='One model without a file: its endpoint, such as http://127.0.0.1:8080/v1.')
@click.option(
    '--local',
    'weights',
    metavar='FILE',
    help='In place of --base-url: weights on this machine (GGUF), for which a server is started.',
)
@click.option('--threads', type=int, help='With --local: CPU threads.  [default: all]')
@click.option('--context', type=int, help='With --local: tokens of a prompt and its reply.  [default: 8192]')
@click.option('--send-model', default='', metavar='NAME', help='The name to send to the server.  [default: --model]')
@click.option('--api-key-env', metavar='VAR', help='The environment variable that holds the API key.')
@click.option('--temperature', type=float, help='Sent to the server where it is given.')
@click.option('--max-tokens', type=int, help='Sent to the server where it is given.')
@click.option('--seed', type=int, help='Sent to the server where it is given.')
@click.option('--timeout', type=float, default=120.0, show_default=True, help='Seconds to wait for the server.')
@click.option('--tries', type=int, default=6, show_default=True, help='How often a request is sent before it fails.')
@click.option('--epoch', type=int, help='Record this epoch of several.')
@node_option
@scenarios_option
@new_cassettes_option
def record(
    select: tuple[str, ...],
    names: tuple[str, ...],
    models_file: Path | None,
    dry_run: bool,
    refresh: bool,
    before: str | None,
    base_url: str | None,
    weights: str | None,
    threads: int | None,
    context: int | None,
    epoch: int | None,
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
    **options: Any,
) -> None:
    """Record live models, one cassette for each run.

    The matrix of `models.yaml` (scenarios x models x epochs) is recorded up to what is recorded already; a command that
    was broken off goes on where it stopped. With --base-url or --local one model is recorded without a file, also
    again. A cassette is written only when the whole run was answered; one that fails leaves the others alone.
    """
    from harness import suite
    from harness.show import console
    from harness.show import matrix as show

    with usage_errors():
        from harness.matrix.crew import alone_in
        from harness.matrix.plan import cells_of, estimates, plan_of
        from harness.scenario.loading import UsageError

        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        one = _where(base_url, weights, threads, context)
        if one:
            cells: Sequence[Cell] = _one_model(root, cassettes, select, names, epoch, {**options, **one})
            plan = plan_of(cells, lambda path: True)
        else:
            models = _models(models_file, cassettes)
            entries = _entries(models, names)
            files = _files(root, select or _meant(models, entries))
            cells = cells_of(files, entries, cassettes, models.is_meant)
            if not cells:
                raise UsageError(f'none of these scenarios is to be recorded with {", ".join(e.name for e in entries)}')
            plan = plan_of(cells, _wanted(refresh, before))
            _check_parameters(plan.stale)
        if dry_run:
            echo(show.plan_lines(estimates(plan)))
            return
        _check_weights(plan)
    tally = show.Tally()
    began = time.monotonic()
    with usage_errors(), alone_in(cassettes), _progress(len(plan.open), tally) as step:
        stopped = _record(plan, node_ref, tally, step, brief=not one)
    if not one:
        echo(show.summary_lines(plan, tally, time.monotonic() - began))
    else:
        echo([console.recording_verdict(len(plan.cells), tally.infrastructure.total() + tally.failed.total())])
    if stopped:
        sys.exit(STOPPED)
    if tally.recorded.total() < len(plan.open):
        sys.exit(FINDINGS)


# ------------------------------------------------------------------------------------------------------------ the plan


def _models(given: Path | None, cassettes: Path) -> Models:
    from harness.matrix.models import MODELS_FILE, load_models
    from harness.scenario.loading import UsageError

    path = given or cassettes / MODELS_FILE
    if not path.is_file():
        one = '--model NAME --base-url URL (or --local FILE)'
        raise UsageError(f'there is no {path}: write one, or name one model with {one}')
    return load_models(path)


def _entries(models: Models, names: Sequence[str]) -> list[ModelEntry]:
    from harness.scenario.explain import nearest
    from harness.scenario.loading import UsageError

    known = [entry.name for entry in models.models]
    for name in names:
        if name not in known:
            like = nearest(name, known)
            hint = f'did you mean {like!r}?' if like else f'there are {", ".join(known)}'
            raise UsageError(f'there is no model {name!r} in the file: {hint}')
    return [entry for entry in models.models if not names or entry.name in names]


def _meant(models: Models, entries: Sequence[ModelEntry]) -> list[str]:
    words = [models.scenarios if entry.scenarios is None else entry.scenarios for entry in entries]
    return list(dict.fromkeys(word for some in words for word in some))


def _files(root: Path, select: Sequence[str]) -> Sequence[ScenarioFile]:
    from harness.recording import recordable

    return recordable(found(root, select))


def _where(base_url: str | None, weights: str | None, threads: int | None, context: int | None) -> dict[str, Any]:
    """Return where the one model is that is recorded without a file, nothing where the file says it."""
    from harness.scenario.loading import UsageError

    if base_url is not None and weights is not None:
        raise UsageError('--local stands in place of --base-url: give one of the two')
    settings = {'threads': threads, 'context': context}
    given = {key: value for key, value in settings.items() if value is not None}
    if weights is not None:
        return {'local': {'file': weights, **given}}
    if given:
        raise UsageError(f'--{next(iter(given))} is for --local')
    return {} if base_url is None else {'base_url': base_url}


def _one_model(
    root: Path,
    cassettes: Path,
    select: Sequence[str],
    names: Sequence[str],
    epoch: int | None,
    options: dict[str, Any],
) -> list[Cell]:
    from pydantic import ValidationError

    from harness.cassette import cassette_path
    from harness.matrix.models import ModelEntry
    from harness.matrix.plan import Cell
    from harness.scenario.loading import UsageError

    if len(names) != 1:
        raise UsageError('--base-url and --local record one model: give its name with --model')
    if not select:
        raise UsageError('say which scenarios are meant: ids, patterns of ids, files or folders')
    keys = {'send_model': 'model', 'timeout': 'timeout_s'}
    given = {keys.get(key, key): value for key, value in options.items()}
    try:
        entry = ModelEntry(name=names[0], concurrency=1, epochs=max(epoch or 1, 1), **given)
    except ValidationError as error:
        words = {'model': 'send-model', 'name': 'model', 'timeout_s': 'timeout', 'file': 'local'}
        problems = [(str(item['loc'][-1]) if item['loc'] else '', item['msg']) for item in error.errors()]
        lines = [
            f'--{words.get(key, key).replace("_", "-")}: {message.removeprefix("Value error, ")}'
            for key, message in problems
        ]
        raise UsageError('\n'.join(lines)) from None
    return [
        Cell(file, entry, epoch or 1, cassette_path(cassettes, file.scenario.id, entry.name, epoch))
        for file in _files(root, select)
    ]


def _wanted(refresh: bool, before: str | None) -> Callable[[Path], bool]:
    from datetime import UTC, datetime

    from harness.cassette.file import CassetteError, content_of
    from harness.scenario.loading import UsageError

    if before is None:
        return lambda path: refresh
    if not refresh:
        raise UsageError('--recorded-before is for --refresh')
    try:
        limit = datetime.fromisoformat(before)
    except ValueError:
        raise UsageError(f'--recorded-before: {before!r} is no time such as 2026-12-01T10:00:00+00:00') from None
    limit = limit if limit.tzinfo else limit.replace(tzinfo=UTC)

    def older(path: Path) -> bool:
        try:
            at = datetime.fromisoformat(str(content_of(path).get('recorded', {}).get('at')))
        except (CassetteError, ValueError):
            return True
        return (at if at.tzinfo else at.replace(tzinfo=UTC)) < limit

    return older


def _check_weights(plan: Plan) -> None:
    from harness.matrix.local import check

    for local in dict.fromkeys(cell.entry.local for cell in plan.open):
        if local is not None:
            check(local)


def _check_parameters(stale: Sequence[str]) -> None:
    from harness.scenario.loading import UsageError

    if stale:
        more = f'\n... and {len(stale) - 10} more' if len(stale) > 10 else ''
        advice = 'give these parameters another name in the file, or record again with --refresh'
        raise UsageError('\n'.join(stale[:10]) + f'{more}\nA name stands for one set of parameters: {advice}')


# ------------------------------------------------------------------------------------------------------- the recording


def _record(plan: Plan, node_ref: str, tally: Tally, step: Callable[[Sequence[Line], bool], None], brief: bool) -> bool:
    """Record the open cells and tell of each; return whether somebody stopped it."""
    from harness.matrix.crew import Crew, Held, NotRecorded, NotServed, Recorded, Served
    from harness.matrix.worker import Spent
    from harness.show import console
    from harness.show import matrix as show

    try:
        with Crew(plan.open, node_ref) as crew:
            for news in crew.news():
                match news:
                    case Spent():
                        tally.spend(*news)
                        step([], False)
                    case Held():
                        step([show.held_line(news)], False)
                    case Served():
                        step([show.served_line(news)], False)
                    case NotServed():
                        step(list(show.not_served_lines(news)), False)
                    case Recorded(cell, done):
                        tally.recorded[cell.entry.name] += 1
                        for run in done.runs:
                            tally.pay(cell.entry.prices, run.prompt_tokens or 0, run.completion_tokens or 0)
                        full = [line for run in done.runs for line in console.recorded_lines(run)]
                        step([show.recorded_line(cell, done.runs)] if brief else full, True)
                    case NotRecorded(cell, reason, infrastructure):
                        (tally.infrastructure if infrastructure else tally.failed)[cell.entry.name] += 1
                        full = console.not_recorded_lines(cell.file.scenario.id, cell.entry.name, reason)
                        step([show.lost_line(news)] if brief else full, True)
    except KeyboardInterrupt:
        return True
    return False


@contextlib.contextmanager
def _progress(total: int, tally: Tally) -> Iterator[Callable[[Sequence[Line], bool], None]]:
    """Give what is to be called with each news: it writes lines, above a bar where somebody sits before a terminal."""
    if not total or not sys.stderr.isatty():

        def plain(lines: Sequence[Line], ended: bool) -> None:
            echo(lines)

        yield plain
        return
    from tqdm import tqdm

    form = '{n_fmt}/{total_fmt} {bar} {rate_inv_fmt}, {remaining} left, {postfix}'
    with tqdm(total=total, unit='run', bar_format=form, smoothing=0.1, file=sys.stderr) as bar:

        def drawn(lines: Sequence[Line], ended: bool) -> None:
            if lines:
                with tqdm.external_write_mode(file=sys.stderr):
                    echo(lines)
            bar.set_postfix_str(tally.spent, refresh=not ended)
            if ended:
                bar.update()

        yield drawn
