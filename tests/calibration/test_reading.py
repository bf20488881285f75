"""Measurements as a file: what it may say, and every mistake at its line."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.calibration.kinds import KINDS
from carromsim.calibration.measurements import Measurements, example
from carromsim.toml import DeclarationError


def read(tmp_path: Path, text: str) -> Measurements:
    (tmp_path / "film.toml").write_text(text)
    return Measurements.load(tmp_path / "film.toml")


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(DeclarationError) as caught:
        read(tmp_path, text)
    return [problem.removeprefix(f"{tmp_path}/film.toml:") for problem in caught.value.problems]


# What a file may say


def test_lists_are_repeats_and_single_numbers_hold_for_all(tmp_path: Path) -> None:
    text = "[[slide]]\nspeed = [1.0, 1.1, 1.2]\ndistance = [0.5, 0.6, 0.7]\n"
    text += "speed_se = 0.05\ndistance_se = [0.01, 0.02, 0.03]"
    rows = read(tmp_path, text).rows
    assert [row.values for row in rows] == [
        {"speed": speed, "distance": way} for speed, way in [(1.0, 0.5), (1.1, 0.6), (1.2, 0.7)]
    ]
    assert [row.errors for row in rows] == [{"speed": 0.05, "distance": error} for error in (0.01, 0.02, 0.03)]
    assert [row.label for row in rows] == [f"slide 1, entry {k}, line 1" for k in (1, 2, 3)]


def test_tables_may_be_written_in_every_way_of_toml(tmp_path: Path) -> None:
    several = read(tmp_path, "[[slide]]\ndeceleration = 1.0\n\n[[slide]]\ndeceleration = 1.1\n")
    inline = read(tmp_path, "slide = [{deceleration = 1.0}, {deceleration = 1.1}]")
    single = read(tmp_path, "[slide]\ndeceleration = [1.0, 1.1]")
    for film in (several, inline, single):
        assert [row.values["deceleration"] for row in film.rows] == [1.0, 1.1]
    assert [row.label for row in several.rows] == ["slide 1, line 1", "slide 2, line 4"]


def test_frames_and_degrees_become_si(tmp_path: Path) -> None:
    head = "fps = 120\n"
    (slide,) = read(tmp_path, head + "[[slide]]\nframes = 60\ndistance = 0.5\nframes_se = 6\nover_frames = 12").rows
    assert slide.values["time"] == pytest.approx(0.5)
    assert slide.errors["time"] == pytest.approx(0.05)
    assert slide.given["over_time"] == pytest.approx(0.1)
    (cut,) = read(tmp_path, "[[cut]]\ncut_deg = 60\nthrow = 0.15\ncut_deg_se = 2").rows
    assert cut.values == {"cut": pytest.approx(math.pi / 3), "throw": 0.15}
    assert cut.errors == {"cut": pytest.approx(math.radians(2)), "throw": pytest.approx(math.radians(1.5))}


def test_default_errors_are_those_of_the_page(tmp_path: Path) -> None:
    text = "[[slide]]\nspeed = 2.0\ndistance = 0.5\ntime = 0.6\n[[runs]]\nruns = 3\nspeed = 3"
    slide, runs = read(tmp_path, text).rows
    assert slide.errors["speed"] == pytest.approx(math.hypot(0.03, 0.02))
    assert slide.errors["distance"] == pytest.approx(math.hypot(0.002, 0.0025))
    assert slide.errors["time"] == 0.01
    assert runs.errors["runs"] == 0.05


def test_discs_come_from_the_equipment(tmp_path: Path) -> None:
    text = 'equipment = "bell"\n[[hit]]\ndisc = "man"\ntarget = "striker"\nspeed = 1\ntarget_speed = 0.3\n'
    film = read(tmp_path, text + "[[hit]]\nmass = 0.014\nspeed = 1\ntarget_speed = 1.2")
    bell = cs.Equipment.preset("bell")
    assert (film.equipment, film.origin) == (bell, "bell")
    first, second = (row.given for row in film.rows)
    assert (first["mass"], first["target_mass"]) == (bell.man_mass, bell.striker_mass)
    assert (second["mass"], second["target_mass"]) == (0.014, bell.man_mass)


def test_an_unknown_speed_is_at_most_that_of_the_fastest_finger(tmp_path: Path) -> None:
    keys = ("", "speed_at_most = 8", "speed = 4\nat_least = true")
    unknown, bounded, seen = read(tmp_path, "".join(f"[[runs]]\nruns = 3.5\n{key}\n" for key in keys)).rows
    assert (unknown.values["speed"], unknown.given["at_least"]) == (10.0, 1.0)
    assert (bounded.values["speed"], bounded.given["at_least"]) == (8.0, 1.0)
    assert (seen.values["speed"], seen.given["at_least"]) == (4.0, 1.0)


def test_a_dictionary_says_the_same_as_a_file(tmp_path: Path) -> None:
    board = cs.Equipment.preset("icf").replace(man_mass=0.005)
    film = Measurements.from_dict(
        {"equipment": board, "name": "mine", "slide": [{"speed": np.array([1.0, 1.5]), "distance": (0.5, 1.1)}]}
    )
    same = read(tmp_path, "[[slide]]\nspeed = [1.0, 1.5]\ndistance = [0.5, 1.1]")
    assert [(row.values, row.errors, row.given) for row in film.rows] == [
        (row.values, row.errors, row.given) for row in same.rows
    ]
    assert (film.equipment, film.origin, film.name) == (board, None, "mine")
    with pytest.raises(DeclarationError, match=r"^measurements: slide 1\.sped: unknown key, did you mean 'speed'\?"):
        Measurements.from_dict({"slide": {"sped": 1, "distance": 1, "time": 1}})


def test_the_example_shows_everything(tmp_path: Path) -> None:
    film = read(tmp_path, example())
    assert {row.kind for row in film.rows} == set(KINDS)
    text = example()
    for kind in KINDS.values():
        for key in [*kind.measured, *kind.given, *kind.discs]:
            assert key in text or f"{key.removesuffix('time')}frames" in text, key
    verdicts = cs.calibrate(film).found.values()
    assert {one.status for one in verdicts} == {"found"}


# Mistakes


SLIDE, CUSHION, HIT, CUT, RUNS = (f"[[{kind}]]\n" for kind in KINDS)
FINE = SLIDE + "deceleration = 1"
HUGE = "1" + "0" * 400

WRONG = [
    ("", "1: there is no measurement; a file has at least one of [[slide]], [[cushion]], [[hit]], [[cut]], [[runs]]"),
    ("# nothing\nslide = []", "1: there is no measurement; a file has"),
    ("[[slid]]\nspeed = 1", "1: slid: unknown key, did you mean 'slide'?"),
    ("slide = 3", "1: slide = 3: must be a table, [[slide]]"),
    ("slide = [3]", "1: slide = [3]: must be a table, [[slide]]"),
    (SLIDE + "speed = 1", "1: slide 1: needs two of speed, distance and time, or deceleration"),
    (SLIDE + "speed = -1\ntime = 1", "2: slide 1.speed = -1: must be a number from 0 to 30 m/s, or a list of them"),
    (SLIDE + "speed = 1\n\ndistance = 650", "4: slide 1.distance = 650: must be a number from 0.001 to 50 m"),
    (SLIDE + 'speed = "1 m/s"\ntime = 1', '2: slide 1.speed = "1 m/s": must be a number from 0 to 30 m/s'),
    (SLIDE + "speed = [1, true]\ntime = [1, 1]", "2: slide 1.speed = true: must be a number"),
    (SLIDE + "speed = []\ntime = 1", "2: slide 1.speed = []: must be a number"),
    (SLIDE + "speed = nan\ntime = 1", "2: slide 1.speed = nan: must be a number"),
    (SLIDE + f"speed = {HUGE}\ntime = 1", "2: slide 1.speed = 1000000000000"),
    (
        SLIDE + "frames = 5e9\ndistance = 1",
        "2: slide 1.frames = 5000000000.0: must be a number from 2.4 to 72000 frames",
    ),
    (SLIDE + "time = 1\nframes = 240\nspeed = 1", "3: slide 1.frames: says the same as time: leave one out"),
    (SLIDE + "time = 1\nspeed = 1\ntime_se = 0", "4: slide 1.time_se = 0: must be a number from 1e-09 to"),
    (SLIDE + "time = 1\nspeed = 1\ndistance_se = 1", "4: slide 1.distance_se: is the error of distance, which is"),
    (SLIDE + "deceleration = 1\ntime = 1", "1: slide 1: deceleration comes from the same film as time: leave"),
    (SLIDE + "speed = [1, 2]\ntime = [1, 2, 3]", "1: slide 1: lists must be equally long: speed has 2, time has 3"),
    (
        CUT + "cut = 45\nthrow_deg = 9",
        "2: cut 1.cut = 45: must be a number from 0 to 1.48353 rad, or a list of them; cut_deg",
    ),
    (CUT + "cut_deg = 45\ncut = 0.8\nthrow_deg = 9", "3: cut 1.cut: says the same as cut_deg: leave one out"),
    (CUT + "cut_deg = 45\nspin = 20", "1: cut 1: needs cut, and throw or both spin and target_speed"),
    (CUT + 'cut_deg = 45\nthrow_deg = 9\ntarget = "queen"', '4: cut 1.target = "queen": must be "striker" or "man"'),
    (CUSHION + "speed_in = 1", "1: cushion 1: needs speed_in and speed_out"),
    (CUSHION + "speed_in = 1\nspeed_out = 0.7\nalong_in = 1", "1: cushion 1: along_in and along_out tell nothing"),
    (CUSHION + "speed_in = 0.6\nspeed_out = 0.9", "3: cushion 1.speed_out: 0.9 m/s after 0.6 m/s: are they swapped?"),
    (HIT + "speed = 1", "1: hit 1: needs two of speed, speed_after, target_speed, distance and target_distance"),
    (HIT + "speed = 1\ntarget_speed = 1\nmass = 15", "4: hit 1.mass = 15: must be a number from 0.0001 to 1 kg"),
    (RUNS + "speed = 1", "1: runs 1: needs runs"),
    (RUNS + "runs = 3\nat_least = 1", "3: runs 1.at_least = 1: must be true or false"),
    (
        RUNS + "runs = 3\nspeed = 1\nspeed_at_most = 2",
        "1: runs 1: speed_at_most is for an unknown speed: leave one out",
    ),
    ("fps = 0\n" + FINE, "1: fps = 0: must be from 1 to 1000000 frames/s"),
    ('name = "a\\nb"\n' + FINE, "1: name = "),
    ('equipment = "ifc"\n' + FINE, '1: equipment = "ifc": '),
    ("equipment = 3\n" + FINE, "1: equipment = 3: must be a preset or a file"),
    ('equipment = "not_there.toml"\n' + FINE, "1: equipment = "),
    ("[[slide]\n", "1: "),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_mistake_is_told_at_its_line(tmp_path: Path, text: str, told: str) -> None:
    found = problems(tmp_path, text)
    assert len(found) == 1
    assert found[0].startswith(told)


def test_all_mistakes_are_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    text = "colour = 1\n[[runs]]\nruns = 99\n[[slide]]\nspeed = 1\ntime = 1\nspeed_se = -1\n[[slide]]\nspeed = 1"
    assert [problem.partition(":")[0] for problem in problems(tmp_path, text)] == ["1", "3", "7", "8"]


def test_what_is_no_text_or_no_file(tmp_path: Path) -> None:
    (tmp_path / "film.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(DeclarationError, match="is no text in UTF-8"):
        Measurements.load(tmp_path / "film.toml")
    with pytest.raises(FileNotFoundError):
        Measurements.load(tmp_path / "none.toml")


def test_too_many_measurements_are_refused() -> None:
    many: Any = {"slide": {"deceleration": [1.0] * 1001}}
    with pytest.raises(DeclarationError, match="1,001 measurements: at most 1,000"):
        Measurements.from_dict(many)
