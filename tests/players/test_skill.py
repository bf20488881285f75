import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.room import overlaps
from carromsim.players.skill import SKILLS, SLOWEST, Skill, skill_of
from carromsim.streams import LOOKAHEAD_SLOTS
from carromsim.strokes import placement_legal

EQUIPMENT = cs.Equipment.preset("icf")
BASE = -(EQUIPMENT.side / 2 - EQUIPMENT.base_line_distance)
N = 20_000


def empty(n):
    return np.full((n, 20, 2), np.nan)


def executed(skill, strokes, pos=None, equipment=EQUIPMENT, seed=3, rows=None, stroke=5, **more):
    n = strokes.n
    rows = np.arange(n) if rows is None else rows
    return skill.executed(
        strokes, equipment, seed=seed, rows=rows, stroke=stroke, pos=empty(n) if pos is None else pos, **more
    )


def test_the_hand_scatters_as_much_as_its_skill_says():
    skill = skill_of("club")
    meant = cs.Strokes(x=np.full(N, 0.05), angle=1.2, speed=3.0, spin=2.0, seat=1)
    done = executed(skill, meant)
    for name, sd in (("x", 1e-3), ("angle", math.radians(0.7)), ("speed", 0.15), ("spin", 5.0)):
        error = getattr(done, name) - getattr(meant, name)
        assert abs(error.mean()) < 4 * sd / math.sqrt(N)
        assert error.std() == pytest.approx(sd, rel=4 / math.sqrt(2 * N))
    errors = [getattr(done, name) - getattr(meant, name) for name in ("x", "angle", "speed", "spin")]
    assert np.abs(np.corrcoef(errors) - np.eye(4)).max() < 4 / math.sqrt(N)
    assert (done.seat == 1).all()


def test_a_perfect_hand_does_what_it_intends():
    meant = cs.Strokes(x=np.linspace(-0.1, 0.1, 9), angle=1.2, speed=3.0, spin=2.0, seat=2)
    done = executed(skill_of("perfect"), meant)
    for name in ("x", "angle", "speed", "spin", "seat"):
        np.testing.assert_array_equal(getattr(done, name), getattr(meant, name))


def test_a_row_depends_on_seed_row_and_stroke_alone():
    n, skill = 50, skill_of("novice")
    x = np.linspace(-0.15, 0.15, n)
    whole = executed(skill, cs.Strokes(x=x, angle=1.4, speed=2.0), stroke=np.arange(n) + 7)
    order = np.random.default_rng(1).permutation(n)[:20]
    part = executed(skill, cs.Strokes(x=x[order], angle=1.4, speed=2.0), rows=order, stroke=order + 7)
    for name in ("x", "angle", "speed", "spin"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[order])
    for change in ({"seed": 4}, {"stroke": 6}, {"first_slot": LOOKAHEAD_SLOTS.start + 8}):
        other = executed(skill, cs.Strokes(x=x, angle=1.4, speed=2.0), **change)
        assert (other.angle != whole.angle).all()


@pytest.mark.parametrize("preset", ["icf", "ukca", "caint", "bell"])
def test_the_placement_stays_legal(preset):
    equipment = cs.Equipment.preset(preset)
    x = np.random.default_rng(2).uniform(-0.25, 0.25, 2000)
    done = executed(
        Skill(sd_x=0.05, sd_angle=0, sd_speed=0, sd_spin=0), cs.Strokes(x=x, speed=1.0), equipment=equipment
    )
    assert placement_legal(done.x, equipment).all()
    assert len(np.unique(done.x)) > 100


def test_nobody_places_the_striker_on_a_man_that_he_sees():
    touching = EQUIPMENT.striker_radius + EQUIPMENT.man_radius
    n = 2000
    pos = empty(n)
    pos[:, 5] = touching, BASE
    meant = cs.Strokes(x=np.zeros(n), speed=1.0)
    noise = executed(skill_of("novice"), meant).x
    done = executed(skill_of("novice"), meant, pos)
    assert 0.4 < (noise > 0).mean() < 0.6
    np.testing.assert_array_equal(done.x, np.where(noise > 0, 0.0, noise))
    # A man on whom the intended striker would stand is not minded: the stroke is refused as such, not mended.
    pos[:, 5] = 0.01, BASE
    np.testing.assert_array_equal(executed(skill_of("novice"), meant, pos).x, noise)


def test_overlaps_are_of_discs_not_touches():
    touching = EQUIPMENT.striker_radius + EQUIPMENT.man_radius
    pos = empty(3)
    pos[0, 4], pos[1, 4], pos[2, 19] = (touching, BASE), (touching - 1e-5, BASE), (0.0, BASE + touching - 1e-5)
    pos[:, 0] = 0.0, BASE  # the striker itself is in nobody's way
    found = overlaps(np.zeros(3), pos, EQUIPMENT)
    assert np.argwhere(found).tolist() == [[1, 4], [2, 19]]
    assert not overlaps(np.full(3, np.nan), pos, EQUIPMENT).any()


def test_a_stroke_never_goes_backwards():
    done = executed(Skill(sd_x=0, sd_angle=0, sd_speed=2.0, sd_spin=0), cs.Strokes(x=np.zeros(1000), speed=2.0))
    assert done.speed.min() == 2.0 * SLOWEST
    assert done.is_legal(EQUIPMENT).all()


def test_no_placement_stays_none():
    done = executed(skill_of("club"), cs.Strokes(x=np.array([np.nan, 0.0]), speed=np.array([0.0, 1.0])))
    assert np.isnan(done.x).tolist() == [True, False]


def test_presets_grow_steadier():
    names = ["novice", "club", "expert", "champion", "perfect"]
    assert list(SKILLS) == names
    for name in ("sd_x", "sd_angle", "sd_speed", "sd_spin"):
        values = [getattr(SKILLS[preset], name) for preset in names]
        assert values == sorted(values, reverse=True)
    assert skill_of(SKILLS["club"]) is SKILLS["club"]
    assert SKILLS["club"] == cs_break_defaults()


def cs_break_defaults():
    study = cs.BreakStudy(ruleset="icf", strokes=1)
    return Skill(sd_x=study.sd_x, sd_angle=study.sd_angle, sd_speed=study.sd_speed, sd_spin=study.sd_spin, name="club")


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "1", True, None])
def test_impossible_skills_are_refused(value):
    with pytest.raises(ValueError, match=r"sd_angle = .*: must be a finite number of at least 0"):
        Skill(sd_x=0.0, sd_angle=value, sd_speed=0.0, sd_spin=0.0)


@pytest.mark.parametrize("name", ["clubb", 3])
def test_unknown_skills_are_refused(name):
    with pytest.raises(ValueError, match=r"skill = .*known: champion, club, expert, novice, perfect"):
        skill_of(name)
