"""Very many random strokes: does each one end, and end within the limits? Statuses are counted.

    python benchmarks/soak.py --strokes 1000000 --seed 1 [--breaks] [--preset icf] [--contact sequential]

Breaks of packs in and out of touch, layouts with any number of men, and boards full of moving discs. Unless a preset
is named, every block has equipment of its own, with coefficients from all of their range. Of every block some rows are
played again and stopped at random times, for what they have of energy then. The exit code is 1 if a row has a status
other than 0 or breaks a limit; the first such rows are named.
"""

import argparse
import sys
import time
from typing import NamedTuple

import numpy as np

import carromsim as cs
from carromsim_kernels.state import Status

BLOCK = 1000
SAMPLE, MOMENTS = 20, 8
"""Rows of a block that are stopped on their way, and how often."""
OVERLAP, OUTSIDE = 1e-6, 1e-9
"""Limits of overlap of two discs and of rounding at the frame [m]."""
GAIN = 1e-9
"""Limit of the energy that a stroke may gain, relative to that of its start."""


class Motion(NamedTuple):
    """How a block begins."""

    pos: np.ndarray
    """(n, 20, 2) [m]"""
    vel: np.ndarray
    """(n, 20, 2) [m/s]"""
    omega: np.ndarray
    """(n, 20) [rad/s]"""


FACES = [(1.0, 0.0), (1.0, 0.0), (0.95, 0.0), (0.89, 0.0), (0.9, 0.5), (1.0, 0.9)]
"""A few of them only, because each needs a table of its own."""


def equipment(rng: np.random.Generator) -> cs.Equipment:
    """Return ICF equipment with coefficients from all of their range, extremes included; often with unequal discs."""
    corner = str(rng.choice(["rounded", "right_angled", "cut_away"]))
    face, face_hole = FACES[rng.integers(len(FACES))]
    eq = cs.Equipment.preset("icf").replace(
        name="soak",
        man_radius=rng.uniform(0.0127, 0.0159),
        man_mass=rng.uniform(0.002, 0.006),
        striker_radius=rng.uniform(0.0165, 0.0215),
        mu_surface=rng.uniform(0.03, 0.2),
        e_disc=rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0), 0.85]),
        e_cushion=rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0), 0.7]),
        mu_disc=rng.choice([0.0, rng.uniform(0.0, 1.0), 0.15]),
        mu_cushion=rng.choice([0.0, rng.uniform(0.0, 1.0), 0.1]),
        beta_disc=rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1.0, 1.0)]),
        beta_cushion=rng.choice([-1.0, 0.0, 1.0, rng.uniform(-1.0, 1.0)]),
        v_c_disc=rng.choice([0.0, 0.1, rng.uniform(0.0, 10.0)]),
        v_c_cushion=rng.choice([0.0, 0.1, rng.uniform(0.0, 10.0)]),
        capture_rule=str(rng.choice(["tipping", "centre"])),
        fall_height=rng.choice([0.0, 0.004, rng.uniform(0.0, 0.1)]),
        corner=corner,
        corner_size=rng.choice([0.02225, rng.uniform(0.0, 0.2 if corner == "cut_away" else 0.37)]),
        face=face,
        face_hole=face_hole,
        contact=str(rng.choice(["compliant", "compliant", "compliant", "sequential"])),
        force_law=str(rng.choice(["hertz", "linear"])),
        t_contact=rng.choice([1e-4, 10.0 ** rng.uniform(-6.0, -3.3)]),
        contact_steps=int(rng.choice([10, 20, 40])),
    )
    if rng.integers(3) > 0:
        return eq
    radius, mass = eq.radius * rng.uniform(0.8, 1.0, 20), eq.mass * 2.0 ** rng.uniform(-1.0, 1.0, 20)
    return eq.replace(disc_radius=tuple(radius), disc_mass=tuple(mass))


