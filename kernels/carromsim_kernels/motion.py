"""The motion law: how a sliding and spinning disc slows down on its straight path.

Dry friction couples sliding and spinning (Farkas et al., PRL 90, 248302 (2003)): a spinning disc slides
further, and both motions end together. In scaled time tau = mu g t the law has no scale, so all motions
lie on two universal curves, "slide" (v / w above the fixed ratio) and "spin" (below). On a curve
everything is a function of u, the remaining scaled time in units of the motion's own scale:

    v = rem * V(u),   w = rem * W(u),   remaining path = rem^2 * X(u),   u = rem / scale,

with rem the remaining scaled time. V, W and X are tabulated as quintics in cells that halve in size
towards u = 0 (``frexp`` finds the cell: no exp or log at run time). A disc without spin needs no
table: it decelerates by mu g exactly.

w is the rim speed a |omega| of the contact face, whose radius a may be less than the disc's. On a small face, or a
narrow ring, v / w follows u so slowly that the table is indexed by a square root of u, or by a root of a root.
"""

import math

import numpy as np

from carromsim_kernels.jit import kernel
from carromsim_kernels.state import Curves, FloatArray

LOW_OCTAVE = -40
HIGH_OCTAVE = 80
CELLS_PER_OCTAVE = 8
FINE_CELLS_PER_OCTAVE = 64
"""Of the two octaves around 1, where the slide curve has a logarithm in its third derivative."""
CELLS = CELLS_PER_OCTAVE * (HIGH_OCTAVE - LOW_OCTAVE - 2) + FINE_CELLS_PER_OCTAVE * 2

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


@kernel
def find_cell(index: float) -> tuple[int, float]:
    """Return the cell of an index and the place in it, 0 <= s <= 1; one outside the table is moved to its end."""
    m, e = math.frexp(index)
    octave = e - 1 - LOW_OCTAVE
    if octave < 0:
        return 0, 0.0
    if octave >= HIGH_OCTAVE - LOW_OCTAVE:
        return CELLS - 1, 1.0
    m = 2.0 * m - 1.0
    k = CELLS_PER_OCTAVE * octave
    if e > 1:
        k += 2 * (FINE_CELLS_PER_OCTAVE - CELLS_PER_OCTAVE)
    elif e >= 0:
        y = m * FINE_CELLS_PER_OCTAVE
        c = int(y)
        return k + (FINE_CELLS_PER_OCTAVE - CELLS_PER_OCTAVE) * e + c, y - c
    y = m * CELLS_PER_OCTAVE
    c = int(y)
    return k + c, y - c


@kernel
def quintic(cells: FloatArray, k: int, column: int, s: float) -> float:
    """Evaluate one tabulated function in cell k."""
    c = cells[k, column]
    value: float = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    return value


@kernel
def quintic_slope(cells: FloatArray, k: int, column: int, s: float) -> float:
    """Differentiate one tabulated function by s in cell k."""
    c = cells[k, column]
    value: float = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    return value


@kernel
def find_ratio(table: Curves, curve: int, r: float) -> tuple[int, float]:
    """Return cell (within its curve) and place where w / v = r: bisection over the cells, then Newton."""
    edges = table.ratio[curve]
    sign = 1.0 if curve == 1 else -1.0
    low, high = 0, CELLS
    while high - low > 1:
        middle = (low + high) // 2
        if sign * (r - edges[middle]) >= 0.0:
            low = middle
        else:
            high = middle
    k = curve * CELLS + low
    span = edges[low + 1] - edges[low]
    s = (r - edges[low]) / span if span != 0.0 else 0.0
    s = min(max(s, 0.0), 1.0)
    for _ in range(3):
        miss = quintic(table.cells, k, 1, s) - r * quintic(table.cells, k, 0, s)
        slope = quintic_slope(table.cells, k, 1, s) - r * quintic_slope(table.cells, k, 0, s)
        if slope == 0.0:
            break
        s = min(max(s - miss / slope, 0.0), 1.0)
    return low, s


@kernel
def index_of_place(k: int, s: float) -> tuple[float, float]:
    """Return the index at place s of cell k (within its curve), and the cell's width in it."""
    fine_begin = CELLS_PER_OCTAVE * (-1 - LOW_OCTAVE)
    fine_end = fine_begin + 2 * FINE_CELLS_PER_OCTAVE
    per_octave = CELLS_PER_OCTAVE
    octave = LOW_OCTAVE + k // CELLS_PER_OCTAVE
    c = k % CELLS_PER_OCTAVE
    if k >= fine_end:
        octave = 1 + (k - fine_end) // CELLS_PER_OCTAVE
        c = (k - fine_end) % CELLS_PER_OCTAVE
    elif k >= fine_begin:
        octave = -1 + (k - fine_begin) // FINE_CELLS_PER_OCTAVE
        c = (k - fine_begin) % FINE_CELLS_PER_OCTAVE
        per_octave = FINE_CELLS_PER_OCTAVE
    size = math.ldexp(1.0, octave)
    return size * (1.0 + (c + s) / per_octave), size / per_octave


@kernel
def index_of(table: Curves, first_cell: int, u: float) -> float:
    """Return the root of u by which the curve that begins at first_cell is indexed."""
    for _ in range(table.roots[0 if first_cell == 0 else 1]):
        u = math.sqrt(u)
    return u


@kernel
def u_at(table: Curves, curve: int, index: float) -> float:
    """Return u, of which a curve's index is the root."""
    for _ in range(table.roots[curve]):
        index *= index
    return index


@kernel
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
        inv_scale = u_at(table, 0, math.ldexp(1.0, HIGH_OCTAVE)) * mu_g / v
        return CONSTANT, 0, inv_scale, 1.0, v / mu_g, 0.5 * v * v / mu_g, mu_g, mu_g
    curve = 0 if w <= table.ratio_fixed * v else 1
    factor = 1.0
    if curve == 1 and w > v * table.ratio[1, CELLS]:
        k, s = CELLS - 1, 1.0
        factor = v / w * table.ratio[1, CELLS]
    else:
        k, s = find_ratio(table, curve, w / v)
    cell = curve * CELLS + k
    index, width = index_of_place(k, s)
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


@kernel
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


@kernel
def rim_speed(table: Curves, first_cell: int, inv_scale: float, mu_g: float, t_left: float) -> float:
    """Return the rim speed [m/s] of a motion on a curve, t_left seconds before its end."""
    if t_left <= 0.0:
        return 0.0
    k, s = find_cell(index_of(table, first_cell, t_left * inv_scale))
    return mu_g * t_left * quintic(table.cells, k + first_cell, 1, s)
