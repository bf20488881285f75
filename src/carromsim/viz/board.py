"""Boards, strokes and their ends on matplotlib axes, in metres."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.drawing.palette import Palette, palette_of
from carromsim.drawing.shapes import Disk, Shape, board_shapes, disc_shapes, half_width, kind_of, pointer
from carromsim.drawing.svg import told_discs
from carromsim.equipment import STRIKER, Equipment
from carromsim.viz.matplotlib_here import axes_or_new, need_matplotlib
from carromsim_kernels.state import N_DISCS, EventKind, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.layouts import Layout
    from carromsim.trajectories import Trajectory

__all__ = ["draw_before_after", "draw_position", "draw_shapes", "draw_trajectory"]

_BOARD, _GHOSTS, _PATHS, _DISCS, _EVENTS = range(1, 6)
"""What lies over what."""

_PIECES = 8
"""Straight pieces that a path has between two of its knots."""

_MARKS: dict[EventKind, tuple[str, str]] = {
    EventKind.DISC_HIT: ("o", "two discs hit"),
    EventKind.CUSHION_HIT: ("s", "a disc hits the frame"),
    EventKind.POCKETING: ("X", "a disc falls"),
    EventKind.STOP: ("+", "a disc stops"),
    EventKind.OVERBOARD: ("^", "a disc leaves the board"),
}
"""Marker and meaning of events."""


def draw_position(
    layout: "Layout", *, equipment: Equipment | str = "icf", ax: "Axes | None" = None, theme: str = "light"
) -> "Axes":
    """Draw where the discs lie.

    Parameters
    ----------
    layout : Layout
        A single one.
    equipment : Equipment or str
        Or the name of a preset.
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.
    theme : {"light", "dark"}

    Returns
    -------
    matplotlib.axes.Axes
        In metres, in the board's frame, without ticks.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    board = Equipment.of(equipment)
    if layout.n != 1:
        raise ValueError(f"layout has {layout.n} rows: a picture shows one, such as Layout(layout.pos[0])")
    palette = palette_of(theme)
    ax = axes_or_new(ax, palette.paper)
    _draw_board(ax, board, palette)
    draw_shapes(ax, disc_shapes(layout.pos.reshape(N_DISCS, 2), board), palette, _DISCS)
    return ax


def draw_shapes(ax: "Axes", shapes: Iterable[Shape], palette: Palette, zorder: float) -> None:
    """Fill shapes, the later ones over the earlier ones."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, Patch, PathPatch
    from matplotlib.path import Path

    patches: list[Patch] = []
    colours = []
    for shape in shapes:
        colours.append(getattr(palette, shape.role))
        if isinstance(shape, Disk):
            patches.append(Circle(shape.centre, shape.radius))
            continue
        path = Path(np.vstack([shape.points, shape.points[:1]]), closed=True)
        if shape.hole is not None:  # the other way round, so that it stays empty
            inside = shape.hole[::-1]
            path = Path.make_compound_path(path, Path(np.vstack([inside, inside[:1]]), closed=True))
        patches.append(PathPatch(path))
    drawn = PatchCollection(patches, facecolors=colours, linewidths=0, zorder=zorder)
    drawn.set_snap(False)  # painted lines may be thinner than a pixel: rounded to whole pixels, they would vanish
    ax.add_collection(drawn, autolim=False)


def _draw_board(ax: "Axes", equipment: Equipment, palette: Palette) -> None:
    """Draw the empty board and fit the axes to it."""
    draw_shapes(ax, board_shapes(equipment), palette, _BOARD)
    edge = half_width(equipment)
    ax.set(xlim=(-edge, edge), ylim=(-edge, edge), aspect="equal")
    ax.set_axis_off()


def draw_trajectory(
    trajectory: "Trajectory", *, ax: "Axes | None" = None, theme: str = "light", events: bool = True
) -> "Axes":
    """Draw the way of every disc, where it began (hollow) and where it lies at the end (full).

    Parameters
    ----------
    trajectory : Trajectory
    ax : matplotlib.axes.Axes, optional
        Default: those of a new figure.
    theme : {"light", "dark"}
    events : bool
        Mark hits, falls and stops.

    Returns
    -------
    matplotlib.axes.Axes
        In metres, in the board's frame, without ticks, with a legend below.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    palette = palette_of(theme)
    ax = axes_or_new(ax, palette.paper)
    board = trajectory.equipment
    _draw_board(ax, board, palette)
    draw_shapes(ax, disc_shapes(trajectory.outcome.pos[0], board), palette, _DISCS)
    handles = _draw_paths(ax, trajectory, palette)
    if events:
        handles |= _draw_events(ax, trajectory, palette)
    legend = ax.legend(
        handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4, fontsize="small",
        frameon=False, labelcolor=palette.ink,
    )  # fmt: skip
    legend.set_zorder(_EVENTS)
    return ax


