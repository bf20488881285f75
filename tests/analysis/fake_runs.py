"""Runs whose rows are invented, so that it is known what differs between two of them: coins, and their weights.

Coins are thrown by the numbers of their rows: half of a coin's luck is shared by all studies of one seed, as far as
`common` says, and the rest is the study's own.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.stopping import Until
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import Column, TableSchema

SIDES = 8

COINS = TableSchema(
    name="coins",
    version=1,
    columns=(
        Column(name="row", dtype="int64", unit="1", doc="Number."),
        *(
            Column(name=f"heads_{side}", dtype="int8", unit="1", doc="1 if heads.", nullable=True)
            for side in range(SIDES)
        ),
        Column(name="weight", dtype="float64", unit="g", doc="Of the coin.", nullable=True),
        Column(name="always", dtype="int8", unit="1", doc="1."),
    ),
)


class Tosses(NamedTuple):
    """Counts of rows."""

    rows: int
    noun = "tosses"

    def __add__(self, other: "Tosses") -> "Tosses":  # type: ignore[override]
        return Tosses(self.rows + other.rows)


@dataclass(frozen=True, kw_only=True)
class Coins:
    """Eight coins per row, and the weight of one.

    Parameters
    ----------
    share : float
        Probability of heads of the first coin; of the others 1/2.
    gram : float
        Mean of the weight, whose standard deviation is 1.
    common : float
        Correlation of weights in studies of one seed that differ in `variant`.
    """

    kind: ClassVar[str] = "coins"
    sequential: ClassVar[bool] = False
    tables: ClassVar[tuple[TableSchema, ...]] = (COINS,)
    rows: int = 4000
    chunk_rows: int = 500
    seed: int = 1
    variant: int = 0
    share: float = 0.5
    gram: float = 10.0
    common: float = 0.0
    until: Until | None = None

    @property
    def piece_rows(self) -> int:
        return self.chunk_rows

    def batch(self, rows: range) -> dict[str, pa.RecordBatch]:
        # One generator per chunk: rows are only ever asked for by whole chunks here.
        shared = np.random.default_rng([self.seed, rows.start])
        own = np.random.default_rng([self.seed, rows.start, self.variant + 1])
        n = len(rows)
        tails = own.random((n, SIDES)) >= np.array([self.share, *[0.5] * (SIDES - 1)])
        weight = np.sqrt(self.common) * shared.standard_normal(n) + np.sqrt(1 - self.common) * own.standard_normal(n)
        number = np.arange(rows.start, rows.stop)
        none = number % 7 == 0
        columns: dict[str, Any] = {f"heads_{side}": (~tails[:, side]).astype(np.int8) for side in range(SIDES)}
        columns |= {"row": number, "weight": self.gram + weight, "always": np.ones(n, np.int8)}
        return {
            "coins": record_batch(COINS, columns, {name: none for name in columns if name not in ("row", "always")})
        }

    @property
    def metrics(self) -> dict[str, Metric]:
        sides = {f"heads_{side}": Metric(f"coin {side} shows heads") for side in range(SIDES)}
        return {**sides, "weight": Metric("weight [g]", 10**6), "always": Metric("always")}

    def observed(self, batch: pa.RecordBatch) -> Observed:
        return {key: batch[key].cast(pa.float64()).fill_null(np.nan).to_numpy() for key in self.metrics}

    def warm_up(self) -> None:
        pass

    def declaration(self) -> dict[str, Any]:
        fields = ("rows", "chunk_rows", "seed", "variant", "share", "gram", "common")
        until = {} if self.until is None else {"until": self.until.model_dump(exclude_none=True)}
        return {"kind": self.kind, **{name: getattr(self, name) for name in fields}, **until}

    def replay(self, row: int) -> Any:
        raise NotImplementedError

    def empty_counts(self) -> Tosses:
        return Tosses(0)

    def counts_of(self, batch: pa.RecordBatch) -> Tosses:
        return Tosses(batch.num_rows)

    def summary_of(self, counts: Tosses, seconds: float | None = None, stopped: Any = None) -> dict[str, Any]:
        return {"rows": counts.rows, "stopped": stopped}


def values_of(study: Coins) -> Observed:
    """Give the metrics of all rows of a study."""
    batches = [
        study.batch(range(start, min(start + study.chunk_rows, study.rows)))["coins"]
        for start in range(0, study.rows, study.chunk_rows)
    ]
    observed = [study.observed(batch) for batch in batches]
    return {key: np.concatenate([each[key] for each in observed]) for key in study.metrics}
