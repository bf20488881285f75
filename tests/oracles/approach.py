"""Two discs on their ways: when they first touch. A part of the slow twin, see `naive`."""

from dataclasses import dataclass, field
from math import hypot, inf

import numpy as np
from scipy.optimize import brentq

from oracles.sliding import Motion

STOP = 3
TOUCH = 1e-12
"""Gap of two discs in contact [m]."""
PUSH_SPEED = 1e-3
"""A contact that closes no faster is a push: it is resolved when the overlap has grown to PUSH_OVERLAP [m/s]."""
PUSH_OVERLAP = 5e-7
APART = 1e-8
"""Gap at which a pushing pair has come apart [m]; from nearer it cannot come back as a hit."""
SMALLEST_STEP = 1e-9
"""A graze that lasts less, 1e-15 m deep at most, is not looked for [s]."""


@dataclass
class Disc:
    """A disc since its last event: where, when and how it started, and what its motion is from there."""

    radius: float
    mass: float
    t: float
    pos: np.ndarray
    vel: np.ndarray
    omega: float
    motion: Motion
    certain: tuple[float, int] = (inf, STOP)
    """Its next cushion hit, way over a pocket's limit, pocketing or stop, whatever the other discs do."""
    wall: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """Where it hits the frame next, the direction into that."""
    arc: bool = False
    """Whether that is a rounded corner."""

    @property
    def heading(self) -> np.ndarray:
        return self.vel / self.motion.v if self.motion.v > 0.0 else np.zeros(2)

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Return position, velocity and spin at time t."""
        speed, omega, path = self.motion.state(t - self.t)
        return self.pos + path * self.heading, speed * self.heading, omega

    def when(self, path: float) -> float:
        """Return the time at which the disc has travelled a path, inf if it stops before."""
        if path <= 0.0:
            return self.t
        if path >= self.motion.s_stop:
            return inf
        late = self.motion.t_stop if self.motion.t_stop < inf else 2.0 * path / self.motion.v
        return self.t + brentq(lambda dt: self.motion.state(dt)[2] - path, 0.0, late, xtol=1e-16, rtol=1e-15)


class Pair:
    """Gap of two discs and its rate of change, with bounds."""

    def __init__(self, a: Disc, b: Disc) -> None:
        self.a, self.b, self.reach = a, b, a.radius + b.radius
        self.brake = sum(d.motion.mu_g for d in (a, b) if d.motion.v > 0.0)
        self.push = inf

    def gap(self, t: float) -> tuple[float, float]:
        """Return the gap [m] and its rate of change [m/s] at t."""
        (xa, va, _), (xb, vb, _) = self.a.at(t), self.b.at(t)
        between = xb - xa
        distance = hypot(*between)
        return distance - self.reach, float(between @ (vb - va)) / distance

    def crossing(self, level: float, downward: bool, start: float, end: float) -> float:
        """Return the first time after start at which the gap falls (or rises) through a level, inf if none until end.

        The second derivative of the gap lies between -brake and (v1 + v2)^2 / distance + brake. A step is taken if that
        proves that the gap stays on one side, falls all along or rises all along; else it is halved.
        """
        sign = 1.0 if downward else -1.0

        def value(t: float) -> float:
            return sign * (self.gap(t)[0] - level)

        t, step = start, end - start
        while t < end:
            gap, rate = self.gap(t)
            now, slope = sign * (gap - level), sign * rate
            speed = sum(d.motion.state(t - d.t)[0] for d in (self.a, self.b))
            bend = speed**2 / (0.99 * self.reach) + self.brake
            least, most = (-self.brake, bend) if downward else (-bend, self.brake)
            step = min(2.0 * step, end - t)
            while True:
                low = now + slope * step + 0.5 * least * step**2
                high = now + slope * step + 0.5 * most * step**2
                if (now > 0.0 and low > 0.0) or slope + least * step >= 0.0 or (now <= 0.0 and high <= 0.0):
                    break
                if slope + most * step <= 0.0 or step < SMALLEST_STEP:
                    later = min(t + step, end)
                    if now > 0.0 >= value(later):
                        return brentq(value, t, later, xtol=1e-16, rtol=1e-15)
                    break
                step *= 0.5
            t = t + step if t + step > t else inf
        return inf

    def hit(self, start: float, end: float) -> float:
        """Return the time of the pair's first hit from start to end, inf if none; note when a push begins."""
        t = start
        while t < end or t == start:
            gap, rate = self.gap(t)
            if gap > TOUCH:
                t = self.crossing(0.0, True, t, end)
                if t == inf or self.gap(t)[1] < -PUSH_SPEED:
                    return t
            elif rate < -PUSH_SPEED or (rate < 0.0 and gap <= -PUSH_OVERLAP):
                return t
            deep = self.crossing(-PUSH_OVERLAP, True, t, end)
            apart = self.crossing(APART, False, t, min(deep, end))
            if rate <= 0.0 or deep < inf:
                self.push = min(self.push, t)
            if deep <= apart:
                return deep
            t = np.nextafter(apart, inf)
        return inf
