"""The options that say who plays, in the commands that play a study."""

import json
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.playing.boards import BoardStudy
from runs.fake import files

FEW = ["break", "--strokes", "24", "--seed", "4", "--quiet"]


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a study file of six chunks."""
    monkeypatch.setattr(BreakStudy, "chunk_rows", 4)
    file = tmp_path / "study.toml"
    file.write_text('kind = "break"\nstrokes = 24\nseed = 4\n')
    return file


def test_processes_print_and_write_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[dict[str, Any]] = []
    for executor in ("threads", "processes"):
        options = ["--executor", executor, "--workers", "1", "--json", "--out", str(tmp_path / executor)]
        assert cli.run([*FEW, *options]) == 0
        shown, errors = capsys.readouterr()
        assert errors == ""
        told.append(json.loads(shown))
        assert told[-1].pop("directory") == str(tmp_path / executor)
        for name in ("seconds", "rate"):
            told[-1]["summary"].pop(name, None)
    assert told[0]["study"] == told[1]["study"]
    assert told[0]["summary"]["probability"] == told[1]["summary"]["probability"]
    assert files(tmp_path / "threads") == files(tmp_path / "processes")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--executor thread", "--executor thread: did you mean 'threads'? known: dask:ADDRESS, processes, threads"),
        ("--executor dask:", "--executor dask:: known: dask:ADDRESS, processes, threads"),
        ("--workers 0 --executor processes", "--workers 0: must be at least 1"),
    ],
)
def test_a_bad_executor_is_explained(
    options: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([*FEW, *options.split(), "--out", str(tmp_path / "run")]) == 2
    assert capsys.readouterr() == ("", f"carromsim: {told}\n")
    assert not list(tmp_path.iterdir())


def test_a_missing_library_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    assert cli.run([*FEW, "--executor", "dask:tcp://127.0.0.1:1", "--out", str(tmp_path / "run")]) == 1
    shown, told = capsys.readouterr()
    assert shown == ""
    assert told == ("carromsim: executor = 'dask:...': Dask is not installed: pip install 'carromsim[dask]'\n")
    assert not list(tmp_path.iterdir())


def test_a_row_that_cannot_be_played_is_a_failure(
    declared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = BreakStudy.batch

    def bad(study: BreakStudy, rows: range) -> Any:
        if 13 in rows:
            raise ZeroDivisionError("no way")
        return batch(study, rows)

    monkeypatch.setattr(BreakStudy, "batch", bad)
    out = declared.parent / "run"
    assert cli.run(["run", str(declared), "--out", str(out), "--quiet", "--workers", "1"]) == 1
    shown, told = capsys.readouterr()
    assert shown == ""
    assert told.startswith(
        "carromsim: chunk 3, rows 12 to 15, cannot be played: row 13 fails (ZeroDivisionError: no way)"
    )
    assert "Traceback" not in told
    assert len(list((out / "strokes").iterdir())) == 3


def test_shares_are_played_one_by_one(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, out = declared.parent / "whole", declared.parent / "out"
    assert cli.run(["run", str(declared), "--out", str(whole), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    for share, missing in (("1/4", 4), ("2/4", 2), ("3/4", 1)):
        assert cli.run(["run", str(declared), "--out", str(out), "--share", share, "--quiet", "--json"]) == 0
        shown, told = capsys.readouterr()
        assert json.loads(shown)["summary"]["strokes"] == 24 - 4 * missing
        assert told == (
            f"share {share} is played: {missing} of 6 chunks are missing here; carromsim merge DIR ... --out OUT makes"
            " one run of all shares\n"
        )
        assert not (out / "parts.json").exists()
    assert cli.run(["run", str(declared), "--out", str(out), "--share", "4/4", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert files(out) == files(whole)


SHARE = "must be I/N with 1 <= I <= N < 10^9, such as 3/16"


@pytest.mark.parametrize(
    "share", ["0/2", "3/2", "1/0", "1", "1/2/3", "one/two", "-1/2", "1.5/2", "", "1/1000000000", "\u0661/\u0662"]
)
def test_a_bad_share_is_explained(share: str, declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["run", str(declared), "--out", str(declared.parent / "run"), f"--share={share}"]) == 2
    assert capsys.readouterr().err == f"carromsim: --share {share}: {SHARE}\n"


def test_of_a_long_share_the_beginning_is_told(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["run", str(declared), "--out", str(declared.parent / "run"), "--share", f"1/{'9' * 5000}"]) == 2
    assert capsys.readouterr().err == f"carromsim: --share 1/{'9' * 38}: {SHARE}\n"
    assert not (declared.parent / "run").exists()


def test_a_share_needs_a_directory_and_no_end(declared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["run", str(declared), "--share", "1/2"]) == 2
    assert "--share 1/2: there is nothing to merge without --out" in capsys.readouterr().err
    with declared.open("a") as file:
        file.write('until = { metric = "queen", half_width = 0.1 }\n')
    assert cli.run(["run", str(declared), "--share", "1/2", "--out", str(declared.parent / "run")]) == 2
    assert "--share 1/2: a study with until ends by the rows of all shares" in capsys.readouterr().err
    assert not (declared.parent / "run").exists()


@pytest.mark.parametrize("command", ["break", "shots", "boards", "matches", "run"])
def test_help_tells_how_to_play(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    for option in ("--out", "--fresh", "--executor", "--workers", "--quiet", "--json"):
        assert option in shown
    assert "--how" not in shown
    assert ("--share" in shown) == (command == "run")


def test_boards_take_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["boards", "--boards", "2", "--seed", "5", "--quiet", "--executor", "processes", "--workers", "1"]
    assert cli.run([*command, "--out", str(tmp_path / "run")]) == 0
    BoardStudy(boards=2, seed=5).run(tmp_path / "threads")
    assert files(tmp_path / "run") == files(tmp_path / "threads")
    capsys.readouterr()
