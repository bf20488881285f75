"""Discs in frames of every shape against brute force: small steps along the path until it is beyond the frame.

What is beyond says `scenes.beyond_frame`. Boards are convex, so no step is too long to notice that it leads out.
"""

from math import sqrt

import numpy as np
import pytest

import carromsim as cs
from oracles.scenes import ICF, Scene, beyond_frame, events, nobody, unit

MAN = 5
STEP = 2e-3
FLAT = 0.05
"""Sine at which a hit of an arc is no longer a plain rebound."""
SHAPES = [
    ("right_angled", 0.02225), ("rounded", 0.02225), ("rounded", 0.1), ("rounded", 0.37), ("cut_away", 0.02225),
    ("cut_away", 0.2), ("cut_away", 0.36),
]  # fmt: skip


def inward(equipment: cs.Equipment, place: np.ndarray) -> np.ndarray:
    """Return the unit vector into the frame at a place that touches it."""
    half, size, across = 0.5 * equipment.side, equipment.corner_size, np.abs(place)
    n = (across == across.max()).astype(float)
    if equipment.corner == "rounded" and across.min() > half - size:
        n = across - (half - size)
    if equipment.corner == "cut_away" and across.sum() > 2.0 * half - size - sqrt(2.0) * equipment.man_radius - 1e-12:
        n = np.ones(2)
    return np.copysign(n / np.hypot(*n), place)


def way_out(equipment: cs.Equipment, place: np.ndarray, heading: np.ndarray, most: float) -> float:
    """Return the path to the frame, or the most if it is longer: by steps, then by halving the last one."""
    path = 0.0
    while path < most and beyond_frame(equipment, MAN, place + (path + STEP) * heading) <= 0.0:
        path += STEP
    low, high = path, path + STEP
    while high - low > 1e-15:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if beyond_frame(equipment, MAN, place + middle * heading) <= 0.0 else (low, middle)
    return min(low, most)


def brute(
    equipment: cs.Equipment, place: np.ndarray, vel: np.ndarray, hits: int
) -> tuple[list[float], np.ndarray, int]:
    """Return times of the first hits of a disc without spin, its place at the last, and how many were of corners."""
    brake = equipment.mu_surface * equipment.gravity
    t, times, slanted = 0.0, [], 0
    while len(times) < hits:
        speed = float(np.hypot(*vel))
        heading = vel / speed
        most = 0.5 * speed**2 / brake if brake > 0.0 else np.inf
        path = way_out(equipment, place, heading, most)
        if path == most:
            break
        left = sqrt(speed**2 - 2.0 * brake * path)
        there = place + path * heading
        n = inward(equipment, there)
        bent = equipment.corner == "rounded" and np.abs(n).min() > 1e-9
        if (bent and equipment.e_cushion * (heading @ n) < FLAT) or (heading @ n) < 1e-3 or left < 0.2:
            break
        vel = left * (heading - (1.0 + equipment.e_cushion) * (heading @ n) * n)
        t += 2.0 * path / (speed + left)
        times.append(t)
        slanted += np.abs(n).min() > 1e-9
        place = there - 1e-13 * n  # by rounding it may be beyond
        if bent and equipment.corner_size < 0.05:  # a small arc makes a hundred errors of one
            break
    return times, place, slanted


@pytest.mark.parametrize(("corner", "size"), SHAPES)
@pytest.mark.parametrize(("mu", "e"), [(0.0, 1.0), (0.08, 0.8)])
def test_shots_against_small_steps(corner: str, size: float, mu: float, e: float) -> None:
    rng = np.random.default_rng(int(1e4 * size))
    equipment = ICF.replace(
        corner=corner, corner_size=size, mu_surface=mu, e_cushion=e, mu_cushion=0.0, pocket_radius=0.0
    )
    judged = of_corners = 0
    for shot in range(25):
        pos, vel, omega = nobody()
        place = np.array([np.inf, np.inf])
        while beyond_frame(equipment, MAN, place) > -1e-3:
            place = rng.uniform(-0.36, 0.36, 2)
        way = unit(rng.uniform(0.0, 2.0 * np.pi))
        if shot % 2 == 0:  # into a corner
            way = rng.choice([-1.0, 1.0], 2) * (0.36 - rng.uniform(0.0, max(size, 0.02), 2)) - place
        pos[MAN], vel[MAN] = place, rng.uniform(2.0, 5.0) * way / np.hypot(*way)
        times, end, slanted = brute(equipment, pos[MAN], vel[MAN], hits=8)
        out = Scene(equipment, pos, vel, omega).play(times[-1] + 1e-7 if times else 1e-3)
        got = events(out)
        np.testing.assert_allclose([event[0] for event in got], times, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(out.pos[0, MAN], end if times else out.pos[0, MAN], rtol=0.0, atol=2e-6)
        judged += len(times)
        of_corners += slanted
    assert judged >= 60
    assert of_corners >= (0 if corner == "right_angled" else 5)
