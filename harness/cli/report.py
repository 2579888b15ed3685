"""`report`: the scorecard of results stores as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from harness.cli.common import FILE, scenarios_option, usage_errors

if TYPE_CHECKING:
    from datetime import datetime

    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement

_STORE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument('results', nargs=-1, required=True, type=_STORE, metavar='RESULTS...')
@click.option('-o', '--output', type=FILE, required=True, metavar='FILE', help='The HTML file to write.')
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
    output: Path,
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
    """
    from harness import suite
    from harness.gate.baseline import read_baseline
    from harness.gate.verdict import Gate
    from harness.matrix.models import load_models, models_of
    from harness.metrics.spending import prices_of
    from harness.results import RESULTS
    from harness.scenario.loading import UsageError
    from harness.scorecard.badges import write_badges
    from harness.scorecard.build import build_scorecard
    from harness.scorecard.page import write_page
    from harness.show.visible import plural
    from harness.verdicts.library import LibraryParser, NoLibrary

    with usage_errors():
        if before is not None and len(results) > 1:
            raise UsageError(f'--before compares with one store, and here are {len(results)}: give one')
        files, register = _scenarios(root)
        folder = suite.cassettes_folder(None, Path('scenarios'))
        planned = load_models(models_file) if models_file is not None else models_of(folder)
        known = read_baseline(baseline, RESULTS.read_header(results[0]).node) if baseline is not None else None
        with LibraryParser() as library:
            reason = 'left out with --no-library' if no_library else ''
            if not no_library:
                try:
                    library.begin()
                except NoLibrary as error:
                    reason = str(error)
            made = build_scorecard(
                results,
                files,
                register,
                gate=Gate(level, known),
                before=before,
                corrupts=None if reason else library.would_corrupt,
                not_asked=reason,
                moment=_moment(),
                prices=prices_of(planned),
            )
        output.parent.mkdir(parents=True, exist_ok=True)
        write_page(output, made.html)
        if badges is not None:
            for path in write_badges(made.badges, badges):
                click.echo(f'Badge: {path}')
    click.echo(f'Scorecard: {output} ({plural(made.runs, "run")}, {len(made.html.encode()) / 1e6:.1f} MB)')


def _scenarios(root: Path | None) -> tuple[list[ScenarioFile], tuple[Requirement, ...]]:
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


def _moment() -> datetime | None:
    """Return the moment that `SOURCE_DATE_EPOCH` names, for pages that are the same byte for byte."""
    import os
    from datetime import UTC, datetime

    fixed = os.environ.get('SOURCE_DATE_EPOCH')
    return datetime.fromtimestamp(int(fixed), UTC) if fixed else None
