"""What may come of an input: it is taken, or it is refused in words; everything else is a fault."""

import linecache
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from hypothesis.strategies import SearchStrategy
from pydantic import ValidationError

import carromsim
from carromsim.studies.runs.trying import ChunkError
from carromsim.studies.runs.work import VersionsError

TAKEN, REFUSED = "taken", "refused"

MOST_SECONDS = 5.0
"""Of processor time that a small input may take."""

_LONGEST_WAIT = 60
"""Seconds by the clock after which an input is given up: the machine may be busy with something else."""

_LONGEST_MESSAGE = 20_000
"""Characters; a message that repeats a long value whole buries what is wrong with it."""

_ROOM = 4 << 30
"""Bytes that an input may allocate beyond what the process has; a test must not eat the machine."""

_SOURCES = (str(Path(carromsim.__file__).parent), str(Path(__file__).parent))
"""Ours: the package, and what words a command's complaint as an error here."""


class Target(NamedTuple):
    """Something that takes input.

    Attributes
    ----------
    name : str
    inputs : SearchStrategy
        What it is given; an input is shown by its `repr`.
    act : callable
        Gives it an input, and a folder that is empty; returns nothing.
    words : callable
        Of which the message of a refusal has at least one, for an input; none: any message will do.
    memory : bool
        Whether MemoryError is an answer: the input may ask for more rows than fit.
    """

    name: str
    inputs: SearchStrategy[Any]
    act: Callable[[Any, Path], object]
    words: Callable[[Any], Iterable[str]] = lambda given: ()
    memory: bool = False


class FoundError(AssertionError):
    """An input to which the answer is wrong."""


class _HungError(BaseException):
    """Nobody catches it by accident."""


def judge(target: Target, given: Any, folder: Path) -> str:
    """Give an input to a target.

    Returns
    -------
    str
        `TAKEN` or `REFUSED`.

    Raises
    ------
    FoundError
        If the answer is neither.
    """
    begun = time.process_time()
    try:
        with _no_longer_than(_LONGEST_WAIT), warnings.catch_warnings():
            warnings.simplefilter("error")
            target.act(given, folder)
        verdict, why = TAKEN, None
    except (_HungError, Exception, SystemExit) as error:
        verdict, why = REFUSED, _wrong(error, target, given)
    seconds = time.process_time() - begun
    if why is None and seconds > MOST_SECONDS:
        why = f"took {seconds:.1f} s"
    if why is not None:
        raise FoundError(f"{target.name}: {why}")
    return verdict


def _wrong(error: BaseException, target: Target, given: Any) -> str | None:
    """Say what is wrong with a refusal; None if nothing is."""
    told = "".join(traceback.format_exception(error)[-4:])
    if isinstance(error, _HungError):
        return f"gave no answer within {_LONGEST_WAIT} s\n{told}"
    if isinstance(error, MemoryError) and target.memory:
        return None
    if isinstance(error, OSError | ImportError | ChunkError | VersionsError):
        return None
    if not isinstance(error, ValueError | TypeError) or not (isinstance(error, ValidationError) or _meant(error)):
        return f"{type(error).__name__} that nobody wrote\n{told}"
    message = str(error)
    if not message or len(message) > _LONGEST_MESSAGE + 2 * len(repr(given)):
        return f"a message of {len(message)} characters\n{told[-2000:]}"
    words = tuple(target.words(given))
    if words and not any(word in message for word in words):
        return f"a message that names none of {', '.join(words)}\n{told}"
    return None


def _meant(error: BaseException) -> bool:
    """Whether an error was raised by a statement of ours: a library's word for it is no answer to a user."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(where.filename, where.lineno or 0)
    return where.filename.startswith(_SOURCES) and line.strip().startswith("raise")


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise _HungError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let allocations fail that the machine could not bear."""
    if not sys.platform.startswith("linux"):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + _ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
