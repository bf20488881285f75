"""Which goes first: the next event of a stroke.

Every disc keeps its earliest event, often only as a lower bound of its time; a bound is refined when it
becomes the earliest of all, which most never do. The tie rule, for times that are equal to the last bit:
the lower EventKind (passages of a tipping limit, which are no events, come last), then the lower disc index, then the
lower index of the other disc.
"""

import math

from carromsim_kernels.detect import end_of_segment, meeting_time, path_to_circle
from carromsim_kernels.discs import is_at_rest, locate, shortest_time, time_at_path
from carromsim_kernels.jit import inlined, kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import N_DISCS, EventKind

DISC_HIT = int(EventKind.DISC_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)
STUCK = -1
STALE, BOUND, EXACT = 0, 1, 10
"""Rank of a disc's earliest event among events at equal times. STALE: it is no more, and its time a lower bound of the
next one's; BOUND: the time is a lower bound; EXACT, to which the kind is added: it is exact. What has to be looked at
goes first."""


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


@inlined
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
def predict_all(scene: Scene) -> None:
    """Predict all events of all discs, whose motions begin at time 0."""
    scene.pair_time[:, :] = math.inf
    scene.pair_exact[:, :] = 0
    for i in range(N_DISCS):
        if scene.on_board[i] == 1:
            predict_self(scene, i)
        set_best(scene, i, math.inf, -1)
    for i in range(N_DISCS):
        if scene.speed[i] > 0.0:
            predict_pairs(scene, i, 0.0)


@inlined
def bound_meetings(scene: Scene, i: int, now: float) -> None:
    """Put into scene.bound when disc i, whose segment begins now, meets each other disc at the earliest; inf for never.

    Nothing is looked up: where another disc is by now follows from where it was last known to be, up to a slack that
    its least and its largest deceleration leave. Two convex sets are apart if any axis separates them; three axes are
    tried on the segments that are left: the line between the discs and the normals of both paths. The time is never
    later than the first step of `meeting_time`, 2 G / (C + sqrt(C^2 + 2 A G)), with gap G, closing speed C and its
    growth A, all times the distance: that root is at most C + A G / C; and discs that part are as near as now again
    after 2 |C| / A. Discs that may be in touch, for all that is known, may meet now: that they part along the line
    between the places supposed says nothing. There are no branches, so that several discs are done at once.
    """
    xs, ys, dxs, dys, exs, eys = scene.x, scene.y, scene.dir_x, scene.dir_y, scene.end_x, scene.end_y
    ats, paths, speeds, stops = scene.at_time, scene.at_path, scene.at_speed, scene.t_stop
    leasts, mosts, radii, bounds = scene.decel_min, scene.decel_max, scene.radius, scene.bound
    touch, push_speed = scene.touch, scene.push_speed
    x, y, dx, dy, ex, ey = xs[i], ys[i], dxs[i], dys[i], exs[i], eys[i]
    v, least, most, radius = speeds[i], leasts[i], mosts[i], radii[i]
    stop = stops[i] if v > 0.0 else math.inf
    for j in range(N_DISCS):
        dt = now - ats[j]
        spread = 0.5 * (mosts[j] - leasts[j]) * abs(dt)
        vj = speeds[j] - 0.5 * (mosts[j] + leasts[j]) * dt
        path = paths[j] + 0.5 * (speeds[j] + vj) * dt
        slack = 0.5 * spread * abs(dt)
        r = radius + radii[j] + slack
        rx, ry = xs[j] + dxs[j] * path - x, ys[j] + dys[j] * path - y
        sx, sy = exs[j] - x, eys[j] - y
        d2 = rx * rx + ry * ry
        d = math.sqrt(d2)
        a, b = rx * dy - ry * dx, sx * dy - sy * dx
        c, e = rx * dys[j] - ry * dxs[j], (rx + x - ex) * dys[j] - (ry + y - ey) * dxs[j]
        apart = min(d2, sx * rx + sy * ry) - max(0.0, (ex - x) * rx + (ey - y) * ry)
        far = r + 1e-9
        clear = (apart > far * d) | (min(a, b) > far) | (max(a, b) < -far) | (min(c, e) > far) | (max(c, e) < -far)
        ahead_i, ahead_j = dx * rx + dy * ry, dxs[j] * rx + dys[j] * ry
        closing = v * ahead_i - vj * ahead_j + spread * abs(ahead_j)
        accel = (mosts[j] if ahead_j > 0.0 else leasts[j]) * ahead_j - (least if ahead_i > 0.0 else most) * ahead_i
        gap = max(d - r, 0.0) * d
        c2, ag = closing * closing, accel * gap
        nearer = closing > 0.0
        over = 2.0 * c2 + ag if nearer else accel
        step = 2.0 * closing * (gap if nearer else -1.0) / (over if over > 0.0 else 1.0)
        time = math.inf if (over <= 0.0) | (nearer & (c2 + 2.0 * ag < 0.0)) else now + step
        time = now if (d - r <= touch) & ((slack > 0.0) | (closing >= -push_speed * d)) else time
        never = clear | ((v == 0.0) & (speeds[j] == 0.0)) | (j == i)
        never |= time > min(stop, stops[j] if speeds[j] > 0.0 else math.inf)
        time = math.inf if never else time
        bounds[j] = time


