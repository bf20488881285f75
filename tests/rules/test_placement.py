"""Pieces come back: where the laws say, never on top of another, alone as in company."""

import math
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carromsim as cs
from carromsim.equipment import BLACK, CENTRE_CIRCLE, OUTER_CIRCLE, QUEEN, STRIKER, WHITE
from carromsim.outcomes import Outcomes
from carromsim.rules.adjudication import adjudicate
from carromsim.rules.placement import Placed, hardness, place, put_off
from carromsim.rules.records import board_state
from carromsim.rules.referee import DeclaredRates, declare, facts_from_outcomes
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import quarter_turns
from carromsim_kernels.laws import BOARD_STATE, RULING, STROKE_FACTS, QueenState, Turn

pytestmark = pytest.mark.kernel

NAMES = ("ukca", "caint", "icf", "bell_i", "bell_ii")
RULES = {name: RuleSet.load(name) for name in NAMES}
EQUIPMENT = {name: cs.Equipment.preset(rules.equipment) for name, rules in RULES.items()}
ICF, UKCA, BELL = RULES["icf"], RULES["ukca"], RULES["bell_i"]
R = EQUIPMENT["icf"].man_radius
OPPOSITE = (0, 2)
"""White sits at the bottom, black at the top."""
SLACK = 1e-9


def board(*, queen: object = None, white: object = (), black: object = ()) -> np.ndarray:
    return cs.arrange(queen=queen, white=list(white), black=list(black)).pos.copy()


def send_back(
    pos: np.ndarray,
    rules: RuleSet,
    *,
    queen: int = 0,
    overboard: tuple[int, int] = (0, 0),
    forced: tuple[int, int] = (0, 0),
    dues: tuple[int, int] = (0, 0),
    shooter: int = 0,
    turn: Turn = Turn.PASS,
    seats: object = OPPOSITE,
    equipment: cs.Equipment | None = None,
    **options: object,
) -> Placed:
    """Place what one ruling sends back, on one board (20, 2) or on n of them."""
    pos = pos if pos.ndim == 3 else pos[np.newaxis]
    states, facts, rulings = (np.zeros(len(pos), layout) for layout in (BOARD_STATE, STROKE_FACTS, RULING))
    states["shooter"], rulings["turn"], rulings["winner"] = shooter, turn, -1
    facts["overboard_own"], facts["overboard_opponent"] = overboard
    rulings["returned"] = np.add(overboard, forced)
    rulings["dues_paid"], rulings["queen_returned"] = dues, queen
    equipment = equipment or cs.Equipment.preset(rules.equipment)
    return place(pos, states, facts, rulings, rules, equipment, seats, **options)


def came_back(placed: Placed, before: np.ndarray) -> np.ndarray:
    """Return the positions (k, 2) of the discs of row 0 that were not on the board."""
    here = ~np.isnan(placed.pos[0, :, 0]) & np.isnan(before[:, 0])
    return placed.pos[0, here]


def check_no_overlap(pos: np.ndarray, radius: float, before: np.ndarray) -> None:
    """Raise AssertionError if discs overlap, of which one has come back."""
    for i, j in combinations(range(QUEEN, 20), 2):
        if np.isnan(before[i, 0]) or np.isnan(before[j, 0]):
            apart = math.dist(pos[i], pos[j])
            assert np.isnan(apart) or apart >= 2 * radius


def ring(discs: list[int], distance: float) -> np.ndarray:
    """Return a board with the queen in the centre and the discs evenly round her [m]."""
    pos = board(queen=(0.0, 0.0))
    for k, disc in enumerate(discs):
        angle = 2 * math.pi * k / len(discs)
        pos[disc] = distance * math.cos(angle), distance * math.sin(angle)
    return pos


def never(*_: object) -> np.ndarray:
    """Choose, where nobody should be asked."""
    raise AssertionError


def full_circle() -> np.ndarray:
    """Return a board whose circle has no gap for a man; eight white men and one black are off it.

    The queen keeps men 31 mm away, the nine round her leave nothing free from there to 69.5 mm.
    """
    return ring([WHITE.stop - 1, *range(BLACK.start + 1, BLACK.stop)], 0.054)


