"""Draws docs/equipment.png and fills the tables of docs/equipment.md: ``python docs/draw_equipment.py``."""

import inspect
import io
import re
import sys
from dataclasses import fields
from pathlib import Path

import matplotlib
import numpy as np
from filling import filled, table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from PIL import Image

import carromsim as cs
from carromsim.equipment_files import describe
from carromsim.equipment_limits import EACH_DISC, NUMBERS, OPTIONAL, WORDS, unit_of
from carromsim.strokes import legal_intervals
from carromsim.viz import draw_position

matplotlib.use("Agg")

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "equipment.md", HERE / "equipment.png"
BREAKS = 20_000
"""Of each board in the table."""

MM = 1e3
MAN_LIMIT, STRIKER_LIMIT, PLACES = "#ffb000", "#56b4e9", "#0072b2"

ICF = cs.Equipment.preset("icf")
PRESETS = {name: cs.Equipment.preset(name) for name in ("icf", "ukca", "caint", "bell")}
CORNERS = {
    'corner = "rounded" (icf)': ICF,
    'corner = "right_angled"': ICF.replace(corner="right_angled"),
    'corner = "cut_away"': ICF.replace(corner="cut_away"),
    "bell: rounded, his pocket": PRESETS["bell"],
}


def draw_limits(ax: Axes, board: cs.Equipment, width: float) -> None:
    """Draw the circles that a disc's centre must enter to fall."""
    middle = board.side / 2 - board.pocket_offset
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        for disc, colour in ((cs.QUEEN, MAN_LIMIT), (cs.STRIKER, STRIKER_LIMIT)):
            radius = board.capture_radius[disc]
            style = {"fill": False, "edgecolor": colour, "linewidth": width, "zorder": 8}
            ax.add_patch(Circle((x * middle, y * middle), radius, **style))


def draw_board(ax: Axes, name: str, board: cs.Equipment) -> None:
    """Draw a whole board, the opening pack and the striker of seat 0, and where that may be placed."""
    pos, across = cs.opening(board).pos.copy(), board.base_line_distance - board.side / 2
    pos[cs.STRIKER] = 0.0, across
    draw_position(cs.Layout(pos), equipment=board, ax=ax)
    for low, high in legal_intervals(board):
        ax.plot([low, high], [across, across], color=PLACES, linewidth=3, solid_capstyle="butt", zorder=2)
    draw_limits(ax, board, 0.8)
    sizes = f"striker {2e3 * board.striker_radius:.4g} mm, men {2e3 * board.man_radius:.4g} mm"
    pocket = f"pocket {2e3 * board.pocket_radius:.4g} mm, friction {board.mu_surface:.2f}"
    ax.set_title(f"{name}: {describe(name).about}\n{sizes}, {pocket}", fontsize=9, pad=3)


