"""`score`: the figures of the models in results stores."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.common import echo_json, usage_errors

_STORE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument('results', nargs=-1, required=True, type=_STORE, metavar='RESULTS...')
@click.option('--by-family', is_flag=True, help='Show the figures of each family of scenarios as well.')
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
@click.option('--no-library', is_flag=True, help="Do not ask llama-index's own parser what it would make of each turn.")
def score(results: tuple[Path, ...], by_family: bool, form: str, frames: Path | None, no_library: bool) -> None:
    """Tell how models kept the ReAct format and what they solved, with 95 % intervals.

    RESULTS are what `run --results` wrote. Rates are over turns or runs, clustered by scenario; what is not the fault
    of a model is in none of them. Models are compared on the scenarios that both were run on.
    """
    from harness.metrics.figures import score as count
    from harness.metrics.frames import write_frames
    from harness.metrics.rows import measured, rows_of
    from harness.results import read
    from harness.scenario.loading import UsageError
    from harness.show import score as show
    from harness.verdicts.library import LibraryParser

    with usage_errors():
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
    found = count(rows, by_family)
    if form == 'json':
        echo_json(found.model_dump(mode='json'))
    elif form == 'csv':
        click.echo(show.table(found), nl=False)
    elif form == 'markdown':
        click.echo(show.markdown(found), nl=False)
    else:
        for line in show.text(found):
            click.echo(line)
