"""Equipment as TOML: the shipped presets, files of one's own, and what is wrong with them."""

import dataclasses
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carromsim as cs
from carromsim.equipment import PRESETS, STRIKER, Equipment
from carromsim.equipment_files import Source, describe
from carromsim.layouts import opening, random_layout
from carromsim.simulation import simulate, simulate_motion
from carromsim.strokes import Strokes, legal_intervals
from carromsim.surfaces import SURFACES, Surface, surface
from carromsim.toml import DeclarationError

ICF = Equipment.preset("icf")
FIELDS = {field.name: field.default for field in dataclasses.fields(Equipment)}


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def problems(origin: Path) -> list[str]:
    """Give the mistakes of a file, its folder cut off."""
    with pytest.raises(DeclarationError) as caught:
        Equipment.load(origin)
    return [text.replace(f"{origin.parent}/", "") for text in caught.value.problems]


# The presets


def shipped(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("carromsim.data") / "equipment" / f"{name}.toml").read_text(encoding="utf-8"))


def test_the_icf_file_says_every_field_once_with_a_source_and_agrees_with_the_defaults() -> None:
    told, sources = shipped("icf"), describe("icf").sources
    assert set(told) == set(FIELDS)
    assert [name for name in told if not sources[name].comment] == ["name"]
    defaults = {name: value for name, value in FIELDS.items() if value is not dataclasses.MISSING}
    assert {name: None if told[name] == "none" else told[name] for name in defaults} == defaults


@pytest.mark.parametrize("name", ["ukca", "caint", "bell"])
def test_each_preset_extends_the_icf_and_has_a_source_for_each_number(name: str) -> None:
    told, found = shipped(name), describe(name)
    assert told.pop("extends") == "icf"
    for key in told.keys() - {"name"}:
        assert len(found.sources[key].comment) > 5, key
        assert found.sources[key].file == name
    assert {source.file for source in found.sources.values()} == {name, "icf"}
    assert found.sources["e_cushion"] == Source("icf", describe("icf").sources["e_cushion"].line, GUESS)


GUESS = "guess, 0.6 to 0.8; 0.68 in one video analysis"


def test_presets_are_read_when_they_are_asked_for() -> None:
    code = (
        "import sys, carromsim.equipment as e\n"
        "print(list(e.PRESETS), 'tomllib' in sys.modules)\n"
        "print(e.Equipment.preset('bell').side, 'tomllib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['icf', 'ukca', 'caint', 'bell'] False", "0.74 True"]


def test_a_preset_is_one_object() -> None:
    assert Equipment.preset("bell") is PRESETS["bell"] is Equipment.load("bell")
    assert dict(PRESETS)["ukca"].name == "ukca"
    with pytest.raises(KeyError):
        PRESETS["nix"]


# Files of one's own


def test_a_file_says_what_differs(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "home.toml",
        "# The board at home",
        'extends = "bell"',
        "side = 0.72  # tape measure",
        'corner = "right_angled"',
        "end_circle_guard = 0.01",
    )
    bell = Equipment.preset("bell")
    changes = {"name": "home", "side": 0.72, "corner": "right_angled", "end_circle_guard": 0.01}
    assert Equipment.load(path) == Equipment.load(str(path)) == bell.replace(**changes)
    found = describe(path)
    assert found.about == "The board at home"
    assert found.sources["side"] == Source(str(path), 3, "tape measure")
    assert found.sources["corner"] == Source(str(path), 4, "")
    assert found.sources["man_mass"].file == "bell"
    assert found.sources["name"].comment == "name of the file"


def test_a_file_may_extend_a_file_whose_path_begins_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "club.toml", 'extends = "ukca"', 'name = "club"', "side = 0.73", "e_disc = 0.8  # film")
    write(tmp_path, "boards/mine.toml", 'extends = "../club.toml"', "e_disc = 0.82")
    monkeypatch.chdir(tmp_path)
    found = describe("boards/mine.toml")
    expected = Equipment.preset("ukca").replace(name="mine", side=0.73, e_disc=0.82)
    assert found.equipment == expected
    assert (found.sources["side"].file, found.sources["e_disc"].file) == ("boards/../club.toml", "boards/mine.toml")
    assert describe("mine.toml", tmp_path / "boards").equipment == expected


def test_discs_one_by_one_and_none(tmp_path: Path) -> None:
    radius = [0.0206, *[0.0155] * 18, 0.0151]
    first = write(tmp_path, "first.toml", 'extends = "icf"', f"disc_radius = [{', '.join(map(str, radius))}]")
    assert Equipment.load(first).disc_radius == tuple(radius)
    second = write(tmp_path, "second.toml", 'extends = "first.toml"', 'disc_radius = "none"')
    assert Equipment.load(second) == ICF.replace(name="second")


def test_a_file_of_everything_needs_no_preset(tmp_path: Path) -> None:
    required = [name for name, value in FIELDS.items() if value is dataclasses.MISSING]
    text = ICF.to_toml().splitlines()
    path = write(tmp_path, "all.toml", *(line for line in text if line.partition(" = ")[0] in required))
    assert Equipment.load(path) == ICF
    assert "contact" not in describe(path).sources
    path = write(tmp_path, "most.toml", *(line for line in text[1:] if not line.startswith("man_")))
    assert problems(path) == [
        'most.toml:1: man_radius, man_mass: missing; to start from a preset say extends = "icf"',
    ]


