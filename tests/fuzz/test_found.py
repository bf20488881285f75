"""The smallest inputs at which fuzzing found something, each with what must be said of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim import stats
from carromsim.rules.cases import rule_case
from carromsim.studies.declaring.declare import study_from_toml
from carromsim.toml import DeclarationError

HUGE = 10**400
SCENE = {"layout": cs.opening(), "strokes": cs.Strokes(x=0.0, speed=1.0)}
WELCH = {"n1": [1, 2], "mean1": [1, 2, 3], "variance1": 1, "n2": 3, "mean2": 1, "variance2": 1}
SKILL = {"sd_x": 0, "sd_angle": 0, "sd_speed": 0, "sd_spin": 0, "name": "\x1b[2J"}
CASE: dict[str, Any] = {"ruleset": "icf", "before": {}, "stroke": {}}


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (cs.opening, {"equipment": len}, "unknown equipment preset"),
        (cs.opening, {"gap": [1.0, [2.0]]}, "gap = .* is ragged"),
        (cs.opening, {"n": 2**63}, "rows are numbered up to"),
        (cs.arrange, {"black": float("nan")}, "black = nan: must be a list of points"),
        (cs.random_layout, {"queen": float("nan")}, "queen = nan: must be True or False"),
        (cs.random_layout, {"trials": 0.5}, "trials = 0.5: must be an integer"),
        (cs.random_layout, {"equipment": {}}, "unknown equipment preset"),
        (
            cs.simulate,
            {**SCENE, "coefficients": 1.5},
            "coefficients = 1.5: must be a mapping",
        ),
        (
            cs.simulate,
            {**SCENE, "record": np.zeros(0)},
            "record = .*: must be True or False",
        ),
        (cs.simulate, {**SCENE, "until": [1.0, [2.0]]}, "until = .* is ragged"),
        (cs.board_state, {"score": 2**64}, "score = .*: must be a number that an integer of 64 bits can hold"),
        (cs.board_state, {"shooter": [np.True_, 2]}, "shooter = 2 in row 1: must be from 0 to 1"),
        (cs.Strokes, {"x": np.zeros(0, complex), "speed": 1.0}, "x = .*complex128.*: must be a number"),
        (cs.stroke_facts, {"queen": HUGE}, "queen = .*: must be a number that an integer of 64 bits can hold"),
        (stats.wilson, {"successes": 1, "n": 2, "level": ...}, "level: Ellipsis is not allowed"),
        (stats.mean_of, {"values": [-0.3, 0.3], "level": 1e-39}, "level: 1e-39 is not allowed; .* from 0.01"),
        (stats.asymptotic_mean, {"n": 5, "mean": 2, "variance": 1, "level": 1e-300}, "level: 1e-300 is not allowed"),
        (stats.wilson, {"successes": {}, "n": 2}, "successes: {} is not allowed"),
        (stats.welch, WELCH, "shapes do not fit"),
        (stats.log_e_value, {"successes": [1, 2], "n": 3, "against": [0.5] * 3}, "shapes do not fit"),
        (stats.quantile_ranks, {"n": 3, "p": [0.1, 0.2]}, "p has shape"),
        (stats.tuning, {"half_width": 1e-300}, "half_width: 1e-300 is not allowed"),
        (
            stats.variance_reduction,
            {"variance1": 1e308, "variance2": 1e308, "variance_d": 1},
            "variance1: 1e.308 is not",
        ),
        (
            cs.Skill,
            SKILL,
            "name = .*: must be a line of text",
        ),
        (cs.BreakStudy, {"equipment": {"normal": []}}, "must have every field of Equipment that has no"),
    ],
)
def test_it_is_refused_in_words(function: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(**arguments)


def test_a_skill_may_be_of_single_precision() -> None:
    assert cs.Skill(sd_x=np.float32(0.5), sd_angle=0, sd_speed=0, sd_spin=0).sd_x == 0.5


def test_numbers_of_laws_may_be_of_any_size() -> None:
    with pytest.raises(ValueError, match="dues.queen_mix_cap = 1000.*: must be a whole number from 0 to 9"):
        cs.RuleSet.load("icf").replace({"dues.queen_mix_cap": HUGE})


def test_arrays_are_no_laws() -> None:
    with pytest.raises(ValueError, match="match.deciding_game_boards = .*: must be a whole number"):
        cs.RuleSet.load("icf").replace({"match.deciding_game_boards": np.zeros(3)})


def test_whoever_rules_is_a_rule_set() -> None:
    with pytest.raises(ValueError, match="unknown rule set nan"):
        cs.adjudicate(cs.board_state(), cs.stroke_facts(), float("nan"))  # type: ignore[arg-type]


def test_a_long_grid_takes_no_longer_than_its_length() -> None:
    grid = "speed = {grid = {from = 1, to = 2, count = 1000000}}"
    with pytest.raises(ValueError, match="strokes: must be at least 1000000"):
        study_from_toml(f'kind = "break"\n{grid}')


@pytest.mark.parametrize(
    ("part", "told", "message"),
    [
        ("before", {"pocketed": {"white": 3}}, "with on_board it makes"),
        ("before", {"pocketed": []}, r"before.pocketed = \[\]: must have numbers"),
        ("before", {"boards_played": 2**70}, "before.boards_played = .*: must be a whole number"),
        ("before", {"dues": {"white": [], "black": []}}, "dues has shape|one value"),
        ("stroke", {"improper": []}, "one value must be|shape"),
    ],
)
def test_cases_are_refused_in_words(part: str, told: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rule_case({**CASE, part: told})


@pytest.mark.parametrize("other", ["../x.toml", "\\u0000.toml", "far/x.toml"])
def test_a_file_that_cannot_be_read_is_told_at_the_line_that_names_it(other: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'# Mine.\nextends = "{other}"\n')
    for load in (cs.RuleSet.load, cs.Equipment.load):
        with pytest.raises(DeclarationError, match=r"own.toml:2: extends = .*toml.*: (cannot be read|is no name)"):
            load(path)
    for key in ("ruleset", "equipment"):
        with pytest.raises(DeclarationError, match=rf"study.toml:2: {key} = .*toml.*: (cannot be read|is no name)"):
            study_from_toml(f'kind = "break"\n{key} = "{other}"\n', source="study.toml")
