"""One stroke, from its first moment until everything rests: next event, move, resolve, record."""

import math

from carromsim_kernels.discs import (
    CAPTURE,
    CUSHIONS,
    DIR_X,
    DIR_Y,
    MASS,
    ON_BOARD,
    RADIUS,
    SELF_PLACE,
    Workspace,
    X,
    Y,
    launch,
    path_and_speed,
    remove,
    spin_at,
)
from carromsim_kernels.jit import kernel
from carromsim_kernels.resolve import collide_cushion, collide_discs
from carromsim_kernels.schedule import choose_best, choose_best_again, next_event, predict, predict_self
from carromsim_kernels.state import (
    N_DISCS,
    STRIKER,
    Discs,
    EventKind,
    Log,
    Result,
    Start,
    Status,
    World,
)

DISC_HIT = int(EventKind.DISC_HIT)
CUSHION_HIT = int(EventKind.CUSHION_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)
OK = int(Status.OK)
EVENT_LIMIT = int(Status.EVENT_LIMIT)
START_OVERLAP = int(Status.START_OVERLAP)
BAD_INPUT = int(Status.BAD_INPUT)


@kernel
def start_status(start: Start, discs: Discs, world: World, s: int) -> int:
    """Judge the start of row s: OK, BAD_INPUT or START_OVERLAP."""
    pos = start.pos[s]
    for i in range(N_DISCS):
        x, y = pos[i, 0], pos[i, 1]
        if math.isnan(x) and math.isnan(y):
            continue
        limit = world.board.half_side - discs.radius[i] + world.tol.start_overlap
        if not (abs(x) <= limit and abs(y) <= limit):
            return BAD_INPUT
        if not math.isfinite(start.vel[s, i, 0] + start.vel[s, i, 1] + start.omega[s, i]):
            return BAD_INPUT
    for i in range(N_DISCS):
        for j in range(i):
            dx, dy = pos[j, 0] - pos[i, 0], pos[j, 1] - pos[i, 1]
            reach = discs.radius[i] + discs.radius[j] - world.tol.start_overlap
            if dx * dx + dy * dy < reach * reach:
                return START_OVERLAP
    return OK


@kernel
def place_discs(ws: Workspace, world: World, start: Start, discs: Discs, s: int) -> None:
    """Set up row s at time 0 and predict its events."""
    a2 = world.board.pocket_radius * world.board.pocket_radius
    for i in range(N_DISCS):
        radius = discs.radius[i]
        ws.real[RADIUS, i], ws.real[MASS, i] = radius, discs.mass[i]
        # The disc tips over the rim when its centre passes the chord between the rim's crossings.
        ws.real[CAPTURE, i] = math.sqrt(a2 - radius * radius) if radius < world.board.pocket_radius else 0.0
        ws.code[CUSHIONS, i] = 0
        if math.isnan(start.pos[s, i, 0]):
            remove(ws, i)
            continue
        ws.code[ON_BOARD, i] = 1
        vx, vy = start.vel[s, i, 0], start.vel[s, i, 1]
        launch(ws, world, i, 0.0, start.pos[s, i, 0], start.pos[s, i, 1], vx, vy, start.omega[s, i])
    for i in range(N_DISCS):
        predict_self(ws, world, i)
    for i in range(N_DISCS):
        predict(ws, world, i, 0.0)
    for i in range(N_DISCS):
        choose_best(ws, i)


@kernel
def state_at(ws: Workspace, world: World, i: int, t: float) -> tuple[float, float, float, float, float]:
    """Return place, velocity and spin of disc i at time t of its segment: (x, y, vx, vy, omega)."""
    real = ws.real
    path, speed = path_and_speed(ws, world, i, t)
    dx, dy = real[DIR_X, i], real[DIR_Y, i]
    return real[X, i] + dx * path, real[Y, i] + dy * path, dx * speed, dy * speed, spin_at(ws, world, i, t)


@kernel
def forward(seat: int, x: float, y: float) -> float:
    """Return the place along the direction in which the player at seat looks [m]."""
    if seat == 0:
        return y
    if seat == 1:
        return -x
    if seat == 2:
        return -y
    return x


@kernel
def note_striker(result: Result, world: World, radius: float, seat: int, s: int, x: float, y: float) -> None:
    """Note whether the whole striker has passed the front line. Paths are straight: their ends suffice."""
    if forward(seat, x, y) - radius > world.board.front_line:
        result.crossed_front_line[s] = 1


@kernel
def hit_discs(ws: Workspace, world: World, i: int, j: int, t: float) -> None:
    """Let discs i and j collide at time t."""
    real = ws.real
    xi, yi, vxi, vyi, wi = state_at(ws, world, i, t)
    xj, yj, vxj, vyj, wj = state_at(ws, world, j, t)
    rx, ry = xj - xi, yj - yi
    distance = math.sqrt(rx * rx + ry * ry)
    nx, ny = rx / distance, ry / distance
    e = world.physics.e_disc if (vxi - vxj) * nx + (vyi - vyj) * ny >= world.tol.elastic_speed else 1.0
    vxi, vyi, wi, vxj, vyj, wj = collide_discs(
        nx, ny, vxi, vyi, wi, real[MASS, i], real[RADIUS, i], vxj, vyj, wj, real[MASS, j], real[RADIUS, j],
        e, world.physics.mu_disc, world.physics.beta_disc,
    )  # fmt: skip
    launch(ws, world, i, t, xi, yi, vxi, vyi, wi)
    launch(ws, world, j, t, xj, yj, vxj, vyj, wj)


