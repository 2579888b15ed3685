"""`coverage`: which scenarios prove which requirement."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import FINDINGS, echo_json, found, scenarios_option, usage_errors

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument('select', nargs=-1, metavar='[REQUIREMENT]...')
@click.option('--missing', is_flag=True, help='Show only requirements that are not proven well enough.')
@click.option('--json', 'as_json', is_flag=True, help='Print the table as JSON (see: schema coverage).')
@scenarios_option
def coverage(select: tuple[str, ...], missing: bool, as_json: bool, root: Path | None) -> None:
    """Show which scenarios prove which requirement.

    REQUIREMENT names ids or patterns of ids ('LOOP-*'); all by default. Exit code 1 tells that a requirement is not
    proven well enough, or that a scenario names one that there is not.
    """
    from harness import suite
    from harness.coverage import coverage as count
    from harness.coverage import unknown_ids
    from harness.scenario.loading import REQUIREMENTS, UsageError
    from harness.scenario.register import load_register
    from harness.show.coverage import chosen, rows, verdict
    from harness.show.visible import visible

    with usage_errors():
        root = suite.scenarios_folder(root)
        register = load_register(root)
        if not register:
            raise UsageError(f'{root / REQUIREMENTS}: there are no requirements here')
        files = found(root, ())
        table = count(register, [file.scenario for file in files])
        unknown = list(unknown_ids(register, files))
        shown = chosen(table, select, missing)
    if as_json:
        echo_json(shown.model_dump())
    else:
        for row in rows(shown, root / REQUIREMENTS):
            click.echo(row)
    for problem in unknown:
        click.echo(visible(str(problem)), err=as_json)
    met = table.covered == len(table.requirements) and not unknown
    click.secho(verdict(table, len(unknown)), fg='green' if met else 'red', err=as_json)
    if not met:
        sys.exit(FINDINGS)
