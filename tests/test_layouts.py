import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carromsim.equipment import BLACK, PRESETS, QUEEN, STRIKER, WHITE, Equipment
from carromsim.layouts import Layout, arrange, opening, random_layout
from carromsim.strokes import legal_intervals, quarter_turns

ICF = Equipment.preset("icf")
D = 0.031


def contacts(pos, distance, tolerance):
    """Pairs of discs whose centres are `distance` apart."""
    pairs = [(i, j) for i in range(20) for j in range(i + 1, 20)]
    return {(i, j) for i, j in pairs if abs(math.dist(pos[i], pos[j]) - distance) <= tolerance}


def groups(discs, pairs):
    """Connected components of some discs, as sorted lists."""
    left, found = set(discs), []
    while left:
        group, new = set(), {left.pop()}
        while new:
            group |= new
            new = {d for pair in pairs for d in pair if d in left and set(pair) & group}
            left -= new
        found.append(sorted(group))
    return sorted(found)


def closest(pos):
    """Smallest distance of two discs in each row, (n,)."""
    apart = pos[:, :, np.newaxis] - pos[:, np.newaxis]
    distance = np.sqrt((apart**2).sum(-1))
    distance[:, np.arange(20), np.arange(20)] = np.nan
    return np.nanmin(distance, axis=(1, 2))


# The pack


def test_pack_disc_by_disc():
    pos = opening("icf").pos
    table = {
        (1.0, "w2@-90 b11@-30 w3@30 b12@90 w4@150 b13@210"),
        (2.0, "w5@-90 w6@-30 w7@30 w8@90 w9@150 w10@210"),
        (math.sqrt(3.0), "b14@-60 b15@0 b16@60 b17@120 b18@180 b19@240"),
    }
    assert pos[QUEEN].tolist() == [0.0, 0.0]
    assert np.isnan(pos[STRIKER]).all()
    for ring, discs in table:
        for text in discs.split():
            disc, degrees = (int(part) for part in text[1:].split("@"))
            assert (disc in range(20)[WHITE]) == (text[0] == "w")
            expected = ring * D * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
            np.testing.assert_allclose(pos[disc], expected, rtol=0, atol=5e-17)


@pytest.mark.parametrize("rotation", [0.0, 0.3, math.radians(15), -2.0, math.pi / 2])
@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_contact_structure_of_the_pack(rotation, preset):
    equipment = PRESETS[preset]
    pos = opening(equipment, rotation=rotation).pos
    touching = contacts(pos, 2 * equipment.man_radius, 3e-17)
    assert len(touching) == 42
    assert closest(pos[np.newaxis]).min() > 2 * equipment.man_radius - 3e-17
    whites, blacks = range(20)[WHITE], range(20)[BLACK]
    white = {pair for pair in touching if set(pair) <= set(whites)}
    black = {pair for pair in touching if set(pair) <= set(blacks)}
    assert groups(whites, white) == [[2, 5], [3, 7], [4, 9], [6], [8], [10]]
    assert groups(blacks, black) == [[11, 14, 15], [12, 16, 17], [13, 18, 19]]
    assert len(black) == 6  # an inner man and the two outer ones that touch it, not each other
    opening(equipment, rotation=rotation).check(equipment)


def test_every_line_of_five_through_the_queen_reads_w_w_q_b_w():
    pos = opening("icf").pos
    for outer in (5, 7, 9):
        along = pos[outer] / math.dist(pos[outer], (0, 0))
        across = np.abs(pos[1:, 0] * along[1] - pos[1:, 1] * along[0])
        line = [int(disc) + 1 for disc in np.flatnonzero(across < 1e-9)]
        line.sort(key=lambda disc: -float(pos[disc] @ along))
        assert "".join("Q" if d == QUEEN else "W" if d < 11 else "B" for d in line) == "WWQBW"


def test_pack_is_mirror_symmetric_to_the_last_bit():
    pos = opening("icf", gap=0.0004).pos
    mirrored = {tuple(point) for point in (pos[1:] * [-1, 1] + 0.0).tolist()}
    assert mirrored == {tuple(point) for point in (pos[1:] + 0.0).tolist()}


