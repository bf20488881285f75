"""Runs that are killed at random moments and continued: no row is lost, none comes twice, no byte differs.

How is in tests/faults/kills.py, which is a program too.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from carromsim.studies.runs.running import run_study
from faults.kills import kill_runners
from faults.swift import swift_folder
from runs import fake
from runs.fake import Throws, files

ROWS = 2000


def start(root: Path, workers: int, seconds_per_row: float = 0.0001) -> "subprocess.Popen[str]":
    """Start a runner and wait until it has claimed the directory."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, str(fake.__file__), str(root), str(ROWS), str(seconds_per_row), str(workers)]
    runner = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert runner.stdout is not None
    assert runner.stdout.readline().strip().isdigit()
    return runner


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[str, bytes]:
    run_study(Throws(rows=ROWS), tmp_path / "undisturbed", workers=1)
    return files(tmp_path / "undisturbed")


@pytest.mark.parametrize("kills", [50, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(5400)])])
def test_killed_at_random_moments_and_continued(kills: int) -> None:
    with swift_folder() as folder:
        tried = kill_runners(kills, folder, seed=kills)
    assert tried.wrong == []
    assert tried.kills == kills
    assert tried.runs >= 5


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, -signal.SIGTERM)])
def test_asked_to_stop_it_stops_at_once_and_keeps_what_is_finished(
    tmp_path: Path, undisturbed: dict[str, bytes], how: signal.Signals, code: int
) -> None:
    with start(tmp_path / "run", workers=2, seconds_per_row=0.01) as runner:
        assert runner.stdout is not None
        assert runner.stdout.readline()  # one chunk is finished, and the others need ten seconds
        runner.send_signal(how)
        asked = time.monotonic()
        runner.communicate(timeout=20)
        assert time.monotonic() - asked < 5.0
    assert runner.returncode in (code, -how)
    left = {name: data for name, data in files(tmp_path / "run").items() if name.endswith("parquet")}
    assert left
    assert all(undisturbed[name] == data for name, data in left.items())
    run_study(Throws(rows=ROWS), tmp_path / "run")
    assert files(tmp_path / "run") == undisturbed


def test_what_a_killed_worker_had_begun_to_write_is_gone_in_the_end(tmp_path: Path) -> None:
    left = tmp_path / "run" / ".0123456789abcdef-throws-part-00000001.parquet.tmp"
    run_study(Throws(), tmp_path / "run", progress=lambda done, total, counts: left.write_bytes(b"PAR1") and None)
    assert not left.exists()
