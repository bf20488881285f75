"""What a board looks like, said once: colours, areas to fill, and both as SVG; needs NumPy only."""

from carromsim.drawing.palette import DARK, LIGHT, SERIES, Palette, palette_of
from carromsim.drawing.shapes import (
    FALL_SECONDS,
    Disk,
    Outline,
    Shape,
    board_shapes,
    disc_shapes,
    half_width,
    kind_of,
    pocket_centres,
    pointer,
)
from carromsim.drawing.svg import disc_svg, style_sheet, svg_board

__all__ = [
    "DARK",
    "FALL_SECONDS",
    "LIGHT",
    "SERIES",
    "Disk",
    "Outline",
    "Palette",
    "Shape",
    "board_shapes",
    "disc_shapes",
    "disc_svg",
    "half_width",
    "kind_of",
    "palette_of",
    "pocket_centres",
    "pointer",
    "style_sheet",
    "svg_board",
]
