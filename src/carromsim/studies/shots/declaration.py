"""What a shot study is told: its fields, and what they may be."""

import math
from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, PlainValidator, field_validator, model_validator

from carromsim.equipment import Equipment
from carromsim.equipment_limits import FASTEST
from carromsim.layouts import Layout, arrange
from carromsim.players.skill import Skill
from carromsim.streams import Slot
from carromsim.strokes import check_placement
from carromsim.studies.declared import RuledStudy
from carromsim.studies.declaring.coefficients import (
    COEFFICIENT_SLOTS,
    COEFFICIENTS,
    DiscFriction,
    Duration,
    Friction,
    Restitution,
    Speed,
    Spin,
    given_later,
    of_equipment,
)
from carromsim.studies.declaring.distributions import real
from carromsim.studies.declaring.fields import Number, skill_given
from carromsim.studies.declaring.parameters import Grid, Parameter, combinations, within
from carromsim.studies.shots.positions import family, lay
from carromsim.tables.schemas import POCKET_NAMES
from carromsim_kernels.state import FloatArray

SLOTS = {
    "distance": Slot.SHOT_DISTANCE,
    "cut": Slot.SHOT_CUT,
    "x": Slot.INTENDED_X,
    "speed": Slot.INTENDED_SPEED,
    "spin": Slot.INTENDED_SPIN,
    **COEFFICIENT_SLOTS,
}
"""What may vary from trial to trial; the order fixes that of grids."""

MOST_SKILLS, MOST_BLOCKERS = 20, 9
STEEPEST = math.radians(80.0)
"""Largest cut."""
_LAID = 1000
"""Combinations of grid values that are laid to see whether they are possible."""

Automatic = Parameter | None


