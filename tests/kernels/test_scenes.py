"""Few discs in many kinds of trouble, so short that every branch of the event loop may be followed in plain Python."""

from typing import Any

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.state import Status
from oracles.scenes import Scene, beyond_frame, energy, nobody, random_scene, smallest_gap, unit

pytestmark = pytest.mark.kernel

ICF = cs.Equipment.preset("icf")
OVERLAP = 1e-6
KINDS: list[dict[str, Any]] = [
    {},
    {"force_law": "linear", "corner": "cut_away", "corner_size": 0.1, "v_c_disc": 0.3, "v_c_cushion": 0.2},
    {"corner": "right_angled", "fall_height": 0.0, "e_disc": 0.2, "mu_disc": 0.3},
    {"capture_rule": "centre", "e_disc": 1.0, "e_cushion": 1.0, "mu_disc": 0.0},
    {"jump_chance": 0.5, "jump_speed": 1.0, "pocket_radius": 0.0, "corner_size": 0.2, "e_cushion": 0.3},
    {"contact": "sequential", "jump_chance": 0.5, "jump_speed": 0.5, "v_c_cushion": 0.4},
]


def judge(scene: Scene, out: cs.Outcomes) -> None:
    """Check what holds of any stroke: it ends, with less energy, no disc in another or in the frame."""
    assert out.status[0] == Status.OK
    assert energy(scene.equipment, out.vel, out.omega)[0] <= energy(scene.equipment, scene.vel, scene.omega) * (
        1 + 1e-9
    )
    assert smallest_gap(scene.equipment, out.pos[0]) >= -2.0 * OVERLAP
    there = np.flatnonzero(np.isfinite(out.pos[0, :, 0]))
    assert max([beyond_frame(scene.equipment, int(i), out.pos[0, i]) for i in there], default=-1.0) <= 1e-9
    gone = (out.pocket[0] >= 0).sum() + out.overboard[0].sum()
    assert len(there) + gone == len(scene.present)


def pressed(kind: dict[str, Any], at: tuple[float, float], course: float, speed: float) -> Scene:
    """Return a striker that drives four men in touch, a bent row of three and one beside it, towards the frame."""
    equipment = ICF.replace(name="pressed", **kind)
    pos, vel, omega = nobody()
    place = np.array(at)
    for before, disc, turn in ((None, 2, 0.0), (2, 3, 0.3), (3, 12, -0.2), (12, 0, 0.1)):
        if before is not None:
            gap = 1e-3 if disc == 0 else 0.0
            place = place - (equipment.radius[before] + equipment.radius[disc] + gap) * unit(course + turn)
        pos[disc] = place
    pos[5] = pos[3] + 2.0 * equipment.man_radius * unit(course - np.pi / 2)
    vel[0], omega[0], omega[2] = speed * unit(course + 0.1), 40.0, -60.0
    return Scene(equipment, pos, vel, omega)


PLACES = {
    "cushion": ((0.35409, 0.05), 0.0),
    "corner": ((0.29, 0.29), np.pi / 4),
    "along": ((0.15, 0.35), 0.05),
    "rim": ((0.33197, 0.33197), np.pi / 4),
}
"""Where the first man lies, and which way he is driven; the corners of kinds 1 and 4 have no rim."""


PRESSED = [(kind, place) for place in PLACES for kind in range(len(KINDS)) if place != "rim" or kind not in (1, 4)]


@pytest.mark.parametrize(("kind", "place"), PRESSED)
def test_men_pressed_against_the_frame(kind: int, place: str) -> None:
    at, course = PLACES[place]
    scene = pressed(KINDS[kind], at, course, speed=3.0)
    judge(scene, scene.play())
    judge(scene, scene.play(0.006, record=False))


@pytest.mark.parametrize("kind", KINDS[:2], ids=range(2))
def test_a_clock_that_stops_while_men_are_pressed_together(kind: dict[str, Any]) -> None:
    scene = pressed(kind, (0.32, 0.05), 0.0, speed=3.0)
    for until in (4e-4, 5e-4, 6e-4):
        out = scene.play(until)
        assert out.status[0] == Status.OK
        assert out.duration[0] == pytest.approx(until)


@pytest.mark.parametrize("kind", [KINDS[1], KINDS[5]], ids=["compliant", "sequential"])
def test_men_that_push_one_another_slowly(kind: dict[str, Any]) -> None:
    """A row in touch moves as one; the spinning ones push."""
    scene = pressed(kind, (0.1, 0.05), 0.7, speed=0.0)
    moving = [0, 12, 3, 2, 5]
    scene.vel[moving] = 0.3 * unit(0.7) + 1e-4 * np.array(
        [[1.0, 0.3], [0.5, 0.1], [0.2, -0.2], [0.0, 0.0], [-0.3, 0.2]]
    )
    scene.omega[moving] = [30.0, -10.0, 50.0, 0.0, -20.0]
    judge(scene, scene.play())


@pytest.mark.parametrize("seed", range(8))
def test_discs_at_random(seed: int) -> None:
    scene = random_scene(np.random.default_rng(seed), 4)
    if seed % 2:
        scene = Scene(scene.equipment.replace(contact="compliant"), scene.pos, scene.vel, scene.omega)
    judge(scene, scene.play(1.5))


def test_coefficients_that_cannot_be_are_told() -> None:
    layout, strokes = cs.opening("icf"), cs.Strokes(x=0.0, angle=np.pi / 2, speed=[0.5, 0.5])
    out = cs.simulate(layout, strokes, coefficients={"mu_surface": [0.0, -1.0]})
    assert out.status.tolist() == [Status.BAD_INPUT, Status.BAD_INPUT]


def test_a_start_that_cannot_be_is_told_and_leaves_the_others_alone() -> None:
    def row(change: str) -> Scene:
        pos, vel, omega = nobody()
        pos[2], pos[3], vel[2] = (0.1, 0.0), (0.2, 0.0), (1.0, 0.0)
        if change == "outside":
            pos[3] = 0.4, 0.0
        elif change == "in the corner":
            pos[3] = 0.354, 0.354
        elif change == "not a number":
            vel[2, 1] = np.nan
        elif change == "overlap":
            pos[3] = 0.12, 0.0
        return Scene(ICF.replace(corner_size=0.2, pocket_radius=0.0), pos, vel, omega)

    changes = {"none": Status.OK, "outside": Status.BAD_INPUT, "in the corner": Status.BAD_INPUT}
    changes |= {"not a number": Status.BAD_INPUT, "overlap": Status.START_OVERLAP}
    rows = [row(change) for change in changes]
    pos, vel, omega = (np.stack([getattr(each, name) for each in rows]) for name in ("pos", "vel", "omega"))
    out = cs.simulate_motion(pos, vel, omega, equipment=rows[0].equipment)
    assert out.status.tolist() == list(changes.values())
    assert np.isnan(out.pos[1:]).all()
    assert np.isfinite(out.pos[0, 2:4]).all()
