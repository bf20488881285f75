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
    "FASTEST",
    "MOST_FRICTION",
    "NUMBERS",
    "OPTIONAL",
    "WORDS",
    "EquipmentError",
    "as_float",
    "as_twenty",
    "field_problems",
    "unit_of",
]


FASTEST = 1e4
"""No speed is greater [m/s]: a thousand times that of a hard break."""

MOST_FRICTION = 100.0
"""No coefficient of friction is greater: rubber has about 1."""


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


def _between(low: float, high: float, unit: str = "", why: str = "") -> Limit:
    return _limit(
        lambda v: low <= v <= high, f"from {low:g} to {high:g}{unit and ' ' + unit}{why and ': ' + why}", unit
    )


# Far beyond any board that could be, and far within what floats can multiply and add.
_SIZE = _between(1e-6, 1e6, "m")
_LENGTH = _between(0, 1e6, "m")
_MASS = _between(1e-9, 1e6, "kg")
_FRICTION = _between(0, MOST_FRICTION)
_SPEED = _between(0, FASTEST, "m/s")
_SHARE = _between(0, 1)
_TANGENTIAL = _between(-1, 1)

NUMBERS: Mapping[str, Limit] = {
    "side": _SIZE,
    "pocket_radius": _LENGTH,
    "pocket_offset": _LENGTH,
    "corner_size": _LENGTH,
    "man_radius": _SIZE,
    "man_mass": _MASS,
    "striker_radius": _SIZE,
    "striker_mass": _MASS,
    "mu_surface": _FRICTION,
    "e_disc": _SHARE,
    "e_cushion": _SHARE,
    "mu_disc": _FRICTION,
    "mu_cushion": _FRICTION,
    "beta_disc": _TANGENTIAL,
    "beta_cushion": _TANGENTIAL,
    "t_contact": _between(
        SHORTEST_CONTACT, LONGEST_CONTACT, "s", "steps resolve nothing shorter, bursts nothing longer"
    ),
    "contact_steps": _limit(
        lambda v: v == int(v) and 10 <= v <= 1000, "a whole number from 10 to 1000: fewer do not resolve a contact"
    ),
    "v_c_disc": _SPEED,
    "v_c_cushion": _SPEED,
    "fall_height": _LENGTH,
    # What the table of the motion law can hold, see carromsim.data.build_motion_table.
    "face": _between(0.89, 1, why="from 0.866 down a disc would end spinning on the spot"),
    "face_hole": _between(0, 0.9, why="motion on a narrower ring is not tabulated"),
    "jump_chance": _SHARE,
    "jump_speed": _SPEED,
    "jump_width": _between(1e-6, FASTEST, "m/s"),
    "gravity": _between(1e-6, 1e6, "m/s^2"),
    "front_line_distance": _SIZE,
    "base_line_distance": _SIZE,
    "base_line_half_length": _SIZE,
    "end_circle_offset": _LENGTH,
    "end_circle_guard": _SIZE,
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

EACH_DISC: Mapping[str, Limit] = {"disc_radius": _SIZE, "disc_mass": _MASS}
"""Fields that are a number per disc: what each may be."""

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
            each, numbers = EACH_DISC[field], as_twenty(value)
            fits = numbers is not None and all(map(each.accept, numbers))
            wrong = None if fits else f"must be {N_DISCS} numbers {each.allowed}"
        else:
            limit = NUMBERS[field]
            wrong = None if limit.accept(as_float(value)) else f"must be {limit.allowed}"
        if wrong is not None:
            problems.append(Problem(field, value, f"{wrong} or None" if field in OPTIONAL else wrong))
    return problems


def unit_of(field: str) -> str:
    """Give the unit of a field of `Equipment`; "" for words and pure numbers."""
    limits = {**NUMBERS, **EACH_DISC}
    return limits[field].unit if field in limits else ""


def as_float(value: object) -> float:
    """Return a number as float, anything else as NaN, which no field accepts."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def as_twenty(value: object) -> tuple[float, ...] | None:
    """Return a number per disc as floats, NaN for what is none; None for anything but twenty."""
    if not isinstance(value, list | tuple | np.ndarray):
        return None
    numbers = tuple(as_float(number) for number in value)
    return numbers if len(numbers) == N_DISCS else None
