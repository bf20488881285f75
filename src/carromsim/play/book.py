"""The book: records of boards, games and matches as they end, in the order of the rows when it is closed."""

import numpy as np
from numpy.typing import NDArray

from carromsim.play.records import PLAYED_BOARD, PLAYED_GAME, PLAYED_MATCH, PLAYED_STROKE, Ended, Played
from carromsim.rules.records import RecordArray
from carromsim_kernels.state import CodeArray

__all__ = ["Book", "board_records", "end_games", "end_matches"]

NOBODY = -1

_AS_IN_LANES = (
    *("row", "board", "white", "broke", "missed_breaks", "retries", "seconds", "covered_by", "dues"),
    *("laws", "cleared_first"),
)
"""Fields of a board that its lane has under the same name."""


class Book:
    """The records, as they come."""

    def __init__(self) -> None:
        self.boards: list[RecordArray] = []
        self.strokes: list[RecordArray] = []
        self.games: list[RecordArray] = []
        self.matches: list[RecordArray] = []

    def closed(self) -> Played:
        """Put everything in the order of the rows."""
        boards = _sorted(self.boards, PLAYED_BOARD, "row", "board")
        games = _sorted(self.games, PLAYED_GAME, "row", "game")
        return Played(
            boards=boards,
            strokes=_sorted(self.strokes, PLAYED_STROKE, "row", "board", "stroke"),
            games=games,
            matches=_added_up(_sorted(self.matches, PLAYED_MATCH, "row"), games, boards),
        )


def _sorted(parts: list[RecordArray], layout: np.dtype[np.void], *keys: str) -> RecordArray:
    whole = np.concatenate([np.empty(0, layout), *parts])
    return whole[np.lexsort([whole[key] for key in reversed(keys)])]


def board_records(lanes: RecordArray, ended: CodeArray, status: CodeArray, rulings: RecordArray) -> RecordArray:
    """Write down boards that have ended: (n,) lanes after their last strokes, why they ended, and the rulings."""
    boards, state = np.empty(len(lanes), PLAYED_BOARD), lanes["state"]
    for name in _AS_IN_LANES:
        boards[name] = lanes[name]
    boards["game"], boards["breaker"] = lanes["match"]["game"], lanes["match"]["breaker"]
    boards["strokes"], boards["turns"] = lanes["stroke"], lanes["turns"].sum(axis=1)
    boards["ended"], boards["status"] = ended, status
    by_rules = ended == Ended.RULES
    winner = np.where(by_rules, rulings["winner"], NOBODY)
    boards["winner"] = winner
    boards["winner_side"] = np.where(winner >= 0, winner ^ lanes["white"], NOBODY)
    behind = lanes["behind"][np.arange(len(lanes)), np.maximum(winner, 0)]
    boards["deficit"] = np.where(winner >= 0, behind, NOBODY)
    boards["points"] = np.where(by_rules, rulings["points"], 0)
    boards["score_before"], boards["score_delta"] = state["score"], state["points"]
    boards["queen"], boards["owed"], boards["on_board"] = state["queen"], state["dues"], state["on_board"]
    boards["slam_white"], boards["slam_black"] = lanes["slam"][:, 0], lanes["slam"][:, 1]
    return boards


def _added_up(matches: RecordArray, games: RecordArray, boards: RecordArray) -> RecordArray:
    """Fill in what matches have from their games and boards; all are in the order of rows, and each match has some."""
    first = np.searchsorted(games["row"], matches["row"])
    if len(first):
        for name in ("boards", "void_boards", "strokes", "seconds"):
            matches[name] = np.add.reduceat(games[name], first)
        matches["games"] = np.add.reduceat((games["ended"] == Ended.RULES).astype(np.int8), first)
        matches["laws"] = np.bitwise_or.reduceat(boards["laws"], np.searchsorted(boards["row"], matches["row"]))
    return matches


def end_games(lanes: RecordArray, before: RecordArray, boards: RecordArray, void: NDArray[np.bool_]) -> RecordArray:
    """Write down games that have ended.

    Parameters
    ----------
    lanes : (n,) record array of `LANE`
        After the board that ended the game.
    before : (n,) record array of MATCH
        Before it.
    boards : (n,) record array of `PLAYED_BOARD`
        That board.
    void : (n,) bool
        Whether the game ended because the match was given up.
    """
    games = np.zeros(len(lanes), PLAYED_GAME)
    games["row"], games["game"], games["opener"] = lanes["row"], before["game"], lanes["game_opener"]
    games["void_boards"], games["strokes"] = lanes["void_boards"], lanes["game_strokes"]
    games["boards"] = before["boards"] + ~void
    games["seconds"] = before["seconds"] + np.where(void, 0.0, boards["seconds"])
    white = boards["white"][:, np.newaxis]
    delta = np.where(white == 0, boards["score_delta"], boards["score_delta"][:, ::-1])
    score = games["score"] = before["score"] + np.where(void[:, np.newaxis], 0, delta)
    leader = np.where(score[:, 0] > score[:, 1], 0, 1)
    games["winner_side"] = np.where(void | (score[:, 0] == score[:, 1]), NOBODY, leader)
    games["ended"] = np.where(void, Ended.VOID, Ended.RULES)
    return games


def end_matches(lanes: RecordArray, void: NDArray[np.bool_]) -> RecordArray:
    """Write down matches that are over, (n,) lanes, void where they were given up."""
    matches, match = np.zeros(len(lanes), PLAYED_MATCH), lanes["match"]
    matches["row"], matches["opener"], matches["games_won"] = lanes["row"], match["opener"], match["games_won"]
    matches["winner_side"] = np.where(void, NOBODY, match["winner"])
    matches["ended"] = np.where(void, Ended.VOID, Ended.RULES)
    return matches
