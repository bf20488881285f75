"""Writing: rows as the bytes of a Parquet part."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from carromsim.tables.schemas import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

ZSTD_LEVEL = 1
"""Measured on tables of this kind: level 3 saves nothing and costs 6 % of the rate."""


def part_name(number: int) -> str:
    """Name the file of part `number` so that names sort like numbers."""
    return f"part-{number:08d}.parquet"


def part_number(name: str) -> int | None:
    """Give the number of the part that a file of this name is; None if it is none."""
    found = re.fullmatch(r"part-(\d{8,18})\.parquet", name, re.ASCII)
    number = int(found[1]) if found else None
    return number if number is not None and part_name(number) == name else None


def encode(table: "pa.Table", schema: TableSchema, footer: Mapping[str, str] | None = None) -> "pa.Buffer":
    """Give the bytes of a part.

    They depend on the arguments and the pyarrow version alone: no time, host or path enters, so that
    a study repeated anywhere gives equal files, and a part can be checked against its own rows.

    Parameters
    ----------
    table : pyarrow.Table
        All rows of the part, exactly of `schema`.
    schema : TableSchema
        Says how each column is encoded.
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
    # Defaults (a dictionary and statistics on every column) are three times slower and 40 % larger on mostly distinct
    # floats. Few distinct numbers compress as well without a dictionary, and nothing is told by the least and the
    # largest of what chance has drawn: only for numbers of rows can a reader skip a part by them.
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
        use_dictionary=[column.path for column in schema.columns if column.repetitive and column.dtype == "string"],
        write_statistics=[column.path for column in schema.columns if column.dtype == "int64"],
        column_encoding=split,
        write_page_checksum=True,
    )
    return sink.getvalue()


def file_metadata(schema: TableSchema, footer: Mapping[str, str] | None = None) -> dict[bytes, bytes]:
    """Give the metadata that a part of a table carries: the schema's and the footer's own."""
    extra = {key.encode(): value.encode() for key, value in (footer or {}).items()}
    return {**(schema.arrow().metadata or {}), **extra}