def breaks(rng: np.random.Generator, eq: cs.Equipment, n: int, seed: int) -> tuple[Motion, cs.Outcomes]:
    """Return breaks of packs of any rotation and gap, a third of them in touch, up to 12 m/s."""
    gap = rng.choice([0.0, 1.0, 1.0], n) * rng.uniform(0.0, 1e-3, n)
    jitter = gap * rng.uniform(0.0, 0.35, n)
    layout = cs.opening(eq, rotation=rng.uniform(0.0, 2.1, n), gap=gap, jitter=jitter, seed=seed, n=n)
    x = rng.uniform(-0.17, 0.17, n)  # legal with any striker: the middle of the base line
    angle = 0.5 * np.pi + np.arctan(x / 0.25) + rng.normal(0.0, 0.05, n)
    return stroke(rng, eq, layout, x, angle, rng.uniform(0.0, 12.0, n))


def positions(rng: np.random.Generator, eq: cs.Equipment, n: int, seed: int) -> tuple[Motion, cs.Outcomes]:
    """Return strokes in any direction, of which half are slow, from random positions."""
    layout = cs.random_layout(eq, n, seed, n_men=int(rng.integers(0, 19)), queen=bool(rng.integers(2)))
    x, angle = rng.uniform(-0.17, 0.17, n), rng.uniform(0.0, np.pi, n)
    return stroke(rng, eq, layout, x, angle, rng.uniform(0.0, 9.0, n) * rng.choice([1.0, 0.1], n))


def stroke(
    rng: np.random.Generator, eq: cs.Equipment, layout: cs.Layout, x: np.ndarray, angle: np.ndarray, speed: np.ndarray
) -> tuple[Motion, cs.Outcomes]:
    """Return the beginning and the outcome of strokes, half of them with spin."""
    spin = rng.normal(0.0, 60.0, len(x)) * rng.integers(0, 2, len(x))
    strokes = cs.Strokes(x=x, angle=angle, speed=speed, spin=spin)
    begin = Motion(layout.pos.copy(), np.zeros(layout.pos.shape), np.zeros(layout.pos.shape[:2]))
    begin.pos[:, 0], begin.vel[:, 0] = strokes.start(eq)
    begin.omega[:, 0] = spin
    return begin, cs.simulate(layout, strokes, equipment=eq)


def melee(rng: np.random.Generator, eq: cs.Equipment, n: int, seed: int) -> tuple[Motion, cs.Outcomes]:
    """Return boards on which everything moves and spins."""
    pos = cs.random_layout(eq, n, seed, striker=True, clear_base_line=False, n_men=int(rng.integers(1, 19))).pos
    vel = rng.normal(0.0, 1.0, (n, 20, 2)) * rng.uniform(0.01, 3.0, (n, 1, 1)) * rng.integers(0, 2, (n, 20, 1))
    omega = rng.normal(0.0, 80.0, (n, 20)) * rng.integers(0, 2, (n, 20))
    return Motion(pos, vel, omega), cs.simulate_motion(pos, vel, omega, equipment=eq, record=False)


