"""Every page tells the truth: its commands, Python and SQL run in its order and print what is shown."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from carromsim.rules.ruleset import RuleSet
from docs.playing import ROOT, Played, blocks_of, play

PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]

AS_THEY_STAND = tuple(
    f"docs/{name}.md" for name in ("analysis", "calibrate", "players", "rules", "statistics", "tutorial")
)
"""Pages that are played with the numbers they show, and whose figures are compared."""

NOT_RUN = {
    "docs/cluster.md": [
        "a Dask cluster, started by tests/executors/test_page.py",
        "a Dask cluster",
        "a Dask cluster",
        "SLURM",
        "SLURM",
        "MPI",
    ],
    "docs/runs.md": ["an object store"],
    "docs/tutorial.md": ["what every test here stands on"],
}
"""Blocks that say themselves why they are not run."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Played]:
    """Plays a page, once."""
    done: dict[str, Played] = {}

    def once(page: str) -> Played:
        if page not in done:
            folder = tmp_path_factory.mktemp(Path(page).stem)
            done[page] = play(ROOT / page, folder, as_it_stands=page in AS_THEY_STAND)
        return done[page]

    return once


SLOW = dict.fromkeys((f"docs/{name}.md" for name in ("gallery", "optimise", "replay")), pytest.mark.slow)
"""They play whole studies, and what they show has quick tests of its own."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=SLOW.get(page, ())) for page in PAGES if blocks_of(ROOT / page)]
)
def test_what_a_page_shows_runs(page: str, played: Callable[[str], Played]) -> None:
    played(page)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_else_is_shown_that_could_run(page: str) -> None:
    blocks = blocks_of(ROOT / page)
    assert [block.why for block in blocks if block.why is not None] == NOT_RUN.get(page, [])
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for block in blocks:
        if block.kind == "sh" and block.why is None:
            assert set(re.findall(r"^make (\S+)", block.text, flags=re.MULTILINE)) <= set(targets)
            assert all(line.startswith("make ") for line in block.text.splitlines())
        elif block.kind == "":
            assert "carromsim " not in block.text.replace("carromsim command ", "")


def test_the_readme(played: Callable[[str], Played]) -> None:
    assert "1000 strokes; 0." in played("README.md").printed
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8").splitlines()
    (block,) = [block.text for block in blocks_of(ROOT / "README.md") if block.kind == "console"]
    assert [line for line in block.splitlines() if line not in tutorial] == []  # there the figures are tested


def test_the_tutorial_and_the_page_on_python(played: Callable[[str], Played]) -> None:
    assert "n_pocketed" in played("docs/tutorial.md").printed
    for text in ("1000 strokes; 0.", "200 rows", "points a board", "boards go to white"):
        assert text in played("docs/python.md").printed


def test_the_page_on_analysis_shows_why_a_study_ended(played: Callable[[str], Played]) -> None:
    page = played("docs/analysis.md")
    (shown,) = [json.loads(block.text) for block in blocks_of(ROOT / "docs/analysis.md") if block.kind == "json"]
    parts = json.loads((page.folder / "runs" / "club" / "parts.json").read_text())
    assert shown in parts.values()


def test_the_page_on_calibration_prints_an_interval(played: Callable[[str], Played]) -> None:
    assert re.fullmatch(r"0\.\d+ \(0\.\d+ to 0\.\d+\)\n", played("docs/calibrate.md").printed)


def test_the_page_on_equipment_compares_boards(played: Callable[[str], Played]) -> None:
    assert "pocket_radius" in played("docs/equipment.md").said["carromsim equipment diff icf bell"]


def test_the_page_on_players(played: Callable[[str], Played]) -> None:
    page = played("docs/players.md")
    fit, won = page.printed.splitlines()
    assert fit == "[0.53, 0.67, 0.86]"
    wins = [int(number) for number in re.findall(r"\d+", won)]
    assert sum(wins) >= 18  # of 20 boards; the others met the limit of strokes
    assert wins[1] > wins[0]  # greedy knows better
    boards = page.names["played"].boards  # type: ignore[attr-defined]
    assert set(np.unique(boards["ended"])) <= {0, 1}


def test_the_page_on_rules(played: Callable[[str], Played]) -> None:
    page = played("docs/rules.md")
    ours = RuleSet.load(page.folder / "house.toml")
    changes = {"name": "house", "queen.value": 5, "dues.cannot_pay": "forget", "opening.attempts": 2}
    assert ours == RuleSet.load("icf").replace(changes)
    assert [ours.law("queen.value"), ours.law("opening.attempts")] == ["the house", f"{page.folder}/house.toml:5"]
    turns, match, doubles = page.printed.splitlines()
    assert sum(map(int, re.findall(r"\d+", turns)[:4])) == 500
    assert match == "1 2 [0 5]", "the other side breaks, from the top, and plays white: the five points are black's"
    assert doubles == "(0, 1, 2, 3) 0 0"


def test_the_page_on_statistics(played: Callable[[str], Played]) -> None:
    share, _, difference, median = played("docs/statistics.md").printed.splitlines()
    assert (share, median) == ("[0.0172 0.0517]", "3.0 1.0 6.0")
    assert difference.startswith("[0.075 ")


def test_the_page_on_three_pockets_tells_two_breaks_apart(played: Callable[[str], Played]) -> None:
    assert "white_pockets_3" in played("docs/three_pockets.md").said["carromsim diff runs/line runs/across"]


def test_the_page_on_variants(played: Callable[[str], Played]) -> None:
    assert "points a board" in played("docs/variants.md").printed
