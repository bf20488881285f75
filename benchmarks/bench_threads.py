"""Strokes on several threads, against one in turn.

By wall time, so that on a busy machine the threads seem to scale worse than they do. The processor time that all
threads take together shows what they cost one another: it should be that of one thread.
"""

import os
import time

import numpy as np
import pytest
from benchmarks.cases import break_strokes, midgame_strokes

import carromsim as cs

CORES = os.cpu_count() or 1
THREADS = [n for n in (2, 4, 8, 16, 32, 64) if n <= CORES]
STROKES = {"break, touching": lambda: break_strokes(0.0, 4000), "mid-game, 8 men": lambda: midgame_strokes(40_000)}


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("strokes", STROKES)
def bench_threads(times, note, strokes: str, threads: int) -> None:
    """Strokes per second of all threads together, and how many times as many as those of one."""
    layout, flicks = STROKES[strokes]()
    busy: dict[int, list[float]] = {1: [], threads: []}

    def play(count: int) -> None:
        begin = time.process_time()
        cs.simulate(layout, flicks, threads=count)
        busy[count].append(time.process_time() - begin)

    alone, together = times(lambda: play(1), lambda: play(threads))
    name = f"{strokes}, {threads} threads"
    note(name, "strokes/s", flicks.n / together)
    note(name, "x the rate of one thread", alone / together)
    note(name, "x its processor time", np.divide(busy[threads], busy[1])[-len(alone) :])
