"""Playing a study into a directory.

A run is done chunk by chunk. A chunk is done when each of its parts stands under its final name, and a part appears
there only when it is complete and on disk; nothing else is remembered. So a run may be stopped at any moment,
`kill -9` and power cuts included, and the same call continues it: parts that stand are checked (see
`carromsim.tables.dataset`), what is missing or damaged is simulated again and, as rows depend on their numbers alone,
gives the same bytes.
"""

import time
from collections.abc import Generator
from concurrent.futures import CancelledError
from contextlib import closing
from os import PathLike
from threading import Event
from typing import TYPE_CHECKING, Any, cast

from carromsim.chunks import cut, in_order, thread_count
from carromsim.studies.directory import claim
from carromsim.studies.runs import Run
from carromsim.studies.study import Progress, Study, check_parts, manifest_of, parts_of
from carromsim.tables.dataset import Encoded, Entry, Parts

if TYPE_CHECKING:
    import pyarrow as pa


def run_study(
    study: Study,
    directory: str | PathLike[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
) -> Run:
    """Play a study into a directory, or play what is missing there.

    Equal studies give equal bytes, whatever the number of threads and however often the run was stopped.

    Parameters
    ----------
    study : Study
        What to play.
    directory : path
        New, empty, or of a run of the same study with the same versions, which is continued.
    threads : int, optional
        Default: one per core.
    progress : callable, optional
        Called at the start and after each chunk with the rows done, the rows in all and the counts of this call.
    fresh : bool
        Whether to remove the run that is there first, whatever it is a run of.

    Returns
    -------
    Run

    Raises
    ------
    DirectoryError
        A ValueError: if the directory holds another run (naming the differences) or something else, is in use by
        another process, or cannot be written to.
    OSError
        If writing fails later, as on a full disk. Finished parts stay.
    """
    workers = thread_count(threads)  # a bad argument is told before anything is written
    manifest = manifest_of(study)
    with claim(directory, study.tables, manifest, fresh=fresh) as place:
        parts = parts_of(place, study, manifest)
        entries = _standing(parts, workers)
        resumed = bool(entries)
        counts, seconds = _play(study, parts, entries, workers, progress)
        parts.write_record({t.name: [entries[n][t.name] for n in range(len(parts.chunks))] for t in study.tables})
    return Run(place=place, manifest=manifest, study=study, counts=None if resumed else counts, seconds=seconds)


def _standing(parts: Parts, threads: int) -> dict[int, dict[str, Entry]]:
    """Find the chunks whose parts all stand and are sound."""
    sound = {}
    for number, checked in check_parts(parts, parts.complete(), threads):
        entries = {name: entry for name, entry in checked.items() if isinstance(entry, Entry)}
        if len(entries) == len(checked):
            sound[number] = entries
    return sound


def _play(
    study: Study, parts: Parts, entries: dict[int, dict[str, Entry]], threads: int, progress: Progress | None
) -> tuple[Any, float]:
    """Play the chunks that have no entries yet, add those; give the counts of these chunks and the time they took."""
    missing = [number for number in range(len(parts.chunks)) if number not in entries]
    done, counts, stop = sum(len(parts.chunks[number]) for number in entries), study.empty_counts(), Event()
    if missing:
        study.warm_up()  # here, so that Ctrl-C works meanwhile
    if progress is not None:
        progress(done, study.rows, counts)
    started = time.perf_counter()

    def work(number: int) -> tuple[int, Encoded, Any]:
        rows = _rows_of(study, parts.chunks[number], stop)
        first = rows[study.tables[0].name]
        return number, parts.encode(number, rows), study.counts_of(first.to_batches()[0])

    played = cast(Generator[tuple[int, Encoded, Any]], in_order(work, missing, threads, stop))
    with closing(played):  # an error here ends the work on later chunks at once
        for number, encoded, found in played:
            entries[number] = parts.write(number, encoded)
            counts += found
            done += len(parts.chunks[number])
            if progress is not None:
                progress(done, study.rows, counts)
    return counts, time.perf_counter() - started


def _rows_of(study: Study, rows: range, stop: Event) -> "dict[str, pa.Table]":
    """Play a chunk in pieces, so that a stop need not wait for all of it; give one contiguous table per table."""
    import pyarrow as pa

    pieces = []
    for piece in cut(len(rows), study.piece_rows):
        if stop.is_set():
            raise CancelledError
        pieces.append(study.batch(rows[piece.start : piece.stop]))
    return {
        table.name: pa.Table.from_batches([piece[table.name] for piece in pieces]).combine_chunks()
        for table in study.tables
    }