unusual = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=200),
        "mu_surface": st.floats(0, 10),
        "e_disc": st.floats(0, 1),
        "man_mass": st.floats(1e-9, 1e6),
        "corner": st.sampled_from(["rounded", "right_angled", "cut_away"]),
        "t_contact": st.floats(1e-6, 1e-3),
        "end_circle_guard": st.none() | st.floats(1e-6, 1),
        "disc_mass": st.none() | st.lists(st.floats(1e-6, 1), min_size=20, max_size=20),
    },
)


@given(unusual, st.sampled_from(list(PRESETS)))
def test_what_is_written_is_read_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], preset: str
) -> None:
    equipment = Equipment.preset(preset).replace(**changes)
    path = tmp_path_factory.getbasetemp() / "written.toml"
    path.write_text(equipment.to_toml(), encoding="utf-8")
    assert Equipment.load(path) == equipment


# What is wrong


def test_all_mistakes_are_told_at_once_with_file_line_and_key(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "bad.toml",
        'extends = "ick"',
        "mu_surfce = 0.1",
        "side = -1",
        'corner = "round"',
        "",
        'surface = "powdr"',
        "disc_radius = [1, 2]",
        'e_disc = "0.8"',
        "name = 3",
        "end_circle_guard = true",
        "man_mass = 5.25 # g",
        "[pockets]",
        "striker_mass = nan",
    )
    assert problems(path) == [
        "bad.toml:1: extends = \"ick\": did you mean 'icf'? known: bell, caint, icf, ukca; or a file that ends in"
        " .toml",
        "bad.toml:2: mu_surfce: unknown key, did you mean 'mu_surface'?",
        "bad.toml:3: side = -1: must be from 1e-06 to 1e+06 m",
        "bad.toml:4: corner = \"round\": did you mean 'rounded'? known: cut_away, right_angled, rounded",
        "bad.toml:6: surface = \"powdr\": did you mean 'powder'? known: fine_powder, french_chalk, polish, powder",
        'bad.toml:7: disc_radius = [1, 2]: must be 20 numbers from 1e-06 to 1e+06 m or "none"',
        'bad.toml:8: e_disc = "0.8": must be from 0 to 1',
        "bad.toml:9: name = 3: must be a string",
        'bad.toml:10: end_circle_guard = true: must be from 1e-06 to 1e+06 m or "none"',
        "bad.toml:12: pockets: unknown key, did you mean 'pocket_radius'?",
    ]


def test_the_mistakes_of_what_is_extended_are_told_too(tmp_path: Path) -> None:
    write(tmp_path, "below.toml", 'extends = "icf"', "side = 0", "e_disc = 2")
    path = write(tmp_path, "above.toml", "e_cushion = 3", 'extends = "below.toml"', "mu_disc = -1")
    assert problems(path) == [
        "above.toml:1: e_cushion = 3: must be from 0 to 1",
        "below.toml:2: side = 0: must be from 1e-06 to 1e+06 m",
        "below.toml:3: e_disc = 2: must be from 0 to 1",
        "above.toml:3: mu_disc = -1: must be from 0 to 100",
    ]


