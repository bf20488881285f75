"""Work in chunks: rows cut into pieces of fixed size, pieces worked on by threads, results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar, overload

C = TypeVar("C")
T = TypeVar("T")


@dataclass(frozen=True)
class Chunks(Sequence[range]):
    """Rows 0, 1, ... in chunks of one size, the last one shorter if need be; small, however many they are.

    Parameters
    ----------
    rows : int
        In all.
    size : int
        Rows of a chunk.
    """

    rows: int
    size: int

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or self.size < 1:
            raise ValueError(f"size of a chunk = {self.size!r}: must be a whole number >= 1")

    def __len__(self) -> int:
        return -(-self.rows // self.size)

    @overload
    def __getitem__(self, number: int) -> range: ...

    @overload
    def __getitem__(self, number: slice) -> list[range]: ...

    def __getitem__(self, number: int | slice) -> range | list[range]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        start = range(0, self.rows, self.size)[number]
        return range(start, min(start + self.size, self.rows))


def check_count(name: str, value: object) -> int:
    """Return a whole number >= 1, or raise ValueError naming the argument."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} = {value!r}: must be a whole number >= 1, or None")
    return value


def thread_count(threads: int | None, name: str = "threads") -> int:
    """Return the number of threads to use: as given by the argument `name`, or one per core this process may use."""
    if threads is not None:
        return check_count(name, threads)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(work: Callable[[C], T], chunks: Sequence[C], threads: int) -> Iterator[T]:
    """Work on chunks in parallel and give the results in the order of the chunks.

    At most two chunks per thread are begun and not yet consumed: a slow consumer slows the work
    instead of filling the memory.

    Parameters
    ----------
    work : callable
        Gets a chunk.
    chunks : sequence
        All chunks: their rows, or whatever names them.
    threads : int
        With 1 the work is done in the calling thread, when a result is asked for.

    Yields
    ------
    T
        One result per chunk. Closing the iterator, or an error, drops the chunks not yet begun and
        waits for those in flight.
    """
    if threads == 1:
        yield from map(work, chunks)
        return
    begun: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="carromsim") as pool:
        try:
            for chunk in chunks:
                begun.append(pool.submit(work, chunk))
                if len(begun) == 2 * threads:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()
