"""Where the striker finds room on its base lines among the discs."""

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import STRIKER, Equipment
from carromsim.layout_faults import ACCEPTED_OVERLAP
from carromsim.strokes import clip_to_legal, legal_intervals, placement_legal, snap_to_end_circle
from carromsim_kernels.state import FloatArray

__all__ = ["free_places", "overlaps", "pick"]


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


def free_places(pos: FloatArray, equipment: Equipment, n_places: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Give legal places of the striker, and which of them are free.

    Besides `n_places` in equal steps there are those at which it would touch a disc: if no place of a row is free, then
    there is no free place at all, however narrow.

    Parameters
    ----------
    pos : (n, 20, 2) float64
        The discs in the shooter's own frame [m]; NaN for what is not on the surface.
    equipment : Equipment
    n_places : int
        At least 2.

    Returns
    -------
    x : (n, n_places + 40) float64
        Along the base lines [m], centred on an end circle that is covered; NaN where a disc is out of reach.
    free : (n, n_places + 40) bool
    """
    n, legal = len(pos), legal_intervals(equipment)
    if len(legal) == 0:
        return np.full((n, n_places + 40), np.nan), np.zeros((n, n_places + 40), np.bool_)
    steps = clip_to_legal(np.linspace(legal.min(), legal.max(), n_places), equipment)
    across = pos[:, :, 1] + (equipment.side / 2 - equipment.base_line_distance)
    touching = equipment.radius + equipment.radius[STRIKER]
    with np.errstate(invalid="ignore"):  # out of reach
        along = np.sqrt(touching * touching - across * across)
    beside = np.concatenate([pos[:, :, 0] - along, pos[:, :, 0] + along], axis=1)
    x = snap_to_end_circle(np.concatenate([np.broadcast_to(steps, (n, n_places)), beside], axis=1), equipment)
    free = placement_legal(x, equipment)
    for place in range(x.shape[1]):
        free[:, place] &= ~overlaps(x[:, place], pos, equipment).any(axis=1)
    return x, free


def pick(mask: NDArray[np.bool_], drawn: FloatArray) -> NDArray[np.int64]:
    """Pick a true entry of each row of (n, m), all with one chance, by uniform numbers (n,); 0 if there is none."""
    count = np.cumsum(mask, axis=1)
    number = np.floor(drawn * count[:, -1])
    return np.asarray(np.argmax(count > number[:, np.newaxis], axis=1), np.int64)
