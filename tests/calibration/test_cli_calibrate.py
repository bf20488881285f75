"""The command `carromsim calibrate`, and what happens without scipy."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import carromsim as cs
from carromsim import cli

ROOT = Path(__file__).parents[2]
CLASSROOM = str(ROOT / "docs" / "classroom.toml")


def calibrated(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert cli.run(["calibrate", *arguments]) == code
    shown, told = capsys.readouterr()
    return shown, told


def test_the_table_is_worth_reading(capsys: pytest.CaptureFixture[str]) -> None:
    shown, told = calibrated(capsys, CLASSROOM)
    assert told == ""
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert lines[0] == "Calibration of classroom board, equipment icf, 2 measurements"
    for line in (
        "mu_surface 0.131 0.118 to 0.143 friction on the surface",
        "e_cushion 0.68 0.62 to 0.74 restitution of the frame",
        "mu_cushion at least 0.021 friction at the frame",
        "e_disc the data cannot tell restitution of two discs",
        "Fit as many unknowns as numbers: nothing tells whether they agree",
        "e_disc head-on hits: speeds before and after, or how far both discs slide",
    ):
        assert line in lines
    assert max(map(len, shown.splitlines())) <= 80


def test_the_fit_and_what_disagrees_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    film = tmp_path / "film.toml"
    film.write_text("[[slide]]\nspeed = [0.9, 1.0, 1.1, 1.2]\ndistance = [0.413, 0.51, 0.617, 0.374]\n")
    shown = " ".join(calibrated(capsys, str(film))[0].split())
    assert re.search(r"chi-square \d+\.\d for 3 degrees of freedom, p < 0\.001", shown)
    assert re.search(r"the numbers scatter \d\.\d times as far as their errors say", shown)
    assert re.search(r"look again at slide 1, entry 4, line 1, \d\.\d standard errors off", shown)
    assert re.search(r"speed 1\.2 m/s \(fit 0\.\d+ m/s\), distance 0\.374 m \(fit 0\.\d+ m\)", shown)


def test_json_is_all_there_is_on_standard_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown, told = calibrated(capsys, CLASSROOM, "--json", "--out", str(tmp_path / "board.toml"))
    assert told == ""
    assert json.loads(shown) == cs.calibrate(CLASSROOM).to_dict()


def test_the_board_can_be_played_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    board = str(tmp_path / "board.toml")
    shown, _ = calibrated(capsys, CLASSROOM, "--out", board)
    assert f"Written {board}" in " ".join(shown.split())
    (tmp_path / "empty.toml").write_text("")
    assert cli.run(["stroke", str(tmp_path / "empty.toml"), "--speed", "1", "--equipment", board, "--json"]) == 0
    played = json.loads(capsys.readouterr().out)["equipment"]
    assert (played["name"], played["mu_surface"]) == ("classroom board", pytest.approx(0.13052, abs=5e-6))


def test_the_example_can_be_calibrated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    film = tmp_path / "film.toml"
    film.write_text(calibrated(capsys, "--example")[0])
    assert "Calibration of my board" in calibrated(capsys, str(film))[0]


def test_bad_input_is_told_in_full(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    film = tmp_path / "film.toml"
    film.write_text("[[slide]]\nspeed = -1\ntime = 1\n[[hits]]\n")
    assert calibrated(capsys, str(film), code=2) == (
        "",
        f"carromsim: {film}:2: slide 1.speed = -1: must be a number from 0 to 30 m/s, or a list of them\n"
        f"carromsim: {film}:4: hits: unknown key, did you mean 'hit'?\n",
    )
    assert "which measurements?" in calibrated(capsys, code=2)[1]
    assert "No such file" in calibrated(capsys, str(tmp_path / "none.toml"), code=2)[1]
    film.write_text('extends = "icf"')
    told = calibrated(capsys, CLASSROOM, "--out", str(film), code=2)[1]
    assert told == f"carromsim: --out {film}: is there already, and no calibration wrote it; give another name\n"


def test_without_scipy_the_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert "pip install 'carromsim[calibrate]'" in calibrated(capsys, CLASSROOM, code=1)[1]
    with pytest.raises(ImportError, match="needs scipy"):
        cs.calibrate(CLASSROOM)


def test_reading_needs_neither_scipy_nor_numba() -> None:
    code = f"""
import sys
import carromsim as cs
cs.Measurements.load({CLASSROOM!r})
print(*sorted({{"numba", "pyarrow", "scipy"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
