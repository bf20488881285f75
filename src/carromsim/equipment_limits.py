"""What the fields of `Equipment` may be, each by itself, and the error that says what they may not."""

import math
from collections.abc import Callable, Mapping
from numbers import Real
from typing import NamedTuple

import numpy as np

from carromsim.problems import ImpossibleError, Problem, did_you_mean, name_problem
from carromsim_kernels.state import LONGEST_CONTACT, N_DISCS, SHORTEST_CONTACT

__all__ = [
    "EACH_DISC",
    "NUMBERS",
    "OPTIONAL",
    "WORDS",
    "EquipmentError",
    "as_float",
    "as_twenty",
    "field_problems",
    "unit_of",
]


class EquipmentError(ImpossibleError):
    """Equipment that cannot be."""

    what = "equipment"


class Limit(NamedTuple):
    """What a number may be: the test, the same in words, and its unit."""

    accept: Callable[[float], bool]
    allowed: str
    unit: str


def _limit(condition: Callable[[float], bool], allowed: str, unit: str = "") -> Limit:
    return Limit(lambda value: math.isfinite(value) and condition(value), allowed, unit)


_POSITIVE_M = _limit(lambda v: v > 0, "a finite number > 0 m", "m")
_LENGTH = _limit(lambda v: v >= 0, "a finite number >= 0 m", "m")
_POSITIVE_KG = _limit(lambda v: v > 0, "a finite number > 0 kg", "kg")
_FRICTION = _limit(lambda v: v >= 0, "a finite number >= 0")
_RESTITUTION = _limit(lambda v: 0 <= v <= 1, "from 0 to 1")
_SPEED = _limit(lambda v: v >= 0, "a finite number >= 0 m/s", "m/s")
_TANGENTIAL = _limit(lambda v: -1 <= v <= 1, "from -1 to 1")

NUMBERS: Mapping[str, Limit] = {
    "side": _POSITIVE_M,
    "pocket_radius": _LENGTH,
    "pocket_offset": _LENGTH,
    "corner_size": _LENGTH,
    "man_radius": _POSITIVE_M,
    "man_mass": _POSITIVE_KG,
    "striker_radius": _POSITIVE_M,
    "striker_mass": _POSITIVE_KG,
    "mu_surface": _FRICTION,
    "e_disc": _RESTITUTION,
    "e_cushion": _RESTITUTION,
    "mu_disc": _FRICTION,
    "mu_cushion": _FRICTION,
    "beta_disc": _TANGENTIAL,
    "beta_cushion": _TANGENTIAL,
    "t_contact": _limit(
        lambda v: SHORTEST_CONTACT <= v <= LONGEST_CONTACT,
        f"from {SHORTEST_CONTACT:g} to {LONGEST_CONTACT:g} s: steps resolve nothing shorter, bursts nothing longer",
        "s",
    ),
    "contact_steps": _limit(
        lambda v: v == int(v) and 10 <= v <= 1000, "a whole number from 10 to 1000: fewer do not resolve a contact"
    ),
    "v_c_disc": _SPEED,
    "v_c_cushion": _SPEED,
    "fall_height": _LENGTH,
    # What the table of the motion law can hold, see carromsim.data.build_motion_table.
    "face": _limit(lambda v: 0.89 <= v <= 1, "from 0.89 to 1: from 0.866 down a disc would end spinning on the spot"),
    "face_hole": _limit(lambda v: 0 <= v <= 0.9, "from 0 to 0.9: motion on a narrower ring is not tabulated"),
    "jump_chance": _limit(lambda v: 0 <= v <= 1, "from 0 to 1"),
    "jump_speed": _SPEED,
    "jump_width": _limit(lambda v: v > 0, "a finite number > 0 m/s", "m/s"),
    "gravity": _limit(lambda v: v > 0, "a finite number > 0 m/s^2", "m/s^2"),
    "front_line_distance": _POSITIVE_M,
    "base_line_distance": _POSITIVE_M,
    "base_line_half_length": _POSITIVE_M,
    "end_circle_offset": _LENGTH,
    "end_circle_guard": _POSITIVE_M,
    "arrow_half_width": _LENGTH,
}
"""Fields that are a number: whether one will do, and what is allowed."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "contact": ("compliant", "sequential"),
    "force_law": ("hertz", "linear"),
    "capture_rule": ("tipping", "centre"),
    "corner": ("rounded", "right_angled", "cut_away"),
}
"""Fields that are a word, and the words that they may be."""

EACH_DISC: Mapping[str, str] = {"disc_radius": "m", "disc_mass": "kg"}
"""Fields that are a number per disc, and its unit."""

OPTIONAL = frozenset({*EACH_DISC, "end_circle_guard", "arrow_half_width"})
"""Fields that may be None."""


def field_problems(values: Mapping[str, object]) -> list[Problem]:
    """Find what is wrong with each of some fields, by itself.

    Parameters
    ----------
    values : mapping of str to object
        By field of `Equipment`; not all need be there.
    """
    problems = []
    for field, value in values.items():
        if value is None and field in OPTIONAL:
            continue
        if field == "name":
            wrong = name_problem(value)
        elif field in WORDS:
            known = isinstance(value, str) and value in WORDS[field]
            wrong = None if known else did_you_mean(value, WORDS[field])
        elif field in EACH_DISC:
            fits = as_twenty(value) is not None
            wrong = None if fits else f"must be {N_DISCS} finite numbers > 0 {EACH_DISC[field]}"
        else:
            limit = NUMBERS[field]
            wrong = None if limit.accept(as_float(value)) else f"must be {limit.allowed}"
        if wrong is not None:
            problems.append(Problem(field, value, f"{wrong} or None" if field in OPTIONAL else wrong))
    return problems


def unit_of(field: str) -> str:
    """Give the unit of a field of `Equipment`; "" for words and pure numbers."""
    return EACH_DISC[field] if field in EACH_DISC else NUMBERS[field].unit if field in NUMBERS else ""


def as_float(value: object) -> float:
    """Return a number as float, anything else as NaN, which no field accepts."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def as_twenty(value: object) -> tuple[float, ...] | None:
    """Return a number per disc as floats; None for anything else."""
    if not isinstance(value, list | tuple | np.ndarray):
        return None
    numbers = tuple(as_float(number) for number in value)
    return numbers if len(numbers) == N_DISCS and all(0.0 < number < math.inf for number in numbers) else None
