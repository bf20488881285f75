"""Adversarial cases of one disc, or of discs that do not meet: the very corner, pockets' limits, tiny speeds, spins."""

from collections.abc import Iterator
from math import sqrt

import numpy as np

import carromsim as cs
from adversarial.judging import Cases, empty, units

ICF = cs.Equipment.preset("icf")
MAN, HALF = 5, 0.37
TINY = np.array(
    [0.0, 5e-324, 1e-310, 1e-300, 1e-200, 1e-160, 1e-100, 1e-20, 1e-13, 9.99e-13, 1.01e-12, 1e-9, 1e-6, 1e-4]
)
"""Speeds around every threshold, and around those of floating-point numbers [m/s]."""
STILL = 1e-12
"""Slower discs do not start [m/s]."""


def ulps(rng: np.random.Generator, values: np.ndarray, most: int = 1) -> np.ndarray:
    """Return numbers up to so many units in the last place beside values."""
    return values + np.spacing(values) * rng.integers(-most, most + 1, values.shape)


def other(values: np.ndarray, expected: np.ndarray, error: float) -> np.ndarray:
    """Return which rows differ from what is expected; NaN expects nothing."""
    far = ~(np.abs(values - expected) <= error) & ~np.isnan(expected)
    return far.reshape(len(far), -1).any(axis=1)


