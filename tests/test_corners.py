"""The frame's corners, quarter circles or straight pieces between the cushions, and what a disc does there."""

from math import inf, pi, sqrt

import numpy as np
import pytest

import carromsim as cs
from carromsim.layouts import random_layout
from carromsim.simulation import scene_of
from carromsim_kernels.detect import CORNER, frame_overlap
from carromsim_kernels.resolve import collide_cushion, lead_along
from carromsim_kernels.state import EventKind, Status
from oracles.scenes import ICF, N, Scene, beyond_frame, energy, events, nobody, unit

MAN = 5
CLOSED = ICF.replace(name="no pockets", pocket_radius=0.0)
SMOOTH = CLOSED.replace(e_cushion=1.0, mu_cushion=0.0, mu_surface=0.0)
"""Nothing slows a disc down."""
LEAST = 0.05
"""Sine of the flattest angle at which a disc leaves an arc."""
CUSHION = int(EventKind.CUSHION_HIT)


def rolled(equipment: cs.Equipment, pos: object, vel: object, omega: float = 0.0, until: float = inf) -> cs.Outcomes:
    """Return what becomes of a single man."""
    start = nobody()
    start[0][MAN], start[1][MAN], start[2][MAN] = pos, vel, omega
    return Scene(equipment, *start).play(until)


def shapes() -> list[tuple[str, float]]:
    """Return corners from none over a hair more than a man meets to a board that is a circle, or stands on a corner."""
    man = ICF.man_radius
    least = (2.0 - sqrt(2.0)) * man  # of the cushion that a piece across cuts off, for a man to meet it
    arcs = [0.0, man, man * (1.0 + 1e-15), man + 2e-9, man + 1e-6, 0.02225, 0.1, 0.37]
    pieces = [0.0, least, least + 2e-9, least + 1e-6, 0.02225, 0.1, 0.36, 0.37]
    return [*(("rounded", size) for size in arcs), *(("cut_away", size) for size in pieces)]


def bend_of(equipment: cs.Equipment) -> float:
    """Return how far along a straight cushion a man's centre gets before a corner begins [m]; inf if there is none."""
    size, man = equipment.corner_size, equipment.man_radius
    begin = 0.37 - size - {"rounded": 0.0, "cut_away": (sqrt(2.0) - 1.0) * man}[equipment.corner]
    return begin if 0.37 - man - begin > 1e-9 else inf


@pytest.mark.parametrize(("corner", "size"), shapes())
@pytest.mark.parametrize("e", [0.0, 0.7, 1.0])
def test_shots_at_the_very_corner_never_escape(corner: str, size: float, e: float) -> None:
    """At exactly 45 degrees, one unit in the last place beside it, and from places that are that much beside it.

    The same at the ends of a piece across, where it meets the cushions.
    """
    equipment = CLOSED.replace(corner=corner, corner_size=size, e_cushion=e, mu_surface=0.01)
    one = np.array([np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 2.0)])
    edge = 0.37 - ICF.man_radius
    ends = [(edge, min(edge, bend_of(equipment))), (min(edge, bend_of(equipment)), edge)]
    pos, vel = np.full((4 * 27, N, 2), np.nan), np.zeros((4 * 27, N, 2))
    row = 0
    for turn in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        for heading in [(1.0, 1.0), *(np.subtract(end, 0.1) for end in ends)]:
            for x in one:
                for y in one:
                    pos[row, MAN] = 0.1 * np.array([x, 1.0]) * turn
                    vel[row, MAN] = 5.0 * np.array([y, 1.0]) * heading / max(heading) * turn
                    row += 1
    for until in (0.07, 0.08, 0.1, 0.33, 1.0, 3.0, inf):
        out = cs.simulate_motion(pos, vel, np.zeros((row, N)), equipment=equipment, until=until, record=False)
        assert not out.status.any()
        assert max(beyond_frame(equipment, MAN, place) for place in out.pos[:, MAN]) <= 1e-9
        assert np.all(energy(equipment, out.vel, out.omega) <= energy(equipment, vel, np.zeros((row, N))))
    if bend_of(equipment) < edge:  # two straight cushions are met one after the other
        diagonal = np.abs(out.pos[4::27, MAN])
        np.testing.assert_array_equal(diagonal[:, 0], diagonal[:, 1])


