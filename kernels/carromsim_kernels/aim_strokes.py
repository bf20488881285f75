"""How the striker does an errand, and with what chance: from each place, straight or from a cushion."""

import math

from carromsim_kernels.aim_after import will_fall, will_meet_again
from carromsim_kernels.aim_contact import (
    contact_from,
    gain,
    guess_restitution,
    outward,
    rebound_from,
    rebound_slope,
    throw_slope,
)
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
LARGEST_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
"""Of the normal distribution."""


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
    return bool(aim.direct_hit == DirectHit.FORWARD_ONLY or ghost_y - aim.radius[STRIKER] > aim.front_line)


@kernel
def note_spread(aim: Record, aside: float, turn: float, placed: float, spun_aside: float, spun_turn: float) -> None:
    """Note the spread of the first disc's direction.

    Parameters
    ----------
    aside, turn : float
        Of the striker's centre when it hits, per error of its angle [m/rad], [1].
    placed : float
        Aside per error of its placement.
    spun_aside, spun_turn : float
        Per error of its spin [m s], [s]. What spin turns the hit itself by is counted with spun_turn.
    """
    slope = throw_slope(aim)
    aim.lever = 1.0 - slope
    # The line of centres turns by -aside / (R cos), the angle from it to the way by that more than the way itself.
    per_metre = aim.lever / ((aim.radius[STRIKER] + aim.radius[aim.first]) * aim.cos)
    by_angle = aim.sd_angle * (slope * turn - per_metre * aside)
    by_place = aim.sd_x * per_metre * placed
    by_spin = aim.sd_spin * (spun_turn - per_metre * spun_aside)
    aim.spread = math.sqrt(by_angle * by_angle + by_place * by_place + by_spin * by_spin)


@kernel
def fits(aim: Record, first: int) -> bool:
    """Whether the cut is not too thin and the striker inside the frame when it hits."""
    reach, limit = aim.radius[STRIKER] + aim.radius[first], aim.half_side - aim.radius[STRIKER]
    inside = abs(aim.x[first] - reach * aim.nx) <= limit and abs(aim.y[first] - reach * aim.ny) <= limit
    return bool(inside and aim.cos >= THINNEST)


@kernel
def seems_possible(aim: Record, x: float, y: float) -> bool:
    """Whether the first disc might be hit from x, y, well enough, to within what the throw changes."""
    reach = aim.radius[STRIKER] + aim.radius[aim.first]
    rx, ry = aim.x[aim.first] - reach * aim.ux - x, aim.y[aim.first] - reach * aim.uy - y
    way = math.sqrt(rx * rx + ry * ry)
    ahead = rx * aim.ux + ry * aim.uy
    if ahead < THINNEST_SEEN * way:
        return False
    full = min(ahead + THROW * way, way)  # way times the cosine of the cut
    return bool(aim.least_lever * (way - THROW * reach) * way <= aim.widest * reach * full)


@kernel
def straight_stroke(aim: Record, x: float, floor: float) -> tuple[float, float]:
    """Return speed and chance of a stroke from x straight at the first disc; chance 0 if it is not above the floor."""
    first, y = aim.first, aim.base_line
    if not seems_possible(aim, x, y):
        return 0.0, 0.0
    if not contact_from(aim, STRIKER, x, y, first, aim.cushion >= 0 or aim.via >= 0) or not fits(aim, first):
        return 0.0, 0.0
    if not may_be_hit_first(aim, aim.y[first] - (aim.radius[STRIKER] + aim.radius[first]) * aim.ny):
        return 0.0, 0.0
    k = gain(aim, STRIKER, first)
    slowing = 2.0 * aim.mu_g * aim.way
    hit = aim.launch / k
    start2 = hit * hit + slowing
    if start2 > FASTEST_HAND * FASTEST_HAND:
        return 0.0, 0.0
    note_spread(aim, aim.way, 1.0, aim.dy, 0.0, throw_slope(aim) * aim.cos * aim.radius[STRIKER] / hit)
    k2 = k * k
    chance = chance_of_speed(aim, start2, aim.least * aim.least / k2 + slowing, aim.most * aim.most / k2 + slowing)
    if chance <= floor or chance * chance_of_direction(aim, math.inf, math.inf) <= floor:
        return 0.0, 0.0
    right, left = clearance(aim, first, x, y, aim.dx, aim.dy, aim.way, 0.0)
    if right == NO_ROOM or will_fall(aim, first, hit) or (aim.cushion >= 0 and will_meet_again(aim, first, hit)):
        return 0.0, 0.0
    return math.sqrt(start2), chance * chance_of_direction(aim, right, left)


