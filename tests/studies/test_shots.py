"""The shot study: geometry, aim, success by skill, and what it says about it."""

import io
import json
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console
from scipy.stats import binomtest

from carromsim.equipment import STRIKER, Equipment
from carromsim.layouts import Layout
from carromsim.players.skill import SKILLS, Skill
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim.studies.declaring.parameters import Grid, Normal, Uniform
from carromsim.studies.shots.positions import ARRIVAL, TARGET, Family, Shot, family, lay
from carromsim.studies.shots.study import ShotStudy
from carromsim.studies.shots.summary import ShotSummary
from carromsim_kernels.state import EventKind

ICF = Equipment.preset("icf")
ALL = ["novice", "club", "expert", "champion", "perfect"]
SHOTS = {
    "straight": {},
    "cut": {"cut": math.radians(45)},
    "bank": {"way": "bank", "pocket": "bottom right", "distance": 0.9},
}
BOTH_WAYS = [("top right", False), ("top left", False), ("bottom right", True), ("top left", True)]
POCKETS = ("bottom left", "bottom right", "top right", "top left")


def rows_of(study: ShotStudy) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = study.batch(range(study.rows))["shots"].to_pylist()
    return rows


def summary_of(study: ShotStudy) -> ShotSummary:
    summary: ShotSummary = study.summarise(workers=1)
    return summary


def laid(shots: Family, x: float, distance: float, cut: float) -> Shot:
    shot = lay(shots, x, distance, cut)
    assert isinstance(shot, Shot), shot
    return shot


# Geometry


@pytest.mark.parametrize("cut", [-0.5, 0.0, 0.7])
@pytest.mark.parametrize(("x", "distance"), [(0.0, 0.3), (0.12, 0.2)])
def test_the_striker_meets_the_man_behind_his_way_to_the_pocket(x: float, distance: float, cut: float) -> None:
    """Walk the striker forward until it touches, and look at the line of centres: nothing of the triangle is used."""
    shot = laid(family(ICF, 2, False), x, distance, cut)
    base, offset = ICF.base_line_distance - ICF.side / 2, ICF.side / 2 - ICF.pocket_offset
    man, pocket, start = np.array([shot.x, shot.y]), np.array([offset, offset]), np.array([x, base])
    way = np.array([math.cos(shot.angle), math.sin(shot.angle)])
    touching = ICF.radius[STRIKER] + ICF.radius[TARGET]
    near, far = 0.0, float((man - start) @ way)
    for _ in range(100):
        middle = (near + far) / 2
        near, far = (middle, far) if np.hypot(*(start + middle * way - man)) > touching else (near, middle)
    centres = (man - start - near * way) / touching
    to_pocket = (pocket - man) / distance
    assert near == pytest.approx(shot.way, abs=1e-12)
    assert np.hypot(*(pocket - man)) == pytest.approx(distance, abs=1e-12)
    assert centres == pytest.approx(to_pocket, abs=1e-9)
    assert math.atan2(to_pocket[0] * way[1] - to_pocket[1] * way[0], to_pocket @ way) == pytest.approx(cut, abs=1e-9)


def test_the_other_side_is_the_mirror_image() -> None:
    for bank, right, left in ((False, 2, 3), (True, 1, 0), (True, 2, 3)):
        distance = 0.9 if bank else 0.3
        one = laid(family(ICF, right, bank), 0.03, distance, 0.1)
        other = laid(family(ICF, left, bank), -0.03, distance, -0.1)
        assert (one.x, one.y, one.way) == pytest.approx((-other.x, other.y, other.way), abs=1e-12)
        assert one.angle == pytest.approx(math.pi - other.angle, abs=1e-12)
        assert one.to_cushion == pytest.approx(other.to_cushion, abs=1e-12)
        assert (one.to_cushion > 0.0) == bank


def test_what_cannot_be_is_said() -> None:
    direct, bank = family(ICF, 2, False), family(ICF, 3, True)
    for shots, given, why in (
        (direct, (0.0, 0.9, 0.0), "behind the striker"),
        (direct, (0.0, 0.8, 1.3), "cannot come from that side"),
        (bank, (0.0, 0.6, 0.0), "outside the board"),
    ):
        told = lay(shots, *given)
        assert isinstance(told, str)
        assert why in told


