"""Where a disc has to go to fall into a pocket, and by how much it may miss: straight, by a cushion, by another man."""

import math

from carromsim_kernels.aim_path import open_sector
from carromsim_kernels.jit import kernel
from carromsim_kernels.sheet import Record

ARRIVAL = 1.0
"""Speed at which a disc is meant to arrive at the pocket [m/s], if that is slow enough to fall there: hard enough to
reach it in spite of a weak stroke, and half of what rattles."""
FLATTEST = 0.6
"""Tangent of the largest angle at which a disc may touch the cushion beside a pocket and still glance into it."""


@kernel
def pocket_sign(pocket: int) -> tuple[float, float]:
    """Return the signs of a pocket's x and y."""
    return -1.0 if pocket in (0, 3) else 1.0, -1.0 if pocket < 2 else 1.0


@kernel
def mouth(aim: Record, disc: int, pocket: int, x: float, y: float) -> tuple[float, float, float, float, float]:
    """Return direction and distance of a pocket from x, y, and how far aside of its centre a disc may pass.

    A disc falls that enters the circle of radius `take` about the pocket's centre; its centre must not meet the frame
    before. Of the circle the two cushions leave the arc between the points where their limits cross it.

    Returns
    -------
    dx, dy, distance, lo, hi : float
        Of the pocket's centre; lo < hi, to the left positive [m]; lo = hi = 0 if it cannot fall.
    """
    sx, sy = pocket_sign(pocket)
    rx, ry = sx * aim.pocket_centre - x, sy * aim.pocket_centre - y
    distance = math.sqrt(rx * rx + ry * ry)
    take, room = aim.take[disc], aim.half_side - aim.radius[disc] - aim.pocket_centre
    if distance <= take or room <= -take:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    dx, dy = rx / distance, ry / distance
    if room >= take:
        return dx, dy, distance, -take, take
    along = math.sqrt(take * take - room * room)
    # The ends of the arc: on the limit of the cushion at x = +-half_side, and on that of the other.
    ax, ay, bx, by = sx * room, -sy * along, -sx * along, sy * room
    sign = sx * sy
    end_a = dx * ay - dy * ax if ax * dx + ay * dy < 0.0 else -sign * take
    end_b = dx * by - dy * bx if bx * dx + by * dy < 0.0 else sign * take
    lo, hi = (end_a, end_b) if sign > 0.0 else (end_b, end_a)
    if lo >= hi:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return dx, dy, distance, lo, hi


@kernel
def glance(aim: Record, disc: int, along: float, gap: float) -> float:
    """Return the largest tangent, from the cushion, at which a disc still falls that touches the cushion first.

    Parameters
    ----------
    along : float
        Way along the cushion to the pocket's centre [m].
    gap : float
        Between the disc and the cushion [m].

    It leaves the cushion more flatly than it came, and must not be further from it at the pocket than this takes.
    """
    first = gap / along
    if first >= FLATTEST:
        return 0.0
    e, room = aim.e_cushion, aim.half_side - aim.radius[disc] - aim.pocket_centre
    flatter = e / (1.0 - aim.mu_cushion * (1.0 + e) * first)
    return float(min(((room + aim.take[disc]) / flatter + gap) / along, FLATTEST))


@kernel
def widen(
    aim: Record, disc: int, pocket: int, x: float, y: float, dx: float, dy: float, lo: float, hi: float
) -> tuple[float, float]:
    """Return the tangents lo and hi about d, widened by what glances into the pocket from the cushions beside it."""
    sx, sy = pocket_sign(pocket)
    limit = aim.half_side - aim.radius[disc]
    # Along the cushion at x = +-half_side; the steeper ways lie towards it.
    for side in range(2):
        toward, forward = (sx * dx, sy * dy) if side == 0 else (sy * dy, sx * dx)
        gap = limit - (sx * x if side == 0 else sy * y)
        along = aim.pocket_centre - (sy * y if side == 0 else sx * x)
        if along <= aim.take[disc] or forward <= 0.0:
            continue
        steepest = glance(aim, disc, along, max(gap, 0.0))
        if steepest == 0.0:
            continue
        own = toward / forward
        turn = (steepest - own) / (1.0 + steepest * own)
        if (sx * sy > 0.0) == (side == 0):
            lo = min(lo, -turn)
        else:
            hi = max(hi, turn)
    return lo, hi


@kernel
def course(
    aim: Record, disc: int, skip: int, pocket: int, x: float, y: float
) -> tuple[float, float, float, float, float]:
    """Return the way from x, y into a pocket: direction, length up to the edge, and how far to either side it may be off.

    The disc is meant to pass in the middle of what the pocket's mouth and the other discs leave of the direct ways.
    Length 0 if there is none.
    """
    dx, dy, distance, aside_lo, aside_hi = mouth(aim, disc, pocket, x, y)
    if aside_lo == aside_hi:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    direct_lo = aside_lo / math.sqrt(distance * distance - aside_lo * aside_lo)
    direct_hi = aside_hi / math.sqrt(distance * distance - aside_hi * aside_hi)
    lo, hi = widen(aim, disc, pocket, x, y, dx, dy, direct_lo, direct_hi)
    length = distance - aim.take[disc]
    lo, hi = open_sector(aim, disc, skip, x, y, dx, dy, length, lo, hi)
    direct_lo, direct_hi = max(lo, direct_lo), min(hi, direct_hi)
    if direct_lo >= direct_hi:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    middle = 0.5 * (direct_lo + direct_hi)
    c = 1.0 / math.sqrt(1.0 + middle * middle)
    lo, hi = (lo - middle) / (1.0 + lo * middle), (hi - middle) / (1.0 + hi * middle)
    return c * (dx - middle * dy), c * (dy + middle * dx), length, lo, hi


@kernel
def arrive(aim: Record, disc: int, length: float) -> None:
    """Note the speeds at which a disc has to start so that it arrives after this way: meant, least and most."""
    slowing = 2.0 * aim.mu_g * length
    fastest = aim.fastest[disc]
    meant = min(ARRIVAL, 0.5 * fastest)
    aim.launch = math.sqrt(meant * meant + slowing)
    aim.least, aim.most = math.sqrt(slowing), math.sqrt(fastest * fastest + slowing)


@kernel
def straight_errand(aim: Record, target: int, pocket: int) -> bool:
    """Note how a disc gets straight into a pocket; False if it cannot."""
    ux, uy, length, lo, hi = course(aim, target, target, pocket, aim.x[target], aim.y[target])
    if length == 0.0:
        return False
    aim.first = aim.target = target
    aim.via, aim.pocket, aim.cushion = -1, pocket, -1
    aim.ux, aim.uy, aim.lo, aim.hi = ux, uy, lo, hi
    arrive(aim, target, length)
    return True
