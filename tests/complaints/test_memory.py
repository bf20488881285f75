"""Complaints about memory: a writer that holds whole files, a run that ends without a word where memory ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from carromsim.studies.breaks.study import BreakStudy
from runs.fake import files

ALLOWED = 256e6
"""What a study may take beyond the program itself [bytes]."""


def peak(strokes: int, directory: Path) -> float:
    """Return the most memory [bytes] that a study of breaks, run by itself, has resident; 0 strokes: the imports."""
    code = (
        "import json, resource, sys\n"
        "from carromsim.studies.breaks.study import BreakStudy\n"
        "import pyarrow.parquet\n"
        "BreakStudy(strokes=1).warm_up()\n"
        "if int(sys.argv[1]):\n"
        "    BreakStudy(strokes=int(sys.argv[1])).run(sys.argv[2], workers=1).summary()\n"
        "print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(strokes), directory], capture_output=True, text=True, check=True
    )
    return float(json.loads(done.stdout))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_arrow_45467_a_study_of_a_million_strokes_takes_no_more_memory_than_a_small_one(tmp_path: Path) -> None:
    """A writer of datasets holds whole files in memory; #36303: the more the longer it writes."""
    base = peak(0, tmp_path)
    small, large = peak(10_000, tmp_path / "small"), peak(1_000_000, tmp_path / "large")
    sys.stdout.write(f"imports {base / 1e6:.0f} MB, 10^4 strokes {small / 1e6:.0f} MB, 10^6 {large / 1e6:.0f} MB\n")
    assert large < 1.1 * small
    assert large < base + ALLOWED


@pytest.mark.slow
def test_arrow_36303_where_memory_ends_the_error_says_so_and_the_run_goes_on_afterwards(tmp_path: Path) -> None:
    """What was played stays, and the same command goes on once there is memory."""
    code = (
        "import resource, sys\n"
        "from carromsim.studies.breaks.study import BreakStudy\n"
        "from carromsim.studies.runs.trying import ChunkError\n"
        "study = BreakStudy(strokes=60_000)\n"
        "real = BreakStudy.batch\n"
        "def batch(self, rows):\n"
        "    if rows.start >= 40_000:\n"
        "        used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "        resource.setrlimit(resource.RLIMIT_AS, (used, resource.RLIM_INFINITY))\n"
        "        rows = range(self.rows)\n"  # more than what was given back will do for
        "    return real(self, rows)\n"
        "BreakStudy.batch = batch\n"
        "try:\n"
        "    study.run(sys.argv[1], workers=1)\n"
        "except (ChunkError, MemoryError) as error:\n"
        "    sys.stdout.write(f'{type(error).__name__}: {error}\\n')\n"
    )
    short = subprocess.run([sys.executable, "-c", code, tmp_path / "run"], capture_output=True, text=True, check=False)
    assert "MemoryError" in short.stdout, short.stdout + short.stderr[-2000:]
    left = files(tmp_path / "run")
    assert any(name.endswith(".parquet") for name in left)
    study = BreakStudy(strokes=60_000)
    study.run(tmp_path / "run")
    study.run(tmp_path / "undisturbed")
    whole = files(tmp_path / "run")
    assert whole == files(tmp_path / "undisturbed")
    assert {name: whole[name] for name in left if name.endswith(".parquet")} == {
        name: data for name, data in left.items() if name.endswith(".parquet")
    }
