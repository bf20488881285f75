"""The course of a search: which break comes next, given all that were evaluated before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.studies.optimising.choosing import distinct_best, front, scalar_worth
from carromsim.studies.optimising.jobs import CONDITIONS, Evaluate, Job
from carromsim.studies.optimising.plan import Plan, Section, Stage
from carromsim.studies.optimising.records import Candidate, Evaluation, evaluation
from carromsim.studies.optimising.search import Search, scouts
from carromsim.studies.optimising.space import Break, Space
from carromsim.studies.runs.work import VersionsError
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Course", "Question"]

STEP_FROM_STRAIGHT, STEP_FROM_SCOUT = 0.15, 0.08
"""First steps of searches, as shares of the box: a scout is near a top already, the straight break need not be."""
APART = 0.1
"""By how much the starts of searches differ in some coordinate, as a share of the box."""
MAP_REACH = 0.2
"""How far the map goes to either side of the winner, as a share of the box."""
SAME = 1e-9
"""Relative difference up to which a break of a run is the one that is asked for now: the last digits of libraries."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is searched for, whoever evaluates it.

    Attributes
    ----------
    plan : Plan
    space : Space
    weights : mapping of str to float
        The objective, by term.
    pareto : bool
        Whether the two terms are traded off instead of summed.
    seed : int
    straight_speed : float
        Of the straight break [m/s].
    map_points : int
        Values of each coordinate in the map.
    conditions : tuple of (str, float)
        Under which the winner is played again.
    usual : callable
        Gives the value of a condition that nothing is said of.
    """

    plan: Plan
    space: Space
    weights: Mapping[str, float]
    pareto: bool
    seed: int
    straight_speed: float
    map_points: int
    conditions: tuple[tuple[str, float], ...]
    usual: "Callable[[str], float]"

    @property
    def straight(self) -> Break:
        """The break against which all are measured."""
        return self.space.straight(self.straight_speed)

    def weights_of(self, restart: int) -> FloatArray:
        """Give how much a start of a Pareto search cares for either term: from only the first to only the second."""
        share = restart / (self.plan.restarts - 1) if self.plan.restarts > 1 else 0.5
        return np.array([1.0 - share, share])


class Course:
    """Rows of a search, each evaluated when it is asked for and all before it are known.

    Parameters
    ----------
    question : Question
    evaluate : Evaluate
        Who evaluates.
    """

    def __init__(self, question: Question, evaluate: Evaluate) -> None:
        self._question = question
        self._evaluate = evaluate
        self._known: list[Evaluation] = []
        self._points: dict[int, FloatArray] = {}
        """Of the breaks of the search, by row."""
        self._means: list[tuple[FloatArray, int]] = []
        """Where each search ended."""
        self._search: Search | None = None
        self._begun = 0
        self._coming: list[Candidate] = []

    @property
    def known(self) -> int:
        """How many rows are known, from the first on."""
        return len(self._known)

    def recall(self, evaluations: Sequence[Evaluation]) -> None:
        """Take rows that were evaluated earlier, as far as they are the next ones."""
        for each in evaluations:
            if each.row != self.known:
                continue
            section = self._question.plan.section_of(each.row)
            candidate = self._candidates(section)[each.row - section.rows.start]
            _check_same(each, candidate.break_)
            self._known.append(each)

    def rows(self, rows: range) -> list[Evaluation]:
        """Give some rows; those that are not known yet are evaluated, and all before them."""
        while self.known < rows.stop:
            section = self._question.plan.section_of(self.known)
            self._play(section, range(self.known, min(section.rows.stop, rows.stop)))
        return self._known[rows.start : rows.stop]

    def candidate(self, row: int) -> Candidate:
        """Give what is, or was, evaluated in a row; all before its section are evaluated if need be."""
        section = self._question.plan.section_of(row)
        self.rows(range(section.rows.start, section.rows.start))
        return self._candidates(section)[row - section.rows.start]

    def _play(self, section: Section, rows: range) -> None:
        """Evaluate rows of one section."""
        first = section.rows.start
        coming = self._candidates(section)[rows.start - first : rows.stop - first]
        jobs: list[Job] = []
        for candidate in coming:
            jobs.append(Job(candidate.break_, section.luck, candidate.conditions))
            if candidate.paired:
                jobs.append(Job(self._question.straight, section.luck, candidate.conditions))
        values = iter(self._evaluate(jobs))
        for row, candidate in zip(rows, coming, strict=True):
            mine, straight = next(values), next(values) if candidate.paired else None
            where = self._where(section, row, candidate)
            self._known.append(evaluation(where, candidate, self._question.weights, mine, straight))

    def _where(self, section: Section, row: int, candidate: Candidate) -> dict[str, Any]:
        """Give the columns that say what a row is."""
        searched = section.stage == Stage.SEARCH
        under = dict(candidate.conditions)
        return {
            "row": row,
            "stage": int(section.stage),
            "generation": section.generation if searched else None,
            "candidate": row - section.rows.start,
            **{name: under.get(name, self._question.usual(name)) for name in CONDITIONS},
            "first_stroke": section.luck.start,
            "strokes": len(section.luck),
        }

    def _candidates(self, section: Section) -> list[Candidate]:
        """Give the breaks of a section whose predecessors are known; sections begin one after the other."""
        sections = self._question.plan.sections
        while self._begun == 0 or sections[self._begun - 1].rows.start < section.rows.start:
            self._coming = self._begin(sections[self._begun])
            self._begun += 1
        if sections[self._begun - 1] == section:
            return self._coming
        return [_candidate_of(each) for each in self._known[section.rows.start : section.rows.stop]]

    def _begin(self, section: Section) -> list[Candidate]:
        """Choose the breaks of a section."""
        self._tell(section)
        if section.stage == Stage.SCOUT:
            return self._asked(section, scouts(self._question.space, self._question.seed, len(section.rows)), "scout")
        if section.stage == Stage.SEARCH:
            return self._generation(section)
        if section.stage == Stage.FINALIST:
            return self._finalists()
        finalists = [each for each in self._known if each.stage == Stage.FINALIST]
        if section.stage == Stage.VERDICT and self._question.pareto:
            return [_again(each, each.origin, paired=True) for each in finalists]
        winner = _again(max(finalists, key=lambda each: each.known), "winner")
        if section.stage == Stage.VERDICT:
            fast = Candidate(break_=self._question.space.straight(winner.break_.speed), origin="straight", paired=True)
            return [replace(winner, paired=True), fast]
        return self._map(winner) if section.stage == Stage.MAP else self._robustness(winner)

    def _tell(self, section: Section) -> None:
        """Tell the search what its last generation was worth, and note where it ended if it did."""
        if self._search is None or self._begun == 0:
            return
        before = self._question.plan.sections[self._begun - 1]
        if before.stage != Stage.SEARCH:
            return
        rows = self._known[before.rows.start : before.rows.stop]
        self._search.tell(self._worth(rows, before.restart))
        if section.restart != before.restart:
            self._means.append((self._search.mean, before.restart))

    def _worth(self, rows: Sequence[Evaluation], restart: int) -> FloatArray:
        """Give what breaks are worth to a search."""
        if not self._question.pareto:
            return np.array([each.known for each in rows])
        scale = self._known[: self._question.plan.candidates]
        return scalar_worth(rows, scale, self._question.weights, self._question.weights_of(restart))

    def _generation(self, section: Section) -> list[Candidate]:
        asked = self._question
        if section.generation == 0:
            start, step = self._start(section.restart)
            self._search = Search(
                asked.space, start, step, seed=asked.seed, restart=section.restart, candidates=asked.plan.candidates
            )
        assert self._search is not None  # every search begins with generation 0
        return self._asked(section, self._search.ask(), "search")

    def _start(self, restart: int) -> tuple[FloatArray, float]:
        """Give where a search begins, and its first step: at the straight break, or at a good one of the scouts."""
        asked = self._question
        if restart == 0:
            return asked.space.middle(asked.straight_speed), STEP_FROM_STRAIGHT
        scouted = [each for each in self._known if each.stage == Stage.SCOUT]
        rank = 1 if asked.pareto else restart  # weights of its own make a Pareto start another one
        best = distinct_best(scouted, self._worth(scouted, restart), self._points, rank, APART)
        return self._points[best[-1].row], STEP_FROM_SCOUT

    def _asked(self, section: Section, points: Sequence[FloatArray], origin: str) -> list[Candidate]:
        """Take points of the box as the breaks of a section."""
        self._points |= dict(zip(section.rows, points, strict=True))
        restart = section.restart if section.stage == Stage.SEARCH else None
        at = self._question.space.at
        return [Candidate(break_=at(point), origin=origin, restart=restart) for point in points]

    def _finalists(self) -> list[Candidate]:
        """Choose who is evaluated again: the best of the search, the means of all starts, the straight break."""
        asked = self._question
        searched = list(self._known)
        wanted = asked.plan.finalists - asked.plan.restarts - 1
        if asked.pareto:
            best = front(searched, asked.weights, wanted)
        else:
            best = distinct_best(searched, self._worth(searched, 0), self._points, wanted)
        means = [
            Candidate(break_=asked.space.at(mean), origin="mean", restart=restart) for mean, restart in self._means
        ]
        straight = Candidate(break_=asked.straight, origin="straight")
        return [*(_again(each, each.origin) for each in best), *means, straight]

    def _map(self, winner: Candidate) -> list[Candidate]:
        """Vary one coordinate after the other around the winner, the others as they are."""
        space, now = self._question.space, winner.break_
        varied = []
        for name, (low, high) in space.ranges().items():
            at, half = getattr(now, name), MAP_REACH * (high - low)
            ends = (at - half, at + half) if name == "rotation" else (max(at - half, low), min(at + half, high))
            for value in np.linspace(*ends, self._question.map_points).tolist():
                break_ = space.changed(now, name, value)
                varied.append(
                    Candidate(
                        break_=break_, origin="winner", source=winner.source, varied=name, value=getattr(break_, name)
                    )
                )
        return varied

    def _robustness(self, winner: Candidate) -> list[Candidate]:
        """Play the winner and the straight break under other conditions."""
        return [
            Candidate(
                break_=winner.break_,
                origin="winner",
                source=winner.source,
                varied=name,
                value=value,
                paired=True,
                conditions=((name, value),),
            )
            for name, value in self._question.conditions
        ]


def _again(known: Evaluation, origin: str, *, paired: bool = False) -> Candidate:
    """Take a break that was evaluated before."""
    return Candidate(break_=known.break_, origin=origin, restart=known.restart, source=known.row, paired=paired)


def _candidate_of(known: Evaluation) -> Candidate:
    """Give back what was evaluated in a row."""
    conditions = ((known.varied, known.value),) if known.stage == Stage.ROBUSTNESS else ()
    return Candidate(
        break_=known.break_,
        origin=known.origin,
        restart=known.restart,
        source=known.source,
        varied=known.varied,
        value=known.value,
        paired=known.gain is not None,
        conditions=conditions,  # type: ignore[arg-type]  # both are known in that stage
    )


def _check_same(known: Evaluation, asked: Break) -> None:
    """Raise VersionsError unless a row that stands is of the break that is asked for here."""
    for name in ("x", "aim", "angle", "speed", "spin", "rotation"):
        there, here = getattr(known, name), getattr(asked, name)
        if abs(there - here) > SAME * max(1.0, abs(here)):
            raise VersionsError(
                f"row {known.row} of the run has {name} = {there!r}, and the search asks for {here!r} now: it was begun"
                " with another version of cmaes; use that one, or start anew (--fresh)"
            )
