"""What a study of variants is told: the variants, who plays them, and what else might matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from carromsim.equipment import Equipment
from carromsim.problems import did_you_mean
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.ruleset_groups import GROUPS
from carromsim.studies.declaring.declare import field_problems
from carromsim.studies.declaring.fields import Board, Conduct, Laws, Number
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.declaration import PlayDeclaration, PlayersDeclaration, Policies, Skills
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.variants.rows import Blocks
from carromsim.toml_files import Source

MOST_VARIANTS = 50
NAME = r"^[A-Za-z0-9_.+-]+$"
"""What a variant may be called: it stands before a colon in the keys of metrics."""
RULES = ("icf", "ukca")
"""What is compared if nothing is named."""
FRICTIONS = (0.05, 0.13)
"""Ends of the range of the friction on a powdered board, see docs/equipment.md."""

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _changes(value: Any) -> Any:
    """Spell out nested tables as "group.field", as a file of rules nests them."""
    if not isinstance(value, Mapping):
        raise ValueError('must be fields of the rule set with their values, as {"queen.value": 5}')
    found: dict[str, Any] = {}
    for key, said in value.items():
        nested = key in GROUPS and isinstance(said, Mapping)
        told = {f"{key}.{name}": inner for name, inner in said.items()} if nested else {str(key): said}
        if twice := told.keys() & found.keys():
            raise ValueError(f"{min(twice)} is there twice")
        found |= told
    return {key: "none" if said is None else said for key, said in found.items()}


class Variant(BaseModel):
    """One of the variants that are compared. What it does not declare is that of the study.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        The laws, a shipped rule set's name, or a TOML file.
    name : str, optional
        What it is called; default: as the rule set.
    changes : mapping, optional
        Fields of the rule set that have another value, by "group.field".
    policy, skill, equipment, gap, rotation, conduct : optional
        As in the study, for this variant alone: then more than the rules differs.
    """

    model_config = _FROZEN
    angles: ClassVar[tuple[str, ...]] = ("rotation",)

    ruleset: Laws
    name: str = Field(
        default_factory=lambda given: given["ruleset"].name, validate_default=True, pattern=NAME, max_length=60
    )
    changes: Annotated[dict[str, Any], BeforeValidator(_changes)] = {}
    policy: Policies | None = None
    skill: Skills | None = None
    equipment: Board | None = None
    gap: Annotated[float | None, Field(ge=0)] = None
    rotation: float | None = None
    conduct: Conduct | None = None

    @field_validator("changes")
    @classmethod
    def _make_a_rule_set(cls, changes: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if "ruleset" in info.data:
            _changed(info.data["ruleset"], changes)
        return changes

    @property
    def rules(self) -> RuleSet:
        """The laws with the changes. A changed field names itself as the law that decides."""
        return _changed(self.ruleset, self.changes)

    @property
    def declared(self) -> dict[str, Any]:
        """What it declares besides its rules, by field."""
        fields = ("policy", "skill", "equipment", "gap", "rotation", "conduct")
        return {name: getattr(self, name) for name in fields if getattr(self, name) is not None}


def _changed(rules: RuleSet, changes: Mapping[str, Any]) -> RuleSet:
    if not changes:
        return rules
    sources = {key: Source("", 0, f"changed {key}: {value}") for key, value in changes.items()}
    found = rules.replace(changes)
    return replace(found, sources={**found.sources, **sources})


def _variants(value: Any) -> Any:
    """Give variants as a tuple; a rule set, or what names one, is a variant."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError("must be a list of variants, each a rule set or a table with ruleset and what differs")
    return tuple({"ruleset": each} if isinstance(each, str | PathLike | RuleSet) else each for each in value)


