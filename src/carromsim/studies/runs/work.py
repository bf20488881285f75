"""What a worker does with a chunk, in this process or on another machine: play it, write its parts, count it."""

import pickle
import platform
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cached_property, lru_cache
from threading import Condition
from typing import TYPE_CHECKING, Any, NamedTuple

from carromsim.chunks import Chunks
from carromsim.studies.counting.stopping import Evidence, evidence_of
from carromsim.studies.runs.study import Study, versions
from carromsim.tables.dataset import Entry, Parts

if TYPE_CHECKING:
    import pyarrow as pa


class VersionsError(RuntimeError):
    """A worker that would give other numbers or bytes than the run's, or a search that goes another way now."""


class Played(NamedTuple):
    """What comes back of a chunk.

    Parameters
    ----------
    number : int
        Of the chunk.
    entries : dict of str to Entry
        Of the parts that were written, by name of the table.
    counts : object
        Of the rows of the first table.
    evidence : Evidence, optional
        What the rows say about the end of the study; see `carromsim.studies.counting.stopping`.
    """

    number: int
    entries: dict[str, Entry]
    counts: Any
    evidence: Evidence | None


class Gate:
    """Where threads of this process pass before they write. Once it is shut, nothing more is written."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside = 0
        self._shut = False

    def check(self) -> None:
        """Give up if the gate is shut.

        Raises
        ------
        CancelledError
            If it is.
        """
        if self._shut:
            raise CancelledError

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Go through, or give up if the gate is shut; `shut` waits until all who went through are back."""
        with self._changed:
            self.check()
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def shut(self) -> None:
        """Let nobody through any more."""
        with self._changed:
            self._shut = True
            self._changed.wait_for(lambda: not self._inside)


class Work:
    """All there is to do for a study, chunk by chunk.

    A copy that goes to another process is unpacked there once, not for every chunk, and plays only with the versions
    of the original.

    Parameters
    ----------
    study : Study
        What is played.
    chunks : sequence of range
        The rows of chunk 0, 1, ...
    parts : Parts, optional
        What is written; None: rows are counted only.
    """

    def __init__(self, study: Study, chunks: Sequence[range], parts: Parts | None = None) -> None:
        self.study = study
        self.chunks = chunks
        self.parts = parts
        self.gate = Gate()

    def warm_up(self) -> None:
        """Compile or load the kernels."""
        self.study.warm_up()

    def play(self, number: int) -> Played:
        """Play a chunk and write its parts.

        Raises
        ------
        OSError
            If they cannot be written.
        CancelledError
            If the gate was shut.
        """
        rows = self._rows(self.chunks[number])
        first = rows[self.study.tables[0].name].to_batches()[0]
        counts, evidence = self.study.counts_of(first), evidence_of(self.study, first)
        if self.parts is None:
            return Played(number, {}, counts, evidence)
        encoded = self.parts.encode(number, rows)
        with self.gate.passing():
            return Played(number, self.parts.write(number, encoded), counts, evidence)

    def try_rows(self, rows: range) -> None:
        """Play some rows and count them, as `play` does, but write nothing."""
        first = self._rows(rows)[self.study.tables[0].name].to_batches()[0]
        self.study.counts_of(first)
        evidence_of(self.study, first)

    def _rows(self, rows: range) -> "dict[str, pa.Table]":
        """Play rows in pieces, so that a stop need not wait for all of them; give one contiguous table per table."""
        import pyarrow as pa

        pieces = []
        for piece in Chunks(len(rows), self.study.piece_rows):
            self.gate.check()
            pieces.append(self.study.batch(rows[piece.start : piece.stop]))
        return {
            table.name: pa.Table.from_batches([piece[table.name] for piece in pieces]).combine_chunks()
            for table in self.study.tables
        }

    @cached_property
    def _packed(self) -> bytes:
        return pickle.dumps((versions(), pickle.dumps((self.study, self.chunks, self.parts))))

    def __reduce__(self) -> "tuple[type[Elsewhere], tuple[bytes]]":
        return Elsewhere, (self._packed,)


class Elsewhere:
    """Work that came from another process. What is wrong with it is told as the error of a chunk.

    Parameters
    ----------
    packed : bytes
        From `Work`, pickled.
    """

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def warm_up(self) -> None:
        """See `Work.warm_up`."""
        _unpacked(self._packed).warm_up()

    def play(self, number: int) -> Played:
        """See `Work.play`."""
        return _unpacked(self._packed).play(number)

    def try_rows(self, rows: range) -> None:
        """See `Work.try_rows`."""
        _unpacked(self._packed).try_rows(rows)


@lru_cache(maxsize=2)
def _unpacked(packed: bytes) -> Work:
    """Unpack work, after a look at the versions."""
    wanted, rest = pickle.loads(packed)
    check_versions(wanted)
    return Work(*pickle.loads(rest))


def check_versions(wanted: Mapping[str, str]) -> None:
    """Raise VersionsError unless this process has the versions of a run."""
    here = versions()
    different = [name for name in {**wanted, **here} if wanted.get(name) != here.get(name)]
    if different:
        told = ", ".join(f"{name} {here.get(name)} there, {wanted.get(name)} here" for name in different)
        raise VersionsError(f"a worker on {platform.node()} would not give the rows of this run: {told}")
