"""Discs with a size and a mass of their own: what follows from them and what does not."""

from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim.layouts import random_layout
from carromsim.simulation import scene_of
from carromsim.strokes import legal_intervals
from carromsim.studies.breaks.summary import BreakCounts
from carromsim_kernels.state import N_DISCS, Status
from oracles import contact_force
from oracles.scenes import ICF, N, Scene, energy, events, nobody, open_field, random_scene, smallest_gap, unit
from test_against_naive import compare

PRESETS = ["icf", "ukca", "caint", "bell"]
STRIKERS = [0.01695, 0.019, 0.02065, 0.02125]
"""Radii of strikers from Bell's 33.9 mm to CAINT's 42.5 mm in diameter [m]."""


def unequal(rng: np.random.Generator, equipment: cs.Equipment = ICF, **changes: Any) -> cs.Equipment:
    """Return equipment with 20 different discs, some half or twice as heavy as they should be."""
    radius = equipment.radius * rng.uniform(0.75, 1.1, N_DISCS)
    mass = equipment.mass * 2.0 ** rng.uniform(-1.0, 1.0, N_DISCS)
    return equipment.replace(disc_radius=tuple(radius), disc_mass=tuple(mass), **changes)


def test_two_unequal_discs_share_momentum_and_energy_by_their_own_masses() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        equipment = unequal(rng, open_field(mu_surface=0.0, mu_disc=0.0, e_disc=rng.uniform(0.0, 1.0)))
        a, b = rng.choice(N, 2, replace=False)
        (ra, rb), (ma, mb) = equipment.radius[[a, b]], equipment.mass[[a, b]]
        way = unit(rng.uniform(0.0, 2.0 * pi))
        pos, vel, omega = nobody()
        pos[a], pos[b], vel[a] = 0.0, (ra + rb + 0.01) * way, 2.0 * way
        out = Scene(equipment, pos, vel, omega).play(0.0075)
        assert events(out)[0][0] == pytest.approx(0.005, abs=1e-14)
        common = 2.0 * ma / (ma + mb)
        np.testing.assert_allclose(out.vel[0, a], (common - equipment.e_disc * 2.0 * mb / (ma + mb)) * way, atol=1e-13)
        np.testing.assert_allclose(out.vel[0, b], common * (1.0 + equipment.e_disc) * way, atol=1e-13)


def test_scenes_of_unequal_discs_agree_with_the_slow_twin() -> None:
    rng = np.random.default_rng(2)
    compared = 0
    for _ in range(40):
        scene = random_scene(rng, int(rng.integers(2, 7)), unequal(rng))
        compared += compare(scene, rng, most=20)
    assert compared > 200


