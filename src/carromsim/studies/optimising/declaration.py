"""What a search for a break is told: its fields, and what they may be."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PlainValidator, ValidationError, model_validator

from carromsim.players.policy import policy_of
from carromsim.players.skill import Skill
from carromsim.problems import did_you_mean
from carromsim.rules.referee import DeclaredRates
from carromsim.strokes import FASTEST_SPIN
from carromsim.studies.breaks.metrics import METRICS
from carromsim.studies.declared import RuledStudy
from carromsim.studies.declaring.declare import field_problems
from carromsim.studies.declaring.distributions import real
from carromsim.studies.declaring.fields import Conduct, Number, skill_given
from carromsim.studies.optimising.course import Question
from carromsim.studies.optimising.jobs import BOARD_WON, CONDITIONS, Setting
from carromsim.studies.optimising.plan import Plan
from carromsim.studies.optimising.space import SLOWEST, Space

TERMS = (*METRICS, BOARD_WON)
"""What an objective may be made of."""
PARETO_TERMS = 2
"""Terms that a Pareto search trades off: a front of three is no picture that anybody reads."""
ROBUSTNESS = {
    "gap": (0.00002, 0.0002),
    "mu_surface": (0.05, 0.13),
    "e_disc": (0.75, 0.93),
    "e_cushion": (0.6, 0.8),
}
"""The ranges that docs/equipment.md gives for powdered boards and their discs; of the gap a tight and a loose pack."""


def _objective(value: Any) -> dict[str, float]:
    """Check the terms of an objective and their weights."""
    if not isinstance(value, Mapping) or not value:
        raise ValueError("must be weights by term, as in {men = 1.0, striker = -1.0}")
    found = {}
    for name, weight in value.items():
        if name not in TERMS:
            raise ValueError(f"{name}: {did_you_mean(name, TERMS)}")
        number = real(weight)
        if number is None or number == 0.0:
            raise ValueError(f"{name} = {weight!r}: must be a finite number other than 0")
        found[str(name)] = number
    return found


def _robustness(value: Any) -> dict[str, tuple[float, ...]]:
    """Check other conditions, by name."""
    if not isinstance(value, Mapping):
        raise ValueError("must be lists of values by condition, as in {gap = [0.00002, 0.0002]}")
    found = {}
    for name, values in value.items():
        if name not in CONDITIONS:
            raise ValueError(f"{name}: {did_you_mean(name, CONDITIONS)}")
        listed = values if isinstance(values, Sequence) and not isinstance(values, str) else [values]
        numbers = [real(each) for each in listed]
        if None in numbers:
            raise ValueError(f"{name} = {values!r}: must be a list of finite numbers")
        found[str(name)] = tuple(number for number in numbers if number is not None)
    return found


def _policy(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a name: random, greedy, lookahead or lookahead:N")
    policy_of(value)
    return value


Objective = Annotated[dict[str, float], PlainValidator(_objective)]
Robustness = Annotated[dict[str, tuple[float, ...]], PlainValidator(_robustness)]


class OptimiseDeclaration(RuledStudy):
    """The fields of a search for a break, as `BreakOptimisation` explains them, with what they may be."""

    kind: ClassVar[str] = "optimise"
    noun: ClassVar[str] = "evaluated breaks"
    sequential: ClassVar[bool] = True
    ends_early: ClassVar[bool] = False

    skill: Annotated[Skill, PlainValidator(skill_given)] = Field(default="club", validate_default=True)
    objective: Objective = Field(default={"men": 1.0}, validate_default=True)
    pareto: bool = False
    policy: Annotated[str, PlainValidator(_policy)] = "greedy"
    seed: Number = Field(default=1, ge=0, lt=2**64)
    gap: float = Field(default=0.00005, ge=0)
    jitter: Annotated[float | None, Field(ge=0)] = None
    conduct: Conduct = DeclaredRates()
    fastest: float = Field(default=10.0, gt=SLOWEST, le=20.0)
    most_spin: float = Field(default=100.0, gt=0.0, le=FASTEST_SPIN)
    straight_speed: float = Field(default=6.0, ge=SLOWEST)
    scouts: Number = Field(default=240, ge=1, le=100_000)
    restarts: Number = Field(default=5, ge=1, le=100)
    generations: Number = Field(default=20, ge=1, le=1000)
    candidates: Number = Field(default=12, ge=4, le=1000)
    strokes: Number = Field(default=500, ge=2, le=2**20)
    finalists: Number = Field(default=8, ge=1, le=1000)
    finalist_strokes: Number = Field(default=10_000, ge=2, le=2**24)
    verdict_strokes: Number = Field(default=20_000, ge=2, le=2**24)
    map_points: Number = Field(default=9, ge=0, le=101)
    map_strokes: Number = Field(default=4000, ge=2, le=2**24)
    robustness: Robustness = Field(default=ROBUSTNESS, validate_default=True)
    robustness_strokes: Number = Field(default=10_000, ge=2, le=2**24)

    @model_validator(mode="after")
    def _can_be_searched(self) -> Self:
        if self.straight_speed > self.fastest:
            raise ValueError(
                f"straight_speed = {self.straight_speed:g}: must be at most fastest = {self.fastest:g} m/s"
            )
        if self.scouts < self.restarts - 1:
            raise ValueError(
                f"scouts = {self.scouts}: must be at least {self.restarts - 1}, one for each further start"
            )
        if self.pareto and len(self.objective) != PARETO_TERMS:
            raise ValueError(
                f"pareto = true: objective must have {PARETO_TERMS} terms to trade off, not {len(self.objective)}"
            )
        largest = self.gap / (2.0 * math.sqrt(2.0))
        if self.jitter is not None and self.jitter > largest * (1.0 + 1e-12):
            raise ValueError(f"jitter = {self.jitter:g}: must be from 0 to gap / (2 sqrt 2) = {largest:g} m")
        straight = self.space.straight(self.straight_speed)
        for conditions in ((), *(((name, value),) for name, value in self.conditions)):
            try:
                self.setting.under(conditions).break_study(straight, 1)
            except ValueError as error:
                told = "".join(f"robustness = {{{name} = {value:g}}}" for name, value in conditions)
                raise ValueError(f"{told or f'gap = {self.gap:g}'}: {_first_problem(error)}") from None
        return self

    @property
    def conditions(self) -> tuple[tuple[str, float], ...]:
        """Other conditions under which the winner is played again, one at a time."""
        return tuple((name, value) for name, values in self.robustness.items() for value in values)

    @property
    def space(self) -> Space:
        """The breaks among which is searched; the pack may be turned if the rule set lets the breaker do so."""
        return Space(self.equipment, self.fastest, self.most_spin, self.ruleset.opening.rotation == "free")

    @property
    def setting(self) -> Setting:
        """All that is not searched."""
        names = ("ruleset", "equipment", "skill", "policy", "seed", "gap", "jitter", "conduct")
        return Setting(**{name: getattr(self, name) for name in names}, terms=tuple(self.objective))

    @property
    def plan(self) -> Plan:
        """What is evaluated in which row. A Pareto search has no one winner to map, and all finalists get a verdict."""
        finalists = self.finalists + self.restarts + 1
        later = (self.finalist_strokes, self.verdict_strokes, self.map_strokes, self.robustness_strokes)
        return Plan(
            scouts=self.scouts if self.restarts > 1 else 0,
            restarts=self.restarts,
            generations=self.generations,
            candidates=self.candidates,
            finalists=finalists,
            verdicts=finalists if self.pareto else 2,
            mapped=0 if self.pareto else self.map_points * len(self.space.names),
            conditions=0 if self.pareto else len(self.conditions),
            strokes=(self.strokes, self.strokes, *later),
        )

    @property
    def question(self) -> Question:
        """What is searched for, whoever evaluates it."""
        return Question(
            plan=self.plan,
            space=self.space,
            weights=self.objective,
            pareto=self.pareto,
            seed=self.seed,
            straight_speed=self.straight_speed,
            map_points=self.map_points,
            conditions=self.conditions,
            usual=self.setting.value,
        )


def _first_problem(error: ValueError) -> str:
    """Word the first reason why a break cannot be played, on one line."""
    if not isinstance(error, ValidationError):
        return str(error).partition("\n")[0]
    name, text = field_problems(error)[0]
    return f"{name}: {text}" if name else text
