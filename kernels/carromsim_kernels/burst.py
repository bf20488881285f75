"""The compliant burst: more than two discs in touch at once, as in the break of a pack.

Sequential hits of two discs are wrong in kind there: momentum passes through a touching pack while its contacts
overlap in time. For as long as any contact is pressed, the active discs are moved by contact forces in small fixed
steps; before and after, the event loop does what it always does.
"""

import math

from carromsim_kernels.detect import CORNER, frame_overlap, pocket_under
from carromsim_kernels.discs import begin_fall, cancel_fall, launch, remove
from carromsim_kernels.facts import note_cushion_hit, note_disc_hit, note_striker, record
from carromsim_kernels.gather import activate, activate_due, kinetic_energy, park, part, place_others, rub, watch
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import Scene
from carromsim_kernels.schedule import predict_pairs, predict_self
from carromsim_kernels.state import N_DISCS, STRIKER, EventKind, Log, Status
from carromsim_kernels.steps import CUSHION, advance, begin_contact, happen, risk_jumps_of

POCKETING = int(EventKind.POCKETING)
OK = int(Status.OK)
EVENT_LIMIT = int(Status.EVENT_LIMIT)
BURST_LIMIT = int(Status.BURST_LIMIT)

RUB_PAUSE = 0.5
"""The playing surface's friction acts once in so many t_contact."""
GONE = 2
"""What `active` says of a disc that was pocketed during the burst."""


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
def first_frame_contact(scene: Scene, i: int, t: float) -> None:
    """Begin the contact with the frame, already recorded, that sets off the burst."""
    activate(scene, i, t)
    place = min(scene.self_place[i], CORNER)
    _, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], place)
    slip = scene.vy[i] * nx - scene.vx[i] * ny + scene.radius[i] * scene.spin[i]
    begin_contact(scene, i, CUSHION + place, scene.beta_cushion, slip)
    note_cushion_hit(scene, i)


@kernel
def begin_burst(scene: Scene, i: int, j: int, t: float) -> None:
    """Let the hit of discs i and j (the frame, if j < 0) be the only contact, and its discs the only active ones."""
    scene.burst_energy, scene.burst_due = 0.0, -math.inf
    scene.step += 2 + scene.step % 2  # no contact goes on from the last burst; the first step of any is odd
    scene.live, scene.unparted = 1, 0
    for k in range(N_DISCS):
        scene.active[k] = 0
        if scene.on_board[k] == 0:
            park(scene, k)
    if scene.jump_chance > 0.0:
        scene.contact_fastest[:, :] = -1.0
    if j >= 0:
        first_contact(scene, i, j, t)
    else:
        first_frame_contact(scene, i, t)
    watch(scene, t)


@kernel
def record_events(scene: Scene, log: Log, s: int, t: float) -> None:
    """Record the events of a step that ended at time t."""
    for k in range(scene.n_happened):
        record(scene, log, s, t, scene.happened_kind[k], scene.happened_i[k], scene.happened_j[k])


@kernel
def drop(scene: Scene, t: float) -> None:
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
            happen(scene, POCKETING, i, -1)
            scene.pocket[i], scene.pocket_time[i] = pocket, t
            scene.burst_energy -= kinetic_energy(scene, i)
            scene.active[i] = GONE
            remove(scene, i)
            park(scene, i)
            scene.stale = 1


@kernel
def take_back_gain(scene: Scene) -> None:
    """Scale the velocities about the common one if the steps have gained energy, as fixed steps may at e = 1.

    About none if the common motion alone has more than there was.
    """
    energy, mass, px, py = 0.0, 0.0, 0.0, 0.0
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            energy += kinetic_energy(scene, i)
            mass += scene.mass[i]
            px, py = px + scene.mass[i] * scene.vx[i], py + scene.mass[i] * scene.vy[i]
    if energy <= scene.burst_energy:
        return
    common, rest = 0.5 * (px * px + py * py) / mass, scene.burst_energy
    if rest > common:
        energy, rest = energy - common, rest - common
    else:  # one disc alone at the frame, which takes momentum
        px, py = 0.0, 0.0
    scale = math.sqrt(max(rest, 0.0) / energy)
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            scene.vx[i] = px / mass + scale * (scene.vx[i] - px / mass)
            scene.vy[i] = py / mass + scale * (scene.vy[i] - py / mass)
            scene.spin[i] *= scale


