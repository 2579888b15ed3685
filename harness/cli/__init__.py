"""The command line: verbs only, each a few lines over the rooms of the harness.

Nothing but click is imported until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import sys

import click

from harness.cli.capture import capture
from harness.cli.common import masked
from harness.cli.coverage import coverage
from harness.cli.drift import accept_drift
from harness.cli.files import list_scenarios, schema
from harness.cli.gate import accept, diff
from harness.cli.lint import lint
from harness.cli.mutants import mutants
from harness.cli.record import record
from harness.cli.report import report
from harness.cli.run import run
from harness.cli.score import score


@click.group(context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100})
@click.version_option(package_name='react-harness')
def main() -> None:
    """Prove a ReAct agent node: replay scenarios, judge every run, record models.

    Exit codes: 0 all is well, 1 there are findings, 2 wrong usage or a broken file, 3 inconclusive: there is no finding
    that counts, but something was not judged.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):  # a terminal that cannot show a character shows its escape
            stream.reconfigure(errors='backslashreplace')


_VERBS = (
    run,
    score,
    report,
    accept,
    diff,
    record,
    accept_drift,
    capture,
    list_scenarios,
    lint,
    coverage,
    mutants,
    schema,
)
for _command in _VERBS:
    if _command.callback is not None:
        _command.callback = masked(_command.callback)
    main.add_command(_command)


def program() -> None:
    """Run the command line as a program; it ends without waiting for threads that a node left and that never end."""
    # Values are made by the thousand and kept: looking for cycles among them at each 700th took an eighth of the time.
    gc.set_threshold(20_000, 20, 20)
    try:
        main()
    except SystemExit as end:
        threads = sys.modules.get('harness.engine.threads')
        if threads is not None:
            threads.leave(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise
