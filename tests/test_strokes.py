import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from carromsim.equipment import PRESETS, Equipment
from carromsim.strokes import (
    Strokes,
    check_placement,
    clip_to_legal,
    direction,
    legal_intervals,
    placement_legal,
    quarter_turns,
    snap_to_end_circle,
)

MM = 1e-3
ICF, UKCA, CAINT, BELL = (Equipment.preset(name) for name in ("icf", "ukca", "caint", "bell"))
ARROW = 252.6 - math.sqrt(2.0) * (20.65 + 1.0)  # mm, where the striker touches the arrow, half a width of 1 mm assumed
EPS = 1e-3  # mm


def touches_or_cuts_circle(x, equipment, circle):
    """By the words of the rule: the circle is neither left alone nor covered."""
    distance = abs(abs(x) - equipment.end_circle_offset)
    untouched = distance >= equipment.striker_radius + circle
    covered = distance + circle <= equipment.striker_radius
    return not (untouched or covered)


# Placement


@pytest.mark.parametrize(
    ("equipment", "free", "cover"), [(ICF, 182.55, 4.75), (UKCA, 182.55, 4.75), (CAINT, 185.75, 7.95)]
)
def test_legal_placements_in_numbers(equipment, free, cover):
    expected = [[-ARROW, -(219.1 - cover)], [-free, free], [219.1 - cover, ARROW]]
    np.testing.assert_allclose(legal_intervals(equipment) / MM, expected, rtol=1e-12)
    for sign in (-1, 1):
        for x in (0.0, 100.0, free, 219.1 - cover, 219.1, 219.1 + 2.8):
            assert placement_legal(sign * x * MM, equipment), x
        for x in (free + EPS, (free + 219.1 - cover) / 2, 219.1 - cover - EPS, 219.1 + 3.0, 300.0, 1e300, math.inf):
            assert not placement_legal(sign * x * MM, equipment), x


def test_arrow_leaves_about_three_millimetres_outward():
    outward = legal_intervals(ICF)[-1, 1] - ICF.end_circle_offset
    assert outward == pytest.approx((23.7 - 20.65 - 1.0) * 1.414 * MM, abs=2e-5)
    on_diagonal = np.array([legal_intervals(ICF)[-1, 1], -(ICF.side / 2 - ICF.base_line_distance)])
    distance_to_diagonal = abs(on_diagonal.sum()) / math.sqrt(2.0)
    assert distance_to_diagonal == pytest.approx(ICF.striker_radius + ICF.arrow_half_width, rel=1e-12)
    without = legal_intervals(ICF.replace(arrow_half_width=None))
    assert without[-1, 1] == pytest.approx((219.1 + 4.75) * MM, rel=1e-12)


def test_bells_striker_stands_anywhere_in_its_box():
    np.testing.assert_allclose(legal_intervals(BELL), [[-0.235 + 0.01695, 0.235 - 0.01695]], rtol=1e-12)
    assert placement_legal(np.linspace(-0.218, 0.218, 101), BELL).all()
    assert not placement_legal(0.21806, BELL)


def test_a_striker_that_covers_no_end_circle_stays_between_them():
    small = ICF.replace(striker_radius=0.015)
    np.testing.assert_allclose(legal_intervals(small), [[-(0.2191 - 0.0309), 0.2191 - 0.0309]], rtol=1e-12)


def test_a_board_may_leave_no_place_at_all():
    nowhere = ICF.replace(end_circle_offset=0.03, striker_radius=0.0155)
    assert legal_intervals(nowhere).shape == (0, 2)
    assert not placement_legal(0.0, nowhere)
    with pytest.raises(ValueError, match="nowhere"):
        check_placement(0.0, nowhere)
    with pytest.raises(ValueError, match="no legal place"):
        clip_to_legal(0.0, nowhere)


def test_striker_stays_inside_a_small_frame():
    narrow = ICF.replace(side=0.4, arrow_half_width=None)
    np.testing.assert_allclose(legal_intervals(narrow), [[-(0.2 - 0.02065), 0.2 - 0.02065]], rtol=1e-12)


@given(st.floats(-0.36, 0.36), st.sampled_from([(ICF, 0.0159), (UKCA, 0.0159), (CAINT, 0.0127)]))
def test_legal_agrees_with_the_words_of_the_rule(x, case):
    equipment, circle = case
    assume(np.abs(legal_intervals(equipment) - x).min() > 1e-8)  # not within rounding of an edge
    on_arrow = abs(x) > ARROW * MM
    assert placement_legal(x, equipment) == (not on_arrow and not touches_or_cuts_circle(x, equipment, circle))


