"""When: the first contact of a disc with another, with a cushion or with a pocket.

Paths are straight, so fixed geometry and resting discs are quadratics in the path length; only two
moving discs need a root in time. It is found by separating-axis advancement: along the line of centres
n the gap |p| - R is at least n.p - R, whose first root under the fastest possible approach is a step that
provably contains no contact. Steps converge quadratically on a hit, by halves on a graze, and end with a
proof on a miss; the quartic's ill-conditioned coefficients are never formed.
"""

import math

from carromsim_kernels.discs import locate
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import N_DISCS, EventKind

CUSHION_HIT = int(EventKind.CUSHION_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)

MAX_STEPS = 200
GRAZE = 1e-12
"""A circle that is entered less deep than this [m] is missed: what is left of the speed is rounding."""
PARTED = 1e-8
"""Discs that pushed each other and are further apart than this [m] may hit again."""


@kernel
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
def path_to_pocket(scene: Scene, i: int, pocket: int) -> float:
    """Return disc i's path to the tipping limit of a pocket [m]; inf if it misses, 0 if it starts beyond the limit."""
    capture = scene.capture[i]
    rx = (-scene.pocket_centre if pocket in (0, 3) else scene.pocket_centre) - scene.x[i]
    ry = (-scene.pocket_centre if pocket < 2 else scene.pocket_centre) - scene.y[i]
    if rx * rx + ry * ry < capture * capture:
        return 0.0
    return path_to_circle(rx, ry, scene.dir_x[i], scene.dir_y[i], capture) if capture > 0.0 else math.inf


@kernel
def end_of_segment(scene: Scene, i: int) -> tuple[float, int, int]:
    """Return path [m], kind and place of what ends disc i's segment: cushion, pocket or stop.

    Of two at the same path the cushion comes first, then the pocket: the tie rule's order.
    """
    x, y, dx, dy = scene.x[i], scene.y[i], scene.dir_x[i], scene.dir_y[i]
    limit = scene.half_side - scene.radius[i]
    best, kind, place = scene.s_stop[i], STOP, -1
    if dx != 0.0:
        s = max((math.copysign(limit, dx) - x) / dx, 0.0)
        if s <= best:
            best, kind, place = s, CUSHION_HIT, 0 if dx > 0.0 else 1
    if dy != 0.0:
        s = max((math.copysign(limit, dy) - y) / dy, 0.0)
        if s < best or (s == best and kind == STOP):
            best, kind, place = s, CUSHION_HIT, 2 if dy > 0.0 else 3
    for pocket in range(4):
        s = path_to_pocket(scene, i, pocket)
        if s < best or (s == best and kind == STOP):
            best, kind, place = s, POCKETING, pocket
    return best, kind, place


@kernel
def find_near(scene: Scene, i: int) -> int:
    """List in scene.near the discs that might meet disc i on their present segments; return how many.

    Two convex sets are apart if any axis separates them. Three axes are tried on the swept segments: the
    line between their beginnings and the normals of both paths. No motion law is needed for that.
    """
    near = scene.near
    xs, ys, exs, eys = scene.x, scene.y, scene.end_x, scene.end_y
    dxs, dys, radii = scene.dir_x, scene.dir_y, scene.radius
    x, y, ex, ey, dx, dy, radius = xs[i], ys[i], exs[i], eys[i], dxs[i], dys[i], radii[i]
    for j in range(N_DISCS):
        r = radius + radii[j] + 1e-9
        rx, ry = xs[j] - x, ys[j] - y
        sx, sy = exs[j] - x, eys[j] - y
        d2 = rx * rx + ry * ry
        apart = min(d2, sx * rx + sy * ry) - max(0.0, (ex - x) * rx + (ey - y) * ry)
        a, b = rx * dy - ry * dx, sx * dy - sy * dx
        c, d = rx * dys[j] - ry * dxs[j], (xs[j] - ex) * dys[j] - (ys[j] - ey) * dxs[j]
        clear = (
            (apart > 0.0) & (apart * apart > r * r * d2)
            | (min(a, b) > r)
            | (max(a, b) < -r)
            | (min(c, d) > r)
            | (max(c, d) < -r)
        )
        near[j] = 0 if clear else 1
    n = 0
    for j in range(N_DISCS):
        if near[j] == 1 and j != i:
            near[n] = j
            n += 1
    return n


@kernel
def closing_bound(scene: Scene, i: int, j: int, along_i: float, along_j: float) -> float:
    """Return the largest possible growth of the closing speed along n [m/s^2], for d_i.n and d_j.n."""
    decel_i = scene.decel_min[i] if along_i > 0.0 else scene.decel_max[i]
    decel_j = scene.decel_max[j] if along_j > 0.0 else scene.decel_min[j]
    return float(decel_j * along_j - decel_i * along_i)


@kernel
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
        nx, ny = rx / distance, ry / distance
        along_i, along_j = dix * nx + diy * ny, djx * nx + djy * ny
        closing = vi * along_i - vj * along_j
        gap = distance - radius
        if gap <= scene.touch:
            pushing = closing <= scene.push_speed
        elif gap > PARTED:
            pushing = False
        if pushing:
            gap += scene.push_overlap
        if gap <= scene.touch and closing > 10.0 * scene.still_speed:
            if t == begin or gap < -scene.touch:
                return t, True
            ux, uy = vi * dix - vj * djx, vi * diy - vj * djy
            t += polish(gap, closing, ux * ux + uy * uy - closing * closing, distance)
            return max(t, begin), True
        step = safe_step(gap, closing, closing_bound(scene, i, j, along_i, along_j))
        if pushing and gap <= scene.touch:  # they part, perhaps by less than the time's own rounding
            step = max(step, scene.push_pause)
        t += step
        if t > end:
            return math.inf, True
        if t > limit:
            return t, False
    return t, False
