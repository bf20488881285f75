"""The page of the search: it says the defaults, and its tables are filled from runs."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.studies.optimising.study import BreakOptimisation

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "optimise.md").read_text()
_SHORT = (
    "--scouts 4 --restarts 1 --generations 1 --candidates 4 --strokes 6 --finalists 1 --finalist-strokes 6"
    " --verdict-strokes 6 --map-points 3 --map-strokes 6 --robustness-strokes 6"
)
SHORT = _SHORT.split(" ")


def test_the_page_says_the_defaults() -> None:
    before = PAGE.partition("## What it found")[0]
    study, stages = BreakOptimisation(), dict(re.findall(r"^\| (\w+) \|(.*)\|$", before, flags=re.MULTILINE))
    plan = f"{study.restarts} starts x {study.generations} generations x {study.candidates} breaks"
    assert plan in stages["search"]
    assert f" {study.scouts} breaks" in stages["scout"]
    for stage, strokes in (
        ("scout", study.strokes),
        ("search", study.strokes),
        ("finalist", study.finalist_strokes),
        ("verdict", study.verdict_strokes),
        ("map", study.map_strokes),
        ("robustness", study.robustness_strokes),
    ):
        assert stages[stage].rpartition("|")[2].strip().replace(",", "") == str(strokes)


@pytest.mark.slow
def test_the_tables_and_the_picture_are_made_from_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for rules in ("icf", "ukca"):
        for skill in ("club", "expert"):
            runs.append(str(tmp_path / f"{rules}_{skill}"))
            options = [*SHORT, "--ruleset", rules, "--skill", skill, "--out", runs[-1], "--quiet"]
            assert cli.run(["optimise", *options]) == 0
    monkeypatch.syspath_prepend(str(DOCS))
    made = runpy.run_path(str(DOCS / "fill_optimise.py"))
    page = tmp_path / "optimise.md"
    page.write_text(PAGE)
    made["main"].__globals__.update(PAGE=page, PICTURE=tmp_path / "optimise.png")
    made["main"](runs)
    for name, lines in (("found", 4), ("verdict", 4), ("claim", 4), ("robustness", 8)):
        table = page.read_text().partition(f"<!-- {name} -->\n")[2].partition("<!-- end")[0].strip().splitlines()
        assert len(table) == lines + 2, name
    assert (tmp_path / "optimise.png").stat().st_size > 10_000
    sys.modules.pop("filling", None)
