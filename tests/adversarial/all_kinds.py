"""Adversarial cases of all kinds: how many, and how many break a limit or have another outcome than the known one.

    python tests/adversarial/all_kinds.py --cases 100000 --seed 1 [--kind breaks] [--contact compliant]

Each kind makes about so many cases in each of both modes of contact. "Given up" are sequential hits of touching discs
that lose energy for longer than a stroke's budget of events. The exit code is 1 if a case fails; the first are named.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the script: where the tests find their own helpers

import numpy as np

from adversarial import crowds, pairs, singles
from adversarial.judging import Cases, given_up, judge

KINDS: list[Callable[[np.random.Generator, int, str], Iterator[Cases]]] = [
    singles.corner_at_45_degrees,
    singles.frame_starts,
    singles.tiny_speeds,
    singles.big_spins,
    singles.at_the_pocket,
    singles.striker_as_large_as_the_pocket,
    pairs.grazes,
    pairs.near_stops,
    pairs.touching_starts,
    pairs.equal_times,
    pairs.both_at_once,
    crowds.meeting_at_once,
    crowds.row_of_men,
    crowds.frozen_clusters,
    crowds.two_for_one_pocket,
    crowds.breaks,
]
MODES = ("sequential", "compliant")
PORTION = 4000
"""Cases that are made at a time: all of their states together are held in memory."""


class Count(NamedTuple):
    """What came of one kind in one mode."""

    cases: int
    known: int
    """Of these, cases whose outcome is known and not only bounded."""
    given_up: int
    failed: int
    first: list[str]
    """The first failures, in words."""


def count(kind: Callable[..., Iterator[Cases]], cases: int, contact: str, seed: int = 1) -> Count:
    """Make and judge about so many cases of one kind."""
    tried = known = up = failed = 0
    first: list[str] = []
    for portion in range(-(-cases // PORTION)):
        rng = np.random.default_rng([seed, portion])
        for made in kind(rng, min(PORTION, cases - portion * PORTION), contact):
            played = ~given_up(made)
            until = np.broadcast_to(made.until, len(made.pos))[played]
            rows = made._replace(pos=made.pos[played], vel=made.vel[played], omega=made.omega[played], until=until)
            wrong = judge(rows, rng)
            bad = np.any([*wrong.values(), np.zeros(len(rows.pos), bool)], axis=0)
            tried, up, failed = tried + len(made.pos), up + int(np.sum(~played)), failed + int(np.sum(bad))
            known += len(made.pos) if made.answer is not None else 0
            first += [f"{what}: {describe(rows, int(np.argmax(at)))}" for what, at in wrong.items()]
    return Count(tried, known, up, failed, first[:5])


def describe(cases: Cases, row: int) -> str:
    """Return what is needed to play a row again."""
    discs = np.flatnonzero(np.isfinite(cases.pos[row, :, 0]))
    state = ", ".join(
        f"disc {i} at {cases.pos[row, i].tolist()} with {cases.vel[row, i].tolist()}, {cases.omega[row, i]}"
        for i in discs
    )
    return f"{state}; {cases.equipment}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=[kind.__name__ for kind in KINDS])
    parser.add_argument("--contact", choices=MODES)
    arguments = parser.parse_args()
    failures: list[str] = []
    sys.stdout.write(f"{'kind':32}{'contact':12}{'cases':>9}{'known':>9}{'given up':>10}{'failed':>8}\n")
    for kind in KINDS:
        if arguments.kind in (None, kind.__name__):
            for contact in [arguments.contact] if arguments.contact else MODES:
                found = count(kind, arguments.cases, contact, arguments.seed)
                numbers = f"{found.cases:9}{found.known:9}{found.given_up:10}{found.failed:8}"
                sys.stdout.write(f"{kind.__name__.replace('_', ' '):32}{contact:12}{numbers}\n")
                sys.stdout.flush()
                failures += found.first
    sys.stdout.write("".join(f"{failure}\n" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
