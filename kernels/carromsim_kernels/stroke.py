"""One stroke, from its first moment until everything rests: next event, move, resolve, record."""

import math

from carromsim_kernels.burst import run_burst
from carromsim_kernels.contact import set_contact
from carromsim_kernels.crowd import is_crowded, is_crowded_at_frame
from carromsim_kernels.detect import CORNER, ENTERING, LEAVING, ROUNDED, frame_overlap, pocket_under, put_on_frame
from carromsim_kernels.discs import begin_fall, cancel_fall, launch, locate, remove, spin_at
from carromsim_kernels.facts import note_cushion_hit, note_disc_hit, note_striker, record
from carromsim_kernels.jit import inlined, kernel
from carromsim_kernels.jumps import risk_jump, throw_out
from carromsim_kernels.resolve import collide_cushion, collide_discs, lead_along, restitution
from carromsim_kernels.scene import Scene
from carromsim_kernels.schedule import STUCK, next_event, predict_all, predict_pairs, predict_self
from carromsim_kernels.state import LONGEST_CONTACT, N_DISCS, SHORTEST_CONTACT, STRIKER, EventKind, Log, Start, Status

DISC_HIT = int(EventKind.DISC_HIT)
CUSHION_HIT = int(EventKind.CUSHION_HIT)
POCKETING = int(EventKind.POCKETING)
STOP = int(EventKind.STOP)
OK = int(Status.OK)
EVENT_LIMIT = int(Status.EVENT_LIMIT)
START_OVERLAP = int(Status.START_OVERLAP)
BAD_INPUT = int(Status.BAD_INPUT)
MAX_FLOAT = 1.7976931348623157e308


@kernel
def is_possible(k: int, value: float) -> bool:
    """Tell whether the k-th coefficient of Physics may have a value."""
    if k in (1, 2):  # normal restitutions
        return 0.0 <= value <= 1.0
    if k in (5, 6):  # tangential ones
        return -1.0 <= value <= 1.0
    if k == 9:  # t_contact
        return SHORTEST_CONTACT <= value <= LONGEST_CONTACT
    return 0.0 <= value <= MAX_FLOAT


@kernel
def start_status(scene: Scene, start: Start, s: int) -> int:
    """Judge the start of row s: OK, BAD_INPUT or START_OVERLAP."""
    if start.status[s] != OK:
        return int(start.status[s])
    for k in range(start.physics.shape[1]):
        if not is_possible(k, start.physics[s, k]):
            return BAD_INPUT
    pos = start.pos[s]
    for i in range(N_DISCS):
        x, y = pos[i, 0], pos[i, 1]
        if math.isnan(x) and math.isnan(y):
            continue
        limit = scene.half_side - scene.radius[i] + scene.start_overlap
        if not (abs(x) <= limit and abs(y) <= limit):
            return BAD_INPUT
        if frame_overlap(scene, i, x, y, CORNER)[0] > scene.start_overlap:
            return BAD_INPUT
        if not math.isfinite(start.vel[s, i, 0] + start.vel[s, i, 1] + start.omega[s, i]):
            return BAD_INPUT
    for i in range(N_DISCS):
        if math.isnan(pos[i, 0]):
            continue
        for j in range(i):
            dx, dy = pos[j, 0] - pos[i, 0], pos[j, 1] - pos[i, 1]
            reach = scene.radius[i] + scene.radius[j] - scene.start_overlap
            if dx * dx + dy * dy < reach * reach:
                return START_OVERLAP
    return OK


@kernel
def begin_row(scene: Scene, start: Start, s: int) -> None:
    """Set up row s: its physics, its discs at time 0, and nothing known of its outcome."""
    p = start.physics[s]
    scene.mu_g = p[0] * scene.gravity
    scene.e_disc, scene.e_cushion = p[1], p[2]
    scene.mu_disc, scene.mu_cushion = p[3], p[4]
    scene.beta_disc, scene.beta_cushion = p[5], p[6]
    scene.v_c_disc, scene.v_c_cushion = p[7], p[8]
    set_contact(scene, p[9])
    scene.seat = start.seat[s]
    scene.first_hit = -1
    scene.first_hit_direct, scene.first_hit_behind, scene.crossed_front_line = 0, 0, 0
    scene.striker_cushions = 0
    scene.n_refined, scene.n_leaping = 0, 0
    scene.n_events, scene.n_crossings, scene.n_disc_hits, scene.n_cushion_hits = 0, 0, 0, 0
    for i in range(N_DISCS):
        scene.pocket[i], scene.pocket_time[i], scene.overboard[i] = -1, math.nan, 0
        scene.stay[i], scene.luck[i], scene.leaps[i] = 1.0, start.luck[s, i], 0
        if math.isnan(start.pos[s, i, 0]):
            remove(scene, i)
            continue
        scene.on_board[i] = 1
        x, y = start.pos[s, i, 0], start.pos[s, i, 1]
        launch(scene, i, 0.0, x, y, start.vel[s, i, 0], start.vel[s, i, 1], start.omega[s, i])
        cancel_fall(scene, i)
        pocket = pocket_under(scene, i, x, y)
        if pocket >= 0:
            begin_fall(scene, i, pocket, 0.0)
    if scene.on_board[STRIKER] == 1:
        note_striker(scene, scene.x[STRIKER], scene.y[STRIKER])
    predict_all(scene)


