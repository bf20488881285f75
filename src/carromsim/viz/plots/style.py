"""How all plots look: made or given axes, titles, labels at the lines themselves, a word where there is no data."""

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from carromsim.drawing.palette import SERIES, palette_of
from carromsim.viz.matplotlib_here import need_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

__all__ = [
    "SERIES",
    "SIZE",
    "SQUARE",
    "bar_beside",
    "begin",
    "figure_of",
    "label_ends",
    "mixed",
    "ramp",
    "readable",
    "room_of",
    "say",
    "titled",
]

SIZE = (6.0, 4.0)
"""Of a figure [inches]: read without enlarging at this width."""
SQUARE = (6.0, 6.2)
"""Of a figure with a board [inches]."""
_TEXT_CONTRAST = 4.5
"""Of text against its ground, by the guidelines for small type."""
_WIDE = 0.64
"""Width of a character of a title, as a share of its size; the line below it is not bold, and narrower."""
_NARROW = 0.57
_BESIDE = 0.6
"""What ticks and label take at the left of axes [inches]."""
_SMALL = 8.0
"""Size of all type but titles [points]."""


def figure_of(theme: str, size: tuple[float, float] = SIZE) -> "Figure":
    """Make a figure that no window shows, with a background of the theme."""
    need_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained", facecolor=palette_of(theme).paper)


def begin(ax: "Axes | None", theme: str, size: tuple[float, float] = SIZE) -> "Axes":
    """Dress axes in a theme; if none are given, make a figure with some, as a notebook shows them."""
    need_matplotlib()
    colours = palette_of(theme)
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained", facecolor=colours.paper)
    ax.set_facecolor(colours.paper)
    ax.tick_params(which="both", colors=colours.muted, labelcolor=colours.ink, labelsize=_SMALL)
    ax.xaxis.label.set(color=colours.ink, fontsize=_SMALL + 0.5)
    ax.yaxis.label.set(color=colours.ink, fontsize=_SMALL + 0.5)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(colours.muted)
    ax.set_axisbelow(True)
    return ax


def room_of(ax: "Axes") -> tuple[float, float]:
    """Give the width and the height that axes have in their figure, with what is around them [inches]."""
    figure, place = ax.get_figure(root=True), ax.get_subplotspec()
    assert figure is not None  # axes of a figure; matplotlib knows others too
    wide, high = figure.get_size_inches().tolist()
    if place is None:  # put somewhere by hand: a subplot alone in its figure would have these shares of it
        box = ax.get_position()
        return float(box.width) * wide / 0.775, float(box.height) * high / 0.77
    grid = place.get_gridspec()
    return wide * len(place.colspan) / grid.ncols, high * len(place.rowspan) / grid.nrows


def titled(ax: "Axes", title: str, asked: str, theme: str, above: float = 0.0, beside: float = _BESIDE) -> None:
    """Write what is shown, and below it of what, so many points above axes with so many inches of labels beside them.

    Longer lines than there is room for would be cut off, and those below the title leave the axes no width.
    """
    colours = palette_of(theme)
    room = 72.0 * max(room_of(ax)[0] - beside, 1.0)
    told = [line for part in asked.splitlines() for line in wrap(part, int(room / (_NARROW * (_SMALL - 0.5))))]
    words = "\n".join(wrap(title, int(room / (_WIDE * 10.5))))
    ax.set_title(
        words, loc="left", fontsize=10.5, fontweight="bold", color=colours.ink,
        parse_math=False, pad=above + 6.0 + 10.5 * len(told),
    )  # fmt: skip
    ax.annotate(
        "\n".join(told), (0.0, 1.0), xytext=(0.0, 5.0 + above), xycoords="axes fraction", textcoords="offset points",
        fontsize=_SMALL - 0.5, color=colours.muted, verticalalignment="bottom", parse_math=False,
    )  # fmt: skip