@kernel
def rebound_stroke(aim: Record, x: float, cushion: int, floor: float) -> tuple[float, float]:
    """Return speed and chance of a stroke from x by a cushion at the first disc; chance 0 if not above the floor.

    The striker's direction is left in dx, dy.
    """
    first, y = aim.first, aim.base_line
    if not rebound_from(aim, x, y, cushion, first) or not fits(aim, first):
        return 0.0, 0.0
    ex, ey = outward(cushion)
    tau, tau_out, e = aim.tau, aim.tau_out, aim.rebound_e
    limit = aim.half_side - aim.radius[STRIKER]
    h1 = limit - (x * ex + y * ey)
    along = y * ex - x * ey + tau * h1
    cx, cy = limit * ex - along * ey, limit * ey + along * ex
    if abs(along) > aim.pocket_centre - aim.radius[STRIKER]:
        return 0.0, 0.0
    if aim.direct_hit == DirectHit.AFTER_CROSSING and cy - aim.radius[STRIKER] <= aim.front_line:
        return 0.0, 0.0
    stretch, stretch_out = math.sqrt(1.0 + tau * tau), math.sqrt(1.0 + tau_out * tau_out)
    k, factor = gain(aim, STRIKER, first), e * stretch_out / stretch
    slowing, slowing_out = 2.0 * aim.mu_g * aim.way, 2.0 * aim.mu_g * aim.way_out
    hit = aim.launch / k
    k2, factor2 = k * k, factor * factor
    start2 = (hit * hit + slowing_out) / factor2 + slowing
    if start2 > FASTEST_HAND * FASTEST_HAND:
        return 0.0, 0.0
    note_rebound_spread(aim, h1, ex, ey)
    chance = chance_of_speed(
        aim,
        start2,
        (aim.least * aim.least / k2 + slowing_out) / factor2 + slowing,
        (aim.most * aim.most / k2 + slowing_out) / factor2 + slowing,
    )
    if chance <= floor or chance * chance_of_direction(aim, math.inf, math.inf) <= floor:
        return 0.0, 0.0
    right, left = clearance(aim, first, cx, cy, aim.dx, aim.dy, aim.way_out, aim.way)
    if right == NO_ROOM or will_fall(aim, first, hit):
        return 0.0, 0.0
    aim.dx, aim.dy = (ex - tau * ey) / stretch, (ey + tau * ex) / stretch
    right_before, left_before = clearance(aim, -1, x, y, aim.dx, aim.dy, aim.way, 0.0)
    if right_before == NO_ROOM:
        return 0.0, 0.0
    # A cushion makes right of left.
    return math.sqrt(start2), chance * chance_of_direction(aim, min(right, left_before), min(left, right_before))


@kernel
def note_rebound_spread(aim: Record, h1: float, ex: float, ey: float) -> None:
    """Note the spread of the first disc's direction behind a rebound of the striker."""
    tau, tau_out, e = aim.tau, aim.tau_out, aim.rebound_e
    stretch_out = math.sqrt(1.0 + tau_out * tau_out)
    h2, slope = aim.way_out / stretch_out, rebound_slope(aim, tau, e, 0.0)
    per_turn = 1.0 + tau * tau
    spun = 0.0  # of tau_out
    if slope < 1.0 / e:
        spun = -aim.stick_cushion * aim.radius[STRIKER] * stretch_out / aim.speed_out
    note_spread(
        aim,
        -(h1 + h2 * slope) * per_turn / stretch_out,
        -slope * per_turn / (stretch_out * stretch_out),
        (-ey - tau * ex) / stretch_out,
        -h2 * spun / stretch_out,
        -spun / (stretch_out * stretch_out) * throw_slope(aim),
    )


@kernel
def note_bounds(aim: Record, floor: float) -> None:
    """Note what makes a place hopeless before anything is worked out.

    The chance of a direction is at most the width of the errand's sector times the largest density.
    """
    aim.widest = LARGEST_DENSITY * (aim.hi - aim.lo) / floor
    # At a full hit the throw takes most of the turn; a little less than that is left at any cut.
    aim.least_lever = 0.9 * (1.0 - aim.stick_disc / (1.0 + aim.e_disc)) * aim.sd_angle


@kernel
def is_too_far(aim: Record, cushion: int) -> bool:
    """Whether the shortest way, straight (cushion -1) or by a cushion, and a full hit would not be good enough."""
    reach = aim.radius[STRIKER] + aim.radius[aim.first]
    if cushion < 0:
        way = abs(aim.y[aim.first] - aim.base_line) - reach
    else:
        ex, ey = outward(cushion)
        limit = aim.half_side - aim.radius[STRIKER]
        nearest = max(abs(aim.place[0]), abs(aim.place[aim.n_places - 1]))
        there = limit - (abs(ex) * nearest + ey * aim.base_line)
        way = there + max(limit - (aim.x[aim.first] * ex + aim.y[aim.first] * ey) - reach, 0.0)
    return bool(aim.least_lever * way > aim.widest * reach)


@kernel
def best_stroke(aim: Record, cushion: int, floor: float, found: Record) -> bool:
    """Write the best stroke, straight (cushion -1) or by a cushion; False if no chance is above the floor."""
    guess_restitution(aim, STRIKER, aim.first, aim.launch)
    note_bounds(aim, floor)
    if is_too_far(aim, cushion):
        return False
    any_better = False
    for p in range(aim.n_places):
        if aim.free[p] == 0:
            continue
        x, aim.sd_x = aim.place[p], aim.sd_place[p]
        if cushion < 0:
            speed, chance = straight_stroke(aim, x, floor)
        else:
            speed, chance = rebound_stroke(aim, x, cushion, floor)
        if chance > floor:
            floor, any_better = chance, True
            note_bounds(aim, floor)
            found.x, found.speed, found.estimate = x, speed, chance
            found.angle, found.cut = math.atan2(aim.dy, aim.dx), math.acos(min(aim.cos, 1.0))
    return any_better


@kernel
def direct_kind(aim: Record) -> int:
    """Return the kind of a direct stroke."""
    behind = aim.y[aim.first] - aim.radius[aim.first] <= aim.front_line
    return BACKSHOT if behind else DIRECT
