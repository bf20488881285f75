"""What a study of players found, boards and matches alike: counts, and the frequencies that follow from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from carromsim.play.records import Ended
from carromsim.studies.counting.frequencies import LEVEL, finite, frequency_dict
from carromsim.studies.playing.counts import PlayCounts

if TYPE_CHECKING:
    from carromsim.studies.playing.declaration import PlayDeclaration


@dataclass(frozen=True, kw_only=True)
class PlaySummary:
    """Frequencies of a study of players with the intervals in which the truth may lie.

    Parameters
    ----------
    study : BoardStudy or MatchStudy
        What was asked.
    counts : BoardCounts or MatchCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : mapping or None
        Why it ended, as `carromsim.studies.counting.stopping.Stopping.told` says it; None of a study without `until`.
    """

    left_out: ClassVar[str]
    """What became of rows that the rules did not end, in words."""

    study: "PlayDeclaration"
    counts: PlayCounts
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    @property
    def per_second(self) -> float | None:
        """Boards or matches per second of wall time, if known."""
        return self.counts.rows / self.seconds if self.seconds else None

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        void = self.counts.rows - self.counts.finished
        return [f"{void:,} of {self.counts.rows:,} {self.counts.noun} {self.left_out}"] if void else []

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        counts, n = self.counts, self.counts.finished
        return {
            counts.noun: counts.rows,
            "level": LEVEL,
            "ended": {way.name.lower(): frequency_dict(int(counts.ended[way]), counts.rows) for way in Ended},
            "over": {key: frequency_dict(counts.over[key], n) for key in counts.words},
            **{key: counts.tallies[key].to_dict() for key in counts.measured},
            **finite(seconds_of_work=self.seconds or float("nan")),
            **finite(**{f"{counts.noun}_per_second": self.per_second or float("nan")}),
            "stopped": self.stopped,
            "warnings": self.warnings,
        }
