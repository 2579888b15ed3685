"""`accept-drift`: keep the recorded answers for the requests that are made now."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import click

from harness.cli.common import (
    FINDINGS,
    cassettes_option,
    echo,
    found,
    node_option,
    scenarios_option,
    timestamp,
    usage_errors,
)

if TYPE_CHECKING:
    from pathlib import Path


@click.command('accept-drift')
@click.argument('select', nargs=-1, required=True, metavar='SCENARIO...')
@click.option('--model', 'name', required=True, help='The model whose recordings are meant.')
@click.option('--reason', default='', help='Why the change cannot matter; it is written into the cassette.')
@click.option('--dry-run', is_flag=True, help='Show what would be accepted and write nothing.')
@node_option
@scenarios_option
@cassettes_option
def accept_drift(
    select: tuple[str, ...],
    name: str,
    reason: str,
    dry_run: bool,
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
) -> None:
    """Accept that requests are not the recorded ones.

    You state with it that the change makes no difference to what the model answers: the recorded answers stay, the
    requests of now take the place of the recorded ones, and each changed one gets a note in the cassette that says
    what was really sent. Where the change may matter, record again.
    """
    from harness import suite
    from harness.show.accepted import accepted_lines, accepting_verdict, refused_lines

    with usage_errors():
        from harness.accepting import NotAccepted, recordings_of
        from harness.accepting import accept_drift as accept
        from harness.engine.node import load_node
        from harness.engine.threads import ending_when_stuck
        from harness.recording import recordable

        root = suite.scenarios_folder(root)
        cassettes = suite.cassettes_folder(cassettes, root)
        files = recordable(found(root, select))
        with contextlib.redirect_stdout(sys.stderr):
            node = load_node(node_ref)
        meant = [(file, place) for file in files for place in recordings_of(cassettes, file.scenario.id, name)]
    written = refused = 0
    for file, place in meant:
        try:
            with ending_when_stuck(), contextlib.redirect_stdout(sys.stderr):
                done = accept(file, node, place, reason=reason, date=timestamp(), write=not dry_run)
        except NotAccepted as error:
            refused += 1
            echo(refused_lines(place, str(error)))
        else:
            written += done.written
            echo(accepted_lines(done))
    echo([accepting_verdict(len(meant), written, refused)])
    if refused:
        sys.exit(FINDINGS)
