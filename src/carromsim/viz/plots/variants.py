"""The plot of a variant study: each variant less the baseline, with its interval."""

import math
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.variants.report import NOUNS, number
from carromsim.studies.variants.summary import HEADLINES
from carromsim.viz.plots.style import SERIES, begin, readable, room_of, say, titled
from carromsim.viz.plots.subject import asked, study_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from matplotlib.axes import Axes

    from carromsim.studies.counting.pairs import MetricDifference
    from carromsim.studies.runs.reading import Run

__all__ = ["forest", "forest_size", "headlines"]


_NAME = 20
"""Characters of a line of a variant's name."""
_AROUND = 1.9
"""Height of what is above and below the rows [inches]."""


def headlines(run: "Run") -> tuple[str, ...]:
    """Give the metrics of a variant study that are looked at first."""
    return HEADLINES[study_of(run, "variants").unit]


def forest_size(names: "Collection[str]") -> tuple[float, float]:
    """Give the size of a figure with a row for each variant but the baseline [inches]."""
    return 6.0, _AROUND + max(0.34, 0.14 * _lines(names) + 0.06) * max(len(names), 2)


def forest(run: "Run", metric: str | None = None, *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw the paired difference of each variant from the baseline, with its 95 % interval.

    Filled: the difference is found, by the p-value that is corrected for all comparisons of the study.

    Parameters
    ----------
    run : Run
        Of a variant study.
    metric : str, optional
        What is compared, such as "points"; default: how often the side that begins wins.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: a new figure.
    theme : str
        "light" or "dark".

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the study has no such metric.
    """
    study, summary = study_of(run, "variants"), run.summary()
    key = metric or headlines(run)[0]
    if key not in summary.metrics:
        raise ValueError(f"metric = {key!r}: must be one of {', '.join(map(repr, summary.metrics))}")
    found = {name: told[key] for name, told in summary.differences.items() if told[key].rows_a}
    ax = begin(ax, theme, forest_size(found))
    words = summary.metrics[key].words
    longest = max((len(line) for name in found for line in wrap(name, _NAME)), default=0)
    title = f"{words[0].upper()}{words[1:]}, compared with {study.baseline}"
    titled(ax, title, _asked(run, found), theme, beside=0.25 + 0.07 * longest)
    shown = {name: each for name, each in found.items() if math.isfinite(each.low) and math.isfinite(each.high)}
    if not shown:
        say(ax, f"No two {NOUNS[study.unit]} of the same number were ended by the rules yet", theme)
        return ax
    _rows(ax, shown, study.baseline, theme)
    return ax


def _asked(run: "Run", found: "dict[str, MetricDifference]") -> str:
    pairs = [each.rows_a for each in found.values()]
    span = " to ".join(f"{n:,}" for n in sorted({min(pairs, default=0), max(pairs, default=0)}))
    return f"{asked(run)}\nn = {span} pairs with the same luck"


def _lines(names: "Collection[str]") -> int:
    """Give the lines of the name that has most."""
    return max((len(wrap(name, _NAME)) for name in names), default=1)


def _rows(ax: "Axes", found: "dict[str, MetricDifference]", baseline: str, theme: str) -> None:
    """Draw a line for each variant, the first at the top, its numbers at the right."""
    colours = palette_of(theme)
    share = next(iter(found.values())).share
    scale = 100.0 if share else 1.0
    row = 72.0 * (room_of(ax)[1] - _AROUND) / len(found)
    size, small = (float(np.clip(row / (1.25 * lines), 4.0, 8.0)) for lines in (1, _lines(found)))
    ax.axvline(0.0, color=colours.muted, linewidth=1.0)
    for place, (name, each) in enumerate(found.items()):
        colour = SERIES[0] if each.found else colours.muted
        ends = scale * np.array([[each.difference - each.low], [each.high - each.difference]])
        ax.errorbar(
            [scale * each.difference], [place], xerr=ends, fmt="s", color=colour, capsize=3.0, markersize=6.0,
            markerfacecolor=colour if each.found else colours.paper, label=name,
        )  # fmt: skip
        told = [number(value, share, sign=True) for value in (each.difference, each.low, each.high)]
        ax.annotate(
            f"{told[0]}  ({told[1]} to {told[2]})", (1.0, place), xytext=(6.0, 0.0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=size,
            color=readable(colour, theme), fontweight="bold" if each.found else "normal", annotation_clip=False,
        )  # fmt: skip
    ax.set_yticks(range(len(found)), ["\n".join(wrap(name, _NAME)) for name in found], parse_math=False)
    ax.tick_params(axis="y", labelsize=small)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.set_xlabel(
        f"difference from {baseline}{' [percentage points]' if share else ''}, {100.0 * LEVEL:g} % intervals\n"
        "filled: found, corrected for all comparisons of the study",
        parse_math=False,
    )
    ax.grid(axis="x", color=colours.rule, linewidth=0.6)