def test_rotation_is_counter_clockwise():
    base, turned = opening("icf").pos, opening("icf", rotation=0.7).pos
    np.testing.assert_allclose(np.arctan2(turned[15, 1], turned[15, 0]), 0.7, rtol=1e-15)
    np.testing.assert_allclose(np.hypot(*turned.T), np.hypot(*base.T), rtol=1e-15)
    quarter = opening("icf", rotation=math.pi / 2).pos
    np.testing.assert_array_equal(quarter[1:], quarter_turns(base, np.ones(20, np.int8))[1:])


def test_a_third_of_a_turn_maps_each_colour_onto_itself():
    base, turned = opening("icf").pos, opening("icf", rotation=2 * math.pi / 3).pos
    for kind in (WHITE, BLACK):
        apart = np.linalg.norm(base[kind][:, np.newaxis] - turned[kind], axis=-1)
        assert (apart.min(axis=1) < 1e-15).all()


def test_ukca_three_pocket_break():
    """Turned by +15 degrees a pair points at pocket 2 with a white at the other end; by -15 another at pocket 3."""
    pocket = 0.37 - 0.02225
    for degrees, pair, end, corner in ((15, (3, 7), 10, (1, 1)), (-15, (4, 9), 6, (-1, 1))):
        pos = opening("ukca", rotation=math.radians(degrees)).pos
        for disc in (*pair, end):
            assert abs(np.cross([*pos[disc], 0], [corner[0] * pocket, corner[1] * pocket, 0])[2]) < 1e-16
        assert pos[pair[1]] @ corner > pos[pair[0]] @ corner > 0 > pos[end] @ corner


def test_gap_is_the_distance_between_neighbours():
    pos = opening("icf", gap=0.0005).pos
    assert len(contacts(pos, 0.0315, 1e-16)) == 42


def test_jitter_moves_every_disc_and_never_makes_them_overlap():
    gap = 0.0005
    largest = gap / (2 * math.sqrt(2))
    n = 2000
    pos = opening("icf", gap=gap, jitter=largest, seed=4, n=n).pos
    shift = (pos - opening("icf", gap=gap).pos)[:, 1:]
    assert np.abs(shift).max() <= largest * (1 + 1e-12)
    # Uniform: variance jitter^2 / 3, no mean; 4 standard errors of a fixed seed.
    assert abs(shift.mean()) < 4 * largest / math.sqrt(3 * shift.size)
    assert shift.var() == pytest.approx(largest**2 / 3, rel=4 * math.sqrt(0.8 / shift.size))
    assert (shift.std(axis=0) > 0.5 * largest).all()
    assert closest(pos).min() >= D - 1e-15


def test_jitter_of_a_row_depends_on_seed_and_row_alone():
    whole = opening("icf", gap=1e-3, jitter=1e-4, seed=8, n=12)
    part = opening("icf", gap=1e-3, jitter=1e-4, seed=8, n=5, first_row=4)
    one = opening("icf", gap=1e-3, jitter=1e-4, seed=8, first_row=7)
    np.testing.assert_array_equal(whole.pos[4:9], part.pos)
    np.testing.assert_array_equal(whole.pos[7], one.pos)
    assert len({row.tobytes() for row in whole.pos}) == 12
    other = opening("icf", gap=1e-3, jitter=1e-4, seed=9, n=12)
    assert not np.array_equal(whole.pos[0, QUEEN], other.pos[0, QUEEN])


