"""Which row is which board of which variant in which scenario.

Rows stand in blocks, one for each scenario, the comparison itself first. In a block the variant changes fastest: row
offset + k * V + v is number k of variant v, of V. So any whole multiple of V rows from the start of a block holds
complete pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from carromsim_kernels.state import IntArray


class Cell(NamedTuple):
    """Numbers of one variant in one block."""

    block: int
    variant: int
    numbers: range


@dataclass(frozen=True)
class Blocks:
    """The rows of a study.

    Parameters
    ----------
    variants : int
        V, at least 1.
    numbers : tuple of int
        How many numbers each block has.
    """

    variants: int
    numbers: tuple[int, ...]

    @property
    def rows(self) -> int:
        """All rows."""
        return self.variants * sum(self.numbers)

    @property
    def offsets(self) -> IntArray:
        """First row of each block, and the end of the last: (blocks + 1,) int64."""
        return np.cumsum([0, *(self.variants * count for count in self.numbers)], dtype=np.int64)

    def cells(self, rows: range) -> Iterator[Cell]:
        """Give what some rows are, cell by cell.

        Parameters
        ----------
        rows : range
            One after the other.
        """
        for block, offset in enumerate(self.offsets[:-1].tolist()):
            for variant in range(self.variants):
                first, end = (self._number(row - offset - variant, block) for row in (rows.start, rows.stop))
                if first < end:
                    yield Cell(block, variant, range(first, end))

    def _number(self, row: int, block: int) -> int:
        """Give the first number of a variant at or after a row that is counted from its number 0."""
        return min(max(-(-row // self.variants), 0), self.numbers[block])

    def rows_of(self, block: int, variant: int, numbers: IntArray) -> IntArray:
        """Give the rows of some numbers (n,) of a cell."""
        rows: IntArray = self.offsets[block] + numbers * self.variants + variant
        return rows

    def place(self, rows: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Give the block, the variant and the number of rows (n,), each (n,) int64."""
        offsets = self.offsets
        block = np.searchsorted(offsets, rows, side="right").astype(np.int64) - 1
        number, variant = np.divmod(rows - offsets[block], self.variants)
        return block, variant, number
