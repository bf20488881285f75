"""Work in chunks: rows cut into pieces of fixed size, pieces worked on by threads, results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import TypeVar

C = TypeVar("C")
T = TypeVar("T")


def cut(rows: int, chunk_rows: int) -> list[range]:
    """Cut rows 0, 1, ... into chunks, the last one shorter if need be."""
    return [range(start, min(start + chunk_rows, rows)) for start in range(0, rows, chunk_rows)]


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


def in_order(work: Callable[[C], T], chunks: Sequence[C], threads: int, stop: Event | None = None) -> Iterator[T]:
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
    stop : threading.Event, optional
        Set as soon as no more results are wanted, so that long work can look at it and give up by raising.

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
            if stop is not None:
                stop.set()
            for future in begun:
                future.cancel()
