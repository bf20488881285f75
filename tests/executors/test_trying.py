"""Workers that die and rows that cannot be played: nothing is lost, nothing comes twice, and the bad row is named."""

import os
import pickle
import random
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, ClassVar

import pytest

from carromsim.chunks import Chunks
from carromsim.executors import ExecutorLike, crew_of
from carromsim.studies.counting.stopping import Until
from carromsim.studies.runs import trying
from carromsim.studies.runs.running import run_study, summarise_study
from carromsim.studies.runs.trying import ChunkError
from carromsim.tables.places import Folder
from runs.fake import Throws, files

ROWS = 700


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("undisturbed") / "run"
    run_study(Throws(rows=ROWS), root, workers=1)
    return files(root)


# Workers that die


@pytest.mark.parametrize(
    ("kills", "heavy"), [(2, 50_000), *(pytest.param(kills, 0, marks=pytest.mark.slow) for kills in (2, 10))], ids=str
)
def test_workers_are_killed_and_the_run_is_whole(
    kills: int, heavy: int, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    rng, killed, seen = random.Random(kills), [], []
    study = Throws(rows=ROWS, seconds_per_row=0.002, bad=tuple(range(10**6, 10**6 + heavy)))  # more than a pipe holds

    def kill(done: int, total: int, counts: object) -> None:
        seen.append(done)
        if len(killed) < kills and len(seen) > 1:
            victims = [child for child in active_children() if child.pid not in killed and child.is_alive()]
            if victims:
                victim = rng.choice(victims)
                assert victim.pid is not None
                killed.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)

    run = run_study(study, tmp_path / "run", executor="processes", workers=2, progress=kill)
    assert len(set(killed)) == kills
    assert seen == [0, *range(50, ROWS + 1, 50)]  # no chunk was counted twice
    assert files(tmp_path / "run") == undisturbed
    assert run.counts.sum() == sum(run.counts[1:7])
    assert not active_children()


class Flaky(Executor):
    """Plays in the calling thread; some work raises, as often as is said."""

    def __init__(self, failures: dict[int, int], error: type[Exception] = MemoryError) -> None:
        self.tried: list[int] = []
        self._failures = dict(failures)
        self._error = error

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if arguments and isinstance(arguments[0], int):  # a chunk, and not rows of one in which the bad is looked for
            self.tried.append(arguments[0])
            if self._failures.get(arguments[0], 0) > 0:
                self._failures[arguments[0]] -= 1
                future.set_exception(self._error("not now"))
                return future
        future.set_result(work(*arguments))
        return future


