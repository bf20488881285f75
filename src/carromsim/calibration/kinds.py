"""The kinds of measurement: what may be told of each, in which range, how well a phone sees it, and what is enough."""

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from carromsim.calibration import laws
from carromsim.calibration.laws import FloatArray, Values

FPS = 240.0
"""Frames per second of a phone's slow motion."""

FASTEST = 10.0
"""Of a flicked striker [m/s]: a finger tip reaches 9.5 to 11 m/s, and a hard stroke is a guess at 5 to 9."""


@dataclass(frozen=True)
class Quantity:
    """Something that is measured, or given as exact.

    Attributes
    ----------
    unit : str
        SI; empty for a pure number.
    low, high : float
        What is accepted, ends included.
    error : float
        Standard error unless the file gives one, in the unit: the part that does not grow with the value.
    share : float
        The part that does, relative to the value.
    """

    unit: str
    low: float
    high: float
    error: float = 0.0
    share: float = 0.0

    def standard_error(self, value: float) -> float:
        """Default standard error of a value: both parts in quadrature."""
        return math.hypot(self.error, self.share * value)


# Two positions read to 1 mm each, 10 frames apart: 0.034 m/s; 1 % for the scale.
_SPEED = Quantity("m/s", 0.0, 30.0, 0.03, 0.01)
_SIGNED_SPEED = Quantity("m/s", -30.0, 30.0, 0.03, 0.01)
# Start and end read to 1.4 mm each; half a percent for perspective and scale.
_DISTANCE = Quantity("m", 1e-3, 50.0, 0.002, 0.005)
_SIGNED_DISTANCE = Quantity("m", -50.0, 50.0, 0.002, 0.005)
# The start to a frame; but the last 20 ms before the stop are a quarter of a millimetre.
_TIME = Quantity("s", 0.01, 300.0, 0.010)
_ANGLE = Quantity("rad", -math.pi / 2, math.pi / 2, math.radians(1.5))  # two directions over 5 to 10 cm each

_OVER_TIME = Quantity("s", 0.0, 1.0)
_MASS = Quantity("kg", 1e-4, 1.0)

Start = Callable[[Values, float], FloatArray]


@dataclass(frozen=True)
class Kind:
    """A kind of measurement.

    Attributes
    ----------
    measured : mapping of str to Quantity
        What may be measured, by key.
    law : callable
        What to expect.
    coefficients : frozenset of str
        Those that the law may depend on, by the names of `Coefficients`.
    unseen : tuple of frozenset of str
        One entry for each true value that the law starts from: the keys of which any tells something about it. It is
        fitted where one of them was measured, and stays at its first guess elsewhere.
    start : callable
        First guess of those, (unseen, n), from the measured values (NaN where there is none) and the deceleration.
    missing : callable
        From the keys that are there: what is missing or too much, or an empty text.
    given : mapping of str to Quantity
        What may be given as exact.
    discs : mapping of str to str
        Keys that say "striker" or "man", and their defaults.
    """

    measured: Mapping[str, Quantity]
    law: laws.Law
    coefficients: frozenset[str]
    unseen: tuple[frozenset[str], ...]
    start: Start
    missing: Callable[[Set[str]], str]
    given: Mapping[str, Quantity] = field(default_factory=dict)
    discs: Mapping[str, str] = field(default_factory=dict)


def _known(values: Values, *keys: str) -> FloatArray:
    """Take the first of these values that is measured, else 1."""
    found = np.ones_like(next(iter(values.values())))
    for key in reversed(keys):
        found = np.where(np.isnan(values[key]), found, values[key])
    return found


def _from_distance(distance: FloatArray, slowing: float) -> FloatArray:
    return np.sign(distance) * np.sqrt(2.0 * slowing * np.abs(distance))


def _start_slide(values: Values, slowing: float) -> FloatArray:
    by = {
        "speed": values["speed"],
        "both": 2.0 * values["distance"] / values["time"],
        "distance": _from_distance(values["distance"], slowing),
        "time": slowing * values["time"],
    }
    return np.array([_known(by, *by)])


def _start_cushion(values: Values, slowing: float) -> FloatArray:
    back = {"in": values["speed_in"], "out": values["speed_out"] / 0.7}
    towards = _known(back, *back)
    # If the way along is not told, it came in straight; but with an impulse along, at least as fast as that asks for.
    sticking = 3.0 * 1.7 * towards * np.nan_to_num(values["impulse_ratio"])
    along = {"in": values["along_in"], "out": values["along_out"] / 0.8, "none": sticking}
    return np.array([towards, _known(along, *along)])


def _start_hit(values: Values, slowing: float) -> FloatArray:
    by = {
        "speed": values["speed"],
        "target": values["target_speed"],
        "after": np.abs(values["speed_after"]),
        "target_slide": _from_distance(values["target_distance"], 1.0),  # in units of sqrt(mu g 1 m)
        "slide": np.abs(_from_distance(values["distance"], 1.0)),
    }
    return np.array([np.maximum(_known(by, *by), 0.01)])


def _start_cut(values: Values, slowing: float) -> FloatArray:
    return np.array([values["cut"], _known(values, "target_speed")])