def test_left_to_itself_the_man_arrives_at_a_walk() -> None:
    """Straight, without scatter: the speed at the pocket from where he was seen and when."""
    study = ShotStudy(strokes=1, skill="perfect", distance=0.4)
    out = study.replay(0)
    hit = next(event["t"] for event in out.events(0) if event["kind"] == EventKind.DISC_HIT)
    gone = float(out.pocket_time[0, TARGET]) - math.sqrt(2.0 * ICF.fall_height / ICF.gravity)
    run = 0.4 - float(ICF.capture_radius[TARGET])
    slowing = ICF.mu_surface * ICF.gravity
    at_rim = run / (gone - hit) - slowing * (gone - hit) / 2.0
    at_centre = math.sqrt(at_rim**2 - 2.0 * slowing * float(ICF.capture_radius[TARGET]))
    assert at_centre == pytest.approx(ARRIVAL, rel=0.02)


# Aim


@pytest.mark.parametrize("shot", SHOTS.values(), ids=SHOTS)
def test_the_room_is_where_the_man_falls(shot: dict[str, Any]) -> None:
    study = ShotStudy(strokes=1, skill="perfect", **shot)
    (row,) = rows_of(study)
    pos = np.full((20, 2), np.nan)
    pos[TARGET] = row["man_x"], row["man_y"]
    shares = np.array([-1.02, -0.98, -0.5, 0.0, 0.5, 0.98, 1.02])
    angles = row["intended_angle"] + shares * row["room"]
    out = simulate(Layout(pos), Strokes(x=0.0, angle=angles, speed=row["intended_speed"]), equipment=ICF)
    fell = out.pocket[:, TARGET] == POCKETS.index(study.pocket)
    assert fell.tolist() == [False, True, True, True, True, True, False]


def test_a_bank_goes_over_one_cushion() -> None:
    for pocket, distance in (("bottom right", 0.9), ("top left", 0.95)):
        study = ShotStudy(strokes=1, skill="perfect", way="bank", pocket=pocket, distance=distance)
        out = study.replay(0)
        assert out.pocket[0, TARGET] == POCKETS.index(pocket)
        hits = out.events(0)[["t", "kind", "a"]]
        mine = hits["t"][(hits["kind"] == EventKind.CUSHION_HIT) & (hits["a"] == TARGET)]
        assert np.count_nonzero(mine < out.pocket_time[0, TARGET] - 0.1) == 1  # later ones are in the pocket's mouth


def test_what_lies_in_the_way_takes_the_room() -> None:
    free, half, none = (
        rows_of(ShotStudy(strokes=1, skill="club", blockers=blockers))[0]
        for blockers in ([], [[0.2635, 0.148]], [[0.2385, 0.158]])
    )
    assert free["room"] > 1.2 * half["room"] > 0.0
    assert (none["room"], none["estimate"]) == (0.0, 0.0)
    summary = summary_of(ShotStudy(strokes=50, blockers=[[0.2385, 0.158]]))
    assert summary.warnings == ["no direction near the man's way pockets him in 50 of 50 strokes"]
    assert summary.success()[0] < 0.1


# Success


@pytest.fixture(scope="module", params=SHOTS.values(), ids=SHOTS)
def all_skills(request: pytest.FixtureRequest) -> tuple[ShotStudy, ShotSummary]:
    study = ShotStudy(strokes=600, skill=ALL, seed=4, **request.param)
    return study, summary_of(study)


def test_success_grows_with_skill_and_perfect_hands_never_miss(all_skills: tuple[ShotStudy, ShotSummary]) -> None:
    rates = [all_skills[1].success(skill)[0] for skill in range(len(ALL))]
    assert rates == sorted(rates)
    assert rates[0] < 0.3
    assert rates[-1] == 1.0


