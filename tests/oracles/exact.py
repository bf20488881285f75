"""Contact time of two discs with constant deceleration, to 50 digits: the judge of contact detection.

While neither disc stops, ``|p(t)|^2 = reach^2`` is a quartic in t. Its roots come from mpmath at a precision at which
the cancellation and the near-double roots of grazing hits do not matter. When the first disc stops, the quartic of the
remaining motion takes over.
"""

from collections.abc import Sequence

import mpmath as mp
import numpy as np

DIGITS = 60
IMAGINARY_NOISE = mp.mpf(10) ** -25
"""A double root (an exact graze) comes out with an imaginary part of about the square root of the precision."""

Vector = Sequence[float]


class Slider:
    """One disc: a straight path with constant deceleration until it stops."""

    def __init__(self, pos: Vector, vel: Vector, deceleration: mp.mpf) -> None:
        self.pos = [mp.mpf(x) for x in pos]
        self.vel = [mp.mpf(v) for v in vel]
        speed = mp.hypot(*self.vel)
        self.acc = [-deceleration * v / speed if speed > 0 else mp.mpf(0) for v in self.vel]
        self.t_stop = mp.mpf(0) if speed == 0 else (speed / deceleration if deceleration > 0 else mp.inf)

    def path(self, t: mp.mpf, axis: int) -> list[mp.mpf]:
        """Return position, velocity and half the acceleration at t along an axis, all at rest after the stop."""
        x, v, a = self.pos[axis], self.vel[axis], self.acc[axis]
        if t >= self.t_stop:
            end = self.t_stop
            return [x + v * end + a * end**2 / 2, mp.mpf(0), mp.mpf(0)]
        return [x + v * t + a * t**2 / 2, v + a * t, a / 2]


def real_roots(coefficients: list[mp.mpf]) -> list[mp.mpf]:
    """Return the real roots, ascending, of a polynomial given from the constant term up."""
    size = max(abs(c) for c in coefficients)
    while coefficients and abs(coefficients[-1]) <= size * mp.mpf(10) ** (10 - DIGITS):
        coefficients = coefficients[:-1]
    if len(coefficients) < 2:
        return []
    # NumPy's roots, a little off so that no two are equal and none is real, spare mpmath most of its steps.
    rough = np.roots([float(c / size) for c in reversed(coefficients)])
    first = [mp.mpc(root) * mp.mpc(1, 1e-7 * k) for k, root in enumerate(rough, start=1)]
    roots = mp.polyroots(coefficients, maxsteps=1000, extraprec=4 * mp.mp.prec, roots_init=first, asc=True)
    return sorted(mp.re(r) for r in roots if abs(mp.im(r)) < IMAGINARY_NOISE)


def contact_time(
    pos1: Vector, vel1: Vector, pos2: Vector, vel2: Vector, reach: float, deceleration: float
) -> mp.mpf | None:
    """Return when two separate discs first touch, None if never.

    Parameters
    ----------
    pos1, vel1, pos2, vel2 : two numbers each
        [m], [m/s].
    reach : float
        Sum of the radii [m].
    deceleration : float
        Of each moving disc, mu g [m/s^2].
    """
    with mp.workdps(DIGITS):
        braking = mp.mpf(deceleration)
        first, second = Slider(pos1, vel1, braking), Slider(pos2, vel2, braking)
        starts = sorted({mp.mpf(0), first.t_stop, second.t_stop} - {mp.inf})
        for start, end in zip(starts, [*starts[1:], mp.inf], strict=True):
            polynomial = [-(mp.mpf(reach) ** 2)] + [mp.mpf(0)] * 4
            for axis in range(2):
                p = [a - b for a, b in zip(first.path(start, axis), second.path(start, axis), strict=True)]
                for i in range(3):
                    for j in range(3):
                        polynomial[i + j] += p[i] * p[j]
            for root in real_roots(polynomial):
                if 0 <= root <= end - start:
                    return start + root
        return None


def approach_speed(pos1: Vector, vel1: Vector, pos2: Vector, vel2: Vector, deceleration: float, t: mp.mpf) -> mp.mpf:
    """Return how fast the gap of two discs closes at time t [m/s]."""
    with mp.workdps(DIGITS):
        braking = mp.mpf(deceleration)
        first, second = Slider(pos1, vel1, braking), Slider(pos2, vel2, braking)
        between, closing = [], []
        for axis in range(2):
            (x1, v1, _), (x2, v2, _) = first.path(t, axis), second.path(t, axis)
            between.append(x2 - x1)
            closing.append(v1 - v2)
        return mp.fdot(between, closing) / mp.hypot(*between)
