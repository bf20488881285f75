"""Single strokes whose end follows from closed forms: discs slide, hit once, and rebound from cushions.

Between contacts the motion comes from the quadrature of `oracles.sliding` or from `Uncoupled`, contacts from
`validation.exact`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from oracles.sliding import Motion
from validation.exact import Contact, Disc, collide, rebound

GRAVITY = 9.80665
MU_SURFACE = 0.10
ON_DISC = Contact(e=0.85, mu=0.15)
SMOOTH = Contact(e=0.85, mu=0.0)
ON_CUSHION = Contact(e=0.70, mu=0.10)
STRIKER = {"mass": 0.015, "radius": 0.02065}
MAN = {"mass": 0.00525, "radius": 0.0155}
WIDE, BOARD = 40.0, 0.740
"""Sides of a plane without cushions in reach, and of the ICF board (without pockets here) [m]."""
BASE_LINE = -0.2526


class Law(Protocol):
    """How a disc moves until it rests: its time [s] and path [m], and (speed, spin, path) after some time."""

    t_stop: float
    s_stop: float

    def state(self, dt: float) -> tuple[float, float, float]:
        """Return speed [m/s], spin [rad/s] and path [m] after dt [s]."""


LawOf = Callable[[float, float, float, float], Law]
"""From speed [m/s], spin [rad/s], radius [m] and mu g [m/s^2]."""


class Uncoupled:
    """Travel brakes by mu g, and spin by the torque of a disc that spins on the spot, whatever the other does."""

    def __init__(self, v: float, omega: float, radius: float, mu_g: float) -> None:
        self.v, self.omega, self.mu_g, self.slowing = v, omega, mu_g, 4.0 / 3.0 * mu_g / radius
        self.t_stop, self.s_stop = v / mu_g, 0.5 * v**2 / mu_g

    def state(self, dt: float) -> tuple[float, float, float]:
        """Return speed [m/s], spin [rad/s] and path [m] after a time before the stop [s]."""
        spin = math.copysign(max(abs(self.omega) - self.slowing * dt, 0.0), self.omega)
        return self.v - self.mu_g * dt, spin, self.v * dt - 0.5 * self.mu_g * dt**2


@dataclass(frozen=True)
class Stroke:
    """A stroke: its discs at the start, the first of which is struck; the contacts; the side of the surface [m]."""

    name: str
    discs: tuple[Disc, ...]
    on_disc: Contact = ON_DISC
    side: float = WIDE

    def back(self, path: float) -> "Stroke":
        """Return the stroke begun a little [m] further back along its first path."""
        first = self.discs[0]
        share = path / math.hypot(first.vx, first.vy)
        moved = replace(first, x=first.x - first.vx * share, y=first.y - first.vy * share)
        return replace(self, discs=(moved, *self.discs[1:]))


def all_strokes() -> list[Stroke]:
    """Return the strokes that are compared, simple ones first."""
    still, quarter = Disc(0.25, 0.0, 0.0, 0.0, 0.0, **MAN), 0.25
    strokes = [Stroke(f"slide, {v:g} m/s", (_struck(0.0, 0.0, v, 0.0),)) for v in (1.0, 3.0, 5.0)]
    strokes.append(Stroke("slide, 1 m/s, rim 1 m/s", (_struck(0.0, 0.0, 1.0, 0.0, 1.0 / STRIKER["radius"]),)))
    strokes.append(Stroke("head-on, 2 m/s", (_struck(0.0, 0.0, 2.0, 0.0), still), SMOOTH))
    for law, word in ((SMOOTH, "smooth rims"), (ON_DISC, "rims rub")):
        for cut in (15.0, 30.0, 45.0, 60.0):
            lateral = math.sin(math.radians(cut)) * (STRIKER["radius"] + MAN["radius"])
            discs = (_struck(0.0, 0.0, 2.0, 0.0), replace(still, x=quarter, y=lateral))
            strokes.append(Stroke(f"cut {cut:g}°, 2 m/s, {word}", discs, law))
    for angle in (0.0, 30.0, 60.0):
        disc = _struck(0.5 * BOARD - 0.2, -0.15, 1.5, math.radians(angle))
        strokes.append(Stroke(f"cushion at {angle:g}°, 1.5 m/s", (disc,), side=BOARD))
    strokes.append(Stroke("straight up and down, 6 m/s", (_struck(0.0, BASE_LINE, 6.0, 0.5 * math.pi),), side=BOARD))
    for angle in (50.0, 62.0, 75.0):
        disc = _struck(0.1, BASE_LINE, 6.0, math.radians(angle))
        strokes.append(Stroke(f"round the board at {angle:g}°, 6 m/s", (disc,), side=BOARD))
    return strokes


def _struck(x: float, y: float, speed: float, angle: float, spin: float = 0.0) -> Disc:
    """Return a striker on its way: place [m], speed [m/s], direction [rad], spin [rad/s]."""
    vx, vy = (speed * part for part in (math.cos(angle), math.sin(angle)))
    return Disc(x, y, vx, vy, spin, **STRIKER)


def ends(stroke: Stroke, law_of: LawOf = Motion) -> list[tuple[float, float]]:
    """Return where the discs come to rest [m], by closed forms.

    Parameters
    ----------
    stroke : Stroke
    law_of : callable
        Of sliding and spinning: the coupled law, or `Uncoupled`.
    """
    first, *others = stroke.discs
    if not others:
        return [_to_rest(first, stroke.side, law_of)]
    (second,) = others
    at = _after_path(first, _path_to(first, second), law_of)
    one, two, _ = collide(at, second, stroke.on_disc)
    return [_to_rest(_as_floats(disc), stroke.side, law_of) for disc in (one, two)]


def _motion(disc: Disc, law_of: LawOf) -> Law:
    return law_of(math.hypot(disc.vx, disc.vy), disc.omega, disc.radius, MU_SURFACE * GRAVITY)


def _as_floats(disc: Disc) -> Disc:
    return Disc(*(float(value) for value in vars(disc).values()))


def _path_to(first: Disc, second: Disc) -> float:
    """Return the path of the first disc until it touches the second, which rests [m]."""
    speed = math.hypot(first.vx, first.vy)
    dx, dy = first.vx / speed, first.vy / speed
    px, py = second.x - first.x, second.y - first.y
    along, aside, reach = px * dx + py * dy, px * dy - py * dx, first.radius + second.radius
    return along - math.sqrt((reach - aside) * (reach + aside))


def _after_path(disc: Disc, path: float, law_of: LawOf) -> Disc:
    """Return a sliding disc when it has travelled a path [m] that is shorter than its last."""
    law, speed = _motion(disc, law_of), math.hypot(disc.vx, disc.vy)
    time = brentq(lambda t: law.state(t)[2] - path, 0.0, law.t_stop, xtol=1e-15, rtol=1e-15)
    left, spin, _ = law.state(time)
    dx, dy = disc.vx / speed, disc.vy / speed
    return replace(disc, x=disc.x + dx * path, y=disc.y + dy * path, vx=dx * left, vy=dy * left, omega=spin)


def _rebounds(disc: Disc, side: float, law_of: LawOf) -> Iterator[Disc]:
    """Yield a disc after each of its rebounds until it comes to rest."""
    while True:
        limit, speed = 0.5 * side - disc.radius, math.hypot(disc.vx, disc.vy)
        walls = [
            ((limit - np.sign(v) * x) / abs(v) * speed, int(np.sign(v)), axis)
            for axis, (x, v) in enumerate(((disc.x, disc.vx), (disc.y, disc.vy)))
            if v != 0.0
        ]
        path, sign, axis = min(walls)
        if path >= _motion(disc, law_of).s_stop:
            return
        at = _after_path(disc, path, law_of)
        after, _ = rebound(at, sign * (axis == 0), sign * (axis == 1), ON_CUSHION)
        disc = _as_floats(after)
        yield disc


def _to_rest(disc: Disc, side: float, law_of: LawOf) -> tuple[float, float]:
    """Return where a disc that meets only cushions comes to rest [m]."""
    for rebounded in _rebounds(disc, side, law_of):
        disc = rebounded
    path, speed = _motion(disc, law_of).s_stop, math.hypot(disc.vx, disc.vy)
    return disc.x + disc.vx / speed * path, disc.y + disc.vy / speed * path