@kernel
def predict_pairs(scene: Scene, i: int, now: float) -> None:
    """Set lower bounds of the times at which disc i, whose segment has just begun, meets each of the others.

    They become the others' earliest events where they are earlier. For a disc whose earliest event was with disc i
    nothing is looked for: what it had stays a lower bound.
    """
    bound_meetings(scene, i, now)
    times, best_time, partner, rank = scene.bound, scene.best_time, scene.best_partner, scene.best_rank
    earliest, nearest = math.inf, -1
    for j in range(N_DISCS):
        time, best = times[j], best_time[j]
        scene.pair_time[i, j] = scene.pair_time[j, i] = time
        scene.pair_exact[i, j] = scene.pair_exact[j, i] = 0
        nearest = j if time < earliest else nearest
        earliest = time if time < earliest else earliest
        sooner = (time <= best) & (time < math.inf)
        if sooner | (partner[j] == i):
            best_time[j], partner[j], rank[j] = (time, i, BOUND) if sooner else (best, i, STALE)
    set_best(scene, i, earliest, nearest)


@kernel
def choose_best(scene: Scene, i: int) -> None:
    """Set the earliest event of disc i."""
    times = scene.pair_time[i]
    earliest, nearest = math.inf, -1
    for j in range(N_DISCS):
        nearest = j if times[j] < earliest else nearest
        earliest = times[j] if times[j] < earliest else earliest
    set_best(scene, i, earliest, nearest)


@inlined
def set_best(scene: Scene, i: int, earliest: float, j: int) -> None:
    """Set the earliest event of disc i, whose earliest hit is with disc j; at equal times it is the hit."""
    if scene.self_time[i] < earliest:
        rank = EXACT + scene.self_kind[i] if scene.self_exact[i] == 1 else BOUND
        scene.best_time[i], scene.best_partner[i], scene.best_rank[i] = scene.self_time[i], -1, rank
    else:
        rank = EXACT + DISC_HIT if j >= 0 and scene.pair_exact[i, j] == 1 else BOUND
        scene.best_time[i], scene.best_partner[i], scene.best_rank[i] = earliest, j, rank


@kernel
def time_of_next(scene: Scene, i: int) -> float:
    """Return the time of disc i's earliest event, or a lower bound of it [s]."""
    if scene.best_rank[i] == STALE:
        choose_best(scene, i)
    return float(scene.best_time[i])


