"""Fields that several kinds of study have: what they may be given, and how they are written down."""

from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from carromsim.equipment import Equipment
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.break_rules import conduct_of, ruleset_declaration, ruleset_of
from carromsim.studies.parameters import Grid, Normal, Truncated, Uniform, declared

RULES = "icf"
"""Rule set of a study that names none."""


def plain(value: Any) -> Any:
    """Give the value of a field as JSON can hold it; the field's validation takes it back."""
    if isinstance(value, RuleSet):
        return ruleset_declaration(value)
    if isinstance(value, Equipment | DeclaredRates):
        return asdict(value)
    return declared(value) if isinstance(value, Uniform | Normal | Truncated | Grid) else value


def _plain_int(value: Any) -> Any:
    """Accept NumPy integers; anything else is left to the validation."""
    return int(value) if isinstance(value, np.integer) else value


def _equipment(value: Any) -> Any:
    """Accept the name of a preset, a file and a mapping of all fields."""
    if isinstance(value, Mapping):
        return Equipment(**value)
    return Equipment.load(value) if isinstance(value, str | PathLike) else value


Laws = Annotated[RuleSet, BeforeValidator(ruleset_of)]
Board = Annotated[Equipment, BeforeValidator(_equipment)]
Number = Annotated[int, BeforeValidator(_plain_int)]
Conduct = Annotated[DeclaredRates, BeforeValidator(conduct_of)]
