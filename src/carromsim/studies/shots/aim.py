"""Where to aim: found by trying, without the hand's scatter, in the world that the strokes are then played in.

A fan of directions about the one of plain geometry is simulated. The directions that pocket the man make stretches; the
aim is the middle of the widest, and half its width is the room that the hand has. So throw, spin, cushions and whatever
lies in the way count as they are, and no formula has to know them.
"""

import math
from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import STRIKER, Equipment
from carromsim.layouts import Layout
from carromsim.simulation import simulate
from carromsim.strokes import Strokes
from carromsim.studies.shots.positions import TARGET
from carromsim_kernels.state import FloatArray

Flags = NDArray[np.bool_]

_STEP = math.radians(0.04)
"""Between neighbouring directions of a fan; a stretch that is narrower may be missed."""
_HALVINGS = 6
"""Of a step, to find the ends of a stretch: to 0.001 degrees."""
_HALF_FAN = {False: 75, True: 150}
"""Steps to either side, direct and as a bank: 3 and 6 degrees. A cushion is not a mirror."""
_SHOTS_AT_ONCE = 64


class Aim(NamedTuple):
    """Directions to aim in and the room about them, (n,) each [rad]; room 0 if no direction pockets the man."""

    angle: FloatArray
    room: FloatArray


class _Trials:
    """Strokes at given men that are tried in other directions."""

    def __init__(
        self,
        equipment: Equipment,
        coefficients: Mapping[str, FloatArray],
        pos: FloatArray,
        strokes: Strokes,
        pocket: int,
    ) -> None:
        self.equipment, self.coefficients = equipment, coefficients
        self.pos, self.strokes, self.pocket = pos, strokes, pocket

    def __call__(self, shots: NDArray[np.intp], angles: FloatArray) -> tuple[Flags, Flags]:
        """Say whether the man falls where he should, and whether he does so without the striker."""
        given = {name: getattr(self.strokes, name)[shots] for name in ("x", "speed", "spin")}
        out = simulate(
            Layout(self.pos[shots]),
            Strokes(angle=angles, **given),
            equipment=self.equipment,
            coefficients={name: values[shots] for name, values in self.coefficients.items()},
            threads=1,
        )
        fell = (out.pocket[:, TARGET] == self.pocket) & (out.status == 0)
        return fell, fell & (out.pocket[:, STRIKER] < 0)


def aim(
    equipment: Equipment,
    coefficients: Mapping[str, FloatArray],
    pos: FloatArray,
    strokes: Strokes,
    pocket: int,
    *,
    bank: bool,
) -> Aim:
    """Aim n strokes.

    Where some direction pockets the man and not the striker, only such directions count.

    Parameters
    ----------
    equipment : Equipment
    coefficients : mapping of str to (n,) float64
        In place of the equipment's, see `carromsim.simulate`.
    pos : (n, 20, 2) float64
        The men [m], NaN for what is not there.
    strokes : Strokes
        Of n; the fan is about their angles.
    pocket : int
        Where the man is to fall.
    bank : bool
        Whether he goes over a cushion, which makes a wider fan.
    """
    parts = []
    for start in range(0, len(pos), _SHOTS_AT_ONCE):
        part = slice(start, start + _SHOTS_AT_ONCE)
        given = {name: getattr(strokes, name)[part] for name in ("x", "angle", "speed", "spin")}
        own = {name: values[part] for name, values in coefficients.items()}
        parts.append(_aim(_Trials(equipment, own, pos[part], Strokes(**given), pocket), _HALF_FAN[bank]))
    return Aim(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _aim(try_: _Trials, half: int) -> Aim:
    middle = try_.strokes.angle
    n, fan = len(middle), np.arange(-half, half + 1) * _STEP
    fell, clean = try_(np.repeat(np.arange(n), len(fan)), (middle[:, np.newaxis] + fan).ravel())
    fell, clean = fell.reshape(n, -1), clean.reshape(n, -1)
    only_clean: Flags = np.asarray(clean.any(axis=1))
    stretches = [_widest(row) for row in np.where(only_clean[:, np.newaxis], clean, fell)]
    found = np.flatnonzero([stretch is not None for stretch in stretches])
    angle, room = middle.copy(), np.zeros(n)
    if len(found):
        first, last = np.array([stretches[shot] for shot in found]).T
        low = _end(try_, found, only_clean, middle[found] + fan[first], -_STEP)
        high = _end(try_, found, only_clean, middle[found] + fan[last], _STEP)
        angle[found], room[found] = (low + high) / 2.0, (high - low) / 2.0
    return Aim(angle, room)


def _widest(hits: Flags) -> tuple[int, int] | None:
    """Give first and last of the longest run of hits, of equals the one nearest to the middle; None without hits."""
    runs = []
    for hit, members in groupby(range(len(hits)), key=lambda place: bool(hits[place])):
        if hit:
            places = list(members)
            runs.append((places[0], places[-1]))
    centre = len(hits) - 1
    return max(runs, key=lambda run: (run[1] - run[0], -abs(run[0] + run[1] - centre)), default=None)


def _end(try_: _Trials, shots: NDArray[np.intp], only_clean: Flags, inside: FloatArray, step: float) -> FloatArray:
    """Find where a stretch ends, between the last direction that hits and its neighbour."""
    for halving in range(1, _HALVINGS + 1):
        beyond = inside + step * 0.5**halving
        fell, clean = try_(shots, beyond)
        inside = np.where(np.where(only_clean[shots], clean, fell), beyond, inside)
    return inside
