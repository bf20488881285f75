"""Very many random strokes: does each one end, and end within the limits? Statuses are counted.

    python benchmarks/soak.py --strokes 1000000 --seed 1 [--preset icf]

Layouts with any number of men, packs in and out of touch, and boards full of moving discs. Unless a preset is named,
every block has equipment of its own, with coefficients from all of their range. The exit code is 1 if a row has a
status other than 0 or breaks a limit; the first such rows are named.
"""

import argparse
import sys
import time

import numpy as np

import carromsim as cs
from carromsim_kernels.state import Status

BLOCK = 1000
OVERLAP, OUTSIDE = 1e-6, 1e-9
"""Limits of overlap of two discs and of rounding at the frame [m]."""


def equipment(rng: np.random.Generator) -> cs.Equipment:
    """Return ICF equipment with coefficients from all of their range, extremes included."""
    return cs.Equipment.preset("icf").replace(
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
        corner=str(rng.choice(["rounded", "right_angled"])),
        corner_size=rng.choice([0.02225, rng.uniform(0.0, 0.37)]),
    )


def strokes(rng: np.random.Generator, eq: cs.Equipment, n: int, seed: int) -> cs.Outcomes:
    """Return random strokes from random layouts, or breaks of packs with any gap."""
    kind = rng.integers(4)
    if kind == 0:
        gap = float(rng.choice([0.0, 1e-6, 1e-4, 5e-4]))
        layout = cs.opening(eq, rotation=rng.uniform(0.0, 2.0), gap=gap, jitter=gap / 3.0, seed=seed, n=n)
    else:
        layout = cs.random_layout(eq, n, seed, n_men=int(rng.integers(0, 19)), queen=bool(rng.integers(2)))
    # Placements that are legal with any striker: the middle of the base line.
    x, angle = rng.uniform(-0.17, 0.17, n), rng.uniform(0.0, np.pi, n)
    if kind == 0:
        angle = 0.5 * np.pi + np.arctan(x / 0.25) + rng.normal(0.0, 0.05, n)
    speed, spin = rng.uniform(0.0, 9.0, n) * rng.choice([1.0, 0.1], n), rng.normal(0.0, 60.0, n) * rng.integers(0, 2, n)
    return cs.simulate(layout, cs.Strokes(x=x, angle=angle, speed=speed, spin=spin), equipment=eq)


def melee(rng: np.random.Generator, eq: cs.Equipment, n: int, seed: int) -> cs.Outcomes:
    """Return boards on which everything moves and spins."""
    pos = cs.random_layout(eq, n, seed, striker=True, clear_base_line=False, n_men=int(rng.integers(1, 19))).pos
    vel = rng.normal(0.0, 1.0, (n, 20, 2)) * rng.uniform(0.01, 3.0, (n, 1, 1)) * rng.integers(0, 2, (n, 20, 1))
    omega = rng.normal(0.0, 80.0, (n, 20)) * rng.integers(0, 2, (n, 20))
    return cs.simulate_motion(pos, vel, omega, equipment=eq, record=False)


def in_corner(pos: np.ndarray, eq: cs.Equipment) -> np.ndarray:
    """Return how far discs (n, 20, 2), given by |x| and |y|, are beyond the rounded corners [m]; -1 elsewhere."""
    bent = pos - (0.5 * eq.side - eq.corner_size)
    room = eq.corner_size - eq.radius
    inside = (np.min(bent, axis=-1) > 0.0) & (room > 0.0)
    return np.where(inside, np.hypot(bent[..., 0], bent[..., 1]) - room, -1.0)


def faults(out: cs.Outcomes, eq: cs.Equipment) -> np.ndarray:
    """Return which rows have no outcome or an impossible one."""
    limit = 0.5 * eq.side - eq.radius + OUTSIDE
    wrong = out.status != Status.OK
    with np.errstate(invalid="ignore"):
        wrong |= np.any(np.abs(out.pos) > limit[:, np.newaxis], axis=(1, 2))
        if eq.corner == "rounded":
            wrong |= np.any(in_corner(np.abs(out.pos), eq) > OUTSIDE, axis=1)
        i, j = np.triu_indices(20, 1)
        gaps = np.hypot(*np.moveaxis(out.pos[:, i] - out.pos[:, j], -1, 0)) - eq.radius[i] - eq.radius[j]
        wrong |= np.any(gaps < -OVERLAP, axis=1)
    gone = np.isnan(out.pos[..., 0])
    wrong |= np.any((out.pocket >= 0) & ~gone, axis=1) | np.any(np.nan_to_num(out.vel) != 0.0, axis=(1, 2))
    return wrong | np.any(np.nan_to_num(out.omega) != 0.0, axis=1) | ~np.isfinite(out.duration)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strokes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", help="name of one equipment for all")
    arguments = parser.parse_args()
    counts, events, most, slowest, bad = np.zeros(8, int), 0, 0, 0.0, 0
    for block in range(-(-arguments.strokes // BLOCK)):
        rng = np.random.default_rng([arguments.seed, block])
        eq = cs.Equipment.preset(arguments.preset) if arguments.preset else equipment(rng)
        play = melee if block % 4 == 3 else strokes
        begin = time.perf_counter()
        out = play(rng, eq, BLOCK, block)
        slowest = max(slowest, time.perf_counter() - begin)
        counts += np.bincount(out.status, minlength=8)
        events, most = events + int(out.n_events.sum()), max(most, int(out.n_events.max()))
        for row in np.flatnonzero(faults(out, eq)):
            bad += 1
            if bad <= 20:
                where = f"seed {arguments.seed} block {block} row {row}"
                sys.stdout.write(f"{where}: status {out.status[row]}, {out.n_events[row]} events, {eq}\n")
    total = int(counts.sum())
    named = ", ".join(f"{status.name} {counts[status]}" for status in Status)
    sys.stdout.write(f"{total} strokes, {events} events, at most {most} in one, slowest block {slowest:.2f} s\n")
    sys.stdout.write(f"statuses: {named}; {bad} rows without outcome or beyond a limit\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
