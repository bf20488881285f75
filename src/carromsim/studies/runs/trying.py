"""Giving chunks out to workers, again if they fail, until all are played or one is found that cannot be.

Two things happen to a chunk. It raises: then it is given out again, three times in all. Or its worker dies and takes
the pool along: then the pool is built again, and as any of the chunks in flight may have done it, these are suspects
and go out one at a time; one that kills its worker alone three times has failed as well. Of a chunk that failed the
first bad row is looked for, by those who play or, if it kills them, in a process of its own, and told. An OSError, as
from a full disk, is none of the chunk's doing and told at once.
"""

import pickle
import shlex
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from itertools import islice

from carromsim.executors import Crew, crew_of
from carromsim.studies.runs.work import Played, VersionsError, Work

TRIES = 3
"""After which a chunk has failed."""

_LOOK_SECONDS = 1.0
"""After which the width of the crew is looked at again, though nothing came back [s]."""

_TOLD_AT_ONCE = (OSError, ImportError, VersionsError)
"""Faults of the machines and not of a chunk: another try would not mend them."""


class ChunkError(RuntimeError):
    """A chunk that cannot be played.

    Parameters
    ----------
    text : str
        For people.
    chunk : int
        Its number.
    rows : range
        Its rows.
    row : int or None
        The first that fails; None if none was found.
    """

    def __init__(self, text: str, chunk: int, rows: range, row: int | None) -> None:
        self.chunk, self.rows, self.row = chunk, rows, row
        super().__init__(text, chunk, rows, row)  # what pickle gives back to this method

    def __str__(self) -> str:
        return str(self.args[0])


