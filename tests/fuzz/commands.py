"""Target: the command line, all commands, in this process: exit code 0, or 1 or 2 with a message."""

import contextlib
import io
import os
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from carromsim import cli
from carromsim.lines import is_line
from carromsim.studies.declaring.declare import template
from fuzz.directories import OUTSIDE, laid, spoilt_runs
from fuzz.hostile import words
from fuzz.judging import Target
from fuzz.small_runs import small_run

_FILES = ("study.toml", "own.toml", "case.json", "empty.toml", "board.toml", "missing.toml", "folder", "binary", "run")
_NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "7",
    "0.5",
    "-0.05",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "1e400",
    "1e-320",
    "9" * 30,
    "1_0",
    "0x1",
    "",
)
_WORDS = (
    "icf",
    "bell_i",
    "UKCA",
    "club",
    "greedy",
    "random",
    "lookahead:0",
    "direct",
    "top left",
    "white",
    "pending",
    "any:0.1",
)
_ODD = (
    "\0",
    "\udcff",
    "é\u202e",
    "a" * 5000,
    "--",
    "-",
    "-o",
    "--json",
    "=",
    "../..",
    "any vs white",
    "men=1,striker=-1",
    "x=icf,queen.value=5",
    "x=icf,queen.value=[",
    "1/2",
    "0/0",
    "nope://x/y",
    "file:///x?y",
    "\x1b[2J",
)
_any = st.one_of(
    st.sampled_from(_FILES),
    st.sampled_from(_NUMBERS),
    st.sampled_from(_WORDS),
    st.sampled_from(_ODD),
    words.filter(lambda w: "s3" not in w),
)

_PLAY = [
    "--equipment",
    "--seed",
    "--gap",
    "--jitter",
    "--until",
    "--workers",
    "--executor",
    "--json",
    "--quiet",
    "--fresh",
    "--out",
]
_OPTIONS: dict[str, list[str]] = {
    "break": [
        *_PLAY,
        "--ruleset",
        "--rotation-deg",
        "--x",
        "--angle-deg",
        "--speed",
        "--spin",
        "--sd-x",
        "--sd-angle-deg",
    ],
    "shots": [
        *_PLAY,
        "--ruleset",
        "--skill",
        "--way",
        "--pocket",
        "--distance",
        "--cut-deg",
        "--x",
        "--speed",
        "--spin",
    ],
    "boards": [
        *_PLAY,
        "--ruleset",
        "--policy",
        "--skill",
        "--doubles",
        "--start",
        "--shooter",
        "--queen",
        "--rotation-deg",
    ],
    "matches": [*_PLAY, "--ruleset", "--policy", "--skill", "--doubles"],
    "compare": [*_PLAY, "--policy", "--skill", "--baseline", "--doubles", "--sensitivity"],
    "optimise": [*_PLAY, "--ruleset", "--objective", "--policy", "--skill", "--pareto", "--fastest", "--most-spin"],
    "stroke": [
        "--x",
        "--angle-deg",
        "--speed",
        "--spin",
        "--seat",
        "--equipment",
        "--ruleset",
        "--shooter",
        "--queen",
        "--json",
        "--out",
    ],
    "adjudicate": ["--ruleset", "--json"],
    "replay": ["--row", "--board", "--stroke", "--json", "--out"],
    "run": ["--share", "--workers", "--executor", "--fresh", "--out", "--json"],
    "plan": ["--metric", "--half-width", "--difference", "--workers", "--json"],
    "diff": ["--json"],
    "merge": ["--out"],
    "verify": ["--threads"],
    "summary": ["--json"],
    "calibrate": ["--equipment", "--example", "--json"],
    "equipment": ["show", "list", "diff", "--json"],
    "rules": ["show", "list", "diff", "check", "--json", "--ruleset"],
    "new": [],
    "schema": [],
    "check": [],
}
_FEW = {
    "break": ["--strokes", "3", "--workers", "1"],
    "shots": ["--strokes", "3", "--workers", "1"],
    "boards": ["--boards", "1", "--stroke-limit", "2", "--workers", "1"],
    "matches": ["--matches", "1", "--stroke-limit", "1", "--policy", "random", "--workers", "1"],
    "compare": ["icf", "ukca", "--boards", "1", "--stroke-limit", "1", "--workers", "1"],
    "optimise": [
        "--scouts",
        "1",
        "--restarts",
        "1",
        "--generations",
        "1",
        "--candidates",
        "4",
        "--strokes",
        "2",
        "--finalists",
        "1",
        "--finalist-strokes",
        "2",
        "--verdict-strokes",
        "2",
        "--map-points",
        "0",
        "--robustness-strokes",
        "2",
        "--workers",
        "1",
    ],
    "plan": ["--pilot", "2"],
}
"""Options without which a command would play for long."""

_SECONDS = {"break": 10, "shots": 10, "optimise": 1, "compare": 2, "matches": 1, "plan": 1, "replay": 4, "diff": 2}
_commands = st.sampled_from([name for name in _OPTIONS for _ in range(_SECONDS.get(name, 6))])


@st.composite
def tokens(draw: DrawFn) -> list[str]:
    """Give what somebody types."""
    command = draw(_commands)
    given = list(_FEW.get(command, []))
    for option in draw(st.lists(st.sampled_from(_OPTIONS[command] or ["--json"]), max_size=3)):
        given += [option] if draw(st.integers(0, 5)) == 0 else [option, draw(_any)]
    few = draw(st.lists(_any, max_size=2))
    return [command, *few, *given] if draw(st.booleans()) else [command, *given, *few]


def complaint_of(arguments: list[str], folder: Path) -> str:
    """Run a command in a folder with files of all kinds; give what it complains of, "" if it is content.

    Raises
    ------
    AssertionError
        If it fails without a word, or with another exit code.
    """
    _furnish(folder)
    out, err = io.StringIO(), io.StringIO()
    here = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run(arguments)
    finally:
        os.chdir(here)
    assert code in (0, 1, 2), code
    said = err.getvalue()
    assert "Traceback" not in said + out.getvalue()
    if code:
        assert said.strip(), "no message"
        assert len(said) < 20_000, f"a message of {len(said)} characters"
        assert all(is_line(char) or char in "\n\t" for char in said), "control characters on the terminal"
    return said if code else ""


def _furnish(folder: Path) -> None:
    (folder / "study.toml").write_text('kind = "break"\nstrokes = 3\n')
    (folder / "own.toml").write_text('extends = "icf"\n')
    (folder / "board.toml").write_text(template("board"))
    (folder / "case.json").write_text('{"ruleset": "icf", "before": {}, "stroke": {}, "expect": {}}')
    (folder / "empty.toml").write_text("")
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "folder").mkdir()
    if not (folder / "run").exists():
        (folder / "run").symlink_to(small_run("break"))


def _type(arguments: list[str], folder: Path) -> None:
    if said := complaint_of(arguments, folder):
        raise ValueError(said)


def _tell(given: tuple[str, object], folder: Path) -> None:
    command, spoilt = given
    laid(spoilt, folder)  # type: ignore[arg-type]
    if said := complaint_of([command, "run"], folder):
        raise ValueError(said)
    assert (folder / OUTSIDE / "kept").read_bytes() == b"kept"


TARGETS = (
    Target("commands", tokens(), _type),
    Target("commands on runs", st.tuples(st.sampled_from(["verify", "summary"]), spoilt_runs()), _tell),
)
