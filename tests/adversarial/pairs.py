"""Adversarial cases of two discs, and of pairs of pairs: grazes, near stops, touching starts, equal times."""

from collections.abc import Iterator

import numpy as np

import carromsim as cs
from adversarial.judging import Cases, beyond_frame, empty, units
from adversarial.singles import ICF, other
from carromsim_kernels.state import EventKind, Tolerances

A, B = 3, 8
PUSH_SPEED, PUSH_OVERLAP = Tolerances().push_speed, Tolerances().push_overlap


def shift(rng: np.random.Generator, n: int, least: float, most: float) -> np.ndarray:
    """Return numbers of either sign whose sizes are spread over orders of magnitude 10^least to 10^most; some are 0."""
    return rng.choice([-1.0, 1.0, 1.0, -1.0, 0.0], n) * 10.0 ** rng.uniform(least, most, n)


def grazes(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Impact parameters (1 +- 1e-15 to 1e-3) times the sum of the radii, resting and moving discs, no friction beneath.

    Outside nothing happens. Inside they part by the law of two if they meet faster than a push, and if slower, only
    where the way leads deeper than a push's overlap.
    """
    for moving in (False, True):
        for mu in (0.0, 0.3):
            eq = ICF.replace(contact=contact, mu_disc=mu, mu_surface=0.0, pocket_radius=0.0, side=20.0, v_c_disc=0.0)
            m = n // 4
            off, speed, way = shift(rng, m, -15.0, -3.0), 10.0 ** rng.uniform(-2.0, 1.0, m), rng.uniform(0.01, 0.3, m)
            quarter = rng.integers(0, 4, m)
            heading, aside = units(0.5 * np.pi * quarter).round(), units(0.5 * np.pi * (quarter + 1)).round()
            reach = 2.0 * eq.man_radius
            pos, vel, omega = empty(m)
            pos[:, A] = 0.0
            pos[:, B] = (reach + way)[:, None] * heading + (reach * (1.0 - off) * rng.choice([-1.0, 1.0], m))[
                :, None
            ] * aside
            drift = rng.normal(0.0, 1.0, (m, 2)).round(3) if moving else np.zeros((m, 2))
            speed = speed.round(3)
            vel[:, A], vel[:, B] = speed[:, None] * heading + drift, drift
            until = 4.0 * float(np.max((reach + way) / speed))
            hit, after = after_graze(eq, pos, vel, speed, heading)

            def answer(
                out: cs.Outcomes, hit: np.ndarray = hit, after: np.ndarray = after, speed: np.ndarray = speed
            ) -> np.ndarray:
                wrong = other(out.n_disc_hits > 0, hit, 0.5)
                return wrong | other(out.vel[:, [A, B]] / speed[:, None, None], after / speed[:, None, None], 1e-7)

            yield Cases(eq.replace(side=20.0 + 40.0 * until), pos, vel, omega, answer, until)


def after_graze(
    eq: cs.Equipment, pos: np.ndarray, vel: np.ndarray, speed: np.ndarray, heading: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether A, which moves against B with a speed along a heading, hits it, and both velocities then.

    NaN where it is within rounding of one of the thresholds.
    """
    reach = 2.0 * eq.man_radius
    between = pos[:, B] - pos[:, A]
    ahead = np.sum(between * heading, axis=1)
    aside = np.abs(heading[:, 0] * between[:, 1] - heading[:, 1] * between[:, 0])
    depth = reach - aside
    cosine = np.sqrt(np.maximum(depth * (reach + aside), 0.0)) / reach
    closing = speed * cosine
    fast = closing > PUSH_SPEED
    hit = np.where(fast, depth > 0.0, depth > PUSH_OVERLAP).astype(float)
    hit[np.abs(closing - PUSH_SPEED) < 1e-5 * PUSH_SPEED] = np.nan
    hit[(np.abs(depth - PUSH_OVERLAP) < 1e-10) & ~fast] = np.nan
    normal = (between - (ahead - cosine * reach)[:, None] * heading) / reach
    e = np.where(closing < Tolerances().elastic_speed, 1.0, eq.e_disc)
    tangent = np.stack([-normal[:, 1], normal[:, 0]], axis=1)
    slip = np.sum((vel[:, A] - vel[:, B]) * tangent, axis=1)
    j_n = 0.5 * (1.0 + e) * closing  # of mass one
    j_t = np.sign(slip) * np.minimum(np.abs(slip) / 6.0, eq.mu_disc * j_n)
    change = np.where(hit == 1.0, 1.0, 0.0)[:, None] * (j_n[:, None] * normal + j_t[:, None] * tangent)
    after = np.stack([vel[:, A] - change, vel[:, B] + change], axis=1)
    # Two that move and meet so slowly that they should push may also part, elastically, picometres before they touch.
    hit[np.any(vel[:, B] != 0.0, axis=1) & ~fast & (depth > 0.0)] = np.nan
    after[np.isnan(hit) | (~fast & (hit == 1.0)) | (np.abs(e * closing / 2e-3 - 1.0) < 1.0) & (e < 1.0)] = np.nan
    return hit, after


def near_stops(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """A disc that would stop 1e-13 to 1e-6 m before another, or so far beyond its rim, from the law of stopping."""
    for mu in (0.05, 0.1):
        eq = ICF.replace(contact=contact, mu_surface=mu, pocket_radius=0.0)
        m = n // 4
        beyond, way, heading = (
            shift(rng, m, -13.0, -6.0),
            rng.uniform(0.01, 0.3, m),
            units(rng.uniform(0, 2 * np.pi, m)),
        )
        brake, reach = 2.0 * mu * eq.gravity, 2.0 * eq.man_radius
        pos, vel, omega = empty(m)
        pos[:, A] = 0.0
        pos[:, B] = (reach + way)[:, None] * heading
        vel[:, A] = np.sqrt(brake * (way + beyond))[:, None] * heading
        # At an overlap the one hands on what is left of its way; slower than a push it gets there, and half way apart.
        pushed = beyond <= PUSH_SPEED**2 / brake
        overlap, room = np.where(pushed, PUSH_OVERLAP, 0.0), np.where(pushed, 0.25 * PUSH_OVERLAP, 0.0)
        hit = beyond > overlap
        ends = way[:, None] + np.stack(
            [np.where(hit, overlap - room, beyond), np.where(hit, reach + room + beyond - overlap, reach)], axis=1
        )
        unclear = (np.abs(beyond - PUSH_SPEED**2 / brake) < 1e-10) | (np.abs(beyond - PUSH_OVERLAP) < 1e-10)
        ends[unclear] = np.nan

        def answer(out: cs.Outcomes, ends: np.ndarray = ends, heading: np.ndarray = heading) -> np.ndarray:
            return other(np.sum(out.pos[:, [A, B]] * heading[:, None], axis=2), ends, 1e-11)

        yield Cases(eq, pos, vel, omega, answer)
        yield from near_stops_of_spinning_discs(rng, eq, m)


def near_stops_of_spinning_discs(rng: np.random.Generator, eq: cs.Equipment, n: int) -> Iterator[Cases]:
    """Another disc is put where a spinning one comes to rest, a little before or behind."""
    pos, vel, omega = empty(n)
    heading = units(rng.uniform(0.0, 2.0 * np.pi, n))
    pos[:, A], vel[:, A] = rng.uniform(-0.05, 0.05, (n, 2)), rng.uniform(0.05, 0.5, n)[:, None] * heading
    omega[:, A] = rng.normal(0.0, 40.0, n)
    alone = Cases(eq, pos, vel, omega).play()
    gap = shift(rng, n, -12.0, -6.0)
    pos = pos.copy()
    pos[:, B] = alone.pos[:, A] + (2.0 * eq.man_radius + gap)[:, None] * heading
    rows = (beyond_frame(eq, pos) < 0.0) & (alone.n_cushion_hits == 0)
    free = np.where(gap > 1e-11, 0.0, np.nan)[rows]
    ends = np.where(free[:, None] == 0.0, alone.pos[rows, A], np.nan)

    def answer(out: cs.Outcomes) -> np.ndarray:
        return other(out.n_disc_hits, free, 0.0) | other(out.pos[:, A], ends, 1e-11)

    yield Cases(eq, pos[rows], vel[rows], omega[rows], answer)


def touching_starts(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Pairs that start in touch, hardly apart or as deep in each other as a stroke may leave them, moving anyhow."""
    gaps = [0.0, 1e-17, -1e-17, 1e-13, -1e-13, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -2.5e-7, -5e-7, -9e-7]
    for e in (0.0, 0.5, 0.85, 1.0):
        eq = ICF.replace(contact=contact, e_disc=e, mu_disc=float(rng.choice([0.0, 0.3])))
        m = n // 4
        heading = units(rng.choice([0.25 * np.pi * rng.integers(0, 8), rng.uniform(0.0, 6.3)], m))
        pos, vel, omega = empty(m)
        pos[:, A] = rng.uniform(-0.35, 0.35, (m, 2))
        pos[:, B] = pos[:, A] + (eq.radius[A] + eq.radius[B] + rng.choice(gaps, m))[:, None] * heading
        speed = rng.choice([0.0, 1e-13, 1e-9, 1e-4, 9.99e-4, 1.01e-3, 1.99e-3, 2.01e-3, 0.1, 3.0], (m, 2))
        slant = rng.choice([0.0, 1e-15, 1e-9, 1e-3, 0.5 * np.pi, 1.0], (m, 2)) + np.pi * rng.integers(0, 2, (m, 2))
        turned = np.arctan2(heading[:, 1], heading[:, 0])[:, None] + slant
        vel[:, [A, B]] = speed[..., None] * units(turned)
        vel[:, B] += np.where(rng.integers(0, 2, m) == 1, 1.0, 0.0)[:, None] * vel[:, A]
        omega[:, [A, B]] = rng.normal(0.0, 50.0, (m, 2)) * rng.integers(0, 2, (m, 2))
        ok = beyond_frame(eq, pos) <= 0.0
        yield Cases(eq, pos[ok], vel[ok], omega[ok])


def equal_times(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """Scenes and their mirror images on one board, so that everything happens twice at a time; or once, on the axis.

    Both come out alike until rounding, which is another one on the other side, has been amplified by chaos: to 1e-9
    when six things have happened. Contact forces are looked at when the last burst may still go on: there nothing is
    known but the limits.
    """
    for count in (1, 2, 4, 7):
        eq = ICF.replace(contact=contact, e_disc=float(rng.choice([0.5, 0.85, 1.0])))
        left, right = np.arange(1, 1 + count), np.arange(11, 11 + count)
        pos, vel, omega = empty(n // 2)
        pos[:, left] = spread(rng, n // 2, count)
        vel[:, left] = rng.normal(0.0, 1.5, (n // 2, count, 2)) + np.array([0.5, 0.0])
        omega[:, left] = rng.normal(0.0, 40.0, (n // 2, count))
        pos[:, right], vel[:, right] = pos[:, left] * [-1.0, 1.0], vel[:, left] * [-1.0, 1.0]
        omega[:, right] = -omega[:, left]
        rows = np.flatnonzero((beyond_frame(eq, pos) <= 0.0) & clear(eq, pos))[: n // 4]
        whole = Cases(eq, pos[rows], vel[rows], omega[rows])
        yield whole
        if contact == "sequential":
            out = whole.play(record=True)
            sixth = np.minimum(out._first_event[:-1] + 5, out._first_event[1:] - 1)

            def answer(out: cs.Outcomes, left: np.ndarray = left, right: np.ndarray = right) -> np.ndarray:
                one, two = (np.nan_to_num(out.pos[:, side], nan=9.0) for side in (left, right))
                return other(two, one * np.where(one == 9.0, 1.0, [-1.0, 1.0]), 1e-9)

            yield whole._replace(until=out._events["t"][sixth] + 1e-9, answer=answer)


def spread(rng: np.random.Generator, n: int, count: int) -> np.ndarray:
    """Return places in the left half of the board, one in each of as many cells."""
    cells = np.array([(-0.3 + 0.12 * i, -0.3 + 0.12 * j) for i in range(3) for j in range(6)])
    return cells[rng.permuted(np.tile(np.arange(18), (n, 1)), axis=1)[:, :count]] + rng.uniform(
        -0.04, 0.04, (n, count, 2)
    )


def clear(eq: cs.Equipment, pos: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(20, 1)
    gaps = np.hypot(*np.moveaxis(pos[:, i] - pos[:, j], -1, 0)) - eq.radius[i] - eq.radius[j]
    return np.nanmin(np.where(np.isnan(gaps), 1.0, gaps), axis=1) > 0.0


LOW, HIGH = 4, 9


def both_at_once(rng: np.random.Generator, n: int, contact: str) -> Iterator[Cases]:
    """A striker on the axis meets two men at one time: sequential hits in the order of the tie rule, forces evenly."""
    for mu in (0.0, 0.15):
        eq = ICF.replace(contact=contact, mu_disc=mu, v_c_disc=0.0)
        m = n // 2
        pos, vel, omega = empty(m)
        pos[:, LOW, 0] = (eq.man_radius + 10.0 ** rng.uniform(-9.0, -2.3, m)) * rng.choice([-1.0, 1.0], m)
        pos[:, HIGH, 0] = -pos[:, LOW, 0]
        pos[:, LOW, 1] = pos[:, HIGH, 1] = rng.uniform(-0.1, 0.2, m)
        pos[:, 0] = np.stack([np.zeros(m), rng.uniform(-0.3, -0.17, m)], axis=1)
        vel[:, 0, 1] = rng.uniform(1.5, 8.0, m)
        rows = Cases(eq, pos, vel, omega)
        yield rows._replace(answer=out_of_order if contact == "sequential" else None)
        if contact == "compliant" and mu == 0.0:  # the second contact begins one step later: as much as steps leave
            out, speed = rows.play(record=True), vel[:, 0, 1, None]
            parted = out._events["t"][out._first_event[:-1]] + 1e-3

            def answer(out: cs.Outcomes, speed: np.ndarray = speed) -> np.ndarray:
                return other(out.vel[:, HIGH] / speed, out.vel[:, LOW] * [-1.0, 1.0] / speed, 1e-5)

            yield rows._replace(answer=answer, until=parted)


def out_of_order(out: cs.Outcomes) -> np.ndarray:
    """Return which rows do not begin with hits of the striker with LOW and then, at the same time, with HIGH."""
    first = out._first_event[:-1]
    one, two = out._events[first], out._events[first + 1]
    kinds = (one["kind"] == EventKind.DISC_HIT) & (two["kind"] == EventKind.DISC_HIT)
    discs = (one["a"] == 0) & (one["b"] == LOW) & (two["a"] == 0) & (two["b"] == HIGH)
    return ~(kinds & discs & (two["t"] - one["t"] < 1e-12))
