"""Which goes first: the next event of a stroke.

Every disc keeps its earliest event, often only as a lower bound of its time; a bound is refined when it
becomes the earliest of all, which most never do. The tie rule, for times that are equal to the last bit:
the lower EventKind (passages of a tipping limit, which are no events, come last), then the lower disc index, then the
lower index of the other disc.
"""

import math

from carromsim_kernels.detect import (
    closing_bound,
    end_of_segment,
    find_near,
    meeting_time,
    path_to_circle,
    safe_step,
)
from carromsim_kernels.discs import is_at_rest, locate, shortest_time, time_at_path
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import N_DISCS, EventKind

DISC_HIT = int(EventKind.DISC_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)
STUCK = -1
EXACT = 10
"""Added to the rank of an exact time: at equal times a bound is looked at first."""


@kernel
def predict_self(scene: Scene, i: int) -> None:
    """Set the end of disc i's segment and the time, or a lower bound of it, at which it gets there."""
    s, kind, place = end_of_segment(scene, i)
    scene.self_kind[i], scene.self_place[i], scene.self_exact[i] = kind, place, 1
    if kind == STOP:
        scene.self_time[i] = math.inf if is_at_rest(scene, i) else scene.t_stop[i]
    else:
        scene.self_time[i] = scene.time[i] + shortest_time(scene.speed[i], scene.decel_min[i], s)
        if scene.decel_min[i] < scene.decel_max[i]:
            scene.self_exact[i] = 0
    end_by_fall(scene, i)
    scene.segment[i] = s
    scene.end_x[i], scene.end_y[i] = scene.x[i] + scene.dir_x[i] * s, scene.y[i] + scene.dir_y[i] * s


@kernel
def end_by_fall(scene: Scene, i: int) -> None:
    """Let disc i be pocketed if it has fallen before what else ends its segment, which stays as long as it is."""
    time, falls_at = scene.self_time[i], scene.falls_at[i]
    if scene.falling[i] >= 0 and (time > falls_at or (time == falls_at and scene.self_kind[i] > POCKETING)):
        scene.self_kind[i], scene.self_place[i] = POCKETING, scene.falling[i]
        scene.self_time[i], scene.self_exact[i] = falls_at, 1


@kernel
def path_to_resting(scene: Scene, i: int, j: int, now: float) -> float:
    """Return the path of mover i from its segment's beginning to its hit with the resting disc j; inf for none.

    A disc that touches and hardly approaches does not hit: it pushes until the overlap is push_overlap.
    """
    locate(scene, i, now)
    dx, dy = scene.dir_x[i], scene.dir_y[i]
    rx, ry = scene.x[j] - (scene.x[i] + dx * scene.at_path[i]), scene.y[j] - (scene.y[i] + dy * scene.at_path[i])
    radius = scene.radius[i] + scene.radius[j]
    distance = math.sqrt(rx * rx + ry * ry)
    approach = scene.at_speed[i] * (rx * dx + ry * dy) / distance
    if distance - radius <= scene.touch:
        if approach > scene.push_speed:
            return float(scene.at_path[i])
        if approach <= 10.0 * scene.still_speed:  # the impulse would move nothing, for ever
            return math.inf
        radius -= scene.push_overlap
    path = scene.at_path[i] + path_to_circle(rx, ry, dx, dy, radius)
    return float(path) if path <= scene.segment[i] else math.inf


@kernel
def predict_pair(scene: Scene, i: int, j: int, now: float) -> None:
    """Set a lower bound of the time at which discs i and j meet."""
    if scene.speed[i] > 0.0 and scene.speed[j] > 0.0:
        time, path = now, -1.0
        locate(scene, i, now)
        locate(scene, j, now)
        si, vi, sj, vj = scene.at_path[i], scene.at_speed[i], scene.at_path[j], scene.at_speed[j]
        dix, diy, djx, djy = scene.dir_x[i], scene.dir_y[i], scene.dir_x[j], scene.dir_y[j]
        rx = (scene.x[j] + djx * sj) - (scene.x[i] + dix * si)
        ry = (scene.y[j] + djy * sj) - (scene.y[i] + diy * si)
        distance = math.sqrt(rx * rx + ry * ry)
        along_i, along_j = (dix * rx + diy * ry) / distance, (djx * rx + djy * ry) / distance
        closing = vi * along_i - vj * along_j
        gap = distance - (scene.radius[i] + scene.radius[j])
        if gap > scene.touch or closing < -scene.push_speed:
            time += safe_step(gap, closing, closing_bound(scene, i, j, along_i, along_j))
            if time > min(scene.t_stop[i], scene.t_stop[j]):
                time = math.inf
    else:
        mover, target = (i, j) if scene.speed[i] > 0.0 else (j, i)
        path = path_to_resting(scene, mover, target, now)
        locate(scene, mover, now)
        ahead = path - scene.at_path[mover]
        time = (
            now + shortest_time(scene.at_speed[mover], scene.decel_min[mover], ahead) if ahead < math.inf else math.inf
        )
    set_pair(scene, i, j, time, path, 0)


