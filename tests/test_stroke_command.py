"""`carromsim stroke`: position files, what happened, and how mistakes are explained."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.equipment import Equipment
from carromsim.layouts import arrange
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim.studies.stroke_report import stroke_dict

POSITION = """\
equipment = "ukca"
queen = [0.0, 0.1]
white = [
  [0.1, 0.2],
  [-0.05, 0.3],  # the second
]
black = [[0.2, 0.1]]
"""


@pytest.fixture
def position(tmp_path: Path) -> Path:
    path = tmp_path / "position.toml"
    path.write_text(POSITION, encoding="utf-8")
    return path


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "given.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert cli.run(["stroke", *arguments, "--json"]) == 0
    shown, errors = capsys.readouterr()
    assert errors == ""
    return dict(json.loads(shown))


# What is printed


def test_json_is_what_python_gives(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--x", "0.05", "--angle-deg", "100", "--speed", "3.5", "--spin", "-20", "--seat", "2"]
    found = told(capsys, str(position), *options)
    layout = arrange(queen=(0.0, 0.1), white=[(0.1, 0.2), (-0.05, 0.3)], black=[(0.2, 0.1)])
    strokes = Strokes(x=0.05, angle=math.radians(100), speed=3.5, spin=-20.0, seat=2)
    expected = stroke_dict(simulate(layout, strokes, equipment="ukca", record=True))
    assert {key: found[key] for key in expected} == json.loads(json.dumps(expected))
    assert found["stroke"] == {"x": 0.05, "angle": math.radians(100), "speed": 3.5, "spin": -20.0, "seat": 2}
    assert Equipment(**found["equipment"]) == Equipment.preset("ukca")


def test_text_names_events_and_places(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["stroke", str(position), "--speed", "3"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert " ".join(lines[0]) == "Stroke equipment ukca, seat 0, x 0 mm, 90 deg, 3 m/s, spin 0 rad/s"
    assert lines[3][2:] == ["disc", "hit", "striker", "queen"]
    assert ["white", "2", "-50.0", "mm", "300.0", "mm"] in lines
    assert lines[-1][1] == "events,"


def test_a_board_of_one_disc_and_an_empty_one_are_legal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = told(capsys, written(tmp_path, "white = [[0.0, 0.1]]"), "--speed", "2")
    assert [disc["disc"] for disc in one["discs"]] == ["striker", "white 1"]
    assert one["events"][0]["other"] == "white 1"
    empty = told(capsys, written(tmp_path, ""), "--speed", "0.5")
    assert [event["kind"] for event in empty["events"]] == ["stop"]
    equipment = Equipment.preset("icf")
    way = empty["discs"][0]["y"] + equipment.side / 2 - equipment.base_line_distance
    assert way == pytest.approx(0.5**2 / (2 * equipment.mu_surface * equipment.gravity), rel=1e-12)


def test_the_option_goes_before_the_file(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, str(position), "--speed", "1", "--equipment", "bell")
    assert found["equipment"]["name"] == "bell"


def test_a_board_of_ones_own_lies_beside_the_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slow.toml").write_text('extends = "ukca"\nmu_surface = 0.2\n')
    by_key = told(capsys, written(tmp_path, 'equipment = "slow.toml"'), "--speed", "0.5")
    assert Equipment(**by_key["equipment"]) == Equipment.preset("ukca").replace(name="slow", mu_surface=0.2)
    by_option = told(capsys, written(tmp_path, ""), "--speed", "0.5", "--equipment", str(tmp_path / "slow.toml"))
    assert by_option["discs"] == by_key["discs"]
    way = by_key["discs"][0]["y"] + 0.37 - 0.1174
    assert way == pytest.approx(0.5**2 / (2 * 0.2 * 9.80665), rel=1e-12)


def test_every_seat_plays_the_same_stroke(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = written(tmp_path, "")
    ends = [told(capsys, empty, "--speed", "1", "--angle-deg", "80", "--seat", str(seat)) for seat in range(4)]
    x, y = ends[0]["discs"][0]["x"], ends[0]["discs"][0]["y"]
    for end, place in zip(ends, ((x, y), (-y, x), (-x, -y), (y, -x)), strict=True):
        assert (end["discs"][0]["x"], end["discs"][0]["y"]) == place


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "windows.toml"
    path.write_bytes(b"\xef\xbb\xbf" + POSITION.replace("\n", "\r\n").encode())
    assert len(told(capsys, str(path), "--speed", "1")["discs"]) == 5


# Mistakes


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.run(["stroke", *arguments]) == 2
    shown, errors = capsys.readouterr()
    assert shown == ""
    assert "Traceback" not in errors
    return [line.removeprefix("carromsim: ") for line in errors.splitlines()]


def test_all_mistakes_of_a_file_are_told_with_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(
        tmp_path,
        'equipment = "ick"\nquen = [0.0, 0.1]\nqueen = [1]\n'
        'white = [\n  [0.1, 0.2],\n  [true, 1], ["]", 1], [nan, 2], 5,\n]\n'
        "striker = [1, 2]\nblack = 3\n[pockets]\na = 1\n",
    )
    assert complaint(capsys, path, "--speed", "3") == [
        f"{path}:1: unknown equipment preset 'ick': did you mean 'icf'? known: bell, caint, icf, ukca;"
        " or a file that ends in .toml",
        f"{path}:2: unknown key 'quen': did you mean 'queen'? known: black, equipment, queen, white",
        f"{path}:3: queen = [1]: must be [x, y], two finite numbers in m",
        f"{path}:4: white 2 = [True, 1]: must be [x, y], two finite numbers in m",
        f"{path}:4: white 3 = [']', 1]: must be [x, y], two finite numbers in m",
        f"{path}:4: white 4 = [nan, 2]: must be [x, y], two finite numbers in m",
        f"{path}:4: white 5 = 5: must be [x, y], two finite numbers in m",
        f"{path}:8: unknown key 'striker': where it stands is an option, --x",
        f"{path}:9: black = 3: must be a list [[x, y], ...] of at most 9 men",
        f"{path}:10: unknown key 'pockets': known: black, equipment, queen, white",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("white = [" + "[0, 0]," * 10 + "]", ":1: white = 10 men: must be a list [[x, y], ...] of at most 9 men"),
        ("queen = [0, 1e400]", ":1: queen = [0, inf]: must be [x, y]"),
        (f"queen = [0, {10**400}]", ":1: queen = [0, 1000"),
        ("equipment = 3", ":1: unknown equipment preset 3"),
        ("queen = [0.0, 0.1", ":1: Unclosed array"),
        ("queen = [0, 0]\nqueen = [0, 0]\n", ":2: Cannot overwrite a value"),
        ("queen = [0, 0.5]", "queen lies 146 mm outside the board"),
        ("white = [[0, 0], [0.03, 0]]", "white 1 (disc 2) and white 2 (disc 3) overlap by 1 mm"),
        ("black = [[0, -0.25]]", "striker and black 1 (disc 11) overlap by"),
        ("a = " + "[" * 5000, "given.toml: brackets are nested too deeply"),
        (f"queen = [0, {'1' * 5000}]", "given.toml: Exceeds the limit"),
        ("equipment = 'none.toml'", "none.toml: cannot be read (No such file or directory)"),
    ],
)
def test_a_bad_file_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (line,) = complaint(capsys, written(tmp_path, text), "--speed", "3")
    assert message in line


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"queen = '\xff'")
    for name, message in (
        ("missing.toml", "cannot be read (No such file or directory)"),
        (".", "cannot be read (Is a directory)"),
        ("bytes.toml", "is no text in UTF-8 (invalid start byte at byte 9)"),
    ):
        path = tmp_path / name
        place = f"{path}:1" if name == "bytes.toml" else str(path)
        assert complaint(capsys, str(path), "--speed", "3") == [f"{place}: {message}"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--speed -1", "--speed -1.0: must be at least 0 m/s"),
        ("--speed nan", "--speed nan: must be finite"),
        ("--speed 1 --angle-deg inf", "--angle-deg inf: must be finite"),
        ("--speed 1 --x 0.2", "--x 0.2: x = 200 mm: the striker may stand at -221.98 to -214.35 mm"),
        ("--speed 1 --seat 4", "--seat"),
        ("--speed 1 --equipment icff", "--equipment"),
        ("--sped 1", "--speed"),
        ("", "--speed"),
    ],
)
def test_a_bad_option_is_explained(
    position: Path, capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    assert message in " ".join(complaint(capsys, str(position), *options.split()))


def test_a_stroke_that_is_given_up_is_a_failure(
    position: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from carromsim_kernels.state import Tolerances

    monkeypatch.setattr("carromsim.simulation.Tolerances", lambda: Tolerances(max_events=2))
    assert cli.run(["stroke", str(position), "--speed", "3"]) == 1
    shown, errors = capsys.readouterr()
    assert "no outcome: event limit" in shown
    assert errors == "carromsim: the stroke has no outcome: it was given up after too many events\n"
