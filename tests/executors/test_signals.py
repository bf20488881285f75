"""Commands that are asked to stop: they end in time, whoever plays, keep what is finished, and go on as if nothing was.

Boards take seconds per chunk and breaks a fraction of one; neither is waited for.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from carromsim import cli
from runs import fake
from runs.fake import files

SECONDS = 20.0
"""Two are promised; a busy machine may take ten times as long."""


class Stoppable(NamedTuple):
    """A command of some chunks of a fraction of a second.

    Attributes
    ----------
    study : str
        Class that plays it.
    target : str
        What fixes the rows of its chunks.
    value : object
        What that is to be.
    options : list of str
    """

    study: str
    target: str
    value: object
    options: list[str]


_PLAYING = "carromsim.studies.playing"
_VARIANTS = "carromsim.studies.variants.study"
_SEARCH = {"scouts": 4, "restarts": 2, "generations": 6, "candidates": 4, "strokes": 20, "finalists": 2}
_SEARCH |= {"finalist-strokes": 20, "verdict-strokes": 40, "map-points": 0, "robustness-strokes": 20}
STUDIES = {
    "break": Stoppable(
        "carromsim.studies.breaks.study.BreakStudy",
        "carromsim.studies.breaks.study.BreakStudy.chunk_rows",
        48,
        ["--strokes", "1200"],
    ),
    "shots": Stoppable(
        "carromsim.studies.shots.study.ShotStudy",
        "carromsim.studies.shots.study.ShotStudy.chunk_rows",
        48,
        ["--strokes", "1200", "--skill", "club"],
    ),
    "boards": Stoppable(
        f"{_PLAYING}.boards.BoardStudy", f"{_PLAYING}.boards.BoardStudy.chunk_rows", 48, ["--boards", "250"]
    ),
    "matches": Stoppable(
        f"{_PLAYING}.matches.MatchStudy", f"{_PLAYING}.matches.MatchStudy.chunk_rows", 2, ["--matches", "20"]
    ),
    "compare": Stoppable(
        f"{_VARIANTS}.VariantStudy",
        f"{_VARIANTS}.SIDE_BY_SIDE",
        {"board": (12, 12)},
        ["icf", "bell_i", "--boards", "120"],
    ),
    "optimise": Stoppable(
        "carromsim.studies.optimising.study.BreakOptimisation",
        "carromsim.studies.optimising.study.BreakOptimisation.chunk_rows",
        4,
        [text for name, value in _SEARCH.items() for text in (f"--{name}", str(value))],
    ),
}


def command(study: str, root: Path, *options: str) -> list[str]:
    """Give a command with small chunks, so that its parts are soon there.

    While there is a file `slow` beside the run, the chunks take their time: the command is still at work when it is
    asked to stop, however late that is. Its children do as it does, for they read the script too.
    """
    name, target, value, own = STUDIES[study]
    code = (
        "import time\n"
        "from pathlib import Path\n"
        "from pkgutil import resolve_name\n"
        f"owner, _, attribute = {target!r}.rpartition('.')\n"
        f"setattr(resolve_name(owner), attribute, {value!r})\n"
        f"kind = resolve_name({name!r})\n"
        f"batch, slow = kind.batch, Path({str(root.parent / 'slow')!r})\n"
        "def slowly(study, rows):\n"
        "    time.sleep(0.25 * slow.exists())\n"
        "    return batch(study, rows)\n"
        "kind.batch = slowly\n"
        "if __name__ == '__main__':\n"
        "    from carromsim.cli import main\n"
        "    main()\n"
    )
    script = root.parent / f"{study}.py"
    script.write_text(code)
    return [sys.executable, str(script), study, *own, "--seed", "3", "--out", str(root), *options]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def go_on(study: str, root: Path) -> None:
    """Let the command of a study play what is missing in a directory, in this process."""
    _, target, value, options = STUDIES[study]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, value)
        assert cli.run([study, *options, "--seed", "3", "--out", str(root), "--quiet", "--json"]) == 0


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, bytes]]:
    """Give what gives the files of a whole run of a study."""

    @cache
    def files_of(study: str) -> dict[str, bytes]:
        root = tmp_path_factory.mktemp("undisturbed") / "run"
        go_on(study, root)
        return files(root)

    return files_of


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for children in /proc")
def test_workers_end_with_a_command_that_is_killed(tmp_path: Path) -> None:
    order = [sys.executable, str(fake.__file__), str(tmp_path / "run"), "20000", "0.01", "2", "processes"]  # minutes
    with subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as running:
        deadline = time.monotonic() + 60
        while not list((tmp_path / "run").glob("*/part-*")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        mine = children(running.pid)
        assert len(mine) >= 2
        running.kill()
        killed = time.monotonic()
        told_last = running.communicate()[1]
    while any(map(alive, mine)):
        assert time.monotonic() - killed < SECONDS
        time.sleep(0.01)
    assert told_last == b""  # nor does Python complain of the semaphores that were left


QUICK = [
    ("break", "threads", signal.SIGINT),
    ("break", "threads", signal.SIGTERM),
    ("break", "processes", signal.SIGINT),
]
ALL = [
    pytest.param(study, executor, how, marks=() if (study, executor, how) in QUICK else pytest.mark.slow)
    for study in STUDIES
    for executor in ("threads", "processes")
    for how in (signal.SIGINT, signal.SIGTERM)
]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for children in /proc")
@pytest.mark.parametrize(("study", "executor", "how"), ALL)
def test_it_stops_at_once_and_goes_on_later(
    study: str,
    executor: str,
    how: signal.Signals,
    tmp_path: Path,
    undisturbed: Callable[[str], dict[str, bytes]],
    record_property: Callable[[str, object], None],
) -> None:
    root, options, slow = tmp_path / "run", ["--executor", executor, "--workers", "2"], tmp_path / "slow"
    slow.touch()
    with subprocess.Popen(
        command(study, root, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,
    ) as running:
        deadline = time.monotonic() + 240
        while not list(root.glob("*/part-*")):
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        mine = children(running.pid)
        assert (len(mine) > 0) == (executor == "processes")
        if how is signal.SIGINT:  # as a terminal does: to the command and its children
            os.killpg(running.pid, how)
        else:
            running.send_signal(how)
        asked = time.monotonic()
        shown, told = running.communicate(timeout=60)
        record_property("seconds to stop", round(time.monotonic() - asked, 2))
        assert time.monotonic() - asked < SECONDS
    assert running.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[how], told
    assert shown == ""
    word = "interrupted" if how is signal.SIGINT else "terminated"
    left = {name: data for name, data in files(root).items() if name.endswith(".parquet")}
    kept = f"carromsim: {word}; {len(left)} finished parts are kept in {root}; the same command continues"
    assert told.splitlines()[-1] == kept
    assert "Traceback" not in told
    while any(map(alive, mine)):  # the last to go is multiprocessing's own tracker, after all others
        assert time.monotonic() - asked < SECONDS
        time.sleep(0.01)
    assert left
    assert all(undisturbed(study)[name] == data for name, data in left.items())
    folders = {name.partition("/")[0] for name in left}
    assert {path.name for path in root.iterdir()} >= folders | {"manifest.json"}
    assert not (root / "lock").exists()
    assert not list(root.glob("*.tmp"))
    go_on(study, root)
    assert files(root) == undisturbed(study)
