"""The statistics behind the figures: intervals of rates, paired comparisons, and how many scenarios they need.

The unit of independence is the scenario: its epochs and turns are nested in it (E. Miller, Adding Error Bars to Evals,
arXiv 2411.00640). The methods are those of scipy and statsmodels; what is random is seeded, so that the same data give
the same figures.
"""

from __future__ import annotations

import math
from itertools import chain
from statistics import NormalDist, fmean, stdev
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

_QUANTILE: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
_GRID: Final = 10_080
"""A multiple of all numbers of epochs up to 10."""

_DOUBT: Final = 0.25
"""How much the largest design effect weighs beside what one scenario shows, so that intervals hold the truth."""


class Rate(Frozen):
    """A share with its 95 % interval; `n` is what it was counted over, `clusters` the number of scenarios behind it.

    `value`, `low` and `high` are between 0 and 1, and None where nothing was counted. `bootstrap_low` and
    `bootstrap_high` are another 95 % interval, which holds the truth less often (docs/verdicts.md): it is told to be
    compared with others that are made so. They are None where each scenario has one result, where all results are the
    same, and for fewer than six scenarios.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int = Field(ge=0)
    clusters: int = Field(ge=0)
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None


class Paired(Frozen):
    """The difference of two models on the same scenarios: the first minus the second.

    `difference` is the mean over scenarios of the difference of their mean results, `low` and `high` its 95 % interval
    (None where there are too few scenarios for one), `deviation` the standard deviation of the difference over
    scenarios (None where there is one scenario), `epochs` the mean number of results of one model in a scenario.

    `p` is that of the exact sign-flip test on the differences, which is McNemar's where each scenario was run once.
    `better` and `worse` count the scenarios that the majority of epochs of one model solved and of the other did not,
    `mcnemar` is the p of the exact McNemar test on them: with epochs it sees less. The bootstrap interval stands
    beside the other one as it does in a `Rate`.
    """

    difference: float
    low: float | None
    high: float | None
    deviation: float | None
    scenarios: int
    epochs: float
    better: int
    worse: int
    p: float
    mcnemar: float
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None

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
    # What rounding takes away may not put the share itself outside.
    return min(successes / trials, max(0.0, float(low))), max(successes / trials, min(1.0, float(high)))


def rate(outcomes: Mapping[str, Sequence[bool]]) -> Rate:
    """Return the rate over scenarios, each with the results of its epochs or turns.

    Where each scenario has one result, the interval is Wilson's. Else the results of a scenario hang together, and the
    Wilson interval is taken of the effective number of trials: their number divided by the design effect (L. Kish,
    Survey Sampling, 1965; E. Korn and B. Graubard, Survey Methodology 24, 1998), see `_effect`. With fewer than six
    scenarios that are not all alike the quantile is that of the t distribution. The bootstrap over scenarios stands
    beside it.
    """
    groups = [list(values) for values in outcomes.values() if values]
    hits, sizes = [sum(group) for group in groups], [len(group) for group in groups]
    trials = sum(sizes)
    if not trials:
        return Rate(value=None, low=None, high=None, n=0, clusters=0)
    if len(groups) == trials:
        low, high = wilson(sum(hits), trials)
        return Rate(value=sum(hits) / trials, low=low, high=high, n=trials, clusters=trials)
    low, high = clustered(hits, sizes)
    resampled = bootstrapped(hits, sizes)
    return Rate(
        value=sum(hits) / trials,
        low=low,
        high=high,
        n=trials,
        clusters=len(groups),
        bootstrap_low=resampled[0] if resampled else None,
        bootstrap_high=resampled[1] if resampled else None,
    )


def clustered(hits: Sequence[float], sizes: Sequence[float], least: float = 1.0) -> tuple[float, float]:
    """Return the interval of the sum of `hits` over that of `sizes`, of which each scenario has one.

    `least` is the smallest design effect that is believed.
    """
    from scipy.stats import t

    clusters, trials = len(sizes), sum(sizes)
    varied = _apart(hits, sizes) > 0
    if clusters == 1 and varied:
        return 0.0, 1.0  # that says nothing about another scenario
    quantile = float(t.ppf((1 + CONFIDENCE) / 2, clusters - 1)) if varied and clusters < FEWEST else _QUANTILE
    return _score_interval(sum(hits) / trials, trials / _effect(hits, sizes, least), quantile)


def _apart(hits: Sequence[float], sizes: Sequence[float]) -> int:
    """Return how many scenarios are not like all others: those with a success, or with a failure, if they are fewer."""
    return min(sum(hit > 0 for hit in hits), sum(hit < size for hit, size in zip(hits, sizes, strict=True)))


def _effect(hits: Sequence[float], sizes: Sequence[float], least: float) -> float:
    """Return the design effect: how many times fewer the results are worth than independent ones.

    The data show it by those scenarios that are not like all others, and badly where these are few. So it is the mean
    of what they show, each of them with the weight 1 (less where sizes are unequal), and of the largest one there can
    be, that of results which are always the same within a scenario, with the weight `_DOUBT`.
    """
    clusters, trials = len(sizes), sum(sizes)
    share = sum(hits) / trials
    largest = sum(size * size for size in sizes) / trials
    apart = _apart(hits, sizes)
    if not apart:
        return largest
    between = sum((hit - share * size) ** 2 for hit, size in zip(hits, sizes, strict=True))
    shown = max(least, clusters / (clusters - 1) * between / trials / (share * (1 - share)))
    weight = apart * trials / clusters / largest
    return max(least, (weight * shown + _DOUBT * largest) / (weight + _DOUBT))


def _score_interval(share: float, trials: float, z: float) -> tuple[float, float]:
    """Return the score interval of a share of any, also broken, number of trials (the formula of Wilson)."""
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2)) / (1 + z * z / trials)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def bootstrapped(hits: Sequence[float], sizes: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of the sum of `hits` over that of `sizes` by a bootstrap over scenarios (BCa, Efron 1987).

    It is seeded. None for fewer than six scenarios, and where all results are the same: nothing varies there.
    """
    import numpy
    from scipy.stats import bootstrap

    if len(sizes) < FEWEST or len({hit / size for hit, size in zip(hits, sizes, strict=True)}) == 1:
        return None
    found = bootstrap(
        (numpy.asarray(hits, dtype=float), numpy.asarray(sizes, dtype=float)),
        lambda hit, size, axis: hit.sum(axis) / size.sum(axis),
        paired=True,
        vectorized=True,
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        method='BCa',
        rng=numpy.random.default_rng(SEED),
    ).confidence_interval
    ends = float(found.low), float(found.high)
    return ends if all(map(math.isfinite, ends)) else None


