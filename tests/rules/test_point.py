"""Games in which any man is an own man, with the rule set `point`: black 10, white 20, the queen 50."""

import numpy as np
import pytest

import carromsim as cs

# Shooter white holds 3 white and 1 black, black holds 1 white and 4 black; 5 white and 4 black are on the board.
HELD = [[3, 1], [1, 4]]


def ruled(*, held=HELD, queen="on_board", points=(70, 60), dues=(0, 0), **stroke):
    """Rule on one stroke of white's."""
    on_board = 9 - np.sum(held, axis=0)
    board = cs.board_state(held=held, on_board=on_board, queen=queen, points=points, dues=dues)
    return cs.adjudicate(board, cs.stroke_facts(**stroke), "point")


@pytest.mark.kernel
def test_every_man_scores_by_its_colour_and_keeps_the_turn() -> None:
    ruling = ruled(own=1, opponent=2)
    assert ruling.row(0)["turn"] == "continue"
    assert ruling["score_delta"].tolist() == [[20 + 2 * 10, 0]]
    assert ruling.after["held"].tolist() == [[[4, 3], [1, 4]]]
    assert ruling.after["on_board"].tolist() == [[4, 2]]
    assert ruling.after["points"].tolist() == [[110, 60]]


@pytest.mark.kernel
def test_the_striker_costs_the_lowest_man_and_the_turn() -> None:
    ruling = ruled(striker=True)
    assert ruling.row(0)["turn"] == "pass"
    assert ruling["score_delta"].tolist() == [[-10, 0]], "his black man, not a white one"
    assert ruling["dues_paid"].tolist() == [[0, 1]]
    assert ruling.after["held"].tolist() == [[[3, 0], [1, 4]]]
    assert ruling.after["on_board"].tolist() == [[5, 5]]


@pytest.mark.kernel
def test_without_a_black_man_it_costs_a_white_one() -> None:
    ruling = ruled(held=[[3, 0], [1, 4]], striker=True)
    assert ruling["score_delta"].tolist() == [[-20, 0]]
    assert ruling.after["held"].tolist() == [[[2, 0], [1, 4]]]


@pytest.mark.kernel
def test_without_any_man_it_is_a_debt_of_ten_points() -> None:
    ruling = ruled(held=[[0, 0], [1, 4]], striker=True)
    assert ruling["score_delta"].tolist() == [[-10, 0]]
    assert ruling["dues_paid"].tolist() == [[0, 0]]
    assert ruling.after["on_board"].tolist() == [[8, 5]]


@pytest.mark.kernel
def test_men_that_fall_with_the_striker_stay_down_and_pay() -> None:
    ruling = ruled(held=[[0, 0], [1, 4]], own=1, opponent=1, striker=True)
    assert ruling["score_delta"].tolist() == [[20 + 10 - 10, 0]]
    assert ruling.after["held"].tolist() == [[[1, 0], [1, 4]]]


@pytest.mark.kernel
def test_the_queen_scores_when_any_man_covers_her() -> None:
    pocketed = ruled(queen="on_board", opponent=0, queen_fell_between_strokes=False)
    assert pocketed["score_delta"].tolist() == [[0, 0]]
    alone = cs.adjudicate(
        cs.board_state(held=HELD, on_board=(5, 4)), cs.stroke_facts(queen=True), "point"
    )  # to be covered by the next stroke
    assert alone.row(0)["queen_after"] == "pending"
    assert alone["score_delta"].tolist() == [[0, 0]]
    covered = cs.adjudicate(alone.after, cs.stroke_facts(opponent=1), "point")
    assert covered.row(0)["queen_after"] == "covered_white"
    assert covered["score_delta"].tolist() == [[50 + 10, 0]]
    missed = cs.adjudicate(alone.after, cs.stroke_facts(), "point")
    assert missed.row(0)["queen_returned"]
    assert missed["score_delta"].tolist() == [[0, 0]]


@pytest.mark.kernel
def test_the_last_man_ends_the_board_for_whoever_has_more_points() -> None:
    held = [[4, 1], [5, 7]]  # one black man is left
    won = ruled(held=held, queen="covered_black", points=(90, 220), opponent=1)
    assert won.row(0)["board"] == {"winner": "black", "points": 220}
    assert won["score_delta"].tolist() == [[10, 0]], "the rest was scored before"
    assert won["points"].tolist() == [220]


@pytest.mark.kernel
def test_level_boards_go_to_the_queens_side() -> None:
    held = [[4, 1], [5, 7]]
    level = ruled(held=held, queen="covered_black", points=(150, 160), opponent=1)
    assert level.row(0)["board"] == {"winner": "black", "points": 160}


@pytest.mark.kernel
def test_without_men_the_queen_needs_no_cover() -> None:
    held = [[4, 2], [5, 7]]
    on = ruled(held=[[4, 1], [5, 7]], points=(90, 170), opponent=1)
    assert on.row(0)["turn"] == "continue", "the queen is still on the board"
    end = ruled(held=held, points=(100, 170), queen="on_board", own=0)
    assert end.row(0)["turn"] == "pass"
    last = cs.adjudicate(
        cs.board_state(held=held, on_board=(0, 0), points=(100, 170)), cs.stroke_facts(queen=True), "point"
    )
    assert last.row(0)["board"] == {"winner": "black", "points": 170}
    assert last["score_delta"].tolist() == [[50, 0]]


def test_what_a_side_holds_must_fit_what_is_on_the_board() -> None:
    board = cs.board_state(held=HELD, on_board=(5, 5))
    with pytest.raises(ValueError, match=r"held = \[\[3, 1\], \[1, 4\]\] in row 0: with on_board it must make 9 men"):
        cs.adjudicate(board, cs.stroke_facts(), "point")


def test_points_of_random_boards_add_up() -> None:
    """Played to the end with random falls, what both sides have is what lay on the board, but for debts."""
    rng = np.random.default_rng(3)
    boards = cs.board_state(held=np.zeros((200, 2, 2), int), on_board=np.full((200, 2), 9))
    debts = np.zeros(200, int)
    ended = np.zeros(200, bool)
    for _ in range(400):
        queen = (boards["queen"] == 0) & (rng.random(200) < 0.1)
        shooter = boards["shooter"].astype(int)
        rows = np.arange(200)
        own = np.minimum(rng.integers(0, 3, 200), boards["on_board"][rows, shooter])
        opponent = np.minimum(rng.integers(0, 2, 200), boards["on_board"][rows, 1 - shooter])
        facts = cs.stroke_facts(
            own=own, opponent=opponent, queen=queen.astype(int), striker=(rng.random(200) < 0.1).astype(int)
        )
        ruling = cs.adjudicate(boards, facts, "point")
        gone = ruling["turn"] == 3
        short = ruling["dues_incurred"] < facts["striker"]
        debts[~ended] += 10 * short[~ended]
        fresh = gone & ~ended
        total = ruling.after["points"].sum(axis=1) + debts
        assert (total[fresh] == 9 * 10 + 9 * 20 + 50).all()
        best = ruling.after["points"].max(axis=1)
        assert (ruling["points"][fresh] == best[fresh]).all()
        ended |= gone
        boards = np.where(ended, boards, ruling.after)
    assert ended.all()
