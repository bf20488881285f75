"""Distributions and grids: what a quantity may be instead of a number.

Draws are quantiles of uniform numbers, so that studies which differ in a distribution draw from the same place of it.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from carromsim_kernels.rng import normal_quantile_batch
from carromsim_kernels.state import FloatArray

__all__ = ["Grid", "Normal", "Truncated", "Uniform", "real"]

_LEAST_MASS = 1e-200
"""A truncated normal must have kept this much of the normal; beyond 30 sd its tail has no digits left."""

_BELOW_ONE = 1.0 - 2.0**-53


class _Spread(ABC):
    """What the distributions share: they are declared by their numbers and checked one by one."""

    form: ClassVar[str]

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """Ends of the interval in which every draw lies."""

    def quantile(self, p: ArrayLike) -> FloatArray:
        """Give the values below which a draw lies with probability p.

        Parameters
        ----------
        p : array of float
            0 < p < 1, any shape.

        Returns
        -------
        float64 array of the same shape
        """
        p = np.asarray(p, dtype=np.float64)
        if not np.all((p > 0.0) & (p < 1.0)):
            raise ValueError(f"p = {p}: must lie between 0 and 1, both excluded")
        return self._quantile(p)

    @abstractmethod
    def _quantile(self, p: FloatArray) -> FloatArray:
        """Give the quantiles of probabilities that have been checked."""

    def _check(self, **numbers: object) -> None:
        """Turn all arguments into finite floats; complain about all that are not."""
        bad = [f"{name} = {value!r}" for name, value in numbers.items() if real(value) is None]
        if bad:
            raise ValueError(f"{self.form}: {', '.join(bad)}: must be finite numbers")
        for name, value in numbers.items():
            object.__setattr__(self, name, real(value))


@dataclass(frozen=True)
class Uniform(_Spread):
    """Every value between two ends is equally likely.

    Parameters
    ----------
    low, high : float
        low < high.
    """

    low: float
    high: float
    form: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        """Check the ends."""
        self._check(low=self.low, high=self.high)
        _ascending(self.form, self.low, self.high)

    @property
    def support(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    def _quantile(self, p: FloatArray) -> FloatArray:
        return np.minimum(self.low + (self.high - self.low) * p, self.high)  # rounding may go beyond by one digit


@dataclass(frozen=True)
class Normal(_Spread):
    """The normal distribution. It has no ends: a bounded quantity needs `Truncated`.

    Parameters
    ----------
    mean : float
    sd : float
        Standard deviation, above 0.
    """

    mean: float
    sd: float
    form: ClassVar[str] = "normal"

    def __post_init__(self) -> None:
        """Check the numbers."""
        self._check(mean=self.mean, sd=self.sd)
        _positive(self.form, self.sd)

    @property
    def support(self) -> tuple[float, float]:
        """Everything."""
        return -math.inf, math.inf

    def _quantile(self, p: FloatArray) -> FloatArray:
        return self.mean + self.sd * _standard_quantile(p)


@dataclass(frozen=True)
class Truncated(_Spread):
    """A normal distribution of which only the part between two ends is kept.

    Parameters
    ----------
    mean, sd : float
        Of the normal before it is cut; sd above 0. The mean may lie outside the ends.
    low, high : float
        Ends, low < high, between which the normal must have kept a share that numbers can tell from 0.
    """

    mean: float
    sd: float
    low: float
    high: float
    form: ClassVar[str] = "truncated"

    def __post_init__(self) -> None:
        """Check the numbers and that something is left of the normal."""
        self._check(mean=self.mean, sd=self.sd, low=self.low, high=self.high)
        _positive(self.form, self.sd)
        _ascending(self.form, self.low, self.high)
        below, upto, _ = self._tails()
        if not upto - below > _LEAST_MASS:
            raise ValueError(
                f"truncated: nothing is left of the normal (mean {self.mean:g}, sd {self.sd:g}) between"
                f" {self.low:g} and {self.high:g}"
            )

    @property
    def support(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    def _tails(self) -> tuple[float, float, bool]:
        """Return the normal's probabilities below the two ends, and whether left and right were swapped for digits."""
        a, b = (self.low - self.mean) / self.sd, (self.high - self.mean) / self.sd
        swapped = a > 0.0  # far right the probabilities are all nearly 1; far left they keep their digits
        if swapped:
            a, b = -b, -a
        return _normal_cdf(a), _normal_cdf(b), swapped

    def _quantile(self, p: FloatArray) -> FloatArray:
        below, upto, swapped = self._tails()
        share = below + ((1.0 - p) if swapped else p) * (upto - below)
        z = _standard_quantile(np.clip(share, math.ulp(0.0), _BELOW_ONE))
        return np.clip(self.mean + self.sd * (-z if swapped else z), self.low, self.high)


@dataclass(frozen=True, init=False)
class Grid:
    """Chosen values, one after the other: with several grids, every combination is played equally often.

    Parameters
    ----------
    values : sequence of float
        At least one, no two equal, in any order.
    """

    values: tuple[float, ...]

    def __init__(self, values: Sequence[float]) -> None:
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        if not isinstance(listed, list | tuple) or not listed:
            raise ValueError(f"grid = {values!r}: must be a list of at least one number")
        bad = [repr(value) for value in listed if real(value) is None]
        if bad:
            raise ValueError(f"grid: {', '.join(bad)}: must be finite numbers")
        numbers = tuple(float(value) for value in listed)
        twice = sorted(value for value, count in Counter(numbers).items() if count > 1)
        if twice:
            raise ValueError(f"grid: {', '.join(f'{value:g}' for value in twice)} stands there more than once")
        object.__setattr__(self, "values", numbers)

    def __len__(self) -> int:
        return len(self.values)

    def quantile(self, p: float) -> float:
        """Give the smallest value that at least a share p of the values, 0 < p < 1, does not exceed."""
        return sorted(self.values)[math.ceil(p * len(self.values)) - 1]

    @classmethod
    def spaced(cls, low: float, high: float, count: int) -> Self:
        """Give `count` values from low to high, both included, at equal distances."""
        if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= 10**6:
            raise ValueError(f"grid: count = {count!r}: must be a whole number from 2 to 1000000")
        if (first := real(low)) is None or (last := real(high)) is None:
            raise ValueError(f"grid: from = {low!r}, to = {high!r}: must be finite numbers")
        _ascending("grid", first, last, "from", "to")
        inner = [first + (last - first) * i / (count - 1) for i in range(count - 1)]
        return cls([*inner, last])


def real(value: object) -> float | None:
    """Return a finite number as float; None for everything else, truth values included."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _ascending(form: str, low: float, high: float, first: str = "low", last: str = "high") -> None:
    told = f"{form}: {first} = {low:g}, {last} = {high:g}"
    if not low < high:
        raise ValueError(f"{told}: {first} must be less than {last}")
    if not math.isfinite(high - low):
        raise ValueError(f"{told}: are too far apart, must differ by a number that a float can hold")


def _positive(form: str, sd: float) -> None:
    if not sd > 0.0:
        raise ValueError(f"{form}: sd = {sd:g}: must be greater than 0")


def _normal_cdf(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def _standard_quantile(p: FloatArray) -> FloatArray:
    """Quantiles of the standard normal by the formula that the kernels use, element by element."""
    out = np.empty(p.size)
    normal_quantile_batch(np.array(p, order="C").reshape(-1), out)
    return out.reshape(p.shape)
