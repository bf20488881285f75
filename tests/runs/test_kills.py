"""Runs that are killed at random moments and continued: no row is lost, none comes twice, no byte differs."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from carromsim.studies.runs.running import run_study
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


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_at_random_moments_and_continued(tmp_path: Path, undisturbed: dict[str, bytes], kills: int) -> None:
    rng, root, killed, finished = random.Random(kills), tmp_path / "run", 0, 0
    while killed < kills:
        with start(root, workers=1 + killed % 2) as runner:
            time.sleep(rng.uniform(0.0, 0.12))
            os.kill(runner.pid, signal.SIGKILL)
        if runner.returncode == 0:
            finished += 1
        else:
            assert runner.returncode == -signal.SIGKILL
            killed += 1
        for name, data in files(root).items():
            if name.startswith(("throws/", "bounces/")) or name in ("manifest.json", "parts.json"):
                assert data == undisturbed[name]
        if (root / "parts.json").exists():  # it is whole; kill a new one
            assert files(root) == undisturbed or (root / "lock").exists()
            root = tmp_path / f"run-{killed}-{finished}"
    run_study(Throws(rows=ROWS), root)
    assert files(root) == undisturbed
    assert pq.read_table(root / "throws")["row"].to_pylist() == list(range(ROWS))


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
