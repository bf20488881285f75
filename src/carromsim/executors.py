"""Who does the chunks of a study: threads, processes, a Dask cluster, or any executor of the user's.

All are used alike, as a `concurrent.futures.Executor`: chunks go in, results come back as they are completed. They
differ in what becomes of a worker that dies, in how work is ended at once, and in how much they take at a time.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ParamSpec, TypeVar

from carromsim.chunks import thread_count
from carromsim.problems import did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

ExecutorLike = str | Executor
"""`"threads"`, `"processes"`, `"dask:ADDRESS"` of a scheduler, or any `concurrent.futures.Executor`."""

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Read by libraries when they are imported: how many threads each of them takes."""

_DASK = "dask:"

_ANSWER_SECONDS = 5.0
"""After which a scheduler that does not answer is taken to be none [s]."""

_TIDY_SECONDS = 1.0
"""For which a pool whose workers were ended may tidy up at most [s]."""

_COUNT_SECONDS = 1.0
"""After which the workers of a cluster are counted again [s]."""


class Crew:
    """An executor and how it is used. This one is somebody else's: it is neither rebuilt nor ended.

    Parameters
    ----------
    pool : Executor
        Gets the work.
    width : int
        How many chunks are kept in flight.
    """

    hopeless: tuple[type[BaseException], ...] = ()
    """Errors that say that a chunk was tried often enough."""

    def __init__(self, pool: Executor, width: int) -> None:
        self._pool = pool
        self._width = width

    @property
    def width(self) -> int:
        """How many chunks to keep in flight; it may grow."""
        return self._width

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Give out one piece of work.

        Raises
        ------
        BrokenExecutor
            If a worker died; see `rebuild`.
        """
        return self._pool.submit(work, *args, **kwargs)

    def rebuild(self) -> bool:
        """Replace a broken pool; False if that is not ours to do."""
        return False

    def stop(self) -> None:
        """End the work at once, as far as that can be done: nothing that was given out is waited for."""


@contextmanager
def crew_of(executor: ExecutorLike = "threads", workers: int | None = None) -> Iterator[Crew]:
    """Give the crew that an executor makes, and end its work in the end.

    Parameters
    ----------
    executor : str or Executor
        "threads" and "processes" of this machine; "dask:ADDRESS" of a scheduler, as in
        "dask:tcp://10.0.0.1:8786"; or an executor, which is left as it is.
    workers : int, optional
        How many work at a time. Default: one per core that this process may use; as many as the cluster or the
        executor has.

    Raises
    ------
    ValueError
        If there is no such executor, or `workers` is no whole number >= 1.
    ImportError
        If Dask is not installed.
    OSError
        If no scheduler answers there.
    """
    check_executor(executor)
    count = thread_count(workers, "workers")
    crew: Crew
    if isinstance(executor, Executor):
        crew = Crew(executor, workers or getattr(executor, "_max_workers", None) or count)
    elif executor == "threads":
        crew = _Threads(count)
    elif executor == "processes":
        crew = _Processes(count)
    else:
        crew = _Cluster(executor.removeprefix(_DASK), workers)
    try:
        yield crew
    finally:
        crew.stop()


def check_executor(executor: object) -> None:
    """Raise ValueError if there is no such executor; nothing is started."""
    if isinstance(executor, Executor) or executor in ("threads", "processes"):
        return
    if not (isinstance(executor, str) and executor.removeprefix(_DASK) not in ("", executor)):
        allowed = ("threads", "processes", "dask:ADDRESS")
        raise ValueError(f"executor = {executor!r}: {did_you_mean(executor, allowed)}")


class _Threads(Crew):
    """Threads of this process."""

    def __init__(self, width: int) -> None:
        super().__init__(ThreadPoolExecutor(width, thread_name_prefix="carromsim"), width)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class _Processes(Crew):
    """Processes of this machine, started when there is work; a pool that broke is replaced."""

    def __init__(self, width: int) -> None:
        self._context = _Context()
        super().__init__(self._new(width), width)
        self._tried = False

    def _new(self, width: int) -> Executor:
        _start_tracker()
        return ProcessPoolExecutor(width, mp_context=self._context, initializer=_settle)

    def submit(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if not self._tried:
            try:
                self._pool.submit(os.getpid).result()
            except BrokenExecutor as error:
                raise OSError(
                    "executor = 'processes': worker processes end before they begin. A script that starts them must"
                    ' do so under `if __name__ == "__main__":`, because each of them reads the script again'
                ) from error
            self._tried = True
        return super().submit(work, *args, **kwargs)

    def rebuild(self) -> bool:
        self.stop()
        self._pool = self._new(self.width)
        return True

    def stop(self) -> None:
        shut = threading.Thread(target=self._pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
        shut.start()
        self._context.kill()
        shut.join(_TIDY_SECONDS)


class _Worker(SpawnProcess):
    """A worker process: one thread in every library, and deaf to Ctrl-C, which is its parent's to answer."""

    def start(self) -> None:
        with _START, _one_thread_each(), _no_interrupts():
            super().start()


