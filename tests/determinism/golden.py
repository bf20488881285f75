"""Golden strokes: what a fixed set of strokes, breaks, shots and boards comes out as; run as a script to write it.

python golden.py > ../data/golden_strokes.json

Whether bits must be equal depends on where they were made: the four rules of arithmetic and the square root are the
same everywhere, sin, cos, log and atan2 are those of the C library, which chooses its code by the processor.
"""

import hashlib
import json
import math
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' own folder

import carromsim as cs
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.shots.study import ShotStudy
from determinism.digest import batch, rows_of

STROKES = 120
SHORT_EVENTS = 5
"""Events after which another rounding of a sine may still be told from another result."""

BREAKS = BreakStudy(strokes=1200, seed=2)
SHOTS = ShotStudy(strokes=60, seed=3, cut=cs.Uniform(-0.8, 0.8), distance=cs.Uniform(0.2, 0.4), skill="club")
BOARDS = BoardStudy(boards=4, seed=5)


def here() -> dict[str, Any]:
    """Tell what bits depend on: the system's C library and, for some of its functions, the processor."""
    return {"system": platform.system(), "machine": platform.machine(), "libc": " ".join(platform.libc_ver())}


def short(rows: Iterable[bytes]) -> list[str]:
    """Hash rows, each by itself, so that a difference can be told by its row."""
    return [hashlib.sha256(row).hexdigest()[:12] for row in rows]


def rows_of_table(table: pa.Table | pa.RecordBatch) -> list[bytes]:
    """Return the values of each row; JSON writes a number such that it is read back to the bit."""
    return [json.dumps(row, sort_keys=True).encode() for row in table.to_pylist()]


def played(study: Any) -> dict[str, list[str]]:
    """Play a study in this thread and hash the rows of each table."""
    return {name: short(rows_of_table(rows)) for name, rows in study.batch(range(study.rows)).items()}


def positions(outcomes: cs.Outcomes) -> dict[str, list[float | None]]:
    """Give where discs end in strokes of few events, by row: x and y of all discs in turn, none for one pocketed."""
    few = np.flatnonzero((outcomes.status == 0) & (outcomes.n_events <= SHORT_EVENTS))
    return {
        str(row): [None if math.isnan(place) else place for place in outcomes.pos[row].ravel().tolist()] for row in few
    }


def golden() -> dict[str, Any]:
    """Make all that is kept."""
    outcomes = cs.simulate(*batch(STROKES), record=True, threads=1)
    return {
        "made by": "tests/determinism/golden.py",
        "platform": here(),
        "strokes": short(rows_of(outcomes)),
        "positions": positions(outcomes),
        "breaks": played(BREAKS),
        "shots": played(SHOTS),
        "boards": played(BOARDS),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(golden(), indent=1) + "\n")
