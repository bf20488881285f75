"""The laws and the conduct that a study declares: taken from whatever names them, written down in full."""

import dataclasses
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

from carromsim.problems import did_you_mean
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet, rule_set
from carromsim.rules.ruleset_groups import GROUPS, KINDS
from carromsim.toml_files import Source

RATES = tuple(field.name for field in fields(DeclaredRates))
"""What people may do about a stroke, by the names of `DeclaredRates`."""


def ruleset_of(value: Any) -> RuleSet:
    """Give the rule set that a name, a file or `ruleset_declaration` says, or the one that is given.

    Raises
    ------
    ValueError
        If it is none.
    """
    if isinstance(value, Mapping):
        value = _from_declaration(value)
    elif isinstance(value, str | PathLike):
        value = RuleSet.load(value)
    if not isinstance(value, RuleSet):
        raise ValueError("must be a rule set, the name of one, or a file")
    return _without_folders(value)


def ruleset_declaration(rules: RuleSet) -> dict[str, Any]:
    """Give a rule set as plain values that JSON can hold: its groups, and under "laws" the law of each field."""
    groups = {group: dict(vars(getattr(rules, group))) for group in GROUPS}
    laws = {key: rules.law(key) for key in KINDS}
    return {"name": rules.name, "equipment": rules.equipment, **groups, "laws": laws}


def conduct_of(value: Any) -> DeclaredRates:
    """Give rates, or those that a mapping names, as Python's floats.

    Raises
    ------
    ValueError
        If they are none.
    """
    if isinstance(value, DeclaredRates):
        value = dataclasses.asdict(value)
    if not isinstance(value, Mapping):
        raise ValueError("must be rates by name: " + ", ".join(RATES))
    unknown = [f"{name}: {did_you_mean(name, RATES)}" for name in value if name not in RATES]
    if unknown:
        raise ValueError("; ".join(unknown))
    rates = DeclaredRates(**value)
    return DeclaredRates(**{name: float(getattr(rates, name)) for name in RATES})


def _from_declaration(given: Mapping[str, Any]) -> RuleSet:
    values = {key: given.get(key) for key in ("name", "equipment")}
    for group in GROUPS:
        said = given.get(group)
        values |= {f"{group}.{name}": value for name, value in said.items()} if isinstance(said, Mapping) else {}
    laws = given.get("laws")
    expected, told = {"name", "equipment", *GROUPS, "laws"}, set(given)
    if told != expected or set(values) != {"name", "equipment", *KINDS} or not isinstance(laws, Mapping):
        raise ValueError("must name every law and nothing else, as the declaration of a study does")
    sources = {key: Source(str(values["name"]), 1, str(law)) for key, law in laws.items() if key in KINDS}
    return rule_set(values, about="", sources=sources)


def _without_folders(rules: RuleSet) -> RuleSet:
    """Let laws that only a file and a line name be the same wherever the file lies, as a study's bytes are."""
    sources = {key: dataclasses.replace(said, file=Path(said.file).name) for key, said in rules.sources.items()}
    return rules if sources == rules.sources else dataclasses.replace(rules, sources=sources)