def test_error_of_an_illegal_placement_gives_the_intervals():
    with pytest.raises(ValueError, match="x = 200 mm: the striker may stand at") as caught:
        check_placement(0.2, ICF)
    assert "-182.55 to 182.55 mm" in str(caught.value)
    assert "214.35 to 221.98 mm" in str(caught.value)
    assert "(icf)" in str(caught.value)
    with pytest.raises(ValueError, match="x = nan mm"):
        check_placement(math.nan, ICF)
    check_placement(-0.2191, ICF)


@given(st.floats(-1, 1), st.sampled_from(sorted(PRESETS)))
def test_clipping_moves_to_the_nearest_legal_place(x, name):
    equipment = PRESETS[name]
    clipped = float(clip_to_legal(x, equipment))
    assert placement_legal(clipped, equipment)
    if placement_legal(x, equipment):
        assert clipped == pytest.approx(x, abs=1.1e-9)
    candidates = np.concatenate([legal_intervals(equipment).ravel(), [clipped]])
    assert abs(clipped - x) <= np.abs(candidates - x).min()


def test_clipping_of_arrays_and_oddities():
    x = np.array([0.0, 0.19, 0.21, 1.0, np.inf, -np.inf, np.nan])
    limit = ARROW * MM
    expected = [0.0, 0.18255, 0.21435, limit, limit, -limit, np.nan]
    np.testing.assert_allclose(clip_to_legal(x, ICF), expected, rtol=1e-12)
    assert clip_to_legal(np.zeros((2, 3)), ICF).shape == (2, 3)


def test_on_the_end_circle_the_striker_is_centred():
    x = np.array([0.2144, 0.2191, 0.2219, -0.2150, 0.18, 0.0, 0.2, 0.3])
    snapped = snap_to_end_circle(x, ICF)
    assert snapped.tolist() == [0.2191, 0.2191, 0.2191, -0.2191, 0.18, 0.0, 0.2, 0.3]
    assert x[0] == 0.2144
    assert snap_to_end_circle(0.2144, BELL) == 0.2144
    pos, _ = Strokes(x=0.2144, speed=1.0).start(ICF)
    assert pos.tolist() == [[0.2191, -(0.37 - 0.1174)]]


# Strokes


def test_scalars_make_one_stroke():
    stroke = Strokes(x=0.1, speed=6)
    assert (stroke.n, len(stroke), stroke.scalar) == (1, 1, True)
    assert stroke.angle.tolist() == [math.pi / 2]
    assert stroke.spin.tolist() == [0.0]
    assert (stroke.speed.dtype, stroke.seat.dtype) == (np.float64, np.int8)


