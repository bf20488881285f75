"""Which goes first: the next event of a stroke.

Every disc keeps its earliest event, often only as a lower bound of its time; a bound is refined when it
becomes the earliest of all, which most never do. The tie rule, for times that are equal to the last bit:
the lower EventKind, then the lower disc index, then the lower index of the other disc.
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
from carromsim_kernels.discs import (
    BEST_PARTNER,
    BEST_RANK,
    BEST_TIME,
    DECEL_MAX,
    DECEL_MIN,
    DIR_X,
    DIR_Y,
    END_X,
    END_Y,
    MODE,
    NEAR,
    RADIUS,
    SEGMENT,
    SELF_EXACT,
    SELF_KIND,
    SELF_PLACE,
    SELF_TIME,
    SPEED,
    T_STOP,
    TIME,
    Workspace,
    X,
    Y,
    path_and_speed,
    time_at_path,
    travels,
)
from carromsim_kernels.jit import kernel
from carromsim_kernels.motion import REST
from carromsim_kernels.state import N_DISCS, EventKind, World

DISC_HIT = int(EventKind.DISC_HIT)
STOP = int(EventKind.STOP)
EXACT = 10
"""Added to the rank of an exact time: at equal times a bound is looked at first."""


@kernel
def predict_self(ws: Workspace, world: World, i: int) -> None:
    """Set the end of disc i's segment and the time, or a lower bound of it, at which it gets there."""
    real, code = ws.real, ws.code
    if code[MODE, i] == REST:
        real[SEGMENT, i], real[SELF_TIME, i] = 0.0, math.inf
        real[END_X, i], real[END_Y, i] = real[X, i], real[Y, i]
        code[SELF_KIND, i], code[SELF_EXACT, i] = STOP, 1
        return
    s, kind, place = end_of_segment(ws, world, i)
    code[SELF_KIND, i], code[SELF_PLACE, i] = kind, place
    if kind == STOP:
        real[SELF_TIME, i], code[SELF_EXACT, i] = real[T_STOP, i], 1
        if s == math.inf:
            s = 0.0
    else:
        real[SELF_TIME, i] = real[TIME, i] + shortest_time(real[SPEED, i], real[DECEL_MIN, i], s)
        code[SELF_EXACT, i] = 1 if real[DECEL_MIN, i] == real[DECEL_MAX, i] else 0
    real[SEGMENT, i] = s
    real[END_X, i], real[END_Y, i] = real[X, i] + real[DIR_X, i] * s, real[Y, i] + real[DIR_Y, i] * s


@kernel
def shortest_time(speed: float, decel: float, path: float) -> float:
    """Return the time in which a disc covers a path at the least deceleration [s]."""
    if path <= 0.0:
        return 0.0
    return 2.0 * path / (speed + math.sqrt(max(speed * speed - 2.0 * decel * path, 0.0)))


@kernel
def path_to_resting(ws: Workspace, world: World, i: int, j: int, done: float, speed: float) -> float:
    """Return the path of mover i to its hit with the resting disc j, from where it is now; inf if there is none.

    A disc that touches and hardly approaches does not hit: it pushes until the overlap is world.tol.push_overlap.
    """
    real = ws.real
    dx, dy = real[DIR_X, i], real[DIR_Y, i]
    rx, ry = real[X, j] - (real[X, i] + dx * done), real[Y, j] - (real[Y, i] + dy * done)
    radius = real[RADIUS, i] + real[RADIUS, j]
    distance = math.sqrt(rx * rx + ry * ry)
    if distance - radius <= world.tol.touch and speed * (rx * dx + ry * dy) <= world.tol.push_speed * distance:
        radius -= world.tol.push_overlap
    s = path_to_circle(rx, ry, dx, dy, radius)
    return s if s + done <= real[SEGMENT, i] else math.inf


@kernel
def predict_pair(ws: Workspace, world: World, i: int, j: int, now: float) -> None:
    """Set a lower bound of the time at which discs i and j meet."""
    real = ws.real
    if travels(ws, i) and travels(ws, j):
        time, path = now, -1.0
        si, vi = path_and_speed(ws, world, i, now)
        sj, vj = path_and_speed(ws, world, j, now)
        dix, diy, djx, djy = real[DIR_X, i], real[DIR_Y, i], real[DIR_X, j], real[DIR_Y, j]
        rx = (real[X, j] + djx * sj) - (real[X, i] + dix * si)
        ry = (real[Y, j] + djy * sj) - (real[Y, i] + diy * si)
        distance = math.sqrt(rx * rx + ry * ry)
        along_i, along_j = (dix * rx + diy * ry) / distance, (djx * rx + djy * ry) / distance
        closing = vi * along_i - vj * along_j
        gap = distance - (real[RADIUS, i] + real[RADIUS, j])
        if gap > world.tol.touch or closing < -world.tol.push_speed:
            time += safe_step(gap, closing, closing_bound(ws, i, j, along_i, along_j))
            if time > min(real[T_STOP, i], real[T_STOP, j]):
                time = math.inf
    else:
        mover, target = (i, j) if travels(ws, i) else (j, i)
        done, speed = path_and_speed(ws, world, mover, now)
        ahead = path_to_resting(ws, world, mover, target, done, speed)
        path = done + ahead
        time = now + shortest_time(speed, real[DECEL_MIN, mover], ahead) if ahead < math.inf else math.inf
    set_pair(ws, i, j, time, path, 0)


