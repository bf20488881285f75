"""Pocket capture: where a disc begins to fall, how long that takes, and what may happen to it meanwhile."""

from math import inf, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import carromsim as cs
from carromsim_kernels.state import EventKind
from oracles import naive
from oracles.scenes import ICF, N, Scene, beyond_frame, events, nobody, random_equipment, smallest_gap, unit
from test_against_naive import compare

STRIKER, MAN = 0, 5
CENTRE = 0.5 * ICF.side - ICF.pocket_offset
"""x and y of the centre of pocket 2, top right."""
FALL_TIME = sqrt(2.0 * ICF.fall_height / ICF.gravity)
BRAKE = ICF.mu_surface * ICF.gravity
HOLED, HIT, STOP = int(EventKind.POCKETING), int(EventKind.DISC_HIT), int(EventKind.STOP)


def alone(equipment: cs.Equipment, disc: int, pos: object, vel: object, until: float = inf) -> cs.Outcomes:
    """Return what becomes of a single disc."""
    start = nobody()
    start[0][disc], start[1][disc] = pos, vel
    return Scene(equipment, *start).play(until)


def run(speed: float, path: float) -> tuple[float, float]:
    """Return the time for a path without spin [s], inf if the disc stops on it, and the speed at its end [m/s]."""
    square = speed**2 - 2.0 * BRAKE * path
    return (2.0 * path / (speed + sqrt(square)), sqrt(square)) if square > 0.0 else (inf, 0.0)


def there_and_back(equipment: cs.Equipment, speed: float, path: float) -> float:
    """Return the time of a path to a cushion, met squarely, and of the same path back [s]."""
    there, arriving = run(speed, path)
    return there + run(equipment.e_cushion * arriving, path)[0]


def along_the_corner(equipment: cs.Equipment, speed: float, path: float, room: float) -> float:
    """Return the time of a path along one cushion, a quarter circle pressed onto the frame, and a path along the other.

    On the arc the frame presses with m v^2 / room and rubs with mu_cushion of that (the rim slips all the way), so
    d(v^2)/ds = -2 (mu_cushion v^2 / room + mu_surface g). Spin is neglected on the surface.
    """
    there, v = run(speed, path)
    rub, length = equipment.mu_cushion / room, 0.5 * np.pi * room

    def at(s: float) -> float:
        return sqrt((v**2 + BRAKE / rub) * np.exp(-2.0 * rub * s) - BRAKE / rub)

    return there + quad(lambda s: 1.0 / at(s), 0.0, length)[0] + run(at(length), path)[0]


def fastest_captured(equipment: cs.Equipment, disc: int, start: np.ndarray, heading: np.ndarray) -> float:
    """Return the largest speed at the tipping limit with which a disc is captured on its first visit, by bisection."""

    def captured(speed: float) -> bool:
        return bool(alone(equipment, disc, start, speed * heading, until=0.2).pocket[0, disc] == 2)

    low, high = 0.1, 5.0
    assert captured(low)
    assert not captured(high)
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if captured(middle) else (low, middle)
    return low


def entry(equipment: cs.Equipment, disc: int, *, diagonal: bool) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return place on the tipping limit, heading, path to the pocket's inmost point, and room in the corner."""
    limit, room = float(equipment.capture_radius[disc]), equipment.pocket_offset - float(equipment.radius[disc])
    if diagonal:
        return CENTRE - (limit + 1e-12) * unit(0.25 * np.pi), unit(0.25 * np.pi), limit, room
    path = sqrt(limit**2 - room**2)
    return np.array([CENTRE - path - 1e-12, CENTRE + room]), unit(0.0), path, room


@pytest.mark.parametrize(
    ("disc", "fall_height", "published"),
    [(MAN, 0.004, 1.9), (MAN, 0.008, 1.4), (STRIKER, 0.004, 0.84), (STRIKER, 0.008, 0.59)],
)
def test_straight_into_the_pocket_only_slow_discs_are_captured(disc: int, fall_height: float, published: float) -> None:
    """The published figures leave out the friction of the surface, which lets discs stay a little longer."""
    equipment = ICF.replace(fall_height=fall_height)
    start, heading, limit, room = entry(equipment, disc, diagonal=True)
    time = sqrt(2.0 * fall_height / equipment.gravity)
    expected = brentq(lambda v: min(there_and_back(equipment, v, limit + room), 1.0) - time, 0.3, 5.0, xtol=1e-13)
    assert fastest_captured(equipment, disc, start, heading) == pytest.approx(expected, abs=1e-8)
    assert expected == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize(("fall_height", "published"), [(0.004, 1.8), (0.008, 1.3)])
