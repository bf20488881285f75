"""Plots of a break study: where men end, into which pockets they fall, and how many."""

from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE
from carromsim.studies.breaks.summary import groups
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.stats import wilson
from carromsim.tables.batches import rows_where, values_of
from carromsim.tables.schemas import POCKET_NAMES
from carromsim.viz.plots.style import SERIES, begin, colours_of, ramp, say, titled
from carromsim.viz.plots.subject import asked, counted
from carromsim_kernels.state import FloatArray, IntArray, Status

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.runs.reading import Run

__all__ = ["final_positions", "men_pocketed", "pocket_flow"]

_CELLS = 72
"""Cells of the finest map along a side; two, three or four of them make one where there are few positions."""
_ENOUGH = 20
"""Positions of a cell, on average, from which on the map is told from noise."""
_COLOURS = ("white", "black", "queen", "striker")


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
    summary, colours = run.summary(), colours_of(theme)
    counts, n = summary.counts.n_pocketed, summary.counts.ok
    ax = begin(ax, theme)
    titled(ax, "Men and queen that a break pockets", f"{asked(run)}\n{counted(n, 'strokes')}", theme)
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
    mean, least, most = summary.mean_pocketed()
    ax.text(
        0.99, 0.97, f"mean {mean:.3f} ({least:.3f} to {most:.3f})\n{100.0 * LEVEL:g} % intervals",
        transform=ax.transAxes, ha="right", va="top", fontsize=8.0, color=colours.ink,
    )  # fmt: skip
    ax.set_xticks(number)
    ax.set(xlabel="men and queen pocketed in one stroke", ylabel="strokes [%]", ylim=(0.0, 1.1 * high.max()))
    return ax


def _shares(seen: IntArray, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give shares of n and the ends of their intervals in per cent, (k,) each."""
    low, high = wilson(seen, n, LEVEL)
    return 100.0 * seen / n, 100.0 * low, 100.0 * high
