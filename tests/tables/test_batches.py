"""From NumPy columns to record batches."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from carromsim.tables.batches import record_batch, rows_where, values_of
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


def test_what_is_missing_has_the_shape_of_the_values() -> None:
    with pytest.raises(ValueError, match=r"missing: hits has shape \(3,\): must be \(3, 20\)"):
        record_batch(TABLE, columns(), {"hits": np.zeros(3, bool)})


def test_values_come_back() -> None:
    weights, odd = np.array([1.0, np.nan, 2.0]), HITS % 2 == 1
    batch = record_batch(TABLE, columns(weight=weights), {"weight": np.array([False, True, False]), "hits": odd})
    assert values_of(batch, "row").tolist() == [0, 1, 2]
    assert values_of(batch, "weight", -1).tolist() == [1.0, -1.0, 2.0]
    hits = values_of(batch, "hits", -1)
    assert hits.dtype == np.int8
    assert np.array_equal(hits, np.where(odd, -1, HITS))
    cut = batch.slice(1, 2)
    assert values_of(cut, "row").tolist() == [1, 2]
    assert values_of(cut, "weight", -1).tolist() == [-1.0, 2.0]
    assert np.array_equal(values_of(cut, "hits", -1), hits[1:])
    assert values_of(batch.slice(3), "hits", -1).shape == (0, 20)
    assert np.array_equal(
        values_of(record_batch(TABLE, columns(weight=weights), {}), "weight"), weights, equal_nan=True
    )
    with pytest.raises(ValueError, match="1 values of weight are missing"):
        values_of(batch, "weight")


@pytest.mark.parametrize("wanted", [[True, False, True], [True, True, True], [False, False, False]])
def test_some_rows_of_a_batch(wanted: list[bool]) -> None:
    batch = record_batch(TABLE, columns(), {"weight": np.array([False, True, False])})
    rows = rows_where(batch, np.array(wanted))
    assert rows["row"].to_pylist() == [row for row, want in enumerate(wanted) if want]
    assert rows["weight"].to_pylist() == [value for value, want in zip([1.0, None, 2.0], wanted, strict=True) if want]
