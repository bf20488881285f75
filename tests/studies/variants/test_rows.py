"""Which row is which board of which variant in which scenario."""

import numpy as np
import pytest

from carromsim.studies.variants.rows import Blocks

BLOCKS = Blocks(3, (5, 2, 2))
ALL = [(b, v, k) for b, count in enumerate(BLOCKS.numbers) for k in range(count) for v in range(3)]
"""Spelt out: block, variant and number of each row."""


def test_rows_stand_as_they_are_spelt_out() -> None:
    assert len(ALL) == BLOCKS.rows == 27
    assert BLOCKS.offsets.tolist() == [0, 15, 21, 27]
    block, variant, number = BLOCKS.place(np.arange(27))
    assert list(zip(block.tolist(), variant.tolist(), number.tolist(), strict=True)) == ALL
    for row, (b, v, k) in enumerate(ALL):
        assert BLOCKS.rows_of(b, v, np.array([k])).tolist() == [row]


@pytest.mark.parametrize("start", range(28))
def test_any_rows_are_the_numbers_of_some_cells(start: int) -> None:
    for stop in range(start, 28):
        found = [(cell.block, cell.variant, k) for cell in BLOCKS.cells(range(start, stop)) for k in cell.numbers]
        assert sorted(found) == sorted(ALL[start:stop])
        assert all(len(cell.numbers) for cell in BLOCKS.cells(range(start, stop)))


def test_whole_multiples_hold_whole_pairs() -> None:
    for start in range(0, 27, 3):
        (one, *others) = BLOCKS.cells(range(start, start + 3))
        assert [cell.numbers for cell in others] == [one.numbers] * 2
