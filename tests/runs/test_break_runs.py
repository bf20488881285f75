"""Runs of the break study: opened, read by everybody, counted, replayed; and how much memory and time they take."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carromsim.outcomes import Outcomes
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.reading import Run, open_run
from carromsim.tables.schemas import STROKES

STUDY = BreakStudy(strokes=200, seed=2, gap=0.08, jitter=0.0, sd_x=0.03)
"""The pack reaches down to the base line, so that some strikers stand on a man and their rows fail."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Give a run of five parts."""
    root = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "chunk_rows", 45)
        STUDY.run(root)
    return open_run(root)


@pytest.fixture(scope="module")
def rows(run: Run) -> pa.Table:
    return run.tables["strokes"].to_table()


def test_an_opened_run_is_the_study_that_was_played(run: Run, rows: pa.Table) -> None:
    assert run.study == STUDY
    assert run.manifest["study"] == STUDY.declaration()
    assert run.changed_versions() == []
    assert run.verify() == []
    assert rows.equals(pa.Table.from_batches([STUDY.batch(range(200))["strokes"]]))
    assert len(list((run.directory / "strokes").iterdir())) == 5
    assert run.summary().to_dict() == STUDY.summary_of(STUDY.counts_of(STUDY.batch(range(200))["strokes"])).to_dict()


def test_four_readers_agree_on_a_run(run: Run, rows: pa.Table) -> None:
    """Counts, nulls and lists, through the folder or a glob, as their users would open it."""
    folder = run.directory / "strokes"
    readers: dict[str, dict[str, list[Any]]] = {
        "pyarrow": pq.read_table(folder).to_pydict(),
        "polars": pl.read_parquet(folder).to_dict(as_series=False),
        "polars glob": pl.scan_parquet(f"{folder}/*.parquet").collect().to_dict(as_series=False),
        "duckdb": _columns_of(duckdb.sql(f"select * from '{folder}/*.parquet' order by row")),
        "pandas": {name: _plain(column) for name, column in pd.read_parquet(folder).items()},
    }
    expected = rows.to_pydict()
    assert 0 < sum(value is None for value in expected["n_white"]) < 200
    for reader, found in readers.items():
        assert list(found) == list(expected), reader
        for name, values in expected.items():
            got = [list(value) if isinstance(value, tuple) else value for value in found[name]]
            assert got == values, (reader, name)


def _columns_of(relation: duckdb.DuckDBPyRelation) -> dict[str, list[Any]]:
    return {name: [row[0] for row in relation.select(f'"{name}"').fetchall()] for name in relation.columns}


def _plain(column: "pd.Series[Any]") -> list[Any]:
    """Undo what pandas makes of missing values."""

    def plain(value: Any) -> Any:
        return [plain(one) for one in value] if isinstance(value, np.ndarray) else None if pd.isna(value) else value

    return [plain(value) for value in column]


def test_a_run_speaks_to_other_libraries(run: Run, rows: pa.Table) -> None:
    assert pa.table(run).equals(rows)
    assert run.to_polars().equals(pl.DataFrame(rows))
    pd.testing.assert_frame_equal(run.to_pandas(), rows.to_pandas())
    assert pl.DataFrame(run).height == 200
    reader = run  # noqa: F841 (DuckDB finds it by name)
    counted = duckdb.sql("select count(*), count(n_white) from reader").fetchall()
    assert counted == [(200, 200 - rows["n_white"].null_count)]


def test_a_row_rerun_is_the_row_bit_by_bit(run: Run, rows: pa.Table) -> None:
    for number in (0, 44, 45, 199, int(np.flatnonzero(np.asarray(rows["status"]) != 0)[0])):
        out = run.rerun(number)
        assert isinstance(out, Outcomes)
        row = rows.slice(number, 1)
        stored = run.row(number)
        assert stored is not None
        assert pa.Table.from_batches([stored]).equals(row)
        columns = {name: values for name, values in out.to_arrow().to_pydict().items() if name in row.column_names}
        assert {name: row[name].to_pylist() for name in columns} == columns
        assert len(out.events(0)) == (row["n_events"][0].as_py() or 0)


