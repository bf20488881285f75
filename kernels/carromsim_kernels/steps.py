"""One step of a burst.

A step is velocity Verlet for the normal forces, with dashpots that act on the speed reached at its end, followed by
the friction impulses of the contacts one after the other, each within mu times its normal impulse.

Most discs of a burst are in free flight and most pairs not in touch, so these passes are short loops over all discs or
all watched pairs that compilers turn into vector instructions; the law of contact is worked out for the few that touch.
"""

import math

from carromsim_kernels.contact import damping_ratio, press
from carromsim_kernels.detect import CORNER, frame_overlap
from carromsim_kernels.facts import note_cushion_hit, note_disc_hit
from carromsim_kernels.gather import INDEX, PLACE, SKIN, activate, find_overlaps
from carromsim_kernels.jit import kernel
from carromsim_kernels.jumps import risk_jump
from carromsim_kernels.resolve import restitution
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import N_DISCS, EventKind

DISC_HIT = int(EventKind.DISC_HIT)
CUSHION_HIT = int(EventKind.CUSHION_HIT)

CUSHION = N_DISCS
"""Contacts of a disc with cushion k are kept where its contact with a disc number CUSHION + k would be."""
HELD = 20.0
"""A force of less than this many times the surface's friction on the reduced mass may be a push that lasts for long."""


@kernel
def happen(scene: Scene, kind: int, i: int, j: int) -> None:
    """Note an event of this step, to be recorded at its end: only there the log is at hand."""
    k = scene.n_happened
    scene.happened_kind[k], scene.happened_i[k], scene.happened_j[k] = kind, i, j
    scene.n_happened = k + 1


@kernel
def risk_jumps_of(scene: Scene, i: int, j: int) -> None:
    """Let the last contact of i and j, at its largest closing speed, throw out the discs that took part."""
    fastest = scene.contact_fastest[i, j]
    if fastest >= 0.0:
        risk_jump(scene, i, fastest)
        if j < CUSHION:
            risk_jump(scene, j, fastest)


@kernel
def damp(scene: Scene, i: int, j: int, speed: float) -> None:
    """Set the damping of a contact to that of a closing speed: its largest so far.

    Not its first one: in a touching pack contacts begin without any.
    """
    e, v_c = (scene.e_disc, scene.v_c_disc) if j < CUSHION else (scene.e_cushion, scene.v_c_cushion)
    scene.contact_zeta[i, j] = damping_ratio(scene, restitution(e, v_c, speed, 0.0))


@kernel
def begin_contact(scene: Scene, i: int, j: int, beta: float, slip: float) -> None:
    """Note a contact that begins, and the slip at which it would stick."""
    if scene.jump_chance > 0.0:
        risk_jumps_of(scene, i, j)
    scene.contact_step[i, j] = scene.step
    scene.contact_force[i, j], scene.contact_fastest[i, j] = 0.0, -1.0
    scene.contact_slip[i, j] = -beta * slip
    damp(scene, i, j, 0.0)


@kernel
def begin_disc_contact(scene: Scene, i: int, j: int, t: float, nx: float, ny: float) -> None:
    """Let discs i and j, which were not in touch, take part from time t on; note their hit."""
    activate(scene, i, t)
    activate(scene, j, t)
    slip = (scene.uy[i] - scene.uy[j]) * nx - (scene.ux[i] - scene.ux[j]) * ny
    rim = scene.radius[i] * scene.spin[i] + scene.radius[j] * scene.spin[j]
    begin_contact(scene, i, j, scene.beta_disc, slip + rim)
    happen(scene, DISC_HIT, i, j)
    note_disc_hit(scene, i, j, scene.px[j], scene.py[j])


@kernel
def touch_pairs(scene: Scene, t: float) -> None:
    """List the contacts of discs."""
    px, py, ux, uy, active, n = scene.px, scene.py, scene.ux, scene.uy, scene.active, 0
    for m in range(find_overlaps(scene)):
        k = scene.overlapping[m] & PLACE
        i, j = scene.watch_i[k] & INDEX, scene.watch_j[k] & INDEX
        if active[i] + active[j] == 0:  # they rest in touch
            continue
        rx, ry = px[j] - px[i], py[j] - py[i]
        distance = math.sqrt(rx * rx + ry * ry)
        overlap, inverse = scene.watch_reach[k] - distance, 1.0 / distance
        new = scene.contact_step[i, j] < scene.step - 1
        if overlap <= 0.0 or (new and overlap <= scene.touch):  # one has just joined, at its exact place; or rounding
            continue
        nx, ny = rx * inverse, ry * inverse
        if new:
            begin_disc_contact(scene, i, j, t, nx, ny)
        closing = (ux[i] - ux[j]) * nx + (uy[i] - uy[j]) * ny
        scene.touch_i[n], scene.touch_j[n], scene.touch_nx[n], scene.touch_ny[n] = i, j, nx, ny
        scene.touch_overlap[n], scene.touch_closing[n], scene.touch_mass[n] = overlap, closing, scene.watch_mass[k]
        n += 1
    scene.n_touching = n


@kernel
def touch_frame_part(scene: Scene, i: int, place: int) -> None:
    """List the contact of disc i with a part of the frame, if there is one."""
    j = CUSHION + place
    overlap, nx, ny = frame_overlap(scene, i, scene.px[i], scene.py[i], place)
    if overlap <= 0.0:
        return
    if scene.contact_step[i, j] < scene.step - 1:
        slip = scene.uy[i] * nx - scene.ux[i] * ny + scene.radius[i] * scene.spin[i]
        begin_contact(scene, i, j, scene.beta_cushion, slip)
        happen(scene, CUSHION_HIT, i, -1)
        note_cushion_hit(scene, i)
    n = scene.n_touching
    scene.touch_i[n], scene.touch_j[n], scene.touch_nx[n], scene.touch_ny[n] = i, j, nx, ny
    scene.touch_overlap[n], scene.touch_mass[n] = overlap, scene.mass[i]
    scene.touch_closing[n] = scene.ux[i] * nx + scene.uy[i] * ny
    scene.n_touching = n + 1