def corner_at_45_degrees(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Exactly into the corner, or up to two units in the last place beside it.

    Back comes the disc on the diagonal: each leg costs it energy by friction, each hit by restitution.
    """
    man = ICF.man_radius
    shapes = [("right_angled", 0.0), ("rounded", man), ("rounded", man * (1.0 + 1e-15)), ("rounded", 0.02225)]
    shapes += [("rounded", 0.2), ("cut_away", 0.02225), ("cut_away", 0.2), ("cut_away", (2.0 - sqrt(2.0)) * man + 1e-6)]
    for corner, size in shapes:
        for e in (0.0, 0.7, 1.0):
            eq = ICF.replace(
                corner=corner, corner_size=size, e_cushion=e, mu_cushion=0.0, pocket_radius=0.0, contact=contact
            )
            m = max(n // (3 * len(shapes)), 9)
            turn = rng.choice([-1.0, 1.0], (m, 2))
            start, speed = rng.uniform(0.0, 0.25, m), rng.uniform(0.2, 10.0, m)
            pos, vel, omega = empty(m)
            pos[:, MAN] = ulps(rng, np.stack([start, start], axis=1), 2) * turn
            vel[:, MAN] = ulps(rng, np.stack([speed, speed], axis=1), 2) * turn * sqrt(0.5)

            def answer(
                out: cs.Outcomes,
                eq: cs.Equipment = eq,
                turn: np.ndarray = turn,
                legs: tuple[np.ndarray, ...] = (start, speed),
            ) -> np.ndarray:
                along = end_on_diagonal(eq, *legs)
                return other(out.pos[:, MAN], along[:, None] * turn, 1e-9)

            yield Cases(eq, pos, vel, omega, answer)


def end_on_diagonal(eq: cs.Equipment, start: np.ndarray, speed: np.ndarray) -> np.ndarray:
    """Return x = y of where a disc ends that runs to and fro between two opposite corners; NaN where chaos decides."""
    half, size, radius = 0.5 * eq.side, eq.corner_size, eq.man_radius
    reach, e, hits = sqrt(2.0) * (half - radius), eq.e_cushion, 1000
    if eq.corner == "rounded" and size > radius:
        reach, e, hits = sqrt(2.0) * (half - size) + size - radius, max(e, 0.05), 1 if size - radius > 1e-3 else -1
    if eq.corner == "cut_away" and radius < size / (2.0 - sqrt(2.0)):
        reach, e = (2.0 * half - size) / sqrt(2.0) - radius, max(e, 1e-12)
    place, forward = start * sqrt(2.0), np.ones(len(start))
    square, brake, number = speed**2, 2.0 * eq.mu_surface * eq.gravity, np.zeros(len(start))
    while np.any(square > 0.0):
        leg = reach - place * forward
        hit = square > brake * leg
        place = np.where(hit, reach * forward, place + forward * square / brake)
        rebound = np.sqrt(np.maximum(square - brake * leg, 0.0))
        rebound = np.where(rebound < 2e-3, rebound, e * rebound)
        square, forward, number = np.where(hit, rebound**2, 0.0), np.where(hit, -forward, forward), number + hit
    return np.where(number <= hits, place, np.nan) / sqrt(2.0)


def tiny_speeds(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """One disc that hardly moves, or does not: v^2 / 2 mu g and v / mu g, to the last speed that is one."""
    for mu in (0.03, 0.1, 0.5):
        eq = ICF.replace(mu_surface=mu, contact=contact)
        m = max(n // 3, len(TINY))
        speed, heading = np.resize(TINY, m), units(rng.uniform(0.0, 2.0 * np.pi, m))
        heading[m // 2 :] = [[1.0, 0.0]]
        pos, vel, omega = empty(m)
        pos[:, MAN] = rng.uniform(-0.3, 0.3, (m, 2))
        vel[:, MAN] = speed[:, None] * heading
        brake = mu * eq.gravity
        runs = np.where(speed > STILL, speed, 0.0)
        end, time = pos[:, MAN] + (runs**2 / (2.0 * brake))[:, None] * heading, runs / brake

        def answer(out: cs.Outcomes, end: np.ndarray = end, time: np.ndarray = time) -> np.ndarray:
            return other(out.pos[:, MAN], end, 2e-16) | other(out.duration, time, 1e-15)

        yield Cases(eq, pos, vel, omega, answer)
        spin = rng.permutation(speed) / eq.man_radius  # the same to spin with, and both in pairs that touch
        neighbour = pos.copy()
        neighbour[:, 7] = pos[:, MAN] + 2.0 * eq.man_radius * units(rng.uniform(0.0, 2.0 * np.pi, m))
        yield Cases(eq, neighbour, vel, np.where(np.arange(20) == MAN, spin[:, None], 0.0))


def big_spins(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Up to a million radians a second on the spot, which last 3/4 of R omega / mu g; up to 10,000 in hits.

    Beyond that, the way to an end that is a kilometre away is not known to a nanometre.
    """
    eq = ICF.replace(contact=contact)
    spin = rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(1.0, 6.0, n)
    pos, vel, omega = empty(n)
    pos[:, MAN], omega[:, MAN] = rng.uniform(-0.3, 0.3, (n, 2)), spin
    time = 0.75 * eq.man_radius * np.abs(spin) / (eq.mu_surface * eq.gravity)

    def answer(out: cs.Outcomes) -> np.ndarray:
        return other(out.pos[:, MAN], pos[:, MAN], 0.0) | other(out.duration / time, np.ones(n), 1e-9)

    yield Cases(eq, pos, vel, omega, answer)
    for beta, mu in ((-1.0, 1.0), (0.0, 0.15), (1.0, 1.0)):
        laws = {"beta_disc": beta, "beta_cushion": beta, "mu_disc": mu, "mu_cushion": mu}
        pos, vel, omega = empty(n // 3)
        pos[:, MAN], pos[:, 7] = rng.uniform(-0.3, -0.05, (n // 3, 2)), rng.uniform(0.0, 0.3, (n // 3, 2))
        vel[:, [MAN, 7]] = rng.normal(0.0, 3.0, (n // 3, 2, 2))
        omega[:, [MAN, 7]] = rng.choice([-1.0, 1.0], (n // 3, 2)) * 10.0 ** rng.uniform(1.0, 4.0, (n // 3, 2))
        yield Cases(ICF.replace(contact=contact, **laws), pos, vel, omega)


def at_the_pocket(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """At rest at the tipping limit or a little beside it: who is beyond falls. And coming to rest there."""
    for rule in ("tipping", "centre"):
        for fall_height in (0.0, 0.004):
            eq = ICF.replace(capture_rule=rule, fall_height=fall_height, contact=contact)
            m = n // 8
            beyond = rng.choice([-1.0, 0.0, 1.0], m) * 10.0 ** rng.uniform(-17.0, -6.0, m)
            corner, limit = rng.choice([-1.0, 1.0], (m, 2)), eq.capture_radius[MAN]
            inward = -corner * units(rng.uniform(0.0, 0.5 * np.pi, m))
            pocket = corner * (HALF - eq.pocket_offset)
            falls = np.where(np.abs(beyond) > 1e-15, beyond > 0.0, np.nan)
            pos, vel, omega = empty(m)
            pos[:, MAN] = pocket + (limit - beyond)[:, None] * inward
            yield Cases(eq, pos, vel, omega, lambda out, falls=falls: other(out.pocket[:, MAN] >= 0, falls, 0.5))
            way = rng.uniform(0.01, 0.3, m)
            speed = np.sqrt(2.0 * eq.mu_surface * eq.gravity * (way + beyond))
            pos, vel, omega = empty(m)
            pos[:, MAN] = pocket + (limit + way)[:, None] * inward
            vel[:, MAN] = -speed[:, None] * inward
            falls = np.where(np.abs(beyond) > 1e-13, beyond > 0.0, np.nan)  # v^2 rounds the way by 1e-16 of it
            yield Cases(eq, pos, vel, omega, lambda out, falls=falls: other(out.pocket[:, MAN] >= 0, falls, 0.5))


def striker_as_large_as_the_pocket(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """A striker that just fits, or just does not, shot along cushions and diagonals and placed in the corner."""
    hole = ICF.pocket_radius
    ulp = float(np.spacing(hole))
    for radius in (hole - 1e-3, hole - 1e-9, hole - ulp, hole, hole + ulp, hole + 1e-9, hole + 1e-3):
        for corner in ("rounded", "right_angled", "cut_away"):
            rule = str(rng.choice(["tipping", "centre"]))
            eq = ICF.replace(striker_radius=radius, corner=corner, capture_rule=rule, contact=contact)
            m = max(n // 21, 12)
            edge = HALF - radius - (0.01 if corner == "cut_away" else 0.0)
            pos, vel, omega = empty(m)
            pos[:, 0] = rng.uniform(-0.3, 0.3, (m, 2))
            pos[: m // 3, 0, 1] = (HALF - radius) * rng.choice([-1.0, 1.0], m // 3)
            pos[m // 3 : m // 2, 0] = 0.1 * edge * rng.choice([-1.0, 1.0], (m // 2 - m // 3, 2))
            vel[:, 0] = rng.uniform(-4.0, 4.0, (m, 2))
            vel[: m // 3, 0, 1] = 0.0
            vel[m // 3 : m // 2, 0] = 30.0 * pos[m // 3 : m // 2, 0] * rng.uniform(0.2, 1.0, (m // 2 - m // 3, 1))
            fits = radius < hole
            yield Cases(eq, pos, vel, omega, None if fits else lambda out: out.pocket[:, 0] >= 0)


def frame_starts(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """A disc that starts on the frame or within a few units in the last place of it, in any direction."""
    for corner, size in (
        ("right_angled", 0.0),
        ("rounded", 0.02225),
        ("rounded", 0.3),
        ("cut_away", 0.0225),
        ("cut_away", 0.3),
    ):
        for e in (0.0, 0.7, 1.0):
            eq = ICF.replace(corner=corner, corner_size=size, e_cushion=e, contact=contact, pocket_radius=0.0)
            m = n // 15
            edge = HALF - eq.man_radius
            pos, vel, omega = empty(m)
            place = np.stack([rng.choice([0.0, 1.0, rng.uniform()], m) * edge, np.full(m, edge)], axis=1)
            place = on_frame(eq, place)
            pos[:, MAN] = (
                place * rng.choice([-1.0, 1.0], (m, 2)) * (1.0 - rng.choice([0.0, 1e-16, 1e-15, 1e-12, 1e-9], (m, 1)))
            )
            swap = rng.integers(0, 2, m) == 1
            pos[swap] = pos[swap][..., ::-1]
            vel[:, MAN] = rng.uniform(0.001, 6.0, (m, 1)) * units(
                0.25 * np.pi * rng.integers(0, 8, m) + rng.choice([0.0, 1e-16, 1e-9, 0.1], m)
            )
            omega[:, MAN] = rng.normal(0.0, 60.0, m) * rng.integers(0, 2, m)
            yield Cases(eq, pos, vel, omega)


def on_frame(eq: cs.Equipment, place: np.ndarray) -> np.ndarray:
    """Return points beyond the corners of the first quadrant drawn back to them."""
    half, size, radius = 0.5 * eq.side, eq.corner_size, eq.man_radius
    if eq.corner == "cut_away":
        most = 2.0 * half - size - sqrt(2.0) * radius
        return place * np.minimum(1.0, most / place.sum(axis=1))[:, None]
    bend, room = half - size, size - radius
    bent = np.min(place, axis=1) > bend
    if eq.corner == "rounded" and room > 0.0:
        out = place - bend
        place = np.where(bent[:, None], bend + out * (room / np.hypot(*out.T))[:, None], place)
    return place
