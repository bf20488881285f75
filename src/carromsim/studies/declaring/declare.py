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

from pydantic import BaseModel, ValidationError

from carromsim.equipment import Equipment
from carromsim.equipment_files import Table, describe, written
from carromsim.problems import did_you_mean
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_files import RuleFile
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.declaring.fields import RULES, plain
from carromsim.studies.declaring.laws import RATES
from carromsim.studies.declaring.parameters import declared, parameter
from carromsim.studies.kinds import KINDS, kind_of
from carromsim.toml import DeclarationError, UnreadableError, mistake, parse, read_text, toml_value, unknown_key
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

Keys = tuple[str, ...]
"""Of a key, from the top; tables of an array are numbered from 0."""


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
        self.keys: dict[Keys, str] = {}
        found = self._known(kind, self.given, ())
        for name, model in kind.nested.items():
            if name in found:
                found[name] = self._nested(model, found[name], name)
        return self._resolved(found, ())

    def _known(self, model: type[BaseModel], given: Mapping[str, Any], at: Keys) -> dict[str, Any]:
        """Give the values of a table by the fields of its model, angles in radians."""
        angles: tuple[str, ...] = getattr(model, "angles", ())
        known = {name: name for name in model.model_fields} | {f"{name}_deg": name for name in angles}
        found: dict[str, Any] = {}
        for key, value in given.items():
            name = known.get(key)
            if name is None:
                self.note(unknown_key(key, known), *at, key)
            elif name in found:
                self.note(f"says the same as {self.keys[*at, name]}: leave one of them out", *at, key)
            else:
                self.keys[*at, name] = key
                found[name] = self._radians(value, *at, key) if key != name else value
        return found

    def _nested(self, model: type[BaseModel], given: Any, name: str) -> Any:
        """Give the tables of a field that is a table or an array of tables; what is neither is left to the model."""
        if isinstance(given, Mapping):
            return self._resolved(self._known(model, given, (name,)), (name,))
        if not isinstance(given, list):
            return given
        found = []
        for number, told in enumerate(given):
            at = (name, str(number))
            table = {"ruleset": told} if isinstance(told, str) else told  # a name alone is that of a rule set
            found.append(self._resolved(self._known(model, table, at), at) if isinstance(table, Mapping) else told)
        return found

    def _resolved(self, found: dict[str, Any], at: Keys) -> dict[str, Any]:
        """Put what is named or described in a table in place of names and tables."""
        folder = Path(self.source).parent
        if isinstance(said := found.get("ruleset"), Mapping | str):
            found["ruleset"] = self._described((*at, "ruleset"), said, lambda: self._ruleset(said, folder, at))
        if isinstance(board := found.get("equipment"), Mapping | str):
            preset = _preset(found)
            path = (*at, "equipment")
            found["equipment"] = self._described(path, board, lambda: self._equipment(board, folder, preset, at))
        if isinstance(found.get("conduct"), Mapping):
            found["conduct"] = self._conduct(found["conduct"], at)
        return found

    def _validated(self, kind: type[DeclaredStudy], values: dict[str, Any]) -> DeclaredStudy | None:
        try:
            return kind.model_validate(values)
        except ValidationError as error:
            for path, text in _located(error, kind):
                if not path:  # of several fields together; the text begins with the one to change
                    key = text.partition(" = ")[0]
                    self.note(text.partition(": ")[2], key, value=self.given.get(key))
                elif _at(values, path) is not _BAD:
                    told = (*path[:-1], self.keys.get(path, path[-1]))
                    self.note(text, *told, value=_at(self.given, told))
        return None

    def _radians(self, value: Any, *path: str) -> Any:
        """Turn degrees into radians, in a distribution too."""
        try:
            return _map_numbers(math.radians, declared(parameter(value)))
        except ValueError as error:
            self.note(str(error), *path, value=value)
            return _BAD

    def _described(self, path: Keys, given: object, describe: Callable[[], object]) -> object:
        """Give what a key names or its table describes, or note what is wrong with that."""
        try:
            return describe()
        except UnreadableError as error:
            self.note(str(error), *path, value=given)
        except DeclarationError as error:
            self.problems += [(line_of(self.lines, *path), text) for text in error.problems]
        except ValueError as error:  # nothing of that name is shipped
            self.note(str(error), *path, value=given)
        return _BAD

    def _ruleset(self, given: Mapping[str, Any] | str, folder: Path, at: Keys) -> RuleSet:
        if isinstance(given, str):
            return RuleFile.of(given, folder).rule_set()
        return RuleFile(self.text, given, self.source, folder, at=(*at, "ruleset"), extends=RULES).rule_set()

    def _equipment(self, given: Mapping[str, Any] | str, folder: Path, preset: str, at: Keys) -> Equipment:
        if isinstance(given, str):
            return describe(given, folder).equipment
        path = (*at, "equipment")
        return Table(self.text, given, self.source, folder, at=path, extends=preset).description().equipment

    def _conduct(self, given: Mapping[str, Any], at: Keys) -> object:
        before = len(self.problems)
        for name, value in given.items():
            path = (*at, "conduct", name)
            if name not in RATES:
                self.note(unknown_key(name, RATES), *path)
                continue
            try:
                DeclaredRates(**{name: value})
            except ValueError as error:
                self.note(str(error).rpartition(": ")[2], *path, value=value)
        return _BAD if len(self.problems) > before else given


