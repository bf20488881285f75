"""Impacts of two discs and on a cushion: golden values, conservation laws, energy."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carromsim_kernels.resolve import collide_cushion, collide_discs, restitution
from oracles import naive

pytestmark = pytest.mark.kernel

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_collisions.json").read_text())["cases"]
DISC_CASES = [case for case in GOLDEN if case["input"]["kind"] == "disc-disc"]
CUSHION_CASES = [case for case in GOLDEN if case["input"]["kind"] == "disc-cushion"]

speeds = st.floats(-10.0, 10.0)
spins = st.floats(-300.0, 300.0)
radii = st.floats(0.01, 0.025)
masses = st.floats(0.001, 0.05)
angles = st.floats(0.0, 2.0 * np.pi)
laws = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 2.0), st.floats(-1.0, 1.0))
"""e, mu, beta"""
bodies = st.tuples(speeds, speeds, spins, masses, radii)
"""vx, vy, omega, m, r"""


def name(case: dict[str, Any]) -> str:
    return str(case["input"]["name"])


def energy(vx: float, vy: float, omega: float, m: float, r: float) -> float:
    return 0.5 * m * (vx**2 + vy**2) + 0.25 * m * (r * omega) ** 2


def turning(n: np.ndarray, vx: float, vy: float, omega: float, m: float, r: float) -> float:
    """Return a disc's angular momentum about a contact that lies at r n from its centre."""
    return 0.5 * m * r**2 * omega - m * r * float(n[0] * vy - n[1] * vx)


@pytest.mark.parametrize("case", DISC_CASES, ids=name)
def test_golden_impacts_of_two_discs(case: dict[str, Any]) -> None:
    c, out = case["input"], case["output"]
    got = collide_discs(
        *out["n"], *c["v1"], c["omega1"], c["m1"], c["R1"], *c["v2"], c["omega2"], c["m2"], c["R2"],
        c["e"], c["mu"], c["beta"],
    )  # fmt: skip
    expected = [*out["v1"], out["omega1"], *out["v2"], out["omega2"]]
    assert list(got) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("case", CUSHION_CASES, ids=name)
def test_golden_impacts_on_a_cushion(case: dict[str, Any]) -> None:
    c, out = case["input"], case["output"]
    got = collide_cushion(*c["n"], *c["v1"], c["omega1"], c["m1"], c["R1"], c["e"], c["mu"], c["beta"])
    assert list(got) == pytest.approx([*out["v1"], out["omega1"]], rel=1e-12, abs=1e-12)


@given(bodies, bodies, angles, laws)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_momentum_is_kept_and_energy_never_grows(
    first: tuple[float, ...], second: tuple[float, ...], angle: float, law: tuple[float, ...]
) -> None:
    n = np.array([np.cos(angle), np.sin(angle)])
    first, second = _approaching(first, second, n)
    after = collide_discs(*n, *first, *second, *law)
    one, two = (*after[:3], *first[3:]), (*after[3:], *second[3:])
    scale = sum(m * (abs(vx) + abs(vy) + r * abs(w)) for vx, vy, w, m, r in (first, second))
    for k in range(2):
        before = first[3] * first[k] + second[3] * second[k]
        assert abs(first[3] * one[k] + second[3] * two[k] - before) <= 1e-14 * scale
    # The impulse acts at the contact: it turns neither disc about it.
    assert abs(turning(n, *one) - turning(n, *first)) <= 1e-15 * scale
    assert abs(turning(-n, *two) - turning(-n, *second)) <= 1e-15 * scale
    before = energy(*first) + energy(*second)
    assert energy(*one) + energy(*two) <= before * (1.0 + 1e-14)


