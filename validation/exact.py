"""Closed forms to 40 digits: free flight into a contact, and the impact there. Shares no code with the package.

n is the unit vector from the first disc to the second, or into the wall; t = (-n_y, n_x). Discs are solid, I = m R^2/2.

References
----------
Walton and Braun, J. Rheology 30, 949 (1986); Maw, Barber and Fawcett, J. Lubrication Technology 103, 74 (1981).
"""

from dataclasses import dataclass, replace

import mpmath as mp

DIGITS = 40


@dataclass(frozen=True)
class Disc:
    """A disc: place [m], velocity [m/s], spin [rad/s], mass [kg] and radius [m], floats or mpf."""

    x: mp.mpf
    y: mp.mpf
    vx: mp.mpf
    vy: mp.mpf
    omega: mp.mpf
    mass: mp.mpf
    radius: mp.mpf

    def after(self, dt: mp.mpf) -> "Disc":
        """Return the disc after free flight without friction [s]."""
        return replace(self, x=self.x + mp.mpf(self.vx) * dt, y=self.y + mp.mpf(self.vy) * dt)

    def struck(self, px: mp.mpf, py: mp.mpf, turn: mp.mpf) -> "Disc":
        """Return the disc after an impulse (px, py) [N s] and an impulsive torque [N m s]."""
        vx, vy, inertia = self.vx + px / self.mass, self.vy + py / self.mass, self.mass * self.radius**2 / 2
        return replace(self, vx=vx, vy=vy, omega=self.omega + turn / inertia)


@dataclass(frozen=True)
class Contact:
    """Coefficients of a contact: normal restitution, friction, tangential restitution, and a speed [m/s].

    The restitution at an approach with v is e + (1 - e) v_c / (v_c + v); v_c = 0: e at any speed.
    """

    e: float
    mu: float
    beta: float = 0.0
    v_c: float = 0.0

    def restitution(self, approach: mp.mpf) -> mp.mpf:
        """Return the normal restitution at a speed of approach [m/s]."""
        e, v_c = mp.mpf(self.e), mp.mpf(self.v_c)
        return e + (1 - e) * v_c / (v_c + approach)


def precise(disc: Disc) -> Disc:
    """Return the disc with its floats as exact 40-digit numbers; to be called with the precision set."""
    return Disc(*(mp.mpf(value) for value in vars(disc).values()))


def impulse(g_n: mp.mpf, g_t: mp.mpf, m_n: mp.mpf, contact: Contact) -> tuple[mp.mpf, mp.mpf, bool]:
    """Return the impulses along n and t [N s] and whether the rims stick, for closing speeds g_n, g_t [m/s]."""
    j_n = (1 + contact.restitution(g_n)) * m_n * g_n
    sticking, limit = (1 + mp.mpf(contact.beta)) * m_n / 3 * abs(g_t), contact.mu * j_n
    return j_n, mp.sign(g_t) * min(sticking, limit), bool(sticking <= limit)


def collide(one: Disc, two: Disc, contact: Contact) -> tuple[Disc, Disc, bool]:
    """Return two touching discs after their impact, and whether their rims stuck."""
    rx, ry = two.x - one.x, two.y - one.y
    distance = mp.hypot(rx, ry)
    nx, ny = rx / distance, ry / distance
    ux, uy = one.vx - two.vx, one.vy - two.vy
    g_n = ux * nx + uy * ny
    g_t = uy * nx - ux * ny + one.radius * one.omega + two.radius * two.omega
    j_n, j_t, sticks = impulse(g_n, g_t, 1 / (1 / one.mass + 1 / two.mass), contact)
    px, py = j_n * nx - j_t * ny, j_n * ny + j_t * nx
    return one.struck(-px, -py, -one.radius * j_t), two.struck(px, py, -two.radius * j_t), sticks


def rebound(disc: Disc, nx: mp.mpf, ny: mp.mpf, contact: Contact) -> tuple[Disc, bool]:
    """Return a disc after its impact on a wall towards the unit vector (nx, ny), and whether its rim stuck."""
    g_n = disc.vx * nx + disc.vy * ny
    g_t = disc.vy * nx - disc.vx * ny + disc.radius * disc.omega
    j_n, j_t, sticks = impulse(g_n, g_t, disc.mass, contact)
    return disc.struck(-j_n * nx + j_t * ny, -j_n * ny - j_t * nx, -disc.radius * j_t), sticks


def arc_time(disc: Disc, cx: mp.mpf, cy: mp.mpf, reach: mp.mpf) -> mp.mpf:
    """Return when a disc's centre in free flight leaves a circle of radius reach around (cx, cy): the last root [s]."""
    px, py = disc.x - cx, disc.y - cy
    speed2, along = disc.vx**2 + disc.vy**2, px * disc.vx + py * disc.vy
    return (-along + mp.sqrt(along**2 - speed2 * (px**2 + py**2 - reach**2))) / speed2


def contact_time(one: Disc, two: Disc) -> mp.mpf:
    """Return when two approaching discs in free flight touch [s]: the first root of a quadratic."""
    px, py, ux, uy = two.x - one.x, two.y - one.y, two.vx - one.vx, two.vy - one.vy
    speed2, closing = ux**2 + uy**2, px * ux + py * uy
    rest = px**2 + py**2 - (one.radius + two.radius) ** 2
    return rest / (-closing + mp.sqrt(closing**2 - speed2 * rest))
