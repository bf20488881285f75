"""Studies of every kind that are played in a moment."""

from collections.abc import Mapping
from typing import Any

import carromsim as cs
from carromsim.studies.declared import DeclaredStudy

START = {"white": [[0.1, 0.25], [-0.2, 0.1]], "black": [[0.0, -0.2], [0.25, 0.0]], "queen": "covered_white"}
SEARCH: Mapping[str, Any] = {
    "scouts": 6,
    "generations": 2,
    "candidates": 4,
    "strokes": 10,
    "restarts": 2,
    "finalists": 2,
    "finalist_strokes": 30,
    "verdict_strokes": 60,
    "map_points": 3,
    "map_strokes": 20,
    "robustness": {},
}


def small_studies() -> dict[str, DeclaredStudy]:
    """Give them by name; two are searches: for one best break, and for what two terms cost each other."""
    return {
        "break": cs.BreakStudy(strokes=400, seed=3, gap=0.0005),
        "until": cs.BreakStudy(strokes=500, seed=4, gap=0.0005, until={"metric": "any", "half_width": 0.08}),
        "shot": cs.ShotStudy(
            strokes=120, skill=("novice", "expert"), cut=cs.Grid([-0.6, 0.0, 0.6]), distance=cs.Uniform(0.2, 0.6)
        ),
        "plain": cs.ShotStudy(strokes=40, skill=("novice", "club")),
        "board": cs.BoardStudy(boards=24, start=START, skill="expert", seed=3),
        "match": cs.MatchStudy(matches=1, ruleset="short_set", skill="champion"),
        "variants": cs.VariantStudy(variants=["icf", "ukca", "usca"], boards=8, skill="expert"),
        "optimise": cs.BreakOptimisation(**SEARCH),
        "front": cs.BreakOptimisation(**SEARCH, pareto=True, objective={"men": 1.0, "striker": -1.0}),
    }
