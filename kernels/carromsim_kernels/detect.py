"""When: the first contact of a disc with another, with the frame or with a pocket's tipping limit.

Paths are straight, so fixed geometry and resting discs are quadratics in the path length; only two
moving discs need a root in time. It is found by separating-axis advancement: along the line of centres
n the gap |p| - R is at least n.p - R, whose first root under the fastest possible approach is a step that
provably contains no contact. Steps converge quadratically on a hit, by halves on a graze, and end with a
proof on a miss; the quartic's ill-conditioned coefficients are never formed.
"""

import math

from carromsim_kernels.discs import SHORT, locate
from carromsim_kernels.jit import inlined, kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import Corner, EventKind

CUSHION_HIT = int(EventKind.CUSHION_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)
ROUNDED = int(Corner.ROUNDED)
CUT_AWAY = int(Corner.CUT_AWAY)
ENTERING, LEAVING = 8, 9
"""Ends of segments that are no events: a disc passes a pocket's tipping limit and begins to fall, or falls no more."""
CORNER = 4
"""Place of the first of the frame's four corners, if they have a shape; before it come the cushions."""

MAX_STEPS = 200
GRAZE = 1e-12
"""A circle that is entered less deep than this [m] is missed: what is left of the speed is rounding."""
ROOT_HALF = math.sqrt(0.5)
PIECES = (2, 0, 3, 1)
"""Corners that are cut away by the largest and the least x + y, and by the largest and the least y - x."""
PARTED = 1e-8
"""Discs that pushed each other and are further apart than this [m] may hit again."""


@inlined
def path_to_circle(rx: float, ry: float, dx: float, dy: float, radius: float) -> float:
    """Return the path along the unit direction d to a circle about the relative point r; inf if it misses.

    0 if the start lies inside and moves towards the centre.
    """
    ahead = rx * dx + ry * dy
    if ahead <= 0.0:
        return math.inf
    aside = rx * dy - ry * dx
    if radius - abs(aside) < GRAZE:
        return math.inf
    chord2 = (radius - aside) * (radius + aside)
    distance = math.sqrt(rx * rx + ry * ry)
    outside = (distance - radius) * (distance + radius)
    return max(outside, 0.0) / (ahead + math.sqrt(chord2))


@kernel
def path_out_of_circle(rx: float, ry: float, dx: float, dy: float, radius: float) -> float:
    """Return the path along the unit direction d to where it leaves a circle about the relative point r.

    0 if it has left by rounding; where rounding makes it miss the circle, the path to the point nearest to r.
    """
    aside = rx * dy - ry * dx
    chord2 = (radius - aside) * (radius + aside)
    return max(rx * dx + ry * dy + math.sqrt(max(chord2, 0.0)), 0.0)


@kernel
def to_corner(corner: int, distance: float, x: float, y: float) -> tuple[float, float]:
    """Return the vector from x, y to the point of a corner's diagonal at |x| = |y| = distance."""
    return (-distance if corner in (0, 3) else distance) - x, (-distance if corner < 2 else distance) - y


@kernel
def pocket_under(scene: Scene, i: int, x: float, y: float) -> int:
    """Return the pocket beyond whose tipping limit disc i is at x, y; -1 if none."""
    for pocket in range(4):
        rx, ry = to_corner(pocket, scene.pocket_centre, x, y)
        if rx * rx + ry * ry < scene.capture[i] * scene.capture[i]:
            return pocket
    return -1


@kernel
def path_to_pocket(scene: Scene, i: int, pocket: int) -> float:
    """Return disc i's path to the tipping limit of a pocket [m]; inf if it misses, 0 if it is beyond the limit.

    By as much as rounding may put it back after it left, a disc is beyond the limit only if it moves inwards.
    """
    capture = scene.capture[i]
    if capture <= GRAZE:
        return math.inf
    rx, ry = to_corner(pocket, scene.pocket_centre, scene.x[i], scene.y[i])
    if rx * rx + ry * ry < (capture - GRAZE) * (capture - GRAZE):
        return 0.0
    return path_to_circle(rx, ry, scene.dir_x[i], scene.dir_y[i], capture)


@inlined
def path_to_square(x: float, y: float, dx: float, dy: float, limit: float) -> tuple[float, int]:
    """Return the path from x, y to |x| = limit or |y| = limit, inf for none, and where: 0 right, 1 left, 2 far, 3 near.

    d need not be a unit vector; the path is in units of its length.
    """
    s = max((math.copysign(limit, dx) - x) / dx, 0.0) if dx != 0.0 else math.inf
    s_y = max((math.copysign(limit, dy) - y) / dy, 0.0) if dy != 0.0 else math.inf
    if s_y < s:
        return s_y, 2 if dy > 0.0 else 3
    return s, 0 if dx > 0.0 else 1


