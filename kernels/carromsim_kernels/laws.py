"""What the referee's kernel reads and writes: the board between strokes, the facts of a stroke, rule set, ruling.

Four record layouts. Pairs are by colour, white first, unless they say own and opponent (seen from the shooter).
"""

from enum import IntEnum

import numpy as np

WHITE_SIDE, BLACK_SIDE = 0, 1
MEN = 9
"""Men of a side."""

NEVER = 32767
"""A number of a rule set that is not there: no ceiling, no cut-off."""
ALL = -1
"""A number of a stroke: all of them, however many."""


class Turn(IntEnum):
    """Who plays next."""

    CONTINUE = 0
    PASS = 1
    RETRY = 2
    BOARD_END = 3


class QueenState(IntEnum):
    """Where the queen stands; pending always belongs to the shooter."""

    ON_BOARD = 0
    PENDING = 1
    COVERED_WHITE = 2
    COVERED_BLACK = 3


class Exists(IntEnum):
    """When a stroke counts as made."""

    CROSSED_OR_TOUCHED = 0
    LEFT_BASE = 1
    CROSSED = 2


class DirectHit(IntEnum):
    """What the striker may hit first."""

    FORWARD_ONLY = 0
    ANY = 1
    AFTER_CROSSING = 2


class OwnMen(IntEnum):
    """Which men are the shooter's own."""

    COLOUR = 0
    """Those of his colour: a board is won by having them all down, and scores the men that the loser has left."""
    ANY = 1
    """All of them: every man scores for the side that pockets it, and the board is won by points."""


class Returned(IntEnum):
    """Which of the own men that fell together with the striker come back, apart from dues."""

    NONE = 0
    ALL = 1
    ONE_SAME_POCKET = 2
    """One, if the striker followed it into its pocket; it stands in place of the due."""


class DoubleDue(IntEnum):
    """Whether the opponent may call two dues and let the shooter play on."""

    OFF = 0
    ON_SAME_POCKET = 1


class Pay(IntEnum):
    """When dues are placed."""

    END_OF_TURN = 0
    AT_ONCE = 1


class CannotPay(IntEnum):
    """What becomes of a due when no man is there to pay it."""

    OWE = 0
    MINUS_POINT = 1
    FORGET = 2


class Decline(IntEnum):
    """Which new dues the opponent may forgo."""

    NO = 0
    ALL_ONLY = 1
    EACH = 2


class Right(IntEnum):
    """When the queen may be pocketed alone."""

    AFTER_OWN_MAN = 0
    ANY_TIME = 1
    AFTER_LAST_OWN_MAN = 2


class OpeningQueen(IntEnum):
    """When one own man together with the queen is not cover enough."""

    NONE = 0
    NEVER_POCKETED = 1
    ALL_ON_BOARD = 2


class Cover(IntEnum):
    """How the queen is covered: by an own man in the same or the next stroke, or not at all."""

    NONE = 0
    NEXT_STROKE = 1


class OwnLast(IntEnum):
    """What happens when the shooter's last man falls and the queen is not settled."""

    RETURN_AND_DUE = 0
    LOSE = 1
    FINISH = 2
    CONTINUE = 3


class OpponentLast(IntEnum):
    """What happens when the shooter pockets the opponent's last man."""

    RETURN_AND_DUE = 0
    OPPONENT_WINS = 1
    CONTINUE = 2
    OPPONENT_WINS_WITH_QUEEN = 3
    """He is given the queen too, unless the shooter has covered her."""


