"""Who judges the judges: the oracles against golden values, against each other and against closed formulas."""

import json
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from oracles import approach, exact, naive
from oracles.sliding import Motion, curve

DATA = Path(__file__).parents[1] / "data"
MOTIONS = json.loads((DATA / "golden_sliding_spinning.json").read_text())["cases"]
IMPACTS = json.loads((DATA / "golden_collisions.json").read_text())["cases"]


@pytest.mark.parametrize("case", MOTIONS, ids=lambda c: f"v={c['v']} omega={c['omega']} kappa={c['kappa']}")
def test_motions_equal_the_golden_values(case: dict[str, float]) -> None:
    motion = Motion(case["v"], case["omega"], case["R"], case["mu"] * case["g"], case["contact_ratio"], case["kappa"])
    v, omega, s = motion.state(case["t_half"])
    got = [motion.t_stop, motion.s_stop, v, omega, s]
    # The golden path of the disc with 1e-6 m/s is good to 1e-16 m only, 2e-10 of its length.
    expected = [case[k] for k in ("t_stop", "s_stop", "v_half", "omega_half", "s_half")]
    assert got == pytest.approx(expected, rel=1e-10, abs=1e-15)


def test_the_fixed_ratio_is_the_published_one() -> None:
    span = curve(2.0, 0.0, False).span
    assert 1.0 / np.tan(span) == pytest.approx(0.6530017892055977, rel=1e-14)


def closed_form(c: dict[str, Any]) -> dict[str, Any]:
    """Solve an impact by the closed formulas at 40 digits."""
    with mp.workdps(40):
        wall = c["kind"] == "disc-cushion"
        n = [mp.mpf(x) for x in c["n"]] if wall else _direction(c["x1"], c["x2"])
        t = [-n[1], n[0]]
        m1, r1, e, mu, beta = (mp.mpf(c[k]) for k in ("m1", "R1", "e", "mu", "beta"))
        m2, r2, w2 = (mp.inf, mp.mpf(0), mp.mpf(0)) if wall else (mp.mpf(c[k]) for k in ("m2", "R2", "omega2"))
        v1, v2 = [mp.mpf(v) for v in c["v1"]], [mp.mpf(v) for v in c.get("v2", (0, 0))]
        dv, w1 = [a - b for a, b in zip(v1, v2, strict=True)], mp.mpf(c["omega1"])
        gn, gt = mp.fdot(dv, n), mp.fdot(dv, t) + r1 * w1 + r2 * w2
        mn = 1 / (1 / m1 + 1 / m2)
        jn = (1 + e) * mn * gn
        jt = mp.sign(gt) * min((1 + beta) * mn / 3 * abs(gt), mu * jn)
        p = [jn * a + jt * b for a, b in zip(n, t, strict=True)]
        out = {"v1": [v - x / m1 for v, x in zip(v1, p, strict=True)], "omega1": w1 - 2 * jt / (m1 * r1)}
        if not wall:
            out |= {"v2": [v + x / m2 for v, x in zip(v2, p, strict=True)], "omega2": w2 - 2 * jt / (m2 * r2)}
        return out | {"Jn": jn, "Jt": jt, "gn": gn, "gt": gt}


def _direction(start: list[float], end: list[float]) -> list[mp.mpf]:
    d = [mp.mpf(b) - mp.mpf(a) for a, b in zip(start, end, strict=True)]
    return [x / mp.hypot(*d) for x in d]


@pytest.mark.parametrize("case", IMPACTS, ids=lambda c: c["input"]["name"])
def test_golden_impacts_follow_from_the_closed_formulas(case: dict[str, Any]) -> None:
    for key, value in closed_form(case["input"]).items():
        got = [float(x) for x in value] if isinstance(value, list) else float(value)
        assert got == pytest.approx(case["output"][key], rel=1e-13, abs=1e-14), key


@pytest.mark.parametrize("case", IMPACTS, ids=lambda c: c["input"]["name"])
def test_impacts_by_matrices_equal_the_golden_values(case: dict[str, Any]) -> None:
    c, out = case["input"], case["output"]
    first = disc(c.get("x1", [0.0, 0.0]), c["v1"], c["R1"], c["m1"], c["omega1"])
    if c["kind"] == "disc-cushion":
        first.wall = np.array(c["n"])
        got = [naive.hit_wall(first, 0.0, c["e"], c["mu"], c["beta"])]
    else:
        second = disc(c["x2"], c["v2"], c["R2"], c["m2"], c["omega2"])
        got = naive.hit_discs(first, second, 0.0, c["e"], c["mu"], c["beta"])
    for k, (_, velocity, spin) in enumerate(got, start=1):
        assert velocity == pytest.approx(out[f"v{k}"], rel=1e-12, abs=1e-12)
        assert spin == pytest.approx(out[f"omega{k}"], rel=1e-12, abs=1e-12)


def disc(
    pos: Any, vel: Any, radius: float, mass: float = 0.005, omega: float = 0.0, mu_g: float = 0.980665
) -> approach.Disc:
    motion = Motion(float(np.hypot(*vel)), omega, radius, mu_g)
    return approach.Disc(radius, mass, 0.0, np.array(pos, float), np.array(vel, float), omega, motion)


def test_contacts_by_walking_equal_the_roots_of_the_quartic() -> None:
    rng = np.random.default_rng(7)
    hits = misses = 0
    for _ in range(300):
        p1, p2 = rng.uniform(-0.3, 0.3, (2, 2))
        r1, r2 = rng.uniform(0.012, 0.022, 2)
        distance = np.hypot(*(p2 - p1))
        if distance < r1 + r2 + 1e-6:
            continue
        v2 = rng.normal(0.0, 1.0, 2) * rng.choice([0.0, 0.1, 1.0, 3.0])
        graze = rng.choice([-1.0, 1.0]) * np.arcsin((r1 + r2) / distance)
        angle = np.arctan2(*(p2 - p1)[::-1]) + graze * (1.0 + rng.choice([1e-9, -1e-9, 1e-5, -1e-5, -0.3, -1.0]))
        v1 = rng.uniform(0.2, 6.0) * np.array([np.cos(angle), np.sin(angle)]) + rng.choice([0.0, 1.0]) * v2
        mu_g = rng.choice([0.0, 0.5, 1.5])
        expected = exact.contact_time(p1, v1, p2, v2, r1 + r2, mu_g)
        pair = approach.Pair(disc(p1, v1, r1, mu_g=mu_g), disc(p2, v2, r2, mu_g=mu_g))
        got = pair.crossing(0.0, True, 0.0, 5.0)
        if expected is None or expected > 5:
            assert got == np.inf
            misses += 1
        else:
            # A graze is as uncertain as the rounding of positions, 1e-16 m, allows at its approach speed.
            speed = float(exact.approach_speed(p1, v1, p2, v2, mu_g, expected))
            assert abs(float(expected - mp.mpf(got))) < 1e-13 + 1e-15 / speed
            hits += 1
    assert hits > 80
    assert misses > 80
