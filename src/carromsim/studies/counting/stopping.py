"""When a study has seen enough.

A study with `until` is looked at after each chunk, in the order of the chunks, by an interval that holds at all looks
together (`carromsim.stats.sequences`): stopping as soon as it is short enough, or excludes equality, costs nothing of
its level. An interval for one look, such as Wilson's, would be wrong far more often. Where the study ends depends on
its declaration alone: chunks that come back early wait until those before them are there.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from carromsim.problems import did_you_mean
from carromsim.stats import asymptotic_mean, beta_binomial, log_e_value, tuning
from carromsim.stats.checks import LEAST_LEVEL
from carromsim.studies.counting.metrics import Metric, Observed, exact_dot, whole_steps
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Evidence", "Look", "Stopping", "Until", "ended_in_words", "evidence_of", "until_given"]

EVEN = 0.5
"""Share of each of two sides that are equal, among the rows in which they differ."""


class Watched(Protocol):
    """What stopping needs of a study."""

    @property
    def rows(self) -> int:
        """How many rows it has at most."""

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk."""

    @property
    def until(self) -> "Until | None":
        """When it has seen enough."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row."""

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of some rows of the first table."""


class Evidence(NamedTuple):
    """What is known of a metric: whole numbers, which add up exactly in any order.

    Parameters
    ----------
    n : int
        Rows that are trials of it; if it is compared with another: rows that are one and not the other.
    total, squares : int
        Sum of its values and of their squares, in steps; of a share both are the rows in which it was seen.
    """

    n: int
    total: int
    squares: int

    @classmethod
    def none(cls) -> Self:
        """Give what is known without a row."""
        return cls(0, 0, 0)

    @classmethod
    def of(cls, whole: NDArray[Any]) -> Self:
        """Give what some values (n,) in whole steps say."""
        return cls(len(whole), exact_dot(whole, np.ones(len(whole), np.int64)), exact_dot(whole, whole))

    @classmethod
    def seen(cls, metric: Metric, values: FloatArray) -> Self:
        """Give what the values of some rows (n,) say of a metric, NaN where a row is no trial of it."""
        return cls.of(whole_steps(values[~np.isnan(values)], metric.steps or 1))

    def mean(self, metric: Metric) -> float:
        """Mean of the values in the metric's unit, or its share; NaN without any."""
        return self.total / (self.n * (metric.steps or 1)) if self.n else math.nan

    @property
    def variance(self) -> float:
        """Sample variance of the values, in squared steps; 0 of fewer than two values."""
        return (self.n * self.squares - self.total**2) / (self.n * (self.n - 1)) if self.n > 1 else 0.0

    def add(self, other: "Evidence") -> "Evidence":
        """Give what both together say."""
        return Evidence(self.n + other.n, self.total + other.total, self.squares + other.squares)


class Look(NamedTuple):
    """What one look at a study says: the estimate, the ends of its interval, and whether that is enough."""

    estimate: float
    low: float
    high: float
    reached: bool


