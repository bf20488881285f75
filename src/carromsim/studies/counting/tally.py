"""What is known of a quantity that was measured many times, kept so that it adds up exactly in any order.

Sums of floats depend on their order, and a study is summed in whatever order its chunks come back. So values are
rounded to whole steps before they are summed, as integers of any size.
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from carromsim.stats import normal_quantile
from carromsim.studies.counting.metrics import exact_dot, whole_steps
from carromsim_kernels.state import FloatArray, IntArray

_OCTAVES = range(-10, 18)
"""Powers of two between which values are told apart: 1 ms to 36 h, 1 mm to 131 km, 0 to 131,072 events."""

_PER_OCTAVE = 64
"""Bins from each power of two to the next: a quantile is good to 1.6 % of itself."""

# Exact in floating point, so that a value falls into the same bin on every machine.
_EDGES: FloatArray = np.concatenate(
    [[0.0], *(np.ldexp(1.0 + np.arange(_PER_OCTAVE) / _PER_OCTAVE, octave) for octave in _OCTAVES), [np.inf]]
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """Count, exact moments and a histogram of values that are at least 0.

    Parameters
    ----------
    steps : int
        Into which a unit is divided before values are summed: 10^6 rounds seconds to microseconds.
    n : int
        Number of values.
    total, squares : int
        Sum of the values and of their squares, in steps.
    bins : (k,) int64
        Values by size; the edges are `_EDGES`.
    """

    steps: int
    n: int
    total: int
    squares: int
    bins: IntArray

    @classmethod
    def of(cls, values: NDArray[Any], steps: int = 1) -> Self:
        """Tally finite values (n,), each at least 0."""
        whole = whole_steps(values, steps)
        place = np.searchsorted(_EDGES, values, side="right") - 1
        bins = np.bincount(place, minlength=len(_EDGES) - 1)
        total = exact_dot(whole, np.ones(len(whole), np.int64))
        return cls(steps=steps, n=len(whole), total=total, squares=exact_dot(whole, whole), bins=bins)

    def __add__(self, other: Self) -> Self:
        if self.steps != other.steps:
            raise ValueError(f"steps = {other.steps}: must be {self.steps}, tallies of different steps do not add up")
        return type(self)(
            steps=self.steps,
            n=self.n + other.n,
            total=self.total + other.total,
            squares=self.squares + other.squares,
            bins=self.bins + other.bins,
        )

    @property
    def mean(self) -> float:
        """Mean; NaN of no value."""
        return self.total / (self.n * self.steps) if self.n else math.nan

    @property
    def sd(self) -> float:
        """Sample standard deviation; NaN of fewer than two values."""
        if self.n < 2:
            return math.nan
        # In integers, of which 2^-32 of a step is kept: squares may be too large for floats.
        variance = ((self.n * self.squares - self.total**2) << 64) // (self.n * (self.n - 1))
        return math.isqrt(variance) / (self.steps << 32)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Give the interval of the mean, mean +- z sd / sqrt(n); infinite of fewer than two values."""
        half = normal_quantile(level) * self.sd / math.sqrt(self.n) if self.n > 1 else math.inf
        return (self.mean - half, self.mean + half) if self.n else (-math.inf, math.inf)

    def quantile(self, p: float) -> float:
        """Give the least value up to which a share p of the values lies, interpolated in its bin.

        Parameters
        ----------
        p : float
            0 to 1.

        Returns
        -------
        float
            Good to 1.6 %, or to 2^-10 where that is more; a whole number if the steps are 1. NaN of no value, inf
            beyond the last edge (131,072).
        """
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"p = {p!r}: must be from 0 to 1")
        if self.n == 0:
            return math.nan
        upto = np.cumsum(self.bins)
        rank = max(math.ceil(p * self.n), 1)
        place = int(np.searchsorted(upto, rank))
        low, high = _EDGES[place : place + 2].tolist()
        if high == math.inf:
            return math.inf
        share = (rank - 0.5 - (upto[place] - self.bins[place])) / self.bins[place]
        value = float(low + share * (high - low))
        return float(math.floor(value)) if self.steps == 1 else value

    def histogram(self, most: int) -> tuple[FloatArray, IntArray]:
        """Count values in bars of equal width, which is a power of two.

        Parameters
        ----------
        most : int
            How many bars there are about at most.

        Returns
        -------
        (k + 1,) float64
            Edges of the bars; what lies on one belongs to the bar above it. Of no value one empty bar.
        (k,) int64
            Values of each bar, exact: no bar ends inside of one of `bins`.
        """
        there = np.flatnonzero(self.bins)
        if not len(there):
            return np.array([0.0, 1.0]), np.zeros(1, np.int64)
        first, last = there[[0, -1]]
        low, high = float(_EDGES[first]), float(_EDGES[min(last + 1, len(_EDGES) - 2)])
        least = max(1.0 if self.steps == 1 else 0.0, high - float(_EDGES[min(last, len(_EDGES) - 3)]))
        width = 2.0 ** math.ceil(math.log2(max((high - low) / most, least)))
        place = np.floor_divide(_EDGES[:-1][there], width).astype(np.int64)
        counts = np.bincount(place - place[0], self.bins[there]).astype(np.int64)
        return (place[0] + np.arange(len(counts) + 1)) * width, counts

    def to_dict(self) -> dict[str, float | None]:
        """Give the numbers worth reading for JSON; what cannot be known is None."""
        low, high = self.interval()
        found = {"n": self.n, "mean": self.mean, "low": low, "high": high, "sd": self.sd}
        found |= {f"q{100 * p:02.0f}": self.quantile(p) for p in (0.05, 0.5, 0.95)}
        return {name: value if math.isfinite(value) else None for name, value in found.items()}
