"""Rulings per second and core, by rule set: the kernel alone, and with the checks of `carromsim.adjudicate`.

make bench
"""

import numpy as np
import pytest

import carromsim as cs
from carromsim.rules.records import RecordArray
from carromsim_kernels.adjudicate import adjudicate_batch
from carromsim_kernels.laws import BOARD_STATE, RULING, QueenState

N = 500_000


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


def measure(benchmark, function, *args) -> None:
    """Time a function that rules on N strokes; the first round is a warm-up."""
    benchmark.pedantic(function, args=args, rounds=7, warmup_rounds=1)
    benchmark.extra_info["million_rulings_per_second"] = round(N / benchmark.stats.stats.min / 1e6, 1)


@pytest.mark.parametrize("name", cs.RuleSet.names())
def bench_kernel(benchmark, name: str) -> None:
    """The referee alone, in this thread."""
    boards, facts = strokes()
    records, after = np.zeros(N, RULING), np.zeros(N, BOARD_STATE)
    params = cs.RuleSet.load(name).params
    measure(benchmark, adjudicate_batch, *(x.view(np.recarray) for x in (boards, facts, params, records, after)))
    assert len(np.unique(records["turn"])) == 3, "strokes that keep the turn, lose it and end the board"


def bench_checked(benchmark) -> None:
    """The same through the public function, which checks every board and stroke first."""
    measure(benchmark, cs.adjudicate, *strokes(), cs.RuleSet.load("icf"))
