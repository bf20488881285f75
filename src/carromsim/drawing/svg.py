"""Boards as SVG, to stand inside a page: in millimetres, y downward, restyled by a style sheet or right without one."""

from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carromsim.drawing.palette import LIGHT, Palette
from carromsim.drawing.shapes import Disk, Shape, board_shapes, disc_face, half_width, kind_of, places_of
from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER, WHITE, Equipment
from carromsim_kernels.state import FloatArray

__all__ = ["disc_svg", "shape_svg", "style_sheet", "svg_board", "told_discs"]

_MM = 1e3


def svg_board(
    equipment: Equipment,
    pos: ArrayLike | None = None,
    *,
    width: float | None = None,
    label: str | None = None,
    extra: str = "",
) -> str:
    """Draw a board and the discs on it.

    Parameters
    ----------
    equipment : Equipment
    pos : (20, 2) float, optional
        Centres in the board's frame, in disc order [m]; a disc without finite place is left out. Default: no disc.
    width : float, optional
        Of the picture in pixels; default: as wide as there is room.
    label : str, optional
        What the picture shows, for those who do not see it. Default: which discs.
    extra : str
        SVG in the picture's coordinates, mm and y downward, that lies above the board and below the discs.

    Returns
    -------
    str
        An ``<svg>`` with ``<g class="board">`` and ``<g class="discs">``. Each element has the class ``c-<role>`` of
        its role in `Palette` ("-" for "_") and the light colour; `style_sheet` gives rules for another palette.
    """
    places = places_of(np.full((N_DISCS, 2), np.nan) if pos is None else pos)
    there = np.asarray(np.isfinite(places).all(axis=1))
    edge = _MM * half_width(equipment)
    size = "" if width is None else f' width="{width:g}" height="{width:g}"'
    view = f"{_number(-edge)} {_number(-edge)} {_number(2 * edge)} {_number(2 * edge)}"
    words = f"Carrom board {equipment.name}: {told_discs(there)}" if label is None else label
    discs = (disc_svg(disc, equipment, places[disc]) for disc in np.flatnonzero(there).tolist())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}"{size} role="img" aria-label="{escape(words)}">'
        f'<g class="board">{"".join(map(shape_svg, board_shapes(equipment)))}</g>'
        f'{extra}<g class="discs">{"".join(discs)}</g></svg>'
    )


def disc_svg(disc: int, equipment: Equipment, place: ArrayLike = (0.0, 0.0), turn: float = 0.0) -> str:
    """Draw one disc: ``<g class="disc c-white" data-disc="3" transform="translate(x,y)">``.

    Parameters
    ----------
    disc : int
        0 to 19.
    equipment : Equipment
    place : (x, y)
        Its centre in the board's frame [m].
    turn : float
        Counter-clockwise [rad]; a mark on its rim shows it.

    Returns
    -------
    str
    """
    x, y = (_MM * float(value) for value in np.asarray(place, dtype=np.float64))
    kind, radius = kind_of(disc), float(equipment.radius[disc])
    move = f"translate({_number(x)},{_number(-y)})" + (f" rotate({_number(-np.degrees(turn))})" if turn else "")
    face = "".join(map(shape_svg, disc_face(disc, radius)))
    mark = Disk((0.8 * radius, 0.0), 0.075 * radius, f"{kind}_ring")
    return f'<g class="disc c-{kind}" data-disc="{disc}" transform="{move}">{face}{shape_svg(mark)}</g>'


def shape_svg(shape: Shape, palette: Palette = LIGHT) -> str:
    """Draw one shape, as ``<circle>`` or ``<path>``."""
    paint = f'class="c-{shape.role.replace("_", "-")}" fill="{getattr(palette, shape.role)}"'
    if isinstance(shape, Disk):
        x, y = shape.centre
        place = "" if x == y == 0.0 else f' cx="{_number(_MM * x)}" cy="{_number(-_MM * y)}"'
        return f'<circle {paint}{place} r="{_number(_MM * shape.radius)}"/>'
    path = _path(shape.points)
    if shape.hole is not None:
        return f'<path {paint} fill-rule="evenodd" d="{path}{_path(shape.hole)}"/>'
    return f'<path {paint} d="{path}"/>'


def style_sheet(palette: Palette, within: str = "") -> str:
    """Give CSS that paints boards in other colours.

    Parameters
    ----------
    palette : Palette
    within : str
        Selector of an element that the boards are in; default: everywhere.

    Returns
    -------
    str
    """
    before = f"{within} " if within else ""
    return "".join(
        f"{before}.c-{role.replace('_', '-')}{{fill:{colour}}}" for role, colour in palette._asdict().items()
    )


def _path(points: FloatArray) -> str:
    corners = (f"{_number(_MM * x)},{_number(-_MM * y)}" for x, y in points.tolist())
    return "M" + " ".join(corners) + "z"


def _number(value: float) -> str:
    """Write a number with up to three decimals: a thousandth of a millimetre."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def told_discs(there: NDArray[np.bool_]) -> str:
    """Say which discs there are, (20,) bool: "striker, queen, 9 white, 8 black"."""
    parts = [name for name, disc in (("striker", STRIKER), ("queen", QUEEN)) if there[disc]]
    for name, discs in (("white", WHITE), ("black", BLACK)):
        if count := int(np.count_nonzero(there[discs])):
            parts.append(f"{count} {name}")
    return ", ".join(parts) if parts else "no discs"
