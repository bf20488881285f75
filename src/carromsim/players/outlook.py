"""What a board is worth to the side that has just played, in units of a man: a simple judgement of a position."""

from dataclasses import replace

import numpy as np

from carromsim.equipment import N_DISCS, STRIKER
from carromsim.players.aim import candidates
from carromsim.players.targets import HERS, men_left, points_per_man, queen_worth, wanted
from carromsim.players.turns import Turns
from carromsim.rules.records import RecordArray
from carromsim_kernels.laws import MEN, QueenState
from carromsim_kernels.state import CodeArray, FloatArray

__all__ = ["outlook"]

N_CANDIDATES = 16
"""Candidates of the coming stroke that are looked at."""
LATER = 0.2
"""Guess: the chance of a man for whom there is no candidate yet."""
WIN = 4.0
"""Guess: what it is worth to have won a board, besides the points for it."""
SURE = 0.97
"""Guess: what is left of a certain chance over a run of strokes."""
SETTLED = 0.5
"""Guess: what it is worth to have covered the queen, besides her points."""


def outlook(turns: Turns, pos: FloatArray, after: RecordArray, winner: CodeArray) -> FloatArray:
    """Judge boards after strokes.

    The difference of what the sides have still to pocket, dues included, and of their points; a win; the queen where
    she is settled; and the run of men that who plays next may expect, p1 + p1 p2 + ..., with the estimates of his best
    candidates for each disc. Where the turn passes he is taken to sit opposite and to be as skilled.

    Parameters
    ----------
    turns : Turns
        The strokes, n of them.
    pos : (n, 20, 2) float64
        The discs after them, in the same frame [m].
    after : (n,) record array of BOARD_STATE
    winner : (n,) int8
        Colour that has won the board, -1 = it goes on.

    Returns
    -------
    (n,) float64
    """
    rows, mine = np.arange(len(turns)), turns.states["shooter"].astype(np.intp)

    def lead(name: str) -> FloatArray:
        return np.asarray(after[name][rows, mine] - after[name][rows, 1 - mine].astype(np.float64))

    value = lead("points") / points_per_man(turns.rules) - lead("dues")
    value += np.where(winner == mine, WIN, np.where(winner >= 0, -WIN, 0.0))
    going = np.flatnonzero(winner < 0)
    if turns.rules.turn.own_men == "colour":  # elsewhere men and queen are in the points
        hers = (after["queen"] == QueenState.COVERED_WHITE + mine).astype(np.float64)
        hers -= after["queen"] == QueenState.COVERED_WHITE + 1 - mine
        value[going] += (hers * (SETTLED + HERS * queen_worth(turns)) - lead("on_board"))[going]
    value[going] += _prospects(turns.take(going), pos[going], after[going])
    return value


def _prospects(turns: Turns, pos: FloatArray, after: RecordArray) -> FloatArray:
    """Say what the coming turn promises: more than 0 if it is the same side's."""
    passed = after["shooter"] != turns.states["shooter"]
    seen = np.where(passed[:, np.newaxis, np.newaxis], -pos, pos)
    coming = replace(turns, pos=seen, states=after)
    first, run = _run(coming)
    pending = after["queen"] == QueenState.PENDING
    back = after["turn_pocketed_own"] if turns.rules.queen.returns_turn_men else 0.0
    at_stake = first * (SETTLED + HERS * queen_worth(turns)) - (1.0 - first) * back
    return np.asarray(np.where(passed, -run, run) + np.where(pending, at_stake, 0.0))


def _run(coming: Turns) -> tuple[FloatArray, FloatArray]:
    """Give the chance of the best stroke, and how many men one stroke after the other may be expected to take.

    The easiest comes first; a man for whom there is no candidate now may have one later.
    """
    n, rows = len(coming), np.arange(len(coming))
    found = candidates(coming, wanted(coming), N_CANDIDATES)
    chance = np.zeros((n, N_DISCS))
    for k in range(N_CANDIDATES):
        target = np.where(found["kind"][:, k] >= 0, found["target"][:, k], STRIKER)
        chance[rows, target] = np.maximum(chance[rows, target], np.minimum(found["estimate"][:, k], SURE))
    chance[:, STRIKER] = 0.0
    best = -np.sort(-chance, axis=1)
    men = np.maximum(men_left(coming), 1)
    run, power = np.zeros(n), np.ones(n)
    for man in range(2 * MEN):
        power *= best[:, man] if man == 0 else np.maximum(best[:, man], LATER)
        run += np.where(man < men, power, 0.0)
    return best[:, 0], run
