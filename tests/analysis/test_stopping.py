"""When a study has seen enough: the same end in whatever order the chunks come back."""

from typing import Any

import numpy as np
import pytest

from analysis.fake_runs import Coins, values_of
from carromsim.stats import asymptotic_mean, beta_binomial, tuning
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.counting.stopping import Evidence, Stopping, Until, ended_in_words, evidence_of
from carromsim.studies.declaring.declare import DeclarationError, study_from_toml, study_to_toml
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.shots.study import ShotStudy


def coins(until: dict[str, Any], **fields: Any) -> Coins:
    return Coins(until=Until(**until), **fields)


def evidences(study: Coins) -> list[Evidence]:
    found = []
    for start in range(0, study.rows, study.chunk_rows):
        rows = range(start, min(start + study.chunk_rows, study.rows))
        evidence = evidence_of(study, study.batch(rows)["coins"])
        assert evidence is not None
        found.append(evidence)
    return found


def end_by_force(study: Coins) -> tuple[int, str]:
    """Look at every prefix of the rows themselves, without evidence or chunks that wait."""
    until, values = study.until, values_of(study)
    assert until is not None
    metric = study.metrics[until.metric]
    chunks = -(-study.rows // study.chunk_rows)
    for chunk in range(1, chunks + 1):
        seen = values[until.metric][: chunk * study.chunk_rows]
        value = until.against
        if isinstance(until.against, str):
            other = values[until.against][: chunk * study.chunk_rows]
            seen, value = seen[(seen != other) & ~np.isnan(seen)], 0.5
        seen = seen[~np.isnan(seen)]
        tuned = {} if until.half_width is None else {"tuned": min(tuning(until.half_width), study.rows)}
        if metric.is_share:
            low, high = beta_binomial(int(seen.sum()), len(seen), until.level, **tuned)
        else:
            seen = np.round(seen, 6)
            low, high = asymptotic_mean(len(seen), seen.mean(), seen.var(ddof=1), until.level)
        if until.half_width is not None and (high - low) / 2 <= until.half_width:
            return chunk, "half_width"
        if value is not None and not low <= value <= high:
            return chunk, "decided"
    return chunks, "budget"


WISHES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"metric": "heads_0", "half_width": 0.03}, {"share": 0.3}, "half_width"),
    ({"metric": "heads_0", "half_width": 0.001}, {}, "budget"),
    ({"metric": "heads_0", "against": 0.5}, {"share": 0.57}, "decided"),
    ({"metric": "heads_0", "against": "heads_1"}, {"share": 0.6}, "decided"),
    ({"metric": "heads_0", "against": "heads_1"}, {"share": 0.5}, "budget"),
    ({"metric": "weight", "half_width": 0.06}, {}, "half_width"),
    ({"metric": "weight", "against": 9.9}, {}, "decided"),
    ({"metric": "heads_0", "half_width": 0.03, "level": 0.8}, {}, "half_width"),
]


@pytest.mark.parametrize(("wish", "fields", "reason"), WISHES)
def test_the_end_is_that_of_every_prefix_whatever_the_order(
    wish: dict[str, Any], fields: dict[str, Any], reason: str
) -> None:
    study = coins(wish, rows=8190, chunk_rows=420, **fields)
    expected, why = end_by_force(study)
    assert why == reason
    assert reason == "budget" or 1 < expected < 20
    found = evidences(study)
    rng = np.random.default_rng(3)
    for order in [list(range(20)), list(range(19, -1, -1)), *(rng.permutation(20).tolist() for _ in range(6))]:
        stopping = Stopping(study, 20)
        known = None
        for count, number in enumerate(order, 1):
            stopping.add(number, found[number])
            if stopping.end is not None and known is None:
                known = count
                assert set(range(stopping.end)) <= set(order[:count]), "it knew before the chunks were there"
        assert stopping.end == expected
        told = stopping.told
        assert told is not None
        assert (told["reason"], told["metric"]) == (reason, wish["metric"])
        assert told["rows"] == min(expected * 420, 8190)
        assert told["trials"] == sum(each.n for each in found[:expected])


def test_a_study_without_until_ends_with_its_last_chunk() -> None:
    study = Coins()
    stopping = Stopping(study, 8)
    assert (stopping.end, stopping.told) == (8, None)
    assert evidence_of(study, study.batch(range(500))["coins"]) is None
    stopping.add(3, None)
    assert stopping.end == 8


def test_half_width_is_reached_and_was_not_before() -> None:
    study = coins({"metric": "heads_0", "half_width": 0.02}, rows=20000, chunk_rows=500)
    stopping, widths = Stopping(study, 40), []
    for number, evidence in enumerate(evidences(study)):
        stopping.add(number, evidence)
        told = stopping.told
        assert told is not None
        widths.append((told["high"] - told["low"]) / 2)
        if stopping.end is not None:
            break
    assert widths[-1] <= 0.02 < min(widths[:-1])
    told = stopping.told
    assert told is not None
    assert told["low"] < told["estimate"] < told["high"]
    why, found = ended_in_words(study, told)
    assert why == f"heads_0:0.02 is reached after {told['rows']:,} of at most 20,000 rows"
    assert f"{100 * told['estimate']:.2f} %" in found


def test_before_the_first_chunk_nothing_is_known() -> None:
    told = Stopping(coins({"metric": "weight", "half_width": 0.1}), 8).told
    assert told is not None
    assert (told["reason"], told["rows"], told["estimate"], told["low"], told["high"]) == (None, 0, None, None, None)


