"""What a study costs on top of its strokes: drawing, tables, counting and Parquet.

The ratio is taken within one run, both sides on one thread in turn; absolute figures depend on the machine.
"""

import itertools
import time
from pathlib import Path

import carromsim as cs
from carromsim.layouts import opening

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
    study.run(next(directories), threads=1)  # warm
    ratios = []

    def both() -> None:
        begin = time.perf_counter()
        strokes_alone(study)
        middle = time.perf_counter()
        study.run(next(directories), threads=1)
        ratios.append((time.perf_counter() - middle) / (middle - begin))

    benchmark.pedantic(both, rounds=5)
    ratios.sort()
    benchmark.extra_info["run_over_strokes_alone"] = [round(ratio, 3) for ratio in ratios]
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)
