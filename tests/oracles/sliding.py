"""The motion law of a sliding and spinning disc, slow and accurate: the judge of the kernels' tables.

Coulomb friction under uniform pressure on the annulus ``kappa a <= r <= a`` of a disc (``a = contact_ratio * R``)::

    dv/dtau = -f(v/w)      dw/dtau = -gamma t(v/w)      w = a |omega|,  tau = mu g time,  gamma = 2 (a / R)^2

In polar coordinates ``v = rho cos(phi), w = rho sin(phi)`` and with ``d tau = rho d sigma`` this is autonomous::

    d ln(rho)/d sigma = -A(phi)    d phi/d sigma = B(phi)    d tau/d sigma = rho    dx/d sigma = rho^2 cos(phi)

so that all discs follow one of two curves, from pure sliding (phi = 0) or from pure spinning (phi = pi/2) to the fixed
ratio phi*. Along each curve everything is a plain integral over phi, which is done here by Chebyshev quadrature with
70-digit values of A and B (mpmath), hence without the series and branches that double precision would need. The
variable ``u`` with ``phi = phi* / (1 + exp(-u))`` makes both ends harmless.

References
----------
Farkas, Bartels, Unger, Wolf, PRL 90, 248302 (2003); Voyenli and Eriksen, Am. J. Phys. 53, 1149 (1985).
"""

from bisect import bisect_right
from functools import lru_cache
from math import exp, hypot, inf, log, nan, sqrt

import mpmath as mp
import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import brentq

DIGITS = 70
"""The closed forms cancel up to the fourth power of the ratio, 1e11 at the first nodes."""
N_NODES = 18
U_FIRST, U_LAST = -25.0, 30.0
"""Ratios from 1e-11 away from pure sliding or spinning to 1e-13 away from the fixed ratio."""
GRADING = [2.0**-k for k in range(27)]
"""Cells shrink towards ratios 1 and kappa, where the second derivatives of f and t have a logarithm."""


def friction(ratio: mp.mpf, kappa: float = 0.0) -> tuple[mp.mpf, mp.mpf]:
    """Force f and torque t, in units of mu m g and mu m g a, at v/w = ratio: closed forms, at the working precision."""
    if kappa > 0.0:
        inner = mp.mpf(kappa)
        (f1, t1), (f2, t2) = friction(ratio), friction(ratio / inner)
        area = 1 - inner**2
        return (f1 - inner**2 * f2) / area, (t1 - inner**3 * t2) / area
    m = ratio**2 if ratio <= 1 else 1 / ratio**2
    big_k, big_e = mp.ellipk(m), mp.ellipe(m)
    if ratio <= 1:
        f = 4 / (3 * mp.pi * ratio) * ((1 + m) * big_e - (1 - m) * big_k)
        t = 4 / (9 * mp.pi) * ((4 - 2 * m) * big_e - (1 - m) * big_k)
    else:
        f = 4 / (3 * mp.pi) * ((ratio**2 + 1) * big_e - (ratio**2 - 1) * big_k)
        t = 4 * ratio / (9 * mp.pi) * ((4 - 2 * ratio**2) * big_e + (2 * ratio**2 - 5 + 3 * m) * big_k)
    return f, t


def rates(phi: mp.mpf, gamma: float, kappa: float) -> tuple[mp.mpf, mp.mpf]:
    """A and B of the module's docstring."""
    cos, sin = mp.cos(phi), mp.sin(phi)
    f, t = friction(cos / sin, kappa)
    return f * cos + gamma * t * sin, f * sin - gamma * t * cos


