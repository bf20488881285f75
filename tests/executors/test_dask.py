"""A Dask cluster as executor: the same bytes, though workers are killed; bad rows and missing schedulers are told."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.executors import crew_of
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.runs.running import run_study
from carromsim.studies.runs.trying import ChunkError
from executors.test_signals import SECONDS, command, environment
from runs.fake import Throws, files

distributed = pytest.importorskip("distributed")

ROWS = 700


def two_workers() -> Any:
    """Give a cluster of two workers with one thread each, each in its own process."""
    return distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    )


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Give a cluster to all tests that leave it whole."""
    with two_workers() as two:
        yield two


@pytest.fixture
def executor(cluster: Any) -> str:
    return f"dask:{cluster.scheduler_address}"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("undisturbed") / "run"
    run_study(Throws(rows=ROWS), root, workers=1)
    return files(root)


def kill_one(cluster: Any, killed: list[int]) -> None:
    """Kill the process of a worker that was not killed before; another one takes its place."""
    running = [worker for worker in cluster.workers.values() if worker.status.name == "running"]
    pids = [worker.pid for worker in running if worker.pid is not None and worker.pid not in killed]
    if pids:
        killed.append(pids[0])
        os.kill(pids[0], signal.SIGKILL)


def test_the_width_follows_the_cluster(cluster: Any, executor: str) -> None:
    with crew_of(executor) as crew:
        assert crew.width == 4
        cluster.scale(3)
        deadline = time.monotonic() + 30
        while crew.width < 6:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert crew.submit(sum, (1, 2)).result() == 3
    with crew_of(executor, 3) as crew:
        assert crew.width == 3


def test_a_worker_that_is_killed_loses_nothing(
    cluster: Any, executor: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    killed: list[int] = []
    seen: list[int] = []

    def kill(done: int, total: int, counts: object) -> None:
        seen.append(done)
        if done >= 200 and not killed:
            kill_one(cluster, killed)

    run = run_study(Throws(rows=ROWS, seconds_per_row=0.002), tmp_path / "run", executor=executor, progress=kill)
    assert len(killed) == 1
    assert seen == [0, *range(50, ROWS + 1, 50)]
    assert files(tmp_path / "run") == undisturbed
    assert run.counts is not None
    run_study(Throws(rows=ROWS), tmp_path / "again", executor=executor, workers=1)
    assert files(tmp_path / "again") == undisturbed


def check_bad_row(executor: str, root: Path, how: str, **what: Any) -> None:
    with pytest.raises(ChunkError) as caught:
        run_study(Throws(rows=ROWS, **what), root, executor=executor)
    found = caught.value
    assert (found.chunk, found.row) == (5, 277)
    assert f"row 277 fails ({how})" in str(found)
    assert f"carromsim replay {root} --row 277" in str(found)


def test_a_row_that_raises_is_named(executor: str, tmp_path: Path) -> None:
    check_bad_row(executor, tmp_path / "run", "ArithmeticError: row 277 is bad", bad=(277,))


@pytest.mark.slow
def test_boards_are_the_same_though_a_worker_is_killed(cluster: Any, executor: str, tmp_path: Path) -> None:
    study, killed = BoardStudy(boards=24, seed=2), []  # type: tuple[BoardStudy, list[int]]

    def kill(done: int, total: int, counts: object) -> None:
        if done >= 6 and not killed:
            kill_one(cluster, killed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BoardStudy, "chunk_rows", 3)
        study.run(tmp_path / "threads", workers=2)
        study.run(tmp_path / "dask", executor=executor, progress=kill)
    assert len(killed) == 1
    assert files(tmp_path / "dask") == files(tmp_path / "threads")


@pytest.mark.slow
def test_the_command_takes_a_scheduler(executor: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["break", "--strokes", "20", "--quiet", "--out"]
    assert cli.run([*command, str(tmp_path / "dask"), "--executor", executor]) == 0
    assert cli.run([*command, str(tmp_path / "threads"), "--workers", "1"]) == 0
    assert files(tmp_path / "dask") == files(tmp_path / "threads")
    capsys.readouterr()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("study", ["boards", "matches", "compare", "optimise"])
def test_a_command_that_is_stopped_leaves_its_scheduler_at_once(
    study: str,
    how: signal.Signals,
    code: int,
    executor: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    root, options = tmp_path / "run", ["--executor", executor]
    (tmp_path / "slow").touch()
    with subprocess.Popen(
        command(study, root, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as running:
        deadline = time.monotonic() + 120
        while not list(root.glob("*/part-*")):
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        running.send_signal(how)
        asked = time.monotonic()
        shown, told = running.communicate(timeout=60)
        record_property("seconds to stop", round(time.monotonic() - asked, 2))
        assert time.monotonic() - asked < SECONDS
    assert (running.returncode, shown) == (code, "")
    assert "finished parts are kept" in told.splitlines()[-1]


def test_a_scheduler_that_does_not_answer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carromsim.executors._ANSWER_SECONDS", 0.5)
    with pytest.raises(OSError, match="executor = 'dask:tcp://127.0.0.1:1': no scheduler answers there"):
        run_study(Throws(), tmp_path / "run", executor="dask:tcp://127.0.0.1:1")
    with pytest.raises(OSError, match="executor = 'dask:nonsense://': no scheduler answers there"):
        run_study(Throws(), tmp_path / "run", executor="dask:nonsense://")
    assert not list(tmp_path.iterdir())


def test_without_dask_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'carromsim\[dask\]'"):
        run_study(Throws(), tmp_path / "run", executor="dask:tcp://127.0.0.1:8786")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_ten_workers_are_killed_and_the_run_is_whole(tmp_path: Path) -> None:
    killed: list[int] = []
    study = Throws(rows=3000, seconds_per_row=0.001)
    with two_workers() as cluster:  # Dask itself loses one now and then for good

        def kill(done: int, total: int, counts: object) -> None:
            if len(killed) < 10 and done:
                kill_one(cluster, killed)

        run_study(study, tmp_path / "run", executor=f"dask:{cluster.scheduler_address}", progress=kill)
    assert len(killed) == 10
    run_study(study, tmp_path / "undisturbed", workers=4)
    assert files(tmp_path / "run") == files(tmp_path / "undisturbed")


@pytest.mark.slow
def test_a_row_that_ends_its_worker_is_named(tmp_path: Path) -> None:
    with two_workers() as cluster:
        check_bad_row(f"dask:{cluster.scheduler_address}", tmp_path / "run", "its process ended", deadly=(277,))
