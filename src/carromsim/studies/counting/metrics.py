"""What is looked at in every row of a study: a share, seen or not, or a quantity.

The summaries count it, `until` stops by it, and two runs are compared by it. All three read a row in one way.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim_kernels.state import FloatArray

_EXACT = 2**53
"""From here on not every whole number is a float."""

Observed = dict[str, FloatArray]
"""A number for each row, by the keys of a study's metrics; NaN in a row that is no trial of it."""


class Metric(NamedTuple):
    """What a number of each row says.

    Parameters
    ----------
    words : str
        For people, such as "side 0 wins".
    steps : int, optional
        None: it is 0 or 1, and its mean a share. Else it is a quantity, and 1 / steps of its unit is the step to
        which it is rounded before it is summed: 10^6 rounds seconds to microseconds.
    rows : str
        Which rows are trials of it, where these differ: no row is one of two metrics that differ in this.
    """

    words: str
    steps: int | None = None
    rows: str = ""

    @property
    def is_share(self) -> bool:
        """Whether it is seen or not."""
        return self.steps is None


def shares(words: Mapping[str, str]) -> dict[str, Metric]:
    """Describe what is seen or not, by key, in words."""
    return {key: Metric(each) for key, each in words.items()}


def quantities(measured: Mapping[str, tuple[str, int]]) -> dict[str, Metric]:
    """Describe quantities, by key: words, and to which part of the unit."""
    return {key: Metric(words, steps) for key, (words, steps) in measured.items()}


def over_rows(trial: NDArray[np.bool_], values: NDArray[Any]) -> FloatArray:
    """Give values of the rows that are trials as values of all rows, NaN elsewhere.

    Parameters
    ----------
    trial : (n,) bool
    values : (k,)
        In the order of the rows.

    Returns
    -------
    (n,) float64
    """
    found = np.full(len(trial), np.nan)
    found[trial] = values
    return found


def whole_steps(values: NDArray[Any], steps: int) -> NDArray[Any]:
    """Round finite values (n,) to whole steps: int64, or integers of any size as objects if they need it."""
    with np.errstate(over="ignore"):
        scaled = np.asarray(values, np.float64) * steps
    if np.all(np.abs(scaled) < _EXACT):
        return np.rint(scaled).astype(np.int64)
    # From 2^53 on every float is a whole number, and multiplied by the steps it may be too large for a float.
    whole = [round(value * steps) if value < _EXACT else int(value) * steps for value in values.tolist()]
    return np.array(whole, dtype=object)


def exact_dot(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Sum the products of whole numbers (n,), exactly: sums of floats would depend on their order."""
    if object not in (one.dtype, other.dtype) and len(one):
        largest = [max(int(values.max()), -int(values.min())) for values in (one, other)]
        if largest[0] * largest[1] * len(one) < 2**63:
            return int(one @ other)
    return sum(a * b for a, b in zip(one.tolist(), other.tolist(), strict=True))
