"""The command `carromsim matches`."""

from typing import Annotated

from cyclopts import Parameter

from carromsim.cli.app import app
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.studies import play_and_tell, study_of_options


@app.command
def matches(
    *,
    matches: int = 200,
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
    how: How = AS_USUAL,
) -> None:
    """Play matches, game by game and board by board, and tell who wins them.

    The toss decides who breaks first. Conduct and skills of your own are declared in a file: carromsim new match,
    carromsim run.

    Parameters
    ----------
    matches
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
        End as soon as enough is known, matches being the most that are played: METRIC:HALF_WIDTH, as in
        won_side_0:0.01, once a metric is known to within this, or 'won_side_0 vs won_side_1' once it is told from
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
    """
    given = locals().copy()
    given |= {"policy": policy or ["greedy"], "skill": skill or ["club"]}
    play_and_tell(study_of_options("match", given), how)
