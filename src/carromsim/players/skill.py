"""How well a player executes what he intends."""

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carromsim.equipment import Equipment
from carromsim.equipment_limits import as_float
from carromsim.players.room import overlaps
from carromsim.problems import did_you_mean, name_problem
from carromsim.streams import Slot, Streams
from carromsim.strokes import Strokes, clip_to_legal, snap_to_end_circle
from carromsim_kernels.state import FloatArray

__all__ = ["SKILLS", "SLOWEST", "Skill", "skill_of"]

SLOWEST = 0.01
"""Least speed of an executed stroke, in units of the intended one: a stroke is never backwards."""


@dataclass(frozen=True, kw_only=True)
class Skill:
    """Standard deviations of what a hand adds to an intended stroke: four independent normal numbers.

    Attributes
    ----------
    sd_x : float
        Of the placement along the base lines [m]; the result is moved to the nearest legal place.
    sd_angle : float
        Of the direction [rad].
    sd_speed : float
        Of the speed, relative to the intended one; the result is at least `SLOWEST` of it.
    sd_spin : float
        Of the spin [rad/s].
    name : str
        Of a preset, else "".

    Raises
    ------
    ValueError
        If a standard deviation is not a finite number of at least 0.
    """

    sd_x: float
    sd_angle: float
    sd_speed: float
    sd_spin: float
    name: str = ""

    def __post_init__(self) -> None:
        """Check every number."""
        for field in fields(self):
            value: Any = getattr(self, field.name)
            if field.name == "name":
                if (wrong := name_problem(value)) is not None:
                    raise ValueError(f"name = {value!r}: {wrong}")
                continue
            number = as_float(value)
            if not 0.0 <= number < math.inf:
                raise ValueError(f"{field.name} = {value!r}: must be a finite number of at least 0")
            object.__setattr__(self, field.name, number)

    @property
    def exact(self) -> bool:
        """Whether nothing scatters."""
        return self.sd_x == self.sd_angle == self.sd_speed == self.sd_spin == 0.0

    def executed(
        self,
        strokes: Strokes,
        equipment: Equipment,
        *,
        seed: int,
        rows: ArrayLike,
        stroke: ArrayLike,
        pos: FloatArray,
        first_slot: int = Slot.PLACEMENT,
    ) -> Strokes:
        """Let the hand scatter around what it intended.

        Parameters
        ----------
        strokes : Strokes
            n strokes as intended.
        equipment : Equipment
        seed : int
            0 <= seed < 2^64.
        rows : (n,) int
            Numbers of the rows.
        stroke : int or (n,) int
            Number of the stroke in its row: chance depends on seed, row and stroke alone.
        pos : (n, 20, 2) float64
            The discs in the shooter's own frame [m], NaN for what is not on the surface. He sees where the striker
            stands: a row whose placement would overlap a disc that the intended one does not keeps the intended one.
        first_slot : int
            Slot of the placement; those of angle, speed and spin follow. Another than the default is for strokes that
            are only imagined.

        Returns
        -------
        Strokes
            With the seats of `strokes`; x stays NaN where it is.
        """
        noise = Streams(seed).normal(rows, stroke, range(int(first_slot), int(first_slot) + 4))
        intended = snap_to_end_circle(strokes.x, equipment)
        x = snap_to_end_circle(clip_to_legal(strokes.x + self.sd_x * noise[:, 0], equipment), equipment)
        in_the_way = overlaps(x, pos, equipment) & ~overlaps(intended, pos, equipment)
        return Strokes(
            x=np.where(in_the_way.any(axis=1), intended, x),
            angle=strokes.angle + self.sd_angle * noise[:, 1],
            speed=strokes.speed * np.maximum(1.0 + self.sd_speed * noise[:, 2], SLOWEST),
            spin=strokes.spin + self.sd_spin * noise[:, 3],
            seat=strokes.seat,
        )


def _preset(name: str, x_mm: float, angle_deg: float, speed: float, spin: float) -> Skill:
    return Skill(sd_x=x_mm * 1e-3, sd_angle=math.radians(angle_deg), sd_speed=speed, sd_spin=spin, name=name)


SKILLS: dict[str, Skill] = {
    skill.name: skill
    for skill in (
        _preset("novice", 3.0, 2.0, 0.15, 15.0),
        _preset("club", 1.0, 0.7, 0.05, 5.0),
        _preset("expert", 0.6, 0.35, 0.04, 4.0),
        _preset("champion", 0.3, 0.15, 0.03, 3.0),
        _preset("perfect", 0.0, 0.0, 0.0, 0.0),
    )
}
"""Guesses: nobody has published how straight carrom players shoot. Club is the default scatter of a break study."""


def skill_of(skill: str | Skill) -> Skill:
    """Give a skill, or the preset of that name; ValueError names the presets."""
    if isinstance(skill, Skill):
        return skill
    if not isinstance(skill, str) or skill not in SKILLS:
        raise ValueError(f"skill = {skill!r}: {did_you_mean(skill, SKILLS)}, or a Skill")
    return SKILLS[skill]
