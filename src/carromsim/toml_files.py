"""TOML files that extend one another: shipped ones by name and anyone's own, with the place and comment of each value.

A file says `extends`, a shipped file or another one, and whatever differs from that.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from carromsim.problems import did_you_mean
from carromsim.toml import DeclarationError, UnreadableError, mistake, parse, read_text
from carromsim.toml_lines import key_comments, key_lines, line_of

__all__ = ["Layer", "Problems", "Reading", "Shelf", "Source"]

LONGEST_CHAIN = 20
"""Files that extend one another."""

Problems = list[tuple[int, str]]
"""What is wrong with a text: the line, and the message that names file, line and key."""


@dataclass(frozen=True)
class Source:
    """Where a value was said: the file or the shipped name, the line, and the comment behind it ("" if none)."""

    file: str
    line: int
    comment: str


class Shelf(NamedTuple):
    """The shipped files of one kind.

    Attributes
    ----------
    what : str
        What messages call one of them.
    folder : str
        In `carromsim.data`.
    names : collection of str
        Of the files, without ".toml".
    """

    what: str
    folder: str
    names: Collection[str]

    def known(self, word: object) -> str:
        """End of a message about a word that is neither a shipped name nor a file."""
        return f"{did_you_mean(word, self.names)}; or a file that ends in .toml"


class Reading(NamedTuple):
    """What a layer says, by key: values, where they stand, and what is wrong."""

    values: dict[str, Any]
    sources: dict[str, Source]
    problems: Problems


@dataclass(frozen=True)
class Layer(ABC):
    """A TOML table that says what differs from the one it extends: a file of its own, or a part of a document.

    Parameters
    ----------
    text : str
        The whole document.
    given : mapping
        What the table says.
    label : str
        What messages call the document.
    folder : Path
        Where relative paths in it begin.
    at : tuple of str
        Where the table stands in the document; () for all of it.
    extends : str, optional
        Shipped file that it extends if it does not say. Default: none.
    name : str, optional
        Value of the key "name" if the table does not say. Default: that of what it extends.
    chain : tuple of Path
        The files that are being read: this one, if it is one, and those that extend it.
    """

    shelf: ClassVar[Shelf]

    text: str
    given: Mapping[str, Any]
    label: str
    folder: Path = Path()
    at: tuple[str, ...] = ()
    extends: str | None = None
    name: str | None = None
    chain: tuple[Path, ...] = ()

    @classmethod
    def of(cls, origin: str | PathLike[str], folder: Path = Path()) -> Self:
        """Give a shipped file or read another.

        Parameters
        ----------
        origin : str or path
            A file: a path object, or text that ends in ".toml" or has a slash in it. Other text is a shipped name.
        folder : Path
            Where a relative path begins.

        Raises
        ------
        DeclarationError
            If the file cannot be read or is no TOML.
        ValueError
            If no file of that name is shipped.
        """
        if isinstance(origin, str) and origin in cls.shelf.names:
            return cls.shipped(origin)
        if not _is_file(origin):
            raise ValueError(f"unknown {cls.shelf.what} {origin!r}: {cls.shelf.known(origin)}")
        path = folder / fspath(origin)
        return cls._file(path, _text_of(path), ())

    @classmethod
    def shipped(cls, name: str) -> Self:
        """Read a shipped file."""
        path = resources.files("carromsim.data") / cls.shelf.folder / f"{name}.toml"
        text = path.read_text(encoding="utf-8")
        return cls(text, parse(text, name), name)

    @classmethod
    def _file(cls, path: Path, text: str, chain: tuple[Path, ...]) -> Self:
        """Give the table of a file's text, which `chain` extends."""
        return cls(text, parse(text, str(path)), str(path), path.parent, name=path.stem, chain=(*chain, path))

    @abstractmethod
    def own(self) -> Reading:
        """Read what the table says itself."""

    def read(self) -> Reading:
        """Read what is said here or in what the table extends."""
        below, here = self._inherited(), self.own()
        if self.name is not None and "name" not in here.values:
            here.values["name"], here.sources["name"] = self.name, Source(self.label, 1, "name of the file")
        return Reading(below.values | here.values, below.sources | here.sources, below.problems + here.problems)

    def _inherited(self) -> Reading:
        base = self.given.get("extends", self.extends)
        if base is None:
            return Reading({}, {}, [])
        if isinstance(base, str) and base in self.shelf.names:
            return self.shipped(base).read()
        if not isinstance(base, str) or not _is_file(base):
            return Reading({}, {}, [self.note(self.shelf.known(base), "extends", value=base)])
        path = self.folder / base
        if len(self.chain) >= LONGEST_CHAIN:
            return Reading({}, {}, [self.note(f"at most {LONGEST_CHAIN} files may extend one another", "extends")])
        try:
            text = _text_of(path)
        except UnreadableError as error:
            return Reading({}, {}, [self.note(str(error), "extends", value=base)])
        if realpath(path) in map(realpath, self.chain):
            circle = " -> ".join(map(str, (*self.chain, path)))
            return Reading({}, {}, [self.note(f"extends itself: {circle}", "extends", value=base)])
        try:
            values, sources, problems = self._file(path, text, self.chain).read()
        except DeclarationError as error:
            values, sources, problems = {}, {}, [(0, text) for text in error.problems]
        line = self.line("extends")
        return Reading(values, sources, [(line, text) for _, text in sorted(problems, key=lambda problem: problem[0])])

    def refuse(self, problems: Problems) -> DeclarationError:
        """Make an error of all that is wrong, in the order of the lines."""
        return DeclarationError(text for _, text in sorted(problems, key=lambda problem: problem[0]))

    def note(self, text: str, *key: str, value: Any = None) -> tuple[int, str]:
        """Word what is wrong, with its line; `key` is a path in the table, none if it is about the whole."""
        line = self.line(*key)
        return line, mistake(self.label, line, text, *((*self.at, *key) if key else ()), value=value)

    def line(self, *key: str) -> int:
        """Give the line of a key."""
        return line_of(self._lines, *self.at, *key)

    def source(self, *key: str) -> Source:
        """Give the place of a key and the comment behind it."""
        return Source(self.label, self.line(*key), self._comments.get((*self.at, *key), ""))

    def about(self) -> str:
        """Give the first line of a file, if that is a comment, else ""."""
        first = self.text.partition("\n")[0]
        return first.strip("# \t\r") if first.startswith("#") and not self.at else ""

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return key_lines(self.text)

    @cached_property
    def _comments(self) -> dict[tuple[str, ...], str]:
        return key_comments(self.text)


def _is_file(origin: object) -> bool:
    """Whether an origin is a file, not a shipped name."""
    if isinstance(origin, str):
        return origin.endswith(".toml") or "/" in origin or "\\" in origin
    return isinstance(origin, PathLike)


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise UnreadableError([f"{path}: cannot be read ({error.strerror or error})"]) from None
