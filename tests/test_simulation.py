"""The bridge: what is refused, what gets a status, and coefficients by row."""

import re

import numpy as np
import pytest

import carromsim as cs

ICF = cs.Equipment.preset("icf")
ICE = ICF.replace(mu_surface=0.0)
NONE, STILL = np.zeros(20), np.zeros((20, 2))
LAYOUT = cs.opening("icf", gap=0.0005)
STROKE = cs.Strokes(x=0.0, speed=5.0)


def test_coefficients_by_row_are_those_of_equipment_with_these_coefficients() -> None:
    values = {"mu_surface": [0.06, 0.1, 0.13], "e_disc": [0.9, 0.85, 0.75], "e_cushion": [0.6, 0.7, 0.8]}
    values |= {"v_c_disc": [0.0, 0.1, 0.4], "v_c_cushion": [0.3, 0.0, 0.1], "t_contact": [1e-4, 5e-5, 2e-4]}
    strokes = cs.Strokes(x=[0.01, 0.01, 0.01], speed=5.0)
    out = cs.simulate(LAYOUT, strokes, coefficients=values)
    for row in range(3):
        eq = ICF.replace(**{name: column[row] for name, column in values.items()})
        alone = cs.simulate(LAYOUT, cs.Strokes(x=0.01, speed=5.0), equipment=eq)
        np.testing.assert_array_equal(alone.pos[0], out.pos[row])
    assert len({out.duration[row] for row in range(3)}) == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mu_surface", -0.1),
        ("mu_surface", 0.0),
        ("e_disc", 1.1),
        ("e_cushion", np.nan),
        ("mu_disc", np.inf),
        ("beta_disc", -2.0),
        ("v_c_disc", -0.1),
        ("v_c_disc", 1.1e4),
        ("mu_surface", 1e300),
        ("mu_cushion", 101.0),
        ("v_c_cushion", np.inf),
        ("t_contact", 2e-3),
        ("t_contact", np.nan),
    ],
)
def test_an_impossible_coefficient_spoils_its_row_alone(name: str, value: float) -> None:
    usual = getattr(ICF, name)
    strokes = cs.Strokes(x=[0.0, 0.01, 0.02], speed=5.0)
    out = cs.simulate(LAYOUT, strokes, coefficients={name: [usual, value, usual]})
    assert out.status.tolist() == [0, 3, 0]
    np.testing.assert_array_equal(out.pos[[0, 2]], cs.simulate(LAYOUT, strokes).pos[[0, 2]])
    assert np.isnan(out.pos[1]).all()
    assert (out.pocket[1] == -1).all()


