"""Normal, Student's and binomial distribution, without scipy, whose import takes longer than a thousand breaks."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.stats.checks import confidence, positive
from carromsim_kernels.state import FloatArray

_HALVINGS = 60

_STEPS = np.arange(-4.5, 4.5, 1.0 / 32.0)
_NODES: FloatArray = np.exp(0.5 * np.pi * np.sinh(_STEPS))
_WEIGHTS: FloatArray = _NODES * 0.5 * np.pi * np.cosh(_STEPS) / 32.0
"""Quadrature over 0 to infinity by the double exponential substitution of H. Takahasi, M. Mori, Publ. RIMS 9 (1974)
721-741: x = exp(pi/2 sinh u), and the trapezoidal rule in u."""


def log_gamma(x: ArrayLike) -> FloatArray:
    """Give the logarithm of the gamma function of positive numbers (...)."""
    array = np.asarray(x, dtype=np.float64)
    return np.array([math.lgamma(value) for value in array.ravel().tolist()], dtype=np.float64).reshape(array.shape)


def normal_quantile(level: float) -> float:
    """Give z such that a standard normal variable lies within +-z with probability `level`."""
    return NormalDist().inv_cdf(0.5 + 0.5 * confidence(level))


def normal_p(z: ArrayLike) -> FloatArray:
    """Give the probability that a standard normal variable lies at least as far from 0 as z (...)."""
    array = np.abs(np.asarray(z, dtype=np.float64)) / math.sqrt(2.0)
    return np.array([math.erfc(value) for value in array.ravel().tolist()], dtype=np.float64).reshape(array.shape)


def student_p(t: ArrayLike, df: ArrayLike) -> FloatArray:
    """Give the probability that Student's variable lies at least as far from 0 as t.

    Parameters
    ----------
    t, df : array_like
        Values and degrees of freedom (at least 1, any real number), broadcast against each other.

    Returns
    -------
    (...) float64
        Relative error below 1e-11, in the tails too.

    Notes
    -----
    With g(s) = (1 + s^2/df)^(-(df+1)/2) it is the integral of g from |t| on over that from 0 on, both by
    quadrature, so that no gamma function cancels where df is large.
    """
    value, freedom = np.broadcast_arrays(np.abs(np.asarray(t, dtype=np.float64)), positive("df", df))
    return _beyond(value, freedom) / _beyond(np.zeros_like(value), freedom)


def student_quantile(level: float, df: ArrayLike) -> FloatArray:
    """Give t such that Student's variable lies within +-t with probability `level`.

    Parameters
    ----------
    level : float
        From 0.01 to 1 (exclusive).
    df : array_like
        Degrees of freedom, at least 1, any real number.

    Returns
    -------
    (...) float64
        Relative error below 1e-10.

    Notes
    -----
    Newton's method on the logarithm of the probability beyond t as a function of log t. That function falls and is
    concave, so from the second step on t comes down to the root from above and cannot miss it.
    """
    outside = 1.0 - confidence(level)
    freedom = positive("df", df)
    t = np.full(freedom.shape, normal_quantile(level))
    whole = _beyond(np.zeros_like(t), freedom)
    for _ in range(60):
        beyond = _beyond(t, freedom)
        slope = t * _density(t, freedom) / beyond
        step = np.log(beyond / (whole * outside)) / slope
        t = t * np.exp(np.minimum(step, 20.0))
        if np.all(np.abs(step) < 1e-14):
            break
    return t


def _density(t: FloatArray, df: FloatArray) -> FloatArray:
    """Give Student's density without its constant."""
    return np.exp(-0.5 * (df + 1.0) * np.log1p(t * t / df))


def _beyond(t: FloatArray, df: FloatArray) -> FloatArray:
    """Integrate `_density` from t to infinity, (...)."""
    at = t[..., np.newaxis]
    freedom = df[..., np.newaxis]
    # How far the density reaches beyond t: about 1 in the middle, and in the tail until it falls to 1/e.
    reach = (freedom + at * at) / ((freedom + 1.0) * np.maximum(at, 1.0))
    ahead = reach * _NODES
    fall = np.exp(-0.5 * (freedom + 1.0) * np.log1p(ahead * (2.0 * at + ahead) / (freedom + at * at)))
    return _density(t, df) * (reach[..., 0] * (fall @ _WEIGHTS))


def binomial_below(n: int, p: float) -> tuple[int, FloatArray]:
    """Tell how likely at most so many successes in n trials are, wherever that is not 0 or 1 for certain.

    Parameters
    ----------
    n : int
        Trials, at least 1.
    p : float
        Probability of a success, from 0 to 1.

    Returns
    -------
    first : int
        Fewer successes than this have a probability below 1e-20.
    upto : (k,) float64
        upto[i] is the probability of at most first + i successes; it ends with 1.

    Notes
    -----
    Neighbouring probabilities have a simple ratio, and their sum is 1, so no factorial is needed.
    """
    if p in (0.0, 1.0):
        return round(n * p), np.ones(1)
    spread = 12.0 * math.sqrt(n * p * (1.0 - p)) + 60.0
    first, last = max(math.floor(n * p - spread), 0), min(math.ceil(n * p + spread), n)
    k = np.arange(first, last, dtype=np.float64)
    ratio = np.log((n - k) / (k + 1.0)) + (math.log(p) - math.log1p(-p))
    log_pmf = np.concatenate([[0.0], np.cumsum(ratio)])
    pmf = np.exp(log_pmf - log_pmf.max())
    upto = np.cumsum(pmf)
    return first, upto / upto[-1]


def edge(inside: FloatArray, outside: FloatArray, holds: Callable[[FloatArray], NDArray[np.bool_]]) -> FloatArray:
    """Find where between two points something stops to hold, by halving, for all elements at once.

    Parameters
    ----------
    inside : (...) float64
        Points where it holds.
    outside : (...) float64
        Points beyond the edge. They are the answer where it holds all the way; they are never tried themselves.
    holds : callable
        From points (...) to truth values (...); true from `inside` to the edge, false beyond.

    Returns
    -------
    (...) float64
    """
    within, beyond = inside.astype(np.float64), outside.astype(np.float64)
    for _ in range(_HALVINGS):
        middle = 0.5 * (within + beyond)
        true = holds(middle)
        within, beyond = np.where(true, middle, within), np.where(true, beyond, middle)
    return beyond
