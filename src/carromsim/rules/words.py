"""Rulings and boards in words, for everybody who shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

from carromsim.rules.records import COLOURS
from carromsim_kernels.laws import QueenState, Turn

__all__ = [
    "board_in_words",
    "law_in_words",
    "owed_in_words",
    "queen_in_words",
    "ruling_in_short",
    "said_of_ruling",
    "stands_in_words",
    "turn_in_words",
]


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
    return f"{_by_colour(on_board)}, queen {queen_in_words(queen)}"


def queen_in_words(queen: QueenState) -> str:
    """Say what is with the queen.

    >>> queen_in_words(QueenState.COVERED_WHITE)
    'covered by white'
    """
    return queen.name.lower().replace("covered_", "covered by ").replace("_", " ")


def owed_in_words(owed: Sequence[int]) -> str:
    """Say what white and black still owe."""
    return f"still owed: {_by_colour(owed)}"


def stands_in_words(on_board: Sequence[int], queen: QueenState, owed: Sequence[int]) -> str:
    """Say how a board stands: what lies on it, and what is owed, if anything is."""
    return "; ".join([board_in_words(on_board, queen), *([owed_in_words(owed)] if any(owed) else [])])


def ruling_in_short(told: Mapping[str, Any], shooter: int) -> str:
    """Say a ruling in one line.

    Parameters
    ----------
    told : mapping
        As `Rulings.row` gives it.
    shooter : int
        His colour: 0 white, 1 black.

    >>> told = {
    ...     "turn": "pass", "dues_incurred": 1, "dues_paid_now": 1, "opponent_dues_paid_now": 0,
    ...     "forced_returns": {"own": 2, "opponent": 0}, "queen_returned": False,
    ...     "score_delta": {"white": 0, "black": 0},
    ... }
    >>> ruling_in_short(told, 0)
    'the turn passes to black; 1 due; 1 white placed for dues; 2 white come back'
    """
    both = mine, other = COLOURS[shooter], COLOURS[1 - shooter]
    turn, board = Turn[told["turn"].upper()], told.get("board", {"winner": None})
    parts = [("the turn " if turn == Turn.PASS else "") + turn_in_words(turn, mine, other)]
    if told["dues_incurred"]:
        parts.append(_number(told["dues_incurred"], "due"))
    placed = told["dues_paid_now"], told["opponent_dues_paid_now"]
    parts += [f"{n} {colour} placed for dues" for colour, n in zip(both, placed, strict=True) if n]
    back = told["forced_returns"]["own"], told["forced_returns"]["opponent"]
    parts += [f"{n} {colour} come{'s' * (n == 1)} back" for colour, n in zip(both, back, strict=True) if n]
    if told["queen_returned"] and turn != Turn.BOARD_END:  # then nobody needs her any more
        parts.append("the queen comes back")
    for colour in COLOURS:
        points = told["score_delta"][colour]
        if points and colour != board["winner"]:
            parts.append(f"{colour} {'gains' if points > 0 else 'loses'} {_number(abs(points), 'point')}")
    if board["winner"] is not None:
        parts.append(f"{board['winner']} wins, {_number(board['points'], 'point')}")
    return "; ".join(parts)


def said_of_ruling(told: Mapping[str, Any], shooter: int, points: Sequence[int] | None = None) -> dict[str, Any]:
    """Give what is said of a stroke that was ruled on: `ruling`, `laws` and `score`, as a `Take` has them.

    Parameters
    ----------
    told : mapping
        As `Rulings.row` gives it.
    shooter : int
        His colour: 0 white, 1 black.
    points : two int, optional
        White's and black's points after it, to be told if there are any. Default: those of this stroke.
    """
    pairs = {key: [told[key][colour] for colour in COLOURS] for key in ("on_board_after", "dues_after", "score_delta")}
    points = pairs["score_delta"] if points is None else points
    queen = QueenState[told["queen_after"].upper()]
    score = stands_in_words(pairs["on_board_after"], queen, pairs["dues_after"])
    if any(points):
        score += f"; points: {_by_colour(points)}"
    laws = tuple(law_in_words(law) for law in told["laws"])
    return {"ruling": ruling_in_short(told, shooter), "laws": laws, "score": score}


def law_in_words(law: str) -> str:
    """Name a law; a mark before it says that it is an assumption.

    >>> law_in_words("[A] ICF 65")
    'ICF 65 (assumed)'
    """
    return f"{law.removeprefix('[A] ')} (assumed)" if law.startswith("[A] ") else law


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _by_colour(pair: Sequence[int]) -> str:
    return ", ".join(f"{colour} {number}" for colour, number in zip(COLOURS, pair, strict=True))
