"""Bursts: hits that more than two discs take part in, against an ODE, the laws of two-body hits and known breaks."""

import re
from dataclasses import dataclass
from math import inf, log, pi, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import carromsim as cs
from oracles.scenes import Scene, energy, events, nobody, unit

ICF = cs.Equipment.preset("icf")
SEQUENTIAL = ICF.replace(contact="sequential")
STRIKER, A, B, C = 0, 2, 3, 4
MAN = ICF.man_radius
FINE = 400
"""Time steps per contact at which a burst is compared with an ODE."""
laws = pytest.mark.parametrize("law", ["hertz", "linear"])


def plain(**changes: Any) -> cs.Equipment:
    """Return equipment without pockets on a wide board that hardly rubs, by default fine steps and smooth discs."""
    usual = {"side": 200.0, "pocket_radius": 0.0, "mu_surface": 1e-9, "mu_disc": 0.0, "mu_cushion": 0.0}
    return ICF.replace(**(usual | {"contact_steps": FINE} | changes))


def row_of(discs: list[int], equipment: cs.Equipment, gaps: list[float], course: float = 0.0) -> Scene:
    """Return discs one behind the other along a course, the first in the middle and all at rest."""
    pos, vel, omega = nobody()
    place = 0.0
    for before, disc, gap in zip([None, *discs], discs, [0.0, *gaps], strict=False):
        if before is not None:
            place += float(equipment.radius[before] + equipment.radius[disc]) + gap
        pos[disc] = place * unit(course)
    return Scene(equipment, pos, vel, omega)


def damping(e: float) -> float:
    """Return zeta of a restitution above exp(-2)."""
    if e == 1.0:
        return 0.0
    return float(brentq(lambda z: 2.0 * z * np.arccos(z) / sqrt(1.0 - z * z) + log(e), 1e-12, 1.0 - 1e-12))


def chain(
    equipment: cs.Equipment, mass: list[float], gaps: list[float], velocity: list[float], until: float = 2e-3
) -> np.ndarray:
    """Return the velocities of discs in a row at a time; one more gap than pairs is that to a wall."""
    hertz, reduced = equipment.force_law == "hertz", 0.5 * equipment.man_mass
    k = reduced * (pi / equipment.t_contact) ** 2
    if hertz:
        k = 1.25 * reduced * (2.9432 / equipment.t_contact) ** 2.5 / sqrt(3.0)
    m, n = np.array(mass), len(mass)
    wall = len(gaps) == n
    pairs = m[:-1] * m[1:] / (m[:-1] + m[1:])
    contact_mass = np.append(pairs, m[-1]) if wall else pairs
    zeta = np.full(n - 1, damping(equipment.e_disc))
    zeta = np.append(zeta, damping(equipment.e_cushion)) if wall else zeta

    def motion(_: float, state: np.ndarray) -> np.ndarray:
        x, v = (np.append(part, 0.0) if wall else part for part in (state[:n], state[n:]))
        overlap, closing = x[:-1] - x[1:] - gaps, v[:-1] - v[1:]
        d = np.maximum(overlap, 0.0)
        if hertz:
            force = k * d**1.5 + zeta * np.sqrt(5.0 * contact_mass * k) * d**0.25 * closing
        else:
            force = k * d + 2.0 * zeta * np.sqrt(contact_mass * k) * closing
        force = np.where(overlap > 0.0, np.maximum(force, 0.0), 0.0)
        push = np.zeros(n + 1)
        push[1 : len(force) + 1] += force
        push[: len(force)] -= force
        return np.concatenate([state[n:], push[:n] / m])

    start = np.concatenate([np.zeros(n), velocity])
    found = solve_ivp(motion, (0.0, until), start, rtol=1e-9, atol=1e-13, max_step=1e-6)
    return found.y[n:, -1]


