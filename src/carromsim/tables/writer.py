"""Writing: a file appears under its name complete or not at all.

Whoever reads a table's folder while a study runs, or after it was killed, must never meet half a
file: one unreadable part fails the whole read in pyarrow, DuckDB, Polars and pandas alike.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from carromsim.tables.schemas import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

ZSTD_LEVEL = 1
"""Measured on tables of this kind: level 3 saves nothing and costs 6 % of the rate."""


def part_name(number: int) -> str:
    """Name the file of part `number` so that names sort like numbers."""
    return f"part-{number:08d}.parquet"


def write_part(table: "pa.Table", schema: TableSchema, run: Path, number: int) -> Path:
    """Write one finished part of a table into its folder.

    The bytes depend on the rows, the schema and the pyarrow version alone: no time, host or path
    enters, so that a study repeated anywhere gives equal files.

    Parameters
    ----------
    table : pyarrow.Table
        All rows of the part, exactly of `schema`.
    schema : TableSchema
        Says which columns get a dictionary.
    run : Path
        The run's directory; the part goes to its folder named after the table, which must exist.
    number : int
        Number of the part, from 0.

    Returns
    -------
    Path
        The finished part.

    Raises
    ------
    ValueError
        If the table has another schema.
    OSError
        If the file system refuses; nothing is left behind under either name.
    """
    import pyarrow.parquet as pq

    expected = schema.arrow()
    if not table.schema.equals(expected, check_metadata=True):
        raise ValueError(f"table: its schema is not {schema.label}; build the rows with that schema")
    # Defaults (a dictionary on every column) are three times slower and 40 % larger on mostly distinct floats.
    split = {
        column.path: "BYTE_STREAM_SPLIT"
        for column in schema.columns
        if column.dtype == "float64" and not column.repetitive
    }

    def write(path: Path) -> None:
        pq.write_table(
            table,
            path,
            row_group_size=max(table.num_rows, 1),
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            use_dictionary=[column.path for column in schema.columns if column.repetitive],
            column_encoding=split,
            write_page_checksum=True,
        )

    final = run / schema.name / part_name(number)
    publish(write, run / f".{schema.name}-{final.name}.tmp", final)
    return final


def publish(write: Callable[[Path], None], temporary: Path, final: Path) -> None:
    """Let `write` fill a temporary file and give it its final name once it is safely on disk.

    Parameters
    ----------
    write : callable
        Gets the temporary path and writes the whole file.
    temporary : Path
        On the same file system as `final`, but outside a folder that readers scan. It is removed if
        anything fails.
    final : Path
        An existing file of this name is replaced.

    Raises
    ------
    OSError
        If the file system refuses at any step.
    """
    try:
        write(temporary)
        _fsync(temporary)
        temporary.rename(final)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _fsync(final.parent)  # the name is only durable once the folder is


def _fsync(path: Path) -> None:
    """Force a file or folder to disk."""
    if os.name == "nt" and path.is_dir():  # Windows cannot open a folder; its renames are journalled
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