def test_a_chunk_is_tried_three_times(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    flaky = Flaky({3: 2, 9: 1})
    run_study(Throws(rows=ROWS), tmp_path / "run", executor=flaky, workers=1)
    assert files(tmp_path / "run") == undisturbed
    assert sorted(flaky.tried) == sorted([*range(ROWS // 50), 3, 3, 9])


def test_a_chunk_that_fails_without_a_bad_row_says_so(tmp_path: Path) -> None:
    flaky = Flaky({3: 3})
    with pytest.raises(ChunkError) as caught:
        run_study(Throws(rows=ROWS), tmp_path / "run", executor=flaky, workers=1)
    assert str(caught.value) == (
        "chunk 3, rows 150 to 199, cannot be played: MemoryError: not now; no row was found that fails alone: is there"
        " too little memory?"
    )
    assert (caught.value.chunk, caught.value.rows, caught.value.row) == (3, range(150, 200), None)
    assert isinstance(caught.value.__cause__, MemoryError)
    assert flaky.tried == [0, 1, 2, 3, 3, 3]
    assert len(files(tmp_path / "run")) == 1 + 2 * 3  # what is finished stays


@pytest.mark.parametrize("error", [OSError, ConnectionError, ModuleNotFoundError])
def test_faults_of_the_machine_are_not_tried_again(error: type[Exception], tmp_path: Path) -> None:
    flaky = Flaky({3: 1}, error)
    with pytest.raises(error, match="not now"):
        run_study(Throws(rows=ROWS), tmp_path / "run", executor=flaky, workers=1)
    assert flaky.tried == [0, 1, 2, 3]


def test_a_full_disk_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    write = Folder.write

    def full(place: Folder, name: str, data: bytes) -> None:
        if name.endswith("5.parquet"):
            asked.append(name)
            raise OSError(28, "No space left on device")
        write(place, name, data)

    monkeypatch.setattr(Folder, "write", full)
    with pytest.raises(OSError, match="No space left"):
        run_study(Throws(rows=ROWS), tmp_path / "run", workers=2)
    assert asked == ["throws/part-00000005.parquet"]


def test_a_full_disk_is_told_by_processes_too(tmp_path: Path) -> None:
    (tmp_path / "run" / "bounces").mkdir(parents=True)
    code = (
        "import resource, sys\n"
        "from carromsim.studies.runs.running import run_study\n"
        "from runs.fake import Throws\n"
        "if __name__ == '__main__':\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, resource.RLIM_INFINITY))\n"
        "    run_study(Throws(rows=300), sys.argv[1], executor='processes', workers=2)\n"
    )
    script = tmp_path / "full.py"
    script.write_text(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "run")], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 1
    assert "OSError: [Errno 27] File too large" in done.stderr.splitlines()[-1]
    assert "cannot be played" not in done.stderr
    assert not list((tmp_path / "run").rglob("*.parquet"))


# Rows that cannot be played


def poisoned(executor: ExecutorLike, tmp_path: Path, **what: Any) -> ChunkError:
    with pytest.raises(ChunkError) as caught:
        run_study(Throws(rows=ROWS, **what), tmp_path / "run", executor=executor, workers=2)
    found = caught.value
    assert (found.chunk, found.rows, found.row) == (5, range(250, 300), 277)
    assert str(found).startswith("chunk 5, rows 250 to 299, cannot be played: row 277 fails (")
    assert str(found).endswith(f"); to play it again: carromsim replay {tmp_path / 'run'} --row 277")
    again = pickle.loads(pickle.dumps(found))
    assert (str(again), again.row) == (str(found), 277)
    return found


@pytest.mark.parametrize("executor", ["threads", "processes", "threads of one's own"])
def test_a_row_that_raises_is_named(executor: str, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    if executor in ("threads", "processes"):
        found = poisoned(executor, tmp_path, bad=(277, 280))
    else:
        with ThreadPoolExecutor(2) as pool:
            found = poisoned(pool, tmp_path, bad=(277, 280))
    assert "(ArithmeticError: row 277 is bad)" in str(found)
    parts = {name: data for name, data in files(tmp_path / "run").items() if name.endswith(".parquet")}
    assert len(parts) >= 2 * (5 - 1)  # all before the bad one but what the other worker may still hold
    assert all(undisturbed[name] == data for name, data in parts.items())
    run_study(Throws(rows=ROWS), tmp_path / "run")  # mended, it goes on
    assert files(tmp_path / "run") == undisturbed


def test_a_row_that_ends_its_process_is_named(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    assert "(its process ended)" in str(poisoned("processes", tmp_path, deadly=(277,)))
    run_study(Throws(rows=ROWS), tmp_path / "run", executor="processes", workers=2)
    assert files(tmp_path / "run") == undisturbed


@pytest.mark.slow
def test_a_row_that_ends_processes_of_ones_own_is_named(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert "(its process ended)" in str(poisoned(pool, tmp_path, deadly=(277,)))


def test_an_executor_of_ones_own_that_breaks_is_told(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    def kill(done: int, total: int, counts: object) -> None:
        if done == 200:
            for child in active_children():
                child.kill()

    study = Throws(rows=ROWS, seconds_per_row=0.001)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool, pytest.raises(BrokenExecutor):
        run_study(study, tmp_path / "run", executor=pool, progress=kill)
    run_study(study, tmp_path / "run", workers=2)
    assert files(tmp_path / "run") == undisturbed


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_the_very_first_row_may_be_the_bad_one(executor: str, tmp_path: Path) -> None:
    with pytest.raises(ChunkError, match=r"row 0 fails \(ArithmeticError: row 0 is bad\)") as caught:
        run_study(Throws(rows=60, bad=(0,)), tmp_path / "run", executor=executor, workers=1)
    assert caught.value.row == 0
    assert not (tmp_path / "run").exists()  # nothing was finished


def test_without_a_directory_the_study_itself_replays(tmp_path: Path) -> None:
    with pytest.raises(ChunkError, match=r"row 277 fails .*; to play it again: study.replay\(277\)$"):
        summarise_study(Throws(rows=ROWS, bad=(277,)), workers=2)


def test_the_first_bad_row_is_found_wherever_it_is() -> None:
    with crew_of("threads", 1) as crew:
        for row in (0, 48):
            work = trying.Work(Throws(bad=(row, 49)), [range(50)])
            assert trying._first_bad_row(crew, work, range(50)) == (row, f"ArithmeticError: row {row} is bad")
        assert trying._first_bad_row(crew, trying.Work(Throws(), [range(50)]), range(50)) is None


def played_by_a_script(script: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Play a script of a user's, whatever it guards."""
    script.write_text(text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=100)


def test_with_threads_a_bad_row_is_looked_for_without_reading_the_script_again(tmp_path: Path) -> None:
    done = played_by_a_script(
        tmp_path / "unguarded.py",
        "from carromsim.studies.runs.running import run_study\n"
        "from runs.fake import Throws\n"
        "print('once')\n"
        "try:\n"
        f"    run_study(Throws(bad=(77,)), {str(tmp_path / 'run')!r}, workers=2)\n"
        "except RuntimeError as error:\n"
        "    print(error.row)\n",
    )
    assert (done.stdout, done.stderr) == ("once\n77\n", "")


def test_a_script_without_guard_is_told_what_it_lacks(tmp_path: Path) -> None:
    done = played_by_a_script(
        tmp_path / "unguarded.py",
        "from carromsim.studies.runs.running import run_study\n"
        "from runs.fake import Throws\n"
        f"run_study(Throws(), {str(tmp_path / 'run')!r}, executor='processes', workers=1)\n",
    )
    assert done.returncode == 1
    assert 'under `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]
    assert not (tmp_path / "run").exists()


# A maximum that is never reached


class InTurn(Throws):
    """Throws of which each depends on those before it, as far as the protocol knows."""

    sequential: ClassVar[bool] = True

    def work_with(self, crew: object) -> None: ...


@pytest.mark.parametrize("kind", [Throws, InTurn])
@pytest.mark.parametrize("written", [True, False])
def test_the_memory_does_not_grow_with_the_rows_that_are_declared(
    kind: type[Throws], written: bool, tmp_path: Path
) -> None:
    study = kind(rows=50 * 10**6, until=Until(metric="six", half_width=0.1))
    run_study(replace(study, rows=50), tmp_path / "first")  # loads libraries
    tracemalloc.start()
    try:
        if written:
            run = run_study(study, tmp_path / "run", workers=2)
            assert run.stopped is not None
            assert run.stopped["rows"] < 1000
        else:
            assert sum(summarise_study(study, workers=2)["counts"]) < 1000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10**7  # a list of the numbers of its chunks has four times that


def test_the_next_chunk_is_taken_when_its_turn_comes() -> None:
    taken = []

    def numbers() -> Iterator[int]:
        for number in range(10):
            taken.append(number)
            yield number

    study = Throws(rows=500)
    with crew_of("threads", 2) as crew:
        work = trying.Work(study, Chunks(study.rows, study.chunk_rows))
        results = trying.Rounds(crew, work, numbers()).results()
        next(results)
        assert len(taken) <= 3
        assert len(list(results)) == 9
    assert taken == list(range(10))
