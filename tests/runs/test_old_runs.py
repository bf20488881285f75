"""Runs of every version of every table, kept in tests/data/runs: what was written once is read for ever."""

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import carromsim as cs
from carromsim import cli
from carromsim.tables.document import every_table

KEPT = Path(__file__).parents[1] / "data" / "runs"
RELEASED = [path.relative_to(KEPT).as_posix() for path in sorted(KEPT.glob("0.*/*/"))]
TODAY = {table.title: table for table in every_table()}
NEVER_STORED = {"outcomes"}
NOT_KEPT = {"boards/1", "matches/1"}  # written before 0.1.0 alone, by no release


def expected(version: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((KEPT / version / "expected.json").read_text(encoding="utf-8"))
    return told


TABLES_KEPT = [
    pytest.param(KEPT / version.name / run / table, said, id=f"{version.name}-{run}-{table}")
    for version in sorted(path for path in KEPT.iterdir() if (path / "expected.json").exists())
    for run, tables in expected(version.name).items()
    for table, said in tables.items()
]


def test_there_is_a_run_of_every_version_of_every_table() -> None:
    kept = {
        said["schema"] for folder in KEPT.glob("*/") for run in expected(folder.name).values() for said in run.values()
    }
    stored = [table for table in every_table() if table.title not in NEVER_STORED]
    missing = {f"{table.title}/{version}" for table in stored for version in range(1, table.version + 1)} - kept
    assert missing == NOT_KEPT


@pytest.mark.parametrize(("folder", "said"), TABLES_KEPT)
def test_four_readers_open_every_part_that_was_ever_written(folder: Path, said: dict[str, Any]) -> None:
    rows, first = said["rows"], said["first"]
    scalars = [name for name, value in first.items() if not isinstance(value, list)]
    assert len(scalars) > 5
    files = f"{folder}/part-*.parquet"
    table = pa.concat_tables(pq.read_table(part) for part in sorted(folder.glob("part-*.parquet")))
    assert (len(table), table.slice(0, 1).to_pylist()[0]) == (rows, first)
    listed = ", ".join(f'"{name}"' for name in scalars)
    answer = duckdb.sql(
        f"select {listed} from read_parquet('{files}', file_row_number = true) order by filename, file_row_number"
    )
    found = answer.fetchall()
    assert (len(found), dict(zip(scalars, found[0], strict=True))) == (rows, {name: first[name] for name in scalars})
    frame = pl.read_parquet(files)
    assert (len(frame), frame.select(scalars).row(0, named=True)) == (rows, {name: first[name] for name in scalars})
    read = pd.concat([pd.read_parquet(part) for part in sorted(folder.glob("part-*.parquet"))])
    assert len(read) == rows
    for name in scalars:
        assert pd.isna(read[name].iloc[0]) if first[name] is None else read[name].iloc[0] == first[name], name


@pytest.mark.parametrize(("folder", "said"), TABLES_KEPT)
def test_tables_only_grow(folder: Path, said: dict[str, Any]) -> None:
    """Every column that was ever written is one of today's: same type, same unit, its codes at least."""
    schema = pq.read_schema(next(folder.glob("part-*.parquet")))
    today = TODAY[said["schema"].partition("/")[0]].arrow()
    for field in schema:
        now = today.field(field.name)
        assert now.type == field.type, field.name
        assert now.metadata[b"unit"] == field.metadata[b"unit"], field.name
        codes = json.loads(field.metadata.get(b"codes", b"{}"))
        assert codes.items() <= json.loads(now.metadata.get(b"codes", b"{}")).items(), field.name


@pytest.mark.parametrize("name", RELEASED)
def test_a_run_of_a_released_version_opens_with_all_it_has(name: str, tmp_path: Path) -> None:
    shutil.copytree(KEPT / name, tmp_path / "run")
    run = cs.open_run(tmp_path / "run")
    assert run.verify() == []
    assert run.summary().to_dict()
    for table, said in expected(Path(name).parts[0])[Path(name).name].items():
        assert run.tables[table].count_rows() == said["rows"]
        assert run.sql(f"select count(*) from {table}").fetchall() == [(said["rows"],)]
        assert len(run.to_polars(table)) == len(run.to_pandas(table)) == said["rows"]


@pytest.mark.parametrize("name", ["before-0.1.0-a", "before-0.1.0-b"])
def test_a_run_that_no_release_wrote_is_refused_by_the_version_of_its_tables(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    label = expected(name)["break"]["strokes"]["schema"]
    assert cli.run(["summary", str(KEPT / name / "break")]) == 2
    assert f"has the tables ['{label}']; this version reads ['strokes/3']" in capsys.readouterr().err.replace("\n", " ")
