import numpy as np
import pytest

import carromsim as cs
from carromsim.layout_faults import ACCEPTED_OVERLAP
from carromsim.players.aim import candidates
from carromsim.players.greedy import Greedy, Random
from carromsim.players.lookahead import Lookahead
from carromsim.players.phases import BREAK_AIM, BREAK_SPEED, BREAK_X
from carromsim.players.policy import POLICIES, policy_of
from carromsim.players.room import free_places
from carromsim.players.safe import may_hit, safe_strokes
from carromsim.players.targets import wanted
from players.positions import RULE_SETS, random_turns, state_of, turns_of

STROKE = ("x", "angle", "speed", "spin")
QUICK = (Random(), Greedy(), Lookahead(4))


def check_legal(turns, choice):
    """Every stroke is legal, overlaps no disc that lies there, and can be simulated."""
    equipment, strokes = turns.equipment, choice.strokes
    assert strokes.is_legal(equipment).all()
    assert (strokes.speed > 0).all()
    place, _ = strokes.start(equipment)
    apart = turns.pos - place[:, np.newaxis]
    touching = equipment.radius + equipment.radius[cs.STRIKER]
    with np.errstate(invalid="ignore"):
        assert not (np.sqrt((apart**2).sum(axis=2)) < touching - ACCEPTED_OVERLAP).any()


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("policy", QUICK, ids=lambda policy: policy.name)
def test_every_placement_is_legal(rules, policy):
    for k, men in enumerate([(9, 9), (9, 0), (2, 7), (1, 1)]):
        turns = random_turns(rules, 60, men=men, seed=k)
        check_legal(turns, policy.choose(turns))


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("policy", QUICK, ids=lambda policy: policy.name)
def test_every_placement_is_legal_in_a_hundred_thousand_positions(rules, policy):
    generator = np.random.default_rng(1)
    for part in range(25):
        men = (int(generator.integers(1, 10)), int(generator.integers(1, 10)))
        turns = random_turns(rules, 500, men=men, queen=bool(part % 3), seed=part)
        check_legal(turns, policy.choose(turns))


@pytest.mark.parametrize("policy", [*QUICK, Lookahead(9)], ids=lambda policy: policy.name)
def test_a_row_does_not_depend_on_the_batch(policy):
    turns = random_turns("icf", 40, men=(3, 4), stroke=7)
    whole = policy.choose(turns)
    order = np.random.default_rng(2).permutation(40)[:25]
    part, alone = policy.choose(turns.take(order)), policy.choose(turns.take(order[:1]))
    for name in (*STROKE, "kind", "target", "pocket", "estimate"):
        values = [getattr(c.strokes if name in STROKE else c, name) for c in (whole, part, alone)]
        np.testing.assert_array_equal(values[1], values[0][order])
        np.testing.assert_array_equal(values[2], values[0][order[:1]])


def test_chance_depends_on_seed_row_and_stroke():
    first = Random().choose(random_turns("icf", 30, first_row=5, stroke=2)).strokes
    turns = random_turns("icf", 30, first_row=5, stroke=2)
    np.testing.assert_array_equal(Random().choose(turns).strokes.angle, first.angle)
    for change in ({"first_row": 50}, {"stroke": 3}):
        other = Random().choose(turns_of("icf", turns.pos, turns.states[0], **({"first_row": 5, "stroke": 2} | change)))
        assert not np.isin(other.strokes.angle, first.angle).any()


def test_random_play_is_uniform():
    turns = turns_of("icf", np.full((4000, 20, 2), np.nan), cs.board_state(on_board=(0, 0), queen="covered_white"))
    strokes = Random().choose(turns).strokes
    assert abs(strokes.x.mean()) < 0.007
    assert abs(strokes.angle.mean() - np.pi / 2) < 0.06
    assert 0 < strokes.angle.min() < 0.01
    assert np.pi - 0.01 < strokes.angle.max() < np.pi
    assert strokes.speed.min() == pytest.approx(0.5, abs=0.01)
    assert strokes.speed.max() == pytest.approx(6.0, abs=0.01)


def full_base_line():
    """Eleven men side by side on the base line: there is no room for the striker."""
    equipment = cs.Equipment.preset("icf")
    base = equipment.base_line_distance - equipment.side / 2
    pos = np.full((20, 2), np.nan)
    pos[cs.QUEEN] = 0.0, 0.1
    pos[2:13] = [(0.042 * i, base) for i in range(-5, 6)]
    return pos


