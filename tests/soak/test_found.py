"""Rows of soaks that once broke a limit: each of them ends within the limits now."""

import numpy as np
import pytest

from carromsim_kernels.state import Status
from soak.limits import deepest, farthest, impossible
from soak.scenes import Choice, Motion, draw

PASSED_THROUGH = [(1323, 598), (2935, 230), (3770, 546), (6496, 119), (6576, 968), (6696, 453), (7895, 868)]
"""Discs that met while one of them was known only roughly, so that their hit was not looked for."""
NOWHERE = [(4350, 600), (4613, 582), (6838, 432), (7386, 537), (7466, 206)]
"""A disc without spin left a smooth elastic frame with more energy than it had, by rounding, and was nowhere then."""


@pytest.mark.parametrize(("number", "row"), PASSED_THROUGH + NOWHERE)
def test_a_row_that_once_broke_a_limit_ends_well(number: int, row: int) -> None:
    block = draw(Choice(seed=1), number)
    out = block.stopped(np.array([row]), np.array([np.inf]))
    assert out.status[0] == Status.OK
    assert not impossible(Motion(*(column[row : row + 1] for column in block.begin)), out)[0]
    assert deepest(out.pos, block.equipment)[0] < 1e-6
    assert farthest(out.pos, block.equipment)[0] < 1e-9