def test_along_the_cushion_into_a_right_angled_corner(fall_height: float, published: float) -> None:
    equipment = ICF.replace(fall_height=fall_height, corner="right_angled")
    start, heading, path, room = entry(equipment, MAN, diagonal=False)
    time = sqrt(2.0 * fall_height / equipment.gravity)
    expected = brentq(lambda v: min(there_and_back(equipment, v, path + room), 1.0) - time, 0.3, 5.0, xtol=1e-13)
    assert fastest_captured(equipment, MAN, start, heading) == pytest.approx(expected, abs=1e-8)
    assert expected == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize("fall_height", [0.004, 0.008])
def test_along_the_cushion_a_rounded_corner_leads_the_man_out_sooner(fall_height: float) -> None:
    """He is led round the arc and keeps most of his speed; the chords on which he goes are a little shorter than it."""
    equipment = ICF.replace(fall_height=fall_height)
    start, heading, path, room = entry(equipment, MAN, diagonal=False)
    time = sqrt(2.0 * fall_height / equipment.gravity)
    expected = brentq(lambda v: along_the_corner(equipment, v, path, room) - time, 0.7, 5.0)
    found = fastest_captured(equipment, MAN, start, heading)
    assert found == pytest.approx(expected, rel=0.01)
    squarely = brentq(lambda v: min(there_and_back(equipment, v, path + room), 1.0) - time, 0.3, 5.0)
    assert found < 0.9 * squarely


@pytest.mark.parametrize(
    ("disc", "radius", "hole", "published"),
    [
        (MAN, 0.0151, 0.02225, 0.01634),
        (MAN, 0.0155, 0.02225, 0.01596),
        (MAN, 0.0159, 0.02225, 0.01556),
        (STRIKER, 0.02065, 0.02225, 0.00828),
        (STRIKER, 0.02065, 0.0215, 0.00599),
        (STRIKER, 0.02065, 0.0230, 0.01013),
    ],
)
def test_a_disc_at_rest_falls_within_the_tipping_limit_and_hangs_outside(
    disc: int, radius: float, hole: float, published: float
) -> None:
    size = {"striker_radius": radius} if disc == STRIKER else {"man_radius": radius}
    equipment = ICF.replace(pocket_radius=hole, **size)
    limit = float(equipment.capture_radius[disc])
    assert limit == pytest.approx(published, abs=6e-6)
    for angle in np.linspace(np.pi, 1.5 * np.pi, 7):
        for change, falls in ((-1e-9, True), (1e-9, False)):
            out = alone(equipment, disc, CENTRE + (limit + change) * unit(angle), (0.0, 0.0))
            assert (out.pocket[0, disc] == 2) == falls
            assert events(out) == ([(FALL_TIME, HOLED, disc, -1)] if falls else [])


def test_by_the_rule_centre_a_disc_falls_as_soon_as_its_centre_is_over_the_hole() -> None:
    for distance, tips, falls in ((0.0159, True, True), (0.016, False, True), (0.02224, False, True), (0.0223, 0, 0)):
        place = CENTRE - distance * unit(0.3)
        for rule, expected in (("tipping", tips), ("centre", falls)):
            out = alone(ICF.replace(capture_rule=rule), MAN, place, (0.0, 0.0))
            assert (out.pocket[0, MAN] == 2) == expected


def test_a_man_along_the_cushion_enters_the_pocket() -> None:
    """Exactly along it and nearly, from either side; he is gone a fall time after he passed the limit."""
    limit, room = float(ICF.capture_radius[MAN]), ICF.pocket_offset - ICF.man_radius
    for nudge in (0.0, 1e-12, 1e-6):
        start = np.array([0.2, CENTRE + room - nudge])
        passed, _ = run(1.0, CENTRE - sqrt(limit**2 - (room - nudge) ** 2) - start[0])
        for pos, vel in ((start, (1.0, 0.0)), (start[::-1], (0.0, 1.0))):
            out = alone(ICF, MAN, pos, vel)
            assert (out.pocket[0, MAN], out.pocket_time[0, MAN]) == (2, pytest.approx(passed + FALL_TIME, abs=1e-12))
            assert np.isnan(out.pos[0, MAN]).all()