@kernel
def hit_cushion(ws: Workspace, world: World, i: int, t: float) -> None:
    """Let disc i rebound from the cushion at the end of its segment."""
    real = ws.real
    x, y, vx, vy, w = state_at(ws, world, i, t)
    limit = world.board.half_side - real[RADIUS, i]
    place = ws.code[SELF_PLACE, i]
    nx, ny = 0.0, 0.0
    if place < 2:
        nx = 1.0 if place == 0 else -1.0
        x = nx * limit
    else:
        ny = 1.0 if place == 2 else -1.0
        y = ny * limit
    e = world.physics.e_cushion if vx * nx + vy * ny >= world.tol.elastic_speed else 1.0
    vx, vy, w = collide_cushion(
        nx, ny, vx, vy, w, real[MASS, i], real[RADIUS, i], e, world.physics.mu_cushion, world.physics.beta_cushion
    )
    launch(ws, world, i, t, x, y, vx, vy, w)


@kernel
def resolve(
    ws: Workspace, world: World, result: Result, s: int, seat: int, kind: int, i: int, j: int, t: float
) -> None:
    """Change the discs of one event and predict their futures."""
    real = ws.real
    if kind == DISC_HIT:
        hit_discs(ws, world, i, j, t)
        result.n_disc_hits[s] += 1
        if i == STRIKER and result.first_hit[s] < 0:
            result.first_hit[s] = j
            result.first_hit_direct[s] = 1 if ws.code[CUSHIONS, STRIKER] == 0 else 0
            behind = forward(seat, real[X, j], real[Y, j]) - real[RADIUS, j] <= world.board.front_line
            result.first_hit_behind[s] = 1 if behind else 0
    elif kind == CUSHION_HIT:
        hit_cushion(ws, world, i, t)
        result.n_cushion_hits[s] += 1
        ws.code[CUSHIONS, i] += 1
    else:
        x, y, _, _, _ = state_at(ws, world, i, t)
        if i == STRIKER:
            note_striker(result, world, real[RADIUS, i], seat, s, x, y)
        if kind == POCKETING:
            result.pocket[s, i], result.pocket_time[s, i] = ws.code[SELF_PLACE, i], t
            remove(ws, i)
        else:
            launch(ws, world, i, t, x, y, 0.0, 0.0, 0.0)
    if i == STRIKER and ws.code[ON_BOARD, i] == 1:
        note_striker(result, world, real[RADIUS, i], seat, s, real[X, i], real[Y, i])
    predict(ws, world, i, t)
    if j >= 0:
        predict(ws, world, j, t)
        choose_best_again(ws, j)
    choose_best_again(ws, i)


@kernel
def clear_row(result: Result, s: int, status: int) -> None:
    """Write an empty outcome: what a row says that was not simulated to its end."""
    result.status[s] = status
    result.pocket[s, :] = -1
    result.pocket_time[s, :] = math.nan
    result.pos[s, :, :] = math.nan
    result.vel[s, :, :] = 0.0
    result.omega[s, :] = 0.0
    result.first_hit[s] = -1
    result.first_hit_direct[s], result.first_hit_behind[s], result.crossed_front_line[s] = 0, 0, 0
    result.n_events[s], result.n_disc_hits[s], result.n_cushion_hits[s] = 0, 0, 0
    result.duration[s] = 0.0


@kernel
def write_state(ws: Workspace, world: World, result: Result, s: int, seat: int, t: float) -> None:
    """Write where everything is at time t."""
    result.duration[s] = t
    for i in range(N_DISCS):
        if ws.code[ON_BOARD, i] == 0:
            continue
        x, y, vx, vy, omega = state_at(ws, world, i, t)
        result.pos[s, i, 0], result.pos[s, i, 1] = x, y
        result.vel[s, i, 0], result.vel[s, i, 1] = vx, vy
        result.omega[s, i] = omega
        if i == STRIKER:
            note_striker(result, world, ws.real[RADIUS, i], seat, s, x, y)


@kernel
def record(log: Log, s: int, k: int, t: float, kind: int, i: int, j: int) -> None:
    """Record the k-th event of row s, as far as there is room for its events."""
    place = log.first[s] + k
    if place < log.first[s + 1]:
        log.t[place], log.kind[place], log.a[place], log.b[place] = t, kind, i, j


@kernel
def run_stroke(
    ws: Workspace, world: World, start: Start, discs: Discs, until: float, result: Result, log: Log, s: int
) -> None:
    """Simulate row s."""
    status = start.status[s]
    if status == OK:
        status = start_status(start, discs, world, s)
    if status == OK and world.mu_g == 0.0 and until == math.inf:
        status = BAD_INPUT
    clear_row(result, s, status)
    if status != OK:
        return
    seat = int(start.seat[s])
    place_discs(ws, world, start, discs, s)
    now = 0.0
    while True:
        t, kind, i, j = next_event(ws, world)
        if t > until:
            now = until
            break
        if t == math.inf:
            break
        now = max(t, now)
        record(log, s, result.n_events[s], now, kind, i, j)
        result.n_events[s] += 1
        if result.n_events[s] >= world.tol.max_events:
            clear_row(result, s, EVENT_LIMIT)
            return
        resolve(ws, world, result, s, seat, kind, i, j, now)
    write_state(ws, world, result, s, seat, now)
