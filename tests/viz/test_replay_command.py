"""`--out` of `carromsim replay` and `carromsim stroke`."""

import json
from pathlib import Path
from typing import Any

import pytest

import carromsim as cs
from carromsim import RuleSet, cli
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.matches import MatchStudy
from carromsim.viz.replays import replay

START = {"white": [[0.1, 0.25], [-0.2, 0.1]], "black": [[0.0, -0.2], [0.25, 0.0]], "queen": "covered_white"}
SHORT = {"start": START, "skill": "expert", "seed": 3}


@pytest.fixture(scope="module")
def breaks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs") / "breaks"
    BreakStudy(strokes=20).run(root, workers=1)
    return root


def told(file: Path) -> list[dict[str, Any]]:
    text = file.read_text(encoding="utf-8")
    data = text.partition('class="replay-data">')[2].partition("</script>")[0]
    return list(json.loads(data)["strokes"])


def run(*arguments: object) -> int:
    return cli.run([str(argument) for argument in arguments])


def test_a_row_of_breaks(breaks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "row.html"
    assert run("replay", breaks, "--row", 7, "-o", file) == 0
    shown = capsys.readouterr().out
    assert "equal to the row that stands there" in shown
    assert shown.endswith(f"Written   {file}, {file.stat().st_size / 1e3:,.0f} kB\n")
    (stroke,) = told(file)
    row = BreakStudy(strokes=20).batch(range(7, 8))["strokes"].to_pylist()[0]
    assert stroke["duration"] == pytest.approx(row["duration"], abs=1e-6)
    assert [pocket if pocket >= 0 else None for pocket in stroke["pocket"]] == row["pocket"]
    assert "row 7 of breaks" in file.read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8") == replay(cs.open_run(breaks), 7).html()


def test_json_stays_alone_on_standard_output(breaks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "row.html"
    assert run("replay", breaks, "--row", 7, "--out", file, "--json") == 0
    shown, errors = capsys.readouterr()
    assert json.loads(shown)["row"] == 7
    assert errors.startswith(f"Written   {file}, ")


def test_a_row_that_came_out_otherwise_is_shown_and_is_a_failure(breaks: Path, tmp_path: Path) -> None:
    other = BreakStudy(strokes=20, seed=7).batch(range(3, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "batch", lambda self, rows: other)
        assert run("replay", breaks, "--row", 3, "--out", tmp_path / "row.html") == 1
    assert (tmp_path / "row.html").exists()


def test_a_board_by_its_number_and_one_stroke_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, file = tmp_path / "boards", tmp_path / "board.html"
    rows = BoardStudy(boards=2, **SHORT).run(root, workers=1).tables["strokes"].to_table().to_pylist()
    assert run("replay", root, "--board", 1, "--out", file) == 0
    mine = [row for row in rows if row["row"] == 1]
    strokes = told(file)
    assert len(strokes) == len(mine) > 1
    for stroke, row in zip(strokes, mine, strict=True):
        assert "; ".join(stroke["laws"]) == row["laws"]
        assert stroke["ruling"]
    assert run("replay", root, "--row", 1, "--stroke", 1, "--out", tmp_path / "stroke.png") == 0
    capsys.readouterr()
    assert run("replay", root, "--board", 1, "--out", tmp_path / "board.gif") == 2
    assert f"this replay has {len(mine)}; --stroke N takes one" in capsys.readouterr().err
    assert run("replay", root, "--board", 1, "--stroke", 99, "--out", file) == 2
    assert "stroke = 99: must be from 0 to" in capsys.readouterr().err


def test_a_board_of_a_match(tmp_path: Path) -> None:
    root, file = tmp_path / "matches", tmp_path / "board.html"
    rules = RuleSet.load("icf").replace({"score.target": 1, "match.deciding_game_points": 1})  # a board decides a game
    study = MatchStudy(matches=1, ruleset=rules, skill="champion", seed=2)
    rows = study.run(root, workers=1).tables["strokes"].to_table().to_pylist()
    assert run("replay", root, "--row", 0, "--board", 1, "--out", file) == 0
    assert len(told(file)) == sum(row["board"] == 1 for row in rows) > 0
    assert "board 1" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "--row: must be given"),
        (("--board", "1"), "--board 1: a run of kind break is asked by --row"),
        (("--row", "1", "--stroke", "0"), "--stroke 0: says what is shown, and needs --out"),
        (("--row", "1", "--board", "0"), "--board 0: says what is shown, and needs --out"),
        (("--row", "1", "--out", "a.pdf"), "--out a.pdf: must end in one of .html, .gif, .png, .svg"),
        (("--row", "1", "--out", "no/a.gif"), "--out no/a.gif: there is no folder 'no'"),
        (("--row", "1", "--board", "2", "--out", "a.html"), "board = 2: must be"),
        (("--row", "1", "--stroke", "99", "--out", "a.html"), "stroke = 99: must be"),
    ],
)
def test_what_is_asked_wrongly(
    breaks: Path, options: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert run("replay", breaks, *options) == 2
    shown, errors = capsys.readouterr()
    assert says in errors
    assert shown == ""  # before anything is told of the row
    assert list(tmp_path.iterdir()) == []


def test_a_stroke_with_its_ruling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stroke.html"
    assert run("stroke", "--speed", 5, "--ruleset", "icf", "--out", file) == 0
    assert capsys.readouterr().out.endswith(f"Written   {file}, {file.stat().st_size / 1e3:,.0f} kB\n")
    (stroke,) = told(file)
    assert stroke["laws"] == ["ICF 48"]
    assert stroke["ruling"].startswith(("white plays on", "the turn passes to black"))
    assert stroke["score"].startswith("white ")
    assert run("stroke", "--speed", 5, "--out", tmp_path / "stroke.txt") == 2
    assert "must end in one of" in capsys.readouterr().err


def test_what_cannot_be_written_is_told_by_its_own_name(breaks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", breaks, "--row", 1, "--out", "/proc/x.html") == 1
    errors = capsys.readouterr().err
    assert "'/proc/x.html'" in errors
    assert ".tmp" not in errors
