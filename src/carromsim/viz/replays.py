"""The replay page: strokes that play in any browser, from one file, as the motion law says."""

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.drawing import DARK, LIGHT, Palette, style_sheet, svg_board
from carromsim.equipment import Equipment
from carromsim.studies.runs.reading import Run
from carromsim.tables.schemas import DISC_NAMES, POCKET_NAMES
from carromsim.trajectories import Trajectory
from carromsim.viz.page import asset, island, page
from carromsim_kernels.state import N_DISCS, FloatArray

if TYPE_CHECKING:
    from carromsim.studies.takes import Take

__all__ = ["Replay", "Scene", "player_css", "player_js", "replay"]

_UNITS = np.array([1e-7, 1e-6, 1e-6, 1e-5, 1e-5, 1e-4, 1e-3])
"""What one means in the page's whole numbers, by column of a knot [s, m, m/s, rad, rad/s]; unpack() in motion.js has
the same. A place is wrong by less than 0.005 mm between knots that are less than a second apart."""

_SUMS = [0, 1, 2, 5]
"""Columns that tell how much is added, which takes fewer digits: time, place and turn."""

_FRAME_HEIGHT = 760
"""Of the page inside a notebook [pixels]."""


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
    """

    trajectory: Trajectory
    title: str = ""
    meant: str = ""
    ruling: str = ""
    laws: Sequence[str] = ()
    score: str = ""
    board: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Replay:
    """Strokes to be looked at: in a notebook, as a page, an animation or a picture. Made by `replay`.

    Attributes
    ----------
    title : str
        Heading of the page.
    scenes : tuple of Scene
        The strokes, in order; all on equal boards.
    """

    title: str
    scenes: tuple[Scene, ...]

    def __len__(self) -> int:
        return len(self.scenes)

    def __getitem__(self, number: int) -> "Replay":
        """Take out one stroke, counted from 0."""
        scene = self.scenes[number]
        return Replay(title=f"{self.title}: {scene.title}" if scene.title else self.title, scenes=(scene,))

    def __repr__(self) -> str:
        return f"Replay({self.title!r}, {len(self)} stroke{'s' if len(self) > 1 else ''})"

    def html(self) -> str:
        """Give the whole page: one file, no network."""
        return page(self.title, self.fragment(), scripts=[player_js()], styles=[player_css()])

    def fragment(self) -> str:
        """Give the player alone, a ``<section>``, for a page that has `player_js` and `player_css` once."""
        first = self.scenes[0].trajectory
        there = np.array([any(len(scene.trajectory.knots[disc]) for scene in self.scenes) for disc in range(N_DISCS)])
        start = first.at(0.0)
        away = np.isnan(start[:, 0]) & there
        start[away] = 10.0 * first.equipment.side  # out of the picture, until a later stroke has them
        label = f"Board {first.equipment.name}; the events are listed beside it"
        return Template(asset("replay.html")).substitute(
            title=html.escape(self.title),
            board=svg_board(first.equipment, start, label=label),
            data=island(self._data(first.equipment), "replay-data"),
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write a file of the kind that its name ends in.

        Parameters
        ----------
        path : path
            ".html": the page, ".gif": an animation, ".png" or ".svg": a picture of all paths, from start to end.

        Returns
        -------
        Path

        Raises
        ------
        ValueError
            If the name ends otherwise, or several strokes are to go into one animation or picture.
        ImportError
            If a picture needs a library that is not installed.
        OSError
            If the file cannot be written.
        """
        from carromsim.viz.saving import save

        return save(self, path)

    def _repr_html_(self) -> str:
        """Embed the page in a notebook; the frame keeps it apart, and no server is asked."""
        content = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{content}" sandbox="allow-scripts" title="{html.escape(self.title)}" width="100%"'
            f' height="{_FRAME_HEIGHT}" style="border: 0"></iframe>'
        )

    def _data(self, equipment: Equipment) -> dict[str, Any]:
        """Give everything that the player knows, ready for JSON; lengths in mm."""
        middle = 1e3 * (equipment.side / 2 - equipment.pocket_offset)
        return {
            "discs": DISC_NAMES,
            "pockets": POCKET_NAMES,
            "radius": np.round(1e3 * equipment.radius, 3).tolist(),
            "holes": [[-middle, -middle], [middle, -middle], [middle, middle], [-middle, middle]],
            "strokes": [_told(scene, lying) for scene, lying in zip(self.scenes, _lying(self.scenes), strict=True)],
        }


