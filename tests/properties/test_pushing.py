"""Discs in touch that push each other: a spinning disc slides further than the one ahead of it, for instance.

Two-body hits alone would pile up without end here. What is demanded is not a certain order of hits but the limits: an
end, little overlap, no energy from nowhere.
"""

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.state import EventKind, Status, Tolerances
from oracles import exact
from oracles.scenes import ICF, Scene, energy, events, nobody, open_field, random_equipment, smallest_gap, unit

OVERLAP = 1e-6
ROUNDING = 1e-12


def cluster(seed: int) -> Scene:
    """Return two to five discs in a bent row, in touch or nearly so, moving nearly alike, most of them spinning."""
    rng = np.random.default_rng(seed)
    while True:
        equipment = random_equipment(rng)
        if rng.random() < 0.4:
            equipment = equipment.replace(e_disc=rng.uniform(0.0, 0.3))
        pos, vel, omega = nobody()
        indices = rng.permutation(np.concatenate([[0], 1 + rng.choice(19, rng.integers(1, 5), replace=False)]))
        place, course = rng.uniform(-0.2, 0.2, 2), rng.uniform(0.0, 2.0 * np.pi)
        for before, i in zip([None, *indices[:-1]], indices, strict=True):
            if before is not None:
                gap = rng.choice([0.0, 0.0, 1e-13, 1e-9, 1e-6, 1e-4])
                reach = equipment.radius[before] + equipment.radius[i] + gap
                place = place + reach * unit(course + rng.normal(0.0, 0.3))
            pos[i] = place
            vel[i] = rng.uniform(0.0, 1.5) * rng.choice([0.0, 1.0, 1.0]) * unit(course)
            vel[i] += rng.normal(0.0, 1e-3, 2) * rng.choice([0.0, 1.0])
            omega[i] = rng.normal(0.0, 40.0) * rng.choice([0.0, 1.0, 1.0])
        scene = Scene(equipment, pos, vel, omega)
        if smallest_gap(equipment, pos) > -1e-12 and np.nanmax(np.abs(pos)) < 0.34:
            return scene


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(block, marks=pytest.mark.slow) for block in (2, 3))])
def test_clusters_come_to_rest_within_the_limits(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        scene = cluster(seed)
        rng = np.random.default_rng(seed)
        end = scene.play()
        assert end.status[0] == Status.OK, seed
        happened = [0.0, *(event[0] for event in events(end))]
        times = np.sort(np.concatenate([rng.choice(happened, 12), rng.uniform(0.0, end.duration[0], 8), [1e3]]))
        states = [scene.play(float(t), record=False) for t in times]
        gaps = [smallest_gap(scene.equipment, state.pos[0]) for state in states]
        assert min(gaps) >= -OVERLAP, seed
        energies = [energy(scene.equipment, state.vel[0], state.omega[0]) for state in states]
        start = energy(scene.equipment, scene.vel, scene.omega)
        assert np.all(np.diff([start, *energies]) <= ROUNDING * start), seed
        assert energies[-1] == 0.0


def test_the_first_push_is_resolved_at_its_overlap() -> None:
    """A man catches up with another slowly: without spin, exactly calculable."""
    equipment = open_field(mu_disc=0.0)
    reach = 2.0 * equipment.man_radius
    found = 0
    for speed in np.linspace(0.2, 2.0, 40):
        pos, vel, omega = nobody()
        # The one ahead moves aside a little, so that their decelerations differ.
        pos[3], pos[7] = (0.0, 0.0), (reach + 1e-7, 0.0)
        vel[3], vel[7] = (speed, 0.0), (speed - 9e-4, 0.05 * speed)
        paths = pos[3], vel[3], pos[7], vel[7]
        deceleration = equipment.mu_surface * equipment.gravity
        t = exact.contact_time(*paths, reach - 5e-7, deceleration)
        hits = [
            e for e in events(cs.simulate_motion(pos, vel, omega, equipment=equipment)) if e[1] == EventKind.DISC_HIT
        ]
        touch = exact.contact_time(*paths, reach, deceleration)
        if touch is None or exact.approach_speed(*paths, deceleration, touch) > Tolerances().push_speed:
            continue
        if t is None:
            assert not hits
            continue
        found += 1
        assert hits[0][0] == pytest.approx(float(t), abs=1e-11)
    assert found >= 5


def test_rows_of_discs_without_relative_speed_do_not_stall() -> None:
    """They overlap as pushes leave them, and approach by nothing but rounding, which no impulse can take away."""
    equipment = ICF.replace(e_disc=0.0, mu_disc=0.0)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        pos, vel, omega = nobody()
        course, forward = rng.uniform(0.0, 2.0 * np.pi), rng.normal(0.0, 0.1)
        place = rng.uniform(-0.1, 0.1, 2) - 4.0 * equipment.man_radius * unit(course)
        for i in range(3, int(rng.integers(6, 10))):
            pos[i] = place
            vel[i] = forward * unit(course) + rng.normal(0.0, 0.1) * unit(course + 0.5 * np.pi)
            place = place + (2.0 * equipment.man_radius - rng.choice([0.0, 5e-7, 5.3e-7])) * unit(course)
        end = cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False)
        assert end.status[0] == Status.OK, seed


