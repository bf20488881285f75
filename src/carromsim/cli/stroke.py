"""The command `carromsim stroke`."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from carromsim.cli.app import BadInput, Failed, app
from carromsim.cli.equipment import equipment_of
from carromsim.cli.position import is_pack, read_position
from carromsim.cli.printing import print_json, print_parts, stdout
from carromsim.cli.progress import tell_if_cold
from carromsim.cli.referee import ruling_in_words
from carromsim.cli.rules import rules_of
from carromsim.cli.saving import check_out, save

if TYPE_CHECKING:
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout
    from carromsim.outcomes import Outcomes
    from carromsim.rules.records import RecordArray
    from carromsim.rules.ruleset import RuleSet
    from carromsim.strokes import Strokes
    from carromsim.viz.replays import Replay


@app.command
def stroke(
    position: Path | None = None,
    /,
    *,
    x: float = 0.0,
    angle_deg: float = 90.0,
    speed: float,
    spin: float = 0.0,
    seat: Literal[0, 1, 2, 3] = 0,
    equipment: str | None = None,
    ruleset: str | None = None,
    shooter: Literal["white", "black"] | None = None,
    queen: Literal["pending", "covered_white", "covered_black"] | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    json: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Play one stroke and tell all that happens, in order, and where the discs are at the end.

    A position file names the discs on the board, in metres from its centre; what it does not name is not there,
    and an empty file is an empty board:

        equipment = "icf"  # or "board.toml", beside this file
        queen = [0.0, 0.0]
        white = [[0.1, 0.2], [-0.05, 0.3]]
        black = [[0.2, 0.1]]

    With --ruleset it also tells what that rules, and the laws that decide. Discs that are not there were pocketed
    before; nothing is owed, the score is level, and the board is broken unless all men lie in the outer circle.

    Parameters
    ----------
    position
        TOML file with the position; default: the opening pack, a little irregular, as in a break study.
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
        position's, else the rule set's, else icf.
    ruleset
        Rule set, see carromsim rules list, or a TOML file of your own; default: nobody rules.
    shooter
        Colour of the player, for the ruling; default: white.
    queen
        What the queen is to the rule set if she is not on the board: pending (the player has just pocketed her and has
        yet to cover her), or covered by whom.
    out
        File to write, for watching the stroke: a page (stroke.html), an animation (.gif), or a picture (.png, .svg).
    json
        Print the stroke as JSON on standard output and nothing else there.
    """
    given = {"x": x, "angle_deg": angle_deg, "speed": speed, "spin": spin, "seat": seat}
    for option, value in (("--shooter", shooter), ("--queen", queen)):
        if value is not None and ruleset is None:
            raise BadInput(f"{option} {value}: is for the ruling, which --ruleset asks for")
    check_out(out)
    rules = None if ruleset is None else rules_of(ruleset, "--ruleset")
    layout, board = _position(position, None if equipment is None else equipment_of(equipment), rules)
    before = None if rules is None else _board_before(layout, board, shooter or "white", queen)
    tell_if_cold()
    strokes, outcome = _play(layout, board, given)
    ruling = None
    if rules is not None and before is not None and not outcome.status[0]:
        ruling = _rule(rules, before, strokes, outcome, board)
    if json:
        _print_json(given, board, outcome, ruling)
    else:
        _print_text(given, board, outcome)
        if rules is not None and ruling is not None:
            print_parts("", *_ruling_in_words(rules, ruling))
    if outcome.status[0]:  # bad input was told before
        raise Failed("the stroke has no outcome: it was given up after too many events")
    if out is not None:
        save(_shown(layout, strokes, board, ruling), out, quiet=json)


def _position(path: Path | None, equipment: "Equipment | None", rules: "RuleSet | None") -> "tuple[Layout, Equipment]":
    """Read the position, or lay the opening pack, and give the board."""
    otherwise = "icf" if rules is None else rules.equipment
    if path is not None:
        return read_position(path, equipment, otherwise)
    from carromsim.equipment import Equipment
    from carromsim.layouts import Layout
    from carromsim.studies.breaks.study import BreakStudy

    board = Equipment.preset(otherwise) if equipment is None else equipment
    return Layout(BreakStudy(equipment=board).layout(range(1)).pos[0]), board


def _board_before(layout: "Layout", board: "Equipment", shooter: str, queen: str | None) -> "RecordArray":
    """Give the board as the laws see it, from what lies on it."""
    import numpy as np

    from carromsim.equipment import BLACK, QUEEN, WHITE
    from carromsim.rules.records import board_state

    there = ~np.isnan(layout.pos[:, 0])
    if there[QUEEN] and queen is not None:
        raise BadInput(f"--queen {queen}: she is on the board")
    if not there[QUEEN] and queen is None:
        raise BadInput("--queen: she is not on the board; say pending, covered_white or covered_black")
    on_board = [int(there[men].sum()) for men in (WHITE, BLACK)]
    breaking = is_pack(layout, board)
    return board_state(
        shooter=shooter,
        breaker=shooter if breaking else "white",
        break_made=not breaking,
        on_board=on_board,
        queen=queen or "on_board",
    )