class Rule(IntEnum):
    """The fields of a rule set that rule on a stroke: `GROUP_FIELD`; bit number of the field in `Ruling.laws`."""

    STROKE_EXISTS = 0
    STROKE_DIRECT_HIT = 1
    OPENING_ATTEMPTS = 2
    OPENING_MISSED_STRIKER_DUE = 3
    TURN_OWN_MAN_KEEPS = 4
    TURN_OPPONENT_MAN_ENDS = 5
    TURN_STRIKER_ENDS = 6
    TURN_OVERBOARD_ENDS = 7
    TURN_STRIKER_OVERBOARD_ENDS = 8
    DUES_STRIKER = 9
    DUES_STRIKER_WITH_OWN = 10
    DUES_STRIKER_OWN_RETURNED = 11
    DUES_DOUBLE = 12
    DUES_OPPONENT_MAN = 13
    DUES_OVERBOARD = 14
    DUES_STRIKER_OVERBOARD = 15
    DUES_DIRECT_HIT = 16
    DUES_IMPROPER = 17
    DUES_IMPROPER_OWN_RETURNED = 18
    DUES_INTERFERENCE = 19
    DUES_TECHNICAL_FOUL = 20
    DUES_BAD_SETUP = 21
    DUES_PREMATURE_BREAK = 22
    DUES_QUEEN_PREMATURE = 23
    DUES_QUEEN_MIX_CAP = 24
    DUES_PAY = 25
    DUES_CANNOT_PAY = 26
    DUES_DECLINE = 27
    QUEEN_RIGHT = 28
    QUEEN_BLOCKED_BY_DUE = 29
    QUEEN_OPENING = 30
    QUEEN_OPENING_MEN = 31
    QUEEN_COVER = 32
    QUEEN_COVER_EXTENDED = 33
    QUEEN_STRIKER_KEEPS_TURN = 34
    QUEEN_RETURNS_TURN_MEN = 35
    QUEEN_PENALTY_VOIDS_COVER = 36
    QUEEN_VALUE = 37
    QUEEN_CUTOFF = 38
    END_OWN_LAST = 39
    END_OPPONENT_LAST = 40
    END_FIXED_POINTS = 41
    END_FIXED_POINTS_FROM_CUTOFF = 42
    END_DEMAND_POINTS = 43
    END_BOARD_LOSS = 44
    END_BOARD_MAX = 45
    SCORE_WHITE = 46
    SCORE_BLACK = 47
    TURN_OWN_MEN = 48


RULE_PARAMS = np.dtype([(rule.name.lower(), np.int16) for rule in Rule])
"""A rule set as numbers: choices by their codes above, yes and no as 1 and 0, what is not there as `NEVER`."""

BOARD_STATE = np.dtype(
    [
        ("shooter", np.int8),  # colour
        ("breaker", np.int8),  # colour that has or had the right to break
        ("break_made", np.int8),
        ("break_attempt", np.int8),  # of the coming stroke, from 1, while the break is not made
        ("on_board", np.int8, 2),
        ("ever_pocketed", np.int8, 2),  # 1 if a man of that side ever fell
        ("held", np.int8, (2, 2)),  # men that a side has pocketed, by their colour: only where any man is an own man
        ("queen", np.int8),  # QueenState
        ("dues", np.int8, 2),  # owed
        ("turn_pocketed_own", np.int8),  # own men of this turn that are still down
        ("double_due_agreed", np.int8),
        ("score", np.int16, 2),  # in this game before this board
        ("points", np.int16, 2),  # won or lost in this board so far
    ]
)
"""The board between two strokes."""

STROKE_FACTS = np.dtype(
    [
        ("touched_piece", np.int8),
        ("crossed_front", np.int8),
        ("left_base", np.int8),
        ("own", np.int8),  # men pocketed
        ("opponent", np.int8),
        ("queen", np.int8),
        ("striker", np.int8),
        ("overboard_own", np.int8),
        ("overboard_opponent", np.int8),
        ("overboard_queen", np.int8),
        ("overboard_striker", np.int8),
        ("striker_same_pocket_as_own", np.int8),  # and after it
        ("direct_hit_behind", np.int8),
        ("improper", np.int8),
        ("call_double_due", np.int8),
        ("decline_dues", np.int8),  # how many new dues the opponent forgoes, ALL = all
        ("demand_extra", np.int8),  # how many extra points the winner demands, ALL = all
        ("interference", np.int8),
        ("technical_fouls", np.int8),
        ("bad_setup", np.int8),
        ("premature_break", np.int8),
        ("fell_between_strokes", np.int8, 2),
        ("queen_fell_between_strokes", np.int8),
        ("board_lost_by", np.int8),  # colour, -1 = nobody
    ]
)
"""What happened in one stroke, and just before it."""

RULING = np.dtype(
    [
        ("turn", np.int8),  # Turn
        ("dues_incurred", np.int8),  # by the shooter, after what was declined
        ("dues_paid", np.int8, 2),  # placed now: men of the shooter's colour, of the other
        ("returned", np.int8, 2),  # come back though they are no dues: own, opponent
        ("queen_returned", np.int8),
        ("winner", np.int8),  # colour at the board's end, else -1
        ("points", np.int16),  # of the winner
        ("score_delta", np.int16, 2),
        ("laws", np.int64),  # bit r is set if the field Rule(r) decided something
    ]
)
"""What the rule set makes of one stroke."""
