"""The compliant burst: more than two discs in touch at once, as in the break of a pack.

Sequential hits of two discs are wrong in kind there: momentum passes through a touching pack while its contacts
overlap in time. For as long as any contact is pressed, the active discs are moved by contact forces in small fixed
steps; before and after, the event loop does what it always does.

A step is velocity Verlet for the normal forces, with dashpots that act on the speed reached at its end, followed by
the friction impulses of the contacts one after the other, each within mu times its normal impulse.
"""

import math

from carromsim_kernels.contact import damping_ratio, press
from carromsim_kernels.detect import CORNER, frame_overlap, pocket_under
from carromsim_kernels.discs import begin_fall, cancel_fall, launch, remove
from carromsim_kernels.facts import note_cushion_hit, note_disc_hit, note_striker, record
from carromsim_kernels.gather import SKIN, activate, activate_due, kinetic_energy, park, part, rub, watch
from carromsim_kernels.jit import kernel
from carromsim_kernels.jumps import risk_jump
from carromsim_kernels.resolve import restitution
from carromsim_kernels.scene import Scene
from carromsim_kernels.schedule import choose_best, predict_pairs, predict_self
from carromsim_kernels.state import N_DISCS, STRIKER, EventKind, Log, Status

DISC_HIT = int(EventKind.DISC_HIT)
CUSHION_HIT = int(EventKind.CUSHION_HIT)
POCKETING = int(EventKind.POCKETING)
OK = int(Status.OK)
EVENT_LIMIT = int(Status.EVENT_LIMIT)
BURST_LIMIT = int(Status.BURST_LIMIT)

CUSHION = N_DISCS
"""Contacts of a disc with cushion k are kept where its contact with a disc number CUSHION + k would be."""
HELD = 20.0
"""A force of less than this many times the surface's friction on the reduced mass may be a push that lasts for long."""
LONGEST = 2000.0
"""A burst may last this many t_contact, even beyond burst_cap: a rounded corner presses a disc that runs along it."""
GONE = 2
"""What `active` says of a disc that was pocketed during the burst."""


@kernel
def begin_contact(scene: Scene, i: int, j: int, beta: float, slip: float) -> None:
    """Note a contact that begins, and the slip at which it would stick."""
    scene.contact_on[i, j] = 1
    scene.contact_force[i, j], scene.contact_fastest[i, j] = 0.0, -1.0
    scene.contact_slip[i, j] = -beta * slip


@kernel
def first_contact(scene: Scene, i: int, j: int, t: float) -> None:
    """Begin the contact of the hit, already recorded, that sets off the burst."""
    activate(scene, i, t)
    activate(scene, j, t)
    rx, ry = scene.px[j] - scene.px[i], scene.py[j] - scene.py[i]
    dvx, dvy = scene.vx[i] - scene.vx[j], scene.vy[i] - scene.vy[j]
    rim = scene.radius[i] * scene.spin[i] + scene.radius[j] * scene.spin[j]
    begin_contact(scene, i, j, scene.beta_disc, (dvy * rx - dvx * ry) / math.sqrt(rx * rx + ry * ry) + rim)
    note_disc_hit(scene, i, j, scene.px[j], scene.py[j])


@kernel
def end_contact(scene: Scene, i: int, j: int) -> None:
    """Note that discs i and j, or disc i and a cushion, are no longer in touch."""
    if scene.contact_on[i, j] == 1 and scene.jump_chance > 0.0:
        risk_jump(scene, i, scene.contact_fastest[i, j])
        if j < CUSHION:
            risk_jump(scene, j, scene.contact_fastest[i, j])
    scene.contact_on[i, j] = 0


@kernel
def first_frame_contact(scene: Scene, i: int, t: float) -> None:
    """Begin the contact with the frame, already recorded, that sets off the burst."""
    activate(scene, i, t)
    place = min(scene.self_place[i], CORNER)
    _, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], place)
    slip = scene.vy[i] * nx - scene.vx[i] * ny + scene.radius[i] * scene.spin[i]
    begin_contact(scene, i, CUSHION + place, scene.beta_cushion, slip)
    note_cushion_hit(scene, i)


