"""What is looked at in every row of a study: a share, seen or not, or a quantity.

The summaries count it, `until` stops by it, and two runs are compared by it. All three read a row in one way.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim_kernels.state import FloatArray

Observed = dict[str, FloatArray]
"""A number for each row, by the keys of a study's metrics; NaN in a row that is no trial of it."""


class Metric(NamedTuple):
    """What a number of each row says.

    Parameters
    ----------
    words : str
        For people, such as "side 0 wins".
    steps : int, optional
        None: it is 0 or 1, and its mean a share. Else it is a quantity, at least 0, and 1 / steps of its unit is the
        step to which it is rounded before it is summed: 10^6 rounds seconds to microseconds.
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


def whole_steps(values: NDArray[Any], steps: int) -> list[int]:
    """Round finite values to whole steps, as integers of any size: their sums are exact in any order."""
    # From 2^53 on every float is a whole number, and multiplied by the steps it may be too large for a float.
    return [round(value * steps) if value < 2**53 else int(value) * steps for value in values.tolist()]