@kernel
def across_limit(scene: Scene, i: int) -> float:
    """Return the largest |x| + |y| of disc i's centre on a board whose corners are cut away [m]."""
    return float(2.0 * scene.half_side - scene.corner_size - scene.radius[i] / ROOT_HALF)


@inlined
def path_to_frame(scene: Scene, i: int) -> tuple[float, int]:
    """Return disc i's path to the frame [m], inf for none, and the place of its hit there."""
    x, y, dx, dy = scene.x[i], scene.y[i], scene.dir_x[i], scene.dir_y[i]
    s, place = path_to_square(x, y, dx, dy, scene.half_side - scene.radius[i])
    bend = scene.bend[i]
    if s == math.inf or bend == math.inf:
        return s, place
    if scene.corner == CUT_AWAY:
        # The four pieces are the sides of a square, too: in the coordinates x + y and y - x.
        s_piece, side = path_to_square(x + y, y - x, dx + dy, dy - dx, across_limit(scene, i))
        if s_piece < s:
            return s_piece, CORNER + PIECES[side]
        return s, place
    aside = y + dy * s if place < 2 else x + dx * s
    if abs(aside) <= bend:
        return s, place
    # Where the straight cushion would be hit it is bent: the disc has met the corner's arc before.
    right, far = (dx > 0.0, aside > 0.0) if place < 2 else (aside > 0.0, dy > 0.0)
    corner = (2 if right else 3) if far else (1 if right else 0)
    rx, ry = to_corner(corner, bend, x, y)
    return path_out_of_circle(rx, ry, dx, dy, scene.corner_size - scene.radius[i]), CORNER + corner


@kernel
def put_on_frame(scene: Scene, i: int, place: int, x: float, y: float) -> tuple[float, float, float, float]:
    """Return the point next to x, y where disc i touches a part of the frame exactly, and the unit vector n into it."""
    if place < CORNER:
        side, limit = 1.0 if place in (0, 2) else -1.0, scene.half_side - scene.radius[i]
        return (side * limit, y, side, 0.0) if place < 2 else (x, side * limit, 0.0, side)
    if scene.corner == ROUNDED:
        rx, ry = to_corner(place - CORNER, scene.bend[i], x, y)
        distance, room = math.sqrt(rx * rx + ry * ry), scene.corner_size - scene.radius[i]
        nx, ny = -rx / distance, -ry / distance
        return (x + rx) + nx * room, (y + ry) + ny * room, nx, ny
    sx, sy = to_corner(place - CORNER, 1.0, 0.0, 0.0)
    beyond = 0.5 * (sx * x + sy * y - across_limit(scene, i))
    return x - sx * beyond, y - sy * beyond, sx * ROOT_HALF, sy * ROOT_HALF


@kernel
def corner_overlap(scene: Scene, i: int, x: float, y: float) -> tuple[float, float, float]:
    """Return how deep disc i, centred at x, y, is in the shape of the nearest corner, and n: see `frame_overlap`."""
    bend = scene.bend[i]
    if bend == math.inf:
        return -math.inf, 0.0, 0.0
    if scene.corner == CUT_AWAY:
        overlap = (abs(x) + abs(y) - across_limit(scene, i)) * ROOT_HALF
        return overlap, math.copysign(ROOT_HALF, x), math.copysign(ROOT_HALF, y)
    rx, ry = abs(x) - bend, abs(y) - bend
    if rx <= 0.0 or ry <= 0.0:
        return -math.inf, 0.0, 0.0
    distance = math.sqrt(rx * rx + ry * ry)
    overlap = distance - (scene.corner_size - scene.radius[i])
    return overlap, math.copysign(rx / distance, x), math.copysign(ry / distance, y)


@kernel
def frame_overlap(scene: Scene, i: int, x: float, y: float, place: int) -> tuple[float, float, float]:
    """Return how deep disc i, centred at x, y, is in a part of the frame [m] and the unit vector n into it.

    Parameters
    ----------
    scene, i
        Only the disc's radius is taken from the scene.
    x, y : float
        Anywhere, beyond the frame too [m].
    place : int
        0 right, 1 left, 2 far, 3 near cushion, as far as it is straight; 4 (CORNER) the nearest corner's shape.

    Returns
    -------
    overlap, nx, ny : float
        The overlap is negative where they do not touch, and -inf (with n = 0) beyond the ends of that part.
    """
    if place == CORNER:
        return corner_overlap(scene, i, x, y)
    along, aside = (x, y) if place < 2 else (y, x)
    if scene.corner == ROUNDED and abs(aside) > scene.bend[i]:
        return -math.inf, 0.0, 0.0
    side = 1.0 if place in (0, 2) else -1.0
    overlap = side * along - (scene.half_side - scene.radius[i])
    return overlap, side if place < 2 else 0.0, 0.0 if place < 2 else side


