"""The command `carromsim optimise`."""

from typing import Annotated

from cyclopts import Parameter

from carromsim.cli.app import app
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.studies import play_and_tell, study_of_options


@app.command
def optimise(
    *,
    ruleset: str = "icf",
    equipment: str | None = None,
    skill: str = "club",
    objective: str = "men=1",
    pareto: Annotated[bool, Parameter(negative=())] = False,
    policy: str = "greedy",
    seed: int = 1,
    gap: float = 0.00005,
    jitter: float | None = None,
    fastest: float = 10.0,
    most_spin: float = 100.0,
    straight_speed: float = 6.0,
    scouts: int = 240,
    restarts: int = 5,
    generations: int = 20,
    candidates: int = 12,
    strokes: int = 500,
    finalists: int = 8,
    finalist_strokes: int = 10_000,
    verdict_strokes: int = 20_000,
    map_points: int = 9,
    map_strokes: int = 4000,
    robustness_strokes: int = 10_000,
    how: How = AS_USUAL,
) -> None:
    """Search for the break that is best for an objective, and tell what it is worth on fresh strokes.

    Place, direction, speed and spin are searched, and the turn of the pack where the rule set leaves it to the breaker.
    What the winner gains over the straight break is measured by strokes that had no part in choosing it. Hands of your
    own and other conditions for the winner are declared in a file: carromsim new optimise, carromsim run.

    Parameters
    ----------
    ruleset
        Rule set, see carromsim rules list, or a TOML file of your own; names the equipment, unless that is given.
    equipment
        Another board than the rule set's: a preset (icf, ukca, caint, bell) or a TOML file of your own.
    skill
        The hand: novice, club, expert, champion or perfect.
    objective
        What is to be large: terms with weights, as in men=1,striker=-1. Terms are the metrics of a break, such as men,
        any, queen_covered, striker, free or continue (the turn is kept), and board_won, the share of boards that the
        breaker wins after it.
    pareto
        Trade the two terms of the objective off instead of summing them.
    policy
        Who plays on after the break, for board_won: random, greedy, lookahead, or lookahead:N.
    seed
        0 to 2^64 - 1; the same seed gives the same search.
    gap
        Between neighbours in the pack [m]; the default is a guess for a pack set up by hand.
    jitter
        Each disc of the pack is shifted by up to this much in x and y [m]; default: as far as the gap allows.
    fastest
        Greatest speed that is looked at [m/s].
    most_spin
        Greatest spin that is looked at, either way [rad/s].
    straight_speed
        Speed of the straight break against which all are measured [m/s].
    scouts
        Breaks from all over that are evaluated first; none if there is one search alone.
    restarts
        Independent searches; the first begins at the straight break, the others at the best scouts.
    generations
        Of each search.
    candidates
        Breaks of a generation.
    strokes
        For each of them.
    finalists
        Breaks of the search that are evaluated again.
    finalist_strokes
        For each of these.
    verdict_strokes
        For the winner and the straight break, at the end.
    map_points
        Values of each coordinate around the winner; 0: no map.
    map_strokes
        For each of these.
    robustness_strokes
        For the winner and the straight break under each other condition.
    """
    study = study_of_options("optimise", locals().copy())
    play_and_tell(study, how)
