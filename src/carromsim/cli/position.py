"""Position files: which discs lie where, by name, in TOML."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carromsim.cli.app import BadInput

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout

KEYS = ("queen", "white", "black", "equipment")
MOST_MEN = 9


def read_position(path: Path, equipment: str | None = None) -> "tuple[Layout, Equipment]":
    """Read a position and the board it lies on.

    Parameters
    ----------
    path : Path
        A TOML file that may say ``queen = [x, y]``, ``white = [[x, y], ...]``, ``black = ...`` (metres from the
        board's centre) and ``equipment = "icf"``. An empty one is an empty board.
    equipment : str, optional
        Preset to use whatever the file says. Default: the file's, else "icf".

    Returns
    -------
    Layout, Equipment

    Raises
    ------
    BadInput
        If the file cannot be read or makes no sense; all mistakes at once, each with its line.
    """
    from carromsim.equipment import Equipment
    from carromsim.layouts import arrange

    text, told = _read(path)
    mistakes = [f"{path}:{_line(text, *place)}: {why}" for place, why in _mistakes(told)]
    if mistakes:
        raise BadInput("\n".join(mistakes))
    board = Equipment.preset(equipment or told.get("equipment", "icf"))
    layout = arrange(queen=told.get("queen"), white=told.get("white", ()), black=told.get("black", ()))
    try:
        layout.check(board, striker=False)
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    return layout, board


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: is no text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:  # names the line itself
        raise BadInput(f"{path}: {error}") from None


Place = tuple[str, int | None]
"""A key, and the number of the point in its list."""


def _mistakes(told: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield what is wrong with the contents of a position file, and where."""
    from carromsim.equipment import PRESETS, did_you_mean

    for key, value in told.items():
        if key == "striker":
            yield (key, None), "unknown key 'striker': where it stands is an option, --x"
        elif key not in KEYS:
            yield (key, None), f"unknown key {key!r}: {did_you_mean(key, KEYS)}"
        elif key == "equipment":
            if not isinstance(value, str) or value not in PRESETS:
                yield (key, None), f"unknown equipment preset {value!r}: {did_you_mean(value, PRESETS)}"
        elif key == "queen":
            if not _is_point(value):
                yield (key, None), f"queen = {value!r}: must be [x, y], two finite numbers in m"
        elif not isinstance(value, list) or len(value) > MOST_MEN:
            given = f"{len(value)} men" if isinstance(value, list) else repr(value)
            yield (key, None), f"{key} = {given}: must be a list [[x, y], ...] of at most {MOST_MEN} men"
        else:
            for number, point in enumerate(value):
                if not _is_point(point):
                    why = f"{key} {number + 1} = {point!r}: must be [x, y], two finite numbers in m"
                    yield (key, number), why


def _is_point(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) <= sys.float_info.max for v in value)
    )


def _line(text: str, key: str, number: int | None) -> int:
    """Give the line of a key, or of an item of its list; the parser keeps no lines.

    A key that is written in an unusual way (a table, an escape) is not found: then it is line 1.
    """
    found = re.search(rf"""^[ \t]*["']?{re.escape(key)}["']?[ \t]*[=.\]]|^\[+{re.escape(key)}""", text, re.MULTILINE)
    if found is None:
        return 1
    line = text.count("\n", 0, found.start()) + 1
    if number is None:
        return line
    depth, seen = 0, -1
    # Brackets, line ends and commas in the list's own text; those in strings and comments do not count.
    for token in re.finditer(r"""#[^\n]*|"[^"\n]*"|'[^'\n]*'|[\[\]{}\n,]|[^\s\[\]{},#"']+""", text[found.end() :]):
        mark = token.group()
        if mark == "\n":
            line += 1
        elif mark[0] not in "#,]}" and depth == 1:
            seen += 1
            if seen == number:
                return line
        depth += (mark in ("[", "{")) - (mark in ("]", "}"))
    return line
