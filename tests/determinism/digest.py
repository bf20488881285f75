"""One hash over all outcomes of a mixed batch; run as a script for the same with the JIT switched off.

python digest.py ROWS
"""

import hashlib
import sys
from dataclasses import fields

import numpy as np

import carromsim as cs


def batch(rows: int) -> tuple[cs.Layout, cs.Strokes]:
    """Return breaks of packs in and out of touch, random positions, and every fifth row a bad one."""
    k = np.arange(rows)
    pos = np.empty((rows, 20, 2))
    for i in k:
        pos[i] = cs.opening("icf", rotation=0.01 * i, gap=(0.0, 5e-4)[i % 2]).pos
        if i % 3 == 2:  # a thin position
            pos[i, 4 + i % 5 :] = np.nan
    x = np.where(k % 5 == 4, 0.3, 0.17 * spread(37 * k, 101))
    speed = np.where(k % 7 == 6, np.nan, 3.25 + 2.75 * spread(53 * k, 97))
    angle = 0.5 * np.pi + 0.3 * spread(71 * k, 89)
    return cs.Layout(pos), cs.Strokes(x=x, angle=angle, speed=speed, spin=20.0 * spread(29 * k, 83), seat=k % 4)


def spread(numbers: np.ndarray, prime: int) -> np.ndarray:
    """Spread numbers over -1 to 1 by whole numbers and a division, which are the same bits with every NumPy."""
    return 2.0 * (numbers % prime) / (prime - 1) - 1.0


def take(given: tuple[cs.Layout, cs.Strokes], rows: np.ndarray) -> tuple[cs.Layout, cs.Strokes]:
    """Return some rows of a batch."""
    layout, strokes = given
    columns = {name: getattr(strokes, name)[rows] for name in ("x", "angle", "speed", "spin", "seat")}
    return cs.Layout(layout.pos[rows]), cs.Strokes(**columns)


def rows_of(outcomes: cs.Outcomes) -> list[bytes]:
    """Return the bytes of all columns and events, row by row."""
    names = [field.name for field in fields(outcomes) if not field.name.startswith("_")]
    return [
        b"".join(np.ascontiguousarray(getattr(outcomes, name)[i]).tobytes() for name in names)
        + outcomes.events(i).tobytes()
        for i in range(len(outcomes))
    ]


def digest(outcomes: cs.Outcomes) -> str:
    return hashlib.sha256(b"".join(rows_of(outcomes))).hexdigest()


if __name__ == "__main__":
    sys.stdout.write(digest(cs.simulate(*batch(int(sys.argv[1])), record=True, threads=1)) + "\n")
