"""`list` and `schema`: what there is, and how it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.cli.common import (
    cassettes_option,
    echo_json,
    family_option,
    found,
    scenarios_option,
    usage_errors,
)

if TYPE_CHECKING:
    from pathlib import Path


@click.command('list')
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

    with usage_errors():
        root = suite.scenarios_folder(root)
        entries = suite.listed(found(root, select, families), suite.cassettes_folder(cassettes, root))
    if as_json:
        echo_json([entry.model_dump() for entry in entries])
    else:
        for row in console.list_rows(entries):
            click.echo(row)


@click.command()
@click.argument(
    'what',
    type=click.Choice(['scenario', 'models', 'run', 'results', 'baseline', 'diff', 'coverage', 'mutants', 'score']),
    default='scenario',
)
@click.option('--write', is_flag=True, help='Write the schema of scenarios into their folder.')
@scenarios_option
def schema(what: str, write: bool, root: Path | None) -> None:
    """Print a JSON Schema.

    It describes scenario files, models.yaml, the lines of a results store or a baseline, or what the verbs print with
    --json.
    """
    from harness import suite
    from harness.scenario import schema as schemas

    if write:
        if what != 'scenario':
            raise click.UsageError('only the schema of scenarios is kept in a file')
        with usage_errors():
            path = suite.scenarios_folder(root) / schemas.SCHEMA_FILE
            schemas.write_schema(path)
        click.echo(f'wrote {path}')
        return
    if what == 'run':
        from harness.show.summary import summary_schema

        echo_json(summary_schema())
    elif what == 'diff':
        from harness.gate.diff import diff_schema

        echo_json(diff_schema())
    elif what == 'coverage':
        from harness.coverage import coverage_schema

        echo_json(coverage_schema())
    elif what == 'mutants':
        from harness.mutants.hunt import hunt_schema

        echo_json(hunt_schema())
    elif what == 'score':
        from harness.metrics.figures import score_schema

        echo_json(score_schema())
    else:
        schemas_of = {
            'scenario': schemas.scenario_schema,
            'models': schemas.models_schema,
            'results': schemas.results_schema,
            'baseline': schemas.baseline_schema,
        }
        echo_json(schemas_of[what]())
