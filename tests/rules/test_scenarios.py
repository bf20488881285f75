"""The 99 scenarios, and more judged by hand, before the slow referee and before the package."""

import json
from pathlib import Path
from typing import Any

import pytest

from carromsim.rules.cases import rule_case
from oracles import laws

SCENARIOS = json.loads((Path(__file__).parent.parent / "data" / "rule_scenarios.json").read_text())
MORE = json.loads((Path(__file__).parent / "cases_more.json").read_text())


def wrong(expected: dict[str, Any], got: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    return {key: (value, got.get(key)) for key, value in expected.items() if got.get(key) != value}


def each(cases: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


@each(SCENARIOS + MORE)
def test_slow_referee_judges_as_expected(case: dict[str, Any]) -> None:
    assert wrong(case["expect"], laws.judge(case)) == {}


@pytest.mark.kernel
@each(SCENARIOS + MORE)
def test_package_judges_as_expected(case: dict[str, Any]) -> None:
    assert wrong(case["expect"], rule_case(case)) == {}


@each(SCENARIOS + MORE)
def test_men_of_the_expectation_add_up(case: dict[str, Any]) -> None:
    expected, before, stroke = case["expect"], case["before"], case["stroke"]
    if expected["turn"] == "board_end":
        assert expected["score_delta"][expected["board"]["winner"]] == expected["board"]["points"]
        return
    fell = stroke.get("fell_between_strokes", {})
    for side in ("own", "opponent"):
        colour = before["shooter"] if side == "own" else {"white": "black", "black": "white"}[before["shooter"]]
        paid = expected.get("opponent_dues_paid_now", 0) if side == "opponent" else expected["dues_paid_now"]
        gone = stroke["pocketed"][side] + stroke["overboard"][side] + fell.get(colour, 0)
        after = before["on_board"][colour] - gone + expected["forced_returns"][side] + paid
        assert expected["on_board_after"][colour] == after


def test_cases_cover_what_they_were_collected_for() -> None:
    assert len(SCENARIOS) == 99
    assert {case["ruleset"] for case in SCENARIOS} == set(laws.RULE_SETS)
    names = [case["id"] for case in SCENARIOS + MORE]
    assert len(names) == len(set(names))
    assert all(case["refs"] and case["reason"] for case in SCENARIOS + MORE)
