"""Rulings and boards in words, for everybody who shows them."""

from collections.abc import Sequence

from carromsim.rules.records import COLOURS
from carromsim_kernels.laws import QueenState, Turn

__all__ = ["board_in_words", "owed_in_words", "ruling_in_short", "stands_in_words", "turn_in_words"]


def turn_in_words(turn: Turn, shooter: str = "the shooter", other: str = "the other side") -> str:
    """Say what becomes of the turn.

    >>> turn_in_words(Turn.PASS, other="black")
    'passes to black'
    """
    return {
        Turn.CONTINUE: f"{shooter} plays on",
        Turn.PASS: f"passes to {other}",
        Turn.RETRY: f"{shooter} plays the stroke again",
        Turn.BOARD_END: "the board has ended",
    }[turn]


def board_in_words(on_board: Sequence[int], queen: QueenState) -> str:
    """Say what lies on the board: white and black men, and what is with the queen.

    >>> board_in_words((6, 5), QueenState.ON_BOARD)
    'white 6, black 5, queen on board'
    """
    return f"{_by_colour(on_board)}, queen {queen.name.lower().replace('_', ' ')}"


def owed_in_words(owed: Sequence[int]) -> str:
    """Say what white and black still owe."""
    return f"still owed: {_by_colour(owed)}"


def stands_in_words(on_board: Sequence[int], queen: QueenState, owed: Sequence[int]) -> str:
    """Say how a board stands: what lies on it, and what is owed, if anything is."""
    return "; ".join([board_in_words(on_board, queen), *([owed_in_words(owed)] if any(owed) else [])])


def ruling_in_short(
    turn: Turn,
    colour: int,
    *,
    dues_incurred: int,
    dues_paid: Sequence[int],
    returned: Sequence[int],
    queen_returned: bool,
) -> str:
    """Say a ruling in one line.

    Parameters
    ----------
    turn : Turn
    colour : int
        Of the shooter: 0 white, 1 black.
    dues_incurred : int
        By the shooter.
    dues_paid, returned : two int
        Men placed for dues now, and men that come back and are no dues: his own, the other side's.
    queen_returned : bool
        Whether she comes back.

    >>> ruling_in_short(
    ...     Turn.PASS, 0, dues_incurred=1, dues_paid=(1, 0), returned=(2, 0), queen_returned=False
    ... )
    'the turn passes to black; 1 due; 1 white placed for dues; 2 white come back'
    """
    mine, other = COLOURS[colour], COLOURS[1 - colour]
    words = ("the turn " if turn == Turn.PASS else "") + turn_in_words(turn, mine, other)
    parts = [words]
    if dues_incurred:
        parts.append(f"{dues_incurred} due{'s' if dues_incurred > 1 else ''}")
    parts += [f"{n} {side} placed for dues" for side, n in zip((mine, other), dues_paid, strict=True) if n]
    parts += [f"{n} {side} come{'s' * (n == 1)} back" for side, n in zip((mine, other), returned, strict=True) if n]
    if queen_returned:
        parts.append("the queen comes back")
    return "; ".join(parts)


def _by_colour(pair: Sequence[int]) -> str:
    return ", ".join(f"{colour} {number}" for colour, number in zip(COLOURS, pair, strict=True))
