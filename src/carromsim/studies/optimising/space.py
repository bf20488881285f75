"""What a search may choose: a break, and the box of numbers from 0 to 1 in which it looks for one."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from carromsim.equipment import STRIKER, Equipment
from carromsim.strokes import clip_to_legal, legal_intervals, snap_to_end_circle
from carromsim_kernels.state import FloatArray

__all__ = ["PERIOD", "SLOWEST", "Break", "Space"]

SLOWEST = 0.5
"""Least speed that is looked at [m/s]: a slower striker hardly opens the pack."""
PERIOD = 2.0 * math.pi / 3.0
"""After which the pack looks the same again [rad]."""
RINGS = 5
"""Radii of a man from the centre of the board to the outermost rim of a tight pack."""


@dataclass(frozen=True)
class Break:
    """A break as intended.

    Attributes
    ----------
    x : float
        Centre of the striker along the base line [m].
    aim : float
        How far from the board's centre its line passes [m]; positive if the direction is turned counter-clockwise from
        the one to the centre.
    angle : float
        Direction [rad]; follows from x and aim.
    speed, spin : float
        [m/s], [rad/s].
    rotation : float
        Of the pack [rad].
    """

    x: float
    aim: float
    angle: float
    speed: float
    spin: float
    rotation: float


@dataclass(frozen=True)
class Space:
    """The breaks among which is searched, each a point of the unit cube.

    The direction is searched as `aim`, how far the stroke's line passes from the centre, because what a break does
    hangs on where it meets the pack: another place with the same aim is a similar break. Every line that meets the
    pack is in the box; a break by way of a cushion is not.

    Parameters
    ----------
    equipment : Equipment
    fastest : float
        Greatest speed [m/s].
    most_spin : float
        Greatest spin, either way [rad/s].
    turns : bool
        Whether the pack may be turned.
    """

    equipment: Equipment
    fastest: float
    most_spin: float
    turns: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What is searched, in the order of the coordinates."""
        return ("x", "aim", "speed", "spin", "rotation")[: 5 if self.turns else 4]

    @property
    def bounds(self) -> FloatArray:
        """Where each coordinate may be, (k, 2) float64.

        A rotation may run on beyond its period, so that no wall stands in the way of a search that goes round.
        """
        ends = np.tile([0.0, 1.0], (len(self.names), 1))
        if self.turns:
            ends[-1] = -1.0, 2.0
        return ends

    @cached_property
    def reach(self) -> float:
        """Greatest aim [m]: beyond it the striker passes a tight pack."""
        return RINGS * self.equipment.largest_man_radius + float(self.equipment.radius[STRIKER])

    @property
    def distance(self) -> float:
        """From the middle line of the base lines to the centre [m]."""
        return self.equipment.side / 2 - self.equipment.base_line_distance

    def at(self, point: ArrayLike) -> Break:
        """Give the break at a point (k,) of the box; the striker is moved to the nearest legal place."""
        scaled = dict(zip(self.names, np.asarray(point, np.float64).tolist(), strict=True))
        values = {name: low + scaled[name] * (high - low) for name, (low, high) in self.ranges().items()}
        values["x"] = float(snap_to_end_circle(clip_to_legal([values["x"]], self.equipment), self.equipment)[0])
        rotation = values.get("rotation", 0.0)
        values["rotation"] = rotation - PERIOD * round(rotation / PERIOD)
        return self.aimed(**values)

    def aimed(self, *, x: float, aim: float, speed: float, spin: float, rotation: float) -> Break:
        """Give the break from a place whose line passes the centre at a distance."""
        to_centre = math.atan2(self.distance, 0.0 - x)
        angle = to_centre + math.asin(aim / math.hypot(x, self.distance))
        return Break(x=x, aim=aim, angle=angle, speed=speed, spin=spin, rotation=rotation)

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Give the least and the greatest value of everything that is searched, by name."""
        widest = float(legal_intervals(self.equipment).max())
        ends = {
            "x": (-widest, widest),
            "aim": (-self.reach, self.reach),
            "speed": (SLOWEST, self.fastest),
            "spin": (-self.most_spin, self.most_spin),
            "rotation": (-PERIOD / 2, PERIOD / 2),
        }
        return {name: ends[name] for name in self.names}

    def changed(self, break_: Break, name: str, value: float) -> Break:
        """Give a break with another value of what is searched; the aim stays if the place is another."""
        told = {each: getattr(break_, each) for each in ("x", "aim", "speed", "spin", "rotation")} | {name: value}
        told["x"] = float(snap_to_end_circle(clip_to_legal([told["x"]], self.equipment), self.equipment)[0])
        return self.aimed(**told)

    def straight(self, speed: float) -> Break:
        """Give the break straight ahead from the middle, at the pack as it is laid."""
        return self.aimed(x=0.0, aim=0.0, speed=speed, spin=0.0, rotation=0.0)

    def middle(self, speed: float) -> FloatArray:
        """Give the point (k,) of the straight break."""
        point = np.full(len(self.names), 0.5)
        point[2] = (speed - SLOWEST) / (self.fastest - SLOWEST)
        return point
