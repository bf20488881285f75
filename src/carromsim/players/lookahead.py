"""The policy that imagines: it simulates its best candidates with its own scatter and takes what turns out best."""

import math
from dataclasses import dataclass

import numpy as np

from carromsim.chunks import check_count
from carromsim.layouts import Layout
from carromsim.players.aim import candidates
from carromsim.players.outlook import outlook
from carromsim.players.phases import by_phase, choice_of, joined
from carromsim.players.safe import safe_strokes
from carromsim.players.skill import Skill
from carromsim.players.targets import wanted
from carromsim.players.turns import Choice, Turns
from carromsim.rules.adjudication import adjudicate
from carromsim.rules.placement import place, put_off
from carromsim.rules.referee import facts_from_outcomes
from carromsim.simulation import simulate
from carromsim.streams import LOOKAHEAD_SLOTS
from carromsim.strokes import Strokes
from carromsim_kernels.state import FloatArray, Status

__all__ = ["Lookahead"]

FAILED = -100.0
"""Value of a stroke that cannot be simulated: worse than any other."""
MOST = len(LOOKAHEAD_SLOTS) // 4
"""Trials for which there is noise."""


@dataclass(frozen=True)
class Lookahead:
    """Simulates candidates with the skill's noise, has them ruled on, and takes the best mean value.

    Of `budget` strokes per choice about sqrt(budget) are candidates, the safe stroke among them, and each is tried as
    often; a hand without noise tries `budget` candidates once. All candidates of a row are tried with the same noise,
    which is not that of the stroke that will be played. It breaks as all do. Discs do not jump in his mind.

    Parameters
    ----------
    budget : int
        Strokes to simulate per choice, 1 to 4096.
    """

    budget: int = 64

    def __post_init__(self) -> None:
        """Check the budget."""
        if check_count("budget", self.budget) > MOST:
            raise ValueError(f"budget = {self.budget}: must be from 1 to {MOST} strokes")

    @property
    def name(self) -> str:
        """The name that `policy_of` reads."""
        return f"lookahead:{self.budget}"

    def choose(self, turns: Turns) -> Choice:
        """Choose a stroke for each row; x is NaN where the striker has no room."""
        return by_phase(turns, self._think)

    def _think(self, turns: Turns) -> Choice:
        n_options, trials = self._shares(turns.skill)
        found = candidates(turns, wanted(turns), max(n_options - 1, 1))
        options = [choice_of(found[:, k]) for k in range(found.shape[1])]
        if n_options > 1:
            options.append(safe_strokes(turns))
        best, chosen = np.full(len(turns), -np.inf), np.full(len(turns), len(options) - 1)
        for k, option in enumerate(options):
            there = np.flatnonzero(np.isfinite(option.strokes.x))
            value = np.full(len(turns), -np.inf)
            value[there] = _mean_value(turns.take(there), _rows_of(option.strokes, there), trials)
            better = value > best
            best, chosen = np.where(better, value, best), np.where(better, k, chosen)
        return joined(len(turns), [(np.flatnonzero(chosen == k), ...) for k in range(len(options))])