class Until(BaseModel):
    """When a study has seen enough; its number of rows is the most that it plays.

    Parameters
    ----------
    metric : str
        What is looked at: a key of the study's metrics.
    half_width : float, optional
        Enough is an interval of at most twice this length.
    against : str or float, optional
        Enough is that the metric is told from this: from a number, or from another metric. Of two that can be seen or
        not, rows that are one and not the other count, and enough is that their share is not 1/2.
    level : float
        Probability that the interval covers the truth at all looks together, from 0.01 to 1 (exclusive).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    metric: str
    half_width: float | None = Field(default=None, gt=0)
    against: str | float | None = None
    level: float = Field(default=0.95, ge=LEAST_LEVEL, lt=1)

    @model_validator(mode="after")
    def _one_wish(self) -> Self:
        if (self.half_width is None) == (self.against is None):
            raise ValueError("must have half_width or against, and not both")
        return self

    def check(self, metrics: Mapping[str, Metric]) -> None:
        """Raise ValueError if a study with these metrics cannot be stopped so."""
        for key, name in (("metric", self.metric), ("against", self.against)):
            if isinstance(name, str) and name not in metrics:
                raise ValueError(f"{key} = {name!r}: {did_you_mean(name, metrics)}")
        mine, other = metrics[self.metric], self.against
        if isinstance(other, str):
            if other == self.metric:
                raise ValueError(f"against = {other!r}: must be another metric")
            if not (mine.is_share and metrics[other].is_share):
                quantity = self.metric if not mine.is_share else other
                raise ValueError(f"against = {other!r}: both must be seen or not, and {quantity} is a quantity")
            if mine.rows != metrics[other].rows:
                raise ValueError(
                    f"against = {other!r}: no row is a trial of both, so they cannot be compared row by row"
                )
        elif other is not None and mine.is_share and not 0.0 < other < 1.0:
            raise ValueError(f"against = {other:g}: must be a share between 0 and 1 (exclusive)")
        if self.half_width is not None and mine.is_share and self.half_width >= 0.5:
            raise ValueError(f"half_width = {self.half_width:g}: must be less than 0.5, which says nothing of a share")

    def evidence(self, study: Watched, batch: "pa.RecordBatch") -> Evidence:
        """Give what some rows of a study's first table say."""
        observed = study.observed(batch)
        values = observed[self.metric]
        if isinstance(self.against, str):
            values = values[values != observed[self.against]]
        return Evidence.seen(study.metrics[self.metric], values)

    def look(self, study: Watched, found: Evidence) -> Look:
        """Give the estimate, its interval at all looks together, and whether that is enough.

        Returns
        -------
        Look
            In the metric's unit; compared with another metric: the share of the rows that are it and not the other. Of
            a quantity that had the same value in all rows nothing is concluded: its interval has no ends.
        """
        metric = study.metrics[self.metric]
        estimate = found.mean(metric)
        if metric.steps is None:
            ends = beta_binomial(found.total, found.n, self.level, **self.tuned(study.rows))
        else:
            variance = found.variance / metric.steps**2
            ends = asymptotic_mean(found.n, estimate if found.n else 0.0, variance, self.level)
        low, high = float(ends.low), float(ends.high)
        if self.half_width is not None:
            return Look(estimate, low, high, high - low <= 2.0 * self.half_width)
        value = EVEN if isinstance(self.against, str) else self.against
        return Look(estimate, low, high, value is not None and not low <= value <= high)

    def reached(self, study: Watched, found: Evidence) -> bool:
        """Tell whether that is enough; of a share without its interval if that can be, which takes longer to find."""
        if not study.metrics[self.metric].is_share:
            return self.look(study, found).reached
        if self.half_width is None:
            value = EVEN if isinstance(self.against, str) else float(self.against or 0.0)
            return not self._holds(study, found, value)
        centre, half = found.mean(study.metrics[self.metric]), self.half_width
        # An interval in which both of these lie is longer than wished.
        around = (centre - half, centre + half)
        if found.n == 0 or all(0.0 < value < 1.0 and self._holds(study, found, value) for value in around):
            return False
        return self.look(study, found).reached

    def _holds(self, study: Watched, found: Evidence, share: float) -> bool:
        """Tell whether the interval of a share has a number in it."""
        bound = -math.log1p(-self.level)
        return bool(log_e_value(found.total, found.n, share, self.level, **self.tuned(study.rows)) < bound)

    def tuned(self, rows: int) -> dict[str, float]:
        """Say at how many trials the interval of a share is to be shortest, of a study of so many rows at most."""
        return {} if self.half_width is None else {"tuned": min(tuning(self.half_width), float(rows))}

    def __str__(self) -> str:
        """Say it as the option --until does."""
        return f"{self.metric}:{self.half_width:g}" if self.half_width else f"{self.metric} vs {self.against}"


