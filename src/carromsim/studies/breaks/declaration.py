"""What a break study is told: its fields, what they may be, and how they are written down."""

import math
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from carromsim.layouts import opening
from carromsim.rules.referee import DeclaredRates
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
from carromsim.studies.declaring.fields import Conduct, Number
from carromsim.studies.declaring.parameters import (
    Grid,
    Parameter,
    Truncated,
    Uniform,
    combinations,
    extremes,
    within,
)

SLOTS = {
    "rotation": Slot.ROTATION,
    "gap": Slot.GAP,
    "x": Slot.INTENDED_X,
    "angle": Slot.INTENDED_ANGLE,
    "speed": Slot.INTENDED_SPEED,
    "spin": Slot.INTENDED_SPIN,
    **COEFFICIENT_SLOTS,
}
"""What may vary from row to row. The order fixes that of grids: it is never changed, new names go to the end."""


_Unlimited = PlainValidator(within())


class BreakDeclaration(RuledStudy):
    """The fields of a break study, as `BreakStudy` explains them, with what they may be."""

    kind: ClassVar[str] = "break"
    noun: ClassVar[str] = "strokes"
    angles: ClassVar[tuple[str, ...]] = ("rotation", "angle", "sd_angle")

    strokes: Number = Field(default=20_000, ge=1, le=2**40)
    seed: Number = Field(default=1, ge=0, lt=2**64)
    rotation: Annotated[Parameter, _Unlimited] = 0.0
    gap: Annotated[Parameter, PlainValidator(within(0.0, unit="m"))] = 0.00005
    jitter: Annotated[float | None, Field(ge=0)] = given_later()
    x: Annotated[Parameter, _Unlimited] = 0.0
    angle: Annotated[Parameter, _Unlimited] = math.pi / 2
    speed: Speed = 6.0
    spin: Spin = 0.0
    mu_surface: Friction = given_later()
    e_disc: Restitution = given_later()
    e_cushion: Restitution = given_later()
    mu_disc: DiscFriction = given_later()
    v_c_disc: Speed = given_later()
    v_c_cushion: Speed = given_later()
    t_contact: Duration = given_later()
    sd_x: float = Field(default=0.001, ge=0)
    sd_angle: float = Field(default=math.radians(0.7), ge=0)
    sd_speed: float = Field(default=0.05, ge=0)
    sd_spin: float = Field(default=5.0, ge=0)
    conduct: Conduct = DeclaredRates()

    _coefficients = field_validator(*COEFFICIENTS, mode="before")(of_equipment)

    @field_validator("gap")
    @classmethod
    def _pack_fits(cls, gap: Parameter, given: ValidationInfo) -> Parameter:
        """Lay the widest pack once: one that is too wide is an error here and not in every row."""
        rotation = given.data.get("rotation", 0.0)
        turn = rotation if isinstance(rotation, float) else 0.0  # no turn needs more room than 0, corners to the frames
        if "equipment" in given.data:  # else that is the error to report
            equipment, widest = given.data["equipment"], extremes(gap)[1]
            try:
                opening(equipment, rotation=turn, gap=widest).check(equipment, striker=False)
            except ValueError as error:
                first = str(error).removeprefix("impossible layout: ").partition(";")[0]
                raise ValueError(f"{widest:g} m leaves no room for the pack: {first}") from None
        return gap

    @field_validator("jitter", mode="before")
    @classmethod
    def _none_is_the_most_jitter(cls, jitter: Any, given: ValidationInfo) -> Any:
        """Fill in the most that the gap allows; None stays where that differs from row to row."""
        gap = given.data.get("gap")
        return gap / (2.0 * math.sqrt(2.0)) if jitter is None and isinstance(gap, float) else jitter

    @field_validator("jitter")
    @classmethod
    def _jitter_fits(cls, jitter: float | None, given: ValidationInfo) -> float | None:
        if jitter is not None and "gap" in given.data:
            largest = extremes(given.data["gap"])[0] / (2.0 * math.sqrt(2.0))
            if jitter > largest * (1.0 + 1e-12):
                raise ValueError(f"must be from 0 to gap / (2 sqrt 2) = {largest:g} m")
        return jitter

    @field_validator("x")
    @classmethod
    def _x_is_legal(cls, x: Parameter, given: ValidationInfo) -> Parameter:
        """Refuse chosen places that are foul; drawn ones only have to be on the board and are corrected."""
        if "equipment" not in given.data:
            return x
        equipment = given.data["equipment"]
        for value in x.values if isinstance(x, Grid) else (x,) if isinstance(x, float) else ():
            check_placement(value, equipment)
        if isinstance(x, Uniform | Truncated):
            within(-equipment.side / 2, equipment.side / 2, unit="m")(x)
        return x

    @model_validator(mode="after")
    def _grids_are_finished(self) -> Self:
        count = combinations(self.parameters)
        if count > self.strokes:
            raise ValueError(
                f"strokes = {self.strokes}: must be at least {count}, one for each combination of the grids"
            )
        return self

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What may vary from row to row, by field; the last grid changes fastest."""
        return {name: getattr(self, name) for name in SLOTS}
