"""Energy after every event of random strokes: never more than before it."""

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.state import Status
from soak.limits import deepest, energy
from soak.scenes import Block, Choice, Motion, draw

TOLERANCE = 1e-12
"""Relative to the energy before the event."""
STATES = 20_000
"""Stopped at a time: some hundred bytes each for every disc."""


def after_events(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Play a block, and each row again until just after each of its events; return (row, energy), row by row in time.

    While discs or the frame press one another, part of the energy is in the contacts: such states are left out.
    """
    out = cs.simulate_motion(*block.begin, equipment=block.equipment, seed=block.number)
    assert np.all(out.status == Status.OK)
    first = energy(block.begin, block.equipment)
    rows, found = [np.arange(len(out))], [first]
    row = np.repeat(np.arange(len(out)), out.n_events)
    times = np.concatenate([out.events(k)["t"] for k in range(len(out))])
    for start in range(0, len(row), STATES):
        some, until = row[start : start + STATES], np.nextafter(times[start : start + STATES], np.inf)
        state = block.stopped(some, until)
        assert np.all(state.status == Status.OK)
        free = deepest(state.pos, block.equipment) < 1e-9
        rows.append(some[free])
        found.append(energy(Motion(state.pos, state.vel, state.omega), block.equipment)[free])
    order = np.argsort(np.concatenate(rows), kind="stable")
    return np.concatenate(rows)[order], np.concatenate(found)[order]


def gains(numbers: range, n: int) -> tuple[int, int, float]:
    """Return how many events were looked at, after how many there was more energy, and the largest gain, relative."""
    looked, wrong, most = 0, 0, -np.inf
    for number in numbers:
        block = draw(Choice(seed=5), number, n)
        if block.equipment.jump_chance > 0.0:
            continue  # who jumps takes energy along, and another disc does when the row is stopped
        row, value = after_events(block)
        same = row[1:] == row[:-1]
        before, after = value[:-1][same], value[1:][same]
        gain = (after - before) / np.maximum(before, 1e-300)
        moving = before > 0.0
        looked, wrong = looked + len(gain), wrong + int(np.sum(after > before * (1.0 + TOLERANCE)))
        most = max(most, float(gain[moving].max(initial=-np.inf)))
    return looked, wrong, most


def test_no_event_adds_energy() -> None:
    looked, wrong, most = gains(range(4), 60)
    assert looked > 1_000
    assert wrong == 0, most


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_event_of_ten_thousand_strokes_adds_energy() -> None:
    looked, wrong, most = gains(range(4, 64), 200)
    print(f"{looked} events, {wrong} with a gain, largest {most:.1e}")  # noqa: T201
    assert looked > 300_000
    assert wrong == 0, most