@inlined
def state_at(scene: Scene, i: int, t: float) -> tuple[float, float, float, float, float]:
    """Return place, velocity and spin of disc i at time t of its segment: (x, y, vx, vy, omega)."""
    locate(scene, i, t)
    path, speed, dx, dy = scene.at_path[i], scene.at_speed[i], scene.dir_x[i], scene.dir_y[i]
    return scene.x[i] + dx * path, scene.y[i] + dy * path, dx * speed, dy * speed, spin_at(scene, i, t)


@kernel
def within_frame(scene: Scene, i: int, x: float, y: float) -> tuple[float, float]:
    """Return the place next to x, y at which disc i is not in the frame."""
    limit = scene.half_side - scene.radius[i]
    x, y = min(max(x, -limit), limit), min(max(y, -limit), limit)
    overlap, nx, ny = frame_overlap(scene, i, x, y, CORNER)
    return (x - overlap * nx, y - overlap * ny) if overlap > 0.0 else (x, y)


@kernel
def is_free(scene: Scene, i: int, j: int, t: float, x: float, y: float) -> bool:
    """Tell whether disc i at x, y is hardly deeper than a push in others than j."""
    for k in range(N_DISCS):
        if k in (i, j):
            continue
        locate(scene, k, t)
        dx = scene.x[k] + scene.dir_x[k] * scene.at_path[k] - x
        dy = scene.y[k] + scene.dir_y[k] * scene.at_path[k] - y
        reach = scene.radius[i] + scene.radius[k] - 1.2 * scene.push_overlap
        if dx * dx + dy * dy < reach * reach:
            return False
    return True


@kernel
def step_aside(scene: Scene, i: int, j: int, t: float, x: float, y: float, dx: float, dy: float) -> tuple[float, float]:
    """Return where disc i gets from x, y by dx, dy, or a half of that, or a quarter, as others than j leave it room.

    A sixteenth is the least: without room for that it stays.
    """
    part = 1.0
    for _ in range(5):
        to_x, to_y = within_frame(scene, i, x + part * dx, y + part * dy)
        if is_free(scene, i, j, t, to_x, to_y):
            return to_x, to_y
        part *= 0.5
    return x, y


@kernel
def make_room(
    scene: Scene, i: int, j: int, t: float, xi: float, yi: float, xj: float, yj: float
) -> tuple[float, float, float, float]:
    """Return where discs i and j go when a push between them is resolved: apart to half of push_overlap.

    Without this room for the next push, discs that push one another would tremble faster and faster. At the frame a
    disc goes along it: else one of two that wedge a third would sink into it.
    """
    rx, ry = xj - xi, yj - yi
    distance = math.sqrt(rx * rx + ry * ry)
    apart = scene.radius[i] + scene.radius[j] - 0.5 * scene.push_overlap - distance
    if apart > 0.0:
        share = scene.mass[j] / (scene.mass[i] + scene.mass[j])
        dx, dy = rx / distance * apart, ry / distance * apart
        xi, yi = step_aside(scene, i, j, t, xi, yi, -share * dx, -share * dy)
        xj, yj = step_aside(scene, j, i, t, xj, yj, (1.0 - share) * dx, (1.0 - share) * dy)
    return xi, yi, xj, yj


