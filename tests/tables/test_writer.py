"""Parts appear whole, with the same bytes every time, and every reader agrees on them."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from carromsim.tables import places
from carromsim.tables.places import Folder
from carromsim.tables.schemas import STROKES
from carromsim.tables.writer import encode, part_name

ROWS = 500


def make_rows(n: int = ROWS, start: int = 0) -> pa.Table:
    """Make rows of the strokes table with every kind of missing value."""
    rng = np.random.default_rng([7, start])
    columns = []
    for field in STROKES.arrow():
        if field.name == "row":
            values = pa.array(np.arange(start, start + n))
        elif pa.types.is_fixed_size_list(field.type):
            flat = rng.integers(0, 4, 20 * n) if field.type.value_type == pa.int8() else rng.normal(size=20 * n)
            inner = pa.array(flat, mask=rng.random(20 * n) < 0.3).cast(field.type.value_type)
            values = pa.FixedSizeListArray.from_arrays(inner, type=field.type)
        elif field.type == pa.float64():
            values = pa.array(rng.normal(size=n), mask=(rng.random(n) < 0.1) & field.nullable)
        elif field.type == pa.string():
            words = np.array(["ICF 48", "ICF 72a; ICF 45c", "[A] Bell ii"])[rng.integers(0, 3, n)]
            values = pa.array(words.tolist(), mask=rng.random(n) < 0.1)
        else:
            values = pa.array(rng.integers(0, 4, n), mask=(rng.random(n) < 0.1) & field.nullable).cast(field.type)
        columns.append(values)
    return pa.Table.from_arrays(columns, schema=STROKES.arrow())


def write(table: pa.Table, run: Path, number: int) -> Path:
    name = f"strokes/{part_name(number)}"
    Folder(run).write(name, encode(table, STROKES))
    return run / name


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "strokes").mkdir()
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_part_reads_back_equal_with_its_metadata(run: Path) -> None:
    table = make_rows()
    path = write(table, run, 3)
    assert path == run / "strokes" / "part-00000003.parquet"
    back = pq.read_table(path, page_checksum_verification=True)
    assert back.equals(table)
    assert back.schema.equals(STROKES.arrow(), check_metadata=True)
    assert names(run) == ["strokes/part-00000003.parquet"]


def test_encodings_are_the_measured_ones(run: Path) -> None:
    group = pq.ParquetFile(write(make_rows(), run, 0)).metadata.row_group(0)
    seen = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    for column in STROKES.columns:
        part = seen[column.path]
        assert part.compression == "ZSTD"
        assert ("RLE_DICTIONARY" in part.encodings) is (column.dtype == "string"), column.name
        assert (part.statistics is not None) is (column.name == "row"), column.name
        if column.dtype == "float64" and not column.repetitive:
            assert "BYTE_STREAM_SPLIT" in part.encodings, column.name


def test_the_same_rows_give_the_same_bytes_anywhere(run: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    (other / "strokes").mkdir()
    first = write(make_rows(), run, 0).read_bytes()
    assert write(make_rows(), other, 5).read_bytes() == first
    assert str(run).encode() not in first


def test_a_flipped_bit_is_noticed(run: Path) -> None:
    path = write(make_rows(), run, 0)
    info = pq.ParquetFile(path).metadata.row_group(0).column(STROKES.arrow().names.index("x"))
    data = bytearray(path.read_bytes())
    data[info.data_page_offset + info.total_compressed_size // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(OSError, match="CRC checksum"):
        pq.read_table(path, page_checksum_verification=True)


def test_four_readers_agree(run: Path) -> None:
    tables = [make_rows(start=0), make_rows(n=ROWS // 2, start=ROWS)]
    for number, table in enumerate(tables):
        write(table, run, number)
    folder = run / "strokes"
    whole = pa.concat_tables(tables)
    scalar = [column.name for column in STROKES.columns if not column.per_disc]
    expected_nulls = {name: whole[name].null_count for name in scalar}
    arrow = ds.dataset(folder).to_table()
    pandas = pd.read_parquet(folder)
    polars = pl.read_parquet(folder)
    duck = duckdb.sql(f"select * from '{folder}/*.parquet' order by row")
    assert arrow.equals(whole)
    assert len(pandas) == len(polars) == len(duck.fetchall()) == whole.num_rows
    for name in scalar:
        duck_nulls = duckdb.sql(f"select count(*) - count({name}) from '{folder}/*.parquet'").fetchall()[0][0]
        counts = pandas[name].isna().sum(), polars[name].null_count(), duck_nulls
        assert counts == (expected_nulls[name],) * 3, name
    assert polars["laws"].to_list() == whole["laws"].to_pylist()
    assert [row[0] for row in duck.select("laws").fetchall()] == whole["laws"].to_pylist()
    assert [None if pd.isna(law) else law for law in pandas["laws"]] == whole["laws"].to_pylist()
    for name in ("pocket", "pos_x"):
        expected = whole[name].to_pylist()
        assert polars[name].to_list() == expected
        assert [list(row[0]) for row in duck.select(name).fetchall()] == expected
        assert [pd.isna(row).sum() for row in pandas[name]] == [row.count(None) for row in expected]


def test_rows_of_another_schema_are_refused(run: Path) -> None:
    table = make_rows(4).drop_columns(["gap"])
    with pytest.raises(ValueError, match="not strokes/3"):
        write(table, run, 0)
    assert names(run) == []


def fail(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_failure_leaves_nothing_behind(run: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "write":
        monkeypatch.setattr(Path, "open", fail)
    elif where == "fsync":
        monkeypatch.setattr(places.os, "fsync", fail)
    else:
        monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        write(make_rows(4), run, 0)
    assert names(run) == []


def test_the_temporary_file_lies_outside_the_folder_that_readers_scan(run: Path) -> None:
    seen: list[list[str]] = []
    real: Callable[[Path, Path], Path] = Path.replace

    def spy(source: Path, target: Path) -> Path:
        seen.append(names(run))
        return real(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", spy)
        write(make_rows(4), run, 0)
    assert len(seen) == 1
    assert not [name for name in seen[0] if name.startswith("strokes/")]
    assert len(seen[0]) == 1


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    final = tmp_path / "a.json"
    final.write_text("old")
    Folder(tmp_path).write("a.json", b"new")
    assert final.read_text() == "new"
    with pytest.raises(TypeError):
        Folder(tmp_path).write("a.json", None)  # type: ignore[arg-type]
    assert final.read_text() == "new"
    assert names(tmp_path) == ["a.json"]


def test_part_names_sort_like_numbers() -> None:
    assert sorted(part_name(n) for n in (10, 9, 100, 0)) == [part_name(n) for n in (0, 9, 10, 100)]
