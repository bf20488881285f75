"""On which line each key of a TOML file stands: the standard library reads TOML but does not tell."""

import re
import tomllib
from collections.abc import Mapping

_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\''
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_KEY_PART = re.compile(r'[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|\'[^\']*\')[ \t]*')
_PIECE_OF_VALUE = re.compile(
    rf"(?P<string>{_STRING})|#[^\n]*|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<end>\n)|.", re.DOTALL
)

Path = tuple[str, ...]


def key_lines(text: str) -> dict[Path, int]:
    """Find the keys and tables of a TOML document that `tomllib` accepts.

    Parameters
    ----------
    text : str
        The whole document.

    Returns
    -------
    dict of tuple of str to int
        By the path from the top, such as ("equipment", "e_disc"): the line, from 1, where it is named first. Keys
        inside a value's braces are not listed.
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    at = _after_blank(text, 0)
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        if text[at] == "[":
            table, at = _path(text, at + (2 if text.startswith("[[", at) else 1))
            path, at = table, text.find("\n", at)
            at = len(text) if at < 0 else at
        else:
            key, at = _path(text, at)
            path, at = table + key, _after_value(text, at + 1)
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
        at = _after_blank(text, at)
    return lines


def line_of(lines: Mapping[Path, int], *path: str) -> int:
    """Give the line of a path, or of the nearest table around it; 1 if there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _path(text: str, at: int) -> tuple[Path, int]:
    """Read a dotted key; give it and the place behind it."""
    parts: list[str] = []
    while part := _KEY_PART.match(text, at):
        word = part[1]
        parts.append(tomllib.loads(f"word = {word}")["word"] if word[0] in "\"'" else word)
        at = part.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    return tuple(parts), at


def _after_value(text: str, at: int) -> int:
    """Give the end of the value's last line: the first line end outside strings and brackets."""
    depth = 0
    for piece in _PIECE_OF_VALUE.finditer(text, at):
        if piece["open"]:
            depth += 1
        elif piece["close"]:
            depth -= 1
        elif piece["end"] and depth == 0:
            return piece.start()
    return len(text)
