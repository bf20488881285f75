"""How kernels are compiled, and where compiled code is kept between processes.

This is the only file that imports Numba. It gives three decorators: ``kernel`` for the helpers
that compiled code calls, ``inlined`` for those of them that are compiled into their callers, and ``entry`` for the few
functions that Python calls.

Numba's own cache checks the file of the cached function alone: after an edit of a helper in
another file the caller would silently stay as it was. So entries are cached in a directory
named after a hash of *all* kernel sources. Nothing is read or written on import; the directory
is looked for when an entry is compiled for the first time.

A helper is compiled to be taken into entries and for nothing else: it gets no doors for Python and C and no
machine code of its own, which together took half of the time. Nor does it count references to arrays, which its
caller holds anyway; so a helper neither makes nor returns an array.

Each entry has a directory of its own. Compiling and loading happen under a file lock there, so that of many cold
processes one compiles an entry and the others wait for it, or compile other ones. A list of checksums lies beside
the cached code: a file that was cut short or changed is never loaded, the directory is emptied and filled again.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property, partial, update_wrapper
from importlib import metadata, resources
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numba
from numba.core import codegen, compiler
from numba.core.compiler_lock import global_compiler_lock

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

_config: Any = numba.config

_LOCK = "lock"

_PATIENCE = 300.0
"""For which a process waits until others have compiled [s]; then it compiles for itself and keeps nothing."""

_LOOK_AGAIN = 0.02
"""After which a lock that is held is tried again [s]."""

_CHECKSUMS = "checksums"

# Directories whose file lock this process holds; only the owner of Numba's compiler lock touches it.
_locked: set[Path] = set()


class Entry(Protocol[P, R_co]):
    """A kernel that Python may call."""

    @property
    def signatures(self) -> list[Any]:
        """Argument types it has been compiled for; empty with the JIT switched off."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the kernel."""


# Numba's own types say nothing of these, or too little.
_CodeLibrary: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler


class _HelperCode(_CodeLibrary):  # type: ignore[misc]
    """Code of a helper: made ready for the entries to take in, not to run."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


def _key(library: Any, *_: Any) -> Any:
    """Give what Numba tells helpers apart by: a function of C, here one that nobody calls."""
    return [library].append


class _HelperCompiler(_Compiler):  # type: ignore[misc]
    """Compiles helpers into code that is not to run."""

    def __init__(self, typing: Any, target: Any, library: Any, *args: Any) -> None:
        super().__init__(typing, target, library or _HelperCode(target.codegen(), "helper"), *args)
        self.state.targetctx.get_executable = _key


# fastmath would let the compiler assume that there is no infinity, which is our word for "never".
_njit: Any = partial(numba.njit, nogil=True, error_model="numpy", fastmath=False, no_cfunc_wrapper=True)
_njit_helper: Any = partial(_njit, no_cpython_wrapper=True, _nrt=False, pipeline_class=_HelperCompiler)


class _Helper:
    """A function that kernels call; a call from Python, as in a test, compiles it once more and by itself."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        self._function, self._options = function, options
        update_wrapper(self, function)

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks each name in a kernel for when it compiles that kernel."""
        return self._from_kernels._numba_type_

    @cached_property
    def _from_kernels(self) -> Any:
        return _njit_helper(self._function, **self._options)

    @cached_property
    def _from_python(self) -> Any:
        return _njit(self._function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._from_python(*args, **kwargs)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper that other kernels call."""
    return function if _config.DISABLE_JIT else cast("Callable[P, R]", _Helper(function))


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a helper into each of its callers: one of the event loop's, where a call costs as much as the work."""
    return function if _config.DISABLE_JIT else cast("Callable[P, R]", _Helper(function, forceinline=True))


def entry(function: Callable[P, R]) -> Entry[P, R]:
    """Compile a door to the kernels: a function that Python calls, cached between processes.

    The locks are held while it is compiled or loaded for new argument types, never while it runs.
    """
    dispatcher: Any = _njit(function)
    if _config.DISABLE_JIT:  # then Numba hands back the plain function
        dispatcher.signatures = []
    else:
        _compile_through_cache(dispatcher)
    return cast("Entry[P, R]", dispatcher)


@cache
def source_digest() -> str:
    """Hash of all kernel sources, 12 hexadecimal digits: another one after any edit."""
    files = resources.files(__package__).iterdir()
    return _digest(sorted((file.name, file.read_bytes()) for file in files if file.name.endswith(".py")))


def cache_directory() -> Path | None:
    """Where compiled code of exactly these kernels is kept; made if need be.

    Returns
    -------
    Path or None
        A directory that can be written to: below the environment variable ``CARROMSIM_CACHE_DIR``
        if set, else in the user's cache folder, else in the system's folder for temporary files.
        None if there is no such place.
    """
    # What shapes the code and is in no key of Numba's own.
    versions = [metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    key = _digest([source_digest(), *versions, _config.OPT, _config.BOUNDSCHECK])
    for root in cache_roots():
        with suppress(OSError):
            directory = root / key
            directory.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=directory).close()  # mode bits do not tell: root, read-only and network drives
            return directory
    return None


