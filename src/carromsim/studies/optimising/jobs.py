"""Evaluating breaks: the same break played again and again, in pieces that workers share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from carromsim.chunks import Chunks
from carromsim.equipment import Equipment
from carromsim.play.engine import play
from carromsim.play.records import Ended
from carromsim.play.setup import Setup
from carromsim.players.policy import policy_of
from carromsim.players.skill import Skill
from carromsim.players.turns import Choice, Policy, Turns
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import Strokes
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.optimising.space import Break
from carromsim_kernels.state import FloatArray

__all__ = ["BOARD_WON", "CONDITIONS", "Breaker", "Evaluate", "Job", "Setting", "Share", "evaluated", "serially"]

BOARD_WON = "board_won"
"""The term of an objective that needs the whole board."""
CONDITIONS = ("gap", "mu_surface", "e_disc", "e_cushion")
"""What the robustness of a break is looked at against."""
PIECE = 512
"""Strokes that a worker plays at a time: some 0.1 s; a batch costs 1 ms, and building its study 2 ms."""

A = TypeVar("A")
T = TypeVar("T")
Share = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Does one thing to several arguments and gives the results in their order, whoever works."""


@dataclass(frozen=True)
class Job:
    """A break to be evaluated.

    Attributes
    ----------
    break_ : Break
    luck : range
        Numbers of its strokes, which with the seed fix all chance.
    conditions : tuple of (str, float)
        What differs from the setting; see `CONDITIONS`.
    """

    break_: Break
    luck: range
    conditions: tuple[tuple[str, float], ...] = ()


Evaluate = Callable[[Sequence[Job]], "list[FloatArray]"]
"""Gives for each job the terms of the objective stroke by stroke, (n, k) float64; NaN in a stroke that is no trial."""


@dataclass(frozen=True)
class Setting:
    """All that is not searched: where, by whom and for what breaks are played.

    Attributes
    ----------
    ruleset : RuleSet
    equipment : Equipment
    skill : Skill
    policy : str
        Of both sides after the break, where the board is played on.
    seed : int
    gap : float
        [m]
    jitter : float or None
        [m]; None: as much as the gap allows.
    conduct : DeclaredRates
    terms : tuple of str
        Metrics of a break study, and `BOARD_WON`.
    """

    ruleset: RuleSet
    equipment: Equipment
    skill: Skill
    policy: str
    seed: int
    gap: float
    jitter: float | None
    conduct: DeclaredRates
    terms: tuple[str, ...]

    def value(self, condition: str) -> float:
        """Give what a condition is unless a job says otherwise."""
        return self.gap if condition == "gap" else float(getattr(self.equipment, condition))

    def under(self, conditions: Iterable[tuple[str, float]]) -> "Setting":
        """Give the setting with other conditions. A smaller gap leaves less room for the jitter."""
        told = dict(conditions)
        gap = told.pop("gap", self.gap)
        jitter = self.jitter if self.jitter is None or self.gap == gap else self.jitter * min(gap / self.gap, 1.0)
        return replace(
            self, gap=gap, jitter=jitter, equipment=self.equipment.replace(**told) if told else self.equipment
        )

    def break_study(self, break_: Break, strokes: int) -> BreakStudy:
        """Give the study that plays a break a number of times."""
        hand = {name: getattr(self.skill, name) for name in ("sd_x", "sd_angle", "sd_speed", "sd_spin")}
        intended = {name: getattr(break_, name) for name in ("x", "angle", "speed", "spin", "rotation")}
        told: dict[str, Any] = {
            "ruleset": self.ruleset,
            "equipment": self.equipment,
            "seed": self.seed,
            "conduct": self.conduct,
        }
        return BreakStudy(**told, **intended, **hand, gap=self.gap, jitter=self.jitter, strokes=strokes)

    def setup(self, break_: Break) -> Setup:
        """Give boards that begin with a break."""
        after = policy_of(self.policy)
        return Setup(
            rules=self.ruleset,
            policies=(Breaker(break_, after), after),
            skills=(self.skill, self.skill),
            equipment=self.equipment,
            seed=self.seed,
            rotation=break_.rotation,
            gap=self.gap,
            jitter=self.jitter,
            conduct=self.conduct,
            keep_strokes=False,
        )


@dataclass(frozen=True)
class Breaker:
    """A policy that has one break and leaves all other strokes to another policy.

    Attributes
    ----------
    break_ : Break
        Played as long as the break is not made, every attempt.
    after : Policy
        Who chooses from then on.
    """

    break_: Break
    after: Policy

    def choose(self, turns: Turns) -> Choice:
        """Choose a stroke for each row; see `Policy`."""
        breaking = turns.states["break_made"] == 0
        others = np.flatnonzero(~breaking)
        chosen = self.after.choose(turns.take(others)) if len(others) else None
        if isinstance(chosen, Strokes):
            chosen = Choice.of(chosen)
        n = len(turns)
        told = {name: np.full(n, getattr(self.break_, name)) for name in ("x", "angle", "speed", "spin")}
        nothing = {name: np.full(n, -1, np.int8) for name in ("kind", "target", "pocket")} | {
            "estimate": np.full(n, np.nan)
        }
        if chosen is not None:
            for name, column in told.items():
                column[others] = getattr(chosen.strokes, name)
            for name, values in nothing.items():
                values[others] = getattr(chosen, name)
        return Choice(strokes=Strokes(**told), **nothing)


@dataclass(frozen=True)
class _Piece:
    """Some strokes of a job, with the versions that must play them."""

    setting: Setting
    job: Job
    versions: tuple[tuple[str, str], ...]


def serially(work: Callable[[A], T], tasks: Sequence[A]) -> list[T]:
    """Do everything in this thread."""
    return [work(task) for task in tasks]


def evaluated(setting: Setting, jobs: Sequence[Job], share: Share) -> "list[FloatArray]":
    """Play jobs, each distinct one once; see `Evaluate`.

    Parameters
    ----------
    setting : Setting
    jobs : sequence of Job
    share : Share
        Who works.
    """
    from carromsim.studies.runs.study import versions

    here = tuple(sorted(versions().items()))
    distinct = list(dict.fromkeys(jobs))
    cut = [[job.luck[c.start : c.stop] for c in Chunks(len(job.luck), PIECE)] for job in distinct]
    pieces = [
        _Piece(setting, replace(job, luck=luck), here)
        for job, lucks in zip(distinct, cut, strict=True)
        for luck in lucks
    ]
    played = iter(share(play_piece, pieces))
    found = {job: np.concatenate([next(played) for _ in lucks]) for job, lucks in zip(distinct, cut, strict=True)}
    return [found[job] for job in jobs]


def play_piece(piece: _Piece) -> FloatArray:
    """Play some strokes of a job in this thread; (n, k) as in `Evaluate`."""
    _check_versions(piece.versions)
    setting, job = piece.setting.under(piece.job.conditions), piece.job
    columns: dict[str, FloatArray] = {}
    if any(term != BOARD_WON for term in setting.terms):
        study = setting.break_study(job.break_, job.luck.stop)
        columns = study.observed(study.batch(job.luck)["strokes"])
    if BOARD_WON in setting.terms:
        boards = play(setting.setup(job.break_), job.luck).boards
        won = (boards["winner_side"] == 0).astype(float)
        columns[BOARD_WON] = np.where(boards["ended"] == Ended.RULES, won, np.nan)
    return np.stack([columns[term] for term in setting.terms], axis=1)


@lru_cache(maxsize=4)
def _check_versions(wanted: tuple[tuple[str, str], ...]) -> None:
    from carromsim.studies.runs.work import check_versions

    check_versions(dict(wanted))
