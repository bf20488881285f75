"""Intervals that say how far a simulated frequency can be trusted.

Plain NumPy: importing scipy.stats takes longer than simulating a thousand breaks.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Interval(NamedTuple):
    """Lower and upper end, arrays of one shape."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def wilson(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> Interval:
    """Give Wilson's score interval for a probability seen as `successes` out of `n`.

    Unlike the textbook p +- z sqrt(p (1 - p) / n) it keeps its level for rare outcomes and small
    samples, never leaves [0, 1] and says something when nothing was seen (0 of n).

    Parameters
    ----------
    successes, n : array_like of int
        Counts, broadcast against each other; 0 <= successes <= n.
    level : float
        Probability that the interval covers the truth, between 0 and 1 (exclusive).

    Returns
    -------
    Interval
        `low` and `high`, float64 arrays of the broadcast shape (0-d for two numbers). No trial at
        all (n = 0) leaves everything possible: (0, 1).

    Raises
    ------
    ValueError
        For counts that are not whole, negative or more successes than trials, and for a level
        outside (0, 1).

    References
    ----------
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    J. Am. Stat. Assoc. 22 (1927) 209-212; without continuity correction. Recommended by
    L. D. Brown, T. T. Cai, A. DasGupta, Statistical Science 16 (2001) 101-133.
    """
    k, trials = np.broadcast_arrays(_counts("successes", successes), _counts("n", n))
    if np.any(k > trials):
        raise ValueError(f"successes: {np.max(k)} exceeds n; every count must lie between 0 and n")
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


def mean_interval(counts: ArrayLike, level: float = 0.95) -> tuple[float, float, float]:
    """Give the mean of a count variable and its large-sample interval, from the variable's histogram.

    Parameters
    ----------
    counts : (k,) array_like of int
        counts[v] is how often the value v was seen.
    level : float
        Probability that the interval covers the truth, between 0 and 1 (exclusive).

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
    hist = _counts("counts", counts)
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


def normal_quantile(level: float) -> float:
    """Give z such that a standard normal variable lies within +-z with probability `level`."""
    if not 0.0 < level < 1.0:  # also catches NaN
        raise ValueError(f"level: {level!r} is not allowed; give a probability between 0 and 1 (exclusive)")
    return NormalDist().inv_cdf(0.5 + 0.5 * level)


def _counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Check that `value` holds whole numbers >= 0 and return them as float64."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0) & (array == np.floor(array)))
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not a count; give whole numbers >= 0")
    return array
