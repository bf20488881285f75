"""What to play when nothing is on: a gentle, legal stroke that hits what it may."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import QUEEN, STRIKER, Equipment
from carromsim.players.room import free_places
from carromsim.players.turns import Choice, Turns
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import Strokes, direction
from carromsim_kernels.state import FloatArray

__all__ = ["may_hit", "safe_strokes"]

N_PLACES = 13
HIT_SPEED = 0.6
"""Guess: speed at which the striker arrives at what it hits [m/s]: enough to move it by a third of a metre."""
ACROSS = 2.0
"""Guess: speed of a stroke that hits nothing on its way to the far cushion [m/s]."""
BACK = 2.2
"""Guess: speed of one that is to come back from it and hit a man [m/s]."""

_FAN = direction(np.linspace(np.pi / 12, np.pi - np.pi / 12, 11))
"""Directions that are tried besides those of the discs."""


class _Class:
    """How welcome a first hit is; the least is taken."""

    OWN, REBOUND, QUEEN, OTHER, NOTHING, FORBIDDEN = range(6)


class _Rays(NamedTuple):
    """Straight ways of a striker: n rows, each of m ways."""

    x: FloatArray
    unit_x: FloatArray
    unit_y: FloatArray
    possible: NDArray[np.bool_]
    rebound: NDArray[np.int64]
    """Disc that is to be hit from the far cushion, -1 = none, (m,)."""


def safe_strokes(turns: Turns) -> Choice:
    """Choose a stroke that is made, hits nothing that it may not hit, and risks little.

    Of straight ways from up to 13 free places, towards every disc, towards its mirror image in the far cushion, and in
    eleven directions besides, it takes the one that meets an own man first, else an own man by that cushion, the queen,
    an opponent's man, the cushion only, and if nothing is left something that it may not hit; among equals the
    shortest. The way back from the cushion is not looked at.

    Parameters
    ----------
    turns : Turns

    Returns
    -------
    Choice
        x is NaN, and the speed 0, where no placement is free.
    """
    n, rows = len(turns), np.arange(len(turns))
    rays = _rays(turns)
    distance, hit = _first_hits(rays, turns.pos, turns.equipment)
    rank, goal = _ranks(turns, rays, distance, hit)
    # Classes are whole numbers, distances count for less than one: one number orders both.
    span = 2.0 * turns.equipment.side
    cost = np.where(rays.possible, rank + np.minimum(distance, span) / (2.0 * span), np.inf)
    best = np.argmin(cost, axis=1)
    room = np.isfinite(cost[rows, best])
    x, ahead_x, ahead_y, target, far, how = (
        np.where(room, column[rows, best], none)
        for column, none in (
            (rays.x, np.nan),
            (rays.unit_x, 0.0),
            (rays.unit_y, 1.0),
            (goal, -1),
            (distance, 0.0),
            (rank, _Class.NOTHING),
        )
    )
    slowed = 2.0 * turns.equipment.mu_surface * turns.equipment.gravity * np.minimum(far, span)
    speed = np.where(target >= 0, np.sqrt(HIT_SPEED * HIT_SPEED + slowed), ACROSS)
    speed = np.where(how == _Class.REBOUND, BACK, speed)
    # math, not NumPy: a row's last bit must not depend on the length of the array.
    angle = np.array([math.atan2(*unit) for unit in zip(ahead_y.tolist(), ahead_x.tolist(), strict=True)])
    return Choice(
        strokes=Strokes(x=x, angle=angle.reshape(n), speed=np.where(room, speed, 0.0)),
        kind=np.full(n, -1, np.int8),
        target=target.astype(np.int8),
        pocket=np.full(n, -1, np.int8),
        estimate=np.full(n, np.nan),
    )


def _ranks(
    turns: Turns, rays: _Rays, distance: FloatArray, hit: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Class of each way, and the disc that it is meant for, -1 = none; (n, m)."""
    rank = np.where(hit < 0, _Class.NOTHING, np.take_along_axis(_welcome(turns), np.maximum(hit, 0), axis=1))
    to_cushion = turns.equipment.side - turns.equipment.base_line_distance - turns.equipment.radius[STRIKER]
    own = turns.own[:, np.maximum(rays.rebound, 0)] & (rays.rebound >= 0)
    by_cushion = own & (distance * rays.unit_y > to_cushion)
    return np.where(by_cushion, _Class.REBOUND, rank), np.where(by_cushion, rays.rebound, hit)


