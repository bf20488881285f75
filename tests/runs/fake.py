"""A study that costs nothing, so that the run protocol can be tried at every point of it.

As a program it runs one, to be killed:  python fake.py DIRECTORY [ROWS [SECONDS_PER_ROW [WORKERS [EXECUTOR]]]]
"""

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from carromsim.outcomes import Outcomes
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.stopping import Until
from carromsim.studies.runs.running import run_study
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import Column, TableSchema

THROWS = TableSchema(
    name="throws",
    version=1,
    columns=(
        Column(name="row", dtype="int64", unit="1", doc="Number."),
        Column(name="eyes", dtype="int8", unit="1", doc="What came up.", nullable=True, repetitive=True),
        Column(name="length", dtype="float64", unit="m", doc="How far.", nullable=True),
        Column(name="way", dtype="float64", unit="m", doc="Per disc.", nullable=True, per_disc=True),
    ),
)
BOUNCES = TableSchema(
    name="bounces",
    version=3,
    columns=(
        Column(name="row", dtype="int64", unit="1", doc="Number of the throw; each has 0 to 2 bounces."),
        Column(name="height", dtype="float64", unit="m", doc="How high."),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Throws:
    """Throws of a die."""

    kind: ClassVar[str] = "throws"
    sequential: ClassVar[bool] = False
    tables: ClassVar[tuple[TableSchema, ...]] = (THROWS, BOUNCES)
    chunk_rows: ClassVar[int] = 50
    piece_rows: ClassVar[int] = 1024
    rows: int = 130
    seed: int = 1
    seconds_per_row: float = 0.0
    until: Until | None = None
    bad: tuple[int, ...] = ()
    """Rows that cannot be played."""
    deadly: tuple[int, ...] = ()
    """Rows that end the process."""

    def batch(self, rows: range) -> dict[str, pa.RecordBatch]:
        time.sleep(self.seconds_per_row * len(rows))
        if set(rows) & set(self.deadly):
            os._exit(7)
        for row in sorted(set(rows) & set(self.bad)):
            raise ArithmeticError(f"row {row} is bad")
        number = np.arange(rows.start, rows.stop)
        length = np.sin(number * 12.9898 + self.seed) * 43758.5453 % 1.0
        eyes = (length * 6.0).astype(np.int8) + 1
        way = length[:, np.newaxis] + np.arange(20)
        none = eyes == 3
        missing = {"eyes": none, "length": none, "way": way > 12.0}
        throws = record_batch(THROWS, {"row": number, "eyes": eyes, "length": length, "way": way}, missing)
        bounced = np.repeat(number, number % 3)
        bounces = record_batch(BOUNCES, {"row": bounced, "height": np.sqrt(bounced + 1.0)}, {})
        return {"throws": throws, "bounces": bounces}

    @property
    def metrics(self) -> dict[str, Metric]:
        return {"six": Metric("a six"), "length": Metric("mean length", 1000)}

    def observed(self, batch: pa.RecordBatch) -> Observed:
        thrown = batch["eyes"].is_valid().to_numpy(zero_copy_only=False)
        six = batch["eyes"].fill_null(0).to_numpy() == 6
        length = batch["length"].fill_null(0.0).to_numpy()
        return {"six": np.where(thrown, six, np.nan), "length": np.where(thrown, length, np.nan)}

    def warm_up(self) -> None:
        self.batch(range(1))

    def declaration(self) -> dict[str, Any]:
        die = {"seed": self.seed, "sides": [1, 2, 3, 4, 5, 6]}
        until = {} if self.until is None else {"until": self.until.model_dump()}
        return {"kind": self.kind, "rows": self.rows, "die": die, **until}

    def replay(self, row: int) -> Outcomes:
        raise NotImplementedError

    def empty_counts(self) -> np.ndarray[Any, Any]:
        return np.zeros(7, np.int64)

    def counts_of(self, batch: pa.RecordBatch) -> np.ndarray[Any, Any]:
        return np.bincount(np.asarray(batch["eyes"].drop_null()), minlength=7)

    def summary_of(
        self, counts: np.ndarray[Any, Any], seconds: float | None = None, stopped: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return {"counts": counts.tolist(), "seconds": seconds}


def files(root: Path) -> dict[str, bytes]:
    """Read all files of a directory."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def main(
    directory: str, rows: str = "130", seconds_per_row: str = "0", workers: str = "1", executor: str = "threads"
) -> None:
    study = Throws(rows=int(rows), seconds_per_row=float(seconds_per_row))

    def progress(done: int, total: int, counts: object) -> None:
        sys.stdout.write(f"{done}\n")
        sys.stdout.flush()

    run_study(study, directory, workers=int(workers), executor=executor, progress=progress)


if __name__ == "__main__":
    main(*sys.argv[1:])
