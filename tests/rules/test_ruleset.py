"""`RuleSet`: what the shipped ones say, their laws and codes, and what cannot be."""

import dataclasses
import pickle
import re
import subprocess
import sys
from enum import IntEnum
from importlib import resources
from typing import Any

import numpy as np
import pytest

from carromsim.equipment import PRESETS
from carromsim.rules.records import board_state
from carromsim.rules.ruleset import KEYS, NAMES, RuleSet, RuleSetError
from carromsim.rules.ruleset_fields import Number, Word, YesNo
from carromsim.rules.ruleset_groups import GROUPS, KINDS
from carromsim_kernels import laws

ICF = RuleSet.load("icf")

FIVE = ("ukca", "caint", "icf", "bell_i", "bell_ii")
# Written down apart from the files, from the rule books: group, field, and the values in the order of FIVE.
BOOKS = """
opening rotation free free y_to_breaker y_to_breaker y_to_breaker
opening attempts 3 3 3 1 1
opening missed_striker_due true true false true true
stroke exists crossed_or_touched crossed_or_touched left_base crossed crossed
stroke direct_hit forward_only forward_only any after_crossing after_crossing
turn own_men colour colour colour colour colour
turn own_man_keeps true true true true true
turn opponent_man_ends true true false true true
turn striker_ends true true false true true
turn overboard_ends true true false false false
turn striker_overboard_ends true true false false false
dues striker 1 1 1 1 1
dues striker_with_own 1 2 1 1 1
dues striker_own_returned none none all one_same_pocket one_same_pocket
dues double on_same_pocket off off off off
dues opponent_man 1 1 0 0 0
dues overboard 1 1 0 0 0
dues striker_overboard 1 1 0 0 0
dues direct_hit 1 1 0 0 0
dues improper 1 1 1 0 0
dues improper_own_returned false false true false false
dues interference 1 1 1 0 0
dues technical_foul 1 1 1 0 0
dues bad_setup 1 1 0 0 0
dues premature_break 0 0 1 0 0
dues queen_premature 1 1 0 0 0
dues queen_mix_cap 1 1 absent absent absent
dues pay end_of_turn end_of_turn at_once at_once at_once
dues cannot_pay owe owe owe minus_point minus_point
dues decline each each all_only no no
placing zone outer_circle outer_circle outer_circle outer_circle outer_circle
placing centre_circle true true false true true
placing queen_shot true true false true true
placing overboard centre_then_circle circle touching_centre nearest_centre nearest_centre
placing no_room nearest nearest wait nearest nearest
placing queen opponent opponent next_player nearest nearest
queen right after_own_man after_own_man after_own_man any_time after_last_own_man
queen blocked_by_due false false true false false
queen opening never_pocketed never_pocketed all_on_board none none
queen opening_men 2 2 2 2 2
queen cover next_stroke next_stroke next_stroke next_stroke none
queen cover_extended false false true false false
queen striker_keeps_turn false false true false false
queen returns_turn_men false false false true false
queen penalty_voids_cover true true false false false
queen value 5 5 3 5 5
queen cutoff 24 24 22 absent absent
end own_last return_and_due return_and_due lose finish continue
end opponent_last return_and_due return_and_due opponent_wins_with_queen opponent_wins continue
end fixed_points 3 3 3 3 3
end fixed_points_from_cutoff 1 1 1 1 1
end demand_points false false true false false
end board_loss true true true true true
end board_max absent absent 12 absent absent
score white 1 1 1 1 1
score black 1 1 1 1 1
score target 29 29 25 30 30
score board_limit absent absent 8 absent absent
score tie extra_board extra_board extra_board_toss none none
score clock absent absent absent absent absent
score think_time 15 15 15 15 15
match games 3 3 3 3 3
match opener alternate alternate alternate_per_game alternate alternate
match change_sides false false true false false
match deciding_game_points absent absent 13 absent absent
match deciding_game_boards absent absent 4 absent absent
"""


