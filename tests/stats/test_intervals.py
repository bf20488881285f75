"""Intervals against scipy and against their own coverage."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from carromsim.stats import mean_interval, normal_quantile, wilson

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


def test_normal_quantile_is_the_familiar_one() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-15)
