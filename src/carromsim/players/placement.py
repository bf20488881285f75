"""Where players put men and the queen who come back: to their advantage, with the other discs in view."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from carromsim.equipment import Equipment
from carromsim.rules.placement import Choose
from carromsim.strokes import legal_intervals, snap_to_end_circle
from carromsim_kernels.sight import Sight, best_spot
from carromsim_kernels.state import FloatArray

__all__ = ["by_sight"]

N_STARTS = 41
"""Places of the striker that are looked at, besides the end circles."""


def by_sight(equipment: Equipment) -> Choose:
    """Give the choice of a player who sees what stands in the way.

    He puts a disc where the easiest direct stroke at it is as hard as can be, or as easy as can be for himself: the
    measure is that of `carromsim.rules.placement.hardness`, but only strokes count whose striker has room on the base
    line and whose striker and man meet no other disc on their ways. Of spots from which nothing can be pocketed, that
    is the one that would be hardest on an empty board. Cushions, combinations and what the board will be like after
    the next stroke are not looked at [A].

    Parameters
    ----------
    equipment : Equipment

    Returns
    -------
    Choose
        A function for `carromsim.rules.placement.place`: 1 for the best spot, 0 for the others.
    """
    return _BySight(equipment)


@dataclass(frozen=True)
class _BySight:
    equipment: Equipment

    def __call__(self, pos: FloatArray, disc: int, spots: FloatArray, seat: int, easy: bool) -> FloatArray:
        """See `carromsim.rules.placement.place`."""
        board, places = (np.array(points, np.float64, order="C") for points in (pos, spots))
        best = best_spot(_sight(self.equipment), board, places, int(disc), int(seat), bool(easy))
        ranks = np.zeros(len(spots))
        # Spots are offered the hardest first: without a stroke at any, the last is the easiest on an empty board.
        ranks[best] = 1.0
        return ranks


@lru_cache(maxsize=32)
def _sight(equipment: Equipment) -> Sight:
    """Say from where a player at seat 0 may play."""
    legal = legal_intervals(equipment)
    x = np.linspace(legal.min(), legal.max(), N_STARTS) if len(legal) else np.zeros(0)
    within = ((x[:, np.newaxis] >= legal[:, 0]) & (x[:, np.newaxis] <= legal[:, 1])).any(axis=1)
    x = np.unique(snap_to_end_circle(np.concatenate([x[within], legal.ravel()]), equipment))
    line = np.full(len(x), equipment.base_line_distance - equipment.side / 2)
    return Sight(
        starts=np.stack([x, line], axis=1),
        radius=equipment.radius,
        pocket_centre=equipment.side / 2 - equipment.pocket_offset,
    )
