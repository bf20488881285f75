"""Which discs take part in a burst: those that are *active*.

The two that hit, and whatever touches an active one. All others keep their own exact motion, and join when they are
touched or when an event of theirs falls due.
"""

import math

from carromsim_kernels.discs import place_at, spin_at
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import PARKED, Scene
from carromsim_kernels.schedule import choose_best, time_of_next
from carromsim_kernels.state import N_DISCS

SKIN = 2e-3
"""Pairs nearer than this [m] are watched from step to step; the list is renewed before others can touch."""
INDEX = 31
"""A mask that keeps the number of any disc or contact. It tells the compiler that an index is not negative."""
PLACE = 511
"""The same for places in the lists of pairs and contacts."""
STILL = 1e-12
"""A disc slower than this [m/s] is not braked but stopped."""


@kernel
def kinetic_energy(scene: Scene, i: int) -> float:
    """Return the energy of disc i [J]."""
    rim = scene.radius[i] * scene.spin[i]
    return float(0.5 * scene.mass[i] * (scene.vx[i] * scene.vx[i] + scene.vy[i] * scene.vy[i] + 0.5 * rim * rim))


@kernel
def is_near_frame(scene: Scene, i: int) -> bool:
    """Tell whether disc i may reach the frame or a pocket before the list is renewed."""
    x, y = abs(scene.px[i]), abs(scene.py[i])
    free = min(scene.half_side - scene.radius[i], scene.pocket_centre - scene.capture[i]) - SKIN
    bend = scene.bend[i] - SKIN
    return bool(max(x, y) > free or (x > bend and y > bend))


@kernel
def activate(scene: Scene, i: int, t: float) -> None:
    """Let disc i be moved by contact forces from time t on."""
    if scene.active[i] == 1:
        return
    place_at(scene, i, t)
    scene.spin[i] = spin_at(scene, i, t)
    scene.ax[i], scene.ay[i], scene.ux[i], scene.uy[i] = 0.0, 0.0, scene.vx[i], scene.vy[i]
    scene.active[i], scene.rubbed[i] = 1, t
    scene.unparted = 1
    if is_near_frame(scene, i):
        scene.near_frame = 1
    scene.burst_energy += kinetic_energy(scene, i)


@kernel
def forget_active(scene: Scene, k: int) -> None:
    """Drop what was predicted of disc k and active discs, as long as that comes first: it is no longer true."""
    j = scene.best_partner[k]
    while j >= 0 and scene.active[j] != 0:
        scene.pair_time[k, j] = scene.pair_time[j, k] = math.inf
        choose_best(scene, k)
        j = scene.best_partner[k]


@kernel
def activate_due(scene: Scene, t: float, end: float) -> None:
    """Activate, at time t, the discs whose own next event is no later than end; note when the others' next is due."""
    due = math.inf
    for k in range(N_DISCS):
        if scene.active[k] == 0:
            time = time_of_next(scene, k)
            if time <= end:
                forget_active(scene, k)
                time = scene.best_time[k]
            if time <= end:
                activate(scene, k, t)
            else:
                due = min(due, time)
    scene.burst_due = due


@kernel
def list_pairs(scene: Scene) -> None:
    """List the pairs that are nearer than SKIN, active or not."""
    n = 0
    px, py, radius, mass, near = scene.px, scene.py, scene.radius, scene.mass, scene.near
    for i in range(N_DISCS):
        x, y, r = px[i], py[i], radius[i] + SKIN
        for j in range(N_DISCS):
            dx, dy, far = px[j] - x, py[j] - y, radius[j] + r
            near[j] = 1 if dx * dx + dy * dy < far * far else 0
        for j in range(i + 1, N_DISCS):
            if near[j] == 1:
                scene.watch_i[n], scene.watch_j[n] = i, j
                scene.watch_reach[n] = radius[i] + radius[j]
                scene.watch_reach2[n] = scene.watch_reach[n] * scene.watch_reach[n]
                scene.watch_mass[n] = mass[i] * mass[j] / (mass[i] + mass[j])
                n += 1
    scene.n_watched = n


@kernel
def place_others(scene: Scene, t: float) -> None:
    """Put the discs that are not active where they are at time t: steps move them as if nothing braked them."""
    for k in range(N_DISCS):
        if scene.active[k] == 0 and scene.on_board[k] == 1:
            place_at(scene, k, t)
            scene.ax[k], scene.ay[k] = 0.0, 0.0