@kernel
def set_pair(scene: Scene, i: int, j: int, time: float, path: float, exact: int) -> None:
    """Store what is known of the pair i, j."""
    scene.pair_time[i, j] = scene.pair_time[j, i] = time
    scene.pair_path[i, j] = scene.pair_path[j, i] = path
    scene.pair_exact[i, j] = scene.pair_exact[j, i] = exact


@kernel
def predict(scene: Scene, i: int, now: float) -> None:
    """Predict all events of disc i, whose motion has just begun or ended."""
    predict_self(scene, i)
    scene.pair_time[i, :] = math.inf
    scene.pair_time[:, i] = math.inf
    near = scene.near
    for n in range(find_near(scene, i)):
        if scene.speed[i] > 0.0 or scene.speed[near[n]] > 0.0:
            predict_pair(scene, i, near[n], now)


@kernel
def choose_best(scene: Scene, i: int) -> None:
    """Set the earliest event of disc i."""
    times = scene.pair_time[i]
    best, partner, rank = math.inf, -1, 0
    for j in range(N_DISCS):
        if times[j] < best:
            best, partner, rank = times[j], j, EXACT * scene.pair_exact[i, j] + DISC_HIT
        elif times[j] == best and best < math.inf and EXACT * scene.pair_exact[i, j] < rank:
            partner, rank = j, DISC_HIT
    self_rank = EXACT * scene.self_exact[i] + scene.self_kind[i]
    if scene.self_time[i] < best or (scene.self_time[i] == best and self_rank < rank):
        best, partner, rank = scene.self_time[i], -1, self_rank
    scene.best_time[i], scene.best_partner[i], scene.best_rank[i] = best, partner, rank


@kernel
def choose_best_again(scene: Scene, i: int) -> None:
    """Set the earliest events of disc i, just predicted, and of all that it concerns."""
    times = scene.pair_time[i]
    for j in range(N_DISCS):
        if j == i or scene.best_partner[j] == i or (times[j] <= scene.best_time[j] and times[j] < math.inf):
            choose_best(scene, j)


@kernel
def refine(scene: Scene, i: int, j: int, limit: float) -> None:
    """Replace the bound of disc i's event (with disc j, or alone if j < 0) by the exact time or a better bound."""
    if j < 0:
        scene.self_time[i] = time_at_path(scene, i, scene.segment[i])
        scene.self_exact[i] = 1
        end_by_fall(scene, i)
        choose_best(scene, i)
        return
    path = scene.pair_path[i, j]
    if path < 0.0:
        time, exact = meeting_time(scene, i, j, scene.pair_time[i, j], limit)
        set_pair(scene, i, j, time, path, 1 if exact else 0)
    else:
        mover, target = (i, j) if scene.speed[i] > 0.0 else (j, i)
        begin = scene.pair_time[i, j]
        time = max(time_at_path(scene, mover, path), begin)
        locate(scene, mover, time)
        ahead = push_path(scene, mover, target, path, scene.at_speed[mover])
        if ahead > 0.0:
            path += ahead
            time = time_at_path(scene, mover, path) if path <= scene.segment[mover] else math.inf
        set_pair(scene, i, j, time, path, 1)
    choose_best(scene, i)
    choose_best(scene, j)


@kernel
def push_path(scene: Scene, i: int, j: int, path: float, speed: float) -> float:
    """Return how much further mover i goes where it reaches the resting disc j too slowly for a hit; 0 for a hit."""
    dx, dy = scene.dir_x[i], scene.dir_y[i]
    rx, ry = scene.x[j] - (scene.x[i] + dx * path), scene.y[j] - (scene.y[i] + dy * path)
    radius = scene.radius[i] + scene.radius[j]
    distance = math.sqrt(rx * rx + ry * ry)
    slow = speed * (rx * dx + ry * dy) <= scene.push_speed * distance
    if not slow or distance - radius <= -0.5 * scene.push_overlap:
        return 0.0
    return path_to_circle(rx, ry, dx, dy, radius - scene.push_overlap)


@kernel
def next_event(scene: Scene) -> tuple[float, int, int, int]:
    """Return time, kind, disc and other disc (-1: none) of the next event; time inf if all is at rest.

    The kind is STUCK if the stroke's budget of refinements is spent.
    """
    while True:
        time, rank, i = math.inf, 0, -1
        for k in range(N_DISCS):
            t = scene.best_time[k]
            if t < time or (t == time and scene.best_rank[k] < rank):
                time, rank, i = t, scene.best_rank[k], k
        if i < 0:
            return math.inf, STOP, -1, -1
        j = scene.best_partner[i]
        if rank >= EXACT:
            return time, rank - EXACT, i, j
        limit = scene.self_time[i]
        if j >= 0:
            limit = min(limit, scene.self_time[j])
            for k in range(N_DISCS):
                if k not in (i, j):
                    limit = min(limit, scene.best_time[k])
        if scene.n_refined >= scene.max_refined:
            return time, STUCK, i, j
        scene.n_refined += 1
        refine(scene, i, j, limit)
