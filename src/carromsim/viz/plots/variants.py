"""The plot of a variant study: each variant less the baseline, with its interval."""

import math
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.variants.report import NOUNS, number
from carromsim.studies.variants.summary import HEADLINES
from carromsim.viz.plots.style import SERIES, begin, readable, say, titled
from carromsim.viz.plots.subject import asked, study_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.counting.pairs import MetricDifference
    from carromsim.studies.runs.reading import Run

__all__ = ["forest", "forest_size", "headlines"]


_NAME = 20
"""Characters of a line of a variant's name."""


def headlines(run: "Run") -> tuple[str, ...]:
    """Give the metrics of a variant study that are looked at first."""
    return HEADLINES[study_of(run, "variants").unit]


def forest_size(variants: int) -> tuple[float, float]:
    """Give the size of a figure with a line for each variant but the baseline [inches]."""
    return 6.0, 1.9 + 0.34 * max(variants, 2)


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
    ax = begin(ax, theme, forest_size(len(found)))
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


def _rows(ax: "Axes", found: "dict[str, MetricDifference]", baseline: str, theme: str) -> None:
    """Draw a line for each variant, the first at the top, its numbers at the right."""
    colours = palette_of(theme)
    share = next(iter(found.values())).share
    scale = 100.0 if share else 1.0
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
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=8.0,
            color=readable(colour, theme), fontweight="bold" if each.found else "normal", annotation_clip=False,
        )  # fmt: skip
    ax.set_yticks(range(len(found)), ["\n".join(wrap(name, _NAME)) for name in found], parse_math=False)
    ax.set_ylim(len(found) - 0.4, -0.6)
    ax.set_xlabel(
        f"difference from {baseline}{' [percentage points]' if share else ''}, {100.0 * LEVEL:g} % intervals\n"
        "filled: found, corrected for all comparisons of the study",
        parse_math=False,
    )
    ax.grid(axis="x", color=colours.rule, linewidth=0.6)
