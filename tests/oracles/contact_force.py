"""The judge of impacts of many discs at once: a contact-force integrator with tiny uniform steps over all pairs.

Discs and straight cushions press on each other by a damped spring, linear or Hertz, for a thousand steps; nothing is
predicted, no impulse is solved for, no contact is special. Numba only makes whole breaks affordable.

Force laws, with overlap d, closing speed d' and the reduced mass m of the contact (the disc's mass at a cushion)::

    linear  F = k d     + 2 zeta sqrt(m k) d'
    Hertz   F = k d^1.5 + zeta sqrt(5 m k) d^0.25 d'       (damping of Tsuji, Tanaka, Ishida, Powder Techn. 71, 239)

never attractive: two discs part when F has come back to 0 (Schwager, Poeschel, Granular Matter 9, 465). Rims rub by
Coulomb's law, regularised: at slips below about `Model.slip` the friction is proportional to the slip. The playing
surface brakes speed and spin by the coupled law of a disc that slides on its whole face (`oracles.sliding`), here
integrated step by step. A disc is pocketed at once when its centre is within the capture radius of a pocket's centre.
"""

from functools import cache
from math import inf, pi, sqrt
from typing import NamedTuple

import mpmath as mp
import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

from oracles.sliding import friction

STEP = 1e-7
"""Tiny step [s]: 1000 in an impact of 100 us."""
LEAP = 5e-5
"""Length of a block of tiny steps, or of one step if nothing can touch within it [s]."""
SOFT = 4.0
"""Part of a contact's slip that a step may remove if it sticks, inverted. Less than 4 would not be stable: among discs
of a triangular lattice that all spin alike every slip falls 4 times as fast as that of a contact alone."""
FACE_CELLS = 2001
"""Odd: the closed form has no value at equal speeds of travel and rim, the middle of the table."""

Numbers = NDArray[np.float64]


class Model(NamedTuple):
    """All but the state, for n discs; build it with `model`."""

    radius: Numbers
    mass: Numbers
    capture: Numbers
    half_side: float
    pocket_centre: float
    braking: float
    hertz: bool
    k: float
    zeta_disc: float
    zeta_cushion: float
    mu_disc: float
    mu_cushion: float
    slip: float
    face: Numbers
    """Force and torque of the playing surface, (FACE_CELLS + 1, 2)."""


class State(NamedTuple):
    """n discs at a time; `advance` changes the arrays."""

    t: Numbers
    """(1,) [s]."""
    pos: Numbers
    vel: Numbers
    omega: Numbers
    present: NDArray[np.bool_]
    pocket: NDArray[np.int64]
    """0 to 3, -1 = none."""
    pocket_time: Numbers
    before: Numbers
    mid: Numbers
    push: Numbers
    twist: Numbers
    """Of the last step: places at its start, velocities foreseen for its middle, accelerations by contacts."""
    moving: NDArray[np.bool_]


def restitution(zeta: float) -> float:
    """Return speed after / speed before of an impact of the linear spring, by following it until F is back at 0.

    Hertz's spring with Tsuji's damping has the same one: y = (4/5) d^(5/4) obeys the linear law in the time tau with
    d tau = d^(1/4) dt, and dy/d tau = d'.
    """
    motion = np.array([[0.0, 1.0], [-1.0, -2.0 * zeta]])

    def state(t: float) -> Numbers:
        return expm(motion * t) @ np.array([0.0, 1.0])

    end = brentq(lambda t: float(state(t) @ np.array([1.0, 2.0 * zeta])), 0.0, pi, xtol=1e-15)
    return -float(state(end)[1])


@cache
def damping(e: float) -> float:
    """Return the zeta of a restitution e, 0.01 <= e <= 1."""
    return 0.0 if e == 1.0 else float(brentq(lambda zeta: restitution(zeta) - e, 1e-9, 10.0, xtol=1e-14))


def stiffness(law: str, man_mass: float, t_contact: float) -> float:
    """Return k with which two men touch for t_contact at e = 1: at any speed ("linear"), at 3 m/s ("hertz")."""
    linear, hertz = (pi / t_contact) ** 2, 1.25 * (2.9432 / t_contact) ** 2.5 / sqrt(3.0)
    return man_mass / 2.0 * {"linear": linear, "hertz": hertz}[law]


