"""Plots of studies of players: how long boards or matches last, and how they end."""

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.play.records import Ended
from carromsim.stats import wilson
from carromsim.studies.counting.frequencies import LEVEL, frequency
from carromsim.tables.batches import values_of
from carromsim.viz.plots.style import SERIES, begin, readable, say, titled
from carromsim.viz.plots.subject import asked, study_of
from carromsim_kernels.state import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.counting.tally import Tally
    from carromsim.studies.runs.reading import Run

__all__ = ["lengths", "scores"]

_SIDE = 40
"""Bars of either side of what a board brings, at most."""
_BARS = 45
"""Bars of a distribution, about."""


def lengths(run: "Run", what: str = "strokes", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw how long boards or matches last: all values, the median, and from where to where 90 % of them lie.

    Parameters
    ----------
    run : Run
        Of a board or match study.
    what : str
        What is measured of each: "strokes", "seconds", of boards also "turns", of matches also "boards" and "games".
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
        If that is not measured.
    """
    counts = _summary(run).counts
    allowed = [each for each in ("strokes", "turns", "games", "boards", "seconds") if each in counts.measured]
    if what not in allowed:
        raise ValueError(f"what = {what!r}: must be one of {', '.join(map(repr, allowed))}")
    each, unit = counts.noun.removesuffix("es" if counts.noun == "matches" else "s"), counts.measured[what][0]
    ax = begin(ax, theme)
    titled(ax, f"How long a {each} lasts: {unit}", _of(run), theme)
    if not counts.finished:
        say(ax, f"The rules ended none of {counts.rows:,} {counts.noun}", theme)
        return ax
    tally = counts.tallies[what]
    edges, bars = tally.histogram(_BARS)
    share = 100.0 * bars / tally.n
    ax.bar(edges[:-1], share, np.diff(edges), align="edge", color=SERIES[0], edgecolor=palette_of(theme).paper)
    width = f" in bars of {edges[1] - edges[0]:g}" if edges[1] - edges[0] != 1.0 else ""
    ax.set(xlabel=unit, ylabel=f"{counts.noun} ended by the rules [%]{width}", ylim=(0.0, 1.28 * share.max()))
    _quantiles(ax, tally, theme)
    return ax


def scores(run: "Run", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw how boards or matches end: points that a board brings either side, or games won by both sides of a match.

    Parameters
    ----------
    run : Run
        Of a board or match study.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default: a new figure.
    theme : str
        "light" or "dark".

    Returns
    -------
    matplotlib.axes.Axes
    """
    counts = _summary(run).counts
    ax = begin(ax, theme)
    matches = counts.noun == "matches"
    titled(ax, "Games won in a match" if matches else "What a board brings, and to whom", _of(run), theme)
    if not counts.finished:
        say(ax, f"The rules ended none of {counts.rows:,} {counts.noun}", theme)
    elif matches:
        _games(ax, run, theme)
    else:
        _points(ax, counts, theme)
    return ax


def _summary(run: "Run") -> Any:
    study_of(run, "board", "match")
    return run.summary()


def _of(run: "Run") -> str:
    """Say of what a plot is, and how much of it the rules ended."""
    counts = _summary(run).counts
    left = counts.rows - counts.finished
    void = f"; {left:,} more were not ended by them" if left else ""
    return f"{asked(run)}\nn = {counts.finished:,} {counts.noun} ended by the rules{void}"


def _quantiles(ax: "Axes", tally: "Tally", theme: str) -> None:
    """Mark the median, and the 5 % and the 95 % quantile."""
    colours = palette_of(theme)
    low, middle, high = (tally.quantile(p) for p in (0.05, 0.5, 0.95))
    top = ax.get_ylim()[1]
    ax.plot([low, high], [0.90 * top] * 2, "|-", color=colours.ink, linewidth=1.2, markersize=8.0)
    ax.plot([middle], [0.90 * top], "o", color=colours.ink, markersize=5.0)
    ax.annotate(
        f"median {middle:,.0f}, 90 % from {low:,.0f} to {high:,.0f}", (0.5, 0.90 * top), xytext=(0.0, 7.0),
        xycoords=("axes fraction", "data"), textcoords="offset points", ha="center", fontsize=8.0, color=colours.ink,
    )  # fmt: skip


def _points(ax: "Axes", counts: Any, theme: str) -> None:
    """Draw the points that a board brings, those of the side that begins to the right, of the other to the left."""
    colours, n = palette_of(theme), counts.finished
    gained, most = 0, max(counts.tallies[f"points_{side}"].quantile(1.0) for side in ("breaker", "other"))
    wide = 2 ** max(math.ceil(math.log2(max(most, 1.0) / _SIDE)), 0)
    sides = (("breaker", 1.0, SERIES[0], 1.0, "side that begins"), ("other", -1.0, SERIES[1], 0.0, "other side"))
    for side, sign, colour, place, words in sides:
        points, seen = _positive(counts.tallies[f"points_{side}"], wide)
        gained += int(seen.sum())
        _bars(ax, sign * points, seen, n, colour, theme, wide)
        won, low, high = (100.0 * value for value in frequency(counts.over[f"won_{side}"], n))
        ax.annotate(
            f"{words} wins\n{won:.1f} % ({low:.1f} to {high:.1f})", (place, 1.0),
            xytext=(-6.0 if place else 8.0, -4.0), va="top", ha="right" if place else "left",
            xycoords="axes fraction", textcoords="offset points", fontsize=8.0, color=readable(colour, theme),
        )  # fmt: skip
    if n > gained:
        _bars(ax, np.zeros(1), np.array([n - gained]), n, colours.muted, theme)
    ax.set_xlabel("points: of the other side (left), nobody's (0), of the side that begins (right)")
    bars = f" in bars of {wide}" if wide > 1 else ""
    ax.set_ylabel(f"boards ended by the rules [%]{bars}, {100.0 * LEVEL:g} % intervals")
    reach = max(abs(end) for end in ax.get_xlim())
    ax.set(xlim=(-reach, reach), ylim=(0.0, 1.3 * ax.get_ylim()[1]))
    ax.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")


def _games(ax: "Axes", run: "Run", theme: str) -> None:
    """Draw how often each result of a match was seen."""
    seen: Counter[tuple[int, int]] = Counter()
    for batch in run.batches():
        ended = values_of(batch, "ended") == Ended.RULES
        sides = (values_of(batch, f"games_won_side_{side}")[ended].tolist() for side in (0, 1))
        seen.update(zip(*sides, strict=True))
    results = sorted(seen, key=lambda result: (result[1] - result[0], result))
    n = sum(seen.values())
    for place, (one, other) in enumerate(results):
        colour = palette_of(theme).muted if one == other else SERIES[0] if one > other else SERIES[1]
        _bars(ax, np.array([place]), np.array([seen[one, other]]), n, colour, theme)
    ax.set_xticks(range(len(results)), [f"{one} : {other}" for one, other in results])
    ax.set_xlabel("games won, side 0 : side 1")
    ax.set_ylabel(f"matches ended by the rules [%], {100.0 * LEVEL:g} % intervals")
    ax.set_ylim(0.0, 1.1 * ax.get_ylim()[1])


def _positive(tally: "Tally", wide: int) -> tuple[FloatArray, IntArray]:
    """Give whole values above 0 in bars as wide as a power of two, as far as any was seen: middles and counts, (k,)."""
    edges, counts = tally.histogram(10**6)
    there = (counts > 0) & (edges[:-1] > 0)
    bar, where = np.unique(edges[:-1][there].astype(np.int64) // wide, return_inverse=True)
    seen = np.bincount(where, counts[there], len(bar)).astype(np.int64)
    return np.asarray(wide * bar + (wide - 1) / 2.0, np.float64), seen


def _bars(ax: "Axes", x: FloatArray, seen: IntArray, n: int, colour: str, theme: str, wide: int = 1) -> None:
    """Draw shares of n as bars with their intervals."""
    share = 100.0 * seen / n
    low, high = (100.0 * end for end in wilson(seen, n, LEVEL))
    ax.bar(x, share, 0.82 * wide, color=colour)
    ends = np.maximum([share - low, high - share], 0.0)
    ax.errorbar(x, share, ends, fmt="none", ecolor=palette_of(theme).ink, elinewidth=0.9, capsize=1.5)
