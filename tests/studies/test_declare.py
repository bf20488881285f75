"""Studies as TOML: every mistake at its line, nothing lost in writing and reading, files that help to write one."""

import json
import math
import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carromsim import cli
from carromsim.equipment import Equipment
from carromsim.equipment_files import KEYS
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_groups import GROUPS
from carromsim.rules.ruleset_groups import KINDS as LAWS
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.declaring.declare import (
    DeclarationError,
    load_study,
    schema,
    study_from_toml,
    study_to_toml,
    template,
)
from carromsim.studies.declaring.parameters import Grid, Normal, Truncated, Uniform
from carromsim.studies.kinds import study_from_declaration
from carromsim.studies.schema.build import build
from carromsim.toml_lines import key_comments, key_lines, line_of

VARIED = """kind = "break"
ruleset = "ukca"
strokes = 60
seed = 18446744073709551615

gap = {uniform = [0.0005, 0.001]}
rotation_deg = {uniform = [0, 120]}
angle_deg = {grid = {from = 80, to = 100, count = 3}}
speed = {truncated = [6.0, 1.0, 3.0, 9.0]}
spin = {normal = [0, 20]}
e_disc = {grid = [0.8, 0.9]}
sd_angle_deg = 1

[equipment]
extends = "icf"
pocket_radius = 0.022  # a little tighter
end_circle_guard = "none"
"""


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(DeclarationError) as caught:
        study_from_toml(text)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


# Reading


def test_a_file_says_what_python_says(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(VARIED)
    board = Equipment.preset("icf").replace(pocket_radius=0.022, end_circle_guard=None)
    assert load_study(tmp_path / "study.toml") == BreakStudy(
        ruleset="ukca",
        equipment=board,
        strokes=60,
        seed=2**64 - 1,
        gap=Uniform(0.0005, 0.001),
        rotation=Uniform(0.0, math.radians(120)),
        angle=Grid([math.radians(80), math.radians(90), math.radians(100)]),
        speed=Truncated(6.0, 1.0, 3.0, 9.0),
        spin=Normal(0.0, 20.0),
        e_disc=Grid([0.8, 0.9]),
        sd_angle=math.radians(1),
    )


def test_defaults_are_the_studys() -> None:
    assert study_from_toml('kind = "break"') == BreakStudy()
    assert study_from_toml('kind = "break"\nequipment = "bell"\nangle = 1.5') == BreakStudy(equipment="bell", angle=1.5)
    assert study_from_toml('kind = "break"\nruleset = "bell_i"\n[equipment]\nmu_disc = 0.2') == BreakStudy(
        ruleset="bell_i", mu_disc=0.2, equipment=Equipment.preset("bell").replace(mu_disc=0.2)
    )


def test_a_board_of_ones_own_lies_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "home.toml").write_text('extends = "ukca"\nside = 0.73\n')
    home = Equipment.preset("ukca").replace(name="home", side=0.73)
    study = tmp_path / "study.toml"
    study.write_text('kind = "break"\nequipment = "boards/home.toml"')
    assert load_study(study) == BreakStudy(equipment=tmp_path / "boards" / "home.toml") == BreakStudy(equipment=home)
    study.write_text('kind = "break"\n[equipment]\nextends = "boards/home.toml"\ne_disc = 0.8\nsurface = "powder"')
    assert load_study(study) == BreakStudy(equipment=home.replace(e_disc=0.8, mu_surface=0.1))
    assert study_from_declaration(json.loads(json.dumps(load_study(study).declaration()))) == load_study(study)


