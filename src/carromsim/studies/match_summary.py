"""What a match study found: counts, and the frequencies that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from carromsim.studies.board_summary import ended_dict
from carromsim.studies.frequencies import LEVEL, finite, frequency_dict
from carromsim.studies.play_counts import PlayCounts

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.matches import MatchStudy

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


@dataclass(frozen=True, kw_only=True)
class MatchSummary:
    """Frequencies of a match study with the intervals in which the truth may lie.

    Parameters
    ----------
    study : MatchStudy
        What was asked.
    counts : MatchCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : mapping or None
        Why it ended, as `carromsim.studies.stopping.Stopping.told` says it; None of a study without `until`.
    """

    study: "MatchStudy"
    counts: MatchCounts
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    @property
    def matches_per_second(self) -> float | None:
        """Matches per second of wall time, if known."""
        return self.counts.rows / self.seconds if self.seconds else None

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        void = self.counts.rows - self.counts.finished
        if not void:
            return []
        return [f"{void:,} of {self.counts.rows:,} matches are void, boards of theirs never ended, and are left out"]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        counts, n = self.counts, self.counts.finished
        return {
            "matches": counts.rows,
            "level": LEVEL,
            "ended": ended_dict(counts.ended),
            "over": {key: frequency_dict(counts.over[key], n) for key in OVER},
            **{key: counts.tallies[key].to_dict() for key in MEASURED},
            **finite(seconds_of_work=self.seconds or float("nan")),
            **finite(matches_per_second=self.matches_per_second or float("nan")),
            "stopped": self.stopped,
            "warnings": self.warnings,
        }