@laws
@pytest.mark.parametrize("e", [1.0, 0.85, 0.4])
@pytest.mark.parametrize("gap", [0.0, 1e-5])
def test_a_man_hits_a_row_of_men(law: str, e: float, gap: float) -> None:
    """Newton's cradle: sequential hits would hand all the speed to the last man, contact forces do not."""
    equipment = plain(force_law=law, e_disc=e)
    scene = row_of([A, B, C, 5], equipment, [1e-4, gap, gap])
    scene.vel[A] = 2.0, 0.0
    out = scene.play(0.01)
    expected = chain(equipment, [equipment.man_mass] * 4, [0.0, gap, gap], [2.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(out.vel[0, [A, B, C, 5], 0], expected, atol=7e-4)
    assert out.vel[0, :, 1].max() == 0.0
    other = Scene(equipment.replace(contact="sequential"), scene.pos, scene.vel, scene.omega).play(0.01)
    assert np.abs(other.vel[0, [A, B, C, 5], 0] - expected).max() > 0.02


@laws
@pytest.mark.parametrize("man_mass", [0.002, 0.00525, 0.02])
def test_the_striker_hits_a_row_of_men(law: str, man_mass: float) -> None:
    """Unequal masses and radii, in any direction."""
    equipment = plain(force_law=law, man_mass=man_mass, man_radius=0.0127)
    scene = row_of([STRIKER, A, B], equipment, [1e-4, 0.0], course=0.7)
    scene.vel[STRIKER] = 5.0 * unit(0.7)
    out = scene.play(0.01)
    expected = chain(equipment, [equipment.striker_mass, man_mass, man_mass], [0.0, 0.0], [5.0, 0.0, 0.0])
    np.testing.assert_allclose(out.vel[0, [STRIKER, A, B]] @ unit(0.7), expected, atol=1.2e-3)


@laws
def test_a_man_between_the_striker_and_two_men_at_the_cushion(law: str) -> None:
    equipment = plain(force_law=law, side=0.8)
    scene = row_of([STRIKER, A, B], equipment, [1e-4, 0.0])
    scene = scene.moved(np.array([0.4 - MAN - 2e-6 - scene.pos[B, 0], 0.0]))
    scene.vel[STRIKER] = 4.0, 0.0
    out = scene.play(0.01)
    expected = chain(
        equipment, [equipment.striker_mass, equipment.man_mass, equipment.man_mass], [0.0, 0.0, 2e-6], [4.0, 0.0, 0.0]
    )
    np.testing.assert_allclose(out.vel[0, [STRIKER, A, B], 0], expected, atol=1e-3)
    assert out.n_cushion_hits[0] == 1


@laws
@pytest.mark.parametrize("gap", [0.0, 5e-5, 2e-4])
def test_a_man_at_the_cushion_hands_the_hit_on_to_it(law: str, gap: float) -> None:
    """No third disc, but the frame: hits of two would keep a fifth of the energy instead of half of it or more."""
    equipment = plain(force_law=law, side=0.8)
    scene = row_of([STRIKER, A], equipment, [1e-4])
    scene = scene.moved(np.array([0.4 - MAN - gap - scene.pos[A, 0], 0.0]))
    scene.vel[STRIKER] = 4.0, 0.0
    one, other = in_both_modes(scene, until=0.01)
    expected = chain(equipment, [equipment.striker_mass, equipment.man_mass], [0.0, gap], [4.0, 0.0])
    np.testing.assert_allclose(one.vel[0, [STRIKER, A], 0], expected, atol=1e-3)
    assert np.abs(other.vel[0, [STRIKER, A], 0] - expected).max() > 0.7


@laws
@pytest.mark.parametrize("behind", [A, STRIKER])
@pytest.mark.parametrize("gap", [0.0, 1e-4, 3e-4])
@pytest.mark.parametrize("corner", [False, True])
def test_a_disc_that_meets_the_frame_is_hit_from_behind(law: str, behind: int, gap: float, corner: bool) -> None:
    """The hit that begins the burst is that of the frame, straight or round."""
    equipment = plain(force_law=law, side=0.8, corner_size=0.1)
    course = 0.25 * pi if corner else 0.0
    scene = row_of([behind, B], equipment, [gap], course)
    end = 0.3 * np.ones(2) + 0.1 * unit(course) if corner else np.array([0.4, 0.0])
    scene = scene.moved(end - (MAN + 1e-4) * unit(course) - scene.pos[B])
    scene.vel[[behind, B]] = 3.0 * unit(course)
    out = scene.play(0.01)
    expected = chain(equipment, list(equipment.mass[[behind, B]]), [gap, 0.0], [3.0, 3.0])
    np.testing.assert_allclose(out.vel[0, [behind, B]] @ unit(course), expected, atol=1.5e-3)


def test_a_cushion_takes_part_if_it_is_reached_while_the_two_are_in_touch() -> None:
    """Straight and rounded; a man who is driven along it or away from it is hit like any other."""
    equipment = plain(side=0.8, e_disc=1.0, corner_size=0.1)
    reach = 0.5 * 2.0 * equipment.t_contact * (3.0 / 2.0) ** 0.2
    for course, towards, gap, takes_part in (
        (0.0, 0.0, 0.98 * reach, True),
        (0.0, 0.0, 1.02 * reach, False),
        (0.25 * pi, 0.25 * pi, 0.98 * reach, True),
        (0.25 * pi, 0.25 * pi, 1.02 * reach, False),
        (0.5 * pi, 0.0, 0.0, False),
        (pi, 0.0, 0.0, False),
    ):
        scene = row_of([A, B], equipment, [1e-7], course=course)
        bend = (0.4 - 0.1) * np.ones(2) if towards else np.array([0.3, 0.0])
        scene = scene.moved(bend + (0.1 - MAN - gap) * unit(towards) - scene.pos[B])
        scene.vel[A] = 2.0 * unit(course)
        assert same_bits(*in_both_modes(scene, until=0.01)) != takes_part, (course, gap)


@pytest.mark.parametrize("corner_size", [0.05, 0.2])
def test_a_rounded_corner_presses_back_as_a_straight_cushion_does(corner_size: float) -> None:
    """Three discs on the diagonal."""
    straight = plain(side=0.8)
    rounded = straight.replace(corner_size=corner_size)
    at_wall = row_of([STRIKER, A, B], straight, [1e-4, 0.0])
    at_wall = at_wall.moved(np.array([0.4 - MAN - 2e-6 - at_wall.pos[B, 0], 0.0]))
    in_corner = row_of([STRIKER, A, B], rounded, [1e-4, 0.0], course=0.25 * pi)
    end = (0.4 - corner_size) * np.ones(2) + (corner_size - MAN - 2e-6) * unit(0.25 * pi)
    in_corner = in_corner.moved(end - in_corner.pos[B])
    at_wall.vel[STRIKER], in_corner.vel[STRIKER] = 4.0 * unit(0.0), 4.0 * unit(0.25 * pi)
    one, other = at_wall.play(0.01), in_corner.play(0.01)
    discs = [STRIKER, A, B]
    np.testing.assert_allclose(other.vel[0, discs] @ unit(0.25 * pi), one.vel[0, discs] @ unit(0.0), atol=1e-6)
    assert other.n_cushion_hits[0] == one.n_cushion_hits[0] == 1


def same_bits(one: cs.Outcomes, other: cs.Outcomes) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("status", "pos", "vel", "omega", "pocket", "pocket_time", "n_events", "duration", "first_hit")
    )


def in_both_modes(scene: Scene, until: float = inf) -> tuple[cs.Outcomes, cs.Outcomes]:
    """Return what becomes of a scene with its equipment and with the same in sequential hits."""
    other = Scene(scene.equipment.replace(contact="sequential"), scene.pos, scene.vel, scene.omega)
    return scene.play(until), other.play(until)


def test_hits_of_two_discs_are_the_same_bits_in_both_modes() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        pos, vel, omega = nobody()
        pos[STRIKER], pos[A] = (-0.1, rng.uniform(-0.1, 0.1)), rng.uniform([-0.05, -0.2], [0.35, 0.2])
        vel[STRIKER], omega[STRIKER] = rng.uniform(0.5, 8.0) * unit(rng.normal(0.0, 0.2)), rng.normal(0.0, 50.0)
        one, other = in_both_modes(Scene(ICF, pos, vel, omega))
        hits += int(one.n_disc_hits[0])
        assert same_bits(one, other)
    assert hits > 90


@laws
@pytest.mark.parametrize("speed", [0.3, 2.0, 9.0])
def test_a_third_disc_takes_part_if_it_is_reached_while_the_two_are_in_touch(law: str, speed: float) -> None:
    """Two equal elastic men part just when the one that was hit has covered half of speed x duration."""
    equipment = plain(force_law=law, e_disc=1.0)
    duration = equipment.t_contact * ((3.0 / speed) ** 0.2 if law == "hertz" else 1.0)
    for part, takes_part in ((0.99, True), (1.01, False)):
        scene = row_of([A, B, C], equipment, [1e-7, part * 0.5 * speed * duration])
        scene.vel[A] = speed, 0.0
        one, other = in_both_modes(scene, until=0.02)
        assert same_bits(one, other) == (not takes_part)
        np.testing.assert_allclose(one.vel[0], other.vel[0], atol=2e-3 * speed)  # at the limit both are right
        assert one.n_disc_hits[0] == other.n_disc_hits[0] == 2


def test_who_is_near_and_who_takes_part() -> None:
    """A man hits another, and a third one is near the first."""
    course, scenes = 2.0 * unit(0.0), {"follows": True, "stays": False, "is left aside": False, "is in the way": True}
    for what, takes_part in scenes.items():
        scene = row_of([A, B], plain(), [1e-7])
        scene.vel[A] = course
        scene.pos[C] = -(2.0 * MAN + 1e-7) * unit({"is left aside": 0.5 * pi, "is in the way": pi - 1.1}.get(what, 0.0))
        scene.vel[C] = course * (what == "follows")
        one, other = in_both_modes(scene, until=1e-5)
        assert same_bits(one, other) != takes_part, what


def test_a_slow_hit_is_one_of_two_discs() -> None:
    for speed, takes_part in ((0.0499, False), (0.0501, True)):
        scene = row_of([A, B, C], plain(), [1e-8, 0.0])
        scene.vel[A] = speed, 0.0
        assert same_bits(*in_both_modes(scene, until=0.02)) != takes_part


def test_sequential_hits_know_nothing_of_contact_forces() -> None:
    scene = touching_break(SEQUENTIAL)
    usual = scene.play()
    for changes in ({"t_contact": 5e-5}, {"force_law": "linear"}, {"contact_steps": 40}):
        compliant = Scene(ICF.replace(**changes), scene.pos, scene.vel, scene.omega).play()
        assert not same_bits(compliant, Scene(ICF, scene.pos, scene.vel, scene.omega).play())
        assert same_bits(usual, Scene(SEQUENTIAL.replace(**changes), scene.pos, scene.vel, scene.omega).play())


def touching_break(equipment: cs.Equipment, speed: float = 5.0, x: float = 0.003, gap: float = 0.0) -> Scene:
    """Return the opening pack and a striker that comes straight up the board."""
    pos, vel, omega = cs.opening(equipment, gap=gap, rotation=0.2).pos.copy(), np.zeros((20, 2)), np.zeros(20)
    pos[STRIKER], vel[STRIKER, 1] = (x, -0.2526), speed
    return Scene(equipment, pos, vel, omega)


@laws
def test_two_hits_that_hardly_coincide_follow_the_law_of_two(law: str) -> None:
    """Restitution, friction and tangential restitution of contacts in a burst: the second begins as the first ends."""
    rng, compared = np.random.default_rng(2), 0
    for _ in range(100):
        equipment = plain(
            force_law=law, e_disc=rng.uniform(0.5, 1.0), mu_disc=rng.uniform(0.0, 0.4), v_c_disc=rng.choice([0.0, 0.5]),
            beta_disc=rng.choice([0.0, rng.uniform(-1.0, 1.0)]), man_mass=rng.uniform(0.003, 0.008),
        )  # fmt: skip
        scene = row_of([STRIKER, A], equipment, [1e-8])
        scene.vel[STRIKER] = rng.uniform(1.0, 8.0) * unit(rng.uniform(-1.2, 1.2))
        scene.omega[STRIKER] = rng.normal(0.0, 60.0)
        hit = scene.play(1e-5).vel[0, A]  # without a third disc
        course = np.arctan2(hit[1], hit[0]) + rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2)
        reduced = equipment.striker_mass / (equipment.striker_mass + equipment.man_mass)
        duration = equipment.t_contact * sqrt(2.0 * reduced)
        if law == "hertz":
            duration = equipment.t_contact * (4.0 * reduced**2 * 3.0 / scene.vel[STRIKER, 0]) ** 0.2
        reach = 0.5 * duration * float(hit @ unit(course))
        scene.pos[B] = scene.pos[A] + (2.0 * MAN + 0.97 * reach) * unit(course)
        one, other = in_both_modes(scene, until=2e-3)
        assert not same_bits(one, other)
        if max(one.n_disc_hits[0], other.n_disc_hits[0]) > 2:  # the striker caught up again
            continue
        speed = np.hypot(*scene.vel[STRIKER])
        compared += 1
        np.testing.assert_allclose(one.vel[0], other.vel[0], atol=0.02 * speed)
        np.testing.assert_allclose(MAN * one.omega[0], MAN * other.omega[0], atol=0.01 * speed)
    assert compared > 50


