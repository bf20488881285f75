"""Runs that end once enough is known: the same bytes, whoever plays them and however often they are interrupted."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from carromsim import cli
from carromsim.studies.counting.stopping import Evidence
from carromsim.studies.declaring.declare import study_to_toml
from carromsim.studies.runs.reading import open_run
from carromsim.studies.shots.study import ShotStudy

CHUNK = 4096
STUDY = ShotStudy(strokes=20 * CHUNK, until={"metric": "success", "half_width": 0.015}, seed=3)


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was played in order."""
    root = tmp_path_factory.mktemp("ends") / "run"
    STUDY.run(root, workers=1)
    return root


def stopped(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "parts.json").read_text())["stopped"]
    return found


def test_it_ends_at_the_wished_half_width_and_says_why(undisturbed: Path) -> None:
    told = stopped(undisturbed)
    assert (told["reason"], told["metric"], told["half_width"], told["level"]) == ("half_width", "success", 0.015, 0.95)
    assert (told["high"] - told["low"]) / 2 <= 0.015
    chunks = told["rows"] // CHUNK
    assert 2 <= chunks < 20
    assert len(list((undisturbed / "shots").iterdir())) == chunks
    counts = open_run(undisturbed).summary().counts
    assert (counts.rows, counts.seen[0, 1]) == (told["rows"], round(told["estimate"] * told["trials"]))
    before = Evidence.none()
    run = open_run(undisturbed)
    for number in range(chunks - 1):
        before = before.add(STUDY.until.evidence(STUDY, run.parts.read(STUDY.tables[0], number)))  # type: ignore[union-attr]
    assert not STUDY.until.reached(STUDY, before)  # type: ignore[union-attr]


def test_summary_and_json_say_why(undisturbed: Path) -> None:
    summary = open_run(undisturbed).summary()
    assert summary.to_dict()["stopped"] == stopped(undisturbed)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_change_no_byte(undisturbed: Path, tmp_path: Path, workers: int) -> None:
    run = STUDY.run(tmp_path / "run", workers=workers)
    assert files(tmp_path / "run") == files(undisturbed)
    assert run.summary().to_dict()["stopped"] == stopped(undisturbed)
    assert run.summary().counts.rows == stopped(undisturbed)["rows"]


@pytest.mark.slow
def test_processes_change_no_byte(undisturbed: Path, tmp_path: Path) -> None:
    run = STUDY.run(tmp_path / "run", executor="processes", workers=2)
    assert files(tmp_path / "run") == files(undisturbed)
    assert run.stopped == stopped(undisturbed)


def test_interruptions_change_no_byte(undisturbed: Path, tmp_path: Path) -> None:
    calls = []

    def interrupt(done: int, total: int, counts: object) -> None:
        calls.append(done)
        if len(calls) % 2 == 0:  # one chunk after the start of each call
            raise KeyboardInterrupt

    for _ in range(30):
        try:
            STUDY.run(tmp_path / "run", workers=2, progress=interrupt)
        except KeyboardInterrupt:
            continue
        break
    assert len(calls) > 3
    assert files(tmp_path / "run") == files(undisturbed)
    assert open_run(tmp_path / "run").verify() == []


@pytest.mark.slow
def test_kills_change_no_byte(tmp_path: Path) -> None:
    root, file = tmp_path / "run", tmp_path / "study.toml"
    study = ShotStudy(strokes=40 * CHUNK, until={"metric": "success", "half_width": 0.008}, seed=3)
    file.write_text(study_to_toml(study))
    code = (
        "import os, signal, sys\n"
        "import carromsim as cs\n"
        "def progress(done, total, counts):\n"
        "    if done >= int(sys.argv[3]):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "cs.load_study(sys.argv[1]).run(sys.argv[2], workers=2, progress=progress)\n"
    )
    for chunks in (1, 3, 5):
        killed = subprocess.run([sys.executable, "-c", code, str(file), str(root), str(chunks * CHUNK)])
        assert killed.returncode == -signal.SIGKILL
    assert not (root / "parts.json").exists()
    study.run(root, workers=2)
    study.run(tmp_path / "undisturbed", workers=1)
    assert stopped(root)["rows"] >= 8 * CHUNK
    assert files(root) == files(tmp_path / "undisturbed")


