"""The statistics, against textbook values and against simulated data whose truth is known."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.metrics.statistics import (
    correlation_within,
    holm,
    mean_interval,
    paired,
    pass_hat,
    rate,
    scenarios_needed,
    wilson,
)


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
    # The t quantile of 19 degrees of freedom stands in the place of the normal one.
    assert thrice.low == pytest.approx(once.low, abs=0.02)
    assert thrice.low <= once.low


def test_ten_of_ten_in_one_scenario_says_nothing_about_another() -> None:
    found = rate({'only': [True] * 10})

    assert (found.value, found.low, found.high) == (1.0, 0.0, 1.0)


def test_three_epochs_without_a_failure_are_no_certainty() -> None:
    found = rate({str(number): [True] * 3 for number in range(10)})

    assert found.high == 1.0
    assert found.low == pytest.approx(wilson(10, 10)[0], abs=0.1)


@pytest.mark.parametrize('share', [0.5, 0.8])
@pytest.mark.parametrize('within', [0.1, 0.5])
def test_the_interval_of_clustered_data_holds_the_truth_as_often_as_it_says(share: float, within: float) -> None:
    random = numpy.random.default_rng(7)
    made = 600
    one, other = share * (1 - within) / within, (1 - share) * (1 - within) / within
    held = 0
    for _ in range(made):
        chances = random.beta(one, other, 48)
        results = random.random((48, 4)) < chances[:, None]
        found = rate({str(number): [bool(value) for value in row] for number, row in enumerate(results)})
        assert found.low is not None
        assert found.high is not None
        held += found.low <= share <= found.high

    # Three standard errors of the share itself are allowed around the band that is asked for.
    room = 3 * math.sqrt(0.05 * 0.95 / made)
    assert 0.95 - room < held / made < 0.97 + room


def test_a_paired_interval_holds_the_truth_as_often_as_it_says() -> None:
    random = numpy.random.default_rng(8)
    made, held = 150, 0
    for _ in range(made):
        chances = random.beta(2, 2, 48)
        first = random.random((48, 3)) < numpy.minimum(1, chances + 0.1)[:, None]
        second = random.random((48, 3)) < chances[:, None]
        truth = float(numpy.mean(numpy.minimum(1, chances + 0.1) - chances))
        names = [str(number) for number in range(48)]
        found = paired(
            {name: [bool(value) for value in row] for name, row in zip(names, first, strict=True)},
            {name: [bool(value) for value in row] for name, row in zip(names, second, strict=True)},
        )
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high

    assert held / made > 0.95 - 3 * math.sqrt(0.05 * 0.95 / made)


def test_the_exact_test_is_the_binomial_one() -> None:
    # Ten scenarios on which the two differ, one of them for the second model: 2 * (1 + 10) / 2**10.
    first = {str(number): [number != 0] for number in range(10)}
    second = {str(number): [number == 0] for number in range(10)}
    found = paired(first, second)

    assert (found.better, found.worse) == (9, 1)
    assert found.p == pytest.approx(22 / 1024)
    assert found.difference == pytest.approx(0.8)


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

    assert pass_hat(outcomes, 1) == pytest.approx((1 + 0.5 + 0) / 3)
    assert pass_hat(outcomes, 2) == pytest.approx((1 + 1 / 6 + 0) / 3)
    assert pass_hat(outcomes, 4) == pytest.approx(1 / 3)
    assert pass_hat(outcomes, 5) is None
    with pytest.raises(ValueError, match='no meaning'):
        pass_hat(outcomes, 0)


def test_epochs_that_hang_together_are_seen() -> None:
    assert correlation_within({str(number): [number % 2 == 0] * 4 for number in range(20)}) == pytest.approx(1.0)
    assert correlation_within({str(number): [True, False] for number in range(20)}) == 0.0
    assert correlation_within({'a': [True], 'b': [False]}) is None


def test_the_number_of_scenarios_follows_the_formula_of_a_paired_difference() -> None:
    # (1.96 + 0.8416)^2 * 2 * 0.25 * (1 - 0.5) / 0.1^2 = 196.2
    assert scenarios_needed(0.1, within=1.0) == 197
    assert scenarios_needed(0.1, within=0.0, epochs=4) == math.ceil(196.2 / 4)
    assert scenarios_needed(0.2, within=1.0) == math.ceil(196.2 / 4)
    with pytest.raises(ValueError, match='above 0'):
        scenarios_needed(0)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=12))
def test_an_interval_always_holds_its_rate(groups: list[list[bool]]) -> None:
    found = rate({str(number): group for number, group in enumerate(groups)})

    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_same_data_give_the_same_interval() -> None:
    values = [0.1, 0.9, 0.4, 0.3, 0.8, 0.2, 0.7]

    assert mean_interval(values) == mean_interval(values)
    assert mean_interval(values[:5]) is None