def test_a_man_that_is_wedged_at_the_frame_does_not_sink_into_the_others() -> None:
    """The striker runs along one cushion and pushes a man on another along the next; none throws anything back."""
    equipment = ICF.replace(
        man_radius=0.0136, man_mass=0.00345, striker_radius=0.02005, striker_mass=0.0159, mu_surface=0.18,
        e_disc=0.0, e_cushion=0.0, mu_disc=0.15, mu_cushion=0.0, beta_disc=0.93,
    )  # fmt: skip
    n, striker, pushed, wedged = 400, 0, 1, 14
    side, man, both = 0.5 * equipment.side, equipment.man_radius, equipment.man_radius + equipment.striker_radius
    pos, vel, omega = (np.repeat(column[np.newaxis], n, axis=0) for column in nobody())
    place = np.array([side - man - 2.0 * man * 0.8123, side - equipment.striker_radius - 1.5e-4 - both * 0.8726])
    pos[:, wedged] = place
    pos[:, pushed] = side - man, place[1] - 2.0 * man * 0.5832
    pos[:, striker] = place + (both + 1e-6) * np.array([-0.4884, 0.8726])
    vel[:, [striker, pushed, wedged]] = (0.0569, 0.0032), (0.0077, -0.0121), (-0.0087, -0.0337)
    vel[:, [striker, pushed, wedged]] += np.random.default_rng(0).normal(0.0, 1e-3, (n, 3, 2))
    omega[:, [striker, pushed, wedged]] = -12.45, -0.3, 2.3
    end = cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False)
    assert np.all(end.status == Status.OK)
    assert min(smallest_gap(equipment, board) for board in end.pos) >= -1.2 * Tolerances().push_overlap
    assert end.n_events.max() < 3_000  # sinking in, they tremble 80,000 times


def test_a_disc_between_two_that_rest_on_others_comes_to_rest() -> None:
    """The striker spins in a gap that is too narrow for it; no disc has room for all of its way out of another."""
    some = [0, 1, 2, 4, 12, 16, 17]
    radius, mass = ICF.radius.copy(), ICF.mass.copy()
    radius[some] = [0.01640210, 0.01404925, 0.01369792, 0.01308005, 0.01503973, 0.01331102, 0.01471162]
    mass[some] = [0.01179396, 0.00224594, 0.00330516, 0.00148607, 0.00114629, 0.00127988, 0.00104526]
    equipment = ICF.replace(
        disc_radius=tuple(radius), disc_mass=tuple(mass), mu_surface=0.1577, e_disc=0.85, mu_disc=0.141,
        mu_cushion=0.0, beta_disc=0.0117, face=0.89, v_c_disc=0.1, v_c_cushion=0.1, contact="sequential",
    )  # fmt: skip
    n = 300
    pos, vel, omega = (np.repeat(column[np.newaxis], n, axis=0) for column in nobody())
    pos[:, some] = [
        [-0.010571284, 0.022586281], [0.029764956, 0.030536754], [0.037102312, -0.007218749],
        [0.014942853, 0.007814711], [-0.037213634, 0.039281962], [-0.082880802, 0.072135085],
        [-0.064606083, 0.050891432],
    ]  # fmt: skip
    vel[:, 0] = np.random.default_rng(0).normal([0.01148, 0.019155], 1e-5, (n, 2))
    omega[:, 0] = 118.47
    end = cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False)
    assert np.all(end.status == Status.OK)
    assert min(smallest_gap(equipment, board) for board in end.pos) >= -1.2 * Tolerances().push_overlap
    assert end.n_events.max() < 10_000
