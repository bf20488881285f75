"""What a shot study found, in counts: integers only, so that they add up over chunks exactly and in any order."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from carromsim.studies.counting.frequencies import LEVEL, add, finite, frequency, frequency_dict
from carromsim.studies.counting.metrics import Metric, Observed, over_rows, quantities, shares
from carromsim.studies.counting.sensitivity import HAND, Split, declared_splits
from carromsim.studies.counting.tally import Tally
from carromsim.studies.declaring.coefficients import COEFFICIENTS
from carromsim.studies.declaring.words import WORDS
from carromsim_kernels.state import IntArray, Status

if TYPE_CHECKING:
    import pyarrow as pa

    from carromsim.studies.shots.declaration import ShotDeclaration

_MILLION = 10**6

SEEN = {"success": "the man falls", "striker": "the striker falls", "unaimed": "no aim was found"}
"""What may be seen in a stroke, by key, in words."""

SHOWN = {
    "distance": ("man's way", 1e3, "mm"),
    "cut": ("cut", math.degrees(1.0), "deg"),
    **{name: WORDS[name] for name in ("x", "speed", "spin", *COEFFICIENTS)},
}
"""What varies, in words, and the unit in which people read it."""
_WHY = {
    Status.EVENT_LIMIT: "event limit",
    Status.START_OVERLAP: "discs overlap",
    Status.BAD_INPUT: "no such position or stroke on this board",
    Status.BURST_LIMIT: "burst limit",
}
_MOST_CELLS = 3
"""Bins that a warning names of each thing that varied: those that lost the largest share of their strokes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ShotCounts:
    """Counts over rows of the table `shots`. `seen`, `estimate`, `split` are of the rows whose status is ok.

    Parameters
    ----------
    status : (n_statuses,) int64
        Rows by status code.
    seen : (k, 4) int64
        By skill: strokes, and those in which each of `SEEN` was seen.
    estimate : tuple of Tally
        By skill: estimated chances.
    split : dict of str to (bins, k, 2) int64
        By what varied: strokes and successes by bin and skill.
    failed : dict of str to (bins,) int64
        By what varied of position and physics: strokes whose status is not ok, by bin. What the hand meant is not known
        of a stroke that has no position.
    """

    noun: ClassVar[str] = "strokes"

    status: IntArray
    seen: IntArray
    estimate: tuple[Tally, ...]
    split: dict[str, IntArray]
    failed: dict[str, IntArray]

    @classmethod
    def none(cls, skills: int) -> Self:
        """Give the counts of no rows."""
        nothing = Tally.of(np.empty(0), _MILLION)
        return cls(
            status=np.zeros(len(Status), np.int64),
            seen=np.zeros((skills, 4), np.int64),
            estimate=(nothing,) * skills,
            split={},
            failed={},
        )

    @classmethod
    def of(cls, batch: "pa.RecordBatch", study: "ShotDeclaration") -> Self:
        """Count rows of the table `shots`.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Any rows, in any order.
        study : ShotDeclaration
            Whose rows they are.
        """
        k = len(study.skill)
        status = np.asarray(batch.column("status"))
        rows, failed = (batch.filter(kept) for kept in (status == Status.OK, status != Status.OK))
        splits = declared_splits(study.parameters)
        skill, values = _by_whom(rows, k), _values(rows)
        success, chance = values["success"], values["estimate"]
        seen = [np.bincount(skill[values[key]], minlength=k) for key in SEEN]
        return cls(
            status=np.bincount(status, minlength=len(Status)),
            seen=np.stack([np.bincount(skill, minlength=k), *seen], axis=1),
            estimate=tuple(Tally.of(chance[skill == each], _MILLION) for each in range(k)),
            split={split.key: _cross(split.place(rows) * k + skill, success, split.bins, k) for split in splits},
            failed={
                split.key: np.bincount(split.place(failed), minlength=split.bins)
                for split in splits
                if split.key not in HAND
            },
        )

    def __add__(self, other: Self) -> Self:
        return type(self)(
            status=self.status + other.status,
            seen=self.seen + other.seen,
            estimate=tuple(one + two for one, two in zip(self.estimate, other.estimate, strict=True)),
            split=add(self.split, other.split),
            failed=add(self.failed, other.failed),
        )

    @property
    def rows(self) -> int:
        """All rows."""
        return int(self.status.sum())

    @property
    def lost(self) -> int:
        """Rows whose status is not ok."""
        return self.rows - int(self.status[Status.OK])

    @property
    def headline(self) -> tuple[str, int, int]:
        """How many strokes pocketed the man, of those with status ok; all skills together."""
        return "success", int(self.seen[:, 1].sum()), int(self.seen[:, 0].sum())


def _by_whom(rows: "pa.RecordBatch", skills: int) -> IntArray:
    """Give the place of each row's skill in the declaration."""
    return np.asarray(rows.column("row")) % skills


def _values(rows: "pa.RecordBatch") -> dict[str, NDArray[Any]]:
    """Read rows whose status is ok: what was seen of `SEEN`, and the chance that was estimated."""
    return {
        **{name: np.asarray(rows.column(name)) == 1 for name in ("success", "striker")},
        "unaimed": np.asarray(rows.column("room")) == 0.0,
        "estimate": np.asarray(rows.column("estimate")),
    }


def shot_metrics(labels: Sequence[str]) -> dict[str, Metric]:
    """Describe what is looked at in every row: of several skills each by its label, as in success_club."""
    metrics = shares(SEEN) | quantities({"estimate": ("estimated chance", _MILLION)})
    if len(labels) == 1:
        return metrics
    return {
        f"{key}_{label}": Metric(f"{metric.words}, {label}", metric.steps, label)
        for label in labels
        for key, metric in metrics.items()
    }