@pytest.mark.parametrize("rules", ["icf", "bell_i"])
@pytest.mark.parametrize("policy", [Random(), Greedy(), Lookahead(16)], ids=lambda policy: policy.name)
def test_no_room_for_the_striker_gives_no_placement(rules, policy):
    rules = cs.RuleSet.load(rules)
    full = full_base_line()
    room = full.copy()
    room[7] = 0.0, 0.25
    turns = turns_of(rules, np.stack([full, room]), state_of(rules, full))
    strokes = policy.choose(turns).strokes
    assert np.isnan(strokes.x).tolist() == [True, False]
    assert strokes.speed[0] == 0 < strokes.speed[1]
    assert strokes.is_legal(turns.equipment).tolist() == [False, True]


def test_the_narrowest_gap_is_found():
    equipment = cs.Equipment.preset("bell")
    base = equipment.base_line_distance - equipment.side / 2
    reach = equipment.base_line_half_length
    touching = equipment.striker_radius + equipment.man_radius
    for gap in (1e-5, -1e-5):
        pos = np.full((1, 20, 2), np.nan)
        steps = np.arange(0.0, reach + 0.06, 0.04)
        left, right = 0.0371 - touching - gap / 2 - steps, 0.0371 + touching + gap / 2 + steps
        line = [x for x in (*left, *right) if abs(x) < reach + touching]
        pos[0, 1 : 1 + len(line)] = [(x, base) for x in line]
        x, free = free_places(pos, equipment, 21)
        assert free.any() == (gap > 0)
        np.testing.assert_allclose(x[free], 0.0371, atol=1.1e-5)


def test_all_break_alike_until_the_break_is_made():
    pos = np.stack([cs.opening("ukca").pos] * 2)
    states = np.concatenate([cs.board_state(break_made=made, on_board=(9, 9)) for made in (False, True)])
    turns = turns_of("ukca", pos, states)
    for policy in (Random(), Greedy(), Lookahead(4)):
        choice = policy.choose(turns)
        strokes = choice.strokes
        assert (strokes.x[0], strokes.speed[0]) == (BREAK_X, BREAK_SPEED)
        half_way = turns.equipment.side / 2 - turns.equipment.base_line_distance
        assert strokes.x[0] + half_way / np.tan(strokes.angle[0]) == pytest.approx(BREAK_AIM)
        assert (strokes.x[1], strokes.speed[1]) != (BREAK_X, BREAK_SPEED)
        assert choice.kind[0] == -1


def test_greedy_takes_the_best_candidate_and_else_plays_safe():
    turns = random_turns("icf", 100, men=(1, 9))
    turns.states["dues"][::3, 0] = 1  # then neither queen nor last man may fall
    choice = Greedy().choose(turns)
    best = candidates(turns, wanted(turns), 1)[:, 0]
    on = best["kind"] >= 0
    assert not on[::3].any()
    assert on.sum() > 50
    for name in STROKE:
        np.testing.assert_array_equal(getattr(choice.strokes, name)[on], best[name][on])
    for name in ("kind", "target", "pocket", "estimate"):
        np.testing.assert_array_equal(getattr(choice, name)[on], best[name][on])
    safe = safe_strokes(turns.take(np.flatnonzero(~on)))
    np.testing.assert_array_equal(choice.strokes.angle[~on], safe.strokes.angle)
    assert np.isnan(choice.estimate[~on]).all()


@pytest.mark.parametrize("rules", ["ukca", "bell_i", "icf"])
def test_safe_strokes_hit_what_they_mean_to(rules):
    turns = random_turns(rules, 400, men=(2, 9))
    choice = safe_strokes(turns)
    check_legal(turns, choice)
    out = cs.simulate(cs.Layout(turns.pos), choice.strokes, equipment=turns.equipment, threads=1)
    assert (out.status == 0).all()
    direct = out.first_hit_direct != 0
    np.testing.assert_array_equal(out.first_hit[direct], choice.target[direct])
    own_in_reach = may_hit(turns.pos, turns.rules, turns.equipment) & turns.own
    at_own = (choice.target >= 2) & (choice.target < 11)
    assert at_own.mean() > 0.9
    assert direct[own_in_reach.any(axis=1)].mean() > 0.9
    assert not (direct & at_own)[~own_in_reach.any(axis=1)].any()
    facts = cs.facts_from_outcomes(out, choice.strokes, turns.states["shooter"], turns.equipment)
    if rules != "icf":
        assert facts["direct_hit_behind"].sum() == 0
    assert facts["own"].mean() < 0.1
    rulings = cs.adjudicate(turns.states, facts, turns.rules)
    assert (rulings["turn"] != 2).all()  # the stroke was made
    assert rulings["dues_incurred"].mean() < 0.05


