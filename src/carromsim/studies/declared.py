"""What all kinds of study share: how they are written down, played, streamed and summarised."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from contextlib import closing
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from carromsim.chunks import Chunks, in_order, thread_count
from carromsim.equipment import Equipment
from carromsim.executors import ExecutorLike
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.counting.metrics import Metric, Observed
from carromsim.studies.counting.stopping import Stopping, evidence_of
from carromsim.studies.declaring.fields import RULES, Board, End, Laws, plain
from carromsim.studies.declaring.parameters import Parameter
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.running import run_study, summarise_study
from carromsim.studies.runs.study import Progress
from carromsim.studies.takes import Take
from carromsim.tables.schemas import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import RenderableType


class DeclaredStudy(BaseModel, ABC):
    """A study that can be declared: its fields are its declaration, every row follows from them and its number."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    kind: ClassVar[str]
    noun: ClassVar[str]
    """What its rows are, in the plural."""
    players: ClassVar[bool] = False
    """Whether players choose the strokes, which takes more kernels."""
    sequential: ClassVar[bool] = False
    """Whether a row depends on those before it, so that chunks are played one after the other."""
    angles: ClassVar[tuple[str, ...]] = ()
    """Fields that TOML may give in degrees."""
    nested: ClassVar[Mapping[str, type[BaseModel]]] = {}
    """Fields that are a table or an array of tables in TOML, with the model of these."""
    ends_early: ClassVar[bool] = True
    """Whether it may have `until`."""

    until: End = None

    @model_validator(mode="after")
    def _until_is_possible(self) -> Self:
        if self.until is not None:
            if not self.ends_early:
                raise ValueError(f"until = {str(self.until)!r}: a study of kind {self.kind!r} plays all of its rows")
            try:
                self.until.check(self.metrics)
            except ValueError as error:
                raise ValueError(f"until = {str(self.until)!r}: {error}") from None
        return self

    @property
    @abstractmethod
    def tables(self) -> tuple[TableSchema, ...]:
        """What it writes; the first table has a row for each of its rows."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many rows it has in all."""

    @property
    @abstractmethod
    def chunk_rows(self) -> int:
        """Rows of a chunk, from which each table gets one part; see `carromsim.studies.runs.study.Study`."""

    @property
    @abstractmethod
    def metrics(self) -> Mapping[str, Metric]:
        """What is looked at in every row, by key."""

    @abstractmethod
    def observed(self, batch: "pa.RecordBatch") -> Observed:
        """Give the metrics of some rows of the first table.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Any rows, in any order.

        Returns
        -------
        dict of str to (n,) float64
            By the keys of `metrics`; NaN in a row that is no trial of it.
        """

    @property
    def piece_rows(self) -> int:
        """Rows that are played before a thread looks whether the run was stopped."""
        return self.chunk_rows

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What may vary from row to row, by field; the last grid changes fastest."""
        return {}

    @abstractmethod
    def batch(self, rows: range) -> "dict[str, pa.RecordBatch]":
        """Play some rows of the study in this thread.

        Parameters
        ----------
        rows : range
            Row numbers; a row does not depend on which others are asked for.

        Returns
        -------
        dict of str to pyarrow.RecordBatch
            Rows of each table, by its name.
        """

    @abstractmethod
    def replay(self, row: int) -> Any:
        """Play one row again and tell more of it than the tables hold."""

    @abstractmethod
    def replay_dict(self, played: Any) -> dict[str, Any]:
        """Give what `replay` gave as plain names and numbers, ready for JSON."""

    @abstractmethod
    def replay_report(self, played: Any) -> "RenderableType":
        """Lay out what `replay` gave for a terminal."""

    @abstractmethod
    def takes(self, row: int, board: int | None = None) -> list[Take]:
        """Give the strokes of one row, ready to be shown.

        Parameters
        ----------
        row : int
            0 <= row < rows.
        board : int, optional
            Of a match only this board, from 0; default: all.

        Returns
        -------
        list of Take
            One of a break, of a shot, and of an evaluated break, whose first stroke it is; of boards and matches all
            that were played.

        Raises
        ------
        ValueError
            If there is no such row, board or shot.
        """

    @abstractmethod
    def empty_counts(self) -> Any:
        """Give the counts of no rows."""

    @abstractmethod
    def counts_of(self, batch: "pa.RecordBatch") -> Any:
        """Count some rows of the first table."""

    @abstractmethod
    def summary_of(self, counts: Any, seconds: float | None = None, stopped: Mapping[str, Any] | None = None) -> Any:
        """Give the summary of counts that were added up, and of why the run ended (`Stopping.told`)."""

    @abstractmethod
    def report(self, summary: Any) -> "RenderableType":
        """Lay out what was asked and what came out, for a terminal."""

    def warm_up(self) -> None:
        """Compile or load the kernels, which is not the study's time."""
        self.batch(range(1))

    def declaration(self) -> dict[str, Any]:
        """Give the study as plain numbers that JSON can hold, nothing left out; see `from_declaration`."""
        return {"kind": self.kind, **{name: plain(getattr(self, name)) for name in type(self).model_fields}}

    @classmethod
    def from_declaration(cls, declaration: Mapping[str, Any]) -> Self:
        """Rebuild the study that gave this declaration.

        Raises
        ------
        pydantic.ValidationError
            A ValueError: if it is none of this kind.
        """
        fields = dict(declaration)
        if fields.pop("kind", None) != cls.kind:
            raise ValueError(f"kind = {declaration.get('kind')!r}: must be {cls.kind!r}")
        return cls.model_validate(fields)

    def checked_row(self, row: object) -> int:
        """Return the number of a row as an int, or raise ValueError."""
        if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < self.rows:
            raise ValueError(f"row = {row!r}: must be a whole number from 0 to {self.rows - 1}")
        return int(row)

    def batches(self, workers: int | None = None) -> "Generator[pa.RecordBatch]":
        """Play the study chunk by chunk in threads of this process, in bounded memory, rows in order.

        Parameters
        ----------
        workers : int, optional
            How many threads. Default: one per core. The rows do not depend on it.

        Yields
        ------
        pyarrow.RecordBatch
            One chunk of the first table.
        """
        chunks = Chunks(self.rows, self.chunk_rows)
        return self._batches(chunks, thread_count(workers, "workers"))

    def stream(self, workers: int | None = None) -> "pa.RecordBatchReader":
        """Play the study as a reader that DuckDB, Polars or pandas can consume, in bounded memory."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.tables[0].arrow(), self.batches(workers))

    def summarise(
        self, *, workers: int | None = None, executor: ExecutorLike = "threads", progress: Progress | None = None
    ) -> Any:
        """Play the study and keep the counts only.

        Parameters
        ----------
        workers, executor
            Who plays; see `run`.
        progress : callable, optional
            Called with the rows done, the rows in all and the counts so far after each chunk.

        Returns
        -------
        BreakSummary, ShotSummary, BoardSummary, MatchSummary, VariantSummary or OptimiseSummary
            By the kind of the study.
        """
        return summarise_study(self, workers=workers, executor=executor, progress=progress)

    def run(
        self,
        directory: str | PathLike[str],
        *,
        workers: int | None = None,
        executor: ExecutorLike = "threads",
        progress: Progress | None = None,
        fresh: bool = False,
        share: tuple[int, int] | None = None,
    ) -> Run:
        """Play the study into a directory, or what is missing there: `manifest.json` and the parts of its tables.

        Studies of one declaration give equal bytes, whoever plays them and however often the run was stopped.

        Parameters
        ----------
        directory : path or URL
            New, empty, or of a run of this study, which is continued.
        workers : int, optional
            How many play at a time. Default: one per core, or as many as the executor has.
        executor : str or concurrent.futures.Executor
            Who plays: "threads", "processes", "dask:ADDRESS" of a scheduler, or an executor of your own. Workers write
            their parts themselves, so those on other machines must reach the directory.
        progress : callable, optional
            Called at the start and after each chunk with the rows done, the rows in all and the counts of the rows
            that this call has played.
        fresh : bool
            Whether to remove the run that is there and start anew.
        share : tuple of two int, optional
            (i, n): play only every n-th chunk, from the i-th on, 1 <= i <= n, on one of n machines that share no
            directory; their runs are merged afterwards.

        Returns
        -------
        Run

        Raises
        ------
        DirectoryError
            A ValueError: if the directory holds another run or something else, is in use, or cannot be written to.
        OSError
            If writing fails later, as on a full disk. Finished parts stay.
        ChunkError
            A RuntimeError: if a chunk cannot be played, naming the row that fails. Finished parts stay.
        VersionsError
            A RuntimeError: if a worker would give other rows than the run has, or a search goes another way now.
        """
        return run_study(
            self, directory, workers=workers, executor=executor, progress=progress, fresh=fresh, share=share
        )

    def _batches(self, chunks: Chunks, threads: int) -> "Generator[pa.RecordBatch]":
        stopping = Stopping(self, len(chunks))
        played = in_order(lambda rows: self.batch(rows)[self.tables[0].name], chunks, threads)
        with closing(cast("Generator[pa.RecordBatch]", played)) as batches:  # closing it drops what has not begun
            for number, batch in enumerate(batches):
                yield batch
                stopping.add(number, evidence_of(self, batch))
                if stopping.end == number + 1:
                    return


class RuledStudy(DeclaredStudy):
    """A study of one rule set on one board."""

    ruleset: Laws = Field(default_factory=lambda: RuleSet.load(RULES))
    equipment: Board = Field(default_factory=lambda given: Equipment.preset(given["ruleset"].equipment))
