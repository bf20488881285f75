"""Studies as TOML: read with every mistake at its line, written so that reading gives the same study.

In TOML angles may be given in degrees by a key that ends in `_deg`. Everything else is in SI units, as everywhere.
"""

import math
import re
from collections.abc import Callable, Mapping
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from carromsim.equipment import Equipment
from carromsim.equipment_files import Table, describe, written
from carromsim.problems import did_you_mean
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_files import RuleFile
from carromsim.studies.declared import DeclaredStudy, RuledStudy
from carromsim.studies.declaring.fields import RULES
from carromsim.studies.declaring.laws import RATES
from carromsim.studies.declaring.parameters import declared, parameter
from carromsim.studies.kinds import KINDS, kind_of
from carromsim.toml import DeclarationError, mistake, parse, read_text, toml_value, unknown_key
from carromsim.toml_lines import key_lines, line_of

__all__ = [
    "DeclarationError",
    "field_problems",
    "load_study",
    "schema",
    "study_from_toml",
    "study_to_toml",
    "template",
]


def load_study(path: str | PathLike[str]) -> DeclaredStudy:
    """Read a study from a TOML file.

    Raises
    ------
    DeclarationError
        A ValueError: if the file is no valid declaration; it names every mistake with its line.
    OSError
        If the file cannot be read.
    """
    return study_from_toml(read_text(path), source=str(path))


def study_from_toml(text: str, *, source: str = "study.toml") -> DeclaredStudy:
    """Read a study from TOML.

    Parameters
    ----------
    text : str
        The whole document.
    source : str
        Its path, which messages name; relative paths of rule sets and equipment begin in its folder.

    Raises
    ------
    DeclarationError
        A ValueError: it names every mistake with its line.
    """
    return _Reader(source, text, parse(text, source)).study()


class _Reader:
    """Turns what TOML said into a study and notes every mistake on the way."""

    def __init__(self, source: str, text: str, given: dict[str, Any]) -> None:
        self.source = source
        self.text = text
        self.given = given
        self.lines = key_lines(text)
        self.problems: list[tuple[int, str]] = []

    def note(self, text: str, *path: str, value: Any = None) -> None:
        """Note a mistake at the line of a key."""
        line = line_of(self.lines, *path)
        self.problems.append((line, mistake(self.source, line, text, *path, value=value)))

    def study(self) -> DeclaredStudy:
        """Give the study, or raise with all mistakes in the order of their lines."""
        kind = self.given.pop("kind", None)
        if not isinstance(kind, str) or kind not in KINDS:
            if kind is None:
                kinds = ", ".join(f"kind = {toml_value(kind)}" for kind in KINDS)
                self.note(f"kind is missing: the file must say one of {kinds}")
            else:
                self.note(did_you_mean(kind, KINDS), "kind", value=kind)
            raise DeclarationError(text for _, text in self.problems)
        declared_kind = kind_of(kind)
        study = self._validated(declared_kind, self._fields(declared_kind))
        if study is None or self.problems:
            raise DeclarationError(text for _, text in sorted(self.problems, key=lambda problem: problem[0]))
        return study

    def _fields(self, kind: type[DeclaredStudy]) -> dict[str, Any]:
        """Give the fields of a study as its model takes them, as far as their keys are known."""
        known = {name: name for name in kind.model_fields} | {f"{name}_deg": name for name in kind.angles}
        found: dict[str, Any] = {}
        self.keys: dict[str, str] = {}
        for key, value in self.given.items():
            name = known.get(key)
            if name is None:
                self.note(unknown_key(key, known), key)
            elif name in found:
                self.note(f"says the same as {self.keys[name]}: leave one of them out", key)
            else:
                self.keys[name] = key
                found[name] = self._radians(key, value) if key != name else value
        folder = Path(self.source).parent
        if isinstance(said := found.get("ruleset"), Mapping | str):
            found["ruleset"] = self._described("ruleset", said, lambda: self._ruleset(said, folder))
        if isinstance(board := found.get("equipment"), Mapping | str):
            rules = found.get("ruleset")
            preset = (rules if isinstance(rules, RuleSet) else RuleSet.load(RULES)).equipment
            found["equipment"] = self._described("equipment", board, lambda: self._equipment(board, folder, preset))
        if isinstance(found.get("conduct"), Mapping):
            found["conduct"] = self._conduct(found["conduct"])
        return found

    def _validated(self, kind: type[DeclaredStudy], values: dict[str, Any]) -> DeclaredStudy | None:
        told = {name for name, value in values.items() if value is _BAD}
        try:
            return kind.model_validate(values)
        except ValidationError as error:
            for name, text in field_problems(error):
                if name is None:  # of several fields together; the text begins with the one to change
                    key = text.partition(" = ")[0]
                    self.note(text.partition(": ")[2], key, value=self.given.get(key))
                elif name not in told:
                    key = self.keys.get(name, name)
                    self.note(text, key, value=self.given.get(key))
        return None

    def _radians(self, key: str, value: Any) -> Any:
        """Turn degrees into radians, in a distribution too."""
        try:
            return _map_numbers(math.radians, declared(parameter(value)))
        except ValueError as error:
            self.note(str(error), key, value=value)
            return _BAD

    def _described(self, key: str, given: object, describe: Callable[[], object]) -> object:
        """Give what a key names or its table describes, or note what is wrong with that."""
        try:
            return describe()
        except DeclarationError as error:
            self.problems += [(line_of(self.lines, key), text) for text in error.problems]
        except ValueError as error:  # nothing of that name is shipped
            self.note(str(error), key, value=given)
        return _BAD

    def _ruleset(self, given: Mapping[str, Any] | str, folder: Path) -> RuleSet:
        if isinstance(given, str):
            return RuleFile.of(given, folder).rule_set()
        return RuleFile(self.text, given, self.source, folder, at=("ruleset",), extends=RULES).rule_set()

    def _equipment(self, given: Mapping[str, Any] | str, folder: Path, preset: str) -> Equipment:
        if isinstance(given, str):
            return describe(given, folder).equipment
        return Table(self.text, given, self.source, folder, at=("equipment",), extends=preset).description().equipment

    def _conduct(self, given: Mapping[str, Any]) -> object:
        before = len(self.problems)
        for name, value in given.items():
            if name not in RATES:
                self.note(unknown_key(name, RATES), "conduct", name)
                continue
            try:
                DeclaredRates(**{name: value})
            except ValueError as error:
                self.note(str(error).rpartition(": ")[2], "conduct", name, value=value)
        return _BAD if len(self.problems) > before else given


