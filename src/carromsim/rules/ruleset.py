"""A rule set: a frozen, validated record of every law that the referee applies. The shipped ones: data/rules/*.toml."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carromsim.equipment import PRESETS
from carromsim.problems import ImpossibleError, Problem, did_you_mean, name_problem
from carromsim.rules.ruleset_groups import (
    GROUPS,
    KINDS,
    Dues,
    End,
    Match,
    Opening,
    Placing,
    Queen,
    Score,
    Stroke,
    Turn,
)
from carromsim.rules.ruleset_pairs import clashes
from carromsim.toml_files import Source
from carromsim_kernels.laws import RULE_PARAMS

__all__ = ["NAMES", "RuleSet", "RuleSetError"]

NAMES = ("ukca", "caint", "icf", "bell_i", "bell_ii", "usca", "short_set", "point")
"""The shipped rule sets."""

KEYS = ("name", "equipment", *KINDS)
"""Everything that a rule set says: its name, its equipment, and "group.field" of each law."""

LAW_SEPARATOR = "; "
"""Between the laws of a list in a table, so that none may have it in its name."""

_CODES = {key.replace(".", "_"): key for key in KINDS}
"""From the kernel's names to keys."""


class RuleSetError(ImpossibleError):
    """A rule set that cannot be: a value that its field does not know, or two that contradict each other."""

    what = "rule set"


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """The laws of a game of carrom.

    Two rule sets are equal if they say the same, whoever says so. A number that is not there is None; "none" is read
    as None, as in files.

    Attributes
    ----------
    name : str
        Kept by `replace` unless changed there.
    equipment : str
        Preset of the equipment that goes with the laws, see `Equipment.preset`.
    opening, stroke, turn, dues, placing, queen, end, score, match
        The laws, in groups; docs/rules.md lists their fields.
    about : str
        What it is, in a line.
    sources : mapping of str to Source
        By "group.field": where a file says the value, and the comment behind it, which begins with the law.

    Raises
    ------
    RuleSetError
        A ValueError: it names every field with its value and what is allowed.
    """

    name: str
    equipment: str
    opening: Opening
    stroke: Stroke
    turn: Turn
    dues: Dues
    placing: Placing
    queen: Queen
    end: End
    score: Score
    match: Match
    about: str = dataclasses.field(default="", compare=False)
    sources: Mapping[str, Source] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check every field, then what they say together; all problems of a kind appear in one error."""
        wrong_groups = [
            Problem(group, getattr(self, group), f"must be a {kind.__name__}")
            for group, kind in GROUPS.items()
            if not isinstance(getattr(self, group), kind)
        ]
        if wrong_groups:
            raise RuleSetError(wrong_groups)
        for group in GROUPS:
            said = getattr(self, group)
            clean = {name: KINDS[f"{group}.{name}"].clean(value) for name, value in vars(said).items()}
            object.__setattr__(self, group, dataclasses.replace(said, **clean))
        problems = [*field_problems(self.values), *law_problems(self.sources)]
        if not problems:
            problems = [clash.problem() for clash in clashes(self.values)]
        if problems:
            raise RuleSetError(problems)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the shipped rule sets."""
        return NAMES

    @classmethod
    def load(cls, origin: str | PathLike[str]) -> "RuleSet":
        """Give a shipped rule set, or read one from a TOML file.

        Parameters
        ----------
        origin : str or path
            A file: a path object, or text that ends in ".toml" or has a slash in it. Other text is a shipped name.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake of a file with its line and key.
        ValueError
            If no rule set of that name is shipped.
        """
        from carromsim.rules.ruleset_files import load

        return load(origin)

    def to_toml(self) -> str:
        """Write everything as TOML, with the comment of each law; `load` gives an equal rule set."""
        from carromsim.rules.ruleset_files import written

        return written(self)

    def replace(self, changes: Mapping[str, object]) -> "RuleSet":
        """Copy with some laws changed, validated like any other.

        Parameters
        ----------
        changes : mapping of str to object
            By "group.field", also "name" and "equipment".

        Raises
        ------
        RuleSetError
            If the result is no rule set.
        ValueError
            If a key is unknown.

        Examples
        --------
        >>> RuleSet.load("icf").replace({"queen.value": 5, "opening.attempts": 2}).law("queen.value")
        'changed'
        """
        unknown = [f"{key!r}: {did_you_mean(key, KEYS)}" for key in changes if key not in KEYS]
        if unknown:
            raise ValueError("unknown field of a rule set " + "; ".join(unknown))
        sources = {key: source for key, source in self.sources.items() if key not in changes}
        return rule_set(self.values | dict(changes), about=self.about, sources=sources)

    @property
    def values(self) -> dict[str, Any]:
        """Everything that it says, by "name", "equipment" and "group.field", a new dict."""
        laws = {f"{group}.{name}": value for group in GROUPS for name, value in vars(getattr(self, group)).items()}
        return {"name": self.name, "equipment": self.equipment, **laws}

    def differing(self, other: "RuleSet") -> tuple[str, ...]:
        """Name the fields of which another rule set says something else, by the keys of `values`; names apart.

        >>> RuleSet.load("icf").differing(RuleSet.load("icf").replace({"queen.value": 5}))
        ('queen.value',)
        """
        one, two = self.values, other.values
        return tuple(key for key in one if key != "name" and one[key] != two[key])

    @property
    def params(self) -> NDArray[np.void]:
        """The laws as the kernel reads them, (1,) of `carromsim_kernels.laws.RULE_PARAMS`, a new array."""
        values = self.values
        codes = tuple(KINDS[_CODES[name]].code(values[_CODES[name]]) for name in RULE_PARAMS.names or ())
        return np.array([codes], RULE_PARAMS)

    def law(self, key: str) -> str:
        """Say which law a value is.

        Parameters
        ----------
        key : str
            "group.field".

        Returns
        -------
        str
            As "UKCA F4": the beginning of the comment behind the value, up to its first colon and space; "[A] " before
            it marks an assumption. Without a comment "FILE:LINE"; "changed" if no file says the value.

        Raises
        ------
        ValueError
            If there is no such field.
        """
        if key not in KEYS:
            raise ValueError(f"unknown field of a rule set {key!r}: {did_you_mean(key, KEYS)}")
        source = self.sources.get(key)
        return "changed" if source is None else law_of(source)


