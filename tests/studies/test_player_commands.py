"""The commands `shots`, `boards` and `matches`: what they print, what reaches the study, and bad input."""

import dataclasses
import inspect
import json
import math
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.cli import boards, matches, shots
from carromsim.cli.how import How
from carromsim.players.skill import SKILLS
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.kinds import study_from_declaration
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.shots.study import ShotStudy

HAND = list(SKILLS)


def study_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> DeclaredStudy:
    assert cli.run([*arguments, "--json", "--quiet"]) == 0
    shown, told = capsys.readouterr()
    assert told == ""
    return study_from_declaration(json.loads(shown)["study"])


def test_shots_by_all_skills(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["shots", "--strokes", "40", "--workers", "1"]) == 0
    shown, progress = capsys.readouterr()
    summary = ShotStudy(strokes=40, skill=["novice", "club", "expert", "champion", "perfect"]).summarise()
    line = next(line for line in shown.splitlines() if line.startswith("club"))
    estimate, low, high = (100 * value for value in summary.success(1))
    assert line.split()[1:8] == f"40 {estimate:.2f} % {low:.2f} to {high:.2f} %".split()
    assert "200 of 200 strokes" in progress
    assert "success" in progress


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--skill club --distance 0.3 --cut-deg 45", {"skill": "club", "distance": 0.3, "cut": math.radians(45)}),
        ("--way bank", {"skill": HAND, "way": "bank", "pocket": "bottom right", "distance": 0.9}),
        ("--speed 2 --spin -5 --x 0.02 --seed 4", {"skill": HAND, "speed": 2.0, "spin": -5.0, "x": 0.02, "seed": 4}),
        ("--ruleset ukca --equipment bell", {"skill": HAND, "ruleset": "ukca", "equipment": "bell"}),
    ],
)
def test_options_of_shots_reach_the_study(
    options: str, expected: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(["shots", "--strokes", "3", *options.split()], capsys)
    assert study == ShotStudy(strokes=3, **expected)


def test_a_pocket_is_named_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    study = study_of(["shots", "--strokes", "3", "--pocket", "top left", "--skill", "novice"], capsys)
    assert study == ShotStudy(strokes=3, pocket="top left", skill="novice")


def test_options_of_boards_reach_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    options = (
        "--ruleset bell_ii --boards 2 --policy random --policy greedy --skill novice --skill expert --doubles --seed 3"
        " --stroke-limit 40 --rotation-deg 10 --gap 0.001 --jitter 0.0001 --no-keep-strokes"
    )
    assert study_of(["boards", *options.split()], capsys) == BoardStudy(
        ruleset="bell_ii",
        boards=2,
        policy=["random", "greedy"],
        skill=["novice", "expert"],
        doubles=True,
        seed=3,
        stroke_limit=40,
        rotation=math.radians(10),
        gap=0.001,
        jitter=0.0001,
        keep_strokes=False,
    )


def test_boards_from_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position = tmp_path / "position.toml"
    position.write_text('equipment = "ukca"\nwhite = [[0.1, 0.1]]\nblack = [[0.2, 0.0], [-0.1, 0.2]]\n')
    command = ["boards", "--boards", "3", "--start", str(position)]
    study = study_of([*command, "--queen", "covered_white", "--shooter", "black"], capsys)
    start = {"white": [[0.1, 0.1]], "black": [[0.2, 0.0], [-0.1, 0.2]], "queen": "covered_white", "shooter": "black"}
    assert study == BoardStudy(boards=3, equipment="ukca", start=start)
    assert cli.run(command) == 2
    assert "--queen: she is not on the board; say pending, covered_white or covered_black" in capsys.readouterr().err
    position.write_text("queen = [0, 0]\nwhite = [[0.1, 0.1]]\nblack = [[0.2, 0.0]]\n")
    assert study_of(command, capsys) == BoardStudy(
        boards=3, start={"white": [[0.1, 0.1]], "black": [[0.2, 0.0]], "queen": [0.0, 0.0]}
    )


def test_boards_are_told_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert cli.run(["boards", "--boards", "4", "--out", str(out)]) == 0
    shown, progress = capsys.readouterr()
    assert f"Written   {out}/boards/*.parquet, {out}/strokes/*.parquet, {out}/manifest.json" in shown
    assert "4 of 4 boards" in progress
    assert cli.run(["boards", "--boards", "4", "--out", str(out), "--quiet"]) == 0
    assert cli.run(["boards", "--boards", "4", "--skill", "novice", "--out", str(out), "--quiet"]) == 2
    assert "skill" in capsys.readouterr().err


def test_options_of_matches_reach_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "short.toml").write_text('extends = "bell_i"\n[score]\ntarget = 3\n[match]\ngames = 1\n')
    options = f"--matches 2 --ruleset {tmp_path}/short.toml --policy greedy --skill expert --seed 2 --stroke-limit 200"
    study = study_of(["matches", *options.split()], capsys)
    assert study == MatchStudy(matches=2, ruleset=tmp_path / "short.toml", skill="expert", seed=2, stroke_limit=200)


@pytest.mark.parametrize(
    ("command", "study"), [(shots.shots, ShotStudy()), (boards.boards, BoardStudy()), (matches.matches, MatchStudy())]
)
def test_defaults_are_those_of_the_study(command: object, study: DeclaredStudy) -> None:
    defaults = {name: p.default for name, p in inspect.signature(command).parameters.items()}  # type: ignore[arg-type]
    by_study = {"skill", "policy", "pocket", "distance", "ruleset", "equipment", "start", "shooter", "queen"}
    for name, value in defaults.items():
        if name not in {"how", *by_study}:
            assert (getattr(study, name.removesuffix("_deg"), None) or None) == (value or None), name


@pytest.mark.parametrize("command", ["shots", "boards", "matches"])
def test_help_names_every_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    function = getattr({"shots": shots, "boards": boards, "matches": matches}[command], command)
    options = {*inspect.signature(function).parameters, *(field.name for field in dataclasses.fields(How))} - {"how"}
    for name in options:
        assert f"--{name.replace('_', '-')}" in shown


BAD = [
    ("shots --distance 0.9", ["no such shot from x = 0 m", "behind the striker"]),
    ("shots --skill clubb", ["--skill clubb", "did you mean 'club'?"]),
    ("shots --way spin", ["--way", "direct", "bank"]),
    ("shots --cut-deg 85", ["--cut-deg 85.0", "must be from -1.39626 to 1.39626 rad (-80 to 80 degrees)"]),
    ("boards --boards 0", ["--boards 0", "greater than or equal to 1"]),
    ("boards --policy gredy --gap -1", ["--policy gredy", "must be one of random, greedy", "--gap -1.0"]),
    ("boards --skill a --skill b --skill c", ["--skill a b c", "must be one for both sides, or two"]),
    ("boards --gap 0.2", ["gap = 0.2: impossible layout"]),
    ("boards --queen pending", ["--queen pending: is for the position that --start names"]),
    ("boards --start none.toml", ["none.toml: cannot be read"]),
    ("boards --ruleset icff", ["--ruleset icff: unknown rule set 'icff': did you mean 'icf'?"]),
    ("matches --stroke-limit 0", ["--stroke-limit 0", "greater than or equal to 1"]),
    ("matches --fresh", ["--fresh: there is nothing to remove without --out"]),
]


@pytest.mark.parametrize(("command", "fragments"), BAD, ids=[command for command, _ in BAD])
def test_bad_input_is_explained(command: str, fragments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(command.split()) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    for fragment in fragments:
        assert fragment in told
    assert "Traceback" not in told
    assert all(line.startswith("carromsim: ") for line in told.splitlines())
