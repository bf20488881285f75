"""The public referee: what goes in, what is refused, what comes out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import carromsim as cs
from carromsim_kernels.laws import BOARD_STATE, STROKE_FACTS


def test_names_and_codes_make_the_same_board() -> None:
    named = cs.board_state(shooter=["white", "black"], queen=["pending", "covered_black"], on_board=(5, 6))
    coded = cs.board_state(shooter=[0, 1], queen=[1, 3], on_board=[[5, 6], [5, 6]])
    assert named.dtype == BOARD_STATE
    assert (named == coded).all()


def test_what_is_not_said_is_an_ordinary_stroke() -> None:
    facts = cs.stroke_facts()
    assert facts.dtype == STROKE_FACTS
    said = {name: facts[name][0].tolist() for name in facts.dtype.names if np.any(facts[name])}
    assert said == {"touched_piece": 1, "crossed_front": 1, "left_base": 1, "demand_extra": -1, "board_lost_by": -1}


def test_true_means_all_where_a_number_is_asked() -> None:
    facts = cs.stroke_facts(decline_dues=[True, False, 1, -1], demand_extra=[False, True, 1, 2])
    assert facts["decline_dues"].tolist() == [-1, 0, 1, -1]
    assert facts["demand_extra"].tolist() == [0, -1, 1, 2]
    for true in (True, np.True_, [np.True_], np.array([True])):
        assert cs.stroke_facts(decline_dues=true)["decline_dues"].tolist() == [-1]
    assert cs.stroke_facts(demand_extra=np.array([True, False]))["demand_extra"].tolist() == [-1, 0]
    assert cs.stroke_facts(own=np.array([True, False]))["own"].tolist() == [1, 0]


def test_whether_the_queen_was_pocketed_is_no_state_of_the_queen() -> None:
    with pytest.raises(ValueError, match="stroke_facts: queen = 2 in row 0: must be from 0 to 1"):
        cs.stroke_facts(queen=2)
    with pytest.raises(ValueError, match="stroke_facts: queen = 'pending': must be an integer, True or False"):
        cs.stroke_facts(queen="pending")


@pytest.mark.parametrize(
    ("make", "field", "value", "told"),
    [
        (cs.stroke_facts, "own", 257, "own = 257 in row 0: must be from 0 to 9"),
        (cs.stroke_facts, "striker", 257, "striker = 257 in row 0: must be from 0 to 1"),
        (cs.stroke_facts, "technical_fouls", [0, 256], "technical_fouls = 256 in row 1: must be from 0 to 9"),
        (cs.stroke_facts, "decline_dues", np.array([2**64 - 1], np.uint64), "decline_dues = 18446744073709551615: "),
        (cs.board_state, "shooter", 256, "shooter = 256 in row 0: must be from 0 to 1"),
        (cs.board_state, "on_board", [300, 1], r"on_board = \[300, 1\] in row 0: must be from 0 to 9"),
        (cs.board_state, "dues", np.array([[0, 0], [256, 0]]), r"dues = \[256, 0\] in row 1: must be from 0 to 100"),
        (cs.board_state, "break_attempt", 257, "break_attempt = 257 in row 0: must be from 1 to 100"),
        (cs.board_state, "score", [65536, 0], r"score = \[65536, 0\] in row 0: must be from -10000 to 10000"),
        (cs.board_state, "queen", np.ma.array([0, 1], mask=[False, True]), "(?s:queen = masked_array.*): is masked"),
        (cs.board_state, "score", [0, 2**40], r"score = \[0, 1099511627776\] in row 0: must be from -10000"),
    ],
)
def test_a_number_beyond_the_bits_of_a_record_is_refused_as_it_was_given(
    make: Callable[..., Any], field: str, value: Any, told: str
) -> None:
    with pytest.raises(ValueError, match=f"{make.__name__}: {told}"):
        make(**{field: value})


def test_one_board_meets_many_strokes_and_many_boards_one_stroke() -> None:
    board, facts = cs.board_state(on_board=(5, 5)), cs.stroke_facts(own=[0, 1, 2])
    assert cs.adjudicate(board, facts, "icf")["turn"].tolist() == [1, 0, 0]
    boards = cs.board_state(on_board=[[5, 5], [1, 5]], queen=["on_board", "covered_white"])
    assert cs.adjudicate(boards, cs.stroke_facts(own=1), "icf")["turn"].tolist() == [0, 3]


def test_a_ruling_says_what_it_is_and_why() -> None:
    ruling = cs.adjudicate(cs.board_state(on_board=(6, 5)), cs.stroke_facts(own=1, striker=True), "icf")
    assert ruling.row(0) == {
        "turn": "continue",
        "dues_incurred": 1,
        "forced_returns": {"own": 1, "opponent": 0},
        "dues_paid_now": 1,
        "opponent_dues_paid_now": 0,
        "queen_returned": False,
        "queen_after": "on_board",
        "on_board_after": {"white": 7, "black": 5},
        "dues_after": {"white": 0, "black": 0},
        "score_delta": {"white": 0, "black": 0},
        "break_made_after": True,
        "laws": ["ICF 48", "ICF 72a", "ICF 73", "ICF 78a"],
    }
    assert ruling.fields(0) == (
        "turn.own_man_keeps",
        "dues.striker",
        "dues.striker_with_own",
        "dues.striker_own_returned",
        "dues.pay",
    )
    assert repr(ruling) == "Rulings(icf: 1 continue)"


def test_the_board_goes_on_where_the_ruling_left_it() -> None:
    """White misses, black pockets the striker with nothing down: his due is owed and paid with his first man."""
    board = cs.board_state(on_board=(8, 9))
    missed = cs.adjudicate(board, cs.stroke_facts(), "icf")
    assert missed.after["shooter"].tolist() == [1]
    owing = cs.adjudicate(missed.after, cs.stroke_facts(striker=True), "icf")
    assert (owing.after["shooter"].tolist(), owing.after["dues"].tolist()) == ([0], [[0, 1]])
    paid = cs.adjudicate(owing.after, cs.stroke_facts(opponent=1), "icf")
    assert paid.after["dues"].tolist() == [[0, 0]]
    assert paid.after["on_board"].tolist() == [[8, 9]]
    assert paid["dues_paid"].tolist() == [[0, 1]], "white pocketed it, black's due takes it out"


def test_the_table_has_a_column_for_each_number_and_null_where_there_is_none() -> None:
    boards = cs.board_state(on_board=[[5, 5], [1, 5]], queen=["on_board", "covered_white"])
    table = cs.adjudicate(boards, cs.stroke_facts(own=1), "icf").to_arrow()
    assert table.column_names == [
        "turn",
        "dues_incurred",
        "dues_paid_own",
        "dues_paid_opponent",
        "returned_own",
        "returned_opponent",
        "queen_returned",
        "winner",
        "points",
        "score_delta_white",
        "score_delta_black",
        "laws",
    ]
    assert table["winner"].to_pylist() == [None, 0]
    assert table["points"].to_pylist() == [None, 8]
    assert table["laws"].to_pylist()[0] == ["ICF 48"]
    assert table.schema.field("turn").type == pa.int8()


@pytest.mark.parametrize(
    ("board", "facts", "message"),
    [
        ({"on_board": (5, 5)}, {"own": 6}, "own = 6 in row 0: more men than were on the board"),
        ({"on_board": (5, 5)}, {"own": 4, "overboard_own": 2}, "own = 4 in row 0: more men than were on the board"),
        ({"on_board": (5, 1)}, {"opponent": 2}, "opponent = 2 in row 0: more men"),
        ({"queen": "pending", "on_board": (5, 5)}, {"queen": True}, "queen = 1 in row 0: she was not on the board"),
        ({}, {"queen": True, "overboard_queen": True}, "queen = 1 in row 0: she can leave the board but once"),
        ({}, {"striker": True, "overboard_striker": True}, "striker = 1 in row 0: it can leave the board but once"),
        ({}, {"own": 1, "touched_piece": False}, "touched_piece = 0 in row 0: a piece was pocketed"),
        ({}, {"left_base": False}, "left_base = 0 in row 0: the striker touched a piece"),
        ({}, {"striker": True, "striker_same_pocket_as_own": True}, "striker_same_pocket_as_own = 1 in row 0"),
        ({"on_board": (8, 9), "ever_pocketed": (0, 0)}, {}, "ever_pocketed = \\[0, 0\\] in row 0: that side has a man"),
        ({"break_made": False, "on_board": (8, 9)}, {}, "break_made = 0 in row 0: something has been pocketed"),
    ],
)
def test_what_cannot_have_happened_is_refused(board: dict, facts: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cs.adjudicate(cs.board_state(**board), cs.stroke_facts(**facts), "ukca")


@pytest.mark.parametrize(
    ("make", "fields", "message"),
    [
        (cs.board_state, {"shoter": 0}, "board_state: unknown field 'shoter'; known: shooter, breaker"),
        (cs.board_state, {"queen": "gone"}, "queen = 'gone': must be 'on_board' or 'pending' or"),
        (cs.board_state, {"on_board": (10, 9)}, r"on_board = \[10, 9\] in row 0: must be from 0 to 9"),
        (cs.board_state, {"on_board": 9}, r"on_board has shape \(\): must be \(2,\) or \(n, 2\)"),
        (cs.board_state, {"score": (0.5, 0)}, "score = 0.5: must be an integer, True or False"),
        (cs.stroke_facts, {"own": [0, 1, -1]}, "own = -1 in row 2: must be from 0 to 9"),
        (cs.stroke_facts, {"own": [0, 1], "opponent": [0, 1, 0]}, "own has 2 rows, others have 3"),
        (cs.stroke_facts, {"improper": 2}, "improper = 2 in row 0: must be from 0 to 1"),
    ],
)
def test_what_is_no_board_or_stroke_is_refused(make, fields: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**fields)


def test_numbers_of_boards_and_strokes_must_agree() -> None:
    with pytest.raises(ValueError, match="2 boards and 3 strokes: must be as many, or one"):
        cs.adjudicate(cs.board_state(shooter=[0, 1]), cs.stroke_facts(own=[0, 1, 0]), "icf")
    with pytest.raises(ValueError, match="stroke_facts must be a record array"):
        cs.adjudicate(cs.board_state(), {"own": 1}, "icf")


def test_no_strokes_no_rulings() -> None:
    nothing = cs.adjudicate(cs.board_state()[:0], cs.stroke_facts()[:0], "icf")
    assert len(nothing) == 0
    assert nothing.to_arrow().num_rows == 0


def test_the_state_it_is_given_is_not_changed() -> None:
    board, facts = cs.board_state(on_board=(5, 5)), cs.stroke_facts(own=[1, 0])
    before = board.copy(), facts.copy()
    cs.adjudicate(board, facts, "ukca")
    assert (board == before[0]).all()
    assert (facts == before[1]).all()
