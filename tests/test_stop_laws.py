"""The laws' own test of a board, A.1: three and a half runs of the striker, against the closed formula."""

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.state import EventKind
from oracles.scenes import ICF, events

RUN = ICF.side - 2.0 * ICF.striker_radius
FIRST_RUN = ICF.side - ICF.base_line_distance - ICF.striker_radius
DEMANDED = FIRST_RUN + 2.5 * RUN
"""The first run ends at the far frame, then two and a half more: 2.349 m of the centre's path."""


def formula(speed: float) -> float:
    """Return the path: v^2 falls by 2 mu g L along a run of length L and by the factor e^2 at a cushion."""
    loss = 2.0 * ICF.mu_surface * ICF.gravity
    square, run, path = speed**2, FIRST_RUN, 0.0
    while square > loss * run:
        path += run
        square, run = ICF.e_cushion**2 * (square - loss * run), RUN
    return path + square / loss


def measured(speed: float, seat: int = 0) -> float:
    """Return the path of a striker struck straight ahead on an empty board."""
    outcomes = cs.simulate(cs.Layout(np.full((20, 2), np.nan)), cs.Strokes(x=0.0, speed=speed, seat=seat), record=True)
    cushions = [event for event in events(outcomes) if event[1] == EventKind.CUSHION_HIT]
    x, y = outcomes.pos[0, 0]
    forward = (y, -x, -y, x)[seat]
    limit = 0.5 * RUN
    if not cushions:
        return float(forward + 0.5 * ICF.side - ICF.base_line_distance)
    last = limit - forward if len(cushions) % 2 else forward + limit
    return float(FIRST_RUN + (len(cushions) - 1) * RUN + last)


def test_the_runs_are_those_of_the_laws() -> None:
    assert pytest.approx(2.349, abs=5e-4) == DEMANDED


@pytest.mark.parametrize("speed", [0.5, 1.05, 1.1, 2.0, 3.0, 4.0, 6.0, 9.0])
@pytest.mark.parametrize("seat", range(4))
def test_the_path_is_the_closed_formula(speed: float, seat: int) -> None:
    assert measured(speed, seat) == pytest.approx(formula(speed), abs=1e-9)


def test_law_a1_holds_at_6_and_fails_at_3_metres_a_second() -> None:
    assert measured(6.0) >= 2.349
    assert measured(6.0) >= DEMANDED
    assert measured(3.0) < DEMANDED


def test_the_least_speed_for_three_and_a_half_runs() -> None:
    loss, gain = 2.0 * ICF.mu_surface * ICF.gravity, ICF.e_cushion**-2
    least = np.sqrt(loss * FIRST_RUN + gain * (loss * RUN + gain * (loss * RUN + gain * 0.5 * loss * RUN)))
    assert least == pytest.approx(3.94, abs=0.005)
    assert measured(float(least)) == pytest.approx(DEMANDED, abs=1e-9)
