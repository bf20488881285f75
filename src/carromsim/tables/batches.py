"""From NumPy columns to record batches of a table, and back.

Both ways go through the buffers of an Arrow array. pyarrow's own ways between the two load pandas first, wherever it
is installed, which takes as long as a thousand breaks.
"""

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
        If the columns are not those of the schema, or a shape is wrong.
    """
    import pyarrow as pa

    names = [column.name for column in schema.columns]
    if set(columns) != set(names) or not set(missing) <= set(names):
        odd = sorted((set(columns) | set(missing)) ^ set(names))
        raise ValueError(f"columns: {', '.join(odd)} do not match the schema {schema.label}")
    arrow = schema.arrow()
    arrays = [_array(column, columns[column.name], missing.get(column.name)) for column in schema.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow)


def values_of(rows: "pa.RecordBatch", name: str, missing: float | None = None) -> NDArray[Any]:
    """Give the numbers of a column as NumPy.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        Their memory may be shared.
    name : str
        Of a column of numbers, or of numbers per disc.
    missing : float, optional
        Stands where a value is missing. Default: none may be missing.

    Returns
    -------
    (n,) or (n, 20) array
        Of the column's type; not to be written to.

    Raises
    ------
    ValueError
        If a value is missing that may not be.
    """
    import pyarrow as pa

    column = rows.column(name)
    per_disc = pa.types.is_fixed_size_list(column.type)
    flat = column.flatten() if per_disc else column
    there, numbers = flat.buffers()
    part = slice(flat.offset, flat.offset + len(flat))
    values = np.frombuffer(numbers or b"", dtype=str(flat.type))[part]
    if flat.null_count:
        if missing is None:
            raise ValueError(f"rows: {flat.null_count} values of {name} are missing")
        present = np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")[part]
        values = np.where(present, values, np.array(missing, values.dtype))
    return values.reshape(-1, N_DISCS) if per_disc else values


def rows_where(rows: "pa.RecordBatch", wanted: NDArray[np.bool_]) -> "pa.RecordBatch":
    """Give those rows of a batch where `wanted`, (n,) bool, is true."""
    import pyarrow as pa

    if wanted.all():
        return rows
    bits = pa.py_buffer(np.packbits(wanted, bitorder="little"))
    return rows.filter(pa.Array.from_buffers(pa.bool_(), len(wanted), [None, bits]))


def _array(column: Column, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> "pa.Array":
    """Convert one column; a wrong shape or a missing value where none may be is a bug of the caller."""
    import pyarrow as pa

    if missing is not None and not column.nullable and missing.any():
        raise ValueError(f"columns: {column.name} may not have missing values")
    if missing is not None and missing.shape != np.shape(values):
        raise ValueError(f"missing: {column.name} has shape {missing.shape}: must be {np.shape(values)}")
    mask = None if missing is None else missing.reshape(-1)
    array = _words(values, mask) if column.dtype == "string" else _numbers(values, column.dtype, mask)
    if not column.per_disc:
        return array
    element = pa.field("element", array.type, nullable=column.nullable)
    return pa.FixedSizeListArray.from_arrays(array, type=pa.list_(element, N_DISCS))


def _numbers(values: NDArray[Any], dtype: str, missing: NDArray[np.bool_] | None) -> "pa.Array":
    """Lend the memory of numbers to Arrow."""
    import pyarrow as pa

    flat = np.ascontiguousarray(values, dtype=dtype).reshape(-1)
    buffers = [_present(missing), pa.py_buffer(flat)]
    return pa.Array.from_buffers(pa.type_for_alias(dtype), len(flat), buffers)


def _words(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> "pa.Array":
    """Copy words to Arrow."""
    import pyarrow as pa

    given = values if missing is None else np.where(missing, "", values)
    words = [word.encode() for word in given.tolist()]
    ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
    buffers = [_present(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(words))]
    return pa.Array.from_buffers(pa.string(), len(words), buffers)


def _present(missing: NDArray[np.bool_] | None) -> "pa.Buffer | None":
    """Give one bit per value, 1 where there is one; None if all are there."""
    import pyarrow as pa

    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))
