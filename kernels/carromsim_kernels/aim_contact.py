"""Hits and rebounds backwards: what has to happen for a disc to leave in a wanted direction.

A direction error is a tangent; left is positive. Spin is given as the rim's speed over the speed of travel, counter-
clockwise positive. Of a disc that slides fast and spins slowly it grows as 1 / sqrt(speed): friction takes
d omega / dt = -mu g omega / (2 v) of its spin (uniform pressure).
"""

import math

from carromsim_kernels.jit import kernel
from carromsim_kernels.resolve import restitution
from carromsim_kernels.sheet import Record

ROUNDS = 6
"""Each reduces the error of a throw, at most 9 degrees at first, to about a third."""


@kernel
def clamp(value: float, most: float) -> float:
    """Return value, or the nearest of -most and most."""
    return min(max(value, -most), most)


@kernel
def throw_of(aim: Record, cos: float, sin: float, rim: float, e: float) -> float:
    """Return the tangential over the normal impulse of a hit, for the angle from the line of centres to the way."""
    return clamp(aim.stick_disc * (sin + rim) / (cos * (1.0 + e)), aim.mu_disc)


@kernel
def line_of_centres(aim: Record, ux: float, uy: float) -> None:
    """Note the line of centres that, with the present throw, sends a disc along u."""
    c = 1.0 / math.sqrt(1.0 + aim.throw * aim.throw)
    aim.nx, aim.ny = c * (ux + aim.throw * uy), c * (uy - aim.throw * ux)


@kernel
def look_along(aim: Record, dx: float, dy: float, rim: float) -> bool:
    """Note the mover's way d and the throw that follows; False if it cannot hit like that."""
    aim.dx, aim.dy = dx, dy
    aim.cos, aim.sin = dx * aim.nx + dy * aim.ny, aim.nx * dy - aim.ny * dx
    if aim.cos <= 0.0:
        return False
    aim.throw = throw_of(aim, aim.cos, aim.sin, rim, aim.e)
    return True


@kernel
def gain(aim: Record, mover: int, hit: int) -> float:
    """Return the launch speed of the disc hit over the speed of the mover."""
    share = aim.mass[mover] / (aim.mass[mover] + aim.mass[hit])
    return float((1.0 + aim.e) * share * aim.cos * math.sqrt(1.0 + aim.throw * aim.throw))


@kernel
def guess_restitution(aim: Record, mover: int, hit: int, launch: float) -> None:
    """Note the restitution of a hit that gives a disc a speed of about `launch`."""
    approach = launch * (aim.mass[mover] + aim.mass[hit]) / (aim.mass[mover] * (1.0 + aim.e_disc))
    aim.e = restitution(aim.e_disc, aim.v_c_disc, approach, 0.0)


@kernel
def throw_slope(aim: Record) -> float:
    """Return by how much the throw turns per angle between way and line of centres; 0 where the rims slide."""
    if abs(aim.throw) >= aim.mu_disc:
        return 0.0
    return float(aim.stick_disc / ((1.0 + aim.e) * aim.cos * aim.cos * (1.0 + aim.throw * aim.throw)))


@kernel
def incidence(aim: Record, h1: float, h2: float, w: float, e: float, rim: float) -> float:
    """Return the tangent tau of the angle at which a disc has to meet a cushion.

    Parameters
    ----------
    h1, h2 : float
        Distances of start and end from the line on which the disc's centre turns round [m].
    w : float
        Way along the cushion from start to end [m].
    e : float
        Restitution of the cushion.
    rim : float
        Rim over normal speed.

    The tangent behind is tau' = (tau - J) / e with the friction J = kappa (tau + rim), or +-mu (1 + e) where the rim
    slides; so w = h1 tau + h2 tau' is linear in pieces.
    """
    most = aim.mu_cushion * (1.0 + e)
    stick = aim.stick_cushion
    tau = (w + h2 * stick * rim / e) / (h1 + h2 * (1.0 - stick) / e)
    friction = stick * (tau + rim)
    if abs(friction) <= most:
        return tau
    return (w + h2 * math.copysign(most, friction) / e) / (h1 + h2 / e)


@kernel
def cushion_friction(aim: Record, tau: float, e: float, rim: float) -> float:
    """Return the tangential over the normal speed that a cushion takes."""
    return clamp(aim.stick_cushion * (tau + rim), aim.mu_cushion * (1.0 + e))


@kernel
def rebound_slope(aim: Record, tau: float, e: float, rim: float) -> float:
    """Return d tau' / d tau."""
    if abs(aim.stick_cushion * (tau + rim)) <= aim.mu_cushion * (1.0 + e):
        return (1.0 - aim.stick_cushion) / e
    return 1.0 / e


@kernel
def contact_from(aim: Record, mover: int, sx: float, sy: float, hit: int, ux: float, uy: float) -> bool:
    """Work out how a disc at s, without spin, hits another so that this leaves along u; False if it cannot."""
    reach = aim.radius[mover] + aim.radius[hit]
    aim.throw = 0.0
    for _ in range(ROUNDS):
        line_of_centres(aim, ux, uy)
        dx, dy = aim.x[hit] - reach * aim.nx - sx, aim.y[hit] - reach * aim.ny - sy
        aim.way = math.sqrt(dx * dx + dy * dy)
        if aim.way == 0.0 or not look_along(aim, dx / aim.way, dy / aim.way, 0.0):
            return False
    return True