def paired(first: Mapping[str, Sequence[bool]], second: Mapping[str, Sequence[bool]]) -> Paired:
    """Compare two models on the scenarios that both have results for.

    The interval is that of t over the differences of scenarios, which are independent of each other (Miller, section
    4).

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
    resampled = bootstrapped(differences, [1.0] * len(differences))
    test = mcnemar([[0, better], [worse, 0]], exact=True)
    return Paired(
        difference=fmean(differences),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        deviation=stdev(differences) if len(differences) > 1 else None,
        scenarios=len(common),
        epochs=fmean(len(results[name]) for results in (first, second) for name in common),
        better=better,
        worse=worse,
        p=sign_flips(differences),
        mcnemar=min(1.0, float(test.pvalue)),
        bootstrap_low=resampled[0] if resampled else None,
        bootstrap_high=resampled[1] if resampled else None,
    )


def _paired_interval(differences: Sequence[float]) -> tuple[float, float] | None:
    """Return the t interval of the mean of the differences, one of each scenario; None for too few of them."""
    from scipy.stats import t

    number, mean = len(differences), fmean(differences)
    if number < FEWEST:
        return None
    if len(set(differences)) == 1:
        # All scenarios agree, which is no certainty: by the rule of three a share of 3/n of all may differ.
        room = min(1.0, 3 / number)
    else:
        room = float(t.ppf((1 + CONFIDENCE) / 2, number - 1)) * stdev(differences) / math.sqrt(number)
    return max(-1.0, mean - room), min(1.0, mean + room)


def sign_flips(differences: Sequence[float]) -> float:
    """Return the two-sided p of the sign-flip test (E. Pitman, JRSS Suppl. 4, 1937): could the signs be chance?

    It is the share of all ways to give the differences their signs that lead as far from zero as those of the data. It
    is exact for differences of shares of few epochs, and elsewhere for the differences rounded to 1/10,080.
    """
    import numpy

    steps = [round(abs(difference) * _GRID) for difference in differences]
    reached = abs(sum(round(difference * _GRID) for difference in differences))
    unit = math.gcd(*steps) or 1
    steps, reached = [step // unit for step in steps if step], reached // unit
    # `ways[n]` is the share of the ways that give the sum n - sum(steps).
    ways = numpy.ones(1)
    for step in steps:
        longer = numpy.zeros(len(ways) + 2 * step)
        longer[: len(ways)] += ways / 2
        longer[2 * step :] += ways / 2
        ways = longer
    total = sum(steps)
    far = ways[: total - reached + 1].sum() + ways[total + reached :].sum()
    return min(1.0, float(far)) if reached else 1.0


def _majority(values: Sequence[bool]) -> bool:
    return 2 * sum(values) > len(values)


def holm(values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number by Holm's method (S. Holm, Scand. J. Statist. 6, 1979)."""
    from statsmodels.stats.multitest import multipletests

    if not values:
        return []
    return [float(value) for value in multipletests(values, method='holm')[1]]


def pass_hat(outcomes: Mapping[str, Sequence[bool]], k: int) -> Rate:
    """Return pass^k: the chance that k runs of a scenario all succeed, as the mean over scenarios with k epochs.

    It is C(c, k) / C(n, k) for c successes in n epochs (S. Yao et al., tau-bench, arXiv 2406.12045). `n` counts
    scenarios; the interval is made as that of a rate.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f'pass^{k} has no meaning')
    groups = [values for values in outcomes.values() if len(values) >= k]
    if not groups:
        return Rate(value=None, low=None, high=None, n=0, clusters=0)
    shares = [math.comb(sum(values), k) / math.comb(len(values), k) for values in groups]
    if all(share in (0, 1) for share in shares):
        low, high = wilson(round(sum(shares)), len(shares))
    else:
        low, high = clustered(shares, [1.0] * len(shares), least=1 / max(map(len, groups)))
    return Rate(value=fmean(shares), low=low, high=high, n=len(shares), clusters=len(shares))


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