def test_rules_of_ones_own_lie_beside_the_study_or_in_it(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    house = "[opening]\nattempts = 2\n[queen]\nvalue = 5  # HOUSE 2: as in the old days\n"
    (tmp_path / "laws" / "house.toml").write_text(f'extends = "ukca"\n{house}')
    study = tmp_path / "study.toml"
    study.write_text('kind = "break"\nruleset = "laws/house.toml"')
    beside = load_study(study)
    assert beside.ruleset == RuleSet.load("ukca").replace({"name": "house", "opening.attempts": 2})
    assert beside.equipment == Equipment.preset("ukca")
    assert beside.ruleset.law("queen.value") == "HOUSE 2"
    assert beside.ruleset.law("opening.attempts") == "house.toml:3"  # no folder: the bytes do not depend on it
    study.write_text(BREAK + '[ruleset]\nextends = "laws/house.toml"\n' + house.replace("[", "[ruleset."))
    within = load_study(study)
    assert (within.ruleset, within.equipment) == (beside.ruleset, beside.equipment)
    assert within.ruleset.law("opening.attempts") == "study.toml:5"
    for one in (beside, within):
        for again in (
            study_from_toml(study_to_toml(one)),
            study_from_declaration(json.loads(json.dumps(one.declaration()))),
        ):
            assert again == one
            assert again.declaration() == one.declaration()


def test_the_rule_set_names_the_board_that_a_table_extends() -> None:
    study = study_from_toml(BREAK + '[equipment]\nmu_disc = 0.2\n[ruleset]\nextends = "bell_ii"\ndues.overboard = 2')
    assert study.equipment == Equipment.preset("bell").replace(mu_disc=0.2)
    assert study.ruleset == RuleSet.load("bell_ii").replace({"dues.overboard": 2})


def test_conduct_is_a_table_of_rates() -> None:
    study = study_from_toml(BREAK + "[conduct]\nimproper = 0.05\ncall_double_due = 0")
    assert study.conduct == DeclaredRates(improper=0.05, call_double_due=0.0)
    assert study == BreakStudy(conduct={"improper": 0.05, "call_double_due": 0})
    assert study_from_toml(study_to_toml(study)) == study


def test_the_mistakes_of_a_board_are_told_with_those_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "home.toml").write_text('extends = "ukca"\nsid = 0.73\ne_disc = 2')
    study = tmp_path / "study.toml"
    for text in ('equipment = "home.toml"', '[equipment]\nextends = "home.toml"'):
        study.write_text(f'kind = "break"\nstrokes = 0\nsped = 3\n{text}')
        with pytest.raises(DeclarationError) as caught:
            load_study(study)
        assert [problem.replace(f"{tmp_path}/", "")[:35] for problem in caught.value.problems] == [
            "study.toml:2: strokes = 0: must be greater"[:35],
            "study.toml:3: sped: unknown key, did you"[:35],
            "home.toml:2: sid: unknown key, did you"[:35],
            "home.toml:3: e_disc = 2: must be from 0"[:35],
        ]


def test_a_surface_is_the_range_of_its_friction() -> None:
    study = study_from_toml('kind = "break"\nmu_surface = {surface = "polish"}')
    assert study.mu_surface == Uniform(0.08, 0.18)
    assert study_from_toml(study_to_toml(study)) == study


def test_discs_one_by_one_are_written_and_read() -> None:
    masses = [0.015, *[0.005] * 19]
    study = study_from_toml(f'kind = "break"\n[equipment]\ndisc_mass = {masses}')
    assert study.equipment.disc_mass == tuple(masses)
    assert study_from_toml(study_to_toml(study)) == study