def test_a_disc_that_comes_to_rest_over_the_pocket_is_pocketed_all_the_same() -> None:
    """At the time that its entrance set; the stop before is an event of its own."""
    start, heading, _, _ = entry(ICF, MAN, diagonal=True)
    speed = 0.025
    out = alone(ICF, MAN, start - 1e-4 * heading, speed * heading)
    passed, _ = run(speed, 1e-4)
    assert passed < speed / BRAKE < passed + FALL_TIME
    assert [event[1] for event in events(out)] == [STOP, HOLED]
    assert events(out)[0][0] == pytest.approx(speed / BRAKE, abs=1e-12)
    assert out.pocket_time[0, MAN] == pytest.approx(passed + FALL_TIME, abs=1e-10)
    assert out.duration[0] == out.pocket_time[0, MAN]


def test_a_fast_disc_rattles_and_comes_out_again() -> None:
    start, heading, limit, room = entry(ICF, MAN, diagonal=True)
    there, arriving = run(2.5, limit + room)
    t = 0.2
    out = alone(ICF, MAN, start, 2.5 * heading, until=t)
    assert [event[1:] for event in events(out)] == [(int(EventKind.CUSHION_HIT), MAN, -1)]
    back = ICF.e_cushion * arriving * (t - there) - 0.5 * BRAKE * (t - there) ** 2
    assert (out.pocket[0, MAN], out.n_events[0], back > 2.0 * limit) == (-1, 1, True)
    np.testing.assert_allclose(out.pos[0, MAN], CENTRE + (room - back) * heading, rtol=0.0, atol=1e-9)


def test_a_disc_that_starts_over_the_pocket_may_get_out() -> None:
    for speed, falls in ((0.2, True), (1.0, False)):
        out = alone(ICF, MAN, (CENTRE, CENTRE), (-speed, 0.0))
        assert (out.pocket[0, MAN] == 2) == falls
        assert run(speed, ICF.capture_radius[MAN])[0] > FALL_TIME or not falls


def test_a_falling_disc_is_on_the_board_until_it_is_gone() -> None:
    start = nobody()
    start[0][MAN] = CENTRE, CENTRE
    scene = Scene(ICF, *start)
    for until, there in ((0.0, True), (0.9 * FALL_TIME, True), (FALL_TIME, False), (1.0, False)):
        out = scene.play(until)
        assert np.isfinite(out.pos[0, MAN]).all() == there
        assert (out.pocket[0, MAN] == -1) == there
        assert out.n_events[0] == len(events(out)) == (0 if there else 1)
        assert out.duration[0] == until


def test_a_falling_disc_can_be_hit_out_of_the_pocket() -> None:
    """A man rests just within the limit; another pushes him out of it before he is gone, or comes too late."""
    pos, vel, omega = nobody()
    pos[MAN] = CENTRE, CENTRE - ICF.capture_radius[MAN] + 0.001
    away = 2.0 * ICF.man_radius * unit(0.8 * np.pi)
    for gap, comes_in_time in ((0.005, True), (0.05, False)):
        pos[8] = pos[MAN] + away - (gap, 0.0)
        vel[8] = 1.0, 0.0
        out = Scene(ICF, pos, vel, omega).play()
        kinds = [event[1:] for event in events(out)]
        assert ((HIT, MAN, 8) in kinds) == comes_in_time
        assert (out.pocket[0, MAN] == -1) == comes_in_time
        if not comes_in_time:
            assert out.pocket_time[0, MAN] == FALL_TIME


def test_a_hit_that_leaves_a_disc_over_the_pocket_does_not_put_off_its_fall() -> None:
    pos, vel, omega = nobody()
    pos[MAN] = CENTRE, CENTRE
    pos[8], vel[8] = pos[MAN] - (2.0 * ICF.man_radius + 0.003) * unit(0.25 * np.pi), 0.4 * unit(0.25 * np.pi)
    out = Scene(ICF, pos, vel, omega).play()
    assert events(out)[0][1:] == (HIT, MAN, 8)
    assert 0.0 < events(out)[0][0] < FALL_TIME
    assert out.pocket_time[0, MAN] == FALL_TIME


