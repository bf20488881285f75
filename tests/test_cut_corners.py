"""Corners cut away by a straight piece at 45 degrees: closed formulas; and pockets in front of any corner."""

from math import inf, sqrt

import numpy as np
import pytest

import carromsim as cs
from carromsim_kernels.resolve import collide_cushion, lead_along
from carromsim_kernels.state import EventKind
from oracles.scenes import ICF, N, Scene, beyond_frame, energy, events, nobody

MAN = 5
CLOSED = ICF.replace(name="cut away", pocket_radius=0.0, corner="cut_away", corner_size=0.1)
SMOOTH = CLOSED.replace(e_cushion=1.0, mu_cushion=0.0, mu_surface=0.0)
CUSHION, HOLED = int(EventKind.CUSHION_HIT), int(EventKind.POCKETING)
EDGE = 0.37 - ICF.man_radius
ALONG = np.array([1.0, -1.0]) / sqrt(2.0)
OUT = np.array([1.0, 1.0]) / sqrt(2.0)
"""Along the piece at the top right, and into it."""
CORNERS = ["rounded", "right_angled", "cut_away"]
TANGENT = (2.0 - sqrt(2.0)) * ICF.pocket_radius
"""A piece that cuts so much off each cushion touches the hole."""


def rolled(equipment: cs.Equipment, pos: object, vel: object, disc: int = MAN, until: float = inf) -> cs.Outcomes:
    """Return what becomes of a single disc that does not spin."""
    start = nobody()
    start[0][disc], start[1][disc] = pos, vel
    return Scene(equipment, *start).play(until)


def touching(along: float, equipment: cs.Equipment = CLOSED) -> np.ndarray:
    """Return where a man touches the piece at the top right, so far from its middle [m]."""
    distance = (0.74 - equipment.corner_size) / sqrt(2.0) - equipment.man_radius
    return distance * OUT + along * ALONG


def test_a_disc_meets_the_piece_where_its_centre_is_its_radius_away_from_it() -> None:
    rng = np.random.default_rng(3)
    equipment = CLOSED.replace(mu_surface=0.0, mu_cushion=0.2)
    half_length = (0.1 - (2.0 - sqrt(2.0)) * ICF.man_radius) / sqrt(2.0)
    judged = 0
    for _ in range(300):
        corner = rng.choice([-1.0, 1.0], 2)
        touch, start = touching(rng.uniform(-1.0, 1.0) * half_length) * corner, rng.uniform(-0.3, 0.2, 2) * corner
        path = float(np.hypot(*(touch - start)))
        heading, n = (touch - start) / path, OUT * corner
        if heading @ n < 1e-3:
            continue
        judged += 1
        speed, omega = float(rng.uniform(0.5, 6.0)), float(rng.normal(0.0, 100.0))
        pos, vel, spin = nobody()
        pos[MAN], vel[MAN], spin[MAN] = start, speed * heading, omega
        out = Scene(equipment, pos, vel, spin).play(path / speed + 1e-4)
        assert events(out) == [(pytest.approx(path / speed, abs=1e-13), CUSHION, MAN, -1)]
        body = (*(speed * heading), omega, equipment.man_mass, equipment.man_radius)
        *v, w = collide_cushion(*n, *body, equipment.e_cushion, 0.2, 0.0)
        np.testing.assert_allclose(out.vel[0, MAN], v, rtol=0.0, atol=1e-11)
        assert out.omega[0, MAN] == pytest.approx(w, abs=1e-9)
        np.testing.assert_allclose(out.pos[0, MAN], touch + 1e-4 * np.array(v), rtol=0.0, atol=1e-12)
    assert judged > 200


@pytest.mark.parametrize("sine", [0.0, 1e-17, 1e-16, 1e-13, 1e-9, 1e-5])
@pytest.mark.parametrize("e", [0.0, 0.7, 1.0])
def test_a_disc_along_the_piece_slides_to_its_end(sine: float, e: float) -> None:
    """Ever so slightly pressed on or not: one hit of the piece at most, then one of the cushion at its end."""
    equipment = SMOOTH.replace(e_cushion=e)
    for turn in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        start = touching(-0.02)
        out = rolled(equipment, start * turn, 2.0 * (ALONG + sine * OUT) * turn, until=0.05)
        hits = events(out)
        assert 1 <= len(hits) <= 2
        assert hits[-1][0] == pytest.approx((EDGE - start[0]) / (2.0 * ALONG[0]), abs=1e-6)
        assert beyond_frame(equipment, MAN, out.pos[0, MAN]) <= 1e-15


