"""The doors to the kernels on whole strokes and boards: few of them, so that they may be followed in plain Python."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.play import play_boards
from carromsim.players.aim import candidates
from carromsim.strokes import placement_legal
from determinism.digest import batch
from players.positions import random_turns

pytestmark = pytest.mark.kernel


def test_discs_of_a_few_breaks_are_accounted_for() -> None:
    out = cs.simulate(*batch(5), record=True, threads=1)
    assert out.status.tolist() == [0, 0, 0, 0, 3]
    fell, there = out.pocket >= 0, np.isfinite(out.pos).all(axis=2)
    assert not (fell & there)[:4].any()
    assert np.isfinite(out.pocket_time[fell]).all()
    assert [len(out.events(row)) for row in range(5)] == out.n_events.tolist()
    assert np.all(out.n_events[:4] > 0)


@pytest.mark.parametrize("ruleset", ["icf", "ukca"])
def test_a_few_strokes_of_a_board_are_accounted_for(ruleset: str) -> None:
    played = play_boards(ruleset, n=1, policy=("greedy", "lookahead:2"), skill="novice", threads=1, stroke_limit=3)
    strokes = played.strokes
    assert strokes["stroke"].tolist() == list(range(len(strokes)))
    gone = 18 - int(strokes["on_board"][-1].sum())
    came_back = int(strokes["returned"].sum() + strokes["dues_paid"].sum())
    assert gone == int((strokes["n_white"] + strokes["n_black"]).sum()) - came_back


@pytest.mark.parametrize("ruleset", ["icf", "ukca", "bell_i"])
@pytest.mark.parametrize("men", [(9, 9), (3, 2)], ids=["many", "few"])
def test_the_best_strokes_of_a_few_positions_are_legal(ruleset: str, men: tuple[int, int]) -> None:
    turns = random_turns(ruleset, 2, men, seed=5)
    wanted = np.zeros((len(turns), cs.N_DISCS))
    wanted[:, cs.WHITE], wanted[:, cs.QUEEN] = 1.0, 0.5
    found = candidates(turns, wanted, 3)
    rows, at = np.nonzero(found["kind"] >= 0)
    best = found[rows, at]
    assert len(best) > 0
    assert np.all(np.diff(found["value"], axis=1)[found["kind"][:, 1:] >= 0] <= 0.0)
    assert placement_legal(best["x"], turns.equipment).all()
    assert np.all((best["estimate"] > 0.0) & (best["estimate"] <= 1.0))