@given(bodies, bodies, angles, laws)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_restitution_and_friction_do_what_they_say(
    first: tuple[float, ...], second: tuple[float, ...], angle: float, law: tuple[float, ...]
) -> None:
    n = np.array([np.cos(angle), np.sin(angle)])
    t = np.array([-n[1], n[0]])
    first, second = _approaching(first, second, n)
    e, mu, beta = law
    after = collide_discs(*n, *first, *second, *law)
    closing = np.subtract(first[:2], second[:2])
    leaving = np.subtract(after[:2], after[3:5])
    rub = closing @ t + first[4] * first[2] + second[4] * second[2]
    rub_after = leaving @ t + first[4] * after[2] + second[4] * after[5]
    scale = 1e-13 * (1.0 + abs(rub) + abs(closing @ n))
    assert leaving @ n == pytest.approx(-e * (closing @ n), abs=scale)
    m_n = first[3] * second[3] / (first[3] + second[3])
    normal, tangential = (1.0 + e) * m_n * (closing @ n), abs(rub - rub_after) * m_n / 3.0
    sticks = rub_after == pytest.approx(-beta * rub, abs=scale)
    assert sticks or tangential == pytest.approx(mu * normal, abs=scale * m_n)
    assert tangential <= mu * normal + scale * m_n


@given(bodies, angles, laws)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_cushion_turns_no_disc_about_the_contact_and_gives_no_energy(
    body: tuple[float, ...], angle: float, law: tuple[float, ...]
) -> None:
    n = np.array([np.cos(angle), np.sin(angle)])
    body, _ = _approaching(body, (0.0, 0.0, 0.0, 1.0, 1.0), n)
    after = (*collide_cushion(*n, *body, *law), *body[3:])
    scale = body[3] * (abs(body[0]) + abs(body[1]) + body[4] * abs(body[2]))
    assert abs(turning(n, *after) - turning(n, *body)) <= 1e-15 * scale
    assert energy(*after) <= energy(*body) * (1.0 + 1e-14)
    assert np.dot(after[:2], n) == pytest.approx(-law[0] * np.dot(body[:2], n), abs=1e-13)


def test_restitution_falls_from_one_towards_its_limit() -> None:
    e, v_c, elastic = 0.8, 0.1, 2e-3
    assert restitution(e, v_c, v_c, elastic) == pytest.approx(0.9, rel=1e-15)  # half way at v_c
    assert restitution(e, v_c, 0.9, elastic) == pytest.approx(0.82, rel=1e-15)  # a tenth of the way left at 9 v_c
    assert restitution(e, v_c, 1e9, elastic) == pytest.approx(e, rel=1e-9)
    assert restitution(e, v_c, np.nextafter(elastic, 0.0), elastic) == 1.0
    speeds = np.geomspace(elastic, 20.0, 50)
    assert np.all(np.diff([restitution(e, v_c, v, elastic) for v in speeds]) < 0.0)


@given(st.floats(0.0, 1.0), st.one_of(st.floats(0.0, 1.0), st.floats(0.0, 1.7e308)), st.floats(2e-3, 20.0))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_restitution_stays_between_its_limit_and_one(e: float, v_c: float, approach: float) -> None:
    assert e <= restitution(e, v_c, approach, 2e-3) <= 1.0
    assert restitution(e, 0.0, approach, 2e-3) == e


@given(bodies, bodies, angles, laws, st.floats(0.0, 1.0))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_closed_formulas_equal_the_contact_matrix(
    first: tuple[float, ...], second: tuple[float, ...], angle: float, law: tuple[float, ...], v_c: float
) -> None:
    n = np.array([np.cos(angle), np.sin(angle)])
    t = np.array([-n[1], n[0]])
    first, second = _approaching(first, second, n)
    jacobian = np.array([[*n, 0.0, *-n, 0.0], [*t, first[4], *-t, second[4]]])
    masses = np.array(naive.inertia(first[4], first[3]) + naive.inertia(second[4], second[3]))
    q = np.array([*first[:3], *second[:3]])
    e = restitution(law[0], v_c, float(jacobian[0] @ q), naive.ELASTIC_SPEED)
    expected = naive.impact(masses, jacobian, q, *law, v_c)
    got = collide_discs(*n, *first, *second, e, *law[1:])
    assert list(got) == pytest.approx(list(expected), rel=1e-11, abs=1e-11)


def _approaching(
    first: tuple[float, ...], second: tuple[float, ...], n: np.ndarray
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Turn the velocities round if the discs would separate."""
    if (first[0] - second[0]) * n[0] + (first[1] - second[1]) * n[1] >= 0.0:
        return first, second
    return (-first[0], -first[1], *first[2:]), (-second[0], -second[1], *second[2:])