BREAK = 'kind = "break"\n'
TEN = [
    ("strokes = 100", '1: kind is missing: the file must say one of kind = "break"'),
    ('kind = "brake"', "1: kind = \"brake\": did you mean 'break'? known: board, break, match, optimise, shot"),
    (BREAK + "\n# fast\nsped = 6.0", "4: sped: unknown key, did you mean 'speed'?"),
    (BREAK + "strokes = 1.5", "2: strokes = 1.5: must be a valid integer"),
    (BREAK + "x = 0.2", "2: x = 0.2: x = 200 mm: the striker may stand at -221.98 to -214.35 mm,"),
    (
        BREAK + "speed = {normal = [6.0, 1.0]}",
        "2: speed = {normal = [6.0, 1.0]}: every value must be from 0 to 10000 m/s, and a normal distribution has no"
        " ends: cut it by {truncated = [6, 1, low, high]}",
    ),
    (
        BREAK + "angle_deg = {uniform = [95, 85]}",
        "2: angle_deg = {uniform = [95, 85]}: uniform: low = 95, high = 85: low must be less than high",
    ),
    (BREAK + "rotation = 0.1\nrotation_deg = 5", "3: rotation_deg: says the same as rotation: leave one of them out"),
    (
        BREAK + "strokes = 3\nspeed = {grid = [1, 2]}\nspin = {grid = [1, 2]}",
        "2: strokes = 3: must be at least 4, one for each combination of the grids",
    ),
    (BREAK + "\n[equipment]\ne_cushin = 0.5", "4: equipment.e_cushin: unknown key, did you mean 'e_cushion'?"),
    (
        BREAK + "\n[equipment]\ncorner = 'round'",
        "4: equipment.corner = \"round\": did you mean 'rounded'? known: cut_away, right_angled, rounded",
    ),
    (BREAK + "\n[equipment]\nside = -1", "4: equipment.side = -1: must be from 1e-06 to 1e+06 m"),
    (
        BREAK + "equipment.extends = 'ifc'",
        "2: equipment.extends = \"ifc\": did you mean 'icf'? known: bell, caint, icf, ukca",
    ),
    (BREAK + "mu_surface = {surface = 'ice'}", "2: mu_surface = {surface = \"ice\"}: unknown surface 'ice': known: "),
    (BREAK + "[equipment]\npreset = 'icf'", "3: equipment.preset: unknown key; known: extends, name, side,"),
    (
        BREAK + "equipment = 'none.toml'",
        '2: equipment = "none.toml": none.toml: cannot be read (No such file or directory)',
    ),
    (BREAK + "equipment = 'ifc'", "2: equipment = \"ifc\": unknown equipment preset 'ifc': did you mean 'icf'?"),
    (BREAK + "speed = 6,0", "2: "),
    (BREAK + "speed = 6.0\nspeed = 7.0", "3: Cannot overwrite a value"),
    (BREAK + "speed = nan", "2: speed = nan: must be a finite number"),
    (BREAK + "speed = 1979-05-27", "2: speed = 1979-05-27: must be a number, or one of {uniform = [low, high]}"),
    (BREAK + "jitter = 0.001", "2: jitter = 0.001: must be from 0 to gap / (2 sqrt 2) = 1.76777e-05 m"),
    (BREAK + "sd_angle_deg = -1", "2: sd_angle_deg = -1: must be greater than or equal to 0"),
    (BREAK + 'sd_angle_deg = "1"', '2: sd_angle_deg = "1": must be a number'),
    (
        BREAK + "ruleset = 'ifc'",
        "2: ruleset = \"ifc\": unknown rule set 'ifc': did you mean 'icf'? known: bell_i, bell",
    ),
    (
        BREAK + "ruleset = 'none.toml'",
        '2: ruleset = "none.toml": none.toml: cannot be read (No such file or directory)',
    ),
    (BREAK + "ruleset = 7", "2: ruleset = 7: must be a rule set, the name of one, or a file"),
    (BREAK + "[ruleset]\nextends = 'icf'\nquen.value = 5", "4: ruleset.quen: unknown key, did you mean 'queen'?"),
    (BREAK + "[ruleset.queen]\nvalue = -1", "3: ruleset.queen.value = -1: must be a whole number from 0 to "),
    (
        BREAK + "[ruleset]\nend.own_last = 'finish'",
        '3: end.own_last = "finish": must be "lose" with end.demand_points = true',
    ),
    (BREAK + "[conduct]\nimproper = 2", "3: conduct.improper = 2: must be a number from 0 to 1"),
    (BREAK + "[conduct]\nimpropr = 0", "3: conduct.impropr: unknown key, did you mean 'improper'?"),
    (BREAK + "conduct = 0.1", "2: conduct = 0.1: must be rates by name: improper, interference,"),
]


@pytest.mark.parametrize(("text", "message"), TEN, ids=[text.splitlines()[-1] for text, _ in TEN])
def test_a_bad_file_gives_one_clear_message(text: str, message: str) -> None:
    (told,) = problems(text)
    assert told.removeprefix("study.toml:").startswith(message)


def test_all_mistakes_are_told_at_once_in_the_order_of_the_lines() -> None:
    text = """
        kind = "break"
        strokes = 0
        x = {uniform = [-50, 50]}
        sped = 5.0
        gap = "tight"
        mu_surface = 0
        jitter = 1
        [equipment]
        name = 7
        colour = "brown"
    """
    # What hangs on something bad is not judged: the place on the board's lines, the jitter on the gap.
    assert [int(told.split(":")[1]) for told in problems(text)] == [3, 5, 6, 7, 10, 11]


def test_what_the_changed_preset_no_longer_fits_is_told_at_its_table() -> None:
    (told,) = problems(BREAK + "[equipment]\nside = 0.04")[:1]
    assert told.startswith("study.toml:2: equipment: ")


def test_a_file_that_is_no_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_bytes(b'kind = "break"\n\xff')
    with pytest.raises(DeclarationError, match=r"study.toml:1: is no text in UTF-8"):
        load_study(tmp_path / "study.toml")
    with pytest.raises(FileNotFoundError):
        load_study(tmp_path / "none.toml")


def test_a_declaration_finds_its_study() -> None:
    study = study_from_toml(VARIED)
    assert study_from_declaration(json.loads(json.dumps(study.declaration()))) == study
    with pytest.raises(ValueError, match="kind = 'brake': did you mean 'break'"):
        study_from_declaration({"kind": "brake"})
    with pytest.raises(ValueError, match="kind = None: known: board, break, match, optimise, shot, variants"):
        study_from_declaration({})