def test_arrays_broadcast_and_are_copied_read_only():
    x = np.array([0.0, 0.1, 0.2])
    strokes = Strokes(x=x, speed=[1], spin=np.float32(2.0), seat=np.array([0, 1, 3]))
    x[0] = 9.0
    assert (strokes.n, strokes.scalar) == (3, False)
    assert strokes.x.tolist() == [0.0, 0.1, 0.2]
    assert strokes.speed.tolist() == [1.0, 1.0, 1.0]
    assert strokes.seat.tolist() == [0, 1, 3]
    for column in (strokes.x, strokes.angle, strokes.speed, strokes.spin, strokes.seat):
        assert column.flags.c_contiguous
        assert not column.flags.writeable
    assert Strokes(x=[], speed=1.0).n == 0
    assert Strokes(x=[0.0], speed=1.0).scalar is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": math.nan}, "x = nan: must be finite"),
        ({"speed": math.inf}, "speed = inf: must be finite"),
        ({"angle": -math.inf}, "angle = -inf: must be finite"),
        ({"spin": math.nan}, "spin = nan: must be finite"),
        ({"speed": -0.1}, "speed = -0.1 m/s: must be from 0 to 10000"),
        ({"speed": 1e100}, r"speed = 1e\+100 m/s: must be from 0 to 10000"),
        ({"spin": -1e300}, r"spin = -1e\+300 rad/s: must be from -1e\+06 to 1e\+06"),
        ({"seat": 4}, "seat = 4: must be 0 .bottom"),
        ({"seat": -1}, "seat = -1: must be"),
        ({"seat": 1.0}, "seat = 1.0 .float64.: must be an integer"),
        ({"x": "left"}, "x = 'left' "),
        ({"x": None}, "x = None"),
        ({"speed": True}, "speed = True"),
        ({"speed": 1j}, "speed = 1j"),
        ({"x": [[0.0]]}, r"x has shape \(1, 1\)"),
        ({"x": [0.0, [1.0]]}, "x = .*ragged"),
        ({"speed": np.ma.array([3.0, 5.0], mask=[False, True])}, "(?s)speed = masked_array.*: is masked, must be an"),
        ({"x": [0.0, 0.1], "speed": [1.0, 2.0, 3.0]}, r"x \(2,\), speed \(3,\)"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Strokes(**{"x": 0.0, "speed": 1.0} | arguments)


def test_bad_values_inside_arrays_make_illegal_rows():
    n = 12
    columns = {
        "x": np.zeros(n),
        "angle": np.full(n, 1.5),
        "speed": np.ones(n),
        "spin": np.zeros(n),
        "seat": np.zeros(n, int),
    }
    columns["x"][1], columns["x"][2] = 0.2, np.nan
    columns["angle"][3] = np.inf
    columns["speed"][4], columns["speed"][5] = -1.0, np.inf
    columns["spin"][6] = np.nan
    columns["seat"][7] = 300
    columns["speed"][9], columns["spin"][10], columns["spin"][11] = 1e4, 1e6, -1e6
    strokes = Strokes(**columns)
    assert strokes.is_legal(ICF).tolist() == [True] + [False] * 7 + [True] * 4
    columns["speed"][9], columns["spin"][10], columns["spin"][11] = 1.0001e4, 1.0001e6, -1e300
    assert Strokes(**columns).is_legal(ICF).tolist() == [True] + [False] * 7 + [True] + [False] * 3
    assert strokes.seat[7] == -1
    pos, vel = strokes.start(ICF)
    assert np.isnan(vel[3]).all()
    assert np.isnan(pos[7]).all()
    assert np.isfinite(pos[[0, 8]]).all()
    assert np.isfinite(vel[[0, 8]]).all()


def test_start_of_each_seat_straight_ahead_is_exact():
    y = 0.37 - 0.1174
    pos, vel = Strokes(x=0.1, speed=6.0, seat=[0, 1, 2, 3]).start(ICF)
    assert pos.tolist() == [[0.1, -y], [y, 0.1], [-0.1, y], [-y, -0.1]]
    assert vel.tolist() == [[0.0, 6.0], [-6.0, 0.0], [0.0, -6.0], [6.0, 0.0]]
    assert not np.signbit(np.where(vel == 0, vel, 1.0)).any()


@given(st.floats(-0.18, 0.18), st.floats(-7, 7), st.floats(0, 10))
def test_seats_are_quarter_turns_of_each_other(x, angle, speed):
    pos, vel = Strokes(x=x, angle=angle, speed=speed, seat=[0, 1, 2, 3]).start(ICF)
    for seat in range(3):
        np.testing.assert_array_equal(pos[seat + 1], [-pos[seat, 1], pos[seat, 0]])
        np.testing.assert_array_equal(vel[seat + 1], [-vel[seat, 1], vel[seat, 0]])


@given(st.floats(-0.18, 0.18), st.floats(-1.5, 1.5), st.floats(0, 10))
def test_the_mirror_image_of_a_stroke_is_exact(x, off, speed):
    left, right = math.pi / 2 + off, math.pi / 2 - off
    assume(left - math.pi / 2 == math.pi / 2 - right)  # both sums round alike
    pos, vel = Strokes(x=[x, -x], angle=[left, right], speed=speed).start(ICF)
    np.testing.assert_array_equal(pos[1], pos[0] * [-1, 1])
    np.testing.assert_array_equal(vel[1], vel[0] * [-1, 1])


# Directions


@pytest.mark.parametrize("quarter", range(-9, 10))
def test_multiples_of_a_quarter_turn_are_exact(quarter):
    exact = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][quarter % 4]
    for angle in (quarter * math.pi / 2, quarter * (math.pi / 2), math.radians(90 * quarter)):
        assert direction(np.array([angle]))[0].tolist() == list(exact)


@given(st.floats(-20, 20))
def test_direction_is_the_unit_vector(angle):
    unit = direction(np.array([angle]))[0]
    np.testing.assert_allclose(unit, [math.cos(angle), math.sin(angle)], rtol=0, atol=5e-15)
    assert math.hypot(*unit) == pytest.approx(1.0, abs=3e-16)


def test_direction_of_a_row_does_not_depend_on_its_company():
    angles = np.linspace(-3.0, 3.0, 257)
    whole = direction(angles)
    alone = np.concatenate([direction(angles[i : i + 1]) for i in range(len(angles))])
    np.testing.assert_array_equal(whole, alone)
    assert direction(np.array([])).shape == (0, 2)
    assert np.isnan(direction(np.array([np.nan, np.inf]))).all()


def test_quarter_turns_need_a_number_of_turns():
    turned = quarter_turns(np.array([[1.0, 2.0]] * 5), np.array([0, 1, 2, 3, -1], np.int8))
    np.testing.assert_array_equal(turned, [[1, 2], [-2, 1], [-1, -2], [2, -1], [np.nan, np.nan]])