def _rule(
    rules: "RuleSet", before: "RecordArray", strokes: "Strokes", out: "Outcomes", board: "Equipment"
) -> dict[str, Any]:
    """Give the ruling in words and numbers, with the board before it and the game that a finished board begins."""
    from carromsim.rules.adjudication import adjudicate
    from carromsim.rules.records import COLOURS
    from carromsim.rules.referee import facts_from_outcomes
    from carromsim.rules.score import game_after
    from carromsim_kernels.laws import QueenState

    facts = facts_from_outcomes(out, strokes, before["shooter"], board)
    told = adjudicate(before, facts, rules).row(0)
    if "board" in told:
        points = [told["score_delta"][colour] for colour in COLOURS]
        told["game"] = game_after(rules, [0, 0], points, 0)._asdict()
    state = before[0]
    known = {
        "shooter": COLOURS[state["shooter"]],
        "break_made": bool(state["break_made"]),
        "on_board": dict(zip(COLOURS, state["on_board"].tolist(), strict=True)),
        "queen": QueenState(state["queen"]).name.lower(),
    }
    return {"ruleset": rules.name, "before": known, **told}


def _ruling_in_words(rules: "RuleSet", ruling: dict[str, Any]) -> Iterator[str]:
    from carromsim.rules.words import queen_in_words
    from carromsim_kernels.laws import QueenState

    before = ruling["before"]
    men, queen = before["on_board"], queen_in_words(QueenState[before["queen"].upper()])
    stage = "to play" if before["break_made"] else "to break"
    yield f"Before    {before['shooter']} {stage}; white {men['white']}, black {men['black']}, queen {queen}"
    yield from ruling_in_words(rules, ruling)


def _play(layout: "Layout", board: "Equipment", given: dict[str, Any]) -> "tuple[Strokes, Outcomes]":
    """Simulate the stroke; complain about what cannot be played."""
    from carromsim.equipment_limits import FASTEST
    from carromsim.simulation import simulate
    from carromsim.strokes import Strokes, check_placement

    for name, value in given.items():
        if not math.isfinite(value):
            raise BadInput(f"--{name.replace('_', '-')} {value}: must be finite")
    if not 0.0 <= given["speed"] <= FASTEST:
        raise BadInput(f"--speed {given['speed']}: must be from 0 to {FASTEST:g} m/s")
    try:
        check_placement(given["x"], board)
    except ValueError as error:
        raise BadInput(f"--x {given['x']}: {error}") from None
    angle = math.radians(given["angle_deg"])
    try:
        strokes = Strokes(x=given["x"], angle=angle, speed=given["speed"], spin=given["spin"], seat=given["seat"])
        return strokes, simulate(layout, strokes, equipment=board, record=True, threads=1)
    except ValueError as error:
        raise BadInput(str(error)) from None


def _shown(layout: "Layout", strokes: "Strokes", board: "Equipment", ruling: dict[str, Any] | None) -> "Replay":
    """Give the stroke to be watched, with what was ruled."""
    from carromsim.rules.records import COLOURS
    from carromsim.rules.words import said_of_ruling
    from carromsim.trajectories import follow
    from carromsim.viz.replays import Replay, Scene

    title = f"Stroke at {strokes.speed[0]:g} m/s"
    said = {} if ruling is None else said_of_ruling(ruling, COLOURS.index(ruling["before"]["shooter"]))
    scene = Scene(trajectory=follow(layout, strokes, equipment=board), title=title, **said)
    return Replay(title=title, scenes=(scene,))


def _print_json(given: dict[str, Any], board: "Equipment", out: "Outcomes", ruling: dict[str, Any] | None) -> None:
    from dataclasses import asdict

    from carromsim.studies.stroke_report import stroke_dict

    angle = math.radians(given["angle_deg"])
    meant = {"x": given["x"], "angle": angle, "speed": given["speed"], "spin": given["spin"], "seat": given["seat"]}
    found = {"equipment": asdict(board), "stroke": meant, **stroke_dict(out)}
    print_json(found if ruling is None else found | {"ruling": ruling})


def _print_text(given: dict[str, Any], board: "Equipment", out: "Outcomes") -> None:
    from carromsim.studies.stroke_report import stroke_report

    console = stdout()
    console.print(
        f"Stroke    equipment {board.name}, seat {given['seat']}, x {given['x'] * 1e3:g} mm,"
        f" {given['angle_deg']:g} deg, {given['speed']:g} m/s, spin {given['spin']:g} rad/s\n"
    )
    console.print(stroke_report(out))
