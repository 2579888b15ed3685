"""The statistics, against textbook values and against simulated data whose truth is known."""

from __future__ import annotations

import math
from statistics import stdev
from typing import TYPE_CHECKING

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, permutation_test, ttest_1samp
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.power import TTestPower

from harness.metrics.planning import scenarios_needed, scenarios_of
from harness.metrics.statistics import (
    bootstrapped,
    clustered,
    correlation_within,
    holm,
    paired,
    pass_hat,
    rate,
    sign_flips,
    wilson,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ('successes', 'trials', 'low', 'high'),
    # R. G. Newcombe, Two-sided confidence intervals for the single proportion, Stat. Med. 17 (1998), table I.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_wilson_interval_is_that_of_the_textbook(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_nothing_tried_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert rate({}).value is None
    assert rate({'a': []}).n == 0


def test_more_successes_than_trials_are_no_rate() -> None:
    with pytest.raises(ValueError, match='5 of 4 is no rate'):
        wilson(5, 4)


def test_one_result_a_scenario_gives_the_wilson_interval() -> None:
    found = rate({str(number): [number < 81] for number in range(263)})

    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert (found.n, found.clusters) == (263, 263)


def test_epochs_that_always_agree_count_as_one() -> None:
    once = rate({str(number): [number < 12] for number in range(20)})
    thrice = rate({str(number): [number < 12] * 3 for number in range(20)})

    assert thrice.value == once.value == 0.6
    assert thrice.low is not None
    assert once.low is not None
    # The variance is that of a sample of 20.
    assert thrice.low == pytest.approx(once.low, abs=0.01)
    assert thrice.low <= once.low


def test_ten_of_ten_in_one_scenario_say_no_more_than_one() -> None:
    found = rate({'only': [True] * 10})

    assert (found.value, found.low, found.high) == (1.0, *wilson(1, 1))


def test_one_scenario_that_was_solved_sometimes_says_nothing_about_another() -> None:
    found = rate({'only': [True, False, False, True]})

    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_few_scenarios_give_wide_intervals_that_hold_the_truth() -> None:
    sets = simulated(4, 3, 0.7, 0.4, 1_000)

    assert sum(low <= 0.7 <= high for low, high in (clustered(hits, [3] * 4) for hits in sets)) >= 950


def test_three_epochs_without_a_failure_are_no_certainty() -> None:
    found = rate({str(number): [True] * 3 for number in range(10)})

    assert found.high == 1.0
    assert found.low == pytest.approx(wilson(10, 10)[0])
    assert (found.bootstrap_low, found.bootstrap_high) == (None, None)


def test_results_that_are_independent_are_worth_nearly_as_much_with_clusters_as_without() -> None:
    random = numpy.random.default_rng(3)
    groups = {str(number): [bool(value) for value in random.random(4) < 0.6] for number in range(200)}
    found, simple = rate(groups), wilson(sum(map(sum, groups.values())), 800)

    assert (found.low, found.high) == (pytest.approx(simple[0], abs=0.005), pytest.approx(simple[1], abs=0.005))


# ------------------------------------------------------------------------------------------- simulated clustered data


def simulated(scenarios: int, epochs: int, share: float, within: float, number: int) -> list[list[int]]:
    """Data sets of a known truth: how often each scenario was solved (beta-binomial, `within` is the correlation)."""
    random = numpy.random.default_rng([scenarios, epochs, round(100 * share), round(100 * within)])
    odds = (1 - within) / within
    chances = random.beta(share * odds, (1 - share) * odds, (number, scenarios))
    return [[int(value) for value in row] for row in random.binomial(epochs, chances)]


def is_within(held: int, of: int, lowest: float, highest: float) -> bool:
    """Tell whether so many of so many can come from a share in a band: chance fails one test in 10,000."""
    return bool(binom.ppf(5e-5, of, lowest) <= held <= binom.ppf(1 - 5e-5, of, highest))


@pytest.mark.parametrize(('scenarios', 'epochs', 'highest'), [(48, 3, 0.97), (17, 4, 0.975)])
@pytest.mark.parametrize('share', [0.05, 0.2, 0.5, 0.9])
@pytest.mark.parametrize('within', [0.1, 0.5, 0.9])
def test_the_interval_of_clustered_data_holds_the_truth_as_often_as_it_says(
    scenarios: int, epochs: int, highest: float, share: float, within: float
) -> None:
    sets = simulated(scenarios, epochs, share, within, 1_000)
    ends = [clustered(hits, [epochs] * scenarios) for hits in sets]

    assert is_within(sum(low <= share <= high for low, high in ends), len(sets), 0.93, highest)


def test_the_bootstrap_holds_the_truth_less_often_where_hardly_any_run_fails() -> None:
    def held(ends: Sequence[tuple[float, float] | None]) -> int:
        return sum(end is not None and end[0] <= 0.95 <= end[1] for end in ends)

    sets = simulated(17, 4, 0.95, 0.5, 300)

    assert held([clustered(hits, [4] * 17) for hits in sets]) >= 0.93 * 300
    assert held([bootstrapped(hits, [4] * 17) for hits in sets]) < 0.9 * 300


@pytest.mark.parametrize(('share', 'low', 'high'), [(0.5, 0.93, 0.97), (0.8, 0.92, 0.97)])
def test_the_bootstrap_is_a_good_one_in_the_middle(share: float, low: float, high: float) -> None:
    sets = simulated(48, 3, share, 0.5, 300)
    ends = [bootstrapped(hits, [3] * 48) for hits in sets]

    assert is_within(sum(end is not None and end[0] <= share <= end[1] for end in ends), 300, low, high)


@pytest.mark.parametrize('k', [2, 3])
def test_the_interval_of_pass_hat_holds_the_truth_as_often_as_it_says(k: int) -> None:
    share, within = 0.7, 0.5
    a, b = share * (1 - within) / within, (1 - share) * (1 - within) / within
    truth = math.prod((a + step) / (a + b + step) for step in range(k))
    held = 0
    for hits in simulated(48, 3, share, within, 500):
        found = pass_hat({str(number): [True] * hit + [False] * (3 - hit) for number, hit in enumerate(hits)}, k)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high

    assert is_within(held, 500, 0.93, 0.97)


def two_models(random: numpy.random.Generator, scenarios: int, lead: float) -> list[dict[str, list[bool]]]:
    """Three runs of two models on the same scenarios, of which the first is better by `lead`."""
    chances = (1 - lead) * random.beta(2, 2, scenarios)
    return [
        {str(number): [bool(value) for value in row] for number, row in enumerate(random.random((scenarios, 3)) < more)}
        for more in ((chances + lead)[:, None], chances[:, None])
    ]


@pytest.mark.parametrize(('scenarios', 'lead'), [(48, 0.1), (17, 0.1), (17, 0.0)])
def test_a_paired_interval_holds_the_truth_as_often_as_it_says(scenarios: int, lead: float) -> None:
    random = numpy.random.default_rng(8)
    held = 0
    for _ in range(300):
        found = paired(*two_models(random, scenarios, lead))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= lead <= found.high

    assert is_within(held, 300, 0.93, 0.97)


def test_models_that_are_alike_are_told_apart_in_no_more_than_one_case_in_twenty() -> None:
    random = numpy.random.default_rng(9)
    differences = [
        [(sum(one) - sum(other)) / 3 for one, other in zip(*(model.values() for model in models), strict=True)]
        for models in (two_models(random, 24, 0.0) for _ in range(1_000))
    ]

    assert is_within(sum(sign_flips(values) < 0.05 for values in differences), 1_000, 0.03, 0.05)


def test_so_many_scenarios_as_are_needed_show_the_difference_in_eight_of_ten_cases() -> None:
    random = numpy.random.default_rng(10)
    first, second = two_models(random, 20_000, 0.1)
    deviation = stdev((sum(first[name]) - sum(second[name])) / 3 for name in first)
    needed = scenarios_of(0.1, deviation, step=1 / 3)
    shown = 0
    for _ in range(300):
        found = paired(*two_models(random, needed, 0.1))
        shown += found.apart and found.p < 0.05

    assert is_within(shown, 300, 0.78, 0.86)


# ----------------------------------------------------------------------------------------------------------- two models


def test_the_exact_test_is_the_binomial_one() -> None:
    # Ten scenarios on which the two differ, one of them for the second model: 2 * (1 + 10) / 2**10.
    first = {str(number): [number != 0] for number in range(10)}
    second = {str(number): [number == 0] for number in range(10)}
    found = paired(first, second)

    assert (found.better, found.worse) == (9, 1)
    assert found.p == found.mcnemar == pytest.approx(22 / 1024)
    assert found.difference == pytest.approx(0.8)


def test_the_sign_flip_test_is_that_of_scipy_which_tries_all_signs() -> None:
    random = numpy.random.default_rng(4)
    for _ in range(8):
        values = (random.integers(0, 4, 10) - random.integers(0, 3, 10)) / 3
        every = permutation_test(
            (values,),
            lambda sample, axis: sample.mean(axis),
            permutation_type='samples',
            vectorized=True,
            n_resamples=2_000,
        )
        if values.sum():
            assert sign_flips([float(value) for value in values]) == pytest.approx(every.pvalue)


def test_the_sign_flip_test_of_many_scenarios_is_near_to_that_of_student() -> None:
    values = [float(value) for value in numpy.random.default_rng(5).normal(0.02, 0.1, 80)]

    assert sign_flips(values) == pytest.approx(ttest_1samp(values, 0).pvalue, abs=0.003)


def test_the_interval_of_a_difference_is_that_of_student() -> None:
    # Student's own data on the sleep of ten patients (Biometrika 6, 1908), a tenth of the hours: the hours that one
    # drug gave more than the other have the mean 1.58, the interval 0.70 to 2.46 and p = 0.0028.
    hours = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    first = {
        str(number): [True] * round(10 * value) + [False] * (100 - round(10 * value))
        for number, value in enumerate(hours)
    }
    found = paired(first, {name: [False] for name in first})

    assert (found.difference, found.low, found.high) == (
        pytest.approx(0.158),
        pytest.approx(0.0700, abs=5e-5),
        pytest.approx(0.2460, abs=5e-5),
    )
    # All but one of the differences say the same, so both exact tests give 2 / 2**9.
    assert found.p == pytest.approx(2 / 2**9)


def test_epochs_in_which_models_differ_count_although_no_majority_turns() -> None:
    first = {str(number): [True, True, True] for number in range(12)}
    second = {str(number): [True, True, False] for number in range(12)}
    found = paired(first, second)

    assert (found.better, found.worse, found.mcnemar) == (0, 0, 1.0)
    assert found.p == pytest.approx(2 / 2**12)


def test_models_that_do_the_same_cannot_be_told_apart() -> None:
    same = {str(number): [number % 2 == 0] for number in range(20)}
    found = paired(same, same)

    assert (found.difference, found.p, found.apart) == (0.0, 1.0, False)


def test_few_scenarios_give_a_difference_without_an_interval() -> None:
    found = paired({'a': [True], 'b': [True]}, {'a': [False], 'b': [False]})

    assert (found.difference, found.low, found.apart) == (1.0, None, False)


def test_models_without_a_common_scenario_are_not_compared() -> None:
    with pytest.raises(ValueError, match='no scenario in common'):
        paired({'a': [True]}, {'b': [True]})


def test_holm_is_that_of_the_textbook() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_pass_hat_is_the_chance_that_all_of_k_runs_succeed() -> None:
    outcomes = {'a': [True, True, True, True], 'b': [True, True, False, False], 'c': [False] * 4}

    assert pass_hat(outcomes, 1).value == pytest.approx((1 + 0.5 + 0) / 3)
    assert pass_hat(outcomes, 2).value == pytest.approx((1 + 1 / 6 + 0) / 3)
    assert pass_hat(outcomes, 4).value == pytest.approx(1 / 3)
    assert pass_hat(outcomes, 5).value is None
    with pytest.raises(ValueError, match='no meaning'):
        pass_hat(outcomes, 0)


def test_epochs_that_hang_together_are_seen() -> None:
    assert correlation_within({str(number): [number % 2 == 0] * 4 for number in range(20)}) == pytest.approx(1.0)
    assert correlation_within({str(number): [True, False] for number in range(20)}) == 0.0
    assert correlation_within({'a': [True], 'b': [False]}) is None


def test_pass_hat_of_one_run_has_the_interval_of_the_rate() -> None:
    outcomes = {str(number): [True] * (number % 4) + [False] * (3 - number % 4) for number in range(20)}

    assert pass_hat(outcomes, 1).low == pytest.approx(rate(outcomes).low)
    assert pass_hat(outcomes, 1).high == pytest.approx(rate(outcomes).high)


def test_pass_hat_of_all_runs_is_a_plain_rate_of_scenarios() -> None:
    outcomes = {str(number): [True, True, number < 81] for number in range(263)}
    found = pass_hat(outcomes, 3)

    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert found.n == 263


# -------------------------------------------------------------------------------------------------- how many it takes


@pytest.mark.parametrize(('difference', 'deviation', 'power'), [(0.1, 0.5, 0.8), (0.05, 0.7, 0.8), (0.2, 0.4, 0.9)])
def test_the_number_of_pairs_is_that_of_the_t_test(difference: float, deviation: float, power: float) -> None:
    exact = TTestPower().solve_power(effect_size=difference / deviation, power=power, alpha=0.05)

    assert scenarios_of(difference, deviation, power=power) == math.ceil(exact)


def test_the_number_of_scenarios_for_two_rates_is_that_of_the_textbook() -> None:
    # (1.96 + 0.8416)^2 * 2 * 0.55 * 0.45 / 0.1^2 = 388.5: J. Fleiss, Statistical Methods for Rates and Proportions
    # (1981), has 388 for 0.5 against 0.6 without, and 408 with the correction for continuity (by 1/0.1 = 10 for each).
    assert scenarios_needed(0.1, base=0.55) == math.ceil(388.5 + 1.92 + 10)
    assert 388 < scenarios_needed(0.1, base=0.55) < 408


def test_more_epochs_and_more_in_common_take_fewer_scenarios() -> None:
    alone = scenarios_needed(0.1)

    assert scenarios_needed(0.1, epochs=3, within=1.0) <= alone
    assert scenarios_needed(0.1, epochs=3, within=0.5) < scenarios_needed(0.1, epochs=3, within=1.0)
    assert scenarios_needed(0.1, between=0.5) < 0.6 * alone
    assert scenarios_needed(0.2) < 0.3 * alone


@pytest.mark.parametrize(
    ('difference', 'options'),
    [(0.0, {}), (1.0, {}), (0.1, {'base': 0.0}), (0.1, {'epochs': 0.5}), (0.1, {'within': 2.0}), (0.1, {'power': 1.0})],
)
def test_what_cannot_be_planned_for_is_refused(difference: float, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r'between|from 0 to 1'):
        scenarios_needed(difference, **options)


# ---------------------------------------------------------------------------------------------------- what always holds

groups_of_results = st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=12)