@inlined
def end_of_segment(scene: Scene, i: int) -> tuple[float, int, int]:
    """Return path [m], kind and place of what ends disc i's segment: cushion, tipping limit or stop.

    Of two at the same path the cushion comes first, then the pocket: the tie rule's order.
    """
    best, kind, place = scene.s_stop[i], STOP, -1
    if scene.speed[i] > 0.0:
        s, cushion = path_to_frame(scene, i)
        if s <= best:
            best, kind, place = s, CUSHION_HIT, cushion
    pocket = scene.falling[i]
    if pocket >= 0:
        rx, ry = to_corner(pocket, scene.pocket_centre, scene.x[i], scene.y[i])
        s = path_out_of_circle(rx, ry, scene.dir_x[i], scene.dir_y[i], scene.capture[i])
        return (s, LEAVING, pocket) if s < best else (best, kind, place)
    x, y = scene.x[i], scene.y[i]
    ex, ey = x + scene.dir_x[i] * best, y + scene.dir_y[i] * best
    outermost = scene.pocket_centre - scene.capture[i]  # only discs further out in x and in y are near a pocket
    if max(abs(x), abs(ex)) < outermost or max(abs(y), abs(ey)) < outermost:
        return best, kind, place
    for pocket in range(4):
        s = path_to_pocket(scene, i, pocket)
        if s < best or (s == best and kind == STOP):
            best, kind, place = s, ENTERING if scene.fall_time > 0.0 else POCKETING, pocket
    return best, kind, place


@inlined
def closing_bound(scene: Scene, i: int, j: int, along_i: float, along_j: float) -> float:
    """Return the largest possible growth of the closing speed along n [m/s^2], for d_i.n and d_j.n."""
    decel_i = scene.decel_min[i] if along_i > 0.0 else scene.decel_max[i]
    decel_j = scene.decel_max[j] if along_j > 0.0 else scene.decel_min[j]
    return float(decel_j * along_j - decel_i * along_i)


@inlined
def safe_step(gap: float, closing: float, accel: float) -> float:
    """Return the time in which closing * s + accel * s^2 / 2 covers the gap; inf if never."""
    gap = max(gap, 0.0)
    root2 = closing * closing + 2.0 * accel * gap
    if closing > 0.0:
        return 2.0 * gap / (closing + math.sqrt(root2)) if root2 >= 0.0 else math.inf
    return (math.sqrt(root2) - closing) / accel if accel > 0.0 else math.inf


@kernel
def polish(gap: float, closing: float, across2: float, distance: float) -> float:
    """Return the last correction of a contact time [s], with the curvature of the distance of two passing discs."""
    curvature = across2 / distance
    root2 = closing * closing - 2.0 * curvature * gap
    return 2.0 * gap / (closing + math.sqrt(root2)) if root2 > 0.0 else 0.0


@kernel
def meeting_time(scene: Scene, i: int, j: int, begin: float, limit: float) -> tuple[float, bool]:
    """Return when the moving discs i and j meet at or after begin, and whether that is exact.

    inf (exact) if they do not before one of them stops. Past limit, the time returned is only a lower
    bound: something else happens first and may make the answer void.
    """
    radius = scene.radius[i] + scene.radius[j]
    end = min(scene.t_stop[i], scene.t_stop[j])
    dix, diy, djx, djy = scene.dir_x[i], scene.dir_y[i], scene.dir_x[j], scene.dir_y[j]
    t = begin
    pushing = False
    for _ in range(MAX_STEPS):
        locate(scene, i, t)
        locate(scene, j, t)
        si, vi, sj, vj = scene.at_path[i], scene.at_speed[i], scene.at_path[j], scene.at_speed[j]
        rx = (scene.x[j] + djx * sj) - (scene.x[i] + dix * si)
        ry = (scene.y[j] + djy * sj) - (scene.y[i] + diy * si)
        distance = math.sqrt(rx * rx + ry * ry)
        ahead_i, ahead_j = dix * rx + diy * ry, djx * rx + djy * ry
        closing = vi * ahead_i - vj * ahead_j  # times the distance, as the acceleration and the gap are below
        gap = distance - radius
        if gap <= scene.touch:
            pushing = closing <= scene.push_speed * distance
        elif gap > PARTED:
            pushing = False
        if pushing:
            gap += scene.push_overlap
        near = scene.touch if pushing else max(scene.touch, SHORT * closing / distance)
        if gap <= near and closing > 10.0 * scene.still_speed * distance:
            if gap < -scene.touch or (t == begin and gap <= scene.touch):
                return t, True
            closing /= distance
            ux, uy = vi * dix - vj * djx, vi * diy - vj * djy
            t += polish(gap, closing, ux * ux + uy * uy - closing * closing, distance)
            return max(t, begin), True
        step = safe_step(gap * distance, closing, closing_bound(scene, i, j, ahead_i, ahead_j))
        if pushing and gap <= scene.touch:  # they part, perhaps by less than the time's own rounding
            step = max(step, scene.push_pause)
        t += step
        if t > end:
            return math.inf, True
        if t > limit:
            return t, False
    return t, False