@kernel
def touch(scene: Scene, i: int, j: int, mass: float, nx: float, ny: float, overlap: float, closing: float) -> float:
    """Return the force of the contact i, j and put it on the list for friction; note whether the burst must go on.

    Its damping is that of the largest closing speed so far: in a touching pack contacts begin without any.
    """
    speed = max(closing, 0.0)
    if speed > scene.contact_fastest[i, j]:
        scene.contact_fastest[i, j] = speed
        e, v_c = (scene.e_disc, scene.v_c_disc) if j < CUSHION else (scene.e_cushion, scene.v_c_cushion)
        scene.contact_zeta[i, j] = damping_ratio(scene, restitution(e, v_c, speed, 0.0))
    force = press(scene, mass, scene.contact_zeta[i, j], overlap, closing, scene.contact_force[i, j])
    scene.contact_force[i, j] = force
    k = scene.n_touching
    scene.touch_i[k], scene.touch_j[k], scene.touch_nx[k], scene.touch_ny[k] = i, j, nx, ny
    scene.touch_force[k] = force
    scene.n_touching = k + 1
    strong = abs(closing) > scene.push_speed or force > HELD * mass * scene.mu_g
    if closing > scene.push_speed or (overlap > scene.push_overlap and strong):
        scene.live = 1
    return force


@kernel
def press_pairs(scene: Scene, t: float, log: Log, s: int) -> None:
    """Add the forces of all disc-disc contacts to the accelerations."""
    for k in range(scene.n_watched):
        i, j = scene.watch_i[k], scene.watch_j[k]
        rx, ry = scene.px[j] - scene.px[i], scene.py[j] - scene.py[i]
        radius = scene.radius[i] + scene.radius[j]
        d2 = rx * rx + ry * ry
        if d2 >= radius * radius:
            end_contact(scene, i, j)
            continue
        activate(scene, i, t)
        activate(scene, j, t)
        distance = math.sqrt(d2)
        nx, ny = rx / distance, ry / distance
        dvx, dvy = scene.ux[i] - scene.ux[j], scene.uy[i] - scene.uy[j]
        closing = dvx * nx + dvy * ny
        if scene.contact_on[i, j] == 0:
            rim = scene.radius[i] * scene.spin[i] + scene.radius[j] * scene.spin[j]
            begin_contact(scene, i, j, scene.beta_disc, dvy * nx - dvx * ny + rim)
            record(scene, log, s, t, DISC_HIT, i, j)
            note_disc_hit(scene, i, j, scene.px[j], scene.py[j])
        mass = scene.mass[i] * scene.mass[j] / (scene.mass[i] + scene.mass[j])
        force = touch(scene, i, j, mass, nx, ny, radius - distance, closing)
        scene.bx[i], scene.by[i] = scene.bx[i] - force * nx / scene.mass[i], scene.by[i] - force * ny / scene.mass[i]
        scene.bx[j], scene.by[j] = scene.bx[j] + force * nx / scene.mass[j], scene.by[j] + force * ny / scene.mass[j]


@kernel
def press_cushion(scene: Scene, i: int, place: int, t: float, log: Log, s: int) -> None:
    """Add the force of one part of the frame on disc i."""
    j = CUSHION + place
    overlap, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], place)
    if overlap <= 0.0:
        end_contact(scene, i, j)
        return
    closing = scene.ux[i] * nx + scene.uy[i] * ny
    if scene.contact_on[i, j] == 0:
        slip = scene.uy[i] * nx - scene.ux[i] * ny + scene.radius[i] * scene.spin[i]
        begin_contact(scene, i, j, scene.beta_cushion, slip)
        record(scene, log, s, t, CUSHION_HIT, i, -1)
        note_cushion_hit(scene, i)
    force = touch(scene, i, j, scene.mass[i], nx, ny, overlap, closing)
    scene.bx[i], scene.by[i] = scene.bx[i] - force * nx / scene.mass[i], scene.by[i] - force * ny / scene.mass[i]


@kernel
def press_frame(scene: Scene, t: float, log: Log, s: int) -> None:
    """Add the forces of the frame to the accelerations."""
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            for place in range(CORNER + 1):
                press_cushion(scene, i, place, t, log, s)