# --- the queen


@pytest.mark.parametrize("name", NAMES)
def test_the_queen_goes_to_the_very_centre(name):
    pos = board(white=[(0.05, 0.0)], black=[(-0.04, 0.0)])
    placed = send_back(pos, RULES[name], queen=1)
    assert placed.pos[0, QUEEN].tolist() == [0.0, 0.0]
    assert not np.signbit(placed.pos[0, QUEEN]).any()


@pytest.mark.parametrize("name", ["ukca", "caint", "icf"])
@pytest.mark.parametrize("seat", range(4))
def test_a_queen_who_finds_the_centre_circle_obscured_is_hard_for_who_plays_next(name, seat):
    free = board(white=[(R + CENTRE_CIRCLE + 1e-6, 0.0)])
    obscured = board(white=[(R + CENTRE_CIRCLE - 1e-6, 0.0)])
    seats = (seat, (seat + 1) % 4)
    assert send_back(free, RULES[name], queen=1, seats=seats).pos[0, QUEEN].tolist() == [0.0, 0.0]
    # White plays on, so the far side of the circle is white's.
    queen = send_back(obscured, RULES[name], queen=1, seats=seats, turn=Turn.CONTINUE).pos[0, QUEEN]
    away = np.array([(0, 1), (-1, 0), (0, -1), (1, 0)][seat])
    np.testing.assert_allclose(queen, (OUTER_CIRCLE - R) * away, atol=1e-15)
    # Black plays next: hard for him by the ICF, to his advantage by the others (UKCA G5).
    queen = send_back(obscured, RULES[name], queen=1, seats=seats).pos[0, QUEEN]
    away = np.array([(0, 1), (-1, 0), (0, -1), (1, 0)][seats[1]])
    if name == "icf":
        np.testing.assert_allclose(queen, (OUTER_CIRCLE - R) * away, atol=1e-15)
    else:
        assert queen @ away < 0, "on black's side of the board"


@pytest.mark.parametrize("name", ["bell_i", "bell_ii"])
def test_bells_queen_goes_to_the_nearest_free_point(name):
    rules, radius = RULES[name], EQUIPMENT[name].man_radius
    touching = board(white=[(2 * radius, 0.0)])
    assert send_back(touching, rules, queen=1).pos[0, QUEEN].tolist() == [0.0, 0.0]
    taken = board(white=[(0.0, 0.0)])
    queen = send_back(taken, rules, queen=1).pos[0, QUEEN]
    np.testing.assert_allclose(queen, (0.0, -2 * radius), atol=1e-11)  # black, at the top, plays next
    shifted = board(white=[(0.010, 0.0)])
    queen = send_back(shifted, rules, queen=1).pos[0, QUEEN]
    # No spot is nearer than the one to the left that touches, 2 R - 10 mm; the grid is R / 8 wide.
    assert 2 * radius - 0.010 <= math.hypot(*queen) <= 2 * radius - 0.010 + radius / 8
    assert math.dist(queen, (0.010, 0.0)) >= 2 * radius


# --- men that left the board


def test_overboard_men_of_the_ukca_queen_first_then_one_in_the_centre_the_others_in_the_circle():
    away = board(white=[(0.2, 0.2)] * 0)
    with_queen = send_back(away, UKCA, queen=1, overboard=(1, 1))
    assert with_queen.pos[0, QUEEN].tolist() == [0.0, 0.0]
    without = send_back(away, UKCA, overboard=(1, 1))
    assert without.pos[0, WHITE.start].tolist() == [0.0, 0.0]  # own first
    # The opponent places his own man where it is easy for him, the shooter's where it is hard for the shooter.
    easy, hard = without.pos[0, BLACK.start], with_queen.pos[0, WHITE.start]
    np.testing.assert_allclose(hard, (0.0, OUTER_CIRCLE - R), atol=1e-15)
    assert hardness(-easy[np.newaxis], EQUIPMENT["ukca"])[0] < 0.7 * hardness(hard[np.newaxis], EQUIPMENT["ukca"])[0]
    assert easy[1] > 0.05  # near black, who sits at the top


