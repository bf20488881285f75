"""Writing: a file appears under its name complete or not at all.

Whoever reads a table's folder while a study runs, or after it was killed, must never meet half a
file: one unreadable part fails the whole read in pyarrow, DuckDB, Polars and pandas alike.
"""

import os
from collections.abc import Mapping
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


def encode(table: "pa.Table", schema: TableSchema, footer: Mapping[str, str] | None = None) -> "pa.Buffer":
    """Give the bytes of a part.

    They depend on the arguments and the pyarrow version alone: no time, host or path enters, so that
    a study repeated anywhere gives equal files, and a part can be checked against its own rows.

    Parameters
    ----------
    table : pyarrow.Table
        All rows of the part, exactly of `schema`.
    schema : TableSchema
        Says which columns get a dictionary.
    footer : mapping of str to str, optional
        Goes to the file's metadata, beside the schema's.

    Returns
    -------
    pyarrow.Buffer

    Raises
    ------
    ValueError
        If the table has another schema.
    """
    import pyarrow as pa
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
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata(file_metadata(schema, footer)),
        sink,
        row_group_size=max(table.num_rows, 1),
        compression="zstd",
        compression_level=ZSTD_LEVEL,
        use_dictionary=[column.path for column in schema.columns if column.repetitive],
        column_encoding=split,
        write_page_checksum=True,
    )
    return sink.getvalue()


def file_metadata(schema: TableSchema, footer: Mapping[str, str] | None = None) -> dict[bytes, bytes]:
    """Give the metadata that a part of a table carries: the schema's and the footer's own."""
    extra = {key.encode(): value.encode() for key, value in (footer or {}).items()}
    return {**(schema.arrow().metadata or {}), **extra}


def write_part(data: "pa.Buffer", schema: TableSchema, run: Path, number: int) -> Path:
    """Write one finished part of a table into its folder.

    Parameters
    ----------
    data : pyarrow.Buffer
        Its bytes, from `encode`.
    schema : TableSchema
        The table's.
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
    OSError
        If the file system refuses; nothing is left behind under either name.
    """
    final = run / schema.name / part_name(number)
    publish(data, temporary_of(run, f"{schema.name}-{final.name}"), final)
    return final


def temporary_of(run: Path, name: str) -> Path:
    """Name the temporary file of a run's file: hidden, and outside the folders that readers scan."""
    return run / f".{name}.tmp"


def publish(data: "bytes | pa.Buffer", temporary: Path, final: Path) -> None:
    """Write a temporary file and give it its final name once it is safely on disk.

    Parameters
    ----------
    data : bytes
        The whole file.
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
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(final)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    fsync_folder(final.parent)  # the name is only durable once the folder is


def fsync_folder(folder: Path) -> None:
    """Force a folder's names to disk."""
    if os.name == "nt":  # Windows cannot open a folder; its renames are journalled
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
