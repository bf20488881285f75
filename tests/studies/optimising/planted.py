"""A search whose answer is known: breaks are not played, their worth is a formula with noise."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from carromsim.studies.optimising.course import Course, Question
from carromsim.studies.optimising.jobs import Job
from carromsim.studies.optimising.plan import Plan
from carromsim.studies.optimising.records import Evaluation
from carromsim.studies.optimising.space import PERIOD, Break
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim_kernels.state import FloatArray

BEST = {"x": -0.08, "aim": 0.03, "speed": 8.0, "spin": -40.0, "rotation": 0.9}
WIDTH = {"x": 0.1, "aim": 0.04, "speed": 4.0, "spin": 80.0, "rotation": 0.5}
TOP = 2.0
COMMON, OWN = 0.6, 0.8
"""Standard deviations of what all breaks of a stroke number share, and of what each has for itself."""


def true_worth(break_: Break) -> float:
    """A smooth hill over the box, periodic in the rotation."""
    loss = 0.0
    for name, best in BEST.items():
        off = getattr(break_, name) - best
        off -= PERIOD * round(off / PERIOD) if name == "rotation" else 0.0
        loss += (off / WIDTH[name]) ** 2
    return TOP * float(np.exp(-0.5 * loss))


def evaluate(seed: int, jobs: Sequence[Job]) -> list[FloatArray]:
    """Worth with noise, which follows from the seed, the number of the stroke and the break."""
    found = []
    for job in jobs:
        shared = np.random.default_rng([seed, job.luck.start]).normal(0.0, COMMON, len(job.luck))
        own = abs(hash((job.break_, job.conditions)))  # of floats and short words: the same in one process
        mine = np.random.default_rng([seed, job.luck.start, own]).normal(0.0, OWN, len(job.luck))
        found.append((true_worth(job.break_) + shared + mine)[:, np.newaxis])
    return found


@lru_cache
def asked(ruleset: str = "ukca") -> Question:
    """A question over the real box of a rule set."""
    return BreakOptimisation(ruleset=ruleset, robustness={}).question


def searched(seed: int, plan: Plan, *, pareto: bool = False) -> list[Evaluation]:
    """Search once, from the first row to the last."""
    question = replace(asked(), seed=seed, plan=plan, pareto=pareto, map_points=3)
    course = Course(question, lambda jobs: evaluate(seed, jobs))
    return course.rows(range(plan.rows))


SMALL = Plan(
    scouts=0,
    restarts=1,
    generations=5,
    candidates=6,
    finalists=6,
    verdicts=2,
    mapped=0,
    conditions=0,
    strokes=(1, 20, 60, 200, 1, 1),
)
"""Noisy on purpose: what its search says of its best is far too good."""
LARGE = Plan(
    scouts=60,
    restarts=3,
    generations=40,
    candidates=12,
    finalists=12,
    verdicts=2,
    mapped=15,
    conditions=0,
    strokes=(300, 500, 5000, 10_000, 2000, 1),
)