def test_overboard_men_of_caint_never_go_to_the_centre_by_right():
    man = send_back(board(), RULES["caint"], overboard=(1, 0)).pos[0, WHITE.start]
    np.testing.assert_allclose(man, (0.0, OUTER_CIRCLE - R), atol=1e-15)


@pytest.mark.parametrize("seat", range(4))
def test_overboard_men_of_the_icf_touch_the_first_away_from_who_plays_next(seat):
    placed = send_back(board(), ICF, queen=1, overboard=(2, 1), seats=(seat, seat))
    pos = placed.pos[0]
    away = np.array([(0, 1), (-1, 0), (0, -1), (1, 0)][seat])
    assert pos[QUEEN].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(pos[WHITE.start], 2 * R * away, atol=1e-11)
    for disc in (WHITE.start, WHITE.start + 1, BLACK.start):
        assert 0.0 <= math.dist(pos[disc], pos[QUEEN]) - 2 * R < 1e-11
        assert pos[disc] @ away > 0.0
    check_no_overlap(pos, R, board())
    # Without the queen the shooter's man is the first.
    alone = send_back(board(), ICF, overboard=(1, 1), shooter=1, seats=(seat, seat)).pos[0]
    assert alone[BLACK.start].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(alone[WHITE.start], 2 * R * away, atol=1e-11)


def test_a_disc_off_the_centre_is_the_one_to_touch():
    there = (0.012, 0.005)
    man = send_back(board(black=[there]), ICF, overboard=(1, 0), seats=(2, 0)).pos[0, WHITE.start]  # seat 0 is next
    np.testing.assert_allclose(man, (there[0], there[1] + 2 * R), atol=1e-11)


@pytest.mark.parametrize("name", ["icf", "bell_i"])
def test_overboard_men_find_a_place_near_a_surrounded_centre(name):
    rules, radius = RULES[name], EQUIPMENT[name].man_radius
    before = ring(list(range(BLACK.start, BLACK.start + 6)), 2 * radius + 1e-9)
    placed = send_back(before, rules, overboard=(1, 0))
    check_no_overlap(placed.pos[0], radius, before)
    # The second ring: between two of six neighbours, sqrt(3) diameters from the centre.
    assert (
        2 * radius * math.sqrt(3) - SLACK
        <= math.hypot(*placed.pos[0, WHITE.start])
        < 2 * radius * math.sqrt(3) + radius / 6
    )
    assert not placed.waiting.any()


def test_bell_7_men_go_with_the_queen_and_bell_8s_man_where_the_opponent_likes():
    radius = EQUIPMENT["bell_i"].man_radius
    placed = send_back(board(), BELL, queen=1, forced=(2, 0))
    for disc in (WHITE.start, WHITE.start + 1):
        np.testing.assert_allclose(math.hypot(*placed.pos[0, disc]), 2 * radius, atol=1e-11)
    alone = send_back(board(), BELL, forced=(1, 0)).pos[0, WHITE.start]
    np.testing.assert_allclose(alone, (0.0, OUTER_CIRCLE - radius), atol=1e-15)


# --- dues


@pytest.mark.parametrize("shooter", [0, 1])
def test_a_due_is_hard_for_its_owner_whoever_plays_next(shooter):
    for turn in (Turn.PASS, Turn.CONTINUE):
        disc = (WHITE, BLACK)[shooter].start
        due = send_back(board(), UKCA, dues=(1, 0), shooter=shooter, turn=turn).pos[0, disc]
        np.testing.assert_allclose(due, (0.0, (OUTER_CIRCLE - R) * (1, -1)[shooter]), atol=1e-15)
        # What the opponent owes is the shooter's to place.
        disc = (BLACK, WHITE)[shooter].start
        due = send_back(board(), UKCA, dues=(0, 1), shooter=shooter, turn=turn).pos[0, disc]
        np.testing.assert_allclose(due, (0.0, (OUTER_CIRCLE - R) * (-1, 1)[shooter]), atol=1e-15)


