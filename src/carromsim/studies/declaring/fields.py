"""Fields that several kinds of study have: what they may be given, and how they are written down."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator

from carromsim.equipment import Equipment
from carromsim.players.skill import Skill, skill_of
from carromsim.rules.referee import DeclaredRates
from carromsim.rules.ruleset import RuleSet
from carromsim.studies.counting.stopping import Until, until_given
from carromsim.studies.declaring.distributions import real
from carromsim.studies.declaring.laws import conduct_of, ruleset_declaration, ruleset_of
from carromsim.studies.declaring.parameters import Grid, Normal, Truncated, Uniform, declared

RULES = "icf"
"""Rule set of a study that names none."""


def plain(value: Any) -> Any:
    """Give the value of a field as JSON can hold it; the field's validation takes it back."""
    if isinstance(value, RuleSet):
        return ruleset_declaration(value)
    if isinstance(value, Equipment | DeclaredRates | Skill):
        return asdict(value)
    if isinstance(value, Until):
        return value.model_dump(exclude_none=True)
    if isinstance(value, BaseModel):
        return {name: plain(getattr(value, name)) for name in type(value).model_fields}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return declared(value) if isinstance(value, Uniform | Normal | Truncated | Grid) else value


def skill_given(value: Any) -> Skill:
    """Give the skill that a name or numbers by name say; the direction's may be in degrees, as sd_angle_deg.

    Raises
    ------
    ValueError
        If it is none.
    """
    if not isinstance(value, Mapping):
        return skill_of(value)
    told = dict(value)
    if "sd_angle_deg" in told and "sd_angle" not in told:
        degrees = real(told.pop("sd_angle_deg"))
        told["sd_angle"] = math.nan if degrees is None else math.radians(degrees)
    names = [field.name for field in dataclasses.fields(Skill)]
    if not {*names[:-1]} <= set(told) <= set(names):
        raise ValueError(
            f"must have {', '.join(names[:-1])} [m, rad or sd_angle_deg, share, rad/s], and may have a name"
        )
    return Skill(**told)


def _plain_int(value: Any) -> Any:
    """Accept NumPy integers; anything else is left to the validation."""
    return int(value) if isinstance(value, np.integer) else value


def _equipment(value: Any) -> Any:
    """Accept the name of a preset, a file and a mapping of fields; one that has a default may be left out."""
    if isinstance(value, Mapping):
        fields = dataclasses.fields(Equipment)
        names = {field.name for field in fields}
        needed = {field.name for field in fields if field.default is field.default_factory is dataclasses.MISSING}
        if odd := (set(value) - names) | (needed - set(value)):
            told = ", ".join(map(repr, sorted(odd, key=str)))
            raise ValueError(f"must have every field of Equipment that has no default, and no others: {told}")
        return Equipment(**value)
    return Equipment.load(value) if isinstance(value, str | PathLike) else value


Laws = Annotated[RuleSet, BeforeValidator(ruleset_of)]
Board = Annotated[Equipment, BeforeValidator(_equipment)]
Number = Annotated[int, BeforeValidator(_plain_int)]
End = Annotated[Until | None, BeforeValidator(until_given)]
Conduct = Annotated[DeclaredRates, BeforeValidator(conduct_of)]
