"""A stroke followed in time, against the simulation whose clock is stopped, and against the motion law's slow twin."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.trajectories import SHORTEST
from carromsim_kernels.state import EventKind
from oracles.sliding import Motion

ICF = cs.Equipment.preset("icf")
SEQUENTIAL = ICF.replace(contact="sequential")
PACK, LOOSE = cs.opening("icf"), cs.opening("icf", gap=5e-4, jitter=1e-4)
CUT = ICF.replace(corner="cut_away", face=0.95, face_hole=0.2)
TOLERANCE = 2e-5
TIMES = 1000

CASES: dict[str, tuple[cs.Layout, dict[str, float], cs.Equipment]] = {
    "break, gaps, hits of two": (LOOSE, {"x": 0.0, "speed": 6.0, "spin": 50.0}, SEQUENTIAL),
    "break, in touch, hits of two": (PACK, {"x": 0.05, "angle": 1.7, "speed": 6.0, "seat": 2}, SEQUENTIAL),
    "break, gaps": (LOOSE, {"x": 0.004, "angle": 1.568, "speed": 1.03, "spin": 90.0, "seat": 3}, ICF),
    "break, in touch": (PACK, {"x": 0.01, "speed": 6.0}, ICF),
    "spin": (cs.arrange(white=[(0.2, 0.1)]), {"x": 0.1, "angle": 0.8, "speed": 3.0, "spin": 99.0}, CUT),
    "discs that jump": (PACK, {"x": 0.0, "speed": 8.0, "seat": 1}, ICF.replace(jump_chance=0.3, jump_speed=2.0)),
    "pocketing": (cs.arrange(black=[(0.3, 0.3)], queen=(0.1, 0.2)), {"x": 0.0, "angle": 1.127, "speed": 2.5}, ICF),
}  # fmt: skip


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[cs.Trajectory, Any]:
    """Give a trajectory, and what simulates the same stroke with its clock stopped at each of some times."""
    layout, stroke, equipment = CASES[request.param]

    def simulated(until: np.ndarray) -> cs.Outcomes:
        n = len(until)
        strokes = cs.Strokes(**{name: np.full(n, value) for name, value in stroke.items()})
        rows = np.full(n, 3)
        return cs.simulate(layout, strokes, equipment=equipment, seed=9, rows=rows, until=until, record=n == 1)

    return cs.follow(layout, cs.Strokes(**stroke), equipment=equipment, seed=9, row=3), simulated


def test_places_are_those_of_the_simulation_at_any_time(case: tuple[cs.Trajectory, Any]) -> None:
    followed, simulated = case
    rng = np.random.default_rng(4)
    near = rng.choice(followed.events["t"], TIMES) + rng.normal(size=TIMES) * 10.0 ** rng.uniform(-7.0, -2.0, TIMES)
    times = np.abs(np.concatenate([rng.uniform(0.0, 1.01 * followed.duration, TIMES), near]))
    there, seen = followed.at(times), simulated(times).pos
    np.testing.assert_array_equal(np.isnan(there), np.isnan(seen))
    off = np.hypot(*np.moveaxis(there - seen, -1, 0))
    assert np.nanmax(off) < TOLERANCE


def test_the_end_and_the_events_are_those_of_the_simulation(case: tuple[cs.Trajectory, Any]) -> None:
    followed, simulated = case
    out = simulated(np.array([np.inf]))
    for name, column in out.columns()[0].items():
        np.testing.assert_array_equal(followed.outcome.columns()[0][name], column, err_msg=name)
    np.testing.assert_array_equal(followed.events, out.events(0))
    assert followed.duration == out.duration[0]
    for end in (followed.duration, followed.duration + 1.0, np.inf):
        np.testing.assert_array_equal(followed.at(end), out.pos[0])
    np.testing.assert_array_equal(followed.gone, (out.pocket[0] >= 0) | (out.overboard[0] > 0))


def test_knots_are_in_order_and_end_where_the_motion_does(case: tuple[cs.Trajectory, Any]) -> None:
    followed, simulated = case
    for disc, knots in enumerate(followed.knots):
        if len(knots) == 0:
            assert np.isnan(simulated(np.zeros(1)).pos[0, disc]).all()
            continue
        assert np.isfinite(knots).all()
        assert knots[0, 0] == 0.0
        assert (np.diff(knots[:, 0]) >= 0.0).all()
        left = followed.events[(followed.events["a"] == disc) & np.isin(followed.events["kind"], (2, 4))]
        if followed.gone[disc]:
            assert knots[-1, 0] == left["t"][0]
            assert np.isnan(followed.at(left["t"][0])[disc]).all()
            assert not np.isnan(followed.at(np.nextafter(left["t"][0], 0.0))[disc]).any()
        else:
            assert not knots[-1, [3, 4, 6]].any()
            moved = len(knots) > 1
            assert moved == bool(
                (followed.at(np.linspace(0.0, followed.duration, 200))[:, disc] != knots[0, 1:3]).any()
            )


def test_velocities_and_spins_of_the_knots_are_the_true_ones(case: tuple[cs.Trajectory, Any]) -> None:
    followed, simulated = case
    for disc, knots in enumerate(followed.knots):
        calm = knots[np.abs(knots[:, :1] - followed.events["t"]).min(axis=1, initial=1.0) > SHORTEST]
        out = simulated(calm[:, 0])
        np.testing.assert_allclose(out.vel[:, disc], calm[:, 3:5], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(out.omega[:, disc], calm[:, 6], rtol=1e-12)


@pytest.mark.parametrize(("layout", "equipment"), [(LOOSE, SEQUENTIAL), (PACK, ICF)])
def test_a_disc_lies_still_until_it_is_hit_and_after_it_has_stopped(layout: cs.Layout, equipment: cs.Equipment) -> None:
    followed = cs.follow(layout, cs.Strokes(x=0.0, speed=4.0), equipment=equipment)
    for disc in range(1, 20):
        mine = followed.events[(followed.events["a"] == disc) | (followed.events["b"] == disc)]
        if len(mine):
            # A burst records a contact at the end of the step in which it begins.
            before = followed.at(np.linspace(0.0, mine["t"][0] - 2e-5, 50))[:, disc]
            assert np.abs(before - layout.pos[disc]).max() < 1e-12
        for stop in mine[:-1][mine["kind"][:-1] == EventKind.STOP]:
            until = mine["t"][mine["t"] > stop["t"]][0]
            rest = followed.at(np.linspace(stop["t"], until - 2e-5, 50))[:, disc]
            assert np.abs(rest - rest[0]).max() < 1e-12


def test_a_blow_has_the_velocities_before_and_after_it() -> None:
    followed = cs.follow(cs.arrange(white=[(0.0, 0.1)]), cs.Strokes(x=0.0, speed=2.0), equipment=SEQUENTIAL)
    t = followed.events["t"][0]
    striker = followed.knots[0][followed.knots[0][:, 0] == t]
    man = followed.knots[2][followed.knots[2][:, 0] == t]
    (before, after), (rest, hit) = striker[:, 4], man[:, 4]
    assert rest == 0.0
    assert hit - rest == pytest.approx((before - after) * ICF.striker_mass / ICF.man_mass, rel=1e-12)
    assert (hit - after) / before == pytest.approx(
        ICF.e_disc + (1 - ICF.e_disc) * ICF.v_c_disc / (ICF.v_c_disc + before)
    )


def test_a_spinning_disc_keeps_to_the_motion_law_and_turns_by_the_integral_of_its_spin() -> None:
    speed, spin, empty = 0.8, 60.0, cs.arrange()
    followed = cs.follow(empty, cs.Strokes(x=0.0, speed=speed, spin=spin))
    twin = Motion(speed, spin, ICF.striker_radius, ICF.mu_surface * ICF.gravity)
    assert followed.events["kind"].tolist() == [EventKind.STOP]
    assert followed.duration == pytest.approx(twin.t_stop, rel=1e-8)
    times = np.linspace(0.0, followed.duration, 2001)
    states = np.array([twin.state(t) for t in times])
    (knots,) = (knots for knots in followed.knots if len(knots))
    path = followed.at(times)[:, 0, 1] - knots[0, 2]
    assert np.abs(path - states[:, 2]).max() < TOLERANCE
    turned = np.trapezoid(states[:, 1], times)
    assert knots[-1, 5] == pytest.approx(turned, abs=0.02)
    assert turned > 5.0


def test_a_disc_that_spins_on_the_spot_turns_and_a_still_one_has_one_knot() -> None:
    followed = cs.follow(cs.arrange(queen=(0.0, 0.0)), cs.Strokes(x=0.0, speed=0.0, spin=30.0))
    assert len(followed.knots[1]) == 1
    assert followed.knots[0][-1, 5] == pytest.approx(15.0 * followed.duration, rel=1e-2)
    np.testing.assert_array_equal(followed.at([0.0, 0.1])[:, 1], np.zeros((2, 2)))


def test_nothing_moves() -> None:
    followed = cs.follow(PACK, cs.Strokes(x=0.0, speed=0.0))
    assert (followed.duration, len(followed.events)) == (0.0, 0)
    assert {len(knots) for knots in followed.knots} == {1}


def test_a_disc_that_is_gone_at_once_was_there() -> None:
    board = ICF.replace(fall_height=0.0)
    followed = cs.follow(cs.arrange(white=[(0.34, 0.345)]), cs.Strokes(x=0.0, speed=1.0), equipment=board)
    assert followed.events[0].tolist() == (0.0, 2, 2, -1)
    assert followed.knots[2][0, 1:3].tolist() == [0.34, 0.345]
    assert np.isnan(followed.at(0.0)[2]).all()


def test_coefficients_of_the_stroke_and_finer_tolerances() -> None:
    stroke, values = cs.Strokes(x=0.1, angle=0.8, speed=3.0, spin=99.0), {"mu_surface": 0.06, "e_cushion": 0.6}
    usual, finer = (cs.follow(LOOSE, stroke, coefficients=values, tolerance=each) for each in (2e-5, 1e-7))
    assert (usual.equipment.mu_surface, usual.equipment.e_cushion) == (0.06, 0.6)
    out = cs.simulate(LOOSE, stroke, equipment=usual.equipment)
    np.testing.assert_array_equal(usual.outcome.pos, out.pos)
    times = np.linspace(0.0, usual.duration, 500)
    many = cs.Strokes(x=np.full(500, 0.1), angle=0.8, speed=3.0, spin=99.0)
    seen = cs.simulate(LOOSE, many, equipment=usual.equipment, until=times).pos
    assert np.nanmax(np.abs(finer.at(times) - seen)) < 1e-7
    assert sum(map(len, finer.knots)) > sum(map(len, usual.knots))


def test_times_have_any_shape() -> None:
    followed = cs.follow(LOOSE, cs.Strokes(x=0.0, speed=1.0))
    times = np.linspace(0.0, 0.5, 6)
    assert followed.at(0).shape == (20, 2)
    assert followed.at([]).shape == (0, 20, 2)
    np.testing.assert_array_equal(followed.at(times.reshape(2, 3)), followed.at(times).reshape(2, 3, 20, 2))
    np.testing.assert_array_equal(followed.at(0.0)[1:], LOOSE.pos[1:])


def test_the_page_on_physics_tells_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "physics.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(block, "physics.md", "exec"), names)
    (told,) = re.findall(r"print\(stroke\)  # (.*)", block)
    assert capsys.readouterr().out.strip() == told
    assert names["stroke"].knots[5].shape[1] == 7


STROKE = cs.Strokes(x=0.0, speed=1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.follow(PACK.pos, STROKE), "layout = ndarray: must be a Layout"),
        (lambda: cs.follow(PACK, 5.0), "strokes = float: must be a Strokes"),
        (lambda: cs.follow(PACK, cs.Strokes(x=[0.0, 0.1], speed=1.0)), "strokes has 2 rows: must have one"),
        (lambda: cs.follow(cs.opening("icf", n=3), STROKE), "layout has 3 rows: must have one"),
        (lambda: cs.follow(PACK, STROKE, tolerance=0.0), "tolerance = 0.0: must be a number > 0 m"),
        (lambda: cs.follow(PACK, cs.Strokes(x=0.2, speed=1.0)), "x = 200 mm: the striker may stand at"),
        (lambda: cs.follow(PACK, cs.Strokes(x=[0.2], speed=1.0)), "the stroke has no outcome: status 3, bad input"),
        (lambda: cs.follow(PACK, STROKE, coefficients={"mu": 0.1}), "coefficients: unknown 'mu'"),
        (lambda: cs.follow(PACK, STROKE, equipment="ICF"), "unknown equipment preset 'ICF'"),
        (lambda: cs.follow(PACK, STROKE).at(-0.1), "t = -0.1: must be >= 0 s"),
        (lambda: cs.follow(PACK, STROKE).at([0.1, np.nan]), "t = nan: must be >= 0 s"),
        (lambda: cs.follow(PACK, STROKE).at("now"), "t has dtype <U3: must be numbers"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


@pytest.mark.parametrize("name", ["seed", "row", "stroke"])
@pytest.mark.parametrize("value", [-1, 1.5, True, "1"])
def test_numbers_of_chance_are_whole(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} = {value!r}: must be a whole number >= 0"):
        cs.follow(cs.Layout(np.full((20, 2), np.nan)), cs.Strokes(x=0.0, angle=1.5, speed=1.0), **{name: value})  # type: ignore[arg-type]