@inlined
def hit_discs(scene: Scene, i: int, j: int, t: float) -> bool:
    """Let discs i and j collide at time t; or, where a third disc takes part, change nothing and return False."""
    xi, yi, vxi, vyi, wi = state_at(scene, i, t)
    xj, yj, vxj, vyj, wj = state_at(scene, j, t)
    rx, ry = xj - xi, yj - yi
    distance = math.sqrt(rx * rx + ry * ry)
    nx, ny = rx / distance, ry / distance
    approach = (vxi - vxj) * nx + (vyi - vyj) * ny
    e = restitution(scene.e_disc, scene.v_c_disc, approach, scene.elastic_speed)
    if approach <= scene.push_speed:
        xi, yi, xj, yj = make_room(scene, i, j, t, xi, yi, xj, yj)
    vxi, vyi, wi, vxj, vyj, wj = collide_discs(
        nx, ny, vxi, vyi, wi, scene.mass[i], scene.radius[i], vxj, vyj, wj, scene.mass[j], scene.radius[j],
        e, scene.mu_disc, scene.beta_disc,
    )  # fmt: skip
    deep = scene.compliant == 1 and approach > scene.burst_speed
    if deep and is_crowded(scene, i, j, t, approach, vxi, vyi, vxj, vyj):
        return False
    launch(scene, i, t, xi, yi, vxi, vyi, wi)
    launch(scene, j, t, xj, yj, vxj, vyj, wj)
    note_disc_hit(scene, i, j, xj, yj)
    if scene.jump_chance > 0.0:
        risk_jump(scene, i, approach)
        risk_jump(scene, j, approach)
    return True


@inlined
def hit_cushion(scene: Scene, i: int, t: float) -> bool:
    """Let disc i rebound from the frame, where it is put exactly; or, where another disc takes part, return False."""
    x, y, vx, vy, w = state_at(scene, i, t)
    place = scene.self_place[i]
    x, y, nx, ny = put_on_frame(scene, i, place, x, y)
    approach = vx * nx + vy * ny
    e = restitution(scene.e_cushion, scene.v_c_cushion, approach, scene.elastic_speed)
    if place >= CORNER:
        least = scene.least_angle if scene.corner == ROUNDED else scene.least_rebound
        vx, vy, e = lead_along(nx, ny, vx, vy, e, least)
    vx, vy, w = collide_cushion(
        nx, ny, vx, vy, w, scene.mass[i], scene.radius[i], e, scene.mu_cushion, scene.beta_cushion
    )
    deep = scene.compliant == 1 and approach > scene.burst_speed
    if deep and is_crowded_at_frame(scene, i, t, approach, vx, vy):
        return False
    if scene.jump_chance > 0.0:
        risk_jump(scene, i, approach)
    launch(scene, i, t, x, y, vx, vy, w)
    note_cushion_hit(scene, i)
    return True


@kernel
def cross_limit(scene: Scene, i: int, kind: int, t: float) -> None:
    """Let disc i begin to fall, or fall no more, at the end of its segment; its motion goes on."""
    x, y, vx, vy, w = state_at(scene, i, t)
    if kind == ENTERING:
        begin_fall(scene, i, scene.self_place[i], t)
    else:
        cancel_fall(scene, i)
    launch(scene, i, t, x, y, vx, vy, w)


@inlined
def resolve(scene: Scene, kind: int, i: int, j: int, t: float) -> bool:
    """Change the discs of one event and predict their futures; return False if that takes a burst."""
    if kind == DISC_HIT:
        if not hit_discs(scene, i, j, t):
            return False
    elif kind == CUSHION_HIT:
        if not hit_cushion(scene, i, t):
            return False
    elif kind in (ENTERING, LEAVING):
        cross_limit(scene, i, kind, t)
    else:
        locate(scene, i, t)
        x, y = scene.x[i] + scene.dir_x[i] * scene.at_path[i], scene.y[i] + scene.dir_y[i] * scene.at_path[i]
        launch(scene, i, t, x, y, 0.0, 0.0, 0.0)
    if i == STRIKER:
        note_striker(scene, scene.x[i], scene.y[i])
    if kind == POCKETING:
        scene.pocket[i], scene.pocket_time[i] = scene.self_place[i], t
        remove(scene, i)
    else:
        predict_self(scene, i)
    if j >= 0:
        predict_self(scene, j)
        predict_pairs(scene, j, t)
    predict_pairs(scene, i, t)
    return True


@kernel
def run_stroke(scene: Scene, until: float, log: Log, s: int) -> tuple[int, float]:
    """Run the scene until everything rests, or the clock is stopped; return status and time."""
    now = 0.0
    while True:
        t, kind, i, j = next_event(scene)
        if kind == STUCK:
            return EVENT_LIMIT, now
        if t > until:
            return OK, until
        if t == math.inf:
            return OK, now
        now = max(t, now)
        if kind < ENTERING:
            record(scene, log, s, now, kind, i, j)
        else:
            scene.n_crossings += 1
        if scene.n_events + scene.n_crossings >= scene.max_events:
            return EVENT_LIMIT, now
        if not resolve(scene, kind, i, j, now):
            status, now = run_burst(scene, i, j, now, until, log, s)
            if status != OK or now >= until:  # a burst cut short leaves discs pressed together
                return status, now
        if scene.n_leaping > 0:
            throw_out(scene, now, log, s)