def _start_runs(values: Values, slowing: float) -> FloatArray:
    return np.array([values["speed"]])


def _slide_misses(keys: Set[str]) -> str:
    if "deceleration" in keys:
        clash = keys & {"distance", "time"}
        return f"deceleration comes from the same film as {' and '.join(sorted(clash))}: leave one out" if clash else ""
    if len(keys & {"speed", "distance", "time"}) >= 2:
        return ""
    return "needs two of speed, distance and time, or deceleration"


def _cushion_misses(keys: Set[str]) -> str:
    if "impulse_ratio" in keys and "along_out" in keys:
        return "impulse_ratio comes from the same film as along_out: leave one out"
    if ("along_in" in keys) != ("along_out" in keys) and "impulse_ratio" not in keys:
        return "along_in and along_out tell nothing without each other"
    if {"speed_in", "speed_out"} <= keys or ("impulse_ratio" in keys and not keys & {"speed_in", "speed_out"}):
        return ""
    return "needs speed_in and speed_out"


def _hit_misses(keys: Set[str]) -> str:
    measured = ("speed", "speed_after", "target_speed", "distance", "target_distance")
    return "" if len(keys & set(measured)) >= 2 else f"needs two of {', '.join(measured[:-1])} and {measured[-1]}"


def _cut_misses(keys: Set[str]) -> str:
    enough = "cut" in keys and ("throw" in keys or {"spin", "target_speed"} <= keys)
    return "" if enough else "needs cut, and throw or both spin and target_speed"


def _runs_misses(keys: Set[str]) -> str:
    if {"speed", "speed_at_most"} <= keys:
        return "speed_at_most is for an unknown speed: leave one out"
    return "" if "runs" in keys else "needs runs"


KINDS: Mapping[str, Kind] = {
    "slide": Kind(  # a disc slides to rest
        measured={
            "speed": _SPEED,
            "distance": _DISTANCE,
            "time": _TIME,
            "deceleration": Quantity("m/s^2", 1e-3, 10.0, 0.0, 0.05),
        },
        law=laws.slide,
        coefficients=frozenset({"mu_surface"}),
        unseen=(frozenset({"speed", "distance", "time"}),),
        start=_start_slide,
        missing=_slide_misses,
        given={"over_time": _OVER_TIME},
    ),
    "cushion": Kind(  # a disc without spin rebounds from the frame
        measured={
            "speed_in": Quantity("m/s", 0.05, 30.0, 0.03, 0.01),
            "speed_out": _SPEED,
            "along_in": _SIGNED_SPEED,
            "along_out": _SIGNED_SPEED,
            "impulse_ratio": Quantity("", 0.0, 1.0, 0.03),
        },
        law=laws.cushion,
        coefficients=frozenset({"mu_surface", "e_cushion", "mu_cushion"}),
        unseen=(frozenset({"speed_in", "speed_out"}), frozenset({"along_in", "along_out", "impulse_ratio"})),
        start=_start_cushion,
        missing=_cushion_misses,
        given={"over_time": _OVER_TIME},
    ),
    "hit": Kind(  # a disc hits a resting one head-on
        measured={
            "speed": _SPEED,
            "speed_after": _SIGNED_SPEED,
            "target_speed": _SPEED,
            "distance": _SIGNED_DISTANCE,
            "target_distance": _DISTANCE,
        },
        law=laws.hit,
        coefficients=frozenset({"mu_surface", "e_disc"}),
        unseen=(frozenset({"speed", "speed_after", "target_speed", "distance", "target_distance"}),),
        start=_start_hit,
        missing=_hit_misses,
        given={"over_time": _OVER_TIME, "mass": _MASS, "target_mass": _MASS},
        discs={"disc": "striker", "target": "man"},
    ),
    "cut": Kind(  # a disc without spin hits a resting one off-centre
        measured={
            "cut": Quantity("rad", 0.0, math.radians(85.0), math.radians(1.5)),
            "throw": _ANGLE,
            "target_speed": _SPEED,
            "spin": Quantity("rad/s", 0.0, 2000.0, 0.5, 0.03),  # a mark read to 5 degrees over 0.2 s
        },
        law=laws.cut,
        coefficients=frozenset({"mu_surface", "e_disc", "mu_disc"}),
        unseen=(frozenset({"cut"}), frozenset({"target_speed", "spin"})),
        start=_start_cut,
        missing=_cut_misses,
        given={"over_time": _OVER_TIME},
        discs={"target": "man"},
    ),
    "runs": Kind(  # the laws' run test: a striker runs to and fro between the frames
        measured={
            "runs": Quantity("", 0.1, 40.0, 0.05),
            "speed": Quantity("m/s", 0.1, 30.0, 0.03, 0.01),
        },
        law=laws.runs,
        coefficients=frozenset({"mu_surface", "e_cushion"}),
        unseen=(frozenset({"speed"}),),
        start=_start_runs,
        missing=_runs_misses,
        given={"speed_at_most": Quantity("m/s", 0.1, 30.0)},
    ),
}
"""By the name of their tables in a file."""
