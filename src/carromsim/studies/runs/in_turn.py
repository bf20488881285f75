"""Studies whose rows depend on earlier ones: chunks are played one after the other, each by the whole crew."""

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from carromsim.executors import Crew
from carromsim.studies.runs.study import Sequential
from carromsim.studies.runs.trying import TRIES, ChunkError
from carromsim.studies.runs.work import Played, VersionsError, Work

__all__ = ["in_turn", "shared_by"]


def in_turn(crew: Crew, work: Work, study: Sequential, numbers: Iterable[int]) -> Generator[Played]:
    """Play chunks, of ascending numbers; what stands between them is told to the study.

    Raises
    ------
    ChunkError
        If a chunk cannot be played.
    OSError, ImportError, VersionsError
        If a machine cannot play, or a study would not give the rows that stand.
    """
    study.work_with(crew)
    told = 0
    try:
        for number in numbers:
            if work.parts is not None:
                for stands in range(told, number):
                    study.recall(work.parts.read(study.tables[0], stands))
            yield _played(work, number)
            told = number + 1
    finally:
        study.work_with(None)


def _played(work: Work, number: int) -> Played:
    try:
        return work.play(number)
    except (OSError, ImportError, VersionsError):
        raise
    except Exception as error:
        rows = work.chunks[number]
        text = f"chunk {number}, rows {rows.start} to {rows.stop - 1}, cannot be played: {error}"
        raise ChunkError(text, number, rows, None) from error


def shared_by(crew: Crew) -> Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]:
    """Give a function that lets a crew do one thing to several arguments, again if a worker dies.

    Parameters
    ----------
    crew : Crew

    Returns
    -------
    callable
        Gets the function and its arguments, gives the results in the order of these.
    """

    def share(work: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        for attempt in range(1, TRIES + 1):
            futures = []
            try:
                futures = [crew.submit(work, task) for task in tasks]
                return [future.result() for future in futures]
            except BrokenExecutor:
                if attempt == TRIES or not crew.rebuild():
                    raise
            finally:
                for future in futures:
                    future.cancel()
        raise AssertionError  # the last attempt returns or raises

    return share