def test_the_lowest_numbers_come_back():
    pos = board(white=[(0.2, 0.2), None, (0.2, 0.25), None, None])
    after = send_back(pos, UKCA, dues=(2, 0)).pos[0]
    assert np.flatnonzero(~np.isnan(after[:, 0])).tolist() == [2, 3, 4, 5]


def test_the_striker_is_lifted_off_and_in_nobodys_way():
    pos = board()
    pos[STRIKER] = 0.0, 0.0
    placed = send_back(pos, ICF, queen=1)
    assert placed.pos[0, QUEEN].tolist() == [0.0, 0.0]
    assert np.isnan(placed.pos[0, STRIKER]).all()
    assert pos[STRIKER].tolist() == [0.0, 0.0]  # the argument is left alone


def test_icf_dues_leave_the_centre_circle_free_and_make_no_shot_with_the_queen():
    equipment = EQUIPMENT["icf"]
    mouth = equipment.capture_radius[QUEEN]
    pockets = (equipment.side / 2 - equipment.pocket_offset) * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    for queen in ((0.0, 0.0), (0.03, 0.04), (-0.06, 0.06), None):
        placed = send_back(board(queen=queen), ICF, dues=(9, 9))
        men = placed.pos[0, WHITE.start :]
        men = men[~np.isnan(men[:, 0])]
        assert len(men) >= 4
        assert (np.hypot(*men.T) >= R + CENTRE_CIRCLE - 1e-15).all()
        if queen is not None:
            line = men - queen
            for pocket in pockets:
                off = np.abs(line[:, 0] * (pocket - queen)[1] - line[:, 1] * (pocket - queen)[0]) / np.hypot(*line.T)
                assert (off >= mouth - SLACK).all()
    # Other laws have nothing against either: every one of 18 dues finds its place, one of them on the centre.
    everywhere = send_back(board(), UKCA, dues=(9, 9)).pos[0, WHITE.start :]
    assert not np.isnan(everywhere).any()
    assert np.hypot(*everywhere.T).min() < R


def test_a_shot_with_the_queen_is_allowed_where_the_laws_allow_it():
    # The queen stands so that the hardest spot for white, straight ahead of him, is in line with her and pocket 2.
    spot, pocket = np.array([0.0, OUTER_CIRCLE - R]), np.array([0.34775, 0.34775])
    queen = spot + 0.4 * (pocket - spot)
    loose = ICF.replace({"placing.queen_shot": True})
    np.testing.assert_allclose(send_back(board(queen=queen), loose, dues=(1, 0)).pos[0, WHITE.start], spot, atol=1e-15)
    strict = send_back(board(queen=queen), ICF, dues=(1, 0)).pos[0, WHITE.start]
    assert math.dist(strict, spot) > 1e-3


# --- no room


def test_a_full_circle_lets_a_due_of_the_icf_wait_and_others_stand_outside():
    pos = full_circle()
    waiting = send_back(pos, ICF, dues=(2, 1))
    assert waiting.waiting.tolist() == [[2, 1]]
    assert len(came_back(waiting, pos)) == 0
    for name in ("ukca", "caint"):
        placed = send_back(pos, RULES[name], dues=(2, 1))
        assert not placed.waiting.any()
        men = came_back(placed, pos)
        assert len(men) == 3
        check_no_overlap(placed.pos[0], R, pos)
        # As near to the circle as the grid goes.
        assert (np.hypot(*men.T) < OUTER_CIRCLE + R / 3).all()


def test_a_gap_between_the_spots_of_the_wide_grid_is_found():
    # Eight of the nine men of the full circle, the gap to the right so wide that a man just fits at the circle's edge.
    pos, half_gap = board(queen=(0.0, 0.0)), 0.475
    for k in range(8):
        angle = half_gap + k * (2 * math.pi - 2 * half_gap) / 7
        pos[BLACK.start + k] = 0.054 * math.cos(angle), 0.054 * math.sin(angle)
    placed = send_back(pos, ICF, dues=(2, 0), choose=never)
    assert placed.waiting.tolist() == [[1, 0]]
    check_no_overlap(placed.pos[0], R, pos)
    assert placed.pos[0, WHITE.start, 0] > 0.068


