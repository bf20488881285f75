"""Fills the tables of docs/optimise.md and draws docs/optimise.png from four runs of `carromsim optimise`.

``python docs/fill_optimise.py ICF_CLUB ICF_EXPERT UKCA_CLUB UKCA_EXPERT``, each the directory of a run.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from filling import filled, table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import carromsim as cs
from carromsim.studies.optimising.plan import Stage
from carromsim.studies.optimising.records import Evaluation
from carromsim.studies.optimising.report import UNITS, in_unit
from carromsim.studies.optimising.summary import Known, OptimiseSummary
from carromsim.viz import draw_position

matplotlib.use("Agg")

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "optimise.md", HERE / "optimise.png"
COLUMNS = ("x", "aim", "angle", "speed", "spin", "rotation")
LINES = ("#d55e00", "#cc79a7", "#0072b2", "#009e73")
"""Of the runs, in their order."""


def name_of(summary: OptimiseSummary) -> str:
    """Name a run by its rule set and its hand."""
    return f"{summary.study.ruleset.name}, {summary.study.skill.name}"


def winner_of(summary: OptimiseSummary) -> Evaluation:
    """Give the verdict on the winner of a finished run."""
    if summary.winner is None:
        raise SystemExit(f"{name_of(summary)}: the run has no verdict")
    return summary.winner


def known(value: Known) -> str:
    """Write an estimate and its interval."""
    return f"{value.estimate:.3f} ({value.low:.3f} to {value.high:.3f})"


def found_table(runs: Sequence[OptimiseSummary]) -> str:
    """Write the winners."""
    rows = [(name_of(run), *(in_unit(name, getattr(winner_of(run), name)) for name in COLUMNS)) for run in runs]
    return table(("search", *(f"{name} [{UNITS[name][0]}]" for name in COLUMNS)), rows)


def verdict_table(runs: Sequence[OptimiseSummary]) -> str:
    """Write what the winners are worth, and what speed alone brings."""
    rows = []
    for run in runs:
        winner, fast = winner_of(run), run.as_fast
        as_fast = "" if fast is None else known(run.gain(fast))
        worth, gain = known(run.worth(winner)), known(run.gain(winner))
        rows.append((name_of(run), worth, f"{run.straight(winner):.3f}", f"**{gain}**", as_fast))
    return table(("search", "winner", "straight", "gain", "gain of straight, as fast"), rows)


def claim_table(runs: Sequence[OptimiseSummary]) -> str:
    """Write what the searches claimed, and the truth of it."""
    rows = [(name_of(run), *(f"{value:.3f}" for value in run.claim or ())) for run in runs]
    return table(("search", "claimed", "on fresh strokes"), rows)


def robustness_table(runs: Sequence[OptimiseSummary]) -> str:
    """Write the gain of each winner under other conditions."""
    rows = []
    for lines in zip(*(run.of(Stage.ROBUSTNESS) for run in runs), strict=True):
        name, value = lines[0].varied or "", lines[0].value or 0.0
        unit = UNITS.get(name, ("", 1.0))[0]
        gains = (known(run.gain(line)) for run, line in zip(runs, lines, strict=True))
        rows.append((f"{name} = {in_unit(name, value)} {unit}".strip(), *gains))
    return table(("elsewhere", *map(name_of, runs)), rows)


def draw_from_above(ax: Axes, run: OptimiseSummary) -> None:
    """Draw a board with the pack as the winner turns it, his line and the straight one."""
    board, winner = run.study.equipment, winner_of(run)
    draw_position(cs.opening(board, rotation=winner.rotation), equipment=board, ax=ax)
    low = board.base_line_distance - board.side / 2
    lines = ((0.0, np.pi / 2, "#666666", "--"), (winner.x, winner.angle, "#d01c1c", "-"))
    for x, angle, colour, style in lines:
        reach = 0.28
        end = (x + reach * np.cos(angle), low + reach * np.sin(angle))
        ax.add_patch(Circle((x, low), board.striker_radius, fill=False, edgecolor=colour, lw=1.2, zorder=7))
        ax.annotate("", end, (x, low), arrowprops={"arrowstyle": "->", "color": colour, "ls": style}, zorder=8)
    ax.set_title(f"{name_of(run)}\n{winner.speed:.1f} m/s, spin {winner.spin:.0f} rad/s", fontsize=9)


def draw_around(ax: Axes, name: str, runs: Sequence[OptimiseSummary]) -> None:
    """Draw the objective along one coordinate through each winner."""
    for run, colour in zip(runs, LINES, strict=True):
        rows = [each for each in run.of(Stage.MAP) if each.varied == name and each.value is not None]
        if not rows:
            continue
        unit = UNITS[name][1]
        worth = [run.worth(each) for each in rows]
        at = unit * np.array([each.value for each in rows])
        means = [each.estimate for each in worth]
        bars = [[each.estimate - each.low for each in worth], [each.high - each.estimate for each in worth]]
        ax.errorbar(at, means, bars, color=colour, marker="o", ms=2.5, lw=1.0, label=name_of(run))
        ax.axvline(unit * getattr(winner_of(run), name), color=colour, lw=0.6, ls=":")
    ax.set_xlabel(f"{name} [{UNITS[name][0]}]")


def draw(runs: Sequence[OptimiseSummary]) -> Figure:
    """Draw the boards of all runs, and below them the curves."""
    figure = Figure(figsize=(13.0, 6.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[3.5, 3.1])
    for ax, run in zip(above.subplots(1, len(runs)), runs, strict=True):
        draw_from_above(ax, run)
    names = [name for name in COLUMNS if name != "angle"]
    panels = below.subplots(1, len(names), sharey=True)
    for ax, name in zip(panels, names, strict=True):
        draw_around(ax, name, runs)
    panels[0].set_ylabel("objective")
    panels[0].legend(fontsize=7)
    return figure


def main(directories: Sequence[str]) -> None:
    """Fill and draw."""
    if len(directories) != 4:
        raise SystemExit(__doc__)
    runs = [cs.open_run(directory).summary() for directory in directories]
    page = PAGE.read_text()
    tables = {"found": found_table, "verdict": verdict_table, "claim": claim_table, "robustness": robustness_table}
    for name, write in tables.items():
        page = filled(page, name, write(runs))
    PAGE.write_text(page)
    draw(runs).savefig(PICTURE, dpi=100, metadata={"Software": None}, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main(sys.argv[1:])
