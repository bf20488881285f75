"""What a result hangs on: rows are cut into bins by each quantity that varied, and counted bin by bin.

The bins follow from the declaration alone, thirds of a distribution or the values of a grid, and not from the rows:
so counts of chunks add up.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from carromsim.studies.declaring.parameters import Distribution, Grid, Parameter
from carromsim.tables.batches import values_of
from carromsim_kernels.state import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

MOST_VALUES = 12
"""A grid of more values is cut into thirds like a distribution."""

HAND = ("x", "angle", "speed", "spin")
"""What the hand executes; the table has a column for what was intended and one for what was done."""


def column_of(name: str) -> str:
    """Name the column that holds what a row drew for a parameter of the study."""
    return f"intended_{name}" if name in HAND else name


@dataclass(frozen=True, kw_only=True)
class Split:
    """How rows are cut by one quantity.

    Parameters
    ----------
    key : str
        A field of the study, or that with "error_" before it: what the hand added to what was intended.
    edges : tuple of float
        Between neighbouring bins, ascending, in the quantity's own unit.
    values : tuple of float
        The value of each bin, if it holds a single one.
    middles : tuple of float
        Where each bin is drawn: its value, or the median of what it holds; empty of what nobody declared.
    measure : callable
        Takes rows of the table `strokes` and gives the quantity, (n,) float64.
    """

    key: str
    edges: tuple[float, ...]
    values: tuple[float, ...] = ()
    middles: tuple[float, ...] = ()
    measure: "Callable[[pa.RecordBatch], FloatArray]"

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.edges) + 1

    def place(self, rows: "pa.RecordBatch") -> IntArray:
        """Give the bin of each row, (n,) int64."""
        return np.searchsorted(np.array(self.edges), self.measure(rows), side="right")

    def in_words(self, scale: float, unit: str) -> list[str]:
        """Name the bins, numbers multiplied by `scale` for the unit that people read."""
        if self.values:
            return [f"{value * scale:g} {unit}".rstrip() for value in self.values]
        edges = [f"{edge * scale:.3g}" for edge in self.edges]
        between = [f"{low} to {high}" for low, high in pairwise(edges)]
        return [f"{words} {unit}".rstrip() for words in (f"below {edges[0]}", *between, f"above {edges[-1]}")]


def declared_splits(parameters: Mapping[str, Parameter], parts: int = 3) -> tuple[Split, ...]:
    """Give one split for each parameter that is no number, in their order; a distribution is cut into equal parts."""
    return tuple(_declared(name, value, parts) for name, value in parameters.items() if not isinstance(value, float))


def middle(parameter: Parameter) -> float:
    """Give a number itself, and the median of a distribution or of a grid's values (the upper one of two)."""
    if isinstance(parameter, Grid):
        return sorted(parameter.values)[len(parameter) // 2]
    return parameter if isinstance(parameter, float) else float(parameter.quantile(0.5))


def _declared(name: str, parameter: Distribution | Grid, parts: int) -> Split:
    """Cut by a distribution or a grid."""

    def measure(rows: "pa.RecordBatch") -> FloatArray:
        return values_of(rows, column_of(name))

    if not isinstance(parameter, Grid):
        cuts = parameter.quantile(np.arange(1, 2 * parts) / (2 * parts)).tolist()
        return Split(key=name, edges=tuple(cuts[1::2]), middles=tuple(cuts[::2]), measure=measure)
    values = sorted(parameter.values)
    between = tuple((low + high) / 2.0 for low, high in pairwise(values))
    if len(values) <= MOST_VALUES:
        return Split(key=name, edges=between, values=tuple(values), middles=tuple(values), measure=measure)
    ends = [part * len(values) // parts for part in range(parts + 1)]
    middles = tuple(values[(low + high) // 2] for low, high in pairwise(ends))
    return Split(key=name, edges=tuple(between[end - 1] for end in ends[1:-1]), middles=middles, measure=measure)
