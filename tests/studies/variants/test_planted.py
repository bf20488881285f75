"""What was planted is found, and nothing else: equal rules, known differences, rules that must make one."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from carromsim.rules.ruleset import RuleSet
from carromsim.studies.counting.pairs import MetricDifference
from carromsim.studies.variants.study import VariantStudy

Metrics = dict[str, MetricDifference]

DRAWS = 400
"""Studies that are drawn, of so many boards per variant:"""
NUMBERS = 80
DRAWN = VariantStudy(variants=["icf", {"ruleset": "icf", "name": "other"}], boards=NUMBERS)


def played(*variants: dict[str, Any], boards: int, **declared: Any) -> tuple[VariantStudy, pa.RecordBatch]:
    study = VariantStudy(variants=["icf", *variants], boards=boards, **declared)
    return study, study.batch(range(study.rows))["boards"]


def differences(study: VariantStudy, batch: pa.RecordBatch) -> dict[str, Metrics]:
    return study.summary_of(study.counts_of(batch)).differences


# Rules that are equal


@pytest.mark.parametrize(
    "same",
    [
        {"ruleset": "icf", "name": "same"},
        {"ruleset": RuleSet.load("icf").replace({"name": "renamed"})},
        {"ruleset": "icf", "name": "idle", "changes": {"dues.improper": 3, "dues.overboard": 2, "queen.cutoff": 20}},
    ],
    ids=["by name", "renamed", "differs in what cannot fire"],
)
def test_equal_rules_with_the_same_luck_give_no_difference_at_all(same: dict[str, Any]) -> None:
    study, batch = played(same, boards=48, seed=4)
    ((name, found),) = differences(study, batch).items()
    assert name == study.others[0].name
    assert set(found) == set(study.summary_of(study.counts_of(batch)).metrics)
    for key, metric in found.items():
        assert metric.rows_a == metric.rows_b > 40, key
        assert (metric.difference, metric.p, metric.p_holm) == (0.0, 1.0, 1.0), key
        assert metric.low <= 0.0 <= metric.high, key
        assert metric.a == metric.b, key


@pytest.fixture(scope="module")
def pool() -> pa.RecordBatch:
    """Boards that all follow the same rules, from which studies are drawn."""
    _, batch = played({"ruleset": "icf", "name": "other"}, boards=400, skill=["club", "expert"], seed=6)
    return batch.take(np.flatnonzero(np.asarray(batch.column("row")) % 2 == 0))


def drawn(pool: pa.RecordBatch, rng: np.random.Generator, gain: float = 0.0) -> pa.RecordBatch:
    """Draw the rows of a study whose variants have luck of their own; `gain` points more on average for one of them."""
    number = np.arange(NUMBERS)
    rows = pool.take(rng.integers(len(pool), size=2 * NUMBERS))
    more = rng.random(2 * NUMBERS) < gain
    more[:NUMBERS] = False
    names = np.repeat(np.array(["icf", "other"], dtype=object), NUMBERS)
    new = {
        "row": np.concatenate([2 * number, 2 * number + 1]),
        "variant": names,
        "number": np.tile(number, 2),
        "points": np.asarray(rows.column("points")) + more,
    }
    columns = [
        pa.array(new[field.name], type=field.type) if field.name in new else rows.column(field.name)
        for field in rows.schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def nominal(misses: int, share: float = 0.05, errors: float = 4.0) -> bool:
    """Whether so many of the drawn studies miss as the level says, within the binomial error."""
    return abs(misses - share * DRAWS) <= errors * math.sqrt(share * (1.0 - share) * DRAWS)


@pytest.mark.slow
def test_equal_rules_with_other_luck_differ_as_rarely_as_the_level_says(pool: pa.RecordBatch) -> None:
    rng = np.random.default_rng(1)
    studies = [differences(DRAWN, drawn(pool, rng))["other"] for _ in range(DRAWS)]
    for key in ("won_breaker", "queen_white", "comeback", "points", "points_breaker", "strokes", "turns", "advantage"):
        missed = sum(not each[key].low <= 0.0 <= each[key].high for each in studies)
        assert nominal(missed), (key, missed)
        assert nominal(sum(each[key].p < 0.05 for each in studies)), key
    alarms = sum(any(metric.found for metric in each.values()) for each in studies)
    # Metrics go together (won by one is not won by the other), so that all of them raise fewer alarms than one.
    assert alarms <= 0.05 * DRAWS + 3.0 * math.sqrt(0.05 * 0.95 * DRAWS)
    assert alarms > 0


@pytest.mark.slow
def test_the_interval_covers_a_planted_difference_as_often_as_it_says(pool: pa.RecordBatch) -> None:
    rng = np.random.default_rng(2)
    studies = [differences(DRAWN, drawn(pool, rng, gain=0.3))["other"]["points"] for _ in range(DRAWS)]
    assert nominal(sum(not each.low <= 0.3 <= each.high for each in studies))
    assert np.mean([each.difference for each in studies]) == pytest.approx(0.3, abs=0.1)


def test_a_difference_without_any_noise_is_found_whole() -> None:
    _, batch = played({"ruleset": "icf", "name": "other"}, boards=1, skill=["club", "expert"], seed=6)
    found = differences(DRAWN, drawn(batch.slice(0, 1), np.random.default_rng(3), gain=1.0))["other"]
    points = found.pop("points")
    assert (points.difference, points.low, points.high) == (1.0, 1.0, 1.0)
    assert points.found
    assert not any(metric.found for metric in found.values())


# Rules that must make a difference


def test_a_queen_worth_more_gives_points() -> None:
    study, batch = played({"ruleset": "icf", "name": "queen5", "changes": {"queen.value": 5}}, boards=300)
    found = differences(study, batch)["queen5"]
    points = found["points"]
    assert points.low > 0.0
    assert points.found
    assert points.reduction is not None
    assert points.reduction > 0.3, "the same luck takes much of the noise away"
    # Where all strokes were the same, the winner has two points more if the queen is his, up to the ceiling of 12.
    rows = batch.to_pylist()
    alike = 0
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert one["number"] == other["number"]
        if (one["seconds"], one["strokes"]) == (other["seconds"], other["strokes"]) and one["winner"] is not None:
            his = one["queen"] == 2 + one["winner"]
            assert other["points"] == (min(one["points"] + 2, 12) if his else one["points"])
            alike += 1
    assert alike > 30
    assert any("changed queen.value" in row["laws"] for row in rows[1::2])
    assert not any("changed" in row["laws"] for row in rows[::2])


def test_dues_that_are_doubled_are_paid_twice_and_lengthen_the_board() -> None:
    doubled = {"ruleset": "icf", "name": "doubled", "changes": {"dues.technical_foul": 2}}
    study, batch = played(doubled, boards=250, conduct={"technical_foul": 0.03})
    found = differences(study, batch)["doubled"]
    for key in ("dues_white", "dues_black", "strokes", "seconds"):
        assert found[key].low > 0.0, key
        assert found[key].found, key
    assert found["dues_white"].a == pytest.approx(2.0 * found["dues_white"].b, rel=0.2)
    assert not found["won_breaker"].found, "it hits both sides alike"


def test_a_turn_that_own_men_do_not_keep_takes_the_slams_and_more_turns() -> None:
    study, batch = played(
        {"ruleset": "icf", "name": "one_each", "changes": {"turn.own_man_keeps": False}}, boards=100, skill="champion"
    )
    found = differences(study, batch)["one_each"]
    assert found["turns"].low > 0.0
    assert found["turns"].found
    assert found["slam_white"].a == found["slam_black"].a == 0.0
    assert found["slam_white"].b > 0.0
