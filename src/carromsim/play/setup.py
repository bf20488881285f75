"""What is played: laws, equipment, who plays, and how far."""

import math
from dataclasses import dataclass, field

import numpy as np

from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER, WHITE, Equipment
from carromsim.layouts import Layout, opening
from carromsim.players.placement import by_sight
from carromsim.players.skill import Skill
from carromsim.players.turns import Policy
from carromsim.rules.placement import Choose
from carromsim.rules.records import RecordArray, check_boards
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.seats import SINGLES, Seating
from carromsim.streams import check_seed
from carromsim_kernels.laws import BOARD_STATE, QueenState
from carromsim_kernels.state import FloatArray

__all__ = ["GAP", "STROKES_OF_A_BOARD", "UNITS", "Setup", "Start"]

UNITS = ("board", "match")
STROKES_OF_A_BOARD = 4096
"""Noise numbers that a board has: its strokes are counted from this times its number within the row."""
GAP = 0.00005
"""Between neighbours in the opening pack [m]: the guess of the break study."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Start:
    """A position from which boards are played, instead of the opening.

    Attributes
    ----------
    pos : (20, 2) float64
        Centres in the board's frame [m], NaN for what is not on the surface; the striker is not. Player 0 is on
        strike, at his seat.
    state : (1,) record array
        The board, as `carromsim.board_state` makes it: player 0 plays for its shooter's colour.
    """

    pos: FloatArray
    state: RecordArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """Boards or matches to be played.

    Attributes
    ----------
    rules : RuleSet
    policies : (Policy, Policy)
        Of sides 0 and 1; in doubles partners have the same.
    skills : (Skill, Skill)
        Likewise.
    equipment : Equipment, optional
        Default: the rule set's.
    seed : int
        0 <= seed < 2^64.
    seating : Seating
        `SINGLES` or `DOUBLES`.
    unit : str
        What a row is: a "board", of which player 0 has the break, or a "match", in which the toss decides that.
    stroke_limit : int
        Strokes after which a board is played no further, 1 to 4096.
    rotation : float
        Turn of the opening pack, counter-clockwise [rad]; at 0 the stem of the white Y points to the breaker.
    gap, jitter : float
        Between neighbours in the pack, and by how much each disc is shifted at most [m], see `carromsim.opening`.
        jitter None: as much as the gap allows.
    conduct : DeclaredRates
        What people do besides playing.
    choose : function, optional
        How players choose places for men and queen, see `carromsim.rules.placement.place`. Default:
        `carromsim.players.placement.by_sight`.
    start : Start, optional
        Where boards begin. Not for matches.
    keep_strokes : bool
        Whether to give a record of each stroke.
    width : int
        Boards that are played side by side. What comes out does not depend on it.

    Raises
    ------
    ValueError
        If an argument makes no sense; the message names it, its value and what is allowed.
    """

    rules: RuleSet
    policies: tuple[Policy, Policy]
    skills: tuple[Skill, Skill]
    equipment: Equipment = field(default=None)  # type: ignore[assignment]  # __post_init__ fills it in
    seed: int = 1
    seating: Seating = SINGLES
    unit: str = "board"
    stroke_limit: int = 300
    rotation: float = 0.0
    gap: float = GAP
    jitter: float | None = None
    conduct: DeclaredRates = field(default_factory=DeclaredRates)
    choose: Choose = field(default=None)  # type: ignore[assignment]  # likewise
    start: Start | None = None
    keep_strokes: bool = True
    width: int = 512

    def __post_init__(self) -> None:
        """Fill in what follows from the rest, and check everything before it is played."""
        if self.equipment is None:
            object.__setattr__(self, "equipment", Equipment.preset(self.rules.equipment))
        if self.choose is None:
            object.__setattr__(self, "choose", by_sight(self.equipment))
        for name in ("rotation", "gap", "jitter"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
            if not number and not (name == "jitter" and value is None):
                raise ValueError(f"{name} = {value!r}: must be a number")
        if not isinstance(self.keep_strokes, bool | np.bool_):
            raise ValueError(f"keep_strokes = {self.keep_strokes!r}: must be True or False")
        if self.jitter is None:
            object.__setattr__(self, "jitter", self.gap / (2.0 * math.sqrt(2.0)))
        check_seed(self.seed)
        if self.unit not in UNITS:
            raise ValueError(f"unit = {self.unit!r}: must be {' or '.join(UNITS)}")
        for name in ("policies", "skills"):
            if not isinstance(getattr(self, name), tuple) or len(getattr(self, name)) != 2:
                raise ValueError(f"{name} = {getattr(self, name)!r}: must be a tuple of two, one for each side")
        for name, most in (("stroke_limit", STROKES_OF_A_BOARD), ("width", 2**20)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"{name} = {value!r}: must be a whole number from 1 to {most}")
        if self.start is not None:
            if self.unit != "board":
                raise ValueError(f"start: a {self.unit} begins with the opening; only boards begin elsewhere")
            _check_start(self.start, self)
        else:
            pack = opening(self.equipment, rotation=self.rotation, gap=self.gap, jitter=self.jitter or 0.0)
            pack.check(self.equipment, striker=False)


def _check_start(start: Start, setup: Setup) -> None:
    """Raise ValueError unless the position is possible and its state says what lies there."""
    if not isinstance(start.state, np.ndarray) or start.state.dtype != BOARD_STATE or start.state.shape != (1,):
        raise ValueError("start.state must be one board, as carromsim.board_state makes it")
    if start.pos.shape != (N_DISCS, 2):
        raise ValueError(f"start.pos has shape {start.pos.shape}: must be ({N_DISCS}, 2)")
    Layout(start.pos).check(setup.equipment, striker=False)
    check_boards(start.state, any_man=setup.rules.turn.own_men == "any")
    there = ~np.isnan(start.pos[:, 0])
    if there[STRIKER]:
        raise ValueError("start.pos has the striker on the board: it must be off it, NaN")
    men = [int(there[WHITE].sum()), int(there[BLACK].sum())]
    if men != start.state["on_board"][0].tolist():
        raise ValueError(f"start.pos has {men} white and black men, its state {start.state['on_board'][0].tolist()}")
    if there[QUEEN] != (start.state["queen"][0] == QueenState.ON_BOARD):
        raise ValueError("start.pos and its state disagree on whether the queen is on the board")
