"""Strokes per second, microseconds per event, and what threads add.

    make bench

Absolute figures depend on the machine and on what else it does: compare ratios within one run. Beside the
usual columns each benchmark reports its own figures under ``extra_info`` (``--benchmark-json``) and in its name's line.
"""

import numpy as np
import pytest

import carromsim as cs

N = 2000


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
    print(f"\n{benchmark.name}: {benchmark.extra_info}")  # noqa: T201 (the report)


@pytest.mark.parametrize("threads", [1, 2, 4])
def bench_break_gap_half_mm(benchmark, threads: int) -> None:
    """The opening pack with gaps of 0.5 mm, where two-body hits are right."""
    measure(benchmark, *breaks(0.0005), threads)


def bench_break_touching(benchmark) -> None:
    """The touching pack (its sequential hits are not yet true to nature)."""
    measure(benchmark, *breaks(0.0), 1)


def bench_two_discs(benchmark) -> None:
    """A striker and one man."""
    measure(benchmark, *cut_shots(), 1)
