"""The plot of how a result settles as rows come in, with bounds that hold at all rows at once."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.problems import did_you_mean
from carromsim.stats import asymptotic_mean, beta_binomial, student, wilson
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.counting.metrics import Metric
from carromsim.studies.counting.stopping import EVEN, Evidence
from carromsim.viz.plots.reading import once
from carromsim.viz.plots.style import SERIES, begin, label_ends, readable, say, titled
from carromsim.viz.plots.subject import asked
from carromsim_kernels.state import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from carromsim.studies.counting.stopping import Until
    from carromsim.studies.runs.reading import Run

__all__ = ["convergence"]

_LOOKS = 240
"""Numbers of rows at which the estimate is drawn, ten rows first and then in equal ratios."""
_FIRST = {"break": "any", "shot": "success", "board": "won_breaker", "match": "won_side_0"}
"""What is drawn if nothing is asked for, by kind of study."""


def convergence(run: "Run", metric: str | None = None, *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw the running estimate of a metric with bounds that may be looked at after every row.

    The band is a confidence sequence: with its level it covers the truth at all numbers of rows at once, so it may be
    watched and stopped by. The bar at the right is the interval of the final number of rows, had it been fixed
    beforehand: shorter, and wrong for a run that was stopped because of what was seen.

    Parameters
    ----------
    run : Run
        Of a study that has metrics: all but a search.
    metric : str, optional
        A key of the study's metrics; default: that of its `until`, else the main one.
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
        If the study has no such metric, or none at all.
    """
    watched = _Watched(run, metric)
    rows, found = _looks(run, watched.key, watched.other)
    ax = begin(ax, theme)
    n = found[-1].n if found else 0
    titled(
        ax, f"How the estimate settles: {watched.words}", f"{asked(run)}\nn = {n:,} rows that are trials of it", theme
    )
    if not n:
        say(ax, f"No row is a trial of {watched.key} yet", theme)
        return ax
    _draw(ax, watched, rows, found, theme)
    return ax


class _Watched:
    """What is watched in a run: a metric, or one against another as its `until` says."""

    def __init__(self, run: "Run", metric: str | None) -> None:
        study: Any = run.study
        until: Until | None = study.until
        metrics = study.metrics
        if not metrics:
            raise ValueError(f"run: must be of a study with metrics, the rows of kind {study.kind} are no trials")
        self.run = run
        self.key = metric or (until.metric if until else _main(study))
        if self.key not in metrics:
            raise ValueError(f"metric = {self.key!r}: {did_you_mean(self.key, metrics)}")
        self.metric: Metric = metrics[self.key]
        self.until = until if until is not None and until.metric == self.key else None
        against = self.until.against if self.until else None
        self.other = against if isinstance(against, str) else None
        self.words = self.metric.words
        if self.other is not None:
            self.words = f"{self.key} of rows that are {self.key} or {self.other}, not both"
        self.level = self.until.level if self.until else LEVEL
        self.wish = EVEN if self.other else against if isinstance(against, float) else None

    @property
    def scale(self) -> float:
        """By which values are multiplied for people: shares are read in per cent."""
        return 100.0 if self.metric.is_share else 1.0

    def bounds(self, found: list[Evidence]) -> tuple[FloatArray, FloatArray]:
        """Give the ends of the confidence sequence, (n,) each, in the metric's unit; infinite where it says nothing."""
        n, total = np.array([each.n for each in found]), np.array([float(each.total) for each in found])
        if self.metric.steps is None:
            tuned = self.until.tuned(self.run.study.rows) if self.until else {}
            return beta_binomial(total, n, self.level, **tuned)
        variance = np.array([each.variance for each in found]) / self.metric.steps**2
        return asymptotic_mean(n, total / np.maximum(n, 1) / self.metric.steps, variance, self.level)

    def fixed(self, last: Evidence) -> tuple[float, float]:
        """Give the interval of the final number of rows as if it had been fixed beforehand."""
        if self.metric.steps is None:
            low, high = wilson(last.total, last.n, self.level)
        else:
            low, high = student(last.n, last.mean(self.metric), last.variance / self.metric.steps**2, self.level)
        return float(low), float(high)


@once
def _looks(run: "Run", key: str, other: str | None) -> tuple[IntArray, list[Evidence]]:
    """Give numbers of rows, ascending, and what was known of a metric after so many; read part by part.

    Of a metric against another one rows count that are one and not the other.
    """
    metric = run.study.metrics[key]
    stops = np.unique(np.geomspace(10, max(run.study.rows, 10), _LOOKS).astype(np.int64))
    rows, found, done, known = [], [], 0, Evidence.none()
    for batch in run.batches():
        observed = run.study.observed(batch)
        values = observed[key] if other is None else np.where(observed[key] != observed[other], observed[key], np.nan)
        inside = stops[(stops > done) & (stops <= done + len(values))] - done
        *whole, rest = np.split(values, inside)
        for part in whole:
            known, done = known.add(Evidence.seen(metric, part)), done + len(part)
            rows.append(done)
            found.append(known)
        known, done = known.add(Evidence.seen(metric, rest)), done + len(rest)
    if done and done not in rows[-1:]:
        rows.append(done)
        found.append(known)
    return np.array(rows, np.int64), found


