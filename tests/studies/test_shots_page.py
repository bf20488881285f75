"""The page of shots: its table is what comes out."""

from pathlib import Path
from typing import Any

import pytest

from carromsim.studies.shots.study import ShotStudy

DOCS = Path(__file__).parent.parent.parent / "docs"
ALL = ["novice", "club", "expert", "champion", "perfect"]
SHOTS: dict[str, dict[str, Any]] = {
    "straight, the man 40 cm from the pocket": {},
    "straight, 20 cm": {"distance": 0.2},
    "cut of 45 degrees, 40 cm": {"cut": 0.7853981633974483},
    "cut of 45 degrees, 20 cm": {"cut": 0.7853981633974483, "distance": 0.2},
    "bank by the far cushion, 90 cm": {"way": "bank", "pocket": "bottom right", "distance": 0.9},
}


def lines_of_table() -> dict[str, list[str]]:
    lines = [line for line in (DOCS / "shots.md").read_text().splitlines() if line.startswith("| ") and "%" in line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: rest for name, *rest in cells}


def test_the_table_has_the_shots_of_the_test() -> None:
    assert list(lines_of_table()) == list(SHOTS)


QUICK = "straight, 20 cm"


@pytest.mark.parametrize(
    "name", [name if name == QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SHOTS]
)
def test_the_table_is_what_comes_out(name: str) -> None:
    study = ShotStudy(strokes=10_000, skill=ALL, **SHOTS[name])
    summary = study.summarise()
    rates = [[100.0 * value for value in summary.success(skill)] for skill in range(5)]
    expected = [f"{rate:.1f} % ({low:.1f} to {high:.1f})" for rate, low, high in rates]
    room = study.batch(range(1))["shots"]["room"][0].as_py()
    assert lines_of_table()[name] == [*expected, f"{57.29577951308232 * room:.2f}"]
