"""A board and its discs as areas to fill, in metres, from `Equipment` alone.

Every shape is one opaque area; the later ones lie over the earlier ones. A painted line is an area too, as wide as it
is on the board, so that whatever draws these shapes draws them to scale.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from carromsim.equipment import BLACK, CENTRE_CIRCLE, OUTER_CIRCLE, QUEEN, STRIKER, Equipment
from carromsim_kernels.state import N_DISCS, FloatArray

__all__ = [
    "FALL_SECONDS",
    "Disk",
    "Outline",
    "Shape",
    "board_shapes",
    "disc_face",
    "disc_shapes",
    "half_width",
    "kind_of",
    "places_of",
    "pocket_centres",
    "pointer",
]

# Of a board of 0.74 m; these sizes are no fields of Equipment and follow its side.
_ICF_SIDE = 0.740
_FRAME = 0.0635  # ICF A.2: the frame is 63.5 to 76 mm wide
_EDGE = 0.003  # how much of the frame is drawn as the edge of its cushions
_ARROW = 0.267  # ICF: arrows are at most 267 mm long
_GAP = 0.050  # guess: from the rim of a pocket to the tip of its arrow
_HEAD = (0.012, 0.004)  # guess: length and half the width of an arrow's head
_ARC = 0.03175  # guess: radius of the arc that ends the other end of an arrow; a decoration
# Of a band of base lines of 31.8 mm; these follow the band.
_BAND = 0.0318
_OUTER_LINE = 0.005  # ICF: 5.0 to 6.5 mm
_THIN = 0.0015  # guess: 1.5 mm, the inner base line and all outlines
_RED = 0.8  # ICF A.6: the red part of an end circle of 31.8 mm is 25.4 mm across
_POINT = 0.002  # guess: radius of the centre point of a board without end circles (Bell)

FALL_SECONDS = 0.18
"""For how long a disc is seen to sink once the motion law has let go of it; for the eye only."""

_STEPS = 24
"""Straight pieces of a quarter circle: less than 0.0006 of its radius away from it."""


class Disk(NamedTuple):
    """A full circle.

    Attributes
    ----------
    centre : (float, float) [m]
    radius : float [m]
    role : str
        A field of `Palette`.
    """

    centre: tuple[float, float]
    radius: float
    role: str


class Outline(NamedTuple):
    """What a closed line encloses, but for a hole in it.

    Attributes
    ----------
    points : (k, 2) float64 [m]
    role : str
        A field of `Palette`.
    hole : (h, 2) float64 or None [m]
    """

    points: FloatArray
    role: str
    hole: FloatArray | None = None


Shape = Disk | Outline


def half_width(equipment: Equipment) -> float:
    """Distance from the board's middle to the outer edge of its frame [m]."""
    return equipment.side / 2 + _FRAME * equipment.side / _ICF_SIDE


def pocket_centres(equipment: Equipment) -> FloatArray:
    """Give the middles of the pockets in their order, from bottom left counter-clockwise: (4, 2) [m]."""
    middle = equipment.side / 2 - equipment.pocket_offset
    return middle * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def kind_of(disc: int) -> str:
    """Name the role of a disc: "striker", "queen", "white" or "black"."""
    if not 0 <= disc < N_DISCS:
        raise ValueError(f"disc = {disc!r}: must be from 0 to {N_DISCS - 1}")
    if disc == STRIKER:
        return "striker"
    return "queen" if disc == QUEEN else "white" if disc < BLACK.start else "black"


def board_shapes(equipment: Equipment) -> list[Shape]:
    """Draw a board without discs.

    Parameters
    ----------
    equipment : Equipment

    Returns
    -------
    list of Disk and Outline
        From the lowest to the uppermost: surface, what is painted on it, pockets, frame.
    """
    edge = _EDGE * equipment.side / _ICF_SIDE
    # What lies lower reaches under what covers its border: two borders in one place would let the paper shine through.
    shapes: list[Shape] = [Outline(_frame_line(equipment, edge), "wood")]
    shapes += _circles(equipment)
    for turn in range(4):
        shapes += [_turned(shape, turn) for shape in (*_base_lines(equipment), *_arrow(equipment))]
    if equipment.pocket_radius > 0.0:
        shapes += [Disk((x, y), equipment.pocket_radius, "hole") for x, y in pocket_centres(equipment).tolist()]
    outside = half_width(equipment) * np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    shapes.append(Outline(outside, "frame_edge", _frame_line(equipment, 0.0)))
    shapes.append(Outline(outside, "frame", _frame_line(equipment, edge)))
    return shapes


