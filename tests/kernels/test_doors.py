"""The doors to the kernels on whole strokes and boards: few of them, so that they may be followed in plain Python."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.play import play_boards
from determinism.digest import batch

pytestmark = pytest.mark.kernel


def test_discs_of_a_few_breaks_are_accounted_for() -> None:
    out = cs.simulate(*batch(5), record=True, threads=1)
    assert out.status.tolist() == [0, 0, 0, 0, 3]
    fell, there = out.pocket >= 0, np.isfinite(out.pos).all(axis=2)
    assert not (fell & there)[:4].any()
    assert np.isfinite(out.pocket_time[fell]).all()
    assert [len(out.events(row)) for row in range(5)] == out.n_events.tolist()
    assert out.n_events[:4].tolist() == [96, 72, 13, 6]


@pytest.mark.parametrize("ruleset", ["icf", "ukca"])
def test_a_few_strokes_of_a_board_are_accounted_for(ruleset: str) -> None:
    played = play_boards(ruleset, n=1, policy=("greedy", "lookahead:2"), skill="novice", threads=1, stroke_limit=3)
    strokes = played.strokes
    assert strokes["stroke"].tolist() == list(range(len(strokes)))
    gone = 18 - int(strokes["on_board"][-1].sum())
    came_back = int(strokes["returned"].sum() + strokes["dues_paid"].sum())
    assert gone == int((strokes["n_white"] + strokes["n_black"]).sum()) - came_back
