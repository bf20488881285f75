"""Two runs compared: what is planted is found, what is not is not, and pairing takes out what both share."""

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from analysis.fake_runs import Coins, values_of
from carromsim import cli
from carromsim.stats import holm, newcombe, paired_means, paired_shares, welch
from carromsim.studies.analysis.comparing import Comparison, MetricDifference, diff_runs
from carromsim.studies.counting.stopping import Until
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.runs.directory import InUseError, locked
from carromsim.studies.runs.reading import Run
from carromsim.studies.runs.running import run_study
from carromsim.studies.shots.study import ShotStudy
from carromsim.tables.places import place_of

Play = Callable[[Coins], Run]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Play a study of coins into a directory of its own."""

    def played(study: Coins) -> Run:
        return run_study(study, tmp_path / f"run{len(list(tmp_path.iterdir()))}", workers=1)

    return played


def of(found: Comparison, key: str) -> MetricDifference:
    return next(each for each in found.metrics if each.metric == key)


def test_equal_runs_do_not_differ(play: Play) -> None:
    found = diff_runs(play(Coins()), play(Coins()))
    assert (found.paired, found.declared, found.versions, found.notes) == (True, (), (), ())
    assert (found.rows_a, found.rows_b, found.rows) == (4000, 4000, 4000)
    for each in found.metrics:
        assert (each.difference, each.p, each.p_holm) == (0.0, 1.0, 1.0)
        assert each.low <= 0.0 <= each.high
    assert of(found, "weight").reduction == 1.0
    assert math.isnan(of(found, "always").reduction or 0.0)


@pytest.mark.parametrize("name", ["run0", "run0/../run0", "link"])
def test_a_run_is_compared_with_itself_by_whatever_name(play: Play, tmp_path: Path, name: str) -> None:
    run = play(Coins())
    (tmp_path / "link").symlink_to("run0")
    found = diff_runs(run, replace(run, place=place_of(tmp_path / name)))
    assert found.notes == ("A and B are one run",)
    assert all(each.difference == 0.0 for each in found.metrics)


def test_unpaired_metrics_are_those_of_the_rows(play: Play) -> None:
    one, other = Coins(share=0.6, gram=10.2), Coins(seed=2, rows=3000)
    found = diff_runs(play(one), play(other))
    a, b = values_of(one), values_of(other)
    assert not found.paired
    assert found.declared == (
        "rows: 4000 in A, 3000 in B",
        "seed: 1 in A, 2 in B",
        "share: 0.6 in A, 0.5 in B",
        "gram: 10.2 in A, 10.0 in B",
    )
    k = [np.nansum(each["heads_0"]) for each in (a, b)]
    n = [np.count_nonzero(~np.isnan(each["heads_0"])) for each in (a, b)]
    heads, expected = of(found, "heads_0"), newcombe(k[0], n[0], k[1], n[1])
    assert (heads.rows_a, heads.rows_b) == tuple(n)
    assert (heads.difference, heads.low, heads.high, heads.p) == tuple(map(float, expected))
    assert (heads.reduction, heads.test) == (None, "score test, Newcombe's interval")
    means = [(np.count_nonzero(~np.isnan(x)), np.nanmean(x), np.nanvar(x, ddof=1)) for x in (a["weight"], b["weight"])]
    weight, welch_ = of(found, "weight"), welch(*means[0], *means[1])
    assert (weight.difference, weight.low, weight.high, weight.p) == pytest.approx(
        tuple(map(float, welch_)), rel=1e-5, abs=1e-12
    )
    corrected = holm([each.p for each in found.metrics])
    assert [each.p_holm for each in found.metrics] == corrected.tolist()


def test_paired_metrics_are_those_of_the_pairs_whatever_the_parts(play: Play) -> None:
    one, other = Coins(common=0.6, rows=3990), Coins(common=0.6, rows=3990, variant=1, share=0.55)
    runs = play(one), play(other)
    found = diff_runs(*runs)
    a, b = values_of(one), values_of(other)
    cells = [np.count_nonzero((a["heads_0"] == x) & (b["heads_0"] == y)) for x, y in ((1, 1), (1, 0), (0, 1), (0, 0))]
    heads, expected = of(found, "heads_0"), paired_shares(*cells)
    assert heads.rows_a == heads.rows_b == sum(cells)
    assert (heads.difference, heads.low, heads.high, heads.p) == tuple(map(float, expected))
    d = (a["weight"] - b["weight"])[~np.isnan(a["weight"])]
    weight, t = of(found, "weight"), paired_means(len(d), d.sum(), (d**2).sum())
    assert (weight.difference, weight.low, weight.high, weight.p) == pytest.approx(tuple(map(float, t)), rel=1e-4)


def test_pairs_are_found_across_parts_of_different_sizes(tmp_path: Path) -> None:
    """Boards of players who look ahead make smaller parts."""
    fields: dict[str, Any] = {"boards": 70, "stroke_limit": 26, "keep_strokes": False, "seed": 4}
    one, other = BoardStudy(**fields, policy="greedy"), BoardStudy(**fields, policy=["greedy", "lookahead:2"])
    assert (one.chunk_rows, other.chunk_rows) == (512, 64)
    found = diff_runs(one.run(tmp_path / "a"), other.run(tmp_path / "b"))
    rows = [each.batch(range(70))["boards"] for each in (one, other)]
    both = [np.equal(np.asarray(each["ended"]), 0) for each in rows]
    assert found.paired
    trials = int((both[0] & both[1]).sum())
    assert 0 < trials < 70
    assert (found.rows, of(found, "by_rules").rows_a, of(found, "strokes").rows_a) == (70, 70, trials)
    assert of(found, "by_rules").difference == pytest.approx(both[0].mean() - both[1].mean(), abs=1e-12)


@pytest.mark.parametrize("common", [0.0, 0.5, 0.9])
def test_pairing_saves_what_is_common(play: Play, common: float) -> None:
    runs = [play(Coins(common=common, variant=variant, rows=20_000, chunk_rows=5000)) for variant in (0, 1)]
    weight = of(diff_runs(*runs), "weight")
    assert weight.reduction == pytest.approx(common, abs=0.02)
    far = play(Coins(common=common, variant=1, rows=20_000, chunk_rows=5000, seed=2))
    unpaired = of(diff_runs(runs[0], far), "weight")
    narrower = (weight.high - weight.low) / (unpaired.high - unpaired.low)
    assert narrower == pytest.approx(math.sqrt(1.0 - common), abs=0.02)


@pytest.mark.parametrize("seed", [1, 2], ids=["paired", "unpaired"])
def test_a_planted_difference_is_found_and_no_other(play: Play, seed: int) -> None:
    found = diff_runs(play(Coins(share=0.56)), play(Coins(variant=1, gram=10.2, seed=seed)))
    different = {each.metric for each in found.metrics if each.p_holm < 0.05}
    assert different == {"heads_0", "weight"}
    assert of(found, "heads_0").low < 0.06 < of(found, "heads_0").high
    assert of(found, "weight").low < -0.2 < of(found, "weight").high


@pytest.mark.parametrize("families", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_a_family_of_metrics_without_difference_is_hardly_ever_rejected(play: Play, families: int) -> None:
    seeds = range(1, families + 1)
    first = [play(Coins(rows=300, chunk_rows=300, seed=seed)) for seed in seeds]
    other = [play(Coins(rows=300, chunk_rows=300, seed=seed, variant=1)) for seed in seeds]
    alarms = {"paired": 0, "unpaired": 0, "uncorrected": 0}
    for number in range(families):
        paired = diff_runs(first[number], other[number])
        unpaired = diff_runs(first[number], other[number - 1])
        alarms["paired"] += any(each.p_holm < 0.05 for each in paired.metrics)
        alarms["unpaired"] += any(each.p_holm < 0.05 for each in unpaired.metrics)
        alarms["uncorrected"] += any(each.p < 0.05 for each in unpaired.metrics)
    most = families * (0.05 + 2.5 * math.sqrt(0.05 * 0.95 / families))
    assert alarms["paired"] <= most
    assert alarms["unpaired"] <= most
    assert alarms["uncorrected"] > most, "without the correction the alarms would be too many to be right"


def test_a_run_that_is_not_finished_is_compared_as_far_as_both_go(play: Play) -> None:
    whole, part = play(Coins()), play(Coins(variant=1))
    root = Path(part.directory)
    (root / "parts.json").unlink()
    for number in (2, 7):
        (root / "coins" / f"part-{number:08d}.parquet").unlink()
    found = diff_runs(whole, part)
    assert (found.rows_a, found.rows_b, found.rows) == (4000, 3000, 3000)
    assert found.notes == (
        "B is not finished: 3,000 of 4,000 rows stand",
        "only the 3,000 rows that both have are compared",
    )
    a, b = values_of(Coins()), values_of(Coins(variant=1))
    kept = np.ones(4000, bool)
    kept[1000:1500] = kept[3500:] = False
    assert of(found, "heads_3").difference == pytest.approx(np.nanmean((a["heads_3"] - b["heads_3"])[kept]), abs=1e-12)


def test_a_decision_is_told_to_make_differences_look_larger(play: Play) -> None:
    decided = Coins(share=0.6, until=Until(metric="heads_0", against="heads_1"))
    found = diff_runs(play(decided), play(replace(decided, until=None, variant=1)))
    assert any("A stops once" in note for note in found.notes)
    assert found.rows == found.rows_a < found.rows_b


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    shots, boards = (
        ShotStudy(strokes=5).run(tmp_path / "shots"),
        BoardStudy(boards=2, stroke_limit=3).run(tmp_path / "boards"),
    )
    with pytest.raises(ValueError, match="'shot' and .* of kind 'board': only runs of one kind"):
        diff_runs(shots, boards)
    with pytest.raises(ValueError, match="holds no run"):
        diff_runs(tmp_path / "shots", tmp_path / "nothing")
    with locked(tmp_path / "shots"), pytest.raises(InUseError, match="is in use"):
        diff_runs(shots, shots)
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "shots", copy)
    (copy / "parts.json").unlink()
    (copy / "shots" / "part-00000000.parquet").unlink()
    with pytest.raises(ValueError, match="has no finished part yet"):
        diff_runs(tmp_path / "shots", copy)


def test_other_skills_are_not_paired(tmp_path: Path) -> None:
    one = ShotStudy(strokes=30, skill=["club", "novice"]).run(tmp_path / "a")
    other = ShotStudy(strokes=30, skill=["expert", "club"]).run(tmp_path / "b")
    found = diff_runs(one, other)
    assert not found.paired
    assert {each.metric for each in found.metrics} == {"success_club", "striker_club", "unaimed_club", "estimate_club"}


def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    ShotStudy(strokes=2000, skill="novice").run(a)
    ShotStudy(strokes=2000, skill="expert").run(b)
    assert cli.run(["diff", str(a), str(b)]) == 0
    shown = capsys.readouterr().out
    assert "Paired    row by row, 2,000 pairs" in shown
    assert "McNemar" in shown
    assert cli.run(["diff", str(a), str(b), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    success = next(each for each in told["metrics"] if each["metric"] == "success")
    assert success["p_holm"] < 1e-6
    assert success["high"] < 0.0
    assert cli.run(["diff", str(a), str(tmp_path / "none")]) == 2
    assert "holds no run" in capsys.readouterr().err


def test_unknown_numbers_are_shown_as_such(play: Play) -> None:
    found = diff_runs(play(Coins(rows=1, chunk_rows=1)), play(Coins(rows=1, chunk_rows=1, seed=2)))
    console = Console(width=100, record=True, quiet=True)
    with console.capture() as shown:
        console.quiet = False
        console.print(found.report())
    assert "unknown" in shown.get()
    json.dumps(found.to_dict(), allow_nan=False)
