from dataclasses import replace

import numpy as np
import pytest

import carromsim as cs
from carromsim.players.aim import candidates
from carromsim.players.greedy import Greedy
from carromsim.players.ideas import Ideas
from carromsim.players.lookahead import Lookahead
from carromsim.players.outlook import outlook
from carromsim.players.targets import wanted
from players.positions import random_turns, state_of, turns_of

ICF = cs.RuleSet.load("icf")


def judged(pos, winner=-1, skill="expert", rules=ICF, **after):
    """What a board (20, 2) is worth to white, who has just played: `after` are fields of the state."""
    before = turns_of(rules, pos[np.newaxis], state_of(rules, pos), skill=skill)
    state = state_of(rules, pos, **after)
    return float(outlook(before, pos[np.newaxis], state, np.array([winner], np.int8))[0])


def men(white, black, queen=None):
    return cs.arrange(queen=queen, white=white, black=black).pos


EVEN = men([(-0.2, 0.2), (0.2, 0.2)], [(-0.2, -0.2), (0.2, -0.2)])
"""A board that looks the same from both ends."""


def test_the_turn_is_worth_something_and_as_much_to_either():
    keeps = judged(EVEN, shooter="white", queen="covered_white")
    passes = judged(EVEN, shooter="black", queen="covered_white")
    level = 0.5 + 0.5 * 3  # the queen is white's: half her three points, and half a man
    assert keeps - level == pytest.approx(level - passes)
    assert 1.0 < keeps - level <= 2.0  # an easy man or two


def test_what_a_board_is_worth_goes_the_right_way():
    queen = {"queen": "covered_white"}
    base = judged(EVEN, **queen)
    assert judged(men([(-0.2, 0.2)], [(-0.2, -0.2), (0.2, -0.2)]), **queen) > base
    assert judged(men([(-0.2, 0.2), (0.2, 0.2)], [(-0.2, -0.2)]), **queen) < base
    assert judged(EVEN, dues=(1, 0), **queen) == pytest.approx(base - 1)
    assert judged(EVEN, dues=(0, 1), **queen) == pytest.approx(base + 1)
    assert judged(EVEN, queen="covered_black") == pytest.approx(base - 4)
    assert judged(EVEN, points=(2, 0), **queen) == pytest.approx(base + 2)
    assert base > judged(EVEN, queen="pending") > judged(EVEN, queen="covered_black")
    assert judged(EVEN, winner=0, points=(5, 0)) == -judged(EVEN, winner=1, points=(0, 5)) == 9


def test_a_man_in_the_open_is_better_than_one_in_a_corner_of_the_base():
    easy = judged(men([(0.1, 0.1)], [(0.0, 0.3)]), queen="covered_white")
    hard = judged(men([(0.3545, -0.16)], [(0.0, 0.3)]), queen="covered_white")
    assert easy > hard + 0.2
    # What is easy for the opponent, seen from his end, is bad.
    his = [
        judged(men([(0.0, 0.3)], [spot]), shooter="black", queen="covered_white")
        for spot in ((0.1, -0.1), (0.3545, 0.16))
    ]
    assert his[0] < his[1] - 0.2


def test_an_uncovered_queen_puts_this_turns_men_at_stake_where_they_come_back():
    bell = cs.RuleSet.load("bell_i")
    far = men([(0.3545, -0.16)], [(0.0, 0.3)])
    worth = [judged(far, rules=bell, queen="pending", turn_pocketed_own=n) for n in (0, 3)]
    assert worth[0] > worth[1] + 0.3
    assert judged(far, queen="pending", turn_pocketed_own=3) == judged(far, queen="pending")


def test_ideas_are_legal_and_a_rows_own():
    turns = random_turns("icf", 60, men=(2, 2), skill="perfect", queen=False)
    worth = wanted(turns)
    found = candidates(turns, worth, 6)
    ideas = Ideas(turns, found, worth)
    angles = []
    for i in range(8):
        idea = ideas[i]
        assert idea.strokes.is_legal(turns.equipment).all()
        assert turns.own[np.arange(60), idea.target].all()
        assert np.isnan(idea.estimate).all()
        order = np.arange(60)[::-7]
        part = Ideas(turns.take(order), found[order], worth[order])[i]
        for name in ("x", "angle", "speed"):
            np.testing.assert_array_equal(getattr(part.strokes, name), getattr(idea.strokes, name)[order])
        angles.append(idea.strokes.angle)
    assert (np.diff(angles, axis=0) != 0).all()
    out = cs.simulate(cs.Layout(turns.pos), ideas[0].strokes, equipment=turns.equipment)
    assert (out.status == 0).all()
    assert out.first_hit[ideas[0].kind < 0].astype(bool).mean() > 0.9


def test_jumping_discs_are_nobodys_plan():
    """Luck with them depends on places in a batch, so a choice may not."""
    wild = cs.Equipment.preset("icf").replace(jump_chance=1.0, jump_speed=0.5)
    turns = random_turns("icf", 10, men=(3, 3), equipment=wild)
    calm = replace(turns, equipment=wild.replace(jump_chance=0.0))
    mine, theirs = (Lookahead(27).choose(t).strokes for t in (turns, calm))
    np.testing.assert_array_equal(mine.angle, theirs.angle)


def cleared(policy, skill, n, rules="icf"):
    """Of n boards with nine white men and nothing else, how many are cleared without a miss."""
    turns = random_turns(rules, n, men=(9, 0), queen=False, skill=skill, seed=11)
    pos, alive, clear = turns.pos.copy(), np.arange(n), 0
    for stroke in range(9):
        if not len(alive):
            break
        left = (~np.isnan(pos[alive][:, cs.WHITE, 0])).sum(axis=1)
        # Black men that are nowhere: what counts is that the board is not over.
        states = cs.board_state(on_board=np.stack([left, np.full(len(alive), 9)], axis=1), queen="covered_white")
        now = replace(turns.take(alive), pos=pos[alive], states=states, stroke=np.full(len(alive), stroke))
        chosen = policy.choose(now).strokes
        done = now.skill.executed(chosen, now.equipment, seed=now.seed, rows=alive, stroke=stroke, pos=now.pos)
        out = cs.simulate(cs.Layout(now.pos), done, equipment=now.equipment)
        pos[alive] = out.pos
        good = (out.pocket[:, cs.WHITE] >= 0).any(axis=1) & (out.pocket[:, cs.STRIKER] < 0)
        empty = np.isnan(out.pos[:, cs.WHITE, 0]).all(axis=1)
        clear += int((good & empty).sum())
        alive = alive[good & ~empty]
    return clear / n


def test_who_sees_what_comes_clears_the_board():
    assert cleared(Lookahead(64), "perfect", 25) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["icf", "ukca"])
def test_a_perfect_player_clears_nine_men_in_nearly_all_cases(rules):
    assert cleared(Lookahead(64), "perfect", 200, rules) >= 0.95


@pytest.mark.slow
def test_looking_ahead_clears_more_boards_than_greed():
    ahead, greedy = cleared(Lookahead(64), "champion", 300), cleared(Greedy(), "champion", 300)
    assert ahead > greedy + 0.05
