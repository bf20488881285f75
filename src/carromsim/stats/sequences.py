"""Intervals that may be looked at after every chunk, and used to stop: confidence sequences.

With probability `level` a confidence sequence covers the truth at every number of rows at once. So it holds at
whatever row a study is stopped, for whatever reason; an interval of a fixed number of rows does not.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.stats.checks import broadcast, confidence, counts, numbers, one, positive, shares, successes_of
from carromsim.stats.distributions import edge, log_gamma
from carromsim.stats.intervals import Interval
from carromsim_kernels.state import FloatArray

TUNED = 1000.0
"""Rows at which a sequence is narrowest, unless told otherwise."""

FIRST_ROWS = 500
"""Rows before which `asymptotic_mean` says nothing: it leans on the central limit theorem."""


def beta_binomial(successes: ArrayLike, n: ArrayLike, level: float = 0.95, tuned: float = TUNED) -> Interval:
    """Give the beta-binomial confidence sequence for a probability.

    Parameters
    ----------
    successes, n : array_like of int
        Counts so far, broadcast against each other; 0 <= successes <= n.
    level : float
        Probability that all intervals of the sequence cover the truth, from 0.01 to 1 (exclusive).
    tuned : float
        Trials at which the sequence is narrowest, above 0. It has to be chosen before the first look; the level
        holds for any.

    Returns
    -------
    Interval
        `low` and `high`, float64 arrays of the broadcast shape; (0, 1) without a trial.

    Raises
    ------
    ValueError
        For counts that are not whole, negative or more successes than trials, for a level outside [0.01, 1) and for
        `tuned` not above 0.

    Notes
    -----
    The values p at which `log_e_value` stays below log(1 / (1 - level)). It is a convex function of p and at most 0
    at successes / n, so they are an interval around that.

    References
    ----------
    H. Robbins, "Statistical methods related to the law of the iterated logarithm", Ann. Math. Stat. 41 (1970)
    1397-1409. S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
    sequences", Ann. Stat. 49 (2021) 1055-1080, two-sided beta-binomial mixture.
    """
    k, trials = successes_of(successes, n, ("successes", "n"))
    return share_ends(k, trials, level, tuned)


def share_ends(k: FloatArray, n: FloatArray, level: float, tuned: float) -> Interval:
    """Give the ends of `beta_binomial`, for real k and n (...) too."""
    bound = -math.log1p(-confidence(level))
    seen = np.where(n > 0, k / np.where(n > 0, n, 1.0), 0.5)

    def holds(p: FloatArray) -> NDArray[np.bool_]:
        return log_evidence(k, n, p, level, tuned) < bound

    low = edge(seen, np.zeros_like(seen), holds)
    high = edge(seen, np.ones_like(seen), holds)
    return Interval(np.where(k == 0, 0.0, low), np.where(k == n, 1.0, high))


def log_e_value(
    successes: ArrayLike, n: ArrayLike, against: ArrayLike = 0.5, level: float = 0.95, tuned: float = TUNED
) -> FloatArray:
    """Give the logarithm of the evidence against a probability, which may be looked at after every trial.

    Parameters
    ----------
    successes, n : array_like of int
        Counts so far, 0 <= successes <= n.
    against : array_like
        The probability that is doubted, from 0 to 1; broadcast with the counts.
    level, tuned : float
        As for `beta_binomial`, which holds the probabilities with log M < log(1 / (1 - level)).

    Returns
    -------
    (...) float64
        log M. If `against` is the truth, M exceeds 1/a at any time with probability at most a (Ville's inequality),
        so min(1, 1/M) is a p-value at any time.

    Raises
    ------
    ValueError
        As for `beta_binomial`, and for `against` outside [0, 1].

    Notes
    -----
    M is the probability of the trials so far if the probability of a success came from Beta(against c,
    (1 - against) c), over that if it is `against`.
    """
    k, trials = successes_of(successes, n, ("successes", "n"))
    doubted = shares("against", against)
    k, trials, doubted = broadcast({"successes": k, "n": trials, "against": doubted})
    return log_evidence(k, trials, doubted, level, tuned)


def decided(first: ArrayLike, second: ArrayLike, level: float = 0.95, tuned: float = TUNED) -> NDArray[np.int8]:
    """Tell which of two is more frequent, looked at after every chunk.

    Parameters
    ----------
    first, second : array_like of int
        Rows so far that are the first and not the second, and the other way round. Rows that are both or neither
        say nothing.
    level : float
        Probability that equals are never called different, from 0.01 to 1 (exclusive).
    tuned : float
        As for `beta_binomial`.

    Returns
    -------
    (...) int8
        1 if the first is more frequent, -1 if the second is, 0 as long as it is open.

    Raises
    ------
    ValueError
        As for `beta_binomial`.
    """
    a, b = broadcast({"first": counts("first", first), "second": counts("second", second)})
    sure = log_e_value(a, a + b, 0.5, level, tuned) >= -math.log1p(-confidence(level))
    return np.where(sure, np.sign(a - b), 0.0).astype(np.int8)


def asymptotic_mean(
    n: ArrayLike, mean: ArrayLike, variance: ArrayLike, level: float = 0.95, tuned: float = TUNED
) -> Interval:
    """Give the asymptotic confidence sequence for a mean.

    Parameters
    ----------
    n : array_like of int
        Rows so far.
    mean, variance : array_like
        Their mean and sample variance, broadcast with n.
    level : float
        Probability that all intervals of the sequence cover the truth, from 0.01 to 1 (exclusive).
    tuned : float
        Rows at which the sequence is narrowest, above 0; chosen before the first look.

    Returns
    -------
    Interval
        Infinite before `FIRST_ROWS`, and where all values were equal: they say nothing of the spread.

    Raises
    ------
    ValueError
        For n that is not a count, a mean that is not finite, a negative variance, a level outside [0.01, 1) and `tuned`
        not above 0.

    Notes
    -----
    mean +- sd sqrt((n r + 1) / (n^2 r) (log(n r + 1) - 2 log(1 - level))), with r for the paper's rho^2. The level
    holds in the limit of many rows before the first look, not exactly; very skewed values (a few rows carry the sum)
    need more than `FIRST_ROWS`.

    References
    ----------
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Ann. Stat. 52 (2024) 2613-2640, theorem 2.2.
    """
    size, centre, spread = broadcast(
        {"n": counts("n", n), "mean": numbers("mean", mean), "variance": numbers("variance", variance, least=0.0)}
    )
    known = (size >= FIRST_ROWS) & (spread > 0)
    half = np.where(known, np.sqrt(spread) * mean_factor(np.maximum(size, 1.0), level, tuned), np.inf)
    return Interval(centre - half, centre + half)


def mean_factor(n: ArrayLike, level: float = 0.95, tuned: float = TUNED) -> FloatArray:
    """Give the half-width of `asymptotic_mean` in standard deviations of a row, for n rows (...), n > 0."""
    rows = positive("n", n)
    ratio = rows * (_best(confidence(level)) / one("tuned", positive("tuned", tuned)))
    log_alpha = math.log1p(-confidence(level))
    return np.sqrt((ratio + 1.0) / (rows * ratio) * (np.log1p(ratio) - 2.0 * log_alpha))


@cache
def _best(level: float) -> float:
    """Give the u with u = log(1 + u) - 2 log(1 - level), which makes `mean_factor` least where u = n r."""
    start = -2.0 * math.log1p(-confidence(level))
    best = start
    for _ in range(200):  # a contraction, by 1 / (1 + u)
        best = start + math.log1p(best)
    return best


def prior_weight(level: float, tuned: float) -> float:
    """Give the weight of the prior, in trials, that makes the sequence narrowest at `tuned`.

    The prior's variance is p (1 - p) / (c + 1), which a normal mixture wants to be p (1 - p) u / tuned. Tuned to fewer
    than ten rows that cannot be, and the prior is as wide as a tenth of a trial makes it.
    """
    return max(one("tuned", positive("tuned", tuned)) / _best(confidence(level)) - 1.0, 0.1)


def log_evidence(k: FloatArray, n: FloatArray, p: FloatArray, level: float, tuned: float) -> FloatArray:
    """Give log M of `log_e_value`, for real k and n (...) too; p = 0 and p = 1 are taken for their neighbours."""
    prior = prior_weight(level, tuned)
    share = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    yes, no = prior * share, prior * (1.0 - share)
    gained = log_gamma(yes + k) - log_gamma(yes) + log_gamma(no + (n - k)) - log_gamma(no)
    spent = log_gamma(prior + n) - math.lgamma(prior) + k * np.log(share) + (n - k) * np.log1p(-share)
    return np.asarray(gained - spent)