@cache
def face_table() -> Numbers:
    """Tabulate force [mu m g] and torque [mu m g R] of the playing surface over v / (v + R |omega|) = 0 to 1."""
    shares = [mp.mpf(i) / FACE_CELLS for i in range(1, FACE_CELLS)]
    with mp.workdps(40):
        inner = [[float(x) for x in friction(s / (1 - s))] for s in shares]
    return np.array([[0.0, 2.0 / 3.0], *inner, [1.0, 0.0]])


def model(
    radius: ArrayLike,
    mass: ArrayLike,
    *,
    law: str,
    k: float,
    e_disc: float = 1.0,
    e_cushion: float = 1.0,
    mu_disc: float = 0.0,
    mu_cushion: float = 0.0,
    braking: float = 0.0,
    half_side: float = 1e3,
    pocket_centre: float = 0.0,
    capture: ArrayLike = 0.0,
    slip: float = 1e-3,
) -> Model:
    """Set up discs, frame and laws.

    Parameters
    ----------
    radius, mass : (n,) float
        [m], [kg].
    law, k : str, float
        "linear" or "hertz", and the stiffness of all contacts [N/m] or [N/m^1.5] (`stiffness`).
    braking : float
        Deceleration of a disc that slides without spin, mu g [m/s^2].
    pocket_centre : float
        Distance of the pockets' centres from the middle of the board, along both axes [m].
    capture : (n,) float or float
        Distance from there at which a disc is pocketed [m]; 0 = never.
    slip : float
        Slip of the rims below which friction falls short of Coulomb's [m/s].
    """
    sizes = np.array(radius, float)
    return Model(
        radius=sizes,
        mass=np.array(mass, float),
        capture=np.broadcast_to(np.array(capture, float), sizes.shape).copy(),
        half_side=float(half_side),
        pocket_centre=float(pocket_centre),
        braking=float(braking),
        hertz={"linear": False, "hertz": True}[law],
        k=float(k),
        zeta_disc=damping(max(e_disc, 0.01)),
        zeta_cushion=damping(max(e_cushion, 0.01)),
        mu_disc=float(mu_disc),
        mu_cushion=float(mu_cushion),
        slip=float(slip),
        face=face_table(),
    )


def start(pos: ArrayLike, vel: ArrayLike, omega: ArrayLike) -> State:
    """Return a state at time 0 of discs at pos (n, 2), NaN = none, with vel (n, 2) and omega (n,)."""
    place = np.array(pos, float)
    n = len(place)
    return State(
        t=np.zeros(1),
        pos=place,
        vel=np.array(vel, float),
        omega=np.array(omega, float),
        present=~np.isnan(place[:, 0]),
        pocket=np.full(n, -1),
        pocket_time=np.full(n, np.nan),
        before=place.copy(),
        mid=np.zeros((n, 2)),
        push=np.zeros((n, 2)),
        twist=np.zeros(n),
        moving=np.zeros(n, bool),
    )


def energy(m: Model, s: State) -> float:
    """Return the kinetic energy of the discs on the surface [J]."""
    on = s.present
    speed2, rim2 = (s.vel**2).sum(axis=1), (m.radius * s.omega) ** 2
    return float((0.5 * m.mass * (speed2 + 0.5 * rim2))[on].sum())


def run(m: Model, s: State, until: float = inf, step: float = STEP, leap: float = LEAP) -> None:
    """Advance a state to a time, or until all discs rest."""
    advance(m, s, until, step, leap, False)


def run_to_touch(m: Model, s: State, until: float = inf, step: float = STEP, leap: float = LEAP) -> None:
    """Advance a state until a disc that moves meets something, until a time, or until all discs rest."""
    advance(m, s, until, step, leap, True)


# Numba copies a tuple of arrays at every call that it does not inline, which costs more than the work on one disc: the
# functions below work on all discs at a time.


@njit(nogil=True)
def advance(m, s, until, step, leap, stop_at_touch):
    while s.t[0] < until and moves(s):
        end = min(s.t[0] + leap, until)
        if not could_touch(m, s, end - s.t[0]):
            move(m, s, end - s.t[0])
            s.t[0] = end
            continue
        while s.t[0] < end:
            h = min(step, end - s.t[0])
            touched = move(m, s, h)
            s.t[0] = s.t[0] + h if end - s.t[0] > step else end
            if touched and stop_at_touch:
                return


