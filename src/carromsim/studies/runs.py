"""Runs that stand on disk: opened, read, counted, replayed and checked."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carromsim.chunks import thread_count
from carromsim.studies.directory import MANIFEST, DirectoryError, InUseError, differences, locked, read_manifest
from carromsim.studies.kinds import study_from_declaration
from carromsim.studies.study import Study, check_parts, parts_of, study_hash, versions
from carromsim.tables.dataset import Entry, Parts, Problem

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """A run of a study: its directory and what stands there. Made by a study's `run` and by `open_run`.

    Any library that speaks the Arrow C stream interface takes a run as its first table; DuckDB, Polars and pandas
    also open the folder of a table.

    Parameters
    ----------
    directory : Path
        Holds `manifest.json` and one folder of Parquet parts per table.
    manifest : mapping
        What `manifest.json` says: the study in full, the chunks and the versions.
    study : Study
        The study that was declared, rebuilt.
    counts : object, optional
        Counts of all rows, if they were just played.
    seconds : float, optional
        Wall time of playing and writing them.
    """

    directory: Path
    manifest: Mapping[str, Any]
    study: Study
    counts: Any = None
    seconds: float | None = None

    def __repr__(self) -> str:
        return f"Run({str(self.directory)!r}, {self.study.kind}, {self.study.rows} rows declared)"

    @property
    def tables(self) -> "dict[str, ds.Dataset]":
        """The tables by name, as `pyarrow.dataset.Dataset`: the finished parts, in the order of the rows."""
        return {table.name: self._parts().dataset(table) for table in self.study.tables}

    def summary(self) -> Any:
        """Count the rows that stand, part by part in bounded memory.

        Returns
        -------
        BreakSummary, ShotSummary, BoardSummary or MatchSummary
            By the kind of the study; without rate unless the rows were just played.

        Raises
        ------
        OSError
            If a part is damaged, naming it.
        """
        if self.counts is not None:
            return self.study.summary_of(self.counts, self.seconds)
        counts = self.study.empty_counts()
        for batch in self._batches():
            counts += self.study.counts_of(batch)
        return self.study.summary_of(counts)

    def rerun(self, row: int) -> Any:
        """Play one row again, and tell more of it than the tables hold.

        Parameters
        ----------
        row : int
            Number of the row in the study.

        Returns
        -------
        Outcomes, or Played
            Of a stroke its outcome, with its events; of a board or a match all its strokes. Bit for bit what was
            written, if the versions are the same (`changed_versions`).

        Raises
        ------
        ValueError
            If the study has no such row.
        """
        return self.study.replay(row)

    def row(self, row: int) -> "pa.RecordBatch | None":
        """Read one row of the first table; None if its part does not stand yet.

        Raises
        ------
        OSError
            If the part is damaged.
        """
        parts, table = self._parts(), self.study.tables[0]
        number = row // self.manifest["chunks"]["rows"]
        if not parts.path(table, number).is_file():
            return None
        return parts.read(table, number).slice(row - parts.chunks[number].start, 1)

    def changed_versions(self) -> list[str]:
        """Name what has another version now than when the run was begun; its rows may come out otherwise now."""
        return differences(self.manifest["versions"], versions())

    def verify(self, *, threads: int | None = None) -> list[Problem]:
        """Check everything that stands against the manifest, the checksums and itself.

        If all is well, `parts.json` is written again should it be missing or damaged.

        Parameters
        ----------
        threads : int, optional
            Default: one per core.

        Returns
        -------
        list of Problem
            Parts that are missing, damaged or of another run, and files that do not belong. The run's own command
            makes missing and damaged parts again.

        Raises
        ------
        DirectoryError
            If the run is going on.
        """
        parts, workers = self._parts(), thread_count(threads)
        with _locked_if_writable(self.directory) as mine:
            entries: dict[str, list[Entry]] = {table.name: [] for table in parts.tables}
            problems = []
            for _, checked in check_parts(parts, range(len(parts.chunks)), workers):
                for name, found in checked.items():
                    if isinstance(found, Problem):
                        problems.append(found)
                    else:
                        entries[name].append(found)
            if mine and not problems:
                parts.write_record(entries)
        return problems + parts.strangers()

    def to_polars(self) -> Any:
        """Read the first table as a polars.DataFrame."""
        return _library("polars").DataFrame(self._reader())

    def to_pandas(self) -> Any:
        """Read the first table as a pandas.DataFrame."""
        _library("pandas")
        return self._reader().read_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the first table, part by part, to any library that speaks the Arrow C stream interface."""
        return self._reader().__arrow_c_stream__(requested_schema)

    def _parts(self) -> Parts:
        return parts_of(self.directory, self.study, self.manifest)

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        return self._parts().batches(self.study.tables[0])

    def _reader(self) -> "pa.RecordBatchReader":
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.study.tables[0].arrow(), self._batches())


def open_run(directory: str | PathLike[str]) -> Run:
    """Open the run in a directory, finished or not.

    Parameters
    ----------
    directory : path
        Where a study was run.

    Returns
    -------
    Run

    Raises
    ------
    DirectoryError
        A ValueError: if no run is there, its manifest is damaged, or it was written by a version that this one
        cannot read.
    """
    root = Path(directory)
    manifest = read_manifest(root)
    if manifest is None:
        raise DirectoryError(f"directory = {str(root)!r} holds no run: there is no {MANIFEST} of carromsim")
    try:
        study: Study = study_from_declaration(dict(manifest["study"]))
        labels, found = [table.label for table in study.tables], manifest["tables"]
        parts_of(root, study, manifest)
        if study_hash(manifest["study"]) != manifest["study_hash"]:
            raise ValueError("the study does not have the hash that is written there")
    except (KeyError, TypeError, ValueError) as error:
        raise DirectoryError(f"{root / MANIFEST} cannot be understood: {error}") from error
    if found != labels:
        raise DirectoryError(f"directory = {str(root)!r} has the tables {found}; this version reads {labels}")
    return Run(directory=root, manifest=manifest, study=study)


@contextmanager
def _locked_if_writable(directory: Path) -> Iterator[bool]:
    """Keep runners away, as far as this directory can be written to; tell whether it can."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(directory))
        except InUseError:
            raise
        except DirectoryError:
            yield False
        else:
            yield True


def _library(name: str) -> Any:
    """Import a library that carromsim does not depend on."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install {name}") from error
