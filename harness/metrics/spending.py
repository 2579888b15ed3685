"""What models take: tokens, money and seconds, each only where it is known."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.matrix.models import Models, Prices
    from harness.metrics.rows import RunRow, TurnRow


def prices_of(models: Models | None) -> dict[str, Prices]:
    """Return the prices of the models of a file by their names; a model without prices is not in it."""
    return {entry.name: entry.prices for entry in (models.models if models is not None else ()) if entry.prices}


def spent(scored: Sequence[RunRow], prices: Prices | None) -> dict[str, Any]:
    """Return tokens and cost of those runs that tell the tokens of all their turns, by the names of the figures.

    Runs that failed pay too. Without prices no cost is told; 0 is a price.
    """
    tokens = {
        index: (run.prompt_tokens, run.completion_tokens)
        for index, run in enumerate(scored)
        if run.prompt_tokens is not None and run.completion_tokens is not None
    }
    solved = sum(bool(scored[index].solved) for index in tokens)
    cost = sum(prices.of(*counts) for counts in tokens.values()) if prices is not None and tokens else None
    return {
        'metered': len(tokens),
        'tokens_per_solved': _each(sum(map(sum, tokens.values())), solved),
        'cost': cost,
        'cost_per_solved': _each(cost, solved),
        'currency': prices.currency if prices is not None else '',
    }


def taken(scored: Sequence[RunRow], turns: Sequence[TurnRow]) -> dict[str, Any]:
    """Return the seconds of those runs that tell them for all their turns, by the names of the figures.

    They are those that the model took when it was recorded, or live; a replay has none of its own.
    """
    timed = [run for run in scored if run.latency_s is not None]
    known = {(run.scenario, run.epoch) for run in timed}
    each = [turn.latency_s for turn in turns if turn.latency_s is not None and (turn.scenario, turn.epoch) in known]
    seconds = sum(run.latency_s for run in timed if run.latency_s is not None)
    return {
        'timed': len(timed),
        'seconds_per_solved': _each(seconds, sum(bool(run.solved) for run in timed)),
        'turn_seconds': median(each) if each else None,
    }


def _each(amount: float | None, solved: int) -> float | None:
    return amount / solved if amount is not None and solved else None
