"""The bounds that the event loop goes by: never later than the truth, and no pair that meets is passed over."""

import numpy as np
import pytest

import carromsim as cs
from carromsim.simulation import scene_of
from carromsim_kernels.discs import launch, locate, remove
from carromsim_kernels.jit import kernel
from carromsim_kernels.schedule import bound_meetings, predict_self
from carromsim_kernels.state import N_DISCS
from oracles.scenes import unit

pytestmark = pytest.mark.kernel

ICF = cs.Equipment.preset("icf")
STEPS = 300
"""In which the slow twin follows the discs of a pair until one of them is at the end of its segment."""


def crowd(rng: np.random.Generator, n: int) -> np.record:
    """Return a scene of n discs in motion: the first begins at 0.1 s, the others did before and were looked up since.

    It heads for about where disc 1 began.
    """
    scene = scene_of(ICF).copy()[0]
    scene.mu_g = ICF.mu_surface * ICF.gravity
    for i in range(N_DISCS):
        remove(scene, i)
    for i in reversed(range(n)):
        place, course, begun = rng.uniform(-0.15, 0.15, 2), rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.0, 0.1)
        if i == 0:
            course, begun = np.arctan2(scene.y[1] - place[1], scene.x[1] - place[0]) + rng.uniform(-0.3, 0.3), 0.1
        spin = rng.choice([0.0, 1.0]) * rng.uniform(-200.0, 200.0)
        scene.on_board[i] = 1
        launch(scene, i, begun, *place, *(rng.uniform(0.2, 2.0) * unit(course)), spin)
        predict_self(scene, i)
        locate(scene, i, rng.uniform(begun, 0.1))
    return scene


@kernel
def look_up(scene: np.record, i: int, times: np.ndarray, ways: np.ndarray) -> None:
    """Find how far disc i has come at each time."""
    for k in range(times.size):
        locate(scene, i, times[k])
        ways[k] = scene.at_path[i]


def path(scene: np.record, i: int, times: np.ndarray) -> np.ndarray:
    """Return where disc i is at some times, (n, 2); NaN beyond its segment."""
    at = scene.at_time[i], scene.at_path[i], scene.at_speed[i]
    ways = np.empty(len(times))
    look_up(scene, i, times, ways)
    scene.at_time[i], scene.at_path[i], scene.at_speed[i] = at
    way = np.where(ways <= scene.segment[i], ways, np.nan)[:, np.newaxis]
    return np.array([scene.x[i], scene.y[i]]) + way * np.array([scene.dir_x[i], scene.dir_y[i]])


def test_bounds_are_never_later_than_meetings() -> None:
    rng, met, late = np.random.default_rng(5), 0, 0
    for _ in range(40):
        scene = crowd(rng, 6)
        bound_meetings(scene, 0, 0.1)
        for j in range(1, 6):
            end = min(scene.t_stop[0], scene.t_stop[j])
            times = np.linspace(0.1, end, STEPS)
            apart = np.hypot(*(path(scene, 0, times) - path(scene, j, times)).T) - scene.radius[0] - scene.radius[j]
            hit = np.flatnonzero(apart < 0.0)
            if hit.size and hit[0] > 0:
                met += 1
                assert scene.bound[j] <= times[hit[0]]
                late += scene.bound[j] > 0.1 + 0.5 * (times[hit[0]] - 0.1)
        assert np.isinf(scene.bound[0])
        assert np.isinf(scene.bound[6:]).all()
    assert met > 20
    assert late > met / 2  # not just any lower bound