def test_what_was_played_beyond_the_end_goes(undisturbed: Path, tmp_path: Path) -> None:
    """A machine that died with chunks played ahead, among them one after the end."""
    whole = ShotStudy(**{name: getattr(STUDY, name) for name in ShotStudy.model_fields if name != "until"})
    later = stopped(undisturbed)["rows"] // CHUNK + 1
    root = tmp_path / "run"
    STUDY.run(root, workers=1)
    (root / "parts.json").unlink()
    (root / "shots" / "part-00000001.parquet").unlink()
    run = open_run(root)
    rows = whole.batch(range(later * CHUNK, (later + 1) * CHUNK))
    run.parts.write(later, run.parts.encode(later, {"shots": pa.Table.from_batches([rows["shots"]])}))
    assert any("00000001" in str(problem) for problem in run.verify())
    STUDY.run(root, workers=2)
    assert files(root) == files(undisturbed)


def test_summarise_and_stream_end_where_the_run_ends(undisturbed: Path) -> None:
    told = stopped(undisturbed)
    summary = STUDY.summarise(workers=2)
    assert (summary.to_dict()["stopped"], summary.counts.rows) == (told, told["rows"])
    assert sum(batch.num_rows for batch in STUDY.stream()) == told["rows"]


def test_a_study_that_reaches_its_most_rows_says_budget(tmp_path: Path) -> None:
    study = ShotStudy(strokes=2 * CHUNK, until={"metric": "success", "half_width": 0.001})
    run = study.run(tmp_path / "run")
    assert stopped(tmp_path / "run")["reason"] == "budget"
    assert run.summary().to_dict()["stopped"]["rows"] == 2 * CHUNK
    assert open_run(tmp_path / "run").verify() == []


def test_verify_writes_the_record_again(undisturbed: Path, tmp_path: Path) -> None:
    STUDY.run(tmp_path / "run")
    (tmp_path / "run" / "parts.json").write_text("{}")
    (problem,) = open_run(tmp_path / "run").verify()
    assert problem.path == "parts.json"
    (tmp_path / "run" / "parts.json").unlink()
    assert open_run(tmp_path / "run").verify() == []
    assert files(tmp_path / "run") == files(undisturbed)


def test_verify_names_parts_beyond_the_end_and_ends_that_are_none(undisturbed: Path, tmp_path: Path) -> None:
    root = tmp_path / "run"
    STUDY.run(root)
    chunks = stopped(root)["rows"] // CHUNK
    extra = root / "shots" / f"part-{chunks:08d}.parquet"
    extra.write_bytes((root / "shots" / "part-00000000.parquet").read_bytes())
    assert [str(problem) for problem in open_run(root).verify()] == [f"shots/{extra.name}: does not belong to this run"]
    extra.unlink()
    record = json.loads((root / "parts.json").read_text())
    record["parts"]["shots"].pop()
    (root / "parts.json").write_text(json.dumps(record))
    (root / "shots" / f"part-{chunks - 1:08d}.parquet").unlink()
    assert [problem.path for problem in open_run(root).verify()] == ["parts.json"]


def test_a_part_that_is_missing_is_named_and_no_other(tmp_path: Path) -> None:
    STUDY.run(tmp_path / "run")
    (tmp_path / "run" / "shots" / "part-00000001.parquet").unlink()
    assert [problem.path for problem in open_run(tmp_path / "run").verify()] == ["shots/part-00000001.parquet"]


def test_commands_say_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    options = [
        "shots",
        "--skill",
        "club",
        "--strokes",
        str(20 * CHUNK),
        "--until",
        "success vs 0.5",
        "--out",
        out,
        "--quiet",
    ]
    assert cli.run([*options, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["summary"]["stopped"]
    assert (told["reason"], told["against"], told["rows"]) == ("decided", 0.5, CHUNK)
    assert cli.run(["summary", out]) == 0
    shown = capsys.readouterr()
    assert f"Until     success vs 0.5 is decided after {CHUNK:,} of at most {20 * CHUNK:,} rows" in shown.out
    assert shown.err == ""
    assert cli.run(["verify", out]) == 0
    assert f"all {CHUNK:,} rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("success", "--until success: must be METRIC:HALF_WIDTH"),
        ("success:wide", "--until success:wide: must be METRIC:HALF_WIDTH"),
        ("sucess:0.1", "until = 'sucess:0.1': metric = 'sucess': did you mean 'success'?"),
        ("success vs 2", "against = 2: must be a share"),
    ],
)
def test_a_bad_option_is_told(given: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["shots", "--skill", "club", "--until", given]) == 2
    assert message in capsys.readouterr().err


def test_check_says_when_it_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "study.toml"
    file.write_text('kind = "match"\nuntil = {metric = "won_side_0", against = "won_side_1"}\n')
    assert cli.run(["check", str(file)]) == 0
    assert 'it ends once "won_side_0 vs won_side_1" is reached' in capsys.readouterr().out
