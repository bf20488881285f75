"""Hits and rebounds backwards: what has to happen for a disc to leave in a wanted direction.

A direction error is a tangent; left is positive. Spin is given as the rim's speed over the speed of travel, counter-
clockwise positive. Of a disc that slides fast and spins slowly it grows as 1 / sqrt(speed): friction takes
d omega / dt = -mu g omega / (2 v) of its spin (uniform pressure).
"""

import math

from carromsim_kernels.jit import kernel
from carromsim_kernels.resolve import restitution
from carromsim_kernels.sheet import Record

ROUNDS = 8
"""Of looking for a throw at most; mostly it takes three or four."""
STEEPEST_THROW = 0.8
"""The largest growth of a throw per turn of the line of centres that is made use of."""
SETTLED = 1e-5
"""Change of the throw below which its direction is known."""


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
    tau = float((w + h2 * stick * rim / e) / (h1 + h2 * (1.0 - stick) / e))
    friction = stick * (tau + rim)
    if abs(friction) <= most:
        return tau
    return float((w + h2 * math.copysign(most, friction) / e) / (h1 + h2 / e))


@kernel
def cushion_friction(aim: Record, tau: float, e: float, rim: float) -> float:
    """Return the tangential over the normal speed that a cushion takes."""
    return clamp(aim.stick_cushion * (tau + rim), aim.mu_cushion * (1.0 + e))


@kernel
def rebound_slope(aim: Record, tau: float, e: float, rim: float) -> float:
    """Return d tau' / d tau."""
    if abs(aim.stick_cushion * (tau + rim)) <= aim.mu_cushion * (1.0 + e):
        return float((1.0 - aim.stick_cushion) / e)
    return 1.0 / e


@kernel
def is_settled(aim: Record, before: float) -> bool:
    """Whether the throw is what was assumed before; if not, a better one is noted, by Newton's rule.

    A throw to the left turns the line of centres to the right, by which the throw grows.
    """
    error = aim.throw - before
    if abs(error) < SETTLED:
        return True
    aim.throw = clamp(before + error / (1.0 - min(throw_slope(aim), STEEPEST_THROW)), aim.mu_disc)
    return False


@kernel
def outward(cushion: int) -> tuple[float, float]:
    """Return the outward normal of a cushion: 0 right, 1 left, 2 far, 3 near. To the left of it is (-y, x)."""
    side = 1.0 if cushion in (0, 2) else -1.0
    return (side, 0.0) if cushion < 2 else (0.0, side)


@kernel
def bank_way(aim: Record, rim: float) -> tuple[float, float]:
    """Return the direction in which the errand's disc has to go to its cushion if it spins, rim over speed."""
    tau = 0.0
    for _ in range(2):
        tau = incidence(aim, aim.bank_h1, aim.bank_h2, aim.bank_w, aim.bank_e, rim * math.sqrt(1.0 + tau * tau))
    ex, ey = outward(aim.cushion)
    c = 1.0 / math.sqrt(1.0 + tau * tau)
    return c * (ex - tau * ey), c * (ey + tau * ex)


@kernel
def way_wanted(aim: Record) -> tuple[float, float]:
    """Return the direction in which the errand's disc has to leave with the spin that the present throw gives it."""
    rim = -2.0 * aim.throw / math.sqrt(1.0 + aim.throw * aim.throw)
    if aim.cushion >= 0:
        return bank_way(aim, rim * aim.bank_growth)
    turn = aim.spin_turn * rim
    c = 1.0 / math.sqrt(1.0 + turn * turn)
    return c * (aim.ux - turn * aim.uy), c * (aim.uy + turn * aim.ux)


@kernel
def contact_from(aim: Record, mover: int, sx: float, sy: float, hit: int, heed_spin: bool) -> bool:
    """Work out how a disc at s, without spin, hits another so that this leaves along the errand's u, if it can.

    heed_spin : take account of what the spin that the hit gives will do to that direction later.
    """
    reach = aim.radius[mover] + aim.radius[hit]
    aim.throw = 0.0
    ux, uy = aim.ux, aim.uy
    for _ in range(ROUNDS):
        line_of_centres(aim, ux, uy)
        dx, dy = aim.x[hit] - reach * aim.nx - sx, aim.y[hit] - reach * aim.ny - sy
        aim.way = math.sqrt(dx * dx + dy * dy)
        before = aim.throw
        if aim.way == 0.0 or not look_along(aim, dx / aim.way, dy / aim.way, 0.0):
            return False
        if is_settled(aim, before):
            return True
        if heed_spin:
            ux, uy = way_wanted(aim)
    return False


@kernel
def rebound_from(aim: Record, sx: float, sy: float, cushion: int, hit: int) -> bool:
    """Work out how the striker at s comes from a cushion so that the disc it hits leaves along the errand's u."""
    ex, ey = outward(cushion)
    reach, limit = aim.radius[0] + aim.radius[hit], aim.half_side - aim.radius[0]
    aim.throw = rim = 0.0
    e, growth = aim.e_cushion, 1.0
    h1 = limit - (sx * ex + sy * ey)
    for _ in range(ROUNDS):
        line_of_centres(aim, aim.ux, aim.uy)
        gx, gy = aim.x[hit] - reach * aim.nx, aim.y[hit] - reach * aim.ny
        h2 = limit - (gx * ex + gy * ey)
        if h2 <= 0.0:
            return False
        tau = incidence(aim, h1, h2, (gy - sy) * ex - (gx - sx) * ey, e, 0.0)
        friction = cushion_friction(aim, tau, e, 0.0)
        tau_out = (tau - friction) / e
        stretch = math.sqrt(1.0 + tau_out * tau_out)
        rim = -2.0 * friction / (e * stretch) * growth
        before = aim.throw
        if not look_along(aim, (-ex - tau_out * ey) / stretch, (-ey + tau_out * ex) / stretch, rim):
            return False
        aim.way, aim.way_out = h1 * math.sqrt(1.0 + tau * tau), h2 * stretch
        speed = aim.launch / gain(aim, 0, hit)
        aim.speed_out = math.sqrt(speed * speed + 2.0 * aim.mu_g * aim.way_out)
        growth = math.sqrt(aim.speed_out / speed)
        aim.tau, aim.tau_out, aim.rebound_e = tau, tau_out, e
        if is_settled(aim, before):
            return True
        e = restitution(aim.e_cushion, aim.v_c_cushion, aim.speed_out / (e * stretch), 0.0)
    return False
