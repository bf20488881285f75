"""Rulings on one core, by processor time of the thread."""

import time

import numpy as np
import pytest

import carromsim as cs
from carromsim.rules.records import RecordArray
from carromsim_kernels.laws import QueenState, Turn

N = 200_000

pytestmark = pytest.mark.benchmark(timer=time.thread_time)


def strokes() -> tuple[RecordArray, RecordArray]:
    """Return N boards in the middle of play and a stroke on each, which often pockets something."""
    rng = np.random.default_rng(1)
    on_board = rng.integers(1, 10, (N, 2))
    queen = rng.choice([*QueenState], N, p=[0.6, 0.1, 0.15, 0.15])
    boards = cs.board_state(on_board=on_board, ever_pocketed=np.ones((N, 2), int), queen=queen)
    own = np.minimum(rng.choice(3, N, p=[0.5, 0.4, 0.1]), on_board[:, 0])
    striker = (rng.random(N) < 0.1).astype(int)
    facts = cs.stroke_facts(
        own=own,
        opponent=np.minimum(rng.choice(2, N, p=[0.85, 0.15]), on_board[:, 1]),
        queen=((queen == QueenState.ON_BOARD) & (rng.random(N) < 0.1)).astype(int),
        striker=striker,
        striker_same_pocket_as_own=striker * (own > 0) * rng.integers(0, 2, N),
        direct_hit_behind=(rng.random(N) < 0.05).astype(int),
    )
    return boards, facts


@pytest.mark.parametrize("ruleset", ["icf", "ukca"])
def bench_adjudicate(times, note, ruleset: str) -> None:
    """`carromsim.adjudicate`, which checks every board and stroke first."""
    boards, facts = strokes()
    rules = cs.RuleSet.load(ruleset)
    turns = np.unique(cs.adjudicate(boards, facts, rules)["turn"])
    assert {Turn.CONTINUE, Turn.PASS, Turn.BOARD_END} <= set(turns.tolist()), "all that commonly happens"
    (seconds,) = times(lambda: cs.adjudicate(boards, facts, rules))
    note(f"adjudicate, {ruleset}", "million rulings/s", N / seconds / 1e6)
