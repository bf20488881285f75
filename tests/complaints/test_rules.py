"""What users of other carrom programs complained of: the rules of a stroke."""

from itertools import pairwise
from typing import Any

import pytest

import carromsim as cs
from carromsim.rules.ruleset import RuleSet

CONTINUE, PASS, RETRY, BOARD_END = range(4)


def boards_of(ruleset: str) -> list[list[dict[str, Any]]]:
    """Play boards by poor hands, who foul often; give the rows of each."""
    study = cs.BoardStudy(ruleset=ruleset, boards=8, seed=4, skill="novice")
    rows = study.batch(range(8))["strokes"].to_pylist()
    boards: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for row in rows:
        boards.setdefault((row["row"], row["board"]), []).append(row)
    return list(boards.values())


@pytest.mark.parametrize("ruleset", RuleSet.names())
def test_carrom_rl_15_each_stroke_says_whose_turn_it_was_and_what_was_foul(ruleset: str) -> None:
    """One-stroke simulator ignores whose turn it is (15) and reports no fouls (16)."""
    fallen = missed = 0
    for strokes in boards_of(ruleset):
        for row, following in pairwise(strokes):
            stays = row["turn"] in (CONTINUE, RETRY)
            assert stays or row["turn"] == PASS
            assert following["player"] == (row["player"] if stays else 1 - row["player"])
            assert (following["colour"] == row["colour"]) == (following["player"] == row["player"])
        for row in strokes:
            assert row["laws"]
            assert row["seat"] == 2 * row["player"]
            if row["striker"]:
                fallen += 1
                own = row["n_black"] if row["colour"] else row["n_white"]
                kept = row["turn"] == CONTINUE
                assert not kept or own or row["queen"], "some laws let the turn go on for what fell with the striker"
                assert row["dues_incurred"] or row["turn"] == BOARD_END or ruleset.startswith("bell"), row
            elif row["first_hit"] is None:
                missed += 1
                again = row["breaking"] or "UKCA C11" in row["laws"]
                assert row["turn"] == PASS or (row["turn"] == RETRY and again), row
    assert fallen > 0
    assert missed > 10
