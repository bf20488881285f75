"""The strokes worth considering in a position: where to stand, which way, how fast, and with what chance."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import N_DISCS, Equipment
from carromsim.players.turns import Turns
from carromsim.strokes import legal_intervals, snap_to_end_circle
from carromsim_kernels.aim import aim_batch
from carromsim_kernels.aim_records import AIM, CANDIDATE, NO_CANDIDATE, AimKind
from carromsim_kernels.laws import DirectHit
from carromsim_kernels.state import FloatArray

__all__ = ["CANDIDATE", "NO_CANDIDATE", "PLACES", "AimKind", "candidates", "places"]

PLACES = 17
"""Places of the striker that are looked at between the end circles; a guess at what is enough."""

_LEAST_SD_X, _LEAST_SD_ANGLE, _LEAST_SD_SPEED = 1e-4, math.radians(0.1), 0.01
"""A hand without error is taken for one with these, so that of sure strokes the one with most room comes first."""
_FIRM = 1.5
"""An end circle is covered for sure by a hand that misplaces the striker by so many standard deviations."""
_FLAT_RATTLE = 0.8
"""A disc along the cushion rattles out at about this part of the speed at which one straight into the pocket does."""


def places(equipment: Equipment, n: int = PLACES) -> FloatArray:
    """Give places for the striker that are legal, (m,) float64 ascending [m]: n in the middle, and the end circles.

    Parameters
    ----------
    equipment : Equipment
    n : int
        At least 2.

    Raises
    ------
    ValueError
        If the equipment leaves no legal place.
    """
    intervals = legal_intervals(equipment)
    if len(intervals) == 0:
        raise ValueError(f"equipment {equipment.name!r} leaves no legal place for the striker")
    found = [
        np.linspace(low, high, n) if low <= 0.0 <= high else snap_to_end_circle([0.5 * (low + high)], equipment)
        for low, high in intervals
    ]
    return np.concatenate(found)


def candidates(turns: Turns, wanted: ArrayLike, k: int = 1) -> NDArray[np.void]:
    """Find the best strokes of each row, by the chance that a disc falls and by what that is worth.

    Parameters
    ----------
    turns : Turns
        n positions. Of the rules only `stroke.direct_hit` matters.
    wanted : (n, 20) float
        What it is worth if a disc falls by this stroke; 0 or less: not wanted. The striker's entry does not matter.
    k : int
        How many to give per row, at least 1: of each disc, pocket, kind and disc between, the best stroke only.

    Returns
    -------
    (n, k) array of `CANDIDATE`
        The best `value` first; `kind` is -1 where there are fewer. Each is a legal stroke from a place where the
        striker touches no disc. A row depends on nothing but its own position.

    Raises
    ------
    ValueError
        If `wanted` has another shape or is not finite, or `k` is no whole number of at least 1.
    """
    worth = np.array(wanted, dtype=np.float64, order="C")
    if worth.shape != (len(turns), N_DISCS):
        raise ValueError(f"wanted has shape {worth.shape}: must be {(len(turns), N_DISCS)}")
    if not np.isfinite(worth).all():
        raise ValueError(f"wanted has {worth[~np.isfinite(worth)][0]}: must be finite numbers")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k = {k!r}: must be a whole number of at least 1")
    best = np.zeros((len(turns), int(k)), CANDIDATE)
    aim_batch(_search(turns), np.array(turns.pos, dtype=np.float64, order="C"), worth, best.view(np.recarray))
    return best


def _search(turns: Turns) -> "np.recarray[tuple[int], np.dtype[np.record]]":
    """Make the record that the kernels work on."""
    equipment, skill = turns.equipment, turns.skill
    where = places(equipment)
    take, fastest = _pocket_limits(equipment)
    values = {
        "half_side": equipment.side / 2,
        "pocket_centre": equipment.side / 2 - equipment.pocket_offset,
        "front_line": equipment.front_line_distance - equipment.side / 2,
        "base_line": equipment.base_line_distance - equipment.side / 2,
        "mu_g": equipment.mu_surface * equipment.gravity,
        "stick_disc": (1.0 + equipment.beta_disc) / 3.0,
        "stick_cushion": (1.0 + equipment.beta_cushion) / 3.0,
        "sd_angle": max(skill.sd_angle, _LEAST_SD_ANGLE),
        "sd_speed": max(skill.sd_speed, _LEAST_SD_SPEED),
        "sd_spin": skill.sd_spin,
        "direct_hit": DirectHit[turns.rules.stroke.direct_hit.upper()],
        "n_places": len(where),
        "radius": equipment.radius,
        "mass": equipment.mass,
        "catch": take,
        "fastest": fastest,
    }
    values |= {name: getattr(equipment, name) for name in _COEFFICIENTS}
    search = np.zeros(1, AIM).view(np.recarray)
    for name, value in values.items():
        search[name][0] = value
    search["place"][0, : len(where)] = where
    search["sd_place"][0, : len(where)] = _scatter_at(where, max(skill.sd_x, _LEAST_SD_X), equipment)
    return search


def _scatter_at(where: FloatArray, sd_x: float, equipment: Equipment) -> FloatArray:
    """Give the standard deviation of the striker's place: on an end circle it is centred, however it was put there."""
    firm = np.ones(len(where), bool)
    for off in (-_FIRM * sd_x, _FIRM * sd_x):
        firm &= snap_to_end_circle(where + off, equipment) == where
    return np.where(firm, _LEAST_SD_X, sd_x)


_COEFFICIENTS = ("e_disc", "v_c_disc", "mu_disc", "e_cushion", "v_c_cushion", "mu_cushion")


def _pocket_limits(equipment: Equipment) -> tuple[FloatArray, FloatArray]:
    """Give how far aside of a pocket's centre a disc may pass, and how fast it may be there, (20,) each [m], [m/s].

    It has to stay beyond the limit for the time of its fall. One that passes so near the centre that it meets the frame
    behind does, unless it is fast.
    """
    capture = equipment.capture_radius
    fall_time = math.sqrt(2.0 * equipment.fall_height / equipment.gravity)
    room = np.maximum(equipment.pocket_offset - equipment.radius, 0.0)
    half_chord = np.minimum(room, capture)
    take = np.sqrt(np.maximum(capture**2 - half_chord**2, 0.0))
    if fall_time == 0.0:
        return capture, np.full(N_DISCS, np.inf)
    there_and_back = (capture + room) * (1.0 + 1.0 / max(equipment.e_cushion, 0.1))
    return take, _FLAT_RATTLE * there_and_back / fall_time
