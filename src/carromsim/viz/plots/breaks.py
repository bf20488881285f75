"""Plots of a break study: where men end, into which pockets they fall, and how many."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.drawing.shapes import Outline, half_width, pocket_centres
from carromsim.equipment import BLACK, N_DISCS, QUEEN, STRIKER, WHITE, Equipment
from carromsim.layouts import Layout, opening
from carromsim.stats import wilson
from carromsim.studies.breaks.summary import groups
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.tables.batches import rows_where, values_of
from carromsim.tables.schemas import POCKET_NAMES
from carromsim.viz.board import draw_position, draw_shapes
from carromsim.viz.matplotlib_here import need_matplotlib
from carromsim.viz.plots.reading import once
from carromsim.viz.plots.style import SERIES, SQUARE, bar_beside, begin, ramp, room_of, say, titled
from carromsim.viz.plots.subject import asked, counted, study_of
from carromsim_kernels.state import FloatArray, IntArray, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.runs.reading import Run

__all__ = ["final_positions", "men_pocketed", "pocket_flow"]

_CELLS = 72
"""Cells of the finest map along a side; two, three or four of them make one where there are few positions."""
CROWDED = 0.99
"""The colours end at the density that this share of the cells with any disc stays below."""
_ENOUGH = 20
"""Positions of a cell, on average, from which on the map is told from noise."""
_LABELS = 31.0
"""Width of two labels of pockets side by side, as a multiple of their size; on a small board they are written small."""
WORDS = {
    "any": "men and queen lie",
    "white": "whites lie",
    "black": "blacks lie",
    "queen": "the queen lies",
    "striker": "the striker lies",
}
"""Discs whose places are drawn, by key, and the title's words for them."""