# Lines


TRICKY = r'''# kind = "none"
kind = "break" # = here
text = """
a = 1
[b]
\""" c = 2
"""
literal = \'\'\'
d = [
\'\'\'
e = [ # "
  { f = 1 }, ']',
  "\"", # }
]
"quoted key" . 'an other' = 1
[ g . "h.i" ]
j = 2
[[k]]
l.m = 3
[[k]]
l.m = 4
[k.n]
o = 5'''.replace(r"\'\'\'", "'''")


def test_the_lines_of_keys_are_found() -> None:
    tomllib.loads(TRICKY)
    assert key_lines(TRICKY) == {
        ("kind",): 2,
        ("text",): 3,
        ("literal",): 8,
        ("e",): 11,
        ("quoted key",): 15,
        ("quoted key", "an other"): 15,
        ("g",): 16,
        ("g", "h.i"): 16,
        ("g", "h.i", "j"): 17,
        ("k",): 18,
        ("k", "0"): 18,
        ("k", "0", "l"): 19,
        ("k", "0", "l", "m"): 19,
        ("k", "1"): 20,
        ("k", "1", "l"): 21,
        ("k", "1", "l", "m"): 21,
        ("k", "1", "n"): 22,
        ("k", "1", "n", "o"): 23,
    }
    lines = key_lines(TRICKY)
    assert line_of(lines, "g", "h.i", "unknown", "deep") == 16
    assert line_of(lines, "unknown") == line_of(lines) == 1
    assert key_lines("") == {}
    assert key_lines(TRICKY.replace("\n", "\r\n")) == lines


def test_the_comments_behind_values_are_found() -> None:
    assert key_comments(TRICKY) == {("kind",): "= here"}
    text = 'a = "# no" # one\nb = [ # no\n 1, # no\n] # two # three\n[c] # no\nd.e = {f = "#"} ## four\r\ng = 1 #\n# no'
    assert key_comments(text) == {("a",): "one", ("b",): "two # three", ("c", "d", "e"): "four"}


# Writing

angles = st.floats(-7, 7, allow_subnormal=False)
numbers = st.floats(0.1, 9)


def spread(values: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    pair = st.tuples(values, values).filter(lambda ends: abs(ends[0] - ends[1]) > 1e-6).map(sorted)
    return st.one_of(
        values,
        pair.map(lambda ends: Uniform(*ends)),
        pair.map(lambda ends: Truncated(sum(ends) / 2, 1.0, *ends)),
        st.lists(values, min_size=1, max_size=5, unique=True).map(Grid),
    )


@settings(deadline=None)
@given(spread(angles), spread(angles), spread(numbers), st.floats(0, 1), st.sampled_from(["icf", "bell_ii"]))
def test_a_written_study_is_read_back_to_the_last_bit(
    angle: Any, rotation: Any, speed: Any, sd: float, rules: Any
) -> None:
    study = BreakStudy(ruleset=rules, strokes=200, angle=angle, rotation=rotation, speed=speed, sd_angle=sd)
    assert study_from_toml(study_to_toml(study)) == study


def test_a_written_study_is_complete_and_in_degrees_where_they_are_exact() -> None:
    study = study_from_toml(VARIED)
    text = study_to_toml(study)
    assert study_from_toml(text) == study
    for line in ("angle_deg = {grid = [80.0, 90.0, 100.0]}", "sd_angle_deg = 1.0", 'end_circle_guard = "none"'):
        assert line in text.splitlines()
    named = BreakStudy(equipment=Equipment.preset("icf").replace(name='a "b"\\ ü'), gap=Uniform(0.001, 0.002))
    assert study_from_toml(study_to_toml(named)) == named


# Shipped files


def test_the_template_is_valid_and_shows_the_defaults() -> None:
    assert study_from_toml(template("break")) == BreakStudy()
    optional = re.sub(r"^# (?=\w+ = |\[equip|\[conduct)", "", template("break"), flags=re.MULTILINE)
    assert study_from_toml(optional).jitter == 0.00001
    assert study_from_toml(optional).mu_surface == BreakStudy().mu_surface
    assert study_from_toml(optional).conduct == BreakStudy().conduct
    named = re.sub(r"^ruleset = .*\n", "", template("break"), flags=re.MULTILINE)
    own = study_from_toml(re.sub(r"^#   (?=\[ruleset\]|extends|queen)", "", named, flags=re.MULTILINE))
    assert own.ruleset == RuleSet.load("icf").replace({"queen.value": 5})
    shown = {key.removesuffix("_deg") for key in tomllib.loads(optional)}
    assert shown == {"kind", *BreakStudy.model_fields}


def test_the_examples_of_the_template_are_valid() -> None:
    examples = re.findall(r"^#   (\w+ = \{.*?\})(?:  |$)", template("break"), flags=re.MULTILINE)
    assert len(examples) == 6
    for example in examples:
        study_from_toml(f"{BREAK}{example}")


def test_the_schema_is_the_one_of_the_code() -> None:
    assert schema("break") == build("break"), "run python -m carromsim.studies.schema.build"


def test_the_schema_knows_the_keys_that_are_read() -> None:
    told = json.loads(schema("break"))
    keys = {"kind", *BreakStudy.model_fields, "rotation_deg", "angle_deg", "sd_angle_deg"}
    assert set(told["properties"]) == keys
    assert all(len(value.get("description", "")) > 10 for value in told["properties"].values())
    assert set(told["$defs"]["equipment"]["properties"]) == set(KEYS)
    laws = told["$defs"]["ruleset"]["properties"]
    assert {f"{group}.{name}" for group in GROUPS for name in laws[group]["properties"]} == set(LAWS)
    assert laws["queen"]["properties"]["right"]["enum"] == ["after_own_man", "any_time", "after_last_own_man"]
    assert laws["queen"]["properties"]["cutoff"]["anyOf"][1] == {"const": "none"}
    assert set(told["$defs"]["conduct"]["properties"]) == {field.name for field in fields(DeclaredRates)}
    assert not told["additionalProperties"]


@pytest.mark.parametrize("shipped", [schema, template])
def test_an_unknown_kind_is_named(shipped: Any) -> None:
    with pytest.raises(ValueError, match="kind = 'brake': did you mean 'break'"):
        shipped("brake")


# Commands


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(VARIED)
    return path


def test_new_prints_a_file_that_check_accepts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["new", "break"]) == 0
    (tmp_path / "study.toml").write_text(capsys.readouterr().out)
    assert cli.run(["check", str(tmp_path / "study.toml")]) == 0
    assert "is valid: a break study of 20,000 strokes, seed 1\n" in capsys.readouterr().out


