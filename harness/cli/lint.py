"""`lint`: what is wrong with the files of a suite."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from harness.cli.common import FINDINGS, cassettes_option, node_option, scenarios_option, usage_errors

if TYPE_CHECKING:
    from harness.scenario.yamlnode import FileProblem


@click.command()
@click.argument('others', nargs=-1, metavar='[PATH]...', type=click.Path(exists=True, path_type=Path))
@node_option
@scenarios_option
@cassettes_option
@click.option('--no-replay', is_flag=True, help='Do not replay the recordings: nothing is run then.')
@click.pass_context
def lint(
    context: click.Context,
    others: tuple[Path, ...],
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
    no_replay: bool,
) -> None:
    """Check all files: scenarios, their tools, cassettes and the schema.

    All files in these folders are searched for what looks like a key, those in the folder `reports` beside the
    scenarios too, and each PATH: results stores, baselines, reports, or folders of these.

    The recordings are replayed with the node: a request that is not the recorded one, and a turn that nothing asks
    for, are problems. Exit code 1 tells that there are problems.
    """
    from harness import suite
    from harness.scenario.lint import lint as check
    from harness.show.visible import one_line, plural

    with usage_errors():
        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        reports = root.absolute().parent / 'reports'
        problems = check(root, cassettes, [*others, *([suite.shown_path(reports)] if reports.is_dir() else [])])
        if not no_replay and cassettes.is_dir():
            chosen = context.get_parameter_source('node_ref') is not ParameterSource.DEFAULT
            problems += _unfit(root, cassettes, node_ref, chosen)
    for problem in problems:
        click.echo(one_line(str(problem)))
    click.secho(plural(len(problems), 'problem') if problems else 'no problems', fg='red' if problems else 'green')
    if problems:
        sys.exit(FINDINGS)


def _unfit(root: Path, cassettes: Path, node_ref: str, chosen: bool) -> list[FileProblem]:
    from harness.engine.node import NodeError, load_node
    from harness.engine.threads import ending_when_stuck
    from harness.fit import unfit
    from harness.show.visible import visible

    with ending_when_stuck(), contextlib.redirect_stdout(sys.stderr):  # a node may print
        try:
            node = load_node(node_ref)
        except NodeError as error:
            if chosen:
                raise
            click.echo(f'The recordings were not replayed: {visible(str(error))}', err=True)
            return []
        return unfit(root, cassettes, node)
