"""A hundred thousand random hits of two discs, by the kernel alone and by whole strokes: all laws to 1e-12."""

import numpy as np
import pytest

import carromsim as cs
from adversarial.impulses import Hits, residuals
from adversarial.judging import empty, units
from carromsim_kernels.resolve import collide_discs
from carromsim_kernels.state import EventKind
from oracles.scenes import ICF

LAWS = 1e-12
"""R4 of docs/reliability.md: relative to the speeds at the contact."""


def random_hits(rng: np.random.Generator, n: int) -> Hits:
    """Return discs that approach each other: light and heavy, slow and fast, central and nearly grazing."""
    normal = units(rng.uniform(0.0, 2.0 * np.pi, n))
    vel = rng.normal(0.0, 1.0, (n, 2, 2)) * 10.0 ** rng.uniform(-2.0, 1.0, (n, 1, 1))
    omega = rng.normal(0.0, 100.0, (n, 2)) * rng.integers(0, 2, (n, 2))
    closing = np.sum((vel[:, 0] - vel[:, 1]) * normal, axis=1)
    vel = np.where(closing[:, None, None] < 0.0, -vel, vel)
    return Hits(normal, vel, omega, rng.uniform(0.001, 0.05, (n, 2)), rng.uniform(0.01, 0.025, (n, 2)))


def test_a_hundred_thousand_impulses_of_the_kernel() -> None:
    rng, n = np.random.default_rng(1), 100_000
    before = random_hits(rng, n)
    e, mu, beta = rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n), rng.uniform(-1.0, 1.0, n)
    bodies = np.concatenate(
        [before.vel, before.omega[..., None], before.mass[..., None], before.radius[..., None]], axis=2
    )
    columns = np.concatenate([before.normal, bodies.reshape(n, 10), np.stack([e, mu, beta], axis=1)], axis=1)
    got = np.array([collide_discs(*row) for row in columns.tolist()]).reshape(n, 2, 3)
    after = before._replace(vel=got[..., :2], omega=got[..., 2])
    found = residuals(before, after, e, mu, beta)
    assert max(found.values()) <= LAWS, found


@pytest.mark.parametrize(("contact", "n"), [("sequential", 10_000), ("compliant", 1000)])
def test_a_hundred_thousand_hits_in_strokes(contact: str, n: int) -> None:
    """On a surface without friction, so that what there is before and after a hit is known to rounding.

    Fewer with contact forces: hits of two are then the same bits, as another test says.
    """
    rng = np.random.default_rng(2)
    for _ in range(10):
        laws = {
            "e_disc": float(rng.uniform(0.0, 1.0)),
            "mu_disc": float(rng.uniform(0.0, 1.0)),
            "beta_disc": float(rng.uniform(-1.0, 1.0)),
        }
        radius, mass = rng.uniform(0.012, 0.0215, 20), rng.uniform(0.002, 0.02, 20)
        eq = ICF.replace(
            contact=contact, mu_surface=0.0, pocket_radius=0.0, disc_radius=tuple(radius), disc_mass=tuple(mass), **laws
        )
        before, after = hits_in_strokes(rng, eq, n)
        found = residuals(before, after, *(np.full(len(before.omega), law) for law in laws.values()))
        assert len(before.omega) > 0.9 * n
        assert max(found.values()) <= LAWS, found


def hits_in_strokes(rng: np.random.Generator, eq: cs.Equipment, n: int) -> tuple[Hits, Hits]:
    """Let discs 2 and 11 fly at each other in the middle of the board; return them just before and at their hit."""
    given = random_hits(rng, n)
    a, b = 2, 11
    pos, vel, omega = empty(n)
    reach = eq.radius[a] + eq.radius[b]
    pos[:, a] = rng.uniform(-0.05, 0.05, (n, 2))
    pos[:, b] = pos[:, a] + reach * given.normal
    vel[:, [a, b]], omega[:, [a, b]] = given.vel, given.omega
    back = 10.0 ** rng.uniform(-6.0, -1.3, n) / np.hypot(*np.moveaxis(given.vel, 2, 0)).max(axis=1)
    pos[:, [a, b]] -= back[:, None, None] * given.vel
    out = cs.simulate_motion(pos, vel, omega, equipment=eq, until=2.0 * back)
    t = out._events["t"][out._first_event[:-1][out.n_events > 0]]
    kind = out._events["kind"][out._first_event[:-1][out.n_events > 0]]
    rows = np.flatnonzero(out.n_events > 0)[kind == EventKind.DISC_HIT]
    t = t[kind == EventKind.DISC_HIT]
    start = pos[rows], vel[rows], omega[rows]
    before = cs.simulate_motion(*start, equipment=eq, until=np.nextafter(t, 0.0), record=False)
    after = cs.simulate_motion(*start, equipment=eq, until=t, record=False)
    between = before.pos[:, b] - before.pos[:, a]
    normal = between / np.hypot(*between.T)[:, None]
    fast = np.sum((vel[rows, a] - vel[rows, b]) * normal, axis=1) > 3e-3  # slower ones are elastic, or pushes
    constant = np.tile(eq.mass[[a, b]], (fast.sum(), 1)), np.tile(eq.radius[[a, b]], (fast.sum(), 1))
    return tuple(
        Hits(normal[fast], out.vel[fast][:, [a, b]], out.omega[fast][:, [a, b]], *constant) for out in (before, after)
    )
