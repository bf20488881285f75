"""Differences between two runs: intervals, p-values, and what many comparisons at once cost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.stats.checks import broadcast, counts, numbers, real_array, shares, successes_of
from carromsim.stats.distributions import edge, normal_p, normal_quantile, student_p, student_quantile
from carromsim.stats.intervals import wilson
from carromsim_kernels.state import FloatArray


class Difference(NamedTuple):
    """First minus second, its interval, and the two-sided p-value of "no difference"; arrays of one shape."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray


def newcombe(k1: ArrayLike, n1: ArrayLike, k2: ArrayLike, n2: ArrayLike, level: float = 0.95) -> Difference:
    """Compare two shares of independent rows: k1 of n1 and k2 of n2.

    Parameters
    ----------
    k1, n1, k2, n2 : array_like of int
        Successes and rows of the two, broadcast against each other; 0 <= k <= n.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Difference
        k1 / n1 - k2 / n2 with Newcombe's hybrid score interval. Without rows on either side the estimate is NaN, the
        interval (-1, 1) and p is 1.

    Raises
    ------
    ValueError
        For counts that are not whole, negative or more successes than rows, and for a level outside [0.01, 1).

    Notes
    -----
    p is that of the score test of equal shares (Pearson's chi-square without correction), whose own interval needs a
    search and is hardly narrower. So near the edge p < 1 - level and an interval without 0 may disagree.

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven
    methods", Stat. Med. 17 (1998) 873-890, method 10.
    """
    first, rows1 = successes_of(k1, n1, ("k1", "n1"))
    second, rows2 = successes_of(k2, n2, ("k2", "n2"))
    a, na, b, nb = broadcast({"k1": first, "n1": rows1, "k2": second, "n2": rows2})
    known = (na > 0) & (nb > 0)
    safe_a, safe_b = np.maximum(na, 1.0), np.maximum(nb, 1.0)
    share_a, share_b = a / safe_a, b / safe_b
    ends_a, ends_b = wilson(a, na, level), wilson(b, nb, level)
    gap = share_a - share_b
    low = gap - np.hypot(share_a - ends_a.low, ends_b.high - share_b)
    high = gap + np.hypot(ends_a.high - share_a, share_b - ends_b.low)
    pooled = (a + b) / np.maximum(na + nb, 1.0)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / safe_a + 1.0 / safe_b))
    p = normal_p(_over(gap, error))
    return _where(known, Difference(np.where(known, gap, np.nan), low, high, p), bound=1.0)


def paired_shares(n11: ArrayLike, n10: ArrayLike, n01: ArrayLike, n00: ArrayLike, level: float = 0.95) -> Difference:
    """Compare two shares row by row: rows that were played twice under the same seed.

    Parameters
    ----------
    n11, n10, n01, n00 : array_like of int
        Rows that are a success of both, of the first only, of the second only, of neither; broadcast against each
        other.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Difference
        (n10 - n01) / n with Tango's score interval and the p-value of McNemar's test. Without rows the estimate is
        NaN, the interval (-1, 1) and p is 1.

    Raises
    ------
    ValueError
        For counts that are not whole or negative, and for a level outside [0.01, 1).

    Notes
    -----
    Tango's interval holds the differences that the score test does not reject, and at 0 that test is McNemar's (no
    correction): p < 1 - level exactly where the interval leaves out 0. It needs n10, n01 and n only, exists for every
    table, and covers well for few discordant rows (Fagerland, Lydersen and Laake recommend it with Newcombe's).

    References
    ----------
    T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design", Stat. Med. 17 (1998) 891-908. M. W. Fagerland, S. Lydersen, P. Laake, Stat. Med. 33
    (2014) 2850-2875.
    """
    given = {"n11": n11, "n10": n10, "n01": n01, "n00": n00}
    both, first, second, neither = broadcast({name: counts(name, value) for name, value in given.items()})
    n = both + first + second + neither
    known = n > 0
    safe = np.maximum(n, 1.0)
    z = normal_quantile(level)
    gap = (first - second) / safe
    low = edge(gap, -np.ones_like(gap), lambda d: np.abs(_tango(first, second, safe, d)) < z)
    high = edge(gap, np.ones_like(gap), lambda d: np.abs(_tango(first, second, safe, d)) < z)
    p = normal_p(_over(first - second, np.sqrt(first + second)))
    return _where(known, Difference(np.where(known, gap, np.nan), low, high, p), bound=1.0)


