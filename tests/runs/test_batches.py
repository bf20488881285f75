"""`Run.batches` reads the rows that the summary counts, and no others."""

from pathlib import Path

import pyarrow as pa
import pytest

import carromsim as cs


def test_batches_are_the_rows_that_the_summary_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cs.BreakStudy, "chunk_rows", 20)
    study = cs.BreakStudy(strokes=200, gap=0.0005, until={"metric": "any", "half_width": 0.3})
    run = study.run(tmp_path / "run", workers=1)
    rows = run.summary().counts.rows
    assert 20 <= rows < 200
    assert [row for batch in run.batches() for row in batch.column("row").to_pylist()] == list(range(rows))
    later = run.parts.chunks[rows // 20]  # a part that an interrupted run has left behind its end
    encoded = run.parts.encode(rows // 20, {"strokes": pa.Table.from_batches([study.batch(later)["strokes"]])})
    run.parts.write(rows // 20, encoded)
    (tmp_path / "run" / "parts.json").unlink()
    again = cs.open_run(tmp_path / "run")
    assert len(again.numbers()) == rows // 20 + 1
    assert sum(batch.num_rows for batch in again.batches()) == again.summary().counts.rows == rows