def men_pocketed(run: "Run", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw how many men and queen a break pockets: the share of strokes by number, with 95 % Wilson intervals.

    Parameters
    ----------
    run : Run
        Of a break study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: a new figure.
    theme : str
        "light" or "dark".

    Returns
    -------
    matplotlib.axes.Axes
    """
    study_of(run, "break")
    summary, colours = run.summary(), palette_of(theme)
    counts, n = summary.counts.n_pocketed, summary.counts.ok
    ax = begin(ax, theme)
    told = f"{asked(run)}\n{counted(n, 'strokes')}"
    if n:
        mean, least, most = summary.mean_pocketed()
        told += f"; mean {mean:.3f} ({least:.3f} to {most:.3f}); {100.0 * LEVEL:g} % intervals"
    titled(ax, "Men and queen that a break pockets", told, theme)
    if not n:
        say(ax, f"None of {summary.counts.strokes:,} strokes has an outcome", theme)
        return ax
    number = np.arange(int(counts.nonzero()[0].max()) + 1)
    share, low, high = _shares(counts[number], n)
    ax.bar(number, share, 0.8, color=SERIES[0])
    ends = np.maximum([share - low, high - share], 0.0)
    ax.errorbar(number, share, ends, fmt="none", ecolor=colours.ink, elinewidth=1.0, capsize=3.0)
    for place, (told, top) in enumerate(zip(share, high, strict=True)):
        ax.annotate(
            f"{told:.2f} %" if told < 1.0 else f"{told:.1f} %", (place, top), xytext=(0.0, 3.0),
            textcoords="offset points", ha="center", fontsize=7.5, color=colours.ink,
        )  # fmt: skip
    ax.set_xticks(number)
    ax.set(xlabel="men and queen pocketed in one stroke", ylabel="strokes [%]", ylim=(0.0, 1.1 * high.max()))
    return ax


def final_positions(run: "Run", discs: str = "any", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw where discs lie after a break, as a map of how many of them there are on a square decimetre.

    Parameters
    ----------
    run : Run
        Of a break study.
    discs : str
        Which: "any" (men and queen), "white", "black", "queen" or "striker".
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: a new figure.
    theme : str
        "light" or "dark".

    Returns
    -------
    matplotlib.axes.Axes
        In metres, in the board's frame, without ticks.

    Raises
    ------
    ValueError
        If there are no such discs.
    """
    study = study_of(run, "break")
    if discs not in WORDS:
        raise ValueError(f"discs = {discs!r}: must be one of {', '.join(map(repr, WORDS))}")
    cells, strokes = _map(run, discs)
    need_matplotlib()
    from matplotlib.colors import PowerNorm

    ax = begin(ax, theme, SQUARE)
    titled(ax, f"Where {WORDS[discs]} after a break", f"{asked(run)}\n{counted(strokes, 'strokes')}", theme)
    if not cells.any():
        say(ax, "No such disc lies on a board: no stroke has an outcome, or it always falls", theme)
        return ax
    side = 10.0 * study.equipment.side  # in dm
    density = cells / (strokes * (side / len(cells)) ** 2)
    nothing = Layout(np.full((N_DISCS, 2), np.nan))
    draw_position(nothing, equipment=study.equipment, ax=ax, theme=theme)
    half = study.equipment.side / 2.0
    strong = "#ffe08a" if theme == "dark" else "#3b0f70"
    # Where many lie in one spot, as the middle of the pack's back row does, they would leave the rest of the map pale.
    top = float(np.quantile(density[density > 0.0], CROWDED))
    beyond = int(np.count_nonzero(density > top))
    image = ax.imshow(
        density.T, origin="lower", extent=(-half, half, -half, half), cmap=ramp(f"{strong}00", f"{strong}f2"),
        norm=PowerNorm(0.5, vmin=0.0, vmax=top), zorder=1.5, interpolation="nearest",
    )  # fmt: skip
    unit = "men" if discs in ("any", "white", "black") else f"probability of the {discs}"
    scale = f"square-root scale; {beyond} cells beyond it, up to {density.max():.3g}" if beyond else "square-root scale"
    bar_beside(ax, image, f"{unit} per dm² at the end of a stroke ({scale})", theme, palette_of(theme).wood)
    return ax


def pocket_flow(run: "Run", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw what falls into which pocket: from the pack to each of them a bundle as wide as what falls there is much.

    Parameters
    ----------
    run : Run
        Of a break study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: a new figure.
    theme : str
        "light" or "dark".

    Returns
    -------
    matplotlib.axes.Axes
        In metres, in the board's frame, without ticks.
    """
    study, counts = study_of(run, "break"), run.summary().counts
    ax = begin(ax, theme, SQUARE)
    titled(ax, "What falls into which pocket", f"{asked(run)}\n{counted(counts.ok, 'strokes')}", theme, 36.0)
    into = np.stack([counts.pockets[kind].reshape(-1, 4).sum(axis=0) for kind in (WHITE, BLACK, QUEEN, STRIKER)])
    if not into.any():
        say(ax, f"Nothing fell in {counts.ok:,} strokes", theme)
        return ax
    turn = study.rotation if isinstance(study.rotation, float) else 0.0
    draw_position(opening(study.equipment, rotation=turn), equipment=study.equipment, ax=ax, theme=theme)
    wide, high = room_of(ax)
    size = float(np.clip(72.0 * min(0.7 * wide, high - 1.5) / _LABELS, 3.0, 7.5))
    men, centres = max(int(into[:3].sum()), 1), pocket_centres(study.equipment)
    for pocket, (centre, (x, y)) in enumerate(zip(centres, np.sign(centres).tolist(), strict=True)):
        _bundle(ax, into[:, pocket] / into.sum(axis=0).max(), centre, study.equipment, theme)
        white, black, queen, striker = into[:, pocket].tolist()
        told = f"{POCKET_NAMES[pocket]}: {100.0 * (white + black + queen) / men:.1f} % of men\n"
        told += f"{white:,} white, {black:,} black\n{queen:,} queen, {striker:,} striker"
        edge = x * half_width(study.equipment)
        ax.annotate(
            told, (edge, y * half_width(study.equipment)), xytext=(0.0, 4.0 * y), textcoords="offset points",
            ha="left" if x < 0 else "right", va="bottom" if y > 0 else "top", fontsize=size,
            color=palette_of(theme).ink, annotation_clip=False,
        )  # fmt: skip
    return ax


@once
def _map(run: "Run", discs: str) -> tuple[IntArray, int]:
    """Count where discs lie at the end, (k, k) by x and y, and the strokes that have an outcome, part by part."""
    half = run.study.equipment.side / 2.0  # type: ignore[attr-defined]  # a break study has one
    cells, strokes = np.zeros((_CELLS, _CELLS), np.int64), 0
    for batch in run.batches():
        rows = rows_where(batch, np.equal(values_of(batch, "status"), Status.OK))
        strokes += rows.num_rows
        pos = np.stack([values_of(rows, name, np.nan)[:, groups()[discs]] for name in ("pos_x", "pos_y")], axis=-1)
        there = pos[~np.isnan(pos[..., 0])]
        place = np.clip((there + half) * (_CELLS / (2.0 * half)), 0, _CELLS - 1).astype(np.int64)
        cells += np.bincount(place[:, 0] * _CELLS + place[:, 1], minlength=_CELLS**2).reshape(_CELLS, _CELLS)
    for wide in (1, 2, 3, 4):
        k = _CELLS // wide
        coarse = cells.reshape(k, wide, k, wide).sum(axis=(1, 3))
        if coarse.mean() >= _ENOUGH:
            break
    return coarse, strokes


def _bundle(ax: "Axes", widths: FloatArray, pocket: FloatArray, equipment: Equipment, theme: str) -> None:
    """Draw strips from the pack to a pocket, (4,) widths of white, black, queen and striker; 1 is the widest bundle."""
    colours = palette_of(theme)
    along = pocket / np.hypot(*pocket)
    aside = np.array([-along[1], along[0]])
    start, end = 5.4 * equipment.largest_man_radius, np.hypot(*pocket) - 0.9 * equipment.pocket_radius
    width = 2.4 * equipment.pocket_radius * widths
    ends = np.cumsum([-0.5 * width.sum(), *width])
    rim = 0.02 * equipment.pocket_radius
    strips = [(ends[0] - rim, ends[-1] + rim, "disc_edge")]
    strips += [(*pair, kind) for pair, kind in zip(pairwise(ends), ("white", "black", "queen", "striker"), strict=True)]
    corners = [
        (np.array([[start, left], [start, right], [end, right], [end, left]]), kind) for left, right, kind in strips
    ]
    draw_shapes(ax, [Outline(points @ np.array([along, aside]), kind) for points, kind in corners], colours, 2.0)


def _shares(seen: IntArray, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give shares of n and the ends of their intervals in per cent, (k,) each."""
    low, high = wilson(seen, n, LEVEL)
    return 100.0 * seen / n, 100.0 * low, 100.0 * high