def test_rows_without_jitter_are_all_the_same():
    layout = opening("icf", n=3)
    assert (layout.pos.shape, layout.n, layout.scalar) == ((3, 20, 2), 3, False)
    np.testing.assert_array_equal(layout.pos, np.stack([opening("icf").pos] * 3))
    assert opening("icf", n=0).pos.shape == (0, 20, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gap": -1e-6}, "gap = -1e-06 m: must be at least 0"),
        ({"gap": math.nan}, "gap = nan: must be a finite number"),
        ({"rotation": math.inf}, "rotation = inf: must be a finite number"),
        ({"rotation": "15"}, "rotation = '15': must be a finite number"),
        ({"jitter": 1e-6}, r"jitter = 1e-06 m: must be 0 to gap / \(2 sqrt 2\) = 0 m"),
        ({"gap": 0.001, "jitter": 0.00036}, "must be 0 to gap / .2 sqrt 2. = 0.000353553 m"),
        ({"jitter": -1e-6}, "jitter = -1e-06 m"),
        ({"n": -1}, "n = -1: must be an integer of at least 0"),
        ({"n": 2.0}, "n = 2.0"),
        ({"first_row": -3}, "first_row = -3"),
        ({"gap": 0.001, "jitter": 1e-5, "seed": -1}, "seed = -1"),
        ({"seed": "x"}, "seed = 'x': must be an integer from 0 to"),
        ({"equipment": "icd"}, "did you mean 'icf'"),
        ({"board": -1}, "board runs from -1 to -1: must be from 0 to"),
        ({"board": 0.5}, "board has dtype float64: must be integers"),
        ({"rows": [1.5]}, "rows has dtype float64: must be integers"),
        ({"rows": [-1]}, "rows runs from -1 to -1: must be from 0 to"),
    ],
)
def test_bad_openings_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        opening(**arguments)


def test_each_row_may_have_its_own_pack():
    turns, gaps, shifts = np.array([0.0, 0.3, -2.0]), np.array([0.0, 0.001, 0.002]), np.array([0.0, 1e-4, 5e-4])
    whole = opening("icf", rotation=turns, gap=gaps, jitter=shifts, seed=3, first_row=5)
    for i in range(3):
        one = opening("icf", rotation=turns[i], gap=gaps[i], jitter=shifts[i], seed=3, first_row=5 + i)
        np.testing.assert_array_equal(whole.pos[i], one.pos)
    turned = opening("icf", rotation=turns, n=3)
    np.testing.assert_array_equal(turned.pos[2], opening("icf", rotation=-2.0).pos)
    assert opening("icf", gap=[0.001]).pos.shape == (1, 20, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gap": [0.0, -1e-6]}, "gap = -1e-06 m: must be at least 0"),
        ({"gap": [0.0, math.nan]}, "gap = nan: must be a finite number"),
        ({"rotation": [[0.0]]}, r"rotation = \[\[0.0\]\]: must be a finite number"),
        ({"gap": np.ma.array([0.0, 1.0], mask=[False, True])}, "(?s)gap = masked_array.*: is masked"),
        ({"gap": [0.001, 0.002], "jitter": 0.0005}, "jitter = 0.0005 m: must be 0 to gap / .2 sqrt 2. = 0.000353553 m"),
        ({"n": 3, "board": [0, 1]}, r"board has shape \(2,\): must be a number or of shape \(3,\)"),
        ({"gap": [0.001, 0.002], "n": 3}, r"gap has shape \(2,\): must be a number or of shape \(3,\)"),
        ({"gap": [0.001, 0.002], "rotation": [1.0]}, r"rotation has shape \(1,\): must be a number or of shape \(2,\)"),
    ],
)
def test_bad_rows_of_openings_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        opening(**arguments)


# Any layout


def test_layout_is_a_read_only_contiguous_copy():
    given_pos = np.zeros((2, 20, 2))[::2]
    layout = Layout(given_pos)
    given_pos[0, 0] = 5.0
    assert layout.pos.flags.c_contiguous
    assert not layout.pos.flags.writeable
    assert layout.pos[0, 0, 0] == 0.0
    assert (layout.n, len(layout), layout.scalar) == (1, 1, False)


@pytest.mark.parametrize(
    ("pos", "message"),
    [
        (np.zeros((19, 2)), r"shape \(19, 2\): must be \(20, 2\)"),
        (np.zeros((1, 1, 20, 2)), "must be"),
        (np.zeros((20, 2), complex), "dtype complex128"),
        (np.full((20, 2), "0"), "dtype <U1"),
        ([[0.0, 1.0], [2.0]], "ragged"),
    ],
)
def test_bad_arrays_are_refused(pos, message):
    with pytest.raises(ValueError, match=message):
        Layout(pos)


