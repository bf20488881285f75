"""`carromsim plot`: whole files in a folder beside the run, and clear complaints."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import carromsim as cs
from carromsim import cli
from carromsim.drawing.palette import DARK
from carromsim.studies.runs.reading import Run
from carromsim.viz.plots import PLOTS
from carromsim.viz.plots.gallery import plots_of

Runs = dict[str, Run]


def run(*arguments: object) -> int:
    return cli.run([str(argument) for argument in arguments])


def copied(run: Run, root: Path) -> Path:
    """Copy a run, so that what lies beside it is this test's."""
    assert isinstance(run.directory, Path)
    for file in run.directory.rglob("*"):
        if file.is_file():
            target = root / file.relative_to(run.directory)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return root


def test_all_plots_of_a_run_lie_beside_it(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = copied(runs["shot"], tmp_path / "first")
    assert run("plot", root) == 0
    shown, errors = capsys.readouterr()
    files = [tmp_path / "first-plots" / f"{name}.png" for name in ("success-cut", "success-distance", "convergence")]
    assert shown.splitlines() == [str(file) for file in files]
    assert errors == ""
    assert sorted((tmp_path / "first-plots").iterdir()) == sorted(files)
    for file in files:
        with Image.open(file) as picture:
            assert picture.size == (900, 600)


def test_some_plots_in_a_theme_and_a_format(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "here"
    given = (runs["break"].directory, "--only", "men_pocketed", "--out", folder, "--theme", "dark")
    assert run("plot", *given) == 0
    assert [file.name for file in folder.iterdir()] == ["men_pocketed.png"]
    with Image.open(folder / "men_pocketed.png") as picture:
        corner = np.asarray(picture.convert("RGB"))[0, 0]
    assert "#" + bytes(corner.tolist()).hex() == DARK.paper
    assert run("plot", runs["variants"].directory, "--only", "forest-points", "--out", folder, "--format", "svg") == 0
    assert run("plot", runs["variants"].directory, "--only", "forest", "--out", folder, "--format", "pdf") == 0
    names = {"men_pocketed.png", "forest-points.svg"} | {
        f"forest-{each}.pdf" for each in ("won_breaker", "points", "strokes")
    }
    assert {file.name for file in folder.iterdir()} == names
    capsys.readouterr()


def test_the_same_run_gives_the_same_bytes(runs: Runs) -> None:
    wanted = next(each for each in plots_of(runs["plain"]) if each.plot == "success")
    for kind in ("png", "svg", "pdf"):
        assert wanted.draw(runs["plain"], "light", kind) == wanted.draw(runs["plain"], "light", kind)


def test_an_unfinished_run_says_how_many_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cs.BreakStudy, "chunk_rows", 20)
    study = cs.BreakStudy(strokes=24, gap=0.0005)
    root = tmp_path / "begun"
    study.run(root, workers=1)
    (root / "strokes" / "part-00000000.parquet").unlink()
    (root / "parts.json").unlink()
    assert run("plot", root, "--only", "men_pocketed") == 0
    assert capsys.readouterr().err == "4 of 24 rows are there; the run is not finished\n"


def test_nothing_is_drawn_of_no_rows(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "begun"
    root.mkdir()
    (root / "manifest.json").write_bytes(runs["break"].place.read("manifest.json"))
    assert run("plot", root, "-o", tmp_path / "plots") == 1
    assert "none of 400 rows is there yet" in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()


def test_the_help_lists_every_plot(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plot", "--help") == 0
    told = capsys.readouterr().out
    assert [name for names in PLOTS.values() for name in names if name not in told] == []


def test_complaints(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = runs["board"].directory
    assert run("plot", root, "--only", "forest", "--out", tmp_path / "x") == 2
    assert "--only forest: must be one of lengths, scores, convergence" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
    assert run("plot", root, "--out", tmp_path / "no" / "folder") == 2
    assert f"--out {tmp_path / 'no' / 'folder'}: there is no folder {str(tmp_path / 'no')!r}" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert run("plot", root, "--out", tmp_path / "file") == 2
    assert "is a file" in capsys.readouterr().err
    assert run("plot", tmp_path) == 2
    assert "holds no run" in capsys.readouterr().err


def test_a_run_elsewhere_needs_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = "memory://plots/first"
    cs.ShotStudy(strokes=20).run(url, workers=1)
    assert run("plot", url) == 2
    assert "say with --out FOLDER where the plots go" in capsys.readouterr().err
    assert run("plot", url, "--out", tmp_path / "plots") == 0
    assert {file.name for file in (tmp_path / "plots").iterdir()} == {"success.png", "convergence.png"}


def test_without_matplotlib_it_says_what_to_install(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert run("plot", runs["board"].directory, "--out", tmp_path / "plots") == 1
    assert "pip install 'carromsim[viz]'" in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()
