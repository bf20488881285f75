"""TOML for people: every mistake at its line, values written so that reading gives the same."""

import difflib
import json
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

__all__ = [
    "DeclarationError",
    "UnreadableError",
    "mistake",
    "parse",
    "parse_json",
    "read_text",
    "toml_value",
    "too_long",
    "unknown_key",
]

MOST_BYTES = 2_000_000
"""Of a file that people write; the longest that is shipped has 11 000."""

MOST_RUN_BYTES = 2**30
"""Of a file in which a run tells of itself: 10^10 breaks have a record of 413 MB, a study with ten grids of a million
values each a manifest of 300 MB."""

MOST_KEYS = 20_000
"""In all its tables together; a thousand measurements, the most that are fitted, have fewer."""

DEEPEST = 100
"""Of tables and lists in one another; a study needs five."""

_TOO_DEEP = f"brackets are nested too deeply, or keys: at most {DEEPEST} levels"

_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_NEXT = rf"\.[ \t]*+{_PART}"
_LONG_KEY = re.compile(
    rf"""
    (?: \#[^\n]*+  # comments and strings have as many dots as they like
    | \"{{3}} (?:[^"\\]|\\.|"{{1,2}}(?!"))*+ "{{3,5}}
    | '{{3}} (?:[^']|'{{1,2}}(?!'))*+ '{{3,5}}
    | {_PART}(?:{_NEXT}){{0,{DEEPEST - 1}}}+(?!\.)
    | [^\w"'\#-]++
    )*+
    {_PART}(?:{_NEXT}){{{DEEPEST}}}
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
"""A text up to its first key of too many parts. What this does not get past is no TOML, and tomllib says where."""

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


class UnreadableError(DeclarationError):
    """A file that cannot be opened, or holds no text."""


def read_text(path: str | PathLike[str]) -> str:
    """Read a file of UTF-8.

    Raises
    ------
    UnreadableError
        If nothing can have that name, or it is a named pipe, no text in UTF-8, or longer than `MOST_BYTES`.
    OSError
        If it cannot be read.
    """
    if _is_named_pipe(path):
        raise UnreadableError([f"{path}: is a named pipe: must be a file"])
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except ValueError as error:  # a NUL, or a character that no name of a file can have
        raise UnreadableError([f"{str(path)!r}: is no name of a file ({error})"]) from None
    if len(data) > MOST_BYTES:
        raise UnreadableError([f"{path}: {too_long(MOST_BYTES)}"])
    try:
        return data.decode("utf-8-sig")  # editors on Windows begin files with a mark
    except UnicodeDecodeError as error:
        raise UnreadableError([f"{path}:1: is no text in UTF-8 ({error.reason} at byte {error.start})"]) from None


def _is_named_pipe(path: str | PathLike[str]) -> bool:
    """Tell whether opening a file might wait for a writer for ever; what is open already, as /dev/stdin, does not."""
    return not os.path.abspath(path).startswith(("/dev/", "/proc/")) and Path(path).is_fifo()


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
        If the text is no TOML, nested too deeply or of too many keys.
    """
    if _LONG_KEY.match(text):  # tomllib's time grows with the square of a key's parts
        raise DeclarationError([f"{source}: {_TOO_DEEP}"])
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        what = str(error).replace(place[0], f" (column {place[2]})") if place else str(error)
        raise DeclarationError([f"{source}:{line}: {what}"]) from None
    except RecursionError:
        raise DeclarationError([f"{source}: {_TOO_DEEP}"]) from None
    except ValueError as error:  # a number of thousands of digits, or none
        raise DeclarationError([f"{source}: {error}"]) from None
    return dict(_shallow(given, source, MOST_KEYS))


def parse_json(text: str | bytes, source: str, most_keys: int | None = MOST_KEYS) -> Any:
    """Read JSON.

    Parameters
    ----------
    text : str or bytes
        The whole document.
    source : str
        Its name in messages.
    most_keys : int or None, optional
        In all its objects together; None: any number, for a list of many records.

    Raises
    ------
    DeclarationError
        If the text is no JSON, nested too deeply or of too many keys.
    """
    try:
        given = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise DeclarationError([f"{source}:{error.lineno}: no JSON: {error.msg}"]) from None
    except RecursionError:
        raise DeclarationError([f"{source}: {_TOO_DEEP}"]) from None
    except UnicodeDecodeError as error:
        raise DeclarationError([f"{source}: is no text in UTF-8 ({error.reason} at byte {error.start})"]) from None
    except ValueError as error:  # a number of thousands of digits, or none
        raise DeclarationError([f"{source}: {error}"]) from None
    return _shallow(given, source, most_keys)


def _finite(text: str) -> float:
    """Understand a number of JSON, which knows neither NaN nor infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def _shallow(given: Any, source: str, most_keys: int | None) -> Any:
    """Give what was read, unless it is too deep or too large for those who will walk through it."""
    level, keys = [given], 0
    for _ in range(DEEPEST):
        keys += sum(len(outer) for outer in level if isinstance(outer, dict))
        if most_keys is not None and keys > most_keys:
            raise DeclarationError([f"{source}: has too many keys: at most {most_keys:,}"])
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return given
    raise DeclarationError([f"{source}: {_TOO_DEEP}"])


def too_long(most: int) -> str:
    """Say that a file has more bytes than it may have."""
    return f"is too long: must have at most {most:,} bytes"


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