def test_arrange_by_name():
    pos = arrange(queen=(0.0, 0.1), white=[(0.2, 0.0), None, (0.1, -0.3)], black=[(-0.1, 0.0)], striker=(0, -0.25)).pos
    present = {0: (0, -0.25), 1: (0.0, 0.1), 2: (0.2, 0.0), 4: (0.1, -0.3), 11: (-0.1, 0.0)}
    for disc in range(20):
        if disc in present:
            assert tuple(pos[disc]) == present[disc]
        else:
            assert np.isnan(pos[disc]).all()
    assert np.isnan(arrange().pos).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"white": [(0.0, 0.0)] * 10}, "white has 10 points: at most 9"),
        ({"black": [(0.0, 0.0), (math.nan, 0.0)]}, r"black\[1\] = \(nan, 0.0\): must be two finite numbers"),
        ({"queen": (1.0, 2.0, 3.0)}, "queen = "),
        ({"striker": "here"}, "striker = 'here'"),
    ],
)
def test_arrange_names_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        arrange(**arguments)


def test_overlap_is_named_with_its_amount():
    layout = arrange(white=[(0.2, 0.2), None, (0.0, 0.0)], black=[(0.1, 0.1), (0.0, 0.0298)])
    with pytest.raises(ValueError, match=r"white 3 \(disc 4\) and black 2 \(disc 12\) overlap by 1.2 mm") as caught:
        layout.check(ICF)
    assert "accepted are 0.002 mm" in str(caught.value)


def test_out_of_board_is_named_with_its_amount():
    layout = arrange(queen=(0.3575, 0.1), white=[(0.0, -0.3545)])
    with pytest.raises(ValueError, match="queen lies 3 mm outside the board") as caught:
        layout.check(ICF)
    assert "allowed are |x|, |y| <= 0.3545 m" in str(caught.value)
    assert "white" not in str(caught.value)


def test_what_the_end_of_a_stroke_may_leave_is_accepted():
    arrange(queen=(0.0, 0.0), white=[(D - 1.9e-6, 0.0)], black=[(0.3545 + 1.9e-6, 0.0)]).check(ICF)
    with pytest.raises(ValueError, match=r"overlap by 0\.0021 mm"):
        arrange(queen=(0.0, 0.0), white=[(D - 2.1e-6, 0.0)]).check(ICF)
    with pytest.raises(ValueError, match=r"0\.0021 mm outside"):
        arrange(queen=(0.0, 0.3545 + 2.1e-6)).check(ICF)


def test_radii_of_both_discs_count():
    touching = ICF.striker_radius + ICF.man_radius
    arrange(striker=(0.0, 0.0), queen=(0.0, touching)).check(ICF)
    too_near = arrange(striker=(0.0, 0.0), queen=(0.0, touching - 1e-4))
    with pytest.raises(ValueError, match=r"striker and queen overlap by 0\.1 mm"):
        too_near.check(ICF)
    too_near.check(ICF, striker=False)


@pytest.mark.parametrize("bad", [(np.nan, 0.0), (0.0, np.inf), (-np.inf, np.nan)])
def test_half_a_position_is_an_error(bad):
    pos = opening("icf").pos.copy()
    pos[12] = bad
    with pytest.raises(ValueError, match=r"black 2 \(disc 12\) at .* both coordinates must be finite, or both NaN"):
        Layout(pos).check(ICF)


def test_problems_of_a_batch_name_their_rows_and_are_not_listed_without_end():
    pos = np.full((100, 20, 2), np.nan)
    pos[:, 1], pos[:, 2] = (0.0, 0.0), (0.1, 0.0)
    pos[5:, 2] = (0.03, 0.0)
    with pytest.raises(ValueError, match="impossible layout: row 5: queen and white 1") as caught:
        Layout(pos).check(ICF)
    assert str(caught.value).count("overlap by") == 8
    assert str(caught.value).endswith("and 87 more")


