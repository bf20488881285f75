"""Plans keep their promise: the rows that are planned give what was wished."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from carromsim import cli
from carromsim.stats import rows_for_difference, rows_for_half_width
from carromsim.studies.analysis.planning import Plan, plan_study
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.shots.study import ShotStudy

SHOTS = ShotStudy(strokes=50_000, skill=["club", "novice"])


def need(plan: Plan, words: str) -> int:
    rows = next(each.rows for each in plan.needs if words in each.words)
    assert rows is not None
    return rows


@pytest.mark.parametrize("wish", [0.012, 0.02])
def test_the_planned_rows_give_the_wished_half_width(wish: float) -> None:
    plan = plan_study(SHOTS, metric="success_novice", half_width=wish, pilot=4096)
    rows = need(plan, "fixed number")
    fields = {name: getattr(SHOTS, name) for name in ShotStudy.model_fields} | {"strokes": rows // 2, "seed": 9}
    estimate, low, high = ShotStudy(**fields).summarise().success(1)
    assert (high - low) / 2 == pytest.approx(wish, rel=0.15)
    assert rows == pytest.approx(2 * rows_for_half_width(wish, share=estimate), rel=0.15)


def test_the_rows_that_until_needs_are_foreseen() -> None:
    wish = {"metric": "success", "half_width": 0.013}
    study = ShotStudy(strokes=100_000, until=wish)
    rows = need(plan_study(study, pilot=4096), "with until")
    assert rows % study.chunk_rows == 0
    assert study.summarise().counts.rows == pytest.approx(rows, abs=study.chunk_rows)


def test_the_mean_of_a_quantity_is_planned() -> None:
    study = BreakStudy(strokes=400)
    plan = plan_study(study, metric="men", half_width=0.1, pilot=400)
    rows = need(plan, "fixed number")
    counts = BreakStudy(strokes=rows, seed=5).summarise()
    mean, low, high = counts.mean_pocketed()
    assert 0.3 < mean < 1.2
    assert (high - low) / 2 == pytest.approx(0.1, rel=0.15)


def test_all_rows_of_the_study_are_planned_too(tmp_path: Path) -> None:
    study = ShotStudy(strokes=12_288)
    plan = plan_study(study, pilot=4096, workers=1)
    (all_rows,) = plan.needs
    run = study.run(tmp_path / "run", workers=1)
    written = sum(path.stat().st_size for path in (tmp_path / "run" / "shots").iterdir())
    assert (all_rows.rows, plan.pilot, plan.workers) == (12_288, 4096, 1)
    assert all_rows.size == pytest.approx(written, rel=0.05)
    assert all_rows.seconds == pytest.approx(3 * plan.seconds)
    success = next(each for each in plan.metrics if each.metric == "success")
    _, low, high = run.summary().success()
    assert success.half_width == pytest.approx((high - low) / 2, rel=0.1)
    assert {each.metric for each in plan.metrics} == set(study.metrics)


def test_a_difference_is_planned() -> None:
    plan = plan_study(ShotStudy(), metric="success", difference=0.03, pilot=2048)
    (metric,) = plan.metrics
    assert need(plan, "a difference of 0.03, each run") == rows_for_difference(0.03, share=metric.estimate)


def test_a_decision_is_planned() -> None:
    study = BoardStudy(boards=64, keep_strokes=False, until={"metric": "won_breaker", "against": 0.9})
    plan = plan_study(study)
    assert plan.pilot == 64
    assert need(plan, "until won_breaker vs 0.9 is decided") % study.chunk_rows == 0
    equal = plan_study(ShotStudy(strokes=50, until={"metric": "striker", "against": "unaimed"}), pilot=50)
    assert equal.needs[-1].rows is None


def test_what_was_never_seen_is_planned_with_the_worst_that_the_pilot_allows() -> None:
    plan = plan_study(ShotStudy(), metric="striker", half_width=0.0005, pilot=500)
    (metric,) = plan.metrics
    assert metric.estimate == 0.0
    assert need(plan, "fixed number") > 50_000  # 0 of 500 may be 0.8 %


def test_what_never_varied_cannot_be_planned() -> None:
    plan = plan_study(ShotStudy(), metric="estimate", half_width=0.01, pilot=100)
    assert [each.rows for each in plan.needs[1:]] == [None, None]
    assert plan.metrics[0].half_width is None
    json.dumps(plan.to_dict(), allow_nan=False)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"metric": "sucess"}, "metric = 'sucess': did you mean 'success'"),
    ({"half_width": 0.01}, "metric: must be named, known: estimate, striker"),
    ({"metric": "success", "half_width": 0.01, "difference": 0.1}, "only one of them"),
    ({"metric": "success", "half_width": 0.0}, "half_width = 0.0: must be above 0"),
    ({"metric": "success", "difference": math.nan}, "difference = nan: must be above 0"),
    ({"metric": "success", "difference": 0.9}, "cannot differ by that"),
    ({"pilot": 0}, "pilot = 0: must be a whole number >= 1"),
    ({"workers": 0}, "workers = 0: must be a whole number >= 1"),
]


@pytest.mark.parametrize(("wish", "message"), BAD)
def test_a_bad_wish_is_told(wish: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_study(ShotStudy(strokes=100), **wish)


def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "study.toml"
    file.write_text('kind = "shot"\nuntil = {metric = "success", half_width = 0.01}\n')
    assert cli.run(["plan", str(file), "--pilot", "500"]) == 0
    shown = capsys.readouterr().out
    assert "Pilot     500 strokes" in shown
    assert "+-0.01 with until" in shown
    assert cli.run(["plan", str(file), "--pilot", "500", "--json", "--metric", "success", "--difference", "0.1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["words"] for each in told["needs"]] == [
        "all rows that are declared",
        "a difference of 0.1, each run",
    ]
    assert cli.run(["plan", str(file), "--metric", "sucess"]) == 2
    assert "did you mean 'success'" in capsys.readouterr().err
