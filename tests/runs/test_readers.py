"""Reading a run: SQL over its tables, Polars and pandas, and what is said if a library is missing."""

import gc
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import carromsim as cs
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.running import run_study
from runs.fake import Throws


@pytest.fixture(params=["folder", "memory"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return run_study(Throws(), tmp_path / "run" if request.param == "folder" else f"memory://{tmp_path}")


def test_sql_sees_every_table_under_its_name(run: Run) -> None:
    rows = run.tables["throws"].to_table().to_pylist()
    found = run.sql("select row, eyes, length, way from throws order by row").fetchall()
    assert [row[0] for row in found] == list(range(130))
    assert [row[1:3] for row in found] == [(row["eyes"], row["length"]) for row in rows]
    assert [list(row[3]) for row in found] == [row["way"] for row in rows]
    joined = run.sql(
        "select eyes, count(height), count(distinct throws.row) from throws left join bounces using (row) group by all"
    )
    expected = {
        eyes: (sum(row["row"] % 3 for row in rows if row["eyes"] == eyes), sum(row["eyes"] == eyes for row in rows))
        for eyes in {row["eyes"] for row in rows}
    }
    assert {row[0]: row[1:] for row in joined.fetchall()} == expected


def test_an_answer_lasts_and_goes_to_any_library(run: Run) -> None:
    answer = run.sql("select row, eyes from throws where eyes = 6")
    gc.collect()  # nothing but the answer holds the connection
    assert isinstance(answer, duckdb.DuckDBPyRelation)
    sixes = [n for n, eyes in enumerate(run.to_polars()["eyes"]) if eyes == 6]
    assert len(sixes) > 5
    assert sorted(answer.pl()["row"]) == sorted(answer.df()["row"]) == sixes
    with pytest.raises(duckdb.CatalogException, match="Table with name nothing does not exist"):
        run.sql("select * from nothing")


def test_sql_sees_only_the_parts_that_stand(run: Run) -> None:
    run.place.remove("throws/part-00000001.parquet")
    assert run.sql("select count(*), min(row), max(row) from throws").fetchall() == [(80, 0, 129)]
    for number in (0, 2):
        run.place.remove(f"throws/part-0000000{number}.parquet")
    assert run.sql("select count(*), any_value(eyes) from throws").fetchall() == [(0, None)]


def test_tables_go_to_polars_and_pandas_by_name(run: Run) -> None:
    assert isinstance(run.to_polars(), pl.DataFrame)
    assert isinstance(run.to_pandas(), pd.DataFrame)
    for name in ("throws", "bounces"):
        table = run.tables[name].to_table()
        assert run.to_polars(name).to_arrow().column_names == table.column_names
        assert run.to_polars(name)["row"].to_list() == table["row"].to_pylist() == list(run.to_pandas(name)["row"])
    assert run.to_polars().equals(run.to_polars("throws"))
    assert run.to_polars("bounces").equals(pl.from_pandas(run.to_pandas("bounces")))


@pytest.mark.parametrize("read", ["to_polars", "to_pandas"])
def test_a_table_that_is_not_there_is_named(run: Run, read: str) -> None:
    with pytest.raises(ValueError, match="table = 'strokes': must be one of 'throws', 'bounces'"):
        getattr(run, read)("strokes")


@pytest.mark.parametrize(
    ("library", "package", "read"),
    [
        ("duckdb", "carromsim[duckdb]", lambda run: run.sql("select 1")),
        ("polars", "polars", lambda run: run.to_polars()),
        ("pandas", "pandas", lambda run: run.to_pandas()),
    ],
)
def test_a_library_that_is_missing_is_named(
    run: Run, library: str, package: str, read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError) as missing:
        read(run)
    assert str(missing.value) == f"{library} is not installed: pip install '{package}'"


def test_the_page_about_runs_asks_in_sql_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "runs.md").read_text(encoding="utf-8").partition("## SQL")[2]
    python, shown = re.findall(r"^```(?:python)?\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"cs": cs}
    exec(python.replace("20_000", "2_000").replace("run.sql(", "answer = run.sql("), names)
    answer = names["answer"]
    assert answer.columns == re.findall(r"[a-z_]{3,}", shown.splitlines()[1])
    rows = {row[0]: row[1:] for row in answer.fetchall()}
    assert rows[0][1] == 0.0  # nothing fell
    assert 0.4 < rows[1][1] < 0.5 < rows[2][1]
    assert 0.45 < rows[0][0] / 2000 < 0.6
