"""What a match study found: counts, and the frequencies that follow from them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carromsim.studies.playing.counts import PlayCounts
from carromsim.studies.playing.summary import PlaySummary

if TYPE_CHECKING:
    import pyarrow as pa

OVER = {
    "won_side_0": "side 0 wins",
    "won_side_1": "side 1 wins",
    "won_opener": "the side that broke first wins",
    "won_other": "the side that did not wins",
    "won_nobody": "nobody wins",
}
"""What may be said of a match that the rules ended, by key, in words."""

MEASURED = {
    "games": ("games", 1),
    "boards": ("boards", 1),
    "void_boards": ("boards played again", 1),
    "strokes": ("strokes", 1),
    "seconds": ("time on the clock [s]", 10**6),
}
"""What is tallied of such a match: words, and to which part of its unit."""


class MatchCounts(PlayCounts):
    """Counts over rows of the table `matches`, by the keys of `OVER` and `MEASURED`."""

    noun: ClassVar[str] = "matches"
    words: ClassVar[Mapping[str, str]] = OVER
    measured: ClassVar[Mapping[str, tuple[str, int]]] = MEASURED

    @classmethod
    def finished_rows(cls, rows: "pa.RecordBatch") -> tuple[dict[str, NDArray[np.bool_]], dict[str, NDArray[Any]]]:
        """Read rows of the table `matches` that the rules ended; see `PlayCounts.finished_rows`."""
        winner = np.asarray(rows.column("winner_side").fill_null(-1))
        opener = np.asarray(rows.column("opener")) % 2
        seen = {
            "won_side_0": winner == 0,
            "won_side_1": winner == 1,
            "won_opener": winner == opener,
            "won_other": winner == 1 - opener,
            "won_nobody": winner < 0,
        }
        return seen, {key: np.asarray(rows.column(key)) for key in MEASURED}

    @property
    def headline(self) -> tuple[str, int, int]:
        """How many matches side 0 won, of those that the rules ended."""
        return "side 0 wins", self.over["won_side_0"], self.finished


class MatchSummary(PlaySummary):
    """Frequencies of a match study with the intervals in which the truth may lie; see `PlaySummary`."""

    left_out: ClassVar[str] = "are void, boards of theirs never ended, and are left out"