def until_given(value: Any) -> Any:
    """Take what says when a study has seen enough; mistakes are told by their names.

    Raises
    ------
    ValueError
        If it says nothing that can be.
    """
    if value is None or isinstance(value, Until):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("must be {metric, half_width} or {metric, against}, perhaps with a level")
    for key in value:
        if key not in Until.model_fields:
            raise ValueError(f"{key}: {did_you_mean(key, Until.model_fields)}")
    try:
        return Until.model_validate(dict(value))
    except ValidationError as error:
        told = [(str(each["loc"][0]) if each["loc"] else "", each["msg"]) for each in error.errors()]
        words = [(name, text.removeprefix("Value error, ").replace("Input should", "must")) for name, text in told]
        raise ValueError("; ".join(f"{name}: {text}" if name else text for name, text in words)) from None


def evidence_of(study: Watched, batch: "pa.RecordBatch") -> Evidence | None:
    """Give what some rows of a study's first table say about its end; None if it plays all its rows anyway."""
    return None if study.until is None else study.until.evidence(study, batch)


class Stopping:
    """Finds with which chunk a study ends.

    Parameters
    ----------
    study : Watched
        Without `until` it ends with its last chunk.
    chunks : int
        Of the whole study.
    """

    def __init__(self, study: Watched, chunks: int) -> None:
        self._study = study
        self._chunks = chunks
        self._waiting: dict[int, Evidence] = {}
        self._looked = 0
        self._found = Evidence.none()
        self._reached = False
        self.end: int | None = chunks if study.until is None or not chunks else None
        """How many chunks make the run, once that is known."""

    def add(self, number: int, evidence: Evidence | None) -> None:
        """Take what a chunk says, in any order; what comes after the end changes nothing."""
        until = self._study.until
        if until is None or evidence is None or self.end is not None:
            return
        self._waiting[number] = evidence
        while self.end is None and self._looked in self._waiting:
            self._found = self._found.add(self._waiting.pop(self._looked))
            self._looked += 1
            self._reached = until.reached(self._study, self._found)
            if self._reached or self._looked == self._chunks:
                self.end = self._looked

    @property
    def told(self) -> dict[str, Any] | None:
        """Say for `parts.json` and the summary why the run ended, or where it stands.

        Returns
        -------
        dict or None
            None without `until`. `reason`: "half_width", "decided" or "budget"; None if the end is not known yet. The
            wish; `rows` of the run and how many of them are `trials`; the estimate and its interval, None for what is
            not finite.
        """
        until = self._study.until
        if until is None:
            return None
        look = until.look(self._study, self._found)
        numbers = {"estimate": look.estimate, "low": look.low, "high": look.high}
        return {
            "reason": self._reason(until),
            **until.model_dump(exclude_none=True),
            "rows": min(self._looked * self._study.chunk_rows, self._study.rows),
            "trials": self._found.n,
            **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        }

    def _reason(self, until: Until) -> str | None:
        if self.end is None:
            return None
        if not self._reached:
            return "budget"
        return "half_width" if until.half_width is not None else "decided"


def ended_in_words(study: Watched, stopped: Mapping[str, Any]) -> tuple[str, str]:
    """Say why a run ended, or where it stands, and what is known of what is looked at.

    Parameters
    ----------
    study : Watched
    stopped : mapping
        As `Stopping.told` gives it.
    """
    metric, other = study.metrics[stopped["metric"]], stopped.get("against")
    played = f"{stopped['rows']:,} of at most {study.rows:,} rows"
    words = {
        "half_width": f"is reached after {played}",
        "decided": f"is decided after {played}",
        "budget": f"is not reached by all {study.rows:,} rows",
        None: f"is not reached yet, by {played}",
    }
    of = ""
    if isinstance(other, str):
        of = f", of {stopped['trials']:,} rows that are either this or {study.metrics[other].words}"
    estimate, low, high = (_number(stopped[name], metric.is_share) for name in ("estimate", "low", "high"))
    interval = f"{low.removesuffix(' %')} to {high} at all looks together ({100 * stopped['level']:g} %)"
    return f"{study.until} {words[stopped['reason']]}", f"{metric.words}{of}: {estimate}, {interval}"


def _number(value: float | None, percent: bool) -> str:
    if value is None:
        return "unknown"
    return f"{100.0 * value:.2f} %" if percent else f"{value:.5g}"
