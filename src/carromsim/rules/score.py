"""From boards to games and matches: who has won, who breaks next, on which seats; many matches in lock step.

A board's points are by colour, those of games and matches by side: sides keep their numbers, 0 and 1, while white is
whoever breaks (UKCA D3, ICF 43). Players are those of `carromsim.rules.seats`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.rules.records import COLOURS, RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.seats import SINGLES, Seating
from carromsim.streams import Slot, Streams
from carromsim_kernels.laws import BLACK_SIDE, MEN, WHITE_SIDE, QueenState, Turn
from carromsim_kernels.state import CodeArray, FloatArray

__all__ = [
    "MATCH",
    "GameAfter",
    "GamesAfter",
    "Slam",
    "after_boards",
    "clock_seconds",
    "game_after",
    "games_after",
    "new_matches",
    "score_by_colour",
    "slams",
    "toss",
]

NOBODY, TOSS = -1, 2
"""In place of a colour: none, and whoever wins the toss."""

MATCH = np.dtype(
    [
        ("score", np.int16, 2),  # in this game, by side
        ("boards", np.int16),  # finished in this game
        ("seconds", np.float64),  # of this game's clock
        ("game", np.int8),  # number of the game, from 1
        ("games_won", np.int8, 2),  # by side
        ("opener", np.int8),  # player who opened the first game
        ("breaker", np.int8),  # player who breaks the coming board; his side plays white
        ("turned", np.int8),  # how often the sides have changed places, see `Seating.seat`
        ("turned_in_game", np.int8),  # 1 if they have in the course of this game
        ("over", np.int8),
        ("winner", np.int8),  # side, -1 = nobody yet, or nobody at all
    ]
)
"""A match between two boards."""


class GameAfter(NamedTuple):
    """A game after a board."""

    over: bool
    winner: str | None
    """Colour in that board; None also if the game ends level."""
    next_breaker: str | None
    """ "white" or "black" of that board, or "toss"; None if the game is over."""


class GamesAfter(NamedTuple):
    """Games after a board each, by the colours of that board."""

    over: NDArray[np.bool_]
    winner: CodeArray
    """0 white, 1 black, -1 nobody."""
    breaker: CodeArray
    """Of the next board: 0 white, 1 black, 2 who wins the toss, -1 nobody."""


def games_after(
    rules: RuleSet, score: ArrayLike, delta: ArrayLike, boards_played: ArrayLike, time_up: ArrayLike = False
) -> GamesAfter:
    """Say how games stand after one more board each.

    A game ends at the target (UKCA F2, ICF 56a, Bell 11), after the last board (ICF 56a) or with the board in which its
    time was up, and the leader wins. If it is level then, `score.tie` decides; an extra board that leaves it level is
    followed by another one [A]. The next board is broken by who played black (UKCA E4, ICF 49).

    Parameters
    ----------
    rules : RuleSet
    score : (n, 2) int
        White's and black's in the game before the board.
    delta : (n, 2) int
        What the board changed.
    boards_played : (n,) int
        Boards of the game that were finished before.
    time_up : bool or (n,) bool
        Whether the game's time was up before the end of the board, see `clock_seconds`.
    """
    total = np.asarray(score, np.int64) + np.asarray(delta, np.int64)
    if total.ndim != 2 or total.shape[1] != 2:
        raise ValueError(f"score and delta give shape {total.shape}: must be (n, 2), white and black")
    limit = rules.score.board_limit
    ends = (total.max(axis=1) >= rules.score.target) | np.asarray(time_up, bool)
    if limit is not None:
        ends |= np.asarray(boards_played) + 1 >= limit
    level = total[:, WHITE_SIDE] == total[:, BLACK_SIDE]
    extra = ends & level & (rules.score.tie != "none")
    over = ends & ~extra
    leader = np.where(total[:, WHITE_SIDE] > total[:, BLACK_SIDE], WHITE_SIDE, BLACK_SIDE)
    tossed = extra & (rules.score.tie == "extra_board_toss")
    breaker = np.where(over, NOBODY, np.where(tossed, TOSS, BLACK_SIDE))
    winner = np.where(over & ~level, leader, NOBODY)
    return GamesAfter(over, winner.astype(np.int8), breaker.astype(np.int8))


def game_after(
    rules: RuleSet, score: ArrayLike, delta: ArrayLike, boards_played: int, time_up: bool = False
) -> GameAfter:
    """Say in words how one game stands after a board; arguments as in `games_after`, for one game.

    >>> game_after(RuleSet.load("icf"), (16, 18), (2, 0), 7)
    GameAfter(over=False, winner=None, next_breaker='toss')
    """
    over, winner, breaker = games_after(rules, [np.asarray(score)], [np.asarray(delta)], [boards_played], time_up)
    words = {NOBODY: None, WHITE_SIDE: COLOURS[WHITE_SIDE], BLACK_SIDE: COLOURS[BLACK_SIDE], TOSS: "toss"}
    return GameAfter(bool(over[0]), words[int(winner[0])], words[int(breaker[0])])


def clock_seconds(rules: RuleSet, durations: ArrayLike) -> FloatArray:
    """Give what strokes cost of a game's clock [s]: their motion (any shape) [s] and `score.think_time` each [A]."""
    return np.asarray(durations, np.float64) + rules.score.think_time


