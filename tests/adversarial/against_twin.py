"""Random positions, event by event, against the slow twin.

    python tests/adversarial/against_twin.py --positions 10000 --seed 1
    python tests/adversarial/against_twin.py --positions 1000 --seed 1 --breaks

Positions have one to six discs and equipment of their own: any coefficients, both capture rules, all corners, a third
of them unequal discs. Breaks are those of a pack that is not in touch. Hits are sequential, as the twin's are. A
difference of 1e-10 m, which is what the kernels' table may leave, grows tenfold and more with every hit; so only those
events are compared that the twin itself finds again from starts shifted by so much. The exit code is 1 if one differs;
the first such positions are named.
"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the script: where the tests find their own helpers

import numpy as np

import carromsim as cs
from carromsim_kernels.state import EventKind
from oracles.scenes import Scene, events, pack, random_equipment, random_scene

TIME_ERROR = 1e-9
"""[s]"""
SHIFT = 1e-10
"""[m]"""
SPREAD = 3e-10
"""An event that a random SHIFT of the start moves by more [s] is no longer compared."""
MOST = 25
"""Events of a position that are compared."""
MANY_SHIFTS = 40
"""A position that differs is compared again: three shifts may all happen to leave a nearly grazing hit where it is."""


class Tally(NamedTuple):
    """What came of many comparisons."""

    positions: int
    compared: int
    """Positions with an event, or nothing but an end, to compare."""
    whole: int
    """Of these, strokes that were compared to their end."""
    events: int
    failed: list[str]


def position(seed: int, number: int, breaks: bool = False) -> tuple[Scene, np.random.Generator]:
    """Return a position, and the generator that goes on with its comparison."""
    rng = np.random.default_rng([seed, number])
    if breaks:
        return pack(rng), rng
    equipment = random_equipment(rng)
    if rng.integers(3) == 0:
        equipment = unequal(rng, equipment)
    return random_scene(rng, int(rng.integers(1, 7)), equipment), rng


def unequal(rng: np.random.Generator, equipment: cs.Equipment) -> cs.Equipment:
    """Return the equipment with 20 different discs, some half or twice as heavy as they should be."""
    radius = equipment.radius * rng.uniform(0.75, 1.1, 20)
    mass = equipment.mass * 2.0 ** rng.uniform(-1.0, 1.0, 20)
    return equipment.replace(disc_radius=tuple(radius), disc_mass=tuple(mass))


def firm_events(
    scene: Scene, rng: np.random.Generator, most: int, shifts: int = 3
) -> tuple[list[tuple[float, int, int, int]], float]:
    """Return the twin's events up to the first that a small shift of the start moves noticeably, and their end.

    They also end where two discs begin to push each other, which is bounded (see the tests of pushing) but not unique.
    The end is inf if the twin comes to it with none of this.
    """
    played = scene.play_naively(max_events=most)
    shifted = [
        scene.moved(SHIFT * rng.uniform(-1.0, 1.0, (20, 2))).play_naively(max_events=most)["events"]
        for _ in range(shifts)
    ]
    firm = []
    for k, event in enumerate(played["events"]):
        others = [other[k] if k < len(other) else (np.inf, -1, -1, -1) for other in shifted]
        if event[0] >= played["first_push"] or any(
            other[1:] != event[1:] or abs(other[0] - event[0]) > SPREAD for other in others
        ):
            return firm, event[0]
        firm.append(event)
    return firm, np.inf if len(firm) < most else firm[-1][0]


def compare(scene: Scene, rng: np.random.Generator, most: int, time_error: float = TIME_ERROR) -> int:
    """Compare the firm events; return how many there were."""
    return comparison(scene, rng, most, time_error)[0]


def comparison(
    scene: Scene, rng: np.random.Generator, most: int, time_error: float = TIME_ERROR, shifts: int = 3
) -> tuple[int, bool]:
    """Compare the firm events, the state somewhere among them, and the end if all are firm.

    Return how many there were, and whether it was all of them.
    """
    firm, end = firm_events(scene, rng, most, shifts)
    got = events(scene.play())
    assert [event[1:] for event in got[: len(firm)]] == [event[1:] for event in firm]
    for mine, twin in zip(got, firm, strict=False):
        late = abs(mine[0] - twin[0])
        assert late <= time_error or late * speed_before(scene, mine) <= SHIFT, (mine, twin)
    times = [float(rng.uniform(0.0, firm[-1][0]))] if firm else []
    if end == np.inf:
        assert len(got) == len(firm)
        times.append(np.inf)
    for t in times:
        state, twin = scene.play(t), scene.play_naively(t)
        np.testing.assert_array_equal(state.pocket[0], twin["pocket"])
        np.testing.assert_allclose(state.pos[0], twin["pos"], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(np.nan_to_num(state.vel[0]), np.nan_to_num(twin["vel"]), rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(np.nan_to_num(state.omega[0]), np.nan_to_num(twin["omega"]), rtol=0.0, atol=1e-5)
    return len(firm), end == np.inf


def speed_before(scene: Scene, event: tuple[float, int, int, int]) -> float:
    """Return how fast the faster disc of a hit is before it [m/s]: a slow one is late by the time of a small way."""
    t, kind, a, b = event
    if kind == EventKind.STOP:
        return np.inf
    vel = scene.play(float(np.nextafter(t, 0.0)), record=False).vel[0]
    return float(np.max(np.hypot(*vel[[a] if b < 0 else [a, b]].T)))


def tally(positions: int, seed: int, breaks: bool = False, first: int = 0) -> Tally:
    """Compare so many positions, from the number first on."""
    compared = whole = happened = 0
    failed = []
    for number in range(first, first + positions):
        scene, rng = position(seed, number, breaks)
        try:
            try:
                n, all_of_them = comparison(scene, rng, MOST)
            except AssertionError:
                n, all_of_them = comparison(scene, rng, MOST, shifts=MANY_SHIFTS)
        except AssertionError as error:
            failed.append(f"seed {seed} position {number}: {' '.join(str(error).split())[:300]}")
            continue
        compared += n > 0 or all_of_them
        whole += all_of_them
        happened += n
    return Tally(positions, compared, whole, happened, failed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first position")
    parser.add_argument("--breaks", action="store_true", help="breaks instead of small positions")
    arguments = parser.parse_args()
    found = tally(arguments.positions, arguments.seed, arguments.breaks, arguments.first)
    for failure in found.failed[:20]:
        sys.stdout.write(failure + "\n")
    sys.stdout.write(
        f"{found.positions} positions: {found.compared} compared, {found.whole} of them to their end, "
        f"{found.events} events; {len(found.failed)} differ\n"
    )
    return 1 if found.failed else 0


if __name__ == "__main__":
    sys.exit(main())
