"""`report`: the scorecard of results stores as one HTML file, and whether a file is that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from harness.cli.common import FILE, FINDINGS, MET, scenarios_option, usage_errors

if TYPE_CHECKING:
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement
    from harness.scorecard.build import Scorecard

_STORE = click.Path(exists=True, dir_okay=False, path_type=Path)
_LARGEST = 64_000_000
_MOST = 20


@click.command()
@click.argument('results', nargs=-1, required=True, type=_STORE, metavar='RESULTS...')
@click.option('-o', '--output', type=FILE, metavar='FILE', help='The HTML file to write.')
@click.option(
    '--check',
    type=_STORE,
    metavar='FILE',
    help='Write nothing: tell how this file, and the badges, differ from what these results say.',
)
@scenarios_option
@click.option('--before', type=_STORE, metavar='STORE', help='An earlier store: show what differs, and why.')
@click.option('--baseline', type=_STORE, metavar='FILE', help='The accepted state: what it knows does not fail.')
@click.option(
    '--level',
    type=click.Choice(['required', 'hardening']),
    default='hardening',
    show_default=True,
    help='What gates, as in `run`.',
)
@click.option(
    '--badges', type=click.Path(file_okay=False, path_type=Path), help='Write badges as SVG and JSON into this folder.'
)
@click.option(
    '--prices',
    'models_file',
    type=_STORE,
    metavar='FILE',
    help='The file of models with their prices.  [default: cassettes/models.yaml, where it is]',
)
@click.option('--no-library', is_flag=True, help="Do not ask llama-index's own parser what it would make of each turn.")
def report(
    results: tuple[Path, ...],
    output: Path | None,
    check: Path | None,
    root: Path | None,
    before: Path | None,
    baseline: Path | None,
    level: Literal['required', 'hardening'],
    badges: Path | None,
    models_file: Path | None,
    no_library: bool,
) -> None:
    """Make one HTML file that compares the models in results stores, down to each transcript.

    RESULTS are what `run --results` wrote, all of one node. The file asks nothing of any server. The same stores,
    scenarios and options give the same bytes.

    Exit codes: 0 the file is written, or --check found no difference, 1 it found one, 2 wrong usage or a broken file.
    """
    from harness import suite
    from harness.gate.baseline import read_baseline
    from harness.gate.verdict import Gate
    from harness.matrix.models import load_models, models_of
    from harness.results import RESULTS
    from harness.scenario.loading import UsageError
    from harness.scorecard.badges import write_badges
    from harness.scorecard.made import scorecard_of
    from harness.scorecard.page import write_page
    from harness.show.visible import plural

    if (output is None) is (check is None):
        raise click.UsageError('give one of -o and --check: the file to write, or the one to look at')
    with usage_errors():
        if before is not None and len(results) > 1:
            raise UsageError(f'--before compares with one store, and here are {len(results)}: give one')
        files, register = scenarios_of(root)
        folder = suite.cassettes_folder(None, Path('scenarios'))
        known = read_baseline(baseline, RESULTS.read_header(results[0]).node) if baseline is not None else None
        made = scorecard_of(
            results,
            files,
            register,
            models=load_models(models_file) if models_file is not None else models_of(folder),
            left_out='left out with --no-library' if no_library else '',
            gate=Gate(level, known),
            before=before,
        )
        if check is not None:
            sys.exit(_checked(made, check, badges))
        assert output is not None  # noqa: S101 (one of the two is given)
        output.parent.mkdir(parents=True, exist_ok=True)
        write_page(output, made.html)
        if badges is not None:
            for path in write_badges(made.badges, badges):
                click.echo(f'Badge: {path}')
    click.echo(f'Scorecard: {output} ({plural(made.runs, "run")}, {len(made.html.encode()) / 1e6:.1f} MB)')


def _checked(made: Scorecard, page: Path, badges: Path | None) -> int:
    """Say how a page and badges differ from what was made, and return the exit code."""
    from harness.files import Unreadable, read_bounded
    from harness.scenario.loading import UsageError
    from harness.scorecard.check import badge_differences, page_differences
    from harness.show.visible import plural

    try:
        there = read_bounded(page, _LARGEST).decode('utf-8', 'replace')
    except Unreadable as error:
        raise UsageError(f'{page}: {error}') from None
    groups = [[f'{page}: {text}' for text in page_differences(there, made.html)]]
    if badges is not None:
        groups.append([f'{badges}/{text}' for text in badge_differences(badges, made.badges)])
    for found in groups:
        for text in found[:_MOST]:
            click.echo(text)
        if len(found) > _MOST:
            click.echo(f'... and {plural(len(found) - _MOST, "more difference")}')
    count = sum(map(len, groups))
    if not count:
        click.secho(f'{page} says what these results say ({plural(made.runs, "run")})', fg='green')
        return MET
    click.secho(f'{plural(count, "difference")}: write it anew with -o', fg='red')
    return FINDINGS


def scenarios_of(root: Path | None) -> tuple[list[ScenarioFile], tuple[Requirement, ...]]:
    """Return the scenarios and the register as they are now; without a folder of them the page does without."""
    from harness.scenario.loading import UsageError, find_scenarios
    from harness.scenario.register import load_register
    from harness.suite import scenarios_folder

    if root is None:
        try:
            root = scenarios_folder()
        except UsageError:
            return [], ()
    return find_scenarios(root), load_register(root)
