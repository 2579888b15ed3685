"""The options of `run` that write the outcome for CI servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import FILE, usage_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from harness.show.summary import Judged, Summary

_OPTIONS = (
    click.option('--junit', type=FILE, help='Write the outcome as JUnit XML to this file.'),
    click.option(
        '--junit-places',
        is_flag=True,
        help='Give each JUnit testcase its file and line, which GitLab shows and the Jenkins schema does not know.',
    ),
    click.option('--sarif', type=FILE, help='Write the findings as SARIF 2.1.0 to this file.'),
    click.option('--step-summary', type=FILE, help='Write the outcome as a page of Markdown to this file.'),
    click.option(
        '--github',
        is_flag=True,
        help="In a GitHub Actions job: add that page to the job's, annotate lines, set the outputs of the step.",
    ),
)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which takes what they hold as `**wanted` and hands it to `Outputs`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Outputs:
    """What is wanted of one execution of a command, from before it prints anything to after it printed all.

    With --github nothing that is printed in between is a command to GitHub's runner, whoever wrote it; the annotations
    come behind it. `err` is whether our own lines go to standard error, for standard output is JSON.
    """

    def __init__(self, wanted: dict[str, Any], err: bool) -> None:
        import os

        from harness.outputs.github import this_step
        from harness.outputs.write import Files

        if wanted['junit_places'] and wanted['junit'] is None:
            raise click.UsageError('--junit-places is about the file of --junit, which is not given')
        self._files = Files(wanted['junit'], wanted['junit_places'], wanted['sarif'], wanted['step_summary'])
        self._err = err
        self._step = None
        if not wanted['github']:
            return
        with usage_errors():
            self._step = this_step(os.environ)
        self._behind = [self._step.speech]
        click.echo(self._step.silence, err=err)
        click.get_current_context().call_on_close(self._speak)

    def write(self, summary: Summary, judged: Sequence[Judged], scenarios: Path, report: Path | None) -> None:
        """Write the files that are wanted, saying where each is, and with --github what the job takes."""
        import os

        from harness.outputs.commands import annotate
        from harness.outputs.places import find_places
        from harness.outputs.write import write_files

        with usage_errors():
            places = find_places(_paths(summary), os.environ)
            for what, path in write_files(self._files, summary, judged, scenarios, places):
                click.echo(f'{what}: {path}', err=self._err)
            if self._step is None:
                return
            written = {'report': report, 'junit': self._files.junit, 'sarif': self._files.sarif}
            files = {name: str(path.absolute()) for name, path in written.items() if path is not None}
            counts = {key: value for key, value in summary.counts.model_dump().items() if isinstance(value, int)}
            self._step.set_outputs({'verdict': summary.verdict, 'reason': summary.reason, **counts, **files})
            if not self._step.add_page(summary, places):
                click.echo('There was no room for the summary on the page of the job.', err=True)
        self._behind += annotate(summary, places)

    def _speak(self) -> None:
        for line in self._behind:
            click.echo(line, err=self._err)


def _paths(summary: Summary) -> set[str]:
    found = {item.path for outcome in summary.results for item in outcome.findings}
    return found | {outcome.path for outcome in summary.results}
