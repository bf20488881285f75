"""Names that somebody chose are shown as they are, whatever a terminal or a page makes of such signs elsewhere."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import carromsim as cs
from carromsim import cli
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.declaring.declare import study_to_toml
from carromsim.viz.report import report_page
from carromsim.viz.rich_html import html_of

HAND = "me [/b] [x]"
HOUSE = "house [/b] [red] :smile:"
LAW = "[x] 3 [/b]"
BOARD = "plank [/b] [x]"
SKILL = {"name": HAND, "sd_x": 0.001, "sd_angle_deg": 0.5, "sd_speed": 0.05, "sd_spin": 5.0}
START = {"white": [[0.1, 0.25]], "black": [[0.0, -0.2]], "queen": "covered_white"}
KINDS = ("break", "shot", "board", "match", "variants", "optimise")
OUT = "runs [/b] [x]"


def strange_study(kind: str, folder: Path) -> DeclaredStudy:
    """Give a small study whose names are all strange."""
    laws = folder / "house.toml"
    laws.write_text(
        f'name = "{HOUSE}"\nextends = "short_set"\nturn.own_man_keeps = true # {LAW}: keeps\n'
        f"turn.opponent_man_ends = true # {LAW}\n"
    )
    given: dict[str, Any] = {"ruleset": laws, "equipment": cs.Equipment.preset("icf").replace(name=BOARD), "seed": 2}
    match kind:
        case "break":
            return cs.BreakStudy(strokes=4, mu_surface=cs.Uniform(0.08, 0.12), **given)
        case "shot":
            skills = [SKILL, {**SKILL, "name": f"{HAND} 2"}]
            return cs.ShotStudy(strokes=4, skill=skills, distance=cs.Uniform(0.2, 0.4), **given)
        case "board":
            return cs.BoardStudy(boards=1, skill=SKILL, start=START, stroke_limit=40, **given)
        case "match":
            return cs.MatchStudy(matches=1, skill=SKILL, stroke_limit=4, **given)
        case "variants":
            both = [{"name": "house", "ruleset": laws}, {"name": "ukca", "ruleset": "ukca"}]
            del given["ruleset"]
            return cs.VariantStudy(variants=both, boards=1, skill=SKILL, stroke_limit=20, **given)
    search = {"scouts": 2, "restarts": 1, "generations": 1, "candidates": 4, "finalists": 1, "strokes": 4}
    few = {"finalist_strokes": 10, "verdict_strokes": 10, "map_points": 3, "map_strokes": 4, "robustness": {}}
    return cs.BreakOptimisation(skill=SKILL, **search, **few, **given)


def strange_names(kind: str) -> Iterator[str]:
    """Give those that a summary of such a study shows."""
    yield BOARD
    if kind == "shot":
        yield f"{HAND} 2"
    elif kind == "variants":
        yield HAND
    else:
        yield HOUSE
    if kind in ("break", "variants"):
        yield LAW


def plain(text: str) -> str:
    """Take lines together that the width of a terminal has broken."""
    return " ".join(text.split())


@pytest.mark.parametrize("kind", [*KINDS[:-1], pytest.param("optimise", marks=pytest.mark.slow)])
def test_every_command_shows_them(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = strange_study(kind, tmp_path)
    file, out = tmp_path / "study.toml", tmp_path / OUT
    file.write_text(study_to_toml(study))
    assert cli.run(["run", str(file), "--out", str(out)]) == 0
    played = capsys.readouterr().out
    assert f"Written   {out}/" in played
    assert cli.run(["summary", str(out)]) == 0
    summed = capsys.readouterr().out
    for name in strange_names(kind):
        assert name in plain(played)
        assert name in plain(summed)
    row = max(study.rows - 1, 0)
    assert cli.run(["replay", str(out), "--row", str(row), "-o", str(tmp_path / "x.html")]) == 0
    replayed = plain(capsys.readouterr().out)
    assert f"Row {row} of {out}: equal" in replayed
    if kind == "match":
        assert f"({LAW})" in replayed
    run = cs.open_run(out)
    report = study.report(run.summary())
    console = Console(file=io.StringIO(), width=250, force_terminal=False)  # of somebody who thinks of no markup
    console.print(report)
    assert isinstance(console.file, io.StringIO)
    page = html_of(report)
    for name in strange_names(kind):
        if name != HOUSE:  # a terminal of one's own may show smiles
            assert name in plain(console.file.getvalue())
        assert name in page


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_report_shows_them(kind: str, tmp_path: Path) -> None:
    study = strange_study(kind, tmp_path)
    page = report_page(study.run(tmp_path / OUT, workers=1))
    assert f"<dd>{tmp_path / OUT}</dd>" in page
    for name in strange_names(kind):
        assert name in page