@inlined
def refine(scene: Scene, i: int, j: int) -> bool:
    """Replace the bound of disc i's event (with disc j, or alone if j < 0) by the exact time or a better bound.

    Returns
    -------
    bool
        Whether that is now known to be the next event of all.
    """
    limit = limit_of_search(scene, i, j)
    if j < 0:
        scene.self_time[i], scene.self_exact[i] = time_at_path(scene, i, scene.segment[i]), 1
        end_by_fall(scene, i)
        if scene.self_time[i] < limit:
            scene.best_time[i], scene.best_rank[i] = scene.self_time[i], EXACT + scene.self_kind[i]
            return True
        choose_best(scene, i)
        return False
    begin, exact = scene.pair_time[i, j], True
    if scene.speed[i] > 0.0 and scene.speed[j] > 0.0:
        time, exact = meeting_time(scene, i, j, begin, limit)
    elif scene.speed[i] > 0.0:
        time = time_of_hit(scene, i, j, begin)
    else:
        time = time_of_hit(scene, j, i, begin)
    scene.pair_time[i, j] = scene.pair_time[j, i] = time
    scene.pair_exact[i, j] = scene.pair_exact[j, i] = 1 if exact else 0
    if exact and time < limit:
        scene.best_time[i], scene.best_rank[i] = time, EXACT + DISC_HIT
        return True
    choose_best(scene, i)
    if scene.best_partner[j] == i:
        choose_best(scene, j)
    return False


@inlined
def limit_of_search(scene: Scene, i: int, j: int) -> float:
    """Return a time [s] before which nothing can happen but the event of disc i (with disc j) that is looked for.

    The others' earliest events are no later than those that they have with disc i or j.
    """
    times, time_i, limit = scene.best_time, scene.best_time[i], math.inf
    times[i] = math.inf
    if j >= 0:
        limit, time_j, times[j] = min(scene.self_time[i], scene.self_time[j]), times[j], math.inf
    a, b, c, d = limit, math.inf, math.inf, math.inf
    for k in range(0, N_DISCS, 4):  # the least of four at a time: none waits for the one before
        a = times[k] if times[k] < a else a
        b = times[k + 1] if times[k + 1] < b else b
        c = times[k + 2] if times[k + 2] < c else c
        d = times[k + 3] if times[k + 3] < d else d
    times[i] = time_i
    if j >= 0:
        times[j] = time_j
    return min(min(a, b), min(c, d))


@kernel
def time_of_hit(scene: Scene, i: int, j: int, begin: float) -> float:
    """Return when mover i, not yet there at time begin, hits the resting disc j; inf for never [s]."""
    path = path_to_resting(scene, i, j, begin)
    if path == math.inf:
        return math.inf
    time = max(time_at_path(scene, i, path), begin)
    locate(scene, i, time)
    ahead = push_path(scene, i, j, path, scene.at_speed[i])
    if ahead > 0.0:
        path += ahead
        time = time_at_path(scene, i, path) if path <= scene.segment[i] else math.inf
    return time


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


@inlined
def first_of_equals(scene: Scene, i: int) -> int:
    """Return the disc whose event goes first of all at the time of disc i's: not yet exact, then by the tie rule."""
    first = i
    for k in range(N_DISCS):
        if scene.best_time[k] == scene.best_time[i] and scene.best_rank[k] < scene.best_rank[first]:
            first = k
    return first


@inlined
def next_event(scene: Scene) -> tuple[float, int, int, int]:
    """Return time, kind, disc and other disc (-1: none) of the next event; time inf if all is at rest.

    The kind is STUCK if the stroke's budget of refinements is spent.
    """
    times = scene.best_time
    while True:
        time, i = math.inf, -1
        for k in range(N_DISCS):
            i = k if times[k] < time else i
            time = times[k] if times[k] < time else time
        if i < 0:
            return math.inf, STOP, -1, -1
        if scene.best_rank[i] >= EXACT:
            i = first_of_equals(scene, i)
        rank, j = scene.best_rank[i], scene.best_partner[i]
        if rank >= EXACT:
            return time, rank - EXACT, i, j
        if rank == STALE:
            choose_best(scene, i)
            continue
        if scene.n_refined >= scene.max_refined:
            return time, STUCK, i, j
        scene.n_refined += 1
        if refine(scene, i, j):
            return scene.best_time[i], scene.best_rank[i] - EXACT, i, j
