"""What a study may vary: a number, a distribution or a grid, drawn row by row.

A row's value is the quantile of a uniform number that depends on the study's seed, the row and the parameter's slot
alone. So two studies with one seed that differ in a distribution draw from the same place of it, row by row: common
random numbers.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any, TypeAlias

import numpy as np

from carromsim.equipment import did_you_mean
from carromsim.equipment_limits import MOST_FRICTION
from carromsim.streams import Slot, Streams
from carromsim.studies.declaring.distributions import Grid, Normal, Truncated, Uniform, real
from carromsim.surfaces import Surface, surface
from carromsim_kernels.state import FloatArray, IntArray

__all__ = [
    "Distribution",
    "Grid",
    "Normal",
    "Parameter",
    "Truncated",
    "Uniform",
    "combinations",
    "declared",
    "describe",
    "draw",
    "extremes",
    "friction",
    "parameter",
    "up_to",
    "within",
]

Distribution: TypeAlias = Uniform | Normal | Truncated
Parameter: TypeAlias = float | Uniform | Normal | Truncated | Grid
"""What a study may be given for a quantity that it can vary."""

_DISTRIBUTIONS: dict[str, tuple[type[Uniform] | type[Normal] | type[Truncated], str]] = {
    "uniform": (Uniform, "[low, high]"),
    "normal": (Normal, "[mean, sd]"),
    "truncated": (Truncated, "[mean, sd, low, high]"),
}
_FARTHEST = 9.0
"""A number drawn from a normal distribution is nearer to its mean [sd]: chance has no more digits."""

_FORMS = ", ".join(f"{{{form} = {numbers}}}" for form, (_, numbers) in _DISTRIBUTIONS.items()) + ", {grid = [...]}"


def parameter(value: object) -> Parameter:
    """Make a parameter of a number, of itself, or of its declared form such as ``{"uniform": [1.0, 2.0]}``."""
    if isinstance(value, Uniform | Normal | Truncated | Grid):
        return value
    if isinstance(value, Mapping):
        return _from_form(value)
    number = real(value)
    if number is None:
        finite = "a finite number" if isinstance(value, float) else f"a number, or one of {_FORMS}"
        raise ValueError(f"must be {finite}")
    return number


def _from_form(form: Mapping[Any, Any]) -> Parameter:
    if len(form) != 1:
        raise ValueError(f"must have one key: one of {_FORMS}")
    ((name, numbers),) = form.items()
    if name == "grid":
        return _grid(numbers)
    if name not in _DISTRIBUTIONS:
        raise ValueError(f"unknown distribution {name!r}: {did_you_mean(name, [*_DISTRIBUTIONS, 'grid'])}")
    kind, wanted = _DISTRIBUTIONS[name]
    if not isinstance(numbers, list | tuple) or len(numbers) != wanted.count(",") + 1:
        raise ValueError(f"{name} = {numbers!r}: must be {wanted}")
    return kind(*numbers)


def _grid(values: Any) -> Grid:
    if not isinstance(values, Mapping):
        return Grid(values)
    if set(values) != {"from", "to", "count"}:
        raise ValueError("grid: must be a list of numbers, or {from = ..., to = ..., count = ...}")
    return Grid.spaced(values["from"], values["to"], values["count"])


def declared(value: Parameter) -> Any:
    """Give a parameter as plain numbers that JSON can hold and `parameter` reads."""
    if isinstance(value, Grid):
        return {"grid": list(value.values)}
    if isinstance(value, float):
        return value
    return {value.form: list(astuple(value))}


def describe(value: Parameter, scale: float = 1.0) -> str:
    """Say what a parameter is in a few words, its numbers multiplied by `scale` for another unit."""
    if isinstance(value, float):
        return f"{value * scale:g}"
    if isinstance(value, Grid):
        few = [f"{number * scale:g}" for number in value.values]
        shown = few if len(few) <= 6 else [*few[:3], "...", few[-1]]
        return f"grid of {len(few)}: {', '.join(shown)}"
    a, b, *ends = (number * scale for number in astuple(value))
    if isinstance(value, Uniform):
        return f"uniform {a:g} to {b:g}"
    cut = f" within {ends[0]:g} to {ends[1]:g}" if ends else ""
    return f"normal {a:g} +- {b:g}{cut}"


def within(
    low: float = -math.inf, high: float = math.inf, *, above: bool = False, unit: str = ""
) -> Callable[[object], Parameter]:
    """Make a validation of a parameter: every value that can be drawn lies from `low` to `high`.

    Parameters
    ----------
    low, high : float
        Ends, both allowed.
    above : bool
        Whether `low` itself is not allowed.
    unit : str
        For the message.
    """
    of = f" {unit}" if unit else ""
    least = f"greater than {low:g}{of}" if above else f"at least {low:g}{of}"
    both = f"greater than {low:g} and at most {high:g}{of}" if above else f"from {low:g} to {high:g}{of}"
    allowed = least if high == math.inf else both
    if unit == "rad":  # in files and on the command line the value stands in degrees
        allowed += f" ({math.degrees(low):g} to {math.degrees(high):g} degrees)"

    def check(given: object) -> Parameter:
        value = parameter(given)
        if isinstance(value, Normal) and (low, high) != (-math.inf, math.inf):
            raise ValueError(
                f"every value must be {allowed}, and a normal distribution has no ends:"
                f" cut it by {{truncated = [{value.mean:g}, {value.sd:g}, low, high]}}"
            )
        least_drawn, most_drawn = extremes(value)
        if least_drawn < low or most_drawn > high or (above and least_drawn == low):
            raise ValueError(f"{'' if isinstance(value, float) else 'every value '}must be {allowed}")
        return value

    return check


def up_to(most: float, unit: str) -> Callable[[object], Parameter]:
    """Make a validation of a parameter that has no limit but one of reason: from -`most` to `most`.

    A normal distribution will do if all that it can be drawn from lies there.
    """
    check = within(-most, most, unit=unit)

    def look(given: object) -> Parameter:
        value = parameter(given)
        if not isinstance(value, Normal):
            return check(value)
        if abs(value.mean) + _FARTHEST * value.sd > most:
            raise ValueError(f"every value must be from {-most:g} to {most:g} {unit}")
        return value

    return look


_friction_within = within(0.0, MOST_FRICTION, above=True)


def friction(given: object) -> Parameter:
    """Validate the friction of the playing surface; a `Surface`, or {"surface": name}, means any in its range."""
    if isinstance(given, Mapping) and set(given) == {"surface"}:
        given = surface(given["surface"])
    return _friction_within(Uniform(*given.spread) if isinstance(given, Surface) else given)


def extremes(value: Parameter) -> tuple[float, float]:
    """Give the interval in which every value lies that can be drawn."""
    if isinstance(value, float):
        return value, value
    return (min(value.values), max(value.values)) if isinstance(value, Grid) else value.support


def combinations(parameters: Mapping[str, Parameter]) -> int:
    """Count the combinations of grid values; 1 without a grid."""
    return math.prod(len(value) for value in parameters.values() if isinstance(value, Grid))


def draw(
    parameters: Mapping[str, Parameter], slots: Mapping[str, Slot], streams: Streams, rows: IntArray
) -> dict[str, FloatArray]:
    """Give each row its value of every parameter.

    Parameters
    ----------
    parameters : mapping of str to Parameter
        In a fixed order: the last grid changes from row to row, the one before after all values of the last, and
        so on like the digits of a number.
    slots : mapping of str to Slot
        Where each parameter gets its chance from.
    streams : Streams
        Of the study's seed.
    rows : (n,) int64
        Row numbers, in any order.

    Returns
    -------
    dict of str to (n,) float64
        By the names of the parameters.
    """
    values: dict[str, FloatArray] = {}
    period = 1
    for name in reversed(list(parameters)):
        value = parameters[name]
        if isinstance(value, Grid):
            values[name] = np.array(value.values)[rows // period % len(value)]
            period *= len(value)
        elif isinstance(value, float):
            values[name] = np.full(len(rows), value)
        else:
            values[name] = value.quantile(streams.uniform(rows, 0, slots[name]))
    return {name: values[name] for name in parameters}