# Random layouts


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_random_layouts_are_legal(preset):
    equipment = PRESETS[preset]
    layout = random_layout(equipment, 200, 3, striker=True)
    layout.check(equipment)
    assert np.isfinite(layout.pos).all()
    assert (np.abs(layout.pos) <= equipment.side / 2 - equipment.radius[:, np.newaxis]).all()
    assert closest(layout.pos).min() > 2 * equipment.man_radius
    from_striker = np.linalg.norm(layout.pos[:, 1:] - layout.pos[:, :1], axis=-1)
    assert from_striker.min() > equipment.striker_radius + equipment.man_radius
    pocket = equipment.side / 2 - equipment.pocket_offset
    from_pocket = np.linalg.norm(np.abs(layout.pos) - pocket, axis=-1)
    assert (from_pocket > equipment.capture_radius).all()


def test_random_layout_leaves_the_base_line_free_if_asked():
    y, limit = -(ICF.side / 2 - ICF.base_line_distance), legal_intervals(ICF).max()
    places = np.stack([np.linspace(-limit, limit, 301), np.full(301, y)], axis=-1)

    def nearest(**options):
        pos = random_layout("icf", 100, 5, **options).pos[:, 1:]
        return np.linalg.norm(pos[:, :, np.newaxis] - places, axis=-1).min()

    assert nearest() > ICF.striker_radius + ICF.man_radius
    assert nearest(clear_base_line=False) < ICF.striker_radius


def test_random_layout_of_a_row_depends_on_seed_and_row_alone():
    whole = random_layout("icf", 30, 6).pos
    np.testing.assert_array_equal(random_layout("icf", 7, 6, first_row=11).pos, whole[11:18])
    np.testing.assert_array_equal(random_layout("icf", None, 6, first_row=3).pos, whole[3])
    assert len({row.tobytes() for row in whole}) == 30
    assert not np.array_equal(whole, random_layout("icf", 30, 7).pos)


@pytest.mark.parametrize(
    ("options", "present"),
    [
        ({}, range(1, 20)),
        ({"n_men": 0}, [1]),
        ({"n_men": 5, "queen": False}, [2, 3, 4, 11, 12]),
        ({"n_men": (0, 2), "striker": True}, [0, 1, 11, 12]),
    ],
)
def test_which_discs_a_random_layout_has(options, present):
    pos = random_layout("icf", **options).pos
    assert pos.shape == (20, 2)
    assert np.flatnonzero(np.isfinite(pos).all(axis=1)).tolist() == list(present)
    assert np.isnan(np.delete(pos, list(present), axis=0)).all()


def test_random_positions_fill_the_board_evenly():
    queens = random_layout("icf", 4000, 9, n_men=0, clear_base_line=False).pos[:, QUEEN]
    counts = np.histogram2d(*queens.T, bins=4, range=[[-0.3545, 0.3545]] * 2)[0]
    inner = counts[1:3, :].ravel()  # the pockets' corners are a little emptier
    assert (np.abs(inner - 250) < 4 * math.sqrt(250)).all()


@pytest.mark.parametrize("n_men", [19, -1, (10, 0), (1, 2, 3), 2.5, "all"])
def test_impossible_numbers_of_men_are_refused(n_men):
    with pytest.raises(ValueError, match=r"n_men = .*: must be 0 to 18, or two numbers from 0 to 9"):
        random_layout("icf", n_men=n_men)


def test_a_board_too_small_gives_up_with_a_message():
    crowded = ICF.replace(side=0.15, base_line_distance=0.05)
    with pytest.raises(ValueError, match=r"row 0: no free place for .* in 50 trials; the board of 0\.15 m is too full"):
        random_layout(crowded, trials=50)


@given(st.floats(-10, 10), st.floats(0, 0.01))
def test_any_pack_is_legal(rotation, gap):
    opening("icf", rotation=rotation, gap=gap).check(ICF)
