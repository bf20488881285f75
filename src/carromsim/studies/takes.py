"""A stroke of a study, ready to be shown: how it begins, and what was meant and ruled, in words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from carromsim.equipment import Equipment
from carromsim.layouts import Layout
from carromsim.strokes import Strokes
from carromsim.trajectories import Trajectory, follow

__all__ = ["Take", "checked_board", "stroke_in_words"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Take:
    """One stroke of a study's row. It holds positions only; `follow` plays it.

    Attributes
    ----------
    layout : Layout
        Where everything lay before it, (20, 2) in the board's frame [m].
    strokes : Strokes
        The one stroke, as executed, with its seat.
    equipment : Equipment
    coefficients : mapping of str to float
        Coefficients in place of the equipment's, see `carromsim.simulate`.
    seed, row, stroke : int
        Which chance the stroke has, see `carromsim.simulate`: number of the row, and of the stroke within it.
    board : int
        Number of the board within the row, from 0.
    title : str
        Which stroke it is.
    meant : str
        What it was meant to do; "" if nobody said. Pockets as on the board, wherever the player sits.
    ruling : str
        What was ruled; "" if nobody ruled.
    laws : tuple of str
        Laws of the rule set that decided, as in ("ICF 73", "ICF 48").
    score : str
        How the board, the game and the match stand after it.
    """

    layout: Layout
    strokes: Strokes
    equipment: Equipment
    coefficients: Mapping[str, float]
    seed: int
    row: int
    stroke: int
    board: int = 0
    title: str
    meant: str = ""
    ruling: str = ""
    laws: tuple[str, ...] = ()
    score: str = ""

    def __repr__(self) -> str:
        return f"Take({self.title!r}, row {self.row})"

    def follow(self) -> Trajectory:
        """Play it and follow it in time.

        Raises
        ------
        ValueError
            If the stroke has no outcome.
        """
        return follow(
            self.layout,
            self.strokes,
            equipment=self.equipment,
            coefficients=self.coefficients,
            seed=self.seed,
            row=self.row,
            stroke=self.stroke,
        )


def stroke_in_words(x: float, angle: float, speed: float, spin: float) -> str:
    """Say a stroke [m, rad, m/s, rad/s] in the units that people read."""
    return f"x {x * 1e3:.1f} mm, {math.degrees(angle):.1f} deg, {speed:.2f} m/s, spin {round(spin, 1) + 0.0:g} rad/s"


def checked_board(board: int | None, boards: int) -> int | None:
    """Return the number of a board within a row, or None for all; raise ValueError if the row has no such board."""
    if board is None:
        return None
    if isinstance(board, bool) or not isinstance(board, int) or not 0 <= board < boards:
        raise ValueError(f"board = {board!r}: must be a whole number from 0 to {boards - 1}; the row has {boards}")
    return board