def test_a_disc_meets_the_arc_where_its_centre_is_its_radius_away_from_it() -> None:
    """Hits of an arc from all over the board: place, time and rebound follow from the circle's normal there."""
    rng = np.random.default_rng(3)
    size = 0.1
    equipment = CLOSED.replace(corner_size=size, mu_surface=0.0, mu_cushion=0.2)
    centre, room = 0.5 * equipment.side - size, size - equipment.man_radius
    for _ in range(200):
        corner = rng.choice([-1.0, 1.0], 2)
        n = unit(float(rng.uniform(0.05, 0.5 * pi - 0.05)))
        touch = (centre + room * n) * corner
        start = rng.uniform(-0.3, 0.2, 2) * corner
        heading = (touch - start) / np.hypot(*(touch - start))
        speed, omega = float(rng.uniform(0.5, 6.0)), float(rng.normal(0.0, 100.0))
        n = n * corner
        if heading @ n < 0.15:
            continue
        meeting = float(np.hypot(*(touch - start))) / speed
        out = rolled(equipment, start, speed * heading, omega, until=meeting + 1e-4)
        assert events(out) == [(pytest.approx(meeting, abs=1e-13), CUSHION, MAN, -1)]
        body = (*(speed * heading), omega, equipment.man_mass, equipment.man_radius)
        *v, w = collide_cushion(*n, *body, equipment.e_cushion, 0.2, 0.0)
        np.testing.assert_allclose(out.vel[0, MAN], v, rtol=0.0, atol=1e-11)
        assert out.omega[0, MAN] == pytest.approx(w, abs=1e-9)
        np.testing.assert_allclose(out.pos[0, MAN], touch + 1e-4 * np.array(v), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "size"), [("rounded", 0.0), ("rounded", 0.01), ("rounded", ICF.man_radius), ("cut_away", 0.009)]
)
def test_a_disc_that_the_corner_does_not_keep_back_meets_straight_cushions(shape: str, size: float) -> None:
    rng = np.random.default_rng(5)
    pos, vel, omega = np.full((50, N, 2), np.nan), np.zeros((50, N, 2)), rng.normal(0.0, 40.0, (50, N))
    pos[:, MAN], vel[:, MAN] = rng.uniform(-0.3, 0.3, (50, 2)), rng.normal(0.0, 4.0, (50, 2))
    blunt, sharp = (
        cs.simulate_motion(pos, vel, omega, equipment=CLOSED.replace(corner=corner, corner_size=size))
        for corner in (shape, "right_angled")
    )
    np.testing.assert_array_equal(blunt.pos, sharp.pos)
    for row in range(50):
        np.testing.assert_array_equal(blunt.events(row), sharp.events(row))


def test_on_a_board_that_is_a_circle_every_chord_is_the_same() -> None:
    equipment = SMOOTH.replace(corner_size=0.37)
    room = 0.37 - equipment.man_radius
    for angle in (0.1, 0.5, 1.2, 0.5 * pi):  # with the tangent
        start = room * unit(0.3)
        out = rolled(equipment, start, 2.0 * unit(0.3 + 0.5 * pi + angle), until=5.0)
        hits = np.array([event[0] for event in events(out)])
        np.testing.assert_allclose(np.diff([0.0, *hits]), room * np.sin(angle), rtol=0.0, atol=1e-12)
        assert np.hypot(*out.vel[0, MAN]) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("size", [0.02225, 0.1, 0.3])
@pytest.mark.parametrize("nudge", [0.0, 1e-15, 1e-12, 1e-6])
def test_a_disc_along_the_cushion_runs_round_the_corner(size: float, nudge: float) -> None:
    """By chords, and not by ever more hits; out it goes along the other cushion, slower by what the frame rubs off.

    Pressed on by m v^2 / r, a disc that slips all the way loses the share 1 - exp(-mu angle) of its speed.
    """
    mu = 0.1
    equipment = SMOOTH.replace(corner_size=size, mu_cushion=mu, e_cushion=0.7)
    bend, edge = 0.37 - size, 0.37 - equipment.man_radius
    start = np.array([bend - 0.05, edge - nudge])
    out = rolled(equipment, start, (1.0, 0.0), until=(0.05 + 0.5 * pi * size) / 0.85 + 0.02)
    vx, vy = out.vel[0, MAN]
    assert out.n_cushion_hits[0] <= 0.25 * pi / LEAST + 3
    assert vy < 0.0
    assert abs(vx / vy) <= 2.0 * LEAST
    assert np.hypot(vx, vy) == pytest.approx(np.exp(-0.5 * pi * mu), rel=0.02)


