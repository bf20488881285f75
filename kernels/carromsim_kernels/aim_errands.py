"""Where a disc has to go to fall into a pocket, and by how much it may miss: straight, by a cushion, by another man."""

import math

from carromsim_kernels.aim_contact import (
    contact_from,
    cushion_friction,
    gain,
    guess_restitution,
    incidence,
    outward,
    rebound_slope,
    throw_slope,
)
from carromsim_kernels.aim_path import open_sector
from carromsim_kernels.jit import kernel
from carromsim_kernels.resolve import restitution
from carromsim_kernels.sheet import Record

ARRIVAL = 0.8
"""Speed at which a disc is meant to arrive at the pocket [m/s], if it still falls at 1 / 0.6 of it: enough in spite
of a weak stroke. From trials: at 1.2 m/s a club player pockets 3 % less."""
STEEPEST = 4.0
"""Tangent of the largest angle to a cushion beside a pocket at which a disc may touch it and still fall."""
JAWS = 0.9
"""Of `catch`, how much is left to a disc that comes from the cushion: from simulated discs on ICF equipment."""
LEAST_WAY = 2e-3
"""A disc nearer to what it is to hit [m] is in touch with it as long as it is itself being hit: a burst, no shot."""
LONGEST_BETWEEN = 0.4
"""Of two men further apart than this [m] one does not send the other."""
THINNEST_BETWEEN = 0.5
"""Cosine of the largest cut of one man by another."""
LEAST_TURN = 0.1
"""The way of the second man turns at least by this part of what the first one's does: below, higher orders count."""


@kernel
def pocket_sign(pocket: int) -> tuple[float, float]:
    """Return the signs of a pocket's x and y."""
    return -1.0 if pocket in (0, 3) else 1.0, -1.0 if pocket < 2 else 1.0


