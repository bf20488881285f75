"""Boards between strokes and facts of strokes, as record arrays: made from names and numbers, and checked."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.problems import as_array
from carromsim_kernels.laws import ALL, BOARD_STATE, MEN, STROKE_FACTS, QueenState

__all__ = ["COLOURS", "Colour", "RecordArray", "board_state", "check_boards", "check_facts", "stroke_facts"]

RecordArray = NDArray[np.void]
Columns = Mapping[str, NDArray[np.int64]]
"""What was given for each field, by row or once, before it is put into records."""


class Colour(IntEnum):
    """A side of a board. White has the right to break."""

    WHITE = 0
    BLACK = 1


COLOURS = tuple(colour.name.lower() for colour in Colour)
_NOBODY = -1
_COLOUR_CODES: dict[object, int] = {name: code for code, name in enumerate(COLOURS)}
_CODES: dict[str, dict[str, dict[object, int]]] = {
    "board_state": {
        "shooter": _COLOUR_CODES,
        "breaker": _COLOUR_CODES,
        "queen": {state.name.lower(): state.value for state in QueenState},
    },
    "stroke_facts": {"board_lost_by": _COLOUR_CODES | {None: _NOBODY}},
}
"""Names of the numbers of a field, by record and field."""
_ALL_OR_NONE = ("decline_dues", "demand_extra")
"""Numbers for which True stands for all."""

_BOARD_DEFAULTS: dict[str, Any] = {"break_made": 1, "break_attempt": 1, "on_board": (MEN, MEN)}
_FACTS_DEFAULTS: dict[str, Any] = {
    "touched_piece": 1,
    "crossed_front": 1,
    "left_base": 1,
    "demand_extra": ALL,
    "board_lost_by": _NOBODY,
}

MOST_OWED = 100
"""Dues that a side may owe: the kernel has 8 bits for them."""

_LIMITS: dict[str, dict[str, tuple[int, int]]] = {
    "board_state": {
        "shooter": (0, 1),
        "breaker": (0, 1),
        "break_attempt": (1, 100),
        "on_board": (0, MEN),
        "held": (0, MEN),
        "dues": (0, MOST_OWED),
        "queen": (0, 3),
        "turn_pocketed_own": (0, 2 * MEN),
        "score": (-10_000, 10_000),
        "points": (-10_000, 10_000),
    },
    "stroke_facts": {
        "own": (0, MEN),
        "opponent": (0, MEN),
        "overboard_own": (0, MEN),
        "overboard_opponent": (0, MEN),
        "decline_dues": (ALL, 100),
        "demand_extra": (ALL, 100),
        "technical_fouls": (0, 9),
        "fell_between_strokes": (0, MEN),
        "board_lost_by": (_NOBODY, 1),
    },
}
"""Least and greatest number of a field, by record and field; the others are questions: 0 or 1."""


def board_state(**fields: Any) -> RecordArray:
    """Make boards as they stand between two strokes.

    Parameters
    ----------
    shooter, breaker : "white" or "black", or their codes 0 and 1
        Who is on strike, and who has or had the right to break. Default: white.
    break_made : bool
        Default: True.
    break_attempt : int
        Number of the coming stroke, from 1, while the break is not made.
    on_board : (2,) int
        White and black men on the board. Default: 9 and 9.
    ever_pocketed : (2,) bool
        Whether that side ever had a man down. Default: whether it has one down now.
    held : (2, 2) int
        White and black men that white holds, and black: only where any man is an own man (`turn.own_men`).
    queen : "on_board", "pending", "covered_white" or "covered_black", or their codes 0 to 3
        Pending: pocketed by the shooter, who has yet to cover her.
    dues : (2,) int
        Owed by white and black.
    turn_pocketed_own : int
        Own men pocketed by earlier strokes of this turn that are still down.
    double_due_agreed : bool
        Whether the sides agreed that a double due may be called (UKCA H13).
    score, points : (2,) int
        White's and black's score in the game before this board; what the board has added or taken so far.

    Each may be one value or an array of n of them.

    Returns
    -------
    (n,) record array
        With the same fields, and codes for names.

    Raises
    ------
    ValueError
        If there is no such field, or it is out of its range; the message names field, row and value.
    """
    states = _records("board_state", BOARD_STATE, _BOARD_DEFAULTS, fields)
    if "ever_pocketed" not in fields:
        states["ever_pocketed"] = states["held"].any(axis=2) if "held" in fields else states["on_board"] < MEN
    return states


def stroke_facts(**fields: Any) -> RecordArray:
    """Tell what happened in strokes, as an umpire would.

    Parameters
    ----------
    touched_piece, crossed_front, left_base : bool
        Whether the striker touched a piece, wholly crossed the shooter's front line, left his base lines. Default: yes.
    own, opponent : int
        Own and opponent's men pocketed. Default: 0.
    queen, striker : bool
        Whether they were pocketed.
    overboard_own, overboard_opponent : int
    overboard_queen, overboard_striker : bool
        What left the board over the frame.
    striker_same_pocket_as_own : bool
        Whether the striker followed an own man into its pocket.
    direct_hit_behind : bool
        Whether the striker's first hit, before any cushion, was a piece that touched or lay behind his front line.
    improper : bool
        Whether the stroke was a foul: pushed, say.
    call_double_due : bool
        Whether the opponent calls a double due.
    decline_dues : bool or int
        How many of the dues of this stroke the opponent forgoes; True or -1: all.
    demand_extra : bool or int
        How many of the points that the winner may demand he does demand; True or -1: all, the default.
    interference, bad_setup, premature_break : bool
        Whether the shooter touched what he may not, set the pack up wrongly, broke before the word to play.
    technical_fouls : int
    fell_between_strokes : (2,) int
        White and black men that hung over a pocket and fell in before this stroke.
    queen_fell_between_strokes : bool
    board_lost_by : "white", "black" or None
        Whom the umpire let lose the board.

    Each may be one value or an array of n of them.

    Returns
    -------
    (n,) record array
        With the same fields, and codes for names.

    Raises
    ------
    ValueError
        If there is no such field, or it is out of its range; the message names field, row and value.
    """
    return _records("stroke_facts", STROKE_FACTS, _FACTS_DEFAULTS, fields)


def check_boards(states: RecordArray, *, any_man: bool) -> None:
    """Raise ValueError unless all boards can be: the message names field, row, value and what is allowed.

    Parameters
    ----------
    states : (n,) record array
        From `board_state`.
    any_man : bool
        Whether any man is an own man by the rules.
    """
    _check_ranges("board_state", states)
    gone = MEN - states["on_board"]
    if any_man:
        unlike = (states["held"].sum(axis=1) != gone).any(axis=1)
        _refuse("board_state", states, "held", unlike, "with on_board it must make 9 men of each colour")
        gone = states["held"].sum(axis=2)
    # A man that left the board, found no room and is owed was never pocketed.
    short = (gone > states["dues"]) & (states["ever_pocketed"] == 0)
    _refuse("board_state", states, "ever_pocketed", short.any(axis=1), "that side has a man down")
    packed = (states["on_board"] == MEN).all(axis=1) & (states["queen"] == QueenState.ON_BOARD)
    _refuse("board_state", states, "break_made", (states["break_made"] == 0) & ~packed, "something has been pocketed")


def check_facts(states: RecordArray, facts: RecordArray) -> None:
    """Raise ValueError unless all strokes can have happened on their boards, one by one.

    Parameters
    ----------
    states, facts : (n,) record array
        From `board_state` and `stroke_facts`.
    """
    _check_ranges("stroke_facts", facts)
    slow = facts["fell_between_strokes"].sum(axis=1) + facts["queen_fell_between_strokes"] > 0
    early = slow & (states["break_made"] == 0)
    _refuse("stroke_facts", facts, "fell_between_strokes", early, "nothing falls by itself before the break")
    rows = np.arange(len(states))
    shooter = states["shooter"].astype(np.intp)
    for side, kind in ((shooter, "own"), (1 - shooter, "opponent")):
        there = states["on_board"][rows, side] - facts["fell_between_strokes"][rows, side]
        gone = facts[kind] + facts[f"overboard_{kind}"]
        _refuse("stroke_facts", facts, kind, gone > there, "more men than were on the board (overboard ones counted)")
    gone = facts["queen"] + facts["overboard_queen"] + facts["queen_fell_between_strokes"]
    on_board = states["queen"] == QueenState.ON_BOARD
    _refuse("stroke_facts", facts, "queen", (gone > 0) & ~on_board, "she was not on the board")
    _refuse("stroke_facts", facts, "queen", gone > 1, "she can leave the board but once")
    twice = facts["striker"] + facts["overboard_striker"] > 1
    _refuse("stroke_facts", facts, "striker", twice, "it can leave the board but once")
    moved = facts["own"] + facts["opponent"] + facts["queen"] + facts["overboard_own"] + facts["overboard_opponent"]
    untouched = (facts["touched_piece"] == 0) & (moved + facts["overboard_queen"] > 0)
    _refuse("stroke_facts", facts, "touched_piece", untouched, "a piece was pocketed or left the board")
    still = (facts["left_base"] == 0) & (facts["touched_piece"] + facts["crossed_front"] + facts["striker"] > 0)
    _refuse("stroke_facts", facts, "left_base", still, "the striker touched a piece, crossed his front line or fell")
    followed = (facts["striker_same_pocket_as_own"] != 0) & ((facts["striker"] == 0) | (facts["own"] == 0))
    _refuse("stroke_facts", facts, "striker_same_pocket_as_own", followed, "striker and an own man must be pocketed")


def _records(
    what: str, layout: np.dtype[np.void], defaults: Mapping[str, Any], fields: Mapping[str, Any]
) -> RecordArray:
    names = layout.names or ()
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ValueError(f"{what}: unknown field {unknown[0]!r}; known: {', '.join(names)}")
    values = {name: _numbers(what, name, value) for name, value in {**defaults, **fields}.items()}
    lengths = {name: _length(what, layout, name, value) for name, value in values.items()}
    n = max((length for length in lengths.values() if length is not None), default=1)
    odd = [f"{name} has {length}" for name, length in lengths.items() if length not in (None, 1, n)]
    if odd:
        raise ValueError(f"{what}: {odd[0]} rows, others have {n}: one value, or as many as the others")
    columns = {name: values[name].reshape(-1, *layout[name].shape) for name in names if name in values}
    _check_ranges(what, columns)  # here, where a number still is what was given: a record has 8 or 16 bits for it
    records = np.zeros(n, layout)
    for name, column in columns.items():
        records[name] = column
    return records


def _numbers(what: str, name: str, value: ArrayLike) -> NDArray[np.int64]:
    """Turn names into their codes, True into "all" where that is meant, and give integers."""
    if isinstance(value, np.ndarray):
        value = as_array(f"{what}: {name}", value)
        kinds = "iu" if name in _ALL_OR_NONE else "iub"
        if value.dtype.kind in kinds and np.can_cast(value.dtype, np.int64):
            return value.astype(np.int64)
    given = np.asarray(value, dtype=object)
    codes = _CODES[what].get(name, {})
    numbers = np.empty(given.shape, np.int64)
    for at, item in np.ndenumerate(given):
        code = codes.get(item, item) if item is None or isinstance(item, str) else item
        if name in _ALL_OR_NONE and isinstance(code, bool | np.bool_) and code:
            code = ALL
        if not isinstance(code, int | np.integer | np.bool_):
            allowed = " or ".join(map(repr, codes)) if codes else "an integer, True or False"
            raise ValueError(f"{what}: {name} = {item!r}: must be {allowed}")
        if not -(2**63) <= int(code) < 2**63:
            raise ValueError(f"{what}: {name} = {item!r}: must be a number that an integer of 64 bits can hold")
        numbers[at] = code
    return numbers


def _length(what: str, layout: np.dtype[np.void], name: str, value: NDArray[np.int64]) -> int | None:
    """Give the number of rows of a field, None for one value; refuse another shape."""
    inner = layout[name].shape
    if value.ndim == len(inner) and value.shape == inner:
        return None
    if value.ndim == len(inner) + 1 and value.shape[1:] == inner:
        return len(value)
    raise ValueError(f"{what}: {name} has shape {value.shape}: must be {inner} or {('n', *inner)}".replace("'", ""))


def _check_ranges(what: str, rows: RecordArray | Columns) -> None:
    for name in rows if isinstance(rows, Mapping) else rows.dtype.names or ():
        low, high = _LIMITS[what].get(name, (0, 1))
        values = rows[name]
        bad = (values < low) | (values > high)
        _refuse(what, rows, name, np.asarray(bad.any(axis=tuple(range(1, bad.ndim)))), f"must be from {low} to {high}")


def _refuse(what: str, rows: RecordArray | Columns, name: str, bad: NDArray[np.bool_], why: str) -> None:
    """Raise ValueError if a row is bad, about the first that is."""
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{what}: {name} = {rows[name][row].tolist()} in row {row}: {why}")
