"""What a hit of two discs does, for many at once, against the laws of momentum, restitution and friction."""

from typing import NamedTuple

import numpy as np


class Hits(NamedTuple):
    """Two discs each, before or after their hit."""

    normal: np.ndarray
    """(n, 2) unit vectors from the first to the second."""
    vel: np.ndarray
    """(n, 2, 2): of which disc, along which axis [m/s]"""
    omega: np.ndarray
    """(n, 2) [rad/s]"""
    mass: np.ndarray
    radius: np.ndarray


def residuals(before: Hits, after: Hits, e: np.ndarray, mu: np.ndarray, beta: np.ndarray) -> dict[str, float]:
    """Return by how much each law is broken at most, relative to the speeds at the contact before.

    The tangential impulse is that which leaves -beta of the slip, or mu times the normal one if that is less.
    """
    n, m, r = before.normal, before.mass, before.radius
    t = np.stack([-n[:, 1], n[:, 0]], axis=1)
    rim = np.sum(np.abs(before.omega) * r, axis=1)
    speed = np.sum(np.hypot(before.vel[..., 0], before.vel[..., 1]), axis=1) + rim
    size = np.max(m, axis=1) * speed
    change = m[..., None] * (after.vel - before.vel)
    spun = 0.5 * m * r * (after.omega - before.omega)
    across = np.sum(change * t[:, None], axis=2) * np.array([1.0, -1.0])
    closing, leaving = (np.sum((hit.vel[:, 0] - hit.vel[:, 1]) * n, axis=1) for hit in (before, after))
    slip, left = (
        np.sum((hit.vel[:, 0] - hit.vel[:, 1]) * t, axis=1) + np.sum(hit.omega * r, axis=1) for hit in (before, after)
    )
    reduced = m[:, 0] * m[:, 1] / (m[:, 0] + m[:, 1])
    most = mu * (1.0 + e) * reduced * closing
    rubbed = np.sign(slip) * np.minimum((1.0 + beta) * np.abs(slip) * reduced / 3.0, most)
    energy = [
        np.sum(0.5 * m * np.sum(hit.vel**2, axis=2) + 0.25 * m * (r * hit.omega) ** 2, axis=1)
        for hit in (before, after)
    ]
    return {
        "momentum": worst(np.hypot(*np.sum(change, axis=1).T) / size),
        "angular momentum about the contact": worst(np.abs(spun - across) / size[:, None]),
        "restitution": worst(np.abs(leaving + e * closing) / speed),
        "friction": worst(np.abs((slip - left) * reduced / 3.0 - rubbed) / size),
        "energy": max(worst((energy[1] - energy[0]) / energy[0]), 0.0),
    }


def worst(values: np.ndarray) -> float:
    """Return the largest number, inf if one is none."""
    return float(np.max(np.nan_to_num(values, nan=np.inf)))
