"""One file operation of a run goes wrong, then the next one, until a run does not get as far: it fails, or all of them
from there on do, or the process ends. What stands is whole, what is wrong is said, and the same command goes on."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from carromsim.studies.runs.directory import locked
from carromsim.studies.runs.running import run_study
from faults.children import start
from faults.shim import WRONG, Shim, dies, fails
from faults.smallest import COMMANDS, play_of, small_chunks
from faults.swift import swift_folder
from runs.fake import Throws, files

STARTS = ("new", "fresh", "again")
"""In a new directory, in place of another run, and on a run that was stopped and damaged."""

FAKE = [("fake", first, lasting) for first in STARTS for lasting in (False, True)]
REAL = [
    *((kind, "new", False) for kind in COMMANDS),
    *[("break", "new", True), ("break", "fresh", False), ("break", "again", False), ("optimise", "again", False)],
]
QUICK = [("fake", "new", False), ("fake", "new", True), ("fake", "fresh", False)]
FAILURES = [
    *(pytest.param(*case, 0) for case in QUICK),
    *(
        pytest.param(*case, turn, marks=pytest.mark.slow)
        for case in FAKE
        for turn in range(len(WRONG) - (case[1] == "fresh"))
        if turn or case not in QUICK
    ),
    *(pytest.param(*case, 0, marks=pytest.mark.slow) for case in REAL if case not in QUICK),
]
DEATHS = [
    pytest.param(kind, first, marks=() if (kind, first) == ("fake", "new") else pytest.mark.slow)
    for kind, first, lasting in [*FAKE, *REAL]
    if not lasting
]


class Trial:
    """A directory in which the smallest study of a kind is begun again and again, each time with another fault.

    Parameters
    ----------
    folder : Path
        Holds the directory.
    kind : str
        Of study.
    first : str
        What is in the directory; see `STARTS`.
    """

    def __init__(self, folder: Path, kind: str, first: str) -> None:
        self.root, self.fresh, self.kind = folder / "run", first == "fresh", kind
        self.play = play_of(kind)
        assert self.play(folder / "whole", False) == ""
        self.whole = files(folder / "whole")
        if self.fresh:
            run_study(Throws(rows=70, seed=9), folder / "before")
        elif first == "again":
            shutil.copytree(folder / "whole", folder / "before")
            parts = sorted((folder / "before").glob("*/*.parquet"))
            parts[0].write_bytes(parts[0].read_bytes()[:-9])
            parts[-1].unlink()
            (folder / "before" / "parts.json").unlink()
        self._copied = folder / "before"
        self._before = files(self._copied) if self._copied.exists() else {}
        self._goes_on: set[frozenset[tuple[str, bytes]]] = set()

    def begin(self) -> None:
        """Put into the directory what is to be there first."""
        shutil.rmtree(self.root, ignore_errors=True)
        if self._before:
            shutil.copytree(self._copied, self.root)

    def check(self, *, tidy: bool) -> None:
        """Look at what stands after a fault, and let the same command go on; what went on once is not tried again."""
        there = files(self.root) if self.root.exists() else {}
        for name in [name for name in there if name == "lock" or (name.endswith(".tmp") and not tidy)]:
            del there[name]
        for name, data in there.items():
            assert data in (self.whole.get(name), self._before.get(name)), name
        if self.root.exists():
            with locked(self.root):  # nobody holds it any more
                pass
        state = frozenset(there.items())
        if state not in self._goes_on:
            assert self.play(self.root, self.fresh) == ""
            assert files(self.root) == self.whole
            self._goes_on.add(state)

    def is_whole(self) -> bool:
        """Whether the run is what it should be; a lock that could not be removed is nothing."""
        there = files(self.root)
        there.pop("lock", None)
        return there == self.whole


@pytest.fixture
def trial_of() -> Iterator[Callable[[str, str], Trial]]:
    with swift_folder() as folder, small_chunks():
        yield lambda kind, first: Trial(folder, kind, first)


@pytest.mark.parametrize(("kind", "first", "lasting", "turn"), FAILURES)
def test_a_failure_of_any_file_operation_is_told_and_changes_no_byte(
    kind: str,
    first: str,
    lasting: bool,
    turn: int,
    trial_of: Callable[[str, str], Trial],
    record_property: Callable[[str, object], None],
) -> None:
    trial, told = trial_of(kind, first), 0
    for at in count():
        trial.begin()
        wrong = WRONG[:3] if trial.fresh else WRONG  # what is said not to be there is not removed
        code = wrong[(at + turn) % len(wrong)]
        shim = Shim(trial.root, at, fails(code), lasting=lasting)
        with shim.between():
            complained = trial.play(trial.root, trial.fresh)
        if not shim.reached:
            break
        if complained:
            told += 1
            known = os.strerror(getattr(errno, code)) in complained
            assert known or code == "ENOENT", complained  # what is not there is told as what follows from that
        else:
            assert trial.is_whole(), shim.seen
        trial.check(tidy=not lasting)
    assert {"stat", "mkdir", "flock", "listdir", "create", "write", "flush", "fsync", "close", "replace"} <= set(
        shim.seen
    )
    record_property("operations", at)
    assert at > 50
    assert told > 20


def die(kind: str, root: Path, fresh: bool, at: int) -> None:
    """Play and end this process at an operation."""
    with small_chunks(), Shim(root, at, dies).between():
        assert play_of(kind)(root, fresh) == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize(("kind", "first"), DEATHS)
def test_a_process_that_ends_at_any_file_operation_loses_nothing_that_was_finished(
    kind: str, first: str, trial_of: Callable[[str, str], Trial], record_property: Callable[[str, object], None]
) -> None:
    trial = trial_of(kind, first)
    for at in count():
        trial.begin()
        runner = start(die, kind, trial.root, trial.fresh, at)
        runner.join()
        if runner.exitcode == 0:
            break
        assert runner.exitcode == -9
        trial.check(tidy=False)
    record_property("operations", at)
    assert at > 50
    assert trial.is_whole()