def test_the_estimate_is_near_the_success(all_skills: tuple[ShotStudy, ShotSummary]) -> None:
    """It knows nothing of speed and spin, and so is a little high."""
    for skill in range(len(ALL)):
        success, _, high = all_skills[1].success(skill)
        estimate = all_skills[1].counts.estimate[skill].mean
        assert success - 0.03 < estimate < high + 0.05


def test_the_summary_is_that_of_the_rows(all_skills: tuple[ShotStudy, ShotSummary]) -> None:
    study, summary = all_skills
    rows = rows_of(study)
    told = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert told["status"]["ok"] == told["strokes"] == len(rows) == 3000
    for label, found in zip(ALL, told["skills"], strict=True):
        mine = [row for row in rows if row["skill"] == label]
        hits, scratched = (sum(row[name] for row in mine) for name in ("success", "striker"))
        assert (found["skill"], found["strokes"]) == (label, 600)
        assert (found["success"]["count"], found["striker"]["count"]) == (hits, scratched)
        interval = binomtest(hits, 600).proportion_ci(method="wilson")
        ends = found["success"]["low"], found["success"]["high"]
        assert ends == pytest.approx((interval.low, interval.high), abs=1e-14)
        assert found["estimate"] == pytest.approx(np.mean([row["estimate"] for row in mine]), abs=1e-6)


def test_all_skills_have_the_same_luck() -> None:
    study = ShotStudy(strokes=50, skill=["club", "expert"])
    rows = rows_of(study)
    for club, expert in zip(rows[::2], rows[1::2], strict=True):
        assert (club["trial"], club["skill"], expert["skill"]) == (expert["trial"], "club", "expert")
        off = [row["angle"] - row["intended_angle"] for row in (club, expert)]
        assert off[0] * SKILLS["expert"].sd_angle == pytest.approx(off[1] * SKILLS["club"].sd_angle, rel=1e-9)
    alone = rows_of(ShotStudy(strokes=50, skill="expert"))
    assert [row["angle"] for row in alone] == [row["angle"] for row in rows[1::2]]


# Rows


VARIED = ShotStudy(
    strokes=40,
    seed=3,
    skill=["club", "novice"],
    distance=Uniform(0.2, 0.4),
    cut=Grid([0.5, 0.0]),
    x=Normal(0.0, 0.1),
    spin=Uniform(-10, 10),
)


def test_every_trial_draws_its_own_shot_and_a_row_depends_on_its_number_alone() -> None:
    whole = VARIED.batch(range(80))["shots"]
    pieces = [VARIED.batch(range(start, min(start + 7, 80)))["shots"] for start in range(0, 80, 7)]
    assert pa.Table.from_batches(pieces).equals(pa.Table.from_batches([whole]))
    rows = whole.to_pylist()
    assert [row["cut"] for row in rows[:8]] == [0.5, 0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]
    assert len({row["distance"] for row in rows}) == 40
    assert all(0.2 <= row["distance"] <= 0.4 for row in rows)
    assert [row["row"] for row in rows] == list(range(80))


def test_workers_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = VARIED.batch(range(80))["shots"]
    monkeypatch.setattr(ShotStudy, "chunk_rows", 9)
    for workers in (1, 2):
        assert pa.Table.from_batches(list(VARIED.stream(workers))).equals(pa.Table.from_batches([expected]))


def test_a_row_played_again_is_the_row() -> None:
    rows = VARIED.batch(range(80))["shots"].to_pylist()
    for number in (0, 31):
        out = VARIED.replay(number)
        assert (out.pocket[0, TARGET] == 2) == (rows[number]["success"] == 1)
        assert out.duration[0] == rows[number]["duration"]
        assert out.events(0)["t"][-1] == rows[number]["duration"]