@kernel
def watch(scene: Scene, t: float) -> None:
    """Find the pairs that may touch before the list is renewed, and whether a disc may reach the frame or a pocket."""
    scene.stale, scene.near_frame = 0, 0
    place_others(scene, t)
    for k in range(N_DISCS):
        scene.seen_x[k], scene.seen_y[k] = scene.px[k], scene.py[k]
        if scene.active[k] == 1 and is_near_frame(scene, k):
            scene.near_frame = 1
    list_pairs(scene)


@kernel
def find_overlaps(scene: Scene) -> int:
    """Put the places in the list of watched pairs of those that overlap into `overlapping`; return how many."""
    px, py, watch_i, watch_j, reach2 = scene.px, scene.py, scene.watch_i, scene.watch_j, scene.watch_reach2
    n = 0
    for k in range(scene.n_watched):
        i, j = watch_i[k] & INDEX, watch_j[k] & INDEX
        rx, ry = px[j] - px[i], py[j] - py[i]
        scene.overlapping[n] = k
        n += 1 if rx * rx + ry * ry < reach2[k] else 0
    return n


@kernel
def part(scene: Scene, t: float) -> None:
    """Move watched pairs apart that overlap without a contact: what slow pushing left would be a loaded spring."""
    scene.unparted = 0
    for _ in range(100):
        deepest = 0.0
        for m in range(find_overlaps(scene)):
            k = scene.overlapping[m]
            i, j = scene.watch_i[k], scene.watch_j[k]
            if scene.contact_step[i, j] == scene.step or scene.active[i] + scene.active[j] == 0:
                continue
            rx, ry = scene.px[j] - scene.px[i], scene.py[j] - scene.py[i]
            distance = math.sqrt(rx * rx + ry * ry)
            overlap = scene.watch_reach[k] - distance
            if overlap <= scene.touch:
                continue
            activate(scene, i, t)
            activate(scene, j, t)
            deepest = max(deepest, overlap)
            move, share = overlap / distance, scene.mass[j] / (scene.mass[i] + scene.mass[j])
            scene.px[i], scene.py[i] = scene.px[i] - share * move * rx, scene.py[i] - share * move * ry
            scene.px[j], scene.py[j] = scene.px[j] + (1.0 - share) * move * rx, scene.py[j] + (1.0 - share) * move * ry
        if deepest == 0.0:
            return


@kernel
def park(scene: Scene, i: int) -> None:
    """Put a disc that is not on the surface where it meets nothing."""
    scene.px[i], scene.py[i] = PARKED * (1.0 + i), PARKED
    scene.vx[i], scene.vy[i], scene.ax[i], scene.ay[i] = 0.0, 0.0, 0.0, 0.0


@kernel
def rub(scene: Scene, t: float) -> None:
    """Let the playing surface slow the active discs for the time since it last did.

    Its coupled law in simple fractions that are right where a disc all but slides or all but spins, and else within 2 %
    for the travel and 22 % for the spin (27 % for both if its face is a narrow ring): a burst of 1 ms costs a disc
    some mm/s of its speed.
    """
    k = scene.kappa
    narrow, corner = 1.0 + k, 0.375 * (1.0 - k * k * k * k) / (1.0 - k * k * k)
    narrow4, corner4 = narrow * narrow * narrow * narrow, corner * corner * (corner * corner)
    rate = 0.25 * scene.gamma * (1.0 + k * k)
    vx, vy, spin, face, rubbed = scene.vx, scene.vy, scene.spin, scene.face, scene.rubbed
    for i in range(N_DISCS):
        dv = scene.mu_g * (t - rubbed[i]) * (1.0 if scene.active[i] == 1 else 0.0)
        rubbed[i] = t
        v2, w2 = vx[i] * vx[i] + vy[i] * vy[i], face[i] * spin[i] * (face[i] * spin[i])
        slow = min(dv / max(math.sqrt(math.sqrt(v2 * v2 + narrow4 * w2 * w2)), STILL), 1.0)
        brake = min(rate * dv / max(math.sqrt(math.sqrt(v2 * v2 + corner4 * w2 * w2)), STILL), 1.0)
        vx[i], vy[i] = vx[i] * (1.0 - slow), vy[i] * (1.0 - slow)
        spin[i] *= 1.0 - brake