def named(groups: list[list[bool]]) -> dict[str, list[bool]]:
    return {str(number): group for number, group in enumerate(groups)}


@given(groups_of_results)
def test_an_interval_always_holds_its_rate(groups: list[list[bool]]) -> None:
    found = rate(named(groups))

    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@given(groups_of_results, st.integers(1, 4))
def test_pass_hat_is_a_share_that_its_interval_holds_and_that_falls_with_k(groups: list[list[bool]], k: int) -> None:
    full = named([(group * 4)[:4] for group in groups])
    found, before = pass_hat(full, k), pass_hat(full, max(1, k - 1))

    assert found.value is not None
    assert before.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value <= before.value + 1e-12


@given(groups_of_results, st.randoms())
def test_the_order_of_scenarios_and_epochs_says_nothing(groups: list[list[bool]], random: random.Random) -> None:
    mixed = [random.sample(group, len(group)) for group in random.sample(groups, len(groups))]
    found, again = rate(named(groups)), rate(named(mixed))

    assert (found.value, found.n, found.clusters) == (again.value, again.n, again.clusters)
    assert found.low == pytest.approx(again.low)
    assert found.high == pytest.approx(again.high)


@given(st.lists(st.booleans(), min_size=6, max_size=20), st.integers(2, 5))
def test_the_same_epochs_again_say_nothing_new(results: list[bool], epochs: int) -> None:
    once = rate({str(number): [result] for number, result in enumerate(results)})
    often = rate({str(number): [result] * epochs for number, result in enumerate(results)})

    assert often.value == pytest.approx(once.value)
    assert often.n == epochs * once.n
    assert often.clusters == once.clusters
    assert once.low is not None
    assert once.high is not None
    assert often.low is not None
    assert often.high is not None
    assert often.high - often.low >= once.high - once.low - 1e-9