def test_every_disc_has_its_own_tipping_limit() -> None:
    """At rest a micrometre beyond it a disc falls, a micrometre before it stays; one wider than the hole never does."""
    rng = np.random.default_rng(3)
    equipment = unequal(rng, fall_height=0.0)
    equipment = equipment.replace(disc_radius=(*equipment.disc_radius[:-1], 0.0223))
    centre, limit = 0.37 - equipment.pocket_offset, equipment.capture_radius
    np.testing.assert_allclose(limit[:-1], np.sqrt(equipment.pocket_radius**2 - np.square(equipment.disc_radius[:-1])))
    assert limit[-1] == 0.0
    pos = np.full((2 * N, N, 2), np.nan)
    for disc in range(N):
        for beyond in (0, 1):
            pos[2 * disc + beyond, disc] = centre - (limit[disc] - (2e-6 * beyond - 1e-6)) * unit(0.25 * pi)
    pos[-2:, -1] = 0.37 - equipment.disc_radius[-1]
    out = cs.simulate_motion(pos, np.zeros_like(pos), np.zeros((2 * N, N)), equipment=equipment)
    fell = out.pocket[np.arange(2 * N), np.arange(2 * N) // 2].reshape(N, 2)
    assert fell[:-1].tolist() == [[-1, 2]] * (N - 1)
    assert fell[-1].tolist() == [-1, -1]


def test_the_pack_is_spaced_by_the_largest_man() -> None:
    rng = np.random.default_rng(4)
    equipment = unequal(rng)
    largest = max(equipment.disc_radius[1:])
    assert equipment.largest_man_radius == largest
    for gap in (0.0, 5e-4):
        pos = cs.opening(equipment, gap=gap, rotation=0.3).pos
        i, j = np.triu_indices(N - 1, 1)
        assert np.hypot(*(pos[1 + i] - pos[1 + j]).T).min() == pytest.approx(2.0 * largest + gap, abs=1e-15)
        cs.opening(equipment, gap=gap, jitter=gap / (2.0 * sqrt(2.0)), n=100, seed=1).check(equipment, striker=False)
    equal = ICF.replace(disc_radius=tuple(ICF.radius), disc_mass=tuple(ICF.mass))
    np.testing.assert_array_equal(cs.opening(equal, gap=1e-4).pos, cs.opening(ICF, gap=1e-4).pos)


def test_discs_given_one_by_one_are_the_same_discs() -> None:
    """To the last bit, whatever man_radius, striker_radius and striker_mass say."""
    one_by_one = ICF.replace(
        disc_radius=tuple(ICF.radius), disc_mass=tuple(ICF.mass), man_radius=0.01, striker_radius=0.02, striker_mass=1.0
    )
    layout = cs.opening(ICF, gap=1e-4, jitter=3e-5, n=50, seed=2)
    strokes = cs.Strokes(x=0.1, angle=np.full(50, 1.99), speed=np.linspace(1.0, 9.0, 50))
    for contact in ("compliant", "sequential"):
        one, other = (
            cs.simulate(layout, strokes, equipment=eq.replace(contact=contact), record=True) for eq in (ICF, one_by_one)
        )
        np.testing.assert_array_equal(one.pos, other.pos)
        np.testing.assert_array_equal(one.first_hit_behind, other.first_hit_behind)
        np.testing.assert_array_equal(one.crossed_front_line, other.crossed_front_line)
    np.testing.assert_array_equal(legal_intervals(one_by_one), legal_intervals(ICF))


def test_contact_time_is_that_of_two_men_of_man_mass() -> None:
    heavy = ICF.replace(disc_mass=tuple(3.0 * ICF.mass))
    assert scene_of(heavy)[0].contact_mass == scene_of(ICF)[0].contact_mass == 0.5 * ICF.man_mass


def test_random_layouts_of_unequal_discs() -> None:
    equipment = unequal(np.random.default_rng(5))
    layout = random_layout(equipment, 100, seed=1)
    layout.check(equipment, striker=False)
    band = 0.37 - equipment.base_line_distance
    for pos in layout.pos:
        assert smallest_gap(equipment, pos) > 0.0
        across = np.abs(pos[1:, 1] + band)
        near = (np.abs(pos[1:, 0]) < legal_intervals(equipment).max()) & (across < equipment.radius[1:] + 0.9e-3)
        assert not near.any()
        beside = across[np.abs(pos[1:, 0]) < 0.2]
        assert beside.min() > float(equipment.radius[1:].min() + equipment.radius[0])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("radius", STRIKERS)
def test_strikers_of_all_laws_on_all_boards(preset: str, radius: float) -> None:
    """Placed at the ends and the middle of what is legal, they break, and fall if they fit the hole."""
    base = cs.Equipment.preset(preset)
    equipment = base.replace(disc_radius=(radius, *base.radius[1:]), disc_mass=tuple(base.mass))
    places = legal_intervals(equipment)
    np.testing.assert_array_equal(places, legal_intervals(base.replace(striker_radius=radius)))
    assert len(places) >= 1
    x = np.concatenate([places.ravel(), [0.0]])
    layout = cs.opening(equipment, gap=1e-4, jitter=3e-5, n=len(x), seed=3)
    angle = np.arctan2(0.37 - equipment.base_line_distance, -x)
    out = cs.simulate(layout, cs.Strokes(x=x, angle=angle, speed=np.full(len(x), 6.0)), equipment=equipment)
    assert not out.status.any()
    assert np.all(out.n_disc_hits > 10)
    pos, vel, omega = nobody()
    pos[0], vel[0] = 0.2, 0.7 * unit(0.25 * pi)
    fits = radius < equipment.pocket_radius
    fell = Scene(equipment.replace(fall_height=0.0), pos, vel, omega).play().pocket[0, 0] == 2
    assert (fell, equipment.capture_radius[0] > 0.0) == (fits, fits)


def test_an_illegal_placement_goes_by_the_striker_that_is_there() -> None:
    wide = ICF.replace(disc_radius=(0.03, *ICF.radius[1:]), disc_mass=tuple(ICF.mass))
    edge = float(legal_intervals(ICF).max())
    layout = cs.opening(ICF, gap=1e-4)
    cs.simulate(layout, cs.Strokes(x=edge, speed=1.0), equipment=ICF)
    with pytest.raises(ValueError, match="the striker may stand at"):
        cs.simulate(layout, cs.Strokes(x=edge, speed=1.0), equipment=wide)
    out = cs.simulate(layout, cs.Strokes(x=np.array([edge, 0.0]), speed=1.0), equipment=wide)
    assert out.status.tolist() == [Status.BAD_INPUT, Status.OK]


@pytest.mark.parametrize("law", ["hertz", "linear"])
@pytest.mark.parametrize("seed", range(4))
def test_unequal_discs_in_touch_against_contact_forces(law: str, seed: int) -> None:
    """A striker into a row of five that touch: velocities after the burst as by tiny steps of the whole lot."""
    rng = np.random.default_rng(seed)
    equipment = unequal(
        rng,
        open_field(mu_surface=1e-9, force_law=law, mu_disc=0.15, e_disc=0.85, contact_steps=100),
        contact="compliant",
    )
    pos, vel, omega = nobody()
    pos[1] = 0.0
    course = rng.uniform(-0.5, 0.5)
    for i in range(2, 6):
        course += rng.uniform(-0.9, 0.9)
        while np.isnan(pos[i, 0]) or smallest_gap(equipment, pos) < -1e-12:
            pos[i] = pos[i - 1] + (equipment.radius[i - 1] + equipment.radius[i]) * unit(course)
            course += 0.1
    pos[0] = -(equipment.radius[0] + equipment.radius[1] + 1e-4) * unit(0.2)
    vel[0], omega[0] = 4.0 * unit(0.25), 30.0
    out = Scene(equipment, pos, vel, omega).play(4e-3)
    k = contact_force.stiffness(law, equipment.man_mass, equipment.t_contact)
    judge = contact_force.model(equipment.radius, equipment.mass, law=law, k=k, e_disc=0.85, mu_disc=0.15)
    state = contact_force.start(pos, vel, omega)
    contact_force.run(judge, state, 4e-3)
    assert out.n_disc_hits[0] >= 5
    np.testing.assert_allclose(out.vel[0, :6], state.vel[:6], rtol=0.0, atol=0.02)
    np.testing.assert_allclose(out.omega[0, :6], state.omega[:6], rtol=0.0, atol=1.5)
    now = np.sum(equipment.mass[:, None] * np.nan_to_num(out.vel[0]), axis=0)
    np.testing.assert_allclose(now, equipment.mass[0] * vel[0], rtol=0.0, atol=1e-11)
    assert energy(equipment, out.vel, out.omega)[0] < energy(equipment, np.nan_to_num(vel), omega)


def test_random_strokes_with_unequal_discs() -> None:
    """Breaks and melees: every one ends, within the limits of overlap, and energy never grows."""
    rng = np.random.default_rng(7)
    for block in range(8):
        equipment = unequal(rng, cs.Equipment.preset("icf"), corner=str(rng.choice(["rounded", "cut_away"])))
        pos = random_layout(equipment, 40, block, striker=True, clear_base_line=False).pos
        vel = rng.normal(0.0, 1.5, (40, N, 2)) * rng.integers(0, 2, (40, N, 1))
        omega = rng.normal(0.0, 60.0, (40, N))
        before = energy(equipment, vel, omega)
        for until in (0.1, 0.5, np.inf):
            out = cs.simulate_motion(pos, vel, omega, equipment=equipment, until=until, record=False)
            now = energy(equipment, out.vel, out.omega)
            assert np.all(now <= before * (1.0 + 1e-12))
            before = now
        assert not out.status.any()
        assert min(smallest_gap(equipment, place) for place in out.pos) >= -1e-6


def test_men_are_free_by_the_largest_of_them() -> None:
    """A break study counts them with room for the largest man beside them."""
    radius = (ICF.radius[0], 0.02, *ICF.radius[2:])
    men = {"disc_radius": radius, "disc_mass": tuple(ICF.mass)}
    study = cs.BreakStudy(strokes=40, seed=1, equipment=ICF.replace(**men))
    usual = cs.BreakStudy(strokes=40, seed=1, equipment=ICF.replace(**(men | {"man_radius": 0.02})))
    (batch,), (other,) = ([*one.stream()] for one in (study, usual))
    assert BreakCounts.of(batch, study).free.tolist() == BreakCounts.of(other, usual).free.tolist()
