"""What a break study found, in counts: they add up over chunks in any order."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from carromsim.stats import mean_interval, wilson
from carromsim_kernels.state import IntArray, Status

if TYPE_CHECKING:
    import pyarrow as pa

TRUSTED_GAP = 0.0005
"""Gap of the pack from which on two-body hits agree with contact-force integration [m]."""

LEVEL = 0.95

QUESTIONS = {
    "any": "at least one man or the queen",
    "white": "at least one white",
    "black": "at least one black",
    "queen": "the queen",
    "striker": "the striker",
}
"""What may fall, by key, in words."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BreakCounts:
    """Counts over rows of the table `strokes`.

    Parameters
    ----------
    status : (n_statuses,) int64
        Rows by status code.
    fell : dict of str to int
        Rows with status ok in which it fell, by the keys of `QUESTIONS`.
    n_pocketed : (20,) int64
        Rows with status ok by number of men and queen pocketed, 0 to 19.
    """

    status: IntArray
    fell: dict[str, int]
    n_pocketed: IntArray

    @classmethod
    def none(cls) -> Self:
        """Give the counts of no rows."""
        empty = dict.fromkeys(QUESTIONS, 0)
        return cls(status=np.zeros(len(Status), np.int64), fell=empty, n_pocketed=np.zeros(20, np.int64))

    @classmethod
    def of(cls, batch: "pa.RecordBatch") -> Self:
        """Count rows of the table `strokes`; missing values are rows that failed and do not count."""

        def values(name: str) -> IntArray:
            return np.asarray(batch.column(name).drop_null(), dtype=np.int64)

        columns = {"any": "n_pocketed", "white": "n_white", "black": "n_black", "queen": "queen", "striker": "striker"}
        return cls(
            status=np.bincount(values("status"), minlength=len(Status)),
            fell={key: int(np.count_nonzero(values(name))) for key, name in columns.items()},
            n_pocketed=np.bincount(values("n_pocketed"), minlength=20),
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(
            status=self.status + other.status,
            fell={key: count + other.fell[key] for key, count in self.fell.items()},
            n_pocketed=self.n_pocketed + other.n_pocketed,
        )

    @property
    def strokes(self) -> int:
        """All rows."""
        return int(self.status.sum())

    @property
    def ok(self) -> int:
        """Rows with status ok: the trials of every frequency."""
        return int(self.status[Status.OK])


@dataclass(frozen=True, kw_only=True)
class BreakSummary:
    """Frequencies of a break study with the intervals in which the truth may lie.

    Parameters
    ----------
    counts : BreakCounts
        Of all rows.
    gap : float
        Of the study's pack [m]; decides about the warning.
    seconds : float
        Wall time, writing included.
    """

    counts: BreakCounts
    gap: float
    seconds: float

    @property
    def strokes_per_second(self) -> float:
        """Rows per second of wall time."""
        return self.counts.strokes / self.seconds

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        found = []
        if self.gap < TRUSTED_GAP:
            found.append(
                f"gap {self.gap * 1e3:g} mm: packs tighter than {TRUSTED_GAP * 1e3:g} mm squeeze several discs at once,"
                " which two-body hits get wrong; do not trust these numbers yet"
            )
        failed = self.counts.strokes - self.counts.ok
        if failed:
            found.append(f"{failed} of {self.counts.strokes} strokes failed and are left out of every frequency")
        return found

    def probability(self, key: str) -> tuple[float, float, float]:
        """Give the frequency of one of `QUESTIONS` and its 95 % Wilson interval; NaN, 0, 1 without a valid stroke."""
        seen, n = self.counts.fell[key], self.counts.ok
        low, high = wilson(seen, n, LEVEL)
        return (seen / n if n else float("nan")), float(low), float(high)

    def mean_pocketed(self) -> tuple[float, float, float]:
        """Give the mean number of men and queen pocketed and its 95 % interval (central limit theorem)."""
        return mean_interval(self.counts.n_pocketed, LEVEL)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        counts = self.counts
        mean = dict(zip(("mean", "low", "high"), map(_finite, self.mean_pocketed()), strict=True))
        return {
            "strokes": counts.strokes,
            "status": {status.name.lower(): int(counts.status[status]) for status in Status},
            "level": LEVEL,
            "probability": {
                key: {
                    "count": counts.fell[key],
                    **dict(zip(("estimate", "low", "high"), map(_finite, self.probability(key)), strict=True)),
                }
                for key in QUESTIONS
            },
            "n_pocketed": {**mean, "distribution": counts.n_pocketed.tolist()},
            "seconds": self.seconds,
            "strokes_per_second": self.strokes_per_second,
            "warnings": self.warnings,
        }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
