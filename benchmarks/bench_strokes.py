"""Strokes on one core, by processor time of the thread.

Breaks by gap of the pack, in bursts (compliant contact) and in hits of two discs (sequential); a cut of one man; a
stroke in the middle of a board; and how the cost of an event grows with the discs that move.
"""

import time

import numpy as np
import pytest
from benchmarks.cases import (
    GAPS,
    MOVING,
    SEQUENTIAL,
    break_strokes,
    midgame_strokes,
    moving,
    striking,
    two_disc_strokes,
)

OTHERS = {"two discs": two_disc_strokes, "mid-game, 8 men": midgame_strokes}

pytestmark = pytest.mark.benchmark(timer=time.thread_time)


def note_rates(note, name: str, case, seconds) -> None:
    """Note strokes per second and microseconds per event."""
    out = case()
    assert not out.status.any()
    note(name, "strokes/s", len(out.status) / seconds)
    note(name, "us/event", 1e6 * seconds / out.n_events.sum())


@pytest.mark.parametrize("gap", GAPS)
def bench_break(times, note, gap: str) -> None:
    """The same breaks in bursts and in sequential hits, in turn."""
    pack = break_strokes(GAPS[gap])
    compliant, sequential = striking(*pack), striking(*pack, SEQUENTIAL)
    in_bursts, in_hits = times(compliant, sequential)
    note_rates(note, f"break, {gap}, compliant", compliant, in_bursts)
    note_rates(note, f"break, {gap}, sequential", sequential, in_hits)
    note(f"break, {gap}, compliant", "x the time of sequential", in_bursts / in_hits)


@pytest.mark.parametrize("name", OTHERS)
def bench_stroke(times, note, name: str) -> None:
    """Strokes with few events, on which setting up weighs."""
    case = striking(*OTHERS[name]())
    (seconds,) = times(case)
    note_rates(note, name, case, seconds)


@pytest.mark.parametrize("discs", MOVING)
def bench_growth(times, note, discs: int) -> None:
    """A second of so many moving discs, less what the same boards take when stopped at once."""
    whole, set_up = times(moving(discs), moving(discs, until=0.0))
    events = moving(discs)().n_events.sum()
    note(f"discs in motion: {discs}", "us/event", 1e6 * (whole - np.median(set_up)) / events)
