"""Where the striker finds room on its base lines among the discs."""

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import STRIKER, Equipment
from carromsim.layouts import ACCEPTED_OVERLAP
from carromsim_kernels.state import FloatArray

__all__ = ["overlaps"]


def overlaps(x: FloatArray, pos: FloatArray, equipment: Equipment) -> NDArray[np.bool_]:
    """Say which discs a striker would overlap.

    Parameters
    ----------
    x : (n,) float64
        Where it stands along the base lines, in its player's own frame [m].
    pos : (n, 20, 2) float64
        Centres of the discs in that frame [m]; NaN for what is not on the surface.
    equipment : Equipment

    Returns
    -------
    (n, 20) bool
        False where a disc merely touches it, for the striker itself, and where x is NaN.
    """
    along = pos[:, :, 0] - x[:, np.newaxis]
    across = pos[:, :, 1] + (equipment.side / 2 - equipment.base_line_distance)
    # Half of what a stroke's start accepts: discs that touch stay so whatever rounding does to them.
    touching = equipment.radius + equipment.radius[STRIKER] - 0.5 * ACCEPTED_OVERLAP
    found: NDArray[np.bool_] = along * along + across * across < touching * touching
    found[:, STRIKER] = False
    return found
