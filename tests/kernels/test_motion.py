"""The motion law: golden values, the slow twin, and what must hold whatever the numbers."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from carromsim.data.build_motion_table import build
from carromsim_kernels.motion import begin_motion, rim_speed, speed_and_path_left
from carromsim_kernels.state import MotionTable
from oracles.scenes import nobody, open_field
from oracles.sliding import Motion

pytestmark = pytest.mark.kernel

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_sliding_spinning.json").read_text())["cases"]
FULL_FACE = [case for case in GOLDEN if case["gamma"] == 2 and case["kappa"] == 0]
TABLE_ERROR = 1e-8
"""Demanded of the tabulated law."""
TWIN_ERROR = 1e-9
"""What it reaches, of the speed and spin at the start and the path to the end."""
MAN = 5


def name(case: dict[str, float]) -> str:
    return f"v={case['v']} omega={case['omega']} contact={case['contact_ratio']} kappa={case['kappa']}"


@cache
def table(gamma: float = 2.0, kappa: float = 0.0) -> MotionTable:
    built = build(gamma, kappa)
    (ratio_fixed, force_fixed), face = built["fixed"].tolist(), built["face"].tolist()
    return MotionTable(built["cells"], built["roots"], built["ratio"], ratio_fixed, force_fixed, *face)


def follow(
    law: MotionTable, v: float, w: float, mu_g: float, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return speed, rim speed and path at times t by the kernels' functions, for a disc that slides and spins."""
    _, first, inv_scale, factor, t_stop, s_stop, _, _ = begin_motion(law, v, w, mu_g)
    speed, left = np.array([speed_and_path_left(law, first, inv_scale, factor, mu_g, t_stop - x) for x in t]).T
    return speed, np.array([rim_speed(law, first, inv_scale, mu_g, t_stop - x) for x in t]), s_stop - left


def slide(v: float, omega: float, radius: float, mu: float, gravity: float, until: float = np.inf) -> cs.Outcomes:
    """Let one man slide from the middle of an endless board along x."""
    pos, vel, spin = nobody()
    pos[MAN], vel[MAN, 0], spin[MAN] = 0.0, v, omega
    field = open_field(man_radius=radius, mu_surface=mu, gravity=gravity)
    return cs.simulate_motion(pos, vel, spin, equipment=field, until=until, record=False, threads=1)


@pytest.mark.parametrize("case", FULL_FACE, ids=name)
def test_golden_motions(case: dict[str, float]) -> None:
    state = case["v"], case["omega"], case["R"], case["mu"], case["g"]
    end, half = slide(*state), slide(*state, until=case["t_half"])
    got = [
        end.duration[0], end.pos[0, MAN, 0], half.vel[0, MAN, 0], half.omega[0, MAN], half.pos[0, MAN, 0],
    ]  # fmt: skip
    expected = [case[k] for k in ("t_stop", "s_stop", "v_half", "omega_half", "s_half")]
    assert got == pytest.approx(expected, rel=TABLE_ERROR, abs=1e-14)
    assert not end.vel[0, MAN].any()
    assert end.omega[0, MAN] == 0.0


@pytest.mark.parametrize("case", [case for case in GOLDEN if case not in FULL_FACE], ids=name)
def test_golden_motions_on_other_contact_faces(case: dict[str, float]) -> None:
    law, mu_g, arm = table(case["gamma"], case["kappa"]), case["mu"] * case["g"], case["contact_ratio"] * case["R"]
    start = case["v"], arm * case["omega"], mu_g
    _, _, _, _, t_stop, s_stop, _, _ = begin_motion(law, *start)
    v, w, s = follow(law, *start, np.array([case["t_half"]]))
    expected = [case[k] for k in ("t_stop", "s_stop", "v_half", "omega_half", "s_half")]
    assert [t_stop, s_stop, v[0], w[0] / arm, s[0]] == pytest.approx(expected, rel=TABLE_ERROR)


def test_the_stored_table_is_what_its_generator_makes() -> None:
    with np.load(Path(cs.__file__).parent / "data" / "motion_full_disc.npz") as stored:
        for key, value in build().items():
            np.testing.assert_allclose(stored[key], value, rtol=1e-9, atol=1e-12, err_msg=key)


