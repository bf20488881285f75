"""A small run of each kind of study, made once per process."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from carromsim.studies.kinds import KINDS, kind_of

FIELDS: dict[str, dict[str, Any]] = {
    "break": {"strokes": 12, "speed": {"grid": [2.0, 6.0]}},
    "shot": {"strokes": 8, "skill": ["club", "expert"]},
    "board": {"boards": 2, "stroke_limit": 6, "policy": "random"},
    "match": {"matches": 1, "stroke_limit": 2, "policy": "random", "ruleset": "bell_i"},
    "variants": {"boards": 2, "stroke_limit": 4, "policy": "random"},
    "optimise": {"scouts": 2, "restarts": 1, "generations": 1, "candidates": 4, "strokes": 2, "finalists": 1}
    | {"finalist_strokes": 2, "verdict_strokes": 2, "map_points": 0, "robustness_strokes": 2, "robustness": {}},
}
"""Of each kind, so few rows that playing them takes no time."""


def small_study(kind: str) -> Any:
    """Give the study."""
    return kind_of(kind).model_validate(FIELDS[kind])


@cache
def small_run(kind: str) -> Path:
    """Give the directory of a finished run, which nobody may change."""
    folder = Path(tempfile.mkdtemp(prefix="carromsim-small-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    small_study(kind).run(folder / "run", workers=1)
    return folder / "run"


def warm_up() -> None:
    """Play each kind once, so that no input waits for compiled code."""
    for kind in KINDS:
        small_run(kind)
