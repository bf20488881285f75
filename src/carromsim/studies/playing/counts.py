"""Counts of what was played to its end: integers only, so that they add up over chunks exactly and in any order."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from carromsim.play.records import Ended
from carromsim.studies.counting.frequencies import add
from carromsim.studies.counting.metrics import Metric, Observed, over_rows, quantities, shares
from carromsim.studies.counting.tally import Tally
from carromsim_kernels.state import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

BY_RULES = {"by_rules": ("ended by the rules", Ended.RULES)}
"""How a row ended, by key: words, and the end."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayCounts(ABC):
    """Counts over boards or over matches. All but `ended` are of those that the rules ended.

    A kind of play says, as class variables, how one may end (`ends`, by key: words, and the end), what may be said of
    one that the rules ended (`words`, by key) and what is tallied of it (`measured`: words, and to which part of its
    unit).

    Parameters
    ----------
    ended : (n_ends,) int64
        Rows by `Ended`.
    over : dict of str to int
        By the keys of `words`.
    tallies : dict of str to Tally
        By the keys of `measured`.
    """

    noun: ClassVar[str]
    ends: ClassVar[Mapping[str, tuple[str, Ended]]] = BY_RULES
    words: ClassVar[Mapping[str, str]]
    measured: ClassVar[Mapping[str, tuple[str, int]]]

    ended: IntArray
    over: dict[str, int]
    tallies: dict[str, Tally]

    @classmethod
    @abstractmethod
    def finished_rows(cls, rows: "pa.RecordBatch") -> tuple[dict[str, NDArray[np.bool_]], dict[str, NDArray[Any]]]:
        """Read rows of the table that the rules ended.

        Returns
        -------
        dict of str to (n,) bool
            What was seen, by the keys of `words`.
        dict of str to (n,)
            What is tallied, by the keys of `measured`.
        """

    @property
    @abstractmethod
    def headline(self) -> tuple[str, int, int]:
        """The main result in a word, how often it was seen, and of how many trials."""

    @classmethod
    def none(cls) -> Self:
        """Give the counts of no rows."""
        return cls(
            ended=np.zeros(len(Ended), np.int64),
            over=dict.fromkeys(cls.words, 0),
            tallies={key: Tally.of(np.empty(0), steps) for key, (_, steps) in cls.measured.items()},
        )

    @classmethod
    def of(cls, batch: "pa.RecordBatch") -> Self:
        """Count rows of the table, any rows, in any order."""
        ended = np.asarray(batch.column("ended"))
        seen, values = cls.finished_rows(batch.filter(np.equal(ended, Ended.RULES)))
        return cls(
            ended=np.bincount(ended, minlength=len(Ended)),
            over={key: int(np.count_nonzero(seen[key])) for key in cls.words},
            tallies={key: Tally.of(values[key], steps) for key, (_, steps) in cls.measured.items()},
        )

    @classmethod
    def metrics(cls) -> dict[str, Metric]:
        """Describe what is looked at in every row."""
        ends = {key: Metric(words, rows="all") for key, (words, _) in cls.ends.items()}
        return {**ends, **shares(cls.words), **quantities(cls.measured)}

    @classmethod
    def observed(cls, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of rows of the table; see `DeclaredStudy.observed`."""
        ended = np.asarray(batch.column("ended"))
        finished = np.equal(ended, Ended.RULES)
        seen, values = cls.finished_rows(batch.filter(finished))
        return {
            **{key: np.equal(ended, way).astype(np.float64) for key, (_, way) in cls.ends.items()},
            **{key: over_rows(finished, found) for key, found in (seen | values).items()},
        }

    def __add__(self, other: Self) -> Self:
        return type(self)(
            **{field.name: add(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)}
        )

    @property
    def rows(self) -> int:
        """All rows."""
        return int(self.ended.sum())

    @property
    def finished(self) -> int:
        """Rows that the rules ended: the trials of every frequency but the first."""
        return int(self.ended[Ended.RULES])