@pytest.mark.parametrize("nudge", [0.0, 1e-16, 1e-12, 1e-6])
def test_a_disc_along_the_cushion_is_turned_by_the_piece(nudge: float) -> None:
    """It loses (1 + e) of its speed into the piece, v / sqrt 2, along the normal."""
    for e in (0.0, 0.5, 1.0):
        out = rolled(SMOOTH.replace(e_cushion=e), (0.1, EDGE - nudge), (1.0, 0.0), until=0.25)
        np.testing.assert_allclose(out.vel[0, MAN], [0.5 - 0.5 * e, -0.5 - 0.5 * e], rtol=0.0, atol=3e-12)
        x = 0.74 - 0.1 - sqrt(2.0) * ICF.man_radius - (EDGE - nudge)
        assert events(out) == [(pytest.approx(x - 0.1, abs=1e-12), CUSHION, MAN, -1)]


def test_rounding_turns_no_disc_back_into_the_piece() -> None:
    """Whatever friction and restitution do to a flat hit, the disc leaves, at no less than least_rebound."""
    rng = np.random.default_rng(4)
    for _ in range(2000):
        sine = float(rng.choice([0.0, 1e-17, 10.0 ** rng.uniform(-17.0, -9.0)]))
        vx, vy = rng.uniform(0.01, 8.0) * (rng.choice([-1.0, 1.0]) * ALONG + sine * OUT)
        vx, vy, e = lead_along(*OUT, vx, vy, float(rng.choice([0.0, 0.7, 1.0])), 1e-12)
        vx, vy, _ = collide_cushion(*OUT, vx, vy, rng.normal(0.0, 200.0), 5e-3, 0.0155, e, rng.uniform(0.0, 1.0), 0.0)
        assert vx + vy < 0.0


def test_a_board_cut_to_a_square_on_its_corner() -> None:
    """The pieces of neighbouring corners meet and nothing is left of the cushions: billiards in a square."""
    rng = np.random.default_rng(5)
    equipment = SMOOTH.replace(corner_size=0.37)
    limit = 0.37 / sqrt(2.0) - ICF.man_radius
    turn = np.array([OUT, [-OUT[1], OUT[0]]])  # into the frame of that square
    pos, vel = np.full((60, N, 2), np.nan), np.zeros((60, N, 2))
    own = rng.uniform(-limit, limit, (60, 2))
    speed = rng.normal(0.0, 2.0, (60, 2))
    pos[:, MAN], vel[:, MAN] = own @ turn, speed @ turn
    out = cs.simulate_motion(pos, vel, np.zeros((60, N)), equipment=equipment, until=1.5)
    folded = (own + 1.5 * speed + limit) % (4.0 * limit)
    expected = np.where(folded > 2.0 * limit, 4.0 * limit - folded, folded) - limit
    np.testing.assert_allclose(out.pos[:, MAN] @ turn.T, expected, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("disc", [0, MAN])
@pytest.mark.parametrize("fall_height", [0.0, 0.004])
def test_a_disc_along_the_cushion_falls(corner: str, disc: int, fall_height: float) -> None:
    """Behind any corner that leaves the hole free."""
    size = TANGENT if corner == "cut_away" else ICF.corner_size
    equipment = ICF.replace(corner=corner, corner_size=size, fall_height=fall_height)
    edge = 0.37 - float(equipment.radius[disc])
    for pocket, way in enumerate(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))):
        for start, heading in (((0.2, edge), (1.0, 0.0)), ((edge, 0.2), (0.0, 1.0))):
            out = rolled(equipment, np.array(start) * way, 0.7 * np.array(heading) * way, disc)
            assert out.pocket[0, disc] == pocket