def law_of(source: Source) -> str:
    """Say which law a value is that was said there; see `RuleSet.law`."""
    return source.comment.partition(": ")[0] or f"{source.file}:{source.line}"


def law_problems(sources: Mapping[str, Source]) -> list[Problem]:
    """Find the laws that could not be told apart in a list of several; folders of files are never in one."""
    laws = {key: law_of(dataclasses.replace(said, file=Path(said.file).name)) for key, said in sources.items()}
    wrong = f"must be one law, without {LAW_SEPARATOR!r} in it; what is said about it stands behind ': '"
    return [Problem(key, law, wrong) for key, law in laws.items() if LAW_SEPARATOR in law]


def field_problems(values: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with each of some values by itself, by the keys of `RuleSet.values`; not all need be there."""
    problems = []
    for key, value in values.items():
        if key == "name":
            wrong = name_problem(value)
        elif key == "equipment":
            known = isinstance(value, str) and value in PRESETS
            wrong = None if known else did_you_mean(value, PRESETS)
        else:
            wrong = KINDS[key].problem(KINDS[key].clean(value))
        if wrong is not None:
            problems.append(Problem(key, value, wrong))
    return problems


def rule_set(values: Mapping[str, Any], about: str, sources: Mapping[str, Source]) -> RuleSet:
    """Make a rule set of what `RuleSet.values` gives."""
    groups = {
        group: kind(**{field.name: values[f"{group}.{field.name}"] for field in dataclasses.fields(kind)})
        for group, kind in GROUPS.items()
    }
    return RuleSet(name=values["name"], equipment=values["equipment"], **groups, about=about, sources=sources)
