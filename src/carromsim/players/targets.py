"""What each disc is worth to the shooter if it falls now: the endgame's knowledge, read from a rule set's fields."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, N_DISCS, QUEEN, WHITE
from carromsim.players.turns import Turns
from carromsim.rules.ruleset import RuleSet
from carromsim_kernels.laws import QueenState
from carromsim_kernels.state import FloatArray

__all__ = ["may_take_queen", "men_left", "points_per_man", "queen_worth", "wanted"]

COVERED = 0.6
"""Guess: how often a queen that has to be covered is covered."""
HERS = 0.5
"""Guess: how often a side that covers the queen wins the board too, and has her points."""

Flags = NDArray[np.bool_]


def wanted(turns: Turns) -> FloatArray:
    """Say what it is worth to pocket each disc with the coming stroke, in units of an own man.

    Own men count 1 (where any man is an own man, in proportion to their points), the opponent's 0. The queen counts if
    the shooter has the right to her: her points and the stroke that follows, times the chance that she is covered, less
    the men of this turn that come back with her if she is not. Where the last man may not fall before she is settled,
    she is worth the more the fewer men are left, and the last man is worth nothing; where it wins the board at once it
    is worth that, and she is worth as much and her points besides if she is covered. What of it are guesses: `COVERED`,
    `HERS`.

    Parameters
    ----------
    turns : Turns

    Returns
    -------
    (n, 20) float64
        0 = not wanted: also the striker and what is not on the surface.
    """
    states, rules = turns.states, turns.rules
    men, her_points = men_left(turns), queen_worth(turns)
    unsettled = states["queen"] == QueenState.ON_BOARD
    may = may_take_queen(turns)
    value = turns.own * _man_values(rules)

    to_cover = (rules.queen.cover == "next_stroke") & (men > 0)
    chance = np.where(to_cover, COVERED, 1.0)
    lost = (1.0 - chance) * states["turn_pocketed_own"] if rules.queen.returns_turn_men else 0.0
    last = unsettled & (men == 1)
    prize = np.ones(len(turns))
    if rules.end.own_last in ("return_and_due", "lose"):
        value[last] = 0.0
        urgent = 1.0 / np.maximum(men, 1)
    else:
        urgent = np.zeros(len(turns))
        if rules.end.own_last == "finish":
            other = 1 - states["shooter"].astype(np.intp)
            wins = np.maximum(states["on_board"][np.arange(len(turns)), other], 1).astype(np.float64)
            value[last] *= wins[last, np.newaxis]
            prize = np.where(last, wins + (1.0 - HERS) * her_points, prize)
    queen = chance * (prize + HERS * her_points) - lost + urgent
    value[:, QUEEN] = np.where(may & turns.on_surface[:, QUEEN], np.maximum(queen, 0.0), 0.0)
    return value


def men_left(turns: Turns) -> NDArray[Any]:
    """Count the own men on the board, (n,): as the state has it, both colours where any man is an own man."""
    on_board = turns.states["on_board"].astype(np.int64)
    if turns.rules.turn.own_men == "any":
        return on_board[:, 0] + on_board[:, 1]
    return np.asarray(on_board[np.arange(len(turns)), _shooter(turns)])


def may_take_queen(turns: Turns) -> Flags:
    """Whether the shooter has the right to pocket the queen alone with the coming stroke, (n,)."""
    states, queen = turns.states, turns.rules.queen
    rows, shooter = np.arange(len(turns)), _shooter(turns)
    may: Flags = states["queen"] == QueenState.ON_BOARD
    if queen.right == "after_own_man":
        may &= states["ever_pocketed"][rows, shooter] != 0
    elif queen.right == "after_last_own_man":
        may &= men_left(turns) == 0
    if queen.blocked_by_due:
        may &= states["dues"][rows, shooter] == 0
    return may


def queen_worth(turns: Turns) -> FloatArray:
    """Points of the queen to the shooter if he covers her and wins, (n,), in units of a man's."""
    rules, rows = turns.rules, np.arange(len(turns))
    worth = np.full(len(turns), rules.queen.value / points_per_man(rules))
    if rules.queen.cutoff is not None:
        worth[turns.states["score"][rows, _shooter(turns)] >= rules.queen.cutoff] = 0.0
    return worth


def _shooter(turns: Turns) -> NDArray[np.intp]:
    return np.asarray(turns.states["shooter"], np.intp)


def points_per_man(rules: RuleSet) -> float:
    """Points for a man, the mean of both colours; 1 where men score nothing."""
    return 0.5 * (rules.score.white + rules.score.black) or 1.0


def _man_values(rules: RuleSet) -> FloatArray:
    """Value of each disc as an own man, (20,): all alike unless both colours are his and one scores more."""
    values, both = np.zeros(N_DISCS), rules.score.white + rules.score.black
    alike = rules.turn.own_men != "any" or both == 0
    for men, points in ((WHITE, rules.score.white), (BLACK, rules.score.black)):
        values[men] = 1.0 if alike else points / points_per_man(rules)
    return values
