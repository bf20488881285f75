"""Studies whose rows depend on earlier ones: played in order, told what stands, shared out again if a worker dies."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field
from multiprocessing import active_children
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from carromsim.executors import Crew
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim.studies.runs.in_turn import shared_by
from carromsim.studies.runs.running import run_study, summarise_study
from carromsim.studies.runs.study import refuse_sequential
from carromsim.studies.runs.trying import TRIES, ChunkError
from faults.kills import SEARCH
from runs.fake import Throws, files


@dataclass(frozen=True, kw_only=True)
class Chain(Throws):
    """Throws that notes which rows it played and which it was told, and can only play the next ones."""

    kind: ClassVar[str] = "chain"
    sequential: ClassVar[bool] = True
    done: list[tuple[str, int]] = field(default_factory=list)
    crews: list[Crew | None] = field(default_factory=list)

    def batch(self, rows: range) -> Any:
        if rows.start != self._next and rows != range(1):  # the first row alone warms up
            raise AssertionError(f"row {rows.start} was asked for after {self._next}")
        played = Throws.batch(self, rows)
        if rows != range(1):
            self.done.append(("played", rows.stop))
        return played

    def recall(self, batch: pa.RecordBatch) -> None:
        self.done.append(("told", batch["row"][-1].as_py() + 1))

    def work_with(self, crew: Crew | None) -> None:
        self.crews.append(crew)

    @property
    def _next(self) -> int:
        return self.done[-1][1] if self.done else 0


def test_chunks_are_played_one_after_the_other_whatever_the_workers(tmp_path: Path) -> None:
    study = Chain(rows=130)
    run_study(study, tmp_path / "run", workers=4)
    assert study.done == [("played", 50), ("played", 100), ("played", 130)]
    assert study.crews[0] is not None
    assert study.crews[-1] is None
    counted = Chain(rows=130)
    summarise_study(counted, workers=4)
    assert counted.done == study.done


def test_what_stands_is_told_and_what_is_missing_is_played(tmp_path: Path) -> None:
    run_study(Chain(rows=230), tmp_path / "run")
    whole = files(tmp_path / "run")
    for number in (1, 3):
        (tmp_path / "run" / "throws" / f"part-{number:08d}.parquet").unlink()
    again = Chain(rows=230)
    run_study(again, tmp_path / "run")
    assert again.done == [("told", 50), ("played", 100), ("told", 150), ("played", 200)]  # none needs the last chunk
    assert files(tmp_path / "run") == whole


def test_a_chunk_that_cannot_be_played_is_named_and_those_before_it_stay(tmp_path: Path) -> None:
    with pytest.raises(ChunkError, match="chunk 1, rows 50 to 99, cannot be played: row 70 is bad"):
        run_study(Chain(rows=130, bad=(70,)), tmp_path / "run")
    assert len(list((tmp_path / "run" / "throws").glob("*.parquet"))) == 1
    run_study(Chain(rows=130), tmp_path / "run")


def test_no_shares() -> None:
    with pytest.raises(ValueError, match="merge: the rows of a study of kind 'chain' depend on those before them"):
        refuse_sequential(Chain(rows=3), "merge")
    refuse_sequential(Throws(rows=3), "merge")


class Mortal(Crew):
    """A crew whose pool breaks some times before it works."""

    def __init__(self, breaks: int, *, mendable: bool = True) -> None:
        self.breaks, self.mendable, self.given = breaks, mendable, 0

    def submit(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> "Future[Any]":
        self.given += 1
        future: Future[Any] = Future()
        if self.breaks:
            future.set_exception(BrokenExecutor("a worker died"))
        else:
            future.set_result(work(*args, **kwargs))
        return future

    def rebuild(self) -> bool:
        self.breaks -= 1
        return self.mendable


def test_work_is_shared_out_again_if_a_worker_dies() -> None:
    assert shared_by(Mortal(0))(abs, [-1, 2, -3]) == [1, 2, 3]
    assert shared_by(Mortal(TRIES - 1))(abs, [-1, 2, -3]) == [1, 2, 3]
    with pytest.raises(BrokenExecutor):
        shared_by(Mortal(TRIES))(abs, [-1])
    with pytest.raises(BrokenExecutor):
        shared_by(Mortal(1, mendable=False))(abs, [-1])


@pytest.mark.slow
def test_a_search_is_the_same_though_ten_of_its_workers_are_killed(tmp_path: Path) -> None:
    settings: dict[str, Any] = SEARCH | {"generations": 9}
    BreakOptimisation(seed=3, **settings).run(tmp_path / "undisturbed", workers=1)
    killed: list[int] = []

    def kill(done: int, total: int, counts: object) -> None:
        here = [child.pid for child in active_children() if child.pid is not None and child.pid not in killed]
        if here and len(killed) < 10:
            killed.append(here[0])
            os.kill(here[0], signal.SIGKILL)

    search = BreakOptimisation(seed=3, **settings)  # the other one remembers what it played
    search.run(tmp_path / "run", executor="processes", workers=2, progress=kill)
    assert len(killed) == 10
    assert files(tmp_path / "run") == files(tmp_path / "undisturbed")
