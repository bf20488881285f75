"""Replays as files: the page, an animation, a picture."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from carromsim.tables.files import write_whole

if TYPE_CHECKING:
    from carromsim.trajectories import Trajectory
    from carromsim.viz.replays import Replay

__all__ = ["SUFFIXES", "check_length", "check_suffix", "save"]

SUFFIXES = (".html", ".gif", ".png", ".svg")
"""What a file's name may end in; only the first can hold several strokes."""

_INCHES = 8.0
"""Side of a picture."""


def check_suffix(path: str | PathLike[str]) -> str:
    """Give the end of a file's name, in small letters.

    Raises
    ------
    ValueError
        If it is not one of `SUFFIXES`.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: must end in one of {', '.join(SUFFIXES)}")
    return suffix


def check_length(replay: "Replay", path: str | PathLike[str]) -> None:
    """Complain about several strokes for a file that shows one.

    Raises
    ------
    ValueError
    """
    suffix = check_suffix(path)
    if suffix != ".html" and len(replay) > 1:
        raise ValueError(f"{path}: {suffix} shows one stroke, this replay has {len(replay)}")


def save(replay: "Replay", path: str | PathLike[str]) -> Path:
    """Write a replay as `Replay.save` says."""
    suffix = check_suffix(path)
    check_length(replay, path)
    if suffix == ".html":
        return write_whole(path, replay.html().encode())
    (scene,) = replay.scenes
    if suffix == ".gif":
        from carromsim.viz.animation import animate

        return write_whole(path, animate(scene.trajectory))
    return write_whole(path, _picture(scene.trajectory, replay.title, suffix[1:]))


def _picture(trajectory: "Trajectory", title: str, kind: str) -> bytes:
    """Draw all paths of a stroke as PNG or SVG, the same bytes for the same stroke."""
    from carromsim.viz.matplotlib_here import figure_bytes, need_matplotlib

    need_matplotlib()
    from matplotlib.figure import Figure

    from carromsim.viz.board import draw_trajectory

    figure = Figure(figsize=(_INCHES, _INCHES), layout="constrained")
    axes = draw_trajectory(trajectory, ax=figure.subplots())
    axes.set_title(title, parse_math=False)
    return figure_bytes(figure, kind)
