"""Complaints about batches: rows that are not the same again, errors that vanish, workers that take every core."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from carromsim.executors import THREAD_VARIABLES
from carromsim.streams import Streams
from carromsim_kernels.state import Status

COLUMNS = ("status", "pocket", "pocket_time", "pos", "n_events", "duration", "first_hit")


def breaks(n: int) -> tuple[cs.Layout, cs.Strokes]:
    """Return the opening pack and n strokes at it, each a little different."""
    rng = np.random.default_rng(1)
    x, angle = rng.normal(0.0, 0.01, n), 0.5 * np.pi + rng.normal(0.0, 0.02, n)
    return cs.opening("icf", gap=5e-4), cs.Strokes(x=x, angle=angle, speed=rng.uniform(1.0, 3.0, n))


def assert_equal_rows(one: cs.Outcomes, other: cs.Outcomes, rows: np.ndarray) -> None:
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name)[rows], getattr(other, name)[rows])


def test_pymunk_181_a_stored_row_plays_again_bit_for_bit(tmp_path: Path) -> None:
    """Same space, same impulses, another result; and copies of a state change it. #258: copying is slow."""
    run = cs.BreakStudy(strokes=300).run(tmp_path / "run", workers=2)
    for row in (0, 17, 299):
        stored = run.row(row)
        assert stored is not None
        assert stored.equals(run.again(row))


def test_pymunk_258_ten_thousand_boards_are_copied_in_milliseconds() -> None:
    """Copying a space takes longer than simulating it: here a batch of boards is one array, and so is its copy."""
    boards = cs.opening("icf", gap=5e-4, jitter=1e-4, n=10_000)
    seconds = []
    for _ in range(5):
        clock = time.perf_counter()
        copy = cs.Layout(boards.pos)
        seconds.append(time.perf_counter() - clock)
    np.testing.assert_array_equal(copy.pos, boards.pos)
    assert not np.shares_memory(copy.pos, boards.pos)
    assert min(seconds) < 0.05


@pytest.mark.slow
def test_numba_2811_one_poisoned_stroke_in_a_hundred_thousand_is_flagged() -> None:
    """An error in a parallel loop vanishes, and the rest of that thread's rows are left undone."""
    layout, strokes = breaks(100_000)
    clean = cs.simulate(layout, strokes)
    poisoned, speed = 61_803, strokes.speed.copy()
    speed[poisoned] = np.nan
    out = cs.simulate(layout, cs.Strokes(x=strokes.x, angle=strokes.angle, speed=speed))
    assert np.flatnonzero(out.status).tolist() == [poisoned]
    assert out.status[poisoned] == Status.BAD_INPUT
    assert_equal_rows(clean, out, np.delete(np.arange(100_000), poisoned))


def test_numba_9288_four_threads_of_python_may_simulate_at_once() -> None:
    """Two threads of Python in a parallel loop abort the process: here four give what one gives, each with a pool."""
    layout, strokes = breaks(600)
    alone = cs.simulate(layout, strokes, threads=1)
    with ThreadPoolExecutor(4) as pool:
        for out in pool.map(lambda threads: cs.simulate(layout, strokes, threads=threads, chunk_rows=50), [1, 2, 2, 3]):
            assert_equal_rows(alone, out, np.arange(600))


def variables() -> dict[str, str | None]:
    """Return what a worker's libraries read of the number of threads."""
    return {name: os.environ.get(name) for name in THREAD_VARIABLES}


@pytest.mark.slow
def test_dask_9075_workers_take_one_thread_each_and_give_the_same_bytes(tmp_path: Path) -> None:
    """Each worker takes all cores. #5132, #3149: it hangs with Numba's threads, and does not say what was cancelled."""
    distributed = pytest.importorskip("distributed")
    from runs.fake import files

    study, clock = cs.BreakStudy(strokes=2000), time.monotonic()
    study.run(tmp_path / "threads", workers=1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as two:
        study.run(tmp_path / "dask", executor=f"dask:{two.scheduler_address}")
        with distributed.Client(two) as client:
            for found in client.run(variables).values():
                assert {found[name] for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")} == {"1"}
    assert files(tmp_path / "dask") == files(tmp_path / "threads")
    assert time.monotonic() - clock < 60.0


def test_msprime_1257_a_row_plays_again_by_itself(tmp_path: Path) -> None:
    """One replicate cannot be run again without all before it; #912: nor does the file say how it was made."""
    run = cs.BreakStudy(strokes=400, seed=9).run(tmp_path / "run", workers=2)
    again = cs.open_run(tmp_path / "run")
    out = again.rerun(399)
    batch = next(batch for batch in run.batches() if 399 in batch.column("row").to_pylist())
    stored = batch.slice(batch.column("row").to_pylist().index(399), 1)
    assert stored.column("duration")[0].as_py() == pytest.approx(float(out.duration[0]), abs=0.0)
    assert stored.column("n_events")[0].as_py() == out.n_events[0]


def test_openmc_2993_no_row_overruns_the_numbers_of_the_next() -> None:
    """A history that draws more numbers than the stride between histories gets those of the next one.

    Here row, stroke and place in the stroke are each a word of 64 bits of the generator's counter: the last numbers
    that can be asked for are NumPy's, and differ from the first of the next stroke and row.
    """
    row, stroke, slot = 2**63 - 2, 2**63 - 2, 2**40
    raw = np.random.Philox(key=7, counter=[slot // 4, stroke, row, 0]).random_raw(1)[0]
    last = Streams(7).uniform([row], stroke, slot)[0]
    assert last == ((int(raw) >> 12) + 0.5) / 2**52
    assert last not in (Streams(7).uniform([row], stroke + 1, 0)[0], Streams(7).uniform([row + 1], 0, 0)[0])
