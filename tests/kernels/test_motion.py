"""The motion law: golden values, the slow twin, and what must hold whatever the numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

import carromsim as cs
from carromsim.data.build_motion_table import build
from carromsim.data.motion_tables import motion_table
from carromsim_kernels.motion import CELLS, begin_motion, find_ratio, rim_speed, speed_and_path_left
from carromsim_kernels.state import MotionTable
from oracles.scenes import nobody, open_field
from oracles.sliding import Motion

pytestmark = pytest.mark.kernel

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_sliding_spinning.json").read_text())["cases"]
TABLE_ERROR = 1e-8
"""Demanded of the tabulated law."""
TWIN_ERROR = 1e-9
"""What it reaches, of the speed and spin at the start and the path to the end."""
MAN = 5


def name(case: dict[str, float]) -> str:
    return f"v={case['v']} omega={case['omega']} contact={case['contact_ratio']} kappa={case['kappa']}"


def follow(
    law: MotionTable, v: float, w: float, mu_g: float, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return speed, rim speed and path at times t by the kernels' functions, for a disc that slides and spins."""
    _, first, inv_scale, factor, t_stop, s_stop, _, _ = begin_motion(law, v, w, mu_g)
    speed, left = np.array([speed_and_path_left(law, first, inv_scale, factor, mu_g, t_stop - x) for x in t]).T
    return speed, np.array([rim_speed(law, first, inv_scale, mu_g, t_stop - x) for x in t]), s_stop - left


def slide(
    v: float, omega: float, radius: float, mu: float, gravity: float, until: float = np.inf, **face: float
) -> cs.Outcomes:
    """Let one man slide from the middle of an endless board along x."""
    pos, vel, spin = nobody()
    pos[MAN], vel[MAN, 0], spin[MAN] = 0.0, v, omega
    field = open_field(man_radius=radius, mu_surface=mu, gravity=gravity, **face)
    return cs.simulate_motion(pos, vel, spin, equipment=field, until=until, record=False, threads=1)


@pytest.mark.parametrize("case", GOLDEN, ids=name)
def test_golden_motions(case: dict[str, float]) -> None:
    state = case["v"], case["omega"], case["R"], case["mu"], case["g"]
    face = {"face": case["contact_ratio"], "face_hole": case["kappa"]}
    end, half = slide(*state, **face), slide(*state, until=case["t_half"], **face)
    got = [
        end.duration[0], end.pos[0, MAN, 0], half.vel[0, MAN, 0], half.omega[0, MAN], half.pos[0, MAN, 0],
    ]  # fmt: skip
    expected = [case[k] for k in ("t_stop", "s_stop", "v_half", "omega_half", "s_half")]
    assert got == pytest.approx(expected, rel=TABLE_ERROR, abs=1e-14)
    assert not end.vel[0, MAN].any()
    assert end.omega[0, MAN] == 0.0


