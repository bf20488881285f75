"""Standard streams that are closed, full or gone: a run goes on without its display, and a lost result is told."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from carromsim.cli import progress
from carromsim.cli.progress import progress_shown
from carromsim.cli.streams import Patient
from carromsim.studies.breaks.summary import BreakCounts

COMMAND = [sys.executable, "-m", "carromsim"]
BREAK = [*COMMAND, "break", "--strokes", "60", "--seed", "4", "--workers", "1"]
FULL = Path("/dev/full")

posix = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell closes them")
full_disk = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


def shell(redirection: str, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command with its streams as a shell leaves them."""
    order = ["sh", "-c", f'exec "$@" {redirection}', "sh", *command]
    return subprocess.run(order, capture_output=True, text=True, check=False, timeout=300)


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nothing disturbs."""
    root = tmp_path_factory.mktemp("whole") / "run"
    subprocess.run([*BREAK, "--out", str(root)], capture_output=True, check=True, timeout=300)
    assert "parts.json" in files(root)
    return files(root)


# The display


@full_disk
def test_a_run_goes_on_where_its_display_is_a_full_disk(tmp_path: Path, whole: dict[str, bytes]) -> None:
    done = shell(f"2>{FULL}", [*BREAK, "--out", str(tmp_path / "run")])
    assert done.returncode == 0
    assert "60 strokes" in done.stdout
    assert files(tmp_path / "run") == whole


def test_a_run_goes_on_when_nobody_reads_its_display(tmp_path: Path, whole: dict[str, bytes]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*BREAK, "--out", str(tmp_path / "run")], stdout=subprocess.PIPE, stderr=writer, check=False, timeout=300
        )
    finally:
        os.close(writer)
    assert done.returncode == 0
    assert b"60 strokes" in done.stdout
    assert files(tmp_path / "run") == whole


@posix
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_run_with_all_streams_closed_is_whole(tmp_path: Path, whole: dict[str, bytes], executor: str) -> None:
    done = shell("<&- >&- 2>&-", [*BREAK, "--out", str(tmp_path / "run"), "--executor", executor])
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")  # the summary could not be printed
    assert files(tmp_path / "run") == whole


@posix
def test_no_file_of_a_run_becomes_a_standard_stream() -> None:
    code = (
        "import os, sys; from carromsim.cli.streams import make_streams_safe; make_streams_safe();"
        "print(os.open(sys.executable, os.O_RDONLY))"
    )
    assert int(shell("<&- 2>&-", [sys.executable, "-c", code]).stdout) > 2


@posix
def test_a_run_goes_on_when_its_terminal_is_closed(tmp_path: Path) -> None:
    master, slave = os.openpty()
    order = [*COMMAND, "break", "--strokes", "20000", "--out", str(tmp_path / "run")]
    with subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *order],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
    ) as running:
        os.close(slave)
        shown = b""
        while b"strokes" not in shown:  # the bar is there
            shown += os.read(master, 4096)
        os.close(master)
        told, _ = running.communicate(timeout=300)
    assert running.returncode == 0
    assert b"20,000 strokes" in told
    assert (tmp_path / "run" / "parts.json").exists()


class Broken(io.StringIO):
    """Fails as a stream does that can no longer be written."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error

    def flush(self) -> None:
        raise self.error


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), OSError(5, "I/O error"), ValueError("closed")])
@pytest.mark.parametrize("terminal", [True, False])
def test_neither_bar_nor_lines_stop_a_study(monkeypatch: pytest.MonkeyPatch, error: Exception, terminal: bool) -> None:
    monkeypatch.setattr(
        progress, "stderr", lambda: Console(file=Patient(Broken(error)), force_terminal=terminal, width=80)
    )
    with progress_shown() as show:
        show(0, 100, BreakCounts.none())
        show(100, 100, BreakCounts.none())


@full_disk
@pytest.mark.parametrize("redirection", [f"2>{FULL}", "2>&-"])
def test_a_complaint_that_cannot_be_told_keeps_its_exit_code(redirection: str) -> None:
    assert shell(redirection, [*COMMAND, "check", "nowhere.toml"]).returncode == 2


# The result


@full_disk
@pytest.mark.parametrize("command", [["new", "break"], ["--version"], ["rules", "list", "--json"]])
def test_a_result_that_finds_no_room_is_a_failure_told_once(command: list[str]) -> None:
    done = shell(f">{FULL}", [*COMMAND, *command])
    assert (done.returncode, done.stderr) == (1, "carromsim: [Errno 28] No space left on device\n")


@posix
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_result_without_standard_output_is_a_failure_and_the_run_is_whole(
    tmp_path: Path, whole: dict[str, bytes], more: list[str]
) -> None:
    done = shell(">&-", [*BREAK, "--quiet", "--out", str(tmp_path / "run"), *more])
    assert (done.returncode, done.stderr) == (1, "carromsim: [Errno 9] is closed: 'standard output'\n")
    assert files(tmp_path / "run") == whole


@posix
def test_a_case_from_a_closed_standard_input_is_bad_input() -> None:
    done = shell("<&-", [*COMMAND, "adjudicate"])
    assert (done.returncode, done.stderr) == (2, "carromsim: standard input: cannot be read (is closed)\n")


def told_in(encoding: str) -> str:
    """Give what a command prints, but for how fast it was."""
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([*BREAK, "--quiet"], capture_output=True, text=True, check=True, timeout=300, env=env)
    return done.stdout.partition("Status")[0]


def test_what_an_encoding_lacks_is_written_as_an_escape() -> None:
    whole = told_in("utf-8")
    assert "█" in whole
    for encoding in ("latin-1", "ascii"):
        assert whole.encode(encoding, "backslashreplace").decode(encoding) == told_in(encoding)


@pytest.mark.skipif(sys.platform != "linux", reason="file names are text elsewhere")
def test_a_directory_whose_name_is_no_text_is_told_and_shown(tmp_path: Path) -> None:
    root, out = os.fsencode(tmp_path) + b"/ru\xffn", tmp_path / "replay.html"
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run([*BREAK, "--out", root], capture_output=True, check=True, timeout=300, env=strict)
    assert rb"ru\udcffn/manifest.json" in done.stdout
    order = [*COMMAND, "replay", root, "--row", "1", "--out", str(out)]
    subprocess.run(order, capture_output=True, check=True, timeout=300, env=strict)
    assert r"ru\udcffn" in out.read_text(encoding="utf-8")
