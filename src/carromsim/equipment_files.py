"""Equipment as TOML: the presets and anyone's own, with the place and the comment of every number.

A file says `extends`, a preset or another file, and whatever differs from that; or, without `extends`, everything that
has no default. Its keys are the fields of `Equipment`, in SI units; "none" stands for None, which TOML does not know;
`surface` may stand in place of `mu_surface`. The comment behind a value is its source.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from carromsim.equipment import PRESETS, Equipment
from carromsim.equipment_limits import OPTIONAL, EquipmentError, field_problems
from carromsim.problems import did_you_mean
from carromsim.surfaces import SURFACES
from carromsim.toml import toml_value, unknown_key
from carromsim.toml_files import Layer, Problems, Reading, Shelf, Source

__all__ = ["KEYS", "Description", "Source", "Table", "describe", "preset_description", "written"]

_FIELDS = {field.name: field.default for field in dataclasses.fields(Equipment)}

KEYS = ("extends", *_FIELDS, "surface")
"""What a file or a table of equipment may say."""


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
    return Table.of(origin, folder).description()


@cache
def preset_description(name: str) -> Description:
    """Give a preset with the source of each of its numbers."""
    return Table.shipped(name).description()


def written(equipment: Equipment) -> str:
    """Write equipment as TOML, nothing left out, one field per line."""
    fields = {name: getattr(equipment, name) for name in _FIELDS}
    lines = [f"{name} = {toml_value('none' if value is None else value)}" for name, value in fields.items()]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Table(Layer):
    """A TOML table that describes equipment: a file of its own, or a part of a study."""

    shelf = Shelf("equipment preset", "equipment", PRESETS)

    def description(self) -> Description:
        """Give what the table describes.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake with its file, line and key.
        """
        values, sources, problems = self.read()
        missing = [name for name, default in _FIELDS.items() if default is dataclasses.MISSING and name not in values]
        if missing and not problems:
            problems.append(self.note(f'{", ".join(missing)}: missing; to start from a preset say extends = "icf"'))
        if not problems:
            try:
                return Description(Equipment(**values), self.label, self.about(), sources)
            except EquipmentError as error:  # fields that do not fit one another
                problems = [self._misfit(*problem) for problem in error.problems]
        raise self.refuse(problems)

    def own(self) -> Reading:
        """Read the fields that the table says itself."""
        own: dict[str, Any] = {}
        sources: dict[str, Source] = {}
        problems: Problems = []
        for key, value in self.given.items():
            if key in _FIELDS:
                own[key] = None if key in OPTIONAL and value == "none" else value
                sources[key] = self.source(key)
            elif key not in KEYS:
                problems.append(self.note(unknown_key(key, KEYS), key))
        for field, _, allowed in field_problems(own):
            text = allowed.replace(" or None", ' or "none"')
            problems.append(self.note(text, field, value=self.given[field]))
        if "surface" in self.given:
            problems += self._surface(own, sources)
        return Reading(own, sources, problems)

    def _surface(self, own: dict[str, Any], sources: dict[str, Source]) -> Problems:
        """Take the friction of the surface that is named; give what is wrong with that."""
        name = self.given["surface"]
        if "mu_surface" in own:
            return [self.note("says the same as mu_surface: leave one of them out", "surface", value=name)]
        if not isinstance(name, str) or name not in SURFACES:
            return [self.note(did_you_mean(name, SURFACES), "surface", value=name)]
        kind, said = SURFACES[name], self.source("surface")
        guess = f"guess for {kind.what}, {kind.low:g} to {kind.high:g}"
        own["mu_surface"] = kind.mu
        sources["mu_surface"] = dataclasses.replace(said, comment=f"{said.comment}; {guess}" if said.comment else guess)
        return []

    def _misfit(self, field: str, value: object, allowed: str) -> tuple[int, str]:
        """Word what does not fit: at its key, or at the table if that is not where it was said."""
        if field in self.given:
            return self.note(allowed, field, value=self.given[field])
        where = f"{'.'.join(self.at)}: " if self.at else ""
        return self.note(f"{where}{field} = {value!r}: {allowed}")