def _distinct(variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    names = [variant.name for variant in variants]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is there twice: every variant must have a name of its own")
    return variants


def _each(value: Any) -> Any:
    """Give values as a tuple."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError("must be a list")
    return tuple(value)


class Sensitivity(BaseModel):
    """What might change the conclusions: each value is a scenario, in which all variants are played again with it.

    Parameters
    ----------
    rows : int
        Boards, or matches, of each variant in each scenario, at least 2.
    skill, policy : list
        Of both sides, or pairs, as in the study.
    mu_surface : list of float
        Friction of discs on the playing surface.
    """

    model_config = _FROZEN

    rows: Number = Field(default=500, ge=2, le=2**40)
    skill: Annotated[tuple[Skills, ...], BeforeValidator(_each)] = Field(
        default=("novice", "expert"), validate_default=True
    )
    policy: Annotated[tuple[Policies, ...], BeforeValidator(_each)] = Field(default=("random",), validate_default=True)
    mu_surface: Annotated[tuple[Annotated[float, Field(ge=0)], ...], BeforeValidator(_each)] = FRICTIONS

    @property
    def scenarios(self) -> "tuple[Scenario, ...]":
        """One for each value."""
        skills = [
            (_named([one.name or f"own{place}" for one in pair]), pair) for place, pair in enumerate(self.skill, 1)
        ]
        return (
            *(Scenario(f"skill={name}", "skill", pair) for name, pair in skills),
            *(Scenario(f"policy={_named(pair)}", "policy", pair) for pair in self.policy),
            *(Scenario(f"mu_surface={value:g}", "mu_surface", value) for value in self.mu_surface),
        )

    @model_validator(mode="after")
    def _no_two_alike(self) -> Self:
        names = [scenario.name for scenario in self.scenarios]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"{twice[0]} is there twice")
        return self


def _named(pair: Sequence[str]) -> str:
    """Name what both sides have, or each of them."""
    return pair[0] if pair[0] == pair[1] else "/".join(pair)


@dataclass(frozen=True)
class Scenario:
    """What is otherwise than declared, for all variants; the comparison itself has no name and no field."""

    name: str = ""
    field: str = ""
    value: Any = None


class VariantDeclaration(PlayersDeclaration):
    """The fields of a study of variants, with what they may be, and the study of players that each cell is."""

    nested: ClassVar[Mapping[str, type[BaseModel]]] = {"variants": Variant, "sensitivity": Sensitivity}
    ends_early: ClassVar[bool] = False

    variants: Annotated[
        tuple[Variant, ...],
        BeforeValidator(_variants),
        AfterValidator(_distinct),
        Field(min_length=2, max_length=MOST_VARIANTS),
    ] = Field(default=RULES, validate_default=True)
    baseline: str = Field(default_factory=lambda given: given["variants"][0].name)
    equipment: Board = Field(default_factory=lambda given: _board_of(given["variants"], given["baseline"]))
    matches: Annotated[Number | None, Field(ge=1, le=2**40)] = None
    boards: Annotated[Number | None, Field(ge=1, le=2**40)] = Field(
        default_factory=lambda given: None if given["matches"] else 2000
    )
    sensitivity: Sensitivity | None = None

    @field_validator("baseline")
    @classmethod
    def _is_a_variant(cls, baseline: str, info: ValidationInfo) -> str:
        names = [variant.name for variant in info.data.get("variants", ())]
        if names and baseline not in names:
            raise ValueError(did_you_mean(baseline, names))
        return baseline

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        if (self.boards is None) == (self.matches is None):
            raise ValueError(f"matches = {self.matches}: must have boards or matches, and not both")
        for scenario in self.scenarios:
            for variant in self.variants:
                try:
                    self.cell(scenario, variant)
                except ValueError as error:
                    where = f"{variant.name!r}{f' with {scenario.name}' if scenario.name else ''}"
                    given, _, why = _reason(error).partition(": ")
                    if given.partition(" = ")[0] in {"gap", "jitter"} - variant.declared.keys():
                        raise ValueError(f"{given}: {where} cannot be played: {why}") from None
                    raise ValueError(f"variants = {where}: {where} cannot be played: {given}: {why}") from None
        return self

    @property
    def unit(self) -> str:
        """What is played with one luck: a "board", or a "match"."""
        return "board" if self.matches is None else "match"

    @property
    def numbers(self) -> int:
        """How many boards or matches each variant plays in the comparison itself."""
        return self.boards or self.matches or 0

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The comparison itself, then what is looked at besides."""
        return (Scenario(), *(self.sensitivity.scenarios if self.sensitivity else ()))

    @property
    def blocks(self) -> Blocks:
        """Which row is what."""
        least = self.sensitivity.rows if self.sensitivity else 0
        return Blocks(len(self.variants), (self.numbers, *[least] * (len(self.scenarios) - 1)))

    @property
    def others(self) -> tuple[Variant, ...]:
        """All variants but the baseline."""
        return tuple(variant for variant in self.variants if variant.name != self.baseline)

    @property
    def base(self) -> Variant:
        """The variant with which the others are compared."""
        return next(variant for variant in self.variants if variant.name == self.baseline)

    def is_usual(self, scenario: Scenario) -> bool:
        """Tell whether a scenario has the value that the study has anyway."""
        usual = self.equipment.mu_surface if scenario.field == "mu_surface" else getattr(self, scenario.field)
        return bool(usual == scenario.value)

    def cell(self, scenario: Scenario, variant: Variant) -> PlayDeclaration:
        """Give the study of players that a variant is in a scenario: its number k is played with luck k."""
        fields = {name: getattr(self, name) for name in PlayersDeclaration.model_fields if name != "until"}
        fields |= {"equipment": self.equipment, **variant.declared, "ruleset": variant.rules, "keep_strokes": False}
        if scenario.field == "mu_surface":
            fields["equipment"] = fields["equipment"].replace(mu_surface=scenario.value)
        elif scenario.field:
            fields[scenario.field] = scenario.value
        count = self.numbers if not scenario.field or self.sensitivity is None else self.sensitivity.rows
        return MatchStudy(**fields, matches=count) if self.unit == "match" else BoardStudy(**fields, boards=count)


def _board_of(variants: Sequence[Variant], baseline: str) -> Equipment:
    """Give the equipment that the baseline's rule set names."""
    return Equipment.preset(next(each for each in variants if each.name == baseline).rules.equipment)


def _reason(error: ValueError) -> str:
    """Word why a cell cannot be played, on one line."""
    if not isinstance(error, ValidationError):
        return "; ".join(str(error).splitlines())
    return "; ".join(f"{name}: {text}" if name else text for name, text in field_problems(error))
