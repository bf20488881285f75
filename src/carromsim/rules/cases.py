"""Cases for a referee, as JSON: a board, a stroke, and what must come of it."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from carromsim.rules.adjudication import adjudicate
from carromsim.rules.records import COLOURS, RecordArray, board_state, stroke_facts
from carromsim.rules.ruleset import RuleSet
from carromsim.rules.score import game_after
from carromsim.toml import MOST_BYTES, DeclarationError, parse_json, read_text, too_long
from carromsim_kernels.laws import MEN

__all__ = ["CaseError", "Mismatch", "case_records", "check_case", "read_cases", "rule_case"]

_BOARD_KEYS = (
    "shooter", "breaker", "break_made", "break_attempt", "on_board", "pocketed", "ever_pocketed", "held", "queen",
    "dues", "turn_pocketed_own", "score", "boards_played",
)  # fmt: skip
_STROKE_KEYS = (
    "touched_piece", "crossed_front", "left_base", "striker_same_pocket_as_own", "direct_hit_behind", "improper",
    "call_double_due", "decline_dues", "demand_extra", "interference", "technical_fouls", "bad_setup",
    "premature_break", "board_lost_by",
)  # fmt: skip
_MOST_BOARDS = 10_000
_PIECES = ("own", "opponent", "queen", "striker")


class CaseError(ValueError):
    """A case that cannot be ruled on; the message names the case and the key."""


class Mismatch(NamedTuple):
    """Where a ruling is not what a case expects."""

    case: str
    field: str
    expected: Any
    ruled: Any


def read_cases(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """Read a file of cases: a list of them, or one.

    Raises
    ------
    CaseError
        If it is no JSON, or no such list.
    OSError
        If it cannot be read.
    """
    try:
        text = read_text(path)
    except DeclarationError as error:
        raise CaseError(str(error)) from None
    return cases_of(text, str(path))


def cases_of(text: str, source: str) -> list[dict[str, Any]]:
    """Read cases from text; `source` is its name in messages. See `read_cases`."""
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise CaseError(f"{source}: {too_long(MOST_BYTES)}")
    try:
        given = parse_json(text, source, most_keys=None)  # each case has about 60
    except DeclarationError as error:
        raise CaseError(str(error)) from None
    cases = given if isinstance(given, list) else [given]
    for number, case in enumerate(cases):
        if not isinstance(case, dict):
            raise CaseError(f"{source}: case {number}: must be an object with before and stroke")
        if not isinstance(case.setdefault("id", f"case {number}"), str | int):
            raise CaseError(f"{source}: case {number}: id: must be a name or a number")
    return cases


def rule_case(case: Mapping[str, Any], rules: RuleSet | None = None) -> dict[str, Any]:
    """Rule on a case.

    Parameters
    ----------
    case : mapping
        With `before`, `stroke`, optional `options`, and `ruleset` unless `rules` is given.
    rules : RuleSet, optional
        Default: what the case names.

    Returns
    -------
    dict
        With the keys of `expect`, and `laws`.

    Raises
    ------
    CaseError
        If the case is not complete or cannot be.
    """
    name = str(case.get("id", "case"))
    if rules is None:
        if not isinstance(case.get("ruleset"), str):
            raise CaseError(f"{name}: ruleset: missing, or not a name")
        rules = RuleSet.load(case["ruleset"])
    state, facts = case_records(case)
    try:
        told = adjudicate(state, facts, rules).row(0)
    except ValueError as error:
        raise CaseError(f"{name}: {error}") from None
    if "board" in told:
        before, delta = state["score"][0] + state["points"][0], told["score_delta"]
        over, winner, breaker = game_after(
            rules, before, [delta[c] for c in COLOURS], case["before"].get("boards_played", 0)
        )
        told["game"] = {"over": over, "winner": winner, "next_breaker": breaker}
    return told


def check_case(case: Mapping[str, Any], rules: RuleSet | None = None) -> list[Mismatch]:
    """Compare the ruling on a case with what it expects; what it does not mention is not compared."""
    if not isinstance(case.get("expect"), Mapping):
        raise CaseError(f"{case.get('id', 'case')}: expect: missing, so there is nothing to check")
    return [
        Mismatch(str(case.get("id", "case")), *difference)
        for difference in _differences(case["expect"], rule_case(case, rules))
    ]


def case_records(case: Mapping[str, Any]) -> tuple[RecordArray, RecordArray]:
    """Give the board and the facts of a case, as `adjudicate` takes them."""
    name = str(case.get("id", "case"))
    before, stroke = (_part(case, part, name) for part in ("before", "stroke"))
    _refuse_unknown(before, _BOARD_KEYS, f"{name}: before")
    _refuse_unknown(stroke, (*_STROKE_KEYS, "pocketed", "overboard", "fell_between_strokes"), f"{name}: stroke")
    options = case.get("options", {})
    _refuse_unknown(options, ("double_due_agreed",), f"{name}: options")
    try:
        state = board_state(**_board_fields(before, name), double_due_agreed=options.get("double_due_agreed", False))
        facts = stroke_facts(**_stroke_fields(stroke, name))
    except ValueError as error:
        raise CaseError(f"{name}: {error}") from None
    if (len(state), len(facts)) != (1, 1):
        raise CaseError(f"{name}: has lists where one value must be: a case is one board and one stroke")
    return state, facts


def _board_fields(before: Mapping[str, Any], name: str) -> dict[str, Any]:
    fields = {key: value for key, value in before.items() if key not in ("pocketed", "boards_played")}
    for key in ("on_board", "ever_pocketed", "dues", "score"):
        if key in fields:
            fields[key] = [_number(fields[key], colour, f"{name}: before.{key}") for colour in COLOURS]
    if "held" in fields:
        held = [_number(fields["held"], side, f"{name}: before.held") for side in COLOURS]
        fields["held"] = [[_number(pair, colour, f"{name}: before.held") for colour in COLOURS] for pair in held]
    if not _whole(played := before.get("boards_played", 0)) or not 0 <= played <= _MOST_BOARDS:
        raise CaseError(f"{name}: before.boards_played = {played!r}: must be a whole number from 0 to {_MOST_BOARDS}")
    if "pocketed" in before:
        gone, there = ([_men(before, key, colour, name) for colour in COLOURS] for key in ("pocketed", "on_board"))
        sums = [sum(pair) for pair in zip(gone, there, strict=True)]
        if sums != [MEN, MEN]:
            raise CaseError(f"{name}: before.pocketed: with on_board it makes {sums} men, must be {MEN} a side")
    return fields


def _stroke_fields(stroke: Mapping[str, Any], name: str) -> dict[str, Any]:
    fields = {key: stroke[key] for key in _STROKE_KEYS if key in stroke}
    for group, prefix in (("pocketed", ""), ("overboard", "overboard_")):
        _refuse_unknown(stroke.get(group, {}), _PIECES, f"{name}: stroke.{group}")
        fields |= {f"{prefix}{piece}": number for piece, number in stroke.get(group, {}).items()}
    if slow := stroke.get("fell_between_strokes"):
        _refuse_unknown(slow, (*COLOURS, "queen"), f"{name}: stroke.fell_between_strokes")
        fields["fell_between_strokes"] = [slow.get(colour, 0) for colour in COLOURS]
        fields["queen_fell_between_strokes"] = slow.get("queen", 0)
    return fields


def _part(case: Mapping[str, Any], part: str, name: str) -> Mapping[str, Any]:
    if not isinstance(case.get(part), Mapping):
        raise CaseError(f"{name}: {part}: missing, or no object")
    return case[part]  # type: ignore[no-any-return]


def _number(pair: Any, colour: str, where: str) -> Any:
    if not isinstance(pair, Mapping) or colour not in pair:
        raise CaseError(f"{where}: must have white and black")
    return pair[colour]


def _men(before: Mapping[str, Any], key: str, colour: str, name: str) -> int:
    told = before.get(key, {})
    number = told.get(colour, 0) if isinstance(told, Mapping) else None
    if not _whole(number):
        raise CaseError(f"{name}: before.{key} = {told!r}: must have numbers of white and black men")
    return int(number)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _refuse_unknown(given: Any, known: Iterable[str], where: str) -> None:
    if not isinstance(given, Mapping):
        raise CaseError(f"{where}: must be an object")
    unknown = [key for key in given if key not in known]
    if unknown:
        raise CaseError(f"{where}: unknown key {unknown[0]!r}; known: {', '.join(known)}")


def _differences(
    expected: Mapping[str, Any], ruled: Mapping[str, Any], path: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each field that is not as expected: its name, what was expected, what was ruled."""
    for key, value in expected.items():
        if isinstance(value, Mapping) and isinstance(ruled.get(key), Mapping):
            yield from _differences(value, ruled[key], f"{path}{key}.")
        elif key not in ruled or ruled[key] != value:
            yield f"{path}{key}", value, ruled.get(key)
