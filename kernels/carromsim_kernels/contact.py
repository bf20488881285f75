"""The force between two discs, or a disc and a cushion, that are pressed together.

A spring-dashpot, linear (k d) or Hertz (k d^1.5, damped after Tsuji et al. 1992), that never attracts. One stiffness k
serves all pairs and cushions; it follows from the duration of a hit. The damping ratio zeta follows from the
restitution e by

    -ln e = 2 zeta acos(zeta) / sqrt(1 - zeta^2)        (zeta < 1)

which is exact for both laws: for the linear one by Schwager and Poeschel (2007), and for Hertz because y = (4/5)
d^(5/4) in the time dtau = d^(1/4) dt is a linear damped oscillator (Antypov and Elliott 2011), whose force vanishes at
the same moment.
"""

import math
from functools import cache

import numpy as np

from carromsim_kernels.jit import kernel
from carromsim_kernels.motion import bits_of
from carromsim_kernels.scene import Scene
from carromsim_kernels.state import DAMPING_CELLS, ContactLaw, FloatArray

LEAST_E = math.exp(-2.0)
"""A smaller restitution counts as this one in a burst: beyond critical damping, zeta = 1, discs creep apart."""
HERTZ_DURATION = 2.9432
"""Duration of an elastic Hertz contact in units of (deepest overlap) / (speed)."""
HERTZ_SPEED = 3.0
"""Speed at which a Hertz contact of two men lasts t_contact [m/s]."""

FOUR_FIFTHS = 4 * (1023 << 52) // 5
"""What a fifth of the bits of x lacks to be bits of a number near its fifth root."""


@cache
def damping_ratios() -> FloatArray:
    """Return zeta for the restitutions 0, 1/1024, ..., 1, by bisection of the relation above."""
    e = np.maximum(np.arange(DAMPING_CELLS + 1) / DAMPING_CELLS, LEAST_E)
    low, high = np.zeros(e.shape), np.full(e.shape, 1.0 - 1e-9)
    for _ in range(60):
        zeta = 0.5 * (low + high)
        enough = 2.0 * zeta * np.arccos(zeta) / np.sqrt(1.0 - zeta * zeta) >= -np.log(e)
        low, high = np.where(enough, low, zeta), np.where(enough, zeta, high)
    ratios: FloatArray = low
    return ratios


def contact_law(compliant: bool, hertz: bool, steps: float, man_mass: float) -> ContactLaw:
    """Return the contact law of a board.

    Parameters
    ----------
    compliant, hertz : bool
    steps : float
        Time steps per t_contact.
    man_mass : float
        [kg]
    """
    return ContactLaw(int(compliant), int(hertz), steps, 0.5 * man_mass, damping_ratios())


@kernel
def set_contact(scene: Scene, t_contact: float) -> None:
    """Set stiffness and time step of a row from the duration of an elastic hit of two men [s]; for Hertz at 3 m/s."""
    scene.t_contact, scene.burst_step = t_contact, t_contact / scene.contact_steps
    if scene.hertz == 1:
        rate = HERTZ_DURATION / t_contact
        scene.stiffness = 1.25 * scene.contact_mass * (rate * rate * math.sqrt(rate)) / math.sqrt(HERTZ_SPEED)
    else:
        rate = math.pi / t_contact
        scene.stiffness = scene.contact_mass * (rate * rate)


@kernel
def damping_ratio(scene: Scene, e: float) -> float:
    """Return zeta of a restitution, linear between the table's nodes."""
    place = max(e, LEAST_E) * DAMPING_CELLS
    k = min(int(place), DAMPING_CELLS - 1)
    return float(scene.damping[k] + (place - k) * (scene.damping[k + 1] - scene.damping[k]))


@kernel
def press(scene: Scene, mass: float, zeta: float, overlap: float, closing: float, before: float) -> float:
    """Return the normal force [N] of a contact at the end of a step, never attractive.

    `closing` is the closing speed [m/s] that would be reached if the force stayed what it was `before`; the dashpot
    acts on the one that is reached with the force returned. Thus damping is of second order, and always stable.
    """
    if scene.hertz == 1:
        root = math.sqrt(overlap)
        spring = scene.stiffness * overlap * root
        rate = zeta * math.sqrt(5.0 * mass * scene.stiffness * root)
    else:
        spring = scene.stiffness * overlap
        rate = 2.0 * zeta * math.sqrt(mass * scene.stiffness)
    half = 0.5 * scene.burst_step
    return max((mass * (spring + rate * closing) + rate * half * before) / (mass + rate * half), 0.0)


@kernel
def fifth_root(x: float) -> float:
    """Return x^(1/5) for x > 0, to 1e-14: Newton from a fifth of the bits, which is a sixteenth too large at most."""
    y = float(np.int64(bits_of(x) // 5 + FOUR_FIFTHS).view(np.float64))
    for _ in range(4):
        y2 = y * y
        y = 0.8 * y + 0.2 * x / (y2 * y2)
    return y


@kernel
def contact_time(scene: Scene, mass: float, speed: float) -> float:
    """Return how long an elastic hit of reduced mass lasts [s]."""
    ratio = mass / scene.contact_mass
    if scene.hertz == 1:
        return float(scene.t_contact * fifth_root(ratio * ratio * (HERTZ_SPEED / speed)))
    return float(scene.t_contact * math.sqrt(ratio))
