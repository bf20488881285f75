"""Strokes as the player in the page knows them: numbers and words, ready for JSON."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carromsim.drawing import FALL_SECONDS, pocket_centres
from carromsim.equipment import Equipment
from carromsim.tables.schemas import DISC_NAMES, POCKET_NAMES
from carromsim.trajectories import Trajectory
from carromsim_kernels.state import N_DISCS, FloatArray

__all__ = ["Scene", "told_scenes"]

_UNITS = np.array([1e-7, 1e-6, 1e-6, 1e-5, 1e-5, 1e-4, 1e-3])
"""What one means in the page's whole numbers, by column of a knot [s, m, m/s, rad, rad/s]; unpack() in motion.js has
the same. A place is wrong by less than 0.01 mm between knots that are less than a second apart."""

_SUMS = [0, 1, 2, 5]
"""Columns that tell how much is added, which takes fewer digits: time, place and turn."""

_SEATS = ("bottom", "right", "top", "left")


@dataclass(frozen=True, kw_only=True, eq=False)
class Scene:
    """One stroke of a replay, with what is said about it; text may be empty.

    Attributes
    ----------
    trajectory : Trajectory
    title, meant, ruling, score : str
        What the stroke is called, what it was meant to do, what was ruled, how it stood then.
    laws : sequence of str
        The laws that decided.
    board : int
        Scenes of one board follow one another: what fell in an earlier one lies beside the board.
    number : int
        Of the stroke within its board, from 0.
    """

    trajectory: Trajectory
    title: str = ""
    meant: str = ""
    ruling: str = ""
    laws: Sequence[str] = ()
    score: str = ""
    board: int = 0
    number: int = 0


def told_scenes(scenes: Sequence[Scene], equipment: Equipment) -> dict[str, Any]:
    """Give everything that the player knows, ready for JSON; lengths in mm."""
    told = [
        _told(scene, lying) | {"place": place}
        for scene, lying, place in zip(scenes, _lying(scenes), _places(scenes), strict=True)
    ]
    return {
        "discs": DISC_NAMES,
        "pockets": POCKET_NAMES,
        "radius": np.round(1e3 * equipment.radius, 3).tolist(),
        "holes": np.round(1e3 * pocket_centres(equipment), 6).tolist(),
        "fallSeconds": FALL_SECONDS,
        "strokes": told,
    }


def _places(scenes: Sequence[Scene]) -> list[str]:
    """Say which stroke each scene is, among those of its board that are here; as tables count them, from 0."""
    boards: dict[int, list[int]] = {}
    for scene in scenes:
        boards.setdefault(scene.board, []).append(scene.number)
    return [
        (f"Board {scene.board}, stroke" if len(boards) > 1 else "Stroke")
        + f" {scene.number} of {min(boards[scene.board])} to {max(boards[scene.board])}"
        for scene in scenes
    ]


def _lying(scenes: Sequence[Scene]) -> list[list[int]]:
    """Tell for each scene which pocket (-1: none) each disc fell into before it, as far as it has not come back."""
    found, pockets, board = [], np.full(N_DISCS, -1), None
    for scene in scenes:
        if scene.board != board:
            pockets, board = np.full(N_DISCS, -1), scene.board
        there = np.array([len(knots) > 0 for knots in scene.trajectory.knots])
        found.append(np.where(there, -1, pockets).tolist())
        fell = scene.trajectory.outcome.pocket[0]
        pockets = np.where(there, fell, pockets)
    return found


def _told(scene: Scene, lying: list[int]) -> dict[str, Any]:
    """Give one stroke, ready for JSON."""
    trajectory = scene.trajectory
    out, events = trajectory.outcome, trajectory.events
    times = np.rint(events["t"] / _UNITS[0]).astype(np.int64)
    _, velocity = trajectory.strokes.start(trajectory.equipment)
    return {
        "title": scene.title,
        "meant": scene.meant,
        "ruling": scene.ruling,
        "laws": list(scene.laws),
        "score": scene.score,
        "facts": _facts(trajectory),
        "duration": round(trajectory.duration, 7),
        "velocity": np.round(velocity.reshape(2), 4).tolist(),
        "pocket": out.pocket[0].tolist(),
        "overboard": np.flatnonzero(out.overboard[0]).tolist(),
        "lying": lying,
        "events": np.column_stack([times, events["kind"], events["a"], events["b"]]).tolist(),
        "knots": [_packed(knots) for knots in trajectory.knots],
    }


def _facts(trajectory: Trajectory) -> list[tuple[str, str]]:
    """Tell how the stroke was played and what came of it, in the units that people read."""
    strokes, out = trajectory.strokes, trajectory.outcome
    x, angle, speed, spin = (float(getattr(strokes, name)[0]) for name in ("x", "angle", "speed", "spin"))
    seat = int(strokes.seat[0])
    fell = sorted(np.flatnonzero(out.pocket[0] >= 0).tolist(), key=lambda disc: float(out.pocket_time[0, disc]))
    pocketed = ", ".join(f"{DISC_NAMES[disc]} ({POCKET_NAMES[out.pocket[0, disc]]})" for disc in fell)
    off = ", ".join(DISC_NAMES[disc] for disc in np.flatnonzero(out.overboard[0]).tolist())
    seen = ", as the player sees it" if seat else ""  # the board as it is drawn is what the player of seat 0 sees
    return [
        ("Striker at", f"{1e3 * x:+.1f} mm{seen}"),
        ("Direction", f"{math.degrees(angle):.2f}\N{DEGREE SIGN}{seen}"),
        ("Speed", f"{speed:.3g} m/s"),
        ("Spin", f"{spin:.3g} rad/s"),
        ("Seat", f"{seat} ({_SEATS[seat]})"),
        ("Lasts", f"{trajectory.duration:.3f} s"),
        ("Hits of discs", str(int(out.n_disc_hits[0]))),
        ("Hits of the frame", str(int(out.n_cushion_hits[0]))),
        ("Pocketed", pocketed or "nothing"),
        *((("Overboard", off),) if off else ()),
    ]


def _packed(knots: FloatArray) -> list[int]:
    """Write knots (k, 7) as whole numbers, row after row."""
    whole = np.rint(knots / _UNITS).astype(np.int64)
    whole[1:, _SUMS] = np.diff(whole[:, _SUMS], axis=0)
    numbers: list[int] = whole.ravel().tolist()
    return numbers
