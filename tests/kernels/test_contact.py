"""Contact forces: damping against the exact relation, durations against an ODE, a contact in a burst's own steps."""

import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from carromsim_kernels.contact import (
    LEAST_E,
    contact_law,
    contact_time,
    damping_ratio,
    damping_ratios,
    fifth_root,
    press,
    set_contact,
)
from carromsim_kernels.jit import kernel
from carromsim_kernels.scene import SCENE
from carromsim_kernels.state import DAMPING_CELLS

pytestmark = pytest.mark.kernel

MAN, STRIKER = 0.00525, 0.015
PAIRS = {"two men": MAN / 2.0, "striker and man": MAN * STRIKER / (MAN + STRIKER), "a man and a cushion": MAN}
"""Reduced masses [kg]."""
T_CONTACT = 1e-4
laws = pytest.mark.parametrize("hertz", [True, False], ids=["hertz", "linear"])
pairs = pytest.mark.parametrize("mass", PAIRS.values(), ids=PAIRS.keys())


@cache
def law(hertz: bool, steps: int = 20) -> np.record:
    """Return a scene of which nothing is set but what contacts need."""
    scene = np.zeros(1, SCENE).view(np.recarray)
    for name, value in contact_law(True, hertz, steps, MAN)._asdict().items():
        scene[name][0] = value
    set_contact(scene[0], T_CONTACT)
    return scene[0]


def lost(zeta: float) -> float:
    """Return -ln e of a damping ratio below 1, by the relation of Schwager and Poeschel (2007)."""
    with mp.workdps(30):
        z = mp.mpf(zeta)
        return float(2 * z * mp.acos(z) / mp.sqrt(1 - z * z))


@kernel
def follow_contact(force: np.record, mass: float, zeta: float, speed: float, begun: float = 0.0) -> float:
    """Return the restitution of a head-on contact, integrated as a burst does; `begun` steps ago it was touched."""
    h, overlap, closing, before = force.burst_step, begun * force.burst_step * speed, speed, 0.0
    while overlap > 0.0 or closing == speed:
        overlap += h * (closing - 0.5 * h * before / mass)
        if overlap <= 0.0:
            break
        after = press(force, mass, zeta, overlap, closing - h * before / mass, before)
        closing -= 0.5 * h * (before + after) / mass
        before = after
    return -(closing - 0.5 * h * before / mass) / speed


def test_damping_follows_from_restitution() -> None:
    ratios = damping_ratios()
    assert ratios.shape == (DAMPING_CELLS + 1,)
    assert ratios[-1] == 0.0
    for k in [*range(0, 200), *range(200, DAMPING_CELLS, 7), DAMPING_CELLS - 1]:
        e = max(k / DAMPING_CELLS, LEAST_E)
        assert lost(ratios[k]) == pytest.approx(-math.log(e), rel=1e-12 if e > LEAST_E else 1e-8)


def test_the_least_restitution_is_that_of_critical_damping() -> None:
    assert pytest.approx(math.exp(-2.0), rel=1e-9) == LEAST_E
    assert 0.998 < damping_ratio(law(True), 0.0) < 1.0


@given(st.floats(0.0, 1.0))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_between_the_nodes_restitution_is_right_to_a_ten_thousandth(e: float) -> None:
    assert math.exp(-lost(damping_ratio(law(True), e))) == pytest.approx(max(e, LEAST_E), abs=3e-4)


def errors(hertz: bool, mass: float, e: float, steps: int) -> np.ndarray:
    """Return the errors of restitution, for speeds of 0.3 to 9 m/s (rows) and ten beginnings between two steps."""
    force = law(hertz, steps)
    zeta = damping_ratio(force, e)
    begun = np.arange(10) / 10.0
    return np.array([[follow_contact(force, mass, zeta, v, part) - e for part in begun] for v in (0.3, 1.0, 3.0, 9.0)])