class _Context(SpawnContext):
    """Starts worker processes anew (a fork would copy locks that threads hold) and remembers them."""

    def __init__(self) -> None:
        super().__init__()
        self._made: list[_Worker] = []

    def Process(self, *args: Any, **kwargs: Any) -> _Worker:  # type: ignore[override]
        self._made.append(_Worker(*args, **kwargs))
        return self._made[-1]

    def kill(self) -> None:
        """End all processes and wait until they are gone."""
        begun, self._made = [process for process in self._made if process.pid is not None], []
        for process in begun:
            process.kill()
        for process in begun:
            process.join()


_START = threading.Lock()
"""Held while a process is started: what it inherits belongs to the whole of this process."""


def _start_tracker() -> None:
    """Start what removes the semaphores of a pool, but not its warning that who was killed has left some.

    The warning would be the last that is seen of a command that was stopped.
    """
    if os.name == "nt":  # there are none there
        return
    with _START:
        before = list(sys.warnoptions)
        sys.warnoptions.append("ignore:resource_tracker:UserWarning")
        try:
            resource_tracker.ensure_running()
        finally:
            sys.warnoptions[:] = before


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let a process that is started see one thread per library; NumPy looks when it is imported, so before all else."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Let a process that is started be deaf to Ctrl-C from its first moment; it inherits what is blocked."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows; there `_settle` is soon enough
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _settle() -> None:
    """Make this process a worker: nothing interrupts it but its parent, and it does not outlive that."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    import pyarrow as pa

    pa.set_cpu_count(1)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process when its parent ends, however that happens: otherwise it would wait for work forever."""
    connection.wait([sentinel])
    os._exit(1)


class _Cluster(Crew):
    """Workers of a Dask scheduler. Those that die are Dask's to replace: it gives their chunks to others."""

    def __init__(self, address: str, workers: int | None) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError as error:
            raise ImportError("executor = 'dask:...': Dask is not installed: pip install 'carromsim[dask]'") from error
        try:
            self._client = distributed.Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise OSError(f"executor = '{_DASK}{address}': no scheduler answers there ({error})") from error
        super().__init__(self._client.get_executor(pure=False), workers or 1)
        self.hopeless = (distributed.KilledWorker,)
        self._workers = workers
        self._counted = -_COUNT_SECONDS

    @property
    def width(self) -> int:
        """Two chunks per thread, so that none waits for the way to and fro; at most `workers` if that is given."""
        now = time.monotonic()
        if self._workers is None and now - self._counted >= _COUNT_SECONDS:
            self._counted = now
            self._width = max(2 * sum(self._client.nthreads().values()), 1)
        return self._width

    def stop(self) -> None:
        self._pool.shutdown(wait=False)
        self._client.close()