def test_all_ratios_of_speed_and_spin_follow_the_slow_twin() -> None:
    rng = np.random.default_rng(3)
    law, worst = table(), np.zeros(3)
    for _ in range(400):
        ratio = 10.0 ** rng.uniform(-5, 5)
        v, w = (1.0, 1.0 / ratio) if ratio > 1.0 else (ratio, 1.0)
        twin = Motion(v, w, 1.0, 1.0)
        t = twin.t_stop * rng.uniform(0.0, 1.0, 3)
        got = np.array(follow(law, v, w, 1.0, t))
        expected = np.array([twin.state(x) for x in t]).T
        worst = np.maximum(worst, np.max(np.abs(got - expected), axis=1) / [v, w, twin.s_stop])
    assert np.all(worst < TWIN_ERROR), worst


@pytest.mark.parametrize("omega", [0.0, 1e-9, 0.3, -40.0, 400.0, 2000.0])
def test_speed_and_spin_only_fall_and_the_path_only_grows(omega: float) -> None:
    field = open_field()
    end = slide(1.7, omega, field.man_radius, field.mu_surface, field.gravity)
    times = np.linspace(0.0, 1.001 * float(end.duration[0]), 301)
    states = [slide(1.7, omega, field.man_radius, field.mu_surface, field.gravity, until=float(t)) for t in times]
    speed = np.array([state.vel[0, MAN, 0] for state in states])
    spin = np.array([abs(state.omega[0, MAN]) for state in states])
    path = np.array([state.pos[0, MAN, 0] for state in states])
    assert speed[0] == 1.7
    assert spin[0] == pytest.approx(abs(omega), rel=1e-12, abs=0.0)
    assert np.all(np.diff(speed) <= 0.0)
    assert np.all(np.diff(spin) <= 0.0)
    assert np.all(np.diff(path) >= 0.0)
    assert (speed[-1], spin[-1], path[-1]) == (0.0, 0.0, end.pos[0, MAN, 0])


@pytest.mark.parametrize("v", [1e-6, 0.3, 2.0, 11.0])
def test_without_spin_the_deceleration_is_constant(v: float) -> None:
    mu, g = 0.1, 9.80665
    t_stop = v / (mu * g)
    assert float(slide(v, 0.0, 0.0155, mu, g).duration[0]) == pytest.approx(t_stop, rel=1e-15)
    for t in t_stop * np.array([0.001, 0.3, 0.7, 0.999]):
        state = slide(v, 0.0, 0.0155, mu, g, until=float(t))
        assert state.vel[0, MAN, 0] == pytest.approx(v - mu * g * t, abs=4e-16 * v)
        assert state.pos[0, MAN, 0] == pytest.approx(v * t - 0.5 * mu * g * t * t, rel=1e-15)
        assert state.omega[0, MAN] == 0.0


@pytest.mark.parametrize(("scale", "error"), [(2.0, 0.0), (2.0**-7, 0.0), (3.7, 1e-9)])
@pytest.mark.parametrize("ratio", [0.01, 0.4, 0.653, 0.66, 1.0, 1.5, 30.0])
def test_the_law_has_no_scale(ratio: float, scale: float, error: float) -> None:
    """(v, w, x, t) -> (k v, k w, k^2 x, k t); for powers of two bit by bit."""
    law, t = table(), np.array([0.0, 0.11, 0.57, 0.98])
    t_stop, s_stop = begin_motion(law, ratio, 1.0, 1.0)[4:6]
    scaled = begin_motion(law, scale * ratio, scale, 1.0)[4:6]
    assert scaled == pytest.approx((scale * t_stop, scale**2 * s_stop), rel=error, abs=0.0)
    small = follow(law, ratio, 1.0, 1.0, t * t_stop)
    large = follow(law, scale * ratio, scale, 1.0, scale * (t * t_stop))
    for power, a, b in zip((1, 1, 2), small, large, strict=True):
        np.testing.assert_allclose(b, scale**power * a, rtol=error, atol=error * s_stop)


def test_speed_and_spin_end_together_at_the_fixed_ratio() -> None:
    law = table()
    for ratio in (0.05, 0.5, 0.7, 3.0):
        t_stop = begin_motion(law, ratio, 1.0, 1.0)[4]
        v, w, _ = follow(law, ratio, 1.0, 1.0, np.array([t_stop * (1.0 - 1e-14)]))
        assert v[0] / w[0] == pytest.approx(0.6530017892055977, rel=1e-6)