def test_a_piece_over_the_hole_keeps_a_striker_from_it() -> None:
    """Along the cushion the piece of 22.25 mm stops him 0.4 mm before he tips; a man is small enough."""
    equipment = ICF.replace(corner="cut_away")
    for disc, falls in ((0, False), (MAN, True)):
        edge = 0.37 - float(equipment.radius[disc])
        assert (rolled(equipment, (0.2, edge), (0.7, 0.0), disc).pocket[0, disc] >= 0) == falls
    assert rolled(equipment, (0.2, 0.2), 0.68 * OUT, 0).pocket[0, 0] == 2


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("shy", [0.0, 1e-9, 5e-5, 1e-3])
@pytest.mark.parametrize("fall_height", [0.0, 0.004])
def test_a_striker_nearly_as_large_as_the_pocket(corner: str, shy: float, fall_height: float) -> None:
    """He falls if he comes within sqrt(a^2 - R^2), or nowhere, and never gets stuck or out."""
    rng = np.random.default_rng(6)
    size = TANGENT if corner == "cut_away" else ICF.corner_size
    equipment = ICF.replace(
        corner=corner, corner_size=size, fall_height=fall_height, striker_radius=ICF.pocket_radius - shy
    )
    limit = 0.37 - equipment.striker_radius
    pos, vel = np.full((400, N, 2), np.nan), np.zeros((400, N, 2))
    pos[:, 0] = rng.uniform(-0.2, 0.2, (400, 2))
    aim = np.copysign(0.34775 + rng.normal(0.0, 1.0, (400, 2)) * rng.choice([1e-3, 1e-5, 0.0], (400, 1)), pos[:, 0])
    vel[:, 0] = (aim - pos[:, 0]) * rng.choice([1.5, 4.0, 20.0], (400, 1))
    omega = np.zeros((400, N))
    out = cs.simulate_motion(pos, vel, omega, equipment=equipment, record=False)
    assert not out.status.any()
    assert np.nanmax(np.abs(out.pos[:, 0])) <= limit + 1e-12
    assert max(beyond_frame(equipment, 0, place) for place in out.pos[:, 0] if np.isfinite(place[0])) <= 1e-12
    assert np.any(out.pocket[:, 0] >= 0) == (shy > (0.0 if fall_height == 0.0 else 5e-5))  # he rattles out
    assert equipment.capture_radius[0] == pytest.approx(sqrt(2.0 * ICF.pocket_radius * shy), rel=0.03, abs=1e-9)


@pytest.mark.parametrize("contact", ["sequential", "compliant"])
def test_men_crowded_into_a_cut_away_corner(contact: str) -> None:
    """A striker drives men against the piece and the cushions beside it, in bursts or not: all stay on the board."""
    rng = np.random.default_rng(7)
    equipment = CLOSED.replace(contact=contact, e_cushion=0.9, e_disc=0.95)
    pos, vel = np.full((60, N, 2), np.nan), np.zeros((60, N, 2))
    for row in range(60):
        for i in range(1, 6):
            while np.isnan(pos[row, i, 0]):
                place = touching(rng.uniform(-0.06, 0.06)) - rng.exponential(0.01) * OUT
                apart = np.hypot(*(place - pos[row, 1:i]).T) if i > 1 else np.array([1.0])
                if beyond_frame(equipment, i, place) <= 0.0 and apart.min() > 0.031:
                    pos[row, i] = place
        pos[row, 0] = rng.uniform(-0.1, 0.1, 2)
        vel[row, 0] = rng.uniform(1.0, 8.0) * (way := pos[row, 1] - pos[row, 0]) / np.hypot(*way)
    before = energy(equipment, vel, np.zeros((60, N)))
    hits = 0
    for until in (0.05, 0.1, 0.2, inf):
        out = cs.simulate_motion(pos, vel, np.zeros((60, N)), equipment=equipment, until=until)
        hits = int(out.n_cushion_hits.sum())
        assert not out.status.any()
        assert np.all(energy(equipment, out.vel, out.omega) <= before * (1.0 + 1e-12))
    assert max(beyond_frame(equipment, i, out.pos[row, i]) for row in range(60) for i in range(6)) <= 1e-6
    assert hits > 300
