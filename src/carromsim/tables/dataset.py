"""The parts of a run: what they must be, whether they are, and how to read them.

Two things tell a sound part from a damaged one. If `parts.json` stands, its checksum of the file. If it does not, as
in a run that was stopped, the part itself: its pages carry checksums, and its rows, written again, must give the
same bytes, which no flipped bit in the footer survives; under other versions than the run's the pages must do. Both
take far less time than the simulation of the rows. And always the footer must name this study, these versions and this
part's rows.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from carromsim.tables.places import Place
from carromsim.tables.schemas import TableSchema
from carromsim.tables.writer import encode, file_metadata, part_name, part_number
from carromsim.toml import MOST_BYTES, MOST_RUN_BYTES

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

RECORD = "parts.json"
RECORD_FORMAT = "carromsim-parts/1"

_ENTRY_BYTES = 256
"""Of a part in `parts.json`, more than it can have: 169 of one of breaks, 32 more with the longest numbers."""

MISSING = "missing"
"""What is wrong with a part that does not stand."""

STUDY_KEY, VERSIONS_KEY, ROWS_KEY = "carromsim.study", "carromsim.versions", "carromsim.rows"
"""Keys of a footer: hash of the study, versions as JSON, and the rows of the study in the part as "start:stop"."""


class Entry(NamedTuple):
    """What `parts.json` says of a part: its rows, its size in bytes and its checksum."""

    rows: int
    size: int
    sha256: str

    @classmethod
    def of(cls, rows: int, data: "bytes | pa.Buffer") -> "Entry":
        """Describe a part of some rows and these bytes."""
        return cls(rows, len(data), hashlib.sha256(data).hexdigest())


class Problem(NamedTuple):
    """Something that is wrong with a run."""

    path: str
    """Of the file, from the run's directory."""
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


Checked = dict[str, Entry | Problem]
"""What was found of one chunk, by name of the table."""

