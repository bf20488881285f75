"""One recorded stroke for people and for programs: its events in order, and where everything is at the end."""

import math
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.outcomes import Outcomes
from carromsim.tables.schemas import DISC_NAMES, POCKET_NAMES
from carromsim_kernels.state import EventKind, Status

KINDS = {kind: kind.name.lower().replace("_", " ") for kind in EventKind}
"""What an event is, in words."""


def stroke_dict(out: Outcomes, row: int = 0) -> dict[str, Any]:
    """Give one stroke as plain names and numbers, ready for JSON.

    Parameters
    ----------
    out : Outcomes
        Recorded (``record=True``).
    row : int
        Which of its strokes.

    Returns
    -------
    dict
        `status`, `duration` [s], `events` in time order and `discs`: what is on the surface [m] or in a pocket.
        What there is not is None.
    """
    return {
        "status": Status(out.status[row]).name.lower(),
        "duration": float(out.duration[row]) if out.status[row] == Status.OK else None,
        "events": [_event(out, row, event) for event in out.events(row)],
        "discs": [_disc(out, row, disc) for disc in _discs(out, row)],
    }


def stroke_report(out: Outcomes, row: int = 0) -> RenderableType:
    """Lay out one stroke for a terminal.

    Parameters
    ----------
    out : Outcomes
        Recorded (``record=True``).
    row : int
        Which of its strokes.

    Returns
    -------
    rich renderable
        To be printed by a `rich.console.Console`.
    """
    told = stroke_dict(out, row)
    if told["status"] != "ok":
        return Text(f"no outcome: {told['status'].replace('_', ' ')}", style="yellow")
    n, duration = len(told["events"]), told["duration"]
    summary = Text(f"{n} event{'s' if n != 1 else ''}, {duration:.3f} s")
    return Group(_events_table(told["events"]), Text(), _discs_table(told["discs"]), Text(), summary)


def _discs(out: Outcomes, row: int) -> list[int]:
    """List the discs that took part: on the surface at the end, in a pocket, or overboard."""
    there = ~np.isnan(out.pos[row, :, 0]) | (out.pocket[row] >= 0) | (out.overboard[row] == 1)
    return [int(disc) for disc in np.flatnonzero(there)]


def _event(out: Outcomes, row: int, event: np.void) -> dict[str, Any]:
    """Name an event; the pocket is known from the outcome."""
    disc, other = int(event["a"]), int(event["b"])
    fell = event["kind"] == EventKind.POCKETING
    return {
        "time": float(event["t"]),
        "kind": EventKind(event["kind"]).name.lower(),
        "disc": DISC_NAMES[disc],
        "other": DISC_NAMES[other] if other >= 0 else None,
        "pocket": POCKET_NAMES[out.pocket[row, disc]] if fell else None,
    }


def _disc(out: Outcomes, row: int, disc: int) -> dict[str, Any]:
    """Say where a disc is at the end."""
    pocket = int(out.pocket[row, disc])
    x, y = (None if math.isnan(value) else float(value) for value in out.pos[row, disc])
    return {
        "disc": DISC_NAMES[disc],
        "x": x,
        "y": y,
        "pocket": POCKET_NAMES[pocket] if pocket >= 0 else None,
        "pocket_time": float(out.pocket_time[row, disc]) if pocket >= 0 else None,
        "overboard": bool(out.overboard[row, disc]),
    }


def _events_table(events: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("Time", justify="right")
    for heading in ("event", "disc", "with or into"):
        table.add_column(heading)
    for event in events:
        words = KINDS[EventKind[event["kind"].upper()]]
        table.add_row(f"{event['time']:.4f} s", words, event["disc"], event["other"] or event["pocket"] or "")
    return table


def _discs_table(discs: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("At the end")
    for heading in ("x", "y"):
        table.add_column(heading, justify="right")
    table.add_column("pocket")
    for disc in discs:
        if disc["overboard"]:
            table.add_row(disc["disc"], "", "", "overboard")
        elif disc["pocket"] is None:
            table.add_row(disc["disc"], _mm(disc["x"]), _mm(disc["y"]), "")
        else:
            table.add_row(disc["disc"], "", "", f"{disc['pocket']} at {disc['pocket_time']:.4f} s")
    return table


def _mm(value: float) -> str:
    """Write a length in mm to a tenth, without a minus before 0.0."""
    return f"{round(value * 1e3, 1) + 0.0:.1f} mm"
