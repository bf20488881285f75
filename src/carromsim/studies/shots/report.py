"""The shot study for people: tables for a terminal."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.studies.counting.frequencies import INTERVAL, ended, percent, table
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.parameters import describe
from carromsim.studies.shots.summary import SHOWN, ShotSummary

if TYPE_CHECKING:
    from carromsim.studies.shots.study import ShotStudy


def shot_report(study: "ShotStudy", summary: ShotSummary) -> RenderableType:
    """Lay out what was asked and what came out.

    Parameters
    ----------
    study : ShotStudy
    summary : ShotSummary

    Returns
    -------
    rich renderable
        To be printed by a `rich.console.Console`.
    """
    parts: list[RenderableType] = [_question(study), Text(), _skills(summary), *ended(study, summary.stopped), Text()]
    if summary.splits:
        parts += [_varied(summary), Text()]
    if summary.seconds is not None and summary.strokes_per_second is not None:
        parts.append(Text(f"Rate      {summary.strokes_per_second:,.0f} strokes/s, {summary.seconds:.1f} s"))
    parts += [Text(f"Warning: {warning}", style="yellow") for warning in summary.warnings]
    return Group(*parts)


def _question(study: "ShotStudy") -> Text:
    """Say what was asked, in the units of the board."""

    def said(name: str) -> str:
        _, scale, unit = SHOWN[name]
        return f"{describe(getattr(study, name), scale)} {unit}".rstrip()

    speed = "automatic" if study.speed is None else said("speed")
    way = "direct" if study.way == "direct" else "by one cushion"
    lines = [
        f"Shot at the {study.pocket} pocket, {way}, equipment {study.equipment.name},"
        f" {study.strokes:,} strokes by each skill, seed {study.seed}",
        f"Man       way {said('distance')}, cut {said('cut')}",
        f"Striker   x {said('x')}, speed {speed}, spin {said('spin')}",
    ]
    lines += [
        f"Physics   {SHOWN[name][0]} {said(name)}"
        for name in COEFFICIENTS
        if getattr(study, name) != getattr(study.equipment, name)
    ]
    if study.blockers:
        lines.append("Blockers  " + ", ".join(f"({x * 1e3:g}, {y * 1e3:g}) mm" for x, y in study.blockers))
    return Text("\n".join(lines))


def _skills(summary: ShotSummary) -> Table:
    """Tabulate the success of each skill."""
    found = table("Skill", "strokes", "success", INTERVAL, "estimated", "striker falls")
    for label, seen, chance in zip(
        summary.study.labels, summary.counts.seen.tolist(), summary.counts.estimate, strict=True
    ):
        striker = percent(seen[2], seen[0])[0]
        found.add_row(label, f"{seen[0]:,}", *percent(seen[1], seen[0]), f"{100.0 * chance.mean:.2f} %", striker)
    return found


def _varied(summary: ShotSummary) -> Table:
    """Tabulate how the success hangs on whatever varied, by skill."""
    found = table("What varied", *summary.study.labels)
    for split in summary.splits:
        words, scale, unit = SHOWN[split.key]
        found.add_row(words)
        for place, cells in zip(split.in_words(scale, unit), summary.cells(split).tolist(), strict=True):
            found.add_row(f"  {place}", *(percent(hits, strokes)[0] for strokes, hits in cells))
    return found
