"""What came of a soak: sums over its blocks, the growth of its processes, and whether it passed."""

from typing import NamedTuple

import numpy as np

from carromsim_kernels.state import Status
from soak.log import Line

EVENT_LIMITS, PLASTIC, EVENT_LIMITS_OF_PLASTIC = 1e-5, 0.1, 1e-4
"""Share of rows that may reach the limit of events, not included: a striker that spins thousands of times a minute may
grind between two men that cannot give way. Of discs that hardly rebound at all, e_disc below PLASTIC, which push one
another at every touch, the other share. Breaks as people play them: see test_standard_breaks.py."""
GROWTH, LEAST_HOURS = 1.0, 0.25
"""Largest growth of a process in the last half of its blocks [MB/h]; in less time than this it says nothing."""


class Growth(NamedTuple):
    """How the memory of one process grew in the last half of its blocks."""

    hours: float
    """From its first block to its last."""
    slope: float
    """Least squares [MB/h]."""
    least: float
    most: float
    """Resident [MB]."""


def growths(lines: list[Line]) -> list[Growth]:
    """Return the growth of each process that had ten blocks or more."""
    found: dict[tuple[float, ...], list[Line]] = {}
    for line in lines:
        found.setdefault(tuple(line["process"]), []).append(line)
    results = []
    for own in found.values():
        if len(own) >= 10:
            hours = np.array([line["time"] for line in own]) / 3600.0
            half = np.searchsorted(hours, 0.5 * (hours[0] + hours[-1]))
            size = np.array([line["rss"] for line in own])[half:] / 1e6
            slope = float(np.polyfit(hours[half:] - hours[half], size, 1)[0]) if len(size) > 2 else 0.0
            results.append(Growth(float(hours[-1] - hours[0]), slope, float(size.min()), float(size.max())))
    return results


def told(lines: list[Line], errors: list[Line]) -> tuple[str, list[str]]:
    """Return the summary, and what the soak failed by."""
    counts = np.sum([line["statuses"] for line in lines], axis=0)
    rows, failed = int(counts.sum()), []
    faulty = [(line["block"], row) for line in lines for row in line["faulty"]]
    text = f"{rows} strokes in {len(lines)} blocks, {sum(line['events'] for line in lines)} events; statuses: "
    text += ", ".join(f"{status.name} {counts[status]}" for status in Status) + "\n"
    for name, what in {
        "most_events": "most events: {:.0f}",
        "overlap": "deepest overlap of two discs at the end: {:.3g} m",
        "beyond": "farthest reach into the frame at the end: {:.3g} m",
        "gain": "largest gain of energy at a time: {:.3g} of the start's",
    }.items():
        worst = worst_of(lines, name)
        text += f"{what.format(worst[name][0])} (block {worst['block']} row {worst[name][1]})\n"
    slowest = max(lines, key=lambda line: line["seconds"])
    text += f"slowest block: {slowest['seconds']:.1f} s (block {slowest['block']})\n"
    for growth in growths(lines):
        text += (
            f"a process of {growth.hours:.2f} h: {growth.least:.1f} to {growth.most:.1f} MB in its last half,"
            f" {growth.slope:+.2f} MB/h\n"
        )
        if growth.hours >= LEAST_HOURS and growth.slope >= GROWTH:
            failed.append(f"a process grew by {growth.slope:.2f} MB/h: must be under {GROWTH:g}")
    if faulty:
        named = ", ".join(f"block {block} row {row}" for block, row in faulty[:20])
        failed.append(f"{len(faulty)} rows without outcome or beyond a limit: {named}")
    for plastic, share in ((False, EVENT_LIMITS), (True, EVENT_LIMITS_OF_PLASTIC)):
        some = [line for line in lines if (line["e_disc"] < PLASTIC) == plastic]
        of, limited = sum(sum(line["statuses"]) for line in some), sum(line["statuses"][1] for line in some)
        what = (
            f"{limited} of {of} rows with e_disc {'under' if plastic else 'from'} {PLASTIC} reached the limit of events"
        )
        text += f"{what}\n"
        if limited and limited >= of * share:
            failed.append(f"{what}: must be fewer than {share:g} of them")
    failed += [f"block {error.get('block', '?')}: {error['error'].strip().splitlines()[-1]}" for error in errors[:20]]
    return text, failed


def worst_of(lines: list[Line], name: str) -> Line:
    """Return the line of the block with the largest value of that name; NaN counts as the largest."""
    values = np.array([line[name][0] for line in lines])
    return lines[int(np.argmax(values))]
