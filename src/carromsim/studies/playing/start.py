"""A position from which boards begin, as a study declares it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from carromsim.layouts import arrange
from carromsim.play.setup import Start
from carromsim.problems import did_you_mean
from carromsim.rules.records import COLOURS, board_state
from carromsim.studies.declaring.distributions import real

KEYS = ("white", "black", "queen", "shooter", "dues")
QUEENS = ("pending", "covered_white", "covered_black")
"""What the queen may be if she is not on the board."""
MOST_MEN = 9


def start_given(value: Any) -> Mapping[str, Any] | None:
    """Check a position and spell it out; None stays None.

    Raises
    ------
    ValueError
        If it is none.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ValueError("must be a position: " + ", ".join(KEYS))
    unknown = [f"{key}: {did_you_mean(key, KEYS)}" for key in value if key not in KEYS]
    if unknown:
        raise ValueError("; ".join(unknown))
    men = {colour: _men(colour, value.get(colour, ())) for colour in COLOURS}
    queen, shooter, dues = value.get("queen"), value.get("shooter", "white"), value.get("dues", [0, 0])
    if queen not in QUEENS:
        if queen is None or isinstance(queen, str):
            raise ValueError(f"queen = {queen!r}: must be [x, y], or one of {', '.join(QUEENS)}")
        queen = _point("queen", queen)
    if shooter not in COLOURS:
        raise ValueError(f"shooter = {shooter!r}: must be white or black")
    whole = isinstance(dues, Sequence) and len(dues) == 2 and all(type(due) is int and 0 <= due <= 100 for due in dues)
    if not whole:
        raise ValueError(f"dues = {dues!r}: must be two whole numbers from 0 to 100, white's and black's")
    found = {**men, "queen": queen, "shooter": shooter, "dues": list(dues)}
    start_of(found)
    return found


def start_of(told: Mapping[str, Any]) -> Start:
    """Give the position and the state of the board that a checked mapping says."""
    there = not isinstance(told["queen"], str)
    layout = arrange(queen=told["queen"] if there else None, white=told["white"], black=told["black"])
    state = board_state(
        shooter=told["shooter"],
        breaker=told["shooter"],
        on_board=[[len(told[colour]) for colour in COLOURS]],
        queen="on_board" if there else told["queen"],
        dues=[told["dues"]],
    )
    return Start(pos=np.array(layout.pos), state=state)


def _men(colour: str, value: Any) -> list[list[float]]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MOST_MEN:
        raise ValueError(f"{colour}: must be a list [[x, y], ...] of at most {MOST_MEN} men")
    return [_point(f"{colour} {number}", point) for number, point in enumerate(value, 1)]


def _point(name: str, value: Any) -> list[float]:
    numbers = [real(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else []
    if len(numbers) != 2 or None in numbers:
        raise ValueError(f"{name} = {value!r}: must be [x, y], two finite numbers in m")
    return [number for number in numbers if number is not None]