def test_check_tells_what_varies(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", str(file)]) == 0
    shown, told = capsys.readouterr()
    assert told == ""
    assert "angle varies: grid of 3: 80, 90, 100 degrees" in shown
    assert "spin varies: normal 0 +- 20" in shown
    assert "6 combinations of grid values, 10 strokes each" in shown


def test_check_tells_every_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(BREAK + "sped = 1\nstrokes = 0\ngap = -1")
    assert cli.run(["check", str(bad)]) == 2
    shown, told = capsys.readouterr()
    assert shown == ""
    assert [line.split(f"carromsim: {bad}:")[1].split(":")[0] for line in told.splitlines()] == ["2", "3", "4"]
    assert cli.run(["check", str(tmp_path / "none.toml")]) == 2
    assert f"{tmp_path / 'none.toml'}: No such file" in capsys.readouterr().err


def test_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema", "break"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "carromsim: a break study"


def test_run_plays_a_file_and_continues_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = file.parent / "out"
    command = ["run", str(file), "--out", str(out), "--workers", "1"]
    assert cli.run([*command, "--json"]) == 0
    shown, told = capsys.readouterr()
    found = json.loads(shown)
    assert study_from_declaration(found["study"]) == study_from_toml(VARIED)
    assert found["summary"]["strokes"] == 60
    assert found["directory"] == str(out)
    assert "60 of 60 strokes" in told
    assert cli.run([*command, "--json", "--quiet"]) == 0
    again, told = capsys.readouterr()
    assert told == ""
    assert json.loads(again)["summary"]["probability"] == found["summary"]["probability"]


def test_another_study_needs_fresh(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", str(file), "--out", str(file.parent / "out"), "--quiet"]
    assert cli.run(command) == 0
    file.write_text(VARIED.replace("strokes = 60", "strokes = 6"))
    assert cli.run(command) == 2
    assert "strokes: 60 there, 6 now" in capsys.readouterr().err
    assert cli.run([*command, "--fresh"]) == 0
    assert "6 strokes, seed" in capsys.readouterr().out


def test_without_a_directory_there_is_only_the_summary(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["run", str(file), "--quiet"]) == 0
    assert "60 strokes, seed" in capsys.readouterr().out
    assert [path.name for path in file.parent.iterdir()] == ["study.toml"]
    assert cli.run(["run", str(file), "--fresh"]) == 2
    assert "--fresh: there is nothing to remove without --out" in capsys.readouterr().err
