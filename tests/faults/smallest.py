"""The smallest study of every kind that still has three chunks, and the fake one, each as something to play."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from carromsim import cli
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.runs.running import run_study
from carromsim.studies.shots.study import ShotStudy
from carromsim.studies.variants.study import SIDE_BY_SIDE
from runs.fake import Throws

COMMANDS = {
    "break": ["break", "--strokes", "5"],
    "shots": ["shots", "--skill", "club", "--strokes", "5", "--distance", "0.3"],
    "boards": ["boards", "--boards", "3", "--stroke-limit", "4"],
    "matches": ["matches", "--matches", "3", "--stroke-limit", "2", "--ruleset", "bell_i"],
    "compare": ["compare", "icf", "bell_i", "--boards", "3", "--stroke-limit", "4"],
    "optimise": [
        *("optimise", "--scouts", "1", "--restarts", "1", "--generations", "1", "--candidates", "4", "--strokes", "2"),
        *("--finalists", "1", "--finalist-strokes", "2", "--verdict-strokes", "2", "--map-points", "0"),
        *("--robustness-strokes", "2"),
    ],
}
"""A command of each kind of study."""

Play = Callable[[Path, bool], str]
"""Plays into a directory, or starts anew there, by one worker; gives what the user is told if it fails, or nothing."""


@contextmanager
def small_chunks() -> Iterator[None]:
    """Cut the smallest studies into chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BreakStudy, "chunk_rows", 2)
        patch.setattr(ShotStudy, "chunk_rows", 2)
        patch.setattr(BoardStudy, "chunk_rows", 1)
        patch.setattr(MatchStudy, "chunk_rows", 1)
        patch.setitem(SIDE_BY_SIDE, "board", (1, 1))
        yield


def play_of(kind: str) -> Play:
    """Give what plays the smallest study of a kind, or "fake"."""

    def fake(root: Path, fresh: bool) -> str:
        try:
            run_study(Throws(), root, workers=1, fresh=fresh)
        except (OSError, ValueError) as error:
            return str(error)
        return ""

    def command(root: Path, fresh: bool) -> str:
        return told_by([*COMMANDS[kind], "--workers", "1", "--quiet", "--out", str(root), *["--fresh"] * fresh])

    return fake if kind == "fake" else command


def told_by(arguments: list[str]) -> str:
    """Give what a command says on standard error if it fails, or nothing."""
    shown, told = StringIO(), StringIO()
    with redirect_stdout(shown), redirect_stderr(told):
        code = cli.run(arguments)
    complained = told.getvalue()
    assert (code == 0) == (complained == ""), complained
    if code:
        assert code in (1, 2)
        assert shown.getvalue() == ""
        assert all(line.startswith("carromsim: ") for line in complained.splitlines())
    return complained
