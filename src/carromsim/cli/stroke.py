"""The command `carromsim stroke`."""

import json as json_format
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from rich.console import Console

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.equipment import equipment_of
from carromsim.cli.position import read_position
from carromsim.cli.progress import tell_if_cold

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout
    from carromsim.outcomes import Outcomes


@app.command
def stroke(
    position: Path,
    /,
    *,
    x: float = 0.0,
    angle_deg: float = 90.0,
    speed: float,
    spin: float = 0.0,
    seat: Literal[0, 1, 2, 3] = 0,
    equipment: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Play one stroke and tell all that happens, in order, and where the discs are at the end.

    A position file names the discs on the board, in metres from its centre; what it does not name is not there,
    and an empty file is an empty board:

        equipment = "icf"  # or "board.toml", beside this file
        queen = [0.0, 0.0]
        white = [[0.1, 0.2], [-0.05, 0.3]]
        black = [[0.2, 0.1]]

    Parameters
    ----------
    position
        TOML file with the position.
    x
        Centre of the striker along the base line of its player, from the middle [m].
    angle_deg
        Direction in the player's own frame, counter-clockwise, 90 is straight ahead [degrees].
    speed
        Speed of the striker as it leaves the finger [m/s].
    spin
        Spin, counter-clockwise [rad/s].
    seat
        Of the player, counter-clockwise: 0 bottom, 1 right, 2 top, 3 left.
    equipment
        Preset (icf, ukca, caint, bell) or TOML file of your own board, to use whatever the position says; default: the
        position's, else icf.
    json
        Print the stroke as JSON on standard output and nothing else there.
    """
    given = {"x": x, "angle_deg": angle_deg, "speed": speed, "spin": spin, "seat": seat}
    layout, board = read_position(position, None if equipment is None else equipment_of(equipment))
    tell_if_cold()
    out = _play(layout, board, given)
    if json:
        _print_json(given, board, out)
    else:
        _print_text(given, board, out)
    if out.status[0]:  # bad input was told before
        raise Failed("the stroke has no outcome: it was given up after too many events")


def _play(layout: "Layout", board: "Equipment", given: dict[str, Any]) -> "Outcomes":
    """Simulate the stroke; complain about what cannot be played."""
    from carromsim.simulation import simulate
    from carromsim.strokes import Strokes, check_placement

    for name, value in given.items():
        if not math.isfinite(value):
            raise BadInput(f"--{name.replace('_', '-')} {value}: must be finite")
    if given["speed"] < 0.0:
        raise BadInput(f"--speed {given['speed']}: must be at least 0 m/s")
    try:
        check_placement(given["x"], board)
    except ValueError as error:
        raise BadInput(f"--x {given['x']}: {error}") from None
    angle = math.radians(given["angle_deg"])
    try:
        strokes = Strokes(x=given["x"], angle=angle, speed=given["speed"], spin=given["spin"], seat=given["seat"])
        return simulate(layout, strokes, equipment=board, record=True, threads=1)
    except ValueError as error:
        raise BadInput(str(error)) from None


def _print_json(given: dict[str, Any], board: "Equipment", out: "Outcomes") -> None:
    from dataclasses import asdict

    from carromsim.studies.stroke_report import stroke_dict

    angle = math.radians(given["angle_deg"])
    meant = {"x": given["x"], "angle": angle, "speed": given["speed"], "spin": given["spin"], "seat": given["seat"]}
    found = {"equipment": asdict(board), "stroke": meant, **stroke_dict(out)}
    sys.stdout.write(json_format.dumps(found, indent=2, allow_nan=False) + "\n")


def _print_text(given: dict[str, Any], board: "Equipment", out: "Outcomes") -> None:
    from carromsim.studies.stroke_report import stroke_report

    console = Console(highlight=False)
    console.print(
        f"Stroke    equipment {board.name}, seat {given['seat']}, x {given['x'] * 1e3:g} mm,"
        f" {given['angle_deg']:g} deg, {given['speed']:g} m/s, spin {given['spin']:g} rad/s\n"
    )
    console.print(stroke_report(out))
