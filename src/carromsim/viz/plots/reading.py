"""Passes over the parts of a run, which plots share."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from carromsim.studies.runs.reading import Run

__all__ = ["once"]

P = ParamSpec("P")
Found = TypeVar("Found")


def once(scan: "Callable[Concatenate[Run, P], Found]") -> "Callable[Concatenate[Run, P], Found]":
    """Let a pass over a run's parts be made once for both themes of a plot.

    What it found is kept for a run that has its counts: one that was played here, or of which `counted_once` made a
    snapshot. Any other may have more rows when it is read again.
    """
    kept = lru_cache(maxsize=4)(scan)

    @wraps(scan)
    def read(run: "Run", /, *args: P.args, **options: P.kwargs) -> Found:
        return (scan if run.counts is None else kept)(run, *args, **options)  # type: ignore[arg-type]  # all are hashable

    return read
