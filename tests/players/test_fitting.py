import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.fitting import fit_skill, straight_shot, straight_success
from carromsim.players.skill import SKILLS, Skill


@pytest.mark.parametrize("preset", ["icf", "ukca", "bell"])
@pytest.mark.parametrize("distance", [0.1, 0.4, 0.6])
def test_a_straight_shot_is_straight(preset, distance):
    equipment = cs.Equipment.preset(preset)
    pos, strokes = straight_shot(distance, equipment)
    pocket = np.full(2, equipment.side / 2 - equipment.pocket_offset)
    start = strokes.start(equipment)[0][0]
    man = pos[cs.WHITE.start]
    assert np.hypot(*(pocket - man)) == pytest.approx(distance)
    assert np.hypot(*(man - start)) + distance == pytest.approx(np.hypot(*(pocket - start)))
    assert strokes.angle[0] == pytest.approx(math.atan2(*(pocket - start)[::-1]))
    out = cs.simulate(cs.Layout(pos), strokes, equipment=equipment, record=True)
    assert out.pocket[0, cs.WHITE.start] == 2
    events = out.events(0)
    hit, fall = events[events["kind"] == 0]["t"][0], events[(events["kind"] == 2)]["t"][0]
    slowing = equipment.mu_surface * equipment.gravity
    # From the hit to the pocket at constant deceleration, arriving at 0.8 m/s; the fall itself takes 30 ms or so.
    assert fall - hit == pytest.approx((math.sqrt(0.64 + 2 * slowing * distance) - 0.8) / slowing, abs=0.06)


def test_presets_succeed_as_the_docs_say():
    rates = {name: straight_success(name).mean() for name in SKILLS}
    for name, rate in {"novice": 0.18, "club": 0.58, "expert": 0.87, "champion": 0.996, "perfect": 1.0}.items():
        assert rates[name] == pytest.approx(rate, abs=0.01)


def test_more_noise_is_never_luckier():
    hand = {"sd_x": 0.0, "sd_speed": 0.0, "sd_spin": 0.0}
    last = np.ones(1000, bool)
    for degrees in (0.1, 0.3, 0.6, 1.0, 2.0):
        now = straight_success(Skill(sd_angle=math.radians(degrees), **hand), strokes=1000)
        assert not (now & ~last).any()  # row by row: nothing but the direction differs
        last = now


@pytest.mark.parametrize("degrees", [0.3, 0.7, 1.5])
def test_the_noise_behind_observed_successes_is_found(degrees):
    truth = Skill(sd_x=1e-3, sd_angle=math.radians(degrees), sd_speed=0.05, sd_spin=5.0)
    seen = straight_success(truth, strokes=1500, seed=77)
    fit = fit_skill(int(seen.sum()), 1500, level=0.999, strokes=2000)
    assert fit.low < truth.sd_angle < fit.high
    assert fit.low < fit.sd_angle < fit.high
    assert fit.high / fit.low < 1.4
    assert fit.skill == Skill(sd_x=1e-3, sd_angle=fit.sd_angle, sd_speed=0.05, sd_spin=5.0)
    assert straight_success(fit.skill, strokes=1500, seed=5).mean() == pytest.approx(seen.mean(), abs=0.05)


def test_few_shots_say_little_and_extremes_set_one_end():
    wide, narrow = fit_skill(6, 10, strokes=500), fit_skill(600, 1000, strokes=500)
    assert wide.low < narrow.low < narrow.sd_angle < narrow.high < wide.high
    assert wide.sd_angle == narrow.sd_angle
    always, never = fit_skill(10, 10, strokes=500), fit_skill(0, 10, strokes=500)
    assert (always.low, always.sd_angle) == (0.0, 0.0)
    assert 0.0 < always.high < math.inf
    assert (never.sd_angle, never.high) == (math.inf, math.inf)
    assert 0.0 < never.low < math.inf
    assert never.skill.sd_angle == math.radians(20.0)


def test_impossible_shots_are_refused():
    with pytest.raises(ValueError, match="trials = 0: must be at least 1"):
        fit_skill(0, 0)
    with pytest.raises(ValueError, match="exceeds n"):
        fit_skill(5, 4)
    for distance in (0.0, 0.66, math.nan):
        with pytest.raises(ValueError, match=r"distance = .* m: must be above"):
            straight_shot(distance)
