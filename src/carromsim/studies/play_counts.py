"""Counts of what was played to its end: integers only, so that they add up over chunks exactly and in any order."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from carromsim.play.records import Ended
from carromsim.studies.frequencies import add
from carromsim.studies.tally import Tally
from carromsim_kernels.state import IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayCounts:
    """Counts over boards or over matches. All but `ended` are of those that the rules ended.

    A kind of play says, as class variables, what may be said of one that the rules ended (`words`, by key) and what is
    tallied of it (`measured`: words, and to which part of its unit).

    Parameters
    ----------
    ended : (n_ends,) int64
        Rows by `Ended`.
    over : dict of str to int
        By the keys of `words`.
    tallies : dict of str to Tally
        By the keys of `measured`.
    """

    words: ClassVar[Mapping[str, str]]
    measured: ClassVar[Mapping[str, tuple[str, int]]]

    ended: IntArray
    over: dict[str, int]
    tallies: dict[str, Tally]

    @classmethod
    def none(cls) -> Self:
        """Give the counts of no rows."""
        return cls.from_columns(np.empty(0, np.int64), {}, {})

    @classmethod
    def from_columns(
        cls, ended: NDArray[Any], seen: Mapping[str, NDArray[np.bool_]], values: Mapping[str, NDArray[Any]]
    ) -> Self:
        """Count `ended` of all rows, and of those that the rules ended what was `seen` and the `values` to tally."""
        return cls(
            ended=np.bincount(ended, minlength=len(Ended)),
            over={key: int(np.count_nonzero(seen[key])) if key in seen else 0 for key in cls.words},
            tallies={key: Tally.of(values.get(key, np.empty(0)), steps) for key, (_, steps) in cls.measured.items()},
        )

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
