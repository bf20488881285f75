"""Some inputs of those that `run.py` gives by the hundred thousand, the same ones each time."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from fuzz.judging import REFUSED, TAKEN, FoundError, Target, bounded_memory, judge
from fuzz.targets import SHARES, TARGETS

FEW = {
    "commands": 25,
    "commands on runs": 12,
    "run again": 6,
    "diff_runs": 10,
    "play_boards": 8,
    "fit_skill": 8,
    "follow": 10,
}
"""Inputs to what takes longer."""

_MANY = 9
"""Inputs for each share of the work."""


@pytest.mark.parametrize("target", TARGETS, ids=[target.name.replace(" ", "-") for target in TARGETS])
def test_whatever_is_given_is_taken_or_refused_in_words(target: Target) -> None:
    answers: set[str] = set()

    @settings(
        max_examples=FEW.get(target.name, _MANY * SHARES[target.name]),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(target.inputs)
    def one(value: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            answers.add(judge(target, value, Path(folder)))

    with bounded_memory():
        one()
    assert answers <= {TAKEN, REFUSED}
    assert REFUSED in answers


def _fails(value: Any, folder: Path) -> None:
    if value == "key":
        raise KeyError(value)
    if value == "number":
        int("x")
    if value == "hidden":
        raise ValueError
    if value == "warning":
        import numpy as np

        np.float64(1e308) * np.float64(10.0)


@pytest.mark.parametrize("value", ["key", "number", "hidden", "warning"])
def test_the_judge_finds_what_is_wrong_with_an_answer(value: str, tmp_path: Path) -> None:
    from hypothesis import strategies as st

    target = Target("nothing", st.none(), _fails)
    with pytest.raises(FoundError):
        judge(target, value, tmp_path)
    assert judge(target, "fine", tmp_path) == TAKEN
