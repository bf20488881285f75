"""What is counted of variants, and what follows from it, against slow and obvious sums."""

import json
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from carromsim.equipment import Equipment
from carromsim.stats import paired_means, paired_shares
from carromsim.studies.counting.pairs import MetricDifference, Pairs
from carromsim.studies.variants.counts import VariantCounts, unit_metrics
from carromsim.studies.variants.study import VariantStudy
from carromsim.studies.variants.summary import FEW, Verdict, verdict_of

STUDY = VariantStudy(
    variants=["icf", "ukca", {"ruleset": "icf", "name": "queen5", "changes": {"queen.value": 5}}],
    boards=12,
    sensitivity={"rows": 3, "skill": ["expert"], "policy": [], "mu_surface": []},
)


@pytest.fixture(scope="module")
def rows() -> Any:
    return STUDY.batch(range(STUDY.rows))["boards"]


def slow(rows: Any, scenario: str, variant: str) -> list[dict[str, Any]]:
    """Rows of a cell, in the order of their numbers."""
    mine = [row for row in rows.to_pylist() if (row["scenario"], row["variant"]) == (scenario, variant)]
    return sorted(mine, key=lambda row: row["number"])


def test_rows_say_what_they_are(rows: Any) -> None:
    assert rows.num_rows == STUDY.rows == 3 * (12 + 3)
    assert rows.column("row").to_pylist() == list(range(45))
    assert [row["variant"] for row in rows.to_pylist()[:4]] == ["icf", "ukca", "queen5", "icf"]
    assert {row["scenario"] for row in rows.to_pylist()[36:]} == {"skill=expert"}
    assert rows.schema.metadata[b"carromsim.schema"] == b"compared.boards/1"


def test_a_variant_is_its_own_board_study(rows: Any) -> None:
    for scenario, variant in product(STUDY.scenarios, STUDY.variants):
        mine = slow(rows, scenario.name, variant.name)
        alone = STUDY.cell(scenario, variant).batch(range(len(mine)))["boards"].to_pylist()
        same = {name for name in alone[0] if name != "row"}
        assert [{name: row[name] for name in same} for row in mine] == [
            {name: row[name] for name in same} for row in alone
        ]
        assert [row["number"] for row in mine] == [row["row"] for row in alone]


def test_rows_do_not_hang_on_which_are_asked_for(rows: Any) -> None:
    for start, stop in ((0, 1), (4, 9), (33, 41)):
        assert STUDY.batch(range(start, stop))["boards"].equals(rows.slice(start, stop - start))


def test_all_variants_have_one_board_and_one_luck() -> None:
    cells = [STUDY.cell(STUDY.scenarios[0], variant) for variant in STUDY.variants]
    assert {cell.equipment.name for cell in cells} == {"icf"}
    assert {cell.seed for cell in cells} == {1}
    assert [cell.ruleset.queen.value for cell in cells] == [3, 5, 5]
    assert cells[2].ruleset.law("queen.value") == "changed queen.value"


def test_counts_add_up_in_any_order(rows: Any) -> None:
    whole = STUDY.counts_of(rows)
    parts = [STUDY.counts_of(rows.slice(start, 3)) for start in range(0, 45, 3)]
    for order in (range(15), reversed(range(15)), [7, *range(7), *range(8, 15)]):
        added = STUDY.empty_counts()
        for number in order:
            added += parts[number]
        assert summary(added) == summary(whole)
    shuffled = rows.take(np.random.default_rng(1).permutation(45))
    assert summary(STUDY.counts_of(shuffled)) == summary(whole)


def summary(counts: VariantCounts) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(STUDY.summary_of(counts).to_dict(), allow_nan=False))
    return found


def test_pairs_are_those_of_equal_numbers(rows: Any) -> None:
    found = STUDY.summary_of(STUDY.counts_of(rows)).differences["ukca"]
    pairs = list(zip(slow(rows, "", "ukca"), slow(rows, "", "icf"), strict=True))
    both = [(one, other) for one, other in pairs if one["ended"] == other["ended"] == 0]
    gaps = [one["strokes"] - other["strokes"] for one, other in both]
    expected = paired_means(len(gaps), sum(gaps), sum(gap * gap for gap in gaps))
    strokes = found["strokes"]
    assert (strokes.rows_a, strokes.rows_b) == (len(both), len(both))
    assert (strokes.difference, strokes.low, strokes.high) == pytest.approx(tuple(map(float, expected[:3])))
    won = [(one["winner_side"] == 0, other["winner_side"] == 0) for one, other in both]
    table = [won.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))]
    share = found["won_breaker"]
    assert (share.difference, share.low, share.high) == pytest.approx(tuple(map(float, paired_shares(*table)[:3])))
    side = {0: 1, 1: -1, None: 0}
    gained = [side[one["winner_side"]] - side[other["winner_side"]] for one, other in both]
    assert found["advantage"].difference == pytest.approx(np.mean(gained))


