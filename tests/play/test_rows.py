"""Numbers of rows, boards and strokes: what chance depends on, wherever it enters."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.layouts import opening
from carromsim.rules.records import check_boards

PACK = {"gap": 1e-4, "jitter": 3e-5, "seed": 5}
JUMPING = cs.Equipment.preset("icf").replace(jump_chance=0.5, jump_speed=1.0)


def test_a_pack_depends_on_its_row_and_board() -> None:
    first = opening("icf", n=6, **PACK).pos
    rows = np.array([4, 0, 5])
    assert np.array_equal(opening("icf", rows=rows, **PACK).pos, first[rows], equal_nan=True)
    assert np.array_equal(opening("icf", rows=rows, board=np.zeros(3, int), **PACK).pos, first[rows], equal_nan=True)
    later = opening("icf", rows=rows, board=np.array([0, 2, 0]), **PACK).pos
    assert np.array_equal(later[[0, 2]], first[[4, 5]], equal_nan=True)
    assert not np.array_equal(later[1], first[0], equal_nan=True)
    assert np.array_equal(later[1], opening("icf", n=1, board=2, **PACK).pos[0], equal_nan=True)
    with pytest.raises(ValueError, match=r"rows has shape \(3,\): must be a number or of shape \(2,\)"):
        opening("icf", rows=rows, n=2, **PACK)


def test_the_luck_of_a_stroke_depends_on_its_row_and_number() -> None:
    rows, number = np.arange(8), np.array([0, 1, 2, 3, 0, 0, 0, 0])
    layout, strokes = opening("icf", n=8, gap=1e-4), cs.Strokes(x=0.0, speed=np.full(8, 6.0))

    def play(**which: object) -> np.ndarray:
        return cs.simulate(layout, strokes, equipment=JUMPING, seed=2, threads=1, **which).pos  # type: ignore[arg-type]

    plain = play()
    assert np.array_equal(play(rows=rows), plain, equal_nan=True)
    mixed = play(rows=rows, stroke=number)
    same = [np.array_equal(mixed[row], plain[row], equal_nan=True) for row in rows]
    assert same == [True, False, False, False, True, True, True, True]
    turned_round = play(rows=rows[::-1], stroke=number[::-1])
    assert np.array_equal(turned_round[::-1], mixed, equal_nan=True), "the packs are alike"
    with pytest.raises(ValueError, match=r"rows has shape \(3,\): must be \(8,\)"):
        play(rows=rows[:3])


def test_a_man_who_is_owed_need_not_have_been_pocketed() -> None:
    """He left the board and found no room: he is off it, owed, and nobody ever pocketed a man."""
    check_boards(cs.board_state(on_board=(8, 9), dues=(1, 0), ever_pocketed=(0, 0)), any_man=False)
    with pytest.raises(ValueError, match="ever_pocketed"):
        check_boards(cs.board_state(on_board=(7, 9), dues=(1, 0), ever_pocketed=(0, 0)), any_man=False)