@kernel
def mouth(aim: Record, disc: int, pocket: int, x: float, y: float) -> tuple[float, float, float, float, float]:
    """Return direction and distance of a pocket from x, y, and between which tangents about that a disc falls directly.

    A disc falls that enters the circle of radius `catch` about the pocket's centre; its centre must not meet the frame
    before. Of the circle the two cushions leave the arc between the points where their limits cross it.

    Returns
    -------
    dx, dy, distance, lo, hi : float
        Of the pocket's centre [m]; lo < hi, to the left positive; lo = hi = 0 if it cannot fall.
    """
    sx, sy = pocket_sign(pocket)
    rx, ry = sx * aim.pocket_centre - x, sy * aim.pocket_centre - y
    distance = math.sqrt(rx * rx + ry * ry)
    catch, room = aim.catch[disc], aim.half_side - aim.radius[disc] - aim.pocket_centre
    if distance <= catch or room <= -catch:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    dx, dy = rx / distance, ry / distance
    graze = catch / math.sqrt((distance - catch) * (distance + catch))
    if room >= catch:
        return dx, dy, distance, -graze, graze
    along = math.sqrt(catch * catch - room * room)
    # The ends of the arc: on the limit of the cushion at x = +-half_side, and on that of the other.
    end_a = end_of_arc(rx, ry, sx * room, -sy * along, -sx * sy * graze)
    end_b = end_of_arc(rx, ry, -sx * along, sy * room, sx * sy * graze)
    lo, hi = min(end_a, end_b), max(end_a, end_b)
    if (end_a < end_b) != (sx * sy > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return dx, dy, distance, lo, hi


@kernel
def end_of_arc(rx: float, ry: float, qx: float, qy: float, graze: float) -> float:
    """Return the tangent, about the vector r, of the way to the point q behind it; the graze if q is beyond."""
    wx, wy = rx + qx, ry + qy
    if qx * wx + qy * wy >= 0.0:
        return graze
    return (rx * wy - ry * wx) / (rx * wx + ry * wy)


@kernel
def glance(aim: Record, disc: int, along: float, gap: float) -> float:
    """Return the largest tangent, from the cushion, at which a disc still falls that touches the cushion first.

    Parameters
    ----------
    along : float
        Way along the cushion to the pocket's centre [m].
    gap : float
        Between the disc and the cushion [m].

    It leaves the cushion at another angle, mostly more flatly, and must still pass near enough to the pocket's centre.
    """
    first = gap / along
    if first >= STEEPEST:
        return 0.0
    e, room, steepest = aim.e_cushion, aim.half_side - aim.radius[disc] - aim.pocket_centre, first
    for _ in range(3):
        ratio = e / (1.0 - min(aim.mu_cushion * (1.0 + e) * steepest, aim.stick_cushion))
        behind = ratio * steepest
        room_there = room + JAWS * aim.catch[disc] * math.sqrt(1.0 + behind * behind)
        steepest = min((room_there / ratio + gap) / along, STEEPEST)
    return float(steepest)


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
        if along <= aim.catch[disc] or forward <= 0.0:
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
    """Return the way from x, y into a pocket: direction, length up to the edge, and what it may be off.

    It is what the pocket's mouth and the other discs leave; the disc is meant to get there without touching the frame.
    Length 0 if there is none.
    """
    dx, dy, distance, direct_lo, direct_hi = mouth(aim, disc, pocket, x, y)
    if direct_lo == direct_hi:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    lo, hi = widen(aim, disc, pocket, x, y, dx, dy, direct_lo, direct_hi)
    length = distance - aim.catch[disc]
    lo, hi = open_sector(aim, disc, skip, x, y, dx, dy, length, lo, hi)
    direct_lo, direct_hi = max(lo, direct_lo), min(hi, direct_hi)
    if direct_lo >= direct_hi:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    # Half way from the middle of the direct ways to that of all, which is where a shaky hand would aim.
    middle = 0.25 * (direct_lo + direct_hi + lo + hi)
    middle = min(max(middle, direct_lo), direct_hi)
    c = 1.0 / math.sqrt(1.0 + middle * middle)
    lo, hi = (lo - middle) / (1.0 + lo * middle), (hi - middle) / (1.0 + hi * middle)
    return c * (dx - middle * dy), c * (dy + middle * dx), length, lo, hi


@kernel
def arrive(aim: Record, disc: int) -> None:
    """Note the speeds at the pocket: meant, least and most."""
    aim.most = aim.fastest[disc]
    aim.launch, aim.least = min(ARRIVAL, 0.6 * aim.most), 0.0


@kernel
def before(aim: Record, length: float, factor: float) -> None:
    """Go back by a way of this length, before which a hit multiplied the speed by factor."""
    slowing = 2.0 * aim.mu_g * length
    aim.launch = math.sqrt(aim.launch * aim.launch + slowing) / factor
    aim.least = math.sqrt(aim.least * aim.least + slowing) / factor
    aim.most = math.sqrt(aim.most * aim.most + slowing) / factor


@kernel
def straight_errand(aim: Record, target: int, pocket: int) -> bool:
    """Note how a disc gets straight into a pocket; False if it cannot."""
    ux, uy, length, lo, hi = course(aim, target, target, pocket, aim.x[target], aim.y[target])
    if length == 0.0:
        return False
    aim.first = aim.target = target
    aim.via, aim.pocket, aim.cushion = -1, pocket, -1
    aim.ux, aim.uy, aim.lo, aim.hi, aim.spin_turn = ux, uy, lo, hi, 0.0
    arrive(aim, target)
    before(aim, length, 1.0)
    return True


@kernel
def bank_errand(aim: Record, target: int, pocket: int, cushion: int) -> bool:
    """Note how a disc gets into a pocket by a cushion opposite to it; False if it cannot."""
    ex, ey = outward(cushion)
    sx, sy = pocket_sign(pocket)
    x, y, limit = aim.x[target], aim.y[target], aim.half_side - aim.radius[target]
    h1 = limit - (x * ex + y * ey)
    if sx * ex + sy * ey > 0.0 or h1 < LEAST_WAY:
        return False
    qx, qy, e = sx * aim.pocket_centre, sy * aim.pocket_centre, aim.e_cushion
    aim.first = aim.target = target
    aim.via, aim.pocket, aim.cushion = -1, pocket, cushion
    for _ in range(2):  # at first to the pocket's centre, then to the middle of what is open
        h2, w = limit - (qx * ex + qy * ey), (qy - y) * ex - (qx - x) * ey
        tau = incidence(aim, h1, h2, w, e, 0.0)
        along = y * ex - x * ey + tau * h1
        if abs(along) > aim.pocket_centre - 2.0 * aim.catch[target]:
            return False
        cx, cy = limit * ex - along * ey, limit * ey + along * ex
        vx, vy, length, lo, hi = course(aim, target, target, pocket, cx, cy)
        if length == 0.0:
            return False
        way = length + aim.catch[target]
        qx, qy = cx + way * vx, cy + way * vy
        aim.bank_h1, aim.bank_h2, aim.bank_w, aim.bank_e = h1, h2, w, e
        arrive(aim, target)
        before(aim, length, 1.0)
        tau_out = (tau - cushion_friction(aim, tau, e, 0.0)) / e
        e = restitution(aim.e_cushion, aim.v_c_cushion, aim.launch / (e * math.sqrt(1.0 + tau_out * tau_out)), 0.0)
    return leave_for_cushion(aim, tau, tau_out, way, lo, hi)


@kernel
def leave_for_cushion(aim: Record, tau: float, tau_out: float, way: float, lo: float, hi: float) -> bool:
    """Go back from behind the cushion, where the disc has `way` to go and may be off by lo to hi, to where it lies."""
    h1, h2, e, target = aim.bank_h1, aim.bank_h2, aim.bank_e, aim.target
    stretch, stretch_out = math.sqrt(1.0 + tau * tau), math.sqrt(1.0 + tau_out * tau_out)
    first_way = h1 * stretch
    before(aim, 0.0, e * stretch_out / stretch)
    aim.bank_growth = aim.launch
    before(aim, first_way, 1.0)
    aim.bank_growth = math.sqrt(aim.launch / aim.bank_growth)
    # A turn to the left moves the point of return to the left along the cushion, and so the disc to its right.
    per_turn = (h1 + h2 * rebound_slope(aim, tau, e, 0.0)) * stretch * stretch / (stretch_out * way)
    ex, ey = outward(aim.cushion)
    aim.ux, aim.uy = (ex - tau * ey) / stretch, (ey + tau * ex) / stretch
    x, y = aim.x[target], aim.y[target]
    aim.lo, aim.hi = open_sector(aim, target, target, x, y, aim.ux, aim.uy, first_way, -hi / per_turn, -lo / per_turn)
    return bool(aim.lo < 0.0 < aim.hi)


@kernel
def combine(aim: Record, via: int) -> bool:
    """Turn the errand of a disc into one of another, which sends it; False if it cannot."""
    target, x, y = aim.target, aim.x[via], aim.y[via]
    reach = aim.radius[via] + aim.radius[target]
    rx, ry = aim.x[target] - reach * aim.ux - x, aim.y[target] - reach * aim.uy - y
    distance2 = rx * rx + ry * ry
    ahead = rx * aim.ux + ry * aim.uy
    if ahead <= 0.0 or ahead * ahead < THINNEST_BETWEEN * THINNEST_BETWEEN * distance2:
        return False
    guess_restitution(aim, via, target, aim.launch)
    if not contact_from(aim, via, x, y, target, False):
        return False
    if aim.cos < THINNEST_BETWEEN or not LEAST_WAY <= aim.way <= LONGEST_BETWEEN:
        return False
    before(aim, 0.0, gain(aim, via, target))
    before(aim, aim.way, 1.0)
    slope = throw_slope(aim)
    turn = slope - (1.0 - slope) * aim.way / (reach * aim.cos)
    turn = math.copysign(max(abs(turn), LEAST_TURN), turn)
    lo, hi = (aim.lo / turn, aim.hi / turn) if turn > 0.0 else (aim.hi / turn, aim.lo / turn)
    # A rim that moves to the left throws the disc to the left.
    aim.spin_turn = -slope * aim.cos / turn
    aim.first, aim.via, aim.ux, aim.uy = via, via, aim.dx, aim.dy
    aim.lo, aim.hi = open_sector(aim, via, target, x, y, aim.ux, aim.uy, aim.way, lo, hi)
    return bool(aim.lo < 0.0 < aim.hi)