def test_a_quantity_that_never_varied_is_not_known_to_any_width() -> None:
    until = Until(metric="weight", half_width=10.0)
    look = until.look(Coins(until=until), Evidence(5000, 5000 * 10**7, 5000 * 10**14))
    assert (look.estimate, look.low, look.high, look.reached) == (10.0, -np.inf, np.inf, False)


def misses(share: float, against: Any, studies: int, chunks: int, rows: int) -> float:
    """Share of studies that decide although there is nothing to decide, looked at after every chunk."""
    rng = np.random.default_rng(11)
    study = coins({"metric": "heads_0", "against": against}, rows=chunks * rows, chunk_rows=rows)
    assert study.until is not None
    wrong = 0
    for _ in range(studies):
        heads = np.cumsum(rng.binomial(rows, share, chunks))
        wrong += any(
            study.until.reached(study, Evidence(rows * number, int(seen), int(seen)))
            for number, seen in enumerate(heads, 1)
        )
    return wrong / studies


def test_equal_sides_are_hardly_ever_called_different() -> None:
    assert misses(0.5, "heads_1", studies=400, chunks=30, rows=100) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_a_number_that_is_true_is_hardly_ever_refuted() -> None:
    assert misses(0.2, 0.2, studies=400, chunks=30, rows=100) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(
    "wish", [{"against": 0.5}, {"against": 0.3}, {"against": "heads_1"}, {"half_width": 0.06}, {"half_width": 0.1}]
)
def test_what_is_reached_is_what_the_interval_says(wish: dict[str, Any]) -> None:
    study = coins({"metric": "heads_0", **wish})
    assert study.until is not None
    rng = np.random.default_rng(2)
    found = [Evidence(n, int(seen), int(seen)) for n in (0, 1, 150, 400, 700) for seen in rng.integers(0, n + 1, 12)]
    looks = [study.until.look(study, each).reached for each in found]
    assert [study.until.reached(study, each) for each in found] == looks
    assert 0 < sum(looks) < len(looks)


def test_sides_that_differ_are_told_apart() -> None:
    assert misses(0.6, "heads_1", studies=100, chunks=40, rows=100) > 0.95


BAD = [
    ({"metric": "heads_0"}, "must have half_width or against, and not both"),
    ({"metric": "heads_0", "half_width": 0.1, "against": 0.5}, "must have half_width or against, and not both"),
    ({"metric": "heads_0", "half_width": 0.0}, "greater than 0"),
    ({"metric": "heads_0", "half_width": 0.1, "level": 1.0}, "less than 1"),
    ({"metric": "heads_0", "half_width": float("nan")}, "finite"),
]


@pytest.mark.parametrize(("wish", "message"), BAD)
def test_a_wish_that_is_none_is_told(wish: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Until(**wish)


IMPOSSIBLE = [
    (
        'kind = "board"\nuntil = {metric = "won_braeker", half_width = 0.01}',
        "metric = 'won_braeker': did you mean 'won_b",
    ),
    (
        'kind = "board"\nuntil = {metric = "won_breaker", against = "won_ohter"}',
        "against = 'won_ohter': did you mean 'w",
    ),
    ('kind = "board"\nuntil = {metric = "won_breaker", half_with = 0.01}', "half_with: did you mean 'half_width'?"),
    ('kind = "board"\nuntil = {metric = "won_breaker", half_width = -1}', "half_width: must be greater than 0"),
    ('kind = "board"\nuntil = {metric = "won_breaker", half_width = 0.5}', "half_width = 0.5: must be less than 0.5"),
    ('kind = "board"\nuntil = {metric = "strokes", against = "turns"}', "against = 'turns': both must be seen or not"),
    ('kind = "board"\nuntil = {metric = "won_breaker", against = "won_breaker"}', "must be another metric"),
    ('kind = "match"\nuntil = {metric = "won_side_0", against = 1.0}', "against = 1: must be a share between 0 and 1"),
    (
        'kind = "board"\nuntil = {metric = "strokes", half_width = 1, level = 1e-300}',
        "level: must be greater than or equal to 0.01",
    ),
    ('kind = "match"\nuntil = "won_side_0:0.01"', "must be {metric, half_width} or {metric, against}"),
    (
        'kind = "shot"\nskill = ["club", "novice"]\nuntil = {metric = "success_club", against = "success_novice"}',
        "against = 'success_novice': no row is a trial of both",
    ),
]


@pytest.mark.parametrize(("text", "message"), IMPOSSIBLE)
def test_mistakes_in_a_file_are_told_with_their_line(text: str, message: str) -> None:
    with pytest.raises(DeclarationError) as told:
        study_from_toml(text)
    (problem,) = told.value.problems
    assert problem.startswith(f"study.toml:{text.count(chr(10)) + 1}: until = ")
    assert message in problem


@pytest.mark.parametrize(
    "study",
    [
        BreakStudy(until={"metric": "men", "half_width": 0.1}),
        ShotStudy(skill=["club", "novice"], until={"metric": "success_novice", "against": 0.25, "level": 0.9}),
        BoardStudy(until=Until(metric="won_breaker", against="won_other")),
        MatchStudy(until={"metric": "strokes", "against": 700}),
    ],
    ids=["break", "shot", "board", "match"],
)
def test_until_is_written_down_and_read_again(study: Any) -> None:
    assert study_from_toml(study_to_toml(study)) == study
    assert type(study).from_declaration(study.declaration()) == study
    assert study.declaration()["until"]["metric"] == study.until.metric
