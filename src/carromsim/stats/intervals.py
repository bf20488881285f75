"""Intervals that say how far a simulated frequency, mean or quantile can be trusted.

Their level holds for a number of rows that was fixed beforehand; `carromsim.stats.sequences` has those that one may
look at after every chunk.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from carromsim.stats.checks import broadcast, confidence, counts, numbers, one, real_array, shares, successes_of
from carromsim.stats.distributions import binomial_below, normal_quantile, student_quantile
from carromsim_kernels.state import FloatArray


class Interval(NamedTuple):
    """Lower and upper end, arrays of one shape."""

    low: FloatArray
    high: FloatArray


def wilson(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> Interval:
    """Give Wilson's score interval for a probability seen as `successes` out of `n`.

    Unlike the textbook p +- z sqrt(p (1 - p) / n) it keeps its level for rare outcomes and small
    samples, never leaves [0, 1] and says something when nothing was seen (0 of n).

    Parameters
    ----------
    successes, n : array_like of int
        Counts, broadcast against each other; 0 <= successes <= n.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Interval
        `low` and `high`, float64 arrays of the broadcast shape (0-d for two numbers). No trial at
        all (n = 0) leaves everything possible: (0, 1).

    Raises
    ------
    ValueError
        For counts that are not whole, negative or more successes than trials, and for a level
        outside [0.01, 1).

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    J. Am. Stat. Assoc. 22 (1927) 209-212; without continuity correction. Recommended by
    L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16 (2001) 101-133.
    """
    k, trials = successes_of(successes, n, ("successes", "n"))
    z = normal_quantile(level)
    safe = np.maximum(trials, 1.0)  # rows without trials are overwritten below
    p = k / safe
    shrink = 1.0 / (1.0 + z * z / safe)
    centre = (p + z * z / (2.0 * safe)) * shrink
    half = z * shrink * np.sqrt(p * (1.0 - p) / safe + z * z / (4.0 * safe * safe))
    # At the ends the bounds are 0 and 1 exactly; rounding must not make "never" look impossible to reach.
    low = np.where(k == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(k == trials, 1.0, np.minimum(centre + half, 1.0))
    return Interval(np.where(trials == 0, 0.0, low), np.where(trials == 0, 1.0, high))


def mean_interval(histogram: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Give the mean of a count variable and its large-sample interval, from the variable's histogram.

    Parameters
    ----------
    histogram : (k,) array_like of int
        histogram[v] is how often the value v was seen.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    tuple of float
        Mean, lower and upper end: mean +- z s / sqrt(n) with the sample standard deviation s
        (central limit theorem). With fewer than two values s is unknown and the ends are infinite;
        with none the mean is NaN.

    Raises
    ------
    ValueError
        As for `wilson`.
    """
    hist = counts("histogram", histogram)
    if hist.ndim != 1:
        raise ValueError(f"histogram has shape {hist.shape}, which is not allowed; give one count for each value")
    z = normal_quantile(level)
    n = float(hist.sum())
    if n == 0:
        return float("nan"), -float("inf"), float("inf")
    value = np.arange(hist.size)
    mean = float(hist @ value) / n
    if n < 2:
        return mean, -float("inf"), float("inf")
    variance = float(hist @ (value - mean) ** 2) / (n - 1.0)
    half = z * float(np.sqrt(variance / n))
    return mean, mean - half, mean + half


