"""The command line: verbs only, each a few lines over the rooms of the harness.

Nothing but click is imported until a command runs, so that `--help` answers at once.
"""

from __future__ import annotations

import sys

import click

from harness.cli.coverage import coverage
from harness.cli.files import lint, list_scenarios, schema
from harness.cli.record import record
from harness.cli.run import run


@click.group(context_settings={'help_option_names': ['-h', '--help'], 'max_content_width': 100})
@click.version_option(package_name='react-harness')
def main() -> None:
    """Prove a ReAct agent node: replay scenarios, judge every run, record models.

    Exit codes: 0 every expectation is met, 1 there are findings, 2 wrong usage or a broken file.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):  # a terminal that cannot show a character shows its escape
            stream.reconfigure(errors='backslashreplace')


for _command in (run, record, list_scenarios, lint, coverage, schema):
    main.add_command(_command)