def plain(word: str) -> Any:
    named = {"true": True, "false": False, "absent": None}
    return named[word] if word in named else int(word) if word.isdigit() else word


@pytest.mark.parametrize("place", range(5), ids=FIVE)
def test_each_of_the_five_says_what_its_book_says(place: int) -> None:
    rows = [line.split() for line in BOOKS.strip().splitlines()]
    expected = {f"{group}.{field}": plain(values[place]) for group, field, *values in rows}
    told = RuleSet.load(FIVE[place]).values
    board = ("ukca", "caint", "icf", "bell", "bell")[place]
    assert told == {"name": FIVE[place], "equipment": board, **expected}
    assert [type(value) for value in told.values()] == [str, str, *map(type, expected.values())]


def test_the_two_variants_differ_from_the_icf_where_their_sources_say_so() -> None:
    def differences(name: str) -> dict[str, Any]:
        told = RuleSet.load(name).values
        return {key: value for key, value in told.items() if value != ICF.values[key] and key != "name"}

    assert differences("usca") == {
        "dues.striker_with_own": 2,
        "dues.striker_own_returned": "none",
        "end.demand_points": False,
    }
    assert differences("short_set") == {
        "queen.right": "after_last_own_man",
        "queen.opening": "none",
        "queen.cover": "none",
        "queen.cover_extended": False,
        "queen.value": 2,
        "queen.cutoff": None,
        "end.own_last": "continue",
        "end.opponent_last": "continue",
        "end.demand_points": False,
        "end.board_max": 11,
        "score.target": 45,
        "score.board_limit": 4,
        "score.think_time": 10,
        "match.deciding_game_points": None,
        "match.deciding_game_boards": None,
    }


def test_the_names_are_those_of_the_files() -> None:
    folder = resources.files("carromsim.data") / "rules"
    assert sorted(file.name for file in folder.iterdir()) == sorted(f"{name}.toml" for name in NAMES)
    assert RuleSet.names() == NAMES
    for name in NAMES:
        rules = RuleSet.load(name)
        assert rules is RuleSet.load(name)
        assert (rules.name, rules.equipment in PRESETS, len(rules.about) > 20) == (name, True, True)


# Which law each value is


def test_every_value_has_a_law_with_a_number_or_a_named_source() -> None:
    law = re.compile(
        r"(\[A\] )?(UKCA ([A-J]\d+|table \d)|ICF \d+[a-z]?(, \d+)?|Bell( \d+| i| ii)?"
        r"|Comparison table|US style|Short set|Point carrom)"
    )
    for name in NAMES:
        rules = RuleSet.load(name)
        for key in KINDS:
            assert law.fullmatch(rules.law(key)), (name, key, rules.law(key))
            assert len(rules.sources[key].comment) > len(rules.law(key)) + 2, (name, key)


def test_assumptions_about_the_caint_are_all_that_its_table_does_not_say() -> None:
    found = {RuleSet.load("caint").law(key).partition(" ")[0] for key in KINDS if not key.startswith("end.fixed")}
    assert found == {"[A]", "Comparison"}
    assert {source.file for source in RuleSet.load("caint").sources.values()} == {"caint"}
    assert [RuleSet.load(name).law("dues.direct_hit") for name in ("ukca", "caint")] == ["UKCA H11", "[A] UKCA H11"]


def test_what_is_extended_keeps_its_law() -> None:
    second = RuleSet.load("bell_ii")
    assert (second.law("queen.right"), second.law("dues.striker")) == ("Bell ii", "Bell 9")
    assert {source.file for source in second.sources.values()} == {"bell_i", "bell_ii"}


def test_a_law_of_no_field_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown field of a rule set 'queen.valu': did you mean 'queen.value'\?"):
        ICF.law("queen.valu")


# Numbers for the kernel

