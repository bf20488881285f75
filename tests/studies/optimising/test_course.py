"""The search, its finalists and its verdict, on hills whose top is known."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.optimising.choosing import dominated, front
from carromsim.studies.optimising.course import Course
from carromsim.studies.optimising.plan import Plan, Stage
from carromsim.studies.optimising.records import Evaluation, batch_of, evaluations_of
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim.studies.optimising.summary import EvaluationCounts, OptimiseSummary
from studies.optimising.planted import BEST, LARGE, SMALL, TOP, WIDTH, asked, evaluate, searched, true_worth

SEARCHES = 400
PAGE = (Path(__file__).parents[3] / "docs" / "optimise.md").read_text(encoding="utf-8")


def summary_of(rows: list[Evaluation]) -> OptimiseSummary:
    return OptimiseSummary(study=BreakOptimisation(ruleset="ukca"), counts=EvaluationCounts.of(rows))


def test_the_planted_top_is_found() -> None:
    summary = summary_of(searched(3, LARGE))
    winner = summary.winner
    assert winner is not None
    for name, best in BEST.items():
        assert abs(getattr(winner, name) - best) < 0.35 * WIDTH[name], name
    assert true_worth(winner.break_) > 0.95 * TOP
    assert summary.gain(winner).low > 1.0
    assert summary.gain(winner).estimate == pytest.approx(
        true_worth(winner.break_) - true_worth(asked().straight), abs=0.05
    )


def test_a_search_that_was_too_short_is_told_by_its_map() -> None:
    short = replace(LARGE, scouts=0, restarts=1, generations=1, finalists=4)
    warnings = {len(plan.sections): summary_of(searched(3, plan)).warnings for plan in (short, LARGE)}
    assert [any("the search was too short" in each for each in told) for told in warnings.values()] == [True, False]


@cache
def verdicts() -> tuple[tuple[float, ...], ...]:
    """Of many small searches: whether both intervals cover the truth, and by how much each estimate is too good."""
    found = []
    straight = true_worth(asked().straight)
    for seed in range(SEARCHES):
        summary = summary_of(searched(seed, SMALL))
        winner, claim = summary.winner, summary.claim
        assert winner is not None
        assert claim is not None
        best = max(summary.of(Stage.SEARCH), key=lambda each: each.known)
        worth, gain, truth = summary.worth(winner), summary.gain(winner), true_worth(winner.break_)
        found.append(
            (
                worth.low <= truth <= worth.high,
                gain.low <= truth - straight <= gain.high,
                worth.estimate - truth,
                claim[0] - true_worth(best.break_),
                claim[1] - true_worth(best.break_),
            )
        )
    return tuple(found)


@pytest.mark.slow
def test_the_interval_of_the_verdict_covers_the_truth_at_its_level() -> None:
    covered = np.array(verdicts())[:, :2].mean(axis=0)
    # 95 % of 400: two-sided 99.9 % limits of the binomial distribution
    assert np.all(covered > 0.95 - 3.3 * np.sqrt(0.95 * 0.05 / SEARCHES))
    assert np.all(covered < 0.95 + 3.3 * np.sqrt(0.95 * 0.05 / SEARCHES))


@pytest.mark.slow
def test_the_search_flatters_its_best_and_the_verdict_flatters_nobody() -> None:
    verdict, claimed, fresh = np.array(verdicts())[:, 2:].T
    error = 1.0 / np.sqrt(200 * SEARCHES)  # COMMON and OWN add up to 1
    assert abs(verdict.mean()) < 3.3 * error
    said = re.search(r"by (\d\.\d+) on average, the verdict's by nothing", PAGE)
    assert said is not None
    assert claimed.mean() == pytest.approx(float(said[1]), abs=0.04)  # the largest of 30 means whose sd is 0.22
    assert abs(fresh.mean()) < 3.3 / np.sqrt(60 * SEARCHES)


def test_no_stroke_chooses_and_judges() -> None:
    sections = LARGE.sections
    strokes = [number for section in sections for number in (section.luck.start, section.luck.stop - 1)]
    assert strokes == sorted(strokes)
    assert len({section.luck.start for section in sections}) == len(sections) == 1 + 120 + 3
    rows = [row for section in sections for row in section.rows]
    assert rows == list(range(LARGE.rows))
    for row in (0, 59, 60, 71, 1499, 1500, 1512, LARGE.rows - 1):
        assert row in LARGE.section_of(row).rows


@pytest.mark.parametrize("known", [0, 5, 6, 17, 30, 33, 36, 37])
def test_what_is_recalled_is_not_evaluated_again(known: int) -> None:
    rows = searched(1, SMALL)
    played = 0

    def counting(jobs: list[object]) -> list[np.ndarray]:
        nonlocal played
        played += len(jobs)
        return evaluate(1, jobs)  # type: ignore[arg-type]

    course = Course(replace(asked(), seed=1, plan=SMALL), counting)  # type: ignore[arg-type]
    course.recall(evaluations_of(batch_of(rows[:known])))
    assert course.known == known
    assert course.rows(range(SMALL.rows)) == rows
    evaluations = SMALL.rows - known
    pairs = min(2, evaluations)
    assert played == evaluations + pairs


def test_rows_of_another_search_are_refused() -> None:
    course = Course(replace(asked(), seed=2, plan=SMALL), lambda jobs: evaluate(2, jobs))
    with pytest.raises(RuntimeError, match="row 0 of the run has x = .*another version of cmaes"):
        course.recall(searched(1, SMALL))


def test_rows_that_are_not_the_next_ones_are_ignored() -> None:
    course = Course(replace(asked(), seed=1, plan=SMALL), lambda jobs: evaluate(1, jobs))
    course.recall(searched(1, SMALL)[6:])
    assert course.known == 0


def test_a_search_that_finds_nothing_better_gives_the_straight_break_and_no_gain() -> None:
    plan = replace(SMALL, generations=1)
    flat = replace(asked(), seed=1, plan=plan)

    def worth(jobs: object) -> list[np.ndarray]:
        return [
            np.full((len(job.luck), 1), 1.0 if job.break_ == flat.straight else 0.0)
            for job in jobs  # type: ignore[attr-defined]
        ]

    summary = summary_of(Course(flat, worth).rows(range(plan.rows)))
    assert summary.winner is not None
    assert summary.winner.break_ == flat.straight
    assert tuple(summary.gain(summary.winner)) == (0.0, 0.0, 0.0)


def test_strokes_that_are_no_trials_do_not_count() -> None:
    plan = replace(SMALL, generations=1)

    def holes(jobs: object) -> list[np.ndarray]:
        found = evaluate(1, jobs)  # type: ignore[arg-type]
        for k, values in enumerate(found):
            values[: 3 + k] = np.nan
        return found

    rows = Course(replace(asked(), seed=1, plan=plan), holes).rows(range(plan.rows))
    assert [each.n for each in rows[:6]] == [20 - 3 - k for k in range(6)]
    assert rows[-1].n == 200 - 3 - 3  # of the pair the stroke counts that both have: fourth of the jobs
    assert all(each.objective is not None for each in rows)


def test_a_search_of_nothing_but_failures_goes_on() -> None:
    def failed(jobs: object) -> list[np.ndarray]:
        return [np.full((len(job.luck), 1), np.nan) for job in jobs]  # type: ignore[attr-defined]

    rows = Course(replace(asked(), seed=1, plan=SMALL), failed).rows(range(SMALL.rows))
    assert {each.n for each in rows} == {0}
    assert {each.objective for each in rows} == {None}
    assert len(evaluations_of(batch_of(rows))) == SMALL.rows


def test_domination() -> None:
    worth = np.array([[1.0, 0.0], [0.5, 0.5], [0.5, 0.4], [0.0, 1.0], [0.5, 0.5]])
    assert dominated(worth).tolist() == [False, False, True, False, False]


def test_a_pareto_search_keeps_both_ends() -> None:
    plan = Plan(
        scouts=30,
        restarts=3,
        generations=12,
        candidates=10,
        finalists=12,
        verdicts=12,
        mapped=0,
        conditions=0,
        strokes=(200, 200, 500, 1000, 1, 1),
    )
    question = replace(asked(), seed=1, plan=plan, pareto=True, weights={"men": 1.0, "striker": -1.0})

    def values(jobs: object) -> list[np.ndarray]:
        """Fast breaks pocket more, and the striker too."""
        found = []
        for job in jobs:  # type: ignore[attr-defined]
            noise = np.random.default_rng([job.luck.start]).normal(0.0, 0.1, (len(job.luck), 2))
            speed = job.break_.speed / 10.0
            found.append(np.array([speed, speed**2]) + noise)
        return found

    rows = Course(question, values).rows(range(plan.rows))
    verdict = [each for each in rows if each.stage == Stage.VERDICT]
    speeds = sorted(each.speed for each in verdict)
    assert len(verdict) == 12
    assert speeds[0] < 2.0  # cares for the striker only
    assert speeds[-1] > 9.0  # cares for men only
    study = BreakOptimisation(ruleset="ukca", pareto=True, objective={"men": 1.0, "striker": -1.0})
    summary = OptimiseSummary(study=study, counts=EvaluationCounts.of(rows))
    assert sum(summary.undominated) >= 10  # with common luck the order of speeds is the order of both terms
    assert summary.winner is None
    assert len(front(rows[:10], question.weights, 4)) == 4


def test_breaks_of_the_box_are_legal_and_keep_their_aim() -> None:
    space = asked().space
    rng = np.random.default_rng(1)
    for point in rng.uniform(space.bounds[:, 0], space.bounds[:, 1], (50, 5)):
        break_ = space.at(point)
        study = BreakStudy(ruleset="ukca", x=break_.x, angle=break_.angle, strokes=1)  # refuses a foul place
        assert abs(break_.rotation) <= np.pi / 3
        start, direction = np.array([study.x, -space.distance]), np.array([np.cos(break_.angle), np.sin(break_.angle)])
        assert start[1] * direction[0] - start[0] * direction[1] == pytest.approx(break_.aim, abs=1e-12)
    straight = asked().straight
    assert (straight.x, straight.angle, straight.speed) == (0.0, np.pi / 2, 6.0)
    middle = space.at(space.middle(6.0))
    assert middle.speed == pytest.approx(6.0)
    assert replace(middle, speed=6.0) == straight


def test_every_direction_that_meets_the_pack_is_in_the_box_and_no_other() -> None:
    space = asked("icf").space
    names = ("x", "aim", "speed", "spin")
    assert space.names == names
    study = BreakOptimisation(ruleset="icf", skill="perfect")
    for aim, met in ((0.97, True), (1.01, False)):
        break_ = space.aimed(x=0.0, aim=aim * space.reach, speed=3.0, spin=0.0, rotation=0.0)
        break_ = replace(break_, rotation=break_.angle)  # a corner of the pack where the line comes nearest
        rows = study.setting.break_study(break_, 60).batch(range(60))["strokes"]
        directly = [hit == 1 for hit in rows["first_hit_direct"].to_pylist()]
        assert directly == [met] * 60