class Rounds:
    """Gives chunks to a crew.

    Parameters
    ----------
    crew : Crew
        Who plays them.
    work : Work
        How.
    numbers : iterable of int
        Of the chunks. Each is taken when its turn comes: there may be far more than are ever played.
    """

    def __init__(self, crew: Crew, work: Work, numbers: Iterable[int]) -> None:
        self._crew = crew
        self._work = work
        self._numbers = iter(numbers)
        self._next: deque[int] = deque()
        """What was taken of them and is not given out yet, or comes again."""
        self._suspects: deque[int] = deque()
        self._flying: dict[Future[Played], int] = {}
        self._failures: Counter[int] = Counter()

    def warm_up(self) -> None:
        """Let one worker compile or load the kernels, and wait for it; the others find them compiled.

        Raises
        ------
        OSError, ImportError, VersionsError
            If no worker can play here.
        """
        try:
            self._crew.submit(self._work.warm_up).result()
        except _TOLD_AT_ONCE:
            raise
        except BrokenExecutor as error:
            self._rebuild(error)
        except Exception:  # a row that cannot be played: its chunk will tell which
            return

    def results(self) -> Generator[Played]:
        """Give what comes back, in the order in which it does.

        Raises
        ------
        ChunkError
            If a chunk cannot be played.
        OSError, ImportError, VersionsError
            At once, from any chunk.
        BrokenExecutor
            If an executor broke that is not ours to build again.
        """
        try:
            while self._line() or self._flying:
                broken = self._give_out()
                for future in wait(self._flying, _LOOK_SECONDS, FIRST_COMPLETED).done:
                    played, error = self._taken(future)
                    if played is not None:
                        yield played
                    broken = error or broken
                if broken is not None:
                    yield from self._after(broken)
        finally:
            for future in self._flying:
                future.cancel()

    def settle(self) -> None:
        """Wait for what is in flight; nothing is written afterwards."""
        wait(self._flying)

    def _give_out(self) -> BrokenExecutor | None:
        """Fill the crew, or give out one suspect if it is alone; give the error if the pool is found broken."""
        width = 1 if self._suspects else self._crew.width
        while len(self._flying) < width and (line := self._line()):
            try:
                future = self._crew.submit(self._work.play, line[0])
            except BrokenExecutor as error:
                return error
            self._flying[future] = line.popleft()
        return None

    def _line(self) -> deque[int]:
        """Give those of whom the first goes out next: suspects, or else what comes next; empty at the end of all."""
        if self._suspects:
            return self._suspects
        if not self._next:
            self._next.extend(islice(self._numbers, 1))
        return self._next

    def _taken(self, future: Future[Played]) -> tuple[Played | None, BrokenExecutor | None]:
        """Take a result; a chunk that raised goes to the front of its line, one whose pool broke stays in flight."""
        try:
            played = future.result()
        except BrokenExecutor as error:
            return None, error
        except _TOLD_AT_ONCE:
            raise
        except Exception as error:
            number = self._flying.pop(future)
            self._fail(number, error)
            self._next.appendleft(number)
            return None, None
        del self._flying[future]
        return played, None

    def _after(self, error: BrokenExecutor) -> Iterator[Played]:
        """Save what came back of a broken pool, call the rest suspects and build the pool again."""
        wait(self._flying)  # a pool that broke gives up everything at once
        for future in list(self._flying):
            if future.cancelled() or isinstance(future.exception(), BrokenExecutor):
                continue
            played, _ = self._taken(future)
            if played is not None:
                yield played
        suspects = sorted(self._flying.values())
        self._flying.clear()
        self._rebuild(error, suspects)
        if len(suspects) == 1:
            self._fail(suspects[0], error)
        self._suspects.extendleft(reversed(suspects))

    def _rebuild(self, error: BrokenExecutor, suspects: Iterable[int] = ()) -> None:
        """Replace a broken pool; if it is not ours, look for a chunk that did it and give up."""
        if self._crew.rebuild():
            return
        for number in suspects:
            found = _first_deadly_row(self._work, self._work.chunks[number])
            if found is not None:
                raise self._failed(number, *found) from error
        raise error

    def _fail(self, number: int, error: Exception) -> None:
        """Note that a chunk failed; if that was often enough, tell it with the row that fails."""
        self._failures[number] += TRIES if isinstance(error, self._crew.hopeless) else 1
        if self._failures[number] < TRIES:
            return
        rows = self._work.chunks[number]
        if isinstance(error, (BrokenExecutor, *self._crew.hopeless)):
            found = _first_deadly_row(self._work, rows)
        else:
            found = _first_bad_row(self._crew, self._work, rows)
        row, why = found or (None, f"{type(error).__name__}: {error}")
        raise self._failed(number, row, why) from error

    def _failed(self, number: int, row: int | None, why: str) -> ChunkError:
        """Word what is wrong with a chunk."""
        rows, parts = self._work.chunks[number], self._work.parts
        which = f"chunk {number}, rows {rows.start} to {rows.stop - 1}, cannot be played"
        if row is None:
            text = f"{which}: {why}; no row was found that fails alone: is there too little memory?"
        else:
            again = (
                f"study.replay({row})"
                if parts is None
                else f"carromsim replay {shlex.quote(str(parts.place))} --row {row}"
            )
            text = f"{which}: row {row} fails ({why}); to play it again: {again}"
        return ChunkError(text, number, rows, row)


def _first_deadly_row(work: Work, rows: range) -> tuple[int, str] | None:
    """Find the first row that fails, as `_first_bad_row` does, in a process of its own, which the row may kill.

    Only for workers that died: a process reads the user's script again, all of it if nothing there guards it.
    """
    try:
        pickle.dumps(work)
        with crew_of("processes", 1) as crew:
            return _first_bad_row(crew, work, rows)
    except Exception:  # there is no such process
        return None


def _first_bad_row(crew: Crew, work: Work, rows: range) -> tuple[int, str] | None:
    """Find the first row that fails by halving.

    Returns
    -------
    tuple of int and str, or None
        The row and what it does; None if none fails, or if the crew cannot go on looking.
    """
    low, high = rows.start, rows.stop
    try:
        while high - low > 1:
            middle = (low + high) // 2
            if _failure(crew, work, range(low, middle)) is None:
                low = middle
            else:
                high = middle
        why = _failure(crew, work, range(low, high))
    except Exception:  # the chunk is told without a row then, and with its own error
        return None
    return None if why is None else (low, why)


def _failure(crew: Crew, work: Work, rows: range) -> str | None:
    """Say how some rows fail; None if they do not."""
    tried = crew.submit(work.try_rows, rows)
    try:
        tried.result()
    except BrokenExecutor:
        crew.rebuild()
        return "its process ended"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
