"""Bursts on the board: what is recorded, the clock stopped within one, the frame and the pockets."""

from math import inf, pi, sqrt

import numpy as np
import pytest

import carromsim as cs
from carromsim import simulation
from carromsim_kernels.state import EventKind, Status, Tolerances
from oracles.scenes import Scene, beyond_frame, energy, events, nobody, smallest_gap, unit
from test_bursts import FINE, ICF, MAN, STRIKER, A, B, C, breaks, in_both_modes, laws, plain, row_of, touching_break


def test_events_are_in_order_and_counted() -> None:
    for gap in (0.0, 1e-4):
        pack = breaks(gap, 40)
        out = cs.simulate_motion(pack.pos, pack.vel, np.zeros((40, 20)), equipment=pack.equipment)
        for row in range(40):
            found = out.events(row)
            assert np.all(np.diff(found["t"]) >= 0.0)
            assert len(found) == out.n_events[row]
            kinds = np.bincount(found["kind"], minlength=4)
            assert kinds[EventKind.DISC_HIT] == out.n_disc_hits[row]
            assert kinds[EventKind.CUSHION_HIT] == out.n_cushion_hits[row]
            assert kinds[EventKind.POCKETING] == np.count_nonzero(out.pocket[row] >= 0)
            assert np.all(found["b"][found["kind"] != EventKind.DISC_HIT] == -1)
            hits = found[found["kind"] == EventKind.DISC_HIT]
            assert np.all((hits["a"] >= 0) & (hits["a"] < hits["b"]))
            holed = found[found["kind"] == EventKind.POCKETING]
            np.testing.assert_array_equal(out.pocket_time[row, holed["a"]], holed["t"])
            assert np.all(found["t"] <= out.duration[row])


