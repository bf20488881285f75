"""From what was played to rows of the tables `boards`, `strokes`, `games` and `matches`."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.rules.records import RecordArray
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.counting.laws import field_names, law_names
from carromsim.tables.batches import record_batch
from carromsim.tables.schemas import TableSchema
from carromsim.tables.schemas_players import PAIRS

if TYPE_CHECKING:
    import pyarrow as pa


def played_batch(schema: TableSchema, records: RecordArray, rules: RuleSet) -> "pa.RecordBatch":
    """Put records into rows of a table.

    A column has the name of a field; of a field with two values there are two columns, whose names end in one of
    `PAIRS`. What is -1 or NaN is missing.

    Parameters
    ----------
    schema : TableSchema
        Of the records' table.
    records : (n,) record array
    rules : RuleSet
        Under which they were played; names the laws.
    """
    columns: dict[str, NDArray[Any]] = {}
    missing = {}
    for column in schema.columns:
        if column.name == "laws":
            values = law_names(records["laws"], rules)
        elif column.name == "fields":
            values = field_names(records["laws"])
        else:
            values = _values(column.name, records)
        columns[column.name] = values
        if column.nullable:
            missing[column.name] = np.isnan(values) if column.dtype == "float64" else values < 0
    return record_batch(schema, columns, missing)


def _values(name: str, records: RecordArray) -> NDArray[Any]:
    if name in (records.dtype.names or ()):
        return records[name]
    for pair in PAIRS:
        for place, end in enumerate(pair):
            if name.endswith(f"_{end}"):
                values: NDArray[Any] = records[name.removesuffix(f"_{end}")][:, place]
                return values
    raise KeyError(name)
