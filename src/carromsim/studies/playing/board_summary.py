"""What a board study found: counts, and the frequencies that follow from them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carromsim.play.records import Ended
from carromsim.studies.playing.counts import BY_RULES, PlayCounts
from carromsim.studies.playing.summary import PlaySummary
from carromsim_kernels.laws import QueenState

if TYPE_CHECKING:
    import pyarrow as pa

ENDS = {**BY_RULES, "stroke_limit": ("at the stroke limit", Ended.STROKE_LIMIT)}
"""How a board ends, of all boards, by key: words, and the end."""

COMEBACK = 3
"""Men by which a side must have been behind for its win to be a comeback [A]."""

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
    "comeback": f"the winner was at least {COMEBACK} men behind: a comeback",
    "queen_decided": "the side that cleared its men first loses: the queen decides",
}
"""What may be said of a board that the rules ended, by key; the first three times three exclude each other."""

MEASURED = {
    "strokes": ("strokes", 1),
    "turns": ("turns", 1),
    "points": ("points of the winner", 1),
    "points_breaker": ("points that the breaker's side gains", 1),
    "points_other": ("points that the other side gains", 1),
    "dues_white": ("dues of white", 1),
    "dues_black": ("dues of black", 1),
    "seconds": ("time on the clock [s]", 10**6),
}
"""What is tallied of such a board: words, and to which part of its unit.

A side gains by how many points it got more than the other, 0 if it got fewer: the two together lose nothing and have no
sign, and the difference of their means is what the break is worth.
"""


_DELTA = ("score_delta_white", "score_delta_black")
_TALLIED = tuple(key for key in MEASURED if key not in ("points_breaker", "points_other"))
_READ = ("queen", "slam_white", "slam_black", "missed_breaks", "breaker", "white", *_DELTA)
_MAY_BE_MISSING = ("winner_side", "winner", "deficit", "cleared_first")
"""Columns: what is tallied as it stands, what else is read, and of that what may be missing."""


def _gained(column: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
    """Give the points that the breaker's side got more than the other, (n,)."""
    ahead: NDArray[np.int64] = np.subtract(*(column[name].astype(np.int64) for name in _DELTA))
    return np.where(column["breaker"] % 2 == column["white"], ahead, -ahead)


class BoardCounts(PlayCounts):
    """Counts over rows of the table `boards`, by the keys of `ENDS`, `OVER` and `MEASURED`."""

    noun: ClassVar[str] = "boards"
    ends: ClassVar[Mapping[str, tuple[str, Ended]]] = ENDS
    words: ClassVar[Mapping[str, str]] = OVER
    measured: ClassVar[Mapping[str, tuple[str, int]]] = MEASURED

    @classmethod
    def finished_rows(cls, rows: "pa.RecordBatch") -> tuple[dict[str, NDArray[np.bool_]], dict[str, NDArray[Any]]]:
        """Read rows of the table `boards` that the rules ended; see `PlayCounts.finished_rows`."""
        column = {name: np.asarray(rows.column(name)) for name in (*_READ, *_TALLIED)}
        winner, won_by, deficit, cleared = (np.asarray(rows.column(name).fill_null(-1)) for name in _MAY_BE_MISSING)
        queen, gained = column["queen"], _gained(column)
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
            "comeback": deficit >= COMEBACK,
            "queen_decided": (cleared >= 0) & (won_by == 1 - cleared),
        }
        gains = {"points_breaker": np.maximum(gained, 0), "points_other": np.maximum(-gained, 0)}
        return seen, {key: gains[key] if key in gains else column[key] for key in MEASURED}

    @property
    def headline(self) -> tuple[str, int, int]:
        """How many boards side 0 won, of those that the rules ended."""
        return "side 0 wins", self.over["won_breaker"], self.finished


class BoardSummary(PlaySummary):
    """Frequencies of a board study with the intervals in which the truth may lie; see `PlaySummary`."""

    left_out: ClassVar[str] = "were not ended by the rules and are left out of the rest"