def disc_shapes(pos: ArrayLike, equipment: Equipment) -> list[Shape]:
    """Draw the discs of a position.

    Parameters
    ----------
    pos : (20, 2) float
        Centres in the board's frame, in disc order [m]; a disc without finite place is not drawn.
    equipment : Equipment

    Returns
    -------
    list of Disk
    """
    places = places_of(pos)
    return [
        shape._replace(centre=(float(places[disc, 0]), float(places[disc, 1])))
        for disc in np.flatnonzero(np.isfinite(places).all(axis=1)).tolist()
        for shape in disc_face(disc, float(equipment.radius[disc]))
    ]


def disc_face(disc: int, radius: float) -> list[Disk]:
    """Draw a disc of a radius [m] about the origin: a rim, a face, and rings by which kinds differ without colour.

    White has a broad and a narrow ring, black one narrow ring, the queen a bull's eye and the striker two rings
    near its rim.
    """
    kind = kind_of(disc)
    ring = f"{kind}_ring"
    rings = {
        "striker": ((0.86, 0.78), (0.68, 0.62)),
        "queen": ((0.68, 0.50), (0.28, 0.0)),
        "white": ((0.72, 0.66), (0.36, 0.30)),
        "black": ((0.60, 0.50),),
    }
    face = [(1.0, "disc_edge"), (0.93, kind)]
    for outer, inner in rings[kind]:
        face += [(outer, ring), (inner, kind)]
    return [Disk((0.0, 0.0), share * radius, role) for share, role in face if share > 0.0]


def places_of(pos: ArrayLike) -> FloatArray:
    """Give a position as float64, (20, 2) [m]; ValueError if it has another shape."""
    places = np.asarray(pos, dtype=np.float64)
    if places.shape != (N_DISCS, 2):
        raise ValueError(f"pos has shape {places.shape}: must be ({N_DISCS}, 2)")
    return places


def _frame_line(equipment: Equipment, out: float) -> FloatArray:
    """Give the line in which the cushions meet the discs, moved outward by `out` [m]: (k, 2), counter-clockwise."""
    half, size = equipment.side / 2 + out, equipment.corner_size
    if equipment.corner == "rounded" and size > 0.0:
        turn = np.linspace(0.0, np.pi / 2, _STEPS + 1)
        corner = equipment.side / 2 - size + (size + out) * np.column_stack([np.cos(turn), np.sin(turn)])
    elif equipment.corner == "cut_away" and size > 0.0:
        off = size + (2.0 - math.sqrt(2.0)) * out
        corner = np.array([[half, half - off], [half - off, half]])
    else:
        corner = np.array([[half, half]])
    return np.concatenate([_quarter_turned(corner, turn) for turn in range(4)])


def _circles(equipment: Equipment) -> list[Shape]:
    """Draw the outer circle and the centre circle, as far as the board is large enough for them."""
    half, shapes, middle = equipment.side / 2, [], (0.0, 0.0)
    if half >= OUTER_CIRCLE:
        shapes += [Disk(middle, OUTER_CIRCLE, "line"), Disk(middle, OUTER_CIRCLE - _THIN, "wood")]
    if equipment.end_circle_guard is None:
        shapes.append(Disk(middle, min(_POINT, half), "line"))
    elif half >= CENTRE_CIRCLE:
        shapes += [Disk(middle, CENTRE_CIRCLE, "line"), Disk(middle, CENTRE_CIRCLE - _THIN, "circle")]
    return list(shapes)