def test_without_fall_time_the_frame_behind_the_pocket_does_not_matter() -> None:
    """A disc is gone before it gets there: round and right-angled corners give the same bits."""
    layout = cs.opening("icf", gap=5e-4, jitter=1e-4, seed=4, n=300)
    rng = np.random.default_rng(4)
    strokes = cs.Strokes(x=0.0, angle=np.pi / 2 + rng.normal(0.0, 0.01, 300), speed=rng.uniform(4.0, 8.0, 300))
    round_, sharp = (
        cs.simulate(layout, strokes, equipment=ICF.replace(fall_height=0.0, corner=corner))
        for corner in ("rounded", "right_angled")
    )
    assert np.count_nonzero(round_.pocket >= 0) > 200
    for name in ("pos", "pocket", "pocket_time", "n_events", "duration"):
        np.testing.assert_array_equal(getattr(round_, name), getattr(sharp, name))


def into_the_corner(rng: np.random.Generator, equipment: cs.Equipment) -> Scene:
    """Return up to four discs near one corner, some lying over the pocket, and a few more on their way to it."""
    pos, vel, omega = nobody()
    side = rng.choice([-1.0, 1.0], 2)
    reach = 0.5 * equipment.side
    for i in rng.choice(N, int(rng.integers(2, 6)), replace=False):
        while np.isnan(pos[i, 0]) or beyond_frame(equipment, i, pos[i]) > 0.0 or smallest_gap(equipment, pos) < 1e-4:
            pos[i] = (reach - rng.exponential(0.06, 2)) * side
        target = (reach - rng.uniform(0.0, 0.04, 2)) * side
        speed = rng.choice([0.0, rng.uniform(0.1, 0.8), rng.uniform(0.5, 4.0)])
        vel[i] = speed * (target - pos[i]) / np.hypot(*(target - pos[i]))
        omega[i] = rng.normal(0.0, 40.0) * rng.integers(0, 2)
    return Scene(equipment, pos, vel, omega)


def test_what_happens_in_the_corners_agrees_with_the_slow_twin() -> None:
    """Rattling, falling, running along the arc, hits over the pocket: each of them occurs."""
    rng = np.random.default_rng(31)
    compared, seen = 0, {"fell": 0, "got out": 0, "on an arc": 0, "hit while falling": 0}
    for _ in range(60):
        equipment = random_equipment(rng).replace(fall_height=rng.uniform(0.002, 0.008))
        scene = into_the_corner(rng, equipment)
        firm = compare(scene, rng, most=25)
        compared += firm
        for what, count in _seen(scene, firm).items():
            seen[what] += count
    assert compared > 160
    assert min(seen.values()) >= 8, seen


def _seen(scene: Scene, firm: int) -> dict[str, int]:
    """Count what happened in a scene up to an event."""
    seen = {"fell": 0, "got out": 0, "on an arc": 0, "hit while falling": 0}
    falling: dict[int, tuple[int, float]] = {}

    def watch(row: naive.Row) -> None:
        nonlocal falling
        _, kind, a, b = row.events[-1]
        seen["fell"] += kind == naive.POCKETING
        seen["hit while falling"] += kind == naive.DISC_HIT and bool({a, b} & set(falling))
        seen["got out"] += sum(i not in row.falling and i in row.discs for i in falling)
        if kind == naive.CUSHION_HIT:
            edge = np.abs(row.discs[a].pos)
            straight = 0.5 * scene.equipment.side - row.discs[a].radius
            seen["on an arc"] += bool(max(edge) < straight - 1e-7)
        falling = dict(row.falling)

    if firm:
        scene.play_naively(max_events=firm, watch=watch)
    return seen


def test_passages_of_the_limit_are_no_events() -> None:
    start, heading, _, _ = entry(ICF, MAN, diagonal=True)
    out = alone(ICF, MAN, start - 0.05 * heading, 3.0 * heading)
    assert set(out.events(0)["kind"].tolist()) <= {int(kind) for kind in EventKind}
    assert out.n_events[0] == len(events(out))


@pytest.mark.parametrize("n", [200])
def test_a_disc_that_swings_in_a_pocket_ends(n: int) -> None:
    """With elastic frames and hardly any friction it passes limits very often; no row hangs."""
    rng = np.random.default_rng(2)
    equipment = ICF.replace(e_cushion=1.0, mu_cushion=0.0, mu_surface=1e-3, fall_height=0.05)
    pos, vel = np.full((n, N, 2), np.nan), np.zeros((n, N, 2))
    pos[:, MAN] = CENTRE + rng.uniform(-0.004, 0.004, (n, 2))
    vel[:, MAN] = rng.normal(0.0, 3.0, (n, 2))
    out = cs.simulate_motion(pos, vel, np.zeros((n, N)), equipment=equipment, record=False)
    assert set(out.status) <= {0, 1}
    assert np.count_nonzero(out.status == 0) > 0.9 * n
