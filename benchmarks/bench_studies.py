"""What a study costs on top of its strokes, by processor time: drawing, rulings, tables, Parquet, looks.

Each share is taken within one round, both sides in turn, on one core.
"""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import carromsim as cs
from carromsim.stats import asymptotic_mean, beta_binomial
from carromsim.studies.runs.study import manifest_of, parts_of
from carromsim.tables.places import place_of

pytestmark = pytest.mark.benchmark(timer=time.process_time)


def bench_run(times, note, tmp_path: Path) -> None:
    """The default break study into Parquet parts, against its strokes alone."""
    study = cs.BreakStudy(strokes=2 * 4096)
    study.run(tmp_path, workers=1)

    def strokes_alone() -> None:
        for first in range(0, study.rows, study.piece_rows):
            rows = range(first, first + study.piece_rows)
            cs.simulate(study.layout(rows), study.executed(rows), equipment=study.equipment, threads=1)

    alone, run = times(strokes_alone, lambda: study.run(tmp_path, workers=1, fresh=True), warm=False)
    note("break study", "rows/s", study.rows / run)
    note("break study", "x the time of its strokes", run / alone)


@pytest.mark.parametrize("study", [cs.BreakStudy(strokes=4096), cs.BoardStudy(boards=512)], ids=lambda each: each.kind)
def bench_streaming(times, note, tmp_path: Path, study: cs.BreakStudy | cs.BoardStudy) -> None:
    """Encoding, checksums and writing of one chunk, against playing it."""
    parts = parts_of(place_of(tmp_path), study, manifest_of(study))
    parts.place.make([table.name for table in study.tables])
    study.warm_up()
    batches = study.batch(range(study.rows))

    def stream() -> None:
        parts.write(0, parts.encode(0, {name: pa.Table.from_batches([batch]) for name, batch in batches.items()}))

    stream()
    played, streamed = times(lambda: study.batch(range(study.rows)), stream, warm=False)
    rows = sum(batch.num_rows for batch in batches.values())
    size = sum(file.stat().st_size for file in tmp_path.rglob("*.parquet"))
    note(f"streaming, {study.kind} study", "% of the time of playing", 100 * streamed / played)
    note(f"streaming, {study.kind} study", "rows/s", rows / streamed)
    note(f"streaming, {study.kind} study", "bytes/row", np.array([size / rows]))


def bench_looks(times, note) -> None:
    """A look of a study with `until`, which takes one after every chunk."""
    n = 100

    def repeatedly(look) -> None:
        for _ in range(n):
            look()

    share, mean = times(
        lambda: repeatedly(lambda: beta_binomial(48_000, 100_000)),
        lambda: repeatedly(lambda: asymptotic_mean(100_000, 1.5, 0.25)),
    )
    note("look at a share", "us", 1e6 * share / n)
    note("look at a mean", "us", 1e6 * mean / n)