def test_no_disc_leaves_an_arc_flatly_and_none_gains_energy() -> None:
    rng = np.random.default_rng(6)
    n = unit(0.7)
    t = np.array([-n[1], n[0]])
    for _ in range(300):
        speed, sine = float(rng.uniform(1e-3, 8.0)), float(rng.choice([0.0, 1e-17, 10 ** rng.uniform(-9.0, 0.0)]))
        v = speed * (sine * n + rng.choice([-1.0, 1.0]) * sqrt(1.0 - sine**2) * t)
        e = float(rng.uniform(0.0, 1.0))
        vx, vy, e_used = lead_along(*n, *v, e, LEAST)
        turned = np.array([vx, vy])
        assert np.hypot(*turned) <= speed * (1.0 + 1e-15)
        assert e <= e_used <= 1.0
        assert e_used * (turned @ n) >= LEAST * speed * (1.0 - 1e-12)
        if e * sine >= LEAST:  # steep enough
            assert (turned.tolist(), e_used) == (v.tolist(), e)
        else:
            assert e_used * (turned @ n) == pytest.approx(LEAST * speed, rel=1e-9)
        assert (turned @ t) * (v @ t) > 0.0 or sine == 1.0


@pytest.mark.kernel
@pytest.mark.parametrize("corner", ["rounded", "cut_away", "right_angled"])
@pytest.mark.parametrize("size", [ICF.corner_size, 0.1])
def test_the_parts_of_the_frame_that_a_disc_touches(corner: str, size: float) -> None:
    """The deepest of the five overlaps is how far the disc is beyond the frame, and n is its growth."""
    equipment = CLOSED.replace(corner=corner, corner_size=size)
    rng, scene = np.random.default_rng(8), scene_of(equipment)[0]
    limit, places = 0.37 - equipment.man_radius, [*range(CORNER), CORNER]
    corners = 0
    for _ in range(500):
        x, y = rng.choice([-1.0, 1.0], 2) * (0.375 - rng.exponential(0.03, 2))
        found = [frame_overlap(scene, MAN, x, y, place) for place in places]
        deepest = int(np.argmax([overlap for overlap, _, _ in found]))
        overlap, nx, ny = found[deepest]
        assert overlap == pytest.approx(beyond_frame(equipment, MAN, np.array([x, y])), abs=1e-15)
        assert np.hypot(nx, ny) == pytest.approx(1.0, rel=1e-15)
        deeper, _, _ = frame_overlap(scene, MAN, x + 1e-7 * nx, y + 1e-7 * ny, places[deepest])
        assert deeper - overlap == pytest.approx(1e-7, rel=1e-6)
        corners += deepest == CORNER
        if corner == "rounded":
            assert sum(overlap > 0.0 for overlap, _, _ in found) <= 1
        else:
            assert [overlap > 0.0 for overlap, _, _ in found[:4]] == [x > limit, -x > limit, y > limit, -y > limit]
        if corner == "right_angled":
            assert found[CORNER] == (-inf, 0.0, 0.0)
    assert (corners > 50) == (corner != "right_angled")


@pytest.mark.parametrize(("corner", "mm", "text"), [("rounded", "1.38", "rounded"), ("cut_away", "7.9", "cut-away")])
def test_a_disc_beyond_a_corner_is_no_legal_start(corner: str, mm: str, text: str) -> None:
    place = 0.37 - ICF.man_radius - 0.001
    layout = cs.arrange(queen=(place, place))
    layout.check(ICF.replace(corner="right_angled"))
    with pytest.raises(ValueError, match=rf"queen lies {mm} mm outside the board: .* m within the {text} corners"):
        layout.check(ICF.replace(corner=corner))
    pos = np.stack([layout.pos, cs.arrange(queen=(0.0, place)).pos])
    out = cs.simulate_motion(pos, np.zeros((2, N, 2)), np.zeros((2, N)), equipment=ICF.replace(corner=corner))
    assert out.status.tolist() == [Status.BAD_INPUT, Status.OK]


@pytest.mark.parametrize("corner", ["rounded", "cut_away"])
def test_random_layouts_keep_off_the_corners(corner: str) -> None:
    equipment = CLOSED.replace(corner=corner, corner_size=0.3)
    pos = random_layout(equipment, 200, seed=1, striker=True, clear_base_line=False).pos
    beyond = [beyond_frame(equipment, i, pos[row, i]) for row in range(200) for i in range(N)]
    assert -1e-3 < max(beyond) <= 0.0