def say(ax: "Axes", words: str, theme: str) -> None:
    """Say in the middle of empty axes why there is nothing to see."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    ink = palette_of(theme).ink
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", color=ink, fontsize=_SMALL, wrap=True)


def mixed(colour: str, other: str, share: float) -> str:
    """Give a colour with a share of another one in it, "#rrggbb"."""
    from matplotlib.colors import to_hex, to_rgb

    both = np.array([to_rgb(colour), to_rgb(other)])
    return to_hex((1.0 - share) * both[0] + share * both[1])


def readable(colour: str, theme: str) -> str:
    """Give a colour for text: with as much of the theme's ink in it as it needs to stand out against the paper."""
    colours = palette_of(theme)
    shares = np.linspace(0.0, 1.0, 21).tolist()
    every = [mixed(colour, colours.ink, share) for share in shares]
    return next(each for each in every if _contrast(each, colours.paper) >= _TEXT_CONTRAST or each == every[-1])


def _contrast(one: str, other: str) -> float:
    """Give the contrast of two colours, from 1 to 21, as the Web Content Accessibility Guidelines 2.2 define it."""
    from matplotlib.colors import to_rgb

    levels = np.array([to_rgb(one), to_rgb(other)])
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    dark, light = sorted((linear @ [0.2126, 0.7152, 0.0722]).tolist())
    return float((light + 0.05) / (dark + 0.05))


def label_ends(ax: "Axes", labels: Sequence[tuple[float, str, str]], apart: float = 0.06) -> None:
    """Write beside the right edge what ends there, so far apart that all can be read.

    Parameters
    ----------
    ax : Axes
        Its limits must stand.
    labels : sequence of (y, words, colour)
        y in the data's unit.
    apart : float
        Least distance of two labels, as a share of the height.
    """
    order = sorted(labels)
    _, wanted = ax.transAxes.inverted().transform(ax.transData.transform([(1.0, y) for y, _, _ in order])).T
    places = np.clip(wanted, 0.02, 0.98)
    for _ in range(200):  # neighbours push one another apart until all have room
        gaps = apart - np.diff(places)
        push = np.maximum(gaps, 0.0) / 2.0
        if not np.any(push > 1e-4):
            break
        places[:-1] -= push
        places[1:] += push
    if len(places):
        places += max(0.02 - places[0], 0.0) - max(places[-1] - 0.98, 0.0)
    for (_, words, colour), place in zip(order, places, strict=True):
        ax.annotate(
            words,
            (1.0, float(place)),
            xytext=(7.0, 0.0),
            xycoords="axes fraction",
            textcoords="offset points",
            color=colour,
            fontsize=_SMALL,
            verticalalignment="center",
            annotation_clip=False,
            parse_math=False,
        )


def ramp(first: str, last: str) -> "LinearSegmentedColormap":
    """Give the colours between two, "#rrggbb" or "#rrggbbaa": from nothing to much, told apart by their lightness."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("ramp", [first, last])


def bar_beside(ax: "Axes", mapped: "ScalarMappable", words: str, theme: str, ground: str | None = None) -> None:
    """Draw the scale of the colours beside axes, on the ground on which they lie."""
    colours = palette_of(theme)
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes of a figure; matplotlib knows others too
    values, top = mapped.get_array(), mapped.norm.vmax
    beyond = values is not None and top is not None and bool(values.max() > top)
    extend = "max" if beyond else "neither"
    bar = figure.colorbar(mapped, ax=ax, pad=0.02, aspect=30, shrink=0.86 if ground else 1.0, extend=extend)
    length = int(72.0 * 0.72 * room_of(ax)[1] / (_NARROW * _SMALL))
    bar.set_label("\n".join(wrap(words, max(length, 12))), color=colours.ink, fontsize=_SMALL)
    bar.ax.tick_params(colors=colours.muted, labelcolor=colours.ink, labelsize=_SMALL)
    bar.ax.set_facecolor(ground or colours.paper)
    for spine in bar.ax.spines.values():
        spine.set_visible(False)
