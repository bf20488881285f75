"""Who plays changes no byte: threads, processes, executors of the user's; bad ones are refused with nothing done."""

import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from carromsim.executors import THREAD_VARIABLES, crew_of
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.counting.stopping import Until
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.runs import work
from carromsim.studies.runs.running import run_study, summarise_study
from carromsim.studies.runs.study import Study
from carromsim.studies.runs.work import Elsewhere, VersionsError, Work
from runs.fake import Throws, files

ROWS = 700


class InOrder(Executor):
    """Plays in the calling thread, or whenever it is asked, in an order of its own."""

    def __init__(self, seed: int | None = None) -> None:
        self.given = 0
        self._random = None if seed is None else random.Random(seed)
        self._waiting: list[tuple[Future[Any], Callable[..., Any], Any]] = []
        self._max_workers = 4

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        self.given += 1
        future: Future[Any] = Future()
        self._waiting.append((future, work, arguments))
        if self._random is None or len(self._waiting) == self._max_workers or work.__name__ == "warm_up":
            self.play()
        return future

    def play(self) -> None:
        if self._random is not None:
            self._random.shuffle(self._waiting)
        while self._waiting:
            future, work, arguments = self._waiting.pop()
            future.set_result(work(*arguments))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("undisturbed") / "run"
    run_study(Throws(rows=ROWS), root, workers=1)
    return files(root)


def own(name: str) -> Executor:
    """Give an executor of the user's."""
    if name == "threads of one's own":
        return ThreadPoolExecutor(2)
    return ProcessPoolExecutor(2, mp_context=get_context("spawn")) if name == "processes of one's own" else InOrder()


