"""What a board study found: counts, and the frequencies that follow from them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carromsim.studies.playing.counts import PlayCounts
from carromsim.studies.playing.summary import PlaySummary
from carromsim_kernels.laws import QueenState

if TYPE_CHECKING:
    import pyarrow as pa

OVER = {
    "won_breaker": "side 0, which begins, wins",
    "won_other": "the other side wins",
    "won_nobody": "nobody wins",
    "queen_white": "white has the queen at the end",
    "queen_black": "black has her",
    "queen_nobody": "nobody has her",
    "slam_white": "white slam",
    "slam_black": "black slam",
    "missed_break": "at least one missed break",
}
"""What may be said of a board that the rules ended, by key, in words; three times three that exclude each other."""

MEASURED = {
    "strokes": ("strokes", 1),
    "turns": ("turns", 1),
    "points": ("points of the winner", 1),
    "dues_white": ("dues of white", 1),
    "dues_black": ("dues of black", 1),
    "seconds": ("time on the clock [s]", 10**6),
}
"""What is tallied of such a board: words, and to which part of its unit."""


class BoardCounts(PlayCounts):
    """Counts over rows of the table `boards`, by the keys of `OVER` and `MEASURED`."""

    noun: ClassVar[str] = "boards"
    words: ClassVar[Mapping[str, str]] = OVER
    measured: ClassVar[Mapping[str, tuple[str, int]]] = MEASURED

    @classmethod
    def finished_rows(cls, rows: "pa.RecordBatch") -> tuple[dict[str, NDArray[np.bool_]], dict[str, NDArray[Any]]]:
        """Read rows of the table `boards` that the rules ended; see `PlayCounts.finished_rows`."""
        names = ("queen", "slam_white", "slam_black", "missed_breaks")
        column = {name: np.asarray(rows.column(name)) for name in (*names, *MEASURED)}
        winner = np.asarray(rows.column("winner_side").fill_null(-1))
        queen = column["queen"]
        seen = {
            "won_breaker": winner == 0,
            "won_other": winner == 1,
            "won_nobody": winner < 0,
            "queen_white": queen == QueenState.COVERED_WHITE,
            "queen_black": queen == QueenState.COVERED_BLACK,
            "queen_nobody": queen < QueenState.COVERED_WHITE,
            "slam_white": column["slam_white"] == 1,
            "slam_black": column["slam_black"] == 1,
            "missed_break": column["missed_breaks"] > 0,
        }
        return seen, {key: column[key] for key in MEASURED}

    @property
    def headline(self) -> tuple[str, int, int]:
        """How many boards side 0 won, of those that the rules ended."""
        return "side 0 wins", self.over["won_breaker"], self.finished


class BoardSummary(PlaySummary):
    """Frequencies of a board study with the intervals in which the truth may lie; see `PlaySummary`."""

    left_out: ClassVar[str] = "were not ended by the rules and are left out of the rest"