def mean_of(values: ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give means of values and their intervals by Student's t.

    Parameters
    ----------
    values : (..., n) array_like
        Finite values; the last axis is averaged.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    tuple of (...) float64
        Mean, lower and upper end. With fewer than two values the ends are infinite; with none the mean is NaN.

    Raises
    ------
    ValueError
        For values that are not finite, and for a level outside [0.01, 1).
    """
    array = numbers("values", np.atleast_1d(real_array("values", values)))
    n = array.shape[-1]
    if n == 0:
        nothing = np.full(array.shape[:-1], np.nan)
        return nothing, np.full_like(nothing, -np.inf), np.full_like(nothing, np.inf)
    mean = array.mean(axis=-1)
    variance = array.var(axis=-1, ddof=1) if n > 1 else np.zeros_like(mean)
    return mean, *student(n, mean, variance, level)


def student(n: ArrayLike, mean: ArrayLike, variance: ArrayLike, level: float = 0.95) -> Interval:
    """Give Student's interval of a mean from the moments of a sample.

    Parameters
    ----------
    n : array_like of int
        Size of the sample.
    mean, variance : array_like
        Mean and sample variance (divided by n - 1), broadcast with n.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    Interval
        mean +- t sqrt(variance / n) with n - 1 degrees of freedom; infinite for n < 2. Exact for normal values,
        otherwise by the central limit theorem: skewed values need hundreds of rows.

    Raises
    ------
    ValueError
        For n that is not a count, a mean that is not finite, a negative variance, a level outside [0.01, 1).

    References
    ----------
    Student, "The probable error of a mean", Biometrika 6 (1908) 1-25.
    """
    size, centre, spread = broadcast(
        {"n": counts("n", n), "mean": numbers("mean", mean), "variance": numbers("variance", variance, least=0.0)}
    )
    safe = np.maximum(size, 2.0)
    half = np.where(size > 1, student_quantile(level, safe - 1.0) * np.sqrt(spread / safe), np.inf)
    return Interval(centre - half, centre + half)


def quantile_ranks(n: int, p: float, level: float = 0.95) -> tuple[int, int]:
    """Tell which of n sorted values bound the p-quantile of the distribution that they come from.

    Parameters
    ----------
    n : int
        Number of values.
    p : float
        0 to 1.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    tuple of int
        Ranks from 1 to n of the lower and the upper end; 0 and n + 1 where so few values leave an end open.

    Notes
    -----
    The number of values up to the quantile is binomial (n, p), whatever the distribution. Each end errs with at most
    half of 1 - level, by the exact binomial probabilities, so the level is kept for every n and, the ends being
    included, for discrete distributions too. H. A. David, H. N. Nagaraja, "Order Statistics", 3rd ed. (2003), 7.1.
    """
    size, share = int(one("n", counts("n", n))), one("p", shares("p", p))
    tail = 0.5 * (1.0 - confidence(level))
    if size == 0:
        return 0, 1
    first, upto = binomial_below(size, share)
    # The lower end errs if at most low - 1 values lie up to the quantile, the upper end if at least high do.
    low = int(np.searchsorted(upto, tail, side="right")) + first
    high = int(np.searchsorted(upto, 1.0 - tail, side="left")) + first + 1
    return low, high


def quantile_interval(
    values: ArrayLike, p: ArrayLike, level: float = 0.95
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give quantiles of values and their intervals, which suppose nothing about the distribution.

    Parameters
    ----------
    values : (n,) array_like
        Finite values.
    p : array_like
        0 to 1.
    level : float
        Probability that the interval covers the truth, from 0.01 to 1 (exclusive).

    Returns
    -------
    tuple of float64, shape of p
        The least value up to which a share p of the values lies, and its interval, ends included: values of
        `quantile_ranks`. An end is infinite where the values are too few; of no value the quantile is NaN.

    Raises
    ------
    ValueError
        For values that are not finite, p outside [0, 1] and a level outside [0.01, 1).
    """
    ordered = np.sort(numbers("values", values).ravel())
    n = ordered.size
    framed = np.concatenate([[-np.inf], ordered, [np.inf]])
    share = shares("p", p)
    ends = np.array([quantile_ranks(n, one, level) for one in share.ravel().tolist()], dtype=int).reshape(
        *share.shape, 2
    )
    rank = np.maximum(np.ceil(share * n), 1).astype(int)
    middle = framed[rank] if n else np.full(share.shape, np.nan)
    return middle, framed[ends[..., 0]], framed[ends[..., 1]]