def test_the_stored_table_is_what_its_generator_makes() -> None:
    """Its functions, not their coefficients: in these the rounding of another processor shows much larger."""
    values = np.linspace(0.0, 1.0, 9)[:, np.newaxis] ** np.arange(6)
    slopes = np.arange(1, 6) * values[:, :-1]
    with np.load(Path(cs.__file__).parent / "data" / "motion_full_disc.npz") as stored:
        built = build()
        old, new = stored["cells"], built.pop("cells")
        np.testing.assert_allclose(old @ values.T, new @ values.T, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(old[..., 1:] @ slopes.T, new[..., 1:] @ slopes.T, rtol=1e-9, atol=1e-12)
        for key, value in built.items():
            np.testing.assert_allclose(stored[key], value, rtol=1e-12, atol=1e-12, err_msg=key)


@pytest.mark.parametrize(
    ("face", "kappa", "error"),
    [
        (1.0, 0.0, TWIN_ERROR),
        (0.95, 0.0, 1e-8),
        pytest.param(0.9, 0.0, 1e-7, marks=pytest.mark.slow),  # the twin takes its time over narrow ends
        pytest.param(0.89, 0.0, 1e-6, marks=pytest.mark.slow),
        pytest.param(0.89, 0.9, 1e-8, marks=pytest.mark.slow),
        pytest.param(0.95, 0.8, 1e-8, marks=pytest.mark.slow),
        pytest.param(1.0, 0.5, 1e-8, marks=pytest.mark.slow),
        pytest.param(1.0, 0.8, 1e-8, marks=pytest.mark.slow),
        pytest.param(1.0, 0.9, 1e-6, marks=pytest.mark.slow),
    ],
)
def test_all_ratios_of_speed_and_spin_follow_the_slow_twin(face: float, kappa: float, error: float) -> None:
    """Anywhere, near the fixed ratio, and near the ratios at which the force law is singular."""
    rng = np.random.default_rng(3)
    law, worst = motion_table(face, kappa), np.zeros(3)
    fixed = 1.0 / law.ratio_fixed
    anywhere = 10.0 ** rng.uniform(-5, 5, 400)
    near = [eps * (1.0 + rng.choice([-1.0, 1.0], 50) * 10.0 ** rng.uniform(-6, -1, 50)) for eps in (fixed, 1.0, kappa)]
    for ratio in np.concatenate([anywhere, *near[: 2 if kappa == 0.0 else 3]]).tolist():
        v, w = (1.0, 1.0 / ratio) if ratio > 1.0 else (ratio, 1.0)
        twin = Motion(v, w / face, 1.0, 1.0, face, kappa)
        t = twin.t_stop * rng.uniform(0.0, 1.0, 3)
        got = np.array(follow(law, v, w, 1.0, t))
        expected = np.array([twin.state(x) for x in t]).T * [[1.0], [face], [1.0]]
        worst = np.maximum(worst, np.max(np.abs(got - expected), axis=1) / [v, w, twin.s_stop])
    assert np.all(worst < error), worst


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
    law, t = motion_table(1.0, 0.0), np.array([0.0, 0.11, 0.57, 0.98])
    t_stop, s_stop = begin_motion(law, ratio, 1.0, 1.0)[4:6]
    scaled = begin_motion(law, scale * ratio, scale, 1.0)[4:6]
    assert scaled == pytest.approx((scale * t_stop, scale**2 * s_stop), rel=error, abs=0.0)
    small = follow(law, ratio, 1.0, 1.0, t * t_stop)
    large = follow(law, scale * ratio, scale, 1.0, scale * (t * t_stop))
    for power, a, b in zip((1, 1, 2), small, large, strict=True):
        np.testing.assert_allclose(b, scale**power * a, rtol=error, atol=error * s_stop)


# PHYSICS: the published ratio of the full face, others to as many digits as are known.
@pytest.mark.parametrize(
    ("face", "kappa", "eps", "digits"),
    [
        (1.0, 0.0, 0.6530017892055977, 13), (0.95, 0.0, 0.5303, 4), (0.9, 0.0, 0.3470, 4), (1.0, 0.25, 0.742, 3),
        (1.0, 0.5, 0.913, 3), (1.0, 0.75, 1.217, 3), (1.0, 0.9, 1.924, 3),
    ],
)  # fmt: skip
def test_speed_and_spin_end_together_at_the_fixed_ratio(face: float, kappa: float, eps: float, digits: int) -> None:
    law = motion_table(face, kappa)
    assert 1.0 / law.ratio_fixed == pytest.approx(eps, abs=0.6 * 10.0**-digits)
    for start in (0.05 * eps, 0.8 * eps, 1.1 * eps, 5.0 * eps):
        t_stop = begin_motion(law, start, 1.0, 1.0)[4]
        v, w, _ = follow(law, start, 1.0, 1.0, t_stop * (1.0 - np.array([1.0, 1e-2, 1e-6, 1e-9, 1e-11])))
        away = np.abs(v / w * law.ratio_fixed - 1.0)
        assert np.all(np.diff(away) < 1e-12)
        assert away[-1] < 0.8 * away[0]
        if (face, kappa) == (1.0, 0.0) and away[3] > 1e-6:  # it falls like (remaining time)^p
            assert np.log10(away[3] / away[4]) / 2.0 == pytest.approx(0.61511, abs=3e-3)


@pytest.mark.parametrize(
    ("gamma", "kappa", "reason"),
    [
        (1.5, 0.0, "only if"), (2.0, 1.0, "only if"), (4.0, 0.0, "only if"), (2.0, -0.1, "only if"),
        (1.53, 0.0, "4 square roots"), (2.0, 0.98, "square roots"),
    ],
)  # fmt: skip
def test_motion_that_has_no_fixed_ratio_or_hardly_one_is_not_tabulated(gamma: float, kappa: float, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        build(gamma, kappa)


@pytest.mark.parametrize("face", [(1.0, 0.0), (0.9, 0.0), (1.0, 0.75)], ids=str)
def test_the_place_of_a_ratio_is_found(face: tuple[float, float]) -> None:
    """In the cell that a plain search gives, and to rounding, near the final ratio as far from it."""
    law, rng = motion_table(*face), np.random.default_rng(8)
    away = 10.0 ** np.concatenate([rng.uniform(-9.0, 0.0, 300), rng.uniform(0.0, 7.0, 300)])
    for curve, ratios in enumerate((law.ratio_fixed / (1.0 + away), law.ratio_fixed * (1.0 + away))):
        edges = law.ratio[curve] if curve == 1 else law.ratio[curve][::-1]
        for r in ratios[ratios < law.ratio[1, -1]].tolist():
            k, s = find_ratio(law, curve, r)
            plain = np.searchsorted(edges, r, side="right" if curve == 1 else "left")
            assert k == np.clip(plain - 1 if curve == 1 else CELLS - plain, 0, CELLS - 1)
            v, w = (np.polyval(law.cells[curve * CELLS + k, column][::-1], s) for column in (0, 1))
            assert s in (0.0, 1.0) or w / v == pytest.approx(r, rel=2e-13)
