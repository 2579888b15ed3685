"""How many scenarios it takes to tell a difference of two models, from what is measured."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from pydantic import Field

from harness.metrics.statistics import CONFIDENCE
from harness.record import Frozen

if TYPE_CHECKING:
    from harness.metrics.figures import Comparison, Figures

POWER: Final = 0.8
"""The chance to tell the difference that is planned for."""

_QUANTILE: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Needed(Frozen):
    """How many scenarios it takes to tell a difference of two models, both run on all of them (two-sided, 5 %)."""

    first: str = Field(description='A model with its parameters.')
    second: str | None = Field(
        description='The model that it was compared with; null: one that solves as much or as little by itself.'
    )
    difference: float = Field(description='The difference that is wanted, as a share.')
    power: float = Field(description='The chance to tell it.')
    epochs: float = Field(description='How many runs of each scenario there are.')
    within: float | None = Field(
        description='How much the runs of one scenario hang together; null: it cannot be seen, and 1 is taken.'
    )
    scenarios: int = Field(description='How many scenarios it takes.')


def needed_of_model(item: Figures, difference: float) -> Needed | None:
    """Return what it takes to tell a model from another one of which nothing is known; None where nothing is solved.

    Raises:
        ValueError: the difference is not above 0 and below 1.
    """
    if item.solved.value is None:
        return None
    # The other one may be better or worse: that side is taken on which it takes more scenarios.
    toward = difference / 2 if item.solved.value < 0.5 else -difference / 2
    epochs = item.solved.n / item.solved.clusters
    within = 1.0 if item.correlation is None else item.correlation
    return Needed(
        first=item.name,
        second=None,
        difference=difference,
        power=POWER,
        epochs=epochs,
        within=item.correlation,
        scenarios=scenarios_needed(
            difference, base=item.solved.value + toward, epochs=epochs, within=within, between=0.0
        ),
    )


def needed_of_pair(item: Comparison, difference: float) -> Needed | None:
    """Return what it takes by what two models showed on the same scenarios; None where they differ nowhere.

    Raises:
        ValueError: the difference is not above 0 and below 1.
    """
    found = item.solved
    if not found.deviation:
        return None
    return Needed(
        first=item.first,
        second=item.second,
        difference=difference,
        power=POWER,
        epochs=found.epochs,
        within=None,
        scenarios=scenarios_of(difference, found.deviation, step=1 / found.epochs),
    )


def scenarios_needed(
    difference: float,
    *,
    base: float = 0.5,
    epochs: float = 1,
    within: float = 1.0,
    between: float = 0.0,
    power: float = POWER,
) -> int:
    """Return how many scenarios show a difference of two models that are run on the same ones.

    `base` is the rate around which they differ, `within` the correlation of the epochs of one scenario, `between` that
    of the two models over scenarios. The variance is that of a paired mean difference (Miller, section 5).

    Raises:
        ValueError: an argument is out of its range.
    """
    if not 0 < base < 1 or epochs < 1:
        raise ValueError('the base is between 0 and 1, and there is at least one epoch')
    if not (0 <= within <= 1 and 0 <= between < 1):
        raise ValueError('the correlations are from 0 to 1')
    variance = 2 * base * (1 - base) * (within + (1 - within) / epochs) * (1 - between)
    return scenarios_of(difference, math.sqrt(variance), step=1 / epochs, power=power)


def scenarios_of(difference: float, deviation: float, *, step: float = 0.0, power: float = POWER) -> int:
    """Return how many pairs show a mean difference where single ones have this standard deviation (two-sided, 5 %).

    That is the formula of the normal distribution with half its squared quantile more for the t distribution
    (W. Guenther, American Statistician 35, 1981). Where single differences come in steps, the exact test takes one
    step of the wanted difference more.

    Raises:
        ValueError: an argument is out of its range.
    """
    if not 0 < difference < 1 or not 0 < power < 1 or deviation < 0 or step < 0:
        raise ValueError('difference and power are between 0 and 1, deviation and step are not below 0')
    quantiles = _QUANTILE + NormalDist().inv_cdf(power)
    normal = (quantiles * deviation / difference) ** 2
    return max(2, math.ceil(normal + _QUANTILE**2 / 2 + step / difference))
