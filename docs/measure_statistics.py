"""Measures how often intervals miss, fills the tables of docs/statistics.md.

``python docs/measure_statistics.py`` takes a minute or two; with ``--study`` it plays many studies that stop
themselves, which takes longer.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from filling import filled, table
from numpy.typing import NDArray
from scipy.stats import binom, multinomial

from carromsim import stats
from carromsim.stats.distributions import edge
from carromsim.stats.sequences import FIRST_ROWS, TUNED, log_evidence, mean_factor

Draw = Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]

PAGE = Path(__file__).parent / "statistics.md"
LEVEL = 0.95
SHARES = np.linspace(0.01, 0.99, 99)
QUANTILES = (0.05, 0.5, 0.95)
WAYS: dict[str, tuple[Draw, float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "uniform": (lambda rng, shape: rng.uniform(size=shape), 0.5),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "Poisson, mean 0.5": (lambda rng, shape: rng.poisson(0.5, size=shape).astype(np.float64), 0.5),
    "log-normal, sigma 1": (lambda rng, shape: rng.lognormal(0.0, 1.0, size=shape), float(np.exp(0.5))),
}
"""Kinds of values: how they are drawn, and their true mean."""


# Exact: the probabilities of all outcomes whose interval covers the truth, summed.


def wilson_coverage(n: int, shares: NDArray[np.float64] = SHARES) -> NDArray[np.float64]:
    """Give the exact coverage for each share (k,)."""
    k = np.arange(n + 1)
    low, high = stats.wilson(k, n, LEVEL)
    covered = (low <= shares[:, np.newaxis]) & (shares[:, np.newaxis] <= high)
    return (binom.pmf(k, n, shares[:, np.newaxis]) * covered).sum(axis=1)


def newcombe_coverage(n1: int, n2: int, grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the exact coverage for each pair of shares of the grid (k, k)."""
    k1, k2 = np.arange(n1 + 1)[:, np.newaxis], np.arange(n2 + 1)
    found = stats.newcombe(k1, n1, k2, n2, LEVEL)
    weights = [(binom.pmf(np.arange(n1 + 1), n1, p), binom.pmf(np.arange(n2 + 1), n2, p)) for p in grid]
    return np.array(
        [
            [one @ ((found.low <= p - q) & (p - q <= found.high)) @ other for q, (_, other) in zip(grid, weights)]
            for p, (one, _) in zip(grid, weights)
        ]
    )


def tango_coverage(n: int, shares: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    """Give the exact coverage for each pair of shares of rows that are the first only and the second only (k,)."""
    first, second = (axis.ravel() for axis in np.mgrid[: n + 1, : n + 1])
    first, second = first[first + second <= n], second[first + second <= n]
    found = stats.paired_shares(0, first, second, n - first - second, LEVEL)
    counts = np.stack([first, second, n - first - second], axis=-1)
    return np.array(
        [
            multinomial.pmf(counts, n, [p, q, 1.0 - p - q]) @ ((found.low <= p - q) & (p - q <= found.high))
            for p, q in shares
        ]
    )


def quantile_coverage(n: int, p: float) -> float:
    """Give the exact coverage of the interval of a quantile of a continuous distribution."""
    low, high = stats.quantile_ranks(n, p, LEVEL)
    return float(binom.cdf(high - 1, n, p) - binom.cdf(low - 1, n, p))


def sequence_misses(p: float, rows: int, tuned: float = TUNED) -> float:
    """Give the exact probability that beta_binomial misses p at any of so many rows, looked at after each."""
    n, k = np.arange(1.0, rows + 1.0)[:, np.newaxis], np.arange(rows + 1.0)
    missing = log_evidence(np.minimum(k, n), n, np.array(p), LEVEL, tuned) >= -np.log1p(-LEVEL)
    return _ever(missing, p)


def wilson_misses(p: float, rows: int) -> float:
    """Give the exact probability that Wilson's interval misses p at any of so many rows from 10 on."""
    n, k = np.arange(1.0, rows + 1.0)[:, np.newaxis], np.arange(rows + 1.0)
    low, high = stats.wilson(np.minimum(k, n), n, LEVEL)
    return _ever(((p < low) | (high < p)) & (n >= 10), p)


def _ever(missing: NDArray[np.bool_], p: float) -> float:
    """Give the probability that successes k reach a place [n - 1, k] that is missing."""
    mass = np.zeros(missing.shape[1])
    mass[0] = 1.0
    lost = 0.0
    for now in missing:
        mass = (1.0 - p) * mass + p * np.concatenate([[0.0], mass[:-1]])
        lost += float(mass[now].sum())
        mass[now] = 0.0
    return lost


# Simulated.


def student_misses(draw: Draw, truth: float, n: int, runs: int, rng: np.random.Generator) -> int:
    """Count runs of n values whose interval of the mean misses the truth."""
    _, low, high = stats.mean_of(draw(rng, (runs, n)), LEVEL)
    return int(((truth < low) | (high < truth)).sum())


def share_bounds(p: float, rows: int, tuned: float = TUNED) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give between which counts of successes (rows,) beta_binomial still covers p, after each row."""
    n = np.arange(1.0, rows + 1.0)

    def covers(k: NDArray[np.float64]) -> NDArray[np.bool_]:
        return log_evidence(k, n, np.array(p), LEVEL, tuned) < -np.log1p(-LEVEL)

    return edge(p * n, np.zeros(rows), covers), edge(p * n, n, covers)


def share_sequence_misses(p: float, rows: int, runs: int, rng: np.random.Generator, tuned: float = TUNED) -> int:
    """Count runs in which beta_binomial misses p at any row, looked at after each."""
    low, high = share_bounds(p, rows, tuned)
    missed = 0
    for start in range(0, runs, 500):
        k = np.cumsum(rng.random((min(500, runs - start), rows)) < p, axis=1)
        missed += int(((k < low) | (high < k)).any(axis=1).sum())
    return missed


def mean_sequence_misses(draw: Draw, truth: float, rows: int, runs: int, rng: np.random.Generator) -> int:
    """Count runs in which asymptotic_mean misses the truth at any row, looked at after each."""
    n = np.arange(1.0, rows + 1.0)
    missed = 0
    for start in range(0, runs, 200):
        values = draw(rng, (min(200, runs - start), rows))
        mean = np.cumsum(values, axis=1) / n
        spread = (np.cumsum(values * values, axis=1) - n * mean * mean)[:, FIRST_ROWS - 1 :]
        sd = np.sqrt(np.maximum(spread, 0.0) / (n[FIRST_ROWS - 1 :] - 1.0))
        away = np.abs(mean[:, FIRST_ROWS - 1 :] - truth) > sd * mean_factor(n[FIRST_ROWS - 1 :], LEVEL)
        missed += int(away.any(axis=1).sum())
    return missed


DISCORDANT = [(p, q) for p in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3) for q in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)]
"""Shares of rows that are a success of the first run only, and of the second only."""
