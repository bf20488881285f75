import numpy as np
import pytest

import carromsim as cs
from carromsim.players.targets import may_take_queen, wanted
from players.positions import RULE_SETS, state_of, turns_of

QUEEN, WHITE, BLACK = cs.QUEEN, cs.WHITE, cs.BLACK
SPOTS = [(-0.2 + 0.05 * i, 0.1) for i in range(9)], [(-0.2 + 0.05 * i, 0.2) for i in range(9)]


def value(rules, white=9, black=9, queen=True, **fields):
    """What the discs of one board are worth, (20,)."""
    rules = cs.RuleSet.load(rules) if isinstance(rules, str) else rules
    pos = cs.arrange(queen=(0.0, 0.0) if queen else None, white=SPOTS[0][:white], black=SPOTS[1][:black]).pos
    if not queen and "queen" not in fields:
        fields["queen"] = "covered_white"
    return wanted(turns_of(rules, pos[np.newaxis], state_of(rules, pos, **fields)))[0]


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("shooter", ["white", "black"])
def test_own_men_are_wanted_and_the_others_not(rules, shooter):
    worth = value(rules, white=5, black=6, shooter=shooter, ever_pocketed=(1, 1))
    own, other, there = (WHITE, BLACK, 5) if shooter == "white" else (BLACK, WHITE, 6)
    if cs.RuleSet.load(rules).turn.own_men == "any":
        np.testing.assert_allclose(worth[WHITE][:5], 2 * worth[BLACK][0])  # 20 points to 10
        assert (worth[BLACK][:6] > 0).all()
    else:
        np.testing.assert_array_equal(worth[own][:there], 1.0)
        np.testing.assert_array_equal(worth[other], 0.0)
        np.testing.assert_array_equal(worth[own][there:], 0.0)
    assert worth[cs.STRIKER] == 0


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_queen_is_wanted_only_by_right(rules):
    right = cs.RuleSet.load(rules).queen.right
    before = value(rules)[QUEEN]
    after = value(rules, white=7, ever_pocketed=(1, 0))[QUEEN]
    others_only = value(rules, black=7, ever_pocketed=(0, 1))[QUEEN]
    last = value(rules, white=0, black=0 if rules == "point" else 4, ever_pocketed=(1, 1))[QUEEN]
    assert (before > 0) == (others_only > 0) == (right == "any_time")
    assert (after > 0) == (right != "after_last_own_man")
    assert last > 0


def test_an_owed_due_takes_the_queen_away_where_the_rules_say_so():
    for rules, blocked in (("icf", True), ("ukca", False)):
        worth = value(rules, white=7, dues=(1, 0))
        assert (worth[QUEEN] == 0) == blocked
        assert value(rules, white=7, dues=(0, 1))[QUEEN] > 0
        assert (worth[WHITE][:7] == 1).all()


@pytest.mark.parametrize("rules", ["ukca", "caint", "icf", "usca"])
def test_the_last_man_waits_for_the_queen_where_it_must(rules):
    worth = value(rules, white=1)
    assert worth[WHITE].max() == 0
    assert worth[QUEEN] > 1
    assert value(rules, white=1, queen=False)[WHITE][0] == 1  # she is covered


def test_a_queen_that_waits_is_covered_with_the_last_man():
    rules = cs.RuleSet.load("icf")
    pos = cs.arrange(white=SPOTS[0][:1], black=SPOTS[1]).pos
    worth = wanted(turns_of(rules, pos[np.newaxis], state_of(rules, pos, queen="pending")))[0]
    assert np.flatnonzero(worth).tolist() == [WHITE.start]


def test_the_queen_is_worth_more_the_fewer_men_are_left():
    values = [value("icf", white=men)[QUEEN] for men in range(8, 0, -1)]
    assert values == sorted(values)
    assert len(set(values)) == 8
    flat = [value("bell_i", white=men)[QUEEN] for men in range(8, 1, -1)]
    assert len(set(flat)) == 1


def test_beyond_her_cutoff_she_is_worth_less():
    assert value("icf", white=5, score=(21, 0))[QUEEN] > value("icf", white=5, score=(22, 0))[QUEEN] > 0
    assert value("icf", white=5, score=(0, 22))[QUEEN] == value("icf", white=5)[QUEEN]


def test_who_may_win_with_the_last_man_weighs_it_against_the_queen():
    few, many = value("bell_i", white=1, black=1), value("bell_i", white=1, black=9)
    assert few[WHITE][0] == 1 < few[QUEEN]  # she is worth more than one black man
    assert many[WHITE][0] == 9 > many[QUEEN] / 1.2


def test_men_of_this_turn_that_come_back_with_her_speak_against_her():
    worth = [value("bell_i", white=3, turn_pocketed_own=men)[QUEEN] for men in range(6)]
    assert worth[0] > worth[1] > worth[3] > worth[5] > 0
    same = [value("icf", white=3, turn_pocketed_own=men)[QUEEN] for men in range(7)]
    assert len(set(same)) == 1


def test_the_right_to_the_queen_is_the_referees():
    """Whatever is pocketed alone by right is never sent back at once, and what is not by right always is."""
    n = 0
    for name in RULE_SETS:
        rules = cs.RuleSet.load(name)
        for white in (9, 5, 1, 0):
            for dues in ((0, 0), (1, 0)):
                pos = cs.arrange(queen=(0.0, 0.0), white=SPOTS[0][:white], black=SPOTS[1][:4]).pos
                if white == 0 and rules.end.own_last != "continue":  # the board is over
                    continue
                turns = turns_of(rules, pos[np.newaxis], state_of(rules, pos, dues=dues))
                ruling = cs.adjudicate(turns.states, cs.stroke_facts(queen=1), rules)
                assert bool(may_take_queen(turns)[0]) == (not ruling["queen_returned"][0]), (name, white, dues)
                n += 1
    assert n == 54
