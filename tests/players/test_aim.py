"""Candidate strokes: they are legal, they do what they say, and a row is a row."""

import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.aim import AimKind, candidates, places
from carromsim.strokes import placement_legal
from carromsim_kernels.aim import aim_batch
from oracles import aiming
from players.positions import RULE_SETS, random_turns, state_of, turns_of

ICF = cs.Equipment.preset("icf")
FORWARD, AFTER = "forward_only", "after_crossing"


def white_wanted(turns, queen=0.0):
    wanted = np.zeros((len(turns), cs.N_DISCS))
    wanted[:, cs.WHITE], wanted[:, cs.QUEEN] = 1.0, queen
    return wanted


def played(turns, found):
    """All candidates that there are: their rows, themselves, and what becomes of them by a hand without error."""
    rows, at = np.nonzero(found["kind"] >= 0)
    found = found[rows, at]
    strokes = cs.Strokes(x=found["x"], angle=found["angle"], speed=found["speed"], spin=found["spin"])
    return rows, found, cs.simulate(cs.Layout(turns.pos[rows]), strokes, equipment=turns.equipment)


def falls(found, outcomes):
    return outcomes.pocket[np.arange(len(found)), found["target"]] == found["pocket"]


def mixed_turns(rules, n=250, **others):
    """Boards with few and with many discs."""
    return [
        random_turns(rules, n, men, seed=seed, **others) for seed, men in enumerate(((9, 9), (6, 4), (2, 3), (1, 0)))
    ]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_candidates_are_legal_strokes(rules):
    for turns in mixed_turns(rules):
        found = candidates(turns, white_wanted(turns), 8)
        rows, found, outcomes = played(turns, found)
        assert len(found) > 100
        assert placement_legal(found["x"], turns.equipment).all()
        assert (outcomes.status == 0).all(), "no disc is overlapped"
        assert ((found["speed"] > 0.0) & (found["speed"] <= 8.0)).all()
        direct_hit = turns.rules.stroke.direct_hit
        if direct_hit in (FORWARD, AFTER):
            assert not (outcomes.first_hit_direct.astype(bool) & outcomes.first_hit_behind.astype(bool)).any()
            assert not (found["kind"] == AimKind.BACKSHOT).any()
        if direct_hit == AFTER:
            assert outcomes.crossed_front_line.all()
        first = np.where(found["via"] >= 0, found["via"], found["target"])
        assert (outcomes.first_hit == first).mean() > 0.99
        assert (outcomes.first_hit_direct.astype(bool) == (found["kind"] != AimKind.STRIKER_REBOUND)).mean() > 0.99
        assert (turns.pos[rows, found["target"], 0] == turns.pos[rows, found["target"], 0]).all()


def test_without_noise_the_target_falls():
    """Shares over all positions, by kind; the least of direct ones are cuts of 60 degrees at most."""
    seen = {kind: [] for kind in AimKind}
    for rules in ("icf", "ukca", "bell_i"):
        for turns in mixed_turns(rules, 200):
            for skill in ("perfect", "club"):
                turns = turns_of(turns.rules, turns.pos, turns.states, skill)
                _, found, outcomes = played(turns, candidates(turns, white_wanted(turns), 6))
                for kind in AimKind:
                    seen[kind].append(falls(found, outcomes)[(found["kind"] == kind) & (found["estimate"] > 0.1)])
    shares = {kind: np.concatenate(hits) for kind, hits in seen.items()}
    assert min(len(hits) for hits in shares.values()) > 200
    least = {"DIRECT": 0.99, "BACKSHOT": 0.99, "STRIKER_REBOUND": 0.98, "MAN_BANK": 0.9, "COMBINATION": 0.9}
    assert {kind.name: hits.mean() for kind, hits in shares.items() if hits.mean() < least[kind.name]} == {}


@pytest.mark.parametrize(
    "change",
    [
        {"mu_disc": 0.0},
        {"mu_disc": 0.3, "e_disc": 0.7},
        {"beta_disc": 0.5},
        {"v_c_disc": 0.5, "v_c_cushion": 0.3},
        {"striker_mass": 0.008, "man_radius": 0.014},
        {"fall_height": 0.0, "corner": "right_angled"},
        {"capture_rule": "centre", "corner": "cut_away"},
        {"mu_surface": 0.05},
    ],
    ids=lambda change: "+".join(change),
)
def test_the_laws_of_the_equipment_are_heeded(change):
    turns = random_turns("ukca", 300, (4, 3), equipment=ICF.replace(**change), skill="perfect")
    _, found, outcomes = played(turns, candidates(turns, white_wanted(turns), 3))
    direct = found["kind"] == AimKind.DIRECT
    assert direct.sum() > 400
    assert falls(found, outcomes)[direct].mean() > 0.97


