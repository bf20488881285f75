"""The policy that imagines: it simulates its best candidates with its own scatter and takes what turns out best."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from carromsim.layouts import Layout
from carromsim.outcomes import Outcomes
from carromsim.players.aim import candidates
from carromsim.players.ideas import Ideas
from carromsim.players.outlook import outlook
from carromsim.players.phases import STROKE, by_phase, choice_of, joined, picked
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
GAIN = 2.0
"""Guess: what it makes of the outlook if a target falls, where the trials do not tell."""
MOST = len(LOOKAHEAD_SLOTS) // 4
"""Trials for which there is noise."""


@dataclass(frozen=True)
class Lookahead:
    """Simulates candidates with the skill's noise, has them ruled on, and takes the best mean outlook.

    Of `budget` strokes per choice the cube root are different ones, and each is tried as often as that allows: 4 of
    them 16 times. All of a row are tried with the same noise, which is not that of the stroke that will be played. A
    hand without noise tries every stroke once, and fills the budget with ideas that it has by chance. Without any
    candidate it plays safe; it breaks as all do. Discs do not jump in his mind.

    Parameters
    ----------
    budget : int
        Strokes to simulate per choice, 2 to 4096.
    """

    budget: int = 64

    def __post_init__(self) -> None:
        """Check the budget."""
        if isinstance(self.budget, bool) or not isinstance(self.budget, int) or not 2 <= self.budget <= MOST:
            raise ValueError(f"budget = {self.budget!r}: must be a whole number of strokes from 2 to {MOST}")

    @property
    def name(self) -> str:
        """The name that `policy_of` reads."""
        return f"lookahead:{self.budget}"

    def choose(self, turns: Turns) -> Choice:
        """Choose a stroke for each row; x is NaN where the striker has no room."""
        return by_phase(turns, self._think)

    def _think(self, turns: Turns) -> Choice:
        n_candidates, trials = self._shares(turns.skill)
        worth = wanted(turns)
        found = candidates(turns, worth, n_candidates)
        options = [choice_of(found[:, k]) for k in range(n_candidates)]
        there = [found[:, k]["kind"] >= 0 for k in range(n_candidates)]
        if turns.skill.exact:  # he sees what comes of a stroke, whatever it is: he may as well try others
            ideas = Ideas(turns, found, worth)
            for k in range(n_candidates):
                if not there[k].all():
                    options[k] = picked([options[k], ideas[k]], (~there[k]).astype(np.intp), np.arange(len(turns)))
                    there[k] = np.isfinite(options[k].strokes.x)
        tried = np.stack(there)
        number, rows = np.nonzero(tried)
        value = np.full(tried.shape, -np.inf)
        value[number, rows] = _values(turns, rows, picked(options, number, rows), trials)
        best, on = np.argmax(value, axis=0), tried.any(axis=0)
        shots, others = np.flatnonzero(on), np.flatnonzero(~on)
        parts = [(shots, picked(options, best[shots], shots))]
        if len(others):  # only where there is nothing else: two who like to play safe never come to an end
            parts.append((others, safe_strokes(turns.take(others))))
        return joined(len(turns), parts)

    def _shares(self, skill: Skill) -> tuple[int, int]:
        """Return the number of candidates, and how often each stroke is tried."""
        if skill.exact:
            return self.budget, 1
        options = max(round(self.budget ** (1.0 / 3.0)), 2)  # 4 of them 16 times were better than 8 of them 8 times
        return options, self.budget // options


def _values(turns: Turns, rows: NDArray[np.intp], tried: Choice, trials: int) -> FloatArray:
    """Try strokes (m,), each for one of the rows and as often, with the skill's noise, and give their mean outlooks.

    A few trials say less about how often a target falls than its estimate does. So a mean is corrected by how far the
    two are apart, times what it makes of the outlook if the target falls: a control variate.
    """
    boards = turns.take(rows)
    total, fallen, with_fall = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows))
    for trial in range(trials):  # added one by one: the order of a sum must not depend on the shape of the batch
        value, fell = _value(boards, tried, LOOKAHEAD_SLOTS.start + 4 * trial)
        total += value
        fallen += fell
        with_fall += np.where(fell, value, 0.0)
    if turns.skill.exact:
        return total / trials
    sums = (np.bincount(rows, each, len(turns)) for each in (fallen, trials - fallen, with_fall, total - with_fall))
    fell_n, not_n, fell_sum, not_sum = sums
    gain = np.where((fell_n > 0) & (not_n > 0), fell_sum / np.maximum(fell_n, 1) - not_sum / np.maximum(not_n, 1), GAIN)
    return total / trials - gain[rows] * (fallen / trials - tried.estimate)


def _value(turns: Turns, tried: Choice, first_slot: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Play every stroke once, have it ruled on, put back what comes back, and judge; tell whether the target fell."""
    played = turns.skill.executed(
        tried.strokes,
        turns.equipment,
        seed=turns.seed,
        rows=turns.rows,
        stroke=turns.stroke,
        pos=turns.pos,
        first_slot=first_slot,
    )
    # Luck with discs that jump is a matter of places in the batch: nobody reckons with it.
    calm = turns.equipment.replace(jump_chance=0.0)
    outcomes = simulate(Layout(turns.pos), played, equipment=calm, threads=1)
    value = np.full(len(turns), FAILED)
    done = np.flatnonzero(outcomes.status == Status.OK)
    if len(done):
        strokes = Strokes(**{name: getattr(played, name)[done] for name in STROKE})
        value[done] = _judged(turns.take(done), _rows_of(outcomes, done), strokes)
    fell = outcomes.pocket[np.arange(len(turns)), tried.target] >= 0
    return value, np.asarray(fell & (outcomes.status == Status.OK))


def _rows_of(outcomes: Outcomes, rows: NDArray[np.intp]) -> Outcomes:
    columns = (field.name for field in fields(Outcomes) if not field.name.startswith("_"))
    return Outcomes(**{name: getattr(outcomes, name)[rows] for name in columns})


def _judged(turns: Turns, outcomes: Outcomes, strokes: Strokes) -> FloatArray:
    """Have strokes ruled on, put back what comes back, and judge the boards."""
    states, rules, equipment = turns.states, turns.rules, turns.equipment
    shooter = states["shooter"].astype(np.int64)
    facts = facts_from_outcomes(outcomes, strokes, shooter, equipment)
    rulings = adjudicate(states, facts, rules)
    seats = 2 * np.stack([shooter, 1 - shooter], axis=1)  # the shooter's is 0, the other side sits opposite
    placed = place(outcomes.pos, states, facts, rulings.records, rules, equipment, seats)
    return outlook(turns, placed.pos, put_off(rulings.after, placed.waiting), rulings["winner"])
