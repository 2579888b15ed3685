"""The statistics behind the figures: intervals of rates, paired comparisons, and how many scenarios they need.

The unit of independence is the scenario: its epochs and turns are nested in it (E. Miller, Adding Error Bars to Evals,
arXiv 2411.00640). The methods are those of scipy and statsmodels; what is random is seeded, so that the same data give
the same figures.
"""

from __future__ import annotations

import math
from itertools import chain
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Final

from pydantic import Field

from harness.record import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 4_000
SEED: Final = 20_240_711
FEWEST: Final = 6
"""With fewer scenarios than this a paired difference is told without an interval."""


class Rate(Frozen):
    """A share with its 95 % interval; `n` is what it was counted over, `clusters` the number of scenarios behind it.

    `value`, `low` and `high` are between 0 and 1, and None where nothing was counted.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int = Field(ge=0)
    clusters: int = Field(ge=0)


class Paired(Frozen):
    """The difference of two models on the same scenarios: the first minus the second.

    `difference` is the mean over scenarios of the difference of their mean results, `low` and `high` its 95 % interval
    (None where there are too few scenarios for one). `better` and `worse` count the scenarios that the majority of
    epochs of one model solved and of the other did not, `p` is that of the exact McNemar test on them.
    """

    difference: float
    low: float | None
    high: float | None
    scenarios: int
    better: int
    worse: int
    p: float

    @property
    def apart(self) -> bool:
        """Whether the two can be told apart: the interval does not hold zero."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the Wilson score interval of a rate (E. B. Wilson, JASA 22, 1927), from 0 to 1 where nothing was tried.

    Raises:
        ValueError: there are more successes than trials, or fewer than none.
    """
    from statsmodels.stats.proportion import proportion_confint

    if not 0 <= successes <= trials:
        raise ValueError(f'{successes} of {trials} is no rate')
    if trials == 0:
        return 0.0, 1.0
    low, high = proportion_confint(successes, trials, alpha=1 - CONFIDENCE, method='wilson')
    return max(0.0, float(low)), min(1.0, float(high))


def rate(outcomes: Mapping[str, Sequence[bool]]) -> Rate:
    """Return the rate over scenarios, each with the results of its epochs or turns.

    Where each scenario has one result, the interval is Wilson's. Else the results of a scenario hang together: the
    Wilson interval is taken of the effective number of trials, which is the number of trials divided by the design
    effect that the data show (Kish, Survey Sampling, 1965; Korn and Graubard, Survey Methodology 24, 1998), with the
    t quantile of the number of scenarios less one.
    """
    groups = [list(values) for values in outcomes.values() if values]
    trials = sum(map(len, groups))
    if not trials:
        return Rate(value=None, low=None, high=None, n=0, clusters=0)
    hits = sum(map(sum, groups))
    if len(groups) == trials:
        low, high = wilson(hits, trials)
    else:
        low, high = _clustered(groups, hits, trials)
    return Rate(value=hits / trials, low=low, high=high, n=trials, clusters=len(groups))


def _clustered(groups: Sequence[Sequence[bool]], hits: int, trials: int) -> tuple[float, float]:
    from scipy.stats import t

    clusters = len(groups)
    if clusters == 1:
        return 0.0, 1.0  # one scenario says nothing about another one
    share = hits / trials
    between = sum((sum(group) - share * len(group)) ** 2 for group in groups)
    variance = clusters / (clusters - 1) * between / trials**2
    simple = share * (1 - share) / trials
    # A design effect below 1 is luck, and none can be seen where all results are the same: each scenario counts once.
    effect = max(1.0, variance / simple) if simple > 0 else trials / clusters
    effective = trials / effect
    return _score_interval(share, effective, float(t.ppf((1 + CONFIDENCE) / 2, clusters - 1)))


def _score_interval(share: float, trials: float, z: float) -> tuple[float, float]:
    """Return the score interval of a share of any, also broken, number of trials (the formula of Wilson)."""
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2)) / (1 + z * z / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of a mean by a seeded bootstrap over scenarios (BCa, Efron 1987); None for too few.

    `values` has one number for each scenario.
    """
    import numpy
    from scipy.stats import bootstrap

    if len(values) < FEWEST:
        return None
    if len(set(values)) == 1:
        return values[0], values[0]
    found = bootstrap(
        (numpy.asarray(values, dtype=float),),
        numpy.mean,
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        method='BCa',
        rng=numpy.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def paired(first: Mapping[str, Sequence[bool]], second: Mapping[str, Sequence[bool]]) -> Paired:
    """Compare two models on the scenarios that both have results for.

    Raises:
        ValueError: there is no such scenario.
    """
    from statsmodels.stats.contingency_tables import mcnemar

    common = [name for name in first if first[name] and second.get(name)]
    if not common:
        raise ValueError('the two models have no scenario in common')
    differences = [fmean(first[name]) - fmean(second[name]) for name in common]
    majorities = [(_majority(first[name]), _majority(second[name])) for name in common]
    better = sum(one and not other for one, other in majorities)
    worse = sum(other and not one for one, other in majorities)
    interval = _paired_interval(differences)
    test = mcnemar([[0, better], [worse, 0]], exact=True)
    return Paired(
        difference=fmean(differences),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        scenarios=len(common),
        better=better,
        worse=worse,
        p=min(1.0, float(test.pvalue)),
    )


def _paired_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    if len(differences) >= FEWEST and len(set(differences)) == 1:
        # All scenarios agree: a bootstrap would call that certain. By the rule of three a share of 3/n may differ.
        room = min(1.0, 3 / len(differences))
        return max(-1.0, differences[0] - room), min(1.0, differences[0] + room)
    return mean_interval(differences)


def _majority(values: Sequence[bool]) -> bool:
    return 2 * sum(values) > len(values)


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number by Holm's method (S. Holm, Scand. J. Statist. 6, 1979)."""
    from statsmodels.stats.multitest import multipletests

    if not values:
        return []
    return [float(value) for value in multipletests(values, method='holm')[1]]


def pass_hat(outcomes: Mapping[str, Sequence[bool]], k: int) -> float | None:
    """Return pass^k: the chance that k runs of a scenario all succeed, as the mean over scenarios.

    It is C(c, k) / C(n, k) for c successes in n epochs (S. Yao et al., tau-bench, arXiv 2406.12045). None where no
    scenario has k epochs.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f'pass^{k} has no meaning')
    shares = [math.comb(sum(values), k) / math.comb(len(values), k) for values in outcomes.values() if len(values) >= k]
    return fmean(shares) if shares else None


def correlation_within(outcomes: Mapping[str, Sequence[bool]]) -> float | None:
    """Return how much the epochs of a scenario hang together: the ANOVA estimator of the intraclass correlation.

    Between 0 (not at all) and 1; None where no scenario was run twice, or nothing varies.
    """
    groups = [list(map(float, values)) for values in outcomes.values() if len(values) > 1]
    total = sum(map(len, groups))
    if len(groups) < 2 or total == len(groups):
        return None
    mean = fmean(chain.from_iterable(groups))
    between = sum(len(group) * (fmean(group) - mean) ** 2 for group in groups) / (len(groups) - 1)
    within = sum((value - fmean(group)) ** 2 for group in groups for value in group) / (total - len(groups))
    size = (total - sum(len(group) ** 2 for group in groups) / total) / (len(groups) - 1)
    spread = between + (size - 1) * within
    return max(0.0, (between - within) / spread) if spread > 0 else None


def scenarios_needed(
    difference: float,
    *,
    base: float = 0.5,
    epochs: int = 1,
    within: float = 0.5,
    between: float = 0.5,
    power: float = 0.8,
) -> int:
    """Return how many scenarios show a difference of two models, compared on the same ones (two-sided, 5 %).

    `base` is the rate around which they differ, `within` the correlation of the epochs of one scenario, `between` that
    of the two models over scenarios. The formula is that of a paired mean difference (Miller, section 5).

    Raises:
        ValueError: an argument is out of its range.
    """
    if not 0 < abs(difference) <= 1 or not 0 < base < 1 or epochs < 1 or not 0 < power < 1:
        raise ValueError('the difference is above 0 and at most 1, base and power are between 0 and 1')
    if not (0 <= within <= 1 and 0 <= between < 1):
        raise ValueError('the correlations are from 0 to 1')
    variance = base * (1 - base) * (within + (1 - within) / epochs)
    quantiles = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) + NormalDist().inv_cdf(power)
    return max(2, math.ceil(quantiles**2 * 2 * variance * (1 - between) / difference**2))
