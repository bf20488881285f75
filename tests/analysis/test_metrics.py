"""What is looked at in a row is what the summaries count."""

from typing import Any

import numpy as np
import pytest

from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.counting.metrics import exact_dot, over_rows, whole_steps
from carromsim.studies.counting.stopping import Evidence
from carromsim.studies.counting.tally import Tally
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.counts import PlayCounts
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.shots.study import ShotStudy

BREAKS = BreakStudy(strokes=600, speed={"uniform": [2.0, 9.0]}, conduct={"improper": 0.1})
BOARDS = BoardStudy(boards=48, skill=["novice", "club"], stroke_limit=40, keep_strokes=False)
MATCHES = MatchStudy(matches=2, keep_strokes=False)
SHOTS = ShotStudy(strokes=150, skill=["club", "novice", "expert"], distance={"uniform": [0.2, 0.9]})
ONE_SKILL = ShotStudy(strokes=150, skill="novice")


def played(study: DeclaredStudy) -> tuple[dict[str, Any], Any]:
    """Observed values and counts of all rows."""
    batch = study.batch(range(study.rows))[study.tables[0].name]
    observed = study.observed(batch)
    assert list(observed) == list(study.metrics)
    assert all(values.shape == (study.rows,) for values in observed.values())
    return observed, study.counts_of(batch)


def evidence(study: DeclaredStudy, observed: dict[str, Any], key: str) -> Evidence:
    return Evidence.seen(study.metrics[key], observed[key])


def of_tally(tally: Tally) -> Evidence:
    return Evidence(tally.n, tally.total, tally.squares)


def test_breaks() -> None:
    observed, counts = played(BREAKS)
    seen = {**counts.fell, **counts.ruled}
    for key, number in seen.items():
        assert evidence(BREAKS, observed, key) == (counts.ok, number, number), key
    for key, tally in counts.tallies.items():
        assert evidence(BREAKS, observed, key) == of_tally(tally), key
    for key, histogram in (("men", counts.n_pocketed), ("free", counts.free), ("dues", counts.dues)):
        value = np.arange(len(histogram))
        assert evidence(BREAKS, observed, key) == (counts.ok, histogram @ value, histogram @ value**2), key
    assert set(BREAKS.metrics) == {*seen, *counts.tallies, "men", "free", "dues"}
    assert 0 < counts.fell["any"] < counts.ok
    assert counts.ruled["any_due"] > 0


@pytest.mark.parametrize("study", [BOARDS, MATCHES], ids=["boards", "matches"])
def test_boards_and_matches(study: DeclaredStudy) -> None:
    observed, counts = played(study)
    assert isinstance(counts, PlayCounts)
    for key, number in counts.over.items():
        assert evidence(study, observed, key) == (counts.finished, number, number), key
    for key, tally in counts.tallies.items():
        assert evidence(study, observed, key) == of_tally(tally), key
    assert set(counts.ends) == {"by_rules"} | ({"stroke_limit"} if study is BOARDS else set())
    assert set(study.metrics) == {*counts.ends, *counts.over, *counts.tallies}
    for key, (_, way) in counts.ends.items():
        assert evidence(study, observed, key) == (counts.rows, counts.ended[way], counts.ended[way]), key


def test_boards_that_the_rules_did_not_end_are_no_trials() -> None:
    observed, counts = played(BOARDS)
    assert 0 < counts.finished < counts.rows
    ended = observed["by_rules"] == 1
    assert np.isnan(observed["won_breaker"][~ended]).all()
    assert not np.isnan(observed["won_breaker"][ended]).any()


def test_shots_of_several_skills_have_metrics_of_their_own() -> None:
    observed, counts = played(SHOTS)
    for place, label in enumerate(SHOTS.labels):
        strokes = counts.seen[place, 0]
        for column, key in enumerate(("success", "striker", "unaimed"), 1):
            number = counts.seen[place, column]
            assert evidence(SHOTS, observed, f"{key}_{label}") == (strokes, number, number), (key, label)
        assert evidence(SHOTS, observed, f"estimate_{label}") == of_tally(counts.estimate[place])
    trials = np.stack([~np.isnan(observed[f"success_{label}"]) for label in SHOTS.labels])
    assert (trials.sum(axis=0) <= 1).all()
    assert counts.seen[1, 1] < counts.seen[2, 1]


def test_shots_of_one_skill() -> None:
    observed, counts = played(ONE_SKILL)
    assert set(observed) == {"success", "striker", "unaimed", "estimate"}
    assert evidence(ONE_SKILL, observed, "success") == (counts.seen[0, 0], counts.seen[0, 1], counts.seen[0, 1])


def test_values_are_rounded_to_steps_and_summed_exactly() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.exponential(3.0, 1000), [0.0, 2.5, 1e9, 2.0**52, 2.0**60]])
    whole = whole_steps(values, 10**6)
    expected = [round(value * 10**6) if value < 2**53 else int(value) * 10**6 for value in values.tolist()]
    assert whole.tolist() == expected
    assert exact_dot(whole, whole) == sum(value * value for value in expected)
    small = whole_steps(values[:1000], 10**6)
    assert small.dtype == np.int64
    assert exact_dot(small, small) == sum(value * value for value in expected[:1000])


def test_sums_that_do_not_fit_into_64_bits_are_exact() -> None:
    large = np.full(1000, 2**52, np.int64)
    assert exact_dot(large, large) == 1000 * 2**104
    assert exact_dot(large, -large) == -1000 * 2**104
    assert exact_dot(large[:0], large[:0]) == 0


def test_rows_that_are_no_trial_have_no_value() -> None:
    found = over_rows(np.array([True, False, True]), np.array([3, 4]))
    np.testing.assert_array_equal(found, [3.0, np.nan, 4.0])
