"""Thousands of strokes turned by quarters, mirrored and with other names for the men.

A quarter turn and a mirror image of everything change no bit, however long the stroke. Everything else that leaves the
physics as it is changes the rounding, which chaos amplifies: five events agree to 1e-9, afterwards the averages do.
"""

import numpy as np
import pytest

import carromsim as cs
from adversarial.crowds import breaks
from adversarial.judging import Cases
from carromsim.layouts import random_layout
from oracles.scenes import random_equipment

PARTNERS = {"x": [1, 0, 3, 2, -1], "y": [3, 2, 1, 0, -1], "turned": [1, 2, 3, 0, -1]}
"""Which pocket becomes which; -1 stays."""
modes = pytest.mark.parametrize("contact", ["sequential", "compliant"])


def strokes(rng: np.random.Generator, n: int, contact: str) -> list[Cases]:
    """Return breaks, and boards on which everything moves and nothing touches."""
    eq = random_equipment(rng).replace(contact=contact)
    pos = random_layout(eq, n, 3, striker=True, clear_base_line=False).pos
    vel = rng.normal(0.0, 1.0, (n, 20, 2)) * rng.integers(0, 2, (n, 20, 1))
    return [*breaks(rng, n, contact), Cases(eq, pos, vel, rng.normal(0.0, 60.0, (n, 20)))]


def image(vectors: np.ndarray, way: str) -> np.ndarray:
    """Turn vectors (..., 2) by a quarter, or mirror them across an axis, exactly."""
    if way == "turned":
        return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)
    return vectors * ([-1.0, 1.0] if way == "x" else [1.0, -1.0])


@modes
@pytest.mark.parametrize("way", ["x", "y", "turned"])
def test_the_image_of_a_stroke_comes_out_as_its_image_to_the_last_bit(contact: str, way: str) -> None:
    for cases in strokes(np.random.default_rng(4), 300, contact):
        out = cases.play(record=True)
        spin = 1.0 if way == "turned" else -1.0
        other = cases._replace(pos=image(cases.pos, way), vel=image(cases.vel, way), omega=spin * cases.omega)
        seen = other.play(record=True)
        np.testing.assert_array_equal(seen.pos, image(out.pos, way))
        np.testing.assert_array_equal(seen.pocket, np.array(PARTNERS[way])[out.pocket])
        np.testing.assert_array_equal(seen._events, out._events)


@pytest.mark.parametrize("change", ["names", "hundredth of a turn"])
def test_what_only_rounds_otherwise_changes_no_early_event_and_no_average(change: str) -> None:
    """Discs without pockets on a round board, which may be turned by any angle; sequential hits, or names matter."""
    rng, n = np.random.default_rng(5), 600
    eq = cs.Equipment.preset("icf").replace(corner_size=0.37, pocket_radius=0.0, contact="sequential")
    pos = random_layout(eq, n, 6, striker=True, clear_base_line=False).pos
    vel, omega = rng.normal(0.0, 4.0, (n, 20, 2)), rng.normal(0.0, 40.0, (n, 20))
    order, turn = np.arange(20), np.eye(2)
    if change == "names":
        order = np.concatenate([[0], 1 + rng.permutation(19)])
    else:
        c, s = np.cos(0.02 * np.pi), np.sin(0.02 * np.pi)
        turn = np.array([[c, s], [-s, c]])
    out = Cases(eq, pos, vel, omega).play(record=True)
    seen = Cases(eq, (pos @ turn)[:, order], (vel @ turn)[:, order], omega[:, order]).play(record=True)
    names = np.append(np.argsort(order), -1)
    fewer = 0
    for row in range(n):
        one, two = out.events(row)[:5], seen.events(row)[:5]
        np.testing.assert_allclose(two["t"], one["t"], rtol=0.0, atol=1e-9)
        assert one["kind"].tolist() == two["kind"].tolist()
        assert np.sort(names[[one["a"], one["b"]]], axis=0).tolist() == np.sort([two["a"], two["b"]], axis=0).tolist()
        fewer += len(one) < 5
    assert fewer < 0.01 * n
    for column in ("n_disc_hits", "n_cushion_hits", "duration"):
        a, b = getattr(out, column).astype(float), getattr(seen, column).astype(float)
        assert abs(a.mean() - b.mean()) < 4.0 * np.sqrt((a.var() + b.var()) / n), column
    # Names alone round nothing otherwise; of a turn, chaos makes other strokes.
    assert np.array_equal(out.n_disc_hits, seen.n_disc_hits) == (change == "names")
