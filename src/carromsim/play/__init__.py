"""Boards, games and matches between players, in lock step: thousands of boards at a time."""

from os import PathLike
from typing import Any

from carromsim.chunks import Chunks, check_count, in_order, thread_count
from carromsim.play.engine import play
from carromsim.play.records import Played, joined
from carromsim.play.replay import Replayed, replay
from carromsim.play.setup import Setup, Start
from carromsim.players.policy import policy_of
from carromsim.players.skill import Skill, skill_of
from carromsim.players.turns import Policy
from carromsim.rules.ruleset import RuleSet

__all__ = ["Played", "Replayed", "Setup", "Start", "play", "play_boards", "play_matches", "replay", "sides"]

CHUNK_ROWS = 2048
"""Most rows that a thread takes at a time: enough to keep all lanes busy for most of it."""


def play_boards(
    ruleset: RuleSet | str | PathLike[str] = "icf",
    *,
    n: int,
    policy: str | Policy | tuple[str | Policy, str | Policy] = "greedy",
    skill: str | Skill | tuple[str | Skill, str | Skill] = "club",
    threads: int | None = None,
    **options: Any,
) -> Played:
    """Play boards from the break to their ends; player 0 has the break.

    Parameters
    ----------
    ruleset : RuleSet, str or path
        Or what `RuleSet.load` takes.
    n : int
        How many, at least 1. Board k depends on the seed and k alone.
    policy : str, Policy or a pair of these
        See `carromsim.players.policy.policy_of`; a pair is that of the breaker's side and of the other.
    skill : str, Skill or a pair of these
        Likewise, see `carromsim.players.skill`.
    threads : int, optional
        Default: one per core. The boards do not depend on it.
    **options
        Other fields of `Setup`: seed, equipment, seating, stroke_limit, rotation, gap, jitter, conduct, choose, start,
        keep_strokes, width.

    Returns
    -------
    Played
        Its `boards` and `strokes`.

    Examples
    --------
    >>> played = play_boards("bell_i", n=3, seed=1)
    >>> played.boards["winner_side"].shape
    (3,)
    """
    return _play_all(ruleset, n, policy, skill, threads, {**options, "unit": "board"})


def play_matches(
    ruleset: RuleSet | str | PathLike[str] = "icf",
    *,
    n: int,
    policy: str | Policy | tuple[str | Policy, str | Policy] = "greedy",
    skill: str | Skill | tuple[str | Skill, str | Skill] = "club",
    threads: int | None = None,
    **options: Any,
) -> Played:
    """Play matches; the toss decides who opens, and who wins it breaks.

    Parameters are those of `play_boards`; a pair of policies or skills is that of sides 0 and 1, and no match begins
    from a given position.

    Returns
    -------
    Played
        All of it.
    """
    return _play_all(ruleset, n, policy, skill, threads, {**options, "unit": "match"})


def sides(
    policy: str | Policy | tuple[str | Policy, str | Policy], skill: str | Skill | tuple[str | Skill, str | Skill]
) -> tuple[tuple[Policy, Policy], tuple[Skill, Skill]]:
    """Give the policies and the skills of both sides; what is said once holds for both."""
    if isinstance(policy, tuple) and len(policy) == 2:
        policies = policy_of(policy[0]), policy_of(policy[1])
    else:
        policies = (policy_of(policy),) * 2
    if isinstance(skill, tuple) and len(skill) == 2:
        skills = skill_of(skill[0]), skill_of(skill[1])
    else:
        skills = (skill_of(skill),) * 2
    return policies, skills


def _play_all(
    ruleset: RuleSet | str | PathLike[str],
    n: int,
    policy: str | Policy | tuple[str | Policy, str | Policy],
    skill: str | Skill | tuple[str | Skill, str | Skill],
    threads: int | None,
    options: dict[str, Any],
) -> Played:
    rules = ruleset if isinstance(ruleset, RuleSet) else RuleSet.load(ruleset)
    policies, skills = sides(policy, skill)
    setup = Setup(rules=rules, policies=policies, skills=skills, **options)
    workers = thread_count(threads)
    rows = check_count("n", n)
    chunks = Chunks(rows, min(CHUNK_ROWS, -(-rows // workers)))
    return joined(list(in_order(lambda chunk: play(setup, chunk), chunks, workers)))
