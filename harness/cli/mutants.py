"""`mutants`: broken nodes that the suite must catch."""

from __future__ import annotations

import fnmatch
import os
import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import (
    FILE,
    FINDINGS,
    cassettes_option,
    echo_json,
    found,
    node_option,
    scenarios_option,
    usage_errors,
)

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument('select', nargs=-1, metavar='[MUTANT]...')
@click.option(
    '--all-killers', 'whole', is_flag=True, help='Replay all scenarios on every mutant, not up to its first killer.'
)
@click.option('--by-scenario', is_flag=True, help='Show which scenarios alone kill a mutant, and which kill none.')
@click.option('--json', 'as_json', is_flag=True, help='Print the outcome as JSON (see: schema mutants).')
@click.option('--markdown', type=FILE, help='Write the table of all mutants to this file.')
@click.option('--workers', type=click.IntRange(1, 64), help='In how many processes.  [default: one for each core]')
@node_option
@scenarios_option
@cassettes_option
def mutants(
    select: tuple[str, ...],
    whole: bool,
    by_scenario: bool,
    as_json: bool,
    markdown: Path | None,
    workers: int | None,
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
) -> None:
    """Break the node in many small ways and tell which scenarios notice.

    MUTANT names mutants or patterns of names ('guard-*'); all by default. They are made of the healthy node --node.

    Exit codes: 0 all were killed, 1 a mutant survived (or an equivalent one did not), 2 wrong usage, or a mutant that
    does not fit the node any more.
    """
    from harness import suite
    from harness.engine.node import located
    from harness.mutants.build import MutantError
    from harness.mutants.hunt import Hunt
    from harness.mutants.pack import Ground, hunt_all
    from harness.mutants.table import MUTANTS
    from harness.scenario.explain import nearest
    from harness.scenario.loading import UsageError
    from harness.secrets.writing import write_whole
    from harness.show import mutants as show

    with usage_errors():
        chosen = [item for item in MUTANTS if not select or any(fnmatch.fnmatchcase(item.id, word) for word in select)]
        ids = [item.id for item in MUTANTS]
        for word in select:
            if not fnmatch.filter(ids, word):
                like = nearest(word, ids)
                raise UsageError(f'there is no mutant {word!r}' + (f': did you mean {like}?' if like else ''))
        root = suite.scenarios_folder(root)
        files = found(root, ())
        cassettes = suite.cassettes_folder(cassettes, root)
        healthy = located(node_ref).path
        everything = whole or by_scenario or markdown is not None
        workers = min(workers or os.cpu_count() or 1, len(chosen))
        try:
            hunting = hunt_all(chosen, Ground(healthy, files, cassettes, everything), workers=workers)
            with click.progressbar(hunting, length=len(chosen), label='mutants', file=sys.stderr) as runs:
                done = Hunt(scenarios=len(files), whole=everything, mutants=tuple(runs))
        except MutantError as error:
            raise UsageError(str(error)) from None
        if markdown is not None:
            write_whole(markdown, show.markdown(done))
    if as_json:
        echo_json(done.model_dump())
    else:
        for row in show.by_scenario(done, files) if by_scenario else show.rows(done):
            click.echo(row)
    ok = all(item.as_it_should for item in done.mutants)
    click.secho(show.verdict(done), fg='green' if ok else 'red', err=as_json)
    if not ok:
        sys.exit(FINDINGS)
