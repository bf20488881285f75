"""Evaluated breaks: as records, as rows of the table, and what is known of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from carromsim.studies.optimising.space import Break
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas_optimise import EVALUATIONS
from carromsim_kernels.state import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Candidate", "Evaluation", "batch_of", "evaluation", "evaluations_of"]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A break that is to be evaluated.

    Attributes
    ----------
    break_ : Break
    origin : str
        "scout", "search", "mean" (of a search at its end), "straight" or "winner".
    restart : int or None
        Of the search that found it.
    source : int or None
        Row in which it was evaluated before.
    varied : str or None
        What differs from the winner or his conditions.
    value : float or None
        The value of that.
    paired : bool
        Whether the straight break is played with the same luck.
    conditions : tuple of (str, float)
        What differs from the study's own.
    """

    break_: Break
    origin: str
    restart: int | None = None
    source: int | None = None
    varied: str | None = None
    value: float | None = None
    paired: bool = False
    conditions: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A row of the table `evaluations`; its columns say what the fields mean. None: missing."""

    row: int
    stage: int
    restart: int | None
    generation: int | None
    candidate: int
    origin: str
    source: int | None
    varied: str | None
    value: float | None
    x: float
    aim: float
    angle: float
    speed: float
    spin: float
    rotation: float
    gap: float
    mu_surface: float
    e_disc: float
    e_cushion: float
    first_stroke: int
    strokes: int
    n: int
    objective: float | None
    sd: float | None
    straight: float | None
    gain: float | None
    gain_sd: float | None
    terms: str

    @property
    def break_(self) -> Break:
        """The break."""
        return Break(**{field.name: getattr(self, field.name) for field in fields(Break)})

    @property
    def known(self) -> float:
        """The objective; minus infinity if it is missing, which is worse than any."""
        return -np.inf if self.objective is None else self.objective

    @property
    def of_terms(self) -> dict[str, dict[str, float]]:
        """What the column `terms` says."""
        told: dict[str, dict[str, float]] = json.loads(self.terms)
        return told


def evaluation(
    where: Mapping[str, Any],
    candidate: Candidate,
    weights: Mapping[str, float],
    values: FloatArray,
    straight: FloatArray | None,
) -> Evaluation:
    """Sum up what was played of a break.

    Parameters
    ----------
    where : mapping
        The columns that neither the candidate nor the values say.
    candidate : Candidate
    weights : mapping of str to float
        The objective.
    values : (n, k) float64
        The terms stroke by stroke; see `carromsim.studies.optimising.jobs.Evaluate`.
    straight : (n, k) float64, optional
        Those of the straight break with the same luck: then a stroke counts if it does in both.
    """
    counts = ~np.isnan(values).any(axis=1)
    if straight is not None:
        counts &= ~np.isnan(straight).any(axis=1)
    mine, other = values[counts], None if straight is None else straight[counts]
    each = np.array(list(weights.values()))
    whole = _moments(mine @ each, None if other is None else other @ each)
    terms = {name: _moments(mine[:, k], None if other is None else other[:, k]) for k, name in enumerate(weights)}
    told = {key: {name: value for name, value in found.items() if value is not None} for key, found in terms.items()}
    break_ = {field.name: getattr(candidate.break_, field.name) for field in fields(Break)}
    return Evaluation(
        **where,
        **break_,
        origin=candidate.origin,
        restart=candidate.restart,
        source=candidate.source,
        varied=candidate.varied,
        value=candidate.value,
        n=int(counts.sum()),
        objective=whole["mean"],
        sd=whole["sd"],
        straight=whole["straight"],
        gain=whole["gain"],
        gain_sd=whole["gain_sd"],
        terms=json.dumps(told),
    )


def _moments(values: FloatArray, straight: FloatArray | None) -> dict[str, float | None]:
    """Give mean and standard deviation of values (n,), and of their difference from the straight break's."""

    def moments(numbers: FloatArray) -> tuple[float | None, float | None]:
        mean = float(numbers.mean()) if len(numbers) else None
        return mean, float(numbers.std(ddof=1)) if len(numbers) > 1 else None

    mean, sd = moments(values)
    if straight is None:
        return {"mean": mean, "sd": sd, "straight": None, "gain": None, "gain_sd": None}
    gain, gain_sd = moments(values - straight)
    return {"mean": mean, "sd": sd, "straight": moments(straight)[0], "gain": gain, "gain_sd": gain_sd}


def batch_of(evaluations: Sequence[Evaluation]) -> "pa.RecordBatch":
    """Give rows of the table `evaluations`."""
    columns, missing = {}, {}
    for column in EVALUATIONS.columns:
        values = [getattr(each, column.name) for each in evaluations]
        lacks = [value is None for value in values]
        filler: Any = "" if column.dtype == "string" else 0
        kind = object if column.dtype == "string" else column.dtype
        columns[column.name] = np.array([filler if value is None else value for value in values], dtype=kind)
        if column.nullable:
            missing[column.name] = np.array(lacks, dtype=bool)
    return record_batch(EVALUATIONS, columns, missing)


def evaluations_of(batch: "pa.RecordBatch") -> list[Evaluation]:
    """Read rows of the table `evaluations`."""
    return [Evaluation(**row) for row in batch.to_pylist()]
