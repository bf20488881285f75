"""Aiming backwards against the laws forwards: hits, throws, rebounds, and what is in the way."""

import math

import numpy as np
import pytest

from carromsim_kernels import aim_contact, aim_path
from carromsim_kernels.aim_errands import glance, mouth
from carromsim_kernels.aim_records import AIM
from carromsim_kernels.resolve import collide_cushion, collide_discs

pytestmark = pytest.mark.kernel

DRAWS = 40


def search(rng):
    """A record with random laws and a striker and two men of random size, on a surface that hardly brakes."""
    aim = np.zeros(1, AIM).view(np.recarray)[0]
    aim.half_side, aim.pocket_centre, aim.mu_g = 0.37, 0.34775, 1e-9
    aim.e_disc, aim.mu_disc, aim.stick_disc = rng.uniform(0.5, 1.0), rng.uniform(0.0, 0.4), rng.uniform(0.2, 0.5)
    aim.e_cushion, aim.mu_cushion = rng.uniform(0.5, 0.9), rng.uniform(0.0, 0.4)
    aim.stick_cushion = rng.uniform(0.2, 0.5)
    aim.radius[:3], aim.mass[:3] = rng.uniform(0.01, 0.02, 3), rng.uniform(0.003, 0.02, 3)
    aim.catch[:], aim.cushion, aim.e, aim.launch = 0.0145, -1, aim.e_disc, 1.0
    return aim


def unit(angle):
    return math.cos(angle), math.sin(angle)


def hit(aim, mover, struck, dx, dy, speed, rim=0.0):
    """Velocities and spins after the mover, on its way d, meets the other along the line of centres."""
    beta = 3.0 * aim.stick_disc - 1.0
    r1, r2 = aim.radius[mover], aim.radius[struck]
    masses = float(aim.mass[mover]), float(aim.mass[struck])
    moving = speed * dx, speed * dy, rim * speed / r1, masses[0], r1
    return collide_discs(aim.nx, aim.ny, *moving, 0.0, 0.0, 0.0, masses[1], r2, aim.e, aim.mu_disc, beta)


def test_a_hit_sends_the_disc_where_it_shall_go():
    rng = np.random.default_rng(1)
    found = 0
    while found < DRAWS:
        aim = search(rng)
        aim.x[1], aim.y[1] = rng.uniform(-0.1, 0.1, 2)
        aim.ux, aim.uy = unit(rng.uniform(-1.2, 1.2))
        if not aim_contact.contact_from(aim, 0, -0.3, 0.0, 1, False) or aim.cos < 0.3:
            continue
        found += 1
        ghost = aim.x[1] - (aim.radius[0] + aim.radius[1]) * aim.nx, aim.y[1] - (aim.radius[0] + aim.radius[1]) * aim.ny
        assert (ghost[0] + 0.3, ghost[1]) == pytest.approx((aim.way * aim.dx, aim.way * aim.dy), abs=1e-12)
        _, _, _, vx, vy, _ = hit(aim, 0, 1, aim.dx, aim.dy, 2.0)
        speed = math.hypot(vx, vy)
        assert (vx / speed, vy / speed) == pytest.approx((aim.ux, aim.uy), abs=1e-5)
        assert speed / 2.0 == pytest.approx(aim_contact.gain(aim, 0, 1), rel=1e-9)


def test_the_throw_turns_as_its_slope_says():
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(DRAWS):
        aim = search(rng)
        angle, step = rng.uniform(-1.2, 1.2), 1e-6
        turned = [
            math.atan(aim_contact.throw_of(aim, math.cos(a), math.sin(a), 0.0, aim.e))
            for a in (angle - step, angle + step)
        ]
        aim.cos, aim.sin = unit(angle)
        aim.throw = aim_contact.throw_of(aim, aim.cos, aim.sin, 0.0, aim.e)
        slope = aim_contact.throw_slope(aim)
        assert slope == pytest.approx((turned[1] - turned[0]) / (2.0 * step), abs=1e-5)
        seen.add(slope > 0.0)
    assert seen == {True, False}, "rims that stick and rims that slide"


def behind_cushion(aim, tau, rim):
    """Tangent behind a cushion at x = const of a disc that comes with the tangent tau and a rim over normal speed."""
    beta = 3.0 * aim.stick_cushion - 1.0
    vx, vy, _ = collide_cushion(1.0, 0.0, 1.0, tau, rim / 0.015, 0.005, 0.015, aim.e_cushion, aim.mu_cushion, beta)
    return -vy / vx


def test_incidence_is_the_way_back_of_a_rebound():
    rng = np.random.default_rng(3)
    for _ in range(4 * DRAWS):
        aim = search(rng)
        tau, rim, h1, h2 = rng.uniform(-2.0, 2.0), rng.uniform(-0.5, 0.5), *rng.uniform(0.01, 0.6, 2)
        behind = behind_cushion(aim, tau, rim)
        w = h1 * tau + h2 * behind
        assert aim_contact.incidence(aim, h1, h2, w, aim.e_cushion, rim) == pytest.approx(tau, abs=1e-9)
        slope = (behind_cushion(aim, tau + 1e-7, rim) - behind_cushion(aim, tau - 1e-7, rim)) / 2e-7
        assert aim_contact.rebound_slope(aim, tau, aim.e_cushion, rim) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("cushion", range(3))