@pytest.mark.parametrize("row", [-1, 200, True, 1.5])
def test_a_row_that_is_not_there_is_refused(run: Run, row: Any) -> None:
    with pytest.raises(ValueError, match="must be a whole number from 0 to 199"):
        run.rerun(row)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"study": {"kind": "breakfast"}}, "cannot be understood"),
        ({"study": 5}, "cannot be understood"),
        ({"chunks": {}}, "cannot be understood"),
        ({"study_hash": "0"}, "does not have the hash"),
        ({"tables": ["strokes/999"]}, r"has the tables \['strokes/999'\]; this version reads \['strokes/"),
        ({"format": "something else"}, "holds no run"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(
    run: Run, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(dict(run.manifest) | change))
    with pytest.raises(DirectoryError, match=message):
        open_run(tmp_path)


def test_what_holds_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(DirectoryError, match="holds no run"):
            open_run(path)


def test_a_run_that_has_hardly_begun_can_be_opened(tmp_path: Path) -> None:
    STUDY.run(tmp_path / "run")
    next((tmp_path / "run" / "strokes").iterdir()).unlink()
    run = open_run(tmp_path / "run")
    assert run.summary().counts.strokes == 0
    assert run.row(0) is None
    assert pa.table(run).num_rows == 0
    assert pa.table(run).schema.equals(STROKES.arrow())
    assert [str(problem) for problem in run.verify()] == ["strokes/part-00000000.parquet: missing"]


def test_ctrl_c_during_a_chunk_does_not_wait_for_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BreakStudy, "chunk_rows", 10**6)  # minutes
    real = BreakStudy.batch
    asked: list[float] = []

    def batch(self: BreakStudy, rows: range) -> Any:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(time.monotonic())
        return real(self, rows)

    monkeypatch.setattr(BreakStudy, "batch", batch)
    with pytest.raises(KeyboardInterrupt):
        BreakStudy(strokes=2 * 10**6).run(tmp_path / "run", workers=2)
    assert time.monotonic() - asked[-1] < 20.0
    assert list(tmp_path.iterdir()) == []


# The whole, at its real size


def _measured(strokes: int, directory: Path) -> dict[str, float]:
    """Run in a process of its own; give its peak of resident memory [bytes] and the study's time [s]."""
    code = (
        "import json, resource, sys\n"
        "from carromsim.studies.breaks.study import BreakStudy\n"
        "run = BreakStudy(strokes=int(sys.argv[1])).run(sys.argv[2], workers=2)\n"
        "run.summary()\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024\n"
        "print(json.dumps({'peak': peak, 'seconds': run.seconds}))\n"
    )
    command = [sys.executable, "-c", code, str(strokes), str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_memory_does_not_grow_with_the_study(tmp_path: Path) -> None:
    small, large = (_measured(strokes, tmp_path / str(strokes))["peak"] for strokes in (10_000, 100_000))
    assert large < 1.1 * small


@pytest.mark.slow
def test_a_break_study_killed_three_times_equals_the_undisturbed_one(tmp_path: Path) -> None:
    study = BreakStudy(strokes=20_000)
    study.run(tmp_path / "undisturbed")
    code = (
        "import os, signal, sys\n"
        "from carromsim.studies.breaks.study import BreakStudy\n"
        "def progress(done, total, counts):\n"
        "    if done >= int(sys.argv[2]):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "BreakStudy(strokes=20_000).run(sys.argv[1], progress=progress)\n"
    )
    for done in (1, 5_000, 10_000):
        killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "run"), str(done)])
        assert killed.returncode == -signal.SIGKILL
        assert not (tmp_path / "run" / "parts.json").exists()
    study.run(tmp_path / "run")
    names = sorted(path.relative_to(tmp_path / "run") for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert len(names) == 7
    for name in names:
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()
