"""Where players put what comes back: against a slow search, and against what policies make of it."""

import math

import numpy as np
import pytest

import carromsim as cs
from carromsim.layouts import random_layout
from carromsim.players.aim import candidates
from carromsim.players.placement import by_sight
from carromsim.players.skill import SKILLS
from carromsim.players.turns import Turns
from carromsim.rules.placement import hardness, place
from carromsim.rules.ruleset import RuleSet
from carromsim.strokes import placement_legal, quarter_turns
from carromsim_kernels.laws import RULING, Turn

ICF = cs.Equipment.preset("icf")
MAN = 2
"""The white man that is to be placed."""


def distances(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Of points from a segment."""
    way = end - start
    along = np.clip((points - start) @ way / max(way @ way, 1e-30), 0.0, 1.0)
    return np.hypot(*(points - start - along[:, np.newaxis] * way).T)


def is_free(pos: np.ndarray, radius: float, start: np.ndarray, end: np.ndarray) -> bool:
    there = 1 + np.flatnonzero(~np.isnan(pos[1:, 0]))
    return bool(np.all(distances(pos[there], start, end) >= radius + ICF.radius[there]))


def slow_hardness(pos: np.ndarray, spot: np.ndarray, starts: np.ndarray) -> float:
    """The same measure, every stroke looked at one by one."""
    least, touch = math.inf, float(ICF.radius[0] + ICF.radius[MAN])
    corner = ICF.side / 2 - ICF.pocket_offset
    for pocket in np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * corner:
        way = (pocket - spot) / np.hypot(*(pocket - spot))
        hit = spot - touch * way
        for start in starts:
            ahead = (hit - start) @ way
            if ahead <= 0.0 or not is_free(pos, ICF.radius[0], start, start):
                continue
            if is_free(pos, ICF.radius[MAN], spot, pocket) and is_free(pos, ICF.radius[0], start, hit):
                square = (hit - start) @ (hit - start)
                least = min(least, square * np.hypot(*(pocket - spot)) / ahead)
    return least


def boards(n: int, seed: int) -> np.ndarray:
    """Random positions without that man; the outer circle is crowded."""
    pos = random_layout(ICF, n, seed, n_men=(6, 6)).pos.copy()
    pos[:, MAN] = np.nan
    return pos


@pytest.mark.kernel
@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("easy", [False, True])
def test_the_best_spot_is_that_of_a_slow_search(seat: int, easy: bool) -> None:
    choose, starts = by_sight(ICF), _starts()
    angles = np.arange(12) * np.pi / 6
    grid = np.concatenate([r * np.stack([np.cos(angles), np.sin(angles)], axis=1) for r in (0.035, 0.065)])
    blocked = 0
    for pos in boards(3, seed=seat):
        ranks = choose(
            quarter_turns(pos, np.full(20, seat, np.int8)),
            MAN,
            quarter_turns(grid, np.full(24, seat, np.int8)),
            seat,
            easy,
        )
        slow = np.array([slow_hardness(pos, spot, starts) for spot in grid])
        chosen = slow[np.argmax(ranks)]
        assert np.sum(ranks) == 1.0
        assert chosen == pytest.approx(slow.min() if easy else slow.max(), rel=1e-9)
        blocked += np.isinf(slow).sum()
    assert 3 < blocked < 3 * 24 - 3, "some spots are out of sight, some are not"


def _starts() -> np.ndarray:
    from carromsim.players.placement import _sight

    starts = _sight(ICF).starts
    assert placement_legal(starts[:, 0], ICF).all()
    assert len(starts) > 30
    return starts


@pytest.mark.kernel
def test_without_blockers_it_is_the_static_measure() -> None:
    pos = np.full((20, 2), np.nan)
    spots = np.array([(0.0, 0.06), (0.05, 0.0), (0.0, -0.06), (-0.05, 0.02)])
    static = hardness(spots, ICF)
    assert np.argmax(by_sight(ICF)(pos, MAN, spots, 0, False)) == np.argmax(static)
    assert np.argmax(by_sight(ICF)(pos, MAN, spots, 0, True)) == np.argmin(static)


def test_the_opponent_finds_it_harder() -> None:
    """What candidates are estimated at, a due placed with and without the other discs in view."""
    rules, n = RuleSet.load("ukca"), 300
    pos = boards(n, seed=9)
    state = cs.board_state(on_board=np.stack([np.full(n, 5), np.full(n, 6)], axis=1), dues=(1, 0))
    facts, rulings = cs.stroke_facts(own=np.zeros(n, int)), np.zeros(n, RULING)
    rulings["turn"], rulings["dues_paid"][:, 0], rulings["winner"] = Turn.PASS, 1, -1

    def estimate(choose: object) -> np.ndarray:
        placed = place(pos, state, facts, rulings, rules, ICF, (0, 2), choose=choose)  # type: ignore[arg-type]
        assert not placed.waiting.any()
        turns = Turns(
            pos=placed.pos,
            states=state,
            rules=rules,
            equipment=ICF,
            skill=SKILLS["club"],
            seed=1,
            rows=np.arange(n),
            stroke=np.zeros(n, np.int64),
        )
        found = candidates(turns, np.where(np.arange(20) == MAN, 1.0, 0.0) * np.ones((n, 1)), 1)[:, 0]
        return np.where(found["kind"] >= 0, found["estimate"], 0.0)

    seen, static = estimate(by_sight(ICF)), estimate(None)
    assert 0.05 < seen.mean() < 0.85 * static.mean()


def test_a_man_that_may_not_wait_is_placed_whatever_the_queen_makes_of_it() -> None:
    """A queen over a pocket makes a pair of every place: who cannot wait stands in the circle all the same."""
    rules = RuleSet.load("point")
    corner = ICF.side / 2 - ICF.pocket_offset - ICF.capture_radius[1] / math.sqrt(2.0) - 1e-4
    pos = cs.arrange(queen=(corner, corner), black=[(0.2, -0.2)]).pos[np.newaxis]
    state = cs.board_state(on_board=(0, 1), held=((9, 4), (0, 4)), ever_pocketed=(1, 1))
    facts, rulings = cs.stroke_facts(striker=1), np.zeros(1, RULING)
    rulings["turn"], rulings["dues_paid"][:, 0], rulings["winner"] = Turn.PASS, 1, -1
    for choose in (None, by_sight(ICF)):
        placed = place(pos, state, facts, rulings, rules, ICF, (0, 2), choose=choose)
        assert not placed.waiting.any()
        at = np.hypot(*placed.pos[0, MAN])
        assert ICF.radius[MAN] < at < 0.085, "in the circle, and not on the centre"
    waits = place(
        pos, state, facts, rulings, rules.replace({"turn.own_men": "colour", "placing.no_room": "wait"}), ICF, (0, 2)
    )
    assert waits.waiting.tolist() == [[1, 0]]
