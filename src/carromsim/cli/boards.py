"""The command `carromsim boards`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from carromsim.cli.app import BadInput, app
from carromsim.cli.equipment import equipment_of
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.position import read_position
from carromsim.cli.rules import rules_of
from carromsim.cli.studies import play_and_tell, study_of_options

if TYPE_CHECKING:
    from carromsim.equipment import Equipment


@app.command
def boards(
    *,
    boards: int = 5000,
    ruleset: str = "icf",
    equipment: str | None = None,
    policy: Annotated[list[str] | None, Parameter(negative=())] = None,
    skill: Annotated[list[str] | None, Parameter(negative=())] = None,
    doubles: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 1,
    until: str | None = None,
    stroke_limit: int = 300,
    rotation_deg: float = 0.0,
    gap: float = 0.00005,
    jitter: float | None = None,
    keep_strokes: bool = True,
    start: Path | None = None,
    shooter: Literal["white", "black"] | None = None,
    queen: Literal["pending", "covered_white", "covered_black"] | None = None,
    how: How = AS_USUAL,
) -> None:
    """Play complete boards and tell who wins them, and how.

    Side 0 breaks and plays white. With --start it is on strike in a position instead, in a file as for carromsim
    stroke. Conduct and skills of your own are declared in a file: carromsim new board, carromsim run.

    Parameters
    ----------
    boards
        How many.
    ruleset
        Rule set, see carromsim rules list, or a TOML file of your own; names the equipment, unless that is given.
    equipment
        Another board than the rule set's: a preset (icf, ukca, caint, bell) or a TOML file of your own.
    policy
        How strokes are chosen: random, greedy, lookahead, or lookahead:N with N imagined strokes per choice; given
        twice: of side 0 and of side 1. Default: greedy.
    skill
        How well they are executed: novice, club, expert, champion or perfect; given twice: of side 0 and of side 1.
        Default: club.
    doubles
        Four players, partners face each other.
    seed
        0 to 2^64 - 1; the same seed gives the same luck.
    until
        End as soon as enough is known, boards being the most that are played: METRIC:HALF_WIDTH, as in
        won_breaker:0.01, once a metric is known to within this, or 'won_breaker vs won_other' once it is told from
        another one or a number.
    stroke_limit
        Strokes after which a board is given up.
    rotation_deg
        Turn of the opening pack, counter-clockwise [degrees].
    gap
        Between neighbours in the pack [m]; the default is a guess for a pack set up by hand.
    jitter
        Each disc of the pack is shifted by up to this much in x and y [m]; default: as far as the gap allows.
    keep_strokes
        Whether there is a table of strokes too.
    start
        TOML file with the position from which every board begins; default: the opening.
    shooter
        Colour of side 0 in that position; default: white.
    queen
        What the queen is if she is not in that position.
    """
    given = locals().copy()
    given |= {"policy": policy or ["greedy"], "skill": skill or ["club"]}
    given |= {"start": None, "shooter": None, "queen": None}
    if start is not None:
        given["start"], given["equipment"] = _start(start, ruleset, equipment, shooter or "white", queen)
    for option, value in (("--shooter", shooter), ("--queen", queen)):
        if value is not None and start is None:
            raise BadInput(f"{option} {value}: is for the position that --start names")
    play_and_tell(study_of_options("board", given), how)


def _start(
    path: Path, ruleset: str, equipment: str | None, shooter: str, queen: str | None
) -> "tuple[dict[str, Any], Equipment]":
    """Read a position as a study declares it, and the equipment on which it lies."""
    import numpy as np

    from carromsim.equipment import BLACK, QUEEN, WHITE

    board = None if equipment is None else equipment_of(equipment)
    layout, board = read_position(path, board, rules_of(ruleset, "--ruleset").equipment)
    there = ~np.isnan(layout.pos[:, 0])
    if there[QUEEN] and queen is not None:
        raise BadInput(f"--queen {queen}: she is on the board")
    if not there[QUEEN] and queen is None:
        raise BadInput("--queen: she is not on the board; say pending, covered_white or covered_black")
    men = {colour: layout.pos[men][there[men]].tolist() for colour, men in (("white", WHITE), ("black", BLACK))}
    return {**men, "queen": queen or layout.pos[QUEEN].tolist(), "shooter": shooter}, board
