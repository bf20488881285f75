"""From NumPy columns to record batches of a table."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carromsim.tables.schemas import Column, TableSchema
from carromsim_kernels.state import N_DISCS

if TYPE_CHECKING:
    import pyarrow as pa


def record_batch(
    schema: TableSchema,
    columns: Mapping[str, NDArray[Any]],
    missing: Mapping[str, NDArray[np.bool_]],
) -> "pa.RecordBatch":
    """Build rows of a table.

    Parameters
    ----------
    schema : TableSchema
        Names, order and types.
    columns : mapping of str to array
        Values by column name: (n,) arrays, (n, 20) in a column per disc. The batch may share their
        memory, so they must not be written to afterwards.
    missing : mapping of str to bool array
        By column name, True where the value is missing; same shape as the values. Columns that are
        not named have no missing values.

    Returns
    -------
    pyarrow.RecordBatch

    Raises
    ------
    ValueError
        If the columns are not those of the schema.
    """
    import pyarrow as pa

    names = [column.name for column in schema.columns]
    if set(columns) != set(names) or not set(missing) <= set(names):
        odd = sorted((set(columns) | set(missing)) ^ set(names))
        raise ValueError(f"columns: {', '.join(odd)} do not match the schema {schema.label}")
    arrow = schema.arrow()
    arrays = [_array(column, columns[column.name], missing.get(column.name)) for column in schema.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow)


def _array(column: Column, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> "pa.Array":
    """Convert one column; a wrong shape or a missing value where none may be is a bug of the caller."""
    import pyarrow as pa

    if missing is not None and not column.nullable and missing.any():
        raise ValueError(f"columns: {column.name} may not have missing values")
    flat = np.ascontiguousarray(values, dtype=object if column.dtype == "string" else column.dtype).reshape(-1)
    mask = None if missing is None else np.ascontiguousarray(missing).reshape(-1)
    array = pa.array(flat, type=pa.type_for_alias(column.dtype), mask=mask)
    if not column.per_disc:
        return array
    element = pa.field("element", array.type, nullable=column.nullable)
    return pa.FixedSizeListArray.from_arrays(array, type=pa.list_(element, N_DISCS))
