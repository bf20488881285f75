"""What a study costs on top of its strokes: drawing, rulings, tables, counting and Parquet.

Each ratio is taken within one run, both sides on one thread in turn; absolute figures depend on the machine.
"""

import itertools
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import carromsim as cs
from carromsim.layouts import opening
from carromsim.studies.breaks.ruling import rule_on_breaks, ruling_columns
from carromsim.studies.runs.study import manifest_of, parts_of
from carromsim.tables.places import place_of

STROKES = 4 * 4096


def strokes_alone(study: cs.BreakStudy) -> None:
    """Simulate the study's strokes chunk by chunk and drop the outcomes."""
    for first in range(0, STROKES, 4096):
        rows = range(first, first + 4096)
        layout = opening(study.equipment, gap=study.gap, jitter=study.jitter, seed=1, n=len(rows), first_row=first)
        cs.simulate(layout, study.executed(rows), equipment=study.equipment, threads=1)


def bench_run_to_parquet(benchmark, tmp_path: Path) -> None:
    """The default break study into Parquet parts, against its strokes alone."""
    study = cs.BreakStudy(strokes=STROKES)
    directories = (tmp_path / str(i) for i in itertools.count())
    study.run(next(directories), workers=1)  # warm
    ratios = []

    def both() -> None:
        begin = time.perf_counter()
        strokes_alone(study)
        middle = time.perf_counter()
        study.run(next(directories), workers=1)
        ratios.append((time.perf_counter() - middle) / (middle - begin))

    benchmark.pedantic(both, rounds=5)
    ratios.sort()
    benchmark.extra_info["run_over_strokes_alone"] = [round(ratio, 3) for ratio in ratios]
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)


def bench_rulings(benchmark) -> None:
    """What facts, referee and columns of the rulings add to a chunk of the default break study."""
    study, rows, ratios = cs.BreakStudy(strokes=4096), range(4096), []
    strokes = study.executed(rows)
    out = cs.simulate(study.layout(rows), strokes, equipment=study.equipment, threads=1)
    study.batch(range(1))  # warm

    def both() -> None:
        begin = time.perf_counter()
        study.batch(rows)
        middle = time.perf_counter()
        ruling_columns(rule_on_breaks(rows, strokes, out, study), np.ones(len(rows), bool))
        rulings = time.perf_counter() - middle
        ratios.append((middle - begin) / (middle - begin - rulings))

    benchmark.pedantic(both, rounds=5)
    ratios.sort()
    benchmark.extra_info["chunk_with_over_without_rulings"] = [round(ratio, 4) for ratio in ratios]
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)


@pytest.mark.parametrize("study", [cs.BreakStudy(strokes=4096), cs.BoardStudy(boards=512)], ids=lambda each: each.kind)
def bench_streaming(benchmark, tmp_path: Path, study: cs.BreakStudy | cs.BoardStudy) -> None:
    """What encoding, checksums and writing take of one core while it plays: a chunk, played and streamed in turn."""
    parts = parts_of(place_of(tmp_path), study, manifest_of(study))
    parts.place.make([table.name for table in study.tables])
    study.warm_up()
    shares = []

    def both() -> None:
        begin = time.process_time()
        batches = study.batch(range(study.rows))
        middle = time.process_time()
        rows = {name: pa.Table.from_batches([batch]) for name, batch in batches.items()}
        parts.write(0, parts.encode(0, rows))
        shares.append((time.process_time() - middle) / (middle - begin))

    benchmark.pedantic(both, rounds=5)
    benchmark.extra_info["streaming_share_of_a_core"] = sorted(round(share, 4) for share in shares)
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)