def cache_is_cold(name: str = "*") -> bool:
    """Whether the first call of the entry of that name (or of any) will have to compile, which takes a while."""
    if _config.DISABLE_JIT:
        return False
    directory = cache_directory()
    return directory is None or not any(directory.rglob(f"*.{name}-*.nbc"))


def _compile_through_cache(dispatcher: Any) -> None:
    """Wrap the step in which the dispatcher compiles or loads, once for each set of argument types."""
    compile_types = dispatcher.compile

    def compile_guarded(types: Any) -> Any:
        # Numba's own lock instead of one more: two locks taken in different orders could hang.
        with global_compiler_lock:
            place = cache_directory()
            if place is None:
                _warn_once("nowhere to keep compiled kernels; set CARROMSIM_CACHE_DIR to a writable directory")
                return compile_types(types)
            directory = place / dispatcher.__name__
            try:
                directory.mkdir(exist_ok=True)
                with _file_lock(directory):
                    _empty_if_damaged(directory)
                    _attach_cache(dispatcher, directory)
                    compiled = compile_types(types)
                    _note_checksums(directory)
                    return compiled
            except OSError as error:  # disk full, directory taken away: the cache is a help, not a need
                _warn_once(f"compiled kernels cannot be kept in {directory}: {error}")
                dispatcher._cache.disable()
                return compile_types(types)

    dispatcher.compile = compile_guarded


def _attach_cache(dispatcher: Any, directory: Path) -> None:
    """Make the directory the dispatcher's cache, whatever Numba's environment variables say."""
    settings = {"CACHE_DIR": str(directory), "CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    before = {name: getattr(_config, name) for name in settings}
    try:
        vars(_config).update(settings)
        dispatcher.enable_caching()
    except RuntimeError as error:  # Numba's word for a folder of its own that it cannot make or write to
        raise OSError(str(error)) from error
    finally:
        vars(_config).update(before)


def cache_roots() -> Iterator[Path]:
    """Give the folders that may hold what is computed once per machine, best first; whoever writes makes them."""
    if chosen := os.environ.get("CARROMSIM_CACHE_DIR"):
        yield Path(chosen).absolute()
    else:
        with suppress(RuntimeError):  # no home
            yield _user_cache() / "carromsim"
    if sys.platform != "win32":  # there the folder for temporary files lies in the same place
        with suppress(OSError):
            folder = Path(tempfile.gettempdir(), f"carromsim-{os.getuid()}")
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
            if status.st_uid == os.getuid() and not status.st_mode & 0o022:  # code in a cache is run: ours alone
                yield folder


def _user_cache() -> Path:
    """Return the folder in which the system wants a user's caches."""
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    folder = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    return Path(folder) if os.path.isabs(folder) else Path("~/.cache").expanduser()


@contextmanager
def _file_lock(directory: Path) -> Iterator[None]:
    """Wait until no other process compiles into the directory, and keep the others waiting."""
    if directory in _locked:  # an entry compiled in the course of another one
        yield
        return
    with open(directory / _LOCK, "ab") as file:
        _wait_for_lock(file.fileno())
        _locked.add(directory)
        try:
            yield
        finally:
            _locked.discard(directory)
            with suppress(OSError):
                _unlock(file.fileno())  # closing alone would not: a child forked meanwhile holds the file open


def _wait_for_lock(file: int) -> None:
    """Take the lock; TimeoutError if another process, stopped perhaps, holds it for longer than compiling can take."""
    patience = time.monotonic() + _PATIENCE
    while True:
        try:
            return _try_lock(file)
        except (BlockingIOError, PermissionError):  # held, as POSIX and Windows say it
            if time.monotonic() > patience:
                raise TimeoutError(f"another process has held the lock there for {_PATIENCE:g} s") from None
            time.sleep(_LOOK_AGAIN)
        except OSError:  # a drive without locks: each process compiles for itself
            return None


def _checksums(directory: Path) -> str:
    """List the files of compiled code with their hashes, one a line."""
    files = sorted(directory.rglob("*.nb[ic]"))
    return "".join(f"{_digest(file.read_bytes())}  {file.relative_to(directory).as_posix()}\n" for file in files)


def _note_checksums(directory: Path) -> None:
    """List what the directory holds now, in one step: a process that only loads may be killed at any moment."""
    record, found = directory / _CHECKSUMS, _checksums(directory)
    if record.exists() and record.read_text() == found:
        return
    new = record.with_suffix(".new")
    new.write_text(found)
    new.replace(record)


def _empty_if_damaged(directory: Path) -> None:
    """Throw the whole cache away unless each file is as it was written."""
    with suppress(OSError):  # what cannot be read is damaged, too
        record = directory / _CHECKSUMS
        if _checksums(directory).encode() == (record.read_bytes() if record.exists() else b""):
            return
    for path in directory.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != _LOCK:
            path.unlink()
    _warn_once(f"the compiled kernels in {directory} were damaged and are compiled again")


def _digest(content: object) -> str:
    raw = content if isinstance(content, bytes) else repr(content).encode()
    return hashlib.sha256(raw).hexdigest()[:12]


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
