"""A calibration for people: tables for a terminal."""

import math

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from carromsim.calibration.kinds import KINDS
from carromsim.calibration.result import ADVICE, Calibration, Found

_WORDS = {
    "mu_surface": "friction on the surface",
    "e_cushion": "restitution of the frame",
    "mu_cushion": "friction at the frame",
    "e_disc": "restitution of two discs",
    "mu_disc": "friction between discs",
}


def calibration_report(found: Calibration) -> RenderableType:
    """Lay out what was found, how well it fits, and what to measure next.

    Parameters
    ----------
    found : Calibration

    Returns
    -------
    rich renderable
        To be printed by a `rich.console.Console`.
    """
    data = found.measurements
    count = len(data.rows)
    title = Text(f"Calibration of {data.name}, equipment {data.equipment.name}, {count} measurement{'s'[: count != 1]}")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading, justify in (("Coefficient", "left"), ("value", "right"), ("95 % interval", "left"), ("", "left")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    for one in found.found.values():
        table.add_row(one.name, one.written(one.value), _interval(one), _WORDS[one.name])
    parts: list[RenderableType] = [title, Text(), table, Text(), Text(_fit(found))]
    if found.worst is not None:
        parts.append(_worst(found))
    wanted = [one.name for one in found.found.values() if one.status != "found"]
    if wanted:
        parts += [Text(), _advice(wanted)]
    return Group(*parts)


def _advice(wanted: list[str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("To know")
    table.add_column("add")
    for name in wanted:
        table.add_row(name, ADVICE[name])
    return table


def _interval(found: Found) -> str:
    if found.status == "unknown":
        return "the data cannot tell"
    if found.status == "found":
        return f"{found.written(found.low)} to {found.written(found.high)}"
    return found.bound


def _fit(found: Calibration) -> str:
    """Say how well the measurements agree with one another."""
    if found.p_value is None:
        return "Fit       as many unknowns as numbers: nothing tells whether they agree"
    freedom = f"{found.dof} degree{'s'[: found.dof != 1]} of freedom"
    told = f"Fit       chi-square {found.chi2:.1f} for {freedom}, {_chance(found.p_value)}"
    if found.widened == 1.0:
        return told
    return (
        f"{told}\nWarning   the numbers scatter {found.widened:.1f} times as far as their errors say; the intervals are"
        " that much wider"
    )


def _chance(p_value: float) -> str:
    return f"p = {p_value:.2g}" if p_value >= 0.001 else "p < 0.001"


def _worst(found: Calibration) -> Text:
    """Name the measurement that disagrees most."""
    worst = found.worst
    if worst is None:
        return Text()
    units = {key: quantity.unit for key, quantity in KINDS[worst.kind].measured.items()}
    numbers = ", ".join(
        f"{key} {_amount(value, units[key])} (fit {_amount(worst.expected[key], units[key])})"
        for key, value in worst.measured.items()
    )
    head = "Warning   look again at" if worst.suspicious else "Farthest "
    style = "yellow" if worst.suspicious else ""
    return Text(f"{head} {worst.label}, {worst.deviation:.1f} standard errors off\n          {numbers}", style=style)


def _amount(value: float, unit: str) -> str:
    if unit == "rad":
        value, unit = math.degrees(value), "deg"
    return f"{value:.4g}{unit and ' ' + unit}"
