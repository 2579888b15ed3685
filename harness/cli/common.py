"""What the verbs of the command line share: options, exit codes, and how text and errors get out."""

from __future__ import annotations

import contextlib
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harness.scenario.loading import ScenarioFile
    from harness.show.console import Line

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, writable=True, path_type=Path)
MET, FINDINGS, USAGE = 0, 1, 2

scenarios_option = click.option(
    '--scenarios', 'root', type=FOLDER, help='The folder of the scenarios.  [default: scenarios]'
)
cassettes_option = click.option('--cassettes', type=FOLDER, help='The folder of the cassettes.  [default: cassettes]')
new_cassettes_option = click.option(
    '--cassettes',
    type=click.Path(file_okay=False, path_type=Path),
    help='The folder to write to.  [default: cassettes]',
)
node_option = click.option(
    '--node',
    'node_ref',
    metavar='PATH_OR_MODULE',
    default='agent_llamaindex',
    show_default=True,
    help='The node to run: its folder, or an importable package.',
)
family_option = click.option(
    '--family', 'families', multiple=True, metavar='FAMILY', help='Only this family (repeatable).'
)

time_limit_option = click.option(
    '--time-limit',
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    metavar='SECONDS',
    help='Stop a node that takes longer for one scenario; 0 is for debuggers: no limit, the node in our own thread.',
)


def found(root: Path, select: Sequence[str], families: Sequence[str] = ()) -> list[ScenarioFile]:
    from harness.scenario.loading import UsageError, find_scenarios

    files = find_scenarios(root, select, families)
    if not files:
        raise UsageError(f'there are no scenarios in {root}: name a folder that has some with --scenarios')
    return files


@contextlib.contextmanager
def usage_errors() -> Iterator[None]:
    """Turn what a user can correct into its text on standard error and exit code 2."""
    from harness.cassette.file import CassetteError
    from harness.engine.node import NodeError
    from harness.engine.platform import PlatformError
    from harness.engine.script import ToolsError
    from harness.jsonlines import LineError
    from harness.scenario.loading import FileError, UsageError
    from harness.secrets import SecretFound
    from harness.show.visible import one_line

    try:
        yield
    except FileError as error:
        refuse('\n'.join(one_line(str(problem)) for problem in error.problems))
    except (UsageError, NodeError, PlatformError, ToolsError, CassetteError, LineError, SecretFound, OSError) as error:
        refuse(str(error))


def masked(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb whose output is masked: no key gets on the console, whoever prints it."""

    @functools.wraps(callback)
    def verb(*arguments: Any, **options: Any) -> Any:
        from harness.secrets.stream import masked_console

        with masked_console():
            return callback(*arguments, **options)

    return verb


def refuse(text: str) -> NoReturn:
    from harness.show.visible import visible

    click.echo(visible(text), err=True)
    sys.exit(USAGE)


def echo(lines: Iterable[Line]) -> None:
    from harness.show.console import COLOURS

    for line in lines:
        looks = COLOURS[line.style]
        colour = next((look for look in looks if look != 'bold'), None)
        click.echo(click.style(line.text, fg=colour, bold='bold' in looks or None) if looks else line.text)


def echo_json(value: Any) -> None:
    import json

    from harness.show.visible import json_safe

    click.echo(json.dumps(json_safe(value), indent=2))


def timestamp() -> str:
    """Return the time of the report; `SOURCE_DATE_EPOCH` sets it, for reports that are the same byte for byte."""
    import os
    from datetime import UTC, datetime

    fixed = os.environ.get('SOURCE_DATE_EPOCH')
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed else datetime.now(UTC)
    return moment.strftime('%Y-%m-%d %H:%M UTC')
