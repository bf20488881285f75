"""Candidates on one core, by processor time of the thread: the best strokes at a position, by discs and number asked.

A club player, white men wanted. ICF lets men behind the line be hit directly, UKCA does not.
"""

import time

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.aim import candidates
from carromsim.players.skill import skill_of
from carromsim.players.turns import Turns

N = 2000

pytestmark = pytest.mark.benchmark(timer=time.thread_time)


def positions(ruleset: str, men: tuple[int, int]) -> Turns:
    """Return N random positions."""
    rules = cs.RuleSet.load(ruleset)
    equipment = cs.Equipment.preset(rules.equipment)
    return Turns(
        pos=cs.random_layout(equipment, N, 1, n_men=men, clear_base_line=False).pos,
        states=np.repeat(cs.board_state(), N),
        rules=rules,
        equipment=equipment,
        skill=skill_of("club"),
        seed=1,
        rows=np.arange(N),
        stroke=np.zeros(N, np.int64),
    )


@pytest.mark.parametrize("k", [1, 8])
@pytest.mark.parametrize("men", [(9, 9), (4, 4)], ids=str)
@pytest.mark.parametrize("ruleset", ["icf", "ukca"])
def bench_candidates(times, note, ruleset: str, men: tuple[int, int], k: int) -> None:
    """All kinds of strokes at once."""
    turns = positions(ruleset, men)
    wanted = turns.own.astype(float)
    assert (candidates(turns, wanted)["kind"] >= 0).mean() > 0.9, "nearly always there is something to play"
    (seconds,) = times(lambda: candidates(turns, wanted, k))
    note(f"{ruleset}, {sum(men)} men and the queen, best {k}", "us/position", 1e6 * seconds / N)