@njit(nogil=True)
def moves(s):
    """Note which discs move; return whether one does."""
    vel, omega, moving = s.vel, s.omega, s.moving
    for i in range(len(omega)):
        moving[i] = s.present[i] and (vel[i, 0] != 0.0 or vel[i, 1] != 0.0 or omega[i] != 0.0)
    return moving.any()


@njit(nogil=True)
def could_touch(m, s, dt):
    """Whether a moving disc may touch something within dt: gap <= relative speed x dt + most that braking can add.

    Resting discs may be in touch: a force below the static friction of the surface moves nothing.
    """
    pos, vel, moving, radius = s.pos, s.vel, s.moving, m.radius
    for i in range(len(pos)):
        if not s.present[i]:
            continue
        for j in range(i):
            if not s.present[j] or not (moving[i] or moving[j]):
                continue
            dx, dy = pos[i, 0] - pos[j, 0], pos[i, 1] - pos[j, 1]
            ux, uy = vel[i, 0] - vel[j, 0], vel[i, 1] - vel[j, 1]
            way = radius[i] + radius[j] + sqrt(ux * ux + uy * uy) * dt + m.braking * dt * dt
            if dx * dx + dy * dy <= way * way:
                return True
        for axis in range(2):
            if moving[i] and m.half_side - radius[i] - abs(pos[i, axis]) <= abs(vel[i, axis]) * dt:
                return True
    return False


@njit(nogil=True)
def move(m, s, dt):
    """One step: half the way, the forces there, the new velocities, the other half. Return what `press` does.

    Damping asks for the velocity in the middle of the step: that of the start, carried on by the last acceleration.
    """
    pos, vel, mid, push = s.pos, s.vel, s.mid, s.push
    for i in range(len(pos)):
        for axis in range(2):
            s.before[i, axis] = pos[i, axis]
            pos[i, axis] += 0.5 * dt * vel[i, axis]
            mid[i, axis] = vel[i, axis] + 0.5 * dt * push[i, axis]
            push[i, axis] = 0.0
        s.twist[i] = 0.0
    touched = press(m, s, dt)
    for i in range(len(pos)):
        for axis in range(2):
            vel[i, axis] += dt * push[i, axis]
        s.omega[i] += dt * s.twist[i]
    brake(m, s, dt)
    for i in range(len(pos)):
        for axis in range(2):
            pos[i, axis] += 0.5 * dt * vel[i, axis]
    catch(m, s, dt)
    return touched


@njit(nogil=True)
def press(m, s, dt):
    """Add up the accelerations by all contacts; return whether a disc that moves bears a force.

    Discs laid in touch overlap by a rounding error, and so press on each other ever so little.
    """
    touched = False
    pos, radius = s.pos, m.radius
    for i in range(len(pos)):
        if not s.present[i]:
            continue
        for j in range(i):
            dx, dy = pos[i, 0] - pos[j, 0], pos[i, 1] - pos[j, 1]
            reach = radius[i] + radius[j]
            if dx * dx + dy * dy < reach * reach and s.present[j]:
                touched = press_pair(m, s, i, j, dt) or touched
        for axis in range(2):
            if abs(pos[i, axis]) + radius[i] > m.half_side:
                touched = press_cushion(m, s, i, axis, dt) or touched
    return touched


@njit(nogil=True)
def press_pair(m, s, i, j, dt):
    dx, dy = s.pos[i, 0] - s.pos[j, 0], s.pos[i, 1] - s.pos[j, 1]
    distance = sqrt(dx * dx + dy * dy)
    nx, ny = dx / distance, dy / distance  # from j to i
    reduced = m.mass[i] * m.mass[j] / (m.mass[i] + m.mass[j])
    closing = (s.mid[j, 0] - s.mid[i, 0]) * nx + (s.mid[j, 1] - s.mid[i, 1]) * ny
    slip = (s.vel[j, 1] - s.vel[i, 1]) * nx - (s.vel[j, 0] - s.vel[i, 0]) * ny
    slip += m.radius[j] * s.omega[j] + m.radius[i] * s.omega[i]
    force = spring(m.hertz, m.k, m.radius[i] + m.radius[j] - distance, closing, reduced, m.zeta_disc)
    friction = rub(slip, m.slip, m.mu_disc * force, SOFT * dt / (reduced / 3.0))
    bear(m, s, i, force * nx - friction * ny, force * ny + friction * nx, friction)
    bear(m, s, j, friction * ny - force * nx, -force * ny - friction * nx, friction)
    return force > 0.0 and (s.moving[i] or s.moving[j])


