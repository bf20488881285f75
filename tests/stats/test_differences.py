"""Differences against published examples, scipy and each other."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from carromsim.stats import holm, newcombe, paired_means, paired_shares, variance_reduction, welch

# Newcombe 1998, table II, method 10, 95 %.
NEWCOMBE = [
    ((56, 70, 48, 80), (0.0524, 0.3339)),
    ((9, 10, 3, 10), (0.1705, 0.8090)),
    ((6, 7, 2, 7), (0.0582, 0.8062)),
    ((5, 56, 0, 29), (-0.0381, 0.1926)),
    ((0, 10, 0, 20), (-0.1611, 0.2775)),
    ((0, 10, 0, 10), (-0.2775, 0.2775)),
    ((10, 10, 0, 20), (0.6791, 1.0000)),
    ((10, 10, 0, 10), (0.6075, 1.0000)),
]


@pytest.mark.parametrize(("counts", "ends"), NEWCOMBE)
def test_newcombe_equals_his_table(counts: tuple[int, int, int, int], ends: tuple[float, float]) -> None:
    k1, n1, k2, n2 = counts
    found = newcombe(*counts)
    assert found.estimate == pytest.approx(k1 / n1 - k2 / n2)
    assert (round(float(found.low), 4), round(float(found.high), 4)) == ends


def test_newcombe_has_the_p_value_of_the_chi_square() -> None:
    found = newcombe(56, 70, 48, 80)
    expected = stats.chi2_contingency([[56, 14], [48, 32]], correction=False).pvalue
    assert found.p == pytest.approx(expected, rel=1e-10)


def test_newcombe_turns_with_its_arguments() -> None:
    one, other = newcombe([9, 0], 10, [3, 5], [10, 40], 0.9), newcombe([3, 5], [10, 40], [9, 0], 10, 0.9)
    np.testing.assert_allclose(one.low, -other.high, rtol=1e-14)
    np.testing.assert_allclose(one.p, other.p, rtol=1e-14)


@pytest.mark.parametrize("found", [newcombe(0, 0, 3, 9), paired_shares(0, 0, 0, 0)])
def test_no_rows_say_nothing_of_shares(found: tuple[float, ...]) -> None:
    assert np.isnan(found[0])
    assert found[1:] == (-1.0, 1.0, 1.0)


# Fagerland, Lydersen and Laake 2014: airway hyper-responsiveness (Bentur et al. 2009), Tango's interval.
def test_tango_equals_a_published_example() -> None:
    found = paired_shares(1, 1, 7, 12)
    assert found.estimate == pytest.approx(-6 / 21)
    assert (round(float(found.low), 3), round(float(found.high), 3)) == (-0.517, -0.026)
    assert round(float(found.p), 3) == 0.034  # McNemar's, without correction


def likelihood(first: int, second: int, rest: int, gap: float) -> float:
    """The most likely share of `second` alone by search, where the shares differ by `gap`."""
    shares = np.linspace(max(0.0, -gap), (1.0 - gap) / 2.0, 400_001)[1:-1]
    logs = first * np.log(shares + gap) + second * np.log(shares) + rest * np.log1p(-2.0 * shares - gap)
    return float(shares[np.argmax(logs)])


@pytest.mark.parametrize(("first", "second", "rest"), [(1, 7, 13), (12, 5, 60), (3, 3, 20), (40, 20, 100)])
def test_tangos_ends_are_where_the_score_test_rejects(first: int, second: int, rest: int) -> None:
    n = first + second + rest
    found = paired_shares(rest, first, second, 0, 0.95)
    for gap in (float(found.low), float(found.high)):
        share = likelihood(first, second, rest, gap)
        score = (first - second - n * gap) / np.sqrt(n * (2.0 * share + gap * (1.0 - gap)))
        assert abs(score) == pytest.approx(1.959964, abs=2e-4)


def test_mcnemar_and_tangos_interval_never_disagree() -> None:
    first, second = (axis.ravel() for axis in np.mgrid[:31, :31])
    found = paired_shares(0, first, second, 100 - first - second)
    np.testing.assert_array_equal(found.p < 0.05, (found.low > 0) | (found.high < 0))


@pytest.mark.parametrize(("counts", "side"), [((0, 9, 0, 0), 1.0), ((0, 0, 9, 0), -1.0)])
def test_a_total_difference_is_possible(counts: tuple[int, ...], side: float) -> None:
    found = paired_shares(*counts)
    assert found.estimate == side
    # Only one side occurs, and the interval is Wilson's of it: n / (n + z^2) of the rows at least.
    least = 2.0 * 9.0 / (9.0 + 3.841459) - 1.0
    assert sorted([side * float(found.low), side * float(found.high)]) == pytest.approx([least, 1.0], abs=1e-6)


def test_no_discordant_row_still_leaves_room() -> None:
    found = paired_shares(20, 0, 0, 30)
    assert (found.estimate, found.p) == (0.0, 1.0)
    # Without discordant rows the score test rejects where n d / (1 - d) exceeds z^2.
    assert found.high == pytest.approx(3.841459 / (50 + 3.841459), abs=1e-6)
    assert found.low == pytest.approx(-found.high, rel=1e-12)


def test_welch_equals_scipy() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(1.0, 2.0, (3, 9)), rng.normal(0.5, 5.0, (3, 14))
    found = welch(9, a.mean(1), a.var(1, ddof=1), 14, b.mean(1), b.var(1, ddof=1), 0.9)
    expected = stats.ttest_ind(a, b, axis=1, equal_var=False)
    ends = expected.confidence_interval(0.9)
    np.testing.assert_allclose(found.p, expected.pvalue, rtol=1e-10)
    np.testing.assert_allclose(found.low, ends.low, rtol=1e-10)
    np.testing.assert_allclose(found.high, ends.high, rtol=1e-10)


def test_paired_means_equal_scipy() -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(0.0, 1.0, 25)
    b = a + rng.normal(0.2, 0.5, 25)
    d = a - b
    found = paired_means(25, d.sum(), (d * d).sum())
    expected = stats.ttest_rel(a, b)
    ends = expected.confidence_interval()
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.low, found.high) == (pytest.approx(ends.low, rel=1e-9), pytest.approx(ends.high, rel=1e-9))


def test_where_nothing_varies_a_difference_is_certain() -> None:
    assert welch(5, 2.0, 0.0, 5, 1.0, 0.0) == (1.0, 1.0, 1.0, 0.0)
    assert welch(5, 2.0, 0.0, 5, 2.0, 0.0) == (0.0, 0.0, 0.0, 1.0)
    assert paired_means(4, 8.0, 16.0) == (2.0, 2.0, 2.0, 0.0)


def test_single_rows_say_nothing_of_means() -> None:
    assert welch(1, 2.0, 0.0, 5, 1.0, 1.0) == (1.0, -np.inf, np.inf, 1.0)
    assert paired_means(1, 3.0, 9.0) == (3.0, -np.inf, np.inf, 1.0)
    assert np.isnan(paired_means(0, 0.0, 0.0).estimate)


def test_pairing_is_narrower_where_rows_go_together_and_wider_where_they_oppose() -> None:
    def width(n11: int, n10: int, n01: int, n00: int) -> tuple[float, float]:
        n = n11 + n10 + n01 + n00
        paired, apart = paired_shares(n11, n10, n01, n00), newcombe(n11 + n10, n, n11 + n01, n)
        return float(paired.high - paired.low), float(apart.high - apart.low)

    together, apart = width(450, 60, 40, 450)
    assert together < 0.55 * apart
    against, apart = width(60, 450, 400, 90)
    assert against > 1.2 * apart


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.8])
def test_variance_reduction_is_the_planted_one(correlation: float) -> None:
    # Of equal variances and correlation r: var(d) = 2 (1 - r) var, so pairing saves the share r.
    rng = np.random.default_rng(6)
    n = 200_000
    a = rng.normal(size=n)
    b = correlation * a + np.sqrt(1.0 - correlation**2) * rng.normal(size=n)
    found = variance_reduction(a.var(ddof=1), b.var(ddof=1), (a - b).var(ddof=1))
    assert found == pytest.approx(correlation, abs=4.0 / np.sqrt(n))


def test_variance_reduction_of_constants_is_unknown() -> None:
    assert np.isnan(variance_reduction(0.0, 0.0, 0.0))


def test_holm_equals_his_example() -> None:
    # Worked example in many texts: 0.01, 0.04, 0.03, 0.005.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_leaves_out_what_could_not_be_tested() -> None:
    adjusted = holm([0.02, np.nan, 0.5])
    assert adjusted[[0, 2]].tolist() == [0.04, 0.5]
    assert np.isnan(adjusted[1])
    assert holm([]).size == 0
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("common", [0.0, 0.7])
def test_holm_keeps_the_family_wise_error(common: float) -> None:
    # Ten true hypotheses, independent or not; one false one beside them.
    rng = np.random.default_rng(7)
    runs = 4000
    z = np.sqrt(common) * rng.normal(size=(runs, 1)) + np.sqrt(1.0 - common) * rng.normal(size=(runs, 11))
    z[:, 10] += 5.0
    p = 2.0 * stats.norm.sf(np.abs(z))
    wrong = sum(bool(np.any(holm(row)[:10] < 0.05)) for row in p)
    assert np.any(p[:, :10] < 0.05, axis=1).mean() > 0.15  # without correction
    # At most 5 % and three standard errors; nearly that much if the tests are independent.
    assert wrong <= 0.05 * runs + 3.0 * np.sqrt(0.05 * 0.95 * runs)
    assert common > 0 or wrong > 0.04 * runs


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: newcombe(5, 4, 1, 3), "k1: 5.0 exceeds n1"),
        (lambda: newcombe(1, 4, 4, 3), "k2: 4.0 exceeds n2"),
        (lambda: newcombe(1, 4, 1, 3, 1.0), "level: 1.0 is not allowed"),
        (lambda: paired_shares(1, -2, 0, 0), "n10: -2.0 is not a count"),
        (lambda: welch(2, 0.0, -1.0, 2, 0.0, 1.0), "variance1: -1.0 is not allowed; give finite numbers >= 0"),
        (lambda: welch(2, 0.0, 1.0, 2, float("nan"), 1.0), "mean2: nan is not allowed; give finite numbers"),
        (lambda: paired_means(2, 4.0, 1.0), r"sum_d2: 1.0 is less than sum_d\^2 / n"),
        (lambda: variance_reduction(1.0, float("inf"), 0.0), "variance2: inf is not allowed"),
        (lambda: holm([0.5, 1.5]), "p: 1.5 is not allowed; give numbers from 0 to 1"),
        (lambda: holm([[0.5]]), "p: 2 dimensions are not allowed"),
    ],
)
def test_bad_arguments_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
