"""What differs between two variants: every field is told, and what is said to be unable to fire changes nothing."""

import functools
from collections.abc import Iterator

import numpy as np
import pytest

import carromsim as cs
from carromsim.play.engine import play
from carromsim.play.records import PLAYED_BOARD
from carromsim.play.setup import Setup
from carromsim.players.greedy import Greedy
from carromsim.rules.ruleset import RuleSet, RuleSetError
from carromsim.rules.ruleset_fields import Number, Word, YesNo
from carromsim.rules.ruleset_groups import KINDS
from carromsim.studies.variants.laws import LawDifference, differing
from carromsim_kernels.laws import Rule
from play.players import setup

BASES = ("ukca", "icf", "bell_i", "usca", "point")
WILD = {
    "conduct": cs.DeclaredRates(
        improper=0.1,
        interference=0.1,
        technical_foul=0.1,
        bad_setup=0.1,
        premature_break=0.1,
        board_loss=0.1,
        decline_dues=0.1,
    ),
    "equipment": cs.Equipment.preset("icf").replace(jump_chance=0.1),
}
NEVER_HERE = {
    "opening.rotation": "the study turns the pack, for both alike",
    "dues.double": "double dues need an agreement, and these players have none",
    "match.change_sides": "only seats change, and the board is the same from each",
    "match.deciding_game_points": "only seats change, and the board is the same from each",
    "match.deciding_game_boards": "only seats change, and the board is the same from each",
}
"""What cannot fire whatever is declared."""
TIME_ALONE = "score.think_time"


def values_of(key: str, rules: RuleSet) -> Iterator[object]:
    """Give other values of a field, allowed or not."""
    kind, now = KINDS[key], rules.values[key]
    if isinstance(kind, Word):
        yield from (word for word in kind.words if word != now)
    elif isinstance(kind, YesNo):
        yield not now
    elif isinstance(kind, Number):
        yield from (each for each in ((now or 0) + 2, 1, 12.5, 3, 0, None) if each != now)


@functools.cache
def flipped(key: str, *bases: str) -> tuple[RuleSet, RuleSet]:
    """A shipped rule set, and the same with another value of one field."""
    for name in bases or BASES:
        rules = RuleSet.load(name)
        for value in values_of(key, rules):
            try:
                return rules, rules.replace({key: value})
            except RuleSetError:
                continue
    raise AssertionError(f"no shipped rule set can say anything else of {key}")


@functools.cache
def calm_boards(rules: RuleSet) -> np.ndarray:
    """Play boards of calm players; many a flipped field is of the same rule set."""
    return play(calm(rules), range(12)).boards


def calm(rules: RuleSet) -> Setup:
    return setup(rules=rules, policy=Greedy(), keep_strokes=False, seed=3)


def the_difference(one: Setup, other: Setup) -> LawDifference:
    (found,) = differing(one, other)
    return found


FLIPPED = [key for key in KINDS if key != "placing.zone"]


def test_one_field_has_but_one_value() -> None:
    assert isinstance(KINDS["placing.zone"], Word)
    assert len(KINDS["placing.zone"].words) == 1


@pytest.mark.parametrize("key", FLIPPED)
def test_a_flipped_field_is_the_difference(key: str) -> None:
    one, other = flipped(key)
    found = the_difference(setup(rules=one), setup(rules=other))
    assert found.field == key
    assert (found.baseline_value, found.variant_value) == (one.values[key], other.values[key])
    assert (found.baseline_law, found.variant_law) == (one.law(key), "changed")
    assert found.rules_on_strokes == (key.upper().replace(".", "_") in Rule.__members__)


@pytest.mark.parametrize("key", FLIPPED)
def test_what_cannot_fire_changes_nothing(key: str) -> None:
    """Boards of calm players are the same under both rule sets, to the bit."""
    if the_difference(*map(calm, flipped(key))).cannot:
        boards = [calm_boards(rules) for rules in flipped(key)]
        same = [name for name in PLAYED_BOARD.names or () if name != "seconds" or key != TIME_ALONE]
        assert all(np.array_equal(boards[0][name], boards[1][name], equal_nan=True) for name in same)
        if key == TIME_ALONE:
            assert not np.array_equal(boards[0]["seconds"], boards[1]["seconds"])


