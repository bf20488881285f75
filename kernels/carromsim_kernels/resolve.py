"""What then: the impulse between two discs or a disc and a cushion.

Normal restitution e and Coulomb friction mu at the rim, with tangential restitution beta of a sticking
contact (Walton and Braun 1986; Maw, Barber and Fawcett 1981). For solid discs, I = m R^2 / 2, the
inertia of the contact is diagonal, m_t = m_n / 3, so that energy never grows for e in [0, 1],
beta in [-1, 1] and mu >= 0.

n is the unit vector from disc 1 to disc 2 (or into the cushion), t = (-n_y, n_x).
"""

import math

from carromsim_kernels.jit import kernel


@kernel
def restitution(e: float, v_c: float, approach: float, elastic_speed: float) -> float:
    """Return the normal restitution of an impact at a speed of approach [m/s]: 1 below elastic_speed.

    Above it falls from 1 to e, by half of the difference at the speed v_c [m/s]; v_c = 0 makes it e at any speed.
    """
    if approach < elastic_speed:
        return 1.0
    if v_c == 0.0:
        return e
    return min(e + (1.0 - e) * v_c / (v_c + approach), 1.0)  # rounding must not give energy


@kernel
def lead_along(nx: float, ny: float, vx: float, vy: float, e: float, least: float) -> tuple[float, float, float]:
    """Return velocity and restitution of a disc at its hit on an arc which it shall not leave more flatly than least.

    Along an arc a flat rebound is followed by a flatter one, without end. The restitution is raised as far as the
    sine `least` of the angle asks for; a hit that is flatter itself is turned to that angle, at the same speed, and
    elastic. So a disc slides along the arc by chords, and friction takes what it takes of one that is pressed on.
    """
    g_n, speed = vx * nx + vy * ny, math.sqrt(vx * vx + vy * vy)
    floor = least * speed
    if e * g_n >= floor:
        return vx, vy, e
    if g_n >= floor:
        return vx, vy, floor / g_n
    along = math.copysign(math.sqrt((speed - floor) * (speed + floor)), vy * nx - vx * ny)
    return floor * nx - along * ny, floor * ny + along * nx, 1.0


@kernel
def impulse(g_n: float, g_t: float, m_n: float, e: float, mu: float, beta: float) -> tuple[float, float]:
    """Return the impulses along n and t [N s] of a contact approaching with g_n and rubbing with g_t [m/s]."""
    j_n = (1.0 + e) * m_n * g_n
    j_t = min((1.0 + beta) * (m_n / 3.0) * abs(g_t), mu * j_n)
    return j_n, math.copysign(j_t, g_t)


@kernel
def collide_discs(
    nx: float,
    ny: float,
    vx1: float,
    vy1: float,
    omega1: float,
    m1: float,
    r1: float,
    vx2: float,
    vy2: float,
    omega2: float,
    m2: float,
    r2: float,
    e: float,
    mu: float,
    beta: float,
) -> tuple[float, float, float, float, float, float]:
    """Return velocities and spins of two discs after their hit: (vx1, vy1, omega1, vx2, vy2, omega2)."""
    dvx, dvy = vx1 - vx2, vy1 - vy2
    g_n = dvx * nx + dvy * ny
    g_t = dvy * nx - dvx * ny + (r1 * omega1 + r2 * omega2)
    j_n, j_t = impulse(g_n, g_t, m1 * m2 / (m1 + m2), e, mu, beta)
    px, py = j_n * nx - j_t * ny, j_n * ny + j_t * nx
    return (
        vx1 - px / m1,
        vy1 - py / m1,
        omega1 - 2.0 * j_t / (m1 * r1),
        vx2 + px / m2,
        vy2 + py / m2,
        omega2 - 2.0 * j_t / (m2 * r2),
    )


@kernel
def collide_cushion(
    nx: float, ny: float, vx: float, vy: float, omega: float, m: float, r: float, e: float, mu: float, beta: float
) -> tuple[float, float, float]:
    """Return velocity and spin of a disc after its rebound from a cushion: (vx, vy, omega)."""
    g_n = vx * nx + vy * ny
    g_t = vy * nx - vx * ny + r * omega
    j_n, j_t = impulse(g_n, g_t, m, e, mu, beta)
    return (
        vx - (j_n * nx - j_t * ny) / m,
        vy - (j_n * ny + j_t * nx) / m,
        omega - 2.0 * j_t / (m * r),
    )
