"""What is in the way: of a man that may go anywhere in a sector, and of the striker on its path."""

import math

from carromsim_kernels.jit import kernel
from carromsim_kernels.sheet import Record

NO_ROOM = -1.0


@kernel
def block(along: float, aside: float, reach: float, length: float) -> tuple[float, float]:
    """Return the tangents between which a way of this length hits a disc; the first is larger if it hits none.

    Parameters
    ----------
    along, aside : float
        The disc's centre, along the axis of the sector and to the left of it, from the sector's corner [m].
    reach : float
        Sum of the radii [m].
    length : float
        [m]
    """
    if along <= 0.0 or along >= length + reach:
        return 1.0, 0.0
    if along > length:  # it is touched by the end of the way only
        beyond = along - length
        half = math.sqrt(reach * reach - beyond * beyond)
        return (aside - half) / length, (aside + half) / length
    outside = along * along + aside * aside - reach * reach
    tangent = math.sqrt(max(outside, 0.0))
    # The vector to the disc, turned by the half angle under which its reach is seen.
    right_along, right_aside = along * tangent + aside * reach, aside * tangent - along * reach
    left_along, left_aside = along * tangent - aside * reach, aside * tangent + along * reach
    right = right_aside / right_along if right_along > 0.0 else -math.inf
    left = left_aside / left_along if left_along > 0.0 else math.inf
    return right, left


@kernel
def open_sector(
    aim: Record, disc: int, skip: int, x: float, y: float, dx: float, dy: float, length: float, lo: float, hi: float
) -> tuple[float, float]:
    """Return what the other discs leave of a sector in which a disc may travel from x, y: the widest end of it.

    The sector reaches from the tangent lo to hi about d; (0, 0) if nothing is left.
    """
    wide = math.sqrt(1.0 + max(lo * lo, hi * hi))
    for i in range(aim.n_there):
        other = aim.there[i]
        if other in (disc, skip):
            continue
        rx, ry = aim.x[other] - x, aim.y[other] - y
        along, aside = rx * dx + ry * dy, dx * ry - dy * rx
        reach = aim.radius[disc] + aim.radius[other]
        beside = wide * reach
        if along <= 0.0 or aside - hi * along > beside or lo * along - aside > beside:
            continue
        right, left = block(along, aside, reach, length)
        if right > left or right >= hi or left <= lo:
            continue
        if right - lo >= hi - left:
            hi = right
        else:
            lo = left
        if lo >= hi:
            return 0.0, 0.0
    return lo, hi


@kernel
def clearance(
    aim: Record, skip: int, x: float, y: float, dx: float, dy: float, length: float, before: float
) -> tuple[float, float]:
    """Return the room to the right and to the left of the striker's path, in standard deviations of its error there.

    `before` is the way that it has behind it, in which its error has grown. (NO_ROOM, NO_ROOM) if it hits something.
    """
    right = left = math.inf
    across = aim.sd_x * dy
    for i in range(aim.n_there):
        other = aim.there[i]
        if other == skip:
            continue
        rx, ry = aim.x[other] - x, aim.y[other] - y
        reach = aim.radius[0] + aim.radius[other]
        along = rx * dx + ry * dy
        if along <= 0.0 or along >= length + reach:
            continue
        aside = dx * ry - dy * rx
        beyond = max(along - length, 0.0)
        room = math.sqrt(aside * aside + beyond * beyond) - reach
        if room < 0.0:
            return NO_ROOM, NO_ROOM
        grown = aim.sd_angle * (before + min(along, length))
        room /= math.sqrt(grown * grown + across * across)
        if aside > 0.0:
            left = min(left, room)
        else:
            right = min(right, room)
    return right, left


@kernel
def find_free_places(aim: Record) -> None:
    """Note where the striker may be placed without touching a disc."""
    for p in range(aim.n_places):
        aim.free[p] = 1
        for i in range(aim.n_there):
            other = aim.there[i]
            rx, ry = aim.x[other] - aim.place[p], aim.y[other] - aim.base_line
            reach = aim.radius[0] + aim.radius[other]
            if rx * rx + ry * ry <= reach * reach:
                aim.free[p] = 0
                break
