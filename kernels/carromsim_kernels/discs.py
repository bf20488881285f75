"""The discs of one stroke: the scratch they live in, how a motion is begun and where a disc is at a time.

Between its events a disc keeps the data of its last event (place, direction, time); nothing of it is
touched while others collide. All scratch of a chunk is allocated once, by ``new_workspace``.
"""

import math
from typing import NamedTuple

import numpy as np

from carromsim_kernels.jit import kernel
from carromsim_kernels.motion import CONSTANT, CURVE, REST, begin_motion, rim_speed, speed_and_path_left
from carromsim_kernels.state import N_DISCS, FloatArray, IntArray, World

# Rows of Workspace.real, one column per disc. The segment is the path from the last event to the next
# certain one (cushion, pocket or stop).
X, Y = 0, 1  # where the segment begins [m]
DIR_X, DIR_Y = 2, 3  # its direction; 0 for a disc that does not travel
SPEED = 4  # at the beginning [m/s]
OMEGA = 5  # at the beginning [rad/s]
TIME = 6  # of the beginning [s]
T_STOP = 7  # when the disc would come to rest [s]
S_STOP = 8  # after which path [m]
INV_SCALE, SPEED_FACTOR = 9, 10  # of the motion law
DECEL_MIN, DECEL_MAX = 11, 12  # bounds of the deceleration [m/s^2]
SEGMENT = 13  # length of the segment [m]
END_X, END_Y = 14, 15  # where it ends [m]
RADIUS, MASS = 16, 17
CAPTURE = 18  # radius of the tipping circle around a pocket centre [m]; 0 if the disc fits no pocket
SELF_TIME = 19  # of the cushion, pocket or stop at the segment's end, or a lower bound [s]
BEST_TIME = 20  # of the disc's earliest event, or a lower bound [s]
N_REAL = 21

# Rows of Workspace.code.
MODE = 0  # of the motion law
FIRST_CELL = 1  # of the motion law
ON_BOARD = 2  # 1 while the disc lies on the surface
SELF_KIND = 3  # EventKind at the segment's end
SELF_PLACE = 4  # which cushion (0 right, 1 left, 2 far, 3 near) or pocket
SELF_EXACT = 5  # 0: SELF_TIME is only a lower bound
BEST_PARTNER = 6  # the other disc of the earliest event, -1 for a cushion, pocket or stop
BEST_RANK = 7  # its place among events of equal time: bounds first, then by kind
CUSHIONS = 8  # how many cushions the disc has hit
NEAR = 9  # scratch: indices of discs that survive the rejection pass
N_CODE = 10

PARKED = 1e9
"""Discs that are not on the surface are parked this far away [m], where the rejection pass drops them."""


class Workspace(NamedTuple):
    """Scratch of one stroke at a time, owned by one chunk."""

    real: FloatArray
    """(N_REAL, 20)"""
    code: IntArray
    """(N_CODE, 20)"""
    pair_time: FloatArray
    """(20, 20) symmetric: time of contact, or a lower bound; inf = never on the present segments [s]."""
    pair_path: FloatArray
    """(20, 20) symmetric: path of the mover at contact with a resting disc [m]; -1 if both move."""
    pair_exact: IntArray
    """(20, 20) symmetric: 0 if pair_time is only a lower bound."""


@kernel
def new_workspace() -> Workspace:
    """Allocate the scratch of one chunk."""
    return Workspace(
        np.zeros((N_REAL, N_DISCS)),
        np.zeros((N_CODE, N_DISCS), np.int64),
        np.zeros((N_DISCS, N_DISCS)),
        np.zeros((N_DISCS, N_DISCS)),
        np.zeros((N_DISCS, N_DISCS), np.int64),
    )


