"""Strokes per second, microseconds per event, what threads add, and what bursts cost.

    make bench

Absolute figures depend on the machine and on what else it does: compare ratios within one run. Beside the
usual columns each benchmark reports its own figures under ``extra_info`` (``--benchmark-json``) and in its name's line.
"""

import time

import numpy as np
import pytest

import carromsim as cs

N = 2000
COMPLIANT = cs.Equipment.preset("icf")
SEQUENTIAL = COMPLIANT.replace(contact="sequential")
DOUBLED = COMPLIANT.replace(contact_steps=2 * COMPLIANT.contact_steps)


def breaks(gap: float) -> tuple[cs.Layout, cs.Strokes]:
    """Return N breaks with a human hand's scatter, as in the break study."""
    rng = np.random.default_rng(1)
    layout = cs.opening("icf", gap=gap, jitter=gap / 3, seed=1, n=N)
    angle, speed = np.pi / 2 + rng.normal(0.0, 0.015, N), 6.0 * (1.0 + 0.05 * rng.normal(size=N))
    return layout, cs.Strokes(x=rng.normal(0.0, 0.001, N), angle=angle, speed=speed)


def cut_shots() -> tuple[cs.Layout, cs.Strokes]:
    """Return N strokes at one man in front of the far cushion."""
    rng = np.random.default_rng(2)
    return cs.arrange(white=[(0.05, 0.15)]), cs.Strokes(
        x=0.0, angle=1.44 + rng.normal(0.0, 0.02, N), speed=np.full(N, 2.5)
    )


def measure(benchmark, layout: cs.Layout, strokes: cs.Strokes, threads: int) -> None:
    """Time a batch and note rates; the first round is a warm-up and compiles the kernels."""
    out = cs.simulate(layout, strokes, threads=threads)
    assert not out.status.any()
    benchmark.pedantic(cs.simulate, args=(layout, strokes), kwargs={"threads": threads}, rounds=7, warmup_rounds=1)
    best = benchmark.stats.stats.min
    benchmark.extra_info["strokes_per_second"] = round(N / best)
    benchmark.extra_info["microseconds_per_event"] = round(1e6 * best / int(out.n_events.sum()), 3)
    benchmark.extra_info["events_per_stroke"] = round(float(out.n_events.mean()), 1)


def compare(benchmark, layout: cs.Layout, strokes: cs.Strokes) -> None:
    """Time the same strokes, in turn, with bursts, in sequential hits, and with bursts of twice as many steps.

    Processor time of this thread, the best of seven. The time that a burst takes is that of its steps, so that what
    twice as many add is what the usual ones take: that is the share of bursts. (Where it begins and ends, a burst costs
    as much as some events of the loop; that does not count here.)
    """
    best = dict.fromkeys((COMPLIANT, SEQUENTIAL, DOUBLED), np.inf)
    for _ in range(7):
        for equipment in best:
            begin = time.thread_time()
            cs.simulate(layout, strokes, equipment=equipment, threads=1)
            best[equipment] = min(best[equipment], time.thread_time() - begin)
    compliant, sequential, doubled = best.values()
    benchmark.extra_info["breaks_per_cpu_second"] = round(N / compliant)
    benchmark.extra_info["same_in_sequential_hits"] = round(N / sequential)
    benchmark.extra_info["sequential_to_compliant_time"] = round(sequential / compliant, 3)
    benchmark.extra_info["share_of_time_in_bursts"] = round((doubled - compliant) / compliant, 3)


def report(benchmark) -> None:
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)


@pytest.mark.parametrize("threads", [1, 2, 4])
def bench_break_touching(benchmark, threads: int) -> None:
    """The touching pack, which a burst breaks."""
    measure(benchmark, *breaks(0.0), threads)
    report(benchmark)


@pytest.mark.parametrize("gap", [0.0, 1e-4, 5e-4], ids=["touching", "tenth_mm", "half_mm"])
def bench_bursts_and_sequential_hits(benchmark, gap: float) -> None:
    """Packs in touch, nearly so, and so wide that nearly all hits are of two discs."""
    measure(benchmark, *breaks(gap), 1)
    compare(benchmark, *breaks(gap))
    report(benchmark)


def bench_two_discs(benchmark) -> None:
    """A striker and one man."""
    measure(benchmark, *cut_shots(), 1)
    report(benchmark)
