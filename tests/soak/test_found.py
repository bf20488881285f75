"""Rows of soaks that once broke a limit: each of them ends within the limits now.

They are named by seed, block and row, or by block and row of seed 1.
"""

import numpy as np
import pytest

from carromsim_kernels.state import Status
from soak.limits import OUTSIDE, OVERLAP, deepest, farthest, impossible
from soak.scenes import Choice, Motion, draw

PASSED_THROUGH = [(1323, 598), (2935, 230), (3770, 546), (6496, 119), (6576, 968), (6696, 453), (7895, 868)]
"""Discs that met while one of them was known only roughly, so that their hit was not looked for."""
NOWHERE = [(4350, 600), (4613, 582), (6838, 432), (7386, 537), (7466, 206)]
"""A disc without spin left a smooth elastic frame with more energy than it had, by rounding, and was nowhere then."""

DEEP = [(2280, 20), (7816, 569)]
"""Soft discs that rested too deep in one another: one was braked less than it is while others' contacts lasted; and
discs that were parted at the end of contacts were pressed into others."""
LONG = [(904, 254), (1410, 958), (4916, 479)]
"""Strokes of more than 10,000 events."""
PRESSED = [(3, 41, 444), (3, 41, 560), (3, 41, 809)]
"""Discs that throw one another back by nothing, pressed for most of a second along a frame that is nearly round."""
BLOCKED = [
    (1, 3390, 594), (1, 3908, 872), (1, 6728, 919), (2, 3882, 739), (2, 10742, 30),
    (3, 186, 111), (3, 822, 742), (3, 878, 771),
]  # fmt: skip
"""Discs wedged between others or the frame had no room for all of their way out: they trembled 100,000 times, or sank
in by 1.4e-6 m."""
IN_FRAME = [(2, 12800, 259)]
"""A disc at the frame, moved there as others were parted from it at the end of contacts, was left in it by 6e-8 m."""


@pytest.mark.parametrize(
    ("seed", "number", "row"),
    [
        *((1, *each) for each in PASSED_THROUGH + NOWHERE + DEEP + LONG),
        *PRESSED,
        *BLOCKED,
        *IN_FRAME,
    ],
)
def test_a_row_that_once_broke_a_limit_ends_well(seed: int, number: int, row: int) -> None:
    block = draw(Choice(seed), number)
    out = block.stopped(np.array([row]), np.array([np.inf]))
    assert out.status[0] == Status.OK
    assert not impossible(Motion(*(column[row : row + 1] for column in block.begin)), out)[0]
    assert deepest(out.pos, block.equipment)[0] < OVERLAP
    assert farthest(out.pos, block.equipment)[0] < OUTSIDE