def toss(seed: int, rows: ArrayLike, board: ArrayLike) -> CodeArray:
    """Toss a coin: the side, 0 or 1, that wins it, (n,) int8.

    Parameters
    ----------
    seed : int
    rows : (n,) int
        Number of each match.
    board : int or (n,) int
        Number of the board within the match for which it is tossed.
    """
    return (Streams(seed).uniform(rows, board, Slot.TOSS) < 0.5).astype(np.int8)


def new_matches(n: int, opener: ArrayLike = 0) -> RecordArray:
    """Begin n matches.

    Parameters
    ----------
    n : int
    opener : int or (n,) int
        Player who breaks first: the winner of the toss, who chose the break (UKCA D3, ICF 39).

    Returns
    -------
    (n,) record array of `MATCH`
    """
    matches = np.zeros(n, MATCH)
    matches["game"] = 1
    matches["opener"] = matches["breaker"] = opener
    matches["winner"] = NOBODY
    return matches


def score_by_colour(matches: RecordArray) -> NDArray[np.int16]:
    """Give white's and black's score in the game before the coming board, (n, 2)."""
    swapped: NDArray[np.int16] = _by_other(matches["score"], matches["breaker"] % 2)
    return swapped


def after_boards(
    rules: RuleSet,
    matches: RecordArray,
    delta: ArrayLike,
    *,
    seconds: ArrayLike = 0.0,
    tossed: ArrayLike | None = None,
    seating: Seating = SINGLES,
    final_stage: bool = False,
) -> RecordArray:
    """Take matches on by one finished board each.

    Parameters
    ----------
    rules : RuleSet
    matches : (n,) record array of `MATCH`
        Before that board; none of them over. Not changed.
    delta : (n, 2) int
        What the board changed in white's and black's score.
    seconds : float or (n,) float
        What the board's strokes cost of the clock [s], the sum of their `clock_seconds`.
    tossed : (n,) int, optional
        Side that wins the toss where one decides who breaks next. Needed only by rule sets that toss.
    seating : Seating
    final_stage : bool
        From the quarter-final on sides change in the last game at its points only, not after its boards (ICF 60).

    Returns
    -------
    (n,) record array of `MATCH`
        Before the next board; a match that is over stays as its last game ended.
    """
    if matches["over"].any():
        raise ValueError(f"matches: row {np.argmax(matches['over'] != 0)} is over: no board follows")
    after, white = matches.copy(), matches["breaker"] % 2
    after["seconds"] += seconds
    time_up = np.zeros(len(after), bool)
    if rules.score.clock is not None:
        time_up = after["seconds"] >= 60.0 * rules.score.clock
    game = games_after(rules, score_by_colour(matches), delta, matches["boards"], time_up)
    after["score"] += _by_other(np.asarray(delta, np.int16), white)
    after["boards"] += 1
    for side in (0, 1):
        after["games_won"][:, side] += game.over & (game.winner >= 0) & ((game.winner ^ white) == side)
    _finish(rules, after, game.over)
    _next_breaker(rules, after, game, seating, tossed)
    _new_game(rules, after, game.over & (after["over"] == 0))
    _change_in_last_game(rules, after, final_stage)
    return after