def test_the_first_contact_is_the_same_in_both_modes() -> None:
    for gap in (0.0, 2e-4):
        pack = breaks(gap, 40)
        still = np.zeros((40, 20))
        one, other = (
            cs.simulate_motion(pack.pos, pack.vel, still, equipment=pack.equipment.replace(contact=mode))
            for mode in ("compliant", "sequential")
        )
        for name in ("first_hit", "first_hit_direct", "first_hit_behind"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        for row in range(40):
            assert events(one, row)[0] == events(other, row)[0]
        assert one.first_hit.min() > 0
        assert one.first_hit_direct.min() == 1


def test_the_striker_crosses_the_front_line_if_but_for_a_moment() -> None:
    """The pack throws him back; when he hits it he lacks so much of the line."""
    scene = touching_break(ICF)
    first = events(scene.play())[0][0]
    scene.pos[STRIKER, 1] = scene.play(first).pos[0, STRIKER, 1] - 0.01
    front_line = ICF.front_line_distance - 0.5 * ICF.side
    for lack, crosses in ((2e-5, 1), (5e-4, 0)):
        shift = front_line - lack - (scene.pos[STRIKER, 1] + 0.01 - ICF.striker_radius)
        out = scene.moved(np.array([0.0, shift])).play(until=0.01)
        assert out.vel[0, STRIKER, 1] < -0.3
        assert out.crossed_front_line[0] == crosses


def test_the_surface_brakes_during_a_burst() -> None:
    """A hundred times as much as in play, so that a tenth of a millisecond shows."""
    smooth = plain(e_disc=1.0)
    scene = row_of([A, B, C], smooth, [1e-7, 0.0])
    scene.vel[A, 0] = 2.0
    rough = Scene(smooth.replace(mu_surface=10.0), scene.pos, scene.vel, scene.omega)
    for wait in (3e-4, 2e-3):
        loss = scene.play(wait).vel[0, C, 0] - rough.play(wait).vel[0, C, 0]
        assert loss == pytest.approx(10.0 * smooth.gravity * wait, rel=1e-2)  # by how little who hit is braked first


@laws
def test_the_clock_stops_anywhere_in_a_burst(law: str) -> None:
    """Stopped at more and more of it: places and energies follow on, and what is recorded is what the whole has."""
    scene = touching_break(ICF.replace(force_law=law))
    whole = events(scene.play())
    first = whole[0][0]
    waits = np.linspace(0.0, 6e-4, 151)
    states = [scene.play(first + wait) for wait in waits]
    for wait, state in zip(waits, states, strict=True):
        assert state.status[0] == Status.OK
        assert state.duration[0] == first + wait
        before = [event for event in events(state) if event[0] < first + wait]  # the last step is cut
        assert before == [event for event in whole if event[0] < first + wait]
        assert {t for t, *_ in events(state)[len(before) :]} <= {first + wait}
    pos, vel = np.array([state.pos[0] for state in states]), np.array([state.vel[0] for state in states])
    way, mean = np.diff(pos, axis=0), 0.5 * (vel[1:] + vel[:-1])
    np.testing.assert_allclose(way, 4e-6 * mean, atol=4e-7)  # of 20 micrometres at 5 m/s
    kinetic = np.array([energy(scene.equipment, state.vel[0], state.omega[0]) for state in states])
    held = np.array([elastic_energy(scene.equipment, places) for places in pos])
    assert held.max() > 0.3 * kinetic[0]
    assert kinetic.min() < 0.5 * kinetic[0]
    assert np.diff(kinetic + held).max() < 1e-3 * kinetic[0]
    assert held[-1] < 1e-3 * kinetic[0]


def elastic_energy(equipment: cs.Equipment, pos: np.ndarray) -> float:
    """Return what the contacts of discs at pos (20, 2) hold [J]."""
    i, j = np.triu_indices(20, 1)
    overlap = equipment.radius[i] + equipment.radius[j] - np.hypot(*(pos[i] - pos[j]).T)
    d = np.maximum(np.nan_to_num(overlap), 0.0)
    reduced = 0.5 * equipment.man_mass
    if equipment.force_law == "linear":
        return float(np.sum(0.5 * reduced * (pi / equipment.t_contact) ** 2 * d**2))
    return float(np.sum(0.4 * 1.25 * reduced * (2.9432 / equipment.t_contact) ** 2.5 / sqrt(3.0) * d**2.5))


@pytest.mark.parametrize("corner", ["rounded", "right_angled"])
def test_discs_pressed_into_a_corner_stay_on_the_board(corner: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        equipment = ICF.replace(
            corner=corner, corner_size=rng.uniform(0.0, 0.15), pocket_radius=0.0, contact_steps=20,
            force_law=str(rng.choice(["hertz", "linear"])), e_cushion=rng.uniform(0.0, 1.0),
        )  # fmt: skip
        scene = huddle(rng, equipment)
        end = scene.play()
        assert end.status[0] == Status.OK
        assert end.n_cushion_hits[0] > 0
        for t in [*rng.choice(end.events(0)["t"], 10), inf]:
            state = scene.play(float(t), record=False)
            beyond = max(beyond_frame(equipment, i, state.pos[0, i]) for i in scene.present)
            assert beyond < (2e-3 if t < inf else 1e-9)
            assert energy(equipment, state.vel[0], state.omega[0]) <= energy(equipment, scene.vel, scene.omega) * (
                1.0 + 1e-9
            )
        assert smallest_gap(equipment, end.pos[0]) > -1e-6


def test_discs_pressed_along_a_rounded_corner_end_a_burst_too() -> None:
    """The arc turns them, for longer than any impact lasts."""
    rng = np.random.default_rng(3)
    for _ in range(500):
        equipment = ICF.replace(
            corner_size=rng.uniform(0.03, 0.3), pocket_radius=0.0, e_disc=rng.choice([0.0, 0.1, 0.3]), mu_cushion=0.0,
            e_cushion=rng.uniform(0.0, 0.3), t_contact=rng.choice([1e-4, 2e-4]), mu_disc=rng.choice([0.0, 0.15, 0.5]),
        )  # fmt: skip
        scene = huddle(rng, equipment)
        scene.vel[STRIKER] = np.hypot(*scene.vel[STRIKER]) * unit(0.25 * pi + rng.uniform(-0.4, 0.4))
        end = scene.play(record=False)
        assert end.status[0] == Status.OK
        assert max(beyond_frame(equipment, i, end.pos[0, i]) for i in scene.present) < 1e-9


def huddle(rng: np.random.Generator, equipment: cs.Equipment, depth: float = 0.0) -> Scene:
    """Return four men in touch in the top right corner, so far from where it stops them, and the striker coming."""
    pos, vel, omega = nobody()
    end = np.full(2, 0.5 * equipment.side - MAN)
    while beyond_frame(equipment, A, end) > -1e-9:
        end -= 1e-4
    end -= depth / sqrt(2.0)
    pos[A] = end
    pos[B], pos[C] = end - 2.0 * MAN * unit(0.05 * pi), end - 2.0 * MAN * unit(0.45 * pi)
    pos[5] = end - 2.0 * sqrt(3.0) * MAN * unit(0.25 * pi)  # beyond both
    reach = MAN + equipment.striker_radius
    pos[STRIKER] = pos[5] - (reach + 0.05) * unit(0.25 * pi + rng.normal(0.0, 0.1))
    vel[STRIKER] = rng.uniform(2.0, 9.0) * unit(0.25 * pi + rng.normal(0.0, 0.05))
    return Scene(equipment, pos, vel, omega)


def mouth(equipment: cs.Equipment, speed: float, inside: float, hit: float) -> Scene:
    """Return a man by his tipping limit at the top right pocket, another behind him, and the striker to hit that one.

    Parameters
    ----------
    equipment
    speed : float
        Of the striker when he hits [m/s].
    inside : float
        How far the first man is beyond the limit [m].
    hit : float
        When the striker hits [s].
    """
    brake = equipment.mu_surface * equipment.gravity
    scene = row_of([STRIKER, B, A], equipment, [speed * hit + 0.5 * brake * hit**2, 0.0], course=0.25 * pi)
    centre = (0.5 * equipment.side - equipment.pocket_offset) * np.ones(2)
    scene = scene.moved(centre - (equipment.capture_radius[A] - inside) * unit(0.25 * pi) - scene.pos[A])
    scene.vel[STRIKER] = (speed + brake * hit) * unit(0.25 * pi)
    return scene


@pytest.mark.kernel
def test_a_disc_begins_to_fall_during_a_burst() -> None:
    at_once = mouth(ICF.replace(fall_height=0.0), 0.5, -1e-5, 1e-3).play()
    contact = 2.0 * ICF.t_contact * (3.0 / 0.5) ** 0.2
    assert at_once.pocket[0, A] == 2
    assert 1e-3 < at_once.pocket_time[0, A] < 1e-3 + contact
    assert events(at_once)[:3] == [
        (pytest.approx(1e-3, abs=1e-9), EventKind.DISC_HIT, STRIKER, B),
        (pytest.approx(1e-3, abs=2e-5), EventKind.DISC_HIT, A, B),
        (at_once.pocket_time[0, A], EventKind.POCKETING, A, -1),
    ]
    falls = mouth(ICF, 0.5, -1e-5, 1e-3).play()
    assert falls.pocket[0, A] == 2
    assert falls.pocket_time[0, A] == at_once.pocket_time[0, A] + sqrt(2.0 * ICF.fall_height / ICF.gravity)


@pytest.mark.kernel
def test_a_falling_disc_is_gone_during_a_burst_or_knocked_out_of_the_pocket() -> None:
    fall_time = sqrt(2.0 * ICF.fall_height / ICF.gravity)
    step = ICF.t_contact / ICF.contact_steps
    gone = mouth(ICF, 2.0, 1e-3, fall_time - 4e-5).play()
    assert gone.pocket[0, A] == 2
    assert fall_time <= gone.pocket_time[0, A] <= fall_time + step
    assert [t < fall_time for t, kind, _, _ in events(gone) if kind == EventKind.DISC_HIT][:2] == [True, True]
    # From the other side: the men are turned about, the inner one is driven out across the board.
    scene = mouth(ICF, 2.0, 1e-3, 0.5 * fall_time)
    out = scene.play(until=0.5 * fall_time + 0.01)
    assert out.pocket[0, A] == -1


def test_discs_far_away_keep_their_time_during_a_burst() -> None:
    """One meets a cushion, another is gone into a pocket while three discs elsewhere are in touch."""
    equipment = ICF.replace(contact_steps=FINE)
    fall_time = sqrt(2.0 * ICF.fall_height / ICF.gravity)
    brake, hit = ICF.mu_surface * ICF.gravity, fall_time - 5e-5
    scene = row_of([STRIKER, A, B], equipment, [2.0 * hit + 0.5 * brake * hit**2, 0.0])
    scene.vel[STRIKER, 0] = 2.0 + brake * hit
    scene.pos[C] = 0.34, 0.345
    scene.pos[5] = 0.37 - MAN - (1.0 * fall_time + 0.5 * brake * fall_time**2), -0.2
    scene.vel[5, 0] = 1.0 + brake * fall_time
    one, other = in_both_modes(scene, until=fall_time + 3e-3)
    assert [kind for t, kind, _, _ in events(one) if t < fall_time] == [
        EventKind.DISC_HIT
    ] * 2  # the burst is under way
    assert fall_time <= one.pocket_time[0, C] <= fall_time + ICF.t_contact / FINE
    assert other.pocket_time[0, C] == fall_time
    assert one.n_cushion_hits[0] == other.n_cushion_hits[0] == 1
    np.testing.assert_allclose(one.vel[0, 5], other.vel[0, 5], atol=2e-3)
    np.testing.assert_allclose(one.pos[0, 5], other.pos[0, 5], atol=2.0 * ICF.t_contact)


def test_soft_discs_that_push_one_another_end_a_burst() -> None:
    """Friction of the surface holds them together for longer than any impact lasts, deeper than hard discs."""
    rng, n = np.random.default_rng(4), 300
    equipment = ICF.replace(t_contact=5e-4, e_disc=0.15, e_cushion=0.0, mu_disc=0.7, mu_surface=0.2)
    pos = cs.opening(equipment, gap=rng.uniform(0.0, 1e-3, n), rotation=rng.uniform(0.0, 2.0, n)).pos.copy()
    pos[:, STRIKER, 0], pos[:, STRIKER, 1] = rng.uniform(-0.17, 0.17, n), -0.2526
    vel, omega = np.zeros((n, 20, 2)), np.zeros((n, 20))
    vel[:, STRIKER] = -pos[:, STRIKER] * rng.uniform(10.0, 45.0, (n, 1))
    omega[:, STRIKER] = rng.normal(0.0, 60.0, n)
    out = cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False)
    assert not out.status.any()
    assert min(smallest_gap(equipment, places) for places in out.pos) > -1e-6


@pytest.mark.kernel
def test_a_burst_that_does_not_end_gives_up_its_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A striker of 10 t squeezes two men against the cushion for longer than a burst may last."""
    monkeypatch.setattr(simulation, "Tolerances", lambda: Tolerances(burst_cap=2000.0))  # a tenth, for the sake of time
    equipment = plain(side=0.8, striker_mass=1e4, force_law="linear", contact_steps=20)
    scene = row_of([STRIKER, A, B], equipment, [1e-4, 0.0])
    scene = scene.moved(np.array([0.4 - MAN - 2e-6 - scene.pos[B, 0], 0.0]))
    vel = np.zeros((3, 20, 2))
    vel[:, STRIKER, 0] = -0.1, 0.06, -0.2
    out = cs.simulate_motion(np.stack([scene.pos] * 3), vel, np.zeros((3, 20)), equipment=equipment, until=1.0)
    assert out.status.tolist() == [Status.OK, Status.BURST_LIMIT, Status.OK]
    assert np.isnan(out.pos[1]).all()
    np.testing.assert_allclose(out.pos[[0, 2], STRIKER, 0], scene.pos[STRIKER, 0] - [0.1, 0.2], rtol=1e-6)