class Curve:
    """One of the two universal curves: ln(remaining tau), T = remaining tau / rho, S = remaining x / rho^2 by u."""

    def __init__(self, gamma: float, kappa: float, spinning: bool) -> None:
        self.spinning = spinning
        with mp.workdps(DIGITS):
            phi_star = mp.findroot(lambda p: rates(p, gamma, kappa)[1], (0.01, mp.pi / 2 - 0.01), solver="anderson")
            self.span = mp.pi / 2 - phi_star if spinning else phi_star
            a_star = float(rates(phi_star, gamma, kappa)[0])
            self.edges = self._edges(gamma, kappa)
            cells = self._integrate(gamma, kappa, 1.0 / a_star, float(mp.cos(phi_star)) / (2.0 * a_star))
        self.span = float(self.span)
        self.cells = [cell.tolist() for cell in cells]
        self.log_at_edges = [self.read(u, 0) for u in self.edges]
        self.fallen_at_edges = [-value for value in self.log_at_edges]

    def _edges(self, gamma: float, kappa: float) -> list[float]:
        """Cell boundaries in u: every half or less, so that rho grows by e^2 at most, and finer at singular ratios."""
        slowest = max(self._pace(u, gamma, kappa)[0] for u in (U_FIRST, 0.0, U_LAST))
        n = int(np.ceil((U_LAST - U_FIRST) * max(2.0, slowest / 1.6)))
        edges = set(np.linspace(U_FIRST, U_LAST, n + 1).tolist())
        for ratio in {1.0, kappa} - {0.0}:
            x = mp.atan(ratio) if self.spinning else mp.acot(ratio)
            if x < self.span:
                centre = float(mp.log(x / (self.span - x)))
                edges |= {centre} | {centre + s * g for s in (-1.0, 1.0) for g in GRADING}
        return sorted(edges)

    def _integrate(self, gamma: float, kappa: float, t_end: float, s_end: float) -> list[np.ndarray]:
        """Chebyshev coefficients (3, N_NODES) of ln(remaining tau), T, S per cell, from the fixed ratio outwards."""
        nodes = chebyshev.chebpts1(N_NODES)
        fit = np.linalg.inv(chebyshev.chebvander(nodes, N_NODES - 1))
        cells: list[np.ndarray] = []
        log_rho = 0.0
        for left, right in reversed(list(zip(self.edges[:-1], self.edges[1:], strict=True))):
            half = 0.5 * (right - left)
            pace, a, cos = np.array([self._pace(left + half * (y + 1.0), gamma, kappa) for y in nodes]).T
            to_end = _integral_to_end(fit @ (a * pace * half), nodes)
            rho = np.exp(to_end[0])
            tau = _integral_to_end(fit @ (rho * pace * half), nodes)
            x = _integral_to_end(fit @ (rho**2 * cos * pace * half), nodes)
            big_t, big_s = (tau[0] + t_end) / rho, (x[0] + s_end) / rho**2
            cells.append(np.array([fit @ (log_rho + to_end[0] + np.log(big_t)), fit @ big_t, fit @ big_s]))
            log_rho += to_end[1]
            t_end, s_end = (tau[1] + t_end) * exp(-to_end[1]), (x[1] + s_end) * exp(-2.0 * to_end[1])
        return cells[::-1]

    def _pace(self, u: float, gamma: float, kappa: float) -> tuple[float, float, float]:
        """(d sigma/du, A, cos(phi)) at u."""
        x = self.span / (1 + mp.exp(-mp.mpf(u)))
        rest = self.span / (1 + mp.exp(mp.mpf(u)))
        phi = mp.pi / 2 - x if self.spinning else x
        a, b = rates(phi, gamma, kappa)
        return float(x * rest / self.span / abs(b)), float(a), float(mp.cos(phi))

    def locate(self, v: float, w: float) -> float:
        """Return u of a state; -inf and inf at the two ends."""
        x = float(np.arctan2(v, w) if self.spinning else np.arctan2(w, v))
        if x <= 0.0 or x >= self.span:
            return -inf if x <= 0.0 else inf
        return log(x / (self.span - x))

    def read(self, u: float, quantity: int) -> float:
        """Value at u of ln(remaining tau) (0), T (1) or S (2)."""
        u = min(u, U_LAST)
        i = min(max(bisect_right(self.edges, u) - 1, 0), len(self.cells) - 1)
        y = 2.0 * (u - self.edges[i]) / (self.edges[i + 1] - self.edges[i]) - 1.0
        return _clenshaw(self.cells[i][quantity], y)

    def find(self, log_remaining: float) -> float:
        """Return u at which ln(remaining tau) has the given value."""
        if log_remaining <= self.log_at_edges[-1]:
            return U_LAST
        i = bisect_right(self.fallen_at_edges, -log_remaining) - 1
        i = min(max(i, 0), len(self.cells) - 1)
        low, high = self.edges[i], self.edges[i + 1]
        ends = self.log_at_edges[i] - log_remaining, self.log_at_edges[i + 1] - log_remaining
        if ends[0] * ends[1] > 0.0:
            return low if abs(ends[0]) < abs(ends[1]) else high
        return brentq(lambda u: self.read(u, 0) - log_remaining, low, high, xtol=1e-15, rtol=1e-15)

    def direction(self, u: float) -> tuple[float, float]:
        """(cos(phi), sin(phi)) at u."""
        x = self.span / (1.0 + exp(-u))
        cos, sin = float(np.cos(x)), float(np.sin(x))
        return (sin, cos) if self.spinning else (cos, sin)