def in_corner(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return how far discs (n, 20, 2), given by |x| and |y|, are beyond the corners [m]; -1 where there is none."""
    if eq.corner == "cut_away":
        return (pos.sum(axis=-1) - (eq.side - eq.corner_size)) / np.sqrt(2.0) + eq.radius
    if eq.corner == "right_angled":
        return np.full(pos.shape[:2], -1.0)
    bent = pos - (0.5 * eq.side - eq.corner_size)
    room = eq.corner_size - eq.radius
    inside = (np.min(bent, axis=-1) > 0.0) & (room > 0.0)
    return np.where(inside, np.hypot(bent[..., 0], bent[..., 1]) - room, -1.0)


def faults(begin: Motion, out: cs.Outcomes, eq: cs.Equipment) -> np.ndarray:
    """Return which rows have no outcome or an impossible one."""
    limit = 0.5 * eq.side - eq.radius + OUTSIDE
    wrong = out.status != Status.OK
    gone = np.isnan(out.pos[..., 0])
    with np.errstate(invalid="ignore"):
        wrong |= np.any(np.abs(out.pos) > limit[:, np.newaxis], axis=(1, 2))
        wrong |= np.any(in_corner(np.abs(out.pos), eq) > OUTSIDE, axis=1)
        wrong |= deepest(out.pos, eq) > OVERLAP
    wrong |= np.any(gone != ((out.pocket >= 0) | np.isnan(begin.pos[..., 0])), axis=1)
    wrong |= np.any(np.isnan(out.pocket_time) != (out.pocket < 0), axis=1)
    wrong |= np.any(out.vel != 0.0, axis=(1, 2)) | np.any(out.omega != 0.0, axis=1)
    return wrong | ~np.isfinite(out.duration)


def deepest(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return the deepest overlap of two discs, (n, 20, 2) -> (n,) [m]; negative if none touch."""
    i, j = np.triu_indices(20, 1)
    gaps = np.hypot(*np.moveaxis(pos[:, i] - pos[:, j], -1, 0)) - eq.radius[i] - eq.radius[j]
    return -np.min(np.nan_to_num(gaps, nan=np.inf), axis=1)


def gains(rng: np.random.Generator, begin: Motion, out: cs.Outcomes, eq: cs.Equipment) -> tuple[np.ndarray, float]:
    """Stop some rows at random times; return the rows that gain energy and the largest gain, relative.

    What contact forces hold at a time does not count as gained when they give it back: a time is compared with those
    before at which no discs were pressed together.
    """
    rows = np.flatnonzero((out.status == Status.OK) & np.any(begin.vel != 0.0, axis=(1, 2)))
    rows = rng.permutation(rows)[:SAMPLE]
    if rows.size == 0:
        return rows, 0.0
    some = Motion(*(column[rows] for column in begin))
    first = energy(some.vel, some.omega, eq)
    least, most = first.copy(), np.zeros(len(rows))
    for until in np.sort(rng.uniform(0.0, 1.0, MOMENTS) ** 2 * float(out.duration[rows].max())):
        state = cs.simulate_motion(*some, equipment=eq, until=float(until), record=False)
        now = energy(state.vel, state.omega, eq)
        most = np.maximum(most, (now - least) / first)
        least = np.where(deepest(state.pos, eq) < 1e-9, np.minimum(least, now), least)
    return rows[~(most <= GAIN)], float(np.max(most))


def energy(vel: np.ndarray, omega: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return the kinetic energy of rows [J]; absent discs have no velocity."""
    return np.sum(0.5 * eq.mass * (np.sum(vel**2, axis=-1) + 0.5 * (eq.radius * omega) ** 2), axis=-1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strokes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--breaks", action="store_true", help="nothing but breaks")
    parser.add_argument("--preset", help="name of one equipment for all")
    parser.add_argument("--contact", choices=["compliant", "sequential"], help="for all, instead of the equipment's")
    arguments = parser.parse_args()
    counts, events, most, slowest, bad, gain = np.zeros(8, int), 0, 0, 0.0, 0, 0.0
    for block in range(-(-arguments.strokes // BLOCK)):
        rng = np.random.default_rng([arguments.seed, block])
        eq = cs.Equipment.preset(arguments.preset) if arguments.preset else equipment(rng)
        if arguments.contact:
            eq = eq.replace(contact=arguments.contact)
        play = breaks if arguments.breaks else (breaks, positions, breaks, melee)[block % 4]
        clock = time.perf_counter()
        begin, out = play(rng, eq, BLOCK, block)
        slowest = max(slowest, time.perf_counter() - clock)
        counts += np.bincount(out.status, minlength=8)
        events, most = events + int(out.n_events.sum()), max(most, int(out.n_events.max()))
        gained, largest = gains(rng, begin, out, eq)
        gain = max(gain, largest)
        for row in np.union1d(np.flatnonzero(faults(begin, out, eq)), gained):
            bad += 1
            if bad <= 20:
                where = f"seed {arguments.seed} block {block} row {row}"
                what = f"status {out.status[row]}, {out.n_events[row]} events{', gains energy' * (row in gained)}"
                sys.stdout.write(f"{where}: {what}, {eq}\n")
    total = int(counts.sum())
    named = ", ".join(f"{status.name} {counts[status]}" for status in Status)
    sys.stdout.write(f"{total} strokes, {events} events, at most {most} in one, slowest block {slowest:.2f} s\n")
    sys.stdout.write(f"statuses: {named}; {bad} rows without outcome or beyond a limit\n")
    sys.stdout.write(f"largest gain of energy at a time: {gain:.1e} of the start's\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
