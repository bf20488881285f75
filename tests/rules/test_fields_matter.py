"""Every field of a rule set changes a ruling: one stroke each that comes out differently when that field alone does."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

import carromsim as cs
from carromsim.rules.cases import rule_case
from carromsim.rules.ruleset import RuleSet
from oracles.laws_cases import make_case
from rules import batch
from rules.walks import RULING_KEYS

Words = dict[str, Any]
BREAK: Words = {"white": 9, "black": 9, "break_made": False}
MISS: Words = {**BREAK, "touched_piece": False}
FRESH: Words = {"white": 9, "ever": (False, True)}
SAME: Words = {"own": 1, "striker": True, "striker_same_pocket_as_own": True}
DOUBLE: Words = {**SAME, "double_due_agreed": True, "call_double_due": True}
WIN: Words = {"white": 1, "black": 4, "own": 1, "queen": "covered_white"}


class Flip(NamedTuple):
    """A stroke, and the part of the ruling on it that one field changes."""

    field: str
    ruleset: str
    value: object
    stroke: Words
    part: str
    before: object
    after: object
    start: Mapping[str, Any] = MappingProxyType({})
    """Changes that the rule set needs for both."""


FLIPS = [
    Flip(
        "stroke.exists",
        "ukca",
        "left_base",
        MISS | {"break_made": True, "crossed_front": False},
        "turn",
        "retry",
        "pass",
    ),
    Flip("stroke.direct_hit", "ukca", "any", {"own": 1, "direct_hit_behind": True}, "turn", "pass", "continue"),
    Flip("opening.attempts", "icf", 2, MISS | {"break_attempt": 2}, "turn", "retry", "pass"),
    Flip("opening.missed_striker_due", "icf", True, MISS | {"striker": True}, "dues_incurred", 0, 1),
    Flip("turn.own_man_keeps", "icf", False, {"own": 1}, "turn", "continue", "pass"),
    Flip("turn.opponent_man_ends", "icf", True, {"own": 1, "opponent": 1}, "turn", "continue", "pass"),
    Flip("turn.striker_ends", "icf", True, {"own": 1, "striker": True}, "turn", "continue", "pass"),
    Flip("turn.overboard_ends", "icf", True, {"own": 1, "over_opponent": 1}, "turn", "continue", "pass"),
    Flip("turn.striker_overboard_ends", "icf", True, {"own": 1, "over_striker": True}, "turn", "continue", "pass"),
    Flip("dues.striker", "ukca", 0, {"striker": True}, "dues_incurred", 1, 0),
    Flip("dues.striker_with_own", "ukca", 2, {"own": 1, "striker": True}, "dues_incurred", 1, 2),
    Flip("dues.striker_own_returned", "caint", "all", {"own": 1, "striker": True}, "forced_returns", (0, 0), (1, 0)),
    Flip("dues.double", "ukca", "off", DOUBLE, "turn", "continue", "pass"),
    Flip("dues.opponent_man", "ukca", 0, {"opponent": 1}, "dues_incurred", 1, 0),
    Flip("dues.overboard", "ukca", 0, {"over_own": 1}, "dues_incurred", 1, 0),
    Flip("dues.striker_overboard", "ukca", 0, {"over_striker": True}, "dues_incurred", 1, 0),
    Flip("dues.direct_hit", "ukca", 2, {"direct_hit_behind": True}, "dues_incurred", 1, 2),
    Flip("dues.improper", "ukca", 0, {"own": 1, "improper": True}, "turn", "pass", "continue"),
    Flip("dues.improper_own_returned", "icf", False, {"own": 1, "improper": True}, "forced_returns", (1, 0), (0, 0)),
    Flip("dues.interference", "ukca", 0, {"own": 1, "interference": True}, "turn", "pass", "continue"),
    Flip("dues.technical_foul", "icf", 0, {"own": 1, "technical_fouls": 1}, "dues_incurred", 1, 0),
    Flip("dues.bad_setup", "ukca", 0, BREAK | {"own": 1, "bad_setup": True}, "turn", "pass", "continue"),
    Flip("dues.premature_break", "icf", 0, BREAK | {"own": 1, "premature_break": True}, "turn", "pass", "continue"),
    Flip("dues.queen_premature", "ukca", 0, FRESH | {"queen_fell": True}, "dues_incurred", 1, 0),
    Flip(
        "dues.queen_mix_cap", "ukca", None, {"opponent": 1, "queen_fell": True, "striker": True}, "dues_incurred", 1, 2
    ),
    Flip(
        "dues.pay",
        "ukca",
        "at_once",
        {"white": 9, "own": 1, "dues": (1, 0), "ever": (True, True)},
        "dues_paid_now",
        0,
        1,
    ),
    Flip("dues.cannot_pay", "icf", "minus_point", FRESH | {"striker": True}, "score_delta", (0, 0), (-1, 0)),
    Flip("dues.decline", "ukca", "no", {"striker": True, "decline_dues": True}, "dues_incurred", 0, 1),
    Flip("queen.right", "icf", "any_time", FRESH | {"queen_fell": True}, "turn", "pass", "continue"),
    Flip(
        "queen.blocked_by_due",
        "icf",
        False,
        {"white": 9, "ever": (True, True), "dues": (1, 0), "queen_fell": True},
        "queen_after",
        "on_board",
        "pending",
    ),
    Flip(
        "queen.opening",
        "ukca",
        "none",
        FRESH | {"own": 1, "queen_fell": True},
        "queen_after",
        "pending",
        "covered_white",
    ),
    Flip(
        "queen.opening_men",
        "ukca",
        3,
        FRESH | {"own": 2, "queen_fell": True},
        "queen_after",
        "covered_white",
        "pending",
    ),
    Flip(
        "queen.cover",
        "bell_i",
        "none",
        {"queen_fell": True},
        "queen_after",
        "pending",
        "covered_white",
        start={"queen.returns_turn_men": False},
    ),
    Flip("queen.cover_extended", "icf", False, SAME | {"queen": "pending"}, "queen_after", "pending", "on_board"),
    Flip("queen.striker_keeps_turn", "icf", False, {"queen_fell": True, "striker": True}, "turn", "continue", "pass"),
    Flip(
        "queen.returns_turn_men",
        "bell_i",
        False,
        {"queen": "pending", "turn_pocketed_own": 2},
        "forced_returns",
        (2, 0),
        (0, 0),
    ),
    Flip(
        "queen.penalty_voids_cover",
        "ukca",
        False,
        {"own": 1, "opponent": 1, "queen": "pending"},
        "queen_after",
        "on_board",
        "covered_white",
    ),
    Flip("queen.value", "ukca", 4, WIN, "board", ("white", 9), ("white", 8)),
    Flip("queen.cutoff", "ukca", 20, WIN | {"score": (20, 0)}, "board", ("white", 9), ("white", 4)),
    Flip("end.own_last", "bell_i", "return_and_due", WIN | {"queen": "on_board"}, "turn", "board_end", "pass"),
    Flip("end.opponent_last", "ukca", "opponent_wins", {"black": 1, "opponent": 1}, "turn", "pass", "board_end"),
    Flip("end.fixed_points", "icf", 4, WIN | {"queen": "on_board"}, "board", ("black", 3), ("black", 4)),
    Flip(
        "end.fixed_points_from_cutoff",
        "icf",
        2,
        WIN | {"queen": "on_board", "score": (0, 22)},
        "board",
        ("black", 1),
        ("black", 2),
    ),
    Flip(
        "end.demand_points",
        "icf",
        False,
        WIN | {"queen": "on_board", "striker": True},
        "board",
        ("black", 4),
        ("black", 3),
    ),
    Flip("end.board_loss", "icf", False, {"board_lost_by": "white"}, "turn", "board_end", "pass"),
    Flip("end.board_max", "icf", 6, WIN, "board", ("white", 7), ("white", 6)),
    Flip(
        "score.white",
        "ukca",
        2,
        WIN | {"shooter": "black", "white": 4, "black": 1, "queen": "covered_white"},
        "board",
        ("black", 4),
        ("black", 8),
    ),
    Flip("score.black", "ukca", 2, WIN, "board", ("white", 9), ("white", 13)),
]


def plain(value: Any) -> object:
    return tuple(value.values()) if isinstance(value, dict) else value


@pytest.mark.parametrize("flip", FLIPS, ids=[flip.field for flip in FLIPS])
def test_field_changes_a_ruling(flip: Flip) -> None:
    case = make_case(flip.ruleset, **flip.stroke)
    rules = RuleSet.load(flip.ruleset).replace(flip.start)
    changed = rules.replace({flip.field: flip.value})
    before, after = rule_case(case, rules), rule_case(case, changed)
    assert plain(before.get(flip.part)) == flip.before
    assert plain(after.get(flip.part)) == flip.after
    # The field is named among what decided: before or after, as it may be the absence of a law that lets play go on.
    boards, facts = batch.boards([case]), batch.facts([case])
    told = {*cs.adjudicate(boards, facts, rules).fields(0), *cs.adjudicate(boards, facts, changed).fields(0)}
    assert flip.field in told


def test_each_ruling_field_has_its_flip() -> None:
    assert sorted(flip.field for flip in FLIPS) == sorted(set(RULING_KEYS) - {"turn.own_men"})


def test_own_men_decide_whose_man_fell() -> None:
    rules = RuleSet.load("point")
    board, facts = cs.board_state(held=np.zeros((2, 2), int), on_board=(9, 9)), cs.stroke_facts(opponent=1)
    assert cs.adjudicate(board, facts, rules).row(0)["turn"] == "continue"
    assert cs.adjudicate(board, facts, rules.replace({"turn.own_men": "colour"})).row(0)["turn"] == "pass"
