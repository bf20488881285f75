"""How straight somebody shoots, from how often a shot of his succeeds."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import N_DISCS, STRIKER, WHITE, Equipment
from carromsim.layouts import Layout
from carromsim.players.skill import Skill, skill_of
from carromsim.simulation import simulate
from carromsim.stats import wilson
from carromsim.strokes import Strokes
from carromsim_kernels.state import FloatArray

__all__ = ["SkillFit", "fit_skill", "straight_shot", "straight_success"]

_AT_POCKET = 0.8
"""Speed at which the man of a straight shot arrives [m/s]: well below what rattles."""
_LEAST, _MOST, _STEPS = math.radians(0.01), math.radians(20.0), 60
"""Directions' standard deviations between which the curve is drawn [rad], and by how many points."""


@dataclass(frozen=True, kw_only=True)
class SkillFit:
    """What shots say about a hand.

    Attributes
    ----------
    sd_angle, low, high : float
        Standard deviation of the direction, and the ends of its interval [rad]; 0 and inf where the shots set no end.
    skill : Skill
        With that direction noise, at most 20 degrees, and the others as they were assumed.
    """

    sd_angle: float
    low: float
    high: float
    skill: Skill


def fit_skill(
    successes: int,
    trials: int,
    *,
    distance: float = 0.40,
    skill: str | Skill = "club",
    equipment: Equipment | str = "icf",
    level: float = 0.95,
    strokes: int = 4000,
    seed: int = 1,
) -> SkillFit:
    """Estimate how straight somebody shoots from how often he succeeds with a straight shot.

    The success rate is simulated as a function of the direction noise, with the same random numbers for all, so that it
    falls; the noise at which it is the observed rate is the estimate, and those at the ends of Wilson's interval of the
    rate are the ends of the interval.

    Parameters
    ----------
    successes, trials : int
        How often the man fell, out of how many shots.
    distance : float
        From the man to the pocket [m], see `straight_shot`.
    skill : str or Skill
        Where the noise of placement, speed and spin is taken from.
    equipment : Equipment or str
        Or the name of a preset.
    level : float
        Of the interval, between 0 and 1.
    strokes : int
        Simulated per point of the curve: a rate has a standard error of at most 0.5 / sqrt(strokes).
    seed : int
        0 <= seed < 2^64.

    Returns
    -------
    SkillFit

    Raises
    ------
    ValueError
        If there are no trials or more successes than trials, or the shot is impossible.
    """
    for name, value, least in (("successes", successes, 0), ("trials", trials, 1), ("strokes", strokes, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} = {value!r}: must be at least {least}, a whole number")
    low, high = (float(end) for end in wilson(successes, trials, level))
    base = skill_of(skill)
    noise = np.geomspace(_LEAST, _MOST, _STEPS)
    skills = [replace(base, sd_angle=float(sd), name="") for sd in noise]
    rates = np.array([straight_success(s, distance, equipment, strokes=strokes, seed=seed).mean() for s in skills])
    rates = np.minimum.accumulate(rates)

    def inverse(rate: float) -> float:
        """Give the noise of a rate: 0 if even the least makes it rarer, inf if even the most leaves it as frequent."""
        if rate >= rates[0] or rate <= rates[-1]:
            return 0.0 if rate >= rates[0] else math.inf
        return float(np.exp(np.interp(-rate, -rates, np.log(noise))))

    estimate = inverse(successes / trials)
    fitted = replace(base, sd_angle=min(estimate, _MOST), name="")
    return SkillFit(sd_angle=estimate, low=inverse(high), high=inverse(low), skill=fitted)


def straight_shot(distance: float = 0.40, equipment: Equipment | str = "icf") -> tuple[FloatArray, Strokes]:
    """Lay a straight shot: from the middle of the base line at a man who lies on the straight way to a far pocket.

    Parameters
    ----------
    distance : float
        From the man's centre to that of the far right pocket [m].
    equipment : Equipment or str
        Or the name of a preset.

    Returns
    -------
    pos : (20, 2) float64
        A white man, and nothing else [m].
    strokes : Strokes
        The one that sends him to the pocket's centre, where he arrives at 0.8 m/s.

    Raises
    ------
    ValueError
        If the man would lie on the pocket or on the striker.
    """
    equipment = Equipment.of(equipment)
    pocket = equipment.side / 2 - equipment.pocket_offset
    ahead = pocket + equipment.side / 2 - equipment.base_line_distance
    length, man = math.hypot(pocket, ahead), WHITE.start
    touch = float(equipment.radius[STRIKER] + equipment.radius[man])
    nearest, farthest = float(equipment.capture_radius[man]), length - touch
    number = isinstance(distance, int | float | np.integer | np.floating)
    if not number or not nearest < distance < farthest:
        raise ValueError(f"distance = {distance!r} m: must be above {nearest:g} and below {farthest:g} m")
    unit = np.array([pocket, ahead]) / length
    pos = np.full((N_DISCS, 2), np.nan)
    pos[man] = pocket - distance * unit
    slowing = 2.0 * equipment.mu_surface * equipment.gravity
    share = float(equipment.mass[STRIKER] / (equipment.mass[STRIKER] + equipment.mass[man]))
    at_hit = math.sqrt(_AT_POCKET**2 + slowing * distance) / ((1.0 + equipment.e_disc) * share)
    speed = math.sqrt(at_hit**2 + slowing * (farthest - distance))
    return pos, Strokes(x=0.0, angle=math.atan2(ahead, pocket), speed=speed)


def straight_success(
    skill: str | Skill,
    distance: float = 0.40,
    equipment: Equipment | str = "icf",
    *,
    strokes: int = 4000,
    seed: int = 1,
) -> NDArray[np.bool_]:
    """Simulate a straight shot as a hand executes it.

    Parameters
    ----------
    skill : str or Skill
    distance, equipment
        See `straight_shot`.
    strokes : int
        How many.
    seed : int
        Row k has the same noise for every skill.

    Returns
    -------
    (strokes,) bool
        Whether the man fell, into any pocket.
    """
    equipment = Equipment.of(equipment)
    pos, intended = straight_shot(distance, equipment)
    meant = Strokes(**{name: np.full(strokes, getattr(intended, name)) for name in ("x", "angle", "speed", "spin")})
    done = skill_of(skill).executed(
        meant, equipment, seed=seed, rows=np.arange(strokes), stroke=0, pos=np.broadcast_to(pos, (strokes, *pos.shape))
    )
    outcomes = simulate(Layout(pos), done, equipment=equipment)
    return np.asarray(outcomes.pocket[:, WHITE.start] >= 0)