def test_men_behind_the_line_are_hit_from_the_far_cushion():
    rules = cs.RuleSet.load("ukca")
    spots = [(-0.3 + 0.06 * i, -0.31) for i in range(11)]
    pos = np.stack([cs.arrange(white=[spot], black=[(0.0, 0.0)]).pos for spot in spots])
    turns = turns_of(rules, pos, state_of(rules, pos[0], queen="covered_white"), skill="perfect")
    choice = safe_strokes(turns)
    assert (choice.target == cs.WHITE.start).all()
    out = cs.simulate(cs.Layout(pos), choice.strokes, equipment=turns.equipment)
    assert not out.first_hit_direct.any()
    assert (out.first_hit == cs.WHITE.start).mean() > 0.6


def test_with_nothing_to_hit_ahead_the_striker_goes_to_the_far_cushion():
    rules = cs.RuleSet.load("ukca")
    pos = cs.arrange(black=[(0.0, -0.31), (0.3, -0.3)]).pos
    turns = turns_of(rules, pos[np.newaxis], state_of(rules, pos, queen="covered_white"))
    choice = safe_strokes(turns)
    assert choice.target.tolist() == [-1]
    out = cs.simulate(cs.Layout(turns.pos), choice.strokes, equipment=turns.equipment)
    facts = cs.facts_from_outcomes(out, choice.strokes, 0, turns.equipment)
    assert (facts["direct_hit_behind"][0], facts["crossed_front"][0], facts["striker"][0]) == (0, 1, 0)


def test_lookahead_prefers_what_keeps_the_board():
    """The last man would lose the board before the queen is covered: nobody who looks ahead pockets him."""
    rules = cs.RuleSet.load("icf")
    pos = cs.arrange(queen=(-0.2, 0.2), white=[(0.3, 0.3)], black=[(0.1 * i, -0.25) for i in range(-1, 2)]).pos
    turns = turns_of(rules, np.stack([pos] * 5), state_of(rules, pos), skill="expert")
    choice = Lookahead(64).choose(turns)
    assert (choice.target == cs.QUEEN).all()
    finish = turns_of("bell_i", np.stack([pos] * 5), state_of(cs.RuleSet.load("bell_i"), pos), skill="novice")
    assert (Lookahead(64).choose(finish).target == 2).all()  # there he wins


def test_a_longer_look_ahead_is_no_other_game():
    turns = random_turns("icf", 5, men=(4, 4))
    assert np.isfinite(Lookahead(2).choose(turns).strokes.x).all()
    perfect = random_turns("icf", 5, men=(4, 4), skill="perfect")
    check_legal(perfect, Lookahead(40).choose(perfect))


def test_policies_by_name():
    assert POLICIES == ("random", "greedy", "lookahead")
    assert policy_of("greedy") == Greedy()
    assert policy_of("lookahead") == Lookahead(64)
    assert policy_of("lookahead:128") == Lookahead(128)
    for name in (*POLICIES[:2], "lookahead:7"):
        assert policy_of(name).name == name
    own = Greedy()
    assert policy_of(own) is own


@pytest.mark.parametrize("policy", ["best", "greedy:3", "lookahead:", "lookahead:-1", "lookahead:x", 3, None])
def test_unknown_policies_are_refused(policy):
    with pytest.raises(ValueError, match=r"policy = .*must be"):
        policy_of(policy)


@pytest.mark.parametrize("budget", [1, 0, 5000, 2.0, True])
def test_impossible_budgets_are_refused(budget):
    with pytest.raises(ValueError, match=r"budget = .*must be a whole number of strokes from 2 to 4096"):
        Lookahead(budget)
