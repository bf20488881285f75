"""Plays what a page shows: its files, commands, Python and SQL, in their order, in one folder."""

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import duckdb

from carromsim import cli

ROOT = Path(__file__).parents[2]

FENCE = re.compile(
    r"(?:<!-- not run: (?P<why>[^\n]*) -->\n)?"
    r"(?:`(?P<file>[\w.]+\.(?:toml|json))`:\n\n)?"
    r"^```(?P<kind>[\w{}-]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A block of a page: its language, its text, the file that it is if it is named, and why it is not run."""

    kind: str
    text: str
    file: str | None
    why: str | None


def blocks_of(page: Path) -> list[Block]:
    """All blocks of a page in order."""
    found = FENCE.finditer(page.read_text(encoding="utf-8"))
    return [Block(match["kind"], match["text"], match["file"], match["why"]) for match in found]


def commands_of(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what is shown below it."""
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, flags=re.MULTILINE)


SHORT_SEARCH = (
    "--scouts 4 --restarts 1 --generations 1 --candidates 4 --strokes 2 --finalists 1 --finalist-strokes 2"
    " --verdict-strokes 2 --map-points 0 --robustness-strokes 2"
)
FEW = {
    "break": "--strokes 200",
    "shots": "--strokes 40",
    "boards": "--boards 4",
    "matches": "--matches 1",
    "compare": "--boards 2",
    "optimise": SHORT_SEARCH,
}
"""What makes a command short."""


SMALL = {
    r"\w*strokes": 200,
    "boards": 8,
    "matches": 1,
    "n": 20,
    "rows": 2,
    "scouts|candidates": 4,
    "restarts|generations|finalists": 1,
    "map_points": 0,
}
"""What makes Python or a file short."""


def fewer(text: str) -> str:
    """Python or a file with fewer strokes, boards and matches than the page."""
    for key, number in SMALL.items():
        text = re.sub(rf"\b((?:{key}) ?= ?)(\d[\d_]*)", partial(_at_most, number), text)
    return text


def _at_most(number: int, found: re.Match[str]) -> str:
    return f"{found[1]}{min(number, int(found[2]))}"


def shorter(arguments: list[str]) -> list[str]:
    """A command with fewer strokes, boards and matches than the page."""
    options = FEW.get(arguments[0], "").split()
    if arguments[0] == "compare" and "--matches" in arguments:
        options = ["--matches", "1"]
    kept, given = [], iter(arguments)
    for word in given:
        if word in options or word == "--sensitivity":
            next(given)
        else:
            kept.append(word)
    return kept + options


@dataclass
class Played:
    """What came of a page: where it was played, what its commands and its Python printed, the names of its Python."""

    folder: Path
    said: dict[str, str] = field(default_factory=dict)
    printed: str = ""
    names: dict[str, object] = field(default_factory=dict)


def play(page: Path, folder: Path, *, as_it_stands: bool = False) -> Played:
    """Play a page in an empty folder; what is not as the page shows it fails.

    Figures depend on the numbers of strokes, so that of shortened commands only the words are compared.
    """
    played = Played(folder)
    with contextlib.chdir(folder):
        for block in blocks_of(page):
            if block.file is not None:
                text = block.text if as_it_stands else fewer(block.text)
                Path(block.file).write_text(text, encoding="utf-8")
            elif block.why is None and block.kind in PLAYERS:
                PLAYERS[block.kind](block.text, played, as_it_stands)
    return played


def _console(text: str, played: Played, as_it_stands: bool) -> None:
    commands = commands_of(text)
    assert commands, f"no command in {text!r}"
    for command, shown in commands:
        order, _, target = command.partition(" > ")
        program, *arguments = shlex.split(order, comments=True)
        for name in re.findall(r"docs/[\w/]+\.toml", order):  # a file of the repository
            Path("docs").mkdir(exist_ok=True)
            shutil.copy(ROOT / name, name)
        assert program == "carromsim", command
        said = _said_by(arguments if as_it_stands else shorter(arguments), command)
        if target:
            Path(target).write_text(said if as_it_stands else fewer(said), encoding="utf-8")
        compare = _figures if as_it_stands else _words
        for piece in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE):
            compare(piece, said, command)
        played.said[command] = said


def _said_by(arguments: list[str], command: str) -> str:
    out, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(complaints):
        code = cli.run(arguments)
    assert code == 0, f"{command}: {complaints.getvalue()}"
    return out.getvalue()


def _figures(shown: str, said: str, command: str) -> None:
    """All but times and blanks is the same: tables are as wide as their numbers."""

    def bare(text: str) -> str:
        text = re.sub(r"[\d,]+ strokes/s, ", "RATE, ", text)
        text = re.sub(r"\d[\d.]* (s|min)\b", "TIME", text)
        text = re.sub(r"by \d+ workers?, |^Pilot +[\d,]+ ", "", text, flags=re.MULTILINE)
        return re.sub(r"[ \n]+", " ", text).strip()

    assert bare(shown) in bare(said), command


def _words(shown: str, said: str, command: str) -> None:
    missing = set(re.findall(r"[A-Za-z]{4,}", shown)) - set(re.findall(r"[A-Za-z]{4,}", said))
    assert not missing, command


def _python(text: str, played: Played, as_it_stands: bool) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text if as_it_stands else fewer(text), "<page>", "exec"), played.names)
    played.printed += out.getvalue()


def _sql(text: str, played: Played, as_it_stands: bool) -> None:
    with duckdb.connect() as connection:
        assert connection.sql(text).fetchall(), text


PLAYERS: dict[str, Callable[[str, Played, bool], None]] = {"console": _console, "python": _python, "sql": _sql}
