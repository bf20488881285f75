"""The referee's sheet: what he has worked out about one stroke, in one record that all his rules read and write."""

from typing import Any, get_type_hints

import numpy as np

from carromsim_kernels.jit import kernel
from carromsim_kernels.laws import WHITE_SIDE, Rule

Record = Any
"""One record of the layouts in `laws`: its fields are known at run time only."""
Records = np.recarray[tuple[int], np.dtype[np.record]]


class Sheet:
    """Fields of the record: numbers, and 0 or 1 where a question is answered; own and opp are the shooter's view."""

    own: int  # the shooter's colour
    opp: int
    at_break: int  # the break had not been made
    missed: int  # and the striker touched nothing
    foul: int  # an improper stroke, in a rule set that knows such
    early: int  # a break before the word to play, likewise

    own_on: int  # men on the board: without those that fell; those that come back are added when that is ruled
    opp_on: int
    own_fell: int  # in this stroke
    opp_fell: int
    queen_fell: int
    men_before: int  # own men on the board before the stroke
    men_all: int  # and how many own men there are
    own_last: int  # the last man fell in this stroke
    opp_last: int
    ever_own: int  # a man of his fell before this stroke
    returned_own: int
    returned_opp: int
    turn_men: int  # own men of earlier strokes of this turn
    turn_back: int  # all own men of this turn come back

    dues: int  # newly incurred
    striker_part: int  # of them
    penalty: int  # some listed penalty was incurred
    other_penalty: int  # one that is not the striker's
    doubled: int  # the double due is called

    before: int  # QueenState before the stroke, after a slow drop
    queen: int  # QueenState after it
    queen_back: int
    right: int  # the queen may be pocketed alone
    blocked: int  # not while a due is owed
    opening: int  # one own man with her is not enough

    ends: int  # something ends the turn
    keeps: int  # something earns another stroke
    attempt_used: int  # to break
    turn: int
    paid_own: int
    paid_opp: int
    owed_own: int
    owed_opp: int
    held_own: int  # men that the shooter holds, by colour: only where any man is an own man
    held_opp: int
    minus: int  # points lost because no man could pay

    winner: int
    points: int
    award: int  # of the points: what the end of the board adds
    gained: int  # points for what fell in this stroke, likewise
    laws: int  # bit r: Rule(r) decided something


SHEET = np.dtype([(name, np.int64) for name in get_type_hints(Sheet)])


@kernel
def cite(sheet: Record, rule: int) -> None:
    """Note that a field of the rule set decided something."""
    sheet.laws |= 1 << rule


@kernel
def charge(sheet: Record, rule: int, dues: int) -> None:
    """Charge the dues of a listed penalty; nothing happens if the rule set has none for it."""
    if dues > 0:
        sheet.dues += dues
        sheet.penalty = 1
        cite(sheet, rule)


@kernel
def end_turn(sheet: Record, rule: int) -> None:
    """Note that the turn ends, and why."""
    sheet.ends = 1
    cite(sheet, rule)


@kernel
def queen_value(rules: Record, state: Record, winner: int) -> int:
    """Points for the queen to the winner of a board: none from the cut-off, by his score before the board."""
    if state.score[winner] >= rules.queen_cutoff:
        return 0
    return int(rules.queen_value)


@kernel
def man_value(rules: Record, colour: int) -> int:
    """Points for a man of a colour."""
    return int(rules.score_white if colour == WHITE_SIDE else rules.score_black)


@kernel
def cite_man(sheet: Record, colour: int) -> None:
    """Note that men of a colour scored."""
    cite(sheet, Rule.SCORE_WHITE if colour == WHITE_SIDE else Rule.SCORE_BLACK)
