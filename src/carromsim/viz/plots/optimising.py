"""Plots of a search for a break: where good ones lie, what the best hangs on, what two terms cost each other."""

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.drawing.palette import palette_of
from carromsim.studies.counting.frequencies import LEVEL
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.optimising.report import UNITS, in_unit
from carromsim.viz.plots.style import SERIES, bar_beside, begin, label_ends, mixed, ramp, readable, say, titled
from carromsim.viz.plots.subject import asked, study_of
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from carromsim.studies.optimising.records import Evaluation
    from carromsim.studies.optimising.summary import Known
    from carromsim.studies.runs.reading import Run

__all__ = ["front", "optimum", "sensitivity_map"]

_USUAL = ("aim", "speed")
"""Coordinates that are drawn of a search without a map: where the pack is met, and how hard."""


def optimum(
    run: "Run", coordinates: "Sequence[str] | None" = None, *, ax: "Axes | None" = None, theme: str = "light"
) -> "Axes":
    """Draw the evaluated breaks of a search over two of their coordinates, the winner and the straight break marked.

    Parameters
    ----------
    run : Run
        Of a search for one best break.
    coordinates : two of str, optional
        Of "x", "aim", "speed", "spin" and, if the pack may be turned, "rotation"; default: the two along which the
        objective varies most in the map around the winner.
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
        If these are no two coordinates of the search, or it trades two terms off; see `front`.
    """
    study, summary = _searched(run), run.summary()
    names = tuple(coordinates) if coordinates is not None else _telling(summary)
    if len(set(names)) != 2 or not set(names) <= set(study.space.names):
        allowed = ", ".join(map(repr, study.space.names))
        raise ValueError(f"coordinates = {coordinates!r}: must be two of {allowed}")
    ax = begin(ax, theme)
    tried = [each for stage in (Stage.SCOUT, Stage.SEARCH) for each in summary.of(stage) if each.objective is not None]
    told = f"{asked(run)}\nn = {len(tried):,} breaks of {study.strokes:,} strokes each"
    best = None if summary.winner is None else summary.worth(summary.winner)
    if best is not None:
        told += f"\nwinner: {_words(best)}, of {study.verdict_strokes:,} fresh strokes"
    titled(ax, f"Where the best break lies: {_objective(study)}", told, theme)
    if not tried:
        say(ax, "No break was evaluated yet", theme)
        return ax
    _scatter(ax, tried, names, theme)
    for name, axis in zip(names, (ax.xaxis, ax.yaxis), strict=True):
        axis.set_label_text(_label(name))
    marks = {"straight break": study.space.straight(study.straight_speed)}
    if best is not None:
        marks[f"winner: {best.estimate:.3f}"] = summary.winner
    places = np.array([[UNITS[name][1] * getattr(each, name) for name in names] for each in marks.values()])
    _marks(ax, list(marks), places, theme)
    if summary.winner is None:
        ink = palette_of(theme).ink
        ax.text(0.99, 0.01, "no verdict yet", transform=ax.transAxes, ha="right", fontsize=8.0, color=ink)
    return ax