def test_ghost_is_in_the_middle_of_what_a_search_over_angles_finds():
    """The real simulator, half a milliradian apart: which angles pocket the man from the same place as fast."""
    turns = random_turns("ukca", 60, (1, 0), queen=False, skill="perfect", seed=8)
    rows, found, _ = played(turns, candidates(turns, white_wanted(turns)))
    offsets = np.linspace(-0.04, 0.04, 161)
    middles = []
    for row, stroke in zip(rows, found, strict=True):
        if stroke["kind"] != AimKind.DIRECT or stroke["cut"] > math.radians(60.0):
            continue
        strokes = cs.Strokes(x=np.full(161, stroke["x"]), angle=stroke["angle"] + offsets, speed=stroke["speed"])
        outcomes = cs.simulate(cs.Layout(turns.pos[row]), strokes, equipment=turns.equipment)
        good = outcomes.pocket[:, stroke["target"]] == stroke["pocket"]
        assert good[80], "the candidate itself"
        right, left = 80 - np.argmin(good[80::-1]), 80 + np.argmin(good[80:])
        if good[80::-1].all() or good[80:].all():  # wider than the search
            continue
        middles.append((offsets[right] + offsets[left]) / (offsets[left] - offsets[right]))
    assert len(middles) > 25
    assert np.median(np.abs(middles)) < 0.15, "of half the width"
    assert np.abs(middles).max() < 0.7


def test_the_way_is_clear_by_marching():
    """What is found has a clear way, and what the slow search finds with room to spare is found."""
    equipment = ICF.replace(mu_disc=0.0)
    turns = random_turns("icf", 40, (9, 9), equipment=equipment, skill="perfect", seed=3)
    found = candidates(turns, white_wanted(turns), 40)
    missing = count = 0
    for row, pos in enumerate(turns.pos):
        direct = found[row][np.isin(found["kind"][row], (AimKind.DIRECT, AimKind.BACKSHOT))]
        for stroke in direct:
            disc, centre = aiming.first_met(pos, equipment, stroke["x"], stroke["angle"])
            assert disc == stroke["target"]
            touching = equipment.radius[0] + equipment.radius[disc]
            assert math.hypot(*(pos[disc] - centre)) == pytest.approx(touching, abs=3 * aiming.STEP)
        pairs = aiming.easy_direct_strokes(pos, equipment, range(2, 11), places(equipment), 1e-3)
        missing += len(pairs - {(int(s["target"]), int(s["pocket"])) for s in direct})
        count += len(pairs)
    assert count > 150
    assert missing == 0


def test_best_first_and_one_per_way():
    turns = random_turns("ukca", 200, (9, 9))
    wanted = white_wanted(turns, queen=3.0)
    many, few = candidates(turns, wanted, 12), candidates(turns, wanted, 1)
    there = many["kind"] >= 0
    assert (there[:, 1:] <= there[:, :-1]).all()
    values = np.where(there, many["value"], -1.0)
    assert (values[:, 1:] <= values[:, :-1]).all()
    assert (many["value"] == np.take_along_axis(wanted, many["target"].astype(int), 1) * many["estimate"])[there].all()
    assert (few[:, 0] == many[:, 0]).mean() > 0.98, "what is pruned for one is pruned for many, but for bounds"
    assert few["value"][:, 0] == pytest.approx(many["value"][:, 0], abs=0.02)
    for row in many:
        ways = [tuple(stroke[["kind", "target", "via", "pocket"]].item()) for stroke in row if stroke["kind"] >= 0]
        rebounds = sum(way[0] == AimKind.STRIKER_REBOUND for way in ways)
        assert len(ways) - len(set(ways)) <= 2 * rebounds, "cushions may differ"


def test_only_what_is_wanted():
    turns = random_turns("icf", 100, (9, 9))
    wanted = np.zeros((100, cs.N_DISCS))
    wanted[:, 0], wanted[:, 12], wanted[:, 5] = 5.0, 1.0, -1.0
    found = candidates(turns, wanted, 4)
    assert set(found["target"][found["kind"] >= 0].tolist()) == {12}
    assert (candidates(turns, 0.0 * wanted)["kind"] == -1).all()


@pytest.mark.parametrize("rules", ["icf", "ukca", "bell_i"])
def test_a_row_depends_on_nothing_else(rules):
    turns = random_turns(rules, 150, (6, 7))
    wanted = white_wanted(turns)
    whole = candidates(turns, wanted, 5)
    order = np.random.default_rng(1).permutation(150)
    assert (candidates(turns.take(order), wanted[order], 5) == whole[order]).all()
    for row in (0, 77, 149):
        only = np.array([row])
        assert (candidates(turns.take(only), wanted[only], 5)[0] == whole[row]).all()