def _integral_to_end(series: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, float]:
    """Integral of a Chebyshev series from each node to 1, and from -1 to 1."""
    primitive = chebyshev.chebint(series)
    end = chebyshev.chebval(1.0, primitive)
    return end - chebyshev.chebval(nodes, primitive), float(end - chebyshev.chebval(-1.0, primitive))


def _clenshaw(series: list[float], y: float) -> float:
    b1 = b2 = 0.0
    for c in series[:0:-1]:
        b1, b2 = c + 2.0 * y * b1 - b2, b1
    return series[0] + y * b1 - b2


@lru_cache(maxsize=16)
def curve(gamma: float, kappa: float, spinning: bool) -> Curve:
    """Return the curve of a contact face, computed once per process (a second or two)."""
    return Curve(gamma, kappa, spinning)


class Motion:
    """What a disc does after (v, omega) if nothing happens to it. Speeds in m/s, spin in rad/s, SI throughout."""

    def __init__(
        self, v: float, omega: float, radius: float, mu_g: float, contact_ratio: float = 1.0, kappa: float = 0.0
    ) -> None:
        self.v, self.omega, self.arm, self.mu_g = v, omega, contact_ratio * radius, mu_g
        self.w = self.arm * abs(omega)
        self.gamma, self.kappa = 2.0 * contact_ratio**2, kappa
        self.tau_stop, self.x_stop = self._stop()
        self.t_stop = self.tau_stop / mu_g if mu_g > 0.0 else (inf if self.tau_stop > 0.0 else 0.0)
        self.s_stop = self.x_stop / mu_g if mu_g > 0.0 else (inf if v > 0.0 else 0.0)
        self.last = nan, (nan, nan, nan)

    def _stop(self) -> tuple[float, float]:
        v, w = self.v, self.w
        self.u = -inf
        if w == 0.0 or v == 0.0:
            self.pure = True
            return (v, 0.5 * v**2) if w == 0.0 else (w / (self.gamma * self._torque_at_rest()), 0.0)
        slide = curve(self.gamma, self.kappa, False)
        self.curve = slide if np.arctan2(w, v) <= slide.span else curve(self.gamma, self.kappa, True)
        self.u = self.curve.locate(v, w)
        self.pure = self.u < U_FIRST
        rho = hypot(v, w)
        if not self.pure:
            self.log_at_start = self.curve.read(self.u, 0)
            return rho * self.curve.read(self.u, 1), rho**2 * self.curve.read(self.u, 2)
        if self.curve.spinning:
            tau = w / (self.gamma * self._torque_at_rest())
            return tau, v * tau / (1.0 + self._slow_power())
        return v, 0.5 * v**2

    def _torque_at_rest(self) -> float:
        return 2.0 / 3.0 * (1.0 - self.kappa**3) / (1.0 - self.kappa**2)

    def _slow_power(self) -> float:
        """v ~ (remaining time)^power while the disc all but spins on the spot: f = v/w (1 - kappa)/(1 - kappa^2)."""
        return (1.0 - self.kappa) / (1.0 - self.kappa**2) / (self.gamma * self._torque_at_rest())

    def state(self, dt: float) -> tuple[float, float, float]:
        """Return speed, spin and distance travelled after dt."""
        if dt != self.last[0]:  # the twin asks for most times twice
            self.last = dt, self._state(dt)
        return self.last[1]

    def _state(self, dt: float) -> tuple[float, float, float]:
        if self.mu_g == 0.0:
            return self.v, self.omega, self.v * dt
        rest = self.tau_stop - self.mu_g * dt
        if rest <= 0.0:
            return 0.0, 0.0, self.s_stop
        if self.pure:
            return self._pure(rest)
        u = self.curve.find(self.log_at_start + log(rest / self.tau_stop)) if dt > 0.0 else self.u
        rho = rest / self.curve.read(u, 1)
        cos, sin = self.curve.direction(u)
        travelled = (self.x_stop - rho**2 * self.curve.read(u, 2)) / self.mu_g
        return rho * cos, float(np.copysign(rho * sin / self.arm, self.omega)), travelled

    def _pure(self, rest: float) -> tuple[float, float, float]:
        """Sliding without spin, spinning on the spot, and states within 1e-11 of either."""
        left = rest / self.tau_stop
        if self.w <= self.v:
            return self.v * left, self.omega * sqrt(left), (self.x_stop - 0.5 * (self.v * left) ** 2) / self.mu_g
        power = self._slow_power()
        return self.v * left**power, self.omega * left, self.s_stop * (1.0 - left ** (1.0 + power))
