"""What the run protocol needs of a study, and what a run says about itself."""

import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from carromsim.chunks import Chunks, in_order
from carromsim.executors import Crew
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.stopping import Until
from carromsim.studies.runs.directory import MANIFEST_FORMAT, DirectoryError
from carromsim.studies.takes import Take
from carromsim.tables.dataset import Checked, Parts
from carromsim.tables.places import Place
from carromsim.tables.schemas import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Counts",
    "DirectoryError",
    "Progress",
    "Sequential",
    "Study",
    "check_parts",
    "manifest_of",
    "parts_of",
    "refuse_sequential",
    "study_hash",
]

Progress = Callable[[int, int, Any], None]
"""Is told, at the start and after each chunk: rows done, rows in all, `Counts` of the rows just played."""


class Counts(Protocol):
    """What is counted of the rows of a study's first table; counts add up with `+`."""

    noun: ClassVar[str]
    """What a row of the study is, in the plural."""

    @property
    def rows(self) -> int:
        """All rows."""

    @property
    def headline(self) -> tuple[str, int, int]:
        """The main result in a word, how often it was seen, and of how many trials."""


class Study(Protocol):
    """What the run protocol needs of a study."""

    kind: ClassVar[str]
    """Name of the kind of study, as in its declaration."""
    sequential: ClassVar[bool]
    """Whether rows depend on earlier ones; see `Sequential`."""

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk, from which each table gets one part.

        It follows from the declaration, because the parts of a study must not depend on the machine. Some seconds on
        one core: little is lost when a run is stopped, while the cost per chunk is small.
        """

    @property
    def piece_rows(self) -> int:
        """Rows that are played before a thread looks whether the run was stopped."""

    @property
    def tables(self) -> tuple[TableSchema, ...]:
        """What it writes. The first table has one row per row of the study, and is the one that its summary counts."""

    @property
    def rows(self) -> int:
        """How many rows the study has in all, or at most if it has `until`."""

    @property
    def until(self) -> Until | None:
        """When it has seen enough; None: when all its rows are played."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""

    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of some rows of the first table, (n,) each; NaN in a row that is no trial of it."""

    def warm_up(self) -> None:
        """Compile or load the kernels, which is not the study's time."""

    def batch(self, rows: range) -> "Mapping[str, pa.RecordBatch]":
        """Play some rows in this thread; one batch per table. A row follows from the declaration and its number."""

    def declaration(self) -> dict[str, Any]:
        """Give everything that makes the study what it is, as JSON can hold it."""

    def checked_row(self, row: object) -> int:
        """Give the number of a row as Python's int; ValueError if the study has no such row."""

    def replay(self, row: int) -> Any:
        """Play one row again and tell more of it than the tables hold."""

    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the strokes of one row, or of one board of it, ready to be shown."""

    def empty_counts(self) -> Any:
        """Give the counts of no rows."""

    def counts_of(self, batch: "pa.RecordBatch") -> Any:
        """Count rows of the first table."""

    def summary_of(self, counts: Any, seconds: float | None = None, stopped: Mapping[str, Any] | None = None) -> Any:
        """Give the summary of added counts, and of why the run ended (`Stopping.told`)."""


class Sequential(Study, Protocol):
    """What the run protocol needs of a study that is `sequential`.

    Its `batch` plays whatever comes before the rows that are asked for, unless it has played or was told it.
    """

    def recall(self, batch: "pa.RecordBatch") -> None:
        """Take rows of the first table that were played earlier; those that are not the next ones do nothing."""

    def work_with(self, crew: Crew | None) -> None:
        """Let a crew do the work of the rows to come; None: this thread does it."""


def refuse_sequential(study: Study, what: str) -> None:
    """Raise ValueError if a study is sequential: `what` needs rows that can be played in any order."""
    if study.sequential:
        raise ValueError(f"{what}: the rows of a study of kind {study.kind!r} depend on those before them")


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
        "chunks": {"rows": study.chunk_rows, "count": -(-study.rows // study.chunk_rows)},
        "versions": versions(),
    }
    return cast("dict[str, Any]", json.loads(json.dumps(manifest, allow_nan=False)))


def parts_of(place: Place, study: Study, manifest: Mapping[str, Any]) -> Parts:
    """Give the parts that a run has when it is finished."""
    return Parts(
        place=place,
        tables=study.tables,
        chunks=Chunks(study.rows, manifest["chunks"]["rows"]),
        study=manifest["study_hash"],
        versions=manifest["versions"],
        reproducible=manifest["versions"] == versions(),
    )


def check_parts(parts: Parts, numbers: Sequence[int], threads: int) -> Iterator[tuple[int, Checked]]:
    """Check the parts of some chunks, against `parts.json` if it stands."""
    record = parts.read_record()
    return in_order(lambda number: (number, parts.check(number, record)), numbers, threads)
