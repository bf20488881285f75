"""From NumPy columns to record batches."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import Column, TableSchema

TABLE = TableSchema(
    name="toys",
    version=3,
    columns=(
        Column(name="row", dtype="int64", unit="1", doc="Number of the toy."),
        Column(name="weight", dtype="float64", unit="m", doc="Weight of the toy.", nullable=True),
        Column(name="hits", dtype="int8", unit="1", doc="Hits per disc.", nullable=True, per_disc=True),
    ),
)
HITS = np.arange(60).reshape(3, 20)


def columns(**changes: Any) -> dict[str, Any]:
    return {"hits": HITS, "row": np.arange(3), "weight": np.array([1.0, np.nan, 2.0])} | changes


def test_values_and_missing_values_arrive() -> None:
    batch = record_batch(TABLE, columns(), {"weight": np.array([False, True, False]), "hits": HITS % 2 == 1})
    assert batch.schema.equals(TABLE.arrow(), check_metadata=True)
    batch.validate(full=True)
    assert batch["row"].to_pylist() == [0, 1, 2]
    assert batch["weight"].to_pylist() == [1.0, None, 2.0]
    assert batch["hits"].to_pylist() == [[n if n % 2 == 0 else None for n in row] for row in HITS.tolist()]


def test_columns_of_another_type_or_memory_order_are_converted() -> None:
    strided = np.asfortranarray(np.repeat(HITS, 2, axis=0).astype(np.int8))[::2]
    flags = np.array([True, False, True])
    batch = record_batch(TABLE, columns(hits=strided, row=flags, weight=np.array([1, 2, 3])), {})
    assert batch["hits"].to_pylist() == HITS.tolist()
    assert batch["row"].to_pylist() == [1, 0, 1]
    assert batch["weight"].type == pa.float64()


def test_words_arrive_as_text() -> None:
    words = TableSchema(
        name="words", version=1, columns=(Column(name="law", dtype="string", unit="1", doc="A law.", nullable=True),)
    )
    given = np.array(["E1", "E1; H12", 0], dtype=object)
    batch = record_batch(words, {"law": given}, {"law": np.array([False, False, True])})
    assert batch["law"].to_pylist() == ["E1", "E1; H12", None]
    assert batch["law"].type == pa.string()


def test_no_rows_are_a_batch_too() -> None:
    batch = record_batch(TABLE, columns(hits=np.empty((0, 20)), row=np.empty(0), weight=np.empty(0)), {})
    assert (batch.num_rows, batch.schema) == (0, TABLE.arrow())


def test_wrong_columns_are_named() -> None:
    with pytest.raises(ValueError, match="columns: colour do not match the schema toys/3"):
        record_batch(TABLE, columns(colour=np.arange(3)), {})
    with pytest.raises(ValueError, match="columns: hits, weight do not match"):
        record_batch(TABLE, {"row": np.arange(3)}, {})
    with pytest.raises(ValueError, match="columns: colour do not match"):
        record_batch(TABLE, columns(), {"colour": np.ones(3, bool)})


def test_a_value_that_must_be_there_may_not_be_missing() -> None:
    with pytest.raises(ValueError, match="row may not have missing values"):
        record_batch(TABLE, columns(), {"row": np.array([True, False, False])})
    record_batch(TABLE, columns(), {"row": np.zeros(3, bool)})
