"""The event loop against its slow twin: same events in the same order at the same times.

A difference of 1e-10 m, which is what the kernels' table may leave, grows tenfold and more with every hit. So a long
stroke cannot be compared as a whole. Two ways out: compare only what the twin itself finds again from a start shifted
by so much; or start the twin anew from the kernels' state after every event and compare the next one alone.
"""

import numpy as np
import pytest

import carromsim as cs
from adversarial.against_twin import TIME_ERROR, compare, firm_events, tally
from oracles import naive
from oracles.scenes import ICF, Scene, events, pack, random_scene


def test_small_positions() -> None:
    found = tally(40, seed=2024)
    assert not found.failed
    assert found.compared > 33
    assert found.whole > 12
    assert found.events > 130


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_ten_thousand_small_positions() -> None:
    found = tally(10_000, seed=1)
    assert not found.failed
    assert found.compared > 9000


def test_breaks() -> None:
    rng = np.random.default_rng(7)
    compared = [compare(pack(rng), rng, most=20) for _ in range(4)]
    assert min(compared) >= 10


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_thousand_breaks() -> None:
    """By brute force: no disc passes through another, and none is hit that is not reached."""
    found = tally(1000, seed=1, breaks=True)
    assert not found.failed
    assert found.events > 10_000


@pytest.mark.parametrize("seed", range(4))
def test_every_event_of_a_break_follows_from_the_state_before_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = pack(rng) if seed < 2 else random_scene(rng, 12)
    recorded = events(scene.play())
    judged = 0
    for before, event in zip([(0.0, -1, -1, -1), *recorded], recorded, strict=False):
        if event[0] - before[0] < 1e-7:
            continue
        t = 0.5 * (before[0] + event[0])
        state = scene.play(t, record=False)
        now = Scene(scene.equipment, state.pos[0], np.nan_to_num(state.vel[0]), np.nan_to_num(state.omega[0]))
        twin = now.play_naively(max_events=1)
        if event[1] == naive.POCKETING:  # a disc that starts anew over a pocket falls anew
            continue
        if twin["first_push"] <= twin["events"][0][0]:
            continue
        assert twin["events"][0][1:] == event[1:]
        assert abs(t + twin["events"][0][0] - event[0]) <= TIME_ERROR
        judged += 1
    assert judged > 0.8 * len(recorded)


def test_what_the_striker_hit_first_and_how() -> None:
    rng = np.random.default_rng(11)
    seen = set()
    for _ in range(35):
        scene = random_scene(rng, 7, ICF)
        firm, _ = firm_events(scene, rng, 12)
        hits = [k for k, event in enumerate(firm) if event[1:3] == (naive.DISC_HIT, 0)]
        if not hits:
            continue
        t, _, _, man = firm[hits[0]]
        cushion = any(event[1:3] == (naive.CUSHION_HIT, 0) for event in firm[: hits[0]])
        y = scene.play_naively(t)["pos"][man, 1]
        behind = bool(y - ICF.man_radius <= -0.5 * ICF.side + ICF.front_line_distance)
        got = scene.play(record=False)
        assert (got.first_hit[0], got.first_hit_direct[0], got.first_hit_behind[0]) == (man, not cushion, behind)
        seen.add((cushion, behind))
    assert len(seen) == 4


def test_counts_pockets_and_the_front_line() -> None:
    rng = np.random.default_rng(12)
    compared = fallen = passing = 0
    for k in range(80):
        scene = random_scene(rng, 3, ICF.replace(fall_height=0.004 * (k % 2)))  # fast discs fall at once, or rattle
        scene.vel *= 2.0
        firm, end = firm_events(scene, rng, 60)
        if end < np.inf:
            continue
        got, twin, passed = scene.play(record=False), scene.play_naively(), _passes_front_line(scene)
        kinds = [event[1] for event in firm]
        counts = len(firm), kinds.count(naive.DISC_HIT), kinds.count(naive.CUSHION_HIT)
        assert (got.n_events[0], got.n_disc_hits[0], got.n_cushion_hits[0]) == counts
        assert got.crossed_front_line[0] == passed
        assert got.duration[0] == pytest.approx(twin["t"], abs=TIME_ERROR)
        np.testing.assert_array_equal(got.pocket[0], twin["pocket"])
        np.testing.assert_allclose(got.pocket_time[0], twin["pocket_time"], rtol=0.0, atol=TIME_ERROR)
        np.testing.assert_allclose(got.pos[0], twin["pos"], rtol=0.0, atol=1e-8)
        compared += 1
        fallen += kinds.count(naive.POCKETING)
        passing += passed
    assert compared >= 20
    assert fallen >= 5
    assert 0 < passing < compared


def _passes_front_line(scene: Scene) -> bool:
    """Tell whether the whole striker is beyond seat 0's line at its start or just before any of its events."""
    line = -0.5 * scene.equipment.side + scene.equipment.front_line_distance + scene.equipment.striker_radius
    times = [0.0, *(t * (1.0 - 1e-12) for t, _, a, _ in scene.play_naively(max_events=60)["events"] if a == 0)]
    return any(scene.play_naively(t)["pos"][0, 1] > line for t in times)


@pytest.mark.parametrize("fall_height", [0.0, 0.004])
def test_a_disc_that_starts_over_a_pocket_begins_to_fall_at_once(fall_height: float) -> None:
    """At rest, on its way out, or spinning: the tipping limit asks for the place alone."""
    equipment = ICF.replace(fall_height=fall_height)
    gone = np.sqrt(2.0 * fall_height / ICF.gravity)
    for vel, omega in (((0.0, 0.0), 0.0), ((0.2, 0.15), 0.0), ((0.0, 0.0), 30.0)):
        scene = random_scene(np.random.default_rng(1), 1, equipment)
        corner = 0.5 * ICF.side - ICF.pocket_offset
        scene.pos[6], scene.vel[6], scene.omega[6] = (-corner + 0.005, -corner + 0.004), vel, omega
        got, twin = scene.play(), scene.play_naively()
        assert (gone, naive.POCKETING, 6, -1) in twin["events"]
        assert (gone, naive.POCKETING, 6, -1) in events(got)
        assert (got.pocket[0, 6], got.pocket_time[0, 6]) == (0, gone)


@pytest.mark.parametrize("gap", [0.0, 1e-17, 5e-13])
def test_touching_pairs_hit_at_once_and_in_the_order_of_the_tie_rule(gap: float) -> None:
    """Rounding of the gap must not decide who is first."""
    equipment = ICF.replace(man_radius=0.015625, striker_radius=0.015625)
    pos, vel, omega = np.full((20, 2), np.nan), np.zeros((20, 2)), np.zeros(20)
    pos[3], pos[5], pos[8] = (0.0, 0.0), (0.03125, 0.0), (0.0, 0.03125 + gap)
    vel[3] = 1.0, 1.0
    if gap:
        pos[5, 0] += gap
    got = events(cs.simulate_motion(pos, vel, omega, equipment=equipment))
    assert got[:2] == [(0.0, naive.DISC_HIT, 3, 5), (0.0, naive.DISC_HIT, 3, 8)]
