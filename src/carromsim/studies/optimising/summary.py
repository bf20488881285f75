"""What a search for a break found, and how far it can be trusted."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from carromsim.stats import paired_means, paired_shares, student, wilson
from carromsim.studies.breaks.metrics import METRICS
from carromsim.studies.counting.frequencies import LEVEL, json_ready
from carromsim.studies.optimising.choosing import dominated, worth_of
from carromsim.studies.optimising.jobs import BOARD_WON
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.optimising.records import Evaluation

if TYPE_CHECKING:
    from carromsim.studies.optimising.declaration import OptimiseDeclaration

__all__ = ["OBJECTIVE", "EvaluationCounts", "Known", "OptimiseSummary"]

OBJECTIVE = "objective"
"""Name of the weighted sum among the terms."""


class Known(NamedTuple):
    """An estimate and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class EvaluationCounts:
    """Evaluated breaks, which are few enough to be kept.

    Parameters
    ----------
    by_row : mapping of int to Evaluation
    """

    noun: ClassVar[str] = "evaluated breaks"

    by_row: Mapping[int, Evaluation] = field(default_factory=dict)

    @classmethod
    def of(cls, evaluations: Iterable[Evaluation]) -> Self:
        """Keep some."""
        return cls({each.row: each for each in evaluations})

    def __add__(self, other: "EvaluationCounts") -> "EvaluationCounts":
        return EvaluationCounts({**self.by_row, **other.by_row})

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.by_row)

    @property
    def headline(self) -> tuple[str, int, int]:
        """Nothing: how good the best one looks is not how good it is."""
        return "", 0, 0


