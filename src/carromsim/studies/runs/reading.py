"""Runs that stand on disk or on an object store: opened, read, counted, replayed and checked."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from carromsim.chunks import thread_count
from carromsim.studies.counting.stopping import Stopping, evidence_of
from carromsim.studies.kinds import study_from_declaration
from carromsim.studies.runs.directory import (
    MANIFEST,
    DirectoryError,
    InUseError,
    differences,
    locked,
    place_of_run,
    read_manifest,
)
from carromsim.studies.runs.study import Sequential, Study, parts_of, study_hash, versions
from carromsim.studies.takes import Take
from carromsim.tables.dataset import Parts, Problem
from carromsim.tables.places import Folder, Place

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa
    import pyarrow.dataset as ds


@dataclass(frozen=True, kw_only=True, eq=False)
class Run:
    """A run of a study: its directory and what stands there. Made by a study's `run` and by `open_run`.

    Any library that speaks the Arrow C stream interface takes a run as its first table; DuckDB, Polars and pandas
    also open the folder of a table.

    Parameters
    ----------
    place : Place
        Where its files lie.
    manifest : mapping
        What `manifest.json` says: the study in full, the chunks and the versions.
    study : Study
        The study that was declared, rebuilt.
    counts : object, optional
        Counts of all rows, if they were just played.
    seconds : float, optional
        Wall time of playing and writing them.
    stopped : mapping, optional
        Why the run ended, if all rows were just played; see `carromsim.studies.counting.stopping.Stopping.told`.
    """

    place: Place
    manifest: Mapping[str, Any]
    study: Study
    counts: Any = None
    seconds: float | None = None
    stopped: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"Run({str(self.place)!r}, {self.study.kind}, {self.study.rows} rows declared)"

    def _repr_html_(self) -> str:
        """Show what stands and row 0, for notebooks; reads no more than one part."""
        from carromsim.studies.runs.showing import run_card

        return run_card(self)

    @property
    def directory(self) -> Path | str:
        """What holds `manifest.json` and one folder of Parquet parts per table: a local path, or a URL."""
        return self.place.directory if isinstance(self.place, Folder) else str(self.place)

    @property
    def name(self) -> str:
        """The last part of where it stands, to be called by; a URL's options and credentials are no part of it."""
        return Path(self.place.path("")).name

    @property
    def parts(self) -> Parts:
        """The parts that it has when it is finished."""
        return parts_of(self.place, self.study, self.manifest)

    def numbers(self) -> list[int]:
        """List the chunks whose rows make the run: all of a finished one, of another those that stand so far."""
        table, record = self.study.tables[0], self.parts.read_record()
        return self.parts.standing(table) if record is None else list(range(len(record[table.name])))

    @property
    def tables(self) -> "dict[str, ds.Dataset]":
        """The tables by name, as `pyarrow.dataset.Dataset`: the finished parts, in the order of the rows."""
        return {table.name: self.parts.dataset(table) for table in self.study.tables}

    def summary(self) -> Any:
        """Count the rows that stand, part by part in bounded memory.

        Returns
        -------
        BreakSummary, ShotSummary, BoardSummary, MatchSummary or VariantSummary
            By the kind of the study; without rate unless the rows were just played.

        Raises
        ------
        OSError
            If a part is damaged, naming it.
        """
        if self.counts is not None:
            return self.study.summary_of(self.counts, self.seconds, self.stopped)
        counts, stopping = self.study.empty_counts(), Stopping(self.study, len(self.parts.chunks))
        for batch in self._counted(stopping):
            counts += self.study.counts_of(batch)
        return self.study.summary_of(counts, stopped=stopping.told)

    def batches(self) -> "Iterator[pa.RecordBatch]":
        """Read the rows of the first table that the summary counts, part by part in bounded memory.

        Raises
        ------
        OSError
            If a part is damaged, naming it.
        """
        return self._counted(Stopping(self.study, len(self.parts.chunks)))

    def _counted(self, stopping: Stopping) -> "Iterator[pa.RecordBatch]":
        """Read part by part, and tell `stopping` what each says, until the run ends."""
        parts, table = self.parts, self.study.tables[0]
        for number in parts.standing(table):
            if stopping.end is not None and number >= stopping.end:
                return  # left behind by a run that was interrupted as it ended
            batch = parts.read(table, number)
            stopping.add(number, evidence_of(self.study, batch))
            yield batch

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
        return self.study.replay(self._told(row))

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the strokes of one row, ready to be shown, each with what was meant and ruled.

        Parameters
        ----------
        row : int
            Number of the row in the study.
        board : int, optional
            Of a match only this board, from 0; default: all.

        Returns
        -------
        list of Take
            They play as they did when they were written, if the versions are the same (`changed_versions`).

        Raises
        ------
        ValueError
            If the study has no such row, or the row no such board.
        """
        return self.study.takes(self._told(row), board)

    def again(self, row: int) -> "pa.RecordBatch":
        """Play one row again, as the first table has it, and refuse what `row` does; that gives the one that stands."""
        number = self._told(row)
        return self.study.batch(range(number, number + 1))[self.study.tables[0].name]

    def _told(self, row: object) -> int:
        """Check a row, and tell a sequential study what stands before its chunk, so as not to play that again."""
        checked = self.study.checked_row(row)
        if not self.study.sequential:
            return checked
        parts, table = self.parts, self.study.tables[0]
        for number in parts.standing(table):
            if parts.chunks[number].stop > checked:
                break
            cast("Sequential", self.study).recall(parts.read(table, number))
        return checked

    def row(self, row: int) -> "pa.RecordBatch | None":
        """Read one row of the first table; None if its part does not stand yet.

        Raises
        ------
        ValueError
            If the study has no such row.
        OSError
            If the part is damaged.
        """
        parts, table, checked = self.parts, self.study.tables[0], self.study.checked_row(row)
        number = checked // self.manifest["chunks"]["rows"]
        if not self.place.exists(parts.name(table, number)):
            return None
        return parts.read(table, number).slice(checked - parts.chunks[number].start, 1)

    def changed_versions(self) -> list[str]:
        """Name what has another version now than when the run was begun; its rows may come out otherwise now."""
        return differences(self.manifest["versions"], versions())

    def verify(self, *, threads: int | None = None) -> list[Problem]:
        """Check everything that stands against the manifest, the checksums and itself.

        Nothing is changed, except that `parts.json` is written again if it is missing and all else is well.

        Parameters
        ----------
        threads : int, optional
            Default: one per core.

        Returns
        -------
        list of Problem
            Parts that are missing, those in a row together, parts that are damaged or of another run, such a
            `parts.json`, and files that do not belong. The run's own command makes parts and `parts.json` again.

        Raises
        ------
        DirectoryError
            If the run is going on.
        """
        from carromsim.studies.runs.verifying import problems_of

        return problems_of(self, thread_count(threads))

    def sql(self, query: str) -> "duckdb.DuckDBPyRelation":
        """Ask the tables in SQL, through DuckDB.

        Parameters
        ----------
        query : str
            Every table of the run is a view of its name, of the parts that stand.

        Returns
        -------
        duckdb.DuckDBPyRelation
            The answer, not yet fetched: `.fetchall()`, `.df()`, `.pl()`, `.arrow()`, or printed.

        Raises
        ------
        ImportError
            If DuckDB is not installed.
        """
        connection = _library("duckdb", "carromsim[duckdb]").connect()
        for name, dataset in self.tables.items():
            connection.register(name, dataset)
        return cast("duckdb.DuckDBPyRelation", connection.sql(query))

    def to_polars(self, table: str | None = None) -> Any:
        """Read a table as a polars.DataFrame; default: the first."""
        return _library("polars", "polars").DataFrame(self._reader(table))

    def to_pandas(self, table: str | None = None) -> Any:
        """Read a table as a pandas.DataFrame; default: the first."""
        _library("pandas", "pandas")
        return self._reader(table).read_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the first table, part by part, to any library that speaks the Arrow C stream interface."""
        return self._reader(None).__arrow_c_stream__(requested_schema)

    def _reader(self, name: str | None) -> "pa.RecordBatchReader":
        import pyarrow as pa

        tables = {table.name: table for table in self.study.tables}
        if name is not None and name not in tables:
            raise ValueError(f"table = {name!r}: must be one of {', '.join(map(repr, tables))}")
        table = self.study.tables[0] if name is None else tables[name]
        return pa.RecordBatchReader.from_batches(table.arrow(), self.parts.batches(table))


