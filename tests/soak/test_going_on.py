"""A soak that is killed goes on where it was; what it may not do, it says."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from soak.log import Log
from soak.scenes import Choice
from soak.summary import GROWTH, told

SCRIPT = Path(__file__).with_name("strokes.py")


def soak(out: Path, *options: str) -> list[str | Path]:
    return [sys.executable, SCRIPT, "--out", out, "--strokes", "3000", "--workers", "1", "--seed", "2", *options]


def run(out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(soak(out, *options), capture_output=True, text=True, check=False)


def digests(out: Path) -> dict[int, str]:
    return {number: line["digest"] for number, line in Log(out).blocks().items()}


@pytest.mark.slow
def test_a_soak_that_is_killed_goes_on_and_gives_the_same_blocks(tmp_path: Path) -> None:
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    assert run(undisturbed).returncode == 0
    with subprocess.Popen(soak(killed), stdout=subprocess.DEVNULL) as first:
        deadline = time.monotonic() + 300
        while not digests(killed):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
    time.sleep(1.0)  # its worker ends after the block that it is in
    with open(killed / "blocks.jsonl", "ab") as lines:
        lines.write(b'{"block": 2, "sta')
    before = len(digests(killed))
    done = run(killed)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 1 <= before <= 3
    assert digests(killed) == digests(undisturbed)
    assert len(digests(killed)) == 3
    assert {path.stem for path in (killed / "worst").iterdir()} == {"most_events", "overlap", "beyond", "gain"}


def test_two_soaks_do_not_share_a_directory_nor_do_two_choices(tmp_path: Path) -> None:
    Log(tmp_path).begin(Choice(seed=1))
    other = run(tmp_path)
    assert (other.returncode, "seed 1, now 2" in other.stderr) == (2, True)
    with FileLock(tmp_path / "lock"):
        assert "another soak is running there" in run(tmp_path).stderr


def test_a_block_that_hangs_ends_the_soak(tmp_path: Path) -> None:
    done = run(tmp_path, "--hang", "0.001")
    assert done.returncode == 1
    assert "a worker ended with code 1" in done.stdout
    assert "Timeout" in done.stderr


def line(number: int, **changes: Any) -> dict[str, Any]:
    near = {name: [0.0, 0] for name in ("most_events", "overlap", "beyond", "gain")}
    usual = {"statuses": [1000, 0, 0, 0, 0], "faulty": [], "events": 9, "seconds": 0.1, "rss": 10**8}
    return {"block": number, "process": [1, 2.0], "time": 36.0 * number, **near, **usual, **changes}


def test_a_soak_fails_by_rows_events_and_memory() -> None:
    lines = [line(number) for number in range(100)]
    assert told(lines, [])[1] == []
    assert "block 3 row 7" in told([*lines, line(3, faulty=[7])], [])[1][0]
    assert "limit of events" in told([*lines, line(3, statuses=[998, 2, 0, 0, 0])], [])[1][0]
    growing = [line(number, rss=10**8 + 2e4 * number) for number in range(100)]  # 2 MB in an hour
    assert told(growing, [])[1] == [f"a process grew by 2.00 MB/h: must be under {GROWTH:g}"]
    assert told(lines, [{"block": 5, "error": json.dumps("out of order")}])[1] == ['block 5: "out of order"']
