"""Frequencies with their intervals, for programs and for people: what the summaries of all studies share."""

import math
from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.style import StyleType
from rich.table import Table
from rich.text import Text

from carromsim.stats import mean_interval, wilson
from carromsim.studies.counting.stopping import Watched, ended_in_words
from carromsim.studies.counting.tally import Tally
from carromsim_kernels.state import IntArray

__all__ = [
    "INTERVAL",
    "LEVEL",
    "PlainTable",
    "add",
    "ended",
    "finite",
    "frequency",
    "frequency_dict",
    "json_ready",
    "mean_of_counts",
    "mean_words",
    "percent",
    "table",
]

LEVEL = 0.95
INTERVAL = f"{LEVEL * 100:g} % interval"
"""Heading of a column."""


def frequency(seen: int, n: int) -> tuple[float, float, float]:
    """Give a frequency and its 95 % Wilson interval; NaN, 0, 1 without a trial."""
    low, high = wilson(seen, n, LEVEL)
    return (seen / n if n else math.nan), float(low), float(high)


def mean_of_counts(histogram: IntArray) -> tuple[float, float, float]:
    """Give the mean of a count and its 95 % interval, cut at 0, below which no such mean can be.

    The interval is infinite of fewer than two values, and without any the mean is NaN.
    """
    mean, low, high = mean_interval(histogram, LEVEL)
    return mean, max(low, 0.0) if math.isfinite(low) else low, high


def finite(**values: float) -> dict[str, float | None]:
    """Give numbers for JSON; None for what is not finite."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def json_ready(value: Any) -> Any:
    """Give nested values as JSON can hold them: lists, dictionaries, None for a number that is not finite."""
    if isinstance(value, tuple | list):
        return [json_ready(each) for each in value]
    if isinstance(value, dict):
        return {key: json_ready(each) for key, each in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def frequency_dict(seen: int, n: int) -> dict[str, Any]:
    """Give a frequency and its interval for JSON."""
    estimate, low, high = frequency(seen, n)
    return {"count": seen, **finite(estimate=estimate, low=low, high=high)}


def add(one: Any, other: Any) -> Any:
    """Add arrays, numbers or dictionaries of them; what only one side knows stays as it is."""
    if not isinstance(one, dict):
        return one + other
    either = one | other
    return {key: one[key] + other[key] if key in one and key in other else either[key] for key in either}


def percent(seen: int, n: int) -> tuple[str, str]:
    """Write a frequency and its interval."""
    estimate, low, high = (100.0 * value for value in frequency(seen, n))
    return f"{estimate:.2f} %", f"{low:.2f} to {high:.2f} %"


def mean_words(tally: Tally, digits: int = 2) -> tuple[str, str]:
    """Write a mean and its interval."""
    low, high = tally.interval(LEVEL)
    return f"{tally.mean:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}"


def ended(study: Watched, stopped: Mapping[str, Any] | None) -> list[Text]:
    """Lay out why a run ended, if its study says when it has seen enough."""
    if stopped is None:
        return []
    why, found = ended_in_words(study, stopped)
    return [Text(), Text(f"Until     {why}\n          {found}")]


class PlainTable(Table):
    """A table without lines that shows text as it is: a name that somebody chose, such as "me [new]", is no markup."""

    def __init__(self) -> None:
        super().__init__(box=None, padding=(0, 2, 0, 0))

    def add_row(self, *cells: RenderableType | None, style: StyleType | None = None, end_section: bool = False) -> None:
        """Add a row."""
        plain = (Text(cell) if isinstance(cell, str) else cell for cell in cells)
        super().add_row(*plain, style=style, end_section=end_section)


def table(first: str, *headings: str, last: str | None = None, left: bool = True) -> Table:
    """Begin a table: a first column of words, numbers to the right, perhaps words at the end."""
    made = PlainTable()
    made.add_column(Text(first), justify="left" if left else "right")
    for heading in headings:
        made.add_column(Text(heading), justify="right")
    if last is not None:
        made.add_column(Text(last))
    return made
