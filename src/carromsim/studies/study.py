"""What every study shares: the interface to the run protocol, and the run itself.

A run is done chunk by chunk. A chunk is done when each of its parts stands under its final name, and a part appears
there only when it is complete and on disk; nothing else is remembered. So a run may be stopped at any moment,
`kill -9` and power cuts included, and the same call continues it: parts that stand are checked (see
`carromsim.tables.dataset`), what is missing or damaged is simulated again and, as rows depend on their numbers alone,
gives the same bytes.
"""

import hashlib
import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing
from importlib import metadata
from os import PathLike
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from carromsim.chunks import cut, in_order, thread_count
from carromsim.outcomes import Outcomes
from carromsim.studies.directory import MANIFEST_FORMAT, DirectoryError, claim
from carromsim.tables.dataset import Checked, Encoded, Entry, Parts
from carromsim.tables.schemas import TableSchema

if TYPE_CHECKING:
    from collections.abc import Generator

    import pyarrow as pa

    from carromsim.studies.runs import Run

__all__ = ["CHUNK_ROWS", "DirectoryError", "Progress", "Study", "manifest_of", "parts_of", "run_study", "study_hash"]

CHUNK_ROWS = 4096
"""Rows of a chunk, and so of a part.

Fixed, because the parts of a study must not depend on the machine. About 1 s of breaks on one
core: little is lost when a run is stopped, while the Python cost per chunk is below 1 %.
"""

_PIECE_ROWS = 1024
"""Rows that are simulated before a thread looks whether the run was stopped: some 0.15 s. Each batch costs 1 ms."""

Progress = Callable[[int, int, Any], None]
"""Is told, at the start and after each chunk: rows done, rows in all, counts of the rows just played."""


class Study(Protocol):
    """What the run protocol needs of a study."""

    kind: ClassVar[str]
    """Name of the kind of study, as in its declaration."""
    tables: ClassVar[tuple[TableSchema, ...]]
    """What it writes; the first table is the one that its summary counts."""

    @property
    def rows(self) -> int:
        """How many rows the study has in all."""

    def batch(self, rows: range) -> "Mapping[str, pa.RecordBatch]":
        """Play some rows in this thread; one batch per table. A row depends on its number alone."""

    def declaration(self) -> dict[str, Any]:
        """Give everything that makes the study what it is, as JSON can hold it."""

    def replay(self, row: int) -> Outcomes:
        """Play one row again and record its events."""

    def empty_counts(self) -> Any:
        """Give the counts of no rows."""

    def counts_of(self, batch: "pa.RecordBatch") -> Any:
        """Count rows of the first table; counts add up."""

    def summary_of(self, counts: Any, seconds: float | None = None) -> Any:
        """Give the summary of added counts."""


def study_hash(declaration: Mapping[str, Any]) -> str:
    """Hash a declaration: equal for equal studies, whatever the order of the keys."""
    text = json.dumps(declaration, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def versions() -> dict[str, str]:
    """Give the versions of everything that may change a number or a byte."""
    from carromsim_kernels.jit import source_digest

    names = ("carromsim", "numba", "numpy", "pyarrow")
    return {name: metadata.version(name) for name in names} | {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "kernels": source_digest(),
    }


def manifest_of(study: Study) -> dict[str, Any]:
    """Give what a run of a study says about itself, as its `manifest.json` is read back."""
    declaration = study.declaration()
    manifest = {
        "format": MANIFEST_FORMAT,
        "study": declaration,
        "study_hash": study_hash(declaration),
        "tables": [table.label for table in study.tables],
        "chunks": {"rows": CHUNK_ROWS, "count": -(-study.rows // CHUNK_ROWS)},
        "versions": versions(),
    }
    return cast("dict[str, Any]", json.loads(json.dumps(manifest, allow_nan=False)))


def parts_of(root: "Path", study: Study, manifest: Mapping[str, Any]) -> Parts:
    """Give the parts that a run has when it is finished."""
    return Parts(
        root=root,
        tables=study.tables,
        chunks=tuple(cut(study.rows, manifest["chunks"]["rows"])),
        study=manifest["study_hash"],
        versions=manifest["versions"],
        reproducible=manifest["versions"] == versions(),
    )


def run_study(
    study: Study,
    directory: str | PathLike[str],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
) -> "Run":
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
    from carromsim.studies.runs import Run

    workers = thread_count(threads)  # a bad argument is told before anything is written
    manifest = manifest_of(study)
    with claim(directory, study.tables, manifest, fresh=fresh) as root:
        parts = parts_of(root, study, manifest)
        entries = _standing(parts, workers)
        resumed = bool(entries)
        counts, seconds = _play(study, parts, entries, workers, progress)
        parts.write_record({t.name: [entries[n][t.name] for n in range(len(parts.chunks))] for t in study.tables})
    return Run(directory=root, manifest=manifest, study=study, counts=None if resumed else counts, seconds=seconds)


def check_parts(parts: Parts, numbers: Sequence[int], threads: int) -> Iterator[tuple[int, Checked]]:
    """Check the parts of some chunks, against `parts.json` if it stands."""
    record = parts.read_record()
    return in_order(lambda number: (number, parts.check(number, record)), numbers, threads)


def _standing(parts: Parts, threads: int) -> dict[int, dict[str, Entry]]:
    """Find the chunks whose parts all stand and are sound."""
    there = [n for n in range(len(parts.chunks)) if all(parts.path(table, n).is_file() for table in parts.tables)]
    sound = {}
    for number, checked in check_parts(parts, there, threads):
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
        study.batch(range(1))  # compiles or loads the kernels: not the study's time, and Ctrl-C works meanwhile
    if progress is not None:
        progress(done, study.rows, counts)
    started = time.perf_counter()

    def work(number: int) -> tuple[int, Encoded, Any]:
        rows = _rows_of(study, parts.chunks[number], stop)
        first = rows[study.tables[0].name]
        return number, parts.encode(number, rows), study.counts_of(first.to_batches()[0])

    played = cast("Generator[tuple[int, Encoded, Any]]", in_order(work, missing, threads, stop))
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
    for piece in cut(len(rows), _PIECE_ROWS):
        if stop.is_set():
            raise CancelledError
        pieces.append(study.batch(rows[piece.start : piece.stop]))
    return {
        table.name: pa.Table.from_batches([piece[table.name] for piece in pieces]).combine_chunks()
        for table in study.tables
    }