def _skills(value: Any) -> tuple[Skill, ...]:
    """Give the skills that one or a list of them say."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    skills = tuple(skill_given(each) for each in (value if several else [value]))
    if not 1 <= len(skills) <= MOST_SKILLS:
        raise ValueError(f"{len(skills)} skills: must be 1 to {MOST_SKILLS}")
    names = [skill.name for skill in skills if skill.name]
    if len(set(names)) < len(names):
        raise ValueError(f"{', '.join(names)}: no two may have one name")
    return skills


def _points(value: Any) -> tuple[tuple[float, float], ...]:
    """Give points from a list of pairs."""
    wrong = ValueError(f"must be a list [[x, y], ...] of at most {MOST_BLOCKERS} men, in m")
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MOST_BLOCKERS:
        raise wrong
    points = []
    for point in value:
        if not isinstance(point, Sequence) or isinstance(point, str) or len(point) != 2:
            raise wrong
        x, y = real(point[0]), real(point[1])
        if x is None or y is None:
            raise wrong
        points.append((x, y))
    return tuple(points)


def _speed(value: Any) -> Automatic:
    """Validate a speed; None leaves it to the study."""
    return None if value is None else within(0.0, FASTEST, above=True, unit="m/s")(value)


class ShotDeclaration(RuledStudy):
    """The fields of a shot study, as `ShotStudy` explains them, with what they may be."""

    kind: ClassVar[str] = "shot"
    noun: ClassVar[str] = "strokes"
    angles: ClassVar[tuple[str, ...]] = ("cut",)

    strokes: Number = Field(default=10_000, ge=1, le=2**40)
    seed: Number = Field(default=1, ge=0, lt=2**64)
    skill: Annotated[tuple[Skill, ...], PlainValidator(_skills)] = Field(default="club", validate_default=True)
    way: Literal["direct", "bank"] = "direct"
    pocket: Literal["bottom left", "bottom right", "top right", "top left"] = "top right"
    distance: Annotated[Parameter, PlainValidator(within(0.0, above=True, unit="m"))] = 0.4
    cut: Annotated[Parameter, PlainValidator(within(-STEEPEST, STEEPEST, unit="rad"))] = 0.0
    x: Annotated[Parameter, PlainValidator(within())] = 0.0
    speed: Annotated[Automatic, PlainValidator(_speed)] = None
    spin: Spin = 0.0
    mu_surface: Friction = given_later()
    e_disc: Restitution = given_later()
    e_cushion: Restitution = given_later()
    mu_disc: DiscFriction = given_later()
    v_c_disc: Speed = given_later()
    v_c_cushion: Speed = given_later()
    t_contact: Duration = given_later()
    blockers: Annotated[tuple[tuple[float, float], ...], PlainValidator(_points)] = ()

    _coefficients = field_validator(*COEFFICIENTS, mode="before")(of_equipment)

    @field_validator("x")
    @classmethod
    def _x_is_legal(cls, x: Parameter, given: Any) -> Parameter:
        """Refuse chosen places that are foul; drawn ones are moved to the nearest that is not."""
        if "equipment" in given.data:
            for value in x.values if isinstance(x, Grid) else (x,) if isinstance(x, float) else ():
                check_placement(value, given.data["equipment"])
        return x

    @field_validator("blockers")
    @classmethod
    def _blockers_fit(cls, blockers: Any, given: Any) -> Any:
        if "equipment" in given.data:
            arrange(black=blockers).check(given.data["equipment"], striker=False)
        return blockers

    @model_validator(mode="after")
    def _shots_are_possible(self) -> Self:
        """Lay the man for chosen numbers and grids, so that a shot that cannot be is an error and not in every row."""
        count = combinations(self.parameters)
        if count > self.strokes:
            raise ValueError(
                f"strokes = {self.strokes}: must be at least {count}, one for each combination of the grids"
            )
        chosen = [_chosen(getattr(self, name)) for name in ("x", "distance", "cut")]
        shared = family(self.equipment, self.pocket_number, self.way == "bank")
        for x, distance, cut in islice(product(*chosen), _LAID):
            shot = lay(shared, x, distance, cut)
            why = shot if isinstance(shot, str) else _in_the_way(self.blockers, shot.x, shot.y, self.equipment)
            if why is not None:
                raise ValueError(_no_such_shot(x, distance, cut, why))
        return self

    def why_impossible(self, drawn: Mapping[str, FloatArray]) -> str:
        """Say why a shot that was drawn, the first of (n,) each, cannot be laid."""
        x, distance, cut = (float(drawn[name][0]) for name in ("x", "distance", "cut"))
        why = lay(family(self.equipment, self.pocket_number, self.way == "bank"), x, distance, cut)
        return _no_such_shot(x, distance, cut, str(why))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What may vary from trial to trial, by field; the last grid changes fastest. No speed if it is automatic."""
        return {name: getattr(self, name) for name in SLOTS if getattr(self, name) is not None}

    @property
    def pocket_number(self) -> int:
        """Number of the pocket."""
        return POCKET_NAMES.index(self.pocket)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the skills; for one that has none, its number in the declaration, from 1."""
        return tuple(skill.name or str(number) for number, skill in enumerate(self.skill, 1))


def _chosen(parameter: Parameter) -> tuple[float, ...]:
    """Give the values that are chosen and not drawn."""
    return parameter.values if isinstance(parameter, Grid) else (parameter,) if isinstance(parameter, float) else ()


def _no_such_shot(x: float, distance: float, cut: float, why: str) -> str:
    return f"distance = {distance:g}: no such shot from x = {x:g} m with a cut of {math.degrees(cut):g} degrees: {why}"


def _in_the_way(blockers: Sequence[tuple[float, float]], x: float, y: float, equipment: Equipment) -> str | None:
    """Say what is wrong with a man at (x, y) among the blockers."""
    layout: Layout = arrange(white=[(x, y)], black=blockers)
    try:
        layout.check(equipment, striker=False)
    except ValueError as error:
        return str(error).removeprefix("impossible layout: ")
    return None
