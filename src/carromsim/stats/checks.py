"""What the functions of this package accept."""

import numpy as np
from numpy.typing import ArrayLike

from carromsim_kernels.state import FloatArray


def counts(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds whole numbers >= 0 and return them as float64."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= 0) & (array == np.floor(array)))
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not a count; give whole numbers >= 0")
    return array


def successes_of(successes: ArrayLike, n: ArrayLike, names: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
    """Check counts of successes among trials and broadcast them against each other."""
    k, trials = np.broadcast_arrays(counts(names[0], successes), counts(names[1], n))
    if np.any(k > trials):
        raise ValueError(
            f"{names[0]}: {k[k > trials].flat[0]} exceeds {names[1]}; every count must lie between 0 and {names[1]}"
        )
    return k, trials


def numbers(name: str, value: ArrayLike, least: float = -np.inf) -> FloatArray:
    """Check that `value` holds finite numbers, none below `least`, and return them as float64."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array >= least))
    if np.any(bad):
        allowed = "finite numbers" if least == -np.inf else f"finite numbers >= {least:g}"
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give {allowed}")
    return array


def positive(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds finite numbers above 0 and return them as float64."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~(np.isfinite(array) & (array > 0))
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give finite numbers above 0")
    return array


def shares(name: str, value: ArrayLike) -> FloatArray:
    """Check that `value` holds numbers from 0 to 1 and return them as float64."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~((array >= 0) & (array <= 1))  # also catches NaN
    if np.any(bad):
        raise ValueError(f"{name}: {array[bad].flat[0]} is not allowed; give numbers from 0 to 1")
    return array


def between(name: str, value: float) -> float:
    """Check a probability that is neither 0 nor 1."""
    if not 0.0 < value < 1.0:  # also catches NaN
        raise ValueError(f"{name}: {value!r} is not allowed; give a probability between 0 and 1 (exclusive)")
    return value