def _by_other(pairs: NDArray[np.int16], white: CodeArray) -> NDArray[np.int16]:
    """Turn pairs by side into pairs by colour, or back: side `white` plays white."""
    swapped: NDArray[np.int16] = np.where(white[:, np.newaxis] == 0, pairs, pairs[:, ::-1])
    return swapped


def _finish(rules: RuleSet, after: RecordArray, game_over: NDArray[np.bool_]) -> None:
    """End matches of which a side has won more than half of the games, or whose last game is over (ICF 57)."""
    won, games = after["games_won"], rules.match.games
    over = game_over & ((won.max(axis=1) > games // 2) | (after["game"] >= games))
    after["over"] = over
    after["winner"] = np.where(over & (won[:, 0] != won[:, 1]), won.argmax(axis=1), NOBODY)


def _next_breaker(
    rules: RuleSet, after: RecordArray, game: GamesAfter, seating: Seating, tossed: ArrayLike | None
) -> None:
    """Pass the break to the right; a new game may have its own opener, and an extra board may be tossed for."""
    right = seating.right(after["breaker"])
    if rules.match.opener == "alternate_per_game":
        # ICF 49: the first opener opens the third game too, the other side the second.
        opener = np.where(after["game"] % 2 == 0, after["opener"], seating.right(after["opener"]))
        right = np.where(game.over, opener, right)
    by_toss = game.breaker == TOSS
    if by_toss.any():
        if tossed is None:
            raise ValueError(f"tossed = None: row {np.argmax(by_toss)} needs a toss for the break, see score.toss")
        side = np.broadcast_to(np.asarray(tossed), len(after))
        # Of a pair the player who comes first, going to the right [A].
        right = np.where(by_toss & (seating.side(right) != side), seating.right(right), right)
    after["breaker"] = np.where(after["over"] == 0, right, after["breaker"])


def _new_game(rules: RuleSet, after: RecordArray, begins: NDArray[np.bool_]) -> None:
    for name in ("score", "boards", "seconds", "turned_in_game"):
        after[name][begins] = 0
    after["game"][begins] += 1
    if rules.match.change_sides:  # ICF 58
        after["turned"][begins] += 1


def _change_in_last_game(rules: RuleSet, after: RecordArray, final_stage: bool) -> None:
    """Let the sides change once in the course of the last game: at its points or after its boards (ICF 60)."""
    points, boards = rules.match.deciding_game_points, rules.match.deciding_game_boards
    due = np.zeros(len(after), bool)
    if points is not None:
        due |= after["score"].max(axis=1) >= points
    if boards is not None and not final_stage:
        due |= after["boards"] >= boards
    due &= (after["game"] == rules.match.games) & (after["over"] == 0) & (after["turned_in_game"] == 0)
    after["turned"] += due
    after["turned_in_game"] |= due


class Slam(NamedTuple):
    """Boards won in a single unbroken first turn."""

    white: NDArray[np.bool_]
    """White pocketed all nine men and covered the queen in his."""
    black: NDArray[np.bool_]
    """Black pocketed all nine men in his, with or without the queen."""


def slams(states: RecordArray, facts: RecordArray, rulings: RecordArray, first_turn: ArrayLike) -> Slam:
    """Find the boards that ended with a slam, "break to finish" (ICF definitions).

    All nine men must have been pocketed by the side itself in that turn [A].

    Parameters
    ----------
    states, facts, rulings : (n,) record arrays
        BOARD_STATE before the stroke, STROKE_FACTS of it, RULING on it.
    first_turn : (n,) bool
        Whether the shooter is in his first turn of the board.
    """
    shooter = states["shooter"]
    won = (rulings["turn"] == Turn.BOARD_END) & (rulings["winner"] == shooter) & np.asarray(first_turn, bool)
    won &= states["turn_pocketed_own"] + facts["own"] == MEN
    # A queen that is pending or falls now is covered by the stroke that wins the board, or the board is not won.
    queen = np.isin(states["queen"], (QueenState.COVERED_WHITE, QueenState.PENDING)) | (facts["queen"] != 0)
    return Slam(won & (shooter == WHITE_SIDE) & queen, won & (shooter == BLACK_SIDE))
