"""What must hold of bursts whatever happens: conservation laws, symmetries, the same bits in any order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carromsim as cs
from carromsim_kernels.state import Status
from determinism.digest import rows_of
from oracles.scenes import Scene, energy, nobody, smallest_gap, unit

ICF = cs.Equipment.preset("icf")
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=60, deadline=None, derandomize=True)


def random_law(rng: np.random.Generator) -> dict[str, Any]:
    """Return contacts of all kinds."""
    return {
        "e_disc": rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0)]),
        "e_cushion": rng.uniform(0.0, 1.0),
        "mu_disc": rng.choice([0.0, rng.uniform(0.0, 0.5)]),
        "beta_disc": rng.choice([0.0, rng.uniform(-1.0, 1.0)]),
        "v_c_disc": rng.choice([0.0, rng.uniform(0.0, 1.0)]),
        "force_law": str(rng.choice(["hertz", "linear"])),
        "t_contact": 10.0 ** rng.uniform(-5.0, -3.6),
        "contact_steps": int(rng.choice([10, 20, 50])),
        "man_mass": rng.uniform(0.002, 0.01),
        "man_radius": rng.uniform(0.0127, 0.0159),
    }


def crowd(rng: np.random.Generator, equipment: cs.Equipment) -> Scene:
    """Return a few men in touch or nearly, at rest or moving together, and the striker on his way to them."""
    pos, vel, omega = nobody()
    men = 1 + rng.choice(19, rng.integers(2, 10), replace=False)
    gap = float(rng.choice([0.0, 0.0, 1e-6, 1e-4, 4e-4]))
    pos[men[0]] = rng.uniform(-0.1, 0.1, 2)
    for i in men[1:]:
        while np.isnan(pos[i, 0]) or smallest_gap(equipment, pos) < -1e-12:
            pos[i] = pos[rng.choice(men)] + (2.0 * equipment.man_radius + gap) * unit(rng.uniform(0.0, 2.0 * np.pi))
    vel[men] = rng.choice([0.0, 0.3]) * unit(rng.uniform(0.0, 2.0 * np.pi))
    omega[men] = rng.choice([0.0, 20.0]) * rng.normal(size=len(men))
    away = rng.uniform(0.0, 2.0 * np.pi)
    reach = equipment.man_radius + equipment.striker_radius
    target = men[np.argmax(pos[men] @ unit(away))]
    pos[0] = pos[target] + (reach + rng.uniform(0.0, 5e-3)) * unit(away)
    vel[0] = -rng.uniform(0.3, 12.0) * unit(away + rng.normal(0.0, 0.2))
    omega[0] = rng.choice([0.0, 80.0]) * rng.normal()
    return Scene(equipment, pos, vel, omega)


def crowd_of(seed: int, **changes: Any) -> tuple[np.random.Generator, Scene]:
    rng = np.random.default_rng(seed)
    equipment = ICF.replace(**(random_law(rng) | changes))
    return rng, crowd(rng, equipment)


@given(seeds)
@few
def test_momentum_is_kept_and_energy_never_grows(seed: int) -> None:
    """On a surface without friction, far from the frame; energy held by contacts at a time may come back."""
    rng, scene = crowd_of(seed, mu_surface=0.0, side=200.0, pocket_radius=0.0)
    mass = scene.equipment.mass
    before = mass @ scene.vel
    scale = float(mass @ np.hypot(*scene.vel.T))
    least = start = float(energy(scene.equipment, scene.vel, scene.omega))
    for t in np.sort(rng.uniform(0.0, 1.0, 20) ** 3 * 0.02):
        state = scene.play(float(t), record=False)
        assert state.status[0] == Status.OK
        assert np.abs(mass @ state.vel[0] - before).max() <= 1e-12 * scale
        now = float(energy(scene.equipment, state.vel[0], state.omega[0]))
        assert now <= least + 1e-9 * start
        if smallest_gap(scene.equipment, state.pos[0]) > -1e-9:
            least = min(least, now)


@given(seeds)
@few
def test_smooth_elastic_discs_keep_nearly_all_energy(seed: int) -> None:
    """What the steps gain is taken back, from spins too; what they lose is little; one crowd in 500 loses more."""
    smooth = {"e_disc": 1.0, "mu_disc": 0.0, "mu_surface": 0.0, "contact_steps": 20}
    _, scene = crowd_of(seed, side=200.0, pocket_radius=0.0, **smooth)
    start = float(energy(scene.equipment, scene.vel, scene.omega))
    end = scene.play(0.05, record=False)
    kept = float(energy(scene.equipment, end.vel[0], end.omega[0])) / start
    assert 1.0 - 4e-3 <= kept <= 1.0 + 1e-9
    np.testing.assert_allclose(end.omega[0], scene.omega, rtol=3e-3)


@given(seeds)
@few
def test_bursts_leave_no_overlap_and_no_motion(seed: int) -> None:
    _, scene = crowd_of(seed)
    end = scene.play(record=False)
    assert end.status[0] == Status.OK
    assert smallest_gap(scene.equipment, end.pos[0]) >= -1e-6
    assert not end.vel.any()
    assert not end.omega.any()
    assert np.array_equal(np.isnan(end.pos[0, :, 0]), (end.pocket[0] >= 0) | np.isnan(scene.pos[:, 0]))


def quarters(vectors: np.ndarray, turns: int) -> np.ndarray:
    """Turn vectors (..., 2) counter-clockwise, exactly."""
    for _ in range(turns):
        vectors = np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)
    return vectors


@given(seeds, st.sampled_from([1, 2, 3]))
@few
def test_a_quarter_turn_of_everything_turns_the_outcome_bit_by_bit(seed: int, turns: int) -> None:
    _, scene = crowd_of(seed)
    turned = Scene(scene.equipment, quarters(scene.pos, turns), quarters(scene.vel, turns), scene.omega)
    end, other = scene.play(), turned.play()
    np.testing.assert_array_equal(quarters(end.pos, turns), other.pos)
    np.testing.assert_array_equal(end.events(0), other.events(0))


@given(seeds, st.sampled_from([0, 1]))
@few
def test_a_mirror_image_of_everything_mirrors_the_outcome_bit_by_bit(seed: int, axis: int) -> None:
    _, scene = crowd_of(seed)
    mirror = np.where(np.arange(2) == axis, -1.0, 1.0)
    end = scene.play()
    other = Scene(scene.equipment, scene.pos * mirror, scene.vel * mirror, -scene.omega).play()
    np.testing.assert_array_equal(end.pos * mirror, other.pos)
    np.testing.assert_array_equal(end.events(0), other.events(0))


@pytest.mark.parametrize(("mu_disc", "tolerance"), [(0.0, 1e-9), (0.15, 3e-3)])
@pytest.mark.parametrize("law", ["hertz", "linear"])
def test_a_symmetric_break_stays_symmetric(law: str, mu_disc: float, tolerance: float) -> None:
    """Friction is applied to one contact after the other: so far, and no further, their order matters."""
    pos, vel = cs.opening("icf").pos.copy(), np.zeros((20, 2))
    pos[0], vel[0] = (0.0, -0.2526), (0.0, 5.0)
    scene = Scene(ICF.replace(force_law=law, mu_disc=mu_disc), pos, vel, np.zeros(20))
    partner = [int(np.argmin(np.hypot(*(pos * [-1.0, 1.0] - pos[i]).T))) for i in range(20)]
    end = scene.play(0.034, record=False)
    assert sum(other != i for i, other in enumerate(partner)) == 14  # on the axis lie five men and the striker
    np.testing.assert_allclose(end.vel[0] * [-1.0, 1.0], end.vel[0, partner], atol=tolerance)
    np.testing.assert_allclose(-end.omega[0], end.omega[0, partner], atol=tolerance / ICF.man_radius)


def packs(n: int, equipment: cs.Equipment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return breaks of packs in touch, nearly and not, from all sides."""
    k = np.arange(n)
    pos = cs.opening(equipment, rotation=0.01 * k, gap=np.choose(k % 3, [0.0, 1e-4, 5e-4]), n=n).pos.copy()
    course = 2.4 * k
    pos[:, 0] = -0.2526 * np.stack([np.cos(course), np.sin(course)], axis=1)
    vel, omega = np.zeros((n, 20, 2)), np.zeros((n, 20))
    vel[:, 0] = -(2.0 + 6.0 * np.abs(np.sin(k)))[:, np.newaxis] * pos[:, 0] / 0.2526
    omega[:, 0] = 30.0 * np.sin(3.0 * k)
    return pos, vel, omega