def test_the_restitution_of_a_contact_in_twenty_steps() -> None:
    """The error at the default steps, law and restitution: 0.003 for a hit that sets off a burst, at 3 m/s.

    The contacts that follow begin anywhere between two steps; then e is too large by 0.012 on average, at 3 m/s.
    """
    found = errors(True, MAN / 2.0, 0.85, 20)
    assert np.abs(found[:, 0]).max() < 0.006
    assert abs(found[2, 0]) < 0.004
    assert abs(found[2].mean()) < 0.013
    assert np.abs(found).max() < 0.034


@laws
@pytest.mark.parametrize("e", [0.3, 0.6, 0.85, 1.0])
@pairs
def test_the_error_of_restitution_falls_with_the_steps(hertz: bool, e: float, mass: float) -> None:
    coarse, fine = (np.abs(errors(hertz, mass, e, steps)).max() for steps in (20, 200))
    assert coarse < 0.08
    assert fine < coarse / 10.0
    assert fine < (2.5e-4 if e == 1.0 else 0.007)


@laws
@pytest.mark.parametrize("mass", [0.2 * MAN, *PAIRS.values(), STRIKER])
@pytest.mark.parametrize("speed", [0.05, 0.5, 3.0, 12.0])
def test_an_elastic_contact_lasts_as_long_as_is_said(hertz: bool, mass: float, speed: float) -> None:
    force = law(hertz)

    def motion(_: float, state: np.ndarray) -> list[float]:
        overlap, closing = max(state[0], 0.0), state[1]
        return [closing, -force.stiffness * (overlap**1.5 if hertz else overlap) / mass]

    def apart(_: float, state: np.ndarray) -> float:
        return float(state[0])

    apart.terminal, apart.direction = True, -1.0  # type: ignore[attr-defined]
    scale = contact_time(force, mass, speed)
    found = solve_ivp(motion, (0.0, 3.0 * scale), [0.0, speed], events=apart, rtol=1e-10, atol=1e-16)
    # Hertz's constant, 2.94327, is cut to the four digits that are customary.
    assert contact_time(force, mass, speed) == pytest.approx(found.t_events[0][-1], rel=4e-5)


@laws
def test_two_men_are_in_touch_for_t_contact(hertz: bool) -> None:
    """For Hertz at 3 m/s; the stiffness itself follows from that."""
    assert contact_time(law(hertz), MAN / 2.0, 3.0) == pytest.approx(T_CONTACT, rel=1e-6)
    stiffness = 1.25 * (MAN / 2.0) * (2.9432 / T_CONTACT) ** 2.5 / 3.0**0.5
    linear = (MAN / 2.0) * (math.pi / T_CONTACT) ** 2
    assert law(hertz).stiffness == pytest.approx(stiffness if hertz else linear, rel=1e-14)
    assert law(hertz).burst_step == pytest.approx(T_CONTACT / 20.0, rel=1e-14)


@laws
@given(
    mass=st.floats(1e-4, 0.1),
    e=st.floats(0.0, 1.0),
    overlap=st.floats(0.0, 1e-3),
    closing=st.floats(-20.0, 20.0),
    before=st.floats(0.0, 1e4),
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_contact_attracts(hertz: bool, mass: float, e: float, overlap: float, closing: float, before: float) -> None:
    force = law(hertz)
    zeta = damping_ratio(force, e)
    found = press(force, mass, zeta, overlap, closing, before)
    assert 0.0 <= found < math.inf
    if found > 0.0:  # the dashpot acts on the closing speed that the force itself leaves
        reached = closing + 0.5 * force.burst_step * (before - found) / mass
        root = 2.0 * zeta * math.sqrt(mass * force.stiffness)
        rate = zeta * math.sqrt(5.0 * mass * force.stiffness) * overlap**0.25 if hertz else root
        spring = force.stiffness * (overlap**1.5 if hertz else overlap)
        rounding = 1e-12 + 1e-9 * (spring + rate * abs(closing))
        assert found == pytest.approx(spring + rate * reached, rel=1e-9, abs=rounding)


@given(st.floats(1e-30, 1e30))
@settings(max_examples=500, deadline=None, derandomize=True)
def test_fifth_root(x: float) -> None:
    assert fifth_root(x) == pytest.approx(x**0.2, rel=1e-10)