def _draw_paths(ax: "Axes", trajectory: "Trajectory", palette: Palette) -> dict[str, Any]:
    """Draw the ways and the beginnings of the discs that moved; give one line of each kind for the legend."""
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    handles = {}
    for disc, way in enumerate(_ways(trajectory)):
        if len(way) < 2:
            continue
        kind = kind_of(disc)
        colour, rim = getattr(palette, kind), getattr(palette, f"{kind}_ring")
        around = [withStroke(linewidth=3.0, foreground=rim)]
        (line,) = ax.plot(*way.T, color=colour, linewidth=1.4, path_effects=around, zorder=_PATHS)
        handles[kind] = line
        begin = Circle(way[0], float(trajectory.equipment.radius[disc]), fill=False, edgecolor=colour, linewidth=1.2)
        begin.set(path_effects=[withStroke(linewidth=2.4, foreground=rim)], zorder=_GHOSTS)
        ax.add_patch(begin)
    return handles


def _ways(trajectory: "Trajectory") -> list[FloatArray]:
    """Give the points of each disc's way, (k, 2) [m]: one if it never moves, none if it is not there."""
    times = np.unique(np.concatenate([knots[:, 0] for knots in trajectory.knots]))
    between = times[:-1, np.newaxis] + np.diff(times)[:, np.newaxis] * np.arange(_PIECES) / _PIECES
    fine = np.append(between, times[-1:])
    places = trajectory.at(fine)
    ways = []
    for disc, knots in enumerate(trajectory.knots):
        if len(knots) < 2:
            ways.append(knots[:, 1:3])
            continue
        before = (fine >= knots[0, 0]) & (fine < knots[-1, 0])
        ways.append(np.vstack([places[before, disc], knots[-1:, 1:3]]))
    return ways


def _draw_events(ax: "Axes", trajectory: "Trajectory", palette: Palette) -> dict[str, Any]:
    """Mark the events; give one mark of each kind for the legend."""
    handles = {}
    for kind, (marker, meaning) in _MARKS.items():
        chosen = trajectory.events[trajectory.events["kind"] == kind]
        if len(chosen):
            x, y = _places(trajectory, chosen).T
            handles[meaning] = ax.scatter(
                x, y, s=16, marker=marker, c=palette.mark, linewidths=0.8 if marker == "+" else 0.4,
                edgecolors=None if marker == "+" else palette.paper, zorder=_EVENTS,
            )  # fmt: skip
    return handles


def _places(trajectory: "Trajectory", events: Any) -> FloatArray:
    """Give where events happen, (k, 2) [m]: where two discs touch, else at the disc's centre."""
    radius = trajectory.equipment.radius
    places = np.empty((len(events), 2))
    for index, event in enumerate(events):
        here = _place_of(trajectory, event["a"], event["t"])
        if event["kind"] == EventKind.DISC_HIT:
            a, b = radius[event["a"]], radius[event["b"]]
            here = (b * here + a * _place_of(trajectory, event["b"], event["t"])) / (a + b)
        places[index] = here
    return places


def _place_of(trajectory: "Trajectory", disc: int, t: float) -> FloatArray:
    """Give where a disc is, (2,) [m]; at its end and later where it ended."""
    last = trajectory.knots[disc][-1]
    place: FloatArray = last[1:3] if t >= last[0] else trajectory.at(t)[disc]
    return place


def draw_before_after(
    trajectory: "Trajectory", *, axes: "Iterable[Axes] | None" = None, theme: str = "light"
) -> "tuple[Axes, Axes]":
    """Draw the position before the stroke, with an arrow at the striker, and beside it the one after.

    Parameters
    ----------
    trajectory : Trajectory
    axes : two matplotlib.axes.Axes, optional
        Default: those of a new figure.
    theme : {"light", "dark"}

    Returns
    -------
    before, after : matplotlib.axes.Axes
        In metres, in the board's frame, without ticks.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    need_matplotlib()
    palette, board = palette_of(theme), trajectory.equipment
    if axes is None:
        import matplotlib.pyplot as plt

        figure, new = plt.subplots(1, 2, figsize=(9.6, 5.2), layout="constrained")
        figure.set_facecolor(palette.paper)
        axes = new
    before, after = axes
    start = np.array([knots[0, 1:3] if len(knots) else (np.nan, np.nan) for knots in trajectory.knots])
    for ax, pos in ((before, start), (after, trajectory.outcome.pos[0])):
        _draw_board(ax, board, palette)
        draw_shapes(ax, disc_shapes(pos, board), palette, _DISCS)
        ax.set_anchor("N")  # else room that is left above is taken for the title's when the figure is laid out
    _, velocity = trajectory.strokes.start(board)
    speed = float(np.hypot(*velocity[0]))
    if speed > 0.0:
        long, (x, y) = 0.25 * board.side, start[STRIKER]
        tip = start[STRIKER] + long * velocity[0] / speed
        arrow = pointer((x, y), (tip[0], tip[1]), 0.02 * long, (0.15 * long, 0.06 * long), "mark")
        draw_shapes(before, [arrow], palette, _PATHS)
    before.set_title(f"before: {speed:.2f} m/s", color=palette.ink)
    fallen = told_discs(trajectory.outcome.pocket[0] >= 0)
    after.set_title(f"after {trajectory.duration:.2f} s, pocketed: {fallen}", color=palette.ink)
    return before, after