@dataclass(frozen=True, kw_only=True)
class OptimiseSummary:
    """The verdict on the winner, and what it hangs on.

    Parameters
    ----------
    study : BreakOptimisation
        What was asked.
    counts : EvaluationCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : mapping or None
        Always None: a search does not end early.
    """

    study: "OptimiseDeclaration"
    counts: EvaluationCounts
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    def of(self, stage: Stage) -> list[Evaluation]:
        """Give what was evaluated in a stage, in the order of the rows; nothing if the run has not come so far."""
        return [each for _, each in sorted(self.counts.by_row.items()) if each.stage == stage]

    @property
    def winner(self) -> Evaluation | None:
        """The verdict on the winner, measured by strokes that had no part in choosing him."""
        return self._verdict_on("winner")

    @property
    def as_fast(self) -> Evaluation | None:
        """The verdict on the straight break with the winner's speed: what speed alone brings."""
        return self._verdict_on("straight")

    def _verdict_on(self, origin: str) -> Evaluation | None:
        found = [] if self.study.pareto else self.of(Stage.VERDICT)
        return next((each for each in found if each.origin == origin), None)

    @property
    def claim(self) -> tuple[float, float] | None:
        """What the search said of its best break, and what the same break was worth as a finalist, on fresh strokes.

        The first is too good as a rule: of many noisy numbers it is the largest (the winner's curse). None if not all
        of the search is there.
        """
        again = self.of(Stage.FINALIST)
        if self.study.pareto or not again or any(row not in self.counts.by_row for row in range(again[0].row)):
            return None
        best = max((*self.of(Stage.SCOUT), *self.of(Stage.SEARCH)), key=lambda each: each.known)
        fresh = next((each for each in again if each.source == best.row), None)
        return None if fresh is None else (best.known, fresh.known)

    @property
    def ends(self) -> list[Evaluation]:
        """Where each search ended, as evaluated among the finalists."""
        return [each for each in self.of(Stage.FINALIST) if each.origin == "mean"]

    @property
    def undominated(self) -> list[bool]:
        """Whether each break of the verdict of a Pareto search is still beaten by none of the others."""
        found = self.of(Stage.VERDICT)
        return [] if not found else np.logical_not(dominated(worth_of(found, self.study.objective))).tolist()

    def worth(self, evaluation: Evaluation, term: str = OBJECTIVE) -> Known:
        """Give the mean of the objective or of a term over the strokes of a break, and its interval.

        Shares have Wilson's, all else Student's.
        """
        told = self._told(evaluation, term)
        return self._mean(term, evaluation.n, told.get("mean"), told.get("sd"))

    def straight(self, evaluation: Evaluation, term: str = OBJECTIVE) -> float:
        """Give the mean of the straight break with the same luck; NaN if it was not played there."""
        return float(self._told(evaluation, term).get("straight", math.nan))

    def gain(self, evaluation: Evaluation, term: str = OBJECTIVE) -> Known:
        """Give what a break gains over the straight one, stroke by stroke with the same luck.

        Shares have Tango's interval, all else Student's of the differences.
        """
        told, n = self._told(evaluation, term), evaluation.n
        gain, sd = told.get("gain"), told.get("gain_sd")
        if gain is None or sd is None:
            return Known(math.nan, -math.inf, math.inf)
        total, squares = n * gain, sd * sd * (n - 1) + n * gain * gain
        if self._is_share(term):
            only_first, only_second = round((squares + total) / 2.0), round((squares - total) / 2.0)
            found = paired_shares(0, only_first, only_second, n - only_first - only_second, LEVEL)
        else:
            found = paired_means(n, total, squares, LEVEL)
        return Known(float(found.estimate), float(found.low), float(found.high))

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        lost = sum(each.strokes - each.n for each in self.counts.by_row.values())
        played = sum(each.strokes for each in self.counts.by_row.values())
        told = [f"{lost:,} of {played:,} strokes do not count: they failed, or their board did"] if lost else []
        winner = self.winner
        for name in () if winner is None else ("speed", "spin"):
            low, high = self.study.space.ranges()[name]
            value = getattr(winner, name)
            if min(value - low, high - value) < 0.02 * (high - low):
                told.append(f"the winner's {name} {value:.3g} is at the end of what is searched ({low:g} to {high:g})")
        return told + self._better_around()

    def _better_around(self) -> list[str]:
        """Tell if the best break of the map is better by more than both intervals: the search was not at the top.

        Of many noisy numbers the largest is too good, so its interval is one for all of them (Bonferroni). And all of
        the map have the same luck, which may be better than that of the verdict: the winner's own points tell.
        """
        winner, around = self.winner, self.of(Stage.MAP)
        if winner is None or not around:
            return []
        best = max(around, key=lambda each: each.known)
        himself = [each.known for each in around if _is_varied_by_nothing(each, winner)]
        low = self._mean(OBJECTIVE, best.n, best.objective, best.sd, 1.0 - (1.0 - LEVEL) / len(around)).low
        if low <= max([self.worth(winner).high, *himself]):
            return []
        return [
            f"with {best.varied} = {best.value:.4g} the map has {best.known:.3f}, better than the winner's"
            f" {winner.known:.3f}: the search was too short"
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        verdict = [self._dict(each) for each in self.of(Stage.VERDICT)]
        for told, good in zip(verdict, self.undominated if self.study.pareto else [], strict=False):
            told["undominated"] = good
        claim = self.claim
        told = {
            "evaluations": self.counts.rows,
            "level": LEVEL,
            "verdict": verdict,
            "claim": None if claim is None else {"search": claim[0], "fresh": claim[1]},
            "finalists": [self._dict(each) for each in self.of(Stage.FINALIST)],
            "map": [self._dict(each) for each in self.of(Stage.MAP)],
            "robustness": [self._dict(each) for each in self.of(Stage.ROBUSTNESS)],
            "seconds_of_work": self.seconds,
            "stopped": self.stopped,
            "warnings": self.warnings,
        }
        return dict(json_ready(told))

    def _dict(self, evaluation: Evaluation) -> dict[str, Any]:
        found: dict[str, Any] = {"row": evaluation.row, "origin": evaluation.origin, **asdict(evaluation.break_)}
        if evaluation.varied is not None:
            found |= {"varied": evaluation.varied, "value": evaluation.value}
        found["n"] = evaluation.n
        for term in (OBJECTIVE, *self.study.objective):
            found[term] = dict(self.worth(evaluation, term)._asdict())
            if evaluation.gain is not None:
                found[term] |= {
                    "straight": self.straight(evaluation, term),
                    "gain": self.gain(evaluation, term)._asdict(),
                }
        return found

    def _told(self, evaluation: Evaluation, term: str) -> dict[str, float]:
        """Give what is known of the objective or of a term, by the keys of the column `terms`."""
        if term != OBJECTIVE:
            return evaluation.of_terms[term]
        named = {"mean": evaluation.objective, **{key: getattr(evaluation, key) for key in ("sd", "straight")}}
        named |= {"gain": evaluation.gain, "gain_sd": evaluation.gain_sd}
        return {key: value for key, value in named.items() if value is not None}

    def _is_share(self, term: str) -> bool:
        if term == OBJECTIVE:  # one share as it is
            ((first, weight), *more) = self.study.objective.items()
            return not more and weight == 1.0 and self._is_share(first)
        return term == BOARD_WON or METRICS[term].is_share

    def _mean(self, term: str, n: int, mean: float | None, sd: float | None, level: float = LEVEL) -> Known:
        if mean is None or sd is None:
            return Known(math.nan if mean is None else mean, -math.inf, math.inf)
        ends = wilson(round(mean * n), n, level) if self._is_share(term) else student(n, mean, sd * sd, level)
        return Known(mean, float(ends.low), float(ends.high))


def _is_varied_by_nothing(point: Evaluation, winner: Evaluation) -> bool:
    """Tell whether a point of the map is the winner himself."""
    if point.varied is None or point.value is None:
        return False
    return math.isclose(point.value, getattr(winner, point.varied), rel_tol=1e-9, abs_tol=1e-12)
