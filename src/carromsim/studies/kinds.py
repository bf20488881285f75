"""The kinds of study that can be declared, each loaded when it is asked for: no kind has to know another."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from carromsim.problems import did_you_mean

if TYPE_CHECKING:
    from carromsim.studies.declared import DeclaredStudy

__all__ = ["KINDS", "kind_of", "study_from_declaration"]

KINDS: Mapping[str, str] = {
    "break": "breaks.study.BreakStudy",
    "shot": "shots.study.ShotStudy",
    "board": "playing.boards.BoardStudy",
    "match": "playing.matches.MatchStudy",
    "variants": "variants.study.VariantStudy",
    "optimise": "optimising.study.BreakOptimisation",
}
"""Module and class of each kind."""


def kind_of(name: object) -> "type[DeclaredStudy]":
    """Give the class of a kind.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"kind = {name!r}: {did_you_mean(name, KINDS)}")
    module, _, kind = KINDS[name].rpartition(".")
    return cast("type[DeclaredStudy]", getattr(import_module(f"carromsim.studies.{module}"), kind))


def study_from_declaration(declaration: Mapping[str, Any]) -> "DeclaredStudy":
    """Rebuild a study from what its `declaration` gave, whatever its kind.

    A declaration has its rules and its equipment in full. One that names them is refused: a name could be that of any
    file, and who opens a run does not mean to read what its manifest likes.

    Raises
    ------
    ValueError
        If it is none.
    """
    listed = declaration.get("variants")
    for table in (declaration, *(listed if isinstance(listed, list | tuple) else ())):
        told = table if isinstance(table, Mapping) else {"ruleset": table}
        for key in ("ruleset", "equipment"):
            if told.get(key) is not None and not isinstance(told[key], Mapping):
                raise ValueError(f"{key} = {told[key]!r}: must be written out in full")
    return kind_of(declaration.get("kind")).from_declaration(declaration)
