"""Adversarial cases of many discs: several meeting at one time, clusters in touch, two for one pocket, breaks."""

from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np

import carromsim as cs
from adversarial.judging import Cases, N, beyond_frame, deepest, empty, units
from adversarial.pairs import clear, shift
from adversarial.singles import HALF, ICF, other
from oracles.scenes import random_equipment


def law(rng: np.random.Generator, contact: str, **changes: Any) -> cs.Equipment:
    """Return ICF equipment with hits of any kind."""
    laws = {
        "e_disc": float(rng.choice([0.0, 0.5, 0.85, 1.0])),
        "e_cushion": float(rng.choice([0.0, 0.7, 1.0])),
        "mu_disc": float(rng.choice([0.0, 0.15, 0.5])),
        "beta_disc": float(rng.choice([-0.5, 0.0, 0.5])),
        "v_c_disc": float(rng.choice([0.0, 0.1])),
        "force_law": str(rng.choice(["hertz", "linear"])),
        "corner": str(rng.choice(["rounded", "right_angled", "cut_away"])),
        "contact": contact,
    }
    return ICF.replace(**(laws | changes))


def meeting_at_once(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Three to six discs come to one point from evenly spread sides, at one time or 1e-15 to 1e-6 m apart.

    Those that come at exactly one time and know no friction part as they came, by contact forces: no side is another.
    """
    for count in (3, 4, 5, 6):
        for even in (True, False):
            smooth = {"mu_disc": 0.0, "v_c_disc": 0.0, "mu_surface": 0.1} if even else {}
            eq = law(rng, contact, **smooth)
            m = n // 8
            discs = 1 + np.sort(rng.choice(19, count, replace=False))
            sides = units(2.0 * np.pi / count * np.arange(count) + rng.uniform(0.0, 6.3, m)[:, None])
            off = np.zeros((m, count)) if even else shift(rng, m * count, -15.0, -6.0).reshape(m, count)
            speed, meet = rng.uniform(0.5, 8.0, m), eq.man_radius / np.sin(np.pi / count)
            far = rng.uniform(0.003, 0.1, m)
            pos, vel, omega = empty(m)
            pos[:, discs] = (meet + far[:, None] + off)[..., None] * sides
            vel[:, discs] = -speed[:, None, None] * sides
            rows = Cases(eq, pos, vel, omega)
            yield rows
            if even and contact == "compliant":
                out = rows.play(record=True)
                first = out._events["t"][out._first_event[:-1]]

                def answer(
                    out: cs.Outcomes, discs: np.ndarray = discs, sides: np.ndarray = sides, speed: np.ndarray = speed
                ) -> np.ndarray:
                    outwards = np.sum(out.vel[:, discs] * sides, axis=2) / speed[:, None]
                    return other(outwards, np.repeat(outwards.mean(axis=1)[:, None], outwards.shape[1], axis=1), 0.02)

                yield rows._replace(answer=answer, until=first + 2e-3)


def row_of_men(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """A man runs straight into 2 to 17 men in a row and in touch, all smooth and elastic.

    Sequential hits hand all his speed to the last man, who runs v^2 / 2 mu g; contact forces keep nearly all energy.
    """
    for count in (2, 3, 5, 9, 17):
        eq = ICF.replace(contact=contact, e_disc=1.0, mu_disc=0.0, side=20.0, pocket_radius=0.0)
        m = n // 5
        course, speed, way = rng.choice([0.0, 0.5 * np.pi, 1.0], m), rng.uniform(0.3, 3.0, m), 0.01
        pos, vel, omega = empty(m)
        last = np.arange(2, 2 + count)
        along = -0.5 + 2.0 * eq.man_radius * np.arange(count + 1) + np.where(np.arange(count + 1) > 0, way, 0.0)
        pos[:, 1 : 2 + count] = along[None, :, None] * units(course)[:, None]
        vel[:, 1] = speed[:, None] * units(course)
        arrives = speed**2 - 2.0 * eq.mu_surface * eq.gravity * way
        run = np.where(arrives > 0.0, arrives, 0.0) / (2.0 * eq.mu_surface * eq.gravity)

        def answer(
            out: cs.Outcomes,
            last: np.ndarray = last,
            along: np.ndarray = along,
            run: np.ndarray = run,
            course: np.ndarray = course,
        ) -> np.ndarray:
            ends = np.tile(along[1:], (len(run), 1))
            ends[:, -1] += run
            return other(np.sum(out.pos[:, last] * units(course)[:, None], axis=2), ends, 1e-8)

        yield Cases(eq, pos, vel, omega, answer if contact == "sequential" else None)


def cluster(rng: np.random.Generator, eq: cs.Equipment, shape: str, count: int) -> np.ndarray:
    """Return places of so many men in touch, (count, 2): a row or a piece of a hexagonal pack."""
    step, edge = 2.0 * eq.man_radius, HALF - eq.man_radius
    if shape == "row":
        return (
            (np.arange(count) - 0.5 * (count - 1))[:, None]
            * step
            * units(rng.choice([0.0, 0.5 * np.pi, rng.uniform(0.0, 3.0)]))
        )
    if shape == "row at the cushion":
        return np.stack([(np.arange(count) - 0.5 * (count - 1)) * step, np.full(count, edge)], axis=1)
    i, j = np.meshgrid(np.arange(-6, 7), np.arange(-6, 7))
    pack = np.stack([(i + 0.5 * j).ravel() * step, (sqrt(0.75) * j).ravel() * step], axis=1)
    if shape == "pack":
        turn = rng.uniform(0.0, 1.0)
        near = pack[np.argsort(np.hypot(*pack.T) + 1e-9 * rng.uniform(size=len(pack)))[:count]]
        return near @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) + rng.uniform(
            -0.1, 0.1, 2
        )
    half = pack[pack[:, 1] <= 1e-9]
    half = half[np.argsort(np.hypot(*half.T) + 1e-9 * rng.uniform(size=len(half)))[:count]]
    if shape == "pack at the cushion":
        return half + np.array([0.0, edge])
    i, j = np.meshgrid(np.arange(5), np.arange(5))  # squares in a right-angled corner: each touches a cushion or a man
    square = np.stack([i.ravel(), j.ravel()], axis=1) * step
    return edge - square[np.argsort(square.sum(axis=1) + 1e-9 * rng.uniform(size=25))[:count]]


SHAPES = ("row", "row at the cushion", "pack", "pack at the cushion", "in the corner")


def frozen_clusters(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Two to nineteen men in touch with one another, and with the frame, struck from every side at up to 12 m/s.

    Sequential hits that lose energy can go on for longer than a stroke's budget of events in so many in touch.
    """
    for shape in SHAPES:
        for count in (2, 3, 4, 7, 13, 19):
            corner = {"corner": "right_angled"} if shape == "in the corner" else {}
            eq = law(rng, contact, pocket_radius=0.0, **corner)
            places = cluster(rng, eq, shape, count)
            m = max(n // 30, 1)
            pos, vel, omega = empty(4 * m + 40)
            pos[:, 1 : 1 + count] = places
            target, side = places[rng.integers(0, count, len(pos))], units(rng.uniform(0.0, 2.0 * np.pi, len(pos)))
            clearance = eq.striker_radius + eq.man_radius + rng.choice([0.0, 1e-9, 1e-4, 0.02], len(pos))
            pos[:, 0] = target + clearance[:, None] * side
            stray = rng.normal(0.0, 0.4, len(pos)) * rng.integers(0, 2, len(pos))
            angle = np.arctan2(-side[:, 1], -side[:, 0]) + stray
            vel[:, 0] = (rng.uniform(0.1, 12.0, len(pos)) * rng.choice([0.01, 1.0, 1.0], len(pos)))[:, None] * units(
                angle
            )
            omega[:, 0] = rng.normal(0.0, 60.0, len(pos)) * rng.integers(0, 2, len(pos))
            good = (beyond_frame(eq, pos) <= 1e-12) & (deepest(eq, pos) <= 1e-12)
            rows = np.flatnonzero(good)[:m]
            endless = contact == "sequential" and eq.e_disc < 0.85
            yield Cases(eq, pos[rows], vel[rows], omega[rows], may_be_given_up=endless)


def two_for_one_pocket(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Two to four discs run into one pocket together, at its mouth or already falling."""
    for fall_height in (0.0, 0.004, 0.05):
        for count in (2, 3, 4):
            eq = law(rng, contact, fall_height=fall_height, capture_rule=str(rng.choice(["tipping", "centre"])))
            m = n // 9
            pos, vel, omega = empty(6 * m)
            discs = rng.choice(N, count, replace=False)
            corner = rng.choice([-1.0, 1.0], (len(pos), 1, 2))
            pocket = corner * (HALF - eq.pocket_offset)
            inward = units(rng.uniform(-0.1, 0.5 * np.pi + 0.1, (len(pos), count))) * -corner
            pos[:, discs] = pocket + rng.uniform(0.005, 0.07, (len(pos), count, 1)) * inward
            vel[:, discs] = rng.uniform(0.0, 2.5, (len(pos), count, 1)) * -inward + rng.normal(
                0.0, 0.1, (len(pos), count, 2)
            )
            omega[:, discs] = rng.normal(0.0, 30.0, (len(pos), count))
            rows = np.flatnonzero((beyond_frame(eq, pos) <= 0.0) & clear(eq, pos))[:m]
            yield Cases(eq, pos[rows], vel[rows], omega[rows])


def breaks(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Breaks of packs, a third of them in touch, with any equipment: speeds up to 12 m/s, half with spin."""
    for block in range(-(-n // 500)):
        eq = random_equipment(rng).replace(contact=contact)
        m = min(500, n)
        gap = rng.choice([0.0, 1.0, 1.0], m) * rng.uniform(0.0, 1e-3, m)
        pos = cs.opening(eq, rotation=rng.uniform(0.0, 2.1, m), gap=gap, jitter=0.3 * gap, seed=block, n=m).pos.copy()
        vel, omega = np.zeros((m, N, 2)), np.zeros((m, N))
        side = units(rng.uniform(0.0, 2.0 * np.pi, m))
        pos[:, 0] = 0.2526 * side
        angle = np.arctan2(-side[:, 1], -side[:, 0]) + rng.normal(0.0, 0.05, m)
        vel[:, 0] = rng.uniform(0.5, 12.0, m)[:, None] * units(angle)
        omega[:, 0] = rng.normal(0.0, 60.0, m) * rng.integers(0, 2, m)
        yield Cases(eq, pos, vel, omega)
