"""What must hold of any stroke, judged for many rows at once: limits of overlap and frame, energy, impulses, an end.

Rows are stopped at random times and around random events, which are the same rows simulated again with another
`until`. A hit that happens at one time with others, or in a burst, is not judged by the law of two.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import carromsim as cs
from carromsim_kernels.state import EventKind, Status, Tolerances

N = 20
OVERLAP = 1e-6
"""Discs never overlap by more outside a burst [m]."""
MEETING = 1e-9
"""Discs that hit do so at this gap or less, in either direction [m]."""
OUTSIDE = 1e-9
"""How far rounding may put a disc beyond the frame [m]."""
ROUNDING = 1e-12
"""Of the momentum of a hit of two, relative; and of energy, to that of the start."""
TABLE = 1e-11
"""Of angular momentum, relative: spins come from the table of the motion law even at the beginning of a motion."""
BURST_GAIN = 1e-9
"""The same of energy where contact forces hold some of it at a time."""
SLOW = 3e-3
"""Slower hits than this [m/s] may be pushes, which are resolved at an overlap."""
MOMENTS, PICKED = 3, 3
"""How many random times and random events of each row are looked at."""


class Cases(NamedTuple):
    """Rows on one equipment."""

    equipment: cs.Equipment
    pos: np.ndarray
    """(n, 20, 2), NaN for absent discs [m]"""
    vel: np.ndarray
    omega: np.ndarray
    answer: Callable[[cs.Outcomes], np.ndarray] | None = None
    """Which rows have another outcome than the one that is known, (n,) bool."""
    until: float | np.ndarray = np.inf
    """When the clocks are stopped, one number or (n,) [s]."""
    may_be_given_up: bool = False
    """Whether rows may need more events than the budget of a stroke: they then have a status and no outcome."""

    def play(self, until: np.ndarray | float | None = None, record: bool = False) -> cs.Outcomes:
        stop = self.until if until is None else np.minimum(until, self.until)
        equipment = self.equipment
        return cs.simulate_motion(self.pos, self.vel, self.omega, equipment=equipment, until=stop, record=record)


def empty(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (pos, vel, omega) of n empty boards."""
    return np.full((n, N, 2), np.nan), np.zeros((n, N, 2)), np.zeros((n, N))


