"""Where the man of a shot lies, and the stroke that pockets it by plain geometry.

Striker S, ghost G (where the striker meets the man) and pocket P make a triangle: its sides are the striker's way, the
man's and the line SP, and at G it has the angle of the cut. So the place of the striker, the man's way and the cut fix
where the man lies. For a bank the pocket is mirrored in the line on which the man's centre meets the cushion.
"""

import math
from typing import NamedTuple

from carromsim.equipment import STRIKER, WHITE, Equipment

TARGET = WHITE.start
"""The man that is to fall."""

ARRIVAL = 0.8
"""Speed at which the man reaches the pocket if the stroke's is left to the study [m/s]: fast enough to hold its line,
too slow to rattle. A guess."""

_LEAST_RESTITUTION = 0.1
"""Of a cushion that the speed of a bank reckons with; a deader one takes more than a hand can give."""


class Family(NamedTuple):
    """What the shots of a study share, in numbers."""

    pocket_x: float
    """Of the pocket, mirrored if the shot is a bank [m]."""
    pocket_y: float
    cushion_x: float
    """Where the man's centre meets the cushion [m]; inf: not that one."""
    cushion_y: float
    base: float
    """Of the striker's centre [m]."""
    limit: float
    """Largest |x|, |y| of the man [m]."""
    reach: float
    """Radii of striker and man together [m]."""
    share: float
    """Of the striker in the mass of the two."""
    gravity: float
    """[m/s^2]."""


class Shot(NamedTuple):
    """A man and the stroke at it."""

    x: float
    """Of the man [m]."""
    y: float
    angle: float
    """Of the stroke, without throw [rad]."""
    way: float
    """Of the striker to the man [m]."""
    to_cushion: float
    """Part of the man's way [m]; 0 if there is no cushion in it."""


def family(equipment: Equipment, pocket: int, bank: bool) -> Family:
    """Work out what shots at one pocket share.

    Parameters
    ----------
    equipment : Equipment
    pocket : int
        0 bottom left, 1 bottom right, 2 top right, 3 top left.
    bank : bool
        Whether the man comes from a cushion: to a bottom pocket from the far one, to a top pocket from the side
        opposite to it.
    """
    half = equipment.side / 2
    right, top = pocket in (1, 2), pocket in (2, 3)
    x, y = (
        (half - equipment.pocket_offset) * (1 if right else -1),
        (half - equipment.pocket_offset) * (1 if top else -1),
    )
    radius, mass = equipment.radius[TARGET], equipment.mass
    limit = half - radius
    cushion_x = cushion_y = math.inf
    if bank and top:
        cushion_x = -limit if right else limit
        x = 2.0 * cushion_x - x
    elif bank:
        cushion_y = limit
        y = 2.0 * cushion_y - y
    return Family(
        pocket_x=float(x),
        pocket_y=float(y),
        cushion_x=float(cushion_x),
        cushion_y=float(cushion_y),
        base=equipment.base_line_distance - half,
        limit=float(limit),
        reach=float(equipment.radius[STRIKER] + radius),
        share=float(mass[STRIKER] / (mass[STRIKER] + mass[TARGET])),
        gravity=equipment.gravity,
    )


def lay(shots: Family, x: float, distance: float, cut: float) -> Shot | str:
    """Lay the man of one shot; if that cannot be, say why.

    Parameters
    ----------
    shots : Family
    x : float
        Place of the striker [m].
    distance : float
        Way of the man to the pocket's centre [m].
    cut : float
        Angle from the man's way to the striker's, counter-clockwise [rad].
    """
    dx, dy = shots.pocket_x - x, shots.pocket_y - shots.base
    length, ghost = math.hypot(dx, dy), distance + shots.reach
    sine = ghost * math.sin(cut) / length
    if abs(sine) >= 1.0:
        return "the striker cannot come from that side: the man's way is too long for such a cut"
    aside = math.asin(sine)
    way = length * math.cos(aside) - ghost * math.cos(cut)
    if way <= 0.0:
        return "the man would lie behind the striker: its way is too long"
    angle = math.atan2(dy, dx) + aside
    ux, uy = math.cos(angle - cut), math.sin(angle - cut)
    man_x, man_y = shots.pocket_x - distance * ux, shots.pocket_y - distance * uy
    if abs(man_x) > shots.limit or abs(man_y) > shots.limit:
        return f"the man would lie outside the board, at ({man_x:.3f}, {man_y:.3f}) m"
    to_cushion = 0.0
    for there, here, component in ((shots.cushion_x, man_x, ux), (shots.cushion_y, man_y, uy)):
        if math.isfinite(there):
            to_cushion = (there - here) / component
    return Shot(man_x, man_y, angle, way, to_cushion)


def speed_of(
    shots: Family, shot: Shot, distance: float, cut: float, *, mu_surface: float, e_disc: float, e_cushion: float
) -> float:
    """Give the speed of a stroke at which the man arrives with `ARRIVAL` [m/s].

    A cushion takes as much as in a frontal hit, which is more than it does.
    """
    slowing = 2.0 * mu_surface * shots.gravity
    square = ARRIVAL**2 + slowing * (distance - shot.to_cushion)
    if shot.to_cushion > 0.0:
        square /= max(e_cushion, _LEAST_RESTITUTION) ** 2
    square += slowing * shot.to_cushion
    gain = (1.0 + e_disc) * shots.share * math.cos(cut)
    return math.sqrt(square / gain**2 + slowing * shot.way)
