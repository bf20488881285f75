"""What a plot is of, in one line: rule set, board, and whose hand."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from carromsim.studies.runs.reading import Run

__all__ = ["asked", "counted", "study_of"]


_NAMES = 50
"""Characters that the names of all variants may have to be told."""


def asked(run: "Run") -> str:
    """Say under what rules, on what board and by whom a run is played.

    Parameters
    ----------
    run : Run
        Of any kind.
    """
    study: Any = run.study  # each kind has fields of its own
    if study.kind == "variants":
        names = ", ".join(each.name for each in study.variants)
        names = names if len(names) <= _NAMES else f"{len(study.variants)} variants"
        return f"{names}; {_board(study)}, {_sides(study)}"
    if study.kind == "shot":
        way = "direct" if study.way == "direct" else "by one cushion"
        return f"{study.pocket} pocket, {way}; {_board(study)}, hand: {', '.join(study.labels)}"
    return f"rules {study.ruleset.name}, {_board(study)}, {_hand(study)}"


def study_of(run: "Run", *kinds: str) -> Any:
    """Give the study of a run, which has fields of its own for each kind.

    Raises
    ------
    ValueError
        If it is of none of these kinds.
    """
    if run.study.kind not in kinds:
        raise ValueError(f"run: must be of a study of kind {' or '.join(kinds)}, this is of kind {run.study.kind}")
    return run.study


def counted(n: int, noun: str) -> str:
    """Write how many of something, as in n = 20,000 strokes."""
    return f"n = {n:,} {noun}"


def _board(study: Any) -> str:
    return f"equipment {study.equipment.name}"


def _hand(study: Any) -> str:
    if study.kind == "break":
        return (
            f"hand {study.sd_x * 1e3:g} mm, {math.degrees(study.sd_angle):.2g} deg, {100.0 * study.sd_speed:g} % of the"
            " speed"
        )
    return f"hand: {_skill(study.skill)}" if study.kind == "optimise" else _sides(study)


def _sides(study: Any) -> str:
    sides = [f"{policy} {_skill(skill)}" for policy, skill in zip(study.policy, study.skill, strict=True)]
    who = "doubles, " if study.doubles else ""
    return who + (f"both sides {sides[0]}" if sides[0] == sides[1] else " against ".join(sides))


def _skill(skill: Any) -> str:
    return skill.name or "of its own skill"
