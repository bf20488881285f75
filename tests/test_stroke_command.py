"""`carromsim stroke`: position files, what happened, and how mistakes are explained."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.cli.position import is_pack
from carromsim.equipment import Equipment
from carromsim.layouts import Layout, arrange, opening
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim.studies.breaks.study import BreakStudy
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
        ("--speed -1", "--speed -1.0: must be from 0 to 10000 m/s"),
        ("--speed 1e5", "--speed 100000.0: must be from 0 to 10000 m/s"),
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
    from carromsim.simulation import scene_of
    from carromsim_kernels.state import Tolerances

    monkeypatch.setattr("carromsim.simulation.Tolerances", lambda: Tolerances(max_events=2))
    monkeypatch.setattr("carromsim.simulation.scene_of", scene_of.__wrapped__)  # not the scene that is kept
    assert cli.run(["stroke", str(position), "--speed", "3"]) == 1
    shown, errors = capsys.readouterr()
    assert "no outcome: event limit" in shown
    assert errors == "carromsim: the stroke has no outcome: it was given up after too many events\n"


# The ruling


def test_a_stroke_of_the_opening_is_that_of_a_study_and_so_is_its_ruling(capsys: pytest.CaptureFixture[str]) -> None:
    still: dict[str, Any] = {"sd_x": 0, "sd_angle": 0, "sd_speed": 0, "sd_spin": 0}
    for name, angle, speed in (("icf", 90, 8.0), ("ukca", 70, 9.0), ("bell_i", 120, 6.0), ("icf", 20, 1.0)):
        study = BreakStudy(ruleset=name, strokes=1, angle=math.radians(angle), speed=speed, **still)
        (row,) = study.batch(range(1))["strokes"].to_pylist()
        found = told(capsys, "--ruleset", name, "--angle-deg", str(angle), "--speed", str(speed))
        ruling = found["ruling"]
        assert found["equipment"]["name"] == study.equipment.name
        assert (found["duration"], len(found["events"])) == (row["duration"], row["n_events"])
        full = {"white": 9, "black": 9}
        assert ruling["before"] == {"shooter": "white", "break_made": False, "on_board": full, "queen": "on_board"}
        assert ruling["turn"] == ("continue", "pass", "retry", "board_end")[row["turn"]]
        assert ruling["laws"] == row["laws"].split("; ")
        assert (ruling["dues_incurred"], ruling["break_made_after"]) == (row["dues_incurred"], bool(row["break_made"]))


STRAIGHT = ["--speed", "1.2", "--angle-deg", "59.917"]
"""At a man on the way to the top right pocket, into which he falls without the striker."""


def test_the_ruling_is_on_what_lies_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "queen = [-0.2, 0.1]\nwhite = [[0.2087, 0.1076], [-0.1, 0.2]]\nblack = [[-0.2, 0.2]]")
    for shooter, turn, dues in (("white", "continue", 0), ("black", "pass", 1)):
        ruling = told(capsys, path, *STRAIGHT, "--ruleset", "ukca", "--shooter", shooter)["ruling"]
        assert (ruling["ruleset"], ruling["turn"], ruling["dues_incurred"]) == ("ukca", turn, dues)
        men = {"white": 2, "black": 1}
        assert ruling["before"] == {"shooter": shooter, "break_made": True, "on_board": men, "queen": "on_board"}
        assert ruling["on_board_after"] == {"white": 1, "black": 1 + dues}
    assert "ruling" not in told(capsys, path, *STRAIGHT)


def test_a_queen_that_is_not_there_has_to_be_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "white = [[0.2087, 0.1076], [-0.1, 0.2]]\nblack = [[-0.2, 0.2]]")
    for queen, after in (("pending", "covered_white"), ("covered_black", "covered_black")):
        ruling = told(capsys, path, *STRAIGHT, "--ruleset", "icf", "--queen", queen)["ruling"]
        assert ruling["queen_after"] == after
    assert complaint(capsys, path, *STRAIGHT, "--ruleset", "icf") == [
        "--queen: she is not on the board; say pending, covered_white or covered_black"
    ]
    assert complaint(capsys, "--speed", "1", "--ruleset", "icf", "--queen", "pending") == [
        "--queen pending: she is on the board"
    ]


def test_the_last_man_ends_the_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "white = [[0.2087, 0.1076]]\nblack = [[-0.2, 0.2], [-0.1, 0.1]]")
    command = ["stroke", path, *STRAIGHT, "--ruleset", "icf", "--queen", "covered_white"]
    assert cli.run(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-10:-1] == [
        "Before    white to play; white 1, black 2, queen covered by white",
        "Rule set  icf",
        "Turn      the board has ended",
        "Winner    white, 5 points",
        "Game      goes on; next to break: black",
        "Dues      0 incurred, 0 placed now; still owed: white 0, black 0",
        "Returned  own 0, opponent's 0",
        "Board     white 0, black 2, queen covered by white",
        "Score     white +5, black +0",
    ]
    assert lines[-1].startswith("Laws      ICF ")


def test_a_ruling_by_ones_own_rules_on_their_own_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "house.toml").write_text('extends = "bell_i"\n[turn]\nown_man_keeps = false  # HOUSE 3: one each\n')
    rules = ["--ruleset", str(tmp_path / "house.toml")]
    path = written(tmp_path, "queen = [-0.2, 0.1]\nwhite = [[0.2087, 0.1076], [-0.1, 0.2]]\nblack = [[-0.2, 0.2]]")
    found = told(capsys, path, *STRAIGHT, *rules)
    assert (found["equipment"]["name"], found["ruling"]["ruleset"]) == ("bell", "house")
    assert (found["ruling"]["turn"], found["ruling"]["laws"]) == ("pass", ["HOUSE 3"])
    named = written(tmp_path, 'equipment = "caint"\nwhite = [[0.2087, 0.1076]]')
    assert told(capsys, named, "--speed", "1", *rules, "--queen", "pending")["equipment"]["name"] == "caint"


def test_what_is_asked_of_nobody_is_refused(position: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed = (str(position), "--speed", "1")
    why = "is for the ruling, which --ruleset asks for"
    assert complaint(capsys, *speed, "--shooter", "black") == [f"--shooter black: {why}"]
    assert complaint(capsys, *speed, "--queen", "pending") == [f"--queen pending: {why}"]
    (line,) = complaint(capsys, *speed, "--ruleset", "ifc")
    assert line.startswith("--ruleset ifc: unknown rule set 'ifc': did you mean 'icf'?")


def test_a_board_without_room_for_the_pack_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "big.toml").write_text('extends = "icf"\nman_radius = 0.08\n')
    lines = complaint(capsys, "--speed", "1", "--equipment", str(tmp_path / "big.toml"))
    assert lines[0].startswith("impossible layout: white 4 (disc 5) lies 30.1 mm outside the board")


def test_a_full_board_is_the_opening_only_as_long_as_it_is_a_pack() -> None:
    board = Equipment.preset("icf")
    pack = opening("icf", rotation=0.3, gap=5e-4)
    assert is_pack(pack, board)
    for disc, place in ((7, (0.2, 0.2)), (19, (math.nan, math.nan))):
        pos = pack.pos.copy()
        pos[disc] = place
        assert not is_pack(Layout(pos), board)