@pytest.mark.parametrize("rules", ["icf", "caint", "bell_ii"])
def test_a_mirrored_board_has_mirrored_strokes(rules):
    turns = random_turns(rules, 200, (7, 7))
    mirrored = turns_of(turns.rules, turns.pos * [-1.0, 1.0], turns.states)
    here, there = candidates(turns, white_wanted(turns))[:, 0], candidates(mirrored, white_wanted(turns))[:, 0]
    assert there["value"] == pytest.approx(here["value"], abs=1e-9)
    same = (there["target"] == here["target"]) & (np.abs(there["x"] + here["x"]) < 1e-9)
    assert same.mean() > 0.98, "but for two that are equally good"
    turned = np.mod(there["angle"][same] + here["angle"][same] - math.pi + 1.0, 2.0 * math.pi) - 1.0
    assert turned == pytest.approx(0.0, abs=1e-9)
    assert (there["pocket"][same] == np.array([1, 0, 3, 2])[here["pocket"][same]]).all()
    assert there["speed"][same] == pytest.approx(here["speed"][same], abs=1e-9)


def lay(rules, skill="perfect", **men):
    rules = cs.RuleSet.load(rules)
    pos = cs.arrange(**men).pos
    turns = turns_of(rules, pos[np.newaxis], state_of(rules, pos), skill)
    return turns, white_wanted(turns)


def test_a_man_behind_the_line_is_hit_where_the_rules_allow_it():
    for rules, kinds in (("icf", {AimKind.BACKSHOT}), ("ukca", {AimKind.STRIKER_REBOUND, AimKind.MAN_BANK})):
        turns, wanted = lay(rules, white=[(0.1, -0.33)])
        found = candidates(turns, wanted)
        assert AimKind(found[0, 0]["kind"]) in kinds
        assert falls(*played(turns, found)[1:]).all()


def test_a_straight_shot_is_aimed_straight():
    turns, wanted = lay("ukca", "expert", white=[(0.25, 0.1)])
    found = candidates(turns, wanted)[0, 0]
    assert (found["kind"], found["target"], found["pocket"], found["via"]) == (AimKind.DIRECT, 2, 2, -1)
    assert found["cut"] < math.radians(30.0)
    assert found["estimate"] > 0.8


def test_a_man_in_the_way_is_played_round_or_sent():
    turns, wanted = lay("ukca", white=[(0.0, 0.25)], black=[(0.33, 0.335), (-0.33, 0.335), (0.02, 0.15), (-0.02, 0.15)])
    found = candidates(turns, wanted, 10)
    assert not np.isin(found["pocket"][found["kind"] == AimKind.DIRECT], (2, 3)).any()


def test_a_shakier_hand_expects_less():
    turns = random_turns("icf", 100, (5, 5))
    worth = [
        candidates(turns_of(turns.rules, turns.pos, turns.states, skill), white_wanted(turns))["value"].mean()
        for skill in ("novice", "club", "expert", "champion", "perfect")
    ]
    assert worth == sorted(worth)
    assert worth[-1] - worth[0] > 0.4


def test_places_are_legal_and_symmetric():
    for name, count in (("icf", 19), ("ukca", 19), ("caint", 19), ("bell", 17)):
        equipment = cs.Equipment.preset(name)
        where = places(equipment)
        assert len(where) == count
        assert placement_legal(where, equipment).all()
        assert where == pytest.approx(-where[::-1], abs=1e-15)


@pytest.mark.parametrize(
    ("wanted", "k", "message"),
    [
        (np.zeros((2, 20)), 1, r"wanted has shape \(2, 20\): must be \(1, 20\)"),
        (np.full((1, 20), np.nan), 1, "wanted has nan: must be finite"),
        (np.zeros((1, 20)), 0, "k = 0: must be a whole number of at least 1"),
        (np.zeros((1, 20)), True, "k = True: must be a whole number"),
    ],
)
def test_nonsense_is_refused(wanted, k, message):
    turns, _ = lay("icf", white=[(0.0, 0.0)])
    with pytest.raises(ValueError, match=message):
        candidates(turns, wanted, k)


def test_whatever_arrays_come_the_kernel_is_compiled_once():
    turns = random_turns("icf", 4, (2, 2))
    wanted = white_wanted(turns)
    fortran = turns_of("icf", np.asfortranarray(turns.pos), turns.states, "perfect")
    for given in (wanted, wanted.astype(np.float32), wanted.astype(int), np.asfortranarray(wanted), wanted.tolist()):
        assert (candidates(fortran, given, 3) == candidates(fortran, wanted, 3)).all()
    assert candidates(turns.take(np.arange(0)), wanted[:0], 2).shape == (0, 2)
    assert len(aim_batch.signatures) <= 1, "none with the JIT switched off"


def test_no_place_to_stand_is_said():
    with pytest.raises(ValueError, match="leaves no legal place for the striker"):
        places(ICF.replace(end_circle_offset=0.03, end_circle_guard=0.03, arrow_half_width=0.18))
