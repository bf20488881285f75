"""Tens of thousands of random strokes: the package and the slow referee say the same of each, in every field."""

import random
from pathlib import Path
from typing import Any

import pytest

import carromsim as cs
from carromsim.rules.cases import rule_case
from oracles import laws
from oracles.laws_random import random_case
from rules import batch

STROKES = 20_000
Case = dict[str, Any]


def agreed(case: Case) -> dict[str, Any]:
    """Return what the slow referee says, without the game, and without the attempt at a break that has been made."""
    expected = laws.judge(case)
    expected.pop("game", None)
    if expected.get("break_made_after"):
        del expected["next"]["break_attempt"]
    return expected


def wrong(expected: dict[str, Any], got: dict[str, Any]) -> dict[str, Any]:
    """Return what differs, each with the two values."""
    found = {key: (value, got.get(key)) for key, value in expected.items() if key != "next" and got.get(key) != value}
    following = got.get("next", {})
    for key, value in expected.get("next", {}).items():
        if following.get(key) != value:
            found[f"next.{key}"] = (value, following.get(key))
    return found


def disagreements(cases: list[Case], ruleset: str) -> list[tuple[Case, dict[str, Any]]]:
    rulings = cs.adjudicate(batch.boards(cases), batch.facts(cases), ruleset)
    pairs = ((case, wrong(agreed(case), told)) for case, told in zip(cases, batch.told(rulings), strict=True))
    return [(case, difference) for case, difference in pairs if difference]


def test_slow_referee_shares_nothing_with_the_package() -> None:
    files = sorted(Path(laws.__file__).parent.glob("laws*.py"))
    assert len(files) > 5
    assert [file.name for file in files if "carromsim" in file.read_text()] == []


@pytest.mark.parametrize("ruleset", laws.RULE_SETS)
def test_random_strokes(ruleset: str) -> None:
    dice = random.Random(f"{ruleset} strokes")
    cases = [random_case(dice, ruleset) for _ in range(STROKES)]
    found = disagreements(cases, ruleset)
    assert not found, f"{len(found)} of {len(cases)}, the first: {found[0]}"


@pytest.mark.parametrize("ruleset", laws.RULE_SETS)
def test_random_strokes_meet_everything(ruleset: str) -> None:
    """The draw reaches each turn, each place of the queen and each fact, or the test above would prove little."""
    dice = random.Random(f"{ruleset} reach")
    cases = [random_case(dice, ruleset) for _ in range(3_000)]
    ruled = [laws.judge(case) for case in cases]
    assert {each["turn"] for each in ruled} == {"continue", "pass", "retry", "board_end"}
    states = {"on_board"} if ruleset == "bell_ii" else {"on_board", "pending", "covered_white", "covered_black"}
    assert {each["queen_after"] for each in ruled if "queen_after" in each} == states
    assert {each["board"]["winner"] for each in ruled if "board" in each} == {"white", "black"}
    facts = batch.facts(cases)
    assert all(len(set(facts[name].ravel().tolist())) > 1 for name in facts.dtype.names or ())


@pytest.mark.parametrize("ruleset", laws.RULE_SETS)
def test_games_stand_the_same_after_boards(ruleset: str) -> None:
    dice = random.Random(f"{ruleset} games")
    cases = [random_case(dice, ruleset) for _ in range(2_000)]
    ended = [(case, ruled) for case in cases if (ruled := laws.judge(case))["turn"] == "board_end"]
    games = []
    for case, ruled in ended:
        games.append(ruled["game"])
        assert rule_case(case)["game"] == ruled["game"], case
    assert {game["over"] for game in games} == {True, False}