def test_who_waits_is_owed_again():
    after = np.zeros(2, BOARD_STATE)
    after["on_board"], after["dues"] = [[6, 5], [9, 3]], [[0, 1], [0, 0]]
    owed = put_off(after, [[2, 1], [0, 0]])
    assert owed["on_board"].tolist() == [[4, 4], [9, 3]]
    assert owed["dues"].tolist() == [[2, 2], [0, 0]]
    assert after["on_board"].tolist() == [[6, 5], [9, 3]]


def test_men_that_come_back_by_force_wait_too_and_belong_to_their_colour():
    placed = send_back(full_circle(), ICF, forced=(1, 1), dues=(0, 1), shooter=1)
    assert placed.waiting.tolist() == [[2, 1]]


# --- everything together


boards = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(
    boards,
    st.sampled_from(NAMES),
    st.tuples(*[st.integers(0, 3)] * 6),
    st.booleans(),
    st.integers(0, 3),
    st.integers(0, 1),
    st.booleans(),
)
def test_nothing_ever_overlaps_and_all_is_where_it_may_be(seed, name, counts, queen, seat, shooter, near):
    rules, equipment = RULES[name], EQUIPMENT[name]
    radius = equipment.man_radius
    pos = cs.random_layout(equipment, seed=seed, n_men=(6 - counts[0] % 3, 5), queen=not queen).pos.copy()
    if near:  # closer to the centre, where men come back
        pos *= 0.5
        for i, j in combinations(range(QUEEN, 20), 2):
            if math.dist(pos[i], pos[j]) < 2 * radius:
                pos[max(i, j)] = np.nan
    off = [int(np.isnan(pos[men, 0]).sum()) for men in ((WHITE, BLACK), (BLACK, WHITE))[shooter]]
    wanted = [list(counts[0::2]), list(counts[1::2])]
    for side in (0, 1):
        while sum(wanted[side]) > off[side]:
            wanted[side][int(np.argmax(wanted[side]))] -= 1
    overboard, forced, dues = zip(*wanted, strict=True)
    queen = queen and np.isnan(pos[QUEEN, 0])
    arguments = {"queen": int(queen), "overboard": overboard, "forced": forced, "dues": dues, "shooter": shooter}
    placed = send_back(pos, rules, seats=(seat, (seat + 2) % 4), **arguments)

    after = placed.pos[0]
    check_no_overlap(after, radius, pos)
    stayed = ~np.isnan(pos[:, 0]) & (np.arange(20) != STRIKER)
    np.testing.assert_array_equal(after[stayed], pos[stayed])
    new = came_back(placed, pos)
    assert len(new) + placed.waiting.sum() == sum(map(sum, wanted)) + queen
    cs.Layout(after).check(equipment, striker=False)
    if placed.waiting.any():
        assert rules.placing.no_room == "wait"
    # With so few discs nothing has to stand outside.
    assert (np.hypot(*new.T) <= OUTER_CIRCLE - radius + SLACK).all()
    if not rules.placing.centre_circle:
        due_discs = [i for i in range(WHITE.start, 20) if np.isnan(pos[i, 0]) and not np.isnan(after[i, 0])]
        inner = [i for i in due_discs if math.hypot(*after[i]) < radius + CENTRE_CIRCLE - SLACK]
        assert len(inner) <= sum(overboard)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turns", range(1, 4))