def open_run(directory: str | PathLike[str]) -> Run:
    """Open the run in a directory, finished or not.

    Parameters
    ----------
    directory : path or URL
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
    place = place_of_run(directory)
    manifest = read_manifest(place)
    if manifest is None:
        raise DirectoryError(f"directory = {str(place)!r} holds no run: there is no {MANIFEST} of carromsim")
    _refuse_other_versions(place, manifest.get("tables"))
    try:
        study: Study = study_from_declaration(dict(manifest["study"]))
        labels, found = [table.label for table in study.tables], manifest["tables"]
        count, told = len(parts_of(place, study, manifest).chunks), manifest["chunks"].get("count")
        if told != count:
            raise ValueError(f"chunks.count = {told!r}: must be {count}, by the rows of the study and of a chunk")
        if not isinstance(manifest["versions"], Mapping):
            raise ValueError(f"versions = {manifest['versions']!r}: must be versions by name")
        if study_hash(manifest["study"]) != manifest["study_hash"]:
            raise ValueError("the study does not have the hash that is written there")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DirectoryError(f"directory = {str(place)!r}: its {MANIFEST} cannot be understood: {error}") from error
    if found != labels:
        raise DirectoryError(f"directory = {str(place)!r} has the tables {found}; this version reads {labels}")
    return Run(place=place, manifest=manifest, study=study)


def _refuse_other_versions(place: Place, found: object) -> None:
    """Raise DirectoryError for tables of other versions, before a study is read that may be of another time too."""
    from carromsim.tables.document import every_table

    named = [label for label in found if isinstance(label, str)] if isinstance(found, list) else []
    labels = [table.label for table in every_table()]
    titles = {label.partition("/")[0] for label in named if label not in labels}
    known = [label for label in labels if label.partition("/")[0] in titles]
    if known:
        raise DirectoryError(
            f"directory = {str(place)!r} has the tables {named}; this version reads {known}. "
            "Its parts are plain Parquet files, which DuckDB, Polars, pandas and pyarrow open"
        )


@contextmanager
def locked_if_writable(place: Place) -> Iterator[Place | None]:
    """Keep runners away, as far as the directory is local and can be written to; give where to write, if anywhere."""
    with ExitStack() as held:
        mine: Place | None = place
        if isinstance(place, Folder):
            try:
                mine = held.enter_context(locked(place.root))
            except InUseError:
                raise
            except DirectoryError:
                mine = None
        yield mine


def _library(name: str, package: str) -> Any:
    """Import a library that carromsim does not depend on."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install '{package}'") from error
