"""The command `carromsim compare`."""

import tomllib
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from carromsim.cli.app import BadInput, app
from carromsim.cli.how import AS_USUAL, How
from carromsim.cli.rules import rules_of
from carromsim.cli.studies import play_and_tell, study_of_options

if TYPE_CHECKING:
    from carromsim.studies.variants.declaration import Variant


@app.command
def compare(
    *variants: str,
    baseline: str | None = None,
    boards: int | None = None,
    matches: int | None = None,
    equipment: str | None = None,
    policy: Annotated[list[str] | None, Parameter(negative=())] = None,
    skill: Annotated[list[str] | None, Parameter(negative=())] = None,
    doubles: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 1,
    stroke_limit: int = 300,
    rotation_deg: float = 0.0,
    gap: float = 0.00005,
    jitter: float | None = None,
    sensitivity: int | None = None,
    how: How = AS_USUAL,
) -> None:
    """Compare variants of the rules: the same players, board and luck, under each of them.

    Skills and conduct of your own, and what one variant declares otherwise than the rest, are declared in a file:
    carromsim new variants, carromsim run.

    Parameters
    ----------
    variants
        At least two. A rule set, see carromsim rules list, or a TOML file of your own, or one of them with changes and
        a name: queen5=icf,queen.value=5.
    baseline
        With which variant the others are compared; default: the first.
    boards
        How many boards each variant plays; default: 2000.
    matches
        How many matches each plays, instead of boards.
    equipment
        The board of all variants: a preset (icf, ukca, caint, bell) or a TOML file of your own; default: that of the
        baseline's rule set.
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
    stroke_limit
        Strokes after which a board is given up.
    rotation_deg
        Turn of the opening pack, counter-clockwise [degrees].
    gap
        Between neighbours in the pack [m]; the default is a guess for a pack set up by hand.
    jitter
        Each disc of the pack is shifted by up to this much in x and y [m]; default: as far as the gap allows.
    sensitivity
        Play so many rows of each variant by novices and by experts, by random choice, and on boards of little and much
        friction, and say whether the conclusions stand there.
    """
    if len(variants) < 2:
        raise BadInput(f"{len(variants)} variants: name at least two rule sets, as in carromsim compare icf ukca")
    given = locals().copy()
    given |= {"policy": policy or ["greedy"], "skill": skill or ["club"]}
    given["variants"] = found = [_variant(text) for text in variants]
    names = [variant.name for variant in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput(f"{twice} is there twice: give one of them a name of its own, as in NAME={twice}")
    if sensitivity is not None and sensitivity < 2:
        raise BadInput(f"--sensitivity {sensitivity}: must be at least 2")
    given["sensitivity"] = None if sensitivity is None else {"rows": sensitivity}
    play_and_tell(study_of_options("variants", given), how)


def _variant(text: str) -> "Variant":
    """Understand RULES, or NAME=RULES,FIELD=VALUE,..."""
    from pydantic import ValidationError

    from carromsim.studies.declaring.declare import field_problems
    from carromsim.studies.variants.declaration import Variant

    first, *rest = text.split(",")
    name, named, origin = first.rpartition("=")
    if rest and not named:
        raise BadInput(f"{text}: changed rules need a name, as in mine={text}")
    changes: dict[str, Any] = {}
    for key, value in (_change(text, change) for change in rest):
        if key in changes:
            raise BadInput(f"{text}: {key} is there twice")
        changes[key] = value
    fields: dict[str, Any] = {"ruleset": rules_of(origin, f"{text}:" if named else ""), "changes": changes}
    try:
        return Variant(**(fields | {"name": name} if named else fields))
    except ValidationError as error:
        raise BadInput("\n".join(f"{text}: {key}: {why}" for key, why in field_problems(error))) from None


def _change(text: str, change: str) -> tuple[str, Any]:
    """Understand FIELD=VALUE; a word needs no quotes."""
    key, equals, value = (part.strip() for part in change.partition("="))
    if not equals or not value:
        raise BadInput(f"{text}: {change!r} must be FIELD=VALUE, as in queen.value=5")
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value