def test_holm_counts_all_variants_and_metrics(rows: Any) -> None:
    found = [each for one in STUDY.summary_of(STUDY.counts_of(rows)).differences.values() for each in one.values()]
    assert len(found) == 2 * len(unit_metrics("board"))
    smallest = min(found, key=lambda each: each.p)
    assert smallest.p_holm == pytest.approx(min(1.0, smallest.p * len(found)))


def test_a_row_alone_and_half_a_pair_are_counted(rows: Any) -> None:
    alone = STUDY.counts_of(rows.slice(1, 1))
    assert alone.rows == 1
    assert alone.pairs["", "ukca"]["strokes"] == Pairs.none()
    told = summary(alone)
    assert told["differences"]["ukca"]["strokes"]["difference"] is None
    assert told["variants"]["queen5"] == {}


def test_laws_are_counted_by_board(rows: Any) -> None:
    counts = STUDY.counts_of(rows)
    cited = [row["laws"].split("; ") for row in slow(rows, "", "queen5")]
    expected = {law: sum(law in laws for laws in cited) for law in {law for laws in cited for law in laws}}
    assert counts.laws["", "queen5"] == expected
    found = STUDY.summary_of(counts)
    (queen,) = found.laws["queen5"]
    assert queen.field == "queen.value"
    assert found.decided("queen5", queen) == expected.get("changed queen.value", 0)
    for law in found.laws["ukca"]:
        told = [row["fields"].split("; ") for row in slow(rows, "", "ukca")]
        assert found.decided("ukca", law) == (sum(law.field in row for row in told) if law.rules_on_strokes else None)


def test_metrics_of_a_row_are_those_of_its_variant(rows: Any) -> None:
    observed = STUDY.observed(rows)
    assert (
        set(observed)
        == set(STUDY.metrics)
        == {f"{variant.name}:{key}" for variant in STUDY.variants for key in unit_metrics("board")}
    )
    trials = ~np.isnan(observed["ukca:by_rules"])
    assert np.flatnonzero(trials).tolist() == list(range(1, 36, 3))


def difference(gap: float, p: float, rows: int = FEW) -> MetricDifference:
    return MetricDifference(
        metric="points",
        words="points",
        share=False,
        rows_a=rows,
        rows_b=rows,
        a=gap,
        b=0.0,
        difference=gap,
        low=gap - 1.0,
        high=gap + 1.0,
        p=p,
        p_holm=p,
        test="",
        reduction=0.0,
    )


@pytest.mark.parametrize(
    ("main", "there", "verdict"),
    [
        ((2.0, 0.01), (1.0, 0.02), Verdict.HOLDS),
        ((2.0, 0.01), (-1.0, 0.02), Verdict.TURNS),
        ((2.0, 0.01), (1.5, 0.2), Verdict.NOT_SEEN),
        ((2.0, 0.01), (0.5, 0.2), Verdict.WEAKER),
        ((-2.0, 0.01), (-0.5, 0.2), Verdict.WEAKER),
        ((2.0, 0.01), (9.0, 0.2), Verdict.NOT_SEEN),  # more, if anything
        ((-2.0, 0.01), (-9.0, 0.2), Verdict.NOT_SEEN),
        ((2.0, 0.1), (-1.0, 0.01), Verdict.APPEARS),
        ((2.0, 0.1), (2.0, 0.06), Verdict.STILL_NONE),
    ],
)
def test_a_conclusion_stands_or_not(main: tuple[float, float], there: tuple[float, float], verdict: Verdict) -> None:
    assert verdict_of(difference(*main), difference(*there)) is verdict
    assert verdict_of(difference(*main), difference(*there, rows=FEW - 1)) is Verdict.UNKNOWN


def test_a_scenario_that_is_none_and_one_that_hardly_ends_are_warned_of() -> None:
    scenarios = {"rows": 2, "skill": ["club"], "policy": ["random"], "mu_surface": [0.05]}
    study = VariantStudy(variants=["icf", "bell_i"], boards=2, stroke_limit=60, sensitivity=scenarios)
    told = study.summary_of(study.counts_of(study.batch(range(study.rows))["boards"])).warnings
    assert [each for each in told if "as declared" in each] == [
        "skill=club is as declared: the same luck again, which confirms nothing"
    ]
    (random,) = (each for each in told if each.startswith("policy=random"))
    assert re.search(r"up to [12] of 2 boards of a variant \((icf|bell_i)\) were not ended by the rules", random)
    usual = VariantStudy(equipment="icf", sensitivity={"mu_surface": [0.05, Equipment.preset("icf").mu_surface]})
    assert [each.name for each in usual.scenarios[1:] if usual.is_usual(each)] == [usual.scenarios[-1].name]


def test_a_chunk_is_smaller_if_anybody_looks_ahead() -> None:
    assert VariantStudy().chunk_rows == 2 * 256
    assert VariantStudy(matches=5).chunk_rows == 2 * 32
    assert VariantStudy(policy=["greedy", "lookahead:8"]).chunk_rows == 2 * 32
    assert VariantStudy(variants=["icf", {"ruleset": "ukca", "policy": "lookahead"}], matches=9).chunk_rows == 2 * 4
    assert VariantStudy(sensitivity={"policy": ["lookahead"]}).chunk_rows == 2 * 32
