"""The summary of a break study: every figure recounted from the rows, sums that no order changes, words for people."""

import json
import math
from itertools import pairwise
from random import Random
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console
from scipy.stats import binomtest

from carromsim.equipment import BLACK, QUEEN, STRIKER, WHITE, Equipment
from carromsim.layouts import opening
from carromsim.studies.breaks.report import break_report
from carromsim.studies.breaks.sensitivity import splits
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.breaks.summary import (
    QUESTIONS,
    WHITE_POCKETS,
    BreakCounts,
    BreakSummary,
    groups,
    n_free,
    spread,
    white_pockets,
)
from carromsim.studies.counting.sensitivity import middle
from carromsim.studies.declaring.parameters import Grid, Normal, Truncated, Uniform

VARIED = BreakStudy(
    strokes=600,
    seed=3,
    speed=Grid([7.0, 4.0]),
    gap=Uniform(0.0003, 0.002),
    angle=Normal(math.pi / 2, 0.05),
    mu_surface=Truncated(0.1, 0.02, 0.05, 0.15),
    sd_spin=0.0,
)
FAILING = BreakStudy(strokes=200, seed=2, gap=0.08, jitter=0.0, sd_x=0.03)
"""The pack reaches down to the base line, so that some strikers stand on a man."""


def rows_of(study: BreakStudy) -> pa.RecordBatch:
    return study.batch(range(study.strokes))["strokes"]


def summary_of(study: BreakStudy, seconds: float | None = None) -> BreakSummary:
    return BreakSummary(study=study, counts=study.counts_of(rows_of(study)), seconds=seconds)


@pytest.fixture(scope="module")
def rows() -> pa.RecordBatch:
    """All rows of VARIED."""
    return rows_of(VARIED)


@pytest.fixture(scope="module")
def summary(rows: pa.RecordBatch) -> BreakSummary:
    return BreakSummary(study=VARIED, counts=VARIED.counts_of(rows))


@pytest.fixture(scope="module")
def found(summary: BreakSummary) -> dict[str, Any]:
    """What JSON readers get."""
    return dict(json.loads(json.dumps(summary.to_dict(), allow_nan=False)))


def lists(rows: pa.RecordBatch, name: str) -> np.ndarray[Any, Any]:
    """Give a column per disc as (n, 20) float64 with NaN for null."""
    return np.array(rows[name].to_pylist(), dtype=float)


def text_of(study: BreakStudy, summary: BreakSummary, width: int = 80) -> str:
    console = Console(width=width, highlight=False, force_terminal=False)
    with console.capture() as capture:
        console.print(break_report(study, summary))
    return capture.get()


# Figures, recounted from the rows


