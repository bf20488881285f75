"""What the built-in policies share: the break, strokes of candidates, and how parts of a batch make a whole."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carromsim.players.turns import Choice, Turns
from carromsim.rules.records import RecordArray
from carromsim.strokes import Strokes, clip_to_legal

__all__ = ["STROKE", "Rows", "break_strokes", "by_phase", "choice_of", "joined", "picked"]

BREAK_X, BREAK_AIM, BREAK_SPEED = 0.03, -0.04, 4.5
"""Where the striker stands, where it would cross the middle of the board from side to side [m], its speed [m/s]: the
break that keeps the turn most often of some three hundred, for the guessed gap in the pack; see docs/players.md."""

STROKE = ("x", "angle", "speed", "spin")
"""What makes a stroke, its seat apart."""

Rows = NDArray[np.intp]


def by_phase(turns: Turns, shoot: Callable[[Turns], Choice]) -> Choice:
    """Break where the break has yet to be made, and let `shoot` choose all other strokes."""
    breaking = turns.states["break_made"] == 0
    phases = ((np.flatnonzero(breaking), break_strokes), (np.flatnonzero(~breaking), shoot))
    return joined(len(turns), [(rows, choose(turns.take(rows))) for rows, choose in phases if len(rows)])


def break_strokes(turns: Turns) -> Choice:
    """Break the pack: from right of the middle at its left half, not hard."""
    x = float(clip_to_legal(BREAK_X, turns.equipment))
    ahead = turns.equipment.side / 2 - turns.equipment.base_line_distance
    angle = math.atan2(ahead, BREAK_AIM - x)
    return Choice.of(Strokes(x=np.full(len(turns), x), angle=angle, speed=BREAK_SPEED))


def choice_of(candidates: RecordArray) -> Choice:
    """Choose candidates, (n,) of `carromsim_kernels.aim.CANDIDATE`, one for each row."""
    return Choice(
        strokes=Strokes(**{name: candidates[name] for name in STROKE}),
        **{name: np.array(candidates[name]) for name in ("kind", "target", "pocket", "estimate")},
    )


def joined(n: int, parts: Sequence[tuple[Rows, Choice]]) -> Choice:
    """Put choices for some rows each together to one for all n rows; every row must be in just one part."""
    columns: dict[str, Any] = {name: np.empty(n, dtype) for name, dtype in _COLUMNS.items()}
    for rows, choice in parts:
        for name, values in columns.items():
            values[rows] = _column(choice, name)
    return _choice(columns)


def picked(options: Sequence[Choice], chosen: Rows, rows: Rows) -> Choice:
    """Take of several choices, all for the same n boards, number `chosen` for board `rows`, (m,) each."""
    return _choice({name: np.stack([_column(option, name) for option in options])[chosen, rows] for name in _COLUMNS})


_COLUMNS: dict[str, type] = dict.fromkeys((*STROKE, "estimate"), np.float64) | dict.fromkeys(
    ("kind", "target", "pocket"), np.int8
)


def _column(choice: Choice, name: str) -> NDArray[Any]:
    return np.asarray(getattr(choice.strokes if name in STROKE else choice, name))


def _choice(columns: dict[str, NDArray[Any]]) -> Choice:
    strokes = Strokes(**{name: columns[name] for name in STROKE})
    return Choice(strokes=strokes, **{name: values for name, values in columns.items() if name not in STROKE})