@kernel
def rub_contact(scene: Scene, k: int, h: float) -> None:
    """Apply the friction impulse of the k-th contact: what makes it stick, or mu times its normal impulse."""
    i, j, nx, ny = scene.touch_i[k], scene.touch_j[k], scene.touch_nx[k], scene.touch_ny[k]
    mi, ri = scene.mass[i], scene.radius[i]
    slip = scene.vy[i] * nx - scene.vx[i] * ny + ri * scene.spin[i] - scene.contact_slip[i, j]
    if j >= CUSHION:
        most = scene.mu_cushion * scene.touch_force[k] * h
        impulse = min(max(mi / 3.0 * slip, -most), most)
    else:
        mj, rj = scene.mass[j], scene.radius[j]
        slip += scene.vx[j] * ny - scene.vy[j] * nx + rj * scene.spin[j]
        most = scene.mu_disc * scene.touch_force[k] * h
        impulse = min(max(mi * mj / (mi + mj) / 3.0 * slip, -most), most)
        scene.vx[j], scene.vy[j] = scene.vx[j] - impulse * ny / mj, scene.vy[j] + impulse * nx / mj
        scene.spin[j] -= 2.0 * impulse / (mj * rj)
    scene.vx[i], scene.vy[i] = scene.vx[i] + impulse * ny / mi, scene.vy[i] - impulse * nx / mi
    scene.spin[i] -= 2.0 * impulse / (mi * ri)


@kernel
def drift(scene: Scene, h: float) -> None:
    """Move all discs for a step and foresee their velocities; the inactive are put right when next looked at."""
    fastest = 0.0
    for i in range(N_DISCS):
        vx, vy, ax, ay = scene.vx[i], scene.vy[i], scene.ax[i], scene.ay[i]
        mx, my = vx + 0.5 * h * ax, vy + 0.5 * h * ay
        scene.ux[i], scene.uy[i] = vx + h * ax, vy + h * ay
        scene.px[i], scene.py[i] = scene.px[i] + h * mx, scene.py[i] + h * my
        scene.bx[i], scene.by[i] = 0.0, 0.0
        fastest = max(fastest, mx * mx + my * my)
    scene.travelled += 2.0 * h * math.sqrt(fastest)


@kernel
def advance(scene: Scene, t: float, h: float, forward: bool, log: Log, s: int) -> None:
    """Advance the active discs by a step of length h, to time t."""
    drift(scene, h)
    scene.n_touching, scene.live = 0, 0
    press_pairs(scene, t, log, s)
    if scene.near_frame == 1:
        press_frame(scene, t, log, s)
    for i in range(N_DISCS):
        scene.vx[i] += 0.5 * h * (scene.ax[i] + scene.bx[i])
        scene.vy[i] += 0.5 * h * (scene.ay[i] + scene.by[i])
        scene.ax[i], scene.ay[i] = scene.bx[i], scene.by[i]
    for k in range(scene.n_touching):  # up and down the list in turn, so that no order is preferred
        rub_contact(scene, k if forward else scene.n_touching - 1 - k, h)


@kernel
def drop(scene: Scene, t: float, log: Log, s: int) -> None:
    """Let the active discs begin to fall, fall no more, and be pocketed."""
    for i in range(N_DISCS):
        if scene.active[i] != 1:
            continue
        pocket = pocket_under(scene, i, scene.px[i], scene.py[i])
        if pocket < 0:
            cancel_fall(scene, i)
            continue
        if scene.falling[i] < 0:
            begin_fall(scene, i, pocket, t)
        if scene.falls_at[i] <= t:
            record(scene, log, s, t, POCKETING, i, -1)
            scene.pocket[i], scene.pocket_time[i] = pocket, t
            scene.burst_energy -= kinetic_energy(scene, i)
            scene.active[i] = GONE
            remove(scene, i)
            park(scene, i)
            scene.travelled = math.inf


