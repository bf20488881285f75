"""Boards by the hundred that are played on with random strokes, and rule sets with every field drawn at random."""

import random
from collections.abc import Iterator

import numpy as np

import carromsim as cs
from carromsim.rules.adjudication import Rulings
from carromsim.rules.records import RecordArray
from carromsim.rules.ruleset import RuleSet, RuleSetError
from carromsim.rules.ruleset_fields import Number, Word, YesNo
from carromsim.rules.ruleset_groups import KINDS
from carromsim_kernels.laws import RULE_PARAMS, QueenState, Turn

RULING_KEYS = [key for key in KINDS if key.replace(".", "_") in (RULE_PARAMS.names or ())]
"""Fields that rule on a stroke."""


def drawn(dice: random.Random, key: str) -> object:
    """Draw a value of a field; of numbers the small ones, at which most happens."""
    kind = KINDS[key]
    if isinstance(kind, Word):
        return dice.choice(kind.words)
    if isinstance(kind, YesNo):
        return dice.random() < 0.5
    assert isinstance(kind, Number)
    value = dice.randint(kind.low, min(kind.high, kind.low + 3))
    return None if kind.optional and dice.random() < 0.3 else value


def random_rules(dice: random.Random) -> RuleSet:
    """Draw a rule set: start from a shipped one and change field after field, as far as validation allows."""
    rules = RuleSet.load(dice.choice(RuleSet.names()))
    for key in dice.sample(RULING_KEYS, len(RULING_KEYS)):
        try:
            rules = rules.replace({key: drawn(dice, key)})
        except RuleSetError:
            continue
    return rules


def new_boards(rng: np.random.Generator, n: int) -> RecordArray:
    score = rng.integers(-2, 29, (n, 2))
    return cs.board_state(score=score, double_due_agreed=rng.random(n) < 0.5, break_made=np.zeros(n, bool))


def random_facts(rng: np.random.Generator, boards: RecordArray) -> RecordArray:
    """Draw a stroke that can happen on each board; each rare fact often enough to meet the others."""
    n = len(boards)
    rows, shooter = np.arange(n), boards["shooter"].astype(int)

    def now_and_then(often: float) -> np.ndarray:
        return rng.random(n) < often

    touched = now_and_then(0.93)
    open_pack = boards["break_made"] != 0  # before the break nothing hangs over a pocket
    fell = np.where((now_and_then(0.05) & open_pack)[:, np.newaxis], rng.integers(0, 2, (n, 2)), 0)
    fell = np.minimum(fell, boards["on_board"])
    left = boards["on_board"] - fell
    men = {}
    for kind, side in (("own", shooter), ("opponent", 1 - shooter)):
        there = left[rows, side]
        men[kind] = np.minimum(there, rng.choice([0, 0, 1, 1, 2, 3], n)) * touched
        off = np.minimum(there - men[kind], rng.integers(0, 3, n))
        men[f"overboard_{kind}"] = off * touched * now_and_then(0.1)
    queen_there = boards["queen"] == QueenState.ON_BOARD
    fate = rng.choice(4, n, p=[0.7, 0.22, 0.05, 0.03])
    striker = now_and_then(0.25)
    crossed = now_and_then(0.95)
    return cs.stroke_facts(
        **men,
        touched_piece=touched,
        crossed_front=crossed,
        left_base=touched | crossed | striker | now_and_then(0.7),
        queen=queen_there & touched & (fate == 1),
        overboard_queen=queen_there & touched & (fate == 2),
        queen_fell_between_strokes=queen_there & open_pack & (fate == 3),
        fell_between_strokes=fell,
        striker=striker,
        overboard_striker=~striker & now_and_then(0.05),
        striker_same_pocket_as_own=striker & (men["own"] > 0) & now_and_then(0.5),
        direct_hit_behind=touched & now_and_then(0.08),
        improper=now_and_then(0.1),
        call_double_due=now_and_then(0.5),
        decline_dues=rng.choice([0, 0, 0, 1, 2, -1], n),
        demand_extra=rng.choice([-1, -1, 0, 1], n),
        interference=now_and_then(0.05),
        technical_fouls=rng.integers(0, 3, n) * now_and_then(0.05),
        bad_setup=now_and_then(0.02),
        premature_break=(boards["break_made"] == 0) & now_and_then(0.1),
        board_lost_by=np.where(now_and_then(0.01), rng.integers(0, 2, n), -1),
    )


def walk(rules: RuleSet, seed: int, n: int, strokes: int) -> Iterator[tuple[RecordArray, RecordArray, Rulings]]:
    """Play n boards on; yield boards, facts and rulings of each stroke. Boards that end are followed by new ones."""
    rng = np.random.default_rng(seed)
    boards = new_boards(rng, n)
    for _ in range(strokes):
        facts = random_facts(rng, boards)
        rulings = cs.adjudicate(boards, facts, rules)
        yield boards, facts, rulings
        ended = rulings["turn"] == Turn.BOARD_END
        boards = np.where(ended, new_boards(rng, n), rulings.after)
