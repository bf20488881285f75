"""The plot of a shot study: how often the man falls, by what varied and by skill."""

from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.stats import wilson
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.counting.sensitivity import Split, declared_splits
from carromsim.studies.shots.summary import SHOWN, cells_of
from carromsim.viz.plots.reading import once
from carromsim.viz.plots.style import SERIES, begin, label_ends, readable, say, titled
from carromsim.viz.plots.subject import asked, counted, study_of
from carromsim_kernels.state import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.runs.reading import Run

__all__ = ["success", "varied"]

_PARTS = 12
"""Equal parts into which a distribution is cut."""


def varied(run: "Run") -> list[str]:
    """List what varied in a run of a shot study, the cut first, then the way of the man and the speed."""
    names = [split.key for split in declared_splits(study_of(run, "shot").parameters)]
    first = [name for name in ("cut", "distance", "speed") if name in names]
    return first + [name for name in names if name not in first]


def success(run: "Run", against: str | None = None, *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw how often the man falls, by skill, with 95 % Wilson intervals.

    Parameters
    ----------
    run : Run
        Of a shot study.
    against : str, optional
        What varied: "cut", "distance", "speed" or another field of the study; default: the first that did. Grid values
        each have a point, a distribution has one for each twelfth of it. Of a study in which nothing varied there is
        one point for each skill.
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
        If that did not vary.
    """
    names = varied(run)
    if against is not None and against not in names:
        what = f"must be one of {', '.join(map(repr, names))}" if names else "nothing varied in this study"
        raise ValueError(f"against = {against!r}: {what}")
    ax = begin(ax, theme)
    if not names:
        _by_skill(run, ax, theme)
        return ax
    key = against or names[0]
    split = _split(run, key)
    cells = _cells(run, key)
    strokes = int(cells[..., 0].sum())
    kind = "value" if split.values else f"bin of about {int(np.median(cells[..., 0])):,} strokes"
    bands = f"bands: {100.0 * LEVEL:g} % Wilson intervals, each {kind} for itself"
    told = f"{asked(run)}\n{counted(strokes, 'strokes')}{_left_out(run)}; {bands}"
    titled(ax, f"The man falls, by {SHOWN[key][0]}", told, theme)
    if not strokes:
        say(ax, "No stroke has an outcome", theme)
        return ax
    _curves(ax, split, cells, study_of(run, "shot").labels, theme)
    return ax


def _left_out(run: "Run") -> str:
    """Say how many strokes could not be played, if any."""
    lost = run.summary().counts.lost
    return f", {lost:,} left out" if lost else ""


def _split(run: "Run", key: str) -> Split:
    """Say how the rows are cut by what varied."""
    return next(each for each in declared_splits(study_of(run, "shot").parameters, _PARTS) if each.key == key)


@once
def _cells(run: "Run", key: str) -> IntArray:
    """Count strokes and successes by bin of what varied and skill, (bins, skills, 2), part by part."""
    split = _split(run, key)
    skills = len(study_of(run, "shot").skill)
    cells = np.zeros((split.bins, skills, 2), np.int64)
    for batch in run.batches():
        cells += cells_of(batch, split, skills)
    return cells


def _curves(ax: "Axes", split: Split, cells: IntArray, labels: tuple[str, ...], theme: str) -> None:
    """Draw a line and a band for each skill."""
    words, scale, unit = SHOWN[split.key]
    x = scale * np.array(split.middles)
    ends = []
    for number, label in enumerate(labels):
        colour = SERIES[number % len(SERIES)]
        strokes, hits = cells[:, number].T
        there = strokes > 0
        share, low, high = _shares(hits[there], strokes[there])
        ax.fill_between(x[there], low, high, color=colour, alpha=0.25, linewidth=0.0)
        ax.plot(x[there], share, "o-", color=colour, markersize=3.5, linewidth=1.5, label=label)
        if there.any():
            ends.append((float(share[-1]), label, readable(colour, theme)))
    ax.set(xlabel=f"{words} [{unit}]" if unit else words, ylabel="man falls [% of strokes]", ylim=(0.0, 100.0))
    ax.grid(axis="y", color=palette_of(theme).rule, linewidth=0.6)
    label_ends(ax, ends)


def _by_skill(run: "Run", ax: "Axes", theme: str) -> None:
    """Draw a point with its interval for each skill of a study in which nothing varied."""
    study, seen = study_of(run, "shot"), run.summary().counts.seen
    titled(ax, "The man falls", f"{asked(run)}\n{counted(int(seen[:, 0].sum()), 'strokes')}{_left_out(run)}", theme)
    if not seen[:, 0].any():
        say(ax, "No stroke has an outcome", theme)
        return
    share, low, high = _shares(seen[:, 1], seen[:, 0])
    for place, colour in zip(range(len(share)), SERIES * len(share), strict=False):
        ends = [[share[place] - low[place]], [high[place] - share[place]]]
        ax.errorbar([place], [share[place]], ends, fmt="o", color=colour, capsize=4.0, markersize=6.0)
    ax.set_xticks(range(len(share)), study.labels, parse_math=False)
    ax.set(xlim=(-0.6, len(share) - 0.4), ylim=(0.0, 100.0), ylabel="man falls [% of strokes]", xlabel="skill")
    ax.grid(axis="y", color=palette_of(theme).rule, linewidth=0.6)


def _shares(hits: IntArray, strokes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give shares and the ends of their intervals in per cent, (n,) each; NaN of no stroke."""
    low, high = wilson(hits, strokes, LEVEL)
    share = np.divide(hits, strokes, out=np.full(len(hits), np.nan), where=strokes > 0)
    return 100.0 * share, 100.0 * low, 100.0 * high
