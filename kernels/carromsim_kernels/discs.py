"""The discs of one stroke: how a motion is begun and where a disc is at a time.

Between its events a disc keeps the data of its last event (place, direction, time); nothing of it is
touched while others collide.
"""

import math

from carromsim_kernels.jit import inlined, kernel
from carromsim_kernels.motion import CONSTANT, CURVE, REST, begin_motion, rim_speed, speed_and_path_left
from carromsim_kernels.scene import PARKED, Scene
from carromsim_kernels.state import EventKind

STOP = int(EventKind.STOP)
SHORT = 1e-8
"""Over a time of this [s] it does not matter by what a disc is slowed: its path is the same to 1e-16 m."""


@kernel
def launch(scene: Scene, i: int, t: float, x: float, y: float, vx: float, vy: float, omega: float) -> None:
    """Begin a new motion of disc i at time t; its segment is still to be predicted."""
    v = math.sqrt(vx * vx + vy * vy)
    if v < scene.still_speed:
        v = 0.0
    if abs(omega) * scene.face[i] < scene.still_speed:
        omega = 0.0
    mode, first_cell, inv_scale, factor, t_stop, s_stop, decel_min, decel_max = begin_motion(
        scene, v, abs(omega) * scene.face[i], scene.mu_g
    )
    scene.x[i], scene.y[i], scene.time[i] = x, y, t
    if v > 0.0:
        scene.dir_x[i], scene.dir_y[i] = vx / v, vy / v
    else:
        scene.dir_x[i], scene.dir_y[i] = 0.0, 0.0
    scene.speed[i], scene.omega[i] = v, omega
    scene.at_time[i], scene.at_path[i], scene.at_speed[i] = t, 0.0, v
    scene.t_stop[i], scene.s_stop[i] = t + t_stop, s_stop
    scene.inv_scale[i], scene.speed_factor[i] = inv_scale, factor
    scene.decel_min[i], scene.decel_max[i] = (decel_min, decel_max) if v > 0.0 else (0.0, 0.0)
    scene.mode[i], scene.first_cell[i] = mode, first_cell


@kernel
def begin_fall(scene: Scene, i: int, pocket: int, t: float) -> None:
    """Let disc i begin to fall into a pocket at time t: it will be gone unless it leaves the tipping limit before."""
    scene.falling[i], scene.falls_at[i] = pocket, t + scene.fall_time


@kernel
def cancel_fall(scene: Scene, i: int) -> None:
    """Let disc i not fall, or no more."""
    scene.falling[i], scene.falls_at[i] = -1, math.inf


@kernel
def remove(scene: Scene, i: int) -> None:
    """Take disc i off the surface, where nothing happens to it by itself: only its pairs are still to be predicted."""
    far = PARKED * (1.0 + i)
    scene.x[i], scene.y[i], scene.end_x[i], scene.end_y[i] = far, far, far, far
    scene.dir_x[i], scene.dir_y[i], scene.speed[i], scene.omega[i] = 0.0, 0.0, 0.0, 0.0
    scene.at_time[i], scene.at_path[i], scene.at_speed[i] = 0.0, 0.0, 0.0
    scene.decel_min[i], scene.decel_max[i], scene.mode[i] = 0.0, 0.0, REST
    scene.segment[i], scene.self_time[i], scene.self_exact[i], scene.self_kind[i] = 0.0, math.inf, 1, STOP
    cancel_fall(scene, i)
    scene.on_board[i] = 0


@kernel
def locate(scene: Scene, i: int, t: float) -> None:
    """Put path since the segment began and speed of disc i at time t into at_path and at_speed."""
    if scene.at_time[i] == t:
        return
    mode = scene.mode[i]
    path, speed = 0.0, 0.0
    if mode == CURVE:
        speed, left = speed_and_path_left(
            scene, scene.first_cell[i], scene.inv_scale[i], scene.speed_factor[i], scene.mu_g, scene.t_stop[i] - t
        )
        path = scene.s_stop[i] - left
    elif mode == CONSTANT:
        path = scene.s_stop[i]
        if t < scene.t_stop[i]:
            dt = t - scene.time[i]
            path, speed = dt * (scene.speed[i] - 0.5 * scene.mu_g * dt), scene.speed[i] - scene.mu_g * dt
    scene.at_time[i], scene.at_path[i], scene.at_speed[i] = t, path, speed


@kernel
def place_at(scene: Scene, i: int, t: float) -> None:
    """Put place and velocity of disc i at time t into px, py, vx, vy."""
    locate(scene, i, t)
    path, speed, dx, dy = scene.at_path[i], scene.at_speed[i], scene.dir_x[i], scene.dir_y[i]
    scene.px[i], scene.py[i] = scene.x[i] + dx * path, scene.y[i] + dy * path
    scene.vx[i], scene.vy[i] = dx * speed, dy * speed


@inlined
def spin_at(scene: Scene, i: int, t: float) -> float:
    """Return the angular velocity of disc i at time t [rad/s]."""
    omega = float(scene.omega[i])
    if omega == 0.0 or scene.mu_g == 0.0:
        return omega
    first_cell, inv_scale, left = scene.first_cell[i], scene.inv_scale[i], scene.t_stop[i] - t
    w = rim_speed(scene, first_cell, inv_scale, scene.mu_g, left)
    if scene.mode[i] == CONSTANT:
        return omega * (w / rim_speed(scene, first_cell, inv_scale, scene.mu_g, scene.t_stop[i] - scene.time[i]))
    return math.copysign(w / scene.face[i], omega)


@inlined
def shortest_time(speed: float, decel: float, path: float) -> float:
    """Return the time in which a disc covers a path at the least deceleration [s]."""
    if path <= 0.0:
        return 0.0
    return 2.0 * path / (speed + math.sqrt(max(speed * speed - 2.0 * decel * path, 0.0)))


@kernel
def time_at_path(scene: Scene, i: int, path: float) -> float:
    """Return when disc i has travelled a path of its segment (0 <= path <= its stopping path) [s].

    Each step takes the least deceleration, so that it never overshoots; it is exact for a disc without spin.
    """
    t = float(scene.time[i])
    speed, left = scene.speed[i], path
    for _ in range(12):
        step = shortest_time(speed, scene.decel_min[i], left)
        t += step
        if scene.mode[i] == CONSTANT or step <= SHORT:
            break
        locate(scene, i, t)
        speed, left = scene.at_speed[i], path - scene.at_path[i]
        if left <= 1e-16 or speed <= 0.0:
            break
    return t


@inlined
def is_at_rest(scene: Scene, i: int) -> bool:
    """Tell whether disc i has no motion at all, or is not on the surface."""
    return bool(scene.mode[i] == REST)
