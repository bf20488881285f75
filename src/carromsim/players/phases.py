"""What the built-in policies share: the break, strokes of candidates, and how parts of a batch make a whole."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import RecordArray
from carromsim.strokes import Strokes, clip_to_legal

__all__ = ["break_strokes", "by_phase", "choice_of", "joined"]

BREAK_SPEED = 7.5
"""Speed of the break [m/s]: see docs/players.md for what others do."""

_STROKE = ("x", "angle", "speed", "spin")

Rows = NDArray[np.intp]


def by_phase(turns: Turns, shoot: Callable[[Turns], Choice]) -> Choice:
    """Break where the break has yet to be made, and let `shoot` choose all other strokes."""
    breaking = turns.states["break_made"] == 0
    phases = ((np.flatnonzero(breaking), break_strokes), (np.flatnonzero(~breaking), shoot))
    return joined(len(turns), [(rows, choose(turns.take(rows))) for rows, choose in phases if len(rows)])


def break_strokes(turns: Turns) -> Choice:
    """Break the pack: from the middle, straight at the queen, hard.

    By simulation that is the best of places, aims and speeds in every shipped rule set, or as good as the best.
    """
    x = float(clip_to_legal(0.0, turns.equipment))
    ahead = turns.equipment.side / 2 - turns.equipment.base_line_distance
    angle = math.pi / 2 if x == 0.0 else math.atan2(ahead, -x)
    return Choice.of(Strokes(x=np.full(len(turns), x), angle=angle, speed=BREAK_SPEED))


def choice_of(candidates: RecordArray) -> Choice:
    """Choose candidates, (n,) of `carromsim_kernels.aim.CANDIDATE`, one for each row."""
    return Choice(
        strokes=Strokes(**{name: candidates[name] for name in _STROKE}),
        **{name: np.array(candidates[name]) for name in ("kind", "target", "pocket", "estimate")},
    )


def joined(n: int, parts: Sequence[tuple[Rows, Choice]]) -> Choice:
    """Put choices for some rows each together to one for all n rows; every row must be in just one part."""
    strokes = {name: np.empty(n) for name in _STROKE}
    others: dict[str, Any] = {name: np.empty(n, np.int8) for name in ("kind", "target", "pocket")}
    others["estimate"] = np.empty(n)
    for rows, choice in parts:
        for name, values in strokes.items():
            values[rows] = getattr(choice.strokes, name)
        for name, values in others.items():
            values[rows] = getattr(choice, name)
    return Choice(strokes=Strokes(**strokes), **others)
