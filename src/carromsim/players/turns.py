"""What a policy is given and what it gives back: positions as the shooter sees them in, strokes out."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import BLACK, N_DISCS, QUEEN, WHITE, Equipment
from carromsim.players.skill import Skill
from carromsim.rules.records import RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import Strokes
from carromsim_kernels.state import CodeArray, FloatArray, IntArray

__all__ = ["Choice", "Policy", "Turns"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Turns:
    """n strokes to be chosen. Every row is a board of its own.

    Attributes
    ----------
    pos : (n, 20, 2) float64
        Centres of the discs as the shooter sees them: he sits at the bottom, origin at the board's centre [m]. NaN for
        what is not on the surface; the striker is not.
    states : (n,) record array
        The boards, as `carromsim.board_state` makes them.
    rules : RuleSet
    equipment : Equipment
    skill : Skill
        Of the shooters.
    seed : int
    rows, stroke : (n,) int64
        Number of the row, and of the stroke in it: what chance may depend on, with the seed, and nothing else.
    """

    pos: FloatArray
    states: RecordArray
    rules: RuleSet
    equipment: Equipment
    skill: Skill
    seed: int
    rows: IntArray
    stroke: IntArray

    def __len__(self) -> int:
        return len(self.pos)

    @cached_property
    def on_surface(self) -> NDArray[np.bool_]:
        """Which discs are on the surface, (n, 20)."""
        there: NDArray[np.bool_] = ~np.isnan(self.pos[:, :, 0])
        return there

    @cached_property
    def own(self) -> NDArray[np.bool_]:
        """Which discs are own men on the surface, (n, 20)."""
        mask = np.zeros((len(self), N_DISCS), bool)
        white = self.states["shooter"] == 0
        any_man = self.rules.turn.own_men == "any"
        mask[:, WHITE], mask[:, BLACK] = (white | any_man)[:, None], (~white | any_man)[:, None]
        return mask & self.on_surface

    @cached_property
    def opponent(self) -> NDArray[np.bool_]:
        """Which discs are the opponent's men on the surface, (n, 20)."""
        men = self.on_surface.copy()
        men[:, : QUEEN + 1] = False
        return men & ~self.own

    def take(self, rows: NDArray[np.intp]) -> "Turns":
        """Give some of the rows as Turns of their own."""
        return Turns(
            pos=self.pos[rows],
            states=self.states[rows],
            rules=self.rules,
            equipment=self.equipment,
            skill=self.skill,
            seed=self.seed,
            rows=self.rows[rows],
            stroke=self.stroke[rows],
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Strokes as intended, in the shooter's own frame, and what they are meant to do.

    Attributes
    ----------
    strokes : Strokes
        n of them; their seat does not matter.
    kind : (n,) int8
        `AimKind` of the candidate, -1 = none in particular.
    target, pocket : (n,) int8
        Disc that is to fall, and where to (as the shooter sees the pockets), -1 = none.
    estimate : (n,) float64
        Chance that it falls, NaN = not estimated.
    """

    strokes: Strokes
    kind: CodeArray
    target: CodeArray
    pocket: CodeArray
    estimate: FloatArray

    @classmethod
    def of(cls, strokes: Strokes) -> "Choice":
        """Say of strokes nothing but what they are."""
        nothing = np.full(strokes.n, -1, np.int8)
        return cls(strokes=strokes, kind=nothing, target=nothing, pocket=nothing, estimate=np.full(strokes.n, np.nan))


class Policy(Protocol):
    """Whatever chooses strokes."""

    def choose(self, turns: Turns) -> Strokes | Choice:
        """Choose a stroke for each row, in the shooter's own frame.

        A row's stroke may depend on that row alone: not on which others are asked for with it.
        """