@given(groups_of_results, groups_of_results)
def test_a_comparison_the_other_way_round_says_the_same(one: list[list[bool]], other: list[list[bool]]) -> None:
    there, back = paired(named(one), named(other)), paired(named(other), named(one))

    assert there.difference == pytest.approx(-back.difference)
    assert (there.p, there.mcnemar) == (pytest.approx(back.p), pytest.approx(back.mcnemar))
    assert (there.better, there.worse) == (back.worse, back.better)
    assert 0 < there.p <= 1
    if there.low is not None and there.high is not None:
        assert -1 <= there.low <= there.difference <= there.high <= 1
        assert back.high == pytest.approx(-there.low)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_with_one_run_of_each_scenario_the_exact_test_is_that_of_mcnemar(results: list[tuple[bool, bool]]) -> None:
    first = {str(number): [one] for number, (one, _) in enumerate(results)}
    second = {str(number): [other] for number, (_, other) in enumerate(results)}
    found = paired(first, second)
    test = mcnemar([[0, found.better], [found.worse, 0]], exact=True)

    assert found.p == pytest.approx(min(1.0, float(test.pvalue)))


def test_the_same_data_give_the_same_bootstrap_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.7]

    assert bootstrapped(values, [1.0] * 7) == bootstrapped(values, [1.0] * 7)
    assert bootstrapped(values[:5], [1.0] * 5) is None
    assert bootstrapped([1.0] * 7, [1.0] * 7) is None