def test_what_does_not_fit_together_is_told_where_it_was_said(tmp_path: Path) -> None:
    assert problems(write(tmp_path, "wide.toml", 'extends = "icf"', "", "pocket_radius = 0.5")) == [
        "wide.toml:3: pocket_radius = 0.5: must be less than side / 2 = 0.37 m, it is wider than the board"
    ]
    # What the file does not say itself is told at its first line.
    assert problems(write(tmp_path, "small.toml", "", 'extends = "icf"', "side = 0.134")) == [
        "small.toml:1: base_line_distance = 0.1174: must be from striker_radius = 0.02065 m to side - striker_radius"
        " = 0.11335 m"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "own.toml"', 'own.toml:1: extends = "own.toml": extends itself: own.toml -> own.toml'),
        ('extends = "./x/../own.toml"', "extends itself: own.toml -> x/../own.toml"),
        ('extends = "none.toml"', "none.toml: cannot be read (No such file or directory)"),
        ("extends = 3", "own.toml:1: extends = 3: known: bell, caint, icf, ukca; or a file"),
        ('extends = "icf"\nextends = "bell"', "own.toml:2: Cannot overwrite a value (column 17)"),
        ("side = 0,7", "own.toml:1: Expected newline"),
        ("side = ", "own.toml:1: Invalid value"),
        ("a = " + "[" * 5000, "own.toml: brackets are nested too deeply"),
        (f"side = {'1' * 5000}", "own.toml: Exceeds the limit"),
        ('extends = "icf"\nsurface = "powder"\nmu_surface = 0.1', 'own.toml:2: surface = "powder": says the same as'),
        ("[[extends]]", "own.toml:1: extends = [{}]: known: "),
    ],
)
def test_a_bad_file_gives_one_clear_message(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x").mkdir()
    (told,) = problems(write(tmp_path, "own.toml", text))
    assert message in told


def test_a_circle_of_files_is_refused(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        write(tmp_path, f"{name}.toml", f'extends = "{other}.toml"')
    (told,) = problems(tmp_path / "a.toml")
    assert told == 'c.toml:1: extends = "a.toml": extends itself: a.toml -> b.toml -> c.toml -> a.toml'


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    assert problems(tmp_path / "bytes.toml") == ["bytes.toml:1: is no text in UTF-8 (invalid start byte at byte 8)"]
    with pytest.raises(DeclarationError, match=r"cannot be read \(Is a directory\)"):
        Equipment.load(tmp_path)
    with pytest.raises(ValueError, match=r"unknown equipment preset 'bel': did you mean 'bell'\? .*; or a file that"):
        Equipment.load("bel")
    with pytest.raises(ValueError, match="unknown equipment preset 3: known: "):
        Equipment.load(3)  # type: ignore[arg-type]


def test_a_mark_and_windows_lines_are_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b'\xef\xbb\xbf# Mine\r\nextends = "icf"\r\nside = 0.7  # tape\r\n')
    found = describe(path)
    assert (found.about, found.equipment.side) == ("Mine", 0.7)
    assert found.sources["side"] == Source(str(path), 3, "tape")


# Surfaces


def test_surfaces_agree_with_the_presets_that_name_them() -> None:
    for preset, kind in (("icf", "fine_powder"), ("ukca", "polish"), ("caint", "powder"), ("bell", "french_chalk")):
        assert Equipment.preset(preset).mu_surface == SURFACES[kind].mu
        comment = describe(preset).sources["mu_surface"].comment
        assert f"{SURFACES[kind].what}, {SURFACES[kind].low:.2f} to {SURFACES[kind].high:.2f}" in comment


def test_a_surface_has_a_range() -> None:
    assert surface("powder") == Surface("powder", 0.10, 0.05, 0.13, "carrom powder")
    assert cs.Uniform(*cs.surface("french_chalk").spread) == cs.Uniform(0.07, 0.15)
    assert all(kind.low < kind.mu < kind.high for kind in SURFACES.values())
    with pytest.raises(ValueError, match="unknown surface 'polis': did you mean 'polish'"):
        surface("polis")


def test_a_file_may_name_its_surface(tmp_path: Path) -> None:
    path = write(tmp_path, "own.toml", 'extends = "icf"', 'surface = "polish"  # smells of lemon')
    assert Equipment.load(path) == ICF.replace(name="own", mu_surface=0.12)
    comment = "smells of lemon; guess for light furniture polish, 0.08 to 0.18"
    assert describe(path).sources["mu_surface"] == Source(str(path), 2, comment)
    above = write(tmp_path, "above.toml", 'extends = "own.toml"', "mu_surface = 0.2")
    assert Equipment.load(above).mu_surface == 0.2


def test_a_surface_in_a_study_is_its_range(tmp_path: Path) -> None:
    spread = cs.Uniform(0.05, 0.13)
    for given_ in ({"surface": "powder"}, cs.surface("powder"), spread):
        assert cs.BreakStudy(mu_surface=given_).mu_surface == spread
    drawn = cs.BreakStudy(mu_surface={"surface": "polish"}).drawn(range(100))["mu_surface"]
    assert 0.08 <= drawn.min() < 0.1 < 0.16 < drawn.max() <= 0.18
    with pytest.raises(ValueError, match="unknown surface 'ice': known: "):
        cs.BreakStudy(mu_surface={"surface": "ice"})
    with pytest.raises(ValueError, match="unknown distribution 'surface'"):
        cs.BreakStudy(e_disc={"surface": "powder"})


# Strikers of every size that some law allows


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("diameter", [0.0339, 0.038, 0.0413, 0.042, 0.0425])
def test_every_lawful_striker_works_on_every_board(preset: str, diameter: float) -> None:
    board = Equipment.preset(preset).replace(striker_radius=diameter / 2)
    places = legal_intervals(board)
    # ICF, UKCA and CAINT: between the circles and over either; Bell: anywhere in the box.
    assert len(places) == (1 if preset == "bell" else 3)
    random_layout(board, 5, seed=1, striker=True).check(board)
    x = places[:, 0].tolist() + places[:, 1].tolist()
    out = simulate(opening(board, gap=0.0001), Strokes(x=x, speed=4.0, angle=1.5), equipment=board, threads=1)
    assert out.status.tolist() == [0] * len(x)
    # Along the diagonal into the pocket, slowly: it falls if it fits, and stays on the board if not.
    pos, vel = np.full((20, 2), np.nan), np.zeros((20, 2))
    pos[STRIKER], vel[STRIKER] = board.side / 2 - board.pocket_offset - 0.04, 0.25
    slow = simulate_motion(pos, vel, np.zeros(20), equipment=board, threads=1)
    fits = diameter < 2 * board.pocket_radius
    assert fits == ((preset, diameter) != ("bell", 0.0425))
    assert (slow.status.tolist(), slow.pocket[0, STRIKER]) == ([0], 2 if fits else -1)
