"""Confidence sequences against their definition; how often they miss is counted in test_coverage.py."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from carromsim.stats import asymptotic_mean, beta_binomial, decided, log_e_value, wilson
from carromsim.stats.sequences import FIRST_ROWS, mean_factor, prior_weight


@pytest.mark.parametrize("against", [0.002, 0.3, 0.5, 0.95])
@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 40), (3, 40), (40, 40), (812, 2000)])
def test_the_evidence_is_a_ratio_of_two_probabilities(k: int, n: int, against: float) -> None:
    weight = prior_weight(0.95, 1000.0)
    mixed = stats.betabinom.logpmf(k, n, against * weight, (1.0 - against) * weight)
    assert log_e_value(k, n, against) == pytest.approx(mixed - stats.binom.logpmf(k, n, against), rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("p", [0.01, 0.4])
@pytest.mark.parametrize("n", [1, 30, 400])
def test_the_evidence_against_the_truth_is_one_on_average(n: int, p: float) -> None:
    k = np.arange(n + 1)
    terms = np.exp(stats.binom.logpmf(k, n, p) + log_e_value(k, n, p, tuned=100.0))
    assert terms.sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("k", "n"), [(3, 40), (20, 40), (812, 2000), (99_990, 100_000)])
def test_the_ends_are_where_the_evidence_reaches_its_bound(k: int, n: int, level: float) -> None:
    low, high = beta_binomial(k, n, level)
    bound = -np.log1p(-level)
    assert 0 < low < k / n < high < 1
    assert log_e_value(k, n, low, level) == pytest.approx(bound, rel=1e-6)
    assert log_e_value(k, n, high, level) == pytest.approx(bound, rel=1e-6)


def test_a_sequence_broadcasts_and_is_wider_than_an_interval_of_fixed_rows() -> None:
    k, n = np.array([[0, 3, 10], [50, 500, 5000]]), np.array([10, 20, 10_000])
    k = np.minimum(k, n)
    found, fixed = beta_binomial(k, n), wilson(k, n)
    assert found.low.shape == found.high.shape == (2, 3)
    assert np.all(found.low <= fixed.low)
    assert np.all(found.high[:, :2] >= fixed.high[:, :2])
    for i, j in np.ndindex(2, 3):
        assert (found.low[i, j], found.high[i, j]) == beta_binomial(k[i, j], n[j])


def test_the_ends_of_nothing_and_all() -> None:
    low, high = beta_binomial([0, 0, 40], [0, 40, 40])
    assert low.tolist()[:2] == [0.0, 0.0]
    assert (high[0], high[2]) == (1.0, 1.0)
    assert high[1] == pytest.approx(1.0 - low[2], rel=1e-9)


def test_a_sequence_is_narrowest_where_it_is_tuned() -> None:
    widths = {tuned: np.ptp(beta_binomial(3000, 10_000, tuned=tuned)) for tuned in (100.0, 10_000.0, 1e6)}
    assert min(widths, key=lambda tuned: float(widths[tuned])) == 10_000.0
    # The best a normal mixture can do at 95 %: 3.035 standard errors; binomial trials come close to that.
    assert widths[10_000.0] / 2 == pytest.approx(3.035 * np.sqrt(0.3 * 0.7 / 10_000), rel=0.01)
    factors = {tuned: float(mean_factor(10_000, tuned=tuned)) for tuned in (8000.0, 10_000.0, 12_500.0)}
    assert min(factors, key=lambda tuned: factors[tuned]) == 10_000.0
    assert factors[10_000.0] * 100.0 == pytest.approx(3.035, abs=5e-4)


def test_the_mean_is_that_of_the_paper() -> None:
    # Waudby-Smith et al. 2024, theorem 2.2, with rho^2 = 0.00821 for rows = 1000: u = log(1 + u) + 2 log 20 = 8.2115.
    n, mean, variance, alpha = 5000, 3.0, 4.0, 0.05
    rho2 = 8.2115 / 1000.0
    half = np.sqrt(variance * 2 * (n * rho2 + 1) / (n**2 * rho2) * np.log(np.sqrt(n * rho2 + 1) / alpha))
    low, high = asymptotic_mean(n, mean, variance)
    assert (low, high) == (pytest.approx(mean - half, rel=1e-6), pytest.approx(mean + half, rel=1e-6))


def test_the_mean_of_few_or_equal_rows_is_open() -> None:
    low, high = asymptotic_mean([0, FIRST_ROWS - 1, FIRST_ROWS, FIRST_ROWS], 1.0, [0.0, 1.0, 1.0, 0.0])
    assert np.isinf(low).tolist() == np.isinf(high).tolist() == [True, True, False, True]


def test_who_is_more_frequent_is_told_both_ways() -> None:
    assert decided([0, 60, 100, 0, 600], [0, 50, 20, 40, 600]).tolist() == [0, 0, 1, -1, 0]
    assert decided(8, 0) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: beta_binomial(5, 4), "successes: 5.0 exceeds n"),
        (lambda: beta_binomial(1, 4, level=1.0), "level: 1.0 is not allowed"),
        (lambda: beta_binomial(1, 4, tuned=0.0), "tuned: 0.0 is not allowed; give finite numbers above 0"),
        (lambda: log_e_value(1, 4, 1.5), "against: 1.5 is not allowed; give numbers from 0 to 1"),
        (lambda: decided(-1, 4), "first: -1.0 is not a count"),
        (lambda: asymptotic_mean(10, 0.0, -1.0), "variance: -1.0 is not allowed"),
        (lambda: asymptotic_mean(10.5, 0.0, 1.0), "n: 10.5 is not a count"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