_BAD = object()
"""Stands for a value whose mistake has been told."""


def _preset(found: Mapping[str, Any]) -> str:
    """Name the equipment of the rule set that a table names, or its baseline; else that of the default."""
    rules = found.get("ruleset", _baseline(found).get("ruleset"))
    return (rules if isinstance(rules, RuleSet) else RuleSet.load(RULES)).equipment


def _baseline(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the variant that a table names as its baseline, or the first; nothing if there is none."""
    listed = found.get("variants")
    variants = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    for each in variants:
        if each.get("name", getattr(each.get("ruleset"), "name", None)) == found.get("baseline"):
            return each
    return variants[0] if variants else {}


def _at(given: Any, path: Keys) -> Any:
    """Give what stands at a path of keys and numbers; None if nothing does."""
    for part in path:
        if isinstance(given, Mapping):
            given = given.get(part)
        elif isinstance(given, list) and part.isdigit() and int(part) < len(given):
            given = given[int(part)]
        else:
            return None
    return given


def field_problems(error: ValidationError) -> list[tuple[str | None, str]]:
    """Give each mistake in a study's fields: the field, None if several clash, and what is allowed."""
    return [(str(loc[0]) if loc else None, text) for loc, text in _problems(error)]


def _located(error: ValidationError, kind: type[DeclaredStudy]) -> list[tuple[Keys, str]]:
    """Give each mistake with the path of its key: () if several fields clash, longer ones of nested tables."""
    return [
        (tuple(map(str, loc[:3] if loc and loc[0] in kind.nested else loc[:1])), text) for loc, text in _problems(error)
    ]


def _problems(error: ValidationError) -> list[tuple[tuple[int | str, ...], str]]:
    return [
        (problem["loc"], problem["msg"].removeprefix("Value error, ").replace("Input should", "must"))
        for problem in error.errors()
        if problem["type"]
        != "default_factory_not_called"  # a default that hangs on a bad field is no mistake of its own
    ]


def study_to_toml(study: DeclaredStudy) -> str:
    """Write a study as TOML, nothing left out; `study_from_toml` gives an equal one."""
    return "\n".join([f"kind = {toml_value(study.kind)}", *_written(study, "")])


def _written(model: BaseModel, at: str) -> list[str]:
    """Write the fields of a model: values first, then those that are tables; `at` stands before names of tables."""
    lines: list[str] = []
    tables: list[str] = []
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, DeclaredRates):
            rates = (f"{rate} = {toml_value(each)}" for rate, each in plain(value).items())
            tables += ["", f"[{at}{name}]", *rates]
        elif isinstance(value, RuleSet):
            laws = re.sub(r"^\[", f"[{at}{name}.", value.to_toml(), flags=re.MULTILINE)
            tables += ["", f"[{at}{name}]", laws]
        elif isinstance(value, Equipment):
            tables += ["", f"[{at}{name}]", written(value)]
        elif name in getattr(model, "nested", ()) and value is not None:
            several = isinstance(value, tuple)
            for each in value if several else (value,):
                tables += ["", f"[[{name}]]" if several else f"[{name}]", *_written(each, f"{name}.")]
        else:
            lines += _line(model, name, plain(value))
    return lines + tables


def _line(model: BaseModel, name: str, value: Any) -> list[str]:
    """Write a value; an angle in degrees if that reads as the same. None: nothing."""
    degrees = _exact_degrees(value) if name in getattr(model, "angles", ()) and value is not None else None
    if degrees is not None:
        return [f"{name}_deg = {toml_value(degrees)}"]
    return [] if value is None else [f"{name} = {toml_value(value)}"]


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
