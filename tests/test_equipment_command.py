"""`carromsim equipment`: what it lists, shows and compares, and how mistakes are explained."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.equipment import PRESETS, Equipment
from carromsim.surfaces import SURFACES

HOME = """# My board [at home] :smile:
extends = "bell"
side = 0.72  # tape [bold]measure[/bold], +- 1 mm
surface = "fine_powder"
e_disc = 0.8
"""


@pytest.fixture(autouse=True)
def terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("home.toml").write_text(HOME, encoding="utf-8")
    return Path("home.toml")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["equipment", *arguments]) == 0
    text, errors = capsys.readouterr()
    assert errors == ""
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80
    return text


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(shown_json(capsys, *arguments))


def shown_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.run(["equipment", *arguments, "--json"]) == 0
    text, errors = capsys.readouterr()
    assert errors == ""
    return text


def test_list_has_a_line_for_each_preset_and_surface(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in shown(capsys, "list").splitlines()]
    assert ["bell", "33.9", "mm", "42.38", "mm", "0.11", "R.", "C."] in [line[:8] for line in lines]
    assert ["polish", "0.12", "0.08", "to", "0.18", "light", "furniture", "polish"] in lines
    assert [line[0] for line in lines if line and line[0] in {*PRESETS, *SURFACES}] == [*PRESETS, *SURFACES]
    found = told(capsys, "list")
    assert found["surfaces"]["powder"] == {
        "name": "powder",
        "mu": 0.1,
        "low": 0.05,
        "high": 0.13,
        "what": "carrom powder",
    }
    about = found["presets"]["ukca"].pop("about")
    assert about == "UK Carrom Association"
    assert Equipment(**found["presets"]["ukca"]) == Equipment.preset("ukca")


@pytest.mark.parametrize("name", list(PRESETS))
def test_show_has_every_field_with_value_unit_and_source(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, "show", name).splitlines()
    assert lines[0].startswith(f"{name}: ")
    first_words = [line.split()[0] for line in lines if line and line[0] != " "]
    fields = [field for field in asdict(PRESETS[name]) if field != "name"]
    assert [word for word in first_words if word in fields] == fields
    side = next(line for line in lines if line.startswith("side "))
    assert side.split()[:7] == ["side", "0.74", "m", "ICF", "A.1:", "735", "to"]


def test_show_says_what_follows_for_players(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = " ".join(shown(capsys, "show", "icf").split())
    assert "A striker falls within 8.28 mm of a pocket's centre" in text
    assert "A man falls within 15.96 mm of a pocket's centre" in text
    assert "The striker may stand at x = -221.98 to -214.35, -182.55 to 182.55, 214.35 to 221.98 mm" in text
    radius = ", ".join(["0.02", *["0.0155"] * 18, "0.0151"])
    path = tmp_path / "odd.toml"
    narrow = 'base_line_half_length = 0.01\nend_circle_guard = "none"'
    path.write_text(f'extends = "icf"\ndisc_radius = [{radius}]\n{narrow}')
    text = " ".join(shown(capsys, "show", str(path)).split())
    assert "disc_radius 0.0151 to 0.02 m line 2, without a source" in text
    assert "A man falls within 15.96 to 16.34 mm of" in text
    assert "The striker has no place to stand" in text
    path.write_text('extends = "bell"\nstriker_radius = 0.02125')
    assert "A striker fits no pocket\n" in shown(capsys, "show", str(path))


def test_show_of_a_file_keeps_its_words_and_names_what_it_extends(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, "show", str(home))
    assert text.startswith("home.toml: My board [at home] :smile:\n")
    words = " ".join(text.split())
    assert "side 0.72 m tape [bold]measure[/bold], +- 1 mm" in words
    assert "mu_surface 0.1 guess for high-quality dry powder, 0.05 to 0.13" in words
    assert "e_disc 0.8 line 5, without a source" in words
    assert "striker_radius 0.01695 m Bell: diameter 1 1/3 inch (bell)" in words
    assert "gravity 9.80665 m/s^2 standard gravity (icf)" in words


def test_show_as_json_has_everything(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "show", str(home))
    fields = found["fields"]
    assert found["about"] == "My board [at home] :smile:"
    assert Equipment(**{name: field["value"] for name, field in fields.items()}) == Equipment.load(home)
    assert fields["side"] == {
        "value": 0.72,
        "unit": "m",
        "source": {"file": "home.toml", "line": 3, "comment": "tape [bold]measure[/bold], +- 1 mm"},
    }
    assert fields["arrow_half_width"]["value"] is None
    assert fields["t_contact"]["source"]["file"] == "icf"


def test_a_field_that_no_file_names_has_the_default(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Equipment.preset("icf").to_toml().splitlines()
    home.write_text("\n".join(line for line in lines if not line.startswith("gravity")))
    assert told(capsys, "show", str(home))["fields"]["gravity"] == {"value": 9.80665, "unit": "m/s^2", "source": None}
    assert "gravity 9.80665 m/s^2 default" in " ".join(shown(capsys, "show", str(home)).split())


def test_diff_has_only_what_differs_with_both_sources(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shown(capsys, "diff", "icf", "ukca").split()
    assert words[:6] == ["Field", "icf", "ukca", "mu_surface", "0.1", "0.12"]
    assert " ".join(words[6:]).count("guess") == 2
    text = shown(capsys, "diff", "bell", str(home))
    first_words = [line.split()[0] for line in text.splitlines() if line[0] != " "]
    assert first_words == ["Field", "side", "mu_surface", "e_disc"]
    assert "ICF A.1: 735 to 740 mm (icf)" in " ".join(text.split())
    none = next(line for line in shown(capsys, "diff", "icf", "bell").splitlines() if line.startswith("end_circle_g"))
    assert none.split() == ["end_circle_guard", "0.0159", "m", "none"]
    found = told(capsys, "diff", "bell", str(home))
    assert {field: [one["value"], other["value"]] for field, (one, other) in found.items()} == {
        "side": [0.74, 0.72],
        "mu_surface": [0.11, 0.1],
        "e_disc": [0.85, 0.8],
    }


def test_boards_that_differ_in_name_only_do_not_differ(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.write_text('extends = "icf"')
    assert shown(capsys, "diff", "icf", str(home)) == "icf and home.toml do not differ\n"
    assert told(capsys, "diff", "icf", str(home)) == {}


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["show", "icff"], ["unknown equipment preset 'icff': did you mean 'icf'? known: bell, caint, icf, ukca;"]),
        (["show", "none.toml"], ["none.toml: cannot be read (No such file or directory)"]),
        (["diff", "icf", "./none"], ["none: cannot be read (No such file or directory)"]),
        (["show", "bad.toml"], ["bad.toml:1: side = -1: must be", "bad.toml:3: sid: unknown key, did you mean 'side'"]),
        (["shw", "icf"], ['Did you mean "show"?']),
        (["show"], ["ORIGIN"]),
        (["diff", "icf"], ["SECOND"]),
    ],
)
def test_mistakes_are_explained(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], messages: list[str]
) -> None:
    Path("bad.toml").write_text('side = -1\nextends = "icf"\nsid = 0.7')
    assert cli.run(["equipment", *arguments]) == 2
    text, errors = capsys.readouterr()
    assert text == ""
    assert "Traceback" not in errors
    lines = errors.splitlines()
    assert len(lines) == len(messages)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith("carromsim: ")
        assert message in line


def test_a_list_needs_no_compiler_and_no_tables() -> None:
    code = (
        "import sys\nfrom carromsim import cli\ncli.run(['equipment', 'list'])\n"
        "print(sorted({'numba', 'pyarrow', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