def units(angle: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def energy(equipment: cs.Equipment, vel: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the kinetic energy of rows [J]; absent discs have no velocity."""
    linear = np.sum(np.nan_to_num(vel) ** 2, axis=-1)
    return np.sum(0.5 * equipment.mass * (linear + 0.5 * (equipment.radius * np.nan_to_num(omega)) ** 2), axis=-1)


def deepest(equipment: cs.Equipment, pos: np.ndarray) -> np.ndarray:
    """Return the deepest overlap of two discs of each row [m], -inf if there are no two."""
    i, j = np.triu_indices(N, 1)
    gaps = np.hypot(*np.moveaxis(pos[:, i] - pos[:, j], -1, 0)) - equipment.radius[i] - equipment.radius[j]
    return -np.min(np.nan_to_num(gaps, nan=np.inf), axis=1)


def beyond_frame(equipment: cs.Equipment, pos: np.ndarray) -> np.ndarray:
    """Return how far the disc that is worst is beyond the frame, of each row [m]; -inf if there is none."""
    half, size, radius = 0.5 * equipment.side, equipment.corner_size, equipment.radius
    x, y = np.abs(pos[..., 0]), np.abs(pos[..., 1])
    beyond = np.maximum(x, y) + radius - half
    if equipment.corner == "cut_away":
        beyond = np.maximum(beyond, (x + y - (2.0 * half - size)) / np.sqrt(2.0) + radius)
    if equipment.corner == "rounded":
        bent = (np.minimum(x, y) > half - size) & (size > radius)
        beyond = np.where(bent, np.hypot(x - (half - size), y - (half - size)) + radius - size, beyond)
    return np.max(np.nan_to_num(beyond, nan=-np.inf), axis=1)


def given_up(cases: Cases) -> np.ndarray:
    """Return which rows are given up, where they may be, (n,) bool."""
    return (cases.play().status == Status.EVENT_LIMIT) & cases.may_be_given_up


def judge(cases: Cases, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return, by what is wrong, which rows are."""
    with np.errstate(invalid="ignore"):
        out = cases.play(record=True)
        wrong = _end(cases, out)
        wrong |= _on_the_way(cases, out, rng)
        wrong |= _hits(cases, out, rng)
        if cases.answer is not None:
            wrong["another outcome than the known one"] = cases.answer(out)
    return {what: rows for what, rows in wrong.items() if rows.any()}


def _end(cases: Cases, out: cs.Outcomes) -> dict[str, np.ndarray]:
    gone = np.isnan(out.pos[..., 0])
    wrong = {
        "no outcome": out.status != Status.OK,
        "a disc too many or too few": np.any(gone != ((out.pocket >= 0) | np.isnan(cases.pos[..., 0])), axis=1),
        "pocketed at no time": np.any(np.isnan(out.pocket_time) != (out.pocket < 0), axis=1),
        "no duration": ~np.isfinite(out.duration),
        "beyond the frame at the end": beyond_frame(cases.equipment, out.pos) > OUTSIDE,
    }
    if np.all(np.isinf(cases.until)):
        wrong["overlap at the end"] = deepest(cases.equipment, out.pos) > OVERLAP
        wrong["motion at the end"] = np.any(out.vel != 0.0, axis=(1, 2)) | np.any(out.omega != 0.0, axis=1)
    return wrong


def _on_the_way(cases: Cases, out: cs.Outcomes, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Stop the rows at random times, and judge what can be at any."""
    eq, n = cases.equipment, len(out)
    compliant = eq.contact == "compliant"
    first = energy(eq, cases.vel, cases.omega)
    least = first.copy()
    rim = np.max(np.hypot(*np.moveaxis(cases.vel, -1, 0)) + eq.radius * np.abs(cases.omega), axis=1)
    pressed = np.maximum(OVERLAP, 2.0 * rim * eq.t_contact) if compliant else np.full(n, OVERLAP)
    outside = pressed if compliant else np.full(n, OUTSIDE)
    wrong = {name: np.zeros(n, bool) for name in ("overlap on the way", "beyond the frame on the way", "energy grows")}
    for share in np.sort(rng.uniform(0.0, 1.0, (MOMENTS, n)) ** 2, axis=0):
        state = cases.play(share * np.nan_to_num(out.duration))
        now, overlap = energy(eq, state.vel, state.omega), deepest(eq, state.pos)
        wrong["overlap on the way"] |= overlap > pressed
        beyond = beyond_frame(eq, state.pos)
        wrong["beyond the frame on the way"] |= beyond > outside
        wrong["energy grows"] |= ~(now - least <= (BURST_GAIN if compliant else ROUNDING) * first)
        loose = np.maximum(overlap, beyond) < 1e-9 if compliant else np.full(n, True)
        least = np.where(loose, np.minimum(least, now), least)
    return wrong


def _hits(cases: Cases, out: cs.Outcomes, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Look at a few hits of two discs in each row, just before and just after."""
    n = len(out)
    wrong: dict[str, np.ndarray] = {}
    for _ in range(PICKED):
        picked = _pick(cases, out, rng)
        if picked is None:
            break
        rows, t, earlier, a, b = picked
        until = np.broadcast_to(cases.until, n)[rows]
        some = cases._replace(pos=cases.pos[rows], vel=cases.vel[rows], omega=cases.omega[rows], until=until)
        before = some.play(np.where(t > 0.0, np.nextafter(t, 0.0), 0.0))
        after, parted = some.play(t), some.play(earlier)
        for what, bad in _law(some, before, after, parted, a, b, t).items():
            wrong.setdefault(what, np.zeros(n, bool))[rows[bad]] = True
    return wrong


def _pick(
    cases: Cases, out: cs.Outcomes, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Choose one hit of two discs in each row that has one; return rows, times, the events' times before, discs.

    It is one that nothing else happens with at the same time. Of rows with contact forces it is the very first event,
    because of later ones it is not known whether they are of a burst.
    """
    first, recorded = out._first_event, out._events
    assert first is not None
    assert recorded is not None
    if len(recorded) == 0:
        return None
    row = np.repeat(np.arange(len(out)), np.diff(first))
    t, starts, ends = recorded["t"], np.zeros(len(recorded), bool), np.zeros(len(recorded), bool)
    starts[first[:-1][np.diff(first) > 0]] = True
    ends[first[1:][np.diff(first) > 0] - 1] = True
    earlier = np.where(starts, 0.0, np.roll(t, 1))
    later = np.where(ends, np.inf, np.roll(t, -1))
    good = (
        (recorded["kind"] == EventKind.DISC_HIT)
        & (later > t)
        & (t > np.where(starts, -1.0, np.nextafter(earlier, 1e9)))
    )
    good &= (t > 0.0) | starts
    if cases.equipment.contact == "compliant":
        good &= starts
    chosen = np.full(len(out), -1)
    candidates = rng.permutation(np.flatnonzero(good))
    chosen[row[candidates]] = candidates
    chosen = chosen[chosen >= 0]
    if len(chosen) == 0:
        return None
    return row[chosen], t[chosen], earlier[chosen], recorded["a"][chosen].astype(int), recorded["b"][chosen].astype(int)


def _law(
    cases: Cases,
    before: cs.Outcomes,
    after: cs.Outcomes,
    parted: cs.Outcomes,
    a: np.ndarray,
    b: np.ndarray,
    t: np.ndarray,
) -> dict[str, np.ndarray]:
    """Judge one hit of each row: where the two meet, and by what law they part."""
    eq, k = cases.equipment, np.arange(len(a))
    first = t == 0.0
    pos, vel = (
        np.where(first[:, None, None], begin, got) for begin, got in ((cases.pos, before.pos), (cases.vel, before.vel))
    )
    omega = np.where(first[:, None], cases.omega, before.omega)
    between = pos[k, b] - pos[k, a]
    distance = np.hypot(*between.T)
    gap = distance - eq.radius[a] - eq.radius[b]
    normal = between / distance[:, None]
    closing = np.sum((vel[k, a] - vel[k, b]) * normal, axis=1)
    was = np.hypot(*(parted.pos[k, b] - parted.pos[k, a]).T) - eq.radius[a] - eq.radius[b]
    apart = (was > MEETING) & (closing > SLOW) & ~first
    wrong = {
        "a hit of discs that do not touch": (gap > MEETING) | (gap < -OVERLAP),
        "met too deep": apart & (gap < -MEETING),
    }
    single = closing > SLOW
    if eq.contact == "compliant":  # bursts begin at once: velocities are then those before the hit
        single &= np.abs(after.vel[k, a] - vel[k, a]).max(axis=1) > 1e-9 * closing
    wrong |= {what: single & bad for what, bad in _impulse(eq, vel, omega, after, a, b, normal, closing).items()}
    return wrong


def _impulse(
    eq: cs.Equipment,
    vel: np.ndarray,
    omega: np.ndarray,
    after: cs.Outcomes,
    a: np.ndarray,
    b: np.ndarray,
    normal: np.ndarray,
    closing: np.ndarray,
) -> dict[str, np.ndarray]:
    """Judge what a hit did: momentum, angular momentum of each disc about the contact, restitution, others."""
    k, (ma, mb) = np.arange(len(a)), (eq.mass[a], eq.mass[b])
    da, db = after.vel[k, a] - vel[k, a], after.vel[k, b] - vel[k, b]
    spin = np.abs(omega[k, a]) * eq.radius[a] + np.abs(omega[k, b]) * eq.radius[b]
    speed = np.hypot(*vel[k, a].T) + np.hypot(*vel[k, b].T) + spin
    size = np.maximum(ma, mb) * (speed + 4.0)  # still_speed, 1e-12 m/s, is left at rest
    turned = []
    for disc, sign, change in ((a, 1.0, da), (b, -1.0, db)):
        spun = 0.5 * eq.mass[disc] * eq.radius[disc] * (after.omega[k, disc] - omega[k, disc])
        turned.append(spun - sign * eq.mass[disc] * (normal[:, 0] * change[:, 1] - normal[:, 1] * change[:, 0]))
    leaving = np.sum((after.vel[k, a] - after.vel[k, b]) * normal, axis=1)
    e = np.where(
        closing < Tolerances().elastic_speed, 1.0, eq.e_disc + (1.0 - eq.e_disc) * eq.v_c_disc / (eq.v_c_disc + closing)
    )
    others = np.abs(np.nan_to_num(after.vel - vel)).max(axis=2)
    others[k, a] = others[k, b] = 0.0
    return {
        "momentum is not kept": np.abs(ma[:, None] * da + mb[:, None] * db).max(axis=1) > ROUNDING * size,
        "turned about the contact": np.maximum(*np.abs(turned)) > TABLE * size,
        "another restitution": np.abs(leaving + e * closing) > 1e-9 * speed,
        "another disc is moved": others.max(axis=1) > 1e-9 + 1e-9 * speed,
    }
