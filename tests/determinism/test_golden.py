"""Golden strokes: the same bits with every Python, every dependency, any workers, chunks and order, and no JIT."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.studies.breaks.study import BreakStudy
from determinism.digest import batch, rows_of, take
from determinism.golden import BOARDS, BREAKS, SHOTS, STROKES, here, played, rows_of_table, short
from executors.test_executors import InOrder

KEPT = json.loads((Path(__file__).parents[1] / "data" / "golden_strokes.json").read_text(encoding="utf-8"))
CHUNKS = (64, 1000, 65536)
FEW = 12

promised = pytest.mark.skipif(
    here() != KEPT["platform"],
    reason=f"bits are promised for {KEPT['platform']}, this is {here()}: sines of another C library may differ",
)


def run_here(code: str, **environment: str) -> str:
    """Run Python with our own paths and some environment variables."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": paths} | environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FIRST = f"""
import json
import carromsim as cs
from determinism.digest import batch, rows_of, take
from determinism.golden import BREAKS, STROKES, rows_of_table, short
import numpy as np
given = take(batch(STROKES), np.arange({FEW}))
strokes = short(rows_of(cs.simulate(*given, record=True, threads=1)))
print(json.dumps([strokes, short(rows_of_table(BREAKS.batch(range(2))["strokes"]))]))
"""


@promised
def test_golden_strokes_come_out_bit_by_bit() -> None:
    outcomes = cs.simulate(*batch(STROKES), record=True, threads=1)
    assert short(rows_of(outcomes)) == KEPT["strokes"]


@promised
@pytest.mark.parametrize(("name", "study"), [("breaks", BREAKS), ("shots", SHOTS), ("boards", BOARDS)])
def test_golden_studies_come_out_bit_by_bit(name: str, study: Any) -> None:
    assert played(study) == KEPT[name]


def test_golden_strokes_of_few_events_come_out_anywhere() -> None:
    """Where the C library is another one too: to 1e-9 m, before a difference in the last bit has grown."""
    outcomes = cs.simulate(*batch(STROKES), threads=1)
    assert len(KEPT["positions"]) > 20
    for row, expected in KEPT["positions"].items():
        values = np.array([np.nan if place is None else place for place in expected])
        np.testing.assert_allclose(outcomes.pos[int(row)].ravel(), values, rtol=0, atol=1e-9)


@promised
def test_golden_strokes_know_neither_order_nor_chunk_nor_thread() -> None:
    order = np.random.default_rng(3).permutation(STROKES)
    for chunk_rows in (1, *CHUNKS):
        shuffled = cs.simulate(*take(batch(STROKES), order), record=True, threads=4, chunk_rows=chunk_rows)
        assert short(rows_of(shuffled)) == [KEPT["strokes"][row] for row in order]


def golden_breaks(run: Any) -> bool:
    return short(rows_of_table(run.tables["strokes"].to_table().sort_by("row"))) == KEPT["breaks"]["strokes"]


@promised
@pytest.mark.parametrize("chunk_rows", CHUNKS)
def test_golden_breaks_know_neither_workers_nor_chunks(
    chunk_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BreakStudy, "chunk_rows", chunk_rows)
    for workers in (1, 2, 4):
        assert golden_breaks(BREAKS.run(tmp_path / str(workers), workers=workers)), workers


@promised
def test_golden_breaks_know_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreakStudy, "chunk_rows", BREAKS.rows // 16)  # the executor plays four at a time
    assert golden_breaks(BREAKS.run(tmp_path / "shuffled", executor=InOrder(1)))


@promised
@pytest.mark.slow
@pytest.mark.parametrize("chunk_rows", CHUNKS)
def test_golden_breaks_do_not_know_who_plays(chunk_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(BreakStudy, "chunk_rows", chunk_rows)
    for workers in (1, 2, 4):
        assert golden_breaks(BREAKS.run(tmp_path / f"p{workers}", workers=workers, executor="processes")), workers
        with distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster:
            run = BREAKS.run(tmp_path / f"d{workers}", executor=f"dask:{cluster.scheduler_address}")
        assert golden_breaks(run), workers


@promised
def test_golden_strokes_come_out_without_the_jit() -> None:
    """Strokes alone: the laws' kernels take records, whose fields have names in compiled code only."""
    code = FIRST.partition("print")[0] + "print(json.dumps(strokes))"
    assert json.loads(run_here(code, NUMBA_DISABLE_JIT="1")) == KEPT["strokes"][:FEW]


@promised
@pytest.mark.slow
def test_golden_strokes_come_out_on_a_processor_without_extras(tmp_path: Path) -> None:
    strokes, breaks = json.loads(run_here(FIRST, NUMBA_CPU_NAME="generic", CARROMSIM_CACHE_DIR=str(tmp_path)))
    assert strokes == KEPT["strokes"][:FEW]
    assert breaks == KEPT["breaks"]["strokes"][:2]


@promised
@pytest.mark.parametrize(
    "layer", ["omp", *(pytest.param(each, marks=pytest.mark.slow) for each in ("tbb", "workqueue"))]
)
def test_golden_strokes_ask_for_no_threading_layer(layer: str) -> None:
    """Whichever is asked for, installed or not: threads are ours."""
    strokes, breaks = json.loads(run_here(FIRST, NUMBA_THREADING_LAYER=layer, NUMBA_NUM_THREADS="3"))
    assert (strokes, breaks) == (KEPT["strokes"][:FEW], KEPT["breaks"]["strokes"][:2])