def test_a_drawn_shot_that_cannot_be_has_a_status() -> None:
    study = ShotStudy(strokes=30, distance=Uniform(0.3, 0.9), skill="perfect")
    rows = rows_of(study)
    failed = [row for row in rows if row["status"] != 0]
    assert 0 < len(failed) < 30
    for row in failed:
        assert (row["status"], row["man_x"], row["success"], row["duration"]) == (3, None, None, None)
    summary = summary_of(study)
    assert summary.counts.rows == 30
    assert summary.counts.seen[0, 0] == 30 - len(failed)
    edges = (0.3, 0.5, 0.7, 0.9)
    cut = [[row for row in rows if low <= row["distance"] < high] for low, high in pairwise(edges)]
    bins = [sum(row in failed for row in part) for part in cut]
    words = "below 500 mm", "500 to 700 mm", "above 700 mm"
    worst = sorted(range(3), key=lambda part: -bins[part] / len(cut[part]))
    where = ", ".join(f"{words[part]} {bins[part]} of {len(cut[part])}" for part in worst if bins[part])
    assert summary.warnings[0] == (
        f"{len(failed)} of 30 strokes could not be played and are left out"
        f" ({len(failed)} no such position or stroke on this board); by man's way: {where}"
    )


def test_the_laws_say_whether_the_man_may_be_hit_directly() -> None:
    near = {"strokes": 1, "pocket": "bottom right", "x": -0.17, "distance": 0.25, "cut": math.radians(30)}
    found = {name: rows_of(ShotStudy(ruleset=name, equipment="icf", **near))[0] for name in ("icf", "ukca")}
    assert found["icf"]["man_y"] < ICF.front_line_distance - ICF.side / 2
    assert (found["icf"]["allowed"], found["ukca"]["allowed"]) == (1, 0)
    assert rows_of(ShotStudy(strokes=1, ruleset="ukca"))[0]["allowed"] == 1


def test_a_speed_that_is_given_is_played() -> None:
    rows = rows_of(ShotStudy(strokes=3, speed=2.5, skill=Skill(sd_x=0, sd_angle=0, sd_speed=0, sd_spin=0)))
    assert [(row["intended_speed"], row["speed"], row["skill"]) for row in rows] == [(2.5, 2.5, "1")] * 3


def test_what_nobody_has_measured_may_vary_and_the_aim_follows() -> None:
    study = ShotStudy(
        strokes=60, skill="perfect", cut=0.5, mu_disc=Uniform(0.0, 0.3), mu_surface=Grid([0.05, 0.3]), e_disc=0.7
    )
    rows = rows_of(study)
    assert [row["mu_surface"] for row in rows[:4]] == [0.05, 0.3, 0.05, 0.3]
    assert {row["e_disc"] for row in rows} == {0.7}
    assert len({row["mu_disc"] for row in rows}) == 60
    assert all(row["success"] for row in rows)
    slow, fast = (np.array([row["intended_speed"] for row in rows[start::2]]) for start in (0, 1))
    assert fast.min() > 1.3 * slow.max()
    for some in (rows[::2], rows[1::2]):  # the more friction, the more throw, and the thinner the aim
        throw = np.array([row["mu_disc"] for row in some])
        aim = np.array([row["intended_angle"] for row in some])
        ordered = aim[np.argsort(throw)]
        assert abs(ordered[-1] - ordered[0]) > math.radians(0.2)
    told = summary_of(study)
    assert list(told.to_dict()["varied"]) == ["cut", "mu_surface", "mu_disc"][1:]
    shown = io.StringIO()
    Console(file=shown, width=100).print(study.report(told))
    assert "Physics   restitution of discs 0.7" in shown.getvalue()
    assert "surface friction" in shown.getvalue()


# What is told


def test_what_varies_is_told_by_skill() -> None:
    summary = summary_of(VARIED)
    told = summary.to_dict()["varied"]
    assert list(told) == ["distance", "cut", "x", "spin"]
    straight, cut = told["cut"]
    assert (straight["value"], cut["value"]) == (0.0, 0.5)
    rows = [row for row in rows_of(VARIED) if row["skill"] == "novice" and row["cut"] == 0.5 and row["status"] == 0]
    found = cut["skills"]["novice"]
    assert (found["strokes"], found["success"]["count"]) == (len(rows), sum(row["success"] for row in rows))
    shown = io.StringIO()
    Console(file=shown, width=100).print(VARIED.report(summary))
    text = shown.getvalue()
    for words in ("Shot at the top right pocket, direct", "man's way", "28.6479 deg", "club", "novice", "strokes/s"):
        assert words in text
