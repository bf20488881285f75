"""Rulings and boards in words."""

from typing import Any

import pytest

import carromsim as cs
from carromsim.rules.words import (
    board_in_words,
    law_in_words,
    ruling_in_short,
    said_of_ruling,
    stands_in_words,
    turn_in_words,
)
from carromsim_kernels.laws import QueenState, Turn


def told_of(turn: str, incurred: int, paid: tuple[int, int], back: tuple[int, int], queen: bool) -> dict[str, Any]:
    return {
        "turn": turn,
        "dues_incurred": incurred,
        "dues_paid_now": paid[0],
        "opponent_dues_paid_now": paid[1],
        "forced_returns": {"own": back[0], "opponent": back[1]},
        "queen_returned": queen,
        "score_delta": {"white": 0, "black": 0},
    }


@pytest.mark.parametrize(
    ("turn", "colour", "numbers", "words"),
    [
        ("continue", 0, (0, (0, 0), (0, 0), False), "white plays on"),
        ("continue", 1, (0, (0, 0), (0, 0), True), "black plays on; the queen comes back"),
        ("pass", 0, (1, (0, 0), (0, 0), False), "the turn passes to black; 1 due"),
        ("pass", 1, (2, (1, 0), (0, 0), False), "the turn passes to white; 2 dues; 1 black placed for dues"),
        ("retry", 0, (0, (0, 3), (0, 0), False), "white plays the stroke again; 3 black placed for dues"),
        ("pass", 1, (0, (0, 0), (1, 2), False), "the turn passes to white; 1 black comes back; 2 white come back"),
        ("board_end", 0, (0, (0, 0), (0, 0), True), "the board has ended"),
    ],
)
def test_a_ruling_is_one_line(
    turn: str, colour: int, numbers: tuple[int, tuple[int, int], tuple[int, int], bool], words: str
) -> None:
    assert ruling_in_short(told_of(turn, *numbers), colour) == words


def ruled(rules: str, shooter: str, stroke: dict[str, Any], **board: Any) -> dict[str, Any]:
    """Rule on a stroke and say it."""
    told = cs.adjudicate(cs.board_state(shooter=shooter, **board), cs.stroke_facts(**stroke), rules).row(0)
    return said_of_ruling(told, ("white", "black").index(shooter))


def test_points_are_told_where_they_are_lost_and_won() -> None:
    lost = ruled("bell_i", "black", {"striker": True}, on_board=(5, 9))
    assert lost["ruling"] == "the turn passes to white; black loses 1 point"
    assert lost["score"] == "white 5, black 9, queen on board; points: white 0, black -1"
    assert "Bell 9" in lost["laws"]
    gained = ruled("point", "white", {"own": 1, "opponent": 1}, on_board=(9, 9))
    assert gained["ruling"] == "white plays on; white gains 30 points"
    assert gained["score"] == "white 8, black 8, queen on board; points: white 30, black 0"
    won = ruled("icf", "white", {"own": 1}, on_board=(1, 2), queen="covered_white")
    assert won["ruling"] == "the board has ended; white wins, 5 points"
    assert won["score"] == "white 0, black 2, queen covered by white; points: white 5, black 0"


def test_a_lost_board_takes_nothing_out_of_the_pockets_any_more() -> None:
    """ICF 108: own last man and the striker, the queen on the board; the board is over, a point may be demanded."""
    lost = ruled("icf", "black", {"own": 1, "striker": True}, on_board=(4, 1))
    assert lost["ruling"] == "the board has ended; white wins, 4 points"
    assert lost["score"] == "white 4, black 0, queen on board; points: white 4, black 0"
    assert {"ICF 107, 108", "ICF 87b"} <= set(lost["laws"])
    given = ruled("icf", "white", {"own": 1, "opponent": 1, "striker": True}, on_board=(3, 1))  # 111
    assert given["ruling"] == "the board has ended; black wins, 6 points"
    assert given["score"].startswith("white 2, black 0, queen on board")
    overboard = ruled("icf", "white", {"opponent": 1, "overboard_own": 1}, on_board=(3, 1))  # it lies there, and counts
    assert overboard["ruling"] == "the board has ended; 1 white comes back; black wins, 6 points"
    assert overboard["score"].startswith("white 3, black 0, queen on board")


def test_turns_may_be_told_without_colours() -> None:
    assert turn_in_words(Turn.CONTINUE) == "the shooter plays on"
    assert turn_in_words(Turn.PASS) == "passes to the other side"
    assert {turn_in_words(turn) for turn in Turn} > {"the board has ended"}


def test_a_board_stands_somehow() -> None:
    assert board_in_words((6, 0), QueenState.COVERED_BLACK) == "white 6, black 0, queen covered by black"
    assert stands_in_words([6, 5], QueenState.ON_BOARD, [0, 0]) == "white 6, black 5, queen on board"
    assert stands_in_words([6, 5], QueenState.PENDING, [0, 2]).endswith("queen pending; still owed: white 0, black 2")


def test_an_assumption_is_called_one() -> None:
    assert law_in_words("[A] UKCA H14") == "UKCA H14 (assumed)"
    assert law_in_words("ICF 72a") == "ICF 72a"
