"""What the referee sees: the facts of strokes that were simulated, and those that only people bring about."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE, Equipment
from carromsim.outcomes import Outcomes
from carromsim.problems import as_array
from carromsim.rules.records import RecordArray
from carromsim.streams import Slot, Streams
from carromsim.strokes import Strokes, quarter_turns
from carromsim_kernels.laws import ALL, BLACK_SIDE, STROKE_FACTS, WHITE_SIDE
from carromsim_kernels.state import CodeArray, FloatArray, Status

__all__ = ["DeclaredRates", "colours", "declare", "facts_from_outcomes"]

Flags = NDArray[np.bool_]

MEN_OF = (WHITE, BLACK)
"""Disc numbers of a colour, by its code."""
NOBODY = -1
_REPORTED = 8
"""Rows that one error message names."""


def facts_from_outcomes(
    outcomes: Outcomes, strokes: Strokes, shooter: ArrayLike, equipment: Equipment | str = "icf"
) -> RecordArray:
    """Say what happened in simulated strokes, as the laws see it.

    Of what physics cannot know, the facts say that nobody did anything wrong and that the other side takes all that
    it is offered: it calls a double due where that was agreed, forgoes no due and demands every extra point [A].

    Parameters
    ----------
    outcomes : Outcomes
        n strokes.
    strokes : Strokes
        The same n strokes, or the one that all rows share; their seats count.
    shooter : int or (n,) int
        Colour of the side on strike: 0 white, 1 black.
    equipment : Equipment or str
        With which they were simulated, or the name of a preset.

    Returns
    -------
    (n,) array of `carromsim_kernels.laws.STROKE_FACTS`

    Raises
    ------
    ValueError
        If a row has no outcome (its status is not 0), or an argument does not fit.

    Notes
    -----
    The striker followed an own man (UKCA H13, Bell 8) if it was gone later than some own man in the same pocket. A
    direct hit behind (UKCA H11) is one without a cushion before it, at a man that touched or lay behind the front line
    when he was hit. The striker has left the base line (ICF 127) if it crossed the front line, touched a man, fell,
    left the board, hit the frame, or rests clear of the band between the base lines and their end circles [A].
    """
    equipment = Equipment.of(equipment)
    n = len(outcomes)
    if strokes.n not in (1, n):
        raise ValueError(f"strokes has {strokes.n} rows and outcomes {n}: must be equal, or strokes 1")
    colour = colours("shooter", shooter, n)
    _refuse_failed(outcomes)

    facts = np.zeros(n, STROKE_FACTS)
    fell, left = outcomes.pocket >= 0, outcomes.overboard != 0
    for name, gone in (("", fell), ("overboard_", left)):
        facts[f"{name}own"] = _men(gone, colour)
        facts[f"{name}opponent"] = _men(gone, 1 - colour)
        facts[f"{name}queen"] = gone[:, QUEEN]
        facts[f"{name}striker"] = gone[:, STRIKER]
    facts["touched_piece"] = outcomes.first_hit >= 0
    facts["crossed_front"] = outcomes.crossed_front_line
    facts["left_base"] = _left_base(outcomes, np.broadcast_to(strokes.seat, n), equipment)
    facts["striker_same_pocket_as_own"] = _followed_own(outcomes, colour)
    facts["direct_hit_behind"] = (outcomes.first_hit_direct != 0) & (outcomes.first_hit_behind != 0)
    facts["call_double_due"] = 1
    facts["demand_extra"] = ALL
    facts["board_lost_by"] = NOBODY
    return facts


def colours(name: str, value: ArrayLike, n: int) -> CodeArray:
    """Return colour codes (n,) for one code or n of them; ValueError if there is any but 0 (white) and 1 (black)."""
    array = as_array(name, value)
    if array.shape not in ((), (n,)) or (array.dtype.kind not in "iu" and array.size):
        raise ValueError(f"{name} = {value!r}: must be 0 (white) or 1 (black), or {n} of these")
    wrong = array[(array != WHITE_SIDE) & (array != BLACK_SIDE)]
    if wrong.size:
        raise ValueError(f"{name} holds {wrong[0]}: must be 0 (white) or 1 (black)")
    return np.array(np.broadcast_to(array, n), np.int8)


def named_rows(rows: Sequence[int]) -> str:
    """Name rows for an error message, the first few of them: 'rows 3, 5 and 12 more'."""
    more = f" and {len(rows) - _REPORTED} more" if len(rows) > _REPORTED else ""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows[:_REPORTED]))}{more}"


def _refuse_failed(outcomes: Outcomes) -> None:
    failed = np.flatnonzero(outcomes.status != Status.OK)
    if failed.size:
        codes = np.unique(outcomes.status[failed]).tolist()
        names = ", ".join(f"{code} {Status(code).name.lower().replace('_', ' ')}" for code in codes)
        raise ValueError(f"outcomes: {named_rows(failed.tolist())} not simulated to the end (status {names})")


def _men(gone: Flags, colour: CodeArray) -> NDArray[np.int64]:
    """Count the men of a colour (n,) among the discs that are gone (n, 20)."""
    white, black = (gone[:, men].sum(axis=1) for men in MEN_OF)
    return np.asarray(np.where(colour == WHITE_SIDE, white, black), np.int64)


def _followed_own(outcomes: Outcomes, colour: CodeArray) -> Flags:
    striker = outcomes.pocket[:, STRIKER]
    before = (outcomes.pocket == striker[:, np.newaxis]) & (striker >= 0)[:, np.newaxis]
    # What did not fall has no time, and a comparison with NaN is false.
    before &= outcomes.pocket_time < outcomes.pocket_time[:, STRIKER, np.newaxis]
    followed: Flags = _men(before, colour) > 0
    return followed


def _left_base(outcomes: Outcomes, seat: CodeArray, equipment: Equipment) -> Flags:
    touched = outcomes.first_hit >= 0
    gone = (outcomes.pocket[:, STRIKER] >= 0) | (outcomes.overboard[:, STRIKER] != 0)
    # As long as it touches no man, nothing but the striker can have hit the frame.
    away = touched | gone | (outcomes.crossed_front_line != 0) | (outcomes.n_cushion_hits > 0)
    away |= _off_band(outcomes.pos[:, STRIKER], seat, equipment) > equipment.radius[STRIKER]
    return np.asarray(away, np.bool_)


def _off_band(striker: FloatArray, seat: CodeArray, equipment: Equipment) -> FloatArray:
    """How far the striker's centre is from the band of a seat, its base lines closed by half circles, (n,) [m]."""
    own = quarter_turns(striker, (-seat % 4).astype(np.int8))
    half_width = max(equipment.front_line_distance - equipment.base_line_distance, 0.0)
    along = np.maximum(np.abs(own[:, 0]) - (equipment.base_line_half_length - half_width), 0.0)
    across = own[:, 1] + equipment.side / 2 - equipment.base_line_distance
    distance: FloatArray = np.sqrt(along**2 + across**2) - half_width
    return distance


