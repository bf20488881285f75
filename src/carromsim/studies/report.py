"""The break study for people: tables for a terminal."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.studies.break_summary import LEVEL, QUESTIONS, BreakSummary
from carromsim_kernels.state import Status

if TYPE_CHECKING:
    from carromsim.studies.breaks import BreakStudy

_BAR = 40
"""Width of the longest bar, in characters."""


def break_report(study: "BreakStudy", summary: BreakSummary) -> RenderableType:
    """Lay out what was asked and what came out.

    Parameters
    ----------
    study : BreakStudy
        What was asked.
    summary : BreakSummary
        What came out.

    Returns
    -------
    rich renderable
        To be printed by a `rich.console.Console`.
    """
    found: list[RenderableType] = [_question(study), Text(), _frequencies(summary), Text(), _distribution(summary)]
    found += [Text(), _rate(summary)]
    found += [Text(f"Warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(*found)


def _question(study: "BreakStudy") -> Text:
    """Say what was asked, in the units of the board."""
    lines = (
        f"Break under {study.ruleset}, equipment {study.equipment.name}, {study.strokes:,} strokes, seed {study.seed}",
        f"Pack      rotation {math.degrees(study.rotation):g} deg, gap {study.gap * 1e3:g} mm,"
        f" jitter {study.jitter * 1e3:.3g} mm",
        f"Intended  x {study.x * 1e3:g} mm, {math.degrees(study.angle):g} deg, {study.speed:g} m/s,"
        f" spin {study.spin:g} rad/s",
        f"Scatter   x {study.sd_x * 1e3:g} mm, {math.degrees(study.sd_angle):g} deg, {study.sd_speed * 100:g} % of the"
        f" speed, spin {study.sd_spin:g} rad/s",
    )
    return Text("\n".join(lines))


def _frequencies(summary: BreakSummary) -> Table:
    """Tabulate what fell, with intervals."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("Pocketed")
    for heading in ("strokes", "share", f"{LEVEL * 100:g} % interval"):
        table.add_column(heading, justify="right")
    for key, words in QUESTIONS.items():
        estimate, low, high = (100.0 * value for value in summary.probability(key))
        table.add_row(words, f"{summary.counts.fell[key]:,}", f"{estimate:.2f} %", f"{low:.2f} to {high:.2f} %")
    return table


def _distribution(summary: BreakSummary) -> Table:
    """Tabulate how many fell at once, with bars."""
    mean, low, high = summary.mean_pocketed()
    counts, ok = summary.counts.n_pocketed, max(summary.counts.ok, 1)
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("Men and queen", justify="right")
    table.add_column("strokes", justify="right")
    table.add_column("share", justify="right")
    table.add_column(f"mean {mean:.3f} ({low:.3f} to {high:.3f})")
    for number in range(int(counts.nonzero()[0].max(initial=0)) + 1):
        bar = "█" * round(_BAR * counts[number] / counts.max(initial=1))
        table.add_row(str(number), f"{counts[number]:,}", f"{100.0 * counts[number] / ok:.2f} %", bar)
    return table


def _rate(summary: BreakSummary) -> Text:
    """Say what became of the rows and how fast."""
    status = ", ".join(f"{summary.counts.status[s]:,} {s.name.lower().replace('_', ' ')}" for s in Status)
    return Text(f"Status    {status}\nRate      {summary.strokes_per_second:,.0f} strokes/s, {summary.seconds:.1f} s")
