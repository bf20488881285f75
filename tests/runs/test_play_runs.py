"""Runs of boards and shots: killed and continued, opened, verified, replayed from the command line."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carromsim import cli
from carromsim.play.records import Played
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.runs.directory import DirectoryError
from carromsim.studies.runs.reading import Run, open_run
from carromsim.studies.shots.study import ShotStudy
from runs.fake import files

BOARDS = 30
CODE = """
import os, signal, sys
from carromsim.studies.playing.boards import BoardStudy
BoardStudy.chunk_rows = 4
def progress(done, total, counts):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
BoardStudy(boards=30, seed=8).run(sys.argv[1], workers=int(sys.argv[2]), progress=progress)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Give a run of eight parts per table."""
    root = tmp_path_factory.mktemp("runs") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoardStudy, "chunk_rows", 4)
        BoardStudy(boards=BOARDS, seed=8).run(root, workers=2)
    return open_run(root)


def test_a_part_has_as_many_strokes_as_its_boards(run: Run) -> None:
    assert run.study == BoardStudy(boards=BOARDS, seed=8)
    assert run.manifest["tables"] == ["boards/2", "played.strokes/1"]
    assert run.manifest["chunks"] == {"rows": 4, "count": 8}
    for number in range(8):
        boards, strokes = (
            pq.read_table(run.directory / name / f"part-{number:08d}.parquet") for name in ("boards", "strokes")
        )
        first = 4 * number
        assert boards["row"].to_pylist() == list(range(first, min(first + 4, BOARDS)))
        assert sorted(set(strokes["row"].to_pylist())) == boards["row"].to_pylist()
        assert strokes.num_rows == sum(boards["strokes"].to_pylist())
    assert run.verify() == []
    record = json.loads((run.directory / "parts.json").read_bytes())
    assert record["rows"]["boards"] == BOARDS
    assert record["rows"]["strokes"] == pa.table(run)["strokes"].to_numpy().sum()


def test_boards_and_strokes_are_joined_by_their_row(run: Run) -> None:
    found = duckdb.sql(
        f"select b.row, b.strokes, count(*) from '{run.directory}/boards/*.parquet' b"
        f" join '{run.directory}/strokes/*.parquet' s using (row, board) group by all order by all"
    ).fetchall()
    assert len(found) == BOARDS
    assert all(told == counted for _, told, counted in found)


def test_a_run_of_boards_counts_and_replays(run: Run) -> None:
    assert run.summary().to_dict()["over"] == BoardStudy(boards=BOARDS, seed=8).summarise().to_dict()["over"]
    played = run.rerun(11)
    assert isinstance(played, Played)
    stored = run.row(11)
    assert stored is not None
    assert run.study.batch(range(11, 12))["boards"].equals(stored)
    assert len(played.strokes) == stored["strokes"][0].as_py()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_killed_twice_and_continued_it_is_the_same_run(run: Run, tmp_path: Path, workers: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    root = tmp_path / "run"
    for done in (8, 16):
        killed = subprocess.run([sys.executable, "-c", CODE, str(root), str(workers), str(done)], env=environment)
        assert killed.returncode == -signal.SIGKILL
        assert not (root / "parts.json").exists()
    whole = files(run.directory)
    assert all(whole[name] == data for name, data in files(root).items() if name.endswith("parquet"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoardStudy, "chunk_rows", 4)
        BoardStudy(boards=BOARDS, seed=8).run(root, workers=workers)
    assert files(root) == whole


def test_a_lost_part_of_one_table_is_made_again_with_its_chunk(run: Run, tmp_path: Path) -> None:
    whole = files(run.directory)
    (run.directory / "strokes" / "part-00000003.parquet").unlink()
    assert [str(problem) for problem in run.verify()] == ["strokes/part-00000003.parquet: missing"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoardStudy, "chunk_rows", 4)
        run.study.run(run.directory, workers=1)  # type: ignore[attr-defined]
    assert files(run.directory) == whole


def test_fresh_removes_the_tables_of_another_kind(tmp_path: Path) -> None:
    BoardStudy(boards=2).run(tmp_path / "run", workers=1)
    with pytest.raises(DirectoryError, match='study.kind: "board" there, "shot" now'):
        ShotStudy(strokes=3).run(tmp_path / "run")
    run = ShotStudy(strokes=3).run(tmp_path / "run", fresh=True)
    assert {path.name for path in run.directory.iterdir()} == {"manifest.json", "parts.json", "shots"}


def test_commands_about_a_run_of_boards(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(run.directory)
    assert cli.run(["verify", root]) == 0
    assert "all 30 rows of this board study are there and sound" in capsys.readouterr().out
    assert cli.run(["summary", root, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["boards"] == BOARDS
    assert cli.run(["summary", root]) == 0
    assert "side 0, which begins, wins" in capsys.readouterr().out
    assert cli.run(["replay", root, "--row", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["stored"], told["parameters"]["strokes"]) == ("equal", len(told["strokes"]))
    assert cli.run(["replay", root, "--row", "4"]) == 0
    shown = capsys.readouterr().out
    assert f"Row 4 of {root}: equal to the row" in " ".join(shown.split())
    assert "the break" in shown
    assert cli.run(["replay", root, "--row", "30"]) == 2
    assert "--row 30" in capsys.readouterr().err


def test_commands_about_a_run_of_shots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(tmp_path / "run")
    assert cli.run(["shots", "--skill", "club", "--skill", "perfect", "--strokes", "20", "--quiet", "--out", root]) == 0
    assert f"Written   {root}/shots/*.parquet" in capsys.readouterr().out
    assert cli.run(["verify", root]) == 0
    assert cli.run(["replay", root, "--row", "1"]) == 0
    shown = capsys.readouterr().out
    for words in ("perfect", "trial", "disc hit", "white 1", "top right at"):
        assert words in shown
    assert cli.run(["summary", root]) == 0
    assert "20 strokes by each skill" in " ".join(capsys.readouterr().out.split())
