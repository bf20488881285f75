"""What the functions of this package accept."""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from carromsim.problems import as_array
from carromsim_kernels.state import FloatArray

MOST = 1e100
"""Largest size of a number: its square is finite. Where it may not be 0 it is at least the inverse of this."""

LEAST_LEVEL = 0.01
"""Least level of an interval: the equations of narrower ones are not solved to the last digit."""

MOST_ROWS = 2.0**53
"""Largest count: beyond it float64 skips whole numbers."""


def real_array(name: str, value: ArrayLike) -> FloatArray:
    """Return numbers of any shape as float64; ValueError for what is none."""
    array = as_array(name, value)
    if array.dtype.kind == "O" and all(isinstance(each, Real | Decimal) for each in array.flat):
        try:
            return array.astype(np.float64)
        except (OverflowError, ValueError):  # beyond float64, or a NaN that signals
            raise ValueError(f"{name}: {value!r} is not allowed; give numbers that float64 can hold") from None
    if array.dtype.kind not in "iufb" and not (array.size == 0 and array.dtype.kind in "SU"):
        raise ValueError(f"{name}: {value!r} is not allowed; give numbers, or an array of numbers")
    return array.astype(np.float64)


def broadcast(arrays: Mapping[str, FloatArray]) -> tuple[FloatArray, ...]:
    """Broadcast arrays by name against each other."""
    try:
        return tuple(np.broadcast_arrays(*arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{shapes}: shapes do not fit; give one shape, or single numbers") from None


def one(name: str, array: FloatArray) -> float:
    """Give the number that an array without dimensions holds."""
    if array.ndim:
        raise ValueError(f"{name} has shape {array.shape}, which is not allowed; give one number")
    return float(array.item())


def counts(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds whole numbers >= 0 and return them as float64."""
    array = real_array(name, value)
    bad = ~((array <= MOST_ROWS) & (array >= 0) & (array == np.floor(array)))
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not a count; give whole numbers >= 0, up to 2**53")
    return array


def successes_of(successes: ArrayLike, n: ArrayLike, names: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
    """Check counts of successes among trials and broadcast them against each other."""
    k, trials = broadcast({names[0]: counts(names[0], successes), names[1]: counts(names[1], n)})
    if np.any(k > trials):
        raise ValueError(
            f"{names[0]}: {k[k > trials].flat[0]} exceeds {names[1]}; every count must lie between 0 and {names[1]}"
        )
    return k, trials


def numbers(name: str, value: ArrayLike, least: float = -np.inf) -> FloatArray:
    """Check that `value` holds finite numbers, none below `least`, and return them as float64."""
    array = real_array(name, value)
    bad = ~((np.abs(array) <= MOST) & (array >= least))
    if np.any(bad):
        allowed = "finite numbers" if least == -np.inf else f"finite numbers >= {least:g}"
        allowed += "" if np.any(~np.isfinite(array)) else f", up to {MOST:g}"
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give {allowed}")
    return array


def positive(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds finite numbers above 0 and return them as float64."""
    array = real_array(name, value)
    bad = ~((array <= MOST) & (array >= 1.0 / MOST))
    if np.any(bad):
        few = bool(np.any((array > 0) & np.isfinite(array) & bad))
        limits = f", from {1.0 / MOST:g} to {MOST:g}" if few else ""
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give finite numbers above 0{limits}")
    return array


def shares(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds numbers from 0 to 1 and return them as float64."""
    array = real_array(name, value)
    bad = ~((array >= 0) & (array <= 1))  # also catches NaN
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give numbers from 0 to 1")
    return array


def between(name: str, value: float) -> float:
    """Check a probability that is neither 0 nor 1."""
    number = one(name, real_array(name, value))
    if not 0.0 < number < 1.0:  # also catches NaN
        raise ValueError(f"{name}: {value!r} is not allowed; give a probability between 0 and 1 (exclusive)")
    return number


def confidence(level: float) -> float:
    """Check the level of an interval or a sequence of them."""
    number = between("level", level)
    if number < LEAST_LEVEL:
        raise ValueError(f"level: {level!r} is not allowed; give a probability from {LEAST_LEVEL} to 1 (exclusive)")
    return number
