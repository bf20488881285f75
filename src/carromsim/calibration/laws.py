"""What a film should show, in closed form: a slide, a rebound, a head-on hit, a cut, the laws' run test.

Each function takes the coefficients that are looked for, the true values that nobody sees exactly (the speed before a
hit, for instance), and what is known of the group of measurements; it gives the expected values of all that can be
measured. Everything is an array with one entry per measurement, in SI units.

Discs begin without spin, and surface friction is mu g, as it is for a disc that hardly spins: a man that leaves a hit
with the spin of mu_disc = 0.2 slides 4 % further.

References
----------
Walton and Braun, J. Rheology 30, 949 (1986), for the impulses; Coulomb for what is between them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Values = dict[str, FloatArray]

MOST_RUNS = 50
"""Runs that the run test counts: more than any board allows."""


class Coefficients(NamedTuple):
    """What is looked for, by the names of `Equipment`."""

    mu_surface: float
    e_cushion: float
    mu_cushion: float
    e_disc: float
    mu_disc: float


@dataclass(frozen=True)
class Setting:
    """What is known of the measurements of a kind without error, SI units.

    Attributes
    ----------
    gravity : float
        [m/s^2].
    first_run, run : float
        Way of the striker's centre from the base line to the opposite frame, and between two frames [m].
    beta_disc, beta_cushion : float
        Tangential restitution.
    v_c_disc, v_c_cushion : float
        The restitution at speed v is e + (1 - e) v_c / (v_c + v) [m/s].
    given : mapping of str to (n,) float64
        By measurement: `mass`, `target_mass` [kg], `target_radius` [m], `over_time` [s], and `by_distance`,
        `at_least`, `seen`; each law says which it needs.
    """

    gravity: float
    first_run: float
    run: float
    beta_disc: float
    beta_cushion: float
    v_c_disc: float
    v_c_cushion: float
    given: Mapping[str, FloatArray]


Law = Callable[[Coefficients, FloatArray, Setting], Values]


def restitution(e: float, v_c: float, speed: FloatArray) -> FloatArray:
    """Give the normal restitution at a speed of approach [m/s]."""
    if v_c == 0.0:
        return np.full_like(speed, e)
    return e + (1.0 - e) * v_c / (v_c + np.abs(speed))


def mean_after(speed: FloatArray, slowing: float, time: FloatArray) -> FloatArray:
    """Give the mean speed over a time beginning with this one; the disc slows down evenly and stays where it stops."""
    magnitude = np.abs(speed)
    moving = magnitude >= slowing * time  # at time 0 too, where there is no mean
    until_rest = magnitude**2 / np.where(moving, 1.0, 2.0 * slowing * time)
    return np.sign(speed) * np.where(moving, magnitude - 0.5 * slowing * time, until_rest)


def slide(c: Coefficients, true: FloatArray, at: Setting) -> Values:
    """Tell the slide of a disc to rest. `true`: (1, n), the speed at the start."""
    slowing, speed = c.mu_surface * at.gravity, true[0]
    return {
        "speed": mean_after(speed, slowing, at.given["over_time"]),
        "distance": speed * np.abs(speed) / (2.0 * slowing),
        "time": speed / slowing,
        "deceleration": np.full_like(speed, slowing),
    }


def cushion(c: Coefficients, true: FloatArray, at: Setting) -> Values:
    """Tell the rebound of a disc. `true`: (2, n), its speeds at contact towards the cushion and along it."""
    slowing, over = c.mu_surface * at.gravity, at.given["over_time"]
    towards, along = true
    e = restitution(c.e_cushion, at.v_c_cushion, towards)
    impulse = (1.0 + e) * towards  # per mass
    sticking = (1.0 + at.beta_cushion) / 3.0 * np.abs(along)
    rub = np.minimum(sticking, c.mu_cushion * np.abs(impulse))
    back, still_along = e * towards, along - np.sign(along) * rub
    before, after = np.hypot(towards, along), np.hypot(back, still_along)
    faster = _ratio(before + 0.5 * slowing * over, before)
    slower = _ratio(mean_after(after, slowing, over), after)
    return {
        "speed_in": towards * faster,
        "speed_out": back * slower,
        "along_in": along * faster,
        "along_out": still_along * slower,
        "impulse_ratio": _ratio(rub, np.abs(impulse)),
    }


def hit(c: Coefficients, true: FloatArray, at: Setting) -> Values:
    """Tell a head-on hit of a resting disc; backwards is negative.

    `true`: (1, n), the speed at contact; where no speed was measured, in units of sqrt(mu g 1 m), so that distances
    alone do not depend on the friction.
    """
    slowing, over = c.mu_surface * at.gravity, at.given["over_time"]
    speed = true[0] * np.where(at.given["by_distance"] > 0.0, math.sqrt(slowing), 1.0)
    mass, target_mass = at.given["mass"], at.given["target_mass"]
    e = restitution(c.e_disc, at.v_c_disc, speed)
    after = speed * (mass - e * target_mass) / (mass + target_mass)
    target = speed * (1.0 + e) * mass / (mass + target_mass)
    return {
        "speed": speed + np.sign(speed) * 0.5 * slowing * over,
        "speed_after": mean_after(after, slowing, over),
        "target_speed": mean_after(target, slowing, over),
        "distance": after * np.abs(after) / (2.0 * slowing),
        "target_distance": target * np.abs(target) / (2.0 * slowing),
    }


def cut(c: Coefficients, true: FloatArray, at: Setting) -> Values:
    """Tell an off-centre hit of a resting disc.

    `true`: (2, n), the cut [rad] and the speed of the disc that was hit.

    Tangential over normal impulse is mu_disc, or less if the rims stick: (1 + beta) tan(cut) / (3 (1 + e)), because
    the effective mass across is a third of that along the line of centres. Masses cancel. Here e is the limit e_disc
    at any speed; it matters for small cuts only. The spin of a disc that hardly spins falls as the square root of its
    speed (limit of the coupled friction law, see carromsim.data.build_motion_table).
    """
    angle, target = true
    sticking = (1.0 + at.beta_disc) * np.tan(np.abs(angle)) / (3.0 * (1.0 + c.e_disc))
    throw = np.sign(angle) * np.arctan(np.minimum(c.mu_disc, sticking))
    mean = mean_after(target, c.mu_surface * at.gravity, at.given["over_time"])
    left = np.sqrt(np.clip(_ratio(mean, target), 0.0, 1.0))  # of the spin, which falls as the root of the speed
    return {
        "cut": angle,
        "throw": throw,
        "target_speed": mean,
        "spin": 2.0 * target * np.sin(throw) / at.given["target_radius"] * left,
    }


def runs(c: Coefficients, true: FloatArray, at: Setting) -> Values:
    """Tell the run test: a striker to and fro between the frames until it rests.

    `true`: (1, n), its speed at the start.

    A run is the way from frame to frame, the first that from the base line. Where only "at least so many" was seen,
    any greater number is as good as that.
    """
    speed = true[0]
    square, loss = speed**2, 2.0 * c.mu_surface * at.gravity
    count = np.zeros_like(speed)
    for k in range(MOST_RUNS):
        way = at.run if k else at.first_run
        count += np.clip(square / (loss * way), 0.0, 1.0)
        square = np.maximum(square - loss * way, 0.0)
        if not square.any():
            break
        square = square * restitution(c.e_cushion, at.v_c_cushion, np.sqrt(square)) ** 2
    return {"speed": speed, "runs": np.minimum(count, np.where(at.given["at_least"] > 0.0, at.given["seen"], math.inf))}


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Divide, giving 0 where b is 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b != 0.0)