def _tango(first: FloatArray, second: FloatArray, n: FloatArray, gap: FloatArray) -> FloatArray:
    """Give the score statistic of a difference, standard normal if it is the true one; 0/0 counts as 0."""
    # The most likely share of "second only" if the difference is `gap`: a root of a quadratic.
    b = (2.0 * n - first + second) * gap - first - second
    c = -second * gap * (1.0 - gap)
    share = (np.sqrt(np.maximum(b * b - 8.0 * n * c, 0.0)) - b) / (4.0 * n)
    variance = n * (2.0 * share + gap * (1.0 - gap))
    return _over(first - second - n * gap, np.sqrt(np.maximum(variance, 0.0)))


def welch(
    n1: ArrayLike,
    mean1: ArrayLike,
    variance1: ArrayLike,
    n2: ArrayLike,
    mean2: ArrayLike,
    variance2: ArrayLike,
    level: float = 0.95,
) -> Difference:
    """Compare two means of independent rows.

    Parameters
    ----------
    n1, n2 : array_like of int
        Rows of the two, broadcast with the others.
    mean1, variance1, mean2, variance2 : array_like
        Their means and sample variances (divided by n - 1).
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Difference
        mean1 - mean2 with Welch's interval and p-value, which agree: p < 1 - level exactly where the interval leaves
        out 0. With fewer than two rows on either side the interval is infinite and p is 1.

    Raises
    ------
    ValueError
        For rows that are not a count, means that are not finite, negative variances, a level outside [0.01, 1).

    References
    ----------
    B. L. Welch, "The generalization of Student's problem when several different population variances are involved",
    Biometrika 34 (1947) 28-35; degrees of freedom of F. E. Satterthwaite, Biometrics Bull. 2 (1946) 110-114.
    """
    na, nb = counts("n1", n1), counts("n2", n2)
    a, b = numbers("mean1", mean1), numbers("mean2", mean2)
    va, vb = numbers("variance1", variance1, least=0.0), numbers("variance2", variance2, least=0.0)
    rows, means, variances = {"n1": na, "n2": nb}, {"mean1": a, "mean2": b}, {"variance1": va, "variance2": vb}
    na, nb, a, b, va, vb = broadcast(rows | means | variances)
    known = (na > 1) & (nb > 1)
    na, nb = np.where(known, na, 2.0), np.where(known, nb, 2.0)
    part_a, part_b = va / na, vb / nb
    squared = part_a + part_b
    scale = np.where(squared > 0, squared, 1.0)  # shares of the squared error, so that tiny variances do not vanish
    weight = (part_a / scale) ** 2 / (na - 1.0) + (part_b / scale) ** 2 / (nb - 1.0)
    df = np.where(squared > 0, 1.0 / np.where(weight > 0, weight, 1.0), na + nb - 2.0)
    return _where(known, _student_difference(a - b, np.sqrt(squared), df, level), bound=np.inf)


def paired_means(n: ArrayLike, sum_d: ArrayLike, sum_d2: ArrayLike, level: float = 0.95) -> Difference:
    """Compare two means row by row: rows that were played twice under the same seed.

    Parameters
    ----------
    n : array_like of int
        Rows, broadcast with the others.
    sum_d, sum_d2 : array_like
        Sum of the rows' differences, first minus second, and of their squares.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Difference
        The mean difference with Student's interval and p-value (paired t test), which agree. With fewer than two rows
        the interval is infinite and p is 1; without a row the estimate is NaN.

    Raises
    ------
    ValueError
        For n that is not a count, sums that are not finite, squares smaller than sum_d^2 / n, and a level
        outside [0.01, 1).

    References
    ----------
    Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.
    """
    sums = {"sum_d": numbers("sum_d", sum_d), "sum_d2": numbers("sum_d2", sum_d2, least=0.0)}
    rows, total, squares = broadcast({"n": counts("n", n)} | sums)
    some = np.maximum(rows, 1.0)
    mean = np.where(rows > 0, total / some, np.nan)
    spread = squares - total * total / some
    less = spread < -1e-9 * squares
    if np.any(less):
        raise ValueError(f"sum_d2: {np.broadcast_to(squares, less.shape)[less].flat[0]} is less than sum_d^2 / n")
    known, safe = rows > 1, np.maximum(rows, 2.0)
    error = np.sqrt(np.maximum(spread, 0.0) / (safe - 1.0) / safe)
    return _where(known, _student_difference(mean, error, safe - 1.0, level), bound=np.inf)


