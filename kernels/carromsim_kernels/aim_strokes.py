"""How the striker does an errand, and with what chance: from each place, straight or from a cushion."""

import math

from carromsim_kernels.aim_contact import contact_from, gain, guess_restitution, throw_slope
from carromsim_kernels.aim_path import NO_ROOM, clearance
from carromsim_kernels.aim_records import AimKind
from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import DirectHit
from carromsim_kernels.sheet import Record

STRIKER = 0
DIRECT, BACKSHOT = int(AimKind.DIRECT), int(AimKind.BACKSHOT)
FASTEST_HAND = 8.0
"""No stroke is harder [m/s]: a guess, that of a break."""
THINNEST = math.cos(math.radians(75.0))
"""Cosine of the largest cut."""
THROW = math.radians(10.0)
"""No throw turns a disc by more, which lets most places be dropped at a glance."""
THINNEST_SEEN = math.cos(math.radians(75.0) + THROW)


@kernel
def chance_below(z: float) -> float:
    """Return the normal distribution function."""
    return 0.5 * math.erfc(-z * math.sqrt(0.5))


@kernel
def chance_of_direction(aim: Record, right: float, left: float) -> float:
    """Return the chance that the first disc goes where it may, and that the striker's path is as clear as is told.

    right, left : room on either side of the striker's path in standard deviations. A path too far left sends the disc
    to the right. What a thin cut makes of an error is not linear: the angle of the line of centres goes with its sine.
    """
    bend = 0.5 * aim.sin / aim.cos
    low, high = aim.lo, aim.hi
    # The striker's error aside, in units of what it makes of the direction at first order; see `lever`.
    low, high = reach_of(low, bend, aim.lever), reach_of(high, bend, aim.lever)
    low, high = max(low / aim.spread, -left), min(high / aim.spread, right)
    if low >= high:
        return 0.0
    return chance_below(high) - chance_below(low)


@kernel
def reach_of(error: float, bend: float, lever: float) -> float:
    """Return the linear error that makes a direction error, for a line of centres that turns `lever` times less.

    The striker passes at R sin(chi): d sin = cos (delta - tan(chi) delta^2 / 2) for a turn delta of the line of
    centres against the way, and no more than up to the graze.
    """
    turn = -error / lever
    if bend * turn > 0.5:  # beyond the graze
        turn = 0.5 / bend
    return -lever * (turn - bend * turn * turn)


@kernel
def chance_of_speed(aim: Record, start2: float, least2: float, most2: float) -> float:
    """Return the chance that a speed, squared `start2` as meant, is between two others."""
    low, high = math.sqrt(least2 / start2) - 1.0, math.sqrt(most2 / start2) - 1.0
    return chance_below(high / aim.sd_speed) - chance_below(low / aim.sd_speed)


@kernel
def may_be_hit_first(aim: Record, ghost_y: float) -> bool:
    """Whether the rules allow the first disc to be hit directly, by a striker whose centre is then at ghost_y."""
    if aim.direct_hit == DirectHit.ANY:
        return True
    if aim.y[aim.first] - aim.radius[aim.first] <= aim.front_line:
        return False
    return aim.direct_hit == DirectHit.FORWARD_ONLY or ghost_y - aim.radius[STRIKER] > aim.front_line


@kernel
def note_spread(aim: Record, aside: float, turn: float, placed: float, spun: float) -> None:
    """Note the spread of the first disc's direction.

    Parameters
    ----------
    aside, turn : float
        Of the striker at the hit, per error of its angle [m/rad], [1].
    placed : float
        Aside per error of its placement.
    spun : float
        Turn of the first disc per error of spin [s].
    """
    slope = throw_slope(aim)
    aim.lever = 1.0 - slope
    per_metre = aim.lever / ((aim.radius[STRIKER] + aim.radius[aim.first]) * aim.cos)
    by_angle = aim.sd_angle * (turn - per_metre * aside)
    by_place = aim.sd_x * per_metre * placed
    by_spin = aim.sd_spin * spun
    aim.spread = math.sqrt(by_angle * by_angle + by_place * by_place + by_spin * by_spin)


@kernel
def straight_stroke(aim: Record, x: float, floor: float) -> tuple[float, float]:
    """Return speed and chance of a stroke from x straight at the first disc; chance 0 if it is not above the floor."""
    first = aim.first
    y, reach = aim.base_line, aim.radius[STRIKER] + aim.radius[first]
    rx, ry = aim.x[first] - reach * aim.ux - x, aim.y[first] - reach * aim.uy - y
    if rx * aim.ux + ry * aim.uy < THINNEST_SEEN * math.sqrt(rx * rx + ry * ry):
        return 0.0, 0.0
    if not contact_from(aim, STRIKER, x, y, first, aim.ux, aim.uy) or aim.cos < THINNEST:
        return 0.0, 0.0
    ghost_x, ghost_y = aim.x[first] - reach * aim.nx, aim.y[first] - reach * aim.ny
    limit = aim.half_side - aim.radius[STRIKER]
    if abs(ghost_x) > limit or abs(ghost_y) > limit or not may_be_hit_first(aim, ghost_y):
        return 0.0, 0.0
    k = gain(aim, STRIKER, first)
    slowing = 2.0 * aim.mu_g * aim.way
    hit = aim.launch / k
    start2 = hit * hit + slowing
    if start2 > FASTEST_HAND * FASTEST_HAND:
        return 0.0, 0.0
    spun = throw_slope(aim) * aim.cos * aim.radius[STRIKER] / hit
    note_spread(aim, aim.way, 1.0, aim.dy, spun)
    chance = chance_of_speed(
        aim, start2, aim.least * aim.least / (k * k) + slowing, aim.most * aim.most / (k * k) + slowing
    )
    if chance <= floor or chance * chance_of_direction(aim, math.inf, math.inf) <= floor:
        return 0.0, 0.0
    right, left = clearance(aim, first, x, y, aim.dx, aim.dy, aim.way, 0.0)
    if right == NO_ROOM:
        return 0.0, 0.0
    return math.sqrt(start2), chance * chance_of_direction(aim, right, left)


@kernel
def best_straight(aim: Record, floor: float, found: Record) -> bool:
    """Write the best stroke straight at the first disc, if its chance is above the floor; False if there is none."""
    guess_restitution(aim, STRIKER, aim.first, aim.launch)
    any_better = False
    for p in range(aim.n_places):
        if aim.free[p] == 0:
            continue
        speed, chance = straight_stroke(aim, aim.place[p], floor)
        if chance > floor:
            floor, any_better = chance, True
            found.x, found.speed, found.estimate = aim.place[p], speed, chance
            found.angle, found.cut = math.atan2(aim.dy, aim.dx), math.acos(min(aim.cos, 1.0))
    return any_better


@kernel
def direct_kind(aim: Record) -> int:
    """Return the kind of a direct stroke."""
    behind = aim.y[aim.first] - aim.radius[aim.first] <= aim.front_line
    return BACKSHOT if behind else DIRECT
