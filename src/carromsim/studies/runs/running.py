"""Playing a study into a directory, or for its counts alone.

A run is done chunk by chunk. A chunk is done when each of its parts stands under its final name, and a part appears
there only when it is complete and on disk; nothing else is remembered. So a run may be stopped at any moment,
`kill -9` and power cuts included, and the same call continues it: parts that stand are checked (see
`carromsim.tables.dataset`), what is missing or damaged is simulated again and, as rows depend on their numbers alone,
gives the same bytes.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from os import PathLike
from typing import Any, cast

from carromsim.chunks import Chunks, thread_count
from carromsim.executors import Crew, ExecutorLike, crew_of
from carromsim.studies.counting.stopping import Stopping, evidence_of
from carromsim.studies.runs.directory import claim, place_of_run
from carromsim.studies.runs.in_turn import in_turn
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.study import (
    Progress,
    Sequential,
    Study,
    check_parts,
    manifest_of,
    parts_of,
    refuse_sequential,
)
from carromsim.studies.runs.trying import Rounds
from carromsim.studies.runs.work import Played, Work
from carromsim.tables.dataset import Entry, Parts

Entries = dict[str, Entry]
"""Of the parts of one chunk, by name of the table."""


def run_study(
    study: Study,
    directory: str | PathLike[str],
    *,
    workers: int | None = None,
    executor: ExecutorLike = "threads",
    progress: Progress | None = None,
    fresh: bool = False,
    share: tuple[int, int] | None = None,
) -> Run:
    """Play a study into a directory, or play what is missing there.

    Equal studies give equal bytes, whoever plays them and however often the run was stopped.

    Parameters
    ----------
    study : Study
        What to play.
    directory : path or URL
        New, empty, or of a run of the same study with the same versions, which is continued.
    workers : int, optional
        How many play at a time. Default: one per core, or as many as the executor has.
    executor : str or concurrent.futures.Executor
        Who plays: "threads", "processes", "dask:ADDRESS" of a scheduler, or an executor; see `carromsim.executors`.
    progress : callable, optional
        Called at the start and after each chunk with the rows done, the rows in all and the counts of this call.
    fresh : bool
        Whether to remove the run that is there first, whatever it is a run of.
    share : tuple of two int, optional
        (i, n): play only every n-th chunk, from the i-th on, 1 <= i <= n. n such runs, merged, make the whole one.

    Returns
    -------
    Run

    Raises
    ------
    DirectoryError
        A ValueError: if the directory holds another run (naming the differences) or something else, is in use by
        another process, or cannot be written to.
    ValueError
        If an argument is bad; nothing is written then.
    ImportError
        If a library is missing, here or where a worker plays.
    OSError
        If no scheduler answers, or if writing fails later, as on a full disk. Finished parts stay.
    ChunkError
        If a chunk cannot be played, naming the row that fails. Finished parts stay.
    VersionsError
        If a worker has other versions.
    """
    mine = _shared(study, share)  # a bad argument is told before anything is written
    if not isinstance(fresh, bool):  # "no" would be taken for a wish to remove the run
        raise ValueError(f"fresh = {fresh!r}: must be True or False")
    place, manifest = place_of_run(directory), manifest_of(study)
    with crew_of(executor, workers) as crew, claim(directory, study.tables, manifest, fresh=fresh) as held:
        parts = parts_of(held, study, manifest)
        entries = standing(parts, workers)
        takings = takings_of(study, parts, entries)
        resumed = bool(entries)
        seconds = _play(crew, Work(study, parts.chunks, parts), takings, mine, progress)
        stopped = finish(parts, takings)
    return Run(
        place=place,
        manifest=manifest,
        study=study,
        counts=takings.counts if takings.whole and not resumed else None,
        seconds=seconds,
        stopped=stopped,
    )


def summarise_study(
    study: Study, *, workers: int | None = None, executor: ExecutorLike = "threads", progress: Progress | None = None
) -> Any:
    """Play a study and keep the counts only; see `run_study`."""
    chunks = Chunks(study.rows, study.chunk_rows)
    with crew_of(executor, workers) as crew:
        takings = Takings(study, chunks, {})
        seconds = _play(crew, Work(study, chunks), takings, range(len(chunks)), progress)
    return study.summary_of(takings.counts, seconds, takings.stopping.told)


class Takings:
    """What has come back of a study, in any order, and where it ends.

    Parameters
    ----------
    study : Study
        Whose rows they are.
    chunks : sequence of range
        All that it can have.
    entries : dict
        Of the chunks that stand, by number; those that come back are added.
    """

    def __init__(self, study: Study, chunks: Sequence[range], entries: dict[int, Entries]) -> None:
        self.entries = entries
        self.counts = study.empty_counts()
        """Of the rows that were played now and belong to the study for certain."""
        self.stopping = Stopping(study, len(chunks))
        self._waiting: dict[int, Any] = {}
        self._next = 0

    @property
    def whole(self) -> bool:
        """Whether the study has ended and all its chunks are there."""
        end = self.stopping.end
        return end is not None and all(number in self.entries for number in range(end))

    def add(self, played: Played) -> None:
        """Take a chunk. Its counts wait until it is certain that the study does not end before it."""
        self.entries[played.number] = played.entries
        self.stopping.add(played.number, played.evidence)
        self._waiting[played.number] = played.counts
        end = self.stopping.end
        if end is None:
            while self._next in self.entries:
                self._count(self._next)
                self._next += 1
        else:
            for number in [number for number in self._waiting if number < end]:
                self._count(number)
            self._waiting.clear()

    def _count(self, number: int) -> None:
        if number in self._waiting:
            self.counts += self._waiting.pop(number)


def takings_of(study: Study, parts: Parts, entries: dict[int, Entries]) -> Takings:
    """Begin with the chunks that stand, and with what their rows say about the end."""
    takings = Takings(study, parts.chunks, entries)
    for number in entries if study.until is not None else ():
        takings.stopping.add(number, evidence_of(study, parts.read(study.tables[0], number)))
    return takings


def _shared(study: Study, share: tuple[int, int] | None) -> range:
    """Give the numbers of the chunks that a share has; None is all."""
    chunks = len(Chunks(study.rows, study.chunk_rows))
    if share is None:
        return range(chunks)
    refuse_sequential(study, f"share = {share!r}")
    numbers = [number for number in share if isinstance(number, int) and not isinstance(number, bool)]
    if len(share) != 2 or len(numbers) != 2 or not 1 <= share[0] <= share[1]:
        raise ValueError(f"share = {share!r}: must be two whole numbers (i, n) with 1 <= i <= n")
    if study.until is not None:
        raise ValueError(f"share = {share!r}: a study with until ends by the rows of all shares; play it in one run")
    return range(share[0] - 1, chunks, share[1])


def standing(parts: Parts, workers: int | None) -> dict[int, Entries]:
    """Find the chunks whose parts all stand and are sound; threads of this process look, whoever plays."""
    sound = {}
    for number, checked in check_parts(parts, parts.complete(), min(thread_count(workers), thread_count(None))):
        entries = {name: entry for name, entry in checked.items() if isinstance(entry, Entry)}
        if len(entries) == len(checked):
            sound[number] = entries
    return sound


def _missing(mine: range, takings: Takings) -> Iterator[int]:
    """Give the chunks that are still to be played, one by one: 2^40 rows are a maximum that nobody may ever reach."""
    for number in mine:
        if takings.stopping.end is not None and number >= takings.stopping.end:
            return
        if number not in takings.entries:
            yield number


def _play(crew: Crew, work: Work, takings: Takings, mine: range, progress: Progress | None) -> float:
    """Play chunks until all are there or the study has ended; give the time it took [s], without the warm-up."""
    study, chunks, end = work.study, work.chunks, takings.stopping.end
    done = sum(len(chunks[number]) for number in takings.entries)
    rounds = Rounds(crew, work, _missing(mine, takings))
    try:
        if next(_missing(mine, takings), None) is not None:
            rounds.warm_up()
        if progress is not None:
            progress(done, study.rows, takings.counts)
        started = time.perf_counter()
        if study.sequential:
            turns = in_turn(crew, work, cast("Sequential", study), _missing(mine, takings))
        else:
            turns = rounds.results()
        with closing(turns) as results:
            for played in results:
                takings.add(played)
                done += len(chunks[played.number])
                if progress is not None:
                    progress(done, study.rows, takings.counts)
                if end is None and takings.stopping.end is not None:
                    rounds.settle()
                    break
        return time.perf_counter() - started
    finally:  # the directory is given up only when nothing can appear in it any more
        work.gate.shut()
        crew.stop()


def finish(parts: Parts, takings: Takings) -> Mapping[str, Any] | None:
    """Write `parts.json` if all is there, and remove what was played beyond the end; tell why the study ended."""
    end, told = takings.stopping.end, takings.stopping.told
    if end is None or not takings.whole:
        return told
    for table in parts.tables:
        for number in parts.standing(table):
            if number >= end:
                parts.place.remove(parts.name(table, number))
    record = {t.name: [takings.entries[number][t.name] for number in range(end)] for t in parts.tables}
    parts.write_record(record, told)
    return told
