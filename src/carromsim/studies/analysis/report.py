"""Comparisons and plans for people: tables for a terminal."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from carromsim.studies.counting.frequencies import table

if TYPE_CHECKING:
    from carromsim.studies.analysis.comparing import Comparison
    from carromsim.studies.analysis.planning import Plan
    from carromsim.studies.counting.pairs import MetricDifference


def comparison_report(found: "Comparison") -> RenderableType:
    """Lay out what two runs have in common and in what they differ, to be printed by a `rich.console.Console`."""
    lines = [
        f"A         {found.a}: {found.rows_a:,} {found.noun}",
        f"B         {found.b}: {found.rows_b:,} {found.noun}",
        *(f"Declared  {line}" for line in found.declared or ("all the same",)),
        *(f"Version   {line}" for line in found.versions),
    ]
    if found.paired:
        lines.append(f"Paired    row by row, {found.rows:,} pairs: the seed is the same, and so is the luck")
    else:
        lines.append("Unpaired  the seeds or the skills differ, so the rows are independent")
    saved = ("saved",) if found.paired else ()
    made = table("Metric", "A", "B", "A - B", "from", "to", "p", *saved)
    for each in found.metrics:
        made.add_row(*_compared(each), style="bold" if each.p_holm < 1.0 - found.level else "")
    tests = " and ".join(dict.fromkeys(f"{'shares' if each.share else 'means'}: {each.test}" for each in found.metrics))
    end = [
        f"Tests     {tests}",
        f"from, to  of the interval of A - B, {100 * found.level:g} %",
        f"p         by Holm's correction over these {len(found.metrics)} metrics; bold: below {1 - found.level:.2g}",
    ]
    if found.paired:
        end.append("saved     what pairing takes away of the variance of A - B")
    notes = [Text(f"Note: {note}", style="yellow") for note in found.notes]
    return Group(Text("\n".join(lines)), Text(), made, Text(), Text("\n".join(end)), *notes)


def _compared(each: "MetricDifference") -> "list[str | Text]":
    numbers = [_short(value, each.share) for value in (each.a, each.b, each.difference, each.low, each.high)]
    saved = [] if each.reduction is None else ["" if math.isnan(each.reduction) else f"{round(100 * each.reduction)} %"]
    return [Text(f"{each.metric} %" if each.share else each.metric), *numbers, _p(each.p_holm), *saved]


def _short(value: float, share: bool) -> str:
    """Write a number; a share in per cent."""
    if not math.isfinite(value):
        return "unknown"
    digits = 2 if abs(value) < 0.01 else 3 if abs(value) < 1.0 else 4
    return f"{100.0 * value:.2f}" if share else f"{value:.{digits}g}"


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _number(value: float, share: bool) -> str:
    if not math.isfinite(value):
        return "unknown"
    return f"{100.0 * value:.2f} %" if share else f"{value:.4g}"


def plan_report(plan: "Plan") -> RenderableType:
    """Lay out what a study needs, to be printed by a `rich.console.Console`."""
    workers = f"{plan.workers} worker{'s' if plan.workers > 1 else ''}"
    each = f"{plan.size / plan.pilot:,.0f} bytes each"
    pilot = f"Pilot     {plan.pilot:,} {plan.noun} in {plan.seconds:.1f} s by {workers}, {each}"
    needs = table("What for", plan.noun, "time here", "on disk")
    for need in plan.needs:
        rows = "unknown" if need.rows is None else f"{need.rows:,}"
        needs.add_row(Text(need.words), rows, _time(need.seconds), _size(need.size))
    metrics = table("Metric", "pilot", f"+-, {100 * plan.level:g} %, by all rows", last="")
    for metric in plan.metrics:
        half = "unknown" if metric.half_width is None else _number(metric.half_width, metric.share)
        numbers = _number(metric.estimate, metric.share), half
        metrics.add_row(Text(metric.metric), *numbers, Text(metric.words))
    return Group(Text(pilot), Text(), needs, Text(), metrics)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    for unit, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.1f} {name}"
    return f"{seconds:.1f} s"


def _size(size: float | None) -> str:
    if size is None:
        return "unknown"
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1e3:.1f} kB"
