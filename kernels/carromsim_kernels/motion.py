"""The motion law: how a sliding and spinning disc slows down on its straight path.

Dry friction couples sliding and spinning (Farkas et al., PRL 90, 248302 (2003)): a spinning disc slides
further, and both motions end together. In scaled time tau = mu g t the law has no scale, so all motions
lie on two universal curves, "slide" (v / w above the fixed ratio) and "spin" (below). On a curve
everything is a function of u, the remaining scaled time in units of the motion's own scale:

    v = rem * V(u),   w = rem * W(u),   remaining path = rem^2 * X(u),   u = rem / scale,

with rem the remaining scaled time. V, W and X are tabulated as quintics in cells that halve in size
towards u = 0 (the leading bits of u tell the cell: no exp or log at run time). A disc without spin needs no
table: it decelerates by mu g exactly.

w is the rim speed a |omega| of the contact face, whose radius a may be less than the disc's. On a small face, or a
narrow ring, v / w follows u so slowly that the table is indexed by a square root of u, or by a root of a root.
"""

import math

import numpy as np

from carromsim_kernels.jit import inlined
from carromsim_kernels.state import Curves, FloatArray, IntArray, MotionTable

LOW_OCTAVE = -40
HIGH_OCTAVE = 80
CELLS_PER_OCTAVE = 8
FINE_CELLS_PER_OCTAVE = 64
"""Of the two octaves around 1, where the slide curve has a logarithm in its third derivative."""
CELLS = CELLS_PER_OCTAVE * (HIGH_OCTAVE - LOW_OCTAVE - 2) + FINE_CELLS_PER_OCTAVE * 2

HINT_BITS = 48
"""Ratios of w and v are sorted by all but this many of their bits: sixteen places per octave."""
FIRST_HINT = 1023 - 30 << 4
HINTS = 60 << 4

REST, CONSTANT, CURVE = 0, 1, 2
"""Modes of motion: at rest; constant deceleration (no spin to speak of); on a universal curve."""

SPINLESS = 1e-8
"""w / v below which the deceleration is constant: the error, w^2 / (8 v^2), is below 2e-17."""


def cell_edges() -> FloatArray:
    """Return the edges of the table's cells in its index, u or a root of it, ascending, shape (CELLS + 1,)."""
    edges = []
    for octave in range(LOW_OCTAVE, HIGH_OCTAVE):
        n = FINE_CELLS_PER_OCTAVE if octave in (-1, 0) else CELLS_PER_OCTAVE
        edges.append(2.0**octave * (1.0 + np.arange(n) / n))
    return np.concatenate([*edges, [2.0**HIGH_OCTAVE]])


def ratio_hints(ratio: FloatArray) -> IntArray:
    """Return where to look for a ratio of w and v, shape (2, HINTS): the cell, within each curve, of each first ratio.

    HINTS ratios, of equal steps in the leading bits of their floating-point numbers: the cell of one in between lies
    between the cells of its neighbours.
    """
    places = (np.arange(HINTS, dtype=np.int64) + FIRST_HINT << HINT_BITS).view(np.float64)
    places[0], places[-1] = 0.0, np.inf
    falling, rising = ratio[0], ratio[1]
    slide = CELLS - np.searchsorted(falling[::-1], places, side="left")
    spin = np.searchsorted(rising, places, side="right") - 1
    return np.clip(np.stack([slide, spin]), 0, CELLS - 1).astype(np.int64)


