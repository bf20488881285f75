"""The replay page: strokes that play in any browser, from one file, as the motion law says."""

import html
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from carromsim.drawing import DARK, LIGHT, Palette, style_sheet, svg_board
from carromsim.play.setup import STROKES_OF_A_BOARD
from carromsim.studies.runs.reading import Run
from carromsim.studies.takes import Take
from carromsim.trajectories import Trajectory
from carromsim.viz.page import asset, island, page
from carromsim.viz.scenes import Scene, told_scenes
from carromsim_kernels.state import N_DISCS

__all__ = ["Replay", "Scene", "player_css", "player_js", "replay"]

_FRAME_HEIGHT = 1100
"""Of the page inside a notebook [pixels]: the board, its controls and what is told of a stroke below it."""


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
        if isinstance(number, slice):
            raise TypeError(f"number = {number}: must be a whole number; for several strokes give replay() those alone")
        scene = self.scenes[number]
        return Replay(title=f"{self.title}: {scene.title}" if scene.title else self.title, scenes=(scene,))

    def __repr__(self) -> str:
        return f"Replay({self.title!r}, {len(self)} stroke{'s' if len(self) > 1 else ''})"

    def html(self) -> str:
        """Give the whole page: one file, no network."""
        return page(self.title, self.fragment(), scripts=[player_js()], styles=[player_css()])

    def fragment(self, heading: int = 2) -> str:
        """Give the player alone, a ``<section>``, for a page that has `player_js` and `player_css` once.

        Parameters
        ----------
        heading : int
            Level of the headings in it, one below that of the heading which it stands under.
        """
        first = self.scenes[0].trajectory
        there = np.array([any(len(scene.trajectory.knots[disc]) for scene in self.scenes) for disc in range(N_DISCS)])
        start = first.at(0.0)
        away = np.isnan(start[:, 0]) & there
        start[away] = 10.0 * first.equipment.side  # out of the picture, until a later stroke has them
        data = told_scenes(self.scenes, first.equipment)
        many = len(self) > 1
        return Template(asset("replay.html")).substitute(
            title=html.escape(self.title),
            level=heading,
            css_class="replay has-strokes" if many else "replay",
            hidden="" if many else " hidden",
            board=svg_board(
                first.equipment, start, label=f"Board {first.equipment.name}; the events are listed beside it"
            ),
            stroke=_stroke_html(data["strokes"][0], heading, named=many),
            strokes="\n".join(map(_item_html, data["strokes"])) if many else "",
            data=island(data, "replay-data"),
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


def replay(
    what: Run | Take | Trajectory | Iterable[Take | Trajectory],
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
    TypeError
        If `what` is something else.
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
        takes, place = _listed(what), ""
    if not takes:
        raise ValueError("there is no stroke to look at")
    chosen = _checked_stroke(stroke, len(takes))
    numbered = enumerate(zip(takes, _numbers(takes), strict=True))
    scenes = tuple(_scene(take, number) for place_in, (take, number) in numbered if chosen in (None, place_in))
    _check_boards(scenes)
    if title is None and len(scenes) == 1:
        title = ", ".join(filter(None, (scenes[0].title, place)))
    return Replay(title=title or place[:1].upper() + place[1:] or f"{len(scenes)} strokes", scenes=scenes)


def player_js() -> str:
    """Give the script that a page with replays needs once."""
    code = "\n".join(map(asset, ("motion.js", "picture.js", "player.js")))
    return f'(() => {{\n"use strict";\n{code}}})();\n'


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


def _stroke_html(told: dict[str, Any], heading: int, *, named: bool) -> str:
    """Write the words of the stroke that is shown; the player puts those of another in their place."""
    title = html.escape(told["title"]) if named else ""
    lines = [f'<h{heading} class="replay-title" data-part="title">{title}</h{heading}>']
    said = {**told, "laws": ", ".join(told["laws"])}
    for name in ("meant", "ruling", "laws", "score"):
        text = html.escape(said[name])
        label = f'<span class="replay-label">{name.capitalize()}</span>'
        lines.append(f'<p{"" if text else " hidden"}>{label} <span data-part="{name}">{text}</span></p>')
    facts = (f"<div><dt>{name}</dt><dd>{html.escape(value)}</dd></div>" for name, value in told["facts"])
    return "\n".join((*lines, f'<dl data-part="facts">{"".join(facts)}</dl>'))


def _item_html(told: dict[str, Any]) -> str:
    """Write one stroke of the list; the player makes a button of it."""
    ruled = " \N{MIDDLE DOT} ".join(filter(None, (told["ruling"], ", ".join(told["laws"]))))
    rest = (f"<span>{html.escape(text)}</span>" for text in (told["meant"], ruled, told["score"]) if text)
    return f'<li><span class="replay-name">{html.escape(told["title"])}</span>{"".join(rest)}</li>'


def _listed(what: object) -> list[Take | Trajectory]:
    """Give what is to be shown as a list; TypeError if it is nothing that has strokes."""
    several = isinstance(what, Iterable) and not isinstance(what, str)
    found: Iterable[object] = what if isinstance(what, Iterable) and several else [what]
    takes: list[Take | Trajectory] = []
    for number, take in enumerate(found):
        if not isinstance(take, Take | Trajectory):
            name = f"what[{number}]" if several else "what"
            allowed = "a Run (see open_run), Takes (its takes), Trajectories (see follow)"
            raise TypeError(f"{name} is of type {type(take).__name__}: must be {allowed}")
        takes.append(take)
    return takes


def _checked_stroke(stroke: object, strokes: int) -> int | None:
    """Give the place of the stroke that alone is to be shown; None: all."""
    if stroke is None:
        return None
    try:
        number = -1 if isinstance(stroke, bool | np.bool_) else operator.index(stroke)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if not 0 <= number < strokes:
        raise ValueError(f"stroke = {stroke!r}: must be from 0 to {strokes - 1}, a whole number")
    return number


def _numbers(takes: Sequence[Take | Trajectory]) -> list[int]:
    """Give strokes the numbers that tables have, or those of their order here if these do not tell them apart."""
    found = [(take.board, take.stroke % STROKES_OF_A_BOARD) for take in takes if isinstance(take, Take)]
    if len(set(found)) == len(takes):
        return [number for _, number in found]
    return list(range(len(takes)))


def _scene(take: Take | Trajectory, number: int) -> Scene:
    if isinstance(take, Trajectory):
        return Scene(trajectory=take, title=f"Stroke {number}", number=number)
    return Scene(
        trajectory=take.follow(),
        title=take.title,
        meant=take.meant,
        ruling=take.ruling,
        laws=take.laws,
        score=take.score,
        board=take.board,
        number=number,
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
