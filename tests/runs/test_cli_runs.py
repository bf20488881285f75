"""The commands `verify`, `summary` and `replay`: what they print, and how they end."""

import json
import os
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.runs.directory import locked
from carromsim.tables.schemas import DISC_NAMES

STUDY = BreakStudy(strokes=100, seed=6)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(BreakStudy, "chunk_rows", 40)
    STUDY.run(tmp_path / "run")
    return tmp_path / "run"


def test_verify_says_that_all_is_well(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["verify", str(root)]) == 0
    shown, told = capsys.readouterr()
    assert shown == f"{root}: all 100 rows of this break study are there and sound\n"
    assert told == ""


def test_verify_names_damage_and_the_same_command_mends_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = sorted((root / "strokes").iterdir())
    before = [path.read_bytes() for path in paths]
    paths[0].write_bytes(before[0][:-7])
    flipped = bytearray(before[1])
    flipped[2000] ^= 8
    paths[1].write_bytes(flipped)
    paths[2].unlink()
    assert cli.run(["verify", str(root)]) == 1
    shown, told = capsys.readouterr()
    lines = shown.splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"strokes/{path.name}" for path in paths]
    assert ["damaged" in line for line in lines] == [True, True, False]
    assert lines[2].endswith(": missing")
    assert told == f"carromsim: {root}: 3 problems\n"
    assert cli.run(["break", "--strokes", "100", "--seed", "6", "--out", str(root)]) == 0
    assert [path.read_bytes() for path in paths] == before
    assert cli.run(["verify", str(root)]) == 0


def test_verify_does_not_print_thousands_of_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "chunk_rows", 1)
        STUDY.run(tmp_path / "run")
    for path in (tmp_path / "run" / "strokes").iterdir():
        path.write_bytes(b"")
    assert cli.run(["verify", str(tmp_path / "run")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 51
    assert lines[-1] == "and 50 more"


@pytest.mark.skipif(os.name == "nt", reason="no file has such a name there")
def test_verify_prints_names_as_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = root.rename(root.parent / "run\x1b[2J")
    assert cli.run(["verify", str(root)]) == 0
    assert capsys.readouterr().out.startswith(f"{root.parent}/run\\x1b[2J: all 100 rows")
    (root / "strokes" / "\x1b]0;all is well\x07\nsound").touch()
    assert cli.run(["verify", str(root)]) == 1
    assert capsys.readouterr().out == "strokes/\\x1b]0;all is well\\x07\\nsound: does not belong to this run\n"


def test_verify_waits_for_nobody(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with locked(root):
        assert cli.run(["verify", str(root)]) == 2
    assert "is in use by process" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["verify"], ["summary"], ["replay", "--row", "0"]])
def test_a_directory_without_run_is_explained(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([command[0], str(tmp_path), *command[1:]]) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    assert told == f"carromsim: directory = {str(tmp_path)!r} holds no run: there is no manifest.json of carromsim\n"


def test_summary_is_that_of_the_study(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["summary", str(root), "--json"]) == 0
    shown, told = capsys.readouterr()
    found = json.loads(shown)
    expected = json.loads(json.dumps(STUDY.summarise().to_dict()))
    assert found["study"] == STUDY.declaration()
    assert found["summary"]["probability"] == expected["probability"]
    assert told == ""
    assert cli.run(["summary", str(root)]) == 0
    assert "at least one man or the queen" in capsys.readouterr().out


def test_summary_of_an_unfinished_run_says_so(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((root / "strokes").glob("*2.parquet")).unlink()
    assert cli.run(["summary", str(root), "--json"]) == 0
    shown, told = capsys.readouterr()
    assert json.loads(shown)["summary"]["strokes"] == 80
    assert told == "80 of 100 rows are there; the run is not finished\n"


def test_summary_of_a_damaged_run_names_the_part(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = next((root / "strokes").glob("*1.parquet"))
    part.write_bytes(part.read_bytes()[:-1])
    assert cli.run(["summary", str(root)]) == 1
    assert f"carromsim: {part} is damaged" in capsys.readouterr().err


def test_replay_tells_a_row_in_full(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["replay", str(root), "--row", "77", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    row = STUDY.batch(range(77, 78))["strokes"].to_pylist()[0]
    assert (found["row"], found["stored"], found["status"]) == (77, "equal", "ok")
    for name in ("intended_x", "x", "angle", "speed", "spin", "rotation", "gap", "mu_surface", "e_disc"):
        assert found["parameters"][name] == row[name]
    assert set(found["parameters"]) == {name for name in row if name in found["parameters"]}
    assert "n_white" not in found["parameters"]
    assert len(found["events"]) == row["n_events"]
    times = [event["time"] for event in found["events"]]
    assert times == sorted(times)
    assert times[-1] == row["duration"]
    by_name = {disc["disc"]: disc for disc in found["discs"]}
    assert set(by_name) == set(DISC_NAMES)
    for number, name in enumerate(DISC_NAMES):
        assert (by_name[name]["x"], by_name[name]["y"]) == (row["pos_x"][number], row["pos_y"][number])


def test_replay_as_text(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["replay", str(root), "--row", "3"]) == 0
    shown = capsys.readouterr().out
    for text in (
        f"Row 3 of {root}: equal to the row",
        "intended_speed",
        "m/s",
        "disc hit",
        "white 4",
        "At the end",
        " mm",
    ):
        assert text in shown
    assert "\x1b" not in shown


def test_a_row_need_not_stand_to_be_replayed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    next((root / "strokes").glob("*1.parquet")).unlink()
    assert cli.run(["replay", str(root), "--row", "41"]) == 0
    assert f"Row 41 of {root}: not yet played" in capsys.readouterr().out


def test_a_row_that_came_out_otherwise_is_a_failure(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = BreakStudy(strokes=100, seed=7).batch(range(3, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "batch", lambda self, rows: other)
        assert cli.run(["replay", str(root), "--row", "3"]) == 1
    shown, told = capsys.readouterr()
    assert "DIFFERENT" in shown
    assert told == f"carromsim: row 3 is not the one that stands in the run (verify {root})\n"


@pytest.mark.parametrize("row", ["100", "-1"])
def test_a_row_that_is_not_there_is_explained(root: Path, row: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["replay", str(root), "--row", row]) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    assert f"--row {row}" in told
    assert "from 0 to 99" in told


def test_what_was_written_to_a_store_is_named_without_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["break", "--strokes", "50", "--quiet", "--out", "memory://named/first"]) == 0
    assert "Written   memory://named/first/strokes/*.parquet" in capsys.readouterr().out