@njit(nogil=True)
def press_cushion(m, s, i, axis, dt):
    inward = -1.0 if s.pos[i, axis] > 0.0 else 1.0
    nx, ny = (inward, 0.0) if axis == 0 else (0.0, inward)  # from the cushion to i
    overlap = abs(s.pos[i, axis]) + m.radius[i] - m.half_side
    slip = s.vel[i, 0] * ny - s.vel[i, 1] * nx + m.radius[i] * s.omega[i]
    force = spring(m.hertz, m.k, overlap, -s.mid[i, axis] * inward, m.mass[i], m.zeta_cushion)
    friction = rub(slip, m.slip, m.mu_cushion * force, SOFT * dt / (m.mass[i] / 3.0))
    bear(m, s, i, force * nx - friction * ny, force * ny + friction * nx, friction)
    return force > 0.0


@njit(nogil=True)
def bear(m, s, i, fx, fy, friction):
    """Let a force act on the rim of disc i. Friction turns both discs of a pair the same way, against the slip."""
    s.push[i, 0] += fx / m.mass[i]
    s.push[i, 1] += fy / m.mass[i]
    s.twist[i] -= 2.0 * friction / (m.mass[i] * m.radius[i])


@njit(nogil=True)
def spring(hertz, k, overlap, closing, reduced, zeta):
    if hertz:
        root = sqrt(sqrt(overlap))
        force = k * overlap * root * root + zeta * sqrt(5.0 * reduced * k) * root * closing
    else:
        force = k * overlap + 2.0 * zeta * sqrt(reduced * k) * closing
    return max(force, 0.0)


@njit(nogil=True)
def rub(slip, small, limit, soft):
    """Friction against a slip: limit x slip / small, softer where a step would reverse the slip, at most the limit."""
    if limit == 0.0:
        return 0.0
    return min(max(slip / (small / limit + soft), -limit), limit)


@njit(nogil=True)
def brake(m, s, dt):
    """Let the playing surface slow speeds and spins for a step; neither changes its sign."""
    vel, omega, radius = s.vel, s.omega, m.radius
    for i in range(len(vel)):
        speed = sqrt(vel[i, 0] ** 2 + vel[i, 1] ** 2)
        rim = radius[i] * abs(omega[i])
        if speed + rim == 0.0 or m.braking == 0.0:
            continue
        cell = speed / (speed + rim) * FACE_CELLS
        k = min(int(cell), FACE_CELLS - 1)
        force = m.face[k, 0] + (cell - k) * (m.face[k + 1, 0] - m.face[k, 0])
        torque = m.face[k, 1] + (cell - k) * (m.face[k + 1, 1] - m.face[k, 1])
        loss = m.braking * dt * force
        left = 1.0 - loss / speed if speed > loss else 0.0
        vel[i, 0] *= left
        vel[i, 1] *= left
        loss = 2.0 * m.braking * dt * torque  # m R^2 / I = 2
        omega[i] *= 1.0 - loss / rim if rim > loss else 0.0


@njit(nogil=True)
def catch(m, s, dt):
    """Take away the discs whose way in this step came within their capture radius of a pocket's centre."""
    pos, before, capture, centre = s.pos, s.before, m.capture, m.pocket_centre
    for i in range(len(pos)):
        for pocket in range(4 if capture[i] > 0.0 and s.present[i] else 0):
            dx = before[i, 0] - (centre if pocket in (1, 2) else -centre)
            dy = before[i, 1] - (centre if pocket in (2, 3) else -centre)
            wx, wy = pos[i, 0] - before[i, 0], pos[i, 1] - before[i, 1]
            way2 = wx * wx + wy * wy
            part = min(max(-(dx * wx + dy * wy) / way2, 0.0), 1.0) if way2 > 0.0 else 0.0
            dx, dy = dx + part * wx, dy + part * wy
            if dx * dx + dy * dy < capture[i] ** 2:
                s.present[i], s.pocket[i], s.pocket_time[i] = False, pocket, s.t[0] + part * dt
                s.pos[i], s.vel[i], s.push[i], s.omega[i] = np.nan, 0.0, 0.0, 0.0
                break
