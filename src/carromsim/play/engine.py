"""The engine: lanes play stroke after stroke; where a board ends, its lane begins the next one."""

import numpy as np
from numpy.typing import NDArray

from carromsim.play.book import Book, board_records, end_games, end_matches
from carromsim.play.lanes import begin_boards, open_lanes
from carromsim.play.records import Ended, Played
from carromsim.play.setup import Setup
from carromsim.play.stroke import GOES_ON, play_strokes
from carromsim.rules.records import RecordArray
from carromsim.rules.score import after_boards, toss

__all__ = ["REPLAYS", "play"]

REPLAYS = 3
"""Replays of a void board of a match; if the last one is void too, so is the match [A]."""


def play(setup: Setup, rows: range) -> Played:
    """Play rows in this thread.

    Parameters
    ----------
    setup : Setup
    rows : range
        Numbers of the boards or matches: what comes of one depends on the seed and its number alone, not on which
        others are played with it.

    Returns
    -------
    Played
    """
    numbers = np.arange(rows.start, rows.stop, rows.step, dtype=np.int64)
    if len(numbers) and numbers.min() < 0:
        raise ValueError(f"rows = {rows!r}: must be numbers of at least 0")
    lanes, waiting = open_lanes(setup, numbers[: setup.width]), numbers[setup.width :]
    book = Book()
    while len(lanes):
        ended, status, rulings, strokes = play_strokes(setup, lanes)
        book.strokes.append(strokes)
        over = np.flatnonzero(ended != GOES_ON)
        if len(over) == 0:
            continue
        done, boards = lanes[over], board_records(lanes[over], ended[over], status[over], rulings[over])
        book.boards.append(boards)
        free = np.ones(len(over), bool) if setup.unit == "board" else _next_boards(setup, done, boards, book)
        lanes[over] = done
        # A row's end makes room for the next one; at the end of all rows lanes are given up.
        vacant, coming = over[free], waiting[: np.count_nonzero(free)]
        waiting = waiting[len(coming) :]
        lanes[vacant[: len(coming)]] = open_lanes(setup, coming)
        lanes = np.delete(lanes, vacant[len(coming) :])
    return book.closed()


def _next_boards(setup: Setup, lanes: RecordArray, boards: RecordArray, book: Book) -> NDArray[np.bool_]:
    """Take matches on by the boards that have ended, in place; tell which matches are over.

    A board that the rules did not end is void: it is played again with other luck, a few times.
    """
    void = boards["ended"] != Ended.RULES
    lanes["void_in_a_row"] = np.where(void, lanes["void_in_a_row"] + 1, 0)
    lanes["void_boards"] += void
    lanes["game_strokes"] += boards["strokes"]
    lanes["board"] += 1
    good = np.flatnonzero(~void)
    before = lanes["match"].copy()
    lanes["match"][good] = after_boards(
        setup.rules,
        before[good],
        boards["score_delta"][good],
        seconds=boards["seconds"][good],
        tossed=toss(setup.seed, lanes["row"][good], lanes["board"][good]),
        seating=setup.seating,
    )
    given_up = lanes["void_in_a_row"] > REPLAYS
    lanes["match"]["over"][given_up] = 1
    over = lanes["match"]["over"] != 0
    ends = over | (lanes["match"]["game"] != before["game"])
    book.games.append(end_games(lanes[ends], before[ends], boards[ends], given_up[ends]))
    book.matches.append(end_matches(lanes[over], given_up[over]))
    lanes["void_boards"][ends] = lanes["game_strokes"][ends] = 0
    lanes["game_opener"][ends] = lanes["match"]["breaker"][ends]
    coming = lanes[~over]
    begin_boards(setup, coming)
    lanes[~over] = coming
    return np.asarray(over)
