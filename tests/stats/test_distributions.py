"""Quantiles and tails against scipy."""

import numpy as np
import pytest
from scipy import stats

from carromsim.stats import normal_quantile
from carromsim.stats.distributions import binomial_below, edge, log_gamma, normal_p, student_p, student_quantile

FREEDOM = [1.0, 1.37, 2.0, 3.7, 5.0, 10.0, 29.0, 100.0, 1e3, 1e5, 1e7, 1e9]


def test_normal_quantile_is_the_familiar_one() -> None:
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-15)


def test_normal_tail_equals_scipy() -> None:
    z = np.array([[-8.0, -1.96, 0.0], [0.3, 5.0, 37.0]])
    np.testing.assert_allclose(normal_p(z), 2.0 * stats.norm.sf(np.abs(z)), rtol=1e-12)


@pytest.mark.parametrize("level", [0.01, 0.5, 0.8, 0.95, 0.99, 0.999, 1.0 - 1e-9])
def test_student_quantile_equals_scipy(level: float) -> None:
    np.testing.assert_allclose(student_quantile(level, FREEDOM), stats.t.isf((1.0 - level) / 2.0, FREEDOM), rtol=1e-10)


def test_student_quantile_of_the_tables() -> None:
    # Three lines of the table in every textbook, 95 %.
    assert [round(float(t), 3) for t in student_quantile(0.95, [1, 10, 120])] == [12.706, 2.228, 1.980]


def test_student_tail_equals_scipy_far_out_too() -> None:
    t = np.array([0.0, 0.01, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0])[:, np.newaxis]
    expected = 2.0 * stats.t.sf(t, FREEDOM)
    np.testing.assert_allclose(student_p(t, FREEDOM), expected, rtol=1e-11)
    np.testing.assert_array_equal(student_p(-t, FREEDOM), student_p(t, FREEDOM))


def test_student_tail_and_quantile_are_inverse() -> None:
    assert student_p(student_quantile(0.9, 7.5), 7.5) == pytest.approx(0.1, rel=1e-12)


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (9, 0.5), (40, 0.05), (1000, 0.95), (10**6, 0.001), (10**7, 0.5)])
def test_binomial_sums_equal_scipy(n: int, p: float) -> None:
    first, upto = binomial_below(n, p)
    np.testing.assert_allclose(upto, stats.binom.cdf(first + np.arange(len(upto)), n, p), rtol=1e-9, atol=1e-14)
    assert stats.binom.cdf(first - 1, n, p) < 1e-20
    assert upto[-1] == 1.0


def test_log_gamma_keeps_the_shape() -> None:
    x = np.array([[0.5, 1.0], [3.5, 1e6]])
    np.testing.assert_allclose(log_gamma(x), [[0.5723649429247001, 0.0], [1.2009736023470743, 12815504.569147611]])


def test_an_edge_is_found_on_either_side() -> None:
    root = edge(np.array([1.0, 1.0]), np.array([2.0, 0.0]), lambda x: np.abs(x - 1.0) < 0.25)
    np.testing.assert_allclose(root, [1.25, 0.75], rtol=1e-15)


def test_an_edge_that_is_not_there_is_the_outer_point() -> None:
    assert edge(np.array(1.0), np.array(7.0), lambda x: x < 100.0) == 7.0