@kernel
def launch(ws: Workspace, world: World, i: int, t: float, x: float, y: float, vx: float, vy: float, om: float) -> None:
    """Begin a new motion of disc i at time t; its segment is still to be predicted."""
    real, code = ws.real, ws.code
    v = math.sqrt(vx * vx + vy * vy)
    radius = real[RADIUS, i]
    mode, first_cell, inv_scale, factor, t_stop, s_stop, decel_min, decel_max = begin_motion(
        world.table, v, abs(om) * radius, world.mu_g
    )
    real[X, i], real[Y, i] = x, y
    if v > 0.0:
        real[DIR_X, i], real[DIR_Y, i] = vx / v, vy / v
    else:
        real[DIR_X, i], real[DIR_Y, i] = 0.0, 0.0
    real[SPEED, i], real[OMEGA, i] = v, om
    real[TIME, i] = t
    real[T_STOP, i] = t + t_stop
    real[S_STOP, i] = s_stop
    real[INV_SCALE, i], real[SPEED_FACTOR, i] = inv_scale, factor
    real[DECEL_MIN, i], real[DECEL_MAX, i] = decel_min, decel_max
    code[MODE, i], code[FIRST_CELL, i] = mode, first_cell


@kernel
def remove(ws: Workspace, i: int) -> None:
    """Take disc i off the surface."""
    real, code = ws.real, ws.code
    far = PARKED * (1.0 + i)
    real[X, i], real[Y, i], real[END_X, i], real[END_Y, i] = far, far, far, far
    real[DIR_X, i], real[DIR_Y, i] = 0.0, 0.0
    real[SPEED, i], real[OMEGA, i], real[SEGMENT, i] = 0.0, 0.0, 0.0
    real[T_STOP, i] = -math.inf
    real[SELF_TIME, i] = math.inf
    code[ON_BOARD, i], code[MODE, i], code[SELF_EXACT, i] = 0, REST, 1


@kernel
def travels(ws: Workspace, i: int) -> bool:
    """Tell whether disc i changes its place (a disc that spins on the spot does not)."""
    return bool(ws.real[SPEED, i] > 0.0)


@kernel
def path_and_speed(ws: Workspace, world: World, i: int, t: float) -> tuple[float, float]:
    """Return the path travelled since the segment began [m] and the speed [m/s] of disc i at time t."""
    real = ws.real
    mode = ws.code[MODE, i]
    if mode == CURVE:
        speed, left = speed_and_path_left(
            world.table,
            ws.code[FIRST_CELL, i],
            real[INV_SCALE, i],
            real[SPEED_FACTOR, i],
            world.mu_g,
            real[T_STOP, i] - t,
        )
        return real[S_STOP, i] - left, speed
    if mode == CONSTANT:
        if t >= real[T_STOP, i]:
            return real[S_STOP, i], 0.0
        dt = t - real[TIME, i]
        return dt * (real[SPEED, i] - 0.5 * world.mu_g * dt), real[SPEED, i] - world.mu_g * dt
    return 0.0, 0.0


@kernel
def spin_at(ws: Workspace, world: World, i: int, t: float) -> float:
    """Return the angular velocity of disc i at time t [rad/s]."""
    real = ws.real
    om = real[OMEGA, i]
    if om == 0.0 or world.mu_g == 0.0:
        return om
    first_cell, inv_scale = ws.code[FIRST_CELL, i], real[INV_SCALE, i]
    w = rim_speed(world.table, first_cell, inv_scale, world.mu_g, real[T_STOP, i] - t)
    if ws.code[MODE, i] == CONSTANT:
        return om * (w / rim_speed(world.table, first_cell, inv_scale, world.mu_g, real[T_STOP, i] - real[TIME, i]))
    return math.copysign(w / real[RADIUS, i], om)


@kernel
def time_at_path(ws: Workspace, world: World, i: int, s: float) -> float:
    """Return when disc i has travelled the path s of its segment (0 <= s <= its stopping path) [s].

    Each step takes the least deceleration, so that it never overshoots; it is exact for a disc without spin.
    """
    real = ws.real
    decel = real[DECEL_MIN, i]
    v, left = real[SPEED, i], s
    t = real[TIME, i]
    for _ in range(12):
        step = 2.0 * left / (v + math.sqrt(max(v * v - 2.0 * decel * left, 0.0)))
        t += step
        if ws.code[MODE, i] == CONSTANT or step <= 1e-16:  # less than the time's own rounding
            break
        done, v = path_and_speed(ws, world, i, t)
        left = s - done
        if left <= 1e-16 or v <= 0.0:
            break
    return t