def observed_shots(batch: "pa.RecordBatch", labels: Sequence[str]) -> Observed:
    """Give the metrics of rows of the table `shots`; see `DeclaredStudy.observed`."""
    ok = np.equal(np.asarray(batch.column("status")), Status.OK)
    values = {key: over_rows(ok, found) for key, found in _values(batch.filter(ok)).items()}
    if len(labels) == 1:
        return values
    skill = _by_whom(batch, len(labels))
    return {
        f"{key}_{label}": np.where(skill == place, found, np.nan)
        for place, label in enumerate(labels)
        for key, found in values.items()
    }


def cells_of(batch: "pa.RecordBatch", split: Split, skills: int) -> IntArray:
    """Count strokes whose status is ok, and successes, by bin of what varied and skill, (bins, skills, 2)."""
    rows = batch.filter(np.equal(np.asarray(batch.column("status")), Status.OK))
    cell = split.place(rows) * skills + _by_whom(rows, skills)
    return _cross(cell, _values(rows)["success"], split.bins, skills)


def _cross(cell: IntArray, success: NDArray[np.bool_], bins: int, skills: int) -> IntArray:
    """Count strokes and successes by bin and skill, (bins, skills, 2)."""
    strokes = np.bincount(cell, minlength=bins * skills)
    hits = np.bincount(cell[success], minlength=bins * skills)
    return np.stack([strokes, hits], axis=1).reshape(bins, skills, 2)


@dataclass(frozen=True, kw_only=True)
class ShotSummary:
    """Success rates with the intervals in which the truth may lie.

    Parameters
    ----------
    study : ShotDeclaration
        What was asked.
    counts : ShotCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : mapping or None
        Why it ended, as `carromsim.studies.counting.stopping.Stopping.told` says it; None of a study without `until`.
    """

    study: "ShotDeclaration"
    counts: ShotCounts
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    @property
    def strokes_per_second(self) -> float | None:
        """Rows per second of wall time, if known."""
        return self.counts.rows / self.seconds if self.seconds else None

    @property
    def splits(self) -> tuple[Split, ...]:
        """How the rows are cut by what varies."""
        return declared_splits(self.study.parameters)

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        found, counts = [], self.counts
        strokes, unaimed = int(counts.seen[:, 0].sum()), int(counts.seen[:, 3].sum())
        if counts.lost:
            found.append(self._left_out())
        if unaimed:
            found.append(f"no direction near the man's way pockets him in {unaimed:,} of {strokes:,} strokes")
        return found

    def _left_out(self) -> str:
        """Say how many strokes are left out, why, and where: a bin that lost many is judged by those that remain."""
        counts = self.counts
        why = ", ".join(f"{counts.status[each]:,} {words}" for each, words in _WHY.items() if counts.status[each])
        where = []
        for split in (each for each in self.splits if each.key in counts.failed):
            failed = counts.failed[split.key]
            n = failed + self.cells(split)[..., 0].sum(axis=1)
            words = split.in_words(*SHOWN[split.key][1:])
            cells = sorted(np.flatnonzero(failed).tolist(), key=lambda cell: -failed[cell] / n[cell])[:_MOST_CELLS]
            told = ", ".join(f"{words[cell]} {failed[cell]:,} of {n[cell]:,}" for cell in cells)
            where.append(f"; by {SHOWN[split.key][0]}: {told}")
        start = f"{counts.lost:,} of {counts.rows:,} strokes could not be played and are left out ({why})"
        return start + "".join(where)

    def success(self, skill: int = 0) -> tuple[float, float, float]:
        """Give the success rate of a skill, by its place in the declaration, and its 95 % Wilson interval."""
        strokes, hits = self.counts.seen[skill, :2].tolist()
        return frequency(hits, strokes)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        counts, labels = self.counts, self.study.labels
        skills = [
            {
                "skill": label,
                "strokes": seen[0],
                "success": frequency_dict(seen[1], seen[0]),
                "striker": frequency_dict(seen[2], seen[0]),
                **finite(estimate=estimate.mean),
            }
            for label, seen, estimate in zip(labels, counts.seen.tolist(), counts.estimate, strict=True)
        ]
        return {
            "strokes": counts.rows,
            "status": {status.name.lower(): int(counts.status[status]) for status in Status},
            "level": LEVEL,
            "skills": skills,
            "varied": {split.key: self._bins(split) for split in self.splits},
            "seconds": self.seconds,
            "strokes_per_second": self.strokes_per_second,
            "stopped": self.stopped,
            "warnings": self.warnings,
        }

    def cells(self, split: Split) -> IntArray:
        """Give strokes and successes by bin of what varied and skill, (bins, k, 2)."""
        nothing = np.zeros((split.bins, len(self.study.skill), 2), np.int64)
        return self.counts.split.get(split.key, nothing)

    def _bins(self, split: Split) -> list[dict[str, Any]]:
        found = []
        for place, (low, high) in enumerate(pairwise([None, *split.edges, None])):
            where = {"value": split.values[place]} if split.values else {"from": low, "to": high}
            cells = self.cells(split)[place].tolist()
            rates = {
                label: {"strokes": strokes, "success": frequency_dict(hits, strokes)}
                for label, (strokes, hits) in zip(self.study.labels, cells, strict=True)
            }
            found.append({**where, "skills": rates})
        return found
