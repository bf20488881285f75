"""TOML for people: every mistake at its line, values written so that reading gives the same."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["DeclarationError", "mistake", "parse", "read_text", "toml_value", "unknown_key"]

_SHOWN = 60
"""Characters of a value that a message repeats."""


class DeclarationError(ValueError):
    """A text that does not declare what it should; `problems` has one entry for each mistake, with file, line and key.

    Parameters
    ----------
    problems : iterable of str
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)  # what pickle gives back to this method

    def __str__(self) -> str:
        return "\n".join(self.problems)


def read_text(path: str | PathLike[str]) -> str:
    """Read a file of UTF-8.

    Raises
    ------
    DeclarationError
        If it is no text in UTF-8.
    OSError
        If it cannot be read.
    """
    try:
        return Path(path).read_bytes().decode("utf-8-sig")  # editors on Windows begin files with a mark
    except UnicodeDecodeError as error:
        raise DeclarationError([f"{path}:1: is no text in UTF-8 ({error.reason} at byte {error.start})"]) from None


def parse(text: str, source: str) -> dict[str, Any]:
    """Read TOML.

    Parameters
    ----------
    text : str
        The whole document.
    source : str
        Its name in messages.

    Raises
    ------
    DeclarationError
        If the text is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        what = str(error).replace(place[0], f" (column {place[2]})") if place else str(error)
        raise DeclarationError([f"{source}:{line}: {what}"]) from None
    except RecursionError:
        raise DeclarationError([f"{source}: brackets are nested too deeply"]) from None
    except ValueError as error:  # a number of thousands of digits
        raise DeclarationError([f"{source}: {error}"]) from None


def mistake(source: str, line: int, text: str, *path: str, value: Any = None) -> str:
    """Word a mistake: where, which key, what it is given, what is wrong.

    Parameters
    ----------
    source : str
        Name of the file.
    line : int
    text : str
        What is wrong or allowed.
    *path : str
        The key, from the top; none if it is about the whole.
    value : object, optional
        What the key is given; left out if None.
    """
    about = f"{'.'.join(path)}{'' if value is None else ' = ' + _shortened(value)}: " if path else ""
    return f"{source}:{line}: {about}{text}"


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Say that a key is unknown: with the closest known one, if any is close, else with all of them."""
    names = list(known)
    close = difflib.get_close_matches(key, names, n=1)
    return f"unknown key, did you mean {close[0]!r}?" if close else f"unknown key; known: {', '.join(names)}"


def toml_value(value: Any) -> str:
    """Write a value as TOML, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, str):
        escaped = re.sub(r'["\\\x00-\x1f\x7f]', lambda found: f"\\u{ord(found[0]):04x}", value)
        return f'"{escaped}"'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _shortened(value: Any) -> str:
    text = toml_value(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
