"""`accept` and `diff`: take results as the baseline, and tell what differs between two of them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.cli.common import FINDINGS, echo, echo_json, usage_errors

STORE = click.Path(exists=True, dir_okay=False, path_type=Path)
BASELINE = click.Path(dir_okay=False, writable=True, path_type=Path)


@click.command()
@click.argument('results', type=STORE)
@click.option('--baseline', 'path', type=BASELINE, required=True, metavar='FILE', help='The baseline to update.')
@click.option('--prune', is_flag=True, help='Take out the runs that are not among the results.')
@click.option('--not-judged', is_flag=True, help='Accept also runs that were not judged: the gate lets them be.')
def accept(results: Path, path: Path, prune: bool, not_judged: bool) -> None:
    """Take the runs of a results store as the baseline.

    RESULTS is what `run --results` wrote. The runs in it replace those of the baseline; the others stay as they are.
    Exit codes: 0 the baseline is as the results are, 3 nothing was written, since runs were not judged, 2 wrong usage
    or a broken file.
    """
    from harness import results as store
    from harness.gate.baseline import Baseline, baseline_run, read_baseline, write_baseline
    from harness.gate.baseline import accept as accept_results
    from harness.gate.verdict import EXIT_CODES
    from harness.scenario.loading import UsageError
    from harness.show.gate import accepted_lines, refused_lines

    with usage_errors():
        head, stored = store.read(results)
        old = read_baseline(path, head.node) if path.exists() else Baseline(file=str(path), node=head.node)
        accepted = accept_results(old, map(baseline_run, stored), prune)
        if not accepted.results:
            raise UsageError(f'{results}: there are no runs in it')
        if accepted.not_judged and not not_judged:
            echo(refused_lines(accepted.not_judged))
            sys.exit(EXIT_CODES['inconclusive'])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_baseline(path, accepted.baseline)
    echo(accepted_lines(accepted))


@click.command()
@click.argument('before', type=STORE, metavar='A')
@click.argument('after', type=STORE, metavar='B')
@click.option('--json', 'as_json', is_flag=True, help='Print the difference as JSON (see: schema diff).')
@click.option('-v', '--verbose', is_flag=True, help='Show each run that is judged as before but not the same.')
def diff(before: Path, after: Path, as_json: bool, verbose: bool) -> None:
    """Tell what differs between two results stores, and why.

    A and B are what `run --results` wrote, the earlier one first. Exit codes: 0 all runs are the same, 1 some are not,
    2 wrong usage or a broken file.
    """
    from harness import results as store
    from harness.gate.diff import Store, diff_of
    from harness.show.diff import diff_report

    with usage_errors():
        found = diff_of(*(Store(str(path), *store.read(path)) for path in (before, after)))
    if as_json:
        echo_json(found.model_dump(mode='json'))
    else:
        echo(diff_report(found, verbose))
    if found.runs:
        sys.exit(FINDINGS)