ENUMERATIONS = {
    "stroke.exists": laws.Exists,
    "stroke.direct_hit": laws.DirectHit,
    "turn.own_men": laws.OwnMen,
    "dues.striker_own_returned": laws.Returned,
    "dues.double": laws.DoubleDue,
    "dues.pay": laws.Pay,
    "dues.cannot_pay": laws.CannotPay,
    "dues.decline": laws.Decline,
    "queen.right": laws.Right,
    "queen.opening": laws.OpeningQueen,
    "queen.cover": laws.Cover,
    "end.own_last": laws.OwnLast,
    "end.opponent_last": laws.OpponentLast,
}


@pytest.mark.parametrize("name", NAMES)
def test_params_are_the_values_by_their_codes(name: str) -> None:
    rules = RuleSet.load(name)
    params = rules.params
    assert (params.shape, params.dtype) == ((1,), laws.RULE_PARAMS)
    for rule in laws.Rule:
        group, _, field = rule.name.lower().partition("_")
        value = rules.values[f"{group}.{field}"]
        if isinstance(value, str):
            value = ENUMERATIONS[f"{group}.{field}"][value.upper()]
        assert params[rule.name.lower()][0] == (laws.NEVER if value is None else value), rule


def test_the_words_of_each_choice_are_those_of_the_kernel_in_their_order() -> None:
    for key, codes in ENUMERATIONS.items():
        kind = KINDS[key]
        assert isinstance(kind, Word)
        assert [kind.code(word) for word in kind.words] == [codes[word.upper()] for word in kind.words]
        assert len(kind.words) == len(codes)
        assert issubclass(codes, IntEnum)


def test_params_are_a_new_array_each_time() -> None:
    ICF.params["queen_value"] = 9
    assert ICF.params["queen_value"] == 3


# Copies


def test_replace_changes_what_it_names_and_nothing_else() -> None:
    mine = ICF.replace({"queen.value": np.int64(5), "end.board_max": "none", "name": "mine", "score.clock": 12.5})
    expected = {**ICF.values, "queen.value": 5, "end.board_max": None, "name": "mine", "score.clock": 12.5}
    assert mine.values == expected
    assert (type(mine.queen.value), mine.about) == (int, ICF.about)
    assert [mine.law(key) for key in ("queen.value", "end.board_max", "queen.cutoff")] == [
        "changed",
        "changed",
        "ICF 54",
    ]
    assert ICF.queen.value == 3
    assert mine != ICF
    back = {"queen.value": 3, "end.board_max": 12, "name": "icf", "score.clock": None}
    assert mine.replace(back) == ICF
    assert hash(mine.replace(back)) == hash(ICF)


def test_a_rule_set_cannot_be_changed_and_survives_pickle() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ICF.name = "mine"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        ICF.queen.value = 5  # type: ignore[misc]
    copy = pickle.loads(pickle.dumps(ICF))
    assert (copy, copy.law("queen.value")) == (ICF, "ICF 52b")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queen.valu": 5}, "unknown field of a rule set 'queen.valu': did you mean 'queen.value'? known: "),
        (
            {"queen.value": -1, "turn.striker_ends": 1, "name": 3},
            "impossible rule set, 3 problems: name = 3: must be a string; "
            "turn.striker_ends = 1: must be true or false; queen.value = -1: must be a whole number from 0 to 100",
        ),
        (
            {"queen.cover": "none", "queen.opening": "none"},
            "impossible rule set, 1 problem: queen.cover = 'none': needs queen.cover_extended = false, it is true",
        ),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ICF.replace(changes)


