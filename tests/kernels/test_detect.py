"""When two discs meet, against roots at 60 digits: moving and resting, unequal, grazing, stopping."""

import os
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carromsim as cs
from carromsim_kernels.state import EventKind, Tolerances
from oracles import exact
from oracles.scenes import events, nobody, open_field, unit

pytestmark = [
    pytest.mark.kernel,
    # With the JIT off, NumPy's numbers warn of a path along 1e-308 of a direction; its infinity means never.
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"

TIME_ERROR = 1e-11
"""[s]"""
PUSH_SPEED, PUSH_OVERLAP = Tolerances().push_speed, Tolerances().push_overlap
STRIKER, MAN = 0, 13
LATE = 20.0
"""When the clock is stopped [s]; of use without friction."""


@dataclass
class Encounter:
    """Two discs without spin, whose hits transfer none either: their deceleration is constant."""

    equipment: cs.Equipment
    pos: np.ndarray
    """(2, 2), the striker first"""
    vel: np.ndarray

    @property
    def reach(self) -> float:
        return self.equipment.striker_radius + self.equipment.man_radius

    @property
    def deceleration(self) -> float:
        return self.equipment.mu_surface * self.equipment.gravity

    def root(self, overlap: float = 0.0) -> tuple[float, float]:
        """Return when the discs first overlap by so much, and how fast they approach then; inf if never."""
        paths = self.pos[0], self.vel[0], self.pos[1], self.vel[1]
        t = exact.contact_time(*paths, self.reach - overlap, self.deceleration)
        if t is None or t >= LATE:
            return np.inf, 0.0
        return float(t), float(exact.approach_speed(*paths, self.deceleration, t))

    def first_hit(self) -> float:
        """Return when the package lets them hit, inf if never."""
        pos, vel, omega = nobody()
        pos[[STRIKER, MAN]], vel[[STRIKER, MAN]] = self.pos, self.vel
        outcomes = cs.simulate_motion(pos, vel, omega, equipment=self.equipment, until=LATE, threads=1)
        hits = [event for event in events(outcomes) if event[1] == EventKind.DISC_HIT]
        assert all(event[2:] == (STRIKER, MAN) for event in hits)
        return hits[0][0] if hits else np.inf


def field(mu: float, striker: float = 0.02065, man: float = 0.0155) -> cs.Equipment:
    return open_field(side=1e5, mu_surface=mu, striker_radius=striker, man_radius=man, mu_disc=0.0)


def aimed(equipment: cs.Equipment, target: np.ndarray, vel: np.ndarray, speed: float, offset: float) -> Encounter:
    """Return a striker at the origin whose path relative to the man passes his centre at a distance of offset.

    While both slow down at the same rate in the same direction the relative path is straight, else nearly so.
    """
    distance = float(np.hypot(*target))
    course = np.arctan2(target[1], target[0]) + np.arcsin(offset / distance)
    return Encounter(equipment, np.array([[0.0, 0.0], target]), np.array([vel + speed * unit(float(course)), vel]))


def examples(n: int) -> settings:
    """Return settings for n examples, a tenth of them with the JIT off."""
    return settings(max_examples=n // 10 if PLAIN else n, deadline=None, derandomize=True)


lengths = st.floats(0.08, 1.5)
radii = st.floats(0.01, 0.03)
angles = st.floats(0.0, 2.0 * np.pi)
speeds = st.floats(0.1, 8.0)
frictions = st.sampled_from([0.0, 0.05, 0.1, 0.2])


@given(frictions, radii, radii, lengths, angles, speeds, angles, speeds, st.floats(-1.05, 1.05))
@examples(250)
def test_two_moving_discs(
    mu: float, r1: float, r2: float, far: float, where: float, speed: float, course: float, drift: float, aim: float
) -> None:
    equipment = field(mu, r1, r2)
    judge(aimed(equipment, far * unit(where), drift * unit(course), speed, aim * (r1 + r2)))


@given(frictions, radii, radii, lengths, angles, speeds, st.floats(-1.05, 1.05))
@examples(150)
def test_a_moving_and_a_resting_disc(
    mu: float, r1: float, r2: float, far: float, where: float, speed: float, aim: float
) -> None:
    judge(aimed(field(mu, r1, r2), far * unit(where), np.zeros(2), speed, aim * (r1 + r2)))


@given(lengths, angles, st.floats(4.0, 10.0), angles, st.sampled_from([0.0, 2.0]), st.integers(-12, -5), st.booleans())
@examples(150)
def test_grazes(far: float, where: float, speed: float, course: float, drift: float, digit: int, left: bool) -> None:
    equipment = field(0.1)
    offset = (equipment.striker_radius + equipment.man_radius) * (1.0 - 10.0**digit)
    judge(aimed(equipment, far * unit(where), drift * unit(course), speed, offset if left else -offset))


@given(lengths, angles, st.floats(4.0, 10.0), st.sampled_from([0.0, 0.5]))
@examples(100)
def test_a_graze_by_a_nanometre_hits_and_a_miss_by_a_nanometre_misses(
    far: float, where: float, speed: float, drift: float
) -> None:
    """All in one direction and without friction, so that the distance of closest approach is known in advance."""
    equipment = field(0.0)
    reach = equipment.striker_radius + equipment.man_radius
    for depth, hits in ((1e-8, True), (-1e-9, False)):
        scene = aimed(equipment, far * unit(where), drift * unit(where), 10.0 * speed, reach - depth)
        assert (scene.root()[0] < np.inf) == hits
        assert (scene.first_hit() < np.inf) == hits
        judge(scene)


@given(angles, st.floats(0.3, 3.0), st.floats(-0.9, 0.9), st.floats(-6.0, -1.0))
@examples(100)
def test_discs_that_stop_just_before_or_just_after_they_touch(
    where: float, speed: float, aim: float, digit: float
) -> None:
    equipment = field(0.1)
    reach = equipment.striker_radius + equipment.man_radius
    way = speed**2 / (2.0 * equipment.mu_surface * equipment.gravity)
    for change in (-(10.0**digit), 10.0**digit):
        contact = way * (1.0 + change)
        ahead = contact + reach * np.sqrt(1.0 - aim**2)
        target = ahead * unit(where) + aim * reach * unit(where + 0.5 * np.pi)
        if np.hypot(*target) <= reach:
            continue
        scene = Encounter(equipment, np.array([[0.0, 0.0], target]), np.array([speed * unit(where), [0.0, 0.0]]))
        assert (scene.root()[0] < np.inf) == (change < 0.0)
        judge(scene)


def judge(scene: Encounter) -> None:
    """Compare the first hit with the exact root; a contact reached too slowly waits for the overlap of a push."""
    if np.hypot(*(scene.pos[1] - scene.pos[0])) <= scene.reach + 1e-9:
        return
    contact, approach = scene.root()
    hit = scene.first_hit()
    if approach > PUSH_SPEED * (1.0 + 1e-6):
        assert abs(hit - contact) <= TIME_ERROR
    elif contact == np.inf:
        assert hit == np.inf
    elif approach < PUSH_SPEED * (1.0 - 1e-6):
        deep, approach = scene.root(PUSH_OVERLAP)
        # Nearly without approach the overlap's time is as uncertain as rounding, 1e-16 m, makes it.
        if deep == np.inf:
            assert hit == np.inf
        elif approach > 1e-5:
            assert abs(hit - deep) <= TIME_ERROR