def test_bad_rows_of_a_batch_get_a_status_and_leave_the_others_alone() -> None:
    strokes = cs.Strokes(x=[0.0, 0.2, 0.0, 0.0, 0.0], speed=[5.0, 5.0, -1.0, np.nan, 5.0])
    out = cs.simulate(LAYOUT, strokes)
    assert out.status.tolist() == [0, 3, 3, 3, 0]
    np.testing.assert_array_equal(out.pos[0], out.pos[4])
    pos = np.stack([LAYOUT.pos, LAYOUT.pos])
    pos[1, 3] = [0.0, -0.2526]
    blocked = cs.simulate(cs.Layout(pos), STROKE)
    assert blocked.status.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.simulate(LAYOUT, STROKE, threads=0), "threads = 0: must be a whole number >= 1"),
        (lambda: cs.simulate(LAYOUT, STROKE, chunk_rows=2.5), "chunk_rows = 2.5: must be a whole number"),
        (lambda: cs.simulate(LAYOUT, STROKE, seed=-1), "seed = -1"),
        (lambda: cs.simulate(LAYOUT, STROKE, equipment="ICF"), "unknown equipment preset 'ICF'"),
        (lambda: cs.simulate(LAYOUT, STROKE, coefficients={"mu": [0.1]}), "coefficients: unknown 'mu'"),
        (lambda: cs.simulate(LAYOUT, STROKE, coefficients={"e_disc": [0.1, 0.2]}), "has shape (2,): must be (1,)"),
        (lambda: cs.simulate(LAYOUT, cs.Strokes(x=0.2, speed=5.0)), "x = 200 mm: the striker may stand at"),
        (lambda: cs.simulate(cs.arrange(queen=(0, 0), white=[(0.01, 0)]), STROKE), "queen and white 1 (disc 2)"),
        (lambda: cs.simulate(cs.arrange(queen=(0.0, 0.4)), STROKE), "queen lies 45.5 mm outside the board"),
        (lambda: cs.simulate(cs.arrange(queen=(0.0, -0.2526)), STROKE), "striker and queen overlap by 36.1 mm"),
        (lambda: cs.simulate(LAYOUT.pos, STROKE), "layout = ndarray, strokes = Strokes: must be a Layout and"),
        (lambda: cs.simulate(LAYOUT, STROKE, equipment=ICE), "nothing would ever rest"),
        (lambda: cs.simulate_motion(np.zeros((3, 2)), 0, 0), "pos has shape (3, 2)"),
        (lambda: cs.simulate_motion(LAYOUT.pos, np.zeros((20, 3)), NONE), "vel has shape (20, 3): must be (20, 2)"),
        (lambda: cs.simulate_motion(LAYOUT.pos, np.full((20, 2), np.inf), NONE), "must be finite"),
        (lambda: cs.simulate_motion(LAYOUT.pos, STILL, NONE, until=np.nan), "until = nan: must be >= 0 s, or inf"),
        (lambda: cs.simulate(LAYOUT, STROKE, until=-1), "until = -1: must be >= 0 s, or inf"),
        (lambda: cs.simulate(LAYOUT, STROKE, until=[1.0, 2.0]), "until has shape (2,): must be one number or (1,)"),
        (lambda: cs.simulate(LAYOUT, STROKE, until="1"), "until has dtype <U1: must be numbers"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_by_name(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()  # type: ignore[operator]


def test_a_row_that_is_faster_than_any_disc_could_be_is_marked_and_alone_is_refused() -> None:
    """Squares of such speeds overflow: a disc of 1e200 m/s did not move and was called ok."""
    vel, omega = np.zeros((4, 20, 2)), np.zeros((4, 20))
    vel[0, 5], vel[1, 5], omega[2, 5], vel[3, 0] = (9e3, 4e3), (9e3, 5e3), 2e6, (1e200, 0.0)  # no striker lies there
    out = cs.simulate_motion(np.stack([LAYOUT.pos] * 4), vel, omega, until=1e-9)
    assert out.status.tolist() == [0, 3, 3, 0]
    with pytest.raises(ValueError, match=r"vel\[5\] = \[9000. 5000.\], omega\[5\] = 0: must be at most 10000 m/s and"):
        cs.simulate_motion(LAYOUT.pos, vel[1], omega[1])


def test_no_rows_are_no_mistake() -> None:
    out = cs.simulate(LAYOUT, cs.Strokes(x=np.empty(0), speed=1.0), record=True)
    assert len(out) == 0
    assert out.to_arrow().num_rows == 0


def test_events_need_recording() -> None:
    out = cs.simulate(LAYOUT, STROKE)
    with pytest.raises(ValueError, match="record=True"):
        out.events(0)
    with pytest.raises(IndexError, match="row = 1"):
        cs.simulate(LAYOUT, STROKE, record=True).events(1)


def test_a_disc_that_starts_over_a_pocket_falls_in_the_time_that_the_equipment_says() -> None:
    pos = np.full((20, 2), np.nan)
    pos[5] = [0.34, 0.345]
    for height, time in ((0.0, 0.0), (0.004, np.sqrt(2.0 * 0.004 / 9.80665)), (0.5, np.sqrt(1.0 / 9.80665))):
        eq = ICF.replace(fall_height=height)
        out = cs.simulate_motion(pos, np.zeros((20, 2)), np.zeros(20), equipment=eq)
        assert out.pocket[0, 5] == 2
        assert out.pocket_time[0, 5] == time
        assert out.events(0).tolist() == [(time, 2, 5, -1)]


def test_the_clock_stops_on_a_surface_without_friction() -> None:
    pos, vel = np.full((20, 2), np.nan), np.zeros((20, 2))
    pos[0], vel[0] = [0.0, 0.0], [1.0, 0.0]
    eq = ICF.replace(mu_surface=0.0, e_cushion=1.0)
    out = cs.simulate_motion(pos, vel, np.zeros(20), equipment=eq, until=10.0)
    assert out.vel[0, 0].tolist() == [1.0, 0.0] or out.vel[0, 0].tolist() == [-1.0, 0.0]
    room = 2 * (0.37 - eq.striker_radius)
    assert out.n_cushion_hits[0] == int((10.0 - room / 2) // room) + 1
    assert out.duration[0] == 10.0


def test_each_row_has_its_own_clock() -> None:
    speeds, stops = np.array([5.0, 3.0, 5.0, 4.0]), np.array([0.3, np.inf, 0.0, 0.7])
    together = cs.simulate(LAYOUT, cs.Strokes(x=0.0, speed=speeds), until=stops, record=True, threads=2, chunk_rows=1)
    for row, (speed, stop) in enumerate(zip(speeds.tolist(), stops.tolist(), strict=True)):
        alone = cs.simulate(LAYOUT, cs.Strokes(x=0.0, speed=speed), until=stop, record=True)
        for name in ("pos", "vel", "omega", "duration", "n_events"):
            np.testing.assert_array_equal(getattr(together, name)[row], getattr(alone, name)[0])
        np.testing.assert_array_equal(together.events(row), alone.events(0))
    assert together.duration[[0, 2, 3]].tolist() == [0.3, 0.0, 0.7]
    pos = np.stack([LAYOUT.pos] * 3)
    vel = np.zeros((3, 20, 2))
    vel[:, 5] = [1.0, 0.5]
    moving = cs.simulate_motion(pos, vel, np.zeros((3, 20)), until=[0.0, 0.01, 0.02])
    assert moving.duration.tolist() == [0.0, 0.01, 0.02]
    ice = cs.simulate(LAYOUT, STROKE, equipment=ICE, until=0.2)
    assert ice.duration.tolist() == [0.2]
    assert np.hypot(*ice.vel[0, 0]) > 0.0


def test_outcomes_travel_to_other_libraries_with_nulls() -> None:
    import polars as pl

    out = cs.simulate(LAYOUT, cs.Strokes(x=[0.0, 0.2], speed=5.0))
    frame = pl.DataFrame(out)
    assert frame["status"].to_list() == [0, 3]
    assert frame["duration"].null_count() == 1
    assert frame["pos_x"].dtype == pl.Array(pl.Float64, 20)
    assert frame["pos_x"][0].to_list()[5] == out.pos[0, 5, 0]
    assert frame["pos_x"][1].null_count() == 20
