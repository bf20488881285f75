"""Equipment as TOML: the presets and anyone's own, with the place and the comment of every number.

A file says `extends`, a preset or another file, and whatever differs from that; or, without `extends`, everything that
has no default. Its keys are the fields of `Equipment`, in SI units; "none" stands for None, which TOML does not know;
`surface` may stand in place of `mu_surface`. The comment behind a value is its source.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path
from typing import Any

from carromsim.equipment import PRESETS, Equipment
from carromsim.equipment_limits import OPTIONAL, EquipmentError, did_you_mean, field_problems
from carromsim.surfaces import SURFACES
from carromsim.toml import DeclarationError, mistake, parse, read_text, toml_value, unknown_key
from carromsim.toml_lines import key_comments, key_lines, line_of

__all__ = ["KEYS", "Description", "Source", "Table", "describe", "preset_description", "written"]

_FIELDS = {field.name: field.default for field in dataclasses.fields(Equipment)}

KEYS = ("extends", *_FIELDS, "surface")
"""What a file or a table of equipment may say."""

Problems = list[tuple[int, str]]
"""What is wrong with a text: the line, and the message that names file, line and key."""


@dataclass(frozen=True)
class Source:
    """Where a value was said: the file or preset, the line, and the comment behind it ("" if there is none)."""

    file: str
    line: int
    comment: str


@dataclass(frozen=True)
class Description:
    """Equipment and where its values come from.

    Attributes
    ----------
    equipment : Equipment
    label : str
        The file or the preset, as in `Source.file`.
    about : str
        First line of the file, if that is a comment, else "".
    sources : mapping of str to Source
        By field, for whatever some file says; the others have the default of the class.
    """

    equipment: Equipment
    label: str
    about: str
    sources: Mapping[str, Source]


def describe(origin: str | PathLike[str], folder: Path = Path()) -> Description:
    """Read equipment from a file, or give a preset; see `Equipment.load`.

    Parameters
    ----------
    origin : str or path
        A file: a path object, or text that ends in ".toml" or has a slash in it. Other text names a preset.
    folder : Path
        Where a relative path begins.

    Raises
    ------
    DeclarationError
        A ValueError: it names every mistake of a file with its line and key.
    ValueError
        If there is no such preset.
    """
    if isinstance(origin, str) and origin in PRESETS:
        return preset_description(origin)
    if not _is_file(origin):
        raise ValueError(f"unknown equipment preset {origin!r}: {_presets_or_file(origin)}")
    return _table_of(folder / fspath(origin), ()).description()


@cache
def preset_description(name: str) -> Description:
    """Give a preset with the source of each of its numbers."""
    return _preset_table(name).description()


def written(equipment: Equipment) -> str:
    """Write equipment as TOML, nothing left out, one field per line."""
    fields = {name: getattr(equipment, name) for name in _FIELDS}
    lines = [f"{name} = {toml_value('none' if value is None else value)}" for name, value in fields.items()]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Table:
    """A TOML table that describes equipment: a file of its own, or a part of a study.

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
        Preset that it extends if it does not say. Default: none.
    name : str, optional
        Of the equipment if the table does not say. Default: that of what it extends.
    chain : tuple of Path
        The files that are being read: this one, if it is one, and those that extend it.
    """

    text: str
    given: Mapping[str, Any]
    label: str
    folder: Path = Path()
    at: tuple[str, ...] = ()
    extends: str | None = None
    name: str | None = None
    chain: tuple[Path, ...] = ()

    def description(self) -> Description:
        """Give what the table describes.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake with its file, line and key.
        """
        values, sources, problems = self._read()
        missing = [name for name, default in _FIELDS.items() if default is dataclasses.MISSING and name not in values]
        if missing and not problems:
            problems.append(self._note(f'{", ".join(missing)}: missing; to start from a preset say extends = "icf"'))
        if not problems:
            try:
                return Description(Equipment(**values), self.label, self._about(), sources)
            except EquipmentError as error:  # fields that do not fit one another
                problems = [self._misfit(*problem) for problem in error.problems]
        raise DeclarationError(text for _, text in sorted(problems, key=lambda problem: problem[0]))

    def _read(self) -> tuple[dict[str, Any], dict[str, Source], Problems]:
        """Give the values and sources of all fields that are said here or in what the table extends."""
        values, sources, problems = self._inherited()
        own: dict[str, Any] = {}
        for key, value in self.given.items():
            if key in _FIELDS:
                own[key] = None if key in OPTIONAL and value == "none" else value
                sources[key] = self._source(key)
            elif key not in KEYS:
                problems.append(self._note(unknown_key(key, KEYS), key))
        for field, _, allowed in field_problems(own):
            text = allowed.replace(" or None", ' or "none"')
            problems.append(self._note(text, field, value=self.given[field]))
        if "surface" in self.given:
            problems += self._surface(own, sources)
        if self.name is not None and "name" not in own:
            own["name"], sources["name"] = self.name, Source(self.label, 1, "name of the file")
        return values | own, sources, problems

    def _inherited(self) -> tuple[dict[str, Any], dict[str, Source], Problems]:
        """Give the same of what the table extends."""
        base = self.given.get("extends", self.extends)
        if base is None:
            return {}, {}, []
        if isinstance(base, str) and base in PRESETS:
            return _preset_table(base)._read()
        if not isinstance(base, str) or not _is_file(base):
            return {}, {}, [self._note(_presets_or_file(base), "extends", value=base)]
        path = self.folder / base
        if realpath(path) in map(realpath, self.chain):
            circle = " -> ".join(map(str, (*self.chain, path)))
            return {}, {}, [self._note(f"extends itself: {circle}", "extends", value=base)]
        try:
            values, sources, problems = _table_of(path, self.chain)._read()
        except DeclarationError as error:
            values, sources, problems = {}, {}, [(0, text) for text in error.problems]
        line = self._line("extends")
        return values, sources, [(line, text) for _, text in sorted(problems, key=lambda problem: problem[0])]

    def _surface(self, own: dict[str, Any], sources: dict[str, Source]) -> Problems:
        """Take the friction of the surface that is named; give what is wrong with that."""
        name = self.given["surface"]
        if "mu_surface" in own:
            return [self._note("says the same as mu_surface: leave one of them out", "surface", value=name)]
        if not isinstance(name, str) or name not in SURFACES:
            return [self._note(did_you_mean(name, SURFACES), "surface", value=name)]
        kind, said = SURFACES[name], self._source("surface")
        guess = f"guess for {kind.what}, {kind.low:g} to {kind.high:g}"
        own["mu_surface"] = kind.mu
        sources["mu_surface"] = dataclasses.replace(said, comment=f"{said.comment}; {guess}" if said.comment else guess)
        return []

    def _misfit(self, field: str, value: object, allowed: str) -> tuple[int, str]:
        """Word what does not fit: at its key, or at the table if that is not where it was said."""
        if field in self.given:
            return self._note(allowed, field, value=self.given[field])
        where = f"{'.'.join(self.at)}: " if self.at else ""
        return self._note(f"{where}{field} = {value!r}: {allowed}")

    def _note(self, text: str, *key: str, value: Any = None) -> tuple[int, str]:
        line = self._line(*key)
        return line, mistake(self.label, line, text, *((*self.at, *key) if key else ()), value=value)

    def _line(self, *key: str) -> int:
        return line_of(self._lines, *self.at, *key)

    def _source(self, key: str) -> Source:
        return Source(self.label, self._line(key), self._comments.get((*self.at, key), ""))

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return key_lines(self.text)

    @cached_property
    def _comments(self) -> dict[tuple[str, ...], str]:
        return key_comments(self.text)

    def _about(self) -> str:
        first = self.text.partition("\n")[0]
        return first.strip("# \t\r") if first.startswith("#") and not self.at else ""


def _table_of(path: Path, chain: tuple[Path, ...]) -> Table:
    """Read a file, which `chain` extends."""
    try:
        text = read_text(path)
    except OSError as error:
        raise DeclarationError([f"{path}: cannot be read ({error.strerror})"]) from None
    given = parse(text, str(path))
    return Table(text, given, str(path), path.parent, name=path.stem, chain=(*chain, path))


def _preset_table(name: str) -> Table:
    text = (resources.files("carromsim.data") / "equipment" / f"{name}.toml").read_text(encoding="utf-8")
    return Table(text, parse(text, name), name)


def _is_file(origin: object) -> bool:
    """Whether a preset or file is a file."""
    if isinstance(origin, str):
        return origin.endswith(".toml") or "/" in origin or "\\" in origin
    return isinstance(origin, PathLike)


def _presets_or_file(word: object) -> str:
    return f"{did_you_mean(word, PRESETS)}; or a file that ends in .toml"