@kernel
def move_off_frame(scene: Scene) -> None:
    """Put the active discs that reach into the frame where they just touch it, also those that `part` moved there."""
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            for place in range(CORNER + 1):
                overlap, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], place)
                if overlap > 0.0:
                    scene.px[i], scene.py[i] = scene.px[i] - overlap * nx, scene.py[i] - overlap * ny


@kernel
def release_deep(scene: Scene) -> bool:
    """End the contacts of discs that overlap by more than push_overlap, which are parted then; tell if there are any.

    To be asked again after some were parted, as they may have been moved deeper into others.
    """
    deep = False
    for k in range(scene.n_touching):
        i, j = scene.touch_i[k], scene.touch_j[k]
        if j < CUSHION:
            rx, ry = scene.px[j] - scene.px[i], scene.py[j] - scene.py[i]
            if scene.radius[i] + scene.radius[j] - math.sqrt(rx * rx + ry * ry) > scene.push_overlap:
                scene.contact_step[i, j] = 0
                deep = True
    return deep


@kernel
def let_go(scene: Scene, t: float) -> None:
    """End all contacts; leave no disc beyond the frame, and no overlap that is deeper than the event loop allows."""
    move_off_frame(scene)
    for _ in range(30):
        if not release_deep(scene):
            return
        part(scene, t)
        move_off_frame(scene)


@kernel
def risk_jumps(scene: Scene) -> None:
    """Let the contacts of the burst throw out who took part."""
    for i in range(N_DISCS):
        for j in range(CUSHION + CORNER + 1):
            risk_jumps_of(scene, i, j)


@kernel
def end_burst(scene: Scene, t: float) -> None:
    """Hand the active discs back to the event loop."""
    rub(scene, t)
    if scene.live == 0:  # else the clock is stopped while discs are pressed together
        let_go(scene, t)
        if scene.jump_chance > 0.0:
            risk_jumps(scene)
    take_back_gain(scene)
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            launch(scene, i, t, scene.px[i], scene.py[i], scene.vx[i], scene.vy[i], scene.spin[i])
            predict_self(scene, i)
    for i in range(N_DISCS):
        if scene.active[i] != 0:
            predict_pairs(scene, i, t)


@kernel
def run_burst(scene: Scene, i: int, j: int, begin: float, until: float, log: Log, s: int) -> tuple[int, float]:
    """Run the burst that the hit of discs i and j (the frame, if j < 0) sets off; return status and time.

    It ends when no contact is pressed any more but by what the event loop calls a push: what still overlaps approaches
    more slowly than push_speed, and does so by less than push_overlap or as friction holds soft discs together.
    """
    begin_burst(scene, i, j, begin)
    recording = log.first[s + 1] > log.first[s]
    t, rub_due = begin, begin + RUB_PAUSE * scene.t_contact
    while scene.live == 1 and t < until:
        h = scene.burst_step if until - t > scene.burst_step else until - t
        if scene.burst_due <= t + h:
            activate_due(scene, t, t + h)
        if t >= rub_due:
            rub(scene, t)
            place_others(scene, t)
            rub_due = t + RUB_PAUSE * scene.t_contact
        if scene.stale == 1:
            watch(scene, t)
        if scene.unparted == 1:
            part(scene, t)
        t = t + h if h == scene.burst_step else until
        advance(scene, t, h)
        if scene.near_frame == 1:
            drop(scene, t)
        if scene.n_happened > 0:
            if recording:
                record_events(scene, log, s, t)
            else:
                scene.n_events += scene.n_happened
            scene.n_happened = 0
        if scene.active[STRIKER] == 1:
            note_striker(scene, scene.px[STRIKER], scene.py[STRIKER])
        if scene.n_events >= scene.max_events:
            return EVENT_LIMIT, t
        if t - begin > scene.burst_cap * scene.t_contact:
            return BURST_LIMIT, t
    end_burst(scene, t)
    return OK, t