def _base_lines(equipment: Equipment) -> list[Shape]:
    """Draw the base lines and end circles of seat 0, or his box."""
    half, end, offset = equipment.side / 2, equipment.base_line_half_length, equipment.end_circle_offset
    middle, front = equipment.base_line_distance - half, equipment.front_line_distance - half
    back = 2.0 * middle - front  # as far behind the striker's centre as the front line's edge lies before it
    scale = abs(front - back) / _BAND
    if scale == 0.0:
        return []
    thin = _THIN * scale
    if equipment.end_circle_guard is None:
        low, high = min(back, front), max(back, front)
        return [Outline(_box(-end, end, low, high), "line", _box(thin - end, end - thin, low + thin, high - thin))]
    inward = math.copysign(1.0, front - back)
    shapes: list[Shape] = [
        Outline(_box(-offset, offset, back, back + inward * _OUTER_LINE * scale), "line"),
        Outline(_box(-offset, offset, front, front - inward * thin), "line"),
    ]
    radius = end - offset
    for x in (-offset, offset) if radius > thin else ():
        circles = ((radius, "line"), (radius - thin, "wood"), (_RED * radius, "circle"))
        shapes += [Disk((x, middle), size, role) for size, role in circles]
    return shapes


def _arrow(equipment: Equipment) -> list[Shape]:
    """Draw the arrow that points at the pocket to the right of seat 0."""
    if equipment.arrow_half_width is None:
        return []
    scale = equipment.side / _ICF_SIDE
    pocket = math.sqrt(2.0) * (equipment.side / 2 - equipment.pocket_offset)
    tip = pocket - equipment.pocket_radius - _GAP * scale
    tail = tip - _ARROW * scale
    head = _HEAD[0] * scale, _HEAD[1] * scale
    shaft = pointer((tail, 0.0), (tip, 0.0), equipment.arrow_half_width, head, "line").points
    turn = np.linspace(0.55 * np.pi, 1.45 * np.pi, 2 * _STEPS + 1)
    bow = np.column_stack([np.cos(turn), np.sin(turn)])
    radius, middle = _ARC * scale, np.array([tail + _ARC * scale, 0.0])
    arc = np.concatenate([middle + radius * bow, middle + (radius - _THIN * scale) * bow[::-1]])
    to_corner = np.array([[1.0, -1.0], [1.0, 1.0]]) / math.sqrt(2.0)  # +x to the bottom right corner
    return [Outline(points @ to_corner, "line") for points in (shaft, arc)]


def pointer(
    begin: tuple[float, float], end: tuple[float, float], thick: float, head: tuple[float, float], role: str
) -> Outline:
    """Draw an arrow with a tip.

    Parameters
    ----------
    begin, end : (float, float)
        Different points [m].
    thick : float
        Half the width of the shaft [m].
    head : (float, float)
        Length and half the width of the tip [m]; an arrow shorter than its tip has no shaft.
    role : str
        A field of `Palette`.
    """
    way = np.subtract(end, begin)
    length = float(np.hypot(*way))
    along = way / length
    neck, wide = max(length - head[0], 0.0), head[1]
    shaft = [[0.0, thick], [0.0, -thick], [neck, -thick], [neck, -wide], [length, 0.0], [neck, wide], [neck, thick]]
    return Outline(np.array(shaft) @ np.array([along, [-along[1], along[0]]]) + begin, role)


def _box(left: float, right: float, low: float, high: float) -> FloatArray:
    return np.array([[left, low], [right, low], [right, high], [left, high]])


def _quarter_turned(points: FloatArray, turns: int) -> FloatArray:
    """Turn points (k, 2) counter-clockwise by whole quarters, exactly."""
    x, y = points[:, 0], points[:, 1]
    return np.column_stack([(x, y), (-y, x), (-x, -y), (y, -x)][turns % 4])


def _turned(shape: Shape, turns: int) -> Shape:
    if isinstance(shape, Disk):
        x, y = _quarter_turned(np.array([shape.centre]), turns)[0]
        return shape._replace(centre=(float(x), float(y)))
    hole = None if shape.hole is None else _quarter_turned(shape.hole, turns)
    return shape._replace(points=_quarter_turned(shape.points, turns), hole=hole)