Encoded = dict[str, tuple["pa.Buffer", Entry]]
"""The parts of one chunk, ready to be written, by name of the table."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The parts that a run has when it is finished.

    Parameters
    ----------
    place : Place
        Where the run's files lie.
    tables : tuple of TableSchema
        Each has a folder of its name.
    chunks : sequence of range
        The rows of the study in part 0, 1, ... of every table.
    study : str
        Hash of the study.
    versions : mapping of str to str
        With which the run was begun.
    reproducible : bool
        Whether these versions are the present ones, so that rows written again must give the same bytes.
    """

    place: Place
    tables: tuple[TableSchema, ...]
    chunks: Sequence[range]
    study: str
    versions: Mapping[str, str]
    reproducible: bool

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was read of `parts.json`, megabytes of a long run: a worker hardly ever needs it."""
        return {key: value for key, value in self.__dict__.items() if key != "_recorded"}

    def name(self, table: TableSchema, number: int) -> str:
        """Name the file of a part, from the run's directory."""
        return f"{table.name}/{part_name(number)}"

    def footer(self, number: int) -> dict[str, str]:
        """Give what the footer of a part says: whose rows it holds and which. No time, host or path."""
        rows = self.chunks[number]
        return {
            STUDY_KEY: self.study,
            VERSIONS_KEY: json.dumps(dict(self.versions), sort_keys=True),
            ROWS_KEY: f"{rows.start}:{rows.stop}",
        }

    def encode(self, number: int, rows: Mapping[str, "pa.Table"]) -> "Encoded":
        """Give the bytes of the parts of one chunk, from its rows by table."""
        footer = self.footer(number)
        encoded = {}
        for table in self.tables:
            data = encode(rows[table.name], table, footer)
            encoded[table.name] = data, Entry.of(rows[table.name].num_rows, data)
        return encoded

    def write(self, number: int, encoded: "Encoded") -> dict[str, Entry]:
        """Write the parts of one chunk; give their entries by table.

        Raises
        ------
        OSError
            If the place refuses. Parts of the chunk that stand then are whole.
        """
        for table in self.tables:
            self.place.write(self.name(table, number), encoded[table.name][0])
        return {table.name: encoded[table.name][1] for table in self.tables}

    def check(self, number: int, record: Mapping[str, Sequence[Entry]] | None) -> Checked:
        """Check the parts of one chunk.

        Parameters
        ----------
        number : int
            Of the chunk.
        record : mapping, optional
            As `read_record` gives it.

        Returns
        -------
        dict
            By table, the entry of a sound part or the problem of another.
        """
        found: Checked = {}
        for table in self.tables:
            recorded = record[table.name] if record is not None else []
            result = self._check(table, number, recorded[number] if number < len(recorded) else None)
            found[table.name] = result if isinstance(result, Entry) else Problem(self.name(table, number), result)
        return found

    def _check(self, table: TableSchema, number: int, recorded: Entry | None) -> Entry | str:
        """Give the entry of a sound part, or what is wrong with it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            data = self.place.read(self.name(table, number))
        except FileNotFoundError:
            return MISSING
        except OSError as error:
            return f"cannot be read ({error.strerror or _first_line(error)})"
        try:
            file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
            wrong = self._wrong_footer(table, number, file.schema_arrow)
            if wrong is not None:
                return wrong
            entry = Entry.of(file.metadata.num_rows, data)
            if recorded is not None:
                return entry if entry == recorded else f"damaged: its checksum is not the one in {RECORD}"
            # Pages have checksums of their own, the footer has none.
            rows = file.read().replace_schema_metadata(table.arrow().metadata)
            if self.reproducible and encode(rows, table, self.footer(number)) != pa.py_buffer(data):
                return "damaged: its rows, written again, give other bytes"
        except (OSError, ValueError, NotImplementedError, MemoryError, pa.ArrowException) as error:
            return f"damaged: {_first_line(error)}"
        return entry

    def _wrong_footer(self, table: TableSchema, number: int, found: "pa.Schema") -> str | None:
        """Say what a footer has that it should not have."""
        expected, metadata = file_metadata(table, self.footer(number)), found.metadata or {}
        words = {ROWS_KEY: "rows", STUDY_KEY: "study", VERSIONS_KEY: "versions", "carromsim.schema": "schema"}
        for key, word in words.items():
            is_, ought = (values.get(key.encode(), b"").decode(errors="replace") for values in (metadata, expected))
            if is_ != ought:
                return f"does not belong here: {word} {is_ or 'unknown'}, not {ought}"
        if metadata != expected or not found.equals(table.arrow()):
            return f"damaged: its schema is not {table.label}"
        return None

    def strangers(self, count: int) -> list[Problem]:
        """Name what lies in the tables' folders and is none of `count` parts: readers would take it for rows."""
        return [
            Problem(f"{table.name}/{name}", "does not belong to this run")
            for table in self.tables
            for name in self.place.names(table.name)
            if (number := part_number(name)) is None or number >= count
        ]

    def read_record(self) -> dict[str, list[Entry]] | None:
        """Read `parts.json`; None if it is missing, damaged or not of this study.

        Returns
        -------
        dict or None
            By table, the entries of all chunks; of the first ones only, if the run was stopped early.
        """
        try:
            told = json.loads(self.place.read(RECORD, self._most_bytes))
            if (told["format"], told["study"]) != (RECORD_FORMAT, self.study):
                return None
            record = {table.name: _entries(told["parts"][table.name]) for table in self.tables}
            lengths = {len(entries) for entries in record.values()}
            whole = lengths == {len(self.chunks)}
            stopped = "stopped" in told and len(lengths) == 1 and 0 < max(lengths) <= len(self.chunks)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return record if whole or stopped else None

    @property
    def _most_bytes(self) -> int:
        """How long `parts.json` can be."""
        return min(MOST_BYTES + len(self.chunks) * len(self.tables) * _ENTRY_BYTES, MOST_RUN_BYTES)

    def wrong_record(self, ought: bytes | None = None) -> list[Problem]:
        """Name `parts.json` if it stands and `read_record` takes it for nothing, or it is not what it ought to be."""
        if RECORD not in self.place.names():
            return []
        try:
            there = self.place.read(RECORD, self._most_bytes)
        except OSError as error:
            return [Problem(RECORD, f"cannot be read ({error.strerror or _first_line(error)})")]
        if self.read_record() is None:
            return [Problem(RECORD, "is damaged, or of another run")]
        if ought is not None and there != ought:
            return [Problem(RECORD, "is damaged: it does not say what stands here")]
        return []

    def write_record(self, entries: Mapping[str, Sequence[Entry]], stopped: Mapping[str, Any] | None = None) -> None:
        """Write `parts.json`; see `record`. Nothing is written if it says so already."""
        data = self.record(entries, stopped)
        with suppress(OSError):
            if self.place.read(RECORD, len(data)) == data:
                return
        self.place.write(RECORD, data)

    def record(self, entries: Mapping[str, Sequence[Entry]], stopped: Mapping[str, Any] | None = None) -> bytes:
        """Give what `parts.json` says: counts and checksums of a finished run.

        Parameters
        ----------
        entries : mapping
            By table, the entries of the run's chunks in order.
        stopped : mapping, optional
            Why the run has no more chunks than these, as JSON can hold it.
        """
        parts: dict[str, list[dict[str, Any]]] = {
            table.name: [
                {"name": part_name(number), "rows": entry.rows, "bytes": entry.size, "sha256": entry.sha256}
                for number, entry in enumerate(entries[table.name])
            ]
            for table in self.tables
        }
        rows = {table.name: sum(entry.rows for entry in entries[table.name]) for table in self.tables}
        told = {"format": RECORD_FORMAT, "study": self.study, "rows": rows}
        told |= {"parts": parts} if stopped is None else {"stopped": dict(stopped), "parts": parts}
        return (json.dumps(told, indent=1) + "\n").encode()

    def standing(self, table: TableSchema) -> list[int]:
        """List the numbers of a table's parts that stand. They are not checked."""
        found = (part_number(name) for name in self.place.names(table.name))
        return sorted(number for number in found if number is not None and number < len(self.chunks))

    def complete(self) -> list[int]:
        """List the chunks of which the parts of all tables stand. They are not checked."""
        there = [set(self.standing(table)) for table in self.tables]
        return sorted(set.intersection(*there))

    def dataset(self, table: TableSchema) -> "ds.Dataset":
        """Open a table's parts as a dataset. Pages are checked when they are read."""
        import pyarrow.dataset as ds

        options = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        return ds.FileSystemDataset.from_paths(
            [self.place.path(self.name(table, number)) for number in self.standing(table)],
            schema=table.arrow(),
            format=ds.ParquetFileFormat(default_fragment_scan_options=options),
            filesystem=self.place.filesystem,
        )

    def read(self, table: TableSchema, number: int) -> "pa.RecordBatch":
        """Read one part.

        Raises
        ------
        OSError
            If it is missing or damaged, naming it.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        name = self.name(table, number)
        path = self.place.path(name)
        try:
            data = self.place.read(name)
            file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
            wrong = self._wrong_footer(table, number, file.schema_arrow) or self._wrong_sum(table, number, data)
            if wrong is not None:
                raise OSError(wrong)
            rows = file.read().replace_schema_metadata(table.arrow().metadata)
        except FileNotFoundError as error:
            raise FileNotFoundError(f"{path} is missing; the run's own command plays it again") from error
        except (OSError, ValueError, NotImplementedError, MemoryError, pa.ArrowException) as error:
            raise OSError(f"{path} is damaged ({_first_line(error)}); the run's own command mends it") from error
        return pa.record_batch([column.combine_chunks() for column in rows.columns], schema=table.arrow())

    def _wrong_sum(self, table: TableSchema, number: int, data: bytes) -> str | None:
        """Say if the bytes of a part are not those of which `parts.json` tells, should that stand."""
        recorded = (self._recorded or {}).get(table.name, ())
        if number >= len(recorded) or recorded[number].sha256 == hashlib.sha256(data).hexdigest():
            return None
        return f"its checksum is not the one in {RECORD}"

    @cached_property
    def _recorded(self) -> Mapping[str, Sequence[Entry]] | None:
        return self.read_record()

    def batches(self, table: TableSchema) -> Iterator["pa.RecordBatch"]:
        """Read the parts of a table that stand, one by one, in order and in bounded memory."""
        return (self.read(table, number) for number in self.standing(table))


def _entries(told: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """Understand what `parts.json` says of a table; KeyError or ValueError if it is nonsense."""
    if [part["name"] for part in told] != [part_name(number) for number in range(len(told))]:
        raise ValueError("its parts are not those of a run")
    return [Entry(part["rows"], part["bytes"], part["sha256"]) for part in told]


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