def test_probabilities_are_shares_with_wilson_intervals(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    number = np.asarray(rows["n_pocketed"])
    hits = {"any": number > 0} | {key: np.asarray(rows[key]) > 0 for key in ("queen", "striker")}
    hits |= {"white": np.asarray(rows["n_white"]) > 0, "black": np.asarray(rows["n_black"]) > 0}
    assert set(found["probability"]) == {*QUESTIONS, *WHITE_POCKETS}
    for key, hit in hits.items():
        interval = binomtest(int(hit.sum()), 600).proportion_ci(method="wilson")
        told = found["probability"][key]
        assert (told["count"], told["estimate"]) == (hit.sum(), hit.mean())
        assert (told["low"], told["high"]) == pytest.approx((interval.low, interval.high), abs=1e-14)
    assert found["n_pocketed"]["distribution"] == np.bincount(number, minlength=20).tolist()
    assert found["n_pocketed"]["mean"] == pytest.approx(number.mean())


def test_men_are_counted_by_colour_and_by_place_in_the_pack(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    fell = ~np.isnan(lists(rows, "pocket"))
    places = {
        "centre": [1],
        "inner ring": [2, 3, 4, 11, 12, 13],
        "edges": [14, 15, 16, 17, 18, 19],
        "corners": [5, 6, 7, 8, 9, 10],
    }
    for key, discs in places.items():
        told = found["by_place"][key]
        assert groups()[key].tolist() == discs
        assert told["men"] == len(discs)
        assert told["mean"] == pytest.approx(fell[:, discs].sum(axis=1).mean())
        assert told["share"] == pytest.approx(fell[:, discs].mean())
    for key, discs_of in (("white", WHITE), ("black", BLACK), ("queen", slice(QUEEN, QUEEN + 1))):
        assert found["by_colour"][key]["mean"] == pytest.approx(fell[:, discs_of].sum(axis=1).mean())
    white = fell[:, WHITE].sum(axis=1)
    half = NormalDist().inv_cdf(0.975) * white.std(ddof=1) / math.sqrt(600)
    assert found["by_colour"]["white"]["high"] == pytest.approx(white.mean() + half)
    assert sum(found["by_place"][key]["mean"] for key in places) == pytest.approx(found["n_pocketed"]["mean"])


def test_pockets_are_counted_one_by_one_and_by_how_many_were_used(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    pocket = lists(rows, "pocket")
    names = ["bottom left", "bottom right", "top right", "top left"]
    assert [told["pocket"] for told in found["by_pocket"]] == names
    for number, told in enumerate(found["by_pocket"]):
        into = pocket == number
        assert told["white"] == into[:, WHITE].sum()
        assert told["black"] == into[:, BLACK].sum()
        assert told["queen"] == into[:, QUEEN].sum()
        assert told["striker"] == into[:, STRIKER].sum()
    assert sum(told["share"] for told in found["by_pocket"]) == pytest.approx(1.0)
    used = [len(set(row[~np.isnan(row)])) for row in pocket[:, 1:]]
    assert found["distinct_pockets"] == np.bincount(used, minlength=5).tolist()


def test_whites_in_different_pockets_are_counted_row_by_row(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    apart = [len(set(row[2:11]) - {None}) for row in rows["pocket"].to_pylist()]
    observed = VARIED.observed(rows)
    for least in (1, 2, 3):
        key, seen = f"white_pockets_{least}", sum(number >= least for number in apart)
        interval = binomtest(seen, 600).proportion_ci(method="wilson")
        told = found["probability"][key]
        assert (told["count"], told["estimate"]) == (seen, seen / 600)
        assert (told["low"], told["high"]) == pytest.approx((interval.low, interval.high), abs=1e-14)
        assert observed[key].tolist() == [float(number >= least) for number in apart]
    assert found["probability"]["white_pockets_2"]["count"] > 5
    assert found["probability"]["white_pockets_1"] == found["probability"]["white"]


def test_only_whites_and_only_different_pockets_count() -> None:
    pocket = np.full((5, 20), -1)
    pocket[1, [0, 1, 11, 19]] = [0, 1, 2, 3]  # striker, queen, two blacks
    pocket[2, [2, 3, 10]] = 3
    pocket[3, [2, 10, 5, 4]] = [0, 1, 3, 3]
    pocket[4, 2:6] = range(4)
    assert white_pockets(pocket).tolist() == [0, 0, 1, 3, 4]


def test_opening_and_course_are_means_over_strokes(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    x, y = lists(rows, "pos_x")[:, 1:], lists(rows, "pos_y")[:, 1:]
    apart = np.hypot(x - np.nanmean(x, axis=1, keepdims=True), y - np.nanmean(y, axis=1, keepdims=True))
    opened = np.nanmean(apart, axis=1)
    assert found["opening"]["spread"]["mean"] == pytest.approx(opened.mean(), abs=1e-6)
    assert found["opening"]["spread"]["q50"] == pytest.approx(np.median(opened), rel=0.016)
    assert 0.1 < opened.mean() < 0.3
    distance = np.hypot(x[:, :, None] - x[:, None], y[:, :, None] - y[:, None]) + np.diag(np.full(19, 9.0))
    free = (~np.isnan(x) & ~(distance <= 4 * 0.0155).any(axis=2)).sum(axis=1)
    assert found["opening"]["n_free"]["distribution"] == np.bincount(free, minlength=20).tolist()
    for name in ("duration", "n_events", "n_disc_hits", "n_cushion_hits"):
        values = np.asarray(rows[name])
        assert found[name]["n"] == 600
        assert found[name]["mean"] == pytest.approx(values.mean(), abs=1e-6)
        assert found[name]["sd"] == pytest.approx(values.std(ddof=1), rel=1e-5)
        for key, p in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
            assert found[name][key] == pytest.approx(np.quantile(values, p, method="inverted_cdf"), rel=1 / 64)


def test_spread_and_free_men_of_positions_that_can_be_checked_by_hand() -> None:
    pos = np.full((3, 19, 2), np.nan)
    pos[0, :4] = [(0.3, 0.4), (-0.3, -0.4), (0.3, -0.4), (-0.3, 0.4)]
    pos[1, [2, 7, 9]] = [(0.0, 0.0), (0.062, 0.0), (0.3, 0.3)]
    assert spread(pos)[0] == pytest.approx(0.5)
    assert len(spread(pos)) == 2  # an empty board has no spread
    assert n_free(pos, 0.0621).tolist() == [4, 1, 0]
    assert n_free(pos, 0.0619).tolist() == [4, 3, 0]
    pack = opening("icf").pos[np.newaxis, 1:]
    assert spread(pack)[0] == pytest.approx((6 + 12 + 6 * math.sqrt(3)) / 19 * 0.031)
    assert n_free(pack, 0.062).tolist() == [0]


# Sensitivity


def test_sensitivity_of_distributions_is_by_thirds(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    table = found["sensitivity"]
    assert list(table) == ["gap", "angle", "speed", "mu_surface", "error_x", "error_angle", "error_speed"]
    gap, number = np.asarray(rows["gap"]), np.asarray(rows["n_pocketed"])
    edges = [0.0003, 0.0003 + 0.0017 / 3, 0.0003 + 0.0034 / 3, 0.002]
    assert [told["from"] for told in table["gap"]] == [None, *map(pytest.approx, edges[1:3])]
    assert [told["to"] for told in table["gap"]] == [*map(pytest.approx, edges[1:3]), None]
    for told, (low, high) in zip(table["gap"], pairwise(edges), strict=True):
        inside = (gap >= low) & (gap < high)
        assert 150 < told["strokes"] == inside.sum() < 250
        assert told["any"]["count"] == np.count_nonzero(number[inside])
        assert told["n_pocketed"]["mean"] == pytest.approx(number[inside].mean())
        interval = binomtest(told["any"]["count"], told["strokes"]).proportion_ci(method="wilson")
        assert (told["any"]["low"], told["any"]["high"]) == pytest.approx((interval.low, interval.high), abs=1e-14)
    for bins in table.values():
        assert sum(told["strokes"] for told in bins) == 600
        assert sum(told["any"]["count"] for told in bins) == found["probability"]["any"]["count"]


def test_sensitivity_of_a_grid_is_by_value_and_a_hard_break_pockets_more(found: dict[str, Any]) -> None:
    slow, hard = found["sensitivity"]["speed"]
    assert (slow["value"], hard["value"]) == (4.0, 7.0)
    assert (slow["strokes"], hard["strokes"]) == (300, 300)
    assert slow["any"]["high"] < hard["any"]["low"]


def test_the_hand_is_judged_by_what_it_added(rows: pa.RecordBatch, found: dict[str, Any]) -> None:
    third = NormalDist().inv_cdf(1 / 3)
    error = np.asarray(rows["speed"]) / np.asarray(rows["intended_speed"]) - 1.0
    low, middle_, _ = found["sensitivity"]["error_speed"]
    assert (low["to"], middle_["to"]) == pytest.approx((0.05 * third, -0.05 * third))
    assert low["strokes"] == np.count_nonzero(error < 0.05 * third)
    assert 150 < low["strokes"] < 250


def test_a_long_grid_is_cut_into_thirds_and_a_short_one_is_not() -> None:
    long = BreakStudy(rotation=Grid([i / 20 for i in range(15)]), sd_x=0, sd_angle=0, sd_speed=0, sd_spin=0)
    (split,) = splits(long)
    assert split.edges == pytest.approx((4.5 / 20, 9.5 / 20))
    assert split.values == ()
    (split,) = splits(long.model_copy(update={"rotation": Grid([0.3, 0.1, 0.2])}))
    assert split.values == (0.1, 0.2, 0.3)
    assert split.edges == pytest.approx((0.15, 0.25))
    assert splits(long.model_copy(update={"rotation": 0.0})) == ()
    counts = long.counts_of(long.batch(range(30))["strokes"])
    assert counts.sensitivity["rotation"].sum(axis=1).tolist() == [10, 10, 10]


def test_a_still_striker_has_no_error_of_speed() -> None:
    still = BreakStudy(strokes=9, speed=Grid([0.0, 3.0]))
    assert summary_of(still).counts.sensitivity["error_speed"].sum() == 9


def test_the_middle_of_a_parameter() -> None:
    assert middle(0.3) == 0.3
    assert middle(Grid([5.0, 1.0, 2.0])) == 2.0
    assert middle(Uniform(1.0, 2.0)) == pytest.approx(1.5)
    assert middle(Normal(4.0, 1.0)) == pytest.approx(4.0)


# Sums


@pytest.mark.parametrize("seed", range(3))
def test_counts_add_up_to_the_same_bits_in_any_order(rows: pa.RecordBatch, summary: BreakSummary, seed: int) -> None:
    chance = Random(seed)
    cuts = [0, *sorted(chance.sample(range(1, 600), 7)), 600]
    parts = [BreakCounts.of(rows.slice(low, high - low), VARIED) for low, high in pairwise(cuts)]
    chance.shuffle(parts)
    added = BreakCounts.none()
    for part in parts:
        added += part
    assert BreakSummary(study=VARIED, counts=added).to_dict() == summary.to_dict()
    swapped = parts[0] + BreakCounts.none()
    assert np.array_equal(swapped.sensitivity["gap"], parts[0].sensitivity["gap"])


def test_rows_that_failed_count_as_status_only() -> None:
    batch = rows_of(FAILING)
    failed = np.asarray(batch["status"]) != 0
    assert 20 < failed.sum() < 180
    whole = BreakSummary(study=FAILING, counts=BreakCounts.of(batch, FAILING))
    good = BreakSummary(study=FAILING, counts=BreakCounts.of(batch.filter(pa.array(~failed)), FAILING))
    different = {key for key, value in whole.to_dict().items() if value != good.to_dict()[key]}
    assert different == {"strokes", "status", "warnings"}
    assert whole.to_dict()["status"]["start_overlap"] == failed.sum()
    assert whole.warnings == [f"{failed.sum()} of 200 strokes failed and are left out of every frequency"]


def test_nothing_is_known_when_every_row_failed() -> None:
    hopeless = BreakStudy(strokes=5, gap=0.08, jitter=0.0, sd_x=0.0)
    summary = summary_of(hopeless)
    found = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert found["probability"]["any"] == {"count": 0, "estimate": None, "low": 0.0, "high": 1.0}
    assert found["by_pocket"][0]["share"] is None
    assert found["duration"] == {"n": 0} | dict.fromkeys(("mean", "low", "high", "sd", "q05", "q50", "q95"))
    assert found["sensitivity"]["error_speed"][0]["any"]["high"] == 1.0
    assert "5 start overlap" in text_of(hopeless, summary)
    empty = BreakSummary(study=hopeless, counts=hopeless.empty_counts())
    assert empty.to_dict()["sensitivity"]["error_speed"][2]["strokes"] == 0
    assert "0 ok" in text_of(hopeless, empty)


# Words


def test_tight_packs_are_warned_about_if_hits_are_sequential() -> None:
    counts = VARIED.counts_of(rows_of(VARIED))
    sequential = BreakStudy(strokes=600, equipment=Equipment.preset("icf").replace(contact="sequential"))
    assert 20 < counts.tight < 120  # 2 in 17 are below half a millimetre
    (warning,) = BreakSummary(study=sequential, counts=counts).warnings
    assert warning.startswith(f"{counts.tight} of 600 packs had a gap below 0.5 mm")
    assert "sequential hits get wrong" in warning
    assert BreakSummary(study=VARIED, counts=counts).warnings == []


def test_rate_is_told_if_the_time_is_known(summary: BreakSummary) -> None:
    assert summary.to_dict()["strokes_per_second"] is None
    assert "strokes/s" not in text_of(VARIED, summary)
    timed = BreakSummary(study=VARIED, counts=summary.counts, seconds=0.2)
    assert timed.to_dict()["strokes_per_second"] == pytest.approx(3000.0)
    assert "Rate      3,000 strokes/s, 0.2 s" in text_of(VARIED, timed)


def test_report_tells_what_json_tells(summary: BreakSummary, found: dict[str, Any]) -> None:
    text = text_of(VARIED, summary, 120)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    corners, top_left = found["by_place"]["corners"], found["by_pocket"][3]
    duration, spread_ = found["duration"], found["opening"]["spread"]
    slow = found["sensitivity"]["speed"][0]
    for line in (
        "Break under icf, equipment icf, 600 strokes, seed 3",
        "Pack rotation 0 deg, gap uniform 0.3 to 2 mm, jitter as far as the gap allows",
        "Physics surface friction normal 0.1 +- 0.02 within 0.05 to 0.15",
        f"from the corners 6 {corners['mean']:.3f} {corners['low']:.3f} to {corners['high']:.3f}"
        f" {100 * corners['share']:.2f} %",
        f"top left {top_left['white']} {top_left['black']} {top_left['queen']} {top_left['striker']}"
        f" {100 * top_left['share']:.1f} %",
        f"at least two different pockets {found['probability']['white_pockets_2']['count']}"
        f" {100 * found['probability']['white_pockets_2']['estimate']:.2f} %"
        f" {100 * found['probability']['white_pockets_2']['low']:.2f} to"
        f" {100 * found['probability']['white_pockets_2']['high']:.2f} %",
        f"duration {duration['mean']:.2f} s {duration['sd']:.2f} s {duration['q05']:.2f} s {duration['q50']:.2f} s"
        f" {duration['q95']:.2f} s",
        f"4 m/s 300 {100 * slow['any']['estimate']:.2f} % {100 * slow['any']['low']:.2f} to"
        f" {100 * slow['any']['high']:.2f} % {slow['n_pocketed']['mean']:.3f}",
        "Status 600 ok, 0 event limit, 0 start overlap, 0 bad input, 0 burst limit",
    ):
        assert line in lines
    assert f"spread of the men {1e3 * spread_['mean']:.0f} mm" in " ".join(lines)
    assert "48 mm in the pack" in text  # (6 + 12 + 6 sqrt 3) / 19 times 31 mm and the middle gap
    assert "hand's speed off by" in text
    assert "hand's spin" not in text  # it does not scatter


def test_report_fits_a_terminal_of_80_columns(summary: BreakSummary) -> None:
    wide, narrow = text_of(VARIED, summary, 200), text_of(VARIED, summary, 80)
    declared = 5  # lines that say what was asked: as long as that is
    assert all(len(line.rstrip()) <= 80 for line in wide.splitlines()[declared:] if "Warning" not in line)
    assert [line.rstrip() for line in wide.splitlines() if "hand" in line] == [
        line.rstrip() for line in narrow.splitlines() if "hand" in line
    ]