def ratio_bows(cells: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return how far each cell's w / v bends away from a straight line, shape (2, CELLS).

    Such that z + bow z (1 - z), with z the place on the straight line, is right in the cell's middle.
    """
    middle = cells @ 0.5 ** np.arange(6.0)
    g, low, high = (middle[:, 1] / middle[:, 0]).reshape(2, CELLS), ratio[:, :-1], ratio[:, 1:]
    span = np.where(high == low, 1.0, high - low)
    z = np.where(high == low, 0.5, np.clip((g - low) / span, 0.25, 0.75))
    bows: FloatArray = (0.5 - z) / (z * (1.0 - z))
    return bows


def motion_table(
    cells: FloatArray, roots: IntArray, ratio: FloatArray, fixed: tuple[float, float], face: tuple[float, float]
) -> MotionTable:
    """Return the table of a face with what makes it quick to use.

    Parameters
    ----------
    cells, roots, ratio
        See `state.Curves`.
    fixed : (ratio_fixed, force_fixed)
    face : (gamma, kappa)
    """
    return MotionTable(cells, roots, ratio, *fixed, cell_edges(), ratio_hints(ratio), ratio_bows(cells, ratio), *face)


@inlined
def bits_of(x: float) -> int:
    """Return the 64 bits of a floating-point number: exponent and fraction without a call of the C library."""
    return int(np.float64(x).view(np.int64))


@inlined
def find_cell(index: float) -> tuple[int, float]:
    """Return the cell of an index and the place in it, 0 <= s <= 1; one outside the table is moved to its end."""
    bits = bits_of(index)
    octave = (bits >> 52) - 1023 - LOW_OCTAVE
    if octave < 0:
        return 0, 0.0
    if octave >= HIGH_OCTAVE - LOW_OCTAVE:
        return CELLS - 1, 1.0
    k, shift, width = CELLS_PER_OCTAVE * octave, 49, 2.0**-49
    if octave > -LOW_OCTAVE:
        k += 2 * (FINE_CELLS_PER_OCTAVE - CELLS_PER_OCTAVE)
    elif octave >= -1 - LOW_OCTAVE:
        k += (FINE_CELLS_PER_OCTAVE - CELLS_PER_OCTAVE) * (octave + 1 + LOW_OCTAVE)
        shift, width = 46, 2.0**-46
    fraction = bits & ((1 << 52) - 1)
    return k + (fraction >> shift), (fraction & ((1 << shift) - 1)) * width


@inlined
def quintic(cells: FloatArray, k: int, column: int, s: float) -> float:
    """Evaluate one tabulated function in cell k."""
    c = cells[k, column]
    value: float = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    return value


@inlined
def quintic_slope(cells: FloatArray, k: int, column: int, s: float) -> float:
    """Differentiate one tabulated function by s in cell k."""
    c = cells[k, column]
    value: float = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    return value


@inlined
def cell_of_ratio(table: Curves, curve: int, r: float) -> int:
    """Return the cell (within its curve) in which w / v = r: bisection of the cells that the hints leave."""
    edges = table.ratio[curve]
    hint = min(max((bits_of(r) >> HINT_BITS) - FIRST_HINT, 0), HINTS - 2)
    low, high = table.hint[curve, hint], table.hint[curve, hint + 1]
    if low > high:
        low, high = high, low
    high += 1
    rising = curve == 1
    while high - low > 1:
        middle = (low + high) // 2
        if (r >= edges[middle]) == rising or r == edges[middle]:
            low = middle
        else:
            high = middle
    return int(low)


@inlined
def find_ratio(table: Curves, curve: int, r: float) -> tuple[int, float]:
    """Return cell (within its curve) and place where w / v = r: from a parabola's place by a step of Halley.

    It is for w - r v = 0. One step leaves less than 1e-13 of the cell where the parabola misses by less than 5e-4.
    """
    k = cell_of_ratio(table, curve, r)
    low, high = table.ratio[curve, k], table.ratio[curve, k + 1]
    z = min(max((r - low) / (high - low), 0.0), 1.0) if high != low else 0.0
    s = z + table.bow[curve, k] * z * (1.0 - z)
    v, w = table.cells[curve * CELLS + k, 0], table.cells[curve * CELLS + k, 1]
    a, b, c = w[0] - r * v[0], w[1] - r * v[1], w[2] - r * v[2]
    d, e, f = w[3] - r * v[3], w[4] - r * v[4], w[5] - r * v[5]
    for _ in range(3):
        miss = a + s * (b + s * (c + s * (d + s * (e + s * f))))
        slope = b + s * (2.0 * c + s * (3.0 * d + s * (4.0 * e + s * 5.0 * f)))
        half_bend = c + s * (3.0 * d + s * (6.0 * e + s * 10.0 * f))
        steep = slope * slope - miss * half_bend
        if steep <= 0.0:
            break
        place = min(max(s - miss * slope / steep, 0.0), 1.0)
        close = abs(place - s) < 5e-4
        s = place
        if close:
            break
    return k, s


@inlined
def index_of(table: Curves, first_cell: int, u: float) -> float:
    """Return the root of u by which the curve that begins at first_cell is indexed."""
    for _ in range(table.roots[0 if first_cell == 0 else 1]):
        u = math.sqrt(u)
    return u


@inlined
def u_at(table: Curves, curve: int, index: float) -> float:
    """Return u, of which a curve's index is the root."""
    for _ in range(table.roots[curve]):
        index *= index
    return index


@inlined
def begin_motion(
    table: Curves, v: float, w: float, mu_g: float
) -> tuple[int, int, float, float, float, float, float, float]:
    """Prepare the motion that starts now with speed v and rim speed w (both >= 0).

    Returns
    -------
    mode : int
        REST, CONSTANT or CURVE.
    first_cell : int
        Where the motion's curve begins in the table.
    inv_scale : float
        u per second of remaining time [1/s].
    speed_factor : float
        1; less where v / w is below the table's end and v only follows w.
    t_stop, s_stop : float
        Time [s] and path [m] until rest; inf without friction.
    decel_min, decel_max : float
        The deceleration stays between these until rest [m/s^2].
    """
    if v == 0.0 and w == 0.0:
        return REST, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if mu_g == 0.0:
        return CONSTANT, 0, 0.0, 1.0, math.inf, math.inf if v > 0.0 else 0.0, 0.0, 0.0
    if w < SPINLESS * v:
        # The end of the slide curve: w follows v in a fixed way, whatever its size.
        inv_scale = u_at(table, 0, 2.0**HIGH_OCTAVE) * mu_g / v
        return CONSTANT, 0, inv_scale, 1.0, v / mu_g, 0.5 * v * v / mu_g, mu_g, mu_g
    curve = 0 if w <= table.ratio_fixed * v else 1
    factor = 1.0
    if curve == 1 and w > v * table.ratio[1, CELLS]:
        k, s = CELLS - 1, 1.0
        factor = v / w * table.ratio[1, CELLS]
    else:
        k, s = find_ratio(table, curve, w / v)
    cell = curve * CELLS + k
    width = table.edges[k + 1] - table.edges[k]
    index = table.edges[k] + s * width
    v_u = quintic(table.cells, cell, 0, s)
    # From the larger of v and w, the scale is well determined.
    rem = w / quintic(table.cells, cell, 1, s) if curve == 1 else v / v_u
    degree = 1 << table.roots[curve]
    force = factor * (v_u + index * quintic_slope(table.cells, cell, 0, s) / (width * degree))
    slack = 1e-6
    force_min = min(force, table.force_fixed) * (1.0 - slack) if factor == 1.0 else 0.0
    force_max = max(force, table.force_fixed) * (1.0 + slack)
    s_stop = factor * rem * rem * quintic(table.cells, cell, 2, s) / mu_g
    inv_scale = u_at(table, curve, index) * mu_g / rem
    return CURVE, curve * CELLS, inv_scale, factor, rem / mu_g, s_stop, force_min * mu_g, force_max * mu_g


@inlined
def speed_and_path_left(
    table: Curves, first_cell: int, inv_scale: float, factor: float, mu_g: float, t_left: float
) -> tuple[float, float]:
    """Return speed [m/s] and remaining path [m] of a motion on a curve, t_left seconds before its end."""
    if t_left <= 0.0:
        return 0.0, 0.0
    k, s = find_cell(index_of(table, first_cell, t_left * inv_scale))
    k += first_cell
    rem = factor * mu_g * t_left
    return rem * quintic(table.cells, k, 0, s), rem * t_left * quintic(table.cells, k, 2, s)


@inlined
def rim_speed(table: Curves, first_cell: int, inv_scale: float, mu_g: float, t_left: float) -> float:
    """Return the rim speed [m/s] of a motion on a curve, t_left seconds before its end."""
    if t_left <= 0.0:
        return 0.0
    k, s = find_cell(index_of(table, first_cell, t_left * inv_scale))
    return mu_g * t_left * quintic(table.cells, k + first_cell, 1, s)