def test_a_rebound_sends_the_disc_where_it_shall_go(cushion):
    rng = np.random.default_rng(4)
    ex, ey = aim_contact.outward(cushion)
    found = 0
    while found < DRAWS:
        aim = search(rng)
        sx, sy, (aim.x[1], aim.y[1]) = rng.uniform(-0.2, 0.2), -0.25, rng.uniform(-0.2, 0.2, 2)
        aim.ux, aim.uy = unit(rng.uniform(-math.pi, math.pi))
        if not aim_contact.rebound_from(aim, sx, sy, cushion, 1) or aim.cos < 0.3:
            continue
        found += 1
        h1 = aim.half_side - aim.radius[0] - (sx * ex + sy * ey)
        point = sx + h1 * (ex - aim.tau * ey), sy + h1 * (ey + aim.tau * ex)
        beta = 3.0 * aim.stick_cushion - 1.0
        vx, vy, omega = collide_cushion(
            ex,
            ey,
            ex - aim.tau * ey,
            ey + aim.tau * ex,
            0.0,
            aim.mass[0],
            aim.radius[0],
            aim.e_cushion,
            aim.mu_cushion,
            beta,
        )
        speed = math.hypot(vx, vy)
        reach = aim.radius[0] + aim.radius[1]
        end = point[0] + aim.way_out * vx / speed, point[1] + aim.way_out * vy / speed
        assert end == pytest.approx((aim.x[1] - reach * aim.nx, aim.y[1] - reach * aim.ny), abs=2e-4)
        _, _, _, wx, wy, _ = hit(aim, 0, 1, vx / speed, vy / speed, 1.0, omega * aim.radius[0] / speed)
        assert (wx, wy) == pytest.approx((aim.ux * math.hypot(wx, wy), aim.uy * math.hypot(wx, wy)), abs=5e-3)


def test_a_blocked_sector_is_what_small_steps_find():
    rng = np.random.default_rng(5)
    steps = np.linspace(0.0, 1.0, 2001)
    free = blocked = 0
    for _ in range(10 * DRAWS):
        length, reach = rng.uniform(0.05, 0.5), rng.uniform(0.02, 0.04)
        along, aside = rng.uniform(-0.1, 0.6), rng.uniform(-0.1, 0.1)
        if math.hypot(along, aside) < reach:
            continue
        right, left = aim_path.block(along, aside, reach, length)
        for tangent in rng.uniform(-0.4, 0.4, 5):
            if along > length:  # the way ends on a line across the axis there, else anywhere beyond the disc
                ways = np.column_stack([steps * length, steps * length * tangent])
            else:
                ways = np.column_stack([steps * length, steps * length * tangent]) * 2.0
            gap = np.hypot(ways[:, 0] - along, ways[:, 1] - aside).min() - reach
            if abs(gap) < 1e-3 or along <= 0.0:
                continue
            assert (right < tangent < left) == (gap < 0.0)
            free, blocked = free + (gap > 0.0), blocked + (gap < 0.0)
    assert min(free, blocked) > 50


def test_a_mouth_is_what_small_steps_find():
    """The ways to a pocket that neither meet the cushions nor miss the circle, by marching along each."""
    rng = np.random.default_rng(6)
    aim = search(rng)
    aim.radius[1] = 0.0155
    limit = aim.half_side - aim.radius[1]
    steps = np.linspace(0.0, 1.1, 11001)
    for _ in range(DRAWS):
        pocket = int(rng.integers(4))
        sx, sy = -1.0 if pocket in (0, 3) else 1.0, -1.0 if pocket < 2 else 1.0
        x, y = rng.uniform(-limit, limit, 2)
        dx, dy, distance, lo, hi = mouth(aim, 1, pocket, x, y)
        rx, ry = sx * aim.pocket_centre - x, sy * aim.pocket_centre - y
        if math.hypot(rx, ry) < 0.03:
            continue
        assert (dx, dy) == pytest.approx((rx / distance, ry / distance))
        for tangent in np.linspace(-0.025, 0.025, 41) / distance:
            if min(abs(tangent - lo), abs(tangent - hi)) * distance < 3e-4:
                continue
            way = np.array([dx - tangent * dy, dy + tangent * dx]) / math.sqrt(1.0 + tangent * tangent)
            path = np.array([x, y]) + steps[:, np.newaxis] * way
            inside = np.hypot(*(path - [sx * aim.pocket_centre, sy * aim.pocket_centre]).T) < aim.catch[1]
            stopped = np.abs(path).max(axis=1) > limit + 1e-9
            first_in = int(np.argmax(inside)) if inside.any() else len(steps)
            first_out = int(np.argmax(stopped)) if stopped.any() else len(steps)
            assert (first_in < first_out) == (lo < tangent < hi)


def test_a_disc_glances_from_a_cushion_further_than_it_goes_directly():
    aim = search(np.random.default_rng(7))
    aim.e_cushion, aim.mu_cushion, aim.stick_cushion, aim.radius[1] = 0.7, 0.1, 1.0 / 3.0, 0.0155
    tangents = [glance(aim, 1, along, 0.01) for along in (0.1, 0.2, 0.4)]
    assert all(t > 0.01 / along for t, along in zip(tangents, (0.1, 0.2, 0.4), strict=True))
    assert tangents == sorted(tangents, reverse=True)
    assert glance(aim, 1, 0.02, 0.3) == 0.0, "the cushion is not met before the pocket"