def replay(
    what: "Run | Take | Trajectory | Iterable[Take | Trajectory]",
    row: int | None = None,
    *,
    board: int | None = None,
    stroke: int | None = None,
    title: str | None = None,
) -> Replay:
    """Make strokes ready to be looked at.

    Parameters
    ----------
    what : Run, Take, Trajectory, or several of the latter two
        A run with `row`, or what a study's or run's `takes` gave, or what `follow` gave. Several are strokes in order.
    row : int, optional
        Which row of the run.
    board : int, optional
        Which board of a match, from 0; default: all.
    stroke : int, optional
        Show only this one of them, from 0.
    title : str, optional
        Heading; default: made from the run, or from the first stroke.

    Returns
    -------
    Replay

    Raises
    ------
    ValueError
        If there is no such row, board or stroke, a stroke has no outcome, or the strokes' boards differ.
    """
    takes: list[Take | Trajectory]
    if isinstance(what, Run):
        if row is None:
            raise ValueError("row = None: must be given, a run has many")
        takes = list(what.takes(row, board))
        word = {"board": "board", "match": "match"}.get(what.study.kind, "row")
        place = f"{word} {row} of {what.name}" + ("" if board is None else f", board {board}")
    elif row is not None or board is not None:
        raise ValueError(f"row = {row}, board = {board}: are for runs only")
    else:
        takes, place = list(what) if isinstance(what, Iterable) else [what], ""
    if not takes:
        raise ValueError("there is no stroke to look at")
    if stroke is not None and not 0 <= stroke < len(takes):
        raise ValueError(f"stroke = {stroke}: must be from 0 to {len(takes) - 1}")
    scenes = tuple(_scene(take, number) for number, take in enumerate(takes) if stroke in (None, number))
    _check_boards(scenes)
    if title is None and len(scenes) == 1:
        title = ", ".join(filter(None, (scenes[0].title, place)))
    return Replay(title=title or place[:1].upper() + place[1:] or f"{len(scenes)} strokes", scenes=scenes)


def player_js() -> str:
    """Give the script that a page with replays needs once."""
    return f'(() => {{\n"use strict";\n{asset("motion.js")}\n{asset("player.js")}}})();\n'


def player_css() -> str:
    """Give the style sheet that a page with replays needs once."""
    dark = f"@media screen and (prefers-color-scheme: dark) {{\n{_painted(DARK)}\n}}\n"
    return f"{asset('player.css')}{_painted(LIGHT)}\n{dark}"


def _painted(palette: Palette) -> str:
    """Give the rules for boards, trails and marks in some colours."""
    rules = [style_sheet(palette, ".replay")]
    for kind in ("striker", "queen", "white", "black"):
        rules.append(f".replay-trail.c-{kind}{{fill:none;stroke:{getattr(palette, kind)}}}")
    rules.append(f".replay-casing{{fill:none;stroke:{palette.disc_edge}}}")
    rules.append(f".replay-aim,.replay-mark{{fill:none;stroke:{palette.mark}}}")
    return "".join(rules)


def _scene(take: "Take | Trajectory", number: int) -> Scene:
    if isinstance(take, Trajectory):
        return Scene(trajectory=take, title=f"Stroke {number}")
    return Scene(
        trajectory=take.follow(),
        title=take.title,
        meant=take.meant,
        ruling=take.ruling,
        laws=take.laws,
        score=take.score,
        board=take.board,
    )


def _check_boards(scenes: Sequence[Scene]) -> None:
    """Refuse strokes that are not played on boards which look the same."""

    def looks(scene: Scene) -> tuple[str, list[float]]:
        equipment = scene.trajectory.equipment
        return svg_board(equipment), equipment.radius.tolist()

    first = looks(scenes[0])
    for number, scene in enumerate(scenes[1:], 1):
        if looks(scene) != first:
            names = scenes[0].trajectory.equipment.name, scene.trajectory.equipment.name
            raise ValueError(f"stroke {number} is played on another board than stroke 0: {names[1]!r}, {names[0]!r}")


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
    return [
        ("Striker at", f"{1e3 * x:+.1f} mm"),
        ("Direction", f"{math.degrees(angle):.2f}\N{DEGREE SIGN}"),
        ("Speed", f"{speed:.3g} m/s"),
        ("Spin", f"{spin:.3g} rad/s"),
        ("Seat", f"{seat} ({('bottom', 'right', 'top', 'left')[seat]})"),
        ("Lasts", f"{trajectory.duration:.3f} s"),
        ("Hits of discs", str(int(out.n_disc_hits[0]))),
        ("Hits of the frame", str(int(out.n_cushion_hits[0]))),
        ("Pocketed", pocketed or "nothing"),
    ]


def _packed(knots: FloatArray) -> list[int]:
    """Write knots (k, 7) as whole numbers, row after row."""
    whole = np.rint(knots / _UNITS).astype(np.int64)
    whole[1:, _SUMS] = np.diff(whole[:, _SUMS], axis=0)
    numbers: list[int] = whole.ravel().tolist()
    return numbers
