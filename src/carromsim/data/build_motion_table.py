"""Build a table of the sliding-and-spinning motion law (needs scipy).

    python -m carromsim.data.build_motion_table

writes ``motion_full_disc.npz`` beside this file, which ships; tables of other contact faces are built when they are
needed, by `carromsim.data.motion_tables`. The kernels read them, see ``carromsim_kernels.motion`` for their use; here
is where their numbers come from.

A disc of contact radius a slides with speed v and spins with rim speed w = a |omega|. Under local
Coulomb friction and uniform pressure, with eps = v / w and gamma = m a^2 / I (Farkas, Bartels, Unger
and Wolf, PRL 90, 248302 (2003); Voyenli and Eriksen, AJP 53, 1149 (1985)), in scaled time tau = mu g t

    dv/dtau = -f(eps),    dw/dtau = -gamma t(eps).

The law is free of scale: (v, w, tau) -> (l v, l w, l tau) maps solutions to solutions, so that all
states with eps above the fixed ratio eps* lie on one curve, all below on another. Each curve is
parametrised by u, the remaining scaled time until rest; u = 1 where the force law has its weak
singularity (eps = 1, where the centre of rotation crosses the rim), so that it falls on a cell edge.

There is a fixed ratio for gamma (1 + kappa + kappa^2) > 3/2 and kappa < 1. Where either is nearly an equality, v / w
hardly changes during a motion, and the table is indexed by a root of u to hold all ratios. Errors, relative to the
start, against quadrature with 70 digits: 1e-8 for a / R >= 0.95 and kappa <= 0.8, 1e-6 for a / R >= 0.89 and
kappa <= 0.9.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk, ellipkm1

from carromsim_kernels.motion import CELLS, HIGH_OCTAVE, LOW_OCTAVE, cell_edges

FloatArray = NDArray[np.float64]

FILE = Path(__file__).with_name("motion_full_disc.npz")
DEGREE = 5
MOST_ROOTS = 3
"""Square roots of u; with more its powers would overflow."""
_SERIES_TERMS = 40


def _series_coefficients() -> FloatArray:
    """Coefficients c_n of 2F1(-1/2, 1/2; 2; m)."""
    c = np.ones(_SERIES_TERMS)
    for n in range(_SERIES_TERMS - 1):
        c[n + 1] = c[n] * (n - 0.5) * (n + 0.5) / ((n + 1) * (n + 2))
    return c


_C = _series_coefficients()
_N = np.arange(_SERIES_TERMS)


def full_face(eps: float) -> tuple[float, float]:
    """Return friction force f and torque t of a full disc face, in units of mu m g and mu m g a.

    The closed forms in K and E lose digits far from eps = 1, where their series are exact.
    """
    if eps < 0.25:
        powers = eps ** (2 * _N)
        f = eps * float(_C @ powers)
        t = 2 / 3 - float((_C * (2 * _N + 1) / (2 * _N + 2)) @ powers) * eps * eps
    elif eps > 4.0:
        powers = eps ** (-2.0 * _N)
        f = float(_C @ powers)
        t = -eps * float((_C[1:] * 2 * _N[1:] / (2 * _N[1:] - 1)) @ powers[1:])
    elif eps <= 1.0:
        m = eps * eps
        k, e = ellipkm1((1 - eps) * (1 + eps)) if eps > 0.9 and eps != 1.0 else ellipk(m), ellipe(m)
        k_term = 0.0 if eps == 1.0 else (1 - m) * k
        f = 4 / (3 * math.pi * eps) * ((1 + m) * e - k_term)
        t = 4 / (9 * math.pi) * ((4 - 2 * m) * e - k_term)
    else:
        m = 1 / (eps * eps)
        k, e = ellipkm1((1 - 1 / eps) * (1 + 1 / eps)), ellipe(m)
        f = 4 / (3 * math.pi * m) * ((1 + m) * e - (1 - m) * k)
        t = 4 * eps / (9 * math.pi) * ((4 - 2 / m) * e + (2 / m - 5 + 3 * m) * k)
    return f, t


def annulus(eps: float, kappa: float) -> tuple[float, float]:
    """Return f and t of an annular face kappa a <= r <= a (kappa = 0: the full face)."""
    f, t = full_face(eps)
    if kappa == 0.0:
        return f, t
    f_in, t_in = full_face(eps / kappa)
    area = 1 - kappa * kappa
    return (f - kappa**2 * f_in) / area, (t - kappa**3 * t_in) / area


class _Law:
    """The scale-free flow of one contact face in q = ln u, with y = (ln(w / v), T, S).

    T = u / rho and S = x / rho^2 for rho^2 = v^2 + w^2, x the scaled remaining distance.
    """

    def __init__(self, gamma: float, kappa: float) -> None:
        self.gamma, self.kappa = gamma, kappa
        if not (0 <= kappa < 1 and gamma * (1 + kappa + kappa**2) > 1.5 and gamma * (1 + kappa**2) < 4):
            raise ValueError(
                f"gamma = {gamma:g}, kappa = {kappa:g}: sliding and spinning end together, at a fixed ratio, only if"
                " 0 <= kappa < 1, gamma (1 + kappa + kappa^2) > 3/2 and gamma (1 + kappa^2) < 4"
            )
        self.eps_star = brentq(self._imbalance, 1e-3, 1e3, xtol=1e-15, rtol=1e-15)
        f, t = annulus(self.eps_star, kappa)
        phi = math.atan2(1.0, self.eps_star)
        a_star = f * math.cos(phi) + gamma * t * math.sin(phi)
        self.fixed = np.array([-math.log(self.eps_star), 1 / a_star, math.cos(phi) / (2 * a_star)])

    def _imbalance(self, eps: float) -> float:
        f, t = annulus(eps, self.kappa)
        return f / eps - self.gamma * t

    def __call__(self, q: float, y: FloatArray) -> list[float]:
        ratio, big_t, big_s = math.exp(y[0]), y[1], y[2]
        cos = 1 / math.hypot(1.0, ratio)
        sin = ratio * cos
        f, t = annulus(1 / ratio, self.kappa)
        a = f * cos + self.gamma * t * sin
        return [-big_t * (f / cos - self.gamma * t / sin), big_t * (1 - a * big_t), big_t * (cos - 2 * a * big_s)]

    def references(self) -> tuple[float, float]:
        """Return eps at u = 1 of the slide and the spin curve: where the force law is singular, if the curve has it."""
        if self.eps_star > 1.0:
            return 1.5 * self.eps_star, 1.0
        return 1.0, self.kappa if 0.0 < self.kappa < self.eps_star else 0.46 * self.eps_star

    def roots(self, side: int) -> int:
        """How many square roots of u the cells of a curve halve in, so that the table's octaves hold all its states.

        Towards u = 0 the deviation of v / w from the fixed ratio is a power of u, towards the other end v / w itself.
        A small power needs many octaves of u. It is small where the fixed ratio is near an end: on the spin curve of a
        small face, and on the slide curve of a narrow ring.
        """
        kappa = self.kappa
        if side < 0:
            end, enough = 1 - self.gamma * (1 + kappa**2) / 4, 0.333  # w / v falls to 1e-8
        else:
            torque = 2 / 3 * (1 - kappa**3) / (1 - kappa**2)
            end, enough = 1 - 1 / ((1 + kappa) * self.gamma * torque), 0.23  # v / w falls to 3e-6
        roots = max(0, math.ceil(math.log2(max(enough / end, 0.6 / self.growth()))))
        if roots > MOST_ROOTS:
            raise ValueError(
                f"gamma = {self.gamma:g}, kappa = {kappa:g}: speed and spin fall almost in proportion, so that the"
                f" table would need {roots} square roots of the remaining time; it can have {MOST_ROOTS}"
            )
        return roots

    def growth(self) -> float:
        """Exponent p with which deviations from the fixed ratio grow: deviation ~ u^p."""
        h = 1e-4
        up, down = (self(0.0, self.fixed + np.array([d, 0.0, 0.0]))[0] for d in (h, -h))
        return (up - down) / (2 * h)


def _curve(law: _Law, side: int, reference_eps: float, degree: int) -> FloatArray:
    """Return the curve at the Chebyshev nodes of all cells in u^(1/degree), (3, CELLS, 6): v / u, w / u, x / u^2.

    The flow leaves the fixed point along its unstable direction; that way it is stable to integrate.
    It is stopped at the reference (where it has a weak singularity for the slide curve) and started anew.
    """
    y0 = law.fixed + np.array([side * 1e-9, 0.0, 0.0])
    target = -math.log(reference_eps)

    def at_reference(q: float, y: FloatArray) -> float:
        return float(y[0] - target)

    at_reference.terminal = True  # type: ignore[attr-defined]
    options = {"method": "DOP853", "rtol": 3e-14, "atol": 1e-15, "dense_output": True, "max_step": 0.03 * degree}
    low = solve_ivp(law, (0.0, 200.0 * degree), y0, events=at_reference, **options)
    q_reference = float(low.t_events[0][0])
    y_reference = low.y_events[0][0].copy()
    y_reference[0] = target
    high = solve_ivp(law, (0.0, HIGH_OCTAVE * math.log(2.0) * degree), y_reference, **options)

    edges = cell_edges()
    chebyshev = 0.5 - 0.5 * np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    index = edges[:-1, None] + (edges[1:] - edges[:-1])[:, None] * chebyshev
    q = degree * np.log(index).ravel()
    y = np.empty((3, q.size))
    above = q >= 0.0
    y[:, above] = high.sol(q[above])
    inside = ~above & (q + q_reference >= 0.0)
    y[:, inside] = low.sol(q[inside] + q_reference)
    below = ~above & ~inside
    y[:, below] = law.fixed[:, None]
    y[0, below] += side * 1e-9 * np.exp(law.growth() * (q[below] + q_reference))
    ratio = np.exp(y[0])
    cos = 1 / np.hypot(1.0, ratio)
    v = cos / y[1]
    return np.stack([v, v * ratio, y[2] / y[1] ** 2]).reshape(3, *index.shape)


def _fit(values: FloatArray) -> FloatArray:
    """Return polynomial coefficients per cell, ascending powers of the cell coordinate s in [0, 1]."""
    chebyshev = 0.5 - 0.5 * np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    vandermonde = np.vander(chebyshev, DEGREE + 1, increasing=True)
    fitted = np.linalg.solve(vandermonde, values.reshape(-1, DEGREE + 1).T).T.astype(np.float64)
    return fitted.reshape(*values.shape)


def build(gamma: float = 2.0, kappa: float = 0.0) -> dict[str, Any]:
    """Build the table of one contact face.

    Parameters
    ----------
    gamma : float
        m a^2 / I; 2 for a solid disc that touches with its whole face.
    kappa : float
        Inner over outer radius of the annular contact face; 0 for the full face.

    Returns
    -------
    dict of str to ndarray
        ``cells`` (2 * CELLS, 3, 6): per cell the quintics of v / u, w / u and x / u^2, slide curve first;
        ``roots`` (2,): how many square roots of u are the index of each curve;
        ``ratio`` (2, CELLS + 1): w / v at the cell edges; ``fixed`` (2,): w / v at the fixed point and the
        friction force there; ``face`` (2,): gamma and kappa.

    Raises
    ------
    ValueError
        If there is no fixed ratio, or the ratio of speed and spin changes too slowly for the table.
    """
    law = _Law(gamma, kappa)
    cells = np.empty((2 * CELLS, 3, DEGREE + 1))
    ratio = np.empty((2, CELLS + 1))
    roots = np.array([law.roots(side) for side in (-1, 1)])
    for branch, (side, reference) in enumerate(zip((-1, 1), law.references(), strict=True)):
        values = _curve(law, side, reference, 2 ** int(roots[branch]))
        cells[branch * CELLS : (branch + 1) * CELLS] = np.moveaxis(_fit(values), 0, 1)
        ratio[branch, :-1] = values[1, :, 0] / values[0, :, 0]
        ratio[branch, -1] = values[1, -1, -1] / values[0, -1, -1]
    f_star, _ = annulus(law.eps_star, kappa)
    fixed, face = np.array([1 / law.eps_star, f_star]), np.array([gamma, kappa])
    return {"cells": cells, "roots": roots, "ratio": ratio, "fixed": fixed, "face": face}


if __name__ == "__main__":
    table = build()
    np.savez(FILE, **table)
    print(f"{FILE.name}: octaves {LOW_OCTAVE} to {HIGH_OCTAVE}, {2 * CELLS} cells")  # noqa: T201 (a developer's script)