@kernel
def take_back_gain(scene: Scene) -> None:
    """Scale the velocities about the common one if the steps have gained energy, as fixed steps may at e = 1."""
    energy, mass, px, py = 0.0, 0.0, 0.0, 0.0
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            energy += kinetic_energy(scene, i)
            mass += scene.mass[i]
            px, py = px + scene.mass[i] * scene.vx[i], py + scene.mass[i] * scene.vy[i]
    if energy <= scene.burst_energy:
        return
    common = 0.5 * (px * px + py * py) / mass
    scale = math.sqrt(max(scene.burst_energy - common, 0.0) / (energy - common))
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            scene.vx[i] = px / mass + scale * (scene.vx[i] - px / mass)
            scene.vy[i] = py / mass + scale * (scene.vy[i] - py / mass)
            scene.spin[i] *= scale


@kernel
def move_off_frame(scene: Scene) -> None:
    """Put the discs that press on the frame where they just touch it."""
    for k in range(scene.n_touching):
        i, j = scene.touch_i[k], scene.touch_j[k]
        if j >= CUSHION:
            overlap, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], j - CUSHION)
            if overlap > 0.0:
                scene.px[i], scene.py[i] = scene.px[i] - overlap * nx, scene.py[i] - overlap * ny


@kernel
def let_go(scene: Scene, t: float) -> None:
    """End all contacts; leave no disc beyond the frame, and no overlap that is deeper than the event loop allows."""
    move_off_frame(scene)
    deep = False
    for k in range(scene.n_touching):
        i, j = scene.touch_i[k], scene.touch_j[k]
        if j < CUSHION:
            rx, ry = scene.px[j] - scene.px[i], scene.py[j] - scene.py[i]
            if scene.radius[i] + scene.radius[j] - math.sqrt(rx * rx + ry * ry) > scene.push_overlap:
                end_contact(scene, i, j)
                deep = True
    for _ in range(30 if deep else 0):
        part(scene, t)
        move_off_frame(scene)
    for k in range(scene.n_touching):
        end_contact(scene, scene.touch_i[k], scene.touch_j[k])


@kernel
def end_burst(scene: Scene, t: float) -> None:
    """Hand the active discs back to the event loop."""
    rub(scene, t)
    if scene.live == 0:  # else the clock is stopped while discs are pressed together
        let_go(scene, t)
    take_back_gain(scene)
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            launch(scene, i, t, scene.px[i], scene.py[i], scene.vx[i], scene.vy[i], scene.spin[i])
        if scene.active[i] != 0:
            predict_self(scene, i)
    for i in range(N_DISCS):
        if scene.active[i] != 0:
            predict_pairs(scene, i, t)
    for i in range(N_DISCS):
        choose_best(scene, i)


@kernel
def run_burst(scene: Scene, i: int, j: int, begin: float, until: float, log: Log, s: int) -> tuple[int, float]:
    """Run the burst that the hit of discs i and j (the frame, if j < 0) sets off; return status and time.

    It ends when no contact is pressed any more but by what the event loop calls a push: what still overlaps approaches
    more slowly than push_speed, and does so by less than push_overlap or as friction holds soft discs together.
    """
    scene.burst_energy = 0.0
    scene.burst_due = -math.inf
    for k in range(N_DISCS):
        scene.active[k] = 0
        scene.contact_on[k, :] = 0
        if scene.on_board[k] == 0:
            park(scene, k)
    t, forward = begin, True
    if j >= 0:
        first_contact(scene, i, j, t)
    else:
        first_frame_contact(scene, i, t)
    scene.live = 1
    while scene.live == 1 and t < until:
        h = scene.burst_step if until - t > scene.burst_step else until - t
        if scene.burst_due <= t + h:
            activate_due(scene, t, t + h)
        if scene.travelled > SKIN:
            rub(scene, t)
            watch(scene, t)
            part(scene, t)
        t = t + h if h == scene.burst_step else until
        advance(scene, t, h, forward, log, s)
        if scene.near_frame == 1:
            drop(scene, t, log, s)
        if scene.active[STRIKER] == 1:
            note_striker(scene, scene.px[STRIKER], scene.py[STRIKER])
        forward = not forward
        if scene.n_events >= scene.max_events:
            return EVENT_LIMIT, t
        if t - begin > max(scene.burst_cap, LONGEST * scene.t_contact):
            return BURST_LIMIT, t
    end_burst(scene, t)
    return OK, t