@kernel
def set_pair(ws: Workspace, i: int, j: int, time: float, path: float, exact: int) -> None:
    """Store what is known of the pair i, j."""
    ws.pair_time[i, j] = ws.pair_time[j, i] = time
    ws.pair_path[i, j] = ws.pair_path[j, i] = path
    ws.pair_exact[i, j] = ws.pair_exact[j, i] = exact


@kernel
def predict(ws: Workspace, world: World, i: int, now: float) -> None:
    """Predict all events of disc i, whose motion has just begun or ended."""
    predict_self(ws, world, i)
    ws.pair_time[i, :] = math.inf
    ws.pair_time[:, i] = math.inf
    near = ws.code[NEAR]
    for n in range(find_near(ws, i)):
        if travels(ws, i) or travels(ws, near[n]):
            predict_pair(ws, world, i, near[n], now)


@kernel
def choose_best(ws: Workspace, i: int) -> None:
    """Set the earliest event of disc i."""
    real, code = ws.real, ws.code
    times = ws.pair_time[i]
    best, partner, rank = math.inf, -1, 0
    for j in range(N_DISCS):
        if times[j] < best:
            best, partner, rank = times[j], j, EXACT * ws.pair_exact[i, j] + DISC_HIT
        elif times[j] == best and best < math.inf and EXACT * ws.pair_exact[i, j] < rank:
            partner, rank = j, DISC_HIT
    self_rank = EXACT * code[SELF_EXACT, i] + code[SELF_KIND, i]
    if real[SELF_TIME, i] < best or (real[SELF_TIME, i] == best and self_rank < rank):
        best, partner, rank = real[SELF_TIME, i], -1, self_rank
    real[BEST_TIME, i], code[BEST_PARTNER, i], code[BEST_RANK, i] = best, partner, rank


@kernel
def choose_best_again(ws: Workspace, i: int) -> None:
    """Set the earliest events of disc i, just predicted, and of all that it concerns."""
    times = ws.pair_time[i]
    for j in range(N_DISCS):
        if j == i or ws.code[BEST_PARTNER, j] == i or times[j] <= ws.real[BEST_TIME, j]:
            choose_best(ws, j)


@kernel
def refine(ws: Workspace, world: World, i: int, j: int, limit: float) -> None:
    """Replace the bound of disc i's event (with disc j, or alone if j < 0) by the exact time or a better bound."""
    real, code = ws.real, ws.code
    if j < 0:
        real[SELF_TIME, i] = time_at_path(ws, world, i, real[SEGMENT, i])
        code[SELF_EXACT, i] = 1
        choose_best(ws, i)
        return
    path = ws.pair_path[i, j]
    if path < 0.0:
        time, exact = meeting_time(ws, world, i, j, ws.pair_time[i, j], limit)
        set_pair(ws, i, j, time, path, 1 if exact else 0)
    else:
        mover, target = (i, j) if travels(ws, i) else (j, i)
        begin = ws.pair_time[i, j]
        time = max(time_at_path(ws, world, mover, path), begin)
        _, speed = path_and_speed(ws, world, mover, time)
        ahead = push_path(ws, world, mover, target, path, speed)
        if ahead > 0.0:
            path += ahead
            time = time_at_path(ws, world, mover, path) if path <= real[SEGMENT, mover] else math.inf
        set_pair(ws, i, j, time, path, 1)
    choose_best(ws, i)
    choose_best(ws, j)


@kernel
def push_path(ws: Workspace, world: World, i: int, j: int, path: float, speed: float) -> float:
    """Return how much further mover i goes where it reaches the resting disc j too slowly for a hit; 0 for a hit."""
    real = ws.real
    dx, dy = real[DIR_X, i], real[DIR_Y, i]
    rx, ry = real[X, j] - (real[X, i] + dx * path), real[Y, j] - (real[Y, i] + dy * path)
    radius = real[RADIUS, i] + real[RADIUS, j]
    distance = math.sqrt(rx * rx + ry * ry)
    slow = speed * (rx * dx + ry * dy) <= world.tol.push_speed * distance
    if not slow or distance - radius <= -0.5 * world.tol.push_overlap:
        return 0.0
    return path_to_circle(rx, ry, dx, dy, radius - world.tol.push_overlap)


@kernel
def next_event(ws: Workspace, world: World) -> tuple[float, int, int, int]:
    """Return time, kind, disc and other disc (-1: none) of the next event; time inf if all is at rest."""
    real, code = ws.real, ws.code
    while True:
        time, rank, i = math.inf, 0, -1
        for k in range(N_DISCS):
            t = real[BEST_TIME, k]
            if t < time or (t == time and code[BEST_RANK, k] < rank):
                time, rank, i = t, code[BEST_RANK, k], k
        if i < 0:
            return math.inf, STOP, -1, -1
        j = code[BEST_PARTNER, i]
        if rank >= EXACT:
            return time, rank - EXACT, i, j
        limit = real[SELF_TIME, i]
        if j >= 0:
            limit = min(limit, real[SELF_TIME, j])
            for k in range(N_DISCS):
                if k not in (i, j):
                    limit = min(limit, real[BEST_TIME, k])
        refine(ws, world, i, j, limit)
