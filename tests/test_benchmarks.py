"""The benchmarks can be collected, and two checkouts are compared by the right ratios. Nothing is timed here."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(file.name for file in (ROOT / "benchmarks").glob("bench_*.py"))


@pytest.mark.slow
def test_every_file_of_benchmarks_has_some() -> None:
    pytest.importorskip("pytest_benchmark")
    command = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "--quiet"]
    # Told by its environment that it is one of several workers, the plugin would not time anything.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        sorted({line.partition("::")[0].rpartition("/")[2] for line in done.stdout.splitlines() if "::" in line})
        == FILES
    )


class Pretended:
    """A player whose times and outcomes are given."""

    def __init__(self, seconds: list[float], digest: str) -> None:
        self.answers = [{"seconds": each, "strokes": 100, "events": 1000, "digest": digest} for each in [9.0, *seconds]]

    def play(self, case: str) -> dict[str, Any]:
        return self.answers.pop(0)


@pytest.mark.parametrize(("digest", "same"), [("a", "yes"), ("b", "no")])
def test_times_of_the_other_are_divided_by_those_of_this(
    monkeypatch: pytest.MonkeyPatch, digest: str, same: str
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.compare import compare

    this, other = Pretended([1.0, 2.0, 1.0, 2.0, 1.0], "a"), Pretended([3.0, 4.0, 3.0, 4.0, 2.5], digest)
    # The first times, of compiling, do not count; 1 s of 100 strokes and 1000 events; ratios 3, 2, 3, 2, 2.5.
    told = compare("a case", this, other, 5).split()
    assert told == ["a", "case", "100", "1000.000", "2.500", "2.000", "to", "3.000", "2.500", same]
