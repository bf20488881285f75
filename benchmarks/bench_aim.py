"""Candidates: microseconds per position and core, by discs on the board, rules and number asked for.

make bench
"""

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.aim import AimKind, candidates
from carromsim.players.skill import skill_of
from carromsim.players.turns import Turns

N = 5000


def positions(rules: str, men: tuple[int, int]) -> Turns:
    """Return N random positions for a club player with the white men."""
    rule_set = cs.RuleSet.load(rules)
    equipment = cs.Equipment.preset(rule_set.equipment)
    return Turns(
        pos=cs.random_layout(equipment, N, 1, n_men=men, clear_base_line=False).pos,
        states=np.repeat(cs.board_state(), N),
        rules=rule_set,
        equipment=equipment,
        skill=skill_of("club"),
        seed=1,
        rows=np.arange(N),
        stroke=np.zeros(N, np.int64),
    )


@pytest.mark.parametrize("k", [1, 8])
@pytest.mark.parametrize("men", [(9, 9), (5, 5), (1, 3)], ids=str)
@pytest.mark.parametrize("rules", ["icf", "ukca"])
def bench_candidates(benchmark, rules: str, men: tuple[int, int], k: int) -> None:
    """All kinds, the white men wanted; ICF lets men behind the line be hit directly, UKCA does not."""
    turns = positions(rules, men)
    wanted = turns.own.astype(float)
    found = candidates(turns, wanted, k)
    benchmark.pedantic(candidates, args=(turns, wanted, k), rounds=5, warmup_rounds=1)
    benchmark.extra_info["microseconds_per_position"] = round(1e6 * benchmark.stats.stats.min / N, 1)
    kinds = np.bincount(found["kind"][:, 0] + 1, minlength=len(AimKind) + 1)
    benchmark.extra_info["best_by_kind"] = dict(zip(["none", *(k.name for k in AimKind)], kinds.tolist(), strict=True))
    assert kinds[0] < 0.1 * N, "nearly always there is something to play"
