"""The picture of the three-pocket break: the pack, two strokes in which it came off, and what the turn changes."""

import math
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import NDArray
from three_pocket_break import NEAR, PAIR, TURN, UKCA, aims, line_to_pocket, play

import carromsim as cs
from carromsim.stats import wilson
from carromsim.viz import draw_position

matplotlib.use("Agg")

LABEL = {"boxstyle": "circle,pad=0.1", "facecolor": "white", "edgecolor": "none"}
"""Behind the number of a disc."""

DRAWN = 20_000
"""Strokes in which the one of the picture is looked for."""


def first_three(study: cs.BreakStudy) -> int | None:
    """Give the first row with whites in three pockets, one of them of the pair in the top right if there is one."""
    found = play(study)
    three = found.pockets >= 3
    aimed = three & found.pair_falls
    rows = np.flatnonzero(aimed if aimed.any() else three)
    return int(rows[0]) if len(rows) else None


def tracks(study: cs.BreakStudy, row: int) -> NDArray[np.float64]:
    """Give where all discs are at each event of a row and before each is gone, (n, 20, 2) [m].

    Between events they run straight.
    """
    rows = range(row, row + 1)
    stroke, pos = study.executed(rows), study.layout(rows).pos[0].copy()
    vel, omega = np.zeros((cs.N_DISCS, 2)), np.zeros(cs.N_DISCS)
    (pos[cs.STRIKER],), (vel[cs.STRIKER],) = stroke.start(UKCA)
    omega[cs.STRIKER] = stroke.spin[0]
    played = study.replay(row)
    gone = played.pocket_time[0][played.pocket[0] >= 0] - 1e-6
    times = sorted([0.0, *played.events(0)["t"].tolist(), *gone.tolist()])

    def after(until: float) -> NDArray[np.float64]:
        return cs.simulate_motion(pos, vel, omega, equipment=UKCA, until=until, record=False, threads=1).pos[0]

    return np.stack([after(until) for until in times])


def draw_pack(ax: Axes) -> None:
    """Draw the turned pack, the line, and the strokes from the end circle."""
    pack = cs.opening(UKCA, rotation=TURN, gap=0.00005).pos
    aim = aims()["on the line"]
    start = np.array([aim.x, UKCA.base_line_distance - UKCA.side / 2])
    met = pack[NEAR] - (UKCA.man_radius + UKCA.striker_radius) * line_to_pocket()
    end = (UKCA.side / 2 - UKCA.pocket_offset) * line_to_pocket() * math.sqrt(2.0)
    line = np.stack([start[1] * np.ones(2), end])
    draw_position(cs.Layout(np.vstack([start, pack[1:]])), equipment=UKCA, ax=ax)
    ax.plot(*line.T, color="#0072b2", linewidth=1.0, linestyle="--", zorder=4)
    ax.plot(*np.stack([start, met]).T, color="#d55e00", linewidth=1.4, zorder=4)
    ax.add_patch(Circle(tuple(met), UKCA.striker_radius, fill=False, edgecolor="#d55e00", zorder=6))
    for disc in (*PAIR, NEAR):
        ax.annotate(f"{disc}", tuple(pack[disc]), ha="center", va="center", fontsize=6, zorder=7, bbox=LABEL)
    ax.set_title("the pack at +15 degrees, the line of five, the striker", fontsize=9, pad=4)


def draw_stroke(ax: Axes, study: cs.BreakStudy, row: int) -> None:
    """Draw the ways of striker and whites that fell, and where everything else ended."""
    seen = tracks(study, row)
    outcome = study.replay(row)
    draw_position(cs.Layout(seen[-1]), equipment=UKCA, ax=ax)
    fell = [disc for disc in range(*cs.WHITE.indices(cs.N_DISCS)) if outcome.pocket[0, disc] >= 0]
    colours = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9")
    ways = [(cs.STRIKER, "striker", "#909090", 0.8)]
    ways += [(disc, f"white {disc}", colour, 1.8) for disc, colour in zip(fell, colours, strict=False)]
    for disc, words, colour, width in ways:
        ax.plot(*seen[:, disc].T, color=colour, linewidth=width, label=words, zorder=6)
    for disc in fell:
        ax.add_patch(Circle(tuple(seen[0, disc]), UKCA.man_radius, fill=False, linestyle=":", zorder=6))
    ax.legend(fontsize=6, loc="lower center", ncols=len(ways))
    turn = math.degrees(study.drawn(range(row, row + 1))["rotation"][0])
    ax.set_title(f"the pack at {turn:+g} degrees, row {row:,}: whites in three pockets", fontsize=9, pad=4)


def draw_turns(ax: Axes, turns: Sequence[float], counted: NDArray[np.int64]) -> None:
    """Draw how often whites fall into one, two and three pockets, by the turn of the pack."""
    n = counted[:, 0]
    for least, colour in ((1, "#909090"), (2, "#0072b2"), (3, "#d55e00")):
        told = 100.0 * counted[:, least] / n
        low, high = (100.0 * end for end in wilson(counted[:, least], n))
        bars = np.maximum([told - low, high - told], 0.0)
        seen = counted[:, least] > 0  # a logarithmic axis has no place for none
        style = {"color": colour, "markersize": 3, "linewidth": 1.0, "elinewidth": 1.5, "label": f"at least {least}"}
        ax.errorbar(turns, np.where(seen, told, np.nan), np.where(seen, bars, np.nan), fmt="o-", **style)
    for turn in (-math.degrees(TURN), math.degrees(TURN)):
        ax.axvline(turn, color="black", linewidth=0.7, linestyle=":")
    ax.set_yscale("log")
    ax.set(xlim=(turns[0], turns[-1]), ylim=(0.02, 100.0), xlabel="turn of the pack [degrees]")
    ax.set_ylabel("pockets with a white [% of strokes]")
    ax.legend(fontsize=8, loc="upper left", ncols=3)


def draw(text: cs.BreakStudy, best: cs.BreakStudy, turns: Sequence[float], counted: NDArray[np.int64]) -> Figure:
    """Draw the break of the text, the first stroke in which it came off, the same of the best one, and all turns.

    Parameters
    ----------
    text, best : BreakStudy
        In which strokes with whites in three pockets are looked for.
    turns : sequence of k float
        Of the pack [degrees].
    counted : (k, 4) int64
        Strokes at each turn, and those in which at least 1, 2 and 3 pockets took a white.
    """
    figure = Figure(figsize=(13.0, 8.0), layout="constrained")
    boards = figure.subplot_mosaic([["pack", "text", "best"], ["turns", "turns", "turns"]], height_ratios=[1.4, 1.0])
    draw_pack(boards["pack"])
    draw_turns(boards["turns"], turns, counted)
    for name, study in (("text", text), ("best", best)):
        row = first_three(study)
        if row is None:
            boards[name].set_axis_off()
        else:
            draw_stroke(boards[name], study, row)
    return figure
