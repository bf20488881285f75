"""Intervals against scipy and against their own coverage."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom, binomtest

from carromsim.stats import (
    mean_interval,
    mean_of,
    normal_quantile,
    quantile_interval,
    quantile_ranks,
    student,
    wilson,
)

CASES = [(0, 1), (1, 1), (0, 50), (50, 50), (1, 3), (7, 20), (137, 1000), (999, 1000), (12_345, 20_000)]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("k", "n"), CASES)
def test_wilson_equals_scipy(k: int, n: int, level: float) -> None:
    expected = binomtest(k, n).proportion_ci(confidence_level=level, method="wilson")
    low, high = wilson(k, n, level)
    assert low == pytest.approx(expected.low, abs=1e-14)
    assert high == pytest.approx(expected.high, abs=1e-14)


def test_wilson_broadcasts_and_equals_the_single_values() -> None:
    k = np.array([[0, 3, 10], [1, 5, 10]])
    n = np.array([10, 20, 10])
    low, high = wilson(k, n)
    assert low.shape == high.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        assert (low[i, j], high[i, j]) == wilson(k[i, j], n[j])


def test_wilson_known_value() -> None:
    # Worked example: 10 of 100 at 95 %, as printed in statistics textbooks.
    low, high = wilson(10, 100)
    assert (round(float(low), 4), round(float(high), 4)) == (0.0552, 0.1744)


def test_wilson_at_the_ends_is_exact() -> None:
    low, high = wilson([0, 40, 0], [40, 40, 0])
    assert (low[0], high[1]) == (0.0, 1.0)
    assert 0 < high[0] < 0.1
    assert 0.9 < low[1] < 1
    assert (low[2], high[2]) == (0.0, 1.0)


@pytest.mark.parametrize("n", [50, 400])
def test_wilson_covers_the_truth_as_often_as_it_says(n: int) -> None:
    # Exact coverage: sum the binomial probabilities of the outcomes whose interval covers p. Single values of p
    # dip below the level because outcomes are whole numbers; the mean over p does not.
    k = np.arange(n + 1)
    low, high = wilson(k, n)
    probabilities = np.linspace(0.01, 0.99, 197)
    coverage = [binom.pmf(k, n, p)[(low <= p) & (p <= high)].sum() for p in probabilities]
    assert np.mean(coverage) >= 0.95
    assert np.min(coverage) > 0.83


@pytest.mark.parametrize(
    ("k", "n", "level", "message"),
    [
        (-1, 5, 0.95, "successes: -1.0 is not a count"),
        (1.5, 5, 0.95, "successes: 1.5 is not a count"),
        (float("nan"), 5, 0.95, "successes: nan is not a count"),
        (6, 5, 0.95, "successes: 6.0 exceeds n"),
        (1, -5, 0.95, "n: -5.0 is not a count"),
        (1, 5, 1.0, "level: 1.0 is not allowed"),
        (1, 5, float("nan"), "level: nan is not allowed"),
    ],
)
def test_wilson_refuses(k: float, n: float, level: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wilson(k, n, level)


def test_mean_interval_equals_the_plain_formula() -> None:
    values = np.array([0, 0, 0, 1, 1, 2, 5])
    mean, low, high = mean_interval(np.bincount(values))
    half = normal_quantile(0.95) * values.std(ddof=1) / np.sqrt(values.size)
    assert mean == pytest.approx(values.mean(), rel=1e-15)
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), rel=1e-14)


def test_mean_interval_without_data_knows_nothing() -> None:
    assert np.isnan(mean_interval([0, 0, 0])[0])
    assert mean_interval([0, 1])[1:] == (-float("inf"), float("inf"))


def test_mean_of_equals_scipy() -> None:
    values = np.random.default_rng(1).exponential(2.0, size=(3, 12))
    mean, low, high = mean_of(values, 0.9)
    np.testing.assert_allclose(mean, values.mean(axis=1), rtol=1e-15)
    for row, ends in zip(values, zip(low, high, strict=True), strict=True):
        assert ends == pytest.approx(stats.t.interval(0.9, 11, row.mean(), stats.sem(row)), rel=1e-10)


def test_mean_of_the_yields_that_student_computed() -> None:
    # The extra hours of sleep by the second drug, Student 1908, page 20: ten patients, mean 2.33.
    hours = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    mean, low, high = mean_of(hours)
    assert mean == pytest.approx(2.33)
    assert (round(float(low), 3), round(float(high), 3)) == (0.898, 3.762)


def test_mean_of_few_values_knows_little() -> None:
    mean, low, high = mean_of([4.0])
    assert (mean, low, high) == (4.0, -np.inf, np.inf)
    mean, low, high = mean_of([])
    assert np.isnan(mean)
    assert (low, high) == (-np.inf, np.inf)
    with pytest.raises(ValueError, match="values: nan is not allowed; give finite numbers"):
        mean_of([1.0, float("nan")])


def test_student_broadcasts() -> None:
    low, high = student([[5], [50]], [1.0, 2.0, 3.0], 4.0)
    assert low.shape == high.shape == (2, 3)
    assert high[1, 2] == student(50, 3.0, 4.0).high
    assert np.all(high[0] - low[0] > 3.0 * (high[1] - low[1]))


# Ranks and levels (%) of intervals of the median, from the tables of nonparametric textbooks.
@pytest.mark.parametrize(
    ("n", "ranks", "percent"),
    [(6, (1, 6), 96.9), (9, (2, 8), 96.1), (10, (2, 9), 97.9), (15, (4, 12), 96.5), (17, (5, 13), 95.1)],
)
def test_ranks_of_the_median_are_those_of_the_tables(n: int, ranks: tuple[int, int], percent: float) -> None:
    assert quantile_ranks(n, 0.5) == ranks
    low, high = ranks
    assert round(100 * float(binom.cdf(high - 1, n, 0.5) - binom.cdf(low - 1, n, 0.5)), 1) == percent


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("p", [0.0, 0.001, 0.05, 0.3, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("n", [1, 2, 17, 100, 5000])
def test_ranks_are_the_closest_that_keep_the_level(n: int, p: float, level: float) -> None:
    low, high = quantile_ranks(n, p, level)
    tail = (1.0 - level) / 2.0
    assert binom.cdf(low - 1, n, p) <= tail
    assert binom.sf(high - 1, n, p) <= tail
    if 0 < p < 1:  # one rank nearer would err too often
        assert binom.cdf(low, n, p) > tail
        assert binom.sf(high - 2, n, p) > tail


def test_quantiles_of_few_values_are_open() -> None:
    assert quantile_ranks(0, 0.5) == (0, 1)
    middle, low, high = quantile_interval([3.0, 1.0, 2.0], [0.5, 1.0])
    assert (middle.tolist(), low.tolist(), high.tolist()) == ([2.0, 3.0], [-np.inf, 3.0], [np.inf, np.inf])
    assert np.isnan(quantile_interval([], 0.5)[0])


def test_a_quantile_is_a_value_up_to_which_the_share_lies() -> None:
    values = np.random.default_rng(2).permutation(np.arange(1.0, 101.0))
    middle, low, high = quantile_interval(values, [0.05, 0.5, 0.95])
    assert middle.tolist() == [5.0, 50.0, 95.0]
    assert low.tolist() == [1.0, 40.0, 90.0]
    assert high.tolist() == [11.0, 61.0, 100.0]


def test_quantiles_of_counts_are_covered_too() -> None:
    # Of whole numbers several are equal; the ends belong to the interval.
    rng = np.random.default_rng(3)
    for p in (0.1, 0.5, 0.9):
        truth = stats.poisson.ppf(p, 2.0)
        covered = 0
        for _ in range(1000):
            _, low, high = quantile_interval(rng.poisson(2.0, 60), p)
            covered += bool(low <= truth <= high)
        assert covered >= 940  # at least 95 % of 1000, less 1.5 standard errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quantile_interval([1.0], 1.5), "p: 1.5 is not allowed; give numbers from 0 to 1"),
        (lambda: quantile_interval([1.0], float("nan")), "p: nan is not allowed"),
        (lambda: quantile_interval([float("inf")], 0.5), "values: inf is not allowed"),
        (lambda: quantile_ranks(-1, 0.5), "n: -1.0 is not a count"),
        (lambda: student(3, 0.0, -1.0), "variance: -1.0 is not allowed; give finite numbers >= 0"),
        (lambda: student(3, 0.0, 1.0, 0.0), "level: 0.0 is not allowed"),
        (lambda: mean_interval([1, -1]), "histogram: -1.0 is not a count"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
