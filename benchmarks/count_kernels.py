"""How often does each kernel run in a break? Counts per event, with the JIT off: the same on any machine.

    .venv/bin/python benchmarks/count_kernels.py [--gap 5e-4] [--contact sequential] [--rows 20]

Beside the calls it tells how many of the pairs that predictions look at may meet at all. Some seconds a stroke.
"""

import argparse
import cProfile
import os
import pstats
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"

import cases
import numpy as np

import carromsim as cs
from carromsim_kernels import schedule
from carromsim_kernels.scene import Scene

LEAST = 0.02
"""Kernels that run less often per event are not listed."""


class Meetings:
    """Stands in for `schedule.bound_meetings` and counts what comes of it."""

    def __init__(self) -> None:
        self.bound_meetings = schedule.bound_meetings
        self.looked_at, self.may_meet = 0, 0

    def __call__(self, scene: Scene, i: int, now: float) -> None:
        self.bound_meetings(scene, i, now)
        self.looked_at += cs.N_DISCS - 1
        self.may_meet += int(np.isfinite(scene.bound).sum())


def calls_by_kernel(profile: cProfile.Profile) -> dict[str, int]:
    """Return how often each kernel was called, most often first."""
    counts = {}
    for (file, _, name), (_, calls, *_) in vars(pstats.Stats(profile))["stats"].items():
        if "carromsim_kernels" in file:
            counts[f"{Path(file).stem}.{name}"] = calls
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def main() -> None:
    """Play some breaks and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--gap", type=float, default=5e-4, help="mean gap of the pack [m]")
    parser.add_argument("--contact", choices=["compliant", "sequential"], default="sequential")
    parser.add_argument("--rows", type=int, default=20, help="strokes that are played")
    arguments = parser.parse_args()
    equipment = cases.COMPLIANT.replace(contact=arguments.contact)
    meetings, profile = Meetings(), cProfile.Profile()
    schedule.bound_meetings = meetings
    pack = cases.break_strokes(arguments.gap, arguments.rows)
    out = profile.runcall(cs.simulate, *pack, equipment=equipment, threads=1)
    events = int(out.n_events.sum())
    print(f"{events / arguments.rows:.1f} events a stroke")  # noqa: T201 (the report)
    print(f"{meetings.may_meet / meetings.looked_at:.1%} of the pairs that predictions look at may meet")  # noqa: T201
    for kernel, calls in calls_by_kernel(profile).items():
        if calls >= LEAST * events:
            print(f"{calls / events:8.2f} per event  {kernel}")  # noqa: T201


if __name__ == "__main__":
    main()