def test_turning_the_board_turns_everything(name, turns):
    rules, equipment = RULES[name], EQUIPMENT[name]
    pos = cs.random_layout(equipment, seed=5, n_men=(5, 5), queen=False).pos * 0.6
    keep = cs.Layout(pos)
    for i, j in combinations(range(QUEEN, 20), 2):
        if math.dist(keep.pos[i], keep.pos[j]) < 2 * equipment.man_radius:
            pos[j] = np.nan
    arguments = {"queen": 1, "overboard": (1, 1), "forced": (0, 1), "dues": (1, 1)}

    def turned(points: np.ndarray, by: int) -> np.ndarray:
        for _ in range(by):
            points = np.stack([-points[..., 1], points[..., 0]], axis=-1)
        return points

    straight = send_back(pos, rules, seats=(0, 2), **arguments)
    round_ = send_back(turned(pos, turns), rules, seats=(turns, (2 + turns) % 4), **arguments)
    np.testing.assert_allclose(round_.pos[0], turned(straight.pos[0], turns), atol=1e-15)


def many(n: int, seed: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    pos = cs.random_layout("icf", n, seed=seed, n_men=(4, 4), queen=False).pos * 0.7
    for row in pos:
        for i, j in combinations(range(QUEEN, 20), 2):
            if math.dist(row[i], row[j]) < 2 * R:
                row[j] = np.nan
    states, facts, rulings = (np.zeros(n, layout) for layout in (BOARD_STATE, STROKE_FACTS, RULING))
    states["shooter"], rulings["turn"] = rng.integers(0, 2, n), rng.integers(0, 2, n)
    facts["overboard_own"], rulings["queen_returned"] = rng.integers(0, 2, n), rng.integers(0, 2, n)
    rulings["returned"] = facts["overboard_own"][:, np.newaxis] * [1, 0] + rng.integers(0, 2, (n, 2))
    rulings["dues_paid"] = rng.integers(0, 3, (n, 2))
    return pos, {"states": states, "facts": facts, "rulings": rulings}


@pytest.mark.parametrize("name", NAMES)
def test_a_row_is_the_same_alone_and_in_company(name):
    n = 40
    pos, records = many(n)
    seats = np.random.default_rng(1).integers(0, 4, (n, 2))
    rest = RULES[name], cs.Equipment.preset("icf")
    whole = place(pos, *records.values(), *rest, seats)
    assert (~np.isnan(whole.pos)).sum() > (~np.isnan(pos)).sum() + 2 * n
    for row in range(n):
        part = slice(row, row + 1)
        alone = place(pos[part], *(r[part] for r in records.values()), *rest, seats[part])
        np.testing.assert_array_equal(alone.pos[0], whole.pos[row])
        np.testing.assert_array_equal(alone.waiting[0], whole.waiting[row])


# --- the hook


@pytest.mark.parametrize("name", NAMES)
def test_who_chooses_as_the_laws_assume_gets_the_same(name):
    pos, records = many(30)
    equipment, seen = cs.Equipment.preset("icf"), []

    def choose(board: np.ndarray, disc: int, spots: np.ndarray, seat: int, easy: bool) -> np.ndarray:
        seen.append(easy)
        assert np.isnan(board[disc]).all()
        ranks = np.arange(len(spots))  # spots come hardest first
        return ranks if easy else -ranks

    rest = RULES[name], equipment, OPPOSITE
    plain, chosen = place(pos, *records.values(), *rest), place(pos, *records.values(), *rest, choose=choose)
    np.testing.assert_array_equal(plain.pos, chosen.pos)
    np.testing.assert_array_equal(plain.waiting, chosen.waiting)
    assert True in seen
    assert False in seen


def test_a_player_may_have_ideas_of_his_own():
    def leftmost(board: np.ndarray, disc: int, spots: np.ndarray, seat: int, easy: bool) -> np.ndarray:
        assert (disc, seat, easy) == (WHITE.start, 3, False)
        return -spots[:, 0]

    due = send_back(board(), ICF, dues=(1, 0), seats=(3, 1), choose=leftmost).pos[0, WHITE.start]
    np.testing.assert_allclose(due, (-(OUTER_CIRCLE - R), 0.0), atol=1e-15)


def test_nobody_is_asked_where_there_is_no_choice():
    for rules in (ICF, UKCA, BELL):
        assert send_back(board(), rules, queen=1, choose=never).pos[0, QUEEN].tolist() == [0.0, 0.0]
    touching = send_back(board(), ICF, queen=1, overboard=(2, 2), choose=never)
    assert (~np.isnan(touching.pos[0, :, 0])).sum() == 5
    assert send_back(full_circle(), ICF, dues=(2, 1), choose=never).waiting.tolist() == [[2, 1]]


def test_what_a_player_answers_must_fit():
    with pytest.raises(ValueError, match=r"choose gave .*must be \d+ numbers, one for each spot"):
        send_back(board(), ICF, dues=(1, 0), choose=lambda *_: np.zeros(3))
    with pytest.raises(ValueError, match="choose gave"):
        send_back(board(), ICF, dues=(1, 0), choose=lambda board, disc, spots, seat, easy: np.full(len(spots), np.nan))


# --- hardness


def test_hardness_is_that_of_the_easiest_stroke():
    equipment = EQUIPMENT["icf"]
    # A man straight between the middle of the base line and pocket 2: no cut.
    pocket, start = np.full(2, 0.34775), np.array([0.0, equipment.base_line_distance - equipment.side / 2])
    way = (pocket - start) / math.dist(pocket, start)
    man = pocket - 0.05 * way
    straight = 0.05 * (math.dist(start, man) - R - equipment.striker_radius)
    got = hardness(man[np.newaxis], equipment)[0]
    assert 0.5 * straight < got <= straight * (1 + 1e-12)  # a placement to the right is nearer
    spots = np.array([(0.05, 0.02), (-0.05, 0.02)])
    left, right = hardness(spots, equipment)
    assert left == pytest.approx(right, rel=1e-12)


# --- mistakes


def test_men_who_are_on_the_board_cannot_come_back():
    pos = board(white=[(0.1, 0.1)] + [(0.1, 0.15 + 0.04 * k) for k in range(4)] + [(-0.1, 0.04 * k) for k in range(4)])
    with pytest.raises(ValueError, match="row 0 has 0 white men off the board and 1 white men to come back"):
        send_back(pos, ICF, dues=(1, 0))
    with pytest.raises(ValueError, match="row 0: the queen is to come back and is on the board"):
        send_back(board(queen=(0.1, 0.1)), ICF, queen=1)


def test_nothing_comes_back_when_the_board_has_ended():
    placed = send_back(board(), ICF, queen=1, dues=(2, 2), turn=Turn.BOARD_END)
    assert np.isnan(placed.pos).all()
    assert not placed.waiting.any()


@pytest.mark.parametrize("seats", [(0, 4), (-1, 0), (0.0, 2.0), (0, 1, 2), [[0, 2], [0, 2]], 0])
def test_impossible_seats(seats):
    with pytest.raises(ValueError, match=r"seats = .*must be seats from 0 to 3, \(2,\) or \(1, 2\)"):
        send_back(board(), ICF, seats=seats)


def test_a_board_for_each_ruling():
    with pytest.raises(ValueError, match=r"pos has shape \(2, 20\): must be \(1, 20, 2\)"):
        place(np.zeros((2, 20)), np.zeros(1, BOARD_STATE), np.zeros(1, STROKE_FACTS), np.zeros(1, RULING), ICF,
              EQUIPMENT["icf"], OPPOSITE)  # fmt: skip


def test_a_board_without_a_middle():
    small = {"side": 0.1, "man_radius": 0.045, "striker_radius": 0.02, "pocket_radius": 0.001, "pocket_offset": 0.03}
    tiny = EQUIPMENT["icf"].replace(**small, front_line_distance=0.04, base_line_distance=0.03)
    with pytest.raises(ValueError, match="has no room for a man of radius 0.045 m in its middle"):
        send_back(board(), ICF, queen=1, equipment=tiny)


def test_a_cut_away_board_and_unequal_discs():
    radius = [0.02065, 0.018, *[0.0155] * 9, *[0.0140] * 9]
    odd = EQUIPMENT["icf"].replace(corner="cut_away", corner_size=0.3, disc_radius=tuple(radius))
    pos = board()
    placed = send_back(pos, UKCA, queen=1, dues=(9, 9), equipment=odd)
    for i, j in combinations(range(QUEEN, 20), 2):
        assert math.dist(placed.pos[0, i], placed.pos[0, j]) >= radius[i] + radius[j]
    cs.Layout(placed.pos[0]).check(odd, striker=False)


# --- with simulated strokes and rulings


def shoot(pos: np.ndarray, shooter: np.ndarray, rng: np.random.Generator) -> cs.Strokes:
    """Play each row's striker at a disc chosen at random."""
    n, seat = len(pos), np.where(shooter == 0, *OPPOSITE)
    there = ~np.isnan(pos[:, QUEEN:, 0])
    disc = QUEEN + (rng.random(there.shape) * there).argmax(axis=1)
    target = quarter_turns(pos[np.arange(n), disc], (-seat % 4).astype(np.int8)).T
    x = rng.uniform(-0.18, 0.18, n)
    ahead = target[1] - (EQUIPMENT["icf"].base_line_distance - EQUIPMENT["icf"].side / 2)
    return cs.Strokes(x=x, angle=np.arctan2(ahead, target[0] - x), speed=rng.uniform(2, 7, n), seat=seat)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_boards_in_play_keep_their_discs(name):
    """Strokes at random, ruled on and put back: what a ruling leaves on the board lies on the surface."""
    rules, equipment, n = RULES[name], EQUIPMENT[name], 80
    rng, pack = np.random.default_rng(7), cs.opening(equipment).pos
    # Half of the rows begin at the break, half with one man a side and the queen down: boards have to end, too.
    start, near_end = np.repeat(pack[np.newaxis], n, axis=0), np.arange(n) % 2 == 1
    start[np.ix_(near_end, [0, 1, *range(3, 11), *range(12, 20)])] = np.nan
    few = np.where(near_end, 1, 9)
    held = np.array([[[4, 4], [4, 4]]]) * near_end[:, np.newaxis, np.newaxis] if name == "point" else 0
    first = board_state(
        break_made=near_end.astype(int),
        on_board=np.stack([few, few], axis=1),
        ever_pocketed=np.stack([near_end, near_end], axis=1).astype(int),
        queen=np.where(near_end, QueenState.COVERED_WHITE, QueenState.ON_BOARD),
        **({"held": held} if name == "point" else {}),
    )
    pos, states = start.copy(), first.copy()
    rates = DeclaredRates(improper=0.05, interference=0.05, technical_foul=0.05, decline_dues=0.2)
    came, ended = 0, 0
    for stroke in range(60):
        strokes = shoot(pos, states["shooter"], rng)
        out = cs.simulate(cs.Layout(pos), strokes, equipment=equipment)
        good = np.flatnonzero(out.status == 0)  # otherwise the striker stood on a man
        columns = {field.name: getattr(out, field.name)[good] for field in fields(Outcomes) if field.name[0] != "_"}
        mine = cs.Strokes(x=strokes.x[good], speed=1.0, seat=strokes.seat[good])
        facts = facts_from_outcomes(Outcomes(**columns), mine, states["shooter"][good], equipment)
        facts = declare(facts, states[good], rates, seed=1, rows=good, stroke=stroke)
        ruled = adjudicate(states[good], facts, rules)
        placed = place(columns["pos"], states[good], facts, ruled.records, rules, equipment, OPPOSITE)
        after, over = put_off(ruled.after, placed.waiting), ruled["turn"] == Turn.BOARD_END

        there = ~np.isnan(placed.pos[~over, :, 0])
        on_board = np.stack([there[:, men].sum(axis=1) for men in (WHITE, BLACK)], axis=1)
        np.testing.assert_array_equal(on_board, after["on_board"][~over])
        np.testing.assert_array_equal(there[:, QUEEN], after["queen"][~over] == QueenState.ON_BOARD)
        cs.Layout(placed.pos).check(equipment, striker=False)
        came, ended = came + int(ruled["dues_paid"].sum() + ruled["returned"].sum()), ended + int(over.sum())
        pos[good], states[good] = placed.pos, after
        pos[good[over]], states[good[over]] = start[good[over]], first[good[over]]
    assert came > 100
    assert ended > 0