def variance_reduction(variance1: ArrayLike, variance2: ArrayLike, variance_d: ArrayLike) -> FloatArray:
    """Tell what pairing row by row saves: 1 - var(d) / (var(a) + var(b)).

    Parameters
    ----------
    variance1, variance2, variance_d : array_like
        Sample variances of the first, the second, and of their difference row by row.

    Returns
    -------
    (...) float64
        0 if the rows have nothing in common, up to 1 if they are equal, below 0 if pairing harms; NaN if neither
        varies. To be as sure without pairing takes 1 / (1 - reduction) times the rows.

    Raises
    ------
    ValueError
        For variances that are negative or not finite.

    References
    ----------
    A. M. Law, "Simulation Modeling and Analysis", 5th ed. (2015), 11.2 (common random numbers).
    """
    a = numbers("variance1", variance1, least=0.0)
    b = numbers("variance2", variance2, least=0.0)
    d = numbers("variance_d", variance_d, least=0.0)
    a, b, d = broadcast({"variance1": a, "variance2": b, "variance_d": d})
    total = np.asarray(a + b)
    return np.where(total > 0, 1.0 - d / np.where(total > 0, total, 1.0), np.nan)


def holm(p: ArrayLike) -> FloatArray:
    """Correct p-values for their number, so that among all of them a false alarm is as rare as with one.

    Parameters
    ----------
    p : (m,) array_like
        p-values of m tests, of whatever dependence; NaN stands for a test that could not be done and does not count.

    Returns
    -------
    (m,) float64
        Adjusted p-values: rejecting those below a is wrong anywhere with probability at most a.

    Raises
    ------
    ValueError
        For p-values outside [0, 1], and anything but one dimension.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6 (1979) 65-70.
    """
    values = real_array("p", p)
    if values.ndim != 1:
        raise ValueError(f"p: {values.ndim} dimensions are not allowed; give a list of p-values")
    done = np.flatnonzero(~np.isnan(values))
    order = done[np.argsort(shares("p", values[done]), kind="stable")]
    raised = values[order] * np.arange(len(order), 0, -1)
    adjusted = np.full_like(values, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted


def _student_difference(gap: FloatArray, error: FloatArray, df: FloatArray, level: float) -> Difference:
    """Compare with 0 by Student's t."""
    half = student_quantile(level, df) * error
    return Difference(gap, gap - half, gap + half, _student_p(gap, error, df))


def _student_p(gap: FloatArray, error: FloatArray, df: FloatArray) -> FloatArray:
    """Give p-values; where nothing varies a difference is certain."""
    ratio = _over(gap, error)
    finite = np.isfinite(ratio)
    return np.where(finite, student_p(np.where(finite, ratio, 0.0), df), 0.0)


def _over(value: FloatArray, error: FloatArray) -> FloatArray:
    """Give value / error; without an error 0 stays 0 and anything else becomes infinite."""
    certain = np.where(value == 0, 0.0, np.copysign(np.inf, value))
    return np.where(error > 0, value / np.where(error > 0, error, 1.0), certain)


def _where(known: NDArray[np.bool_], found: Difference, bound: float) -> Difference:
    """Leave everything possible where nothing is known."""
    return Difference(
        found.estimate,
        np.where(known, found.low, -bound),
        np.where(known, found.high, bound),
        np.where(known, found.p, 1.0),
    )
