"""Rulings and boards in words."""

import pytest

from carromsim.rules.words import board_in_words, ruling_in_short, stands_in_words, turn_in_words
from carromsim_kernels.laws import QueenState, Turn


@pytest.mark.parametrize(
    ("turn", "colour", "numbers", "words"),
    [
        (Turn.CONTINUE, 0, (0, (0, 0), (0, 0), False), "white plays on"),
        (Turn.CONTINUE, 1, (0, (0, 0), (0, 0), True), "black plays on; the queen comes back"),
        (Turn.PASS, 0, (1, (0, 0), (0, 0), False), "the turn passes to black; 1 due"),
        (Turn.PASS, 1, (2, (1, 0), (0, 0), False), "the turn passes to white; 2 dues; 1 black placed for dues"),
        (Turn.RETRY, 0, (0, (0, 3), (0, 0), False), "white plays the stroke again; 3 black placed for dues"),
        (Turn.PASS, 1, (0, (0, 0), (1, 2), False), "the turn passes to white; 1 black comes back; 2 white come back"),
        (Turn.BOARD_END, 0, (0, (0, 0), (0, 0), False), "the board has ended"),
    ],
)
def test_a_ruling_is_one_line(
    turn: Turn, colour: int, numbers: tuple[int, tuple[int, int], tuple[int, int], bool], words: str
) -> None:
    incurred, paid, returned, queen = numbers
    told = ruling_in_short(
        turn, colour, dues_incurred=incurred, dues_paid=paid, returned=returned, queen_returned=queen
    )
    assert told == words


def test_turns_may_be_told_without_colours() -> None:
    assert turn_in_words(Turn.CONTINUE) == "the shooter plays on"
    assert turn_in_words(Turn.PASS) == "passes to the other side"
    assert {turn_in_words(turn) for turn in Turn} > {"the board has ended"}


def test_a_board_stands_somehow() -> None:
    assert board_in_words((6, 0), QueenState.COVERED_BLACK) == "white 6, black 0, queen covered black"
    assert stands_in_words([6, 5], QueenState.ON_BOARD, [0, 0]) == "white 6, black 5, queen on board"
    assert stands_in_words([6, 5], QueenState.PENDING, [0, 2]).endswith("queen pending; still owed: white 0, black 2")
