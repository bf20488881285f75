"""How hard a man is to pocket among other discs: what a player looks at who puts one back.

The measure is that of `carromsim.rules.placement.hardness`, d D / cos c, of strokes whose ways are free.
"""

import math
from typing import NamedTuple

import numpy as np

from carromsim_kernels.jit import entry, kernel
from carromsim_kernels.placing import turned
from carromsim_kernels.state import N_DISCS, STRIKER, FloatArray

POCKETS = 4


class Sight(NamedTuple):
    """What a player sees from seat 0 [m]."""

    starts: FloatArray
    """(m, 2) where he may put the striker."""
    radius: FloatArray
    """(20,) of each disc."""
    pocket_centre: float
    """|x| = |y| of the four pockets."""


@kernel
def is_blocked(
    pos: FloatArray, radius: FloatArray, disc: int, own: float, x0: float, y0: float, x1: float, y1: float
) -> bool:
    """Tell whether a disc of radius `own` on its way to x1, y1 touches any but the striker and `disc`."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    for j in range(STRIKER + 1, N_DISCS):
        if j == disc or math.isnan(pos[j, 0]):
            continue
        ax, ay = pos[j, 0] - x0, pos[j, 1] - y0
        along = min(max(ax * dx + ay * dy, 0.0), square)
        if square > 0.0:
            ax -= dx * along / square
            ay -= dy * along / square
        apart = own + radius[j]
        if ax * ax + ay * ay < apart * apart:
            return True
    return False


@kernel
def least_hardness(
    sight: Sight, pos: FloatArray, free: FloatArray, disc: int, x: float, y: float, bound: float, enough: float
) -> float:
    """Return the hardness of the easiest free stroke at a man at x, y, if below `bound`, else `bound`.

    Found to be at most `enough`, it is returned as it is: an upper limit.
    """
    least = bound
    touch = sight.radius[STRIKER] + sight.radius[disc]
    for corner in range(POCKETS):
        px, py = turned(corner, sight.pocket_centre, sight.pocket_centre)
        wx, wy = px - x, py - y
        distance = math.sqrt(wx * wx + wy * wy)
        wx, wy = wx / distance, wy / distance
        if is_blocked(pos, sight.radius, disc, sight.radius[disc], x, y, px, py):
            continue
        hx, hy = x - touch * wx, y - touch * wy
        for i in range(sight.starts.shape[0]):
            sx, sy = sight.starts[i, 0], sight.starts[i, 1]
            ahead = (hx - sx) * wx + (hy - sy) * wy
            square = (hx - sx) * (hx - sx) + (hy - sy) * (hy - sy)
            # d D / cos c with cos c = ahead / d
            if free[i] == 0.0 or ahead <= 0.0 or square * distance >= least * ahead:
                continue
            if is_blocked(pos, sight.radius, disc, sight.radius[STRIKER], sx, sy, hx, hy):
                continue
            least = float(square * distance / ahead)
            if least <= enough:
                return least
    return least


@entry
def best_spot(sight: Sight, pos: FloatArray, spots: FloatArray, disc: int, seat: int, easy: bool) -> int:
    """Choose the spot on which a disc is hardest, or easiest, to pocket for the player at a seat.

    Parameters
    ----------
    sight : Sight
    pos : (20, 2) float64 [m]
        The board; the disc is off it.
    spots : (k, 2) float64 [m]
        Where it may stand.
    disc, seat : int
    easy : bool

    Returns
    -------
    int
        The first of the best spots; -1 if it is to be easy and he can pocket it from none.
    """
    back = (4 - seat) % 4
    seen = np.empty_like(pos)
    for j in range(N_DISCS):
        seen[j, 0], seen[j, 1] = turned(back, pos[j, 0], pos[j, 1])
    free = np.zeros(sight.starts.shape[0])
    for i in range(len(free)):
        x, y = sight.starts[i, 0], sight.starts[i, 1]
        free[i] = 0.0 if is_blocked(seen, sight.radius, disc, sight.radius[STRIKER], x, y, x, y) else 1.0
    best, chosen = math.inf if easy else -1.0, -1
    for k in range(spots.shape[0]):
        x, y = turned(back, spots[k, 0], spots[k, 1])
        if easy:
            hard = least_hardness(sight, seen, free, disc, x, y, best, -1.0)
            better = hard < best
        else:
            hard = least_hardness(sight, seen, free, disc, x, y, math.inf, best)
            better = hard > best
        if better:
            best, chosen = hard, k
    return chosen
