"""The command `carromsim equipment`, and the option --equipment of others."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from carromsim.cli.app import BadInput, app
from carromsim.cli.printing import print_json, print_parts, table

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.equipment_files import Description

equipment = App(name="equipment", help="Tell what presets, surfaces and your own boards are, and who says so.")
app.command(equipment)


def equipment_of(origin: str, option: str = "--equipment") -> "Equipment":
    """Give a preset, or read a file of equipment.

    Parameters
    ----------
    origin : str
        What was given.
    option : str
        Where it was given; for the message.

    Raises
    ------
    BadInput
        With every mistake in the file.
    """
    return _described(origin, option).equipment


def _described(origin: str, option: str = "") -> "Description":
    from carromsim.equipment_files import describe
    from carromsim.toml import DeclarationError

    try:
        return describe(origin)
    except DeclarationError as error:  # its messages name the file
        raise BadInput(str(error)) from None
    except ValueError as error:
        raise BadInput(f"{option} {origin}: {error}" if option else str(error)) from None


@equipment.command(name="list")
def list_(*, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """List the presets and the surfaces.

    Parameters
    ----------
    json
        Print them as JSON on standard output and nothing else there.
    """
    from carromsim.equipment import PRESETS
    from carromsim.equipment_files import preset_description
    from carromsim.surfaces import SURFACES

    presets = {name: preset_description(name) for name in PRESETS}
    if json:
        told = {
            "presets": {name: {"about": found.about, **asdict(found.equipment)} for name, found in presets.items()},
            "surfaces": {name: asdict(kind) for name, kind in SURFACES.items()},
        }
        print_json(told)
        return
    boards = table("Preset", "striker", "pocket", "friction", "what it is")
    for name, found in presets.items():
        sizes = (f"{2e3 * radius:.4g} mm" for radius in (found.equipment.striker_radius, found.equipment.pocket_radius))
        boards.add_row(name, *sizes, f"{found.equipment.mu_surface:.2f}", found.about)
    surfaces = table("Surface", "friction", "range", "what it is")
    for kind in SURFACES.values():
        surfaces.add_row(kind.name, f"{kind.mu:.2f}", f"{kind.low:.2f} to {kind.high:.2f}", kind.what)
    print_parts(boards, "", surfaces, "", "The frictions are guesses: nobody has measured carrom's well.")


@equipment.command
def show(origin: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Show every field of a preset or of a file of your own, in SI units, with its source.

    Parameters
    ----------
    origin
        Preset, or TOML file: a path that ends in .toml or has a slash in it.
    json
        Print them as JSON on standard output and nothing else there.
    """
    found = _described(origin)
    fields = asdict(found.equipment)
    if json:
        print_json({"about": found.about, "fields": {field: _told(found, field) for field in fields}})
        return
    rows = table("Field", "value", "unit", "source")
    for field in fields:
        if field != "name":
            rows.add_row(field, _value(found, field), _unit(found, field), _source(found, field))
    print_parts(
        f"{found.label}: {found.about}" if found.about else found.label, "", rows, "", *_meaning(found.equipment)
    )


@equipment.command
def diff(first: str, second: str, /, *, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Show the fields in which two boards differ, with both values and their sources.

    Parameters
    ----------
    first, second
        Preset or TOML file.
    json
        Print them as JSON on standard output and nothing else there.
    """
    one, other = _described(first), _described(second)
    fields = [
        field
        for field, value in asdict(one.equipment).items()
        if field != "name" and value != getattr(other.equipment, field)
    ]
    if json:
        print_json({field: [_told(found, field) for found in (one, other)] for field in fields})
    elif not fields:
        print_parts(f"{one.label} and {other.label} do not differ")
    else:
        rows = table("Field", one.label, other.label)
        for field in fields:
            rows.add_row(field, *(f"{_value(found, field)} {_unit(found, field)}" for found in (one, other)))
            rows.add_row("", *(_source(found, field) for found in (one, other)))
        print_parts(rows)


def _value(found: "Description", field: str) -> str:
    """Write a value for people; of a number per disc only the range."""
    value = getattr(found.equipment, field)
    if value is None:
        return "none"
    ends = (min(value), max(value)) if isinstance(value, tuple) else (value,)
    return " to ".join(str(end).removesuffix(".0") for end in ends)


def _unit(found: "Description", field: str) -> str:
    from carromsim.equipment_limits import unit_of

    return "" if getattr(found.equipment, field) is None else unit_of(field)


def _source(found: "Description", field: str) -> str:
    """Say where a value comes from: the comment behind it, and the file if it is another one."""
    source = found.sources.get(field)
    if source is None:
        return "default"
    words = source.comment or f"line {source.line}, without a source"
    return words if source.file == found.label else f"{words} ({source.file})"


def _told(found: "Description", field: str) -> dict[str, Any]:
    """Say the same for programs."""
    from carromsim.equipment_limits import unit_of

    source = found.sources.get(field)
    return {
        "value": getattr(found.equipment, field),
        "unit": unit_of(field),
        "source": None if source is None else asdict(source),
    }


def _meaning(board: "Equipment") -> Iterator[str]:
    """Say what follows from the sizes for players: when discs fall, and where the striker may stand."""
    from carromsim.equipment import STRIKER
    from carromsim.strokes import legal_intervals

    falls = board.capture_radius * 1e3
    for name, limits in (("striker", falls[STRIKER : STRIKER + 1]), ("man", falls[STRIKER + 1 :])):
        least, most = f"{limits.min():.2f}", f"{limits.max():.2f}"
        within = least if least == most else f"{least} to {most}"
        yield f"A {name} falls within {within} mm of a pocket's centre" if limits.max() else f"A {name} fits no pocket"
    places = [f"{low * 1e3:.2f} to {high * 1e3:.2f}" for low, high in legal_intervals(board)]
    yield f"The striker may stand at x = {', '.join(places)} mm" if places else "The striker has no place to stand"
