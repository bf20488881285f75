"""Properties of the equipment that a study may vary from row to row, because nobody has measured them well."""

from typing import Annotated, Any

from pydantic import Field, PlainValidator, ValidationInfo

from carromsim.equipment_limits import FASTEST, MOST_FRICTION
from carromsim.streams import Slot
from carromsim.strokes import FASTEST_SPIN
from carromsim.studies.declaring.parameters import Parameter, friction, up_to, within
from carromsim_kernels.state import LONGEST_CONTACT, SHORTEST_CONTACT

__all__ = ["COEFFICIENTS", "COEFFICIENT_SLOTS", "DiscFriction", "Duration", "Friction", "Restitution", "Speed", "Spin"]

COEFFICIENT_SLOTS = {
    "mu_surface": Slot.MU_SURFACE,
    "e_disc": Slot.E_DISC,
    "e_cushion": Slot.E_CUSHION,
    "mu_disc": Slot.MU_DISC,
    "v_c_disc": Slot.V_C_DISC,
    "v_c_cushion": Slot.V_C_CUSHION,
    "t_contact": Slot.T_CONTACT,
}
"""Where each gets its chance from. The order fixes that of grids: it is never changed, new names go to the end."""

COEFFICIENTS = tuple(COEFFICIENT_SLOTS)

Friction = Annotated[Parameter, PlainValidator(friction)]
Restitution = Annotated[Parameter, PlainValidator(within(0.0, 1.0))]
DiscFriction = Annotated[Parameter, PlainValidator(within(0.0, MOST_FRICTION))]
Speed = Annotated[Parameter, PlainValidator(within(0.0, FASTEST, unit="m/s"))]
Spin = Annotated[Parameter, PlainValidator(up_to(FASTEST_SPIN, "rad/s"))]
Duration = Annotated[Parameter, PlainValidator(within(SHORTEST_CONTACT, LONGEST_CONTACT, unit="s"))]


def given_later() -> Any:
    """Give the default of a field that a validator fills in from the fields before: None, which is accepted too."""
    return Field(default=None, validate_default=True)


def of_equipment(value: Any, given: ValidationInfo) -> Any:
    """Fill in the equipment's value where none is given; to be run before the validation of `COEFFICIENTS`."""
    if value is not None:
        return value
    if "equipment" not in given.data:
        return 1e-4  # anything: the study is refused for its equipment
    return getattr(given.data["equipment"], str(given.field_name))
