"""The command from outside: what it prints where, and how it ends."""

import dataclasses
import inspect
import json
import math
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from carromsim import cli
from carromsim.cli import breaks
from carromsim.cli.how import How
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.declaring.laws import ruleset_declaration

COMMAND = [sys.executable, "-m", "carromsim"]
FEW = ["--strokes", "60", "--seed", "4", "--workers", "1"]


def break_(*options: str) -> list[str]:
    return ["break", *options]


# What is printed


def test_summary_is_worth_reading(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(break_(*FEW)) == 0
    shown, progress = capsys.readouterr()
    summary = BreakStudy(strokes=60, seed=4).summarise()
    estimate, low, high = (100 * value for value in summary.probability("white"))
    line = next(line for line in shown.splitlines() if "at least one white" in line)
    assert line.split()[4:] == f"{summary.counts.fell['white']} {estimate:.2f} % {low:.2f} to {high:.2f} %".split()
    for text in ("icf", "60 strokes", "seed 4", "the queen", "the striker", "strokes/s", "60 ok", "95 % interval"):
        assert text in shown
    assert "60 of 60 strokes" in progress
    assert "\x1b" not in shown + progress


def test_json_is_all_there_is_on_standard_output(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, *break_(*FEW, "--json", "--out", str(tmp_path / "run"))], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    expected = BreakStudy(strokes=60, seed=4).summarise().to_dict()
    assert found["summary"]["probability"] == expected["probability"]
    assert found["summary"]["n_pocketed"] == expected["n_pocketed"]
    assert found["study"]["kind"] == "break"
    assert found["directory"] == str(tmp_path / "run")
    assert "60 of 60 strokes" in done.stderr
    assert pq.read_table(tmp_path / "run" / "strokes").num_rows == 60


def test_options_reach_the_study(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = (
        "--ruleset bell_i --strokes 5 --seed 18446744073709551615 --rotation-deg 15 --gap 0.001 --jitter 0.0001"
        " --x -0.05 --angle-deg 80 --speed 4 --spin -20 --sd-x 0.002 --sd-angle-deg 1 --sd-speed 0.1 --sd-spin 3"
    )
    assert cli.run(break_(*options.split(), "--json", "--out", str(tmp_path / "run"))) == 0
    study = json.loads(capsys.readouterr().out)["study"]
    assert study.pop("equipment")["name"] == "bell"
    assert study == {
        "kind": "break",
        "ruleset": ruleset_declaration(RuleSet.load("bell_i")),
        "strokes": 5,
        "seed": 2**64 - 1,
        "rotation": math.radians(15),
        "gap": 0.001,
        "jitter": 0.0001,
        "x": -0.05,
        "angle": math.radians(80),
        "speed": 4.0,
        "spin": -20.0,
        "mu_surface": 0.11,
        "e_disc": 0.85,
        "e_cushion": 0.7,
        "mu_disc": 0.15,
        "v_c_disc": 0.0,
        "v_c_cushion": 0.0,
        "t_contact": 1e-4,
        "sd_x": 0.002,
        "sd_angle": math.radians(1),
        "sd_speed": 0.1,
        "sd_spin": 3.0,
        "conduct": BreakStudy().declaration()["conduct"],
        "until": None,
    }
    rows = pq.read_table(tmp_path / "run" / "strokes")
    assert np.allclose(rows["intended_angle"], math.radians(80))


def test_a_board_of_ones_own_reaches_the_study(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text('extends = "bell"\nside = 0.7\nsurface = "polish"\n')
    options = ["--ruleset", "ukca", "--equipment", str(tmp_path / "home.toml"), "--json"]
    assert cli.run(break_(*FEW, *options)) == 0
    study = json.loads(capsys.readouterr().out)["study"]
    assert (study["ruleset"]["name"], study["mu_surface"]) == ("ukca", 0.12)
    assert (study["equipment"]["name"], study["equipment"]["side"]) == ("home", 0.7)
    assert study["equipment"]["man_radius"] == 0.0127


def test_rules_of_ones_own_reach_the_study(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text('extends = "bell_i"\n[dues]\nopponent_man = 3  # HOUSE 1: dear\n')
    assert cli.run(break_(*FEW, "--ruleset", str(tmp_path / "house.toml"), "--json")) == 0
    study = json.loads(capsys.readouterr().out)["study"]
    rules = study["ruleset"]
    assert (rules["name"], rules["dues"]["opponent_man"], rules["laws"]["dues.opponent_man"]) == ("house", 3, "HOUSE 1")
    assert rules["laws"]["dues.striker_own_returned"] == "Bell 8"
    assert study["equipment"]["name"] == "bell"


def test_defaults_are_those_of_the_study() -> None:
    defaults = {name: p.default for name, p in inspect.signature(breaks.break_).parameters.items()}
    how = dataclasses.asdict(defaults.pop("how"))
    assert how.pop("executor") == "threads"
    assert set(how) == {"out", "fresh", "workers", "quiet", "json"}
    assert not any(how.values())
    for name in ("jitter", "equipment"):
        assert not defaults.pop(name)
    study = BreakStudy()
    assert study.ruleset == RuleSet.load(defaults.pop("ruleset"))
    for name, value in defaults.items():
        field = name.removesuffix("_deg")
        assert getattr(study, field) == (math.radians(value) if field != name else value), name


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == version("carromsim")


def test_warmup_says_when_it_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["warmup"]) == 0
    shown, told = capsys.readouterr()
    assert shown == ""
    assert "kernels are ready" in told


def test_a_cold_start_is_announced(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carromsim_kernels.jit.cache_is_cold", lambda name: name == "simulate_batch")
    assert cli.run(break_(*FEW)) == 0
    assert "compiling kernels, once" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["break", "--help"], ["--version"], ["break", "--speed", "x"]])
def test_help_and_mistakes_do_not_wait_for_heavy_libraries(arguments: list[str]) -> None:
    code = (
        f"import sys\nfrom carromsim import cli\ncli.run({arguments!r})\n"
        "print(sorted({'numba', 'pyarrow', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["break", "--help"]) == 0
    shown = capsys.readouterr().out
    own = set(inspect.signature(breaks.break_).parameters) - {"how"}
    for name in [*own, *(field.name for field in dataclasses.fields(How))]:
        assert f"--{name.replace('_', '-')}" in shown


# Bad input


BAD = [
    ("--strokes 0", ["--strokes 0", "greater than or equal to 1"]),
    ("--strokes many", ["--strokes", '"many"', "int"]),
    ("--seed -1", ["--seed -1", "greater than or equal to 0"]),
    ("--speed -1", ["--speed -1.0", "from 0 to 10000 m/s"]),
    ("--speed nan", ["--speed nan", "finite"]),
    ("--angle-deg inf", ["--angle-deg inf", "finite"]),
    ("--sd-angle-deg -2", ["--sd-angle-deg -2.0", "greater than or equal to 0"]),
    ("--x 0.2", ["--x 0.2", "-182.55 to 182.55 mm", "214.35 to 221.98 mm"]),
    ("--gap -0.001", ["--gap -0.001", "at least 0 m"]),
    ("--jitter 0.001", ["--jitter 0.001", "from 0 to gap / (2 sqrt 2) = 1.76777e-05 m"]),
    ("--gap 0.2", ["--gap 0.2", "no room for the pack"]),
    ("--ruleset icff", ["--ruleset icff: unknown rule set 'icff': did you mean 'icf'? known: bell_i, bell_ii, caint"]),
    ("--ruleset no.toml --speed -1", ["no.toml: cannot be read (No such file", "--speed -1.0"]),
    ("--workers 0", ["--workers 0", "at least 1"]),
    ("--sped 3", ["--sped", "--speed"]),
    ("12", ["12"]),
    ("--speed -1 --sd-x nan", ["--speed -1.0", "--sd-x nan"]),
    ("--equipment icff", ["--equipment icff", "unknown equipment preset 'icff': did you mean 'icf'?"]),
    ("--equipment none.toml --speed -1", ["none.toml: cannot be read (No such file", "--speed -1.0"]),
]


@pytest.mark.parametrize(("options", "fragments"), BAD, ids=[options for options, _ in BAD])
def test_bad_input_is_explained(options: str, fragments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(break_(*options.split())) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    for fragment in fragments:
        assert fragment in told
    assert "Traceback" not in told
    assert "validated data" not in told  # a default that hangs on the bad option is no mistake of its own
    assert all(line.startswith("carromsim: ") for line in told.splitlines())


def test_an_unknown_command_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["brake"]) == 2
    assert 'Did you mean "break"?' in capsys.readouterr().err


def test_a_directory_in_use_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    assert cli.run(break_(*FEW, "--out", str(tmp_path))) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    assert "--out" in told
    assert f"{str(tmp_path)!r} is not empty" in told
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_from_a_shell_there_is_no_traceback_either(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for options in (["--speed", "nan"], ["--out", str(tmp_path / "file" / "below")]):
        done = subprocess.run([*COMMAND, *break_(*FEW, *options)], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stdout == ""
        assert options[0] in done.stderr
        assert "Traceback" not in done.stderr


# Stopping


def test_a_full_disk_is_a_failure_without_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    assert cli.run(break_(*FEW, "--out", str(tmp_path / "run"))) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("seed", "below", "more", "told"),
    [
        ("4", "", [], "; 1 finished parts are kept in {}; the same command continues"),
        ("4", "", ["--fresh"], "; 1 finished parts are kept in {}; the same command without --fresh continues"),
        ("5", "", [], ""),  # a run, but of another study, which was not touched
        ("4", "/strokes", [], ""),
        ("4", "/manifest.json", [], ""),
    ],
)
def test_who_stops_a_run_is_told_what_continues_it(
    seed: str,
    below: str,
    more: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = str(tmp_path / "run")
    assert cli.run(break_(*FEW, "--out", root)) == 0
    capsys.readouterr()

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(BreakStudy, "run", stop)
    assert cli.run(break_("--strokes", "60", "--seed", seed, "--out", root + below, *more)) == 130
    assert capsys.readouterr().err == f"carromsim: interrupted{told.format(root)}\n"
