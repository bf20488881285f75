"""The strokes that are timed, drawn once from fixed seeds: what `bench_strokes.py` and `compare.py` have in common.

Run as a program, it tells the cases' names, then times each case that it is asked for: that is how `compare.py` times
the package of another checkout.
"""

import hashlib
import json
import sys
import time
from collections.abc import Callable

import numpy as np

import carromsim as cs

COMPLIANT = cs.Equipment.preset("icf")
SEQUENTIAL = COMPLIANT.replace(contact="sequential")

GAPS = {"touching": 0.0, "0.1 mm": 1e-4, "0.5 mm": 5e-4}
"""Mean gaps of the pack [m]: a burst breaks it, bursts break parts of it, nearly all hits are of two discs."""

MOVING = (1, 2, 4, 8, 16, 20)
"""Numbers of discs that move about a board at the same time."""

Case = Callable[[], cs.Outcomes]
"""Simulates one batch of strokes in the thread that calls it, the same at every call."""


def break_strokes(gap: float, n: int = 1000) -> tuple[cs.Layout, cs.Strokes]:
    """Return n breaks with a human hand's scatter, as in the break study, of packs with a mean gap [m]."""
    rng = np.random.default_rng(1)
    layout = cs.opening("icf", gap=gap, jitter=gap / 3, seed=1, n=n)
    angle, speed = np.pi / 2 + rng.normal(0.0, 0.015, n), 6.0 * (1.0 + 0.05 * rng.normal(size=n))
    return layout, cs.Strokes(x=rng.normal(0.0, 0.001, n), angle=angle, speed=speed)


def two_disc_strokes(n: int = 10_000) -> tuple[cs.Layout, cs.Strokes]:
    """Return n cuts of the only man on the board, who stands before the far cushion."""
    angle = 1.44 + np.random.default_rng(2).normal(0.0, 0.02, n)
    return cs.arrange(white=[(0.05, 0.15)]), cs.Strokes(x=0.0, angle=angle, speed=np.full(n, 2.5))


def midgame_strokes(n: int = 4000) -> tuple[cs.Layout, cs.Strokes]:
    """Return n strokes of 1 to 4 m/s at one of eight scattered men, full or thin; another may stand in the way."""
    rng = np.random.default_rng(3)
    layout = cs.random_layout("icf", n, seed=3, n_men=(4, 4), queen=False)
    base_line = COMPLIANT.base_line_distance - COMPLIANT.side / 2
    ahead = layout.pos[:, :, 1] > base_line + 0.05  # False where there is no disc
    man = np.argmax(ahead * rng.random(ahead.shape), axis=1)
    x = rng.uniform(-0.15, 0.15, n)
    away = layout.pos[np.arange(n), man] - np.column_stack([x, np.full(n, base_line)])
    touching = COMPLIANT.radius[man] + COMPLIANT.radius[cs.STRIKER]
    aside = np.arcsin(0.9 * touching / np.hypot(*away.T)) * rng.uniform(-1.0, 1.0, n)
    angle = np.arctan2(away[:, 1], away[:, 0]) + aside
    return layout, cs.Strokes(x=x, angle=angle, speed=rng.uniform(1.0, 4.0, n))


def moving(discs: int, until: float = 1.0) -> Case:
    """Simulate a second of boards on which so many discs are in motion, at 3 to 6 m/s, so that hardly one stops."""
    n, rng = 16_000 // discs, np.random.default_rng(4)
    everything = discs == cs.N_DISCS
    layout = cs.random_layout("icf", n, seed=4, n_men=min(discs, 18), queen=everything, striker=everything)
    heading, speed = rng.uniform(0.0, 2 * np.pi, (n, cs.N_DISCS)), rng.uniform(3.0, 6.0, (n, cs.N_DISCS))
    vel = speed[..., np.newaxis] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    spin = np.zeros((n, cs.N_DISCS))
    return lambda: cs.simulate_motion(layout.pos, vel, spin, equipment=SEQUENTIAL, until=until, record=False, threads=1)


def striking(layout: cs.Layout, strokes: cs.Strokes, equipment: cs.Equipment = COMPLIANT) -> Case:
    """Simulate these strokes."""
    return lambda: cs.simulate(layout, strokes, equipment=equipment, threads=1)


def stroke_cases() -> dict[str, Case]:
    """Return all cases by name."""
    cases = {}
    for name, gap in GAPS.items():
        pack = break_strokes(gap)
        cases[f"break, {name}, compliant"] = striking(*pack)
        cases[f"break, {name}, sequential"] = striking(*pack, SEQUENTIAL)
    cases["two discs"] = striking(*two_disc_strokes())
    cases["mid-game, 8 men"] = striking(*midgame_strokes())
    return cases | {f"{discs} in motion": moving(discs) for discs in MOVING}


def answer(**what: object) -> None:
    """Write a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def serve() -> None:
    """Answer each name of a case on stdin with its processor time [s], strokes, events, and what came of them."""
    cases = stroke_cases()
    answer(package=cs.__file__, cases=list(cases))
    for line in sys.stdin:
        begin = time.thread_time()
        out = cases[line.rstrip("\n")]()
        seconds = time.thread_time() - begin
        digest = hashlib.sha256(out.pos.tobytes() + out.pocket.tobytes() + out.n_events.tobytes()).hexdigest()
        answer(seconds=seconds, strokes=len(out.status), events=int(out.n_events.sum()), digest=digest)


if __name__ == "__main__":
    serve()