def _main(study: Any) -> str:
    """Give the metric that is drawn of a study that names none."""
    if study.kind == "variants":
        return next(str(key) for key in study.metrics if key.startswith(f"{study.baseline}:won_"))
    return next(str(key) for key in study.metrics if key.startswith(_FIRST[study.kind]))


def _draw(ax: "Axes", watched: _Watched, rows: IntArray, found: list[Evidence], theme: str) -> None:
    """Draw the estimate, the band around it, the fixed interval at the end, and what was wished for."""
    colours, scale, last = palette_of(theme), watched.scale, found[-1]
    estimate = scale * np.array([each.mean(watched.metric) for each in found])
    low, high = (scale * end for end in watched.bounds(found))
    known = np.isfinite(low) & np.isfinite(high)
    ax.fill_between(rows[known], low[known], high[known], color=SERIES[0], alpha=0.22, linewidth=0.0)
    ax.plot(rows, estimate, color=SERIES[0], linewidth=1.5)
    ax.set_xscale("log")
    end = scale * last.mean(watched.metric)
    least, most = watched.fixed(last)
    fixed = (scale * least, scale * most)
    if all(map(math.isfinite, fixed)):
        ends = np.maximum([[end - fixed[0]], [fixed[1] - end]], 0.0)
        ax.errorbar([rows[-1]], [end], ends, fmt="o", color=SERIES[1], markersize=4.0, capsize=4.0, clip_on=False)
    ax.set_xlim(min(rows[0], rows[-1] / 2.0), rows[-1])  # of very few rows there is one look
    ax.set_ylim(*_window(rows, estimate, low, high, watched.metric.is_share))
    ax.set_xlabel("rows so far")
    ax.set_ylabel("share of rows [%]" if watched.metric.is_share else watched.words, parse_math=False)
    ax.grid(axis="y", color=colours.rule, linewidth=0.6)
    _wish(ax, watched, end, theme)
    _labels(ax, watched, end, (float(low[-1]), float(high[-1])), fixed, theme)


def _window(
    rows: IntArray, estimate: FloatArray, low: FloatArray, high: FloatArray, share: bool
) -> tuple[float, float]:
    """Give the part of the axis that is worth seeing: where the bounds are after a fiftieth of the rows."""
    late = rows >= rows[-1] / 50.0
    seen = np.concatenate([estimate[late], low[late], high[late]])
    seen = seen[np.isfinite(seen)]
    room = 0.08 * (seen.max() - seen.min()) or max(0.1 * abs(float(seen.max())), 1e-9)
    least, most = float(seen.min() - room), float(seen.max() + room)
    return (max(least, -1.0), min(most, 101.0)) if share else (least, most)


def _wish(ax: "Axes", watched: _Watched, end: float, theme: str) -> None:
    """Draw what the study wants to know: within which distance, or told from what."""
    until, muted = watched.until, palette_of(theme).muted
    if until is not None and until.half_width is not None:
        half = watched.scale * until.half_width
        lines, words = [end - half, end + half], f"wanted: to within {half:g}"
    elif watched.wish is not None:
        lines = [watched.scale * watched.wish]
        words = f"wanted: told from {lines[0]:g}"
    else:
        return
    for line in lines:
        ax.axhline(line, color=muted, linewidth=1.0, linestyle=":")
    ax.annotate(
        words, (0.01, lines[-1]), xycoords=("axes fraction", "data"), xytext=(0.0, 2.0), textcoords="offset points",
        fontsize=7.5, color=muted,
    )  # fmt: skip


def _labels(
    ax: "Axes", watched: _Watched, end: float, band: tuple[float, float], fixed: tuple[float, float], theme: str
) -> None:
    """Say beside the ends what they are."""
    digits = ".2f" if watched.metric.is_share else ".4g"
    unit = " %" if watched.metric.is_share else ""
    level = f"{100.0 * watched.level:g} %"
    labels = [(end, f"{end:{digits}}{unit}", readable(SERIES[0], theme))]
    told = (("at all rows", band, band[1], SERIES[0]), ("had n been fixed", fixed, fixed[0], SERIES[1]))
    for words, (low, high), place, colour in told:
        if math.isfinite(low) and math.isfinite(high):
            labels.append((place, f"{level}, {words}\n{low:{digits}} to {high:{digits}}", readable(colour, theme)))
    label_ends(ax, labels, apart=0.13)