def test_an_error_survives_pickle() -> None:
    with pytest.raises(RuleSetError) as caught:
        ICF.replace({"score.target": 0})
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_groups_must_be_groups() -> None:
    with pytest.raises(RuleSetError, match=r"1 problem: queen = 5: must be a Queen"):
        dataclasses.replace(ICF, queen=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", list(KINDS))
def test_every_field_refuses_what_is_not_its_kind(key: str) -> None:
    kind = KINDS[key]
    wrong: dict[type, list[object]] = {
        Word: ["", "None", 1, None, ["free"]],
        YesNo: [1, 0, "true", None],
        Number: [True, "3", float("nan"), float("inf"), -1, 10**9, [3]],
    }
    for value in wrong[type(kind)]:
        with pytest.raises(RuleSetError, match=re.escape(f"{key} = ")):
            ICF.replace({key: value})
    if isinstance(kind, Number):
        limits = [kind.low - 1, kind.high + 1]
        limits += [1.5] if kind.is_whole else []
        limits += [2] if kind.odd else []
        limits += [] if kind.optional else [None, "none"]
        for limit in limits:
            with pytest.raises(RuleSetError, match=re.escape(f"must be {kind.allowed}")):
                ICF.replace({key: limit})


def test_every_value_within_limits_fits_the_kernel() -> None:
    numbers = {key: kind for key, kind in KINDS.items() if isinstance(kind, Number)}
    for key, kind in numbers.items():
        assert -1 < kind.low <= kind.high < laws.NEVER, key
    # Nine men, the queen and two points on demand, on top of the largest score.
    board = laws.MEN * (numbers["score.white"].high + numbers["score.black"].high) + numbers["queen.value"].high + 2
    board_state(score=[numbers["score.target"].high - 1 + board, 0], break_attempt=numbers["opening.attempts"].high)


CLASHES = [
    ({"queen.right": "after_last_own_man"}, "queen.right = 'after_last_own_man': needs queen.cover = \"none\""),
    ({"queen.right": "after_last_own_man"}, 'needs end.own_last = "continue", it is "lose"'),
    ({"turn.own_men": "any"}, 'needs end.opponent_last = "continue", it is "opponent_wins_with_queen"'),
    ({"turn.own_men": "any"}, "needs end.board_loss = false, it is true"),
    ({"turn.own_men": "any"}, 'needs end.board_max = "none", it is 12'),
    ({"turn.own_men": "any", "dues.opponent_man": 1}, "needs dues.opponent_man = 0, it is 1"),
    ({"end.own_last": "continue"}, 'needs end.opponent_last = "continue", it is "opponent_wins_with_queen"'),
    ({"end.opponent_last": "continue"}, 'needs end.own_last = "continue", it is "lose"'),
    ({"queen.cover": "none"}, 'needs queen.opening = "none", it is "all_on_board"'),
    ({"queen.cover": "none"}, "needs queen.cover_extended = false, it is true"),
    ({"queen.cover": "none", "queen.returns_turn_men": True}, "needs queen.returns_turn_men = false, it is true"),
    ({"queen.cover": "none", "queen.penalty_voids_cover": True}, "needs queen.penalty_voids_cover = false, it is true"),
    ({"end.own_last": "finish"}, 'end.demand_points = True: needs end.own_last = "lose", it is "finish"'),
    (
        {"end.opponent_last": "return_and_due"},
        'needs end.opponent_last = "opponent_wins_with_queen", it is "return_and_due"',
    ),
    ({"dues.double": "on_same_pocket"}, 'needs dues.striker_own_returned = "none", it is "all"'),
    ({"dues.striker": 2}, "dues.striker = 2: needs dues.striker_with_own = 2 or more, it is 1"),
    ({"dues.improper": 0}, "dues.improper_own_returned = True: needs dues.improper = 1 or more, it is 0"),
]


@pytest.mark.parametrize(("changes", "message"), CLASHES)
def test_laws_that_contradict_each_other_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(RuleSetError, match=re.escape(message)):
        ICF.replace(changes)


def test_a_rule_set_needs_no_compiler() -> None:
    code = (
        "import sys\nfrom carromsim.rules.ruleset import RuleSet\nRuleSet.load('icf').params\n"
        "print(sorted({'numba', 'pyarrow', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_keys_are_the_fields_of_the_groups() -> None:
    assert KEYS[:2] == ("name", "equipment")
    assert list(ICF.values) == list(KEYS)
    assert sum(len(dataclasses.fields(kind)) for kind in GROUPS.values()) == len(KINDS)
