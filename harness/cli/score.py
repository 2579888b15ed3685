"""`score`: the figures of the models in results stores."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.common import echo_json, usage_errors

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument('results', nargs=-1, required=True, type=_FILE, metavar='RESULTS...')
@click.option('--by-family', is_flag=True, help='Show the figures of each family of tasks as well.')
@click.option(
    '--format',
    'form',
    type=click.Choice(['text', 'json', 'csv', 'markdown']),
    default='text',
    show_default=True,
    help='How the figures are printed.',
)
@click.option(
    '--frames',
    type=click.Path(file_okay=False, path_type=Path),
    help='Write the rows behind the figures into this folder: runs and turns, as CSV, and as Parquet where pyarrow is.',
)
@click.option(
    '--prices',
    'models_file',
    type=_FILE,
    metavar='FILE',
    help='The file of models with their prices.  [default: cassettes/models.yaml, where it is]',
)
@click.option(
    '--difference',
    type=click.FloatRange(min=0, max=100, min_open=True, max_open=True),
    metavar='POINTS',
    help='Tell how many scenarios it takes to see a difference of so many points in 8 of 10 cases.',
)
@click.option('--no-library', is_flag=True, help="Do not ask llama-index's own parser what it would make of each turn.")
def score(
    results: tuple[Path, ...],
    by_family: bool,
    form: str,
    frames: Path | None,
    models_file: Path | None,
    difference: float | None,
    no_library: bool,
) -> None:
    """Tell how models kept the ReAct format and what they solved, with 95 % intervals.

    RESULTS are what `run --results` wrote. Rates are over turns or runs, clustered by scenario; what is not the fault
    of a model is in none of them. Models are compared on the scenarios that both were run on.
    """
    from harness import suite
    from harness.matrix.models import load_models, models_of
    from harness.metrics.figures import score as count
    from harness.metrics.frames import write_frames
    from harness.metrics.rows import measured, rows_of
    from harness.metrics.spending import prices_of
    from harness.results import read
    from harness.scenario.loading import UsageError
    from harness.show import score as show
    from harness.verdicts.library import LibraryParser

    with usage_errors():
        folder = suite.cassettes_folder(None, Path('scenarios'))
        prices = prices_of(load_models(models_file) if models_file is not None else models_of(folder))
        runs = (result for path in results for result in read(path)[1])
        if no_library:
            rows = rows_of(runs, not_asked='left out with --no-library')
        else:
            with LibraryParser() as library:
                rows = measured(runs, library)
        if not rows.runs:
            raise UsageError('there is no run of a model in these results: scripted runs have none')
        if frames is not None:
            for path in write_frames(rows, frames):
                click.echo(f'wrote {path}', err=True)
    found = count(rows, by_family, prices, difference / 100 if difference is not None else None)
    if form == 'json':
        echo_json(found.model_dump(mode='json'))
    elif form == 'csv':
        click.echo(show.table(found), nl=False)
    elif form == 'markdown':
        click.echo(show.markdown(found), nl=False)
    else:
        for line in show.text(found):
            click.echo(line)