def test_calm_boards_give_no_occasion_to_these() -> None:
    """The list itself: what a reader is told of boards without foul play."""
    calm = [key for key in FLIPPED if the_difference(*(setup(rules=rules) for rules in flipped(key))).cannot]
    of_a_match = [key for key in FLIPPED if key.startswith(("score.", "match."))]
    expected = {
        *("opening.rotation", "turn.overboard_ends", "turn.striker_overboard_ends"),
        *("dues.double", "dues.overboard", "dues.striker_overboard", "dues.improper", "dues.improper_own_returned"),
        *("dues.interference", "dues.technical_foul", "dues.bad_setup", "dues.premature_break", "dues.decline"),
        *("placing.overboard", "queen.cutoff", "end.board_loss", "end.fixed_points", "end.fixed_points_from_cutoff"),
        *set(of_a_match) - {"score.white", "score.black"},
    }
    assert set(calm) == expected


@pytest.mark.parametrize("key", FLIPPED)
def test_where_people_and_discs_do_everything_nearly_everything_can_fire(key: str) -> None:
    bases = ("icf",) if key.startswith("end.fixed") or key == "end.board_max" else ()
    one, other = (setup(rules=rules, unit="match", **WILD) for rules in flipped(key, *bases))
    if key == TIME_ALONE:
        one, other = (setup(rules=each.rules.replace({"score.clock": 20}), unit="match") for each in (one, other))
    assert the_difference(one, other).cannot == NEVER_HERE.get(key, "")


def test_it_is_enough_if_one_of_both_gives_the_occasion() -> None:
    one, other = flipped("dues.improper")
    careful, careless = (cs.DeclaredRates(improper=rate) for rate in (0.0, 0.1))
    told = "no stroke is improper: conduct.improper = 0"
    assert the_difference(setup(rules=one, conduct=careful), setup(rules=other, conduct=careful)).cannot == told
    for rates in ((careless, careful), (careful, careless)):
        assert the_difference(setup(rules=one, conduct=rates[0]), setup(rules=other, conduct=rates[1])).cannot == ""


@pytest.mark.parametrize(
    ("start", "changes", "unit", "cannot"),
    [
        ({}, {"queen.cutoff": 20}, "board", "no board begins with so many points"),
        ({}, {"queen.cutoff": 0}, "board", ""),
        ({}, {"queen.cutoff": 20}, "match", ""),
        ({"queen.cutoff": None}, {"queen.cutoff": 26}, "match", "no board begins with so many points"),
        ({}, {"end.board_max": 13}, "board", ""),
        ({"end.board_max": None}, {"end.board_max": 14}, "board", "no board is worth so many points"),
        ({"end.demand_points": False, "end.board_max": None}, {"end.board_max": 12}, "board", "no board is worth"),
        ({"stroke.direct_hit": "any"}, {"dues.direct_hit": 2}, "board", "no direct hit is forbidden at a price"),
        ({"stroke.direct_hit": "forward_only"}, {"dues.direct_hit": 2}, "board", ""),
        ({"queen.right": "any_time"}, {"dues.queen_premature": 2}, "board", "the queen is never too early"),
        ({"queen.opening": "none"}, {"queen.opening_men": 3}, "board", "one own man is always cover enough"),
        ({}, {"end.fixed_points": 5}, "board", ""),
        ({"match.games": 1}, {"match.opener": "alternate"}, "match", "a match is one game"),
        ({}, {"score.think_time": 5.0}, "match", "no clock ends anything: it only changes the seconds that are told"),
        ({}, {"equipment": "bell"}, "board", "both play on icf"),
    ],
)
def test_reasons(start: dict[str, object], changes: dict[str, object], unit: str, cannot: str) -> None:
    rules = RuleSet.load("icf").replace(start)
    icf = cs.Equipment.preset("icf")
    one, other = (setup(rules=each, unit=unit, equipment=icf) for each in (rules, rules.replace(changes)))
    found = the_difference(one, other).cannot
    assert found.startswith(cannot) if cannot else found == ""


def test_equal_rules_do_not_differ() -> None:
    rules = RuleSet.load("icf")
    assert differing(setup(rules=rules), setup(rules=rules.replace({"name": "other"}))) == []
