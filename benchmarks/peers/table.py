"""From what was measured to a table in Markdown."""

import statistics
from collections.abc import Sequence
from typing import Any

HEAD = [
    "program", "step [s]", "breaks", "breaks per CPU second", "ours is faster by", "men pocketed", "events",
    "slide [mm]", "head-on [mm]", "cut [mm]",
]  # fmt: skip


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Return median, least and largest."""
    return statistics.median(values), min(values), max(values)


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return how many times as fast ours was, round by round.

    Parameters
    ----------
    ours, theirs : sequence of float
        Breaks per second of each round.
    """
    return [mine / other for mine, other in zip(ours, theirs, strict=True)]


def summary(contender: Any, ours: Sequence[float]) -> dict[str, Any]:
    """Return what the table tells of a contender, as data.

    Parameters
    ----------
    contender : Contender
    ours : sequence of float
        Breaks per second of the first contender, round by round.
    """
    rates = [count / seconds for count, seconds in zip(contender.breaks, contender.seconds, strict=True)]
    played = sum(contender.breaks)
    return {
        "program": contender.label,
        "step_s": contender.request.get("step"),
        "breaks": played,
        "rates": rates,
        "ratios": ratios(ours, rates),
        "pocketed_per_break": sum(contender.pocketed) / played,
        "events_per_break": sum(contender.events) / played,
        "errors_m": contender.errors,
    }


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table of summaries, padded so that it reads well as text too."""
    cells = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(HEAD))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _cells(row: dict[str, Any]) -> list[str]:
    step, events = row["step_s"], row["events_per_break"]
    errors = [row["errors_m"].get(kind) for kind in ("slide", "head-on", "cut")]
    return [
        row["program"],
        "-" if step is None else f"1/{1.0 / step:.0f}",
        str(row["breaks"]),
        _spread(row["rates"]),
        _spread(row["ratios"]),
        f"{row['pocketed_per_break']:.2f}",
        f"{events:.0f}" if events else "-",
        *("-" if error is None else f"{1e3 * error:.2g}" for error in errors),
    ]


def _spread(values: Sequence[float]) -> str:
    middle, least, largest = spread(values)
    return f"{_short(middle)} ({_short(least)}..{_short(largest)})"


def _short(value: float) -> str:
    """Return three digits, or all before the point."""
    return f"{value:.0f}" if value >= 100.0 else f"{value:.3g}"