def may_hit(pos: FloatArray, rules: RuleSet, equipment: Equipment) -> NDArray[np.bool_]:
    """Which discs the striker may hit before any cushion, (n, 20): those wholly beyond the front line, or all."""
    if rules.stroke.direct_hit == "any":
        return ~np.isnan(pos[:, :, 0])
    beyond: NDArray[np.bool_] = pos[:, :, 1] - equipment.radius > equipment.front_line_distance - equipment.side / 2
    return beyond


def _welcome(turns: Turns) -> NDArray[Any]:
    """Class of each disc as a first hit, (n, 20)."""
    welcome = np.where(turns.own, _Class.OWN, _Class.OTHER)
    welcome[:, QUEEN] = _Class.QUEEN
    allowed = may_hit(turns.pos, turns.rules, turns.equipment)
    return np.where(allowed, welcome, _Class.FORBIDDEN)


def _rays(turns: Turns) -> _Rays:
    """List the ways: from every place towards every disc and its image, and in the directions of the fan."""
    equipment = turns.equipment
    places, free = free_places(turns.pos, equipment, N_PLACES)
    first = np.argsort(~free, axis=1, kind="stable")[:, :N_PLACES]
    places, free = np.take_along_axis(places, first, axis=1), np.take_along_axis(free, first, axis=1)
    base = equipment.base_line_distance - equipment.side / 2
    discs = turns.pos[:, STRIKER + 1 :]
    images = discs.copy()
    images[:, :, 1] = equipment.side - 2.0 * equipment.radius[STRIKER] - discs[:, :, 1]
    goals = np.concatenate([discs, images], axis=1)[:, np.newaxis]
    to_x = goals[..., 0] - places[:, :, np.newaxis]
    to_y = np.broadcast_to(goals[..., 1] - base, to_x.shape)
    far = np.sqrt(to_x * to_x + to_y * to_y)
    with np.errstate(invalid="ignore"):  # a disc in the very place, which then is not free
        units = (to_x / far, to_y / far)
    n, m = places.shape
    both = [np.concatenate([u, np.broadcast_to(_FAN[:, i], (n, m, len(_FAN)))], axis=2) for i, u in enumerate(units)]
    possible = free[:, :, np.newaxis] & np.isfinite(both[0])
    ways = (n, m * possible.shape[2])
    x = np.broadcast_to(places[:, :, np.newaxis], possible.shape)
    rebound = np.full((m, possible.shape[2]), -1)
    rebound[:, discs.shape[1] : goals.shape[2]] = np.arange(STRIKER + 1, turns.pos.shape[1])
    unit_x, unit_y = (unit.reshape(ways) for unit in both)
    return _Rays(x.reshape(ways), unit_x, unit_y, possible.reshape(ways), rebound.ravel())


def _first_hits(rays: _Rays, pos: FloatArray, equipment: Equipment) -> tuple[FloatArray, NDArray[Any]]:
    """How far the striker goes to its first disc, inf = it meets none, and which one that is, -1 = none; (n, m)."""
    base = equipment.base_line_distance - equipment.side / 2
    nearest, hit = np.full(rays.x.shape, np.inf), np.full(rays.x.shape, -1, np.int64)
    for disc in range(STRIKER + 1, pos.shape[1]):
        to_x, to_y = pos[:, disc, :1] - rays.x, pos[:, disc, 1:] - base
        along, aside = to_x * rays.unit_x + to_y * rays.unit_y, to_y * rays.unit_x - to_x * rays.unit_y
        touch = equipment.radius[STRIKER] + equipment.radius[disc]
        with np.errstate(invalid="ignore"):
            way = np.where(along > 0.0, along - np.sqrt(touch * touch - aside * aside), np.inf)
        closer = way < nearest  # never where it passes by, which is NaN
        nearest, hit = np.where(closer, np.maximum(way, 0.0), nearest), np.where(closer, disc, hit)
    return nearest, hit