def draw_corner(ax: Axes, title: str, board: cs.Equipment) -> None:
    """Draw the top right corner: a man and a striker as deep in it as the frame lets them."""
    draw_position(cs.arrange(), equipment=board, ax=ax)
    draw_limits(ax, board, 1.6)
    half = board.side / 2
    for disc, colour in ((cs.QUEEN, MAN_LIMIT), (cs.STRIKER, STRIKER_LIMIT)):
        deepest = half - _from_corner(board, board.radius[disc])
        rim = {"fill": False, "edgecolor": colour, "linestyle": (0, (4, 2)), "linewidth": 1.2}
        ax.add_patch(Circle((deepest, deepest), board.radius[disc], zorder=8, **rim))
        ax.plot(deepest, deepest, "+", color=colour, markersize=8, markeredgewidth=1.6, zorder=8)
    if board.end_circle_guard is None:
        x, radius = half - board.pocket_offset, board.pocket_radius
        arrow = {"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x - radius, x - 0.028), (x + radius, x - 0.028), arrowprops=arrow)
        words = f"{2e3 * radius:.1f} mm = {board.pocket_radius / board.striker_radius:.2f} strikers"
        ax.text(half - 0.002, x - 0.035, words, fontsize=9, ha="right", va="center")
    ax.set(xlim=(half - 0.068, half + 0.010), ylim=(half - 0.068, half + 0.010))
    limits = [f"{MM * board.capture_radius[disc]:.1f}" for disc in (cs.QUEEN, cs.STRIKER)]
    ax.set_title(f"{title}\nman {limits[0]} mm, striker {limits[1]} mm", fontsize=9, pad=3)


def _from_corner(board: cs.Equipment, radius: float) -> float:
    """Give how far from each cushion the centre of a disc is that lies as deep in a corner as it can [m]."""
    size = board.corner_size
    if board.corner == "rounded" and size > radius:
        return size - (size - radius) / np.sqrt(2.0)
    if board.corner == "cut_away":
        return max(radius, size / 2 + radius / np.sqrt(2.0))
    return radius


def draw() -> None:
    """Draw the picture."""
    figure = Figure(figsize=(9.6, 13.0), dpi=100, layout="constrained")
    boards, corners, words = figure.subfigures(3, 1, height_ratios=[9.8, 2.7, 0.5])
    for ax, (name, board) in zip(boards.subplots(2, 2).flat, PRESETS.items(), strict=True):
        draw_board(ax, name, board)
    for ax, (title, board) in zip(corners.subplots(1, 4).flat, CORNERS.items(), strict=True):
        draw_corner(ax, title, board)
    meaning = [
        Line2D([], [], color=MAN_LIMIT, linewidth=1.6, label="a man falls when his centre is in here"),
        Line2D([], [], color=STRIKER_LIMIT, linewidth=1.6, label="the striker falls when its centre is in here"),
        Line2D([], [], color=MAN_LIMIT, linestyle=(0, (4, 2)), marker="+", label="man deep in the corner"),
        Line2D([], [], color=STRIKER_LIMIT, linestyle=(0, (4, 2)), marker="+", label="striker deep in the corner"),
        Line2D([], [], color=PLACES, linewidth=3, label="where the striker's centre may be placed"),
    ]
    words.legend(handles=meaning, loc="center", ncols=3, fontsize=9, frameon=False)
    drawn = io.BytesIO()
    figure.savefig(drawn)
    Image.open(drawn).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        PICTURE, optimize=True
    )


def breaks() -> str:
    """Play the default break on each board and give a table of what came of it."""
    boards = PRESETS | {title: board for title, board in CORNERS.items() if board not in PRESETS.values()}
    rows = []
    for name, board in boards.items():
        summary = cs.BreakStudy(equipment=board, strokes=BREAKS, seed=1).summarise()
        shares = (summary.probability(key) for key in ("any", "striker"))
        cells = [f"{100 * share:.2f} % ({100 * low:.2f} to {100 * high:.2f})" for share, low, high in shares]
        men = np.average(np.arange(20), weights=summary.counts.n_pocketed)
        rows.append([name, *cells, f"{men:.3f}", f"{summary.counts.strokes - summary.counts.ok}"])
    return table(("board", "pockets a man or the queen", "pockets the striker", "men and queen", "status not 0"), rows)


def field_table() -> str:
    """Give a table of all fields: unit, what is allowed, the ICF's value, meaning."""
    meanings, rows = attributes(), []
    for field in fields(cs.Equipment):
        name = field.name
        value = getattr(ICF, name)
        shown = '"none"' if value is None else f'"{value}"' if isinstance(value, str) else f"{value:g}"
        rows.append([f"`{name}`", unit_of(name), f"`{shown}`", allowed(name), meanings[name]])
    return table(("field", "unit", "icf", "allowed", "meaning"), rows)


def allowed(name: str) -> str:
    """Say what a field may be."""
    if name == "name":
        return "text; default: the file's name"
    if name in WORDS:
        return ", ".join(f'`"{word}"`' for word in WORDS[name])
    words = f"20 numbers {EACH_DISC[name].allowed}" if name in EACH_DISC else NUMBERS[name].allowed.partition(":")[0]
    unit = unit_of(name)
    words = words.removesuffix(f" {unit}") if unit else words
    return words + (', `"none"`' if name in OPTIONAL else "")


def attributes() -> dict[str, str]:
    """Give what the class says of each field, in one line, without its unit."""
    section = inspect.cleandoc(cs.Equipment.__doc__ or "").partition("Attributes\n----------\n")[2]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section):
        names, _, text = entry.partition("\n")
        words = re.sub(r",? \[(m|kg|s|m/s|m/s\^2)\]", "", " ".join(text.split()))
        found |= dict.fromkeys(names.partition(" : ")[0].split(", "), words)
    return found


def main() -> None:
    """Make everything anew."""
    draw()
    page = PAGE.read_text(encoding="utf-8")
    for name, text in (("fields", field_table()), ("breaks", breaks())):
        page = filled(page, name, text)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