@kernel
def touch_frame(scene: Scene) -> None:
    """List the contacts with the frame."""
    for i in range(N_DISCS):
        if scene.active[i] == 1:
            for place in range(CORNER + 1):
                touch_frame_part(scene, i, place)


@kernel
def press_all(scene: Scene) -> None:
    """Add the forces of the listed contacts to the accelerations; note whether they keep the burst going."""
    inv_mass, bx, by, live = scene.inv_mass, scene.bx, scene.by, 0
    for k in range(scene.n_touching):
        i, j, nx, ny = scene.touch_i[k] & INDEX, scene.touch_j[k] & INDEX, scene.touch_nx[k], scene.touch_ny[k]
        mass, overlap, closing = scene.touch_mass[k], scene.touch_overlap[k], scene.touch_closing[k]
        speed, fastest = max(closing, 0.0), scene.contact_fastest[i, j]
        scene.contact_fastest[i, j] = max(speed, fastest)
        if (scene.v_c_disc if j < CUSHION else scene.v_c_cushion) > 0.0 and speed > fastest:
            damp(scene, i, j, speed)
        force = press(scene, mass, scene.contact_zeta[i, j], overlap, closing, scene.contact_force[i, j])
        scene.contact_force[i, j], scene.contact_step[i, j], scene.touch_force[k] = force, scene.step, force
        strong = (abs(closing) > scene.push_speed) | (force > HELD * mass * scene.mu_g)
        live += 1 if (closing > scene.push_speed) | ((overlap > scene.push_overlap) & strong) else 0
        fx, fy = force * nx, force * ny
        bx[i], by[i] = bx[i] - fx * inv_mass[i], by[i] - fy * inv_mass[i]
        if j < CUSHION:
            bx[j], by[j] = bx[j] + fx * inv_mass[j], by[j] + fy * inv_mass[j]
    scene.live = 1 if live > 0 else 0


@kernel
def rub_all(scene: Scene, h: float) -> None:
    """Apply the friction impulses of the listed contacts: what makes each stick, or mu times its normal impulse.

    Up and down the list in turn, so that no order is preferred.
    """
    vx, vy, spin, radius, inv_mass, turn = scene.vx, scene.vy, scene.spin, scene.radius, scene.inv_mass, scene.turn
    n, up = scene.n_touching, scene.step % 2 == 1
    for m in range(n):
        k = (m if up else n - 1 - m) & PLACE
        i, j, nx, ny = scene.touch_i[k] & INDEX, scene.touch_j[k] & INDEX, scene.touch_nx[k], scene.touch_ny[k]
        slip = vy[i] * nx - vx[i] * ny + radius[i] * spin[i] - scene.contact_slip[i, j]
        if j < CUSHION:
            slip += vx[j] * ny - vy[j] * nx + radius[j] * spin[j]
        most = (scene.mu_disc if j < CUSHION else scene.mu_cushion) * scene.touch_force[k] * h
        impulse = min(max(scene.touch_mass[k] * (1.0 / 3.0) * slip, -most), most)
        jx, jy = impulse * ny, impulse * nx
        vx[i], vy[i] = vx[i] + jx * inv_mass[i], vy[i] - jy * inv_mass[i]
        spin[i] -= impulse * turn[i]
        if j < CUSHION:
            vx[j], vy[j] = vx[j] - jx * inv_mass[j], vy[j] + jy * inv_mass[j]
            spin[j] -= impulse * turn[j]


@kernel
def drift(scene: Scene, h: float) -> None:
    """Move all discs for a step and foresee their velocities.

    The list of watched pairs is stale if by the end of the next step a disc may have gone half a skin since it was
    made.
    """
    px, py, vx, vy, ax, ay = scene.px, scene.py, scene.vx, scene.vy, scene.ax, scene.ay
    ux, uy, bx, by, seen_x, seen_y = scene.ux, scene.uy, scene.bx, scene.by, scene.seen_x, scene.seen_y
    half, n = 0.5 * h, 0
    for i in range(N_DISCS):
        ux[i], uy[i] = vx[i] + h * ax[i], vy[i] + h * ay[i]
        px[i] += h * (vx[i] + half * ax[i])
        py[i] += h * (vy[i] + half * ay[i])
        dx, dy = px[i] + h * ux[i] - seen_x[i], py[i] + h * uy[i] - seen_y[i]
        n += 1 if dx * dx + dy * dy > 0.25 * SKIN * SKIN else 0
        bx[i], by[i] = 0.0, 0.0
    if n > 0:
        scene.stale = 1


@kernel
def kick(scene: Scene, h: float) -> None:
    """Change the velocities by the mean of the accelerations at the step's beginning and end."""
    vx, vy, ax, ay, bx, by = scene.vx, scene.vy, scene.ax, scene.ay, scene.bx, scene.by
    half = 0.5 * h
    for i in range(N_DISCS):
        vx[i] += half * (ax[i] + bx[i])
        vy[i] += half * (ay[i] + by[i])
        ax[i], ay[i] = bx[i], by[i]


@kernel
def advance(scene: Scene, t: float, h: float) -> None:
    """Advance the active discs by a step of length h, to time t."""
    scene.step += 1
    drift(scene, h)
    touch_pairs(scene, t)
    if scene.near_frame == 1:
        touch_frame(scene)
    press_all(scene)
    kick(scene, h)
    rub_all(scene, h)
