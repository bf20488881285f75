"""Whether a hit is one of two bodies: neither disc touches another one, or the frame, before they have parted.

They are in touch for a tenth of a millisecond. If no disc in it meets anything else meanwhile, the law of two-body hits
is exact; otherwise the hit begins a burst. Less is enough than gap < duration x closing speed, because a disc that is
being hit covers only part of that way.
"""

import math

from carromsim_kernels.contact import contact_time
from carromsim_kernels.detect import CORNER, frame_overlap
from carromsim_kernels.discs import place_at
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import N_DISCS


@kernel
def reach(before: float, after: float, duration: float) -> float:
    """Return how far a disc comes nearer to a third one during a hit that changes its closing speed [m].

    As if the impulse acted evenly: the largest of before * s + (after - before) * s^2 / (2 duration).
    """
    if after >= 0.0 or after >= before:
        return max(0.5 * (before + after) * duration, 0.0)
    return 0.5 * before * before / (before - after) * duration if before > 0.0 else 0.0


@kernel
def top_speed(scene: Scene, i: int, vx: float, vy: float) -> float:
    """Return the larger speed of disc i, before (that in scene.vx, scene.vy) and after a hit it leaves with vx, vy."""
    return math.sqrt(max(vx * vx + vy * vy, scene.vx[i] * scene.vx[i] + scene.vy[i] * scene.vy[i]))


@kernel
def touches_any(scene: Scene, i: int, j: int, t: float, vx: float, vy: float, duration: float) -> bool:
    """Tell whether disc i, placed in px, py and leaving its hit of j with vx, vy, meets a third disc during the hit.

    Nearly all are too far away, whatever they do: one pass over all finds those.
    """
    xs, ys, times, speeds, radii, near = scene.x, scene.y, scene.time, scene.speed, scene.radius, scene.near
    x, y, n = scene.px[i], scene.py[i], 0
    covered = scene.radius[i] + top_speed(scene, i, vx, vy) * duration
    for k in range(N_DISCS):
        rx, ry = xs[k] - x, ys[k] - y
        far = covered + radii[k] + speeds[k] * (duration + t - times[k])
        near[k] = 1 if rx * rx + ry * ry <= far * far else 0
        n += near[k]
    if n > 1:  # itself is near
        for k in range(N_DISCS):
            if near[k] == 1 and k not in (i, j) and would_touch(scene, i, k, t, vx, vy, duration):
                return True
    return False


@kernel
def would_touch(scene: Scene, i: int, k: int, t: float, vx: float, vy: float, duration: float) -> bool:
    """Tell whether disc i, placed in px, py and leaving its hit with vx, vy, meets disc k during the hit."""
    place_at(scene, k, t)
    rx, ry = scene.px[k] - scene.px[i], scene.py[k] - scene.py[i]
    distance = math.sqrt(rx * rx + ry * ry)
    nx, ny = rx / distance, ry / distance
    before = (scene.vx[i] - scene.vx[k]) * nx + (scene.vy[i] - scene.vy[k]) * ny
    after = (vx - scene.vx[k]) * nx + (vy - scene.vy[k]) * ny
    return bool(distance - scene.radius[i] - scene.radius[k] < reach(before, after, duration))


@kernel
def would_touch_frame(scene: Scene, i: int, vx: float, vy: float, duration: float) -> bool:
    """Tell whether disc i, placed in px, py and leaving its hit with vx, vy, meets the frame during the hit."""
    x, y = scene.px[i], scene.py[i]
    far = top_speed(scene, i, vx, vy) * duration
    free = scene.half_side - scene.radius[i] - far
    if max(abs(x), abs(y)) < free and min(abs(x), abs(y)) < scene.bend[i] - far:
        return False
    for place in range(CORNER + 1):
        overlap, nx, ny = frame_overlap(scene, i, x, y, place)
        way = reach(scene.vx[i] * nx + scene.vy[i] * ny, vx * nx + vy * ny, duration)
        if way > 0.0 and -overlap < way:
            return True
    return False


@kernel
def is_crowded(
    scene: Scene, i: int, j: int, t: float, approach: float, vxi: float, vyi: float, vxj: float, vyj: float
) -> bool:
    """Tell whether discs i and j, which would leave with these velocities, meet anything else while in touch."""
    mass = scene.mass[i] * scene.mass[j] / (scene.mass[i] + scene.mass[j])
    duration = contact_time(scene, mass, approach)
    place_at(scene, i, t)
    place_at(scene, j, t)
    if would_touch_frame(scene, i, vxi, vyi, duration) or would_touch_frame(scene, j, vxj, vyj, duration):
        return True
    by_i = touches_any(scene, i, j, t, vxi, vyi, duration)
    return by_i or touches_any(scene, j, i, t, vxj, vyj, duration)


@kernel
def is_crowded_at_frame(scene: Scene, i: int, t: float, approach: float, vx: float, vy: float) -> bool:
    """Tell whether disc i, which would leave the frame with vx, vy, meets another disc while it touches the frame."""
    duration = contact_time(scene, scene.mass[i], approach)
    place_at(scene, i, t)
    return touches_any(scene, i, -1, t, vx, vy, duration)
