"""What can be wrong with a layout: positions that are none, discs beyond the frame, discs that overlap."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.equipment import N_DISCS, STRIKER, Equipment, disc_name
from carromsim_kernels.state import FloatArray, IntArray, Tolerances

__all__ = ["beyond_frame", "faults"]

ACCEPTED_OVERLAP = Tolerances().start_overlap
"""The start of a stroke accepts what the end of one may leave [m]."""


def faults(pos: FloatArray, equipment: Equipment, striker: bool) -> Iterator[tuple[IntArray, Callable[[int], str]]]:
    """Yield for each disc and pair with which something is wrong the rows, and what describes it for a row."""
    first = 0 if striker else STRIKER + 1
    radius = equipment.radius
    x, y = pos[..., 0], pos[..., 1]
    unreal = ~(np.isfinite(x) & np.isfinite(y)) & ~(np.isnan(x) & np.isnan(y))
    beyond = beyond_frame(pos, radius, equipment)
    outside = (beyond > ACCEPTED_OVERLAP) & np.isfinite(beyond)
    for i in range(first, N_DISCS):
        if unreal[:, i].any():
            yield _unreal(i, pos[:, i], unreal[:, i])
        if outside[:, i].any():
            yield _outside(i, pos[:, i], beyond[:, i], outside[:, i], equipment)
    for i in range(first, N_DISCS - 1):
        apart = pos[:, i + 1 :] - pos[:, i, np.newaxis]
        overlap = radius[i] + radius[i + 1 :] - np.sqrt(apart[..., 0] ** 2 + apart[..., 1] ** 2)
        for j in np.flatnonzero((overlap > ACCEPTED_OVERLAP).any(axis=0)).tolist():
            yield _overlapping(i, i + 1 + j, overlap[:, j])


def _unreal(disc: int, centre: FloatArray, wrong: NDArray[np.bool_]) -> tuple[IntArray, Callable[[int], str]]:
    return (
        np.flatnonzero(wrong),
        lambda row: (
            f"{disc_name(disc)} at ({centre[row, 0]}, {centre[row, 1]}): both coordinates must be finite, or both NaN"
        ),
    )


def _outside(
    disc: int, centre: FloatArray, beyond: FloatArray, wrong: NDArray[np.bool_], equipment: Equipment
) -> tuple[IntArray, Callable[[int], str]]:
    limit = equipment.side / 2 - equipment.radius[disc]
    corners = "" if equipment.corner == "right_angled" else f" within the {equipment.corner.replace('_', '-')} corners"
    return (
        np.flatnonzero(wrong),
        lambda row: (
            f"{disc_name(disc)} lies {beyond[row] * 1e3:.3g} mm outside the board: its centre is at"
            f" ({centre[row, 0]:g}, {centre[row, 1]:g}) m, allowed are |x|, |y| <= {limit:g} m{corners}"
        ),
    )


def beyond_frame(centre: FloatArray, radius: ArrayLike, equipment: Equipment) -> FloatArray:
    """How far a disc is beyond where the frame keeps its centre, (..., 2) -> (...) [m]; negative inside."""
    across, half, radius = np.abs(centre), equipment.side / 2, np.asarray(radius)
    beyond: FloatArray = across.max(axis=-1) - (half - radius)
    if equipment.corner == "rounded":
        room = equipment.corner_size - radius
        round_ = across - (half - equipment.corner_size)
        in_corner = (round_.min(axis=-1) > 0.0) & (room > 0.0)
        beyond = np.where(in_corner, np.sqrt((round_**2).sum(axis=-1)) - room, beyond)
    elif equipment.corner == "cut_away":
        piece = (across.sum(axis=-1) - (2.0 * half - equipment.corner_size)) / math.sqrt(2.0) + radius
        beyond = np.maximum(beyond, piece)
    return beyond


def _overlapping(i: int, j: int, overlap: FloatArray) -> tuple[IntArray, Callable[[int], str]]:
    return (
        np.flatnonzero(overlap > ACCEPTED_OVERLAP),
        lambda row: (
            f"{disc_name(i)} and {disc_name(j)} overlap by {overlap[row] * 1e3:.3g} mm"
            f" (accepted are {ACCEPTED_OVERLAP * 1e3:g} mm)"
        ),
    )
