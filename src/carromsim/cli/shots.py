"""The command `carromsim shots`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from carromsim.cli.app import app
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.studies import play_and_tell, study_of_options


@app.command
def shots(
    *,
    skill: Annotated[list[str] | None, Parameter(negative=())] = None,
    way: Literal["direct", "bank"] = "direct",
    pocket: Literal["bottom left", "bottom right", "top right", "top left"] | None = None,
    distance: float | None = None,
    cut_deg: float = 0.0,
    x: float = 0.0,
    speed: float | None = None,
    spin: float = 0.0,
    ruleset: str = "icf",
    equipment: str | None = None,
    strokes: int = 10_000,
    seed: int = 1,
    until: str | None = None,
    how: How = AS_USUAL,
) -> None:
    """Play one shot many times and tell how often each skill makes it.

    The place of the striker, the man's way to the pocket and the cut fix where the man lies. The aim is the best there
    is, found by trying; then the hand scatters around it. What varies from stroke to stroke, men in the way and
    skills of your own are declared in a file: carromsim new shot, carromsim run.

    Parameters
    ----------
    skill
        Whose hand: novice, club, expert, champion or perfect; may be given several times. Default: all five.
    way
        Direct, or a bank: the man comes from one cushion, the far one for a bottom pocket, the opposite side for a top
        one.
    pocket
        As the player sees them; default: top right, for a bank bottom right.
    distance
        Way of the man to the middle of the pocket, over the cushion if it is a bank [m]; default: 0.4, for a bank 0.9.
    cut_deg
        Angle from the man's way to the striker's, counter-clockwise, 0 is straight [degrees].
    x
        Centre of the striker along the base line, from its middle [m].
    speed
        Speed [m/s]; default: such that the man reaches the pocket at about 0.8 m/s.
    spin
        Spin, counter-clockwise [rad/s].
    ruleset
        Rule set, see carromsim rules list, or a TOML file of your own; names the equipment, unless that is given.
    equipment
        Another board than the rule set's: a preset (icf, ukca, caint, bell) or a TOML file of your own.
    strokes
        How many by each skill.
    seed
        0 to 2^64 - 1; the same seed gives the same scatter, and all skills get the same.
    until
        End as soon as enough is known, strokes being the most that are played: METRIC:HALF_WIDTH, as in
        success_club:0.01, once a metric is known to within this, or 'success_club vs 0.5' once it is told from
        another one or a number.
    """
    given = locals().copy()
    bank = way == "bank"
    given["skill"] = skill or ["novice", "club", "expert", "champion", "perfect"]
    given["pocket"] = pocket or ("bottom right" if bank else "top right")
    given["distance"] = (0.9 if bank else 0.4) if distance is None else distance
    play_and_tell(study_of_options("shot", given), how)
