"""A stroke as an animated GIF, in real time, for where no page can be shown."""

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing import FALL_SECONDS, LIGHT, Disk, Palette, Shape, board_shapes, half_width, pocket_centres
from carromsim.drawing.shapes import disc_face
from carromsim.equipment import Equipment
from carromsim.trajectories import Trajectory
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["animate"]

_PIXELS = 480
_FINER = 3
"""Frames are drawn so many times as large and made smaller, which smooths edges."""
_FRAME_SECONDS = 0.04
"""Browsers show frames of whole hundredths of a second: 25 a second."""
_START_SECONDS, _END_SECONDS = 0.6, 2.0
_COLOURS = 63
"""Of the picture; one more will stand for what did not change since the frame before."""


def animate(trajectory: Trajectory) -> bytes:
    """Draw a stroke as a GIF: 25 frames a second, in real time, again and again with a pause at the end.

    Parameters
    ----------
    trajectory : Trajectory

    Returns
    -------
    bytes
        Of the file.

    Raises
    ------
    ImportError
        If Pillow is not installed.
    """
    try:
        from PIL.Image import Dither
    except ImportError as error:
        raise ImportError("an animation needs Pillow: pip install 'carromsim[viz]'") from error
    canvas = _Canvas(trajectory.equipment, LIGHT)
    end = max([trajectory.duration, *(t + FALL_SECONDS for t in _gone_at(trajectory).values())])
    times = _FRAME_SECONDS * np.arange(math.ceil(end / _FRAME_SECONDS) + 1)
    pictures = [canvas.frame(trajectory, t) for t in times.tolist()]
    palette = pictures[len(pictures) // 4].quantize(_COLOURS)
    frames = [picture.quantize(palette=palette, dither=Dither.NONE) for picture in pictures]
    each = [round(1e3 * _FRAME_SECONDS)] * len(frames)
    each[0], each[-1] = round(1e3 * _START_SECONDS), round(1e3 * _END_SECONDS)
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=each, loop=0)
    return file.getvalue()


def _gone_at(trajectory: Trajectory) -> dict[int, float]:
    """Give the time at which each disc that leaves the surface does."""
    return {int(disc): float(trajectory.knots[disc][-1, 0]) for disc in np.flatnonzero(trajectory.gone)}


def _discs_at(trajectory: Trajectory, t: float) -> list[Disk]:
    """Draw the discs at a time [s]; one that fell slides to the middle of its pocket and shrinks."""
    equipment, gone_at = trajectory.equipment, _gone_at(trajectory)
    pockets, shapes = pocket_centres(equipment), []
    for disc, knots in enumerate(trajectory.knots):
        size = 1.0 - max(0.0, t - gone_at.get(disc, math.inf)) / FALL_SECONDS
        if len(knots) == 0 or size <= 0.0:
            continue
        place = trajectory.at(t)[disc] if size == 1.0 else knots[-1, 1:3]
        pocket = int(trajectory.outcome.pocket[0, disc])
        if size < 1.0 and pocket >= 0:
            place = pockets[pocket] + size * (place - pockets[pocket])
        x, y = place.tolist()
        shapes += [shape._replace(centre=(x, y)) for shape in disc_face(disc, size * float(equipment.radius[disc]))]
    return shapes


class _Canvas:
    """A board that is drawn once, and discs that are drawn on copies of it."""

    def __init__(self, equipment: Equipment, palette: Palette) -> None:
        from PIL.Image import new

        self.palette, self.edge = palette, half_width(equipment)
        self.board = new("RGB", (_PIXELS * _FINER, _PIXELS * _FINER), palette.wood)
        self._draw(self.board, board_shapes(equipment))

    def frame(self, trajectory: Trajectory, t: float) -> "Image":
        """Draw the board at a time [s], in its final size."""
        from PIL.Image import Resampling

        picture = self.board.copy()
        self._draw(picture, _discs_at(trajectory, t))
        return picture.resize((_PIXELS, _PIXELS), Resampling.BOX)

    def _draw(self, picture: "Image", shapes: Sequence[Shape]) -> None:
        from PIL.Image import new
        from PIL.ImageDraw import Draw

        draw = Draw(picture)
        for shape in shapes:
            colour = getattr(self.palette, shape.role)
            if isinstance(shape, Disk):
                (x, y), radius = self._pixels(np.array([shape.centre]))[0], shape.radius * self._scale
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
            elif shape.hole is None:
                draw.polygon(self._pixels(shape.points), fill=colour)
            else:
                mask = new("L", picture.size, 0)
                Draw(mask).polygon(self._pixels(shape.points), fill=255)
                Draw(mask).polygon(self._pixels(shape.hole), fill=0)
                picture.paste(colour, mask=mask)

    @property
    def _scale(self) -> float:
        """Pixels per metre."""
        return _PIXELS * _FINER / (2.0 * self.edge)

    def _pixels(self, points: FloatArray) -> list[tuple[float, float]]:
        """Turn places (k, 2) [m] into pixels, counted from the upper left corner."""
        pixels = self._scale * np.column_stack([points[:, 0] + self.edge, self.edge - points[:, 1]])
        return [(x, y) for x, y in pixels.tolist()]