@pytest.mark.parametrize("law", ["hertz", "linear"])
@pytest.mark.parametrize("contact", ["compliant", "sequential"])
def test_the_same_bits_for_any_threads_chunks_and_order(contact: str, law: str) -> None:
    n, equipment = 90, ICF.replace(contact=contact, force_law=law)
    start = packs(n, equipment)

    def play(rows: np.ndarray, **options: Any) -> list[bytes]:
        return rows_of(cs.simulate_motion(*(column[rows] for column in start), equipment=equipment, **options))

    usual = play(np.arange(n), threads=1)
    assert len(set(usual)) == n
    for threads in (1, 2):
        for chunk_rows in (1, 64):
            assert play(np.arange(n), threads=threads, chunk_rows=chunk_rows) == usual
    order = np.random.default_rng(1).permutation(n)
    assert play(order, threads=2, chunk_rows=7) == [usual[i] for i in order]
    for i in range(0, n, 11):
        assert play(np.array([i]), threads=1) == [usual[i]]
    silent = cs.simulate_motion(*start, equipment=equipment, record=False, threads=2)
    loud = cs.simulate_motion(*start, equipment=equipment, record=True, threads=1)
    for name in ("status", "pos", "pocket", "pocket_time", "duration", "n_events", "first_hit", "crossed_front_line"):
        np.testing.assert_array_equal(getattr(silent, name), getattr(loud, name))
