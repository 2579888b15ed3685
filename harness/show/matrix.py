"""A matrix of recordings as lines for a terminal: the plan, what happens, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.show.console import Line, table
from harness.show.visible import one_line, plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.matrix.crew import Held, NotRecorded, NotServed, Served
    from harness.matrix.models import Prices
    from harness.matrix.plan import Cell, Estimate, Plan
    from harness.recording import Recorded


@dataclass
class Tally:
    """What was recorded so far: runs by model, tokens, and what they cost by currency."""

    recorded: Counter[str] = field(default_factory=Counter)
    infrastructure: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    costs: dict[str, float] = field(default_factory=dict)

    def spend(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Count the tokens of a turn."""
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens

    def pay(self, prices: Prices | None, prompt_tokens: int, completion_tokens: int) -> None:
        """Count what a run cost."""
        if prices is not None:
            cost = prices.of(prompt_tokens, completion_tokens)
            self.costs[prices.currency] = self.costs.get(prices.currency, 0.0) + cost

    @property
    def spent(self) -> str:
        """Tokens and cost in words."""
        tokens = f'{self.prompt_tokens + self.completion_tokens:,} tokens'
        return ', '.join([tokens, *(money(cost, currency) for currency, cost in sorted(self.costs.items()))])


def money(cost: float, currency: str) -> str:
    """Return an amount with its currency: cents, and parts of them where it is less than one unit."""
    return f'{cost:,.2f} {currency}' if cost >= 1 or not cost else f'{cost:.4f} {currency}'


def duration(seconds: float) -> str:
    """Return seconds in words, such as `1 h 12 min`."""
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f'{rest} s'
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes} min' if hours else f'{minutes} min'


def plan_lines(estimates: Sequence[Estimate]) -> Iterator[Line]:
    """Yield what `--dry-run` shows: for each model what is planned, what is there, and what the rest will take."""
    heads = ('model', 'planned', 'recorded', 'to record', 'turns', 'tokens', 'time', 'cost')
    rows = [heads]
    for item in estimates:
        tokens = item.prompt_tokens + item.completion_tokens
        known = bool(item.turns) or not item.runs
        rows.append(
            (
                item.model,
                f'{item.planned:,}',
                f'{item.there:,}',
                f'{item.runs:,}',
                f'about {item.turns:,.0f}' if known else 'unknown',
                f'about {tokens:,.0f}' if known else 'unknown',
                f'about {duration(item.seconds)}' if item.seconds is not None else 'unknown',
                f'about {money(item.cost, item.currency)}' if item.cost is not None else 'unknown',
            )
        )
    yield from (Line(text) for text in table(rows))
    if estimates:
        yield Line(f'Estimated from {estimates[0].basis}; one run at a time.', 'soft')


def recorded_line(cell: Cell, runs: Sequence[Recorded]) -> Line:
    """Return the line of a run that was recorded."""
    turns, tokens = sum(run.turns for run in runs), [run.tokens for run in runs if run.tokens is not None]
    parts = [plural(turns, 'turn'), *([plural(sum(tokens), 'token')] if tokens else [])]
    parts.append(f'{sum(run.seconds for run in runs):.1f} s')
    reasons = dict.fromkeys(run.stop_reason or 'no stop reason' for run in runs)
    parts += map(one_line, reasons)
    if any(run.solved is not None for run in runs):
        parts.append('solved' if all(run.solved for run in runs) else 'not solved')
    return Line(f'recorded  {cell_name(cell)}: {", ".join(parts)}', 'good')


def lost_line(news: NotRecorded) -> Line:
    """Return the line of a run that was not recorded."""
    kind = 'no answer ' if news.infrastructure else 'failed    '
    return Line(f'{kind}{cell_name(news.cell)}: {visible(news.reason).splitlines()[0]}', 'bad')


def held_line(news: Held) -> Line:
    """Return the line of a request that waits for another try."""
    many = f', at most {plural(news.allowed, "run")} at a time now' if news.waiting.limited else ''
    why = one_line(news.waiting.why)[:200]
    return Line(f'waiting   {one_line(news.endpoint)}: {why}: again in {news.waiting.seconds:.1f} s{many}', 'soft')


def served_line(news: Served) -> Line:
    """Return the line of a local model whose server answers."""
    about = news.up.about
    has = f'context {about["context"]:,}, {plural(about["threads"], "thread")}'
    where = f'{one_line(about["file"])} at {news.up.base_url}'
    return Line(f'serving   {where}: {has}, loaded in {news.seconds:.1f} s', 'soft')


def not_served_lines(news: NotServed) -> Iterator[Line]:
    """Yield the lines of a local model that has no server (any more), with the end of the server's log."""
    yield Line(f'no server {one_line(news.local.file)}: {one_line(news.down.why)}', 'bad')
    yield from (Line(f'  {one_line(line)[:400]}', 'soft') for line in news.down.log)


def cell_name(cell: Cell) -> str:
    """Return the name of a cell: scenario, model, and epoch where there are several."""
    epoch = f' (epoch {cell.epoch})' if cell.entry.epochs > 1 else ''
    return f'{one_line(cell.file.scenario.id)} [{one_line(cell.entry.name)}]{epoch}'


def summary_lines(plan: Plan, tally: Tally, seconds: float) -> Iterator[Line]:
    """Yield what came of a matrix: for each model the planned number, and how much of it there is."""
    planned = Counter(cell.entry.name for cell in plan.cells)
    there = Counter(model for _, model, _ in plan.there)
    rows: list[tuple[str, ...]] = [('model', 'planned', 'before', 'recorded', 'no answer', 'failed')]
    for name in planned:
        counts = (planned[name], there[name], tally.recorded[name], tally.infrastructure[name], tally.failed[name])
        rows.append((name, *(f'{count:,}' for count in counts)))
    yield from (Line(text) for text in table(rows))
    all_planned, all_there = planned.total(), there.total() + tally.recorded.total()
    text = f'{all_there:,} of {all_planned:,} planned runs are recorded, {tally.spent} in {duration(seconds)}'
    if all_there == all_planned:
        yield Line(text, 'good')
        return
    yield Line(text, 'bad')
    if tally.infrastructure:
        yield Line('"No answer" is the fault of server or line, and in no rate of a model.')
    yield Line('The same command goes on where this one stopped.')
