"""On which line each key of a TOML file stands, and the comment behind it: the standard library does not tell."""

import re
import tomllib
from collections.abc import Iterator, Mapping

_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\''
_BLANK = re.compile(r"(?:\s|#[^\n]*)*")
_KEY_PART = re.compile(r'[ \t]*([A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|\'[^\']*\')[ \t]*')
_PIECE_OF_VALUE = re.compile(
    rf"(?P<string>{_STRING})|(?P<comment>#[^\n]*)|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<end>\n)|.", re.DOTALL
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
        By the path from the top, such as ("equipment", "e_disc"): the line, from 1, where it is named first. Tables of
        an array are numbered from 0, as ("slide", "0", "speed"). Keys inside a value's braces are not listed.
    """
    lines: dict[Path, int] = {}
    for path, line, _ in _statements(text):
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
    return lines


def key_comments(text: str) -> dict[Path, str]:
    """Find the comment that stands behind the value of each key, on the value's last line.

    Parameters
    ----------
    text : str
        A TOML document that `tomllib` accepts.

    Returns
    -------
    dict of tuple of str to str
        By the path from the top, without the hash; keys without a comment are not in it.
    """
    return {path: comment for path, _, comment in _statements(text) if comment}


def _statements(text: str) -> Iterator[tuple[Path, int, str]]:
    """Yield for every table's heading and every key: its path from the top, its line and the comment behind it."""
    table: Path = ()
    last: dict[Path, int] = {}
    at = _after_blank(text, 0)
    line, counted = 1, 0
    while at < len(text):
        line, counted, comment = line + text.count("\n", counted, at), at, ""
        if text[at] == "[":
            one_more = text.startswith("[[", at)
            table, at = _path(text, at + 1 + one_more)
            table = _numbered(table, last, one_more)
            path, at = table, text.find("\n", at)
            at = len(text) if at < 0 else at
        else:
            key, at = _path(text, at)
            at, comment = _after_value(text, at + 1)
            path = table + key
        yield path, line, comment
        at = _after_blank(text, at)


def line_of(lines: Mapping[Path, int], *path: str) -> int:
    """Give the line of a path, or of the nearest table around it; 1 if there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _numbered(path: Path, last: dict[Path, int], one_more: bool) -> Path:
    """Put behind each array of tables on the path the number of its last table; `one_more` begins a new one."""
    found: Path = ()
    for depth, part in enumerate(path, 1):
        found += (part,)
        if one_more and depth == len(path):
            last[found] = last.get(found, -1) + 1
        if found in last:
            found += (str(last[found]),)
    return found


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


def _after_value(text: str, at: int) -> tuple[int, str]:
    """Give the end of the value's last line, the first outside strings and brackets, and the comment before it."""
    depth, comment = 0, ""
    for piece in _PIECE_OF_VALUE.finditer(text, at):
        if piece["open"]:
            depth += 1
        elif piece["close"]:
            depth -= 1
        elif piece["end"] and depth == 0:
            return piece.start(), comment
        elif piece["comment"] and depth == 0:
            comment = piece["comment"].strip("# \t\r")
    return len(text), comment