def sensitivity_map(run: "Run", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw what the objective is around the winner, one coordinate changed at a time, with 95 % intervals.

    Parameters
    ----------
    run : Run
        Of a search for one best break.
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
        If the search trades two terms off: it has no winner; see `front`.
    """
    study, summary = _searched(run), run.summary()
    ax = begin(ax, theme)
    around, winner = summary.of(Stage.MAP), summary.winner
    n = f"n = {study.map_strokes:,} strokes for each point, with the same luck"
    titled(ax, f"Around the winner: {_objective(study)}", f"{asked(run)}\n{n}", theme)
    if winner is None or not around:
        say(ax, "The study asks for no map" if not study.map_points else "The map was not played yet", theme)
        return ax
    colours, ends = palette_of(theme), []
    for number, (name, (low, high)) in enumerate(study.space.ranges().items()):
        here = [each for each in around if each.varied == name]
        if not here:
            continue
        x = np.array([100.0 * (float(each.value or 0.0) - getattr(winner, name)) / (high - low) for each in here])
        mean, least, most = np.array([summary.worth(each) for each in here]).T
        colour = SERIES[number % len(SERIES)]
        ax.fill_between(x, least, most, color=colour, alpha=0.18, linewidth=0.0)
        ax.plot(x, mean, "o-", color=colour, markersize=3.0, linewidth=1.4, label=name)
        step = f"{in_unit(name, 0.1 * (high - low), 2)} {UNITS[name][0]}"
        ends.append((float(mean[-1]), f"{name} (10 % = {step})", readable(colour, theme)))
    ax.axvline(0.0, color=colours.muted, linewidth=0.8)
    ax.axhline(summary.worth(winner).estimate, color=colours.muted, linewidth=0.8, linestyle=":")
    ax.set_xlabel("off the winner [% of the range that is searched]")
    ax.set_ylabel(f"{_objective(study)}, {100.0 * LEVEL:g} % intervals")
    ax.grid(axis="y", color=colours.rule, linewidth=0.6)
    ax.margins(x=0.0)
    label_ends(ax, ends)
    return ax


def front(run: "Run", *, ax: "Axes | None" = None, theme: str = "light") -> "Axes":
    """Draw what two terms of an objective cost each other: breaks that none beats in both, with 95 % intervals.

    Parameters
    ----------
    run : Run
        Of a search that trades two terms off.
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
        If the search is for one best break.
    """
    study, summary = study_of(run, "optimise"), run.summary()
    if not study.pareto:
        raise ValueError("run: must be of a search that trades two terms off (pareto = true); see optimum")
    ax = begin(ax, theme)
    terms = list(study.objective)
    n = f"n = {study.verdict_strokes:,} fresh strokes for each of the front (filled: none beats it; hollow: one does)"
    tried = [each for stage in (Stage.SCOUT, Stage.SEARCH) for each in summary.of(stage) if each.n]
    verdict = summary.of(Stage.VERDICT)
    known = np.array([[summary.worth(each, term).estimate for term in terms] for each in tried])
    worth = np.array([[summary.worth(each, term) for term in terms] for each in verdict])
    told = f"{asked(run)}\n{n}\nn = {study.strokes:,} for each of the search (pale)"
    if len(worth):
        outside = _frame(ax, worth, known)
        told += f", {outside:,} of its {len(known):,} breaks lie outside" if outside else ""
    titled(ax, f"What {terms[0]} and {terms[1]} cost each other", told, theme)
    if not tried:
        say(ax, "No break was evaluated yet", theme)
        return ax
    colours = palette_of(theme)
    # The shares of few strokes have few values: full dots would be rows of beads in front of what matters.
    ax.plot(*known.T, "o", color=colours.muted, alpha=0.3, markersize=3.0, markeredgewidth=0.0, zorder=1.5)
    if len(worth):
        _best(ax, study, worth[np.array(summary.undominated)][:, :, 0], colours.muted)
    for each, good, found in zip(verdict, summary.undominated, worth, strict=True):
        colour = SERIES[1] if each.origin == "straight" else SERIES[0]
        _cross(ax, found, colour, colour if good else colours.paper)
        if each.origin == "straight":
            _tag(ax, "straight break", found[:, 0], readable(colour, theme), theme)
    better = {1.0: "more is better", -1.0: "less is better"}
    for term, axis in zip(terms, (ax.xaxis, ax.yaxis), strict=True):
        axis.set_label_text(f"{term}, mean of a stroke ({better[float(np.sign(study.objective[term]))]})")
    if not len(worth):
        ax.text(0.99, 0.01, "no verdict yet", transform=ax.transAxes, ha="right", fontsize=8.0, color=colours.ink)
    ax.grid(color=colours.rule, linewidth=0.6)
    return ax


def _frame(ax: "Axes", verdict: FloatArray, known: FloatArray) -> int:
    """Show where the front lies, (k, 2, 3) estimates and ends; give how much of the search, (n, 2), is outside."""
    least, most = verdict.min(axis=(0, 2)), verdict.max(axis=(0, 2))
    room = 0.12 * (most - least)
    low, high = least - room, most + room
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    return int(np.count_nonzero(((known < low) | (known > high)).any(axis=1)))


def _best(ax: "Axes", study: Any, front: FloatArray, colour: str) -> None:
    """Draw the border of what the front, (k, 2), reaches, as stairs: beyond it nothing was found."""
    front = front[np.argsort(front[:, 0])]
    more = next(iter(study.objective.values())) > 0.0
    ax.step(*front.T, where="pre" if more else "post", color=colour, linewidth=1.0, linestyle="--", zorder=1.8)


def _searched(run: "Run") -> Any:
    study = study_of(run, "optimise")
    if study.pareto:
        raise ValueError("run: must be of a search for one best break, this one trades two terms off; see front")
    return study


def _telling(summary: Any) -> tuple[str, ...]:
    """Give the two coordinates along which the map around the winner varies most, in the order of the search."""
    rows = [each for each in summary.of(Stage.MAP) if each.objective is not None]
    names = summary.study.space.names
    reach = {name: [each.known for each in rows if each.varied == name] for name in names}
    if any(not known for known in reach.values()):
        return _USUAL
    return max(combinations(names, 2), key=lambda pair: sum(max(reach[name]) - min(reach[name]) for name in pair))


def _scatter(ax: "Axes", tried: "list[Evaluation]", names: tuple[str, ...], theme: str) -> None:
    """Draw evaluated breaks, coloured by their worth, the better ones on top."""
    colours = palette_of(theme)
    tried = sorted(tried, key=lambda each: each.known)
    x, y = (UNITS[name][1] * np.array([getattr(each, name) for each in tried]) for name in names)
    weak, strong = mixed(colours.paper, colours.muted, 0.30), mixed(SERIES[0], colours.ink, 0.25)
    worth = [each.known for each in tried]
    dots = ax.scatter(x, y, c=worth, s=13.0, cmap=ramp(weak, strong), linewidths=0.0)
    bar_beside(ax, dots, "objective, as the search saw it", theme)


def _marks(ax: "Axes", words: list[str], places: FloatArray, theme: str) -> None:
    """Draw the straight break and, if there is one, the winner, (k, 2), the upper one's words above it."""
    rim = palette_of(theme).ink
    styles = list(zip(words, places, (SERIES[4], SERIES[1]), strict=False))
    for (_, at, colour), sign, size in zip(styles, "D*", (7.0, 14.0), strict=False):
        ax.plot(at[:1], at[1:], sign, color=colour, markersize=size, markeredgecolor=rim)
    for place, (said, at, colour) in enumerate(styles):
        upper = place == int(np.argmax(places[:, 1]))
        _tag(ax, said, at, readable(colour, theme), theme, upper)


def _tag(ax: "Axes", words: str, at: FloatArray, colour: str, theme: str, above: bool = True) -> None:
    """Write words above or below a point, on the side that has room. All points must be drawn: they set the limits."""
    from matplotlib.patheffects import withStroke

    low, high = ax.get_xlim()
    left = 2.0 * at[0] > low + high
    ax.annotate(
        words, (at[0], at[1]), xytext=(-9.0 if left else 9.0, 6.0 if above else -6.0), textcoords="offset points",
        ha="right" if left else "left", va="bottom" if above else "top", fontsize=8.0, color=colour,
        fontweight="bold", path_effects=[withStroke(linewidth=2.5, foreground=palette_of(theme).paper)],
    )  # fmt: skip


def _cross(ax: "Axes", worth: FloatArray, colour: str, face: str) -> None:
    """Draw a point with both its intervals, (2, 3) estimates and ends."""
    (x, y), (x_ends, y_ends) = worth[:, 0], np.abs(worth[:, 1:] - worth[:, :1])[..., np.newaxis]
    ax.errorbar(
        [x], [y], xerr=x_ends, yerr=y_ends, fmt="o", color=colour,
        markerfacecolor=face, markersize=5.5, elinewidth=1.0,
    )  # fmt: skip


def _objective(study: Any) -> str:
    """Write the objective, as in men - 1 striker."""
    parts = [f"{weight:+g} {term}" for term, weight in study.objective.items()]
    if list(study.objective.values()) == [1.0]:
        return f"{next(iter(study.objective))}, mean of a stroke"
    return "mean of " + " ".join(parts).lstrip("+")


def _label(name: str) -> str:
    unit = UNITS[name][0]
    words = {
        "x": "place of the striker",
        "aim": "line passes the centre by",
        "speed": "speed",
        "spin": "spin",
        "rotation": "turn of the pack",
    }
    return f"{words[name]} [{unit}]"


def _words(known: "Known") -> str:
    return f"{known.estimate:.3f} ({known.low:.3f} to {known.high:.3f})"
