"""`run`: replay scenarios and judge the node."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.common import (
    FILE,
    cassettes_option,
    echo,
    echo_json,
    family_option,
    found,
    node_option,
    scenarios_option,
    time_limit_option,
    usage_errors,
)
from harness.cli.outputs import Outputs, output_options

if TYPE_CHECKING:
    from harness.gate.change import Level


@click.command()
@click.argument('select', nargs=-1, metavar='[SELECT]...')
@family_option
@node_option
@scenarios_option
@cassettes_option
@click.option(
    '--level',
    type=click.Choice(['required', 'hardening']),
    default='hardening',
    show_default=True,
    help='What gates: findings of level required only, or all.',
)
@click.option(
    '--baseline',
    type=click.Path(dir_okay=False, path_type=Path),
    metavar='FILE',
    help='Fail only for what this baseline does not know (see: accept).',
)
@time_limit_option
@click.option(
    '--isolate', is_flag=True, help='Run the node in a process of its own: one that crashes it costs one scenario.'
)
@click.option('--json', 'as_json', is_flag=True, help='Print the outcome as JSON (see: schema run).')
@click.option('--report', type=FILE, help='Write the scorecard of this run, an HTML page, to this file.')
@click.option('--results', type=FILE, help='Append the records and findings to this results store (JSON lines).')
@output_options
@click.option('-x', '--fail-fast', is_flag=True, help='End at the first scenario that keeps the gate from passing.')
@click.option('-v', '--verbose', is_flag=True, help='Show every run, and the transcript of those that failed.')
def run(
    select: tuple[str, ...],
    families: tuple[str, ...],
    node_ref: str,
    root: Path | None,
    cassettes: Path | None,
    level: Level,
    baseline: Path | None,
    time_limit: float,
    isolate: bool,
    as_json: bool,
    report: Path | None,
    results: Path | None,
    fail_fast: bool,
    verbose: bool,
    **wanted: Any,
) -> None:
    """Replay scenarios and judge the node; there is no network in it.

    SELECT names scenarios: ids, patterns of ids ('*-guard-on'), files or folders; all by default.

    Exit codes: 0 the verdict is pass, 1 it is fail, 3 it is inconclusive, 2 wrong usage or a broken file.
    """
    import time

    from harness import suite
    from harness.gate.baseline import read_baseline
    from harness.gate.verdict import EXIT_CODES, Gate, summarize
    from harness.show import console
    from harness.show.gate import baseline_lines, by_effect, verdict_line
    from harness.show.progress import Progress

    start = time.perf_counter()
    outputs = Outputs(wanted, err=as_json)
    with usage_errors():
        from harness.engine.node import load_node, located
        from harness.engine.output import shut_out
        from harness.engine.platform import ensure_platform
        from harness.engine.threads import TimeLimit, ending_when_stuck, lingering

        limit = TimeLimit(time_limit)
        root = suite.scenarios_folder(root)
        files = found(root, select, families)
        cassettes = suite.cassettes_folder(cassettes, root)
        if report is not None:
            from harness.scorecard.made import around, write_scorecard

            beside = around(root, cassettes)
        # A node may print, and our own output may be JSON.
        with ending_when_stuck(), contextlib.redirect_stdout(sys.stderr):
            platform = ensure_platform().name
            node = located(node_ref) if isolate else load_node(node_ref, limit.imports)
            gate = Gate(level, read_baseline(baseline, node.name) if baseline is not None else None)
            if isolate:
                from harness import apart

                scenarios = apart.judged_runs(files, node_ref, cassettes, gate, limit)
            else:
                scenarios = suite.judged_runs(files, node, cassettes, gate, limit)
            runs = Progress(scenarios, len(files), fail_fast)
            if results is None:
                judged = list(runs)
            else:
                from harness import results as store

                head = store.header(files, node, platform)
                store.write(results, head, suite.stored(runs, files, cassettes))
                judged = runs.done
        if lingering():
            shut_out()
    outcomes = tuple(item.outcome for item in judged)
    left = {file.scenario.id for file in files} - {outcome.scenario for outcome in outcomes}
    whole = not select and not families
    summary = summarize(
        outcomes,
        node=node.name,
        platform=platform,
        gate=gate,
        left=left,
        whole=whole,
    )
    if as_json:
        echo_json(summary.model_dump())
    else:
        failed = [item for item in judged if not item.outcome.met and (verbose or item.outcome.change != 'same')]
        for item in sorted(failed, key=lambda item: by_effect(item.outcome)):
            echo(console.failed_run(item, verbose))
        if verbose:
            echo(console.met_line(outcome) for outcome in outcomes if outcome.met)
        echo(console.verdict_lines(summary.counts, time.perf_counter() - start))
        if summary.baseline is not None:
            echo(baseline_lines(summary.baseline, outcomes))
    if report is not None:
        from harness import results as store
        from harness.gate.diff import Store

        with usage_errors():
            made = suite.stored(judged, files, cassettes)
            this = Store('this run', store.header(files, node, platform), made)
            write_scorecard(report, this, files, beside, gate=gate, left=left, whole=whole, chosen=not whole)
        click.echo(f'Report: {report}', err=as_json)
    outputs.write(summary, judged, root, report)
    if not as_json:
        echo([verdict_line(summary)])
    sys.exit(EXIT_CODES[summary.verdict])