_BAD = object()
"""Stands for a value whose mistake has been told."""


def field_problems(error: ValidationError) -> list[tuple[str | None, str]]:
    """Give each mistake in a study's fields: the field, None if several clash, and what is allowed."""
    return [
        (
            str(problem["loc"][0]) if problem["loc"] else None,
            problem["msg"].removeprefix("Value error, ").replace("Input should", "must"),
        )
        for problem in error.errors()
        if problem["type"]
        != "default_factory_not_called"  # a default that hangs on a bad field is no mistake of its own
    ]


def study_to_toml(study: DeclaredStudy) -> str:
    """Write a study as TOML, nothing left out; `study_from_toml` gives an equal one."""
    plain = study.declaration()
    conduct = plain.pop("conduct", None)
    if isinstance(study, RuledStudy):
        del plain["equipment"], plain["ruleset"]
    lines = []
    for name, value in plain.items():
        degrees = _exact_degrees(value) if name in study.angles else None
        if degrees is not None:
            lines.append(f"{name}_deg = {toml_value(degrees)}")
        elif value is not None:
            lines.append(f"{name} = {toml_value(value)}")
    if conduct is not None:
        lines += ["", "[conduct]", *(f"{name} = {toml_value(rate)}" for name, rate in conduct.items())]
    if isinstance(study, RuledStudy):
        laws = re.sub(r"^\[", "[ruleset.", study.ruleset.to_toml(), flags=re.MULTILINE)
        lines += ["", "[ruleset]", laws, "[equipment]", written(study.equipment)]
    return "\n".join(lines)


def schema(kind: str) -> str:
    """Give the JSON schema of a kind's TOML files, as text."""
    return _shipped(kind, "json")


def template(kind: str) -> str:
    """Give a commented TOML file with the defaults of a kind."""
    return _shipped(kind, "toml")


def _shipped(kind: str, suffix: str) -> str:
    kind_of(kind)
    return (resources.files("carromsim.studies.schema") / f"{kind}.{suffix}").read_text(encoding="utf-8")


def _map_numbers(change: Callable[[float], float], value: Any) -> Any:
    """Change every number of a declared parameter."""
    if isinstance(value, Mapping):
        return {form: [change(number) for number in numbers] for form, numbers in value.items()}
    return change(value)


def _exact_degrees(value: Any) -> Any:
    """Give a declared angle in degrees that read as exactly these radians; None if some number has none."""
    degrees = _map_numbers(_degrees_of, value)
    return degrees if _map_numbers(math.radians, degrees) == value else None


def _degrees_of(radians: float) -> float:
    """Give the shortest number of degrees that is turned into exactly these radians; NaN if there is none."""
    about = math.degrees(radians)
    near = [float(f"{about:.{digits}g}") for digits in range(1, 18)]
    near += [math.nextafter(about, -math.inf), math.nextafter(about, math.inf)]
    return next((degrees for degrees in near if math.radians(degrees) == radians), math.nan)
