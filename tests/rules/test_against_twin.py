"""Tens of thousands of random strokes: the package and the slow referee say the same of each, in every field."""

import random
from pathlib import Path
from typing import Any

import pytest

import carromsim as cs
from carromsim.rules.cases import rule_case
from oracles import laws
from oracles.laws_cases import make_case
from oracles.laws_random import random_case
from rules import batch

STROKES = 6_000
MANY = 20_000
Case = dict[str, Any]


# Strokes on which a version of the package was wrong, and the law that says so.
FOUND: dict[str, tuple[Case, str]] = {
    "improper": (
        make_case("ukca", white=9, own=3, improper=True),
        "UKCA G6, H8: pieces pocketed by a foul stay down, so an own piece has been pocketed (ICF 92, S1: they count)",
    ),
    "double due with H18": (
        make_case(
            "ukca",
            white=1,
            own=1,
            striker=True,
            striker_same_pocket_as_own=True,
            double_due_agreed=True,
            call_double_due=True,
        ),
        "UKCA H13 is not open with another penalty in the stroke: H12 and H18, two dues",
    ),
    "technical foul, turn goes on": (
        make_case("ukca", own=1, technical_fouls=1),
        "UKCA H3 makes a due wait only if no piece is there to pay it",
    ),
    "dues at the end": (
        make_case(
            "icf",
            white=1,
            black=9,
            own=1,
            opponent=1,
            queen="covered_white",
            dues=(0, 1),
            ever=(True, True),
        ),
        "ICF 55: written off, so the man that fell in the last stroke is not placed and counted",
    ),
    "void stroke, red pending": (
        make_case("bell_i", own=1, queen="pending", turn_pocketed_own=2, direct_hit_behind=True),
        "Bell 7: the turn ends without a cover, the red comes back with all discs of the turn",
    ),
    "own disc off the board": (
        make_case("bell_i", own=1, over_own=1),
        "Bell 7: one disc of this turn is down; the one that left the board never was",
    ),
    "red falls by herself after the last disc": (
        make_case("bell_ii", white=0, fell_between_strokes={"queen": True}),
        "Bell ii [A]: she counts as pocketed after the last disc and ends the setup",
    ),
    "last piece falls by itself": (
        make_case("ukca", white=1, queen="covered_white", striker=True, fell_between_strokes={"white": 1}),
        "UKCA I5, F1: the board was won before the stroke",
    ),
}


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
@pytest.mark.parametrize("strokes", [STROKES, pytest.param(MANY, marks=pytest.mark.slow)])
def test_random_strokes(ruleset: str, strokes: int) -> None:
    dice = random.Random(f"{ruleset} strokes")
    cases = [random_case(dice, ruleset) for _ in range(strokes)]
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


@pytest.mark.parametrize("name", FOUND)
def test_strokes_once_ruled_wrongly(name: str) -> None:
    case, law = FOUND[name]
    assert disagreements([case], case["ruleset"]) == [], law