@dataclass
class Breaks:
    """Breaks as in the table of the physics paper, `PHYSICS.md` 4.4: 4 to 6 m/s at a pack turned by 0 or 30 degrees."""

    equipment: cs.Equipment
    pos: np.ndarray
    vel: np.ndarray
    course: np.ndarray
    first: np.ndarray
    """When the striker hits [s]."""

    def after(self, wait: float, **changes: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return, so long after the hit, energy / E0, striker's speed forward / v0 and fastest man / v0 of each."""
        equipment = self.equipment.replace(**changes)
        states = [
            Scene(equipment, pos, vel, np.zeros(20)).play(t + wait, record=False, threads=1)
            for pos, vel, t in zip(self.pos, self.vel, self.first, strict=True)
        ]
        vel = np.concatenate([state.vel for state in states])
        kept = energy(equipment, vel, np.concatenate([state.omega for state in states]))
        speed = np.hypot(*self.vel[:, STRIKER].T)
        forward = np.sum(vel[:, STRIKER] * self.course, axis=1)
        fastest = np.hypot(vel[:, 1:, 0], vel[:, 1:, 1]).max(axis=1)
        return kept / (0.5 * equipment.striker_mass * speed**2), forward / speed, fastest / speed


def breaks(gap: float, n: int, seed: int = 0) -> Breaks:
    rng = np.random.default_rng(seed)
    equipment = ICF.replace(man_mass=0.0053)
    pos = np.stack([cs.opening(equipment, rotation=pi / 6.0 * k, gap=gap).pos for k in rng.integers(0, 2, n)])
    pos += rng.uniform(-0.25 * gap, 0.25 * gap, pos.shape)
    pos[:, STRIKER, 0], pos[:, STRIKER, 1] = rng.uniform(-0.02, 0.02, n), -0.2526
    course = np.stack([rng.normal(0.0, 0.003, n), np.zeros(n)], axis=1) - pos[:, STRIKER]
    course /= np.hypot(*course.T)[:, np.newaxis]
    vel = np.zeros((n, 20, 2))
    vel[:, STRIKER] = rng.uniform(4.0, 6.0, (n, 1)) * course
    whole = cs.simulate_motion(pos, vel, np.zeros((n, 20)), equipment=equipment)
    first = np.array([events(whole, row)[0][0] for row in range(n)])
    return Breaks(equipment, pos, vel, course, first)


@pytest.mark.parametrize(
    ("gap", "law", "kept", "forward", "fastest"),
    [
        (0.0, "hertz", 0.678, -0.168, 0.601),
        (0.0, "linear", 0.757, -0.258, 0.596),
        (1e-5, "hertz", 0.639, -0.130, 0.60),
        (1e-4, "hertz", 0.481, 0.026, 0.70),
        (1e-4, "linear", 0.511, 0.011, 0.66),
        (5e-4, "hertz", 0.521, 0.193, 0.84),
    ],
)
def test_breaks_are_those_of_contact_forces_everywhere(
    gap: float, law: str, kept: float, forward: float, fastest: float
) -> None:
    """Means of a slow integration of all contacts, one millisecond after the first."""
    found = [column.mean() for column in breaks(gap, 200).after(1e-3, force_law=law)]
    assert found[0] == pytest.approx(kept, abs=0.008)
    assert found[1] == pytest.approx(forward, abs=0.012)
    assert found[2] == pytest.approx(fastest, abs=0.025 if gap < 5e-4 else 0.035)


@laws
def test_a_touching_pack_asks_for_the_order_of_forces_not_for_their_strength(law: str) -> None:
    pack = breaks(0.0, 20)
    stiff, soft = (pack.after(1e-3, force_law=law, t_contact=t) for t in (2e-5, 1e-4))
    for one, other in zip(stiff, soft, strict=True):
        np.testing.assert_allclose(one, other, atol=0.01)
    # Hits of two discs are another thing altogether: they keep half of the energy, and the striker goes on.
    kept, forward, _ = (column.mean() for column in pack.after(1e-3, contact="sequential"))
    assert kept < soft[0].mean() - 0.15
    assert forward > soft[1].mean() + 0.25


@laws
@pytest.mark.parametrize("gap", [0.0, 1e-4])
def test_twenty_steps_are_enough(law: str, gap: float) -> None:
    pack = breaks(gap, 30)
    coarse, fine = (pack.after(1e-3, force_law=law, contact_steps=steps) for steps in (20, 200))
    for one, other in zip(coarse, fine, strict=True):
        assert one.mean() == pytest.approx(other.mean(), abs=0.003)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contact": "compliantt"}, "contact = 'compliantt': did you mean 'compliant'? known: compliant, sequential"),
        ({"contact": None}, "contact = None: known: compliant, sequential"),
        ({"contact": 1.0}, "contact = 1.0: known: compliant, sequential"),
        ({"force_law": "Hertz"}, "force_law = 'Hertz': did you mean 'hertz'? known: hertz, linear"),
        ({"force_law": np.nan}, "force_law = nan: known: hertz, linear"),
        ({"t_contact": 0.0}, "t_contact = 0.0: must be from 1e-06 to 0.001 s"),
        ({"t_contact": -1e-4}, "t_contact = -0.0001: must be from 1e-06 to 0.001 s"),
        ({"t_contact": 1.1e-3}, "t_contact = 0.0011: must be from 1e-06 to 0.001 s"),
        ({"t_contact": "1e-4"}, "t_contact = '1e-4': must be from 1e-06 to 0.001 s"),
        ({"contact_steps": 9}, "contact_steps = 9: must be a whole number from 10 to 1000"),
        ({"contact_steps": 1001}, "contact_steps = 1001: must be a whole number from 10 to 1000"),
        ({"contact_steps": 20.5}, "contact_steps = 20.5: must be a whole number from 10 to 1000"),
    ],
)
def test_impossible_contacts_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape("impossible equipment, 1 problem: " + message)):
        ICF.replace(**changes)