@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_threads_and_processes_give_the_same_bytes(
    executor: str, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    for workers in (1, 2, 4) if executor == "threads" else (2,):
        told: list[tuple[int, int]] = []
        run_study(
            Throws(rows=ROWS),
            tmp_path / str(workers),
            executor=executor,
            workers=workers,
            progress=lambda done, total, counts, told=told: told.append((done, int(counts.sum()))),  # type: ignore[misc]
        )
        assert files(tmp_path / str(workers)) == undisturbed
        assert [done for done, _ in told] == [0, *range(50, ROWS + 1, 50)]
        assert told[0][1] == 0
        assert [counted for _, counted in told] == sorted(counted for _, counted in told)


@pytest.mark.parametrize("name", ["threads of one's own", "processes of one's own", "in order"])
def test_an_executor_of_ones_own_plays_and_lives_on(name: str, tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    with own(name) as executor:
        run_study(Throws(rows=ROWS), tmp_path / "run", executor=executor)
        assert files(tmp_path / "run") == undisturbed
        assert executor.submit(len, "four").result() == 4
        if isinstance(executor, InOrder):
            assert executor.given == ROWS // 50 + 2  # the kernels, and the question above


def test_the_order_in_which_chunks_come_back_changes_nothing(tmp_path: Path) -> None:
    """Neither the bytes nor the counts, nor where a study with `until` ends."""
    for until in (None, Until(metric="six", half_width=0.12)):
        study = Throws(rows=800, until=until)
        expected = run_study(study, tmp_path / "expected", workers=1, fresh=True)
        assert expected.counts.sum() < 800
        for seed in (1, 2, 3):
            run = run_study(study, tmp_path / "run", executor=InOrder(seed), fresh=True)
            assert files(tmp_path / "run") == files(tmp_path / "expected")
            assert (run.stopped, run.counts.tolist()) == (expected.stopped, expected.counts.tolist())
        summary = summarise_study(study, executor=InOrder(4))
        assert summary["counts"] == expected.counts.tolist()


def test_a_study_ends_with_the_chunk_that_is_enough(tmp_path: Path) -> None:
    study = Throws(rows=4000, until=Until(metric="six", half_width=0.1))
    run = run_study(study, tmp_path / "run", workers=4)
    end = len(list((tmp_path / "run" / "throws").iterdir()))
    assert run.stopped is not None
    assert (run.stopped["reason"], run.stopped["rows"]) == ("half_width", 50 * end)
    assert 100 < 50 * end < 4000
    whole = files(tmp_path / "run")
    # A part too many, as a worker far away may have left it, and one too few.
    for table, lost in (("throws", 2), ("bounces", 0)):
        (tmp_path / "run" / table / f"part-{lost:08d}.parquet").rename(
            tmp_path / "run" / table / f"part-{end + 1:08d}.parquet"
        )
    again = run_study(study, tmp_path / "run", workers=2)
    assert files(tmp_path / "run") == whole
    assert again.stopped == run.stopped
    assert summarise_study(study, workers=3)["counts"] == run.counts.tolist()


@pytest.mark.parametrize("kind", ["boards", pytest.param("breaks", marks=pytest.mark.slow)])
def test_a_real_study_is_the_same_by_processes(kind: str, tmp_path: Path) -> None:
    study: DeclaredStudy = BreakStudy(strokes=90, seed=2) if kind == "breaks" else BoardStudy(boards=12, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(study), "chunk_rows", 24 if kind == "breaks" else 3)
        for workers in (1, 2, 4):
            study.run(tmp_path / f"threads-{workers}", workers=workers)
        study.run(tmp_path / "processes", workers=2, executor="processes")
    expected = files(tmp_path / "threads-1")
    assert len(expected) == 2 + len(study.tables) * 4
    for name in ("threads-2", "threads-4", "processes"):
        assert files(tmp_path / name) == expected


def test_counts_come_back_from_processes() -> None:
    study = BoardStudy(boards=4, seed=2)
    found = [study.summarise(executor=executor, workers=1).counts for executor in ("processes", "threads")]
    assert study.summary_of(found[0]).to_dict() == study.summary_of(found[1]).to_dict()


# Shares


def test_shares_make_up_the_whole(tmp_path: Path, undisturbed: dict[str, bytes]) -> None:
    found: dict[str, bytes] = {}
    for i in (1, 2, 3):
        root = tmp_path / str(i)
        run = run_study(Throws(rows=ROWS), root, share=(i, 3))
        here = files(root)
        numbers = {int(name[-16:-8]) for name in here if name.startswith("throws/")}
        assert numbers == set(range(i - 1, ROWS // 50, 3))
        assert "parts.json" not in here
        assert run.counts is None
        assert here.pop("manifest.json") == undisturbed["manifest.json"]
        assert not set(here) & set(found)
        found |= here
    assert found == {name: data for name, data in undisturbed.items() if not name.endswith(".json")}
    for i in (2, 3):  # one after another into one directory they make it as well
        run_study(Throws(rows=ROWS), tmp_path / "1", share=(i, 3))
    assert files(tmp_path / "1") == undisturbed


@pytest.mark.parametrize("share", [(0, 3), (4, 3), (1, 0), (1.0, 2), (True, 2), (1, 2, 3), ()])
def test_a_bad_share_is_refused(share: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"share = .*: must be two whole numbers \(i, n\) with 1 <= i <= n"):
        run_study(Throws(), tmp_path / "run", share=share)
    assert not list(tmp_path.iterdir())


def test_a_share_of_a_study_that_ends_by_all_its_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a study with until ends by the rows of all shares"):
        run_study(Throws(until=Until(metric="six", half_width=0.1)), tmp_path / "run", share=(1, 2))
    assert not list(tmp_path.iterdir())


# Refusals


@pytest.mark.parametrize(
    ("executor", "told"),
    [
        ("thread", "executor = 'thread': did you mean 'threads'? known: dask:ADDRESS, processes, threads"),
        ("dask:", "executor = 'dask:'"),
        ("", "executor = ''"),
        (7, "executor = 7"),
        (None, "executor = None"),
    ],
)
def test_an_unknown_executor_is_refused(executor: Any, told: str, tmp_path: Path) -> None:
    for play in (
        lambda: run_study(Throws(), tmp_path / "run", executor=executor),
        lambda: crew_of(executor).__enter__(),
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared below)
            play()
        assert str(caught.value).startswith(told)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_a_bad_number_of_workers_is_refused(workers: Any, tmp_path: Path) -> None:
    for executor in ("threads", "processes", InOrder()):
        with pytest.raises(ValueError, match="workers = "):
            run_study(Throws(), tmp_path / "run", executor=executor, workers=workers)
    assert not list(tmp_path.iterdir())


# Workers


def reported() -> dict[str, Any]:
    """Tell what a worker has."""
    import signal

    import pyarrow as pa

    return {
        **{name: os.environ.get(name) for name in THREAD_VARIABLES},
        "pyarrow": pa.cpu_count(),
        "ctrl-c": signal.getsignal(signal.SIGINT),
        "blocked": signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []),
    }


def test_nothing_is_oversubscribed(monkeypatch: pytest.MonkeyPatch) -> None:
    import signal

    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with crew_of("processes", 1) as crew:
        found = crew.submit(reported).result()
    assert [found[name] for name in THREAD_VARIABLES] == ["1"] * 4
    assert found["pyarrow"] == 1
    assert (found["ctrl-c"], found["blocked"]) == (signal.SIG_IGN, True)
    assert dict(os.environ) == before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_workers_do_not_outlive_the_crew() -> None:
    with crew_of("processes", 2) as crew:
        pids = [crew.submit(os.getpid).result() for _ in range(4)]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def compiled() -> tuple[int, int]:
    """Give the process, and how often it has compiled the event loop instead of loading it."""
    from carromsim_kernels.batch import simulate_batch

    BreakStudy(strokes=1).warm_up()
    return os.getpid(), sum(simulate_batch.stats.cache_misses.values())  # type: ignore[attr-defined]


@pytest.mark.slow
def test_of_three_cold_workers_one_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARROMSIM_CACHE_DIR", str(tmp_path))
    with crew_of("processes", 3) as crew:
        found = [future.result() for future in [crew.submit(compiled) for _ in range(3)]]
    assert len({pid for pid, _ in found}) == 3
    assert sorted(times for _, times in found) == [0, 0, 1]


def other_versions() -> dict[str, str]:
    return {"carromsim": "0.1.0", "numpy": "0.9"}


def test_a_worker_with_other_versions_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study: Study = Throws()
    monkeypatch.setattr(work, "versions", lambda: {**other_versions(), "numpy": "1.0", "python": "3.11"})
    sent = Work(study, [range(5)])
    kind, packed = sent.__reduce__()
    assert kind is Elsewhere
    monkeypatch.setattr(work, "versions", other_versions)
    arrived = Elsewhere(*packed)
    for play in (arrived.warm_up, lambda: arrived.play(0), lambda: arrived.try_rows(range(2))):
        with pytest.raises(VersionsError, match="numpy 0.9 there, 1.0 here, python None there, 3.11 here$"):
            play()


class Strangers(InOrder):
    """Workers of another version: what reaches them was pickled."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given += 1
        future.set_exception(VersionsError("numpy 0.9 there"))
        return future


def test_versions_are_told_at_once(tmp_path: Path) -> None:
    with Strangers() as strangers, pytest.raises(VersionsError, match="0.9 there"):
        run_study(Throws(), tmp_path / "run", executor=strangers)
    assert strangers.given == 1
    assert not list(tmp_path.iterdir())


def test_a_study_is_unpacked_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Work(Throws(rows=10**9), [range(5), range(5, 10)])
    packed = sent.__reduce__()[1]
    assert len(packed[0]) < 2000
    unpacked = [work._unpacked(Elsewhere(*packed)._packed) for _ in range(3)]
    assert unpacked[0] is unpacked[1] is unpacked[2]
    assert unpacked[0].play(1).counts.tolist() == sent.play(1).counts.tolist()


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    work._unpacked.cache_clear()
    yield
    work._unpacked.cache_clear()