@dataclass(frozen=True, kw_only=True)
class DeclaredRates:
    """How often people do what no physics decides: the chance per stroke, 0 to 1, of each fact that may be declared.

    A rule set that knows no such offence takes no notice of it. A man who hangs over a pocket and falls by himself
    (UKCA I5, ICF 71) has no rate: which one, the position would have to say.

    Attributes
    ----------
    improper : float
        An improper stroke, such as a push (ICF 64b, 77).
    interference : float
        The shooter touches the moving striker or a man (UKCA H21, H22, ICF 64a).
    technical_foul : float
        One technical foul (UKCA table 2, ICF 63).
    bad_setup : float
        The pack was not set up as it should be (UKCA H10); break strokes only.
    premature_break : float
        The break before the umpire's call (ICF); break strokes only.
    board_loss : float
        The shooter loses the board: he plays out of turn, leaves his seat, destroys the position (ICF 51, 91, 126b).
    call_double_due : float
        The opponent calls a double due where it was agreed and open to him (UKCA H13).
    decline_dues : float
        The opponent forgoes all new dues (UKCA H4, ICF 87a).
    demand_extra : float
        The winner demands all extra points that are open to him, not none (ICF 87b).
    """

    improper: float = 0.0
    interference: float = 0.0
    technical_foul: float = 0.0
    bad_setup: float = 0.0
    premature_break: float = 0.0
    board_loss: float = 0.0
    call_double_due: float = 1.0
    decline_dues: float = 0.0
    demand_extra: float = 1.0

    def __post_init__(self) -> None:
        """Check that every rate is a probability."""
        wrong = []
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 <= value <= 1.0:
                wrong.append(f"{field.name} = {value!r}: must be a number from 0 to 1")
        if wrong:
            raise ValueError("; ".join(wrong))


def declare(
    facts: RecordArray, states: RecordArray, rates: DeclaredRates, *, seed: int, rows: ArrayLike, stroke: ArrayLike
) -> RecordArray:
    """Let people do at random what `rates` says; what the facts said about these things is replaced.

    Parameters
    ----------
    facts : (n,) array of STROKE_FACTS
        Not changed.
    states : (n,) array of BOARD_STATE
        Before the strokes: who shoots, and whether the stroke is a break.
    rates : DeclaredRates
    seed : int
        0 <= seed < 2^64.
    rows : (n,) int
        Number of each row: what is drawn depends on seed, row and stroke alone.
    stroke : int or (n,) int
        Number of the stroke within its row.

    Returns
    -------
    (n,) array of STROKE_FACTS
    """
    if facts.shape != states.shape or facts.shape != np.shape(rows):
        raise ValueError(
            f"facts {facts.shape}, states {states.shape}, rows {np.shape(rows)}: must be of one shape (n,)"
        )
    drawn = Streams(seed).uniform(rows, stroke, _SLOTS)

    def happens(name: str) -> Flags:
        # Rates of 0 and 1 are never and always: the numbers lie strictly between.
        return np.asarray(drawn[:, Slot[name.upper()] - _SLOTS.start] < getattr(rates, name))

    declared, breaking = facts.copy(), states["break_made"] == 0
    for name in ("improper", "interference", "call_double_due"):
        declared[name] = happens(name)
    declared["technical_fouls"] = happens("technical_foul")
    for name in ("bad_setup", "premature_break"):
        declared[name] = happens(name) & breaking
    for name in ("decline_dues", "demand_extra"):
        declared[name] = np.where(happens(name), ALL, 0)
    declared["board_lost_by"] = np.where(happens("board_loss"), states["shooter"], NOBODY)
    return declared


_SLOTS = range(Slot.IMPROPER, Slot.BOARD_LOSS + 1)
